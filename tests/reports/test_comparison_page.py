"""Pages of comparisons: self-contained, safe with any text, complete in their numbers."""

import dataclasses
import math
import re

import numpy as np

from qassay.core.interval_settings import Intervals
from qassay.core.intervals import Interval
from qassay.reports.comparison import Change, ComparisonReport, Disagreement
from qassay.reports.comparison_page import comparison_page
from qassay.reports.values import Cell, ValuesReport
from qassay.stats.difference import Difference

from .html_reader import read_page, table_rows

SECTIONS = ["verdict", "measures", "differences", "kinds", "slices", "changes", "examples", "counted", "made"]
ATTACK = """<script>alert(1)</script><img src="http://evil.example/x" onerror='x'>&amp;"></svg></pre></style>\ud800\x00\u202e"""


def difference(measure="f1", first="small", second="large", **fields):
    known = {
        "n": 64,
        "left_out": 0,
        "values": (0.5, 0.7374),
        "intervals": ((0.41, 0.59), (0.65, 0.82)),
        "difference": 0.2374,
        "interval": (0.1463, 0.3321),
        "p_value": 0.0001,
        "p_adjusted": 0.0002,
        "test": "permutation",
        "wins": 22,
        "ties": 37,
        "losses": 5,
        "effect_size": 0.6123,
        "n_needed": 21,
    }
    known |= fields
    if known["interval"] is not None:
        known["interval"] = Interval(*known["interval"], "wilson")
    return Difference(measure, first, second, **known)


CHANCE = {"difference": 0.01, "interval": (-0.05, 0.07), "p_value": 0.5, "p_adjusted": 1.0, "n_needed": 1234}


def said(answers):
    """A text as the only answer, "" as none; several as they are."""
    return [answers] * bool(answers) if isinstance(answers, str) else list(answers)


def example(place=0, question="Where is the tower?", gold=("the old Tower",), answers=("tower hill", ""), kinds=True):
    kinds = ("too long", "gave no answer") if kinds else None
    return Disagreement(f"id-{place}", (1.0, 0.25), question, list(gold), tuple(map(said, answers)), kinds)


def change(measure="f1", first="small", second="large", **fields):
    known = {
        "metric": "answer_match",
        "changes": np.array([1.0, 0.5, 0.0, -0.75]),
        "losses": [example()],
        "gains": [example(1, answers=("", "Tower"))],
        "are_texts": True,
    }
    return Change(measure=measure, first=first, second=second, **{**known, **fields})


def report_of(systems=("small", "large"), differences=None, metric="answer_match", scale=1, confidence=0.95, **fields):
    pairs = [(a, b) for i, a in enumerate(systems) for b in systems[i + 1 :]]
    differences = [difference(first=a, second=b) for a, b in pairs] if differences is None else differences
    cells = {
        system: {"f1": Cell(0.5 + place / 10, (0.4, 0.9), 64, True), "num_q": Cell(64, None, 64, False)}
        for place, system in enumerate(systems)
    }
    notes = {system: {"missing": 3} for system in systems}
    remarks = [f"{systems[0]}: 3 without a prediction: scored 0"]
    signature = {metric: f"{metric}|norm:squad|v:0.1.0"}
    known = {
        "report": ValuesReport(signature, cells, {}, notes, remarks, scale, Intervals(confidence, seed=17)),
        "differences": differences,
        "slices": {
            "question_word": {
                "who": [difference(first=a, second=b, n=40) for a, b in pairs],
                "why": [difference(first=a, second=b, n=7, **CHANCE) for a, b in pairs],
            }
        },
        "kinds": {metric: {system: {"correct": 30, "too long": 34} for system in systems}},
        "changes": [change(first=a, second=b, metric=metric) for a, b in pairs],
        "test": "permutation",
        "correction": "holm",
        "n_permutations": 10_000,
        "gold": "gold.json",
        "command": "qassay compare gold.json small.json large.json --seed 17",
        "remarks": ["large: 2 examples omitted"],
        "examples_name": "questions",
    }
    return ComparisonReport(**{**known, **fields})


def read(report):
    return read_page(comparison_page(report))


