"""Readers: a gold file and files of predictions, whatever their kind, as columns for `qassay.score`.

gold = read_gold("gold.json")
predictions = read_predictions("model.json", gold)
scores = qassay.score(gold.metric, **gold.columns, **predictions.columns, **gold.options)
"""

import dataclasses
from collections.abc import Mapping
from pathlib import Path

from ..answer_match.read_squad import read_probabilities
from ..core.hints import Hint
from ..retrieval_ranking.read_tables import RANKING_ROLES
from ..retriever_reader.read_pipeline import read_pipeline_gold, read_pipeline_outputs
from .content import Content, read_content, refuse_repeated_keys
from .inputs import ANSWERS, CURVES, ENTITIES, LABELS, PIPELINES, RANKINGS, FileError, Gold, Predictions
from .label_tables import LABEL_ROLES
from .sniff import Kind, sniff
from .tables import ANSWER_ROLES, Names

__all__ = ["ROLES", "FileError", "Gold", "Predictions", "read_gold", "read_no_answer_probabilities", "read_predictions"]

ROLES = (*ANSWER_ROLES, *RANKING_ROLES, *LABEL_ROLES)

_BY_ID = (
    "mapping",
    "probabilities",
    "drop",
    "pipeline_outputs",
    "unknown",
)  # a key twice is an id twice, or no such file

_ORDER = Hint("gold first", "GOLD PREDICTIONS")
_RANKING_ORDER = Hint("gold first", "QRELS RUN")
_GIVE_QRELS = (
    "give TREC qrels, {query: {document: relevance}}, or a table with columns of query, document and relevance"
)
_GIVE_BIOASQ = 'give {"questions": [...]} as in BioASQ'
_GIVE_LABELS = "give a table with columns of predictions and true labels, or sparse rows of labels (XMC)"
_GIVE_SCORES = "give a table with columns of scores and true labels, or rows of boxes (JSON), {id, boxes, labels}"
_CURES = {RANKINGS: _GIVE_QRELS, ENTITIES: _GIVE_BIOASQ, LABELS: _GIVE_LABELS, CURVES: _GIVE_SCORES}  # metric -> files
_GIVE_RUN = "give a TREC run, {query: {document: score}}, or a table with columns of query, document and score"


def read_gold(path: str | Path | Content, names: Names | None = None, *, metric: str | None = None) -> Gold:
    """Read gold answers or judgements; the kind of file is told from its content.

    Args:
        path: SQuAD, HotpotQA or DROP JSON, `{id: [answer, ...]}`, or a table (JSON rows, JSONL, CSV, TSV, Parquet);
            TREC qrels, `{query: {document: relevance}}`, or the pairs of NLPCC-DBQA; BioASQ JSON; sparse rows of labels
            (XMC), or rows of boxes.
        names: of a table, role -> column where the usual names do not tell, for example `{"references": "golds"}`, or
            `{"references": ("gold", "other_gold")}` for several columns of gold answers; and what stands between labels
            in a cell, `{"separator": ";"}`.
        metric: what to read tables and lists by id for, where their columns do not tell.

    Raises:
        FileError: another kind of file (the message says which), or one that is broken.
    """
    content, names = read_content(path), names or {}
    gold = _read_gold(content, names, metric)
    if gold.may_hold_predictions and not isinstance(path, Content) and not Path(path).is_file():
        gold = dataclasses.replace(gold, content=content)
    return gold


