"""Ranks of judged documents: every form of input against the plain definition, and refused input."""

import random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay.retrieval_ranking import id_matching
from qassay.retrieval_ranking import query_ids as ids
from qassay.retrieval_ranking.judgements import JudgedDocuments, rank_judged_documents

FAST = settings(max_examples=50, deadline=None)
TIES = ("trec", "stable", "any")
IDS = [
    "9",
    "10",
    "a",
    "b",
    "B",
    "é",
    "e\u0301",
    "\uffee",
    "😀",
    "zz",
    "a\x00",
    "",
    "12345678",
    "123456789",
    "1234567812345678",
]
SCORES = st.sampled_from([0.0, -0.0, 1.0, 1.0, 2.5, -1.0, float("inf"), float("-inf"), 1.00000001, 16777217.0])
LEVELS = st.sampled_from([-2, -1, 0, 1, 2, 3, 0.5, True])
RANKINGS = st.dictionaries(st.sampled_from(IDS), SCORES, max_size=12)


@st.composite
def tasks(draw):
    """A run and judgements with ties, missing and unmatched queries, empty rankings and unsorted scores."""
    queries = draw(st.lists(st.sampled_from(["q1", "q2", "é", "7", "07"]), min_size=1, max_size=4, unique=True))
    run = {query: draw(RANKINGS) for query in queries}
    judgements = {query: draw(st.dictionaries(st.sampled_from(IDS), LEVELS, max_size=8)) for query in queries}
    if draw(st.booleans()):
        run = {query: dict(sorted(ranking.items(), key=lambda item: -item[1])) for query, ranking in run.items()}
    if draw(st.booleans()):
        run["only in the run"] = {"a": 1.0}
    judgements["only judged"] = {"a": 1}
    return run, judgements


def plain(run, judgements, ties="trec", score_dtype="float64", relevant_from=None):
    """(query, rank, relevance, greater, equal) of every hit, by sorting each ranking."""
    rows = []
    for number, (query, levels) in enumerate(judgements.items()):
        scores = {d: float(np.float32(s)) if score_dtype == "float32" else s for d, s in run.get(query, {}).items()}
        order = list(scores) if ties == "stable" else sorted(scores, reverse=True)
        order.sort(key=lambda document: -scores[document])
        found = []
        for document, level in levels.items():
            if document in scores and (relevant_from is None or level >= relevant_from):
                greater = sum(score > scores[document] for score in scores.values())
                equal = sum(score == scores[document] for score in scores.values())
                rank = greater + 1 if ties == "any" else order.index(document) + 1
                found.append((number, rank, float(level), greater, equal))
        rows += sorted(found)
    return rows


def hits(found):
    rows = list(
        zip(
            *(getattr(found, name).tolist() for name in ("query", "rank", "relevance", "greater", "equal")), strict=True
        )
    )
    assert [row[:2] for row in rows] == sorted(row[:2] for row in rows)
    return sorted(rows)


def table(run, query=None, document=None):
    """A run as an Arrow table."""
    return pa.table(
        {
            "query_id": pa.array([q for q, ranking in run.items() for _ in ranking], query or pa.string()),
            "docid": pa.array([d for ranking in run.values() for d in ranking], document or pa.string()),
            "score": pa.array([s for ranking in run.values() for s in ranking.values()], pa.float64()),
        }
    )


def judge(run, judgements, **options):
    return rank_judged_documents({"predictions": run, "references": judgements}, **options)