def test_a_measure_that_cannot_be_compared_has_no_difference():
    nan = math.nan
    none = {"values": (nan, nan), "intervals": ((nan, nan),) * 2, "difference": nan, "interval": (nan, nan)}
    counts = {"wins": None, "ties": None, "losses": None, "effect_size": math.inf, "n_needed": None}
    nothing = difference(**none, **counts, p_value=nan, p_adjusted=nan)
    page = read(report_of(differences=[nothing], slices={"s": {"x": [nothing]}}))
    assert "differences" not in page.sections and "slices" in page.sections
    assert "adjusted" not in read(report_of(correction="none")).text


def test_the_table_has_every_number():
    page = read(report_of())
    _, row, counts = table_rows(page.page, "<span>Values of both systems")
    assert row == (
        ["f1", "64", "0.5000 0.4100 to 0.5900", "0.7374 0.6500 to 0.8200", "+0.2374 +0.1463 to +0.3321", "0.0001"]
        + ["0.0002 *", "likely better", "22 / 37 / 5", "+0.61", "21"]
    )
    assert counts == ["num_q", "64", "64", "64"] + ["–"] * 7
    _, who, why = table_rows(page.page, "<span>By question_word")
    assert (who[:3], why[:3]) == (["who", "f1", "40"], ["why", "f1", "7 few"])
    assert why[5:] == ["+0.0100 −0.0500 to +0.0700", "0.5000", "1.0000", "could be chance"]


def test_numbers_follow_the_scale_and_counts_have_no_decimals():
    percent = difference(values=(50.0, 73.741), intervals=((41.0, 59.0), (65.0, 82.0)), difference=23.741)
    percent = dataclasses.replace(percent, interval=(14.63, 33.21))
    count = difference("num_ret", values=(1200.0, 1350.0), difference=-0.0, interval=(-3.5, 4.0), is_rate=False)
    rows = table_rows(read(report_of(differences=[percent, count], scale=100)).page, "<span>Values of both systems")
    assert rows[1][2:5] == ["50.00 41.00 to 59.00", "73.74 65.00 to 82.00", "+23.74 +14.63 to +33.21"]
    assert rows[3][:5] == ["num_ret", "64", "1,200 0.4100 to 0.5900", "1,350 0.6500 to 0.8200", "0 −3.5000 to +4"]


def test_hostile_texts_stay_texts_everywhere():
    systems = tuple(f"{place}{ATTACK}" for place in range(5))
    measure, texts = f"m{ATTACK}", ([f"x{ATTACK}"], [ATTACK, "", f"g{ATTACK}"])
    bad = Disagreement(f"i{ATTACK}", (1.0, 0.0), f"q{ATTACK}", [f"g{ATTACK}"], texts, (ATTACK, ATTACK))
    unasked = dataclasses.replace(bad, question=None)
    base = report_of(systems)
    pairs = [{"first": a, "second": b} for i, a in enumerate(systems) for b in systems[i + 1 :]]
    ones = [difference(measure, **pair, test=ATTACK, left_out=2) for pair in pairs]
    others = [difference(f"n{ATTACK}", **pair, difference=place % 2 * math.nan) for place, pair in enumerate(pairs)]
    values = dataclasses.replace(
        base.report,
        systems={name: {measure: Cell(0.5, (0.4, 0.6), 9, True)} for name in systems},
        signatures={"answer_match": ATTACK, ATTACK: ATTACK},
        notes={name: {ATTACK: 2} for name in systems},
        remarks=[ATTACK],
    )
    changes = [
        change(name, **pair, losses=[bad, unasked], gains=[bad], are_texts=are_texts)
        for pair in pairs
        for name, are_texts in ((measure, True), (f"n{ATTACK}", False))
    ]
    known = dict.fromkeys(("test", "correction", "gold", "command"), ATTACK)
    known |= {"report": values, "differences": [*ones, *others], "changes": changes, "remarks": [ATTACK]}
    known |= {"slices": {f"s{ATTACK}": {f"l{ATTACK}": [*ones, *others]}}}
    known |= {"kinds": {metric: {name: {ATTACK: 3, "ok": 1} for name in systems} for metric in (ATTACK, "plain")}}
    page = read(dataclasses.replace(base, **known))
    assert page.sections == SECTIONS
    assert page.page.count("<script") == 0 and "<img" not in page.page and not re.search("[\x00\u202e]", page.page)
