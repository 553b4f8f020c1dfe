"""Reports of comparisons: what is compared, what is told, which examples are shown."""

import csv
import dataclasses
import io
import json
import re
from pathlib import Path

import pytest

import qassay
from qassay.core.interval_settings import Intervals
from qassay.files.score_files import Scored, open_files, score_golds
from qassay.reports.comparison import build_comparison
from qassay.results.document import compare_document
from qassay.results.tables import differences_of
from qassay.results.text import render
from qassay.stats.difference import ComparisonSettings

QUICK = ComparisonSettings(intervals=Intervals(n_resamples=50), n_permutations=200)


def compared(folder: Path, gold, *systems, metric="answer_match", **options) -> Scored:
    paths = []
    for name, answers in {"gold": gold, **dict(systems)}.items():
        paths.append(folder / f"{name}.json")
        paths[-1].write_text(json.dumps(answers), encoding="utf-8")
    given = open_files(metric, str(paths[0]), [str(path) for path in paths[1:]], {})
    (scored,) = score_golds(given.golds, given.files, options={metric: options})
    return scored


GOLD = [{"id": f"q{i}", "question": f"What is {i}?", "references": [f"number {i}"]} for i in range(12)]
RIGHT = {row["id"]: row["references"][0] for row in GOLD}


@pytest.fixture
def one(tmp_path):
    worse = {**RIGHT, "q3": "nothing", "q5": "number"}
    better = {**RIGHT, "q7": "number 7 of them"}
    return compared(tmp_path, GOLD, ("worse", worse), ("better", better))


def test_losses_and_gains_are_shown_with_their_texts(one):
    (change,) = build_comparison([one], settings=QUICK).changes
    assert change.normalizer.name == "squad" and change.are_texts
    assert (change.metric, change.measure, change.first, change.second) == ("answer_match", "f1", "worse", "better")
    assert [shown.id for shown in change.gains] == ["q3", "q5"]
    assert [shown.id for shown in change.losses] == ["q7"]
    gain = change.gains[0]
    assert (gain.question, gain.gold, gain.answers) == ("What is 3?", ["number 3"], (["nothing"], ["number 3"]))
    assert gain.values == (0.0, 1.0) and gain.kinds == ("no shared word", "correct")
    assert change.changes.tolist() == sorted(change.changes, reverse=True) and len(change.changes) == 12
    turned = change.turned()
    assert ([shown.id for shown in turned.losses], turned.losses[0].values) == (["q3", "q5"], (1.0, 0.0))


def test_examples_that_a_system_lacks_are_omitted_with_a_remark(tmp_path):
    part = {name: text for name, text in RIGHT.items() if name not in ("q1", "q2")}
    one = compared(tmp_path, GOLD, ("whole", RIGHT), ("part", part))
    skipped = {
        name: system._replace(scores=qassay.score("answer_match", **one.gold.columns, **system.columns, missing="skip"))
        for name, system in one.systems.items()
    }
    report = build_comparison([one._replace(systems=skipped)], settings=QUICK)
    assert {difference.n for difference in report.differences} == {10}
    assert report.remarks == ["whole: 2 questions omitted because another system lacks them"]
    assert report.report.notes["part"] == {"skipped": 2}
    found = compare_document([one._replace(systems=skipped)], QUICK)
    texts = [*(render(found, form) for form in ("table", "markdown", "latex"))]
    assert all("2 questions omitted" in text for text in texts)


def test_slices_must_not_depend_on_the_systems(one):
    with pytest.raises(ValueError, match="'error_kind'.*'q3'"):
        build_comparison([one], ["error_kind"], settings=QUICK)


def test_lower_is_better(tmp_path):
    gold = [{"id": str(i), "reference": ["a", "b"][i % 2]} for i in range(8)]
    good = [{"id": str(i), "prediction": ["a", "b"][i % 2]} for i in range(8)]
    bad = [{"id": str(i), "prediction": "a"} for i in range(8)]
    one = compared(tmp_path, gold, ("bad", bad), ("good", good), metric="label_metrics")
    report = build_comparison([one], measures={"label_metrics": ["error_rate"]}, settings=QUICK)
    (difference,) = report.differences
    assert difference.values == (0.5, 0.0) and difference.lower_is_better
    assert (difference.wins, difference.ties, difference.losses, difference.better) == (4, 4, 0, "good")
    (change,) = report.changes
    assert [shown.id for shown in change.gains] == ["1", "3", "5", "7"] and change.losses == []
    settings = ComparisonSettings(correction="none", intervals=Intervals(0.8, n_resamples=50), n_permutations=200)
    for given, word in ((QUICK, ""), (settings, "better")):  # p = 0.125
        found = compare_document([one], given, measures=["error_rate"])
        assert [of.verdict for of in differences_of(found)] == [word]
    assert "**0.0000 (0.0000–0.1703)**" in render(found, "markdown")
    text = render(found, "table", n_texts=3)
    assert "largest gains of good against bad, error_rate (3 of 4)" in text
    assert re.findall(r"^  (\d)$", text, re.MULTILINE) == ["1", "3", "5"]


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_a_p_without_an_extreme_round_is_an_upper_bound(tmp_path, test):
    gold = [{**row, "id": f"q{place}"} for place, row in enumerate(GOLD * 5)]
    right = {row["id"]: row["references"][0] for row in gold}
    wrong = {key: f"{place * '1 '}number" if place > 4 else text for place, (key, text) in enumerate(right.items())}
    one = compared(tmp_path, gold, ("wrong", wrong), ("right", right))
    report = build_comparison([one], settings=dataclasses.replace(QUICK, test=test), measures={"answer_match": ["f1"]})
    assert [(difference.test, difference.p_value) for difference in report.differences] == [(test, 1 / 201)]
    found = compare_document([one], dataclasses.replace(QUICK, test=test), measures=["f1"])
    for form, text in (("table", "<= 0.0050"), ("markdown", "= 0.0050"), ("latex", "= 0.0050")):
        assert text in render(found, form), form
    assert next(csv.DictReader(io.StringIO(render(found, "csv"))))["p_adjusted"] == str(1 / 201)
    drawn, exact = (
        dataclasses.replace(report.differences[0], **known)
        for known in ({"p_value": 2 / 201}, {"test": "exact permutation"})
    )
    assert not drawn.is_least(200) and not exact.is_least(200)
