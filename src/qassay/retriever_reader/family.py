"""The descriptor of retriever_reader."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..answer_match.family import answer_offsets
from ..core.examples import Examples, JudgedDocument, first_answers
from ..core.family import Family
from ..core.family_telling import PASSAGE_GROUPS, ErrorKinds, RankColumn, Sides, Slices, Telling

if TYPE_CHECKING:
    from ..core.file_columns import Gold
    from ..core.scores import Scores
    from .fields import Pipelines, Spans

_SHOWN = 10  # answers, where top_k does not say how many count
_OUTPUT = {"documents": ["d"], "answers": ["a"]}
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


class PipelineTelling(Telling):
    """Documents and answers; `--by failure` says where a pipeline fails."""

    meanings = _MEANINGS
    groups = ("retriever_", "reader_top1_", "reader_topk_")
    usual_slices = (*Telling.usual_slices, "has_answer", "failure")
    system_slices = (
        *Telling.system_slices, "failure", "failure_none", "failure_retriever", "failure_reader", "failure_no_answer",
        "correct_retrieval", "has_answer_judged", "no_answer_judged",
    )  # fmt: skip
    report_slices = ("has_answer", "question_word")
    group_names = PASSAGE_GROUPS
    examples_name = "questions"
    answers_are = ("texts", "documents")

    @property
    def errors(self) -> ErrorKinds:
        from .error_kinds import READING_ERRORS

        return READING_ERRORS

    def usual_measures(self, scores: "Scores") -> list[str]:
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

    def main_measures(self, scores: "Scores") -> list[str]:
        """Recall of the retriever, accuracy and F1 of the reader's best answer."""
        return ["retriever_recall", "reader_topk_accuracy", "reader_topk_f1"]

    def note_words(self, options: Any) -> Mapping[str, str]:
        words = "without a gold document: 0 for the retriever"
        if options.denominator == "correct_retrievals":
            words += ", and the reader is not judged by them; to judge it by them use the option denominator=queries"
        return {**super().note_words(options), "no_relevant": words}

    def slices(self, gold: "Gold", scores: "Scores") -> Slices:
        """By where the pipeline fails (`failure` and, as in other families, `error_kind`), and by what the question asks
        for.

        The label "no_answer" of `failure` holds two opposite faults: silent though answerable, and answered though
        unanswerable; the columns `has_answer` and `failure_no_answer` of `--per-example` tell them apart.
        """
        from .scoring import failure_labels

        return {**super().slices(gold, scores), "failure": lambda: failure_labels(scores)}

    def sides(self, examples: Examples) -> Sides:
        """The texts of the gold answers, and of the first `top_k` answers (of the first 10 without it). Where an answer
        has a span only, it is the text there, or the document with the span.
        """
        read = _pipelines(examples)
        texts = [
            {**_document_texts(question), **_document_texts(row or {})}
            for question, row in zip(examples.references, examples.given, strict=True)
        ]
        golds, answers = (_span_texts(spans, texts) for spans in (read.gold_answers, read.answers))
        return golds, [first_answers(row, examples.scores.options.top_k or _SHOWN) for row in answers]

    def gold_offsets(self, gold: "Gold", place: int) -> dict[str, int | None]:
        return answer_offsets(gold, place)

    def first_documents(self, examples: Examples, most: int) -> list[list[JudgedDocument]]:
        """The documents that were retrieved; relevant are the gold documents."""
        read = _pipelines(examples)
        return [
            [JudgedDocument(name, name in gold.documents) for name in output.documents[:most]]
            for output, gold in zip(read.outputs, read.golds, strict=True)
        ]

    def first_right_ranks(self, scores: "Scores") -> RankColumn:
        return RankColumn("retriever_mrr", "Rank of the first relevant document", "questions")


class RetrieverReaderFamily(Family):
    """Pipeline outputs against gold answers with their documents."""

    name = "retriever_reader"
    source = "the evaluation of retriever and reader in PIAF"
    function = "score_reading"
    options = "ReaderOptions"
    known_as = {
        "piaf": "retriever_reader",
        "haystack": "retriever_reader, which takes the outputs of its pipelines",
        "rag": "retriever_reader for documents and answers of a pipeline",
    }
    smallest = (({"predictions": [_OUTPUT], "references": [_OUTPUT]}, {}),)
    telling = PipelineTelling()


def _pipelines(examples: Examples) -> "Pipelines":
    """Some outputs and their references as the scoring function reads them, matched by place."""
    from .fields import read_pipelines

    columns = {"predictions": examples.given, "references": examples.references}
    options = dataclasses.replace(examples.scores.options, missing="zero")
    return read_pipelines({name: list(map(_without_id, rows)) for name, rows in columns.items()}, options)


def _without_id(row: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    return row if row is None else {name: value for name, value in row.items() if name != "id"}


def _document_texts(row: Mapping[str, Any]) -> dict[str, str]:
    """The texts of the documents of one side by their ids, if both are given."""
    from ..answer_match.pipeline_results import field_value, unwrapped
    from .haystack import document_text

    texts = {}
    for document in row.get("documents") or []:
        text = document_text(document)
        if text is not None:
            texts[str(field_value(unwrapped(document), "id"))] = text
    return texts


def _span_texts(spans: "Spans", texts: Sequence[Mapping[str, str]]) -> list[list[str]]:
    """The answers of each question; one without a text is looked up in its document."""
    answers: list[list[str]] = [[] for _ in texts]
    for row, text, document, (start, end), withheld in zip(
        spans.owner.tolist(), spans.texts, spans.documents, spans.spans.tolist(), spans.withheld.tolist(), strict=True
    ):
        if text is None and not withheld:
            whole = texts[row].get(str(document))
            text = f"{document} {start}-{end}" if whole is None else whole[start:end]
        answers[row].append(text or "")
    return answers


FAMILY = RetrieverReaderFamily()
