"""The built-in scorer of answer equivalence: the calibrated probability that a person accepts an answer.

Two forests read the features of `core.text_pairs`: one fitted to people's verdicts on the answers of five systems to questions of
NQ-open and TriviaQA (EVOUNA, Wang et al. 2023), one also to made answers, which show what real ones rarely do: denials, guesses,
other values and names. The margin of the first counts unless that of the second is clearly lower, calibrated on verdicts that the
forests have not seen; then four overrides, where the definition of a reading is certain. `benchmarks/lite_models.py` makes the
model file. The scorer knows no synonyms and no facts: an answer in other words looks wrong to it, and claims beyond the gold answer are
not checked.

To follow a verdict: `feature_row` of `core/text_pairs/features.py` gives the features of an answer, `GROUPS` and the functions below it say
what they are, and values.py, names.py, negation.py, several.py, roles.py and letters.py next to it read them.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..core.forest import Forest, evaluate_forest, read_forest, read_model
from ..core.text_pairs.features import FEATURES, FOUND, feature_rows

_ROWS_AT_ONCE = 4_096  # bounds the memory
_SHORT = 20  # words of an answer in which an override is certain
_ONLY_NAME = 6  # words of an answer that is a name
_SLACK = 0.25  # by which the margin of the forest of made answers may be lower without counting
_OVERRIDDEN = 0.15  # probability at most where an override holds


def held_overrides(features: np.ndarray) -> np.ndarray:
    """Which of n answers have one of the four readings whose definition is certain, bool (n,).

    The answer denies the gold answer, takes it back, or says no for yes; the gold answer is a value, and the answer has another one in
    its place; the gold answer is a name, and the answer another one with a part of it; the answer has only some items of a list, or
    repeats the question's alternatives. Then the probability is at most 0.15, whatever the forests say.
    """
    c = dict(zip(FEATURES, features.T, strict=True))
    is_short = (c["words"] <= _SHORT) | (c["question_share"] >= 0.5)  # or mostly words of the question
    is_found = c["recall"] >= FOUND
    is_denied = is_short & is_found & ((c["asserted"] <= 0.2 * c["recall"]) | (c["corrected"] > 0))
    has_other_value = (c["only_value"] > 0) & (c["values_found"] == 0) & (c["values_apart"] * c["values_other"] > 0)
    has_other_name = (c["name_conflict"] > 0) & (c["name_missing"] > 0) & (c["words"] <= _ONLY_NAME)
    some_items = (c["gold_items"] >= 3) & (c["items_found"] > 0) & (c["items_found"] < 1) & (c["golds"] == 1) & is_short
    leaves_open = (c["echo"] > 0) & is_found & (c["asks_back"] + c["choices"] > 0)
    is_denied |= c["polarity"] < 0
    return is_denied | is_short & has_other_value | has_other_name | some_items | leaves_open


class _Scorer(NamedTuple):
    verdicts: Forest  # fitted to people's verdicts
    made: Forest  # fitted to made answers too
    columns: list[int]  # the features that both read
    calibration: list[float]  # intercept, slope of the margin, coefficients of `calibration_terms`


def accept_probabilities(
    answers: Sequence[str], golds: Sequence[Sequence[str]], questions: Sequence[str] | None = None
) -> np.ndarray:
    """The probability that a person accepts each answer, float64 (n,), 0 to 1; a row's value does not depend on others.

    Args:
        answers: n texts.
        golds: n lists of gold answers, at least one each.
        questions: n texts; where one is blank, or without them, the forests without the question are used.

    Example:
        >>> answers = ["It was Marie Curie, in 1903.", "Pierre Curie"]
        >>> right, wrong = accept_probabilities(answers, [["Marie Curie"]] * 2, ["who was first to win two?"] * 2)
        >>> bool(right > 0.8), bool(wrong < 0.5)
        (True, True)
    """
    has_question = has_questions(questions, len(answers))
    probabilities = np.empty(len(answers))
    for asks in (False, True):
        indices = np.flatnonzero(has_question == asks).tolist()
        for first in range(0, len(indices), _ROWS_AT_ONCE):
            rows = indices[first : first + _ROWS_AT_ONCE]
            features = feature_rows(
                [answers[row] for row in rows],
                [golds[row] for row in rows],
                [questions[row] for row in rows] if questions is not None and asks else None,
                lite_model()["word_weights"],
            )
            probabilities[rows] = overridden(_by_forests(_scorer(asks), features), features)
    return probabilities


def distinct_golds(golds: Sequence[str]) -> list[str]:
    """The distinct non-blank gold answers: an answer given by two annotators does not count more."""
    return [text for text in dict.fromkeys(golds) if text.strip()]


def has_questions(questions: Sequence[str] | None, n: int) -> np.ndarray:
    """Which of n rows have a question that is not blank, bool (n,)."""
    return np.fromiter((bool(question.strip()) for question in questions or [""] * n), bool, n)


def joint_margins(verdicts: np.ndarray, made: np.ndarray) -> np.ndarray:
    """The margins of the forest of verdicts, unless the margin of the forest of made answers is clearly lower."""
    return np.minimum(verdicts, made + _SLACK)


def calibration_terms(features: np.ndarray) -> list[np.ndarray]:
    """The columns of the calibration besides the margin: a gold answer is found; its missing share; it is there word by word."""
    recall, missing, exact = (features[:, FEATURES.index(name)] for name in ("recall", "missing_most", "exact_recall"))
    return [(recall >= FOUND) * 1.0, missing, (exact >= 1) * 1.0]


def _by_forests(scorer: _Scorer, features: np.ndarray) -> np.ndarray:
    read = features[:, scorer.columns]
    margins = joint_margins(evaluate_forest(scorer.verdicts, read), evaluate_forest(scorer.made, read))
    intercept, slope, *effects = scorer.calibration
    values = intercept + slope * margins
    for effect, term in zip(effects, calibration_terms(features), strict=True):
        values = values + effect * term
    return 1 / (1 + np.exp(-values))


def overridden(probabilities: np.ndarray, features: np.ndarray) -> np.ndarray:
    """The probabilities of n answers, at most 0.15 where an override holds."""
    return np.where(held_overrides(features), np.minimum(probabilities, _OVERRIDDEN), probabilities)


def lite_model() -> dict[str, Any]:
    """The model file; its "fingerprint" is in signatures, "accepted" is the share of right answers that it was fitted to."""
    return read_model("equivalence_model.json", __name__)


@cache
def _scorer(asks: bool) -> _Scorer:
    """The scorer of answers with a question, or without."""
    part = lite_model()["scorers"]["question" if asks else "no_question"]
    return _Scorer(
        read_forest(part["verdicts"]),
        read_forest(part["made"]),
        [FEATURES.index(name) for name in part["features"]],
        part["calibration"],
    )
