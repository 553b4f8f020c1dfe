"""Judgements and runs as JSON by query, as BEIR, MTEB and rank_llm write them."""

from typing import Any

from ...core.file_columns import Gold, Predictions
from ..content import Content
from ..logs import Log
from ..tables import as_table
from . import Format
from ._documents import Documents, check_judgements, documents_of_cell

METRIC = "retrieval_ranking"
_MODEL = "mteb_model_meta"


def _rows_have(value: Any, types: tuple[type, ...]) -> bool:
    """Whether a JSON value has objects by query, and the first non-empty object has cells of these types only."""
    if not isinstance(value, dict) or not value or not all(isinstance(row, dict) for row in value.values()):
        return False
    first: dict[str, Any] = next(filter(None, value.values()), {})
    return all(type(cell) in types for cell in first.values())


def _is_ranking(value: Any) -> bool:
    """Whether a JSON value is `{query: {document: number}}`."""
    return _rows_have(value, (int, float)) and any(value.values()) and as_table(value) is None


def _fits(value: Any, metric: str | None) -> bool:
    """The same, where rankings are requested also for lists by query or without queries, empty rows and invalid numbers."""
    if _is_ranking(value) or metric != METRIC or not isinstance(value, (dict, list)):
        return _is_ranking(value)
    rows = list(value.values() if isinstance(value, dict) else value)
    are_lists = bool(rows) and all(isinstance(row, list) for row in rows)
    return are_lists or _rows_have(value, (int, float, bool, str, type(None)))


def _read_gold(content: Content, names: Any) -> Gold:
    """Judgements as `{query: {document: relevance}}`, or relevant documents as `{query: [document, ...]}`."""
    ids = list(content.value) if isinstance(content.value, dict) else None
    return Gold(content.path, "qrels", {"references": content.value}, {}, ids, {})


def _read_run(content: Content, gold: Gold, names: Any) -> Predictions:
    """A run as `{query: {document: score}}`, or ranked documents as `{query: [document, ...]}`, also objects of them."""
    check_judgements(gold)
    run = content.value
    first = next(filter(None, run.values()), None) if isinstance(run, dict) else None
    if isinstance(first, list) and isinstance(first[0], dict):
        of_query = {
            query: documents_of_cell(query, cell, "the run", {}) or Documents([], [], []) for query, cell in run.items()
        }
        are_scored = all(None not in found.numbers for found in of_query.values())
        run = {
            query: dict(zip(found.ids, found.numbers, strict=True)) if are_scored else found.ids
            for query, found in of_query.items()
        }
    return Predictions(content.path, {"predictions": run})


# --- MTEB -------------------------------------------------------------------------------------------------------------


def _runs(value: dict, names: tuple[str, ...] = ()) -> dict[str, dict]:
    """The runs in a file of MTEB, by the names of subset and split, or by one of them: "en/test"."""
    if names and _is_ranking(value):
        return {"/".join(names): value}
    if len(names) == 2:
        return {}
    inner = ((name, part) for name, part in value.items() if name != _MODEL and isinstance(part, dict))
    return {path: run for name, part in inner for path, run in _runs(part, (*names, name)).items()}


def _is_mteb(value: Any, metric: str | None) -> bool:
    """Whether a JSON value says that MTEB wrote it, or where rankings are requested, has runs under names."""
    if not isinstance(value, dict) or _MODEL in value:
        return isinstance(value, dict)
    return metric == METRIC and not _is_ranking(value) and bool(_runs(value))


def _read_mteb(content: Content, gold: Gold, names: Any) -> Predictions:
    """The only run of a file of MTEB."""
    runs = _runs(content.value)
    if len(runs) != 1:
        has = f"{len(runs)} runs in this file of MTEB ({', '.join([*runs][:10]) or 'none'})"
        raise ValueError(f"there are {has}; give a file with one, {{query: {{document: score}}}}")
    return _read_run(Content(content.path, *runs.values()), gold, names)


LOG = Log("predictions of MTEB", file_patterns=("*_predictions.json",))
RANK_LLM = Log(  # rows of {"query": {"qid", "text"}, "candidates": [{"docid", "score"}, ...]}
    "run of rank_llm",
    lambda row: {"query", "candidates"} <= row.keys() and isinstance(row["query"], dict) and "qid" in row["query"],
    lambda row: {"id": str(row["query"]["qid"]), "retrieved": row["candidates"]},
)
MTEB = Format("mteb_run", "a run of MTEB", METRIC, _is_mteb, order=51, read_predictions=_read_mteb)
RANKING = Format(
    "ranking",
    "documents by query ({query: {document: number}}, or lists)",
    METRIC,
    _fits,
    order=52,
    read_gold=_read_gold,
    read_predictions=_read_run,
)
