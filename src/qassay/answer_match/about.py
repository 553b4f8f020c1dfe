"""What tables, documents and pages need to know of answer_match, and how to cite it; also of other metrics of texts."""

import dataclasses
import json
from typing import TYPE_CHECKING, Any

from ..core.about import PASSAGE_GROUPS, SYSTEM_SLICES, About, Cells, ErrorKinds, Slices, Texts, passage_groups
from ..core.examples import Examples, first_answers, of_examples, said
from .nothing_left import NOTES

if TYPE_CHECKING:
    from ..core.file_columns import Gold
    from ..core.scores import Scores

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
    "str_em": "share of the sub-questions with a short answer in the text",
    "str_hit": "share of questions with a short answer to every sub-question in the text",
    "evidence_recall": "share of the turns with evidence that are in the context, or whose session is; 1 if there is no evidence or no context",
    "scale_accuracy": "share of answers with the right scale",
    "accuracy": "share of answers equal to a gold answer, as written",
    "r_precision": "share of the first R retrieved pages that are gold pages; R is the number of gold pages",
    "kilt_accuracy": "accuracy, but 0 if r_precision is below 1",
    "kilt_exact_match": "exact match, but 0 if r_precision is below 1",
    "kilt_f1": "F1, but 0 if r_precision is below 1",
}

_ANSWER: dict[str, Any] = {"predictions": ["x"], "references": [["x"]]}  # no article, which normalises to nothing
# The smallest inputs, (columns, options) each, that together have all measures.
SMALLEST: tuple[tuple[dict[str, Any], dict[str, Any]], ...] = (
    ({**_ANSWER, "no_answer_probabilities": [0.0]}, {}),
    (_ANSWER, {"extract": "last_line"}),
    ({**_ANSWER, "gold_details": {"dialog": ["d"]}}, {"preset": "quac"}),
    (_ANSWER, {"preset": "docvqa"}),
    ({"predictions": ["a"], "references": [[["a"]]]}, {"preset": "asqa"}),
    (
        {
            **_ANSWER,
            "gold_details": {"scale": [""], "answer_type": ["span"]},
            "predicted_details": {"scale": [""]},
        },
        {"preset": "tatqa"},
    ),
    ({**_ANSWER, "gold_details": {"pages": [["p"]]}, "predicted_details": {"pages": [["p"]]}}, {"preset": "kilt"}),
    (
        {**_ANSWER, "gold_details": {"category": [5], "evidence": [["t"]]}, "predicted_details": {"context": [["t"]]}},
        {"preset": "locomo"},
    ),
)

# The smallest rows with all further columns that presets may read.
_FACTS: dict[str, Any] = {"supporting_facts": [[["t", 0]]]}
_TRIPLES, _TURN = [[["a", "b", "c"]]], {"yesno": ["y"], "followup": ["y"]}
SMALLEST_ROWS: tuple[dict[str, Any], ...] = (
    {**_ANSWER, "gold_details": _FACTS, "predicted_details": _FACTS},
    {
        **_ANSWER,
        "gold_details": {**_FACTS, "evidences": _TRIPLES},
        "predicted_details": {**_FACTS, "evidence": _TRIPLES},
    },
    {**_ANSWER, "gold_details": {"support": [[0]]}, "predicted_details": {"support": [[0]]}},
    {**_ANSWER, "gold_details": {"dialog": ["d"], **_TURN}, "predicted_details": _TURN},
)


# --- metrics of texts -------------------------------------------------------------------------------------------------


def _slices_by_gold(gold: "Gold", scores: "Scores") -> Slices:
    from .gold_slices import answer_length, answer_type, gold_count
    from .gold_texts import gold_texts

    return {
        "answer_type": lambda: of_examples(answer_type(gold_texts(gold)), gold, scores),
        "answer_length": lambda: of_examples(answer_length(gold_texts(gold)), gold, scores),
        "gold_count": lambda: of_examples(gold_count(gold_texts(gold)), gold, scores),
    }


