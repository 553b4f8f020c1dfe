"""What k of several answers to a question give: one that is right, a majority that is, and the answer of the majority."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..core.columns import to_list
from ..core.shown import describe, shown
from ..core.text import NormalizerSpec, get_normalizer


def pass_probabilities(n: int, k: int) -> list[float]:
    """That one of k answers drawn from n is right, where 0, 1, ..., n of them are.

    Example:
        >>> pass_probabilities(3, 2)
        [0.0, 0.6666666666666667, 1.0, 1.0]
    """
    return [1 - math.comb(n - right, k) / math.comb(n, k) for right in range(n + 1)]


def majority_probabilities(n: int, k: int) -> list[float]:
    """That more than half of k answers drawn from n are right, where 0, 1, ..., n of them are; half of them counts 1/2.

    Example:
        >>> majority_probabilities(3, 3), majority_probabilities(2, 2)
        ([0.0, 0.0, 1.0, 1.0], [0.0, 0.5, 1.0])
    """
    found = []
    for right in range(n + 1):
        ways = [math.comb(right, drawn) * math.comb(n - right, k - drawn) for drawn in range(k + 1)]
        won = 2 * sum(ways[k // 2 + 1 :]) + (0 if k % 2 else ways[k // 2])
        found.append(won / (2 * math.comb(n, k)))
    return found


def majority_answers(runs: Any, normalizer: NormalizerSpec = "squad") -> Any:
    """The answer to each question that most of several runs give: a system of its own, to be scored as one.

    Answers are counted as they are after normalization, as scoring compares them. The answer is written as the first of
    these runs wrote it; where several answers are as frequent, it is the one that an earlier run gave.

    Args:
        runs: two or more, each a list of answers, or a dict id -> answer; all of the same questions. A list is in the
            order of the questions. None (no answer given) counts as an answer of its own.
        normalizer: as of `qassay.answer_match`.

    Returns:
        A list of answers, or a dict id -> answer in the order of the first run.

    Raises:
        ValueError: one run only, or runs with other questions. TypeError: an answer that is not a text.

    Example:
        >>> majority_answers([["Rome", "a"], ["the Rome", "b"], ["Milan", "b"]])
        ['Rome', 'b']
        >>> majority_answers([{"q1": "Rome"}, {"q1": "Milan"}])
        {'q1': 'Rome'}
    """
    given = to_list(runs, "runs")
    if len(given) < 2:
        raise ValueError(f"a majority needs the answers of two runs or more; got {len(given)}")
    by_id = isinstance(given[0], Mapping)
    if any(isinstance(run, Mapping) != by_id for run in given):
        raise TypeError("some runs are dicts by id and others are lists; give all in one way")
    named = [dict(run) if by_id else dict(enumerate(to_list(run, f"run {n}"))) for n, run in enumerate(given, 1)]
    for number, run in enumerate(named[1:], 2):
        other = sorted(map(shown, run.keys() ^ named[0].keys()))
        if other:
            what = "ids that only one of them has" if by_id else "questions that only one of them has"
            raise ValueError(
                f"run {number} and run 1 have {len(other)} {what}, such as {other[0]}; give the same questions"
            )
    normalize = get_normalizer(normalizer)
    answers = {key: _most_frequent([run[key] for run in named], key, normalize) for key in named[0]}
    return answers if by_id else list(answers.values())


def _most_frequent(answers: Sequence[Any], key: Any, normalize: Any) -> str | None:
    for number, answer in enumerate(answers, 1):
        if answer is not None and not isinstance(answer, str):
            raise TypeError(f"the answer of run {number} to {shown(key)} must be a text, got {describe(answer)}")
    texts = [None if answer is None else normalize(answer) for answer in answers]
    ((best, _),) = Counter(texts).most_common(1)  # of equal counts the first
    found: str | None = answers[texts.index(best)]
    return found
