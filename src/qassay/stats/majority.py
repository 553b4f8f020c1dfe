"""The majority answer of several runs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..core.columns import counted, to_list
from ..core.shown import describe, shown
from ..core.text import NormalizerSpec, get_normalizer


def majority_answers(runs: Any, normalizer: NormalizerSpec = "squad") -> Any:
    """The most frequent answer to each question among several runs, to be scored as a system.

    Answers are normalized before they are counted, as scoring compares them. The result has the wording of the first run
    that gave this answer. Among equally frequent answers, that of the earliest run is chosen.

    Args:
        runs: two or more runs of the same questions, each a list of answers in the order of the questions, or a dict
            id -> answer. None (no answer) counts as an answer.
        normalizer: as in `qassay.answer_match`.

    Returns:
        A list of answers, or a dict id -> answer in the order of the first run.

    Raises:
        ValueError: one run only, or runs with different questions. TypeError: an answer that is not a text.

    Example:
        >>> majority_answers([["Rome", "a"], ["the Rome", "b"], ["Milan", "b"]])
        ['Rome', 'b']
        >>> majority_answers([{"q1": "Rome"}, {"q1": "Milan"}])
        {'q1': 'Rome'}
    """
    listed = to_list(runs, "runs")
    if len(listed) < 2:
        raise ValueError(f"a majority needs the answers of two or more runs; got {len(listed)}")
    by_id = isinstance(listed[0], Mapping)
    if any(isinstance(run, Mapping) != by_id for run in listed):
        raise TypeError("some runs are dicts by id and others are lists; give dicts only, or lists only")
    named = [dict(run) if by_id else dict(enumerate(to_list(run, f"run {n}"))) for n, run in enumerate(listed, 1)]
    for number, run in enumerate(named[1:], 2):
        other = sorted(map(shown, run.keys() ^ named[0].keys()))
        if other:
            what = "ids that only one of them has" if by_id else "questions that only one of them has"
            raise ValueError(
                f"run {number} and run 1 have {counted(len(other), what)}, such as {other[0]}; give the same questions"
            )
    normalize = get_normalizer(normalizer)
    answers = {key: _most_frequent([run[key] for run in named], key, normalize) for key in named[0]}
    return answers if by_id else list(answers.values())


def _most_frequent(answers: Sequence[Any], key: Any, normalize: Any) -> Any:
    for number, answer in enumerate(answers, 1):
        if answer is not None and not isinstance(answer, str):
            raise TypeError(f"the answer of run {number} to {shown(key)} must be a text, got {describe(answer)}")
    texts = [None if answer is None else normalize(answer) for answer in answers]
    ((best, _),) = Counter(texts).most_common(1)  # the first of equal counts
    return answers[texts.index(best)]
