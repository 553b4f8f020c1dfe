"""`qassay compare`: files of every kind, tests, slices, formats, reports, bad input."""

import json
from pathlib import Path

import pytest

import qassay

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
GOLD, SMALL, LARGE, DOUBTS = (
    str(SAMPLES / "answers" / f"{name}.json")
    for name in ("gold", "small_model", "large_model", "large_model_no_answer")
)
PAIR = (GOLD, SMALL, LARGE)


def systems():
    return qassay.score_files(GOLD, {"small_model": SMALL, "large_model": LARGE})


def test_numbers_match_the_function(tree):
    report = tree("compare", *PAIR)
    expected = qassay.compare(systems()).to_dict()["differences"]
    assert report["differences"] == json.loads(json.dumps(expected))
    assert [one["measure"] for one in expected][:3] == ["exact_match", "f1", "contains"]
    assert report["systems"]["large_model"]["values"]["f1"] == systems()["large_model"].summary(["f1"])["f1"]


def test_slices(tree):
    report = tree("compare", *PAIR, "--by", "language", "answer_type,has_answer")
    assert set(report["slices"]) == {"language", "answer_type", "has_answer"}
    assert [one["measure"] for one in report["slices"]["has_answer"]["yes"]] == ["exact_match", "f1"]
    sizes = {label: group[0]["n"] for label, group in report["slices"]["language"].items()}
    assert sum(sizes.values()) == 64


def test_tests_and_corrections(tree):
    asked = ("--test", "mcnemar", "--correction", "none", "--measures", "exact_match", "f1", "--permutations", "500")
    report = tree("compare", *PAIR, *asked)
    assert [one["test"] for one in report["differences"]] == ["mcnemar", "permutation"]
    assert len(report["remarks"]) == 1 and report["remarks"][0].endswith("f1")
    assert [one["p_value"] for one in report["differences"]] == [one["p_adjusted"] for one in report["differences"]]


def test_three_systems_and_a_baseline(tmp_path, tree):
    other = tmp_path / "other.json"
    other.write_text(Path(SMALL).read_text(encoding="utf-8"), encoding="utf-8")
    pairs = [(one["first"], one["second"]) for one in tree("compare", *PAIR, other, "--measures", "f1")["differences"]]
    assert pairs == [("small_model", "large_model"), ("small_model", "other"), ("large_model", "other")]
    found = tree("compare", *PAIR, other, "--measures", "f1", "--baseline", "large_model")["differences"]
    assert [(one["first"], one["second"]) for one in found] == [
        ("large_model", "small_model"),
        ("large_model", "other"),
    ]
    assert found[0]["difference"] == found[1]["difference"]


def test_a_report_has_slices_though_none_are_requested(run, tmp_path):
    path = tmp_path / "report.json"
    out = run("compare", *PAIR, "--report", path)
    assert "by question_word" not in out
    slices = json.loads(path.read_text(encoding="utf-8"))["slices"]
    assert list(slices) == ["has_answer", "question_word", "answer_type", "answer_length"]


def test_per_cent(tree):
    plain, hundred = tree("compare", *PAIR)["differences"], tree("compare", *PAIR, "--percent")["differences"]
    for one, other in zip(plain, hundred, strict=True):
        assert other["difference"] == pytest.approx(100 * one["difference"])
        assert (other["p_value"], other["wins"], other["n_needed"]) == (one["p_value"], one["wins"], one["n_needed"])


def test_every_metric_in_one_table(tree):
    report = tree("compare", *PAIR, "--metric", "all", "--option", "model=lite")
    assert report["metrics"] == ["answer_match", "semantic_answer_similarity", "answer_equivalence"]
    measures = [one["measure"] for one in report["differences"]]
    assert {"f1", "sas"} <= set(measures)
    adjusted = [one["p_adjusted"] for one in sorted(report["differences"], key=lambda one: one["p_value"])]
    assert adjusted == sorted(adjusted)
    assert adjusted[0] == pytest.approx(len(measures) * min(one["p_value"] for one in report["differences"]))


def test_signature_scores_with_its_options(fail, tree):
    signature = qassay.score("answer_match", ["a"], [["a"]], normalizer="lower+spaces", unit="character").signature()
    report = tree("compare", *PAIR, "--signature", signature)
    assert report["signature"] == signature
    assert tree("score", GOLD, SMALL, "--signature", signature)["signature"] == signature
    message = fail("score", GOLD, SMALL, "--signature", signature, "--metric", "label_metrics")
    assert "--signature belongs to answer_match, but --metric is label_metrics" in message


def test_bad_input(fail):
    assert "a comparison needs two or more systems" in fail("compare", GOLD, SMALL)
    assert "test=x is unknown" in fail("compare", *PAIR, "--test", "x")
    assert "baseline=medium is unknown" in fail("compare", *PAIR, "--baseline", "medium")
