"""What holds of `qassay score` for every family: values of the function itself, formats, examples, per cent, help."""

import csv
import dataclasses
import html
import inspect
import json
import re
from pathlib import Path

import pytest
from scipy import sparse

import qassay
from qassay.catalog import describe_metric, one_line
from qassay.cli import main
from qassay.core.ragged import Ragged
from qassay.registry import get_family

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
FORMATS = ("table", "markdown", "latex", "csv", "json", "html")


def json_of(name):
    return json.loads((SAMPLES / name).read_text("utf-8"))


def rows_of(name):
    text = (SAMPLES / name).read_text("utf-8")
    return list(csv.DictReader(text.splitlines())) if name.endswith("csv") else list(map(json.loads, text.splitlines()))


def questions(name):
    paragraphs = [paragraph for article in json_of(name)["data"] for paragraph in article["paragraphs"]]
    return [(question, paragraph) for paragraph in paragraphs for question in paragraph["qas"]]


def answers(gold, system):
    golds = {question["id"]: [answer["text"] for answer in question["answers"]] for question, _ in questions(gold)}
    return json_of(system), golds


def pipelines(gold, system):
    return json_of(system), {
        question["id"]: {
            "documents": [paragraph["document_id"]],
            "answers": [{**answer, "document_id": paragraph["document_id"]} for answer in question["answers"]],
            "is_impossible": question["is_impossible"],
        }
        for question, paragraph in questions(gold)
    }


def desk(gold, system):
    found = {row["id"]: row["prediction"] for row in rows_of(system)}
    return [found[row["id"]] for row in rows_of(gold)], [row["label"] for row in rows_of(gold)]


def articles(gold, _):
    return tuple([row[name] for row in rows_of(gold)] for name in ("prediction", "labels"))


def matrix_of(name):
    """A file of sparse rows, label by label."""
    header, *lines = (SAMPLES / name).read_text("utf-8").splitlines()
    cells = [(row, *cell.split(":")) for row, line in enumerate(lines) for cell in line.split()]
    rows, labels, values = zip(*cells, strict=True)
    return sparse.csr_matrix(
        (list(map(float, values)), (rows, list(map(int, labels)))), tuple(map(int, header.split()))
    )


def subjects(gold, system):
    return matrix_of(system), matrix_of(gold)


def spam(gold, _):
    return [float(row["score"]) for row in rows_of(gold)], [int(row["label"]) for row in rows_of(gold)]


def boxes(gold, system):
    found = [{name: row[name] for name in ("boxes", "scores", "labels")} for row in rows_of(system)]
    return found, [{name: row[name] for name in ("boxes", "labels")} for row in rows_of(gold)]


# metric, gold file, system (None: in the gold file), their columns without qassay's readers, options
RUNS = [
    ("answer_match", "answers/gold.json", "answers/small_model.json", answers, {}),
    ("semantic_answer_similarity", "answers/gold.json", "answers/large_model.json", answers, {"model": "lite"}),
    ("semantic_answer_similarity", "answers/gold.json", "answers/small_model.json", answers,
     {"model": "lite", "raw": True, "thresholds": (0.3, 0.8), "normalizer": "french", "missing": "skip"}),
    ("retriever_reader", "pipeline/gold.json", "pipeline/keyword.json", pipelines, {}),
    ("retriever_reader", "pipeline/gold.json", "pipeline/dense.json", pipelines,
     {"denominator": "queries", "top_k": 1, "unit": "token", "normalizer": "french",
      "ap_denominator": "num_retrieved_relevant"}),
    ("label_metrics", "labels/desk.csv", "labels/desk_rules.csv", desk, {}),
    ("label_metrics", "labels/articles.jsonl", None, articles, {"task": "multi"}),
    ("label_metrics", "labels/articles.jsonl", None, articles, {"task": "ranked"}),
    ("label_metrics", "labels/subjects.txt", "labels/subjects_words.txt", subjects, {"task": "ranked"}),
    ("average_precision", "labels/spam.csv", None, spam, {}),
    ("average_precision", "labels/spam.csv", None, spam, {"thresholds": (0.3, 0.5)}),
    ("average_precision", "labels/pages.jsonl", "labels/pages_found.jsonl", boxes, {"task": "boxes"}),
    ("average_precision", "labels/pages.jsonl", "labels/pages_found.jsonl", boxes, {"task": "boxes", "style": "voc"}),
]  # fmt: skip
runs = pytest.mark.parametrize(("metric", "gold", "system", "columns", "options"), RUNS)
# One file and system of each kind.
FILES = [
    ("factoid_accuracy", "factoid/gold.json", "factoid/careful.json", {}),
    ("retrieval_ranking", "rankings/qrels.txt", "rankings/bm25.run", {}),
    *((metric, gold, system, options) for metric, gold, system, _, options in RUNS),
]
files = pytest.mark.parametrize(("metric", "gold", "system", "options"), list({f[0] + f[1]: f for f in FILES}.values()))


