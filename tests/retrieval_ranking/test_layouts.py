"""Rankings and judgements in every layout: dicts, lists, rows, pairs and tables score like plain ranked lists."""

import random
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qassay
from qassay.retrieval_ranking import ids, long

from .as_tables import as_table

FAST = settings(max_examples=60, deadline=None)
MEASURES = ["relstring", "map", "dcg", "bpref", "rbp_resid", "num_ret", "num_rel", "num_rel_ret", "unjudged@3"]
IDS = "9 10 a b B é e\u0301 \uffee 😀 zz a\x00 12345678 123456789 1234567812345678".split(" ") + [""]
SCORES = st.sampled_from([0.0, -0.0, 1.0, 1.0, 2.5, -1.0, float("inf"), float("-inf"), 1.00000001, 16777217.0])
LEVELS = st.sampled_from([-2, -1, 0, 1, 2, 3, 0.5, True, False])
RUN = {"q1": {"a": 0.5, "b": 0.9, "c": 0.4}, "q2": {"a": 3.0}}
QRELS = {"q1": {"a": 1, "x": 2, "c": 0}, "q2": {"a": 3}}
RUN_COLUMNS = {"query": ["q1", "q1", "q1", "q2"], "docid": ["a", "b", "c", "a"], "score": [0.5, 0.9, 0.4, 3.0]}
QRELS_COLUMNS = {"query": ["q1", "q1", "q1", "q2"], "docid": ["a", "x", "c", "a"], "rel": [1, 2, 0, 3]}


@pytest.fixture(scope="module", autouse=True)
def libraries():
    """Slow imports happen when a test of this file runs, not at collection."""
    global datasets, pd
    import datasets
    import pandas as pd


def judge(run, judgements, **more):
    return qassay.score("retrieval_ranking", run, judgements, measures=MEASURES, **more)


def rows_of(scores):
    """Everything per query but which are tied, as lists without scores never are."""
    return {name: list(column) for name, column in scores.per_example().items() if name != "tied"}


def first(scores):
    return scores.per_example()["relstring"]


@st.composite
def tasks(draw):
    """A run and judgements with ties, missing and unmatched queries, empty rankings and unsorted scores."""
    queries = draw(st.lists(st.sampled_from(["q1", "q2", "é", "7", "07"]), min_size=1, max_size=4, unique=True))
    run = {query: draw(st.dictionaries(st.sampled_from(IDS), SCORES, max_size=12)) for query in queries}
    judgements = {query: draw(st.dictionaries(st.sampled_from(IDS), LEVELS, max_size=8)) for query in queries}
    if draw(st.booleans()):
        run = {query: dict(sorted(ranking.items(), key=lambda item: -item[1])) for query, ranking in run.items()}
    if draw(st.booleans()):
        run["only in the run"] = {"a": 1.0}
    # Mostly whole numbers, so that few judgements of .5 are not refused as the scores of a run in their place.
    return run, {**judgements, "only judged": {f"d{number}": 1 for number in range(40)}}


def in_order(ranking, ties="trec", score_dtype="float64"):
    """The documents of a ranking as they are scored: ties by id, as UTF-8, descending, or in the order given."""
    scores = {document: float(np.dtype(score_dtype).type(score)) for document, score in ranking.items()}
    order = list(scores) if ties == "stable" else sorted(scores, reverse=True)
    return sorted(order, key=lambda document: -scores[document])


