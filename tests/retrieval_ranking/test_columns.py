"""The forms of rankings and judgements: which are recognised, and what is refused with which words."""

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from qassay.core.columns import is_real, is_table, real_numbers, to_list
from qassay.retrieval_ranking import tables
from qassay.retrieval_ranking.columns import ranking_rows, rows_have_queries
from qassay.retrieval_ranking.judgements import rank_judged_documents
from qassay.retrieval_ranking.tables import id_column


@pytest.fixture(scope="module", autouse=True)
def libraries():
    """Slow imports happen when a test of this file runs, not at collection."""
    global datasets, pd
    import datasets
    import pandas as pd


RUN = {"q1": {"a": 0.5, "b": 0.9, "c": 0.4}, "q2": {"a": 3.0}}
QRELS = {"q1": {"a": 1, "x": 2, "c": 0}, "q2": {"a": 3}}
RUN_COLUMNS = {"query": ["q1", "q1", "q1", "q2"], "docid": ["a", "b", "c", "a"], "score": [0.5, 0.9, 0.4, 3.0]}
QRELS_COLUMNS = {"query": ["q1", "q1", "q1", "q2"], "docid": ["a", "x", "c", "a"], "rel": [1, 2, 0, 3]}


def judge(predictions, references, **columns):
    return rank_judged_documents({"predictions": predictions, "references": references, **columns})


def refuse(message, *given, error=ValueError):
    with pytest.raises(error, match=message):
        judge(*given)


def rows_of(found):
    names = "query rank relevance greater equal missing retrieved judged_query judged_relevance".split()
    return [list(found.ids), *(getattr(found, name).tolist() for name in names)]


EXPECTED = rows_of(judge(RUN, QRELS))


class PolarsLike:
    """What the reader uses of a polars data frame."""

    def __init__(self, columns):
        self.data = pa.table(columns)
        self.columns = self.data.schema.names
        self.dtypes = list(self.data.schema.types)

    def __getitem__(self, name):
        class Series:
            def to_arrow(series):
                return self.data[name].combine_chunks()

            def to_list(series):
                return self.data[name].to_pylist()

        return Series()


def reversed_view(columns):
    """A data set whose rows come by way of indices."""
    backwards = {name: values[::-1] for name, values in columns.items()}
    return datasets.Dataset.from_dict(backwards).select(range(len(columns["query"]) - 1, -1, -1))


TABLES = {
    "arrow": pa.table,
    "record batch": lambda columns: pa.table(columns).to_batches()[0],
    "pandas": lambda columns: pd.DataFrame(columns),
    "pandas objects": lambda columns: pd.DataFrame(columns).astype({"query": object, "docid": "category"}),
    "data set": reversed_view,
    "dict of lists": dict,
    "dict of arrays": lambda columns: {name: np.array(values) for name, values in columns.items()},
    "Hugging Face": lambda columns: [{**columns, "q0": ["q0"] * 4, "rank": [0, 1, 2, 0], "system": ["s"] * 4}],
    "rows": lambda columns: [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)],
    "polars": PolarsLike,
}


@pytest.mark.parametrize("form", TABLES)
def test_tables_of_any_library(form):
    make = TABLES[form]
    assert rows_of(judge(make(RUN_COLUMNS), make(QRELS_COLUMNS))) == EXPECTED
    assert rows_of(judge(make(RUN_COLUMNS), QRELS)) == EXPECTED
    assert rows_of(judge(RUN, make(QRELS_COLUMNS))) == EXPECTED


@pytest.mark.parametrize(
    ("query", "document", "score", "relevance"),
    [
        ("query_id", "doc_id", "sim", "relevance"),
        ("qid", "docno", "similarity", "label"),
        ("query-id", "corpus-id", "score", "score"),
        ("topic", "pid", "scores", "gain"),
        ("Query_ID", "Doc ID", "SCORE", "judgement"),
        (" q-id ", "DocNo", "Similarity", "Labels"),
    ],
)
def test_usual_names_of_columns(query, document, score, relevance):
    run = dict(zip((query, document, score), RUN_COLUMNS.values(), strict=True))
    judgements = dict(zip((query, document, relevance), QRELS_COLUMNS.values(), strict=True))
    assert rows_of(judge(pa.table(run), pa.table(judgements))) == EXPECTED


