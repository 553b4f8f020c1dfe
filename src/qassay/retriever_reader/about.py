"""What tables, documents and pages need to know of retriever_reader, and how to cite it."""

import dataclasses
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..core.about import (
    PASSAGE_GROUPS,
    SYSTEM_SLICES,
    USUAL_SLICES,
    About,
    ErrorKinds,
    RankColumn,
    Slices,
    Texts,
    passage_groups,
)
from ..core.examples import Examples, JudgedDocument, first_answers

if TYPE_CHECKING:
    from ..core.file_columns import Gold
    from ..core.scores import Scores
    from .fields import Question
    from .haystack import Answer

CITATION = """
@inproceedings{keraron-etal-2020-project,
    title = "Project {PIAF}: Building a Native {F}rench Question-Answering Dataset",
    author = "Keraron, Rachel and Lancrenon, Guillaume and Bras, Mathilde and Allary, Fr{\\'e}d{\\'e}ric and
      Moyse, Gilles and Scialom, Thomas and Soriano-Morales, Edmundo-Pavel and Staiano, Jacopo",
    booktitle = "Proceedings of the Twelfth Language Resources and Evaluation Conference",
    year = "2020",
    pages = "5481--5490",
}
"""
_SHOWN = 10  # answers, where top_k does not say how many count
_READER = ("accuracy", "em", "f1")
_READINGS = {
    "retriever_recall": "questions with a gold document among the retrieved ones (hit rate)",
    "retriever_map": "mean average precision of the retrieved documents",
    "retriever_mrr": "mean of 1 / rank of the first gold document",
    "reader_top1_accuracy": "the first answer overlaps with a gold answer",
    "reader_topk_accuracy": "one of the first k answers does",
    "reader_top1_em": "the first answer is a gold answer",
    "reader_topk_em": "one of the first k answers is",
    "reader_top1_f1": "F1 of the first answer",
    "reader_topk_f1": "highest F1 of the first k answers",
    "reader_top1_fk": "another name of reader_topk_f1",
    "reader_top1_no_answer_accuracy": "unanswerable questions whose first answer is empty",
    "reader_topk_no_answer_accuracy": "unanswerable questions with no answer among the first k",
    "correct_retrievals": "number of questions with a gold document among the retrieved ones",
    "has_answer_judged": "number of questions with an answer that the reader is judged by",
    "no_answer_judged": "number of questions without an answer that the reader is judged by",
}
_MEANINGS = _READINGS | {
    f"{name}_has_answer": f"{meaning}, over questions with an answer" for name, meaning in _READINGS.items()
}


def reading_error_kinds(scores: "Scores") -> list[str]:
    """Where each question fails: `failure_labels` in words, its two opposite faults apart; the first kind that holds."""
    from ..core.slices import first_that_holds

    failed = scores.subsets
    return first_that_holds(
        {
            "no prediction": failed["missing"],
            "correct": failed["failure_none"],
            "document not found": failed["failure_retriever"],
            "gave no answer": failed["failure_no_answer"] & failed["has_answer"],
            "answered an unanswerable": failed["failure_no_answer"],
        },
        "wrong answer",
    )


_ERRORS = ErrorKinds(
    {
        "correct": "Nothing fails.",
        "wrong answer": "A gold document was retrieved, but none of the answers is right.",
        "gave no answer": "A gold document was retrieved, but there is no answer.",
        "answered an unanswerable": "There is an answer, but the question has none.",
        "document not found": "No gold document was retrieved.",
        "no prediction": "There is no prediction.",
    },
    ("correct",),
    reading_error_kinds,
)


def _usual_measures(scores: "Scores") -> list[str]:
    """Measures of the retriever, then of the reader under their true names; where there are questions with and
    without an answer, for both kinds apart.
    """
    both = scores.subsets["has_answer"].any() and scores.subsets["no_answer"].any()
    names = [name for name in scores.measures if name.startswith("retriever_")]
    for top in ("top1", "topk"):
        names += [f"reader_{top}_{reading}" for reading in _READER]
        if both:
            names += [f"reader_{top}_{reading}_has_answer" for reading in _READER]
            names.append(f"reader_{top}_no_answer_accuracy")
    return names


def _notes(options: Any) -> dict[str, str]:
    words = "without a gold document: 0 for the retriever"
    if options.denominator == "correct_retrievals":
        words += ", and the reader is not judged by them; to judge it by them use the option denominator=queries"
    return {"no_relevant": words}


def _slices(gold: "Gold", scores: "Scores") -> Slices:
    """By where the pipeline fails, as `failure_labels` says it."""
    from .scoring import failure_labels

    return {"failure": lambda: failure_labels(scores)}


def _texts(examples: Examples) -> Texts:
    """The texts of the gold answers, and of the first `top_k` answers (of the first 10 without it). Where an answer
    has a span only, it is the text there, or the document with the span.
    """
    most = examples.scores.options.top_k or _SHOWN
    golds, answers = [], []
    for output, gold in _pipelines(examples):
        contents = {**gold.contents, **output.contents}
        golds.append([_answer_text(answer, contents) for answer in gold.answers])
        answers.append(first_answers([_answer_text(answer, contents) for answer in output.answers], most))
    return golds, answers


def _answer_text(answer: "Answer | None", contents: Mapping[str, str]) -> str:
    text, document, start, end = answer or ("", None, -1, -1)
    if text is not None or start == end:
        return text or ""
    whole = contents.get(str(document))
    return f"{document} {start}-{end}" if whole is None else whole[start:end]


def _first_documents(examples: Examples, most: int) -> list[list[JudgedDocument]]:
    """The documents that were retrieved; relevant are the gold documents."""
    return [
        [JudgedDocument(name, name in gold.documents) for name in output.documents[:most]]
        for output, gold in _pipelines(examples)
    ]


def _pipelines(examples: Examples) -> "Iterable[tuple[Question, Question]]":
    """Some outputs and their references as the scoring function reads them, matched by place."""
    from .fields import read_pipelines

    columns = {"predictions": examples.given, "references": examples.references}
    options = dataclasses.replace(examples.scores.options, missing="zero")
    table = read_pipelines({name: list(map(_without_id, rows)) for name, rows in columns.items()}, options)
    return zip(table.columns["predictions"], table.columns["references"], strict=True)


def _without_id(row: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    return row if row is None else {name: value for name, value in row.items() if name != "id"}


ABOUT = About(
    meanings=_MEANINGS,
    groups=("retriever_", "reader_top1_", "reader_topk_"),
    usual_slices=(*USUAL_SLICES, "has_answer", "failure"),
    system_slices=(
        *SYSTEM_SLICES,
        *("failure", "failure_none", "failure_retriever", "failure_reader", "failure_no_answer"),
        *("correct_retrieval", "has_answer_judged", "no_answer_judged"),
    ),
    report_slices=("has_answer", "question_word"),
    group_names=PASSAGE_GROUPS,
    groups_of=passage_groups,
    examples_name="questions",
    answers_are=("texts", "documents"),
    errors=_ERRORS,
    usual_measures=_usual_measures,
    first_measures=lambda scores: ["retriever_recall", "reader_topk_accuracy", "reader_topk_f1"],
    notes=_notes,
    more_slices=_slices,
    texts=_texts,
    documents=_first_documents,
    first_right_ranks=lambda scores: RankColumn("retriever_mrr", "Rank of the first relevant document", "questions"),
)
