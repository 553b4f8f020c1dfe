"""From margins of trees to probabilities: calibration, and rules for what human verdicts hardly show."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..core.columns import counted
from .lite_features import FOUND


def group_words(group: str, values: Mapping[str, float]) -> str:
    """What a group of features says of one answer, in words."""
    if group == "words":
        return f"{values['recall']:.0%} of the gold answer is in the answer"
    if group == "numbers":
        if values["gold_numbers"] == 0:
            return "the gold answer holds no number"
        return f"{values['number_recall']:.0%} of the gold answer's numbers are in the answer"
    if group == "place":
        return "the gold answer is not there" if values["place"] < 0 else f"it starts at word {values['place'] + 1:.0f}"
    if group == "length":
        return f"{counted(round(values['words']), 'words')} for {values['gold_words']:.0f}"
    if group == "golds":
        return f"gold answers found: {values['golds_found']:.0f} of {values['golds']:.0f}"
    if group == "doubt":
        said = {"refusal": "a refusal", "negations": "a negation", "hedges": "a hedge"}
        found = [words for name, words in said.items() if values[name]]
        return ", ".join(found) or "no negation, no hedge, no refusal"
    if group == "guesses":
        return f"{values['list_items']:.0f} items of a list around it" if values["list_items"] > 1 else "no list"
    return f"{max(values['new_recall'], 0.0):.0%} of what the gold answer has beyond the question is in the answer"


def calibrated_probabilities(
    margins: np.ndarray, columns: Mapping[str, np.ndarray], calibration: Sequence[float]
) -> np.ndarray:
    """The logistic function of the intercept, the slope times the margin, and a coefficient for each term."""
    intercept, slope, *effects = calibration
    values = intercept + slope * margins
    for effect, term in zip(effects, calibration_terms(columns), strict=True):
        values = values + effect * term
    return 1 / (1 + np.exp(-values))


def calibration_terms(columns: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """The columns of the calibration beside the margin: is a gold answer found, what of it is missing, is it there word by word."""
    return [(columns["recall"] >= FOUND) * 1.0, columns["missing_most"], (columns["exact_recall"] >= 1) * 1.0]


class Rule(NamedTuple):
    """What holds for some rows whatever the trees say.

    Attributes:
        words: what it says, in words.
        holds: bool (n,).
        limit: the probability at most, or, where the rule raises it, at least.
        raises: which of both.
    """

    words: str
    holds: np.ndarray
    limit: float
    raises: bool = False


def ruled_probabilities(probabilities: np.ndarray, columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """Probabilities under the rules that hold whatever the trees say, for what human verdicts hardly show."""
    ruled = probabilities
    for rule in _rules(columns):
        ruled = np.where(rule.holds, (np.maximum if rule.raises else np.minimum)(ruled, rule.limit), ruled)
    return ruled


def deciding_rule(columns: Mapping[str, np.ndarray]) -> Rule | None:
    """The rule that decides the first row: one that raises its probability, else the one that lowers it most."""
    holding = [rule for rule in _rules(columns) if rule.holds[0]]
    return min(holding, key=lambda rule: (not rule.raises, rule.limit), default=None)


def _rules(c: Mapping[str, np.ndarray]) -> list[Rule]:
    """The rules in their order: first the rules that lower a probability, then the rules that raise it."""
    short = c["words"] <= _SHORT_ANSWER
    long = c["words"] <= _LONG_ANSWER
    affirmed = (c["denials"] + c["negations"] + c["alternatives"]) == 0
    denied = (c["clear_recall"] < 0.5) & (c["gold_negations"] == 0) & (c["recall"] > 0.5)
    denied &= ((c["denied_before"] <= 5) | (c["denied_after"] <= 2)) & (c["contrasted"] == 0)
    listed = (c["asked_share"] < 0.1) & (c["gold_words"] <= 4) & (c["run_sentence"] == 0) & (c["golds_found"] <= 2)
    listed &= (c["list_items"] >= 3) & (2.5 * c["list_items"] >= c["words"] - c["marks"]) & (c["extra_numbers"] == 0)
    listed |= (c["bare_list"] > 0) & (c["golds_found"] <= 1) & (c["gold_words"] <= 4)
    located = (c["says_where"] > 0) & (c["place"] == 0) & (c["list_items"] <= 3)  # "Ajaccio, Corsica, France"
    listed &= (c["gold_marks"] == 0) & ~located
    counted = (c["extra_numbers"] >= 4) & (c["gold_words"] <= 2) & (c["words"] <= _MIDDLE_ANSWER)
    unmarked = (c["marks"] == 0) & (c["words"] >= _NO_SENTENCE) & (c["runs"] >= 3) & (c["gold_words"] <= 4)
    unlike = (c["unlike"] > 0) & (c["acronym"] == 0) & (c["unit_state"] <= 0)
    repeated = (c["asked_share"] > 0.97) & (c["asked_said"] > 0.9) & (c["new_recall"] <= 0)
    turned = (c["order"] == 1) & (c["words"] <= c["gold_words"] + 4)
    other_number = (c["number_recall"] >= 0) & (c["number_recall"] < 1) & (c["extra_numbers"] > 0) & short
    other_year = (c["year_missing"] > 0) & (c["year_gap"] > 0) & (c["words"] <= _MIDDLE_ANSWER)
    other_unit = (c["unit_state"] < 0) & (short | (c["unit_state"] < -1) & long)
    plain = sum(c[name] for name in _ROLES_IN_WORDS) == 0
    return [
        Rule("a refusal without the gold answer", (c["refusal"] > 0) & (c["recall"] < 0.5), 0.1),
        Rule("the gold answer is next to a negation", denied, 0.3),
        Rule("the gold answer is one item of a list", listed, 0.3),
        Rule("the gold answer is one number of several", counted, 0.3),
        Rule("the gold answer is one of many words without a sentence", unmarked, 0.3),
        Rule("no word of the gold answer that says something", unlike, 0.4),
        Rule("the question is repeated", repeated, 0.3),
        Rule(
            'the gold answer is what some say, before a "but"', (c["but_after"] <= 4) & (c["hedged_before"] <= 4), 0.3
        ),
        Rule("the words of the gold answer are reversed", turned, 0.3),
        *(Rule(words, c[name] > 0, 0.3) for name, words in _ROLES_IN_WORDS.items()),
        Rule("another year in the place of the gold answer's", other_year, 0.4),
        Rule("another number in the place of the gold answer's", other_number, 0.4),
        Rule("another unit in the place of the gold answer's", other_unit, 0.4),
        Rule("another day beside the month of the gold answer", (c["day_differs"] > 0) & long, 0.4),
        Rule("the decade in the place of the year", (c["decade_only"] > 0) & (c["gold_words"] <= 2), 0.4),
        Rule(
            "the quantity of the gold answer in another unit",
            (c["unit_state"] > 0) & (c["gold_words"] <= 4) & long & affirmed & plain,
            0.7,
            raises=True,
        ),
        Rule("the initials of a gold answer", (c["acronym"] > 0) & (c["words"] <= 3) & affirmed, 0.7, raises=True),
        Rule(
            "the value of a gold answer in another form",
            (c["same_value"] > 0) & affirmed & plain,
            0.7,
            raises=True,
        ),
        Rule("a gold answer in other words", (c["reworded"] > 0) & affirmed & plain, 0.7, raises=True),
        Rule("a gold answer without its remark", c["without_remark"] > 0, 0.7, raises=True),
        Rule("yes or no in another word", c["same_polarity"] > 0, 0.9, raises=True),
        Rule("a gold answer to the letter", c["verbatim"] > 0, 0.9, raises=True),
    ]


_ROLES_IN_WORDS = {
    "swapped": "words of the gold answer are in each other's place",
    "opposite": "a word that excludes a word of the gold answer replaces it",
    "inside_word": "the letters of the gold answer are part of another word",
    "other_word": "a word that only begins or sounds like the gold answer",
    "other_last_name": "the first name of the gold answer before another last name",
    "asked_object": "the gold answer is the object of the verb whose subject the question asks for",
    "other_country": "another country than the gold answer's",
    "lead_other": "the answer begins with another name",
    "compared": "something else is compared with the gold answer",
    "new_place": 'a word such as "New" before the gold answer makes another place of it',
    "other_sign": "one of both has a sign, such as a minus, that the other lacks",
    "other_bearer": "a person bears the name of the thing that is asked for",
    "other_name": "the last name of the gold answer has another first name",
    "undecided": "the answer does not decide",
    "around": 'words such as "before" or "brother of" around the gold answer make another answer of it',
    "negated_clause": "the gold answer with a negation",
    "other_relation": 'one of both has a sign, such as "≠" or ">", that the other lacks',
}
_SHORT_ANSWER, _MIDDLE_ANSWER, _LONG_ANSWER = 8, 25, 40  # words
_NO_SENTENCE = 100  # words that no answer has in a row without a mark
