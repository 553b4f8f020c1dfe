"""retrieval_ranking refuses what it cannot score: one line that names the query, document or row and what to do."""

import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from qassay import score

RUN, QRELS = {"q": {"a": 1.0, "b": 0.5}}, {"q": {"a": 1}}

BAD_OPTIONS = [
    ({"preset": "nlpc"}, ValueError, r"preset='nlpc' is unknown \(did you mean 'nlpcc'\?\)"),
    ({"preset": "trec"}, ValueError, "preset='trec' is unknown"),
    ({"ties": "tre"}, ValueError, r"ties='tre' is unknown \(did you mean 'trec'\?\); it is one of: 'trec', 'stable'"),
    ({"ties": True}, ValueError, "ties=True"),
    ({"score_dtype": "float16"}, ValueError, r"score_dtype='float16' is unknown.*it is one of: 'float64', 'float32'"),
    ({"missing": "zeros"}, ValueError, r"did you mean 'zero'\?"),
    ({"relevance_level": "1"}, ValueError, "relevance level must be a finite number of at least 0, got '1'"),
    ({"relevance_level": math.nan}, ValueError, "finite number"),
    ({"relevance_level": True}, ValueError, "finite number"),
    ({"relevance_level": None}, ValueError, "finite number"),
    ({"ap_denominator": "min"}, ValueError, "denominator 'min' is unknown.*num_relevant"),
    ({"ap_denominator": "fixed:0"}, ValueError, "unknown"),
    ({"ap_denominator": "fixed:x"}, ValueError, "unknown"),
    ({"ap_denominator": 0}, ValueError, "unknown"),
    ({"ap_denominator": 1.5}, ValueError, "unknown"),
    ({"gain": "exp"}, ValueError, r"did you mean 'exp2'\?"),
    ({"gain": {1: -1}}, ValueError, "gains must be finite, at least 0"),
    ({"gain": {1: 2, 2: 1}}, ValueError, "must not fall"),
    ({"gain": {"high": 1}}, ValueError, "dict {level: gain}"),
    ({"gain": 2}, ValueError, "dict {level: gain}"),
    ({"gain": {1: math.inf}}, ValueError, "finite"),
    ({"judged_only": "yes"}, TypeError, "judged_only is True or False, got 'yes'"),
    ({"tie_bounds": 1}, TypeError, "tie_bounds is True or False"),
    ({"skip_trivial": None}, TypeError, "skip_trivial is True or False"),
    ({"measures": []}, ValueError, "measures is empty"),
    ({"measures": ""}, ValueError, "measures is empty"),
    ({"measures": 3}, TypeError, "measures must be a list of names"),
    ({"measures": [3]}, TypeError, "a measure is a text"),
    ({"measures": ["ndgc@10"]}, ValueError, r"no measure 'ndgc@10' \(did you mean 'ndcg'\?\)"),
    ({"measures": ["p@0"]}, ValueError, "at least 1"),
    ({"measures": ["mrr@-1"]}, ValueError, "at least 1"),
    ({"measures": ["infap"], "ties": "expected"}, ValueError, "infap.*expected"),
    ({"measure": ["map"]}, TypeError, r"no column or option 'measure' \(did you mean 'measures'\?\)"),
    ({"k": 10}, TypeError, "no column or option 'k'; it has: preset, measures, ties"),
]


@pytest.mark.parametrize(("options", "error", "message"), BAD_OPTIONS, ids=lambda value: str(value)[:40])
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        score("retrieval_ranking", RUN, QRELS, **options)


def table(*rows, last="score"):
    return dict(zip(("query", "document", last), map(list, zip(*rows, strict=True)), strict=True))


