"""Weights and groups of examples in every family: forms, what carries them, and what intervals and tests make of them."""

import math
import pickle

import numpy as np
import pytest

import qassay
from qassay.cluster import PartialSums
from qassay.core.measures import SumMeasure
from qassay.core.scores import Scores

from .families import CASES, CLASSES, FEW, every_case, every_module, same

QUICK = {"n_resamples": 20, "n_permutations": 40}
METHODS = ("auto", "percentile")


def twice(case) -> tuple[Scores, list[str]]:
    """Scores of the rows of a case twice, the second time wrong, and a group for both copies of each row."""
    n = len(case.rows)
    labels = [f"g{row % n}" for row in range(2 * n)]
    return case.score(rows=[*range(n)] * 2, wrong=range(n, 2 * n), groups=labels), labels


def systems_of(case, copies=1, wrong=(0, 1), **more):
    """A system with all rows of a case right, and a system with some wrong; each row is repeated."""
    n = len(case.rows)
    rows = [*range(n)] * copies
    places = [place + n * copy for copy in range(copies) for place in wrong]
    return {"a": case.score(rows=rows, **more), "b": case.score(rows=rows, wrong=places, **more)}


# --- weights ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CASES)
def test_a_whole_weight_is_so_many_examples(name):
    """And an example of weight 0 is none."""
    case = CASES[name]
    n = len(case.rows)
    weights = [2, 3, 0, 1][:n]
    rows = [row for row in range(n) for _ in range(weights[row])]
    classes = {"labels": CLASSES[name]} if name in CLASSES else {}
    weighted = case.score(wrong=[0], weights=weights, **classes)
    copies = case.score(rows=rows, wrong=[place for place, row in enumerate(rows) if row == 0], **classes)
    for measure, of in weighted.measures.items():
        if of.has_interval and isinstance(weighted[measure], float):  # counts are of examples
            assert weighted[measure] == pytest.approx(copies[measure], abs=1e-12), measure


# --- groups in intervals and tests ------------------------------------------------------------------------------------


@every_case
def test_groups_of_one_example_change_no_interval(case):
    whole = case.score()
    single = case.score(groups=[f"g{row}" for row in reversed(range(len(case.rows)))])
    assert single.summary() == whole.summary() and single.groups.are_single
    for method in METHODS:
        found, plain = (scores.interval(n_resamples=20, method=method) for scores in (single, whole))
        assert found == plain and [one.method for one in found.values()] == [one.method for one in plain.values()]


@every_case
def test_the_order_of_rows_and_the_names_of_groups_do_not_matter(case):
    scores, labels = twice(case)
    order = np.random.default_rng(len(labels)).permutation(len(labels))
    longer = scores.with_groups([f"a much longer name, {label}" for label in labels])  # in the same order
    for method in METHODS:
        found = scores.interval(n_resamples=20, method=method)
        assert scores.take(order).interval(n_resamples=20, method=method) == found
        assert longer.interval(n_resamples=20, method=method) == found


