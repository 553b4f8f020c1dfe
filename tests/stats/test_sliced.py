"""Slices computed together have the numbers of slices computed one by one."""

import dataclasses

import numpy as np
import pytest

import qassay
from qassay.stats import compare as compare_module


def systems(seed, n=240, graded=True):
    rng = np.random.default_rng(seed)
    words = ["a", "a b", "a b c", "x"]
    gold = {f"q{row}": ["a b c"] if rng.random() < 0.8 else [] for row in range(n)}

    def answers(skill):
        drawn = rng.random(n)
        return {
            name: ("a b c" if gold[name] else "") if value < skill else words[int(rng.integers(4 if graded else 1))]
            for name, value in zip(gold, drawn, strict=True)
        }

    return {name: qassay.score("answer_match", answers(skill), gold) for name, skill in (("A", 0.4), ("B", 0.6))}


def one_by_one(monkeypatch, *args, **kwargs):
    with monkeypatch.context() as patched:
        patched.setattr(compare_module, "are_summed", lambda *_: False)
        return qassay.compare(*args, **kwargs)


@pytest.mark.parametrize(("seed", "graded"), [(0, True), (1, True), (2, False)])
def test_together_as_one_by_one(monkeypatch, seed, graded):
    scored = systems(seed, graded=graded)
    labels = np.random.default_rng(seed).integers(0, 7, 240).astype(str)
    labels[:2] = "two"
    settings = {"measures": ["exact_match", "f1", "has_answer_f1"], "by": {"kind": labels.tolist()}}
    together = qassay.compare(scored, **settings, n_permutations=200_000)
    apart = one_by_one(monkeypatch, scored, **settings, n_permutations=200_000)
    assert list(together.slices["kind"]) == list(apart.slices["kind"])
    for label, expected in apart.slices["kind"].items():
        for one, other in zip(together.slices["kind"][label], expected, strict=True):
            for field in dataclasses.fields(one):
                value, other_value = getattr(one, field.name), getattr(other, field.name)
                if field.name in ("p_value", "p_corrected"):
                    exact = one.test == other.test == "exact permutation" and field.name == "p_value"
                    assert value == pytest.approx(other_value, rel=1e-9 if exact else 0.1, abs=0 if exact else 2e-2)
                elif field.name in ("values", "interval", "intervals", "difference", "effect_size"):
                    assert np.allclose(
                        np.array(value, float), np.array(other_value, float), rtol=0, atol=1e-12, equal_nan=True
                    )
                elif field.name != "cautions":  # degrees of freedom of exactly 10 are less than 10 by rounding
                    assert value == other_value, field.name


def test_p_depends_on_no_order_and_no_other_slice():
    scored = systems(3, n=400)
    labels, third = ({f"q{row}": str(row % size) for row in range(400)} for size in (2, 3))
    order = np.random.default_rng(1).permutation(400)

    def found(given, measures=("f1",), **more):
        slices = qassay.compare(given, list(measures), {**more, "half": labels}, n_permutations=500).slices["half"]
        return [(one.test, one.p_value) for group in slices.values() for one in group if one.measure == "f1"]

    expected = found(scored)
    assert {test for test, _ in expected} == {"permutation"}
    assert found({name: scores.take(order) for name, scores in scored.items()}) == expected
    assert found(dict(reversed(scored.items()))) == expected
    assert found(scored, ("f1", "exact_match"), third=third) == expected


def test_a_label_without_an_example_of_a_measure():
    gold = {"q1": ["a"], "q2": [], "q3": ["b"], "q4": []}
    scored = {name: qassay.score("answer_match", dict.fromkeys(gold, name), gold) for name in "ab"}
    found = qassay.compare(scored, ["f1", "has_answer_f1"], "has_answer").slices["has_answer"]
    assert [one.measure for one in found["no"]] == ["f1"]
    assert [one.measure for one in found["yes"]] == ["f1", "has_answer_f1"]
