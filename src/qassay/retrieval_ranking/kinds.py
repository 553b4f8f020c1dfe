"""The kinds of files of retrieval_ranking: judgements and runs, in lines, JSON or tables."""

import dataclasses
from typing import Any

from ..core.file_columns import Gold
from ..files.content import Table
from ..files.document_lists import lists_of
from ..files.kinds import (
    GOLD_AND_PREDICTIONS,
    ONLY_GOLD,
    ONLY_PREDICTIONS,
    FamilyFiles,
    Kind,
    files_of,
    first_difference,
)
from ..files.lines import Lines, is_lines
from ..files.logs import Log
from ..files.source import Source
from ..files.tables import USUAL_NAMES, Names, as_table
from .fields import ROLE_NAMES
from .ranking_lines import find_ranking_lines
from .read_json import (
    has_runs_inside,
    is_mteb_run,
    is_ranking,
    may_be_ranking,
    read_json_qrels,
    read_json_run,
    read_mteb_run,
)
from .read_nlpcc import read_nlpcc, read_nlpcc_scores
from .read_questions import QUESTIONS, judged_texts
from .read_tables import (
    RANKING_ROLES,
    has_questions,
    ranking_table,
    read_gold_ranking_table,
    read_run_table,
    serves_as_questions,
    serves_as_ranking,
)
from .read_trec import read_trec_prefs, read_trec_qrels, read_trec_run

_METRIC = "retrieval_ranking"
_ORDER = "give the judgements as gold"


def _is_asked_table(value: Any, asked: str | None) -> bool | dict[str, Any]:
    table = ranking_table(value) if asked == _METRIC else None
    return table is not None and _described(table, serves_as_ranking(table) or GOLD_AND_PREDICTIONS)


def _is_table(value: Any, asked: str | None) -> bool | dict[str, Any]:
    """Whether a table can only be a table of rankings; never if answers are requested."""
    table: Any = None if asked == "answer_match" else as_table(value)
    serves = frozenset() if table is None else serves_as_ranking(table) or serves_as_questions(table)
    return bool(serves) and _described(table, serves)


def _described(table: Table, serves: frozenset[str]) -> dict[str, Any]:
    what = {"gold": "judgements", "predictions": "a run"}.get("".join(serves), "a table of rankings")
    return {"text": f"{what} ({table.format} with the columns {', '.join(table.columns)})", "serves": serves}


def _is_asked_mteb_run(value: Any, asked: str | None) -> bool:
    return asked == _METRIC and (is_mteb_run(value) or has_runs_inside(value))


_TABLE = Kind(
    "ranking_table",
    "a table of rankings",
    GOLD_AND_PREDICTIONS,
    _METRIC,
    read_gold_ranking_table,
    read_run_table,
    is_table=True,
    fits=_is_asked_table,
    order=50,
)
_RANKING = Kind(
    "ranking",
    "numbers of documents by query ({query: {document: number}})",
    GOLD_AND_PREDICTIONS,
    _METRIC,
    read_json_qrels,
    read_json_run,
    fits=lambda value, asked: asked == _METRIC and is_ranking(value),
    order=50,
)
_MTEB = Kind(
    "mteb_run",
    "a run of MTEB",
    ONLY_PREDICTIONS,
    _METRIC,
    prediction_reader=read_mteb_run,
    fits=_is_asked_mteb_run,
    order=50,
)


def _lines(name: str, text: str, **readers: Any) -> Kind:
    serves = ONLY_GOLD if "gold_reader" in readers else ONLY_PREDICTIONS
    return Kind(name, text, serves, _METRIC, fits=is_lines(name), order=0, **readers)


