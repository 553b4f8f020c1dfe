"""The measures of tasks in words, and the smallest input that has them."""

from typing import Any

_SPANS = {
    "precision": "predicted spans, of all questions together",
    "recall": "gold spans, of all questions together",
}

MEANINGS_OF_TASKS = {
    "heq_q": "share of questions whose F1 is at least human F1",
    "heq_d": "share of dialogs whose questions all have at least the F1 of people",
    "unfiltered_f1": "F1 including questions on which people disagree",
    "unanswerable_f1": "F1 of questions that people say have no answer",
    "human_f1": "F1 of each person against the others",
    "anls": "edit similarity to the nearest gold answer, 0 below a half",
    **{f"exact_{part}": f"share of the {what}, that the other side has" for part, what in _SPANS.items()},
    "exact_f1": "harmonic mean of exact_precision and exact_recall",
    **{
        f"overlap_{part}": f"longest common run of characters with a span of the other side, as a share of the {what}"
        for part, what in _SPANS.items()
    },
    "overlap_f1": "harmonic mean of overlap_precision and overlap_recall",
    "str_em": "share of the sub-questions with a short answer in the text",
    "str_hit": "share of questions with a short answer to every sub-question in the text",
    "number_precision": "share of right numbers among the numbers in the answer",
    "scale_accuracy": "share of answers with the right scale",
    "accuracy": "share of answers equal to a gold answer, as written",
    "r_precision": "share of the first R retrieved pages that are gold pages; R is the number of gold pages",
    "kilt_accuracy": "accuracy, but 0 if r_precision is below 1",
    "kilt_exact_match": "exact match, but 0 if r_precision is below 1",
    "kilt_f1": "F1, but 0 if r_precision is below 1",
}

_ANSWER: dict[str, Any] = {"predictions": ["a"], "references": [["a"]]}
SMALLEST_OF_TASKS: tuple[tuple[dict[str, Any], dict[str, Any]], ...] = (
    ({**_ANSWER, "gold_details": {"dialog": ["d"]}}, {"preset": "quac"}),
    (_ANSWER, {"preset": "docvqa"}),
    ({"predictions": [["a"]], "references": [["a"]]}, {"preset": "multispanqa"}),
    ({"predictions": ["a"], "references": [[["a"]]]}, {"preset": "asqa"}),
    ({"predictions": ["1"], "references": [["1"]]}, {"preset": "longbench:count"}),
    (
        {
            **_ANSWER,
            "gold_details": {"scale": [""], "answer_type": ["span"]},
            "predicted_details": {"scale": [""]},
        },
        {"preset": "tatqa"},
    ),
    ({**_ANSWER, "gold_details": {"pages": [["p"]]}, "predicted_details": {"pages": [["p"]]}}, {"preset": "kilt"}),
)

# The smallest rows with all further columns that tasks may read.
_FACTS: dict[str, Any] = {**_ANSWER, "predicted_facts": [[["t", 0]]], "gold_facts": [[["t", 0]]]}
_TRIPLES, _TURN = [[["a", "b", "c"]]], {"yesno": ["y"], "followup": ["y"]}
SMALLEST_ROWS_OF_TASKS: tuple[dict[str, Any], ...] = (
    _FACTS,
    {**_FACTS, "gold_details": {"evidences": _TRIPLES}, "predicted_details": {"evidence": _TRIPLES}},
    {**_ANSWER, "gold_details": {"support": [[0]]}, "predicted_details": {"support": [[0]]}},
    {**_ANSWER, "gold_details": {"dialog": ["d"], **_TURN}, "predicted_details": _TURN},
)
