"""Partial sums: the numbers of the examples without the examples, however these are divided; and the bootstrap of buckets."""

import dataclasses
import html
import json
import math
import pickle
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qassay
from qassay.cluster import PartialSums
from qassay.cluster import sums as sums_module
from qassay.cluster.sums import id_keys

from .some_rows import alike

WORDS = ["le", "chat", "noir", "dort", "mange", "la", "souris", "grise"]


def scores(n: int = 400, seed: int = 0, shift: int = 0, **options) -> qassay.Scores:
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(WORDS, 3)) for _ in range(2 * n)]
    golds = [[text] for text in texts[n:]]
    ids = [f"q{row}" for row in range(n)]
    given = texts[n : n + shift] + texts[shift:n]  # so many are right
    return qassay.score("answer_match", given, golds, ids=ids, weights=rng.random(n), **options)


def divided(whole: qassay.Scores, seed: int, parts: int) -> list[qassay.Scores]:
    order = np.random.default_rng(seed).permutation(len(whole))
    masks = [np.isin(np.arange(len(whole)), part) for part in np.array_split(order, parts)]
    return [whole.subset(mask) for mask in masks]


@pytest.mark.parametrize("parts", [1, 7])
def test_the_same_whatever_the_parts(parts):
    whole = scores()
    found = PartialSums.concat(PartialSums.of(part) for part in divided(whole, parts, parts))
    assert found.summary([*whole.measures]) == pytest.approx(whole.summary([*whole.measures]), abs=1e-12)
    assert found.counts() == whole.counts()
    again = PartialSums.of(whole)
    drawn = {"names": ["f1"], "method": "percentile", "n_resamples": 30}
    alike(found, again)
    alike(found, again, seed=5, **drawn)
    assert again.interval(seed=5, **drawn) != again.interval(seed=6, **drawn)
    assert pickle.loads(pickle.dumps(found)).interval() == found.interval()
    assert found.n_examples == len(whole)


@pytest.mark.thorough
@pytest.mark.parametrize(("n", "runs"), [(500, 300), (10_000, 100)])
def test_intervals_have_their_nominal_coverage(n, runs):
    pool, rng = scores(2000, shift=700), np.random.default_rng(0)
    pool = dataclasses.replace(pool, weights=None)
    names = ("exact_match", "f1")
    measures, truth, held = {name: pool.measures[name] for name in names}, pool.summary(names), dict.fromkeys(names, 0)
    for run in range(runs):
        rows = rng.integers(0, len(pool), n)
        columns = {name: pool.columns[name][rows] for name in names}
        drawn = qassay.Scores(ids=range(run * n, run * n + n), columns=columns, measures=measures, options=pool.options)
        for name, (low, high) in PartialSums.of(drawn).interval().items():
            held[name] += low <= truth[name] <= high
    chance = 3 * math.sqrt(0.95 * 0.05 / runs)  # of so few runs
    assert {name: held[name] / runs for name in names} == pytest.approx(dict.fromkeys(names, 0.95), abs=chance + 0.01)


def test_the_bucket_follows_from_the_id_alone():
    assert (id_keys(["a", 7, 2**70, -1]) == id_keys(["a", "7", str(2**70), "-1"])).all()
    golden = (id_keys(["q1", "q2"]) >> np.uint64(50)).tolist()
    assert golden == [473, 8591]  # on every machine, in every version


def test_examples_of_a_group_stay_together():
    whole = scores(600)
    groups = [f"text {row // 6}" for row in range(600)]
    sums = PartialSums.of(whole.with_groups(groups), ["f1"])
    assert len(sums) <= 100
    parts = [
        PartialSums.of(whole.with_groups(groups).take(rows), ["f1"])
        for rows in np.array_split(np.random.default_rng(0).permutation(600), 3)
    ]
    alike(PartialSums.concat(parts), sums)
    copies = dataclasses.replace(
        whole, columns={**whole.columns, "f1": np.repeat(whole.columns["f1"][::6], 6)}, weights=np.ones(600)
    )
    ends = {
        kind: PartialSums.of(copies.with_groups(labels), ["f1"]).interval()["f1"]
        for kind, labels in (("one", None), ("group", groups))
    }
    assert np.diff(ends["group"]) > 2 * np.diff(ends["one"])  # six copies are worth one example


