"""Runs of rank_llm: a row per query, `{"query": {"qid"}, "candidates": [{"docid", "score"}, ...]}`."""

from typing import Any

from ...core.file_columns import Gold, Predictions
from ..content import Content, Table
from ..reading import FileError
from . import Format
from ._runs import check_judgements


def _is_run(value: Any, metric: str | None) -> bool:
    if not isinstance(value, Table) or value.is_text or not {"query", "candidates"} <= value.columns.keys():
        return False
    first = next(iter(value.columns["query"]), None)
    return isinstance(first, dict) and "qid" in first


def _read_run(content: Content, gold: Gold, names: Any) -> Predictions:
    check_judgements(content.path, gold)
    run: dict[str, dict[str, Any]] = {}
    columns = content.value.columns
    for row, (query, documents) in enumerate(zip(columns["query"], columns["candidates"], strict=True)):
        try:
            run[str(query["qid"])] = {str(document["docid"]): document["score"] for document in documents}
        except (KeyError, TypeError):
            raise FileError(
                content.path, f"row {row}: give 'qid' in 'query', and 'docid' and 'score' in all 'candidates'"
            ) from None
    return Predictions(content.path, {"predictions": run})


RUN = Format("rank_llm", "a run of rank_llm", "retrieval_ranking", _is_run, read_predictions=_read_run)
