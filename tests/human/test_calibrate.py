"""Measures corrected by human verdicts: groups, weights, what to label next, two systems."""

import dataclasses
import json
import pickle
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import qassay
from qassay.core.measures import Mean
from qassay.human.calibrate import at_random
from qassay.human.estimates import Sample, ppi
from qassay.human.tables import calibration_report
from qassay.results.writers import report_text

N = 240


@pytest.fixture(scope="module")
def scores():
    answers = [["Rome", "in Rome", "Paris"][row * 7 % 11 % 3] for row in range(N)]
    return qassay.score("answer_match", dict(enumerate(answers)), {row: ["Rome"] for row in range(N)})


@pytest.fixture(scope="module")
def labels():
    """People accept "in Rome", with a few errors."""
    said = {row: int(row * 7 % 11 % 3 < 2) for row in range(N)}
    return {row: 1 - said[row] if row % 13 == 5 else said[row] for row in range(N) if row % 5 < 2}


def test_calibration_of_one_measure(scores, labels):
    found = qassay.calibrate(scores, labels)
    assert (found.measure, found.method, found.n, found.n_labelled) == ("exact_match", "ppi", N, 96)
    assert found.measured == scores["exact_match"] and found.labelled == pytest.approx(np.mean(list(labels.values())))
    low, high = found.interval
    assert 0 < low < found.value < high < 1 and found.measured < low
    said, verdicts = scores.columns["exact_match"][list(labels)], np.array(list(labels.values()))
    agreement = found.agreement
    assert agreement.accuracy == pytest.approx(np.mean(said == verdicts))
    rates = said[verdicts == 1].mean(), 1 - said[verdicts == 0].mean()
    assert (agreement.sensitivity, agreement.specificity) == pytest.approx(rates)
    assert agreement.correlation == pytest.approx(np.corrcoef(said, verdicts)[0, 1])
    assert found == qassay.calibrate(scores, labels, "em")


