"""`qassay calibrate`: a measure corrected by a file of labels, what to label next, bad input."""

import csv
import io
import json
from pathlib import Path

import pytest

import qassay
from qassay.calibration import labels
from qassay.cli import main

FOLDER = Path(__file__).resolve().parents[2] / "samples" / "answers"
FILES = (FOLDER / "gold.json", FOLDER / "large_model.json")
LABELS = FOLDER / "large_model_labels.csv"


@pytest.fixture
def calibrated():
    scores = qassay.score_files(*FILES)["large_model"]
    return lambda **settings: qassay.calibrate(scores, LABELS, **settings)


def test_the_numbers_match_python(run, tree, calibrated):
    found = tree("calibrate", *FILES, "--labels", LABELS, "--measures", "exact_match", "f1")
    expected = calibrated(measure=["exact_match", "f1"])
    assert found["measures"] == [
        {**json.loads(json.dumps(one.to_dict())), "system": "large_model"} for one in expected.values()
    ]
    assert (found["systems"], found["signature"]) == (
        {"large_model": {"notes": {}}},
        "answer_match|norm:squad|unit:token|refs:max|v:0.1.0",
    )
    text = run("calibrate", *FILES, "--labels", LABELS)
    one = calibrated()
    assert f"{one.value:.4f}  {one.interval[0]:.4f}–{one.interval[1]:.4f}" in text
    assert "exact_match   64       40" in text
    every = tree("calibrate", *FILES, "--labels", LABELS, "--measures", "all")["measures"]
    assert {one["measure"] for one in every} > {"exact_match", "f1", "precision", "has_answer_f1"}
    assert "PPI++, adjusted t" in text and "answer_match|norm:squad" in text


def test_methods_and_settings(tree, calibrated):
    settings = {"method": "rogan_gladen", "level": 0.8, "interval_method": "normal"}
    found = tree("calibrate", *FILES, "--labels", LABELS, "--method", "rogan_gladen", "--level", "0.8",
                 "--interval-method", "normal")  # fmt: skip
    assert found["measures"][0]["interval"] == list(calibrated(**settings).interval)
    found = tree("calibrate", *FILES, "--labels", LABELS, "--lam", "1", "-m", "f1")
    assert found["measures"][0]["value"] == calibrated(measure="f1", lam=1).value


def test_what_to_label_and_how_many(run, tree, calibrated, tmp_path):
    first = run("calibrate", *FILES, "--next", "40").split()
    with LABELS.open() as file:
        assert first == [row["id"] for row in csv.DictReader(file)]  # the sample has these groups
    assert run("calibrate", *FILES, "--next", "5", "--seed", "1").split() != first[:5]
    found = tree("calibrate", *FILES, "--labels", LABELS, "--next", "5", "--width", "0.15", "-m", "em")
    one = calibrated()
    assert (found["next"], found["labels_needed"]) == (one.to_next(5), {"exact_match": one.labels_needed(0.15)})
    text = run("calibrate", *FILES, "--labels", LABELS, "--next", "2", "--width", "0.01")
    assert f"to label next: {' '.join(one.to_next(2))}\n" in text
    assert "for an interval 0.01 wide exact_match needs more labels than the 64 examples\n" in text


def test_labels_that_suffice(run, tree):
    asked = ("calibrate", *FILES, "--labels", LABELS, "--width", "0.5")
    assert "for an interval 0.5 wide the 40 labels of exact_match suffice\n" in run(*asked)
    assert tree(*asked)["labels_needed"] == {"exact_match": 40}


def test_csv_prints_remarks_to_stderr(run, capsys):
    asked = ("calibrate", *FILES, "--labels", LABELS, "--groups", "article", "--width", "0.15", "--next", "3")
    assert main([*map(str, asked), "--format", "csv"]) == 0
    out, err = capsys.readouterr()
    told = [line.removeprefix("qassay: note: ") for line in err.splitlines()]
    assert len(out.splitlines()) == 2 and [line.partition(":")[0] for line in told[-2:]] == [
        "for an interval 0.15 wide exact_match needs more labels than the 64 examples",
        "to label next",
    ]
    assert "labels of fewer than 30 groups" in told[0] and {*told} <= {*run(*asked).splitlines()}