def words(metric, gold, system, options):
    """The arguments of the command."""
    written = [
        f"{name}={','.join(map(str, value)) if isinstance(value, tuple) else value}" for name, value in options.items()
    ]
    paths = [SAMPLES / name for name in (gold, system) if name]
    return [*paths, "--metric", metric, *(["--option", *written] if written else [])]


def summary(scores):
    return scores.summary(scores.measures)


@runs
def test_values_match_the_function(tree, run, tmp_path, metric, gold, system, columns, options):
    path = tmp_path / "examples.jsonl"
    arguments = words(metric, gold, system, options)
    found = tree("score", *arguments, "--no-intervals", "--per-example", path)
    scores = qassay.score(metric, *columns(gold, system), **options)
    (values,) = (numbers["values"] for numbers in found["systems"].values())
    assert values == summary(scores)
    assert (found["metric"], found["signature"]) == (metric, scores.signature())
    rows = list(map(json.loads, path.read_text("utf-8").splitlines()))
    if not isinstance(scores.ids, range):
        assert [row["id"] for row in rows] == list(scores.ids)
    assert len(rows) == len(scores) and "context" not in rows[0]
    columns = {name: column for name, column in scores.columns.items() if not isinstance(column, Ragged)}
    names = [name for name, column in columns.items() if name in rows[0] and column.dtype.kind == "f"]
    assert names or metric == "label_metrics" and options
    for name in names:
        assert [row[name] for row in rows] == [None if value != value else value for value in scores.columns[name]], (
            name
        )


@files
def test_every_format_has_every_number(capsys, metric, gold, system, options):
    outputs = {}
    for form in FORMATS:
        assert (
            main(["score", *map(str, words(metric, gold, system, options)), "--resamples", "20", "--format", form]) == 0
        )
        outputs[form] = capsys.readouterr().out
    plain = re.sub(r"<[^>]+>", "", outputs["html"].partition("<main")[2])
    outputs["html"] = html.unescape(plain).replace("−", "-").replace(",", "")
    rows = [row for row in csv.DictReader(outputs["csv"].splitlines()) if row["value"]]
    assert rows
    for form, out in outputs.items():
        for row in rows:
            exact = form in ("csv", "json") or row["value"].isdecimal()
            assert (row["value"] if exact else f"{float(row['value']):.4f}") in out, row
            name = row["measure"].replace("_", r"\_") if form == "latex" else row["measure"]
            assert name in out, form


@files
def test_per_cent_is_a_hundred_times_as_much(tree, metric, gold, system, options):
    arguments = ("score", *words(metric, gold, system, options), "--no-intervals")
    one, hundred = tree(*arguments), tree(*arguments, "--percent")
    ((plain, scaled),) = zip(one["systems"].values(), hundred["systems"].values(), strict=True)
    for name, value in plain["values"].items():
        other = scaled["values"][name]
        assert other == pytest.approx(value if isinstance(value, int) else 100 * value, rel=1e-12), name


@pytest.mark.parametrize("metric", qassay.list_metrics())
def test_list_and_explain(run, metric):
    assert [metric, one_line(metric)] in [line.split(maxsplit=1) for line in run("list").splitlines()]
    text, description = run("explain", metric), describe_metric(metric)
    assert max(map(len, text.splitlines())) <= 80
    family = get_family(metric)
    function, options = family.load()
    assert {entry.name for entry in description.options} == {f.name for f in dataclasses.fields(options) if f.init}
    assert {entry.name for entry in description.columns} == inspect.signature(function).parameters.keys() - {"options"}
    assert all(entry.meaning for entry in [*description.columns, *description.options])
    words = " ".join(text.split())
    explained = {name: meaning for name, meaning in family.measures() if meaning}
    assert len(explained) > 2
    assert [name for name, meaning in explained.items() if name not in words or meaning not in words] == []
    assert [entry.name for entry in description.options if f" {entry.name} " not in words] == []
