"""Reports of comparisons: what is compared, what is told, which examples are shown."""

import csv
import dataclasses
import io
import json
from pathlib import Path

import numpy as np
import pytest

import qassay
from qassay.comparison.difference import ComparisonSettings
from qassay.reports.comparison import build_comparison, correction_in_words
from qassay.reports.comparison_text import how_tested, render_comparison, verdict
from qassay.scoring import Scored, read_gold_for, score_golds
from qassay.system_files import system_files

FORMS = ("table", "markdown", "latex", "csv", "json", "html")
QUICK = ComparisonSettings(n_resamples=50, n_permutations=200)


def compared(folder: Path, gold, *systems, metric="answer_match", **options) -> Scored:
    paths = []
    for name, answers in {"gold": gold, **dict(systems)}.items():
        paths.append(folder / f"{name}.json")
        paths[-1].write_text(json.dumps(answers), encoding="utf-8")
    golds = read_gold_for(metric, str(paths[0]), {})
    files = system_files(golds, None, [str(path) for path in paths[1:]], {})
    (scored,) = score_golds(golds, files, options={metric: options})
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


def test_a_measure_of_no_example_is_a_dash(one):
    report = build_comparison([one], measures={"answer_match": ["exact_match", "no_answer_f1"]}, settings=QUICK)
    (nothing,) = (found for found in report.differences if found.measure == "no_answer_f1")
    assert nothing.n == 0 and nothing.better is None and np.isnan([nothing.difference, nothing.p_adjusted]).all()
    texts = {form: render_comparison(report, form) for form in FORMS}
    assert not any(">nan<" in text or " nan" in text or ",nan" in text for text in texts.values())
    assert (
        "| no_answer_f1 | 0 | – | – |" in texts["markdown"] and "no\\_answer\\_f1 & 0 & -- & -- \\\\" in texts["latex"]
    )
    assert ",,no_answer_f1,worse,better,0,0,,,,,,,,,,,," in texts["csv"]
    tree = json.loads(texts["json"], parse_constant=pytest.fail)
    assert tree["systems"]["worse"]["values"]["no_answer_f1"] is None


def test_the_number_of_texts_is_limited(one):
    (change,) = build_comparison([one], settings=QUICK, n_texts=1).changes
    assert [shown.id for shown in change.gains] == ["q3"] and len(change.losses) == 1
    (change,) = build_comparison([one], settings=QUICK, n_texts=0).changes
    assert not change.gains and not change.losses


def test_kinds_of_errors_are_in_one_order(one):
    kinds = build_comparison([one], settings=QUICK).kinds["answer_match"]
    assert list(kinds["worse"]) == list(kinds["better"]) == ["correct", "too long", "too short", "no shared word"]
    assert kinds["worse"] == {"correct": 10, "too long": 0, "too short": 1, "no shared word": 1}


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
    for form in FORMS:
        text = render_comparison(report, form)
        assert form == "csv" or "2 questions omitted" in text


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
    assert verdict(difference, report) == ""  # p = 0.125
    sure = build_comparison(
        [one], measures={"label_metrics": ["error_rate"]}, settings=QUICK._replace(level=0.8, correction="none")
    )
    assert verdict(sure.differences[0], sure) == "better"
    assert "**0.0000 (0.0000–0.1703)**" in render_comparison(sure, "markdown")


def test_no_name_in_csv_is_a_formula_and_numbers_keep_their_sign(tmp_path):
    wrong = {key: "nothing" for key in RIGHT}
    text = render_comparison(
        build_comparison([compared(tmp_path, GOLD, ("=cmd|x", RIGHT), ("@sum(a1)", wrong))], settings=QUICK), "csv"
    )
    row = next(row for row in csv.DictReader(io.StringIO(text)) if row["measure"] == "f1")
    assert (row["first"], row["second"]) == ("'=cmd|x", "'@sum(a1)")
    assert row["difference"] == "-1.0"


def test_one_example(tmp_path):
    one = compared(tmp_path, GOLD[:1], ("a", {"q0": "x"}), ("b", RIGHT))
    for test in ("permutation", "t", "mcnemar"):
        report = build_comparison([one], settings=QUICK._replace(test=test))
        assert {difference.p_value for difference in report.differences} == {1.0}
        for form in FORMS:
            assert "nan" not in render_comparison(report, form).lower().replace("finance", "")


