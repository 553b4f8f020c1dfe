"""`qassay score` with tables of labels, of scores and of boxes, and with sparse rows of labels."""

import csv
import dataclasses
import json
from pathlib import Path

import pytest
from scipy import sparse

import qassay
from qassay.registry import get_family

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


def matrix_of(path):
    """A file of sparse rows, label by label."""
    header, *lines = Path(path).read_text("utf-8").splitlines()
    shape = tuple(map(int, header.split()))
    cells = [(row, *cell.split(":")) for row, line in enumerate(lines) for cell in line.split()]
    rows, labels, values = zip(*cells, strict=True)
    return sparse.csr_matrix((list(map(float, values)), (rows, list(map(int, labels)))), shape=shape)


def values_of(run, *arguments):
    tree = json.loads(run("score", *arguments, "--format", "json", "--no-intervals"))
    return {name: system["values"] for name, system in tree["systems"].items()}, tree["signature"]


def summary(scores):
    return scores.summary(scores.measures)


def test_one_label_per_row(run):
    values, signature = values_of(run, DESK, RULES, TUNED, *LABELS)
    gold = {row["id"]: row["label"] for row in rows_of(DESK)}
    for name, path in (("desk_rules", RULES), ("desk_tuned", TUNED)):
        found = {row["id"]: row["prediction"] for row in rows_of(path)}
        scores = qassay.score("label_metrics", [found[identifier] for identifier in gold], list(gold.values()))
        assert values[name] == summary(scores)
    assert signature == scores.signature()


@pytest.mark.parametrize("task", ["multi", "ranked"])
def test_lists_of_labels(run, task):
    values, _ = values_of(run, ARTICLES, *LABELS, "--option", f"task={task}")
    rows = rows_of(ARTICLES)
    columns = [[row[name] for row in rows] for name in ("prediction", "labels")]
    assert values["articles"] == summary(qassay.score("label_metrics", *columns, task=task))


def test_sparse_rows(run):
    values, signature = values_of(run, SUBJECTS, WORDS, GRAPH)
    for name, path in (("subjects_words", WORDS), ("subjects_graph", GRAPH)):
        scores = qassay.score("label_metrics", matrix_of(path), matrix_of(SUBJECTS), task="ranked")
        assert values[name] == summary(scores)
    assert signature == scores.signature()
    assert values_of(run, OLD, WORDS, GRAPH, *LABELS) == (values, signature)


def test_propensities(run, tmp_path):
    """Counts from a training file, in both formats, with commas, as a dict and of the function are one."""
    rows = [[0, 3], [1], [], [3, 2], [3]]
    width = matrix_of(SUBJECTS).shape[1]
    counts = [sum(label in row for row in rows) for label in range(width)]
    new, old = tmp_path / "train.txt", tmp_path / "old.txt"
    new.write_text(f"5 {width}\n" + "".join(" ".join(f"{x}:1" for x in row) + "\n" for row in rows))
    old.write_text(f"5 9 {width}\n" + "".join(",".join(map(str, row)) + " 4:0.5\n" for row in rows))
    scores = qassay.score(
        "label_metrics",
        matrix_of(WORDS),
        matrix_of(SUBJECTS),
        task="ranked",
        label_counts=counts,
        n_train=5,
        dataset="amazon",
    )
    assert "psp@3" in summary(scores)
    sized, amazon = "n_train=5", "dataset=amazon"
    for given in (
        (f"label_counts={new}",),
        (f"label_counts={old}",),
        ("label_counts=" + ",".join(map(str, counts)), sized),
    ):
        values, signature = values_of(run, SUBJECTS, WORDS, "--option", *given, amazon)
        assert (values["subjects_words"], signature) == (summary(scores), scores.signature())
    values, _ = values_of(run, SUBJECTS, WORDS, "--option", f"label_counts={dict(enumerate(counts))}", sized, amazon)
    assert values["subjects_words"] == summary(scores)
    weights = [1 + label / 4 for label in range(width)]
    values, _ = values_of(run, SUBJECTS, WORDS, "--option", "inverse_propensities=" + ",".join(map(str, weights)))
    again = qassay.score(
        "label_metrics", matrix_of(WORDS), matrix_of(SUBJECTS), task="ranked", inverse_propensities=weights
    )
    assert values["subjects_words"] == summary(again)


def test_sparse_rows_as_sets(run):
    values, _ = values_of(run, SUBJECTS, OLD, "--option", "task=multi")
    assert values["subjects_old"]["exact_match"] == 1


def test_scores(run):
    values, signature = values_of(run, SPAM, *CURVES)
    rows = rows_of(SPAM)
    columns = [float(row["score"]) for row in rows], [int(row["label"]) for row in rows]
    scores = qassay.score("average_precision", *columns)
    assert (values["spam"], signature) == (summary(scores), scores.signature())
    values, _ = values_of(run, SPAM, *CURVES, "--option", "thresholds=.3,.5", "pos_label=1")
    assert values["spam"] == summary(qassay.score("average_precision", *columns, thresholds=(0.3, 0.5)))
    of_channel = ("--columns", "references=channel", "--option", "pos_label=mail")
    values, _ = values_of(run, SPAM, *CURVES, *of_channel)
    assert values["spam"]["positives"] == sum(row["channel"] == "mail" for row in rows)