def test_the_column_of_ids_goes_before_that_of_texts():
    run = pa.table({**RUN_COLUMNS, "qid": RUN_COLUMNS["query"], "query": ["the same text"] * 4})
    assert rows_of(judge(run, QRELS)) == EXPECTED


TWO_SCORES = {**RUN_COLUMNS, "sim": RUN_COLUMNS["score"]}
TWO_LABELS = {**QRELS_COLUMNS, "label": QRELS_COLUMNS["rel"]}
SELF_JUDGED = {"question": ["q", "q"], "score": [0.9, 0.1], "label": [0, 1]}


@pytest.mark.parametrize("make", [dict, pa.table, TABLES["pandas"], TABLES["rows"]])
@pytest.mark.parametrize(
    ("run", "judgements", "message"),
    [
        (TWO_SCORES, QRELS_COLUMNS, "predictions is a table whose score could be score or sim; it has: .*omit"),
        (RUN_COLUMNS, TWO_LABELS, "references is a table whose relevance could be rel or label; it has: "),
        (
            {**SELF_JUDGED, "relevance": [1, 0]},
            None,
            "predictions is a table whose relevance could be relevance or label",
        ),
        ({**SELF_JUDGED, "Score": [1, 0]}, None, "predictions is a table whose score could be score or Score"),
        (RUN_COLUMNS, TWO_SCORES, "references is a table whose relevance could be score or sim"),
    ],
)
def test_two_columns_that_could_be_the_same_are_refused(make, run, judgements, message):
    refuse(message, make(run), None if judgements is None else make(judgements))


def test_a_score_beside_a_relevance_is_none():
    assert rows_of(judge(RUN, {**QRELS_COLUMNS, "score": [9.5, 9.5, 9.5, 9.5], "sim": [0.5] * 4})) == EXPECTED
    assert rows_of(judge({**RUN_COLUMNS, "rel": [7] * 4, "label": [7] * 4}, QRELS)) == EXPECTED


def test_a_dict_of_many_queries_is_not_a_table():
    names = ["query", "docid", "score", *map(str, range(1000))]
    assert judge({name: ["a"] for name in names}, {name: ["a"] for name in names}).rank.tolist() == [1] * 1003


def test_judgements_as_dicts_rows_and_rows_that_come_back():
    rows = [{"id": query, "documents": levels} for query, levels in QRELS.items()]
    assert rows_of(judge(RUN, rows)) == EXPECTED
    rows = [
        {"id": query, "documents": list(levels), "relevances": list(levels.values())} for query, levels in QRELS.items()
    ]
    assert rows_of(judge(RUN, rows)) == EXPECTED
    order = [0, 3, 1, 2]
    mixed = {name: [values[row] for row in order] for name, values in QRELS_COLUMNS.items()}
    assert rows_of(judge(RUN, mixed)) == EXPECTED


@pytest.mark.parametrize("kind", [list, set, tuple, frozenset, np.array])
def test_relevant_documents_without_levels(kind):
    expected = rows_of(judge(RUN, {"q1": {"a": 1}, "q2": {"a": 1}}))
    assert rows_of(judge(RUN, {"q1": kind(["a"]), "q2": kind(["a"])})) == expected


def test_query_ids_stay_as_given():
    assert judge({"7": {"a": 1.0}}, {7: ["a"]}).ids == [7]
    assert judge({7: {"a": 1.0}}, pa.table({"qid": [7], "doc": ["a"], "rel": [1]})).ids == [7]
    assert judge({7: {"a": 1.0}}, pa.table({"qid": ["7"], "doc": ["a"], "rel": [1]})).ids == ["7"]
    for values, expected in (([8, 7], [8, 7]), (["8", "7"], ["8", "7"])):
        coded = pa.array(values).dictionary_encode()
        judgements = pa.table({"qid": coded, "doc": ["a", "a"], "rel": [1, 1]})
        assert judge({7: {"a": 1.0}}, judgements).ids == expected
        assert judge(pa.table({"qid": coded, "doc": ["a", "a"], "score": [1, 1]}), {7: ["a"]}).rank.tolist() == [1]