def assert_same(one, other):
    assert list(one.ids) == list(other.ids)
    for name in ("missing", "retrieved", "judged_query", "judged_relevance"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert hits(one) == hits(other)
    assert one.unmatched == other.unmatched


@FAST
@given(tasks(), st.sampled_from(TIES), st.sampled_from(["float64", "float32"]), st.sampled_from([None, 1]))
def test_every_form_gives_the_plain_definition(task, ties, score_dtype, relevant_from):
    run, judgements = task
    options = {"ties": ties, "score_dtype": score_dtype, "relevant_from": relevant_from}
    found = judge(run, judgements, **options)
    assert hits(found) == sorted(plain(run, judgements, **options))
    assert found.missing.tolist() == [query not in run for query in judgements]
    assert found.retrieved.tolist() == [len(run.get(query, ())) for query in judgements]
    assert found.unmatched == len(run.keys() - judgements.keys())
    lists = {query: list(ranking) for query, ranking in run.items()}
    rows = [{"id": q, "documents": d, "scores": list(run[q].values())} for q, d in lists.items()]
    pairs = {query: list(ranking.items()) for query, ranking in run.items()}
    for other in (rows, pairs, [{"id": q, "documents": ranking} for q, ranking in run.items()]):
        assert_same(judge(other, judgements, **options), found)
    full = {query: ranking for query, ranking in run.items() if ranking}  # a table has no empty rankings
    if full.keys() & judgements.keys():
        assert_same(judge(table(full), judgements, **options), judge(full, judgements, **options))


@FAST
@given(tasks(), st.sampled_from(TIES))
def test_by_position(task, ties):
    run, judgements = task
    names = list(judgements)
    expected = judge(run, judgements, ties=ties)
    rankings = [run.get(query) for query in names]
    lists = [None if ranking is None else list(ranking) for ranking in rankings]
    scores = [[] if ranking is None else list(ranking.values()) for ranking in rankings]
    relevant = [list(judgements[query]) for query in names]
    levels = [list(judgements[query].values()) for query in names]
    for columns in (
        {"predictions": rankings, "references": [judgements[query] for query in names]},
        {"predictions": lists, "scores": scores, "references": relevant, "relevances": levels},
    ):
        found = rank_judged_documents(columns, ties=ties)
        assert found.ids == range(len(names)) and not found.unmatched
        assert hits(found) == hits(expected)
        assert found.missing.tolist() == expected.missing.tolist()
        assert list(rank_judged_documents({**columns, "ids": names}, ties=ties).ids) == names


@FAST
@given(tasks(), st.sampled_from(TIES))
def test_lists_without_scores_rank_by_position(task, ties):
    run, judgements = task
    expected = judge({q: {d: -place for place, d in enumerate(r)} for q, r in run.items()}, judgements)
    assert_same(judge({query: list(ranking) for query, ranking in run.items()}, judgements, ties=ties), expected)


@FAST
@given(tasks(), st.sampled_from(["trec", "any"]), st.randoms(use_true_random=False))
def test_the_order_of_the_input_does_not_matter(task, ties, shuffler):
    run, judgements = task
    found = judge(run, judgements, ties=ties)

    def shuffled(items):
        return dict(shuffler.sample(list(items), len(items)))

    other = shuffled({query: shuffled(ranking.items()) for query, ranking in run.items()}.items())
    assert_same(judge(other, judgements, ties=ties), found)
    full = {query: ranking for query, ranking in run.items() if ranking}
    if full.keys() & judgements.keys():
        rows = table(full)
        mixed = rows.take(shuffler.sample(range(len(rows)), len(rows)))  # queries come back later
        assert_same(judge(mixed, judgements, ties=ties), judge(full, judgements, ties=ties))


@pytest.mark.parametrize("relevant", [1, 30])
def test_long_lists_without_scores(relevant):
    documents = [f"d{number}" for number in range(100)]
    found = judge({"q": documents}, {"q": documents[10 : 10 + relevant]})
    assert found.rank.tolist() == list(range(11, 11 + relevant))


def test_more_rows_than_one_block():
    random_number = random.Random(4)
    run = {
        f"q{query}": {f"d{random_number.randrange(10**6)}": random_number.randrange(500) for _ in range(size)}
        for query, size in enumerate([70_000, 1, 3000, 65_536, 40_000])
    }
    judgements = {
        query: {d: 1 for d in random_number.sample(sorted(ranking), min(len(ranking), 40))}
        for query, ranking in run.items()
    }
    found = judge(run, judgements)
    for number, (query, ranking) in enumerate(run.items()):
        order = sorted(ranking, key=lambda document: (ranking[document], document), reverse=True)
        place = {document: rank for rank, document in enumerate(order, 1)}
        assert found.rank[found.query == number].tolist() == sorted(place[document] for document in judgements[query])
    assert_same(judge(table(run), judgements), found)


VIEW = [pa.string_view()] if hasattr(pa, "string_view") else []  # since pyarrow 16


@pytest.mark.parametrize(
    "kind",
    [pa.large_string(), pa.dictionary(pa.int32(), pa.string()), pa.dictionary(pa.int8(), pa.large_string()), *VIEW],
)
@pytest.mark.parametrize("chunks", [1, 4])
def test_types_of_arrow_columns(kind, chunks):
    run = {"q1": {"a": 1.0, "é": 2.0, "c" * 20: 2.0}, "q2": {"a": 3.0, "b": 4.0}, "q3": {"b": 1.0}}
    judgements = {"q2": {"a": 1}, "q1": {"é": 1, "c" * 20: 2, "x": 1}, "q3": {}}
    rows = table(run)
    rows = pa.table(
        {
            "query": pa.chunked_array([cast(part, kind) for part in pieces(rows["query_id"], chunks)]),
            "doc_id": pa.chunked_array([cast(part, kind) for part in pieces(rows["docid"], chunks)]),
            "score": rows["score"].cast(pa.float32()),
        }
    )
    assert_same(judge(rows, judgements), judge(run, judgements))
    assert_same(judge(rows.slice(0, 3), judgements), judge({"q1": run["q1"]}, judgements))


def cast(array, kind):
    """An array of texts as one of another type; pyarrow 14 casts none to a dictionary."""
    if not pa.types.is_dictionary(kind):
        return array.cast(kind)
    encoded = array.dictionary_encode()
    return pa.DictionaryArray.from_arrays(
        encoded.indices.cast(kind.index_type), encoded.dictionary.cast(kind.value_type)
    )


def pieces(column, chunks):
    array, size = column.combine_chunks(), -(-len(column) // chunks)
    return [array.slice(start, size) for start in range(0, len(array), size)]


@pytest.mark.parametrize("form", ["dict", "lists", "table"])
@pytest.mark.parametrize("numbers", [True, False])
def test_integers_are_their_digits(form, numbers):
    kind = int if numbers else str
    run = {kind(7): {kind(9): 1.0, kind(10): 1.0, kind(-3): 0.5}}
    judgements = {"7": {"9": 1, "10": 2, "-3": 3, "09": 4, "x": 5}}
    run_of = {
        "dict": lambda: run,
        "lists": lambda: {query: list(ranking.items()) for query, ranking in run.items()},
        "table": lambda: table(run, pa.int32() if numbers else None, pa.int64() if numbers else None),
    }[form]()
    found = judge(run_of, judgements)
    assert found.relevance.tolist() == [1, 2, 3] and found.rank.tolist() == [1, 2, 3]  # "9" goes before "10"
    whole = {7: {9: 1, 10: 2, -3: 3}}
    assert judge(run_of, whole).relevance.tolist() == [1, 2, 3] and judge(run_of, whole).ids == [7]


def test_ids_of_numpy_and_an_unsigned_column():
    run = {np.int64(7): {np.int64(9): np.float32(1.5), np.int64(8): 2}}
    assert judge(run, {"7": {"9": np.float32(0.5)}}).rank.tolist() == [2]
    assert judge({np.str_("q"): {np.str_("a"): 1.0}}, {"q": {"a": np.True_}}).relevance.tolist() == [1.0]
    largest = 2**64 - 1
    rows = {"query": ["q", "q"], "docid": np.array([largest, 1], np.uint64), "score": [1.0, 2.0]}
    assert judge(rows, {"q": {str(largest): 1}}).rank.tolist() == [2]


@pytest.mark.parametrize("form", ["dict", "table", "lists"])
def test_documents_that_are_their_query_are_omitted(form):
    run = {"a": {"a": 9.0, "b": 1.0}, "b": {"a": 2.0, "c": 2.0}, "c": {"c": 1.0}}
    judgements = {"a": {"a": 1, "b": 1}, "b": {"a": 1, "b": 1}, "c": {"c": 1}}
    given_run = {"dict": run, "table": table(run), "lists": {query: list(docs) for query, docs in run.items()}}[form]
    found = judge(given_run, judgements, drop_identical_ids=True)
    assert found.retrieved.tolist() == [1, 2, 0] and not found.missing.any()
    assert found.query.tolist() == [0, 1] and found.relevance.tolist() == [1.0, 1.0]
    assert found.rank.tolist() == [1, 1 if form == "lists" else 2] and len(found.judged_query) == 5


def test_drop_identical_ids_with_integers_and_positions():
    assert judge({7: {7: 2.0, 8: 1.0}}, {"7": {8: 1}}, drop_identical_ids=True).rank.tolist() == [1]
    columns = {"predictions": [["0", "1"]], "references": [["1"]]}
    assert rank_judged_documents(columns, drop_identical_ids=True).rank.tolist() == [2]  # a position is not an id
    assert rank_judged_documents({**columns, "ids": ["0"]}, drop_identical_ids=True).rank.tolist() == [1]


def test_a_table_without_remaining_rows():
    found = judge(table({"q": {"q": 1.0}}), {"q": {"q": 1}}, drop_identical_ids=True)
    assert found.retrieved.tolist() == [0] and not len(found.rank) and not found.missing.any()


def test_unmatched_queries_are_omitted_unread():
    run = {"q": {"a": 1.0, "b": 2.0}, "other": {"a": float("nan")}}
    for form in (run, table(run)):
        found = judge(form, {"q": {"a": 1}, "gone": {"a": 1}})
        assert (found.unmatched, found.rank.tolist(), found.missing.tolist()) == (1, [2], [False, True])


@pytest.mark.parametrize("bits", [0, 1, 4])
def test_equal_fingerprints_of_other_ids_change_nothing(monkeypatch, bits):
    random_number = random.Random(bits)
    names = [f"d{number}" for number in range(60)]
    run = {f"q{q}": {d: random_number.randrange(9) for d in random_number.sample(names, 30)} for q in range(8)}
    judgements = {query: {d: 1 for d in random_number.sample(names, 20)} for query in run}
    expected = judge(run, judgements)
    strong = id_matching.fingerprints
    monkeypatch.setattr(id_matching, "fingerprints", lambda column: strong(column) & np.uint64((1 << bits) - 1))
    assert_same(judge(table(run), judgements), expected)
    first = next(iter(run["q7"]))
    for more in ({first: 1.0}, {first: 1.0, "new": 1.0}):
        with pytest.raises(ValueError, match=rf"query 'q7' has the document '{first}' twice"):
            judge(pa.concat_tables([table(run), table({"q7": more})]), judgements)


@pytest.mark.parametrize("score", [float("nan"), None, "1.5", "x", [1], 10**400])
def test_scores_that_are_not_numbers(score):
    run = {"q0": {"a": 1.0}, "q1": {"a": 1.0, "b": score}}
    lists = {query: list(ranking.items()) for query, ranking in run.items()}
    for form in (run, lists):
        with pytest.raises((TypeError, ValueError), match=r"the score of document 'b' of query 'q1' is .*give every"):
            judge(form, {"q0": {"a": 1}, "q1": {"a": 1}})


@pytest.mark.parametrize("gap", [float("nan"), None])
def test_scores_of_tables_that_are_not_numbers(gap):
    rows = {"query": ["q0", "q1", "q1"], "docid": ["a", "a", "b"], "score": pa.array([1.0, 2.0, gap])}
    with pytest.raises(ValueError, match="the score of document 'b' of query 'q1' is float: nan"):
        judge(rows, {"q0": {"a": 1}, "q1": {"a": 1}})


@pytest.mark.parametrize("form", ["list", "pairs", "table", "int table", "dictionary table", "unsorted table"])
def test_a_document_twice_even_an_unjudged_one(form):
    documents = ["3", "1", "2", "1"]
    rows = {"query": ["q"] * 4, "docid": documents, "score": [4, 3, 2, 1]}
    run = {
        "list": {"q": documents},
        "pairs": {"q": [(document, 1.0) for document in documents]},
        "table": rows,
        "int table": {**rows, "docid": list(map(int, documents))},
        "dictionary table": {**rows, "docid": pa.array(documents).dictionary_encode()},
        "unsorted table": pa.table({"query": ["q", "r", "q"], "docid": ["1", "1", "1"], "score": [4, 3, 2]}),
    }[form]
    with pytest.raises(ValueError, match="query 'q' has the document '1' twice; give every document once per query"):
        judge(run, {"q": {"2": 1}})


@pytest.mark.parametrize("documents", [{"a": 1.0, 7: 2.0}, {None: 1.0}, {1.5: 1.0}, {b"a": 1.0}, {True: 1.0}])
def test_ids_of_mixed_or_other_type(documents, monkeypatch):
    for form in (documents, list(documents)):
        with pytest.raises(TypeError, match=r"predictions: .*ids are strings, or integers"):
            judge({"q": form}, {"q": {"a": 1}})
    with pytest.raises(TypeError, match=r"references: .*of query 'q'.*ids are strings, or integers"):
        judge({"q": {"a": 1.0}}, {"q": documents})
    monkeypatch.setattr(ids, "_TEXT_DICT_SIZES", frozenset())  # as on other Pythons
    with pytest.raises(TypeError, match="predictions: "):
        judge({"q": documents}, {"q": {"a": 1}})
    assert judge({"q": {"a": 1.0}}, {"q": {"a": 1}}).rank.tolist() == [1]


def test_ids_of_mixed_type_over_queries_and_unhashable_ones():
    with pytest.raises(TypeError, match="mixed type, int in query 'r' and str in the ones before"):
        judge({"q": {"a": 1.0}, "r": {7: 1.0}}, {"q": {"a": 1}, "r": {"7": 1}})
    with pytest.raises(TypeError, match=r"a document of query 'q' is dict: \{'id': 'a'\}; give ids"):
        judge({"q": [{"id": "a"}]}, {"q": {"a": 1}})


def test_no_common_query_shows_one_id_of_each_side():
    for run in ({"q1": {"a": 1.0}}, table({"q1": {"a": 1.0}})):
        with pytest.raises(ValueError, match="no query in common: the run has ids like 'q1', the judgements like 'Q1'"):
            judge(run, {"Q1": {"a": 1}})


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [("ties", "trek", r"ties='trek' is unknown \(did you mean 'trec'\?\)"), ("score_dtype", "f32", "float32")],
)
def test_unknown_options(name, value, message):
    with pytest.raises(ValueError, match=message):
        judge({"q": {"a": 1.0}}, {"q": {"a": 1}}, **{name: value})


def test_lone_surrogates():
    judgements = {"q": {"\ud800": 1, "?": 2, "a": 3}}
    assert judge({"q": {"\ud800": 1.0, "?": 1.0}}, judgements).relevance.tolist() == [1, 2]
    rows = {"query": ["q", "q"], "docid": ["?", "b"], "score": [1.0, 2.0]}
    assert judge(rows, judgements).relevance.tolist() == [2] and not len(judge(rows, {"q": {"\ud800": 1}}).rank)
    with pytest.raises(ValueError, match=r"predictions\['docid'\]\[0\] holds text that is not valid Unicode"):
        judge({**rows, "docid": ["\ud800", "b"]}, judgements)


def test_long_ids_that_differ_in_one_character():
    """In a part of the ids that is neither their beginning nor their end."""
    names = [f"{'x' * 250}{letter}{'y' * 250}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    run = {"q": {name: float(place % 5) for place, name in enumerate(names)}, "r": {names[3]: 1.0}}
    judgements = {"q": {name: place for place, name in enumerate(names) if place % 3}, "r": {names[4]: 1, names[3]: 2}}
    found = judge(run, judgements)
    assert hits(found) == sorted(plain(run, judgements)) and len(found.rank) == 18
    for column in (pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())):
        rows = table(run)
        assert_same(judge(rows.set_column(1, "docid", cast(rows["docid"].combine_chunks(), column)), judgements), found)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("relevant", [1, 7, 40])
@pytest.mark.parametrize("levels", [3, 50, 10**6])
def test_unsorted_rankings_with_few_and_with_many_judged_documents(ties, relevant, levels):
    """Few are counted, many looked up in the sorted scores: the ranks are the same."""
    random_number = random.Random(levels + relevant)
    run = {
        f"q{size}": {f"d{n}": float(random_number.randrange(levels)) for n in random_number.sample(range(10**6), size)}
        for size in (60, 900, 2500)
    }
    judgements = {
        query: {document: 1 + place % 2 for place, document in enumerate(random_number.sample(list(ranking), relevant))}
        for query, ranking in run.items()
    }
    expected = sorted(plain(run, judgements, ties=ties))
    for form in (run, table(run)):
        assert hits(judge(form, judgements, ties=ties)) == expected


def test_the_result_of_an_example():
    found = judge(
        {"q1": {"a": 0.5, "b": 0.9, "c": 0.5}, "q3": {"x": 1}}, {"q1": {"a": 1, "c": 0}, "q2": {"a": 2}, "q3": {}}
    )
    assert isinstance(found, JudgedDocuments)
    assert found.ids == ["q1", "q2", "q3"] and found.missing.tolist() == [False, True, False]
    assert found.retrieved.tolist() == [3, 0, 1] and found.judged_query.tolist() == [0, 0, 1]
    assert found.judged_relevance.tolist() == [1.0, 0.0, 2.0] and found.query.tolist() == [0, 0]
    assert (found.rank.tolist(), found.relevance.tolist()) == ([2, 3], [0.0, 1.0])
    kinds = {name: getattr(found, name).dtype.name for name in ("query", "rank", "greater", "equal", "retrieved")}
    assert set(kinds.values()) == {"int64"} and found.relevance.dtype == found.judged_relevance.dtype == np.float64
