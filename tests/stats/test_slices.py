"""Comparisons: slices, changes of examples, tables; and what must not change a result: order, parts, names of classes."""

import dataclasses
import math
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qassay
from qassay.core.scores import Scores
from qassay.stats.paired_tests import PAIRED_TESTS
from qassay.stats.remarks import Remark

from .some_scores import compare_all, of_three_kinds, table

FAST = settings(max_examples=25, deadline=None)
FEW = {"n_resamples": 20, "n_permutations": 60}


SYSTEMS = {
    "a": table(ids=["q1", "q2", "q3", "q4"], x=[0, 1, 0, 1]),
    "b": table(ids=["q4", "q3", "q2", "q1"], x=[1, 1, 1, 1]),
}


@pytest.mark.parametrize(
    "by", [["easy", "hard", "hard", "easy"], {"q1": "easy", "q2": "hard", "q3": "hard", "q4": "easy", "q9": "?"}]
)
def test_slices_are_comparisons_of_their_examples(by):
    found = compare_all(SYSTEMS, by={"kind": by}, n_resamples=30)
    assert list(found.slices["kind"]) == ["easy", "hard"]
    for label, rows in (("easy", [0, 3]), ("hard", [1, 2])):
        (one,) = found.slices["kind"][label]
        parts = {"a": SYSTEMS["a"].take(rows), "b": SYSTEMS["b"].take([3 - row for row in rows])}
        (alone,) = compare_all(parts, n_resamples=30).differences
        assert dataclasses.replace(one, p_corrected=alone.p_corrected) == alone


def test_labels_go_with_the_first_system_where_examples_are_omitted():
    systems = {"a": SYSTEMS["a"], "b": SYSTEMS["b"].take([0, 2])}
    found = compare_all(systems, by={"kind": ["easy", "hard", "never", "easy"]}, **FEW)
    assert {label: group[0].n for label, group in found.slices["kind"].items()} == {"easy": 1, "hard": 1}


def test_labels_with_the_same_text_are_one_slice():
    found = compare_all(SYSTEMS, by={"kind": [1, "1", None, 2]}, **FEW)
    assert {label: group[0].n for label, group in found.slices["kind"].items()} == {"1": 2, "2": 1, "None": 1}


def test_slices_have_the_requested_and_applicable_measures():
    systems = {name: table(x=[0, 1, 1], y=[math.nan, 1, 0], z=[1, 1, 1]) for name in "ab"}
    found = compare_all(systems, by={"kind": [0, 1, 1]}, slice_measures=["x", "y"], **FEW)
    assert [one.measure for one in found.differences] == ["x", "y", "z"]
    assert {label: [one.measure for one in group] for label, group in found.slices["kind"].items()} == {
        "0": ["x"],
        "1": ["x", "y"],
    }


def test_subsets_as_slices():
    gold = {"q1": ["a"], "q2": [], "q3": ["b"]}
    systems = {
        name: qassay.score("answer_match", dict(zip(gold, answers, strict=True)), gold)
        for name, answers in (("a", ["a", "", "c"]), ("b", ["a", "x", "b"]))
    }
    found = qassay.compare(systems, by="has_answer", **FEW)
    n = {label: group[0].n for label, group in found.slices["has_answer"].items()}
    assert n == {"no": 1, "yes": 2}
    with pytest.raises(ValueError, match="abstained.*not the same in all systems"):
        qassay.compare(systems, by="abstained")


def test_changes_are_sorted_from_the_largest_loss():
    systems = {
        "a": table(ids=list("pqrst"), x=[1, 0, 0.5, math.nan, 0]),
        "b": table(ids=list("tsrqp"), x=[0, 1, 0.25, 1, 0]),
    }
    comparison = compare_all(systems, **FEW)
    ids, change = comparison.changes("x")
    assert (ids, change.tolist()) == (["p", "r", "t", "q"], [-1, -0.25, 0, 1])
    ids, change = comparison.changes("x", "b", "a")
    assert (ids, change.tolist()) == (["q", "t", "r", "p"], [-1, 0, 0.25, 1])
    with pytest.raises(ValueError, match="no system 'c'"):
        comparison.changes("x", "c")
    with pytest.raises(ValueError, match="no measure 'y'"):
        comparison.changes("y")


