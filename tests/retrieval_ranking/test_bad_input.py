"""Options and columns that retrieval_ranking refuses; test_columns and test_judgements have what rankings may not be."""

import math

import numpy as np
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
    ({"k": 10}, TypeError, r"no column or option 'k': write measures=.*; it has: preset, measures, ties"),
]


@pytest.mark.parametrize(("options", "error", "message"), BAD_OPTIONS, ids=lambda value: str(value)[:40])
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        score("retrieval_ranking", RUN, QRELS, **options)


BAD_INPUT = {
    "NaN score beside lists": (([["a", "b"]], [["a"]]), {"scores": [[1.0, math.nan]]}, ValueError, "0.*'b'|'b'.*0"),
    "judged queries of mixed type": (({"7": ["a"]}, {7: ["a"], "x": ["b"]}), {}, TypeError, "mixed type"),
    "query id 1.5": (({"q": {"a": 1.0}, 1.5: {"a": 1.0}}, QRELS), {}, TypeError, r"1\.5"),
    "judged document id of a tuple": ((RUN, {"q": {("a",): 1}}), {}, TypeError, "tuple"),
    "scores beside a dict": ((RUN, QRELS), {"scores": [[1.0]]}, (TypeError, ValueError), "scores"),
    "relevances beside a dict": ((RUN, QRELS), {"relevances": [[1]]}, (TypeError, ValueError), "relevances"),
    "a text as judgements": (([["a"]], ["a"]), {}, TypeError, "str: 'a'"),
    "no run": ((None, QRELS), {}, TypeError, r"predictions missing: give predictions \(or run\)"),
    "run twice": ((RUN, QRELS), {"run": RUN}, TypeError, "predictions and run"),
    "weights without a query": ((RUN, QRELS), {"weights": {"x": 1}}, ValueError, "'q'"),
}


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input(case):
    columns, options, error, message = BAD_INPUT[case]
    with pytest.raises(error, match=message) as caught:
        score("retrieval_ranking", *columns, **options)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


def test_integers_and_numpy_numbers_are_scores():
    for kind in (int, np.float32, np.int64, np.float16, bool):
        found = score("retrieval_ranking", {"q": {"a": kind(0), "b": kind(1)}}, {"q": ["b"]})
        assert found.columns["mrr"][0] == 1.0