@every_case
def test_intervals_of_sums_match_scores(case):
    plain, labels = twice(case)
    n = len(plain)
    names = [name for name, m in plain.measures.items() if m.has_interval and isinstance(m, SumMeasure)]
    for groups, units in ((None, n), (labels, n // 2)):
        scores = plain.with_groups(groups)
        sums = [PartialSums.of(scores.take(rows), names) for rows in np.array_split(np.arange(n)[::-1], 3)]
        whole = PartialSums.concat(sums)
        assert len(whole) == units  # each has a bucket of its own
        found, expected = whole.interval(), scores.interval(names=names)
        for name, interval in found.items():
            assert interval == pytest.approx(expected[name], abs=1e-12, nan_ok=True), name
            assert (interval.method, interval.rarest) == (expected[name].method, expected[name].rarest), name
            assert interval.few_vary == expected[name].few_vary, name


@every_case
def test_copies_of_examples_in_groups_change_no_test_and_no_interval(case):
    once = systems_of(case)
    twice = systems_of(case, copies=2, groups=[f"g{row}" for row in range(len(case.rows))] * 2)
    plain = {one.measure: one for one in qassay.compare(once, "all", **QUICK).differences}
    for found in qassay.compare(twice, "all", **QUICK).differences:
        other = plain[found.measure]
        assert (found.n, found.n_groups) == (2 * other.n, other.n)
        assert found.test == other.test in ("exact permutation", "rule of three")
        if not found.n:
            continue
        assert found.p_value == pytest.approx(other.p_value, rel=1e-9), found.measure
        if isinstance(once["a"].measures[found.measure], SumMeasure):
            assert found.interval == pytest.approx(other.interval, abs=1e-9), found.measure


# --- what carries groups, and their forms -----------------------------------------------------------------------------


@every_case
def test_slices_parts_and_copies_carry_groups(case):
    scores, labels = twice(case)
    n = len(scores)
    assert scores.groups.listed() == labels
    assert scores.take([n - 1, 0]).groups.listed() == [labels[n - 1], labels[0]]
    assert scores.subset(np.arange(n) < 2).groups.listed() == labels[:2]
    assert {value: part.groups.labels for value, part in scores.by(labels).items()} == {g: (g,) for g in labels}
    parts = [scores.take(range(1)), scores.take(range(1, n))]
    assert Scores.concat(parts) == scores == Scores.concat(parts[::-1])
    assert scores != scores.with_groups(None) and scores != scores.with_groups([*labels[1:], labels[0]])
    copy = pickle.loads(pickle.dumps(scores))
    assert copy == scores and copy.interval(n_resamples=5) == scores.interval(n_resamples=5)
    for table in (scores.per_example()["group"], scores.to_pandas()["group"].tolist(), scores.to_arrow()["group"]):
        assert (table.to_pylist() if hasattr(table, "to_pylist") else table) == labels
    with pytest.raises(ValueError, match="part 1 has no groups"):
        Scores.concat([parts[0], parts[1].with_groups(None)])


@pytest.mark.parametrize("name", ["answers", "drop", "similarity", "equivalence", "rankings", "factoids", "pipelines"])
def test_groups_of_rows_that_are_omitted_are_gone(name):
    case = CASES[name]
    rows, labels = [0, 1, 0, 1], {"q0": "a", "q1": "b", "q2": "c", "q3": "b"}
    references = {f"q{place}": case.rows[row][2] for place, row in enumerate(rows)}
    predictions = {f"q{place}": case.rows[row][0] for place, row in enumerate(rows) if place != 2}
    options = {**case.options, "missing": "skip"}
    for groups in (labels, list(labels.values())):
        scores = qassay.score(case.metric, predictions, references, groups=groups, **options)
        assert list(scores.ids) == ["q0", "q1", "q3"] and scores.groups.listed() == ["a", "b", "b"]
    del predictions["q0"]
    with pytest.raises(ValueError, match="all 2 examples are in one group, 'b'"):
        qassay.score(case.metric, predictions, references, groups=labels, **options)


@pytest.mark.parametrize("name", ["answers", "similarity", "equivalence", "pipelines"])
def test_groups_of_duplicates_match_the_row_that_counts(name):
    case = CASES[name]
    rows = [case.rows[0], case.rows[1], case.rows[0]]
    columns = {"predictions": [row[0] for row in rows], "references": [row[2] for row in rows], "ids": [1, 2, 1]}
    for keep, labels in (("first", ["a", "b"]), ("last", ["b", "c"])):
        scores = qassay.score(case.metric, **columns, groups=["a", "b", "c"], duplicates=keep, **case.options)
        assert scores.groups.listed() == labels


@pytest.mark.parametrize("name", FEW)
def test_a_stream_joins_the_groups_of_its_batches(name):
    case, classes = CASES[name], {"labels": CLASSES[name]} if name in CLASSES else {}
    stream = qassay.stream(case.metric, **case.options, **classes)

    def batch(place):
        return {"predictions": {f"q{place}": case.rows[place][0]}, "references": {f"q{place}": case.rows[place][2]}}

    stream.add(**batch(0), groups=["a"])
    assert stream.scores().groups.labels == ("a",)
    with pytest.raises(ValueError, match="batch 2 has no groups"):
        stream.add(**batch(1))
    stream.add(**batch(1), groups=["b"])
    assert stream.scores() == case.score(rows=[0, 1], groups=["a", "b"], **classes)


# --- the evaluate module ----------------------------------------------------------------------------------------------


@every_module
def test_the_module_takes_a_column_of_groups(module):
    metric, n = module.load(), len(module.ids)
    labels = ["a", "a", *["b"] * (n - 2)]
    scores = module.score(groups=labels)
    given = {"ids": module.ids, "groups": labels}
    found = metric.compute(**module.given, **given, confidence=0.9, per_example=True)
    assert found["per_example"]["group"] == labels
    low, high = scores.interval(confidence=0.9)[module.key]
    assert (found[f"{module.key}_low"], found[f"{module.key}_high"]) == (low, high)
    assert (low, high) != module.score().interval(confidence=0.9)[module.key]
    for rows in ([0], range(1, n)):
        metric.add_batch(**module.part(rows), **{name: [column[row] for row in rows] for name, column in given.items()})
    assert same(metric.compute(confidence=0.9, per_example=True), found)
    metric.add(prediction=module.given["predictions"][0], reference=module.given["references"][0], groups="a")
    with pytest.raises(ValueError, match="the columns predictions, references"):
        metric.add_batch(**module.given)
    metric.compute()
    for wrong, told in ((["a"] * n, "in one group, 'a'"), (labels[1:], "different lengths"), ([None] * n, "is empty")):
        with pytest.raises(ValueError, match=told):
            metric.compute(**module.given, groups=wrong)


# --- bounds of measures -----------------------------------------------------------------------------------------------


def bounded(scores: Scores) -> None:
    for name, measure in scores.measures.items():
        low, high = measure.bounds or (-math.inf, math.inf)
        values = measure.by_example(scores.rows)
        values = np.array([]) if values is None else values[~np.isnan(values)]
        if scores[name] is None:
            continue
        for value in (scores[name], *values.tolist()):
            assert low - 1e-12 <= value <= high + 1e-12, (name, value)
        if measure.has_interval:
            ends = scores.interval(names=[name], n_resamples=10)[name]
            assert math.isnan(ends.low) or low - 1e-12 <= ends.low <= scores[name] + 1e-12, name
            assert math.isnan(ends.high) or scores[name] - 1e-12 <= ends.high <= high + 1e-12, name


@every_case
def test_values_lie_within_the_bounds_of_their_measure(case):
    n = len(case.rows)
    for wrong in ([0], range(n)):
        bounded(case.score(wrong=wrong, weights=[2, *[0.5] * (n - 1)]))
