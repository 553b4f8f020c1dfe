"""The built-in scorer of answer equivalence: the calibrated probability that a person accepts an answer.

Boosted trees over what words, numbers and places say (`lite_features`), fitted by `benchmarks/train_equivalence.py` to
human verdicts on the answers of five systems to English questions of NQ-open and TriviaQA (EVOUNA, Wang et al. 2023);
no network, no model to load. It knows few synonyms (`lite_names`) and no facts: an answer that names the same thing in other words
looks wrong to it, and claims beyond the gold answers are not checked.
"""

import json
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from ..core.forest import Forest, evaluate_forest, read_forest
from ..core.resources import read_resource, resource_fingerprint
from .lite_features import FOUND, GROUP_OF_FEATURE, equivalence_features
from .lite_rules import calibrated_probabilities, deciding_rule, group_words, ruled_probabilities

LITE_VERSION = "1"

_EQUIVALENCE_ROWS = 4_096  # rows of one block: bounds the memory
_CHARACTERS_AT_ONCE = 1 << 20  # characters of the texts of one block


class Reason(NamedTuple):
    """What moved a probability.

    Attributes:
        feature: name of the group of features, such as "numbers", or "rule".
        words: what it says about this answer, in words.
        effect: probability with it, less the probability without what it says; negative where it speaks against.
    """

    feature: str
    words: str
    effect: float


class _Scorer(NamedTuple):
    names: tuple[str, ...]
    verdicts: Forest  # fitted to human verdicts
    assertions: Forest  # fitted to made answers too: is the gold answer, where it is found, asserted?
    calibration: tuple[float, ...]  # see `calibrated_probabilities`
    sample: dict[str, np.ndarray]  # features of some answers, half of them right


def accept_probabilities(
    answers: Sequence[str], golds: Sequence[Sequence[str]], questions: Sequence[str] | None = None
) -> np.ndarray:
    """The probability that a person accepts each answer, float64 (n,), 0 to 1; a row's value does not depend on others.

    Args:
        answers: n texts.
        golds: n lists of gold answers, at least one each.
        questions: n texts; without them the trees without the question are used.

    Raises:
        ValueError: unequal lengths, or a row without gold answers.

    Example:
        >>> answers = ["It was Marie Curie, in 1903.", "Pierre Curie"]
        >>> right, wrong = accept_probabilities(answers, [["Marie Curie"]] * 2, ["who was first to win two?"] * 2)
        >>> bool(right > 0.8), bool(wrong < 0.5)
        (True, True)
    """
    for name, column in (("lists of gold answers", golds), ("questions", answers if questions is None else questions)):
        if len(column) != len(answers):
            raise ValueError(f"{len(answers)} answers but {len(column)} {name}: give one for each")
    bare = next((row for row, texts in enumerate(golds) if not len(texts)), None)
    if bare is not None:
        raise ValueError(f"row {bare} has no gold answer: the scorer judges answerable questions only")
    scorer, weights = _scorers()[questions is not None], _word_weights()
    probabilities = np.empty(len(answers))
    for rows in _row_blocks(answers, golds, questions):
        asked = None if questions is None else questions[rows]
        columns = equivalence_features(answers[rows], golds[rows], asked, weights)
        probabilities[rows] = ruled_probabilities(_forest_probabilities(scorer, columns), columns)
    return probabilities


def _forest_probabilities(scorer: _Scorer, columns: dict[str, np.ndarray]) -> np.ndarray:
    features = np.array([columns[name] for name in scorer.names]).T
    margins = evaluate_forest(scorer.verdicts, features)
    asked = columns["recall"] >= FOUND
    margins[asked] = np.minimum(margins[asked], evaluate_forest(scorer.assertions, features[asked]))
    return calibrated_probabilities(margins, columns, scorer.calibration)


def reasons(answer: str, golds: Sequence[str], question: str | None = None) -> list[Reason]:
    """Which groups of features moved the probability of one answer, the largest effect first.

    The effect of a group is the probability by the trees, less its mean where the group's features have the values of
    the model file's sample of answers, half of them right. The effect of "rule" is what a rule changes in that
    probability.

    Args:
        answer, golds, question: one row of `accept_probabilities`.

    Example:
        >>> reasons("in 1903", ["1911"], "when did she win the prize?")[0].effect < 0
        True
    """
    scorer = _scorers()[question is not None]
    columns = equivalence_features([answer], [golds], None if question is None else [question], _word_weights())
    unruled = _forest_probabilities(scorer, columns).item()
    effect = ruled_probabilities(np.array([unruled]), columns).item() - unruled
    rule = deciding_rule(columns)
    sample = scorer.sample
    size = len(sample["recall"])
    found = [Reason("rule", rule.words, effect)] if rule and effect else []
    for group in dict.fromkeys(GROUP_OF_FEATURE[name] for name in scorer.names):
        others = {
            name: sample[name] if GROUP_OF_FEATURE.get(name) == group else np.repeat(values, size)
            for name, values in columns.items()
        }
        mean = _forest_probabilities(scorer, others).mean().item()
        told = group_words(group, {name: values.item() for name, values in columns.items()})
        found.append(Reason(group, told, unruled - mean))
    return sorted(found, key=lambda reason: -abs(reason.effect))


@cache
def fingerprint() -> str:
    """What the signature calls the model file."""
    return resource_fingerprint(_model_text())


def _row_blocks(
    answers: Sequence[str], golds: Sequence[Sequence[str]], questions: Sequence[str] | None
) -> Iterator[slice]:
    """The rows in blocks of so many rows and so many characters at most, one row at least."""
    n, first = len(answers), 0
    sizes = np.fromiter(map(len, answers), np.int64, n)
    sizes += np.fromiter((sum(map(len, texts)) for texts in golds), np.int64, n)
    if questions is not None:
        sizes += np.fromiter(map(len, questions), np.int64, n)
    ends = np.append(0, np.cumsum(sizes))
    while first < n:
        last = int(np.searchsorted(ends, ends[first] + _CHARACTERS_AT_ONCE, side="right")) - 1
        yield slice(first, first := max(first + 1, min(last, first + _EQUIVALENCE_ROWS)))


@cache
def _model_text() -> str:
    return read_resource("equivalence_model.json", __name__)


@cache
def _model() -> dict:
    model: dict = json.loads(_model_text())
    return model


@cache
def accepted_in_training() -> float:
    """The share of right answers among the answers that the scorer was fitted to."""
    return float(_model()["accepted"])


@cache
def _scorers() -> tuple[_Scorer, _Scorer]:
    """Without and with questions."""
    without, with_questions = (
        _Scorer(
            tuple(part["features"]),
            read_forest(part["verdicts"]),
            read_forest(part["assertions"]),
            calibration=tuple(part["calibration"]),
            sample={name: np.array(values, np.float64) for name, values in part["sample"].items()},
        )
        for part in (_model()["scorers"][name] for name in ("no_question", "question"))
    )
    return without, with_questions


@cache
def _word_weights() -> dict[str, int]:
    """Weights of frequent words in hundredths."""
    return {word: int(weight) for weight, words in _model()["word_weights"].items() for word in words.split()}