def test_rows_that_judge_themselves():
    columns = {"question": ["q", "r", "q", "q"], "score": [0.1, 0.5, 0.9, 0.1], "label": [1, 0, 0, 1]}
    for table in (columns, pa.table(columns), pd.DataFrame(columns), [columns]):
        found = judge(table, None)
        assert found.ids == ["q", "r"] and found.retrieved.tolist() == [3, 1]
        assert found.rank.tolist() == [1, 2, 3, 1] and found.relevance.tolist() == [0, 1, 1, 0]
        assert found.equal.tolist() == [1, 2, 2, 1]
    # Ties go by document id if there is one, else by position, both descending.
    stable = rank_judged_documents({"predictions": {**columns, "label": [2, 0, 0, 1]}}, ties="stable")
    assert stable.relevance.tolist() == [0, 2, 1, 0]
    named = {**columns, "label": [2, 0, 0, 1], "docid": ["z", "a", "b", "a"]}
    assert judge(named, None).relevance.tolist() == [0, 2, 1, 0]


def test_lists_that_are_not_python_lists():
    expected = rows_of(judge([["a", "b"], ["c", "d"]], [["b"], ["x"]]))
    rankings = pa.array([["a", "b"], ["c", "d"]])
    assert rows_of(judge(rankings, pd.Series([["b"], ["x"]]))) == expected
    assert rows_of(judge(np.array([["a", "b"], ["c", "d"]]), (("b",), {"x"}))) == expected
    scored = judge([np.array(["a", "b"])], [{"b"}], scores=np.array([[0.5, 0.9]]))
    assert scored.rank.tolist() == [1]


def test_queries_without_judgements_stay():
    found = judge(RUN, {"q1": {}, "q2": {"a": 1}})
    assert found.ids == ["q1", "q2"] and found.retrieved.tolist() == [3, 1] and found.judged_query.tolist() == [1]
    assert judge([["a"], ["b"]], [[], ["b"]]).query.tolist() == [1]


@pytest.mark.parametrize(
    ("predictions", "references", "message"),
    [
        ({}, QRELS, "the run is empty"),
        ([], [["a"]], "the run is empty"),
        ({k: [] for k in RUN_COLUMNS}, QRELS, "the run is empty"),
        (RUN, {}, "nothing to score: references has no queries"),
        (RUN, {"q1": {}}, "nothing to score: references has no judgements"),
        (RUN, {k: [] for k in QRELS_COLUMNS}, "nothing to score"),
        (["a", "b"], [["a"], ["b"]], "flat list of strings .*give one ranked list"),
        ("a b", [["a"]], "predictions must be a column"),
        ({"q1": "a"}, QRELS, r"predictions\[0\] \(id 'q1'\) must be list or tuple"),
        ([{"a", "b"}], [["a"]], r"predictions\[0\] must be list or tuple, got set"),
        ([["a"], 5], [["a"], []], r"predictions\[1\] must be list or tuple, got int"),
        ({"q": {"a": 1}, "r": ["a"]}, QRELS, r"predictions\[1\] \(id 'r'\) must be dict"),
        ([[("a", 1.0), "b"]], [["a"]], r"predictions\[0\]\[1\] must be a pair"),
        (RUN, {"q1": "a"}, r"references\[0\] \(id 'q1'\) must be list or tuple or set"),
        (RUN, {"q1": {"a": 1}, "q2": ["a"]}, r"references\[1\] \(id 'q2'\) must be dict"),
        (RUN, ["a"], r"references\[0\] must be list or tuple or set"),
        ([["a"]], QRELS, "predictions are a plain list.*references are given by query id"),
        (RUN, [["a"]], "references are a plain list.*predictions are given by query id"),
        (pa.table(RUN_COLUMNS), [["a"]], "references are a plain list"),
        ([["a"], ["b"]], [["a"]], "different lengths: predictions 2, references 1"),
        ([["a", "b", "a"]], [["a"]], "query 0 has the document 'a' twice"),
        (RUN, {"q1": ["a", "b", "a"]}, "query 'q1' judges the document 'a' twice"),
        ([{"id": "q", "documents": ["a"]}] * 2, QRELS, "predictions id 'q' is given twice"),
        (RUN, [{"id": "q1", "documents": ["a"]}] * 2, "references id 'q1' is given twice"),
        ([{"id": "q", "documents": ["a"]}, {"id": "r"}], QRELS, "has no 'documents'"),
        ({"q1": {"a": 1.0}, 7: {"a": 1.0}}, QRELS, "mixed type, the first is str: 'q1' and another is int: 7"),
        ({"q1": {"a": 1.0}, None: {"a": 1.0}}, QRELS, "an id is None"),
    ],
)
def test_refused_forms(predictions, references, message):
    refuse(message, predictions, references, error=(TypeError, ValueError))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"references": QRELS}, "predictions .the run. are not given"),
        ({"predictions": RUN}, "references .the judgements. are not given"),
        ({"predictions": {"query": [], "score": [], "label": []}}, "the run is empty"),
        ({"predictions": [["a"]], "references": [["a"]], "ids": ["q", "r"]}, "different lengths: .*ids 2"),
        ({"predictions": [["a"]] * 2, "references": [["a"]] * 2, "ids": ["q", "q"]}, "ids 'q' is given twice.*row 1"),
        ({"predictions": [["a"]], "references": [["a"]], "ids": [None]}, "ids: an id is None; ids are strings"),
        ({"predictions": RUN, "references": QRELS, "ids": ["q1", "q2"]}, "ids belongs to lists, but .*is a dict"),
        (
            {"predictions": pa.table(RUN_COLUMNS), "references": QRELS, "ids": ["q1"]},
            "ids belongs to lists, but .*table",
        ),
        ({"predictions": [["a"]], "references": [["a"]], "scores": [[1], [2]]}, "lengths: predictions 1, scores 2"),
        ({"predictions": [["a"]], "references": [["a"]], "scores": [[1, 2]]}, r"scores\[0\] has 2 numbers for 1 doc"),
        ({"predictions": [["a"]], "references": [["a"]], "scores": [1.0]}, r"scores\[0\] must be list or tuple"),
        ({"predictions": [{"a": 1}], "references": [["a"]], "scores": [[1]]}, "rows of predictions are dicts; omit"),
        (
            {"predictions": [["a"]], "references": [["a"]], "relevances": [[1, 2]]},
            r"relevances\[0\] has 2 numbers for 1",
        ),
        ({"predictions": [["a"]], "references": [{"a"}], "relevances": [[1]]}, r"references\[0\] is a set"),
        (
            {"predictions": [["a"]], "references": [{"a": 1}], "relevances": [[1]]},
            "rows of references are dicts; omit",
        ),
    ],
)
def test_refused_columns(columns, message):
    with pytest.raises((TypeError, ValueError), match=message):
        rank_judged_documents(columns)


