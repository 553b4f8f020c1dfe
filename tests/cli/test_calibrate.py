"""`qassay calibrate`: a measure corrected by a file of labels, what to label next, bad input."""

import csv
import json
from pathlib import Path

import pytest

import qassay

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
    one = calibrated()
    text = run("calibrate", *FILES, "--labels", LABELS)
    assert f"{one.value:.4f}  {one.interval[0]:.4f}–{one.interval[1]:.4f}" in text
    every = tree("calibrate", *FILES, "--labels", LABELS, "--measures", "all")["measures"]
    assert {one["measure"] for one in every} > {"exact_match", "f1", "precision", "has_answer_f1"}


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


def test_a_width_in_per_cent(fail, tree):
    found = tree("calibrate", *FILES, "--labels", LABELS, "--width", "15", "--percent")
    assert (found["width"], found["scale"]) == (15, 100) and found["labels_needed"]["exact_match"] > 40
    for more in (("0",), ("40",), ("101", "--percent")):
        assert "--width" in fail("calibrate", *FILES, "--labels", LABELS, "--width", *more)


def test_columns_of_the_file_of_labels(tree, put):
    text = LABELS.read_text("utf-8").replace("id,label", "uid,right")
    votes = put("votes.csv", text)
    named = ("--columns", "votes.csv:ids=uid", "labels:labels=right")
    found = tree("calibrate", *FILES, "--labels", votes, *named)
    assert found == tree("calibrate", *FILES, "--labels", LABELS)


def test_two_systems_and_their_difference(tree, put, calibrated):
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
    assert [*found["systems"]] == ["small_model", "large_model"] and found["next"] == calibrated().to_next(2)
    assert found["measures"][1]["value"] == calibrated().value
    assert found["measures"][2]["labelled"] == 0 and found["measures"][2]["measured"] > 0


def test_bad_input(fail, put, tmp_path):
    unknown = put("labels.csv", LABELS.read_text("utf-8") + "nobody-1,1\n")
    few = put("few.csv", "".join(LABELS.read_text("utf-8").splitlines(keepends=True)[:5]))
    for told, *arguments in (
        ("--labels FILE is missing",),
        ("labels.csv: 1 of 41 labels have unknown ids, such as 'nobody-1'", "--labels", unknown),
        ("few.csv: 4 labels are too few", "--labels", few),
        ("none.csv", "--labels", tmp_path / "none.csv"),
        ("--next", "--next", "0"),
        ("got 1 metrics, 2 systems and 1 ", FOLDER / "small_model.json", "--labels", LABELS),
        ("got 3 metrics", "--labels", LABELS, "--metric", "all", "--option", "model=lite"),
        ("'ppi2'", "--labels", LABELS, "--method", "ppi2"),
        ("--output", "--labels", LABELS, "--output", LABELS),
        ("FILE:ROLE=NAME", "--labels", LABELS, "--columns", "labels:id=x"),
    ):
        assert told in fail("calibrate", *FILES, *arguments)
    told = fail("calibrate", FILES[0], FOLDER / "sampled_model.csv", "--columns", "run_id=seed", "--labels", LABELS)
    assert "one run" in told
