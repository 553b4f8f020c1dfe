"""Reads judgements and runs as JSON by query, as written by BEIR and MTEB."""

import json
from collections.abc import Callable
from typing import Any

from ...core.file_columns import Gold, Predictions
from ..content import Content
from ..logs import Log
from ..reading import FileError
from ..tables import as_table
from . import Format
from ._documents import pairs_of_cell
from ._runs import check_judgements

_MODEL = "mteb_model_meta"
_MOST_NAMES = 10


def _is_ranking(value: Any) -> bool:
    """Whether a JSON value is `{query: {document: number}}`."""
    return _rows_have(value, (int, float)) and any(value.values()) and as_table(value) is None


def _may_be_ranking(value: Any) -> bool:
    """The same, also for lists by query or without queries, for empty rows, and for invalid numbers."""
    if isinstance(value, (dict, list)) and value:
        rows = value.values() if isinstance(value, dict) else value
        if all(isinstance(row, list) for row in rows):
            return True
    return _rows_have(value, (int, float, bool, str, type(None)))


def _is_mteb_run(value: Any) -> bool:
    """Whether a JSON value says that MTEB wrote it."""
    return isinstance(value, dict) and _MODEL in value


def _has_runs_inside(value: Any) -> bool:
    """Whether there is `{query: {document: number}}` under one or two names, as MTEB writes it."""
    return isinstance(value, dict) and bool(_runs(value))


def _read_gold(content: Content, names: Any) -> Gold:
    """Judgements as `{query: {document: relevance}}`, or relevant documents as `{query: [document, ...]}`."""
    ids = list(content.value) if isinstance(content.value, dict) else None
    return Gold(content.path, "qrels", {"references": content.value}, {}, ids, {})


def _read_run(content: Content, gold: Gold, names: Any) -> Predictions:
    """A run as `{query: {document: score}}`, or ranked documents as `{query: [document, ...]}`."""
    check_judgements(content.path, gold)
    run = content.value
    if isinstance(run, dict) and any(
        isinstance(hits, list) and hits and isinstance(hits[0], dict) for hits in run.values()
    ):
        hits_of = {query: pairs_of_cell(content.path, query, hits, "the run", {}) or [] for query, hits in run.items()}
        has_scores = all(score is not None for hits in hits_of.values() for _, score in hits)
        run = {query: dict(hits) if has_scores else [name for name, _ in hits] for query, hits in hits_of.items()}
    return Predictions(content.path, {"predictions": run})


def _read_mteb(content: Content, gold: Gold, names: Any) -> Predictions:
    """A run of MTEB, under the names of its subset and split."""
    runs = _runs(content.value)
    if not runs:
        raise FileError(content.path, "there is no run in this file of MTEB; give {query: {document: score}}")
    if len(runs) > 1:
        paths = ["/".join(names) for names in runs]
        more = ", ..." if len(paths) > _MOST_NAMES else ""
        raise FileError(
            content.path,
            f"there are {len(paths)} runs in this file of MTEB: {', '.join(paths[:_MOST_NAMES])}{more}; give a file "
            f"with one of them, for example what jq '.{_keys(next(iter(runs)))}' prints",
        )
    return _read_run(Content(content.path, *runs.values()), gold, names)


def _runs(value: dict, names: tuple[str, ...] = ()) -> dict[tuple[str, ...], dict]:
    """The runs in the file of MTEB: names of subset and split -> run."""
    if names and _is_ranking(value):
        return {names: value}
    if len(names) == 2:
        return {}
    inner = ((name, part) for name, part in value.items() if name != _MODEL and isinstance(part, dict))
    return {path: run for name, part in inner for path, run in _runs(part, (*names, name)).items()}


def _rows_have(value: Any, types: tuple[type, ...]) -> bool:
    """Whether a JSON value has objects by query, and the first non-empty object has cells of these types only."""
    if not isinstance(value, dict) or not value or not all(isinstance(row, dict) for row in value.values()):
        return False
    first: dict[str, Any] = next(filter(None, value.values()), {})
    return all(type(cell) in types for cell in first.values())


def _keys(names: tuple[str, ...]) -> str:
    return "".join(f"[{json.dumps(name, ensure_ascii=False)}]" for name in names)


METRIC = "retrieval_ranking"
LOG = Log("predictions of MTEB", file_patterns=("*_predictions.json",))
_NUMBERS = "numbers of documents by query ({query: {document: number}})"


def _ranking(text: str, order: int, fits: Callable[[Any, str | None], bool], **attributes: Any) -> Format:
    return Format(
        "ranking", text, METRIC, fits, order=order, read_gold=_read_gold, read_predictions=_read_run, **attributes
    )


def _mteb(order: int, fits: Callable[[Any, str | None], bool], **attributes: Any) -> Format:
    return Format("mteb_run", "a run of MTEB", METRIC, fits, order=order, read_predictions=_read_mteb, **attributes)


REQUESTED = _ranking(
    _NUMBERS,
    51,
    lambda value, metric: metric == METRIC and _is_ranking(value),
    harnesses={
        "BEIR": "runs {query: {document: score}} and judgements {query: {document: relevance}} as JSON",
        "ranx": "in Python, its Run and Qrels",
        "ir_measures": "in Python, its ScoredDoc and Qrel",
    },
)
REQUESTED_MTEB = _mteb(
    52,
    lambda value, metric: metric == METRIC and (_is_mteb_run(value) or _has_runs_inside(value)),
    harnesses={"MTEB": "TASK_predictions.json, or the folder with one of them, beside judgements"},
)
REQUESTED_LISTS = _ranking("lists of documents", 53, lambda value, metric: metric == METRIC and _may_be_ranking(value))
MTEB = _mteb(81, lambda value, metric: _is_mteb_run(value))
RANKING = _ranking(_NUMBERS, 82, lambda value, metric: _is_ranking(value))