@pytest.mark.parametrize("level", [float("nan"), float("inf"), "1", None, [1], 10**400])
def test_relevance_that_is_not_a_finite_number(level):
    message = "the relevance of document 'b' of query 'q1' "
    for references in ({"q1": {"a": 1, "b": level}}, [{"id": "q1", "documents": ["a", "b"], "relevances": [1, level]}]):
        refuse(message, RUN, references, error=(TypeError, ValueError))
    if isinstance(level, float):
        table = {"query": ["q1", "q1"], "docid": ["a", "b"], "rel": pa.array([1.0, level])}
        refuse(message, RUN, table)


def test_judgements_of_tables_that_are_refused():
    refuse("query 'q1' judges the document 'a' twice", RUN, {**QRELS_COLUMNS, "docid": ["a", "x", "a", "a"]})
    refuse("references relevance holds string", RUN, {**QRELS_COLUMNS, "rel": ["1", "2", "0", "3"]}, error=TypeError)
    refuse("different lengths: query 4, document 3, relevance 4", RUN, {**QRELS_COLUMNS, "docid": ["a", "x", "c"]})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"docid": ["a", None, "c", "a"]}, r"predictions document\[1\] is None; give every row an id"),
        ({"query": [None, "q1", "q1", "q2"]}, r"predictions query\[0\] is None"),
        (
            {"docid": ["a", 7, "c", "a"]},
            r"predictions\['docid'\] must contain values of one type, got str: 'a' and int: 7",
        ),
        ({"query": [1.0, 1.0, 1.0, 2.0]}, r"predictions query holds double \(the first: float: 1.0\); ids are strings"),
        ({"docid": [0.5, 1.0, 2.0, 3.0]}, r"predictions document holds double \(the first: float: 0.5\)"),
        ({"query": [True, True, True, False]}, "predictions query holds bool"),
        ({"docid": [None] * 4}, r"predictions document\[0\] is None"),
        ({"docid": pa.DictionaryArray.from_arrays([0, 1, 2, 0], ["a", None, "c"])}, r"document\[1\] is None"),
        ({"score": ["1", "2", "3", "4"]}, r"predictions score holds string \(the first: str: '1'\); give numbers"),
        ({"score": [1.0, 2.0]}, "different lengths: query 4, document 4, score 2"),
        ({"score": [0.5, float("nan"), 0.4, 3.0]}, "the score of document 'b' of query 'q1' is float: nan"),
        (
            {"score": pa.array([0.5, None, 0.4, 3.0])},
            "the score of document 'b' of query 'q1' is float: nan; give every",
        ),
        ({"query": pa.array(["q1", None, "q1", "q2"])}, r"predictions query\[1\] is None; give every row an id"),
        ({"docid": ["a", "b", "a", "a"]}, "query 'q1' has the document 'a' twice; give every document once per query"),
        (
            {"query": ["q1", "q2", "q2", "q1"], "docid": ["a", "b", "c", "a"]},  # rows of a query that are apart
            "query 'q1' has the document 'a' twice; give every document once per query",
        ),
        ({"score": np.zeros((4, 1))}, r"predictions\['score'\] must be a column with one item per row, got ndarray"),
    ],
)
def test_tables_that_are_refused(change, message):
    refuse(message, {**RUN_COLUMNS, **change}, QRELS, error=(TypeError, ValueError))