def coded(table, chunks=1):
    """A table in several chunks, whose texts have another dictionary in each."""
    size = -(-len(table) // chunks)
    parts = [table.slice(start, size).combine_chunks() for start in range(0, len(table), size)]
    for place in (0, 1):
        name = table.column_names[place]
        parts = [part.set_column(place, name, part[name].dictionary_encode()) for part in parts]
    return pa.concat_tables(parts)


@FAST
@given(tasks(), st.sampled_from(["trec", "stable"]), st.sampled_from(["float64", "float32"]), st.integers(1, 4))
def test_every_form_scores_like_ranked_lists(task, ties, score_dtype, chunks):
    run, judgements = task
    options = {"ties": ties, "score_dtype": score_dtype}
    found = judge(run, judgements, **options)
    lists = {query: in_order(ranking, **options) for query, ranking in run.items()}
    assert rows_of(judge(lists, judgements)) == rows_of(found)
    assert found.subsets["missing"].tolist() == [query not in run for query in judgements]
    assert found.notes["unmatched"] == len(run.keys() - judgements.keys())
    rows = [{"id": q, "documents": list(d), "scores": list(d.values())} for q, d in run.items()]
    pairs = {query: list(ranking.items()) for query, ranking in run.items()}
    for other in (rows, pairs, [{"id": q, "documents": ranking} for q, ranking in run.items()]):
        assert judge(other, judgements, **options) == found
    full = {query: ranking for query, ranking in run.items() if ranking}  # a table has no empty rankings
    if full.keys() & judgements.keys():
        expected = judge(full, judgements, **options)
        for table in (as_table(full), coded(as_table(full), chunks)):
            assert judge(table, judgements, **options) == expected


@FAST
@given(tasks(), st.sampled_from(["trec", "stable"]))
def test_by_position(task, ties):
    run, judgements = task
    expected = judge(run, judgements, ties=ties)
    names, rankings = list(judgements), [run.get(query) for query in judgements]
    levels = [list(judgements[query].values()) for query in names]
    lists = {
        "predictions": [None if ranking is None else list(ranking) for ranking in rankings],
        "scores": [[] if ranking is None else list(ranking.values()) for ranking in rankings],
        "references": [list(judgements[query]) for query in names],
        "relevances": levels,
    }
    dicts = {"predictions": rankings, "references": list(judgements.values())}
    pairs = {**dicts, "predictions": [ranking if ranking is None else list(ranking.items()) for ranking in rankings]}
    for columns in (dicts, pairs, lists):
        found = qassay.score("retrieval_ranking", **columns, ties=ties, measures=MEASURES)
        assert found.ids == range(len(names)) and first(found) == first(expected)
        with_ids = qassay.score("retrieval_ranking", **columns, ties=ties, measures=MEASURES, ids=names)
        assert rows_of(with_ids) == rows_of(expected)


@FAST
@given(tasks(), st.randoms(use_true_random=False))
def test_the_order_of_the_input_does_not_matter(task, shuffler):
    run, judgements = task

    def shuffled(items):
        return dict(shuffler.sample(list(items), len(items)))

    other = shuffled({query: shuffled(ranking.items()) for query, ranking in run.items()}.items())
    assert judge(other, judgements) == judge(run, judgements)
    full = {query: ranking for query, ranking in run.items() if ranking}
    if full.keys() & judgements.keys():
        rows = as_table(full)
        mixed = rows.take(shuffler.sample(range(len(rows)), len(rows)))  # queries come back later
        assert judge(mixed, judgements) == judge(full, judgements)


def test_more_rows_than_one_block():
    draw = random.Random(4)
    run = {
        f"q{query}": {f"d{draw.randrange(10**6)}": draw.randrange(500) for _ in range(size)}
        for query, size in enumerate([66_000, 1, 3000])
    }
    judgements = {q: dict.fromkeys(draw.sample(sorted(found), min(len(found), 40)), 1) for q, found in run.items()}
    found = judge(run, judgements)
    assert rows_of(judge({q: in_order(ranking) for q, ranking in run.items()}, judgements)) == rows_of(found)
    assert judge(as_table(run), judgements) == found


@pytest.mark.parametrize(("relevant", "levels"), [(1, 3), (7, 10**6), (40, 3)])
def test_unsorted_rankings_with_few_and_with_many_judged_documents(relevant, levels):
    """Few are counted, many looked up in the sorted scores: the ranks are the same."""
    draw = random.Random(levels + relevant)
    run = {
        f"q{size}": {f"d{n}": float(draw.randrange(levels)) for n in draw.sample(range(10**6), size)}
        for size in (60, 2500)
    }
    judgements = {query: {d: 1 for d in draw.sample(list(ranking), relevant)} for query, ranking in run.items()}
    lists = {query: in_order(ranking) for query, ranking in run.items()}
    expected = rows_of(judge(lists, judgements))
    for form in (run, as_table(run)):
        assert rows_of(judge(form, judgements)) == expected


# --- tables of libraries ----------------------------------------------------------------------------------------------


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


VIEW = getattr(pa, "string_view", pa.large_string)()  # since pyarrow 16
TABLES = {
    "arrow": pa.table,
    "record batch": lambda columns: pa.table(columns).to_batches()[0],
    "short floats and views": lambda columns: pa.table(
        {name: pa.array(columns[name], VIEW) for name in ("query", "docid")}
        | {name: pa.array(np.array(columns[name], np.float32)) for name in columns if name in ("score", "rel")}
    ),
    "decimals": lambda columns: pa.table(
        {name: pa.array(map(Decimal, map(str, v))) if name in ("score", "rel") else v for name, v in columns.items()}
    ),
    "pandas": lambda columns: pd.DataFrame(columns, index=range(10, 14)),
    "pandas categories": lambda columns: pd.DataFrame(columns).astype({"query": object, "docid": "category"}),
    "pandas over arrow": lambda columns: pd.DataFrame(columns).convert_dtypes(dtype_backend="pyarrow"),
    "data set": reversed_view,
    "dict of lists": dict,
    "dict of arrays": lambda columns: {name: np.array(values) for name, values in columns.items()},
    "Hugging Face": lambda columns: [{**columns, "q0": ["q0"] * 4, "rank": [0, 1, 2, 0], "system": ["s"] * 4}],
    "rows": lambda columns: [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)],
    "polars": PolarsLike,
}