# Changes without effect on a result.

NUMBERS = st.sampled_from([0.0, 0.25, 1 / 3, 1.0, math.nan])
ROWS = st.lists(
    st.tuples(NUMBERS, NUMBERS, st.sampled_from([0.5, 1.0, 2.0]), st.sampled_from("abcd")), min_size=2, max_size=14
)
COLUMNS = st.sampled_from(["plain", "weights", "groups", "weights and groups"])


def two(rows, order, columns) -> dict[str, Scores]:
    """Two systems with a mean, a geometric mean and a best threshold, with rows in an order."""
    shared = {"ids": [f"q{row}" for row in order], "rows": order}
    if "weights" in columns:
        shared["weights"] = [rows[row][2] for row in order]
    if "groups" in columns and len({row[3] for row in rows}) > 1:
        shared["groups"] = {f"q{row}": rows[row][3] for row in order}
    return {name: of_three_kinds([rows[row][place] for row in order], **shared) for place, name in enumerate("ab")}


@FAST
@given(ROWS, st.randoms(use_true_random=False), COLUMNS, st.sampled_from(PAIRED_TESTS))
def test_order_parts_and_sides_change_nothing(rows, random, columns, test):
    order = list(range(len(rows)))
    systems = two(rows, order, columns)
    expected = compare_all(systems, test=test, **FEW)
    random.shuffle(order)
    shuffled = two(rows, order, columns)
    cut = random.randint(0, len(rows))
    parts = [shuffled["b"].take(range(cut)), shuffled["b"].take(range(cut, len(rows)))]
    found = compare_all({"a": shuffled["a"], "b": Scores.concat(parts)}, test=test, **FEW)
    assert repr((found.differences, found.unmatched, found.remarks)) == repr(
        (expected.differences, expected.unmatched, expected.remarks)
    )
    turned = compare_all(dict(reversed(systems.items())), test=test, **FEW).differences
    for one, other in zip(turned, expected.differences, strict=True):
        assert (one.n_groups, one.test, one.values) == (other.n_groups, other.test, other.values[::-1])
        if other.p_value is None:
            assert one == dataclasses.replace(other, first=other.second, second=other.first)
            continue
        assert one.difference == pytest.approx(-other.difference, abs=1e-12)
        assert one.p_value == pytest.approx(other.p_value, rel=1e-9) or test == "bootstrap"
        if one.measure != "best":  # whose interval needs draws, too
            assert one.interval == pytest.approx((-other.interval.high, -other.interval.low), abs=1e-9)


def test_a_remark_on_a_slice_keeps_its_slice():
    first, second = table(x=[0.0] * 6), table(x=[0.5] * 6)
    found = compare_all({"a": first, "b": second}, by={"half": list("aaabbb")}, test="t", **FEW)
    of_slices = [line for line in found.remarks if isinstance(line, Remark) and line.of_slice]
    assert of_slices and {line.of_slice for line in of_slices} == {"half"}
    assert [line.of_slice for line in pickle.loads(pickle.dumps(of_slices))] == ["half"] * len(of_slices)
    assert any("equal" in line for line in set(found.remarks) - set(of_slices))


def test_wrong_classes_that_only_one_system_finds_make_it_no_better():
    """hamming_loss is a share of the classes: with other classes found, it must not have another denominator."""
    gold = [["a"], ["b"], ["a", "b"], ["a"]]
    first = [["a"], ["a"], ["a"], ["b"]]
    second = [["a"], ["a"], ["a"], ["b", "z"]]
    systems = {
        name: qassay.score("label_metrics", sets, gold, task="multi") for name, sets in (("a", first), ("b", second))
    }
    for one in qassay.compare(systems, **FEW).differences:
        if one.measure == "hamming_loss":
            assert (one.better, one.equal, one.worse, one.winner) == (0, 3, 1, "a")