def test_a_table_that_lacks_a_column_lists_what_it_has():
    def table(*names):
        return pa.table(dict(zip(names, (["q"], ["a"], [1.0]), strict=True)))

    lacking = "column for the document \\(did you mean 'docs'\\?\\); it has: query,"
    refuse(lacking, table("query", "docs", "score"), QRELS)
    refuse("for the score; it has: query, docid, points; name one", table("query", "docid", "points"), QRELS)
    refuse("column for the query; it has: name, docid, score", table("name", "docid", "score"), QRELS)
    refuse("references is a table without a column for the relevance", RUN, table("query", "docid", "r"))
    refuse("predictions is a table without a column for the relevance", pa.table(RUN_COLUMNS), None)


def test_documents_named_like_the_keys_of_rows():
    assert judge([{"id": 1.0, "documents": 2.0}], [{"documents": 1, "id": 2}]).rank.tolist() == [1, 2]


def test_rows_that_are_refused():
    for row, key in (({"id": "q1", "docs": ["a"]}, "documents"), ({"documents": ["a"]}, "id")):
        refuse(rf"predictions\[0\] has no '{key}' \(its keys: ", [row], QRELS)
    rows = TABLES["rows"](RUN_COLUMNS)
    assert judge(rows[:1], QRELS).rank.tolist() == [1]
    refuse(r"predictions\[2\] has no 'score'", [*rows[:2], {"query": "q1", "docid": "c"}], QRELS)
    refuse("a list of one dict of columns for predictions 1, given dicts 2", [RUN_COLUMNS, RUN_COLUMNS], QRELS)


@pytest.mark.parametrize("as_table", [True, False])
def test_run_and_judgements_swapped(as_table):
    run = {f"q{query}": {f"d{number}": 9.5 - number / 7 for number in range(20)} for query in range(3)}
    judgements = {query: {"d3": 1, "d5": 2} for query in run}
    assert judge(run, judgements).rank.tolist() == [4, 6] * 3
    queries = [query for query in judgements for _ in range(2)]
    swapped = {"query": queries, "docid": ["d3", "d5"] * 3, "score": [1, 2] * 3} if as_table else judgements
    advice = "give the run as predictions and the judgements as references .by name: run=..., qrels=...., or, if they "
    refuse(f"predictions look like judgements .*; {advice}are just that, give the run as ranked lists", swapped, run)


def test_graded_judgements_and_whole_scores_are_not_mistaken_for_swapped():
    run = {"q": {"a": 2, "b": 1}}
    assert judge(run, {"q": {"a": 0.5, "b": 0.25, "c": 0.75}}).rank.tolist() == [1, 2]  # few levels
    many = {f"d{number}": number / 8 + 0.01 for number in range(9)}
    assert judge({"q": {document: place for place, document in enumerate(many)}}, {"q": many}).rank.tolist()[-1] == 9
    assert judge({"q": ["d1", "d0"]}, {"q": many}).rank.tolist() == [1, 2]  # no scores


