"""The kind of file of retriever_reader: outputs of a pipeline. Its gold is also in files of answer_match."""

from typing import Any

from ..answer_match.read_haystack import is_results
from ..core.file_columns import Gold, Predictions
from ..files.content import Content
from ..files.document_lists import lists_of
from ..files.kinds import GOLD_AND_PREDICTIONS, FamilyFiles, Kind, check_unnamed, first_difference
from ..files.logs import Log
from ..files.tables import USUAL_NAMES, Names, as_table, roles_of
from .read_pipeline import is_pipeline_outputs, read_pipeline_gold, read_pipeline_outputs
from .read_questions import (
    QUESTION_SIDES,
    QUESTIONS,
    has_questions,
    read_gold_questions,
    read_output_questions,
    right_of,
)

_METRIC = "retriever_reader"


def _is_outputs(value: Any, asked: str | None) -> bool:
    """Whether a value is outputs of a pipeline; where answers are requested, results of Haystack are answers."""
    return is_pipeline_outputs(value) and not (asked == "answer_match" and is_results(value))


class PipelineFiles(FamilyFiles):
    """Files of documents and answers by id; SQuAD files and tables are read as such where the metric is requested."""

    metric = _METRIC
    roles = telling_roles = ("documents", "answers")
    other_roles = ("run", "qrels", "document", "score", "relevance")
    compared = {QUESTIONS: "references"}
    sides = frozenset((*QUESTION_SIDES, *USUAL_NAMES["run"], *USUAL_NAMES["qrels"]))
    may_be_others = frozenset(["answer", "answers", "label", "labels", "target", "targets"])
    either = frozenset(["answer", "answers"])
    splits_cells = True
    logs = (Log("Haystack", "results of Pipeline.run() as JSON with documents and answers, beside a gold file"),)
    kinds = (
        Kind(
            "pipeline_outputs",
            "documents and answers of a pipeline by id",
            GOLD_AND_PREDICTIONS,
            _METRIC,
            fits=_is_outputs,
            order=10,
            keeps_duplicates=True,
            elsewhere=f"score it with metric={_METRIC}",
        ),
    )

    def read_gold(self, content: Content, kind: Kind, names: Names) -> Gold:
        """A file of any kind that has gold answers with documents; names are for tables."""
        table = as_table(content.value) if kind.is_table else None
        if table is not None and has_questions(table, names):
            return read_gold_questions(content.path, table, names)
        check_unnamed(content.path, kind, names, tuple(names))
        return read_pipeline_gold(content, kind.text)

    def read_predictions(self, content: Content, kind: Kind, gold: Gold, names: Names) -> Predictions:
        """A file of any kind that has documents by question; names are for tables."""
        table = as_table(content.value) if kind.is_table else None
        if table is not None and (gold.kind == QUESTIONS or has_questions(table, names)):
            return read_output_questions(content.path, table, gold, names)
        return read_pipeline_outputs(content, kind.text, gold)

    def system_role(self, gold: Gold) -> str:
        return "documents"

    def has_roles(self, value: Any, names: Names) -> bool:
        table = as_table(value)
        if table is None or "qrels" not in lists_of(table, names):
            return False
        if {"gold_document_ids", "type"} <= table.columns.keys():  # rows of Haystack 1's pipeline.eval()
            return False
        return not {*names, *roles_of(table)}.isdisjoint(("references", "answer"))

    def difference(self, own: Gold, gold: Gold) -> str | None:
        own_rows, gold_rows = own.columns["references"], gold.columns["references"]
        return first_difference(own, gold, own_rows, gold_rows, right_of, lambda row: repr(sorted(right_of(row))))


FILES = PipelineFiles()
