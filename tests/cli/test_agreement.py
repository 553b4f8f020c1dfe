"""`qassay agreement`: the sample in every form, columns by name, bad input."""

import csv
import io
from pathlib import Path

import pytest

import qassay

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "answers" / "labelled_answers.csv"


@pytest.fixture(scope="module")
def found():
    return qassay.agreement(SAMPLE)


def test_the_numbers_match_python(run, tree, found):
    assert tree("agreement", SAMPLE) == found.to_dict()
    assert list(found["sas"].intervals) == ["auc", "accuracy", "best_accuracy", "best_threshold", "pearson", "ece"]
    text = run("agreement", SAMPLE)
    assert f"sas           36   {found['sas'].auc:.3f}  " in text
    assert f"chat     12   {found.systems[0].people:.3f} (1)" in text
    assert "intervals draw 12 groups with the same question" in text
    assert "effective Wilson, percentiles of the bootstrap" in text


def test_every_form(run, fail, found):
    cells = list(csv.DictReader(io.StringIO(run("agreement", SAMPLE, "--format", "csv"))))
    by_measure = {row["measure"]: row for row in cells if row["row"] == "measure"}
    assert float(by_measure["f1"]["auc"]) == found["f1"].auc
    assert float(by_measure["f1"]["auc_low"]) == found["f1"].intervals["auc"][0]
    chat = next(row for row in cells if row["row"] == "system" and row["measure"] == "sas" and row["system"] == "chat")
    assert float(chat["mean"]) == found.systems[0].means["sas"]
    low, high = found["f1"].intervals["auc"]
    wanted = f"| f1 | 36 | {found['f1'].auc:.3f} ({low:.3f}–{high:.3f}) |"
    assert wanted in run("agreement", SAMPLE, "--format", "markdown")
    page = run("agreement", SAMPLE, "--format", "html")
    assert all(f'<section id="{anchor}"' in page for anchor in ("agreement", "systems", "order"))
    assert "<!doctype html>" in page.lower() and "people" in page and "http" not in page.split("</style>")[1]
    assert "\\begin{tabular}" in run("agreement", SAMPLE, "--format", "latex")
    percent = run("agreement", SAMPLE, "--percent", "--measures", "f1")
    assert f"{100 * found['f1'].accuracy:.1f}" in percent and f"{found['f1'].auc:.3f}" in percent
    for form in ("csv", "json"):
        told = fail("agreement", SAMPLE, "--percent", "--format", form)
        assert "CSV and JSON of agreement have 0 to 1; omit --percent" in told


def test_columns_metrics_and_measures_by_name(tree, put):
    renamed = SAMPLE.read_text("utf-8").replace("question,gold_answers,answer,system,label", "q,g,text,bot,ok")
    names = ["question=q", "references=g", "predictions=text", "system=bot", "labels=ok"]
    own = tree("agreement", put("votes.csv", renamed), "--metric", "answer_match", "--measures", "f1,contains",
               "--columns", *names, "--option", "normalizer=french")  # fmt: skip
    assert [one["measure"] for one in own["measures"]] == ["f1", "contains"]
    assert "norm:french" in own["measures"][0]["signature"] and len(own["systems"]) == 3


def test_refused_input(fail, put):
    bare = put("bare.csv", "gold,answer\n" + "Rome,Rome\n" * 12)
    assert "no column is known to hold the labels; it has: gold, answer; say which" in fail("agreement", bare)
    assert "--columns labels=NAME" in fail("agreement", bare)
    odd = put("odd.csv", "question,gold,answer,label\n" + "".join(f"q{n},a,b,{n % 5}\n" for n in range(20)))
    assert "labels are from 0 to 4; say from which label on an answer is right: --right-from 4" in fail(
        "agreement", odd
    )
    told = "--columns 'label=label' must be ROLE=NAME with one of the roles: labels, references, predictions, question, system"
    assert told in fail("agreement", SAMPLE, "--columns", "label=label")
    assert "must be ROLE=NAME" in fail("agreement", SAMPLE, "--columns", "gold:labels=label")
    assert "--option model=... is --model" in fail("agreement", SAMPLE, "--option", "model=lite")
    assert "this file is read by the command" in fail("agreement", odd, "--right-from", "3", "--output", odd)
    told = "--metric takes every value after it, and took the file"
    assert told in fail("agreement", "--metric", "answer_match", SAMPLE)
    assert "no such file" in fail("agreement", "nothing.csv").lower()