def test_a_width_in_per_cent(run, fail, tree):
    text = run("calibrate", *FILES, "--labels", LABELS, "--width", "15", "--percent")
    plain = run("calibrate", *FILES, "--labels", LABELS, "--width", "0.15")
    (line,) = (line for line in plain.splitlines() if "0.15 wide" in line)
    assert line.replace("0.15 wide", "15 wide") in text
    found = tree("calibrate", *FILES, "--labels", LABELS, "--width", "15", "--percent")
    assert (found["width"], found["scale"]) == (15, 100) and found["labels_needed"]["exact_match"] > 40
    assert "--width must be above 0 and at most 1; got 40" in fail(
        "calibrate", *FILES, "--labels", LABELS, "--width", "40"
    )
    told = fail("calibrate", *FILES, "--labels", LABELS, "--width", "101", "--percent")
    assert "--width must be in per cent, because of --percent, above 0 and at most 100; got 101" in told


def test_a_gold_file_alone_is_refused_with_a_call_of_this_command(fail, put):
    question = {"id": "1", "question": "q", "answers": [{"text": "a", "answer_start": 0}]}
    gold = put("dev.json", {"data": [{"title": "t", "paragraphs": [{"context": "a", "qas": [question]}]}]})
    for options in (("--labels", LABELS), ("--next", 1)):
        told = fail("calibrate", gold, *options)
        assert "give its predictions too: qassay calibrate GOLD PREDICTIONS --labels LABELS" in told
        assert "qassay score" not in told


def test_missing_predictions_are_reported(run, tree, put):
    answers = json.loads(FILES[1].read_text("utf-8"))
    answers = put("model.json", json.dumps(dict(list(answers.items())[2:])))
    text = run("calibrate", FILES[0], answers, "--labels", LABELS)
    assert "2 without a prediction: scored 0" in text
    found = tree("calibrate", FILES[0], answers, "--labels", LABELS)
    assert found["remarks"] == run_notes(text) and found["systems"] == {"model": {"notes": {"missing": 2}}}


def run_notes(text):
    return [line.strip() for line in text.splitlines() if "without a prediction" in line]


def test_runs_are_refused(fail):
    told = fail("calibrate", FILES[0], FOLDER / "sampled_model.csv", "--columns", "run_id=seed", "--labels", LABELS)
    assert "labels judge the answers of one run; give the file of one run, without run_id" in told


def test_a_name_of_another_format_is_refused(fail, run, tmp_path):
    for command in (("calibrate", *FILES, "--labels", LABELS), ("score", *FILES)):
        path = tmp_path / "out.pdf"
        told = fail(*command, "--output", path)
        assert f"--output {path}: the name must end with one of: .html" in told and not path.exists()
    run("score", *FILES, "--format", "table", "--output", path)
    assert "exact" in path.read_text("utf-8")


def test_every_format(run, tmp_path):
    for ending in ("html", "md", "tex", "csv", "json"):
        path = tmp_path / f"out.{ending}"
        assert run("calibrate", *FILES, "--labels", LABELS, "--output", path, "--percent") == ""
        assert "exact" in path.read_text("utf-8")
    (row,) = csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text("utf-8")))
    assert row["n_labelled"] == "40" and row["sensitivity"].startswith("0.8")
    assert "91.64 (80.68–98.80)" in (tmp_path / "out.md").read_text("utf-8")


def test_columns_of_the_file_of_labels(tree, put):
    text = LABELS.read_text("utf-8").replace("id,label", "uid,right")
    votes = put("votes.csv", text)
    named = ("--columns", "votes.csv:ids=uid", "labels:labels=right")
    found = tree("calibrate", *FILES, "--labels", votes, *named)
    assert found == tree("calibrate", *FILES, "--labels", LABELS)


def test_a_table_of_predictions_and_gold_answers(run, tree, put):
    rows = [{"id": f"q{row}", "prediction": "Rome" if row % 3 else "Oslo", "gold": "Rome"} for row in range(40)]
    table = put("table.json", rows)
    labels = put("labels.json", {f"q{row}": row % 3 > 0 for row in range(30)})
    found = tree("calibrate", table, "--labels", labels)["measures"][0]
    assert found["agreement"]["accuracy"] == 1 and found["n"] == 40


