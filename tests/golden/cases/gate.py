"""qassay.testing.assert_not_worse and the stored baselines of the pytest plugin: verdicts, intervals, numbers of examples needed."""

import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from _inputs import SAMPLES, columns_for, groups_of, rng
from _systems import of_difference, system

import qassay
from qassay.core.interval_settings import Intervals
from qassay.testing import assert_not_worse

TOLERANCE = 1e-9

N = 60
MARGINS = (0, 0.01, 0.1, 0.3, 0.6)
SKILLS = {"better": 1.0, "alike": 0.5, "worse": 0.2}
COLUMNS = columns_for(N, "plain", "weights", "groups", "four groups")
MEASURES = {"answers": "f1", "labels": "error_rate", "rankings": "dcg@5", "sets of labels": "macro_f1", "grades": "f1"}


def judged(old: Any, new: Any, measure: str, margin: float, **asked: Any) -> list[Any]:
    """The verdict: "passes" with the difference and the largest losses, or "fails" with the numbers of the message."""
    try:
        found = assert_not_worse(new, old, measure, margin=margin, **asked)
    except AssertionError as error:
        return ["fails", *re.findall(r"[-+]?\d[\d,]*(?:\.\d+)?", str(error))]
    except ValueError:
        return ["refused"]
    of = found.difference
    return [
        "passes",
        *of_difference(of),
        *found.gains,
        str(found.n_needed),
        *(part for loss in found.losses for part in loss),
    ]


def verdict_of(old: Any, new: Any, measure: str, margin: float, **asked: Any) -> Any:
    """Everything that the gate knows of a pair, whether or not it passes."""
    from qassay.core.interval_settings import Intervals
    from qassay.stats.margin import judge_margins
    from qassay.stats.systems import answered_examples

    intervals = asked.pop("intervals", Intervals())
    systems, _ = answered_examples({"old": old, "new": new}, **asked)
    (found,) = judge_margins(systems, [(measure, margin)], intervals, common=asked.get("common", False))
    told = [
        *found.gains,
        *(str(value) for value in (found.is_not_worse, found.is_worse, found.has_no_change, found.n_needed)),
    ]
    return [*told, *of_difference(found.difference), *(part for loss in found.losses for part in loss)]


def of_margins() -> Iterator[tuple[str, Any]]:
    for columns_name, columns in COLUMNS.items():
        old = system("answers", N, "old", 0.6, **columns)
        for name, skill in SKILLS.items():
            new = system("answers", N, name, skill, **columns)
            for margin in MARGINS:
                found = verdict_of(old, new, "exact_match", margin)
                yield f"margins/{columns_name}/{name}/{margin}", found if margin == 0.1 else found[:6]
            yield f"asserted/{columns_name}/{name}", judged(old, new, "exact_match", 0.1)
    for kind, measure in MEASURES.items():
        old = system(kind, N, "old", 0.6)
        for name, skill in SKILLS.items():
            new = system(kind, N, name, skill)
            yield f"families/{kind}/{name}", verdict_of(old, new, measure, 0.1)
            yield f"asserted/{kind}/{name}", judged(old, new, measure, 0.1, confidence=0.8)
    old, new = system("answers", N, "old", 0.6), system("answers", N, "new", 0.6)
    for level in (0.5, 0.9, 0.999):
        yield f"level/{level}", verdict_of(old, new, "f1", 0.05, intervals=Intervals(level))
    yield "groups", verdict_of(old, new, "f1", 0.05, groups=groups_of(N))
    yield "the same", verdict_of(old, old, "f1", 0.05)
    yield "the same, of 3", verdict_of(system("answers", 3), system("answers", 3), "f1", 0.05)
    runs = [qassay.runs([system("answers", N, f"{name}{run}", 0.6) for run in range(3)]) for name in "ab"]
    yield "runs", verdict_of(*runs, "f1", 0.05)
    lacking = system("answers", N, "new", 0.6, but=range(8))
    yield "common", judged(old, lacking, "f1", 0.3, common=True)
    yield "lacking", judged(old, lacking, "f1", 0.3)


def of_absent() -> Iterator[tuple[str, Any]]:
    draw = rng("absent")
    golds = {f"q{row}": ["a"] for row in range(40)}
    old = {key: draw.choice("aab") for key in golds}
    new = {key: draw.choice("aaab") for key in list(golds)[:34]}
    scored = [qassay.score("answer_match", given, golds) for given in (old, new)]
    for asked in ({}, {"common": True}, {"count_absent": True}):
        yield f"absent/{', '.join(asked)}", judged(*scored, "exact_match", 0.4, **asked)
    files = [SAMPLES / "answers" / f"{name}_model.json" for name in ("small", "large")]
    gold = SAMPLES / "answers" / "gold.json"
    for measure in ("f1", "exact_match"):
        for margin in (0, 0.1):
            yield f"files/{measure}/{margin}", judged(*files, measure, margin, gold=gold)
            yield f"files turned/{measure}/{margin}", judged(*reversed(files), measure, margin, gold=gold)
    yield "files/runs", judged([*files], [*reversed(files)], "f1", 0.2, gold=gold)
    yield "files/normalizer", judged(*files, "f1", 0.1, gold=gold, normalizer="none")


def of_baselines() -> Iterator[tuple[str, Any]]:
    from qassay.check.baselines import BaselineGate

    draw = rng("baselines")
    golds = {f"q{row}": draw.choice([["a"], ["a b", "c"]]) for row in range(50)}
    old = {key: draw.choice(["a", "b", "c d"]) for key in golds}
    new = {key: draw.choice(["a", "a", "c", "b"]) for key in golds}
    with tempfile.TemporaryDirectory() as folder:
        gate = BaselineGate(folder, "tests/test_model.py::test_answers", update=True)
        gate("answer_match", old, golds, "f1", margin=0.1)
        gate("answer_match", {key: old[key] for key in list(old)[:40]}, golds, "f1", margin=0.1, name="partly")
        stored = {path.name: json.loads(path.read_text("utf-8")) for path in sorted(Path(folder).iterdir())}
        yield "baselines/stored", {name: list(answers.values()) for name, answers in stored.items()}
        gate = BaselineGate(folder, "tests/test_model.py::test_answers")
        for measure in ("f1", "exact_match", "recall"):
            found = gate("answer_match", new, golds, measure, margin=0.4, confidence=0.9)
            yield f"baselines/judged/{measure}", of_difference(found.difference)
        kept = {key: new[key] for key in stored["partly.json"] if stored["partly.json"][key] is not None}
        for asked in ({"common": True}, {"count_absent": True}):
            found = gate("answer_match", {**old, **kept}, golds, "f1", margin=0.5, name="partly", **asked)
            yield f"baselines/partly/{', '.join(asked)}", of_difference(found.difference)


CASES = of_margins, of_absent, of_baselines
