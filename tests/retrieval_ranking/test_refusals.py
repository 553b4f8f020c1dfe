"""What only rankings and judgements can have wrong: refused with the query, the row, the column or the option.

Bad columns, ids, weights and options of every family are in tests/contract/test_bad_input.py.
"""

import math

import pyarrow as pa
import pytest

from qassay import score

RUN = {"q1": {"a": 0.5, "b": 0.9, "c": 0.4}, "q2": {"a": 3.0}}
QRELS = {"q1": {"a": 1, "x": 2, "c": 0}, "q2": {"a": 3}}
RUN_COLUMNS = {"query": ["q1", "q1", "q1", "q2"], "docid": ["a", "b", "c", "a"], "score": [0.5, 0.9, 0.4, 3.0]}
QRELS_COLUMNS = {"query": ["q1", "q1", "q1", "q2"], "docid": ["a", "x", "c", "a"], "rel": [1, 2, 0, 3]}
WRONG = (TypeError, ValueError)


def refuse(message, *columns, **options):
    with pytest.raises(WRONG, match=message) as caught:
        score("retrieval_ranking", *columns, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"relevance_level": math.nan}, "relevance level .*nan"),
        ({"relevance_level": -1}, "relevance level .*-1"),
        ({"ap_denominator": "fixed:0"}, "denominator .*fixed:0.*num_relevant"),
        ({"gain": "exp"}, "gain.*'exp2'"),
        ({"gain": {-1: 2}}, "gain.* 0"),
        ({"judged_only": "yes"}, "judged_only=yes"),
        ({"depth": 0}, "depth .* 1"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_bad_options(options, message):
    refuse(message, RUN, QRELS, **options)


@pytest.mark.parametrize(
    ("predictions", "references", "message"),
    [
        (RUN, {"q1": {}}, "references"),
        ({"q1": ["a", {"id": "b"}]}, QRELS, "an id of query 'q1' is dict"),
        (["a", "b"], [["a"], ["b"]], "predictions.*one ranked list"),
        ([[("a", 1.0), "b"]], [["a"]], r"predictions\[0\] .*pair"),
        (RUN, {"q1": {"a": 1}, "q2": ["a"]}, r"references\[1\] \(id 'q2'\) .*dict"),
        (pa.table(RUN_COLUMNS), [["a"]], "references are a plain list"),
        ([{"id": "q", "documents": ["a"]}] * 2, QRELS, "predictions id 'q' .*twice"),
        ([RUN_COLUMNS, RUN_COLUMNS], QRELS, "one dict of columns"),
        (pa.table(RUN_COLUMNS), {"Q1": {"a": 1}}, "'q1', .*'Q1'"),
        ({**RUN_COLUMNS, "docid": [2**70] * 4}, QRELS, "numbers of at most 64 bits"),
    ],
)
def test_bad_forms(predictions, references, message):
    refuse(message, predictions, references)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"predictions": RUN, "references": QRELS, "run": RUN}, "predictions and run"),
        ({"predictions": pa.table(RUN_COLUMNS), "references": QRELS, "ids": ["q1"]}, "ids .*table"),
        ({"predictions": [["a", "b"]], "references": [["a"]], "scores": [[1.0, math.nan]]}, "'b'"),
        ({"predictions": [{"a": 1}], "references": [["a"]], "scores": [[1]]}, "predictions are dicts"),
        ({"predictions": RUN, "references": QRELS, "relevances": [[1]]}, "relevances"),
        ({"predictions": [["a"]], "references": [{"a"}], "relevances": [[1]]}, r"references\[0\] is a set"),
    ],
)
def test_bad_columns(columns, message):
    refuse(message, **columns)


@pytest.mark.parametrize("level", [math.inf, "1", 10**400])
def test_relevance_that_is_not_a_finite_number(level):
    message = "relevance of document 'b' of query 'q1' "
    refuse(message, RUN, {"q1": {"a": 1, "b": level}})
    refuse(message, RUN, [{"id": "q1", "documents": ["a", "b"], "relevances": [1, level]}])
    if isinstance(level, float):
        refuse(message, RUN, {"query": ["q1", "q1"], "docid": ["a", "b"], "rel": pa.array([1.0, level])})