@pytest.mark.parametrize("form", TABLES)
def test_tables_of_any_library(form):
    make, expected = TABLES[form], judge(RUN, QRELS)
    exact = form != "short floats and views"
    for run, qrels in (
        (make(RUN_COLUMNS), make(QRELS_COLUMNS)),
        (make(RUN_COLUMNS), QRELS),
        (RUN, make(QRELS_COLUMNS)),
    ):
        found = judge(run, qrels)
        assert found == expected if exact else found.summary() == expected.summary()


def test_usual_names_and_which_of_two_columns_counts():
    """Ids go before texts, a relevance before a score of judgements, a score before a relevance of runs."""
    expected = judge(RUN, QRELS)
    for run, gold in (
        (("query-id", "corpus-id", "score"), ("query-id", "corpus-id", "score")),
        ((" q-id ", "DocNo", "Similarity"), (" q-id ", "DocNo", "Labels")),
    ):
        named = dict(zip(run, RUN_COLUMNS.values(), strict=True)), dict(zip(gold, QRELS_COLUMNS.values(), strict=True))
        assert judge(*map(pa.table, named)) == expected
    texts = pa.table({**RUN_COLUMNS, "qid": RUN_COLUMNS["query"], "query": ["the same text"] * 4})
    assert judge(texts, QRELS) == expected
    assert judge(RUN, {**QRELS_COLUMNS, "score": [9.5, 9.5, 9.5, 9.5], "sim": [0.5] * 4}) == expected
    assert judge({**RUN_COLUMNS, "rel": [7] * 4, "label": [7] * 4}, QRELS) == expected


def test_a_dict_of_many_queries_is_not_a_table_and_documents_may_be_named_like_keys():
    names = ["query", "docid", "score", *map(str, range(1000))]
    found = judge({name: ["a"] for name in names}, {name: ["a"] for name in names})
    assert len(found) == 1003 and found["map"] == 1
    assert first(judge([{"id": 1.0, "documents": 2.0}], [{"documents": 1, "id": 2}])) == [["1", "2"]]


def test_judgements_as_dicts_rows_and_rows_that_come_back():
    expected = judge(RUN, QRELS)
    assert judge(RUN, [{"id": query, "documents": levels} for query, levels in QRELS.items()]) == expected
    rows = [{"id": q, "documents": list(d), "relevances": list(d.values())} for q, d in QRELS.items()]
    assert judge(RUN, rows) == expected
    assert judge(RUN, {query: list(levels.items()) for query, levels in QRELS.items()}) == expected
    mixed = {name: [values[row] for row in (0, 3, 1, 2)] for name, values in QRELS_COLUMNS.items()}
    assert judge(RUN, mixed) == expected