def test_how_tested_names_the_test_the_rounds_the_seed_and_which_p_holm_corrects(tmp_path):
    """A measure of the ranks has one test, and Holm is named only for measures that have it."""
    worse = {key: "nothing" for key in RIGHT}
    one = compared(tmp_path, GOLD, ("worse", worse), ("right", RIGHT), ("good", {**RIGHT, "q3": "nothing"}))
    few = QUICK._replace(n_permutations=3, seed=7)
    report = build_comparison([one], measures={"answer_match": ["exact_match", "f1"]}, settings=few)
    assert {difference.test for difference in report.differences} == {"permutation", "exact permutation"}
    assert "3 rounds" in how_tested(report) and "seed 7" in how_tested(report)
    assert "Holm" not in correction_in_words(report) + how_tested(report)
    report = build_comparison([one], settings=QUICK)
    assert {one.measure for one in report.differences if one.n and not one.ranked} == {"contains"}
    assert "Holm over the 9 of the table, but exact_match, f1" in how_tested(report)
    report = build_comparison([one], settings=QUICK._replace(test="mcnemar", correction="none"))
    assert "McNemar's exact test; not corrected" in how_tested(report)


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_a_p_without_an_extreme_round_is_an_upper_bound(tmp_path, test):
    gold = [{**row, "id": f"q{place}"} for place, row in enumerate(GOLD * 5)]
    right = {row["id"]: row["references"][0] for row in gold}
    wrong = {key: f"{place * '1 '}number" if place > 4 else text for place, (key, text) in enumerate(right.items())}
    one = compared(tmp_path, gold, ("wrong", wrong), ("right", right))
    report = build_comparison([one], settings=QUICK._replace(test=test), measures={"answer_match": ["f1"]})
    assert [(difference.test, difference.p_value) for difference in report.differences] == [(test, 1 / 201)]
    for form, text in (("table", "<= 0.0050"), ("markdown", "= 0.0050"), ("html", "p ≤ 0.0050"), ("latex", "= 0.0050")):
        assert text in render_comparison(report, form), form
    assert json.loads(render_comparison(report, "json"))["differences"][0]["p_value"] == 1 / 201
    assert next(csv.DictReader(io.StringIO(render_comparison(report, "csv"))))["p_adjusted"] == str(1 / 201)
    drawn, exact = (
        dataclasses.replace(report.differences[0], **known)
        for known in ({"p_value": 2 / 201}, {"test": "exact permutation"})
    )
    assert not drawn.is_least(200) and not exact.is_least(200)


def test_rankings_of_one_list_of_ids_and_many_measures(tmp_path):
    qrels = {f"q{i}": {"d1": 1, "d2": 0} for i in range(5)}
    runs = [{f"q{i}": {"d1": 1.0, "d2": score} for i in range(5)} for score in (0.5, 2.0)]
    one = compared(tmp_path, qrels, ("good", runs[0]), ("bad", runs[1]), metric="retrieval_ranking")
    report = build_comparison([one], settings=QUICK)
    assert all(np.isfinite([*difference.interval, difference.p_value]).all() for difference in report.differences)
    (change,) = report.changes
    assert report.examples_name == "queries" and not change.are_texts and change.normalizer is None
    assert change.losses[0].answers == (["d1", "d2"], ["d2", "d1"])


def test_several_answers_are_joined_only_where_they_are_shown(tmp_path):
    gold = [{"id": str(i), "question": f"n {i}?", "references": ["km / h"]} for i in range(3)]
    ranked = {"0": ["", "a / b"], "1": [], "2": ["x"]}
    one = compared(tmp_path, gold, ("ranked", ranked), ("right", {key: ["km / h"] for key in "012"}), top_k=2)
    report = build_comparison([one], settings=QUICK)
    (change,) = report.changes
    assert [shown.answers for shown in change.gains] == [
        (["", "a / b"], ["km / h"]),
        ([], ["km / h"]),
        (["x"], ["km / h"]),
    ]
    for form in ("table", "markdown"):
        assert "(no answer) / a / b" in render_comparison(report, form)
    gains = json.loads(render_comparison(report, "json"))["disagreements"][0]["gains"]
    assert [shown["answers"][0] for shown in gains] == [["", "a / b"], [], ["x"]]