def test_grades_of_a_model_beside_mean_grades_of_annotators_are_not_mistaken_for_swapped():
    """Ten graded documents per query are the run, fifteen with fractions the judgements."""
    run = {f"q{query}": {f"d{number}": (number * 7 + query) % 4 for number in range(10)} for query in range(6)}
    judgements = {query: {f"d{number}": (number * 5 % 12) / 4 + 0.05 for number in range(15)} for query in run}
    assert len(judge(run, judgements).rank) == 60
    judgements = {query: {f"d{number}": number / 4 + 0.05 for number in range(30)} for query in run}
    refuse("or, if they are just that, give the run as ranked lists", run, judgements)
    ranked = {query: sorted(levels, key=levels.get, reverse=True) for query, levels in run.items()}
    assert len(judge(ranked, judgements).rank) == 60


@pytest.mark.parametrize("form", TABLES)
def test_tables_as_rows_to_add(form):
    """Half of a run and the other half together are the run."""
    make = TABLES[form]
    halves = [{name: values[rows] for name, values in RUN_COLUMNS.items()} for rows in (slice(0, 3), slice(3, 4))]
    if form == "Hugging Face":
        halves, make = [[half] for half in halves], lambda half: half
    added = [row for half in halves for row in ranking_rows(make(half), "predictions")]
    assert added == TABLES["rows"](RUN_COLUMNS)
    assert rows_of(judge(added, ranking_rows(TABLES[form](QRELS_COLUMNS), "references"))) == EXPECTED
    assert rows_have_queries({"predictions": added, "references": [{"id": 7, "documents": ["a"]}], "ids": None})
    assert not rows_have_queries({"predictions": added, "references": [{"id": 1.0, "documents": 2.0}]})


def test_rows_to_add_of_a_table_without_queries_or_of_columns_of_other_lengths():
    with pytest.raises(ValueError, match="predictions is a table without a column for the query; it has: name, score"):
        ranking_rows(pa.table({"name": ["q"], "score": [1.0]}), "predictions")
    with pytest.raises(ValueError, match="different lengths: query 2, score 1"):
        ranking_rows({"query": ["q", "q"], "score": [1.0]}, "predictions")
    with pytest.raises(TypeError, match="predictions must be a column"):
        ranking_rows({"q": ["a"]}, "predictions")


def test_what_is_a_table():
    for form in ("arrow", "record batch", "pandas", "data set", "polars"):
        assert is_table(TABLES[form](RUN_COLUMNS)), form
    data = reversed_view(RUN_COLUMNS)
    for other in (
        RUN_COLUMNS,
        [RUN_COLUMNS],
        data["query"],
        pd.Series([1]),
        np.ones((2, 2)),
        pa.array([1]),
        "query",
        3,
    ):
        assert not is_table(other), other
    for form in ("pandas", "polars"):
        with pytest.raises(TypeError, match="predictions is a whole .*: pass one of its columns"):
            to_list(TABLES[form](RUN_COLUMNS), "predictions")


def test_only_real_numbers_are_numbers():
    values = [1, True, 0.5, np.float32(0.25), np.int64(7), Decimal("1.5"), float("inf")]
    assert real_numbers(iter(values)).tolist() == [1, 1, 0.5, 0.25, 7, 1.5, float("inf")]
    assert all(map(is_real, values)) and not len(real_numbers([]))
    for bad in ("1.5", b"1", None, [1], 1j, 10**400):
        assert not is_real(bad)
        with pytest.raises(TypeError):
            real_numbers([1.0, bad])


def test_columns_of_many_bytes_become_large(monkeypatch):
    column = pa.chunked_array([["a", "b"]])
    assert id_column(column, "ids").type == pa.string()
    monkeypatch.setattr(tables, "_MOST_BYTES", 1)
    assert id_column(column, "ids").type == pa.large_string()


def test_decimal_numbers_and_a_check_for_swapped_sides_that_meets_no_numbers():
    decimal = pa.array([0.5, 0.9, 0.4, 3.0]).cast(pa.decimal128(5, 2))
    assert rows_of(judge({**RUN_COLUMNS, "score": decimal}, QRELS)) == EXPECTED
    with pytest.raises(TypeError, match="the score of document 'd' of query 'q' is str: 'high'"):
        judge({"q": {"d": "high"}}, {"q": {f"d{number}": number / 8 + 0.01 for number in range(9)}})