class RankingFiles(FamilyFiles):
    """Files of TREC, of NLPCC-DBQA and of MTEB, JSON by query, and tables."""

    metric = _METRIC
    kinds = (
        _lines("trec_qrels", "TREC qrels", gold_reader=read_trec_qrels),
        _lines("trec_prefs", "TREC preferences (query, judge, part, document, relevance)", gold_reader=read_trec_prefs),
        _lines("trec_run", "a TREC run", prediction_reader=read_trec_run),
        _lines("nlpcc", "pairs of NLPCC-DBQA (question, sentence, label)", gold_reader=read_nlpcc),
        _lines("numbers", "scores without ids, one per line", prediction_reader=read_nlpcc_scores),
        # If the metric is requested, also accept tables that look like answers.
        _TABLE,
        _RANKING,
        _MTEB,
        dataclasses.replace(
            _RANKING, text="lists of documents", fits=lambda value, asked: asked == _METRIC and may_be_ranking(value)
        ),
        dataclasses.replace(_MTEB, fits=lambda value, asked: is_mteb_run(value), order=80),
        dataclasses.replace(_RANKING, fits=lambda value, asked: is_ranking(value), order=80),
        dataclasses.replace(_TABLE, fits=_is_table, order=85),
    )
    roles = telling_roles = (*RANKING_ROLES, "run", "qrels")
    gold_role, prediction_role = "relevance", "score"
    gold_roles = ("relevance",)
    gold_files = (
        "give TREC qrels, {query: {document: relevance}}, or a table with columns of query, document and relevance"
    )
    splits_cells = True
    compared = {"ranking_table": "relevance", QUESTIONS: "qrels"}
    sides = frozenset((*ROLE_NAMES["score"], *ROLE_NAMES["relevance"], *USUAL_NAMES["run"], *USUAL_NAMES["qrels"]))
    logs = (
        Log("BEIR", "runs {query: {document: score}} and judgements {query: {document: relevance}} as JSON"),
        Log(
            "MTEB", "TASK_predictions.json, or the folder with one of them, beside judgements", ("*_predictions.json",)
        ),
        Log("ranx", "in Python, its Run and Qrels"),
        Log("ir_measures", "in Python, its ScoredDoc and Qrel"),
    )
    may_be_others = frozenset(["label", "labels", "gain", "score", "scores", "sim", "similarity"])

    def find_lines(self, source: Source, lines: list[bytes], begun: bytes) -> Lines | None:
        return find_ranking_lines(source, lines, begun)

    def has_roles(self, value: Any, names: Names) -> bool:
        table = ranking_table(value)
        return table is not None and has_questions(table, names) and "qrels" in lists_of(table, names)

    def system_role(self, gold: Gold) -> str:
        return "run" if gold.kind == QUESTIONS else "score"

    def not_gold(self, kind: Kind) -> str:
        return f"qrels; {_ORDER}"

    def not_predictions(self, kind: Kind) -> str:
        return f"a run; {_ORDER}"

    def refuse_other(self, kind: Kind, gold: Gold) -> str:
        return files_of(kind.metric).refuse_gold(gold) or (
            ", not a run; give a TREC run, {query: {document: score}}, or a table with columns of query, document and "
            "score"
        )

    def refuse_gold(self, gold: Gold) -> str:
        return (
            f", but {gold.path} has gold answers, not judgements; give predicted answers, such as {{id: text}}, or, if "
            f"it has documents, add metric={_METRIC}"
        )

    def refuse_pair(self, kind: Kind, gold: Gold) -> str:
        if gold.kind == "nlpcc" and kind.name != "numbers":
            return (
                f", but {gold.path} has pairs of NLPCC-DBQA; give scores, one per line of it (if it should be qrels, its "
                "lines must be: query 0 document relevance)"
            )
        if not gold.columns and not kind.is_table:
            return f", but the rows of {gold.path} have no documents; give a table with columns of query, score and relevance"
        return ""

    def table_of(self, value: Any) -> Table | None:
        return ranking_table(value)

    def difference(self, own: Gold, gold: Gold) -> str | None:
        """A run has no rows for documents that it did not retrieve, so documents that only the gold file has are not a
        difference.
        """
        import pyarrow.compute as pc

        if own.kind == QUESTIONS:
            own_cells, gold_cells = (
                [side.columns["references"].get(name) for name in side.ids or ()] for side in (own, gold)
            )
            own, gold = (side if "ids" in side.names else dataclasses.replace(side, ids=None) for side in (own, gold))
            return first_difference(own, gold, own_cells, gold_cells, judged_texts, repr, null_is_no_row=True)
        if not own.columns or not gold.columns:  # each row has its own judgement
            return None
        own_rows, gold_rows = (
            side.columns["references"].select(["query", "document", "relevance"]) for side in (own, gold)
        )
        if own_rows.equals(gold_rows):
            return None
        keys = ["query", "document"]
        own_rows, gold_rows = (
            table.set_column(0, "query", table.column("query").cast("string")).set_column(
                1, "document", table.column("document").cast("string")
            )
            for table in (own_rows, gold_rows)
        )
        own_rows = own_rows.filter(pc.is_in(own_rows.column("query"), pc.unique(gold_rows.column("query"))))
        both = own_rows.join(gold_rows.rename_columns([*keys, "there"]), keys, join_type="left outer")
        differs = pc.not_equal(both.column("relevance"), pc.fill_null(both.column("there"), 0.0))
        rows = both.filter(differs).sort_by([(key, "ascending") for key in keys]).slice(0, 1).to_pylist()
        if not rows:
            return None
        (row,) = rows
        other = "it is not judged" if row["there"] is None else f"{row['there']:g}"
        pair = f"the document {row['document']!r} of the query {row['query']!r}"
        return f"{pair} has the relevance {row['relevance']:g}, but {other} in {gold.path}"


FILES = RankingFiles()