def test_groups(scores, labels):
    single = qassay.calibrate(scores, labels, groups=[f"g{row}" for row in range(N)])
    assert single == qassay.calibrate(scores, labels)  # bit for bit
    groups = {row: row // 6 for row in range(N)}
    found = qassay.calibrate(scores, labels, groups=groups)
    assert (found.n_groups, found.n_labelled_groups, found.interval.method) == (40, 40, "adjusted t by groups")
    assert found == qassay.calibrate(scores.with_groups(groups), labels)
    assert found.value == single.value and found.interval != single.interval


def test_weights(scores, labels):
    answers = [["Rome", "in Rome", "Paris"][row * 7 % 11 % 3] for row in range(N)]
    weighted = qassay.score("answer_match", answers, [["Rome"]] * N, weights=[2.0] * N)
    assert qassay.calibrate(weighted, labels).interval == pytest.approx(qassay.calibrate(scores, labels).interval)
    zeros = qassay.score("answer_match", answers, [["Rome"]] * N, weights=[float(row < 120) for row in range(N)])
    found = qassay.calibrate(zeros, labels)
    assert found.n == 120 and found.n_labelled == 48
    in_pairs = qassay.calibrate(zeros, labels, groups=[row % 120 for row in range(N)])  # one of each has a weight
    assert in_pairs == found


def test_a_measure_on_0_to_100_gives_the_same(scores, labels):
    hundredfold = dataclasses.replace(scores, measures={"f1": Mean("f1", scale=100.0)})
    assert hundredfold["f1"] == pytest.approx(100 * scores["f1"])
    expected = qassay.calibrate(scores, labels, "f1", lam=1)
    found = qassay.calibrate(hundredfold, labels, ["f1"], lam=1)["f1"]
    numbers = (expected.measured, expected.value, *expected.interval)
    assert (found.measured, found.value, *found.interval) == pytest.approx(numbers, abs=1e-12)


def test_a_measure_of_a_part_of_the_examples():
    answers = {row: "Rome" if row % 3 else "" for row in range(60)}
    scores = qassay.score("answer_match", answers, {row: ["Rome"] if row % 2 else [] for row in range(60)})
    found = qassay.calibrate(scores, {row: row % 3 > 0 for row in range(50)}, "has_answer_f1")
    assert (found.n, found.n_labelled) == (30, 25)
    assert all(row % 2 for row in found.to_next(30)) and len(found.to_next(30)) == 5
    with pytest.raises(ValueError, match="9 labels .*has_answer_f1"):
        qassay.calibrate(scores, {row: 1 for row in range(18)}, "has_answer_f1")


def test_what_to_label_next(scores, labels):
    found = qassay.calibrate(scores, labels)
    chosen = found.to_next(7)
    assert len(set(chosen)) == 7 and not labels.keys() & set(chosen) and set(chosen) <= set(scores.ids)
    assert chosen == found.to_next(7) and chosen[:3] == found.to_next(3) and chosen != found.to_next(7, seed=1)
    order = np.argsort([row * 7 % N for row in range(N)], kind="stable")
    assert qassay.calibrate(scores.take(order), labels).to_next(7) == chosen
    assert qassay.calibrate(scores, {**labels, **dict.fromkeys(chosen[:3], 1)}).to_next(4) == chosen[3:]
    assert len(found.to_next(10_000)) == 144
    assert at_random(["1", "2", "3"], 3) == list(map(str, at_random([1, 2, 3], 3)))
    for wrong in (0, 2.5):
        with pytest.raises(ValueError, match="k must be"):
            found.to_next(wrong)


def test_a_measure_that_does_not_help_gives_the_mean_of_the_labels(scores, labels):
    everything = qassay.calibrate(scores, [labels.get(row, 1) for row in range(N)])
    assert (everything.value, everything.interval) == (everything.labelled, everything.labelled_interval)
    assert everything.to_next(5) == []
    same = qassay.score("answer_match", ["Rome"] * 40, [["Rome"]] * 40)
    useless = qassay.calibrate(same, [row % 2 for row in range(30)] + [None] * 10)
    assert useless.interval == useless.labelled_interval and useless.saved == 0
    one_left = {"lam": 1}, [labels.get(row, 1) for row in range(N - 1)] + [None], None
    one_group = {}, [labels.get(row, 1) for row in range(N - 9)] + [None] * 9, [row // 10 for row in range(N)]
    for settings, given, groups in (one_left, one_group):  # so that the spread of the rest is unknown
        nearly = qassay.calibrate(scores, given, groups=groups, **settings)
        assert nearly.lam == 0 and nearly.interval == nearly.labelled_interval
    assert qassay.calibrate(scores, {row: 1 - label for row, label in labels.items()}).lam < 0


RIGHT_OR_WRONG = {"method": "rogan_gladen"}


def test_all_measures_of_right_and_wrong(scores, labels):
    judged = qassay.calibrate(scores, labels, ["all"], **RIGHT_OR_WRONG)
    assert "exact_match" in judged and not judged.keys() & {"f1", "precision", "no_answer_exact_match"}


@pytest.mark.parametrize(
    ("changed", "settings", "message"),
    [
        ({}, {"measure": "f2"}, "'f2'"),
        ({}, {"lam": 1, **RIGHT_OR_WRONG}, "lam"),
        ({}, {"measure": "f1", **RIGHT_OR_WRONG}, "f1"),
        ({0: 0.5}, RIGHT_OR_WRONG, "needs 0 or 1 as every .* label"),
        (lambda labels: dict.fromkeys(labels, 1), RIGHT_OR_WRONG, "labels of both kinds"),
        (lambda labels: {row: 1 - label for row, label in labels.items()}, RIGHT_OR_WRONG, "chance"),
    ],
)
def test_what_is_refused(scores, labels, changed, settings, message):
    given = changed(labels) if callable(changed) else {**labels, **changed}
    with pytest.raises(ValueError, match=message):
        qassay.calibrate(scores, given, **settings)


@pytest.mark.parametrize(
    ("given", "more", "error", "message"),
    [
        (lambda scores, labels: ({"a": labels}, {"a": labels}), {}, TypeError, "scores must be Scores"),
        (lambda scores, labels: (qassay.runs({"a": scores, "b": scores}), labels), {}, ValueError, r"each_run\(\)"),
        (lambda scores, labels: (dict.fromkeys("abc", scores), dict.fromkeys("abc", labels)), {}, ValueError, "got a dict of 3"),
        (lambda scores, labels: (dict.fromkeys("ab", scores), labels), {}, ValueError, "'a'.*'b'"),
        (lambda scores, labels: (dict.fromkeys("ab", scores), dict.fromkeys("ab", labels)), {"method": "rogan_gladen"}, ValueError, "rogan_gladen"),
        (lambda scores, labels: (scores, {row: row % 2 for row in range(12)}), {"groups": [row // 12 for row in range(N)]}, ValueError, "labels .* one group"),
    ],
)  # fmt: skip
def test_input_that_is_refused(scores, labels, given, more, error, message):
    with pytest.raises(error, match=message):
        qassay.calibrate(*given(scores, labels), **more)


# --- two systems ------------------------------------------------------------------------------------------------------


def answered(rows, shift, gold="Rome"):
    """Answers by id; `shift` selects the part of the questions with right answers."""
    return {row: gold if row * 7 % 11 < 4 + shift else "Paris" for row in rows}


@pytest.fixture(scope="module")
def pair():
    """The scores of two systems, and labels of people, who also take some other answers."""
    rows = range(N)
    systems = {
        f"s{shift}": qassay.score("answer_match", answered(rows, shift), {r: ["Rome"] for r in rows})
        for shift in (0, 3)
    }
    labels = {
        name: {row: max(value, row % 13 == 5) for row, value in zip(scores.ids, scores.columns["exact_match"]) if row % 5 < 2}
        for name, scores in systems.items()
    }  # fmt: skip
    return systems, labels


def test_the_difference_of_two_systems(pair):
    systems, labels = pair
    found = qassay.calibrate(systems, labels, "exact_match")
    first, second = (qassay.calibrate(systems[name], labels[name], "exact_match") for name in systems)
    assert (found.measure, found.system, found.first, found.second) == ("exact_match", None, "s0", "s3")
    assert found.measured == pytest.approx(second.measured - first.measured)
    assert found.labelled == pytest.approx(second.labelled - first.labelled)
    turned = qassay.calibrate(dict(reversed(systems.items())), labels, "exact_match")
    ends = -found.value, -found.interval[1], -found.interval[0]
    assert (turned.value, *turned.interval) == pytest.approx(ends, abs=1e-12)
    assert found.standard_error < np.hypot(first.standard_error, second.standard_error)  # paired
    assert not set(found.to_next(10)) & set(labels["s0"])


@pytest.mark.thorough
def test_intervals_of_differences_cover():
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(300):
        verdicts = (rng.random((2, 500)) < [[0.7], [0.75]]) | (rng.random(500) < 0.2)
        judged = np.where(rng.random((2, 500)) < 0.9, verdicts, ~verdicts).astype(float)
        change = np.where(np.arange(500) < 100, verdicts[1] * 1.0 - verdicts[0], np.nan)
        low, high = ppi(Sample(judged[1] - judged[0], change, np.ones(500), None, (-1.0, 1.0)), None, 0.95).interval
        hits += low <= 0.04 <= high
    assert hits >= 0.93 * 300


def test_a_calibration_is_stored_and_shown(scores, labels):
    found = qassay.calibrate(scores, labels, "f1")
    assert ET.fromstring(found._repr_html_()).tag == "div"
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["interval"] == list(found.interval) and not any(name.startswith("_") for name in plain)
    assert plain["agreement"]["correlation"] == found.agreement.correlation
    again = pickle.loads(pickle.dumps(found))
    assert again == found and again.to_next(3) == found.to_next(3)
    hostile = report_text(calibration_report([dataclasses.replace(found, measure="<b>|&")]), "html")
    assert "<b>" not in hostile and "&lt;b&gt;|&amp;" in hostile