def test_rows_that_are_sets_and_arrays():
    expected = judge(RUN, {"q1": {"a": 1}, "q2": {"a": 1}})
    for kind in (set, tuple, np.array):
        assert judge(RUN, {"q1": kind(["a"]), "q2": kind(["a"])}) == expected
    assert judge(np.array([["a", "b"], ["c", "d"]]), (("b",), {"x"})) == judge([["a", "b"], ["c", "d"]], [["b"], ["x"]])
    assert first(judge([np.array(["a", "b"])], [{"b"}], scores=np.array([[0.5, 0.9]]))) == [["1", "-"]]


def test_rows_that_judge_themselves():
    columns = {"question": ["q", "r", "q", "q"], "score": [0.1, 0.5, 0.9, 0.1], "label": [1, 0, 0, 1]}
    for table in (columns, pa.table(columns), pd.DataFrame(columns), [columns]):
        found = judge(table, None)
        assert found.ids == ["q", "r"] and first(found) == [["0", "1", "1"], ["0"]]
        assert found.subsets["tied"].tolist() == [True, False]
    # Ties go by document id if there is one, else by position, both descending.
    assert first(judge({**columns, "label": [2, 0, 0, 1]}, None, ties="stable"))[0] == ["0", "2", "1"]
    named = {**columns, "label": [2, 0, 0, 1], "docid": ["z", "a", "b", "a"]}
    assert first(judge(named, None))[0] == ["0", "2", "1"]


def test_unmatched_queries_are_omitted_unread():
    run = {"q": {"a": 1.0, "b": 2.0}, "other": {"a": float("nan")}}
    for form in (run, as_table(run)):
        found = judge(form, {"q": {"a": 1}, "gone": {"a": 1}})
        assert (found.notes["unmatched"], found.summary()["missing"]) == (1, 1) and found["map"] == 0.25


# --- documents by two names, ranks, distances ------------------------------------------------------------------------

PYTERRIER = {
    "qid": ["1", "1", "2"], "docid": [374, 337, 9], "docno": ["A", "B", "C"], "rank": [0, 1, 0], "score": [11.1, 10.2, 7.0],
}  # fmt: skip
FORMS = {name: TABLES[name] for name in ("arrow", "dict of lists", "rows", "polars")}
FORMS["pandas"] = lambda columns: pd.DataFrame(columns)
JUDGED = {"1": {"B": 1}, "2": {"C": 1}}


def without(*names, **more):
    return {name: column for name, column in {**PYTERRIER, **more}.items() if name not in names}


def scored(run, judgements, **options):
    return qassay.score("retrieval_ranking", run, judgements, measures=["mrr"], **options)["mrr"]


@pytest.mark.parametrize("form", FORMS)
def test_docno_is_the_document(form):
    """A data frame of PyTerrier has its own number of a document beside the id of the judgements."""
    make = FORMS[form]
    for judgements in (JUDGED, make({"qid": ["1", "2"], "docno": ["B", "C"], "label": [1, 1]})):
        assert scored(make(PYTERRIER), judgements) == 0.75


@pytest.mark.parametrize("form", FORMS)
def test_ranks_without_scores_and_distances(form):
    make = FORMS[form]
    assert scored(make(without("score")), JUDGED) == 0.75
    assert scored(make(without("score", rank=[1.0, 2.0, 1.0])), JUDGED) == 0.75
    with pytest.raises(ValueError, match=r"\['rank'\]\[1\] is 0.2; ranks are whole numbers"):
        scored(make(without("score", rank=[1.0, 0.2, 1.0])), JUDGED)
    distances = make(without("score", "rank", distance=[0.1, 0.2, 0.1]))
    with pytest.raises(ValueError, match="column distance has distances, .*lower_is_better=True"):
        scored(distances, JUDGED)
    assert scored(distances, JUDGED, lower_is_better=True) == 0.75