def read_predictions(
    path: str | Path | Content, gold: Gold, names: Names | None = None, *, metric: str | None = None
) -> Predictions:
    """Read the predictions of one system for a gold file; a table that holds both may be given twice.

    Args:
        path: `{id: text}`, `{id: ranked list}`, HotpotQA's `{"answer", "sp"}`, a JSON list, or a table; for judgements
            a TREC run, `{query: {document: score}}`, a run of MTEB, a table, or the scores of NLPCC-DBQA; BioASQ JSON;
            sparse rows of scored labels, or rows of boxes.
        gold: what `read_gold` gave.
        names: as for `read_gold`, for example `{"predictions": "my_answer", "ids": "qid"}`.
        metric: by default that of the gold file.

    Raises:
        FileError: another kind of file (the message says which), or one that is broken.
    """
    is_gold = gold.content is not None and not isinstance(path, Content) and str(path) == gold.path
    content, names = gold.content if is_gold else read_content(path), names or {}
    kind = sniff(content, metric or gold.metric)
    if kind.name not in _BY_ID:
        refuse_repeated_keys(content)
    if gold.metric == PIPELINES:
        return read_pipeline_outputs(content, kind.text, gold)
    if kind.metric == PIPELINES:
        raise FileError(content.path, f"this looks like {kind.text}; ", Hint("score with metric", PIPELINES))
    if kind.metric != gold.metric and {kind.metric, gold.metric} & {ENTITIES, LABELS, CURVES}:
        cure = f"give the gold file of {'BioASQ' if kind.metric == ENTITIES else kind.metric} before it"
        cure = _CURES[gold.metric] if gold.metric in (ENTITIES, LABELS, CURVES) else cure
        raise FileError(
            content.path, f"this looks like {kind.text}, which does not go with ", Hint("file", gold.path), f"; {cure}"
        )
    if gold.metric in (LABELS, CURVES):
        if not kind.is_table:
            _check_unnamed(content.path, kind, names, ("predictions",))
        return kind.read_predictions(content, gold, names)
    if gold.metric == RANKINGS:
        return _read_run(content, kind, gold, names)
    if kind.metric == RANKINGS:
        raise FileError(
            content.path,
            f"this looks like {kind.text}, but ",
            Hint("file", gold.path),
            " has gold answers, not judgements; give predicted answers, such as {id: text}, or, if it has documents, ",
            Hint("add metric", RANKINGS),
        )
    if kind.name == "table" and ("predictions" in kind.serves or "predictions" in names):
        predictions = kind.read_predictions(content, gold, names)
    elif "predictions" not in kind.serves:
        raise FileError(content.path, f"this looks like {kind.text}, not predictions", *_prediction_cure(kind))
    else:
        _check_unnamed(content.path, kind, names, ("predictions",))
        predictions = kind.read_predictions(content, gold, names)
    if gold.options.get("task") == "hotpotqa" and not _has_facts(predictions):
        raise FileError(
            content.path,
            'there are no supporting facts here; give {"answer": ..., "sp": ...}, or score answers only with ',
            Hint("option", "task", "answers"),
        )
    return predictions


def _read_gold(content: Content, names: Mapping[str, str], metric: str | None) -> Gold:
    asked = metric or _metric_of(names)
    if "separator" in names and asked not in (LABELS, CURVES):
        raise FileError(
            content.path,
            "cells with several labels are for ",
            Hint("metric", LABELS),
            "; ",
            Hint("leave out column", "separator"),
        )
    kind = sniff(content, asked)
    if kind.name not in _BY_ID:
        refuse_repeated_keys(content)
    if (asked or kind.metric) == PIPELINES:
        _check_unnamed(content.path, kind, names, tuple(names))
        return read_pipeline_gold(content, kind.text)
    if asked in (ANSWERS, *_CURES) and kind.metric != asked:
        cure = _CURES.get(asked, f"{kind.metric} does")
        raise FileError(content.path, f"this looks like {kind.text}, which {asked} does not score; {cure}")
    if kind.metric in (LABELS, CURVES):
        if not kind.is_table:
            _check_unnamed(content.path, kind, names, ("references", "weights", "ids"))
        return kind.read_gold(content, names)
    if kind.metric == RANKINGS:
        return _read_gold_ranking(content, kind, names)
    if kind.name == "table" and ("gold" in kind.serves or "references" in names):
        return kind.read_gold(content, names)
    if "gold" not in kind.serves:
        raise FileError(content.path, f"this looks like {kind.text}, not a gold file", *_gold_cure(kind))
    _check_unnamed(content.path, kind, names, ("references", "weights", "question"))
    return kind.read_gold(content, names)


