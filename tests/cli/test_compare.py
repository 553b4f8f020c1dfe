"""`qassay compare`: files of every kind, tests, slices, formats, reports, bad input."""

import csv
import json
from pathlib import Path

import pytest

import qassay
from qassay.cli import main

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


def test_table(run):
    out = run("compare", *PAIR)
    found = qassay.compare(systems(), ["exact_match"]).differences[0]
    line = next(line for line in out.splitlines() if line.startswith("exact_match") and "+0.2344" in line)
    assert f"{found.interval[0]:+.4f} to {found.interval[1]:+.4f}" in line
    assert line.split()[-5:] == ["21", "37", "6", "+0.384", "54"]
    assert "large_model − small_model" in out and "corrected by Holm over the 7" in out
    assert "kinds of errors" in out and "answered an unanswerable" in out
    assert "largest losses of large_model against small_model, f1" in out
    assert "How many people can be seated at Potter's Field?" in out


def test_a_narrow_terminal_cuts_no_number(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    out = run("compare", *PAIR, "--texts", "0")
    tables = out[: out.index("kinds of errors")]
    assert max(map(len, tables.splitlines())) <= 80
    assert "+0.2344" in tables and "…" not in tables


def test_slices(run, tree):
    report = tree("compare", *PAIR, "--by", "language", "answer_type,has_answer")
    assert set(report["slices"]) == {"language", "answer_type", "has_answer"}
    assert [one["measure"] for one in report["slices"]["has_answer"]["yes"]] == ["exact_match", "f1"]
    sizes = {label: group[0]["n"] for label, group in report["slices"]["language"].items()}
    assert sum(sizes.values()) == 64
    out = run("compare", *PAIR, "--by", "language")
    assert "by language: large_model − small_model" in out and "* few: under 30 examples" in out


def test_tests_and_corrections(tree):
    asked = ("--test", "mcnemar", "--correction", "none", "--measures", "exact_match", "f1", "--permutations", "500")
    report = tree("compare", *PAIR, *asked)
    assert [one["test"] for one in report["differences"]] == ["mcnemar", "permutation"]
    assert report["remarks"] == [
        "McNemar's test is for right-or-wrong measures in which examples count alike: tested by permutation instead: f1"
    ]
    assert [one["p_value"] for one in report["differences"]] == [one["p_adjusted"] for one in report["differences"]]


def test_three_systems_and_a_baseline(run, tmp_path, tree):
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
    markdown = run("compare", *PAIR, other, "--measures", "f1", "--format", "markdown")
    assert "| measure | n | small_model (a) | large_model (b) | other (c) |" in markdown
    assert "<sup>ac</sup>" in markdown
    assert "$^{ac}$" in run("compare", *PAIR, other, "--measures", "f1", "--format", "latex")


def test_documents(run):
    markdown = run("compare", *PAIR, "--by", "has_answer", "--format", "markdown")
    low, high = qassay.score_files(GOLD, LARGE)["large_model"].interval()["f1"]
    assert rf"**0.8205 ({low:.4f}–{high:.4f})**\*" in markdown
    assert "| has_answer | measure |" in markdown and r"| 16\* |" in markdown
    latex = run("compare", *PAIR, "--format", "latex")
    assert rf"\textbf{{0.8205 ({low:.4f}--{high:.4f})}}$^{{*}}$" in latex
    assert latex.count(r"\toprule") == latex.count(r"\bottomrule") == 3
    assert r"large\_model" in latex


def test_reports(run, tmp_path):
    call = ("compare", *PAIR, "--by", "question_word", "--resamples", "50", "--permutations", "200")
    printed, page = run(*call), run(*call, "--format", "html")
    for ending in (".html", ".md", ".tex", ".csv", ".json"):
        path = tmp_path / f"report{ending}"
        assert run(*call, "--report", path) == printed
        text = path.read_text(encoding="utf-8")
        assert "large_model" in text.replace("\\", "") and "0.8205" in text
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    for part in (
        "<!DOCTYPE html>",
        "question_word",
        "qassay compare",
        "answered an unanswerable",
        "answer_match|norm:squad",
    ):
        assert part in text
    assert page.count("<svg") == text.count("<svg") > 0


def test_a_report_has_slices_though_none_are_requested(run, tmp_path):
    path = tmp_path / "report.json"
    out = run("compare", *PAIR, "--report", path)
    assert "by question_word" not in out
    slices = json.loads(path.read_text(encoding="utf-8"))["slices"]
    assert list(slices) == ["has_answer", "question_word", "answer_type", "answer_length"]
    folder = SAMPLES / "rankings"
    files = (folder / name for name in ("qrels.txt", "bm25.run", "dense.run"))
    run("compare", *files, "--measures", "map", "--report", path)
    tree = json.loads(path.read_text(encoding="utf-8"))
    assert list(tree["slices"]) == ["relevant_count"]
    assert [one["measure"] for one in tree["differences"]] == ["map"]


def test_remarks_on_slices_that_were_not_requested_are_in_the_report_only(run, tree, tmp_path):
    path = tmp_path / "report.json"
    few = ("--permutations", "50", "--resamples", "20")
    printed = tree("compare", *PAIR, *few, "--report", path)["remarks"]
    reported = json.loads(path.read_text(encoding="utf-8"))["remarks"]
    of_slices = [line for line in reported if line not in printed]
    assert any(line.startswith("in question_word: the difference rests on few examples") for line in of_slices)
    assert any(" tests by answer_type with 50 permutations: " in line for line in of_slices)
    assert not any(line.startswith("in ") or " by " in line for line in printed)
    assert printed == tree("compare", *PAIR, *few)["remarks"]
    asked = tree("compare", *PAIR, *few, "--by", "question_word", "--report", path)["remarks"]
    assert asked == json.loads(path.read_text(encoding="utf-8"))["remarks"] and any(
        "question_word" in line for line in asked
    )


def test_needed_examples_suffice_for_a_sign_test(tree):
    folder = SAMPLES / "factoid"
    report = tree("compare", folder / "gold.json", folder / "careful.json", folder / "hasty.json")
    needed = [one["n_needed"] for one in report["differences"]]
    assert min(count for count in needed if count) == 6


def test_per_cent(run, tree):
    plain, hundred = tree("compare", *PAIR)["differences"], tree("compare", *PAIR, "--percent")["differences"]
    for one, other in zip(plain, hundred, strict=True):
        assert other["difference"] == pytest.approx(100 * one["difference"])
        assert (other["p_value"], other["wins"], other["n_needed"]) == (one["p_value"], one["wins"], one["n_needed"])
    assert "+23.44" in run("compare", *PAIR, "--percent")


def test_every_metric_in_one_table(tree):
    report = tree("compare", *PAIR, "--metric", "all", "--option", "model=lite")
    assert report["metrics"] == ["answer_match", "semantic_answer_similarity", "answer_equivalence"]
    measures = [one["measure"] for one in report["differences"]]
    assert {"f1", "sas"} <= set(measures)
    adjusted = [one["p_adjusted"] for one in sorted(report["differences"], key=lambda one: one["p_value"])]
    assert adjusted == sorted(adjusted)
    assert adjusted[0] == pytest.approx(len(measures) * min(one["p_value"] for one in report["differences"]))


def test_no_answer_probabilities(tree):
    report = tree("compare", *PAIR, "--no-answer-probabilities", f"large_model={DOUBTS}", "--measures", "all")
    assert report["remarks"] == ["not compared, because a system does not have it: best_exact_match, best_f1"]


def test_rankings(run, tree):
    folder = SAMPLES / "rankings"
    files = (folder / "qrels.txt", folder / "bm25.run", folder / "dense.run")
    out = run("compare", *files)
    assert "unjudged@1" not in out and "unjudged top" in out and "largest gains of dense against bm25, map" in out
    report = tree("compare", *files, "--measures", "ndcg@10", "map", "--by", "relevant_count")
    assert {one["measure"] for one in report["differences"]} == {"ndcg@10", "map"}
    assert set(report["error_kinds"]["retrieval_ranking"]) == {"bm25", "dense"}


def test_factoids(tree):
    folder = SAMPLES / "factoid"
    report = tree("compare", folder / "gold.json", folder / "careful.json", folder / "hasty.json", "--by", "type")
    measures = [one["measure"] for one in report["differences"]]
    assert {"mrr", "list_f1", "yesno_macro_f1"} <= set(measures)
    assert set(report["slices"]["type"]) >= {"factoid", "list", "yesno"}


def test_pipelines_omit_what_only_one_system_is_judged_by(tree):
    folder = SAMPLES / "pipeline"
    files = (folder / "gold.json", folder / "keyword.json", folder / "dense.json")
    report = tree("compare", *files, "--metric", "retriever_reader")
    found = {one["measure"]: one for one in report["differences"]}
    assert found["retriever_recall"]["left_out"] == 0
    assert (found["reader_top1_f1"]["n"], found["reader_top1_f1"]["left_out"]) == (17, 11)
    assert any(
        line.startswith("11 questions omitted from the differences of reader_top1") for line in report["remarks"]
    )


def test_labels(tree):
    folder = SAMPLES / "labels"
    report = tree("compare", folder / "desk.csv", folder / "desk_rules.csv", folder / "desk_tuned.csv", "--metric",
                   "label_metrics", "--by", "channel")  # fmt: skip
    found = {one["measure"]: one for one in report["differences"]}
    assert found["accuracy"]["wins"] == 17 and found["macro_f1"]["wins"] is None
    report = tree("compare", folder / "subjects.txt", folder / "subjects_words.txt", folder / "subjects_graph.txt")
    assert report["error_kinds"]["label_metrics"]["subjects_graph"]["true label first"] == 15


def test_per_example(run, tmp_path):
    path = tmp_path / "examples.csv"
    run("compare", *PAIR, "--per-example", path)
    rows = list(csv.DictReader(path.open(encoding="utf-8")))
    assert len(rows) == 128 and {row["system"] for row in rows} == {"small_model", "large_model"}


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
    assert "baseline=medium is unknown; it is one of: 'small_model', 'large_model'" in fail(
        "compare", *PAIR, "--baseline", "medium"
    )
    assert "the name must end with one of: .html" in fail("compare", *PAIR, "--report", "report.pdf")
    assert "no slice 'questionword' (did you mean 'question_word'?)" in fail("compare", *PAIR, "--by", "questionword")


def test_a_wrong_report_name_is_refused_before_the_work(capsys):
    assert main(["compare", "absent.json", "a.json", "b.json", "--report", "r.pdf"]) == 2
    assert "the name must end with" in capsys.readouterr().err