def test_the_lowest_score_is_best_where_that_is_said():
    for run in ({"1": {"A": 1, "B": 2.5}, "2": {"C": True}}, {"1": [("B", 2.5), ("A", 1)], "2": [("C", 0)]}):
        assert scored(run, JUDGED, lower_is_better=True) == 0.75
    assert qassay.scorer("retrieval_ranking", measures=["mrr"], lower_is_better=True)({"A": 1, "B": 2}, {"B": 1}) == {
        "mrr": 0.5
    }
    with pytest.raises(TypeError, match="'B' of query '1' is str"):
        scored({"1": {"A": 1, "B": "2"}, "2": {"C": 1}}, JUDGED, lower_is_better=True)
    with pytest.raises(ValueError, match="lists without scores.* omit it"):
        scored({"1": ["A"], "2": ["C"]}, JUDGED, lower_is_better=True)


@pytest.mark.parametrize("form", FORMS)
def test_scores_that_contradict_their_ranks(form, recwarn):
    make = FORMS[form]
    message = "query '1' has 'A' at rank 1, but 'B' at rank 2 has the better score .so in 1 of 2 queries"
    with pytest.warns(UserWarning, match=message):
        assert scored(make({**PYTERRIER, "rank": [1, 2, 1], "score": [1, 2, 1]}), JUDGED) == 1
    last = make({"qid": ["1"] * 3, "docid": ["A", "C", "B"], "rank": [1, 5, 2], "score": [3, 1, 4]})
    with pytest.warns(UserWarning, match="'A' at rank 1, but 'B' at rank 2"):
        scored(last, {"1": ["A"]})
    recwarn.clear()
    assert scored(make({**PYTERRIER, "score": [1, 2, 1]}), JUDGED, lower_is_better=True) == 0.75
    for ranks, scores in (
        ([0, 1, 0], [1.0, 1.0, 7.0]),
        ([0, 0, 0], [1.0, 2.0, 1.0]),
        (["-", "-", "-"], [1.0, 2.0, 1.0]),
    ):
        scored(make({**PYTERRIER, "rank": ranks, "score": scores}), JUDGED)
    assert not recwarn.list


def test_no_retrieved_document_is_judged(recwarn):
    for run, judgements, retrieved, judged in (
        ({"1": {"77": 9.0, "78": 8.0}, "2": {"5": 3.0}}, {"1": {"M_77": 1}, "2": {"M_5": 0}}, "77", "M_77"),
        ({"1": ["ft9"], "2": ["la0"]}, {"1": ["FT9"], "2": ["LA0"]}, "ft9", "FT9"),
        (pa.table({"qid": [1], "docid": [7], "score": [1.0]}), {"1": {"d7": 1}}, "7", "d7"),
        ({"qid": [1, 2], "docid": ["x9", "99"], "score": [1.0, 1.0]}, {"1": {"77": 1}}, "x9", "77"),
        ({str(n): ["a"] for n in range(20)}, {str(n): ["c"] for n in range(20)}, "a", "c"),
    ):
        with pytest.warns(
            UserWarning, match=f"no document .* is judged .* ids like '{retrieved}', the judgements like '{judged}'"
        ):
            assert scored(run, judgements) == 0
    recwarn.clear()
    # A few poor rankings, a judged document that is not relevant, and nothing retrieved are no reason to look at the ids.
    for run, judgements in (
        ({"1": ["911"], "2": ["x"]}, {"1": ["7"], "2": ["y1"]}),
        (["a", "b"], ["a", "c"]),
        ([], ["a"]),
    ):
        graded = {"a": 0, "c": 1} if len(judgements) > 1 else judgements
        scored({"1": run} if isinstance(run, list) else run, {"1": graded} if isinstance(run, list) else judgements)
    assert not recwarn.list


