"""`qassay score` with tables of labels, of scores and of boxes, and with sparse rows of labels."""

import csv
import json
from pathlib import Path

import pytest

import qassay

from .test_families import matrix_of

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
FOLDER = SAMPLES / "labels"
DESK, RULES, TUNED, SPAM = (str(FOLDER / f"{name}.csv") for name in ("desk", "desk_rules", "desk_tuned", "spam"))
ARTICLES, PAGES, FOUND = (str(FOLDER / f"{name}.jsonl") for name in ("articles", "pages", "pages_found"))
SUBJECTS, OLD, WORDS, GRAPH = (str(FOLDER / f"subjects{name}.txt") for name in ("", "_old", "_words", "_graph"))
LABELS, CURVES = ("--metric", "label_metrics"), ("--metric", "average_precision")


def rows_of(path):
    text = Path(path).read_text("utf-8")
    if path.endswith(".csv"):
        return list(csv.DictReader(text.splitlines()))
    return [json.loads(line) for line in text.splitlines()]


def test_propensities(tree, tmp_path):
    """Counts from a training file in both formats, with commas, as a dict and from the function are equal."""
    columns = matrix_of(WORDS), matrix_of(SUBJECTS)
    rows, width = [[0, 3], [1], [], [3, 2], [3]], columns[1].shape[1]
    counts = [sum(label in row for row in rows) for label in range(width)]
    new, old = tmp_path / "train.txt", tmp_path / "old.txt"
    new.write_text(f"5 {width}\n" + "".join(" ".join(f"{x}:1" for x in row) + "\n" for row in rows))
    old.write_text(f"5 9 {width}\n" + "".join(",".join(map(str, row)) + " 4:0.5\n" for row in rows))
    counted = {"label_counts": counts, "n_train": 5, "dataset": "amazon"}
    weights = [1 + label / 4 for label in range(width)]
    listed, sized, amazon = ",".join(map(str, counts)), "n_train=5", "dataset=amazon"
    for given, options in (
        ((f"label_counts={new}", amazon), counted),
        ((f"label_counts={old}", amazon), counted),
        ((f"label_counts={listed}", sized, amazon), counted),
        ((f"label_counts={dict(enumerate(counts))}", sized, amazon), counted),
        (("inverse_propensities=" + ",".join(map(str, weights)),), {"inverse_propensities": weights}),
    ):
        found = tree("score", SUBJECTS, WORDS, "--no-intervals", "--option", *given)
        scores = qassay.score("label_metrics", *columns, task="ranked", **options)
        assert found["systems"]["subjects_words"]["values"] == scores.summary(scores.measures)
        assert "psp@3" in scores.measures and (found["signature"] == scores.signature() or "{" in given[0])


def test_rows_of_labels_without_scores(values):
    assert values(SUBJECTS, OLD, "--option", "task=multi")["subjects_old"]["exact_match"] == 1
    assert values(SUBJECTS, WORDS) == values(OLD, WORDS, *LABELS)


def test_a_class_of_another_column(values):
    found = values(SPAM, *CURVES, "--columns", "references=channel", "--option", "pos_label=mail")
    assert found["spam"]["positives"] == sum(row["channel"] == "mail" for row in rows_of(SPAM))


def test_a_class_that_is_called_none(tree, tmp_path):
    """The text of pos_label is always the name of a class, never None or a number."""
    path = tmp_path / "named.csv"
    for name in ("none", "None", "1"):
        path.write_text(f"id,score,label\na,0.9,{name}\nb,0.2,other\nc,0.4,{name}\n", "utf-8")
        found = tree("score", path, *CURVES, "--no-intervals", "--option", f"pos_label={name}")
        assert found["systems"]["named"]["values"]["positives"] == 2
        signed = "'1'" if name == "1" else name
        assert f"|pos:{signed}|" in found["signature"]


def test_per_example(run, tmp_path):
    path = tmp_path / "examples.jsonl"
    run("score", DESK, RULES, TUNED, *LABELS, "--no-intervals", "--per-example", path)
    rows = rows_of(str(path))
    assert len(rows) == 2 * len(rows_of(DESK))
    assert {"id", "system", "correct", "channel", "text"} <= rows[0].keys()
    run("score", SUBJECTS, WORDS, "--no-intervals", "--per-example", path)
    assert len(rows_of(str(path))) == 20


@pytest.mark.parametrize(
    "arguments, words",
    [
        ((DESK, *LABELS), "desk.csv: no column is known to hold the predictions; it has: id, channel, text, label"),
        ((DESK, RULES, *CURVES), "desk_rules.csv: row 0: "),
        ((SUBJECTS,), "subjects.txt: this has true labels only; give predictions too"),
        ((PAGES,), "pages.jsonl: this has gold labels only; give scores too"),
        ((SUBJECTS, OLD), "subjects_old.txt: these labels have no scores to rank them by"),
        ((DESK, WORDS, *LABELS), "subjects_words.txt: columns have different lengths: predictions 20, references 36"),
        ((PAGES, SPAM), "spam.csv: there is no prediction for the id 'page1'"),
        (
            (ARTICLES, *LABELS),
            "articles.jsonl: lists of labels may be sets or rankings, best first; give the option task",
        ),
        (
            (SAMPLES / "rankings/qrels.txt", WORDS),
            "this looks like sparse rows of labels (XMC), which does not go with",
        ),
        (
            (SAMPLES / "answers/gold.json", *CURVES),
            "like a SQuAD gold file, which average_precision does not score; give",
        ),
        ((SUBJECTS, *CURVES), "like sparse rows of labels (XMC), which average_precision does not score; give a table"),
        ((SPAM, *CURVES, "--columns", "references=channel"), "spam.csv: references[0] (id '1') must be True or False"),
        ((SUBJECTS, WORDS, "--option", "label_counts=nowhere.txt"), "nowhere.txt"),
        ((SUBJECTS, WORDS, "--option", f"label_counts={DESK}"), "desk.csv: these are not sparse rows of labels (XMC)"),
        ((SUBJECTS, WORDS, "--option", "label_counts=1,x"), "in the order of the labels, as in 3,0,7, or the path of"),
        ((SUBJECTS, WORDS, "--option", "inverse_propensities=x"), "option inverse_propensities needs a dict such as"),
    ],
)
def test_wrong_calls(fail, arguments, words):
    assert words in fail("score", *arguments)


def test_systems_with_different_classes_share_a_table_with_a_note(run, tmp_path):
    for name, labels in (("gold", "cat,dog"), ("one", "cat,cat"), ("two", "cat,owl")):
        rows = "".join(f"{row},{label}\n" for row, label in enumerate(labels.split(",")))
        (tmp_path / f"{name}.csv").write_text(f"id,{'label' if name == 'gold' else 'prediction'}\n{rows}", "utf-8")
    files = [tmp_path / f"{name}.csv" for name in ("gold", "one", "two")]
    out = run("score", *files, "--metric", "label_metrics", "--no-intervals")
    assert "other labels occur with some systems" in out and "labels:found|" in out
    out = run("score", *files, "--metric", "label_metrics", "--no-intervals", "--option", "labels=cat,dog,owl")
    assert "other labels occur" not in out


def test_the_rows_of_a_file_have_labels_and_no_numbers(run, tmp_path, monkeypatch):
    monkeypatch.chdir(Path(__file__).resolve().parents[2] / "samples" / "labels")
    path = tmp_path / "rows.jsonl"
    run("score", "desk.csv", "desk_rules.csv", "--metric", "label_metrics", "--per-example", path)
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert all(isinstance(row["prediction"], str) and isinstance(row["reference"], str) for row in rows)