@pytest.mark.thorough
def test_intervals_hold_the_truth_where_groups_share_buckets(monkeypatch, runs=500):
    monkeypatch.setattr(sums_module, "BUCKET_BITS", 5)  # 40 groups in 32 buckets; about 9 buckets stay empty
    pool, rng = scores(40), np.random.default_rng(0)
    measures, held, by_example = {"f1": pool.measures["f1"]}, 0, 0
    for run in range(runs):
        group = np.repeat(np.arange(40), rng.integers(2, 20, 40))
        values = np.clip(rng.normal(0.5, 0.2, 40)[group] + rng.normal(0, 0.05, len(group)), 0, 1)
        drawn = qassay.Scores(ids=range(len(group)), columns={"f1": values}, measures=measures, options=pool.options)
        in_groups = PartialSums.of(drawn.with_groups([f"{run} {number}" for number in group.tolist()]))
        assert len(in_groups) < 32
        low, high = in_groups.interval()["f1"]
        held += low <= 0.5 <= high
        low, high = PartialSums.of(drawn).interval()["f1"]
        by_example += low <= 0.5 <= high
    assert held / runs == pytest.approx(0.95, abs=3 * math.sqrt(0.95 * 0.05 / runs) + 0.01)
    assert by_example / runs < 0.6  # as if all examples were independent


def test_plain_shares_have_the_interval_of_wilson_however_they_are_divided():
    whole = dataclasses.replace(scores(3000, shift=40), weights=None)
    parts = [PartialSums.of(part) for part in divided(whole, 1, 3)]
    expected = whole.interval(names=["exact_match"])["exact_match"]
    found = PartialSums.concat(parts).interval(names=["exact_match"])["exact_match"]
    assert found == expected and found.method == "wilson"  # though some examples share a bucket
    weighed = dataclasses.replace(whole.take(range(5)), weights=np.full(5, 2.0), ids=[f"x{row}" for row in range(5)])
    unlike = PartialSums.concat([*parts, PartialSums.of(weighed)]).interval(names=["exact_match"])["exact_match"]
    assert unlike.method == "effective wilson"  # weights differ between parts only
    right = dataclasses.replace(whole, columns={**whole.columns, "exact_match": np.ones(3000)})
    assert PartialSums.of(right).interval()["exact_match"] == right.interval()["exact_match"] != (1.0, 1.0)


GROUPED = scores(60)


@given(
    st.lists(st.integers(0, 9), min_size=60, max_size=60).filter(lambda labels: len(set(labels)) > 1),
    st.lists(st.integers(0, 4), min_size=60, max_size=60),
)
@settings(deadline=None, max_examples=12)
def test_groups_over_any_parts(labels, part_of):
    whole = GROUPED.with_groups(labels)
    parts = [PartialSums.of(whole.take(np.flatnonzero(np.array(part_of) == part)), ["f1", "em"]) for part in range(5)]
    found, together = PartialSums.concat(parts), PartialSums.of(whole, ["f1", "em"])
    for method in ("auto", "percentile"):
        alike(found, together, method=method, n_resamples=5)
    assert len(found) == len(set(labels))
    expected = whole.interval(names=["f1", "em"])
    for name, ends in found.interval().items():
        assert ends == pytest.approx(expected[name], abs=1e-12) and ends.method == expected[name].method


def test_systems_are_compared_by_their_buckets():
    systems = {"a": scores(3000, 1), "b": scores(3000, 1, shift=40)}
    parts = {name: [PartialSums.of(part) for part in divided(one, 2, 3)] for name, one in systems.items()}
    sums = {name: PartialSums.concat(one) for name, one in parts.items()}
    assert sums["a"].summary(["f1"]) == pytest.approx(systems["a"].summary(["f1"]), abs=1e-15)
    given = {"measures": ["f1", "exact_match"], "n_permutations": 2000}
    found, by_example = (qassay.compare(one, **given).differences for one in (sums, systems))
    for ours, theirs in zip(found, by_example, strict=True):
        assert ours.difference == pytest.approx(theirs.difference, abs=1e-15)
        width = theirs.interval[1] - theirs.interval[0]
        assert ours.interval == pytest.approx(theirs.interval, abs=0.12 * width)
        assert ours.p_value == pytest.approx(theirs.p_value, abs=0.03)
        assert ours.test == "permutation"
        assert ours.n == theirs.n == 3000 > len(sums["a"])
        assert ours.effect_size == pytest.approx(theirs.effect_size, rel=0.15)
        assert ours.n_needed == pytest.approx(theirs.n_needed, rel=0.3)
        assert (ours.better, ours.equal, ours.worse) == (None, None, None)
    for other in (scores(3000, 2), dataclasses.replace(systems["b"], ids=range(3000))):
        with pytest.raises(ValueError, match="'bucket [0-9]+'"):
            qassay.compare({"a": sums["a"], "other": PartialSums.of(other)})


def test_a_comparison_by_buckets_counts_examples():
    systems = {"a": scores(3000, 1), "b": scores(3000, 1, shift=40)}
    sums = {name: PartialSums.of(one) for name, one in systems.items()}
    assert sums["a"].counts() == systems["a"].counts() and sums["a"].n_examples == 3000
    few = {name: PartialSums.of(one.take(range(40))) for name, one in systems.items()}
    fewer = {"a": few["a"], "b": PartialSums.of(systems["b"].take(range(1, 40)))}
    assert qassay.compare(fewer, ["f1"]).unmatched == {"a": 1, "b": 0}