BAD_INPUT = {
    "NaN score": (({"q": {"a": math.nan}}, QRELS), {}, ValueError, "score of document 'a' of query 'q' is float: nan"),
    "NaN score of an unjudged document": (({"q": {"a": 1.0, "z": math.nan}}, QRELS), {}, ValueError, "document 'z' of query 'q'"),
    "NaN score in a later query": (
        ({"q": {"a": 1.0}, "r": {"x": 1.0, "y": math.nan}}, QRELS | {"r": {"x": 1}}),
        {},
        ValueError,
        "document 'y' of query 'r'",
    ),
    "NaN score in a table": ((table(("q", "a", 1.0), ("q", "b", math.nan)), QRELS), {}, ValueError, "document 'b' of query 'q'"),
    "null score in a table": ((pa.table(table(("q", "a", 1.0), ("q", "b", None))), QRELS), {}, ValueError, "1|'b'"),
    "NaN score beside lists": (([["a", "b"]], [["a"]]), {"scores": [[1.0, math.nan]]}, ValueError, "0.*'b'|'b'.*0"),
    "score that is text": (({"q": {"a": "1.0"}}, QRELS), {}, TypeError, "document 'a' of query 'q'.*str: '1"),
    "score None": (({"q": {"a": 1.0, "b": None}}, QRELS), {}, TypeError, "document 'b' of query 'q' is None"),
    "scores that are text in a table": ((table(("q", "a", "1.0")), QRELS), {}, TypeError, "score"),
    "NaN relevance": ((RUN, {"q": {"a": math.nan}}), {}, ValueError, "relevance of document 'a' of query 'q' is nan"),
    "infinite relevance": ((RUN, {"q": {"a": math.inf}}), {}, ValueError, "document 'a' of query 'q' is inf"),
    "relevance that is text": ((RUN, {"q": {"a": "1"}}), {}, TypeError, "document 'a' of query 'q'.*str: '1"),
    "relevance None": ((RUN, {"q": {"a": None}}), {}, TypeError, "document 'a' of query 'q'.*None"),
    "NaN relevance in a table": ((RUN, table(("q", "a", math.nan), last="relevance")), {}, ValueError, "document 'a' of query 'q' is nan"),
    "document twice in a ranking": (([["a", "b", "a"]], [["a"]]), {}, ValueError, "'a'.*twice|twice.*'a'"),
    "document twice in a ranking by query": (({"q": ["a", "b", "a"]}, QRELS), {}, ValueError, "'q'.*'a'|'a'.*'q'"),
    "document twice as pairs": (({"q": [("a", 1.0), ("a", 0.5)]}, QRELS), {}, ValueError, "'q'.*'a'|'a'.*'q'"),
    "document twice in a table": (
        (table(("q", "a", 1.0), ("q", "b", 1.0), ("q", "a", 0.5)), QRELS),
        {},
        ValueError,
        "'q'.*'a'|'a'.*'q'",
    ),
    "document twice in an unsorted table": (
        (pa.table(table(("q", "a", 1.0), ("r", "a", 1.0), ("q", "a", 0.5))), QRELS | {"r": {"a": 1}}),
        {},
        ValueError,
        "'q'.*'a'|'a'.*'q'",
    ),
    "documents of mixed type": (({"q": {1: 1.0, "1": 0.5}}, {"q": {"1": 1}}), {}, TypeError, "mixed type.*int: 1.*str: '1'"),
    "document twice in judgements": ((RUN, {"q": ["a", "a"]}), {}, ValueError, "'q'.*'a'|'a'.*'q'"),
    "document twice in judgements of a table": (
        (RUN, table(("q", "a", 1), ("q", "a", 0), last="relevance")),
        {},
        ValueError,
        "'q'.*'a'|'a'.*'q'",
    ),
    "query twice": (([{"id": "q", "documents": ["a"]}] * 2, QRELS), {}, ValueError, "'q'"),
    "query twice in judgements": ((RUN, [{"id": "q", "documents": ["a"]}] * 2), {}, ValueError, "'q'"),
    "queries of mixed type": (({7: ["a"], "x": ["b"]}, {"7": ["a"]}), {}, TypeError, "mixed type.*int: 7.*str: 'x'"),
    "judged queries of mixed type": (({"7": ["a"]}, {7: ["a"], "x": ["b"]}), {}, TypeError, "mixed type"),
    "judged documents of mixed type": ((RUN, {"q": {"a": 1, 2: 0}}), {}, TypeError, "mixed type"),
    "ids twice": (([["a"], ["a"]], [["a"], ["a"]]), {"ids": ["x", "x"]}, ValueError, "'x'"),
    "document id None": (([["a", None]], [["a"]]), {}, TypeError, "None"),
    "document id 1.5": (({"q": {1.5: 1.0, "a": 0.5}}, QRELS), {}, TypeError, r"1\.5"),
    "document id bytes": (({"q": {b"a": 1.0}}, QRELS), {}, TypeError, "b'a'"),
    "document id True": (({"q": [True]}, QRELS), {}, TypeError, "bool|True"),
    "query id None": (({None: {"a": 1.0}}, QRELS), {}, TypeError, "None"),
    "query id 1.5": (({"q": {"a": 1.0}, 1.5: {"a": 1.0}}, QRELS), {}, TypeError, r"1\.5"),
    "judged document id of a tuple": ((RUN, {"q": {("a",): 1}}), {}, TypeError, "tuple"),
    "float ids in a table": ((table((1.0, "a", 1.0)), {"1": ["a"]}), {}, TypeError, "query"),
    "empty run": (({}, QRELS), {}, ValueError, "empty|no quer|there are none|no examples"),
    "empty judgements": ((RUN, {}), {}, ValueError, "empty|no quer|there are no|none"),
    "nothing": (([], []), {}, ValueError, "no examples|empty|no quer"),
    "empty table": ((pa.table({"query": pa.array([], pa.string()), "document": pa.array([], pa.string()),
                               "score": pa.array([], pa.float64())}), QRELS), {}, ValueError, "empty|no row|no quer|none"),
    "no common query": (({"1": {"a": 1.0}}, {"q1": {"a": 1}}), {}, ValueError, "'1'.*'q1'|'q1'.*'1'"),
    "no common query in tables": (
        (table(("1", "a", 1.0)), table(("q1", "a", 1), last="relevance")),
        {},
        ValueError,
        "'1'.*'q1'|'q1'.*'1'",
    ),
    "list as judgements of a run by query": ((RUN, [["a"]]), {}, (TypeError, ValueError), "id|quer|dict"),
    "lists and dict": (([["a"]], QRELS), {}, (TypeError, ValueError), "id|quer|dict"),
    "different lengths": (([["a"], ["b"]], [["a"]]), {}, ValueError, "2.*1"),
    "ids of another length": (([["a"]], [["a"]]), {"ids": ["x", "y"]}, ValueError, "2.*1|1.*2"),
    "ids beside a dict": ((RUN, QRELS), {"ids": ["q"]}, (TypeError, ValueError), "ids"),
    "scores of another length": (([["a", "b"]], [["a"]]), {"scores": [[1.0]]}, ValueError, "scores.*1.*2|2.*1"),
    "scores of other queries": (([["a"]], [["a"]]), {"scores": [[1.0], [1.0]]}, ValueError, "scores"),
    "scores beside a dict": ((RUN, QRELS), {"scores": [[1.0]]}, (TypeError, ValueError), "scores"),
    "relevances of another length": (([["a"]], [["a", "b"]]), {"relevances": [[1]]}, ValueError, "relevances"),
    "relevances beside a dict": ((RUN, QRELS), {"relevances": [[1]]}, (TypeError, ValueError), "relevances"),
    "a text as ranking": ((["abc"], [["a"]]), {}, TypeError, "str: 'abc'"),
    "a text as ranking by query": (({"q": "abc"}, QRELS), {}, TypeError, "'q'.*str: 'abc'"),
    "a text as judgements": (([["a"]], ["a"]), {}, TypeError, "str: 'a'"),
    "a set as ranking": (([{"a", "b"}], [["a"]]), {}, TypeError, "set"),
    "a text as run": (("run.txt", QRELS), {}, TypeError, "str"),
    "a number as run": ((3, QRELS), {}, TypeError, "int: 3"),
    "no run": ((None, QRELS), {}, TypeError, "predictions"),
    "no judgements": ((RUN, None), {}, (TypeError, ValueError), "references|qrels"),
    "run twice": ((RUN, QRELS), {"run": RUN}, TypeError, "predictions and run"),
    "rows without id": (([{"documents": ["a"]}], QRELS), {}, ValueError, "id"),
    "rows without documents": (([{"id": "q", "docs": ["a"]}], [{"id": "q", "documents": ["a"]}]), {}, (TypeError, ValueError), "no 'documents'|'documents'.*keys"),
    "table without scores": (({"query": ["q"], "document": ["a"]}, QRELS), {}, ValueError, "score"),
    "table without documents": (({"query": ["q"], "score": [1.0]}, QRELS), {}, ValueError, "document"),
    "table without relevance": ((RUN, {"query": ["q"], "document": ["a"]}), {}, ValueError, "relevance"),
    "table of unequal columns": (
        ({"query": ["q", "q"], "document": ["a"], "score": [1.0]}, QRELS),
        {},
        ValueError,
        "2.*1|1.*2",
    ),
    "table with null query": ((pa.table(table(("q", "a", 1.0), (None, "b", 0.5))), QRELS), {}, (TypeError, ValueError), "query"),
    "negative weight": ((RUN, QRELS), {"weights": [-1]}, ValueError, r"weights\[0\] is -1"),
    "weights all zero": ((RUN, QRELS), {"weights": [0]}, ValueError, "all weights are 0"),
    "weights of another length": ((RUN, QRELS), {"weights": [1, 2]}, ValueError, "weights.*2.*1"),
    "weight that is text": ((RUN, QRELS), {"weights": ["1"]}, TypeError, r"weights\[0\]"),
    "NaN weight": ((RUN, QRELS), {"weights": [math.nan]}, ValueError, "weights"),
    "weights without a query": ((RUN, QRELS), {"weights": {"x": 1}}, ValueError, "'q'"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input(case):
    columns, options, error, message = BAD_INPUT[case]
    with pytest.raises(error, match=message) as caught:
        score("retrieval_ranking", *columns, **options)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


def rows_of(by_query, last):
    return table(*((q, d, value) for q, values in by_query.items() for d, value in values.items()), last=last)


@pytest.mark.parametrize(
    "form", [dict, lambda part: rows_of(part, "score"), lambda part: pa.table(rows_of(part, "score"))]
)
def test_swapped_columns_are_found(form):
    """Graded judgements as run and a scored run as judgements, in columns that do not tell."""
    run = form({f"q{i}": {f"d{j}": 10.5 - j / 3 for j in range(50)} for i in range(5)})
    qrels = form({f"q{i}": {"d3": 1, "d60": 0} for i in range(5)})
    assert score("retrieval_ranking", run=run, qrels=qrels).columns["mrr"][0] == 0.25
    with pytest.raises(ValueError, match="give the run as predictions and the judgements as references"):
        score("retrieval_ranking", run=qrels, qrels=run)


def test_swapped_tables_are_found_by_their_columns():
    with pytest.raises(ValueError, match="score"):
        score("retrieval_ranking", rows_of(QRELS, "relevance"), rows_of(RUN, "score"))


def test_few_levels_of_scores_are_no_judgements():
    """A run of zeros and ones beside judgements with gains that are no whole numbers."""
    run = {f"q{i}": {"a": 1, "b": 0} for i in range(5)}
    qrels = {f"q{i}": {"a": 0.5, "b": 1.5, "c": 2.5, "d": 0.25} for i in range(5)}
    assert score("retrieval_ranking", run, qrels).columns["mrr"].tolist() == [0.5] * 5


def test_infinite_scores_are_fine():
    found = score("retrieval_ranking", {"q": {"a": -math.inf, "b": math.inf, "c": 0.0}}, {"q": {"a": 1, "b": 1}})
    assert found.columns["map"][0] == pytest.approx((1 + 2 / 3) / 2)


def test_whole_numbers_and_numpy_numbers_are_scores():
    for kind in (int, np.float32, np.int64, np.float16, bool):
        found = score("retrieval_ranking", {"q": {"a": kind(0), "b": kind(1)}}, {"q": ["b"]})
        assert found.columns["mrr"][0] == 1.0


def test_float_relevance_is_no_error():
    assert score("retrieval_ranking", RUN, {"q": {"a": 0.5, "b": 1.0}}).columns["num_rel"][0] == 1


UNJUDGED_TWICE = {
    "lists": ([["a", "u", "u"]], [["a"]]),
    "lists by query": ({"q": ["a", "u", "u"]}, QRELS),
    "pairs": ({"q": [("a", 1.0), ("u", 0.5), ("u", 0.2)]}, QRELS),
    "columns": (table(("q", "a", 1.0), ("q", "u", 0.9), ("q", "u", 0.8)), QRELS),
    "arrow": (pa.table(table(("q", "a", 1.0), ("q", "u", 0.9), ("q", "u", 0.8))), QRELS),
    "pandas": (pd.DataFrame(table(("q", "u", 1.0), ("r", "u", 0.9), ("q", "u", 0.8))), QRELS | {"r": {"u": 1}}),
}


@pytest.mark.parametrize("form", UNJUDGED_TWICE)
def test_unjudged_documents_twice_are_found_too(form):
    with pytest.raises(ValueError, match="has the document 'u' twice"):
        score("retrieval_ranking", *UNJUDGED_TWICE[form])


def test_long_ids_that_differ_in_the_middle_are_other_documents():
    long = {letter: f"{'x' * 250}{letter}{'y' * 250}" for letter in "abc"}
    run = {"q": {long["a"]: 3.0, long["b"]: 2.0, long["c"]: 1.0}}
    for form in (run, pa.table(rows_of(run, "score"))):
        for letter, expected in (("a", 1.0), ("b", 1 / 2), ("c", 1 / 3), ("d", 0.0)):
            judged = {"q": {long.get(letter, f"{'x' * 250}d{'y' * 250}"): 1}}
            assert score("retrieval_ranking", form, judged).columns["mrr"].tolist() == [expected]
