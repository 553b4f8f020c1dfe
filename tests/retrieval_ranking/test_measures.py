"""Ranking measures as values that are read and written as text, and their formulas against plain definitions."""

import dataclasses
import importlib
import itertools
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay import score
from qassay.retrieval_ranking.measures import (
    DEFAULT_MEASURES,
    MEASURE_GROUPS,
    RankingMeasure,
    list_measures,
    parse_measure,
    parse_measures,
)

with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(Path(__file__).resolve().parents[2] / "benchmarks")
    plain_values = importlib.import_module("fuzz_oracles").plain_values
FAST = settings(max_examples=40, deadline=None)
ALIASES = {  # a measure -> other ways to write it
    "mrr": ["rr", "recip_rank"],
    "mrr@10": ["RR@10", "MRR@10"],
    "map": ["ap"],
    "map@100": ["AP@100", "map_cut_100"],
    "p@5": ["P_5", "P@5", "precision@5"],
    "recall@1000": ["recall_1000"],
    "rprec": ["Rprec"],
    "rprec(mult=0.2)": ["Rprec_mult_0.20"],
    "rprec(mult=2)": ["Rprec_mult_2.00"],
    "hit_rate@1": ["success_1", "success@1", "accuracy@1"],
    "hit_rate@3": ["acc@3", "hit@3"],
    "ndcg": ["nDCG"],
    "ndcg@10": ["nDCG@10", "ndcg_cut_10", " ndcg @ 10 "],
    "infap": ["infAP"],
    "bing": ["binG"],
    "g": ["G"],
    "rndcg": ["Rndcg"],
    "relstring@5": ["relstring_5", "relstring.5"],
    "iprec@0.1": ["iprec_at_recall_0.10"],
    "iprec@0": ["iprec_at_recall_0.00"],
    "iprec@1": ["iprec_at_recall_1.00"],
    "iprec@0.5": ["iprec@.5"],
    "11pt_avg": ["11pt_avg"],
    "set_p": ["set_P"],
    "set_f": ["set_F"],
    "relative_p@5": ["relative_P_5"],
    "unjudged@20": ["unj_20"],
    "map(rel=2)@100": ["map( rel = 2 )@100"],
    "rbp(p=0.8)": ["rbp(p=.80)"],
    "map(rel=2)": ["map(rel=2.0)"],
    "map(rel=2, denominator=min_mn)": ["map(denominator=min_mn, rel=2)"],
}


@pytest.mark.parametrize(
    ("measure", "alias"), [(name, alias) for name, aliases in ALIASES.items() for alias in aliases]
)
def test_aliases(measure, alias):
    assert str(parse_measure(alias)) == measure
    assert parse_measure(alias) == parse_measure(measure)
    assert hash(parse_measure(alias)) == hash(parse_measure(measure))


PARAMETERS = {
    "rel": st.one_of(st.integers(0, 5), st.floats(0, 5)),
    "judged_only": st.booleans(),
    "denominator": st.sampled_from(["num_relevant", "min_mn", "num_retrieved_relevant", "min_k_relevant", "fixed:10"]),
    "gain": st.sampled_from(["linear", "exp2"]),
    "p": st.floats(0.001, 0.999),
    "mult": st.floats(0.001, 5),
    "max": st.floats(0.5, 10),
}
TAKES = {
    "mrr": ("rel", "judged_only"),
    "map": ("rel", "denominator", "judged_only"),
    "ndcg": ("gain", "judged_only"),
    "dcg": ("gain", "judged_only"),
    "p": ("rel", "judged_only"),
    "recall": ("rel", "judged_only"),
    "hit_rate": ("rel",),
    "f1": ("rel",),
    "rbp": ("rel", "p"),
    "err": ("max",),
    "rprec": ("rel", "mult"),
    "bpref": ("rel",),
    "infap": ("rel",),
    "rndcg": ("rel", "gain"),
    "g": ("gain",),
    "iprec": ("rel",),
    "set_f": ("rel",),
    "num_rel": ("rel",),
    "gm_map": ("rel", "denominator"),
}
CUT = {"p", "hit_rate", "f1"}  # a rank is needed
MAY_CUT = {"mrr", "map", "ndcg", "dcg", "recall", "rbp", "err"}


