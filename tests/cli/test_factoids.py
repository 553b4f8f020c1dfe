"""`karat score` on files of BioASQ."""

import csv
import io
import json

import pytest

JAVA = "yesno_acc factoid_strict factoid_lenient factoid_mrr list_prec list_rec list_f1 yesno_macro_f1 yesno_f1_yes yesno_f1_no"


@pytest.fixture
def files(samples):
    folder = samples.parent / "factoid"
    return folder / "gold.json", folder / "careful.json", folder / "hasty.json"


def test_ten_numbers_and_what_was_counted(run, files):
    text = run("score", *files, "--no-intervals")
    measures = [line.split()[0] for line in text.splitlines() if line.split()[2:] and "." in line.split()[-1]][:10]
    assert measures == [
        "strict_accuracy", "lenient_accuracy", "mrr", "list_precision", "list_recall", "list_f1",
        "yesno_accuracy", "yesno_f1_yes", "yesno_f1_no", "yesno_macro_f1",
    ]  # fmt: skip
    assert "hasty: 1 questions that the system does not have: scored 0" in text
    assert "hasty: 3 questions with no answer that can be read: scored 0" in text
    assert "hasty: 1 answers to questions that the gold file does not have: left out" in text
    assert "hasty: 1 answers to a question answered before: left out" in text


def test_by_type_shows_what_a_type_has(run, files):
    rows = list(
        csv.DictReader(io.StringIO(run("score", *files[:2], "--by", "type", "--format", "csv", "--no-intervals")))
    )
    found = [(row["label"], row["measure"], row["n"]) for row in rows if row["slice"] == "type"]
    assert found == [("factoid", "mrr", "12"), ("list", "list_f1", "10"), ("yesno", "yesno_macro_f1", "12")]


def test_options(run, files):
    text = run("score", *files[:2], "--option", "version=5", "top_k=none", "missing=error", "normalizer=squad")
    assert "factoid_accuracy|version:5|k:None|norm:squad|missing:error|" in text
    text = run("score", *files, "--option", "phase=A", "version=3", "--percent")
    assert "phase:A|version:3|missing:skip" in text
    assert [line.split()[0] for line in text.splitlines()[3:8]] == ["precision", "recall", "f1", "map", "gmap"]


def test_examples(run, files, tmp_path):
    run("score", *files[:2], "--per-example", tmp_path / "rows.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text("utf-8").splitlines()]
    assert len(rows) == 40 and rows[0]["question"].startswith("How many chromosomes")
    summary = next(row for row in rows if row["type"] == "summary")
    assert summary["strict"] is None and summary["summary"] is True


def test_bad_files_and_options(fail, files, tmp_path):
    gold, careful, _ = files
    (tmp_path / "null.json").write_text('{"questions": [{"id": "tolma01", "exact_answer": null}]}')
    assert "null.json: predictions[0] (id 'tolma01') is null" in fail("score", gold, tmp_path / "null.json")
    rows = json.loads(gold.read_text("utf-8"))["questions"]
    (tmp_path / "twice.json").write_text(json.dumps({"questions": [*rows, rows[0]]}))
    assert "twice.json: references[40] repeats the id 'tolma01'" in fail("score", tmp_path / "twice.json", careful)
    (tmp_path / "type.json").write_text(json.dumps({"questions": [{**rows[0], "type": "fact"}]}))
    assert "type.json: references[0] (id 'tolma01') has the unknown type 'fact'" in fail(
        "score", tmp_path / "type.json", careful
    )
    assert "give a system too: karat score GOLD SYSTEM" in fail("score", gold)
    assert "--format bioasq is for one system" in fail("score", *files, "--format", "bioasq")
    assert "has no slices" in fail("score", gold, careful, "--format", "bioasq", "--by", "type")
    assert "option version needs a whole number" in fail("score", gold, careful, "--option", "version=new")


def test_the_line_of_the_official_program(run, bioasq):
    """Of every run in the folder."""
    rows = json.loads((bioasq / "official_scores.json").read_text("utf-8"))["rows"]
    for row in rows:
        gold = bioasq / ("12B1_golden.json" if "batch_1" in row["file"] else "12B2_golden.json")
        options = [f"version={row['e']}", "top_k=none"]
        line = run("score", gold, bioasq / row["file"], "--format", "bioasq", "--option", *options)
        assert line == " ".join(repr(row["java"][name]) for name in JAVA.split()) + "\n"