def notes_of_texts(options: Any) -> dict[str, str]:
    """The words of the count of answers without an extracted text."""
    if options.extract is None:
        return {}
    scored = {"zero": "scored 0", "empty": "scored as the empty answer", "whole": "scored as a whole"}
    return {"unextracted": f"without an answer to extract: {scored.get(options.unextracted, 'refused')}"}


def answer_texts(examples: Examples) -> Texts:
    """For ranked answers, the first k (the largest `top_k`); the spans of DROP are one answer. Withheld answers are omitted."""
    from ..core.extraction import text_to_score

    options = examples.scores.options
    ranks = getattr(options, "top_k", None)
    answers = []
    for row, answer in zip(examples.rows, _given_answers(examples), strict=True):
        parts = list(map(_text, answer if isinstance(answer, (list, tuple)) else [answer]))
        if options.extract is not None:
            parts = [text_to_score(options, part) for part in parts]
        shown = first_answers(parts, max(ranks)) if ranks else said([" ".join(said(parts))])
        answers.append([] if _is_withheld(examples.scores, row) else shown)
    return _golds_of(examples), answers


def answer_cells(examples: Examples) -> Cells:
    """The original answer, even if a threshold withholds it; ranked answers and several spans as a JSON list; None
    if the system has no answer. With the option `extract`, also the extracted answer.
    """
    texts = [
        answer if answer is None or isinstance(answer, str) else json.dumps(answer, ensure_ascii=False, default=str)
        for answer in _given_answers(examples)
    ]
    cells: Cells = {"gold_answers": _golds_of(examples), "prediction": texts}
    extract = examples.scores.options.extract
    if extract is not None:
        cells["extracted"] = [None if text is None else extract(text) for text in texts]
    return cells


def _golds_of(examples: Examples) -> list[list[str]]:
    """The gold answers of selected examples as texts."""
    from .gold_texts import gold_texts

    return [list(map(_text, row)) for row in gold_texts(examples.gold, examples.gold_rows)]


def _given_answers(examples: Examples) -> list[Any]:
    """The answers of the system to selected examples; None if missing."""
    from ..core.intake import field_of, rows_of_dicts

    given: Any = examples.predictions["predictions"]
    answers: Any = field_of(given, "prediction_text", "predictions") if rows_of_dicts(given, "predictions") else given
    return [None if index is None else answers[index] for index in examples.prediction_rows]


def _text(answer: Any) -> str:
    return "" if answer is None else str(answer)


def _is_withheld(scores: "Scores", row: int) -> bool:
    threshold = getattr(scores.options, "no_answer_threshold", None)
    return threshold is not None and scores.columns["no_answer_probability"][row] > threshold


TEXTS = About(
    groups=("has_answer_", "no_answer_"),
    usual_slices=("question_word", "answer_length", "answer_type", "gold_count", "has_answer"),
    report_slices=("has_answer", "question_word", "answer_type", "answer_length"),
    group_names=PASSAGE_GROUPS,
    groups_of=passage_groups,
    examples_name="questions",
    answers_are=("texts",),
    notes=notes_of_texts,
    more_slices=_slices_by_gold,
    texts=answer_texts,
    whole_texts=_given_answers,
    cells=answer_cells,
)


# --- answer_match -----------------------------------------------------------------------------------------------------

_GRADED = ("unfiltered_f1", "anls", "str_em")  # the measures that some presets have instead of F1


