"""The measures of HotpotQA: the answer, its supporting facts, and both together.

The values match the official script (`hotpot_evaluate_v1.py` of hotpotqa/hotpot) for the task of Yang et al.
(2018), "HotpotQA: A Dataset for Diverse, Explainable Multi-hop Question Answering".
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from typing import Any

import numpy as np

from ...core.answers import AnswerColumns, AnswerKind
from ...core.columns import is_list
from ...core.errors import InputError, NoGoldAnswer
from ...core.intake import Cells, Kind
from ...core.matching import harmonic
from ...core.presets import Preset
from ...core.shown import shown, type_name
from ..token_bags import reader_of
from . import Rules

_HOTPOTQA_FIXED_ANSWERS = frozenset({"yes", "no", "noanswer"})
_HOTPOTQA_MEASURES = ("exact_match", "f1", "precision", "recall")


def _fact_sets(cells: Cells) -> list[set[tuple[str, int]] | None]:
    """The facts of each row as a set of (title, sentence index) pairs, None if there are none."""
    return [None if row is None else set(_facts_of(row, cells.where(place))) for place, row in enumerate(cells.values)]


HOTPOTQA_ANSWERS = AnswerKind(facts=Kind(_fact_sets))


def hotpotqa_scores(
    predictions: Sequence[str | None],
    references: Sequence[Sequence[str]],
    predicted_facts: Sequence[Set | None],
    gold_facts: Sequence[Set | None],
    normalize: Callable[[str], str],
) -> dict[str, np.ndarray]:
    """Answer, supporting-fact and joint scores of each question under the rules of HotpotQA.

    - Answer: equality of the normalised texts, and precision, recall and F1 over their multisets of tokens. If one side
      is "yes", "no" or "noanswer" and the other differs, or no token is shared, all three are 0; so two answers that
      are empty after normalisation match exactly with F1 0.
    - Supporting facts: precision, recall and F1 of two sets of (title, sentence); exact match when the sets are
      equal. Two empty sets match exactly with F1 0. Titles are compared without normalisation.
    - Joint: products of the two exact matches, precisions and recalls, and the F1 of those two products.

    A missing half scores 0, and so do the joint scores; the other half keeps its score.

    The official script knows one gold answer per question. With several, exact match is 1 if any gold answer is equal,
    and precision, recall and F1 come from the gold answer with the largest F1 (then precision, then recall), regardless
    of order; these enter the joint scores.

    Args:
        predictions, references, predicted_facts, gold_facts: n rows as read by `HOTPOTQA_ANSWERS`; None means no
            prediction.
        normalize: the text normaliser, `get_normalizer("squad")` for the official values. It is called once for each
            distinct string.

    Returns:
        `exact_match`, `f1`, `precision` and `recall`, the same with the prefix `sp_` for the supporting facts and
        `joint_` for both: float64 arrays of shape (n,) in [0, 1]. The official totals are the means over all n.

    Raises:
        ValueError: a question without a gold answer or without gold facts; the message names the row.

    >>> from qassay.core.text import get_normalizer
    >>> scores = hotpotqa_scores(
    ...     ["the Eiffel Tower"], [["Eiffel Tower in Paris"]],
    ...     [{("Paris", 0)}], [{("Paris", 0), ("Eiffel Tower", 2)}], get_normalizer("squad"),
    ... )
    >>> [scores[name].item() for name in ("precision", "recall", "sp_precision", "sp_recall")]
    [1.0, 0.5, 1.0, 0.5]
    >>> [scores[name].item() for name in ("joint_precision", "joint_recall", "joint_f1")]
    [1.0, 0.25, 0.4]
    """
    answer = _hotpotqa_answers(predictions, references, normalize)
    facts = _hotpotqa_facts(predicted_facts, gold_facts)
    exact_match, _, precision, recall = answer * facts
    joint = np.array([exact_match, harmonic(precision, recall), precision, recall])
    return {
        prefix + name: values
        for prefix, block in (("", answer), ("sp_", facts), ("joint_", joint))
        for name, values in zip(_HOTPOTQA_MEASURES, block)
    }


def _score_hotpotqa(columns: AnswerColumns, options: Any) -> dict[str, np.ndarray]:
    """The scores of `hotpotqa_scores`; unless both predictions and references have facts, only the scores of the answers."""
    predicted, gold = columns.predicted_facts, columns.gold_facts
    if predicted is not None and gold is not None:
        columns.notes["missing_facts"] = predicted.count(None)
        return hotpotqa_scores(columns.predictions, columns.references, predicted, gold, options.normalizer)
    nothing: list[set] = [set() for _ in columns.ids]
    scores = hotpotqa_scores(columns.predictions, columns.references, nothing, nothing, options.normalizer)
    return {name: column for name, column in scores.items() if not name.startswith(("sp_", "joint_"))}


HOTPOTQA = Rules(_score_hotpotqa, HOTPOTQA_ANSWERS, nothing=frozenset({"", "noanswer"}))


def _hotpotqa_answers(predictions: Sequence, references: Sequence, normalize: Callable[[str], str]) -> np.ndarray:
    """Exact match, F1, precision and recall, shape (4, n)."""
    values, read = [(0.0, 0.0, 0.0, 0.0)] * len(predictions), reader_of(normalize)
    for row, (prediction, reference) in enumerate(zip(predictions, references, strict=True)):
        if not reference:
            problem = f"references[{row}] has no gold answer; give at least one ('noanswer' if there is none)"
            raise NoGoldAnswer("references", problem)
        if prediction is None:
            continue
        predicted, golds = read(prediction), list(map(read, reference))
        exact_match = float(predicted[0] in [gold[0] for gold in golds])
        values[row] = exact_match, *max([_hotpotqa_overlap(predicted, gold) for gold in golds], key=_hotpotqa_rank)
    return np.array(values).reshape(-1, 4).T.copy()


def _hotpotqa_overlap(predicted: tuple[str, list[str]], gold: tuple[str, list[str]]) -> tuple[float, float, float]:
    """F1, precision and recall of two answers, each a normalised text and its tokens."""
    if predicted[0] != gold[0] and not _HOTPOTQA_FIXED_ANSWERS.isdisjoint((predicted[0], gold[0])):
        return 0.0, 0.0, 0.0
    left, right = predicted[1], gold[1]
    distinct_left, distinct_right = set(left), set(right)
    shared = len(distinct_left & distinct_right)
    if not shared:
        return 0.0, 0.0, 0.0
    # Counting is needed only if both answers repeat a token.
    if len(distinct_left) < len(left) and len(distinct_right) < len(right):
        shared = (Counter(left) & Counter(right)).total()
    precision, recall = shared / len(left), shared / len(right)
    return 2 * precision * recall / (precision + recall), precision, recall


def _hotpotqa_rank(overlap: tuple[float, float, float]) -> tuple[float, float, float]:
    # Equal F1 values computed from different precisions can differ in the last bit, which must not decide between gold
    # answers.
    f1, precision, recall = overlap
    return round(f1, 12), precision, recall


def _hotpotqa_facts(predicted_facts: Sequence, gold_facts: Sequence) -> np.ndarray:
    """Exact match, F1, precision and recall, shape (4, n)."""
    values = [(0.0, 0.0, 0.0)] * len(gold_facts)
    for row, (predicted, gold) in enumerate(zip(predicted_facts, gold_facts, strict=True)):
        if gold is None:
            problem = f"gold_facts[{row}] is None; every question needs its gold facts ([] if it has none)"
            raise InputError("gold_facts", problem)
        if predicted is None:
            continue
        shared = len(predicted & gold)
        precision = shared / len(predicted) if predicted else 0.0
        recall = shared / len(gold) if gold else 0.0
        values[row] = float(predicted == gold), precision, recall
    exact_match, precision, recall = np.array(values).reshape(-1, 3).T
    return np.array([exact_match, harmonic(precision, recall), precision, recall])


def _facts_of(facts: Any, where: str) -> Iterator[tuple[str, int]]:
    """The checked (title, sentence index) pairs of one question, in any form."""
    if isinstance(facts, dict):
        if not {"title", "sent_id"} <= facts.keys():
            raise ValueError(f"{where} needs the keys 'title' and 'sent_id', it has {sorted(map(str, facts))}")
        titles, sentences = facts["title"], facts["sent_id"]
        if not is_list(titles) or not is_list(sentences):
            raise TypeError(f"{where}: 'title' and 'sent_id' must be lists, one entry per fact")
        if len(titles) != len(sentences):
            raise ValueError(f"{where} has {len(titles)} titles and {len(sentences)} sent_id; they go in pairs")
        facts = list(zip(titles, sentences))
    elif not is_list(facts):
        raise TypeError(f"{where} must be a list of [title, sentence index] pairs, not {type_name(facts)}")
    for place, fact in enumerate(facts):
        if isinstance(fact, dict):
            fact = (fact.get("title"), fact.get("sent_id"))
        if not is_list(fact) or len(fact) != 2:
            raise ValueError(f"{where}[{place}] must be a pair [title, sentence index], not {shown(fact)}")
        title, sentence = fact
        if not isinstance(title, str):
            raise TypeError(f"{where}[{place}]: the title must be a string, not {shown(title)}")
        yield title, sentence if type(sentence) is int else _hotpotqa_sentence(sentence, f"{where}[{place}]")


def _hotpotqa_sentence(sentence: Any, where: str) -> int:
    # JSON and data frames may turn integers into floats, which are still valid as an index.
    is_number = isinstance(sentence, (int, float, np.integer, np.floating)) and not isinstance(sentence, bool)
    if not is_number or sentence != sentence // 1:
        raise TypeError(f"{where}: the sentence index must be an integer, not {shown(sentence)}")
    return int(sentence)


HOTPOTQA_PRESET = Preset(
    name="hotpotqa",
    line="HotpotQA: answers, supporting facts, and both together; without facts on either side, answers only",
    source="hotpotqa/hotpot, hotpot_evaluate_v1.py",
    rules=HOTPOTQA,
    measures=("exact_match", "f1", "sp_exact_match", "sp_f1", "joint_exact_match", "joint_f1"),
    columns={
        "gold_facts": "supporting facts, lists of [title, sentence]",
        "predicted_facts": "the supporting facts that the system gave",
    },
    compared=240,
)
