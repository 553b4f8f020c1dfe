"""The built-in scorer of answer equivalence: the calibrated probability that a person accepts an answer.

Two forests read the features of `core.text_pairs`: one fitted to people's verdicts on the answers of five systems to questions of
NQ-open and TriviaQA (EVOUNA, Wang et al. 2023), one also to made answers, which show what real ones rarely do: denials, guesses,
other values and names. The margin of the first counts unless that of the second is clearly lower, calibrated on verdicts that the
forests have not seen; then four overrides, where the definition of a reading is certain. `benchmarks/lite_models.py` makes the
model file. The scorer knows no synonyms and no facts: an answer in other words looks wrong to it, and claims beyond the gold answer are
not checked.

To follow a verdict: `explain_answer` lists the groups of features that moved it, `GROUPS` and the functions below it in
`core/text_pairs/features.py` say what the features of a group are, `feature_row` there gives their numbers, and values.py, names.py,
negation.py, several.py, roles.py and letters.py next to it read them.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..core.columns import counted
from ..core.examples import ScoreReason
from ..core.forest import Forest, evaluate_forest, read_forest, read_model
from ..core.text_pairs.features import FEATURES, FOUND, GROUPS, feature_rows

_ROWS_AT_ONCE = 4_096  # bounds the memory
_SHORT = 20  # words of an answer in which an override is certain
_ONLY_NAME = 6  # words of an answer that is a name
_SLACK = 0.25  # by which the margin of the forest of made answers may be lower without counting
_LEAST_EFFECT = 0.005  # of a reason
_OVERRIDDEN = 0.15  # probability at most where an override holds


def held_overrides(features: np.ndarray) -> dict[str, np.ndarray]:
    """The four readings whose definition is certain, in words -> of which of n answers each holds, bool (n,).

    Where one holds, the probability is at most 0.15, whatever the forests say. `GROUPS` has the features, features.py their meaning.
    """
    c = dict(zip(FEATURES, features.T, strict=True))
    is_short = (c["words"] <= _SHORT) | (c["question_share"] >= 0.5)  # or mostly words of the question
    is_found = c["recall"] >= FOUND
    is_denied = is_short & is_found & ((c["asserted"] <= 0.2 * c["recall"]) | (c["corrected"] > 0))
    has_other_value = (c["only_value"] > 0) & (c["values_found"] == 0) & (c["values_apart"] * c["values_other"] > 0)
    has_other_name = (c["name_conflict"] > 0) & (c["name_missing"] > 0) & (c["words"] <= _ONLY_NAME)
    some_items = (c["gold_items"] >= 3) & (c["items_found"] > 0) & (c["items_found"] < 1) & (c["golds"] == 1) & is_short
    leaves_open = (c["echo"] > 0) & is_found & (c["asks_back"] + c["choices"] > 0)
    return {
        "the answer denies the gold answer, takes it back, or says no for yes": is_denied | (c["polarity"] < 0),
        "the gold answer is a value, and the answer has another one in its place": is_short & has_other_value,
        "the gold answer is a name, and the answer another one with a part of it": has_other_name,
        "the answer has only some items of a list, or repeats the question's alternatives": some_items | leaves_open,
    }


class _Scorer(NamedTuple):
    verdicts: Forest  # fitted to people's verdicts
    made: Forest  # fitted to made answers too
    columns: list[int]  # the features that both read
    calibration: list[float]  # intercept, slope of the margin, coefficients of `calibration_terms`
    sample: np.ndarray  # features of some answers, half of them right


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
    held = np.any([*held_overrides(features).values()], axis=0)
    return np.where(held, np.minimum(probabilities, _OVERRIDDEN), probabilities)


def explain_answer(answer: str | None, golds: Sequence[str], question: str | None = None) -> list[ScoreReason]:
    """Which groups of features moved the probability of one answer by 0.005 or more, the largest effect first.

    The words begin with the group, such as "values". Its effect is the probability by the forests, less its mean where the group's features have the values of the model
    file's sample of answers, half of them right. The effect of "override" is what an override changes in that probability.

    Args:
        answer, golds, question: one row of `score_equivalence`; without an answer or a gold answer, which no scorer judges, there
            are no reasons.

    Example:
        >>> first = explain_answer("in 1903", ["1911"], "when did she win the prize?")[0]
        >>> first.words, first.effect < 0
        ('values: 0% of its numbers and dates, and 1 others in their place', True)
    """
    golds = distinct_golds(golds)
    if not golds or not answer or not answer.strip():
        return []
    questions = [question] if question and question.strip() else None
    scorer = _scorer(questions is not None)
    features = feature_rows([answer], [golds], questions, lite_model()["word_weights"])
    probability = _by_forests(scorer, features).item()
    words = _words(dict(zip(FEATURES, features[0].tolist(), strict=True)))
    found = []
    for group, names in GROUPS.items():
        indices = [FEATURES.index(name) for name in names]
        if set(indices).isdisjoint(scorer.columns):
            continue
        others = np.repeat(features, len(scorer.sample), axis=0)
        others[:, indices] = scorer.sample[:, indices]
        effect = probability - _by_forests(scorer, others).mean().item()
        found.append(ScoreReason(effect, f"{group}: {words[group]}"))
    effect = overridden(np.array([probability]), features).item() - probability
    if effect:
        held = next(name for name, holds in held_overrides(features).items() if holds[0])
        found.append(ScoreReason(effect, f"override: {held}"))
    return sorted([one for one in found if abs(one.effect) >= _LEAST_EFFECT], key=lambda one: -abs(one.effect))


def _words(v: Mapping[str, float]) -> dict[str, str]:
    """Group of features -> what it says of one answer."""
    place = f"the gold answer begins at word {v['place'] + 1:.0f}" if v["place"] >= 0 else "no word of the gold answer"
    names = f"{v['name_same']:.0%} of the name's parts" + ", others in the place of the rest" * bool(v["name_conflict"])
    items = f"{v['items']:.0f} items of a list around it" if v["items"] > 1 else "no list"
    signs = {
        "the gold answer is denied": v["asserted"] < v["recall"],
        "a refusal": v["refusal"],
        "negating words": v["negators"],
        "a hedge": v["hedges"],
        "a correction after it": v["corrected"],
    }
    return {
        "words": f"{v['recall']:.0%} of the gold answer is in the answer",
        "question": f"{v['new_recall']:.0%} of what the gold answer has beyond the question is in the answer",
        "length": f"{counted(round(v['words']), 'words')}, {place}",
        "golds": f"gold answers found: {v['golds_found']:.0f} of {v['golds']:.0f}",
        "values": f"{v['values_found']:.0%} of its numbers and dates, and {v['values_other']:.0f} others in their place"
        if v["gold_values"]
        else "the gold answer has no number or date",
        "names": names
        if v["name_same"] >= 0
        else f"no name like the gold answer's, {v['rivals_before'] + v['rivals_after']:.0f} other names",
        "roles": "who does it and whom it is done to have changed places" if v["swapped"] else "no swapped roles",
        "negation": ", ".join(sign for sign, holds in signs.items() if holds) or "no negation, no hedge, no refusal",
        "several": items
        + f", {v['items_found']:.0%} of the gold answer's {v['gold_items']:.0f}" * bool(v["gold_items"]),
    }


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
        np.array(part["sample"], np.float64),
    )