def answer_error_kinds(scores: "Scores") -> list[str] | None:
    """The kind of error of each answer of answer_match, the first that applies; None for presets without F1, or if F1 does
    not apply to each answer.

    Precision and recall are each the best over the gold answers, so a kind holds for at least one gold answer. An
    answer that contains one gold answer and is part of another is "too long": it has everything that was requested.
    DROP has only F1: its kinds are "partial" and "no shared word"; the latter includes answers without any of the right
    numbers. Without exact match, an answer with the full score is correct. With `top_k`, the smallest k
    counts, with the best of its answers for each measure. Words are the units of the option `unit`.
    """
    import numpy as np

    from ..core.slices import first_that_holds

    ranks = getattr(scores.options, "top_k", None)
    cut = f"@{min(ranks)}" if ranks else ""
    f1 = next((scores.columns[name] for name in (*_GRADED, f"f1{cut}") if name in scores.columns), None)
    if f1 is None or np.isnan(f1).any():
        return None
    nothing = np.zeros(len(scores))
    exact_match = scores.columns.get(f"exact_match{cut}", f1 == 1)
    precision, recall = (scores.columns.get(f"{name}{cut}", nothing) for name in ("precision", "recall"))
    unread = scores.subsets.get("unextracted", nothing > 0) & (getattr(scores.options, "unextracted", "") != "whole")
    unanswerable = scores.subsets.get("no_answer", nothing > 0)
    return first_that_holds(
        {
            "correct": exact_match == 1,
            "no prediction": scores.subsets["missing"],
            "answer not found": unread,
            "gave no answer": scores.subsets["abstained"],
            "answered an unanswerable": unanswerable,
            "same words": f1 == 1,
            "too long": recall == 1,
            "too short": precision == 1,
            "partial": f1 > 0,
        },
        "no shared word",
    )


_ERRORS = ErrorKinds(
    {
        "correct": "It is a gold answer.",
        "same words": "It has the words of a gold answer in another order.",
        "too long": "It has all words of a gold answer, and more.",
        "too short": "All its words are in a gold answer, which has more.",
        "partial": "It shares some words with a gold answer, but others are missing or wrong.",
        "no shared word": "Nothing of it matches a gold answer.",
        "gave no answer": "It is empty, but there is a gold answer.",
        "answer not found": "No answer could be extracted from the text.",
        "no prediction": "There is no prediction.",
        "answered an unanswerable": "It is an answer, but the question has none.",
    },
    ("correct",),
    answer_error_kinds,
)


def _usual_measures(scores: "Scores") -> list[str]:
    """Exact match, F1 and containment; the first two also for questions with and without an answer if there are
    both; the best over thresholds. With a preset, its measures.
    """
    named = _of_preset(scores)
    if named:
        return named
    counts = scores.counts()
    both = counts.get("has_answer_total", 0) > 0 and counts.get("no_answer_total", 0) > 0
    groups: dict[str, list[str]] = {"": [], "joint_": [], "has_answer_": [], "no_answer_": [], "best_": []}
    for name in scores.measures:
        group = next((prefix for prefix in groups if prefix and name.startswith(prefix)), "")
        stem = name.removeprefix(group).partition("@")[0].removesuffix("_threshold").removeprefix("sp_")
        if (
            stem in ("exact_match", "f1")
            and (both or not group.endswith("answer_"))
            or name.partition("@")[0] == "contains"
        ):
            groups[group].append(name)
    return [name for names in groups.values() for name in names]


def _first_measures(scores: "Scores") -> list[str]:
    """Exact match and F1, at every k; with a preset, its first two measures."""
    return _of_preset(scores)[:2] or [
        name for name in scores.measures if name.partition("@")[0] in ("exact_match", "f1")
    ]


def _of_preset(scores: "Scores") -> list[str]:
    """The measures of the preset, at every k; [] without a preset, or if the preset has none."""
    preset = scores.options.of_preset
    stems = () if preset is None else preset.measures
    return [name for stem in stems for name in scores.measures if name.partition("@")[0] == stem]


_NOTES = {"missing_facts": "without supporting facts: the facts and the joint scores are 0", **NOTES}


def _answerability() -> Any:
    from . import answerability

    return answerability


ABOUT = dataclasses.replace(
    TEXTS,
    meanings=MEANINGS,
    titles={
        "contains": "Contains a gold answer",
        "str_em": "STR-EM",
        "str_hit": "STR-hit",
        "r_precision": "R-precision",
    },
    at_cutoff="; the best of the first {k} answers",
    groups=(*TEXTS.groups, "best_", "joint_"),
    usual_slices=(*TEXTS.usual_slices, "error_kind"),
    system_slices=(*SYSTEM_SLICES, "abstained"),
    errors=_ERRORS,
    usual_measures=_usual_measures,
    first_measures=_first_measures,
    notes=lambda options: {**notes_of_texts(options), **_NOTES},
    answerability=_answerability,
)