@st.composite
def texts(draw):
    name = draw(st.sampled_from(sorted(TAKES)))
    keys = draw(st.lists(st.sampled_from(TAKES[name]), unique=True))
    inside = [f"{key}={draw(PARAMETERS[key])}" for key in keys]
    text = draw(st.sampled_from([name, name.upper()])) + (f"({', '.join(inside)})" if inside else "")
    if name == "iprec":
        return f"{text}@{draw(st.floats(0, 1))}"
    if name in CUT or (name in MAY_CUT and draw(st.booleans())):
        return f"{text}@{draw(st.integers(1, 10**6))}"
    return text


@settings(max_examples=100, deadline=None)
@given(texts())
def test_text_and_back(text):
    measure = parse_measure(text)
    assert parse_measure(str(measure)) == measure
    assert str(parse_measure(str(measure))) == str(measure)
    assert str(measure).startswith(measure.name)
    assert parse_measure(measure) is measure


def test_different_parameters_are_different_measures():
    names = ["map", "map@10", "map@11", "map(rel=2)", "map(rel=2)@10", "map(rel=3)", "map(denominator=min_mn)"]
    names += ["rbp", "rbp(p=0.8)", "rbp(p=0.81)", "ndcg", "ndcg(gain=exp2)", "iprec@0.1", "iprec@0.15", "gm_map"]
    assert (
        len({parse_measure(name) for name in names}) == len({str(parse_measure(name)) for name in names}) == len(names)
    )


def test_measures_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        parse_measure("map").cutoff = 3
    assert parse_measure("map@3") == RankingMeasure("map", (), 3)


def test_trec_names_lead_back():
    for name in itertools.chain(MEASURE_GROUPS["official"], MEASURE_GROUPS["all_trec"]):
        measure = parse_measure(name)
        assert str(measure) == name
        assert parse_measure(measure.trec_name) == measure
    assert parse_measure("ndcg@10").trec_name == "ndcg_cut_10"
    assert parse_measure("iprec@0.1").trec_name == "iprec_at_recall_0.10"
    for name in ("mrr@10", "map(rel=2)", "f1@3", "err", "judged@3"):
        assert parse_measure(name).trec_name is None


def test_lists_of_measures():
    assert list(map(str, parse_measures(["map", "MAP", "P_5", "p@5"]))) == ["map", "p@5"]
    assert list(map(str, parse_measures("map,ndcg(gain=exp2, judged_only=yes)@5"))) == [
        "map",
        "ndcg(gain=exp2, judged_only=true)@5",
    ]
    assert list(map(str, parse_measures("official"))) == MEASURE_GROUPS["official"]
    assert list(map(str, parse_measures(["mrr@3", "all_trec"]))) == ["mrr@3", *MEASURE_GROUPS["all_trec"]]
    assert list(map(str, parse_measures(DEFAULT_MEASURES))) == list(DEFAULT_MEASURES)
    assert list(map(str, parse_measures(parse_measure("map")))) == ["map"]


def test_every_measure_is_listed():
    listed = dict(list_measures())
    assert all(listed.values())
    names = [name.partition("(")[0].partition("[")[0].partition("@")[0] for name in listed]
    for name in [*DEFAULT_MEASURES, *MEASURE_GROUPS["all_trec"], "f1@1", "err", "dcg", "judged@1", "gm_map"]:
        assert parse_measure(name).name in names