@pytest.mark.parametrize("words", [(), CURVES, (*CURVES, "--option", "task=boxes", "style=voc")])
def test_boxes(run, words):
    values, _ = values_of(run, PAGES, FOUND, *words)
    gold = [{name: row[name] for name in ("boxes", "labels")} for row in rows_of(PAGES)]
    found = [{name: row[name] for name in ("boxes", "scores", "labels")} for row in rows_of(FOUND)]
    style = "voc" if "style=voc" in words else "coco"
    scores = qassay.score("average_precision", found, gold, task="boxes", style=style)
    assert values["pages_found"] == summary(scores)


@pytest.mark.parametrize("form", ["table", "markdown", "latex", "csv", "json"])
@pytest.mark.parametrize(
    "arguments",
    [(DESK, RULES, TUNED, *LABELS, "--by", "channel"), (PAGES, FOUND), (SPAM, *CURVES, "--by", "channel")],
)
def test_every_format(run, arguments, form):
    command = ("score", *arguments, "--resamples", "20", "--format")
    out, rows = run(*command, form), list(csv.DictReader(run(*command, "csv").splitlines()))
    assert {row["measure"] for row in rows} & {"accuracy", "average_precision", "map"}
    assert ("chat" in {row["label"] for row in rows}) == ("--by" in arguments)
    for row in rows:
        exact = form in ("csv", "json") or row["value"].isdecimal()
        assert (row["value"] if exact else f"{float(row['value']):.4f}") in out, row
        name = row["measure"].replace("_", r"\_") if form == "latex" else row["measure"]
        assert name in out and row["label"] in out


def test_every_metric_of_a_file(run):
    out = run("score", SUBJECTS, WORDS, "--metric", "all", "--no-intervals", "--measures", "all")
    assert "ndcg@5" in out and "short" in out


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
        ((SUBJECTS, RULES), "desk_rules.csv: predictions have ids (in the column id), but "),
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
        ((SAMPLES / "rankings/qrels.txt", *LABELS), "this looks like TREC qrels, which label_metrics does not score"),
        ((SAMPLES / "answers/gold.json", *LABELS), "like a SQuAD gold file, which label_metrics does not score; give"),
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
        ((DESK, RULES, "--columns", "separator"), "--columns 'separator' must be ROLE=NAME with one of the roles"),
    ],
)
def test_wrong_calls(fail, arguments, words):
    assert words in fail("score", *arguments)


@pytest.mark.parametrize("metric", ["label_metrics", "average_precision"])
def test_list_and_explain(run, metric):
    family = get_family(metric)
    assert f"\n{metric} " in "\n" + run("list")
    text = " ".join(run("explain", metric).split())
    explained = {name: meaning for name, meaning in family.measures() if meaning}
    assert len(explained) > 10
    for name, meaning in explained.items():
        assert name in text and meaning in text, name
    options = [field.name for field in dataclasses.fields(family.load()[1]) if field.init]
    assert [name for name in options if f" {name} " not in text] == []


def test_systems_with_different_classes_stand_in_one_table_with_a_note(run, tmp_path):
    for name, labels in (("gold", "cat,dog"), ("one", "cat,cat"), ("two", "cat,owl")):
        rows = "".join(f"{row},{label}\n" for row, label in enumerate(labels.split(",")))
        (tmp_path / f"{name}.csv").write_text(f"id,{'label' if name == 'gold' else 'prediction'}\n{rows}", "utf-8")
    files = [tmp_path / f"{name}.csv" for name in ("gold", "one", "two")]
    out = run("score", *files, "--metric", "label_metrics", "--no-intervals")
    assert "other labels occur with some systems" in out and "labels:found|" in out
    out = run("score", *files, "--metric", "label_metrics", "--no-intervals", "--option", "labels=cat,dog,owl")
    assert "other labels occur" not in out


@pytest.mark.parametrize(
    "arguments",
    [
        ("desk.csv", "desk_rules.csv", "--metric", "label_metrics"),
        ("articles.jsonl", "--metric", "label_metrics", "--option", "task=multi"),
        ("subjects.txt", "subjects_words.txt"),
        ("spam.csv", "--metric", "average_precision"),
        ("pages.jsonl", "pages_found.jsonl", "--metric", "average_precision"),
    ],
)
def test_per_cent_is_a_hundred_times_as_much(run, arguments, monkeypatch):
    monkeypatch.chdir(Path(__file__).resolve().parents[2] / "samples" / "labels")
    one, hundred = (
        json.loads(run("score", *arguments, "--format", "json", "--resamples", "20", *more))
        for more in ((), ("--percent",))
    )
    for system, numbers in one["systems"].items():
        for name, value in numbers["values"].items():
            is_count = isinstance(value, int)
            other = hundred["systems"][system]["values"][name]
            assert other == pytest.approx(value if is_count else 100 * value), name


def test_the_rows_of_a_file_have_labels_and_no_numbers(run, tmp_path, monkeypatch):
    monkeypatch.chdir(Path(__file__).resolve().parents[2] / "samples" / "labels")
    path = tmp_path / "rows.jsonl"
    run("score", "desk.csv", "desk_rules.csv", "--metric", "label_metrics", "--per-example", path)
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert all(isinstance(row["prediction"], str) and isinstance(row["reference"], str) for row in rows)