def test_two_systems_and_their_difference(run, tree, put, calibrated):
    small = put("small.csv", LABELS.read_text("utf-8").replace("id,", "uid,"))
    files = (FILES[0], FOLDER / "small_model.json", FILES[1])
    given = ("--labels", small, "--labels", LABELS, "--columns", "small.csv:ids=uid")
    found = tree("calibrate", *files, *given, "--next", "2")
    names = ("measure", "system", "first", "second")
    assert [tuple(one[name] for name in names) for one in found["measures"]] == [
        ("exact_match", "small_model", None, None),
        ("exact_match", "large_model", None, None),
        ("exact_match", None, "small_model", "large_model"),
    ]
    text = run("calibrate", *files, *given, "--width", "0.05")
    for name in ("exact_match: small_model", "exact_match: large_model", "exact_match: large_model − small_model"):
        assert f"for an interval 0.05 wide {name} needs more labels" in text and f"\n{name} " in text
    assert [*found["systems"]] == ["small_model", "large_model"] and found["next"] == calibrated().to_next(2)
    assert found["measures"][1]["value"] == calibrated().value
    assert found["measures"][2]["labelled"] == 0 and found["measures"][2]["measured"] > 0


def test_groups_of_the_gold_file(tree):
    found = tree("calibrate", *FILES, "--labels", LABELS, "--groups", "article")["measures"][0]
    assert (found["n_groups"], found["interval_method"]) == (11, "adjusted t by groups")


def test_bad_input(fail, put, tmp_path):
    assert "--labels FILE is missing; --next K without it prints the ids of K examples to label first" in fail(
        "calibrate", *FILES
    )
    unknown = put("labels.csv", LABELS.read_text("utf-8") + "nobody-1,1\n")
    assert "1 of 41 labels have unknown ids, such as 'nobody-1'" in fail("calibrate", *FILES, "--labels", unknown)
    assert "labels.csv: " in fail("calibrate", *FILES, "--labels", unknown)
    few = put("few.csv", "".join(LABELS.read_text("utf-8").splitlines(keepends=True)[:5]))
    assert "few.csv: 4 labels are too few for an interval; give at least 10" in fail(
        "calibrate", *FILES, "--labels", few
    )
    assert "no such file" in fail("calibrate", *FILES, "--labels", tmp_path / "none.csv")
    assert "--next must be an integer of at least 1" in fail("calibrate", *FILES, "--next", "0")
    told = "one system with --labels FILE, or two with --labels FILE --labels FILE in their order; got 1 metrics, 2 systems and 1 "
    assert told in fail("calibrate", *FILES, FOLDER / "small_model.json", "--labels", LABELS)
    assert "got 3 metrics" in fail("calibrate", *FILES, "--labels", LABELS, "--metric", "all", "--option", "model=lite")
    assert "--width must be above 0 and at most 1; got 0" in fail(
        "calibrate", *FILES, "--labels", LABELS, "--width", "0"
    )
    assert "invalid choice" in fail("calibrate", *FILES, "--labels", LABELS, "--method", "ppi2")
    assert "--output" in fail("calibrate", *FILES, "--labels", LABELS, "--output", LABELS)
    assert "must be FILE:ROLE=NAME" in fail("calibrate", *FILES, "--labels", LABELS, "--columns", "labels:id=x")
    assert "unrecognized arguments: --by" in fail("calibrate", *FILES, "--labels", LABELS, "--by", "language")


def test_labels_are_read_once(run, monkeypatch):
    read = []
    placed = labels._placed
    monkeypatch.setattr(labels, "_placed", lambda *arguments: [read.append(arguments[2]), placed(*arguments)][1])
    both = (FILES[0], FOLDER / "small_model.json", FILES[1])
    run("calibrate", *both, "--labels", LABELS, "--labels", LABELS, "--measures", "exact_match", "f1")
    assert read == [f"{LABELS}: "] * 2  # read once for both systems and their difference