ERRORS = [
    ("ndgc@10", r"no measure 'ndgc@10' \(did you mean 'ndcg'\?\)"),
    ("mean_average_precisoin", "did you mean 'average_precision'"),
    ("xyzzy", "available: mrr, map, ndcg"),
    ("", "cannot be read"),
    ("@10", "cannot be read"),
    ("map)(", "cannot be read"),
    ("p", "needs a cut-off, for example p@10"),
    ("hit_rate", "needs a cut-off"),
    ("f1", "needs a cut-off"),
    ("iprec", "needs a recall"),
    ("p@0", "at least 1"),
    ("p@-1", "at least 1"),
    ("ndcg@0", "at least 1"),
    ("ndcg@1.5", "integer"),
    ("ndcg@ten", "integer"),
    ("ndcg@1e1", "integer"),
    ("ndcg@", "ndcg@"),
    ("ndcg_cut_10@5", "two cut-offs"),
    ("bpref@10", "bpref has no cut-off"),
    ("set_p@10", "no cut-off"),
    ("iprec@1.1", "between 0 and 1"),
    ("iprec@-0.1", "between 0 and 1"),
    ("iprec@nan", "number"),
    ("map(level=2)", r"no parameter 'level=2'; it takes: rel=\.\.\., denominator=\.\.\."),
    ("map(gain=exp2)", "no parameter"),
    ("ndcg(rel=2)", "no parameter"),
    ("map(rel)", "no parameter"),
    ("map(rel=)", "no parameter"),
    ("map(rel=two)", "rel must be a number, got 'two'"),
    ("map(rel=nan)", "must be a number"),
    ("map(rel=inf)", "must be a number"),
    ("map(denominator=min)", r"denominator 'min' is unknown"),
    ("map(denominator=fixed:0)", "unknown"),
    ("ndcg(gain=exp)", r"gain='exp' is unknown \(did you mean 'exp2'\?\)"),
    ("rbp(p=0)", "between 0 and 1"),
    ("rbp(p=1)", "between 0 and 1"),
    ("rbp(p=1.5)", "between 0 and 1"),
    ("rprec(mult=0)", "between 0 and inf"),
    ("rprec(mult=-1)", "between 0 and inf"),
    ("ndcg(judged_only=maybe)", "true or false"),
    ("map(rel=1, rel=2)", "rel"),
]


@pytest.mark.parametrize(("text", "message"), ERRORS)
def test_errors(text, message):
    with pytest.raises(ValueError, match=message):
        parse_measure(text)


@pytest.mark.parametrize("value", [10, None, 1.5, ("map", 10), b"map"])
def test_a_measure_is_a_text(value):
    with pytest.raises(TypeError, match="a measure is a text such as 'ndcg@10'"):
        parse_measure(value)


# --- formulas --------------------------------------------------------------------------------------------------------


DOCUMENTS = "abcdefghijkl"
RANKINGS = st.tuples(
    st.lists(st.sampled_from(DOCUMENTS), unique=True, max_size=12),
    st.dictionaries(st.sampled_from(DOCUMENTS + "xyz"), st.integers(-2, 4), min_size=1),
)


@FAST
@given(st.lists(RANKINGS, min_size=1, max_size=8), st.integers(1, 14))
def test_formulas_are_their_plain_definitions(queries, k):
    expected = [plain_values(ranked, judged, k) for ranked, judged in queries]
    rankings, judgements = zip(*queries, strict=True)
    columns = score("retrieval_ranking", list(rankings), list(judgements), measures=list(expected[0])).columns
    for name in expected[0]:
        assert columns[str(parse_measure(name))] == pytest.approx([row[name] for row in expected], abs=1e-12), name


@FAST
@given(RANKINGS, st.integers(1, 14))
def test_judged_only_is_the_ranking_without_unjudged_documents(query, k):
    ranked, judged = query
    names = [name for name in plain_values(ranked, judged, k) if name not in ("rbp_resid(p=0.7)", "bpref")]
    closed = [document for document in ranked if judged.get(document, -1) >= 0]
    with_option = score("retrieval_ranking", [ranked], [judged], measures=names, judged_only=True)
    without = score("retrieval_ranking", [closed], [judged], measures=names)
    for name, column in with_option.columns.items():
        assert column.tolist() == without.columns[name].tolist(), name


