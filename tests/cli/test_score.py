"""`qassay score` and `compare`: values, slices, options, presets, several metrics, files they write."""

import csv
import json
import re
from pathlib import Path

import pytest

import qassay
from qassay.cli import main

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


def test_a_preset_sets_options_and_columns(run, put, tmp_path):
    written = {"a": "so <answer>the Paris</answer>", "b": "<answer>Hamburg</answer>", "c": "Rome"}
    gold, system = put("gold.json", {"a": ["Paris"], "b": ["ham"], "c": ["Rome"]}), put("system.json", written)
    table = tmp_path / "rows.csv"
    assert "answer_match|preset:search_r1|" in run(
        "score", gold, system, "--preset", "search_r1", "--per-example", table
    )
    with open(table, newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["extracted"] for row in rows] == ["the Paris", "Hamburg", ""]
    assert [row["prediction"] for row in rows] == list(written.values())
    assert "changed:unextracted" in run("score", gold, system, "--preset", "search_r1", "--option", "unextracted=whole")
    assert "preset:search_r1" in run("score", gold, system, "--signature", "answer_match|preset:search_r1|v:0.1.0")


def test_a_class_that_is_called_none(tree, put):
    """The text of pos_label is always the name of a class, never None or a number."""
    for name in ("none", "None", "1"):
        path = put("named.csv", f"id,score,label\na,0.9,{name}\nb,0.2,other\nc,0.4,{name}\n")
        found = tree("score", path, "--metric", "average_precision", "--no-intervals", "--option", f"pos_label={name}")
        assert found["systems"]["named"]["values"]["positives"] == 2
        signed = "'1'" if name == "1" else name
        assert f"|pos:{signed}|" in found["signature"]


def test_probabilities_go_to_the_metrics_that_take_them(capsys):
    answers, given = (GOLD, LARGE), ("--no-answer-probabilities", DOUBTS)
    equivalence = ["--metric", "answer_equivalence", "--no-intervals"]
    assert main(["score", *answers, *equivalence, "--metric", "answer_match", *given]) == 0
    assert "best_f1" in capsys.readouterr().out
    assert main(["score", *answers, *equivalence, *given]) == 2
    assert "answer_equivalence does not use" in capsys.readouterr().err


@pytest.mark.parametrize("metrics", [("answer_match", "retrieval_ranking"), ("retrieval_ranking", "answer_match")])
def test_numbers_of_one_name_of_several_metrics_are_told_apart(metrics, tmp_path, capsys):
    rows = [json.loads(line) for line in (SAMPLES.parent / "rag" / "dense.jsonl").read_text("utf-8").splitlines()]
    for row in rows[:3]:
        row["retrieved_ids"] = None if row is rows[0] else row["retrieved_ids"]
        row["answer"] = None
    run = tmp_path / "run.jsonl"
    run.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    gold = str(SAMPLES.parent / "rag" / "questions.jsonl")
    command = ["score", gold, str(SAMPLES.parent / "rag" / "dense.jsonl"), "--no-intervals", "--option", "top_k=1,5"]
    command += [part for metric in metrics for part in ("--metric", metric)]
    assert main([*command, "--measures", "recall@1"]) == 0
    heads = [line for line in capsys.readouterr().out.splitlines() if line in metrics]
    assert heads == [*metrics]
    assert main(["score", gold, str(run), *command[3:4], *command[6:], "--format", "json"]) == 0
    parts = json.loads(capsys.readouterr().out)["parts"]
    assert sorted(count for part in parts for of in part["notes"].values() for count in of.values()) == [1, 3]


def test_a_report_has_slices_though_none_are_requested(run, tmp_path):
    path = tmp_path / "report.json"
    out = run("compare", GOLD, SMALL, LARGE, "--report", path)
    assert "by question_word" not in out
    slices = json.loads(path.read_text(encoding="utf-8"))["parts"][0]["slices"]
    assert [slicing["name"] for slicing in slices] == ["has_answer", "question_word", "answer_type", "answer_length"]


def test_signature_scores_with_its_options(fail, tree):
    signature = qassay.score("answer_match", ["a"], [["a"]], normalizer="lower+spaces", unit="character").signature()
    report = tree("compare", GOLD, SMALL, LARGE, "--signature", signature)
    assert report["signature"] == signature
    assert tree("score", GOLD, SMALL, "--signature", signature)["signature"] == signature
    message = fail("score", GOLD, SMALL, "--signature", signature, "--metric", "label_metrics")
    assert "--signature belongs to answer_match, but --metric is label_metrics" in message


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
