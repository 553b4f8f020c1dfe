"""What others say of answer_match: the citation, its measures in words, and the smallest input that has them."""

from typing import Any

CITATION = """
@inproceedings{rajpurkar-etal-2018-know,
    title = "Know What You Don't Know: Unanswerable Questions for {SQ}u{AD}",
    author = "Rajpurkar, Pranav and Jia, Robin and Liang, Percy",
    booktitle = "Proceedings of the 56th Annual Meeting of the Association for Computational Linguistics",
    year = "2018",
    pages = "784--789",
}
"""

_SHARES = {
    "exact_match": "share of answers equal to a gold answer, both normalised",
    "f1": "harmonic mean of precision and recall, the highest over the gold answers",
    "precision": "share of the tokens of the answer that a gold answer has, the highest over the gold answers",
    "recall": "share of the tokens of a gold answer that the answer has, the highest over the gold answers",
    "contains": "share of answers that contain the tokens of a gold answer, in order and without a gap",
}
_SPANS = {
    "precision": "predicted spans, of all questions together",
    "recall": "gold spans, of all questions together",
}

MEANINGS = {
    **_SHARES,
    **{f"has_answer_{name}": f"{meaning}, of questions with an answer" for name, meaning in _SHARES.items()},
    **{f"no_answer_{name}": f"{meaning}, of questions without an answer" for name, meaning in _SHARES.items()},
    "best_exact_match": "highest exact match that a no-answer threshold could reach on these examples",
    "best_f1": "highest F1 that a no-answer threshold could reach on these examples",
    "best_exact_match_threshold": "the largest no-answer probability with which an answer is still given, for best_exact_match",
    "best_f1_threshold": "the largest no-answer probability with which an answer is still given, for best_f1",
    "total": "questions",
    "has_answer_total": "questions with an answer",
    "no_answer_total": "questions without an answer",
    "missing": "questions missing from the predictions",
    "unextracted": "predictions in which extract found no answer",
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
# The smallest inputs, (columns, options) each, that together have all measures.
SMALLEST: tuple[tuple[dict[str, Any], dict[str, Any]], ...] = (
    ({**_ANSWER, "no_answer_probabilities": [0.0]}, {}),
    (_ANSWER, {"extract": "last_line"}),
    ({"predictions": [(0, 1)], "references": [[(0, 1)]]}, {"unit": "offset"}),
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

# The smallest rows with all further columns that presets may read.
_FACTS: dict[str, Any] = {**_ANSWER, "predicted_facts": [[["t", 0]]], "gold_facts": [[["t", 0]]]}
_TRIPLES, _TURN = [[["a", "b", "c"]]], {"yesno": ["y"], "followup": ["y"]}
SMALLEST_ROWS: tuple[dict[str, Any], ...] = (
    _FACTS,
    {**_FACTS, "gold_details": {"evidences": _TRIPLES}, "predicted_details": {"evidence": _TRIPLES}},
    {**_ANSWER, "gold_details": {"support": [[0]]}, "predicted_details": {"support": [[0]]}},
    {**_ANSWER, "gold_details": {"dialog": ["d"], **_TURN}, "predicted_details": _TURN},
)