@pytest.mark.parametrize(
    ("gain", "expected"),
    [("linear", 0.7884), ("exp2", 0.7142), ({1: 1, 2: 3, 3: 7}, 0.7142), ({2: 3, 3: 7}, 0.7142)],
    ids=str,
)
def test_gains(gain, expected):
    """Levels 1, 3, none, 2 in rank order; a level that a dict does not name is worth itself."""
    found = score("retrieval_ranking", [list("abcd")], [{"a": 1, "b": 3, "d": 2}], measures=["ndcg"], gain=gain)
    assert found.columns["ndcg"][0] == pytest.approx(expected, abs=5e-5)


def test_float_relevance_is_never_cut():
    judged = {"a": 0.5, "b": 1.5, "c": 0.0}
    found = score("retrieval_ranking", [list("abc")], [judged], measures=["dcg", "num_rel", "map(rel=0.5)", "err"])
    assert found.columns["dcg"][0] == pytest.approx(0.5 + 1.5 / math.log2(3))
    assert found.columns["num_rel"][0] == 1
    assert found.columns["map(rel=0.5)"][0] == 1.0
    stops = [(2**0.5 - 1) / 16, (2**1.5 - 1) / 16]
    assert found.columns["err"][0] == pytest.approx(stops[0] + (1 - stops[0]) * stops[1] / 2)


def test_err_refuses_levels_above_the_highest():
    with pytest.raises(ValueError, match=r"go up to 5.*err\(max=5\)"):
        score("retrieval_ranking", [["a"]], [{"a": 5}], measures=["err@3"])
    found = score("retrieval_ranking", [["a"]], [{"a": 5}], measures=["err(max=5)@3"])
    assert found.columns["err(max=5)@3"][0] == 31 / 32


def test_bools_are_relevance_0_and_1():
    found = score("retrieval_ranking", [["a", "b"]], [{"a": False, "b": True}], measures=["mrr", "num_rel"])
    assert (found.columns["mrr"][0], found.columns["num_rel"][0]) == (0.5, 1)


def test_several_cut_offs_as_trec_eval_writes_them():
    names = "P.5,10, ndcg_cut_5,100, map, iprec_at_recall_0.10,0.20, rbp(p=0.8)"
    assert list(map(str, parse_measures(names))) == [
        "p@5", "p@10", "ndcg@5", "ndcg@100", "map", "iprec@0.1", "iprec@0.2", "rbp(p=0.8)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "name", ["p@" + "9" * 16, "p@" + "9" * 400, "map(denominator=fixed:" + "9" * 16 + ")", "err(max=2000)"]
)
def test_numbers_without_end_are_refused(name):
    with pytest.raises(ValueError):
        parse_measure(name)


@pytest.mark.parametrize(
    ("name", "near"),
    [("ngcd@10", "ndcg"), ("rel_P_5", "relative_p"), ("presicion@5", "precision"), ("ngcd_cut_10", "ndcg_cut")],
)
def test_near_names_whatever_the_cut_off(name, near):
    with pytest.raises(ValueError, match=f"did you mean '{near}'"):
        parse_measure(name)


def test_levels_below_zero_are_not_levels():
    with pytest.raises(ValueError, match="rel must be at least 0"):
        parse_measure("map(rel=-1)")
    with pytest.raises(ValueError, match="the relevance level must be a finite number of at least 0"):
        score("retrieval_ranking", [["a"]], [["a"]], relevance_level=-1)
    with pytest.raises(ValueError, match="are 0 below level 0"):
        score("retrieval_ranking", [["a"]], [["a"]], gain={-1: 2})


def test_a_denominator_of_digits():
    assert str(parse_measure("map(denominator=10)")) == "map(denominator=fixed:10)"