def _read_gold_ranking(content: Content, kind: Kind, names: Mapping[str, str]) -> Gold:
    is_table = kind.name == "ranking_table"
    if "gold" not in kind.serves and not (is_table and "relevance" in names):
        raise FileError(content.path, f"this looks like {kind.text}, not qrels; ", _RANKING_ORDER)
    if not is_table:
        _check_unnamed(content.path, kind, names, ("relevance",))
    return kind.read_gold(content, names)


def _read_run(content: Content, kind: Kind, gold: Gold, names: Mapping[str, str]) -> Predictions:
    if kind.metric != RANKINGS:
        raise FileError(content.path, f"this looks like {kind.text}, not a run; {_GIVE_RUN}")
    is_table = kind.name == "ranking_table"
    if "predictions" not in kind.serves and not (is_table and "score" in names):
        raise FileError(content.path, f"this looks like {kind.text}, not a run; ", _RANKING_ORDER)
    if gold.kind == "nlpcc" and kind.name != "numbers":
        raise FileError(
            content.path,
            f"this looks like {kind.text}, but ",
            Hint("file", gold.path),
            " has pairs of NLPCC-DBQA; give scores, one per line of it "
            "(if it should be qrels, its lines must be: query 0 document relevance)",
        )
    if not gold.columns and not is_table:
        raise FileError(
            content.path,
            f"this looks like {kind.text}, but the rows of ",
            Hint("file", gold.path),
            " have no documents; give a table with columns of query, score and relevance",
        )
    if not is_table:
        _check_unnamed(content.path, kind, names, ("score",))
    return kind.read_predictions(content, gold, names)


def _metric_of(names: Mapping[str, str]) -> str | None:
    """The metric whose roles are named; None where no role tells."""
    if names.keys() & set(RANKING_ROLES):
        return RANKINGS
    if names.keys() & set(LABEL_ROLES):
        return LABELS
    return ANSWERS if names.keys() & {"references", "predictions", "no_answer_probabilities"} else None


def _check_unnamed(path: str, kind: Kind, names: Mapping[str, str], roles: tuple[str, ...]) -> None:
    """Refuse names of columns for a file that has none; roles that the other file may have are not for this one."""
    named = [role for role in roles if role in names]
    if named:
        raise FileError(
            path, f"this is {kind.text}, which has no columns to name; ", Hint("leave out column", named[0])
        )


def read_no_answer_probabilities(path: str | Path | Content, gold: Gold) -> dict:
    """Read `{id: number}`, larger where a system doubts its answer.

    Raises:
        FileError: another kind of file.
    """
    content = read_content(path)
    kind = sniff(content)
    if kind.name != "probabilities":
        raise FileError(content.path, f"this looks like {kind.text}, not no-answer probabilities ({{id: number}})")
    return read_probabilities(content, gold)


def _gold_cure(kind: Kind) -> tuple:
    if "predictions" in kind.serves:
        return "; ", _ORDER
    if "probabilities" in kind.serves:
        return "; give it with ", Hint("probabilities")
    if kind.name == "table":
        return "; name its column of gold answers ", Hint("with column", "references", "NAME")
    return ("; give SQuAD, HotpotQA or DROP JSON, or a table with a column of gold answers",)


def _prediction_cure(kind: Kind) -> tuple:
    if kind.name == "table":
        return "; name its column of predictions ", Hint("with column", "predictions", "NAME")
    if "gold" in kind.serves:
        return "; ", _ORDER
    if "probabilities" in kind.serves:
        return "; give it with ", Hint("probabilities")
    return ("; give {id: text}, or a table with a column of predictions",)


def _has_facts(predictions: Predictions) -> bool:
    rows = predictions.columns["predictions"]
    return "predicted_facts" in predictions.columns or (
        bool(rows) and isinstance(rows[0], dict) and "supporting_facts" in rows[0]
    )