# --- ids --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("numbers", [True, False])
def test_integers_are_their_digits(numbers):
    kind = int if numbers else str
    run = {kind(7): {kind(9): 1.0, kind(10): 1.0, kind(-3): 0.5}}
    judgements = {"7": {"9": 1, "10": 2, "-3": 3, "09": 4, "x": 5}}
    table = as_table(run, query=pa.int32(), document=pa.int64()) if numbers else as_table(run)
    for form in (run, {query: list(ranking.items()) for query, ranking in run.items()}, table):
        assert first(judge(form, judgements)) == [["1", "2", "3"]]  # "9" goes before "10"
        whole = judge(form, {7: {9: 1, 10: 2, -3: 3}})
        assert first(whole) == [["1", "2", "3"]] and whole.ids == [7]


def test_queries_with_integers_and_queries_with_texts():
    run = {"q": {"a": 1.0}, "r": {7: 1.0, 8: 2.0}}
    assert first(judge(run, {"q": {"a": 1}, "r": {"7": 2}})) == [["1"], ["-", "2"]]


def test_query_ids_stay_as_given():
    assert judge({"7": {"a": 1.0}}, {7: ["a"]}).ids == [7]
    for values in ([8, 7], ["8", "7"]):
        keys = pa.array(values).dictionary_encode()
        judgements = pa.table({"qid": keys, "doc": ["a", "a"], "rel": [1, 1]})
        assert judge({7: {"a": 1.0}}, judgements).ids == values
        assert judge(pa.table({"qid": keys, "doc": ["a", "a"], "score": [1, 1]}), {7: ["a"]})["map"] == 1


def test_ids_of_numpy_and_an_unsigned_column():
    run = {np.int64(7): {np.int64(9): np.float32(1.5), np.int64(8): 2}}
    assert first(judge(run, {"7": {"9": np.float32(1)}})) == [["-", "1"]]
    assert first(judge({np.str_("q"): {np.str_("a"): 1.0}}, {"q": {"a": np.True_}})) == [["1"]]
    largest = 2**64 - 1
    rows = {"query": ["q", "q"], "docid": np.array([largest, 1], np.uint64), "score": [1.0, 2.0]}
    assert first(judge(rows, {"q": {str(largest): 1}})) == [["-", "1"]]


def test_documents_that_are_their_query_are_omitted():
    run = {"a": {"a": 9.0, "b": 1.0}, "b": {"a": 2.0, "c": 2.0}, "c": {"c": 1.0}}
    judgements = {"a": {"a": 1, "b": 1}, "b": {"a": 2, "b": 1}, "c": {"c": 1}}
    for form in (run, as_table(run), {query: in_order(documents) for query, documents in run.items()}):
        found = judge(form, judgements, drop_identical_ids=True)
        assert first(found) == [["1"], ["-", "2"], []] and found.columns["num_ret"].tolist() == [1, 2, 0]
        assert not found.subsets["missing"].any()
    assert first(judge({7: {7: 2.0, 8: 1.0}}, {"7": {8: 1}}, drop_identical_ids=True)) == [["1"]]
    assert first(judge([["q", "d1"]], [["d1"]], ids=["q"], drop_identical_ids=True)) == [["1"]]
    with pytest.raises(ValueError, match="drop_identical_ids.* ids"):  # a position is not an id
        judge([["0", "d1"]], [["d1"]], drop_identical_ids=True)


@pytest.mark.parametrize("bits", [0, 1, 4])
def test_equal_fingerprints_of_other_ids_change_nothing(monkeypatch, bits):
    draw = random.Random(bits)
    names = [f"d{number}" for number in range(60)]
    run = {f"q{q}": {d: draw.randrange(9) for d in draw.sample(names, 30)} for q in range(8)}
    judgements = {query: {d: 1 for d in draw.sample(names, 20)} for query in run}
    expected = judge(run, judgements)
    strong = ids.fingerprints
    monkeypatch.setattr(ids, "fingerprints", lambda column: strong(column) & np.uint64((1 << bits) - 1))
    assert judge(as_table(run), judgements) == expected
    twice = next(iter(run["q7"]))
    for more in ({twice: 1.0}, {twice: 1.0, "new": 1.0}):
        with pytest.raises(ValueError, match=f"'q7' .*'{twice}' twice"):
            judge(pa.concat_tables([as_table(run), as_table({"q7": more})]), judgements)


