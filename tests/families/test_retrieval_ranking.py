"""What the command line knows about retrieval_ranking."""

import pytest

import karat
from karat.families import FAMILIES, get_family
from karat.files import Gold
from karat.rendering import render
from karat.reporting import build_report

FAMILY = get_family("retrieval_ranking")
QRELS = {f"q{n}": {f"d{i}": 1 for i in range(n)} | {"x": 0} for n in (0, 1, 2, 3, 5, 6, 11)}
RUN = {query: {"d0": 2.0, "x": 1.0} for query in QRELS}


def gold(kind, **options):
    return Gold("gold", kind, {}, options, list(QRELS), {})


def test_usual_measures_are_all_that_were_computed_sums_last():
    scores = karat.score("retrieval_ranking", RUN, QRELS, measures=("num_ret", "mrr", "num_rel", "p@5"))
    assert FAMILY.usual_measures(scores) == ["mrr", "p@5", "num_ret", "num_rel"]


def test_main_measures():
    scores = karat.score("retrieval_ranking", RUN, QRELS)
    assert FAMILY.main_measures(scores) == ["ndcg@10", "map", "mrr"]
    scores = karat.score("retrieval_ranking", RUN, QRELS, measures=("num_ret", "p@5", "p@10", "p@20"))
    assert FAMILY.main_measures(scores) == ["p@5", "p@10"]


def test_measures_follow_the_kind_of_file_unless_named():
    implied = FAMILY.measure_options(None, [], gold("trec_qrels"), "table")["measures"]
    assert {"ndcg@10", "gm_map", "p@1000", "iprec@0.1"} <= set(implied)
    assert FAMILY.measure_options(None, [], gold("table"), "table") == {}
    assert FAMILY.measure_options(None, [], gold("table"), "trec_eval")["measures"][:2] == ("num_q", "num_ret")
    assert FAMILY.measure_options(["map", "p@5"], [], gold("trec_qrels"), "table") == {"measures": ("map", "p@5")}
    assert FAMILY.measure_options(["all"], [], gold("table"), "table")["measures"][-1] == "unjudged@20"
    by_count = FAMILY.measure_options(["map"], ["relevant_count"], gold("trec_qrels"), "table")
    assert by_count == {"measures": ("map", "num_rel")}
    for options in ({"measures": ("map",)}, {"preset": "nlpcc"}):
        assert FAMILY.measure_options(None, [], gold("trec_qrels", **options), "table") == {}


def test_only_measures_that_have_an_expectation_are_implied():
    expected = gold("trec_qrels", ties="expected")
    for names in (None, ["all"]):
        for form in ("table", "trec_eval"):
            measures = FAMILY.measure_options(names, [], expected, form)["measures"]
            assert karat.score("retrieval_ranking", RUN, QRELS, measures=measures, ties="expected")
            assert "map" in measures and "iprec@0.1" not in measures


def test_relevant_count():
    scores = karat.score("retrieval_ranking", RUN, QRELS)
    labels = FAMILY.slices(gold("table"), scores)["relevant_count"]()
    assert labels == ["0", "1", "2", "3-5", "3-5", "6-10", "11+"]


@pytest.mark.parametrize("ties", ["trec", "stable", "best", "worst", "expected"])
def test_every_count_has_words(ties):
    scores = karat.score("retrieval_ranking", RUN, QRELS, ties=ties, missing="skip", skip_trivial=True)
    assert {*scores.notes, *FAMILY.counted} <= FAMILY.note_words(scores.options).keys()


def test_a_line_parts_rates_and_sums():
    scores = karat.score("retrieval_ranking", RUN, QRELS)
    text = render(build_report({"run": scores}, {}, level=None), "table")
    rates, sums = text.split("\n\n")[:2]
    assert rates.splitlines()[-1].startswith("hit_rate@10") and sums.startswith("num_ret")
    assert not text.startswith("total")


def test_families_are_named_as_they_name_themselves():
    for name, family in FAMILIES.items():
        assert family.name == name
        assert family.load()[1].family == name
        assert family.measures()
