"""retrieval_ranking: MRR, MAP, nDCG, precision, recall, hit rate and more of ranked documents. The core does the work."""

from collections.abc import Mapping
from itertools import chain

from datasets import Sequence, Value

from ..core.columns import check_lengths, rows_of_table, to_list
from ..core.ids import values_by_id
from ..core.intake import id_key_of
from ..core.module import QAMetric
from ..core.shown import shown
from .family import FAMILY
from .fields import find_columns, ranking_roles, table_of


class RetrievalRanking(QAMetric):
    """How well documents are ranked for queries: MRR, MAP, nDCG, precision, recall, hit rate, R-precision, bpref, RBP, ERR
    and the other measures of trec_eval 10, equal to it to the last digit, under any rule for tied scores, with the choice
    of the average precision denominator, for each query and over all. For search, retrieval-augmented generation and the
    selection of answer sentences (NLPCC-DBQA).

    Returns:
        A flat dict of floats (0 to 1, except dcg and utility) and counts: the measures, num_ret, num_rel, num_rel_ret,
        total, missing, no_relevant, tied and unmatched.

    Examples:
        >>> scores = metric.compute(predictions=[["d3", "d1", "d2"], ["d5"]], references=[["d1", "d2"], ["d5", "d6"]])
        >>> scores["mrr"], scores["recall@100"], scores["num_rel_ret"]
        (0.75, 0.75, 3)
        >>> run = {"q1": {"d1": 0.9, "d2": 0.8}, "q2": {"d4": 2.0}}
        >>> qrels = {"q1": {"d2": 2, "d1": 1}, "q2": {"d4": 1, "d5": 0}}
        >>> scores = metric.compute(run=run, qrels=qrels, measures=["ndcg@10", "map"])
        >>> round(scores["ndcg@10"], 4), scores["map"]
        (0.9299, 1.0)
    """

    family = FAMILY
    second_names = {"run": "predictions", "qrels": "references"}
    urls = ("https://github.com/usnistgov/trec_eval",)
    layouts = (dict.fromkeys(("predictions", "references"), Sequence(Value("string"))),)

    def read_batch(self, columns, options):
        """The columns of a batch as lists of rows, which `compute` joins and scores."""
        columns = self._required_columns(_as_rows(columns))
        by_id = [name for name in ("weights", "groups") if name in columns]
        rows = {name: to_list(column, name) for name, column in columns.items() if name not in by_id}
        judged = rows.get("references", ())
        in_rows = all(isinstance(row, Mapping) and "id" in row for row in judged)
        ids = rows.get("ids") or ([row["id"] for row in judged] if in_rows else range(len(judged)))
        rows |= {name: values_by_id(columns[name], ids, name) for name in by_id}
        first = [rows[name][0] for name in ("predictions", "references") if rows.get(name)]
        if not all(isinstance(row, Mapping) and id_key_of(row, "rows") for row in first):
            check_lengths(**rows)
        return rows


def _as_rows(columns):
    """Tables and dicts as rows with ids; other columns as they are."""
    given = {name: columns[name] for name in ("predictions", "references") if name in columns}
    tables = {name: table_of(column, name) for name, column in given.items()}
    if len(given) == 2 and all(isinstance(given[name], Mapping) and tables[name] is None for name in given):
        for name, column in given.items():
            given[name] = [{"id": query, "documents": documents} for query, documents in column.items()]
    rows = {name: _rows(table, name) for name, table in tables.items() if table is not None}
    return {**columns, **given, **rows}


def _rows(table, name):
    """The rows of a table, with the columns that are read; the query is called query_id, by which rows are matched."""
    (query,) = find_columns(table, name, ("query",))
    roles = ranking_roles(table) | {"query": [query]}
    lists = {key: to_list(table[key], f"{name}[{shown(key)}]") for key in chain.from_iterable(roles.values())}
    lists["query_id"] = lists.pop(query)
    return rows_of_table(lists)