def test_columns_of_many_bytes(monkeypatch):
    """Beyond 2 GB, text needs wider offsets."""
    expected = judge(RUN, QRELS)
    monkeypatch.setattr(long, "_MOST_BYTES", 1)
    assert judge(pa.table(RUN_COLUMNS), pa.table(QRELS_COLUMNS)) == expected


def test_long_ids_that_differ_in_one_character():
    """In a part of the ids that is neither their beginning nor their end."""
    names = [f"{'x' * 250}{letter}{'y' * 250}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    run = {"q": {name: float(place % 5) for place, name in enumerate(names)}, "r": {names[3]: 1.0}}
    judgements = {
        "q": {name: place % 7 for place, name in enumerate(names) if place % 3},
        "r": {names[4]: 1, names[3]: 2},
    }
    found = judge(run, judgements)
    assert rows_of(judge({q: in_order(ranking) for q, ranking in run.items()}, judgements)) == rows_of(found)
    for table in (as_table(run), as_table(run, document=pa.large_string()), coded(as_table(run))):
        assert judge(table, judgements) == found


def test_lone_surrogates():
    judgements = {"q": {"\ud800": 1, "?": 2, "a": 3}}
    assert first(judge({"q": {"\ud800": 1.0, "?": 1.0}}, judgements)) == [["1", "2"]]
    rows = {"query": ["q", "q"], "docid": ["?", "b"], "score": [1.0, 2.0]}
    assert first(judge(rows, judgements)) == [["-", "2"]]
    with pytest.raises(ValueError, match=r"predictions\['docid'\]\[0\]"):
        judge({**rows, "docid": ["\ud800", "b"]}, judgements)


# --- a run and judgements in each other's place -----------------------------------------------------------------------


@pytest.mark.parametrize("as_columns", [True, False])
def test_run_and_judgements_swapped(as_columns):
    run = {f"q{query}": {f"d{number}": 9.5 - number / 7 for number in range(20)} for query in range(3)}
    judgements = {query: {"d3": 1, "d5": 2} for query in run}
    assert judge(run, judgements).columns["num_rel_ret"].tolist() == [2] * 3
    queries = [query for query in judgements for _ in range(2)]
    swapped = {"query": queries, "docid": ["d3", "d5"] * 3, "score": [1, 2] * 3} if as_columns else judgements
    with pytest.raises(ValueError, match="references look like a run .*run="):
        judge(swapped, run)
    named = qassay.score("retrieval_ranking", run=swapped, qrels=run, measures=["num_rel_ret"])
    assert named.columns["num_rel_ret"].tolist() == [2] * 3
    rounded = {query: {f"d{number}": round(number * 0.37 % 1, 1) for number in range(30)} for query in run}
    with pytest.raises(ValueError, match="references look like a run"):
        judge(swapped, rounded)


def test_what_is_not_mistaken_for_swapped():
    run = {f"q{query}": {f"d{number}": (number * 7 + query) % 4 for number in range(10)} for query in range(6)}
    repeated = {query: {f"d{number}": (number * 5 % 12) / 4 + 0.05 for number in range(15)} for query in run}
    distinct = {query: {f"d{number}": number / 4 + 0.05 for number in range(30)} for query in run}
    for found, judgements in (
        ({"q": {"a": 2, "b": 1}}, {"q": {"a": 2.5, "b": 0.25, "c": 0.75}}),  # ranks as scores
        ({"q": {"a": 2, "b": 2}}, {"q": {"a": 100, "b": 100, "c": 50}}),  # percentages
        (run, repeated),
        ({"q": {}}, {"q": {"a": 0.5, "b": 1}}),  # an empty ranking
        ({query: list(levels) for query, levels in run.items()}, distinct),  # lists are always runs
    ):
        assert len(judge(found, judgements)) == len(found)
    with pytest.raises(ValueError, match="references look like a run"):
        judge(run, distinct)
