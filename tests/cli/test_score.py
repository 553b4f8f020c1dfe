"""`qassay score` with answers: values, slices, options, files it writes."""

import csv
import json
import re
from pathlib import Path

import pytest

import qassay

SAMPLES = Path(__file__).resolve().parents[2] / "samples" / "answers"
GOLD, SMALL, LARGE, DOUBTS = (
    str(SAMPLES / f"{name}.json") for name in ("gold", "small_model", "large_model", "large_model_no_answer")
)


def expected(path):
    """The scores of the columns that are read without qassay's readers."""
    data = json.loads(Path(GOLD).read_text("utf-8"))["data"]
    questions = [row for article in data for paragraph in article["paragraphs"] for row in paragraph["qas"]]
    golds = {row["id"]: [answer["text"] for answer in row["answers"]] for row in questions}
    return qassay.score("answer_match", json.loads(Path(path).read_text("utf-8")), golds)


def test_the_confidence_of_intervals_is_not_taken_for_the_confidences_of_answers(run, put):
    sure = put("sure.json", dict.fromkeys(expected(LARGE).ids, 0.5))
    shown = json.loads(run("score", GOLD, LARGE, "--confidence", "0.8", "--confidences", sure, "--format", "json"))
    assert shown["interval"]["confidence"] == 0.8
    assert "aurc(exact_match)" in shown["parts"][0]["values"]["large_model"]
    shown = json.loads(run("score", GOLD, LARGE, "--confidence=0.8", "--format", "json"))
    assert shown["interval"]["confidence"] == 0.8 and "aurc" not in json.dumps(shown["parts"][0]["values"])


def test_no_answer_probabilities(fail, values, put):
    found = values(GOLD, SMALL, LARGE, "--no-answer-probabilities", f"large_model={DOUBTS}")
    assert "best_f1" not in found["small_model"]
    assert found["large_model"] == values(GOLD, LARGE, "--no-answer-probabilities", DOUBTS)["large_model"]
    held = values(GOLD, LARGE, "--no-answer-probabilities", DOUBTS, "--option", "no_answer_threshold=-1")
    assert held["large_model"]["exact_match"] == 0.25
    for systems, path, told in (
        ((SMALL, LARGE), DOUBTS, "1 for 2 systems"),
        ((SMALL,), SMALL, "small_model.json"),
        ((LARGE,), put("doubts.json", {"lighthouse-1": 0.5}), "'lighthouse-2'"),
    ):
        assert told in fail("score", GOLD, *systems, "--no-answer-probabilities", path)


def test_slices_follow_ids_when_rows_are_omitted(put, tree):
    rows = [
        {"id": str(i), "answers": ["x"], "group": "even" if i % 2 == 0 else "odd", "question": "What?"}
        for i in range(6)
    ]
    files = put("gold.json", rows), put("p.json", {"5": "y", "2": "x", "4": "x"})
    found = tree("score", *files, "--option", "missing=skip", "--by", "group", "--no-intervals")
    values = {label: part["p"]["values"]["exact_match"] for label, part in found["slices"]["group"].items()}
    assert values == {"even": 1.0, "odd": 0.0}
    assert found["systems"]["p"]["notes"] == {"skipped": 3}


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_per_example(tmp_path, run, ending):
    path = tmp_path / f"examples.{ending}"
    run("score", GOLD, SMALL, LARGE, "--per-example", path, "--no-intervals", "--groups", "article")
    if ending == "csv":
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    else:
        rows = [json.loads(line, parse_constant=pytest.fail) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 128
    assert {"id", "system", "exact_match", "f1", "has_answer", "question", "language"} <= rows[0].keys()
    assert {row["group"] for row in rows} == {row["title"] for row in rows}
    scores = expected(LARGE)
    large = [row for row in rows if row["system"] == "large_model"]
    assert [row["id"] for row in large] == list(scores.ids)
    assert [float(row["f1"]) for row in large] == scores.columns["f1"].tolist()


def test_pipelines_of_different_units_are_not_scored_together(run, fail, put):
    gold, dense = (SAMPLES.parent / "pipeline" / f"{name}.json" for name in ("gold", "dense"))
    outputs = json.loads(dense.read_text("utf-8"))
    for row in outputs.values():
        row["answers"] = [answer and {"text": answer["text"]} for answer in row["answers"]]
    call = ("score", gold, dense, put("texts.json", outputs), "--metric", "retriever_reader")
    message = fail(*call)
    assert "dense and texts" in message and "unit=offset against token" in message
    assert "|unit:character|" in run(*call, "--option", "unit=character", "--no-intervals").replace("\n", "")


def test_per_example_with_lone_surrogates_and_mixed_fields(tmp_path, run):
    rows = [
        {"id": "a", "prediction": "x\ud800", "gold": ["x\ud800"], "question": "what \ud800?", "level": 1, "f1": "mine"},
        {"id": 7, "prediction": "", "gold": [], "question": None, "level": "high", "f1": None},
    ]
    gold = tmp_path / "t.json"
    gold.write_text(json.dumps(rows), encoding="utf-8")
    for ending in ("csv", "jsonl"):
        path = tmp_path / f"out.{ending}"
        run("score", gold, "--per-example", path, "--no-intervals", "--by", "level", "question_word")
        assert path.stat().st_size > 0
    written = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    assert [[row[name] for name in ("id", "level", "f1", "gold_f1")] for row in written] == [
        ["a", 1, 1.0, "mine"], ["7", "high", 1.0, None]
    ]  # fmt: skip


REPORT = ["score", GOLD, SMALL, "--by", "language", "--resamples", "20"]


def test_a_report_and_an_output_hold_what_is_printed(run, tmp_path):
    printed = run(*REPORT)
    for ending, form in {".html": "html", ".csv": "csv"}.items():
        report, output = tmp_path / f"report{ending}", tmp_path / f"output{ending}"
        assert run(*REPORT, "--report", report) == printed
        assert run(*REPORT, "--output", output) == ""
        for written, arguments in [(report, ["--report", report]), (output, ["--output", output])]:
            texts = written.read_text(encoding="utf-8"), run(*REPORT, "--format", form)
            first, second = (re.sub(r'"command":"[^"]*"|qassay score [^<]*', "", text) for text in texts)
            assert first == second, (ending, arguments)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert not re.search(r"<script [^>]*src|<link[^>]+href=.(?!data:)", page)


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--output", "r.html", "--format", "json"], "--output r.html"),
        (["--report", "r.txt"], "--report r.txt"),
        (["--report", "r.html", "--output", "r.html"], "--report and --output are the same file"),
    ],
)
def test_a_file_holds_what_its_ending_says(arguments, words, fail, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert words in fail(*REPORT, *arguments)
    assert not list(tmp_path.iterdir())
