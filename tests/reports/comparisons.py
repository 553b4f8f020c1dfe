"""Comparisons built by hand, for tests of what shows them."""

import numpy as np

from qassay.comparison.difference import Difference
from qassay.core.interval_settings import Intervals
from qassay.core.intervals import Interval
from qassay.reports.comparison import Change, ComparisonReport, Disagreement
from qassay.reports.values import Cell, ValuesReport

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