@pytest.mark.parametrize("number", [math.nan, None, "1.5"])
def test_scores_that_are_not_numbers(number):
    message = "score of document 'b' of query 'q1' is "
    run = {"q1": {"a": 1.0, "b": number}}
    refuse(message, run, QRELS)
    refuse(message, {query: list(ranking.items()) for query, ranking in run.items()}, QRELS)
    if not isinstance(number, str):
        rows = {"query": ["q2", "q1", "q1"], "docid": ["a", "a", "b"], "score": pa.array([1.0, 2.0, number])}
        refuse(message, rows, QRELS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"docid": ["a", None, "c", "a"]}, r"document\[1\] is None"),
        ({"docid": pa.DictionaryArray.from_arrays([0, 1, 2, 0], ["a", None, "c"])}, r"document\[1\] is None"),
        ({"docid": ["a", 7, "c", "a"]}, r"predictions\['docid'\] .*'a' and in row 1 int: 7"),
        ({"query": [1.0, 1.0, 1.0, 2.0]}, "query holds double"),
        ({"sim": [1] * 4}, "score or sim"),
        ({"query": ["q1", "q2", "q2", "q1"], "docid": ["a", "b", "c", "a"]}, "'q1' .*'a' twice"),  # rows that are apart
    ],
)
def test_bad_tables_of_runs(change, message):
    refuse(message, {**RUN_COLUMNS, **change}, QRELS)


def test_bad_tables_of_judgements():
    refuse("'q1' .*'a' twice", RUN, {**QRELS_COLUMNS, "docid": ["a", "x", "a", "a"]})
    refuse("relevance holds string", RUN, {**QRELS_COLUMNS, "rel": ["1", "2", "0", "3"]})
    refuse("query 4, document 3, relevance 4", RUN, {**QRELS_COLUMNS, "docid": ["a", "x", "c"]})
    refuse("rel or label", RUN, {**QRELS_COLUMNS, "label": [1] * 4})
    rows = {"question": ["q", "q"], "score": [0.9, 0.1], "label": [0, 1]}
    refuse("relevance or label", {**rows, "relevance": [1, 0]}, None)


@pytest.mark.parametrize("form", ["list", "pairs", "table", "int table", "dictionary table"])
def test_a_document_twice_even_an_unjudged_one(form):
    documents = ["3", "1", "2", "1"]
    rows = {"query": ["q"] * 4, "docid": documents, "score": [4, 3, 2, 1]}
    run = {
        "list": {"q": documents},
        "pairs": {"q": [(document, 1.0) for document in documents]},
        "table": rows,
        "int table": {**rows, "docid": list(map(int, documents))},
        "dictionary table": {**rows, "docid": pa.array(documents).dictionary_encode()},
    }[form]
    refuse("'q' .*'1' twice.* duplicates=first or best", run, {"q": {"2": 1}})


@pytest.mark.parametrize("odd", [7, None, b"a"])
def test_one_id_among_others_of_another_type(odd):
    """Dicts of any size whose keys are all texts but one."""
    for size in (1, 5, 6, 200):
        documents = {**{f"d{place}": 1.0 for place in range(size)}, odd: 2.0}
        for form in (documents, list(documents)):
            refuse("predictions: .*ids are strings, or integers", {"q": form}, {"q": {"a": 1}})
        refuse("references: .*of query 'q'", {"q": {"a": 1.0}}, {"q": documents})


def test_gains_and_levels_that_do_not_fit():
    refuse("query 'q'", {"q": {"a": 1.0}}, {"q": {"a": 1100}}, measures=["dcg(gain=exp2)"])
    refuse("gain.* 2 .* 1", RUN, {"q1": {"a": 2, "b": 1}}, measures=["dcg"], gain={1: 10})
    refuse(r"5.*err\(max=5\)", [["a"]], [{"a": 5}], measures=["err@3"])
    found = score("retrieval_ranking", [["a"]], [{"a": 5}], measures=["err(max=5)@3"])
    assert found.columns["err(max=5)@3"][0] == 31 / 32
