"""Readers: a gold file and files of predictions, whatever their kind, as columns for `karat.score`.

gold = read_gold("gold.json")
predictions = read_predictions("model.json", gold)
scores = karat.score(gold.metric, **gold.columns, **predictions.columns, **gold.options)
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from karat.files.bioasq import read_bioasq, read_bioasq_system
from karat.files.content import Content, read_content
from karat.files.drop import read_drop
from karat.files.hotpotqa import read_hotpotqa, read_hotpotqa_predictions
from karat.files.inputs import ANSWERS, ENTITIES, PIPELINES, RANKINGS, FileError, Gold, Predictions
from karat.files.json_rankings import read_json_qrels, read_json_run, read_mteb_run
from karat.files.nlpcc import read_nlpcc, read_nlpcc_scores
from karat.files.pipeline_outputs import read_pipeline_gold, read_pipeline_outputs
from karat.files.ranking_tables import RANKING_ROLES, read_gold_ranking_table, read_run_table
from karat.files.sniff import Kind, sniff
from karat.files.squad import (
    read_answer_list,
    read_answers_by_id,
    read_lists_by_id,
    read_plain_list,
    read_probabilities,
    read_squad,
)
from karat.files.tables import ANSWER_ROLES, read_gold_table, read_prediction_table
from karat.files.trec import read_trec_qrels, read_trec_run

__all__ = ["ROLES", "FileError", "Gold", "Predictions", "read_gold", "read_no_answer_probabilities", "read_predictions"]

ROLES = (*ANSWER_ROLES, *RANKING_ROLES)

# kind -> reader; tables are read apart, because they take names of columns.
_GOLD: dict[str, Callable[[Content], Gold]] = {
    "squad": read_squad,
    "hotpotqa": read_hotpotqa,
    "drop": read_drop,
    "mapping": read_lists_by_id,
    "list": read_plain_list,
    "trec_qrels": read_trec_qrels,
    "ranking": read_json_qrels,
    "nlpcc": read_nlpcc,
    "bioasq": read_bioasq,
}
_PREDICTIONS: dict[str, Callable[[Content, Gold], Predictions]] = {
    "mapping": read_answers_by_id,
    "hotpotqa_predictions": read_hotpotqa_predictions,
    "list": read_answer_list,
    "trec_run": read_trec_run,
    "ranking": read_json_run,
    "mteb_run": read_mteb_run,
    "numbers": read_nlpcc_scores,
    "bioasq": read_bioasq_system,
}
_ORDER = "the gold file comes first: karat score GOLD PREDICTIONS"
_RANKING_ORDER = "the gold file comes first: karat score QRELS RUN"
_GIVE_QRELS = (
    "give TREC qrels, {query: {document: relevance}}, or a table with columns of query, document and relevance"
)
_GIVE_BIOASQ = 'give {"questions": [...]} as in BioASQ'
_GIVE_RUN = "give a TREC run, {query: {document: score}}, or a table with columns of query, document and score"


def read_gold(path: str | Path, names: Mapping[str, str] | None = None, *, metric: str | None = None) -> Gold:
    """Read gold answers or judgements; the kind of file is told from its content.

    Args:
        path: SQuAD, HotpotQA or DROP JSON, `{id: [answer, ...]}`, or a table (JSON rows, JSONL, CSV, TSV, Parquet);
            TREC qrels, `{query: {document: relevance}}`, or the pairs of NLPCC-DBQA; BioASQ JSON.
        names: of a table, role -> column where the usual names do not tell, for example `{"references": "golds"}`.
        metric: what to read tables and lists by id for, where their columns do not tell.

    Raises:
        FileError: another kind of file (the message says which), or one that is broken.
    """
    content, names = read_content(path), names or {}
    asked = metric or _metric_of(names)
    kind = sniff(content, asked)
    if (asked or kind.metric) == PIPELINES:
        _check_unnamed(content.path, kind, names, tuple(names))
        return read_pipeline_gold(content, kind.text)
    if asked in (ANSWERS, RANKINGS, ENTITIES) and kind.metric != asked:
        cure = {RANKINGS: _GIVE_QRELS, ENTITIES: _GIVE_BIOASQ}.get(asked, f"{kind.metric} does")
        raise FileError(content.path, f"this looks like {kind.text}, which {asked} does not score; {cure}")
    if kind.metric == RANKINGS:
        return _read_gold_ranking(content, kind, names)
    if kind.name == "table" and ("gold" in kind.serves or "references" in names):
        return read_gold_table(content, names)
    if "gold" not in kind.serves:
        raise FileError(content.path, f"this looks like {kind.text}, not a gold file{_gold_cure(kind)}")
    _check_unnamed(content.path, kind, names, ("references", "weights", "question"))
    return _GOLD[kind.name](content)


def read_predictions(
    path: str | Path, gold: Gold, names: Mapping[str, str] | None = None, *, metric: str | None = None
) -> Predictions:
    """Read the predictions of one system for a gold file; a table that holds both may be given twice.

    Args:
        path: `{id: text}`, `{id: ranked list}`, HotpotQA's `{"answer", "sp"}`, a JSON list, or a table; for judgements
            a TREC run, `{query: {document: score}}`, a run of MTEB, a table, or the scores of NLPCC-DBQA; BioASQ JSON.
        gold: what `read_gold` gave.
        names: as for `read_gold`, for example `{"predictions": "my_answer", "ids": "qid"}`.
        metric: by default that of the gold file.

    Raises:
        FileError: another kind of file (the message says which), or one that is broken.
    """
    content, names = read_content(path), names or {}
    kind = sniff(content, metric or gold.metric)
    if gold.metric == PIPELINES:
        return read_pipeline_outputs(content, kind.text, gold)
    if kind.metric == PIPELINES:
        raise FileError(content.path, f"this looks like {kind.text}; score it with --metric {PIPELINES}")
    if (kind.metric == ENTITIES) != (gold.metric == ENTITIES):
        cure = _GIVE_BIOASQ if gold.metric == ENTITIES else "give the gold file of BioASQ before it"
        raise FileError(content.path, f"this looks like {kind.text}, which does not go with {gold.path}; {cure}")
    if gold.metric == RANKINGS:
        return _read_run(content, kind, gold, names)
    if kind.metric == RANKINGS:
        raise FileError(
            content.path,
            f"this looks like {kind.text}, but {gold.path} has gold answers, not judgements; give predicted answers, "
            f"such as {{id: text}}, or, if it has documents, add --metric {RANKINGS}",
        )
    if kind.name == "table" and ("predictions" in kind.serves or "predictions" in names):
        predictions = read_prediction_table(content, gold, names)
    elif "predictions" not in kind.serves:
        raise FileError(content.path, f"this looks like {kind.text}, not predictions{_prediction_cure(kind)}")
    else:
        _check_unnamed(content.path, kind, names, ("predictions",))
        predictions = _PREDICTIONS[kind.name](content, gold)
    if gold.options.get("task") == "hotpotqa" and not _has_facts(predictions):
        raise FileError(
            content.path,
            'there are no supporting facts here; give {"answer": ..., "sp": ...}, or score answers only with '
            "--option task=answers",
        )
    return predictions


def _read_gold_ranking(content: Content, kind: Kind, names: Mapping[str, str]) -> Gold:
    is_table = kind.name == "ranking_table"
    if "gold" not in kind.serves and not (is_table and "relevance" in names):
        raise FileError(content.path, f"this looks like {kind.text}, not qrels; {_RANKING_ORDER}")
    if is_table:
        return read_gold_ranking_table(content, names)
    _check_unnamed(content.path, kind, names, ("relevance",))
    return _GOLD[kind.name](content)


def _read_run(content: Content, kind: Kind, gold: Gold, names: Mapping[str, str]) -> Predictions:
    if kind.metric != RANKINGS:
        raise FileError(content.path, f"this looks like {kind.text}, not a run; {_GIVE_RUN}")
    is_table = kind.name == "ranking_table"
    if "predictions" not in kind.serves and not (is_table and "score" in names):
        raise FileError(content.path, f"this looks like {kind.text}, not a run; {_RANKING_ORDER}")
    if gold.kind == "nlpcc" and kind.name != "numbers":
        raise FileError(
            content.path,
            f"this looks like {kind.text}, but {gold.path} has pairs of NLPCC-DBQA; give scores, one per line of it "
            "(if it should be qrels, its lines must be: query 0 document relevance)",
        )
    if not gold.columns and not is_table:
        raise FileError(
            content.path,
            f"this looks like {kind.text}, but the rows of {gold.path} have no documents; give a table with columns of "
            "query, score and relevance",
        )
    if is_table:
        return read_run_table(content, gold, names)
    _check_unnamed(content.path, kind, names, ("score",))
    return _PREDICTIONS[kind.name](content, gold)


def _metric_of(names: Mapping[str, str]) -> str | None:
    """The metric whose roles are named; None where no role tells."""
    if names.keys() & set(RANKING_ROLES):
        return RANKINGS
    return ANSWERS if names.keys() & {"references", "predictions", "no_answer_probabilities"} else None


def _check_unnamed(path: str, kind: Kind, names: Mapping[str, str], roles: tuple[str, ...]) -> None:
    """Refuse names of columns for a file that has none; roles that the other file may have are not for this one."""
    named = [role for role in roles if role in names]
    if named:
        raise FileError(path, f"this is {kind.text}, which has no columns to name; leave out --columns {named[0]}=...")


def read_no_answer_probabilities(path: str | Path, gold: Gold) -> dict:
    """Read `{id: number}`, larger where a system doubts its answer.

    Raises:
        FileError: another kind of file.
    """
    content = read_content(path)
    kind = sniff(content)
    if kind.name != "probabilities":
        raise FileError(content.path, f"this looks like {kind.text}, not no-answer probabilities ({{id: number}})")
    return read_probabilities(content, gold)


def _gold_cure(kind: Kind) -> str:
    if "predictions" in kind.serves:
        return f"; {_ORDER}"
    if "probabilities" in kind.serves:
        return "; give it with --no-answer-probabilities"
    if kind.name == "table":
        return "; name its column of gold answers with --columns references=NAME"
    return "; give SQuAD, HotpotQA or DROP JSON, or a table with a column of gold answers"


def _prediction_cure(kind: Kind) -> str:
    if kind.name == "table":
        return "; name its column of predictions with --columns predictions=NAME"
    if "gold" in kind.serves:
        return f"; {_ORDER}"
    if "probabilities" in kind.serves:
        return "; give it with --no-answer-probabilities"
    return "; give {id: text}, or a table with a column of predictions"


def _has_facts(predictions: Predictions) -> bool:
    rows = predictions.columns["predictions"]
    return "predicted_facts" in predictions.columns or (
        bool(rows) and isinstance(rows[0], dict) and "supporting_facts" in rows[0]
    )