def test_a_comparison_by_buckets_of_groups_matches_groups():
    groups = [f"text {row % 40}" for row in range(1200)]
    systems = {name: scores(1200, 1, shift).with_groups(groups) for name, shift in (("a", 0), ("b", 40))}
    systems = {name: dataclasses.replace(one, weights=None) for name, one in systems.items()}
    sums = {name: PartialSums.of(one) for name, one in systems.items()}
    assert len(sums["a"]) == 40
    given = {"measures": ["f1", "exact_match"], "n_permutations": 2000}
    found, by_group = (qassay.compare(one, **given) for one in (sums, systems))
    for ours, theirs in zip(found.differences, by_group.differences, strict=True):
        assert (ours.n, ours.n_groups) == (theirs.n, theirs.n_groups) == (1200, 40)
        assert ours.difference == pytest.approx(theirs.difference, abs=1e-15)
        assert ours.interval == pytest.approx(theirs.interval, rel=1e-9)
        assert ours.p_value == pytest.approx(theirs.p_value, abs=0.03)
        assert (ours.n_needed, ours.groups_needed) == (theirs.n_needed, theirs.groups_needed)
        assert ours.cautions == theirs.cautions
    few = {
        name: PartialSums.of(one.with_groups([f"{row % 7}" for row in range(1200)])) for name, one in systems.items()
    }
    few = qassay.compare({name: one for name, one in few.items()}, ["f1"], n_permutations=100)
    assert "few_groups" in few.differences[0].cautions and few.differences[0].n_groups == 7
    with pytest.raises(ValueError, match="part 1 has no groups"):
        PartialSums.concat([PartialSums.of(systems["a"]), PartialSums.of(systems["a"].with_groups(None))])


def test_a_class_of_examples_without_weight_counts_in_averages():
    whole = qassay.score("label_metrics", ["a", "b", "b"], ["a", "b", "c"], weights=[1.0, 1.0, 0.0])
    assert whole.summary(["macro_f1"])["macro_f1"] == 2 / 3
    assert PartialSums.of(whole).summary(["macro_f1"])["macro_f1"] == 2 / 3
    parts = [PartialSums.of(whole.take(rows)) for rows in ([2], [0, 1])]  # the first has no weight at all
    assert PartialSums.concat(parts).summary(["macro_f1"])["macro_f1"] == 2 / 3


def test_refusals():
    whole = scores()

    def of(one=whole):
        return PartialSums.of(one)

    seeds = [qassay.score("answer_match", ["a", text], [["a"], ["b"]]) for text in "bc"]
    for refused, message in (
        (lambda: PartialSums.concat([]), "join"),
        (lambda: PartialSums.concat([of(), of(scores(normalizer="french"))]), "part 1 .*french"),
        (lambda: of().summary(["f2"]), "'f2'"),
        (lambda: of(qassay.score("average_precision", [0.5, 0.1], [True, False])), "average_precision"),
        (lambda: of(PartialSums.of(whole)), "buckets"),
        (lambda: of(qassay.runs(seeds)), "runs"),
    ):
        with pytest.raises(ValueError, match=message):
            refused()
    with pytest.raises(TypeError, match="tuple"):
        id_keys(["a", ("b",)])


def test_notebooks_and_reports_show_sums(tmp_path):
    whole = scores(200)
    sums = PartialSums.of(whole.with_groups([row % 12 for row in range(200)]))
    assert repr(sums).startswith("<Scores of 200 examples")
    ET.fromstring(sums._repr_html_())
    assert whole.signature() in html.unescape(sums._repr_html_())
    sums.report(tmp_path / "r.json", measures="all", method="percentile", n_resamples=20)
    found = json.loads((tmp_path / "r.json").read_text("utf-8"))["parts"][0]["values"]["scores"]
    there = {name: cell["value"] for name, cell in found.items() if cell["value"] is not None}
    assert there and there == {name: value for name, value in sums.summary([*there]).items()}
    ends = {name: (cell["low"], cell["high"]) for name, cell in found.items() if cell["low"] is not None}
    assert ends == {name: sums.interval(names=[*ends], method="percentile", n_resamples=20)[name] for name in ends}
    assert {name: cell["n"] for name, cell in found.items()} == sums.counts() and found["f1"]["n_groups"] == 12
    PartialSums.of(whole).report(tmp_path / "r.md", measures=["f1"], confidence=None)
    assert f"{whole['f1']:.4f}" in (tmp_path / "r.md").read_text("utf-8")
    with pytest.raises(ValueError, match="r.pdf"):
        sums.report(tmp_path / "r.pdf")
