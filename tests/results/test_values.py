"""Values of systems as tables, Markdown, LaTeX, CSV and strict JSON: they have the numbers of the scores."""

import csv
import io
import json

import numpy as np
import pytest

import qassay
from qassay.core.interval_settings import Intervals
from qassay.core.text_tables import TableReport, text_table
from qassay.results import document
from qassay.results.text import render
from qassay.results.writers import report_text
from qassay.stats.values import values_of

FORMATS = ("table", "markdown", "latex", "csv")
GOLD = {f"q{i}": [f"answer {i}"] if i % 4 else [] for i in range(40)}
KINDS = ["rare"] * 5 + ["common"] * 35


def answers(share):
    return {
        key: (golds[0] if golds else "") if place < 40 * share else "wrong"
        for place, (key, golds) in enumerate(GOLD.items())
    }


def system(share, **columns):
    return qassay.score("answer_match", answers(share), GOLD, **columns)


@pytest.fixture(scope="module")
def systems():
    return {"small_model": system(0.5), "large_model": system(0.75)}


@pytest.mark.parametrize("width", [80, 200])
def test_tables_keep_to_the_width_and_cut_no_number(systems, width):
    many = {f"{name}_{number}": scores for number in range(3) for name, scores in systems.items()}
    values = values_of(many, intervals=Intervals(n_resamples=20))
    found = document(many, by={"kind": KINDS}, n_resamples=20)
    text = render(found, "table", width=width)
    assert max(map(len, text.splitlines())) <= width
    for cells in values.systems.values():
        for cell in cells.values():
            assert f"{cell.value:.4f}  {cell.interval[0]:.4f}–{cell.interval[1]:.4f}" in text
    assert text.count("rare") == -(-6 // {80: 2, 200: 6}[width])
    assert "0.7500  " in render(found, "table", width=30)


def test_notes_are_shown_by_system_and_zeros_are_not():
    extra = {**{key: "x" for key in list(GOLD)[:38]}, "unknown": "y"}
    noted = {"good": system(1), "lacking": qassay.score("answer_match", extra, GOLD)}
    values = values_of(noted, intervals=Intervals(None))
    assert values.notes == {"good": {}, "lacking": {"missing": 2, "unmatched": 1}}
    assert values.remarks[0].startswith("lacking: 2 ") and values.remarks[1].startswith("lacking: 1 ")
    assert all(values.remarks[0] in render(document(noted), form) for form in ("table", "markdown", "latex"))
    skipped = qassay.score("answer_match", extra, GOLD, missing="skip")
    found = document({"all": system(1, missing="skip"), "skipped": skipped})
    cells = values_of({"skipped": skipped}, ["missing", "total"], Intervals(None)).systems["skipped"]
    assert (cells["missing"].value, cells["total"].value) == (0, 38) and "40/38" in render(found, "table")


def test_systems_need_the_same_options_and_classes(systems):
    other = system(1, missing="skip", normalizer="none")
    with pytest.raises(ValueError, match="small_model and other.*normalizer=squad against none.*missing"):
        document({**systems, "other": other})
    ranked = qassay.score("retrieval_ranking", {"q": {"d": 1.0}}, {"q": {"d": 1}})
    with pytest.raises(ValueError, match="retrieval_ranking"):
        document({**systems, "ranked": ranked})
    two, three, grouped = (
        qassay.score("average_precision", [dict.fromkeys(classes, 0.5)], ["a"], **options)
        for classes, options in ((["a", "b"], {}), (["a", "c"], {}), (["a", "c"], {"interpolation": "voc11"}))
    )
    for second, words in ((three, "option labels"), (grouped, "interpolation=none")):
        with pytest.raises(ValueError, match=words):
            document({"two": two, "second": second})
    with pytest.raises(ValueError, match="'exact_mach'.*'exact_match'"):
        values_of(systems, ["exact_mach"])


@pytest.mark.parametrize("groups", [None, [row % 9 for row in range(30)]])
def test_percent_is_of_rates_only_and_intervals_match(groups):
    """Also of measures that are multiplied as a whole, such as macro F1."""
    guessed = ["a", "b", "c", "c", "b"] * 6
    scores = qassay.score("label_metrics", guessed, ["a", "b", "c", "a", "a", "c"] * 5).with_groups(groups)
    rates, percent = (document(scores, measures="all", percent=of)["parts"][0] for of in (False, True))
    assert {measure["is_rate"] for measure in rates["measures"]} == {True, False}
    for measure in rates["measures"]:
        scale, name = 100 if measure["is_rate"] else 1, measure["name"]
        plain, scaled = (of["values"]["scores"][name] for of in (rates, percent))
        for end in ("value", "low", "high"):
            assert scaled[end] == (None if plain[end] is None else pytest.approx(scale * plain[end], rel=1e-9)), name
        assert scaled["method"] == plain["method"]


def test_thresholds_are_not_rates_and_infinity_is_null_in_json():
    doubted = {"no_answer_probabilities": {"a": 0.5, "b": 0.5}}
    scores = qassay.score("answer_match", {"a": "x", "b": "y"}, {"a": [], "b": []}, **doubted)
    tree = json.loads(json.dumps(document(scores, measures="all", percent=True, n_resamples=20), allow_nan=False))
    values = tree["parts"][0]["values"]["scores"]
    assert (values["best_f1"]["value"], values["best_f1_threshold"]["value"]) == (100.0, None)


@pytest.mark.parametrize(
    ("metric", "columns", "measure"),
    [("answer_match", (["Rome"], [["Rome"]]), "no_answer_f1"), ("factoid_accuracy", ([["a"]], [["a"]]), "list_f1")],
)
def test_a_measure_of_no_example_is_a_dash_and_n_0(metric, columns, measure):
    scores = qassay.score(metric, *columns)
    assert scores.summary([measure]) == {measure: None}
    cell = values_of({"a": scores}, [measure], Intervals(n_resamples=10)).systems["a"][measure]
    assert (np.isnan(cell.value), cell.interval, cell.n) == (True, None, 0)
    found = document({"a": scores}, measures=[measure], n_resamples=10)
    texts = {form: render(found, form) for form in FORMATS}
    assert not any("0.0" in text.partition("|v:")[0] or "nan" in text for text in texts.values())
    assert f"| {measure} | 0 | – |" in texts["markdown"] and f"{measure}   0  " in texts["table"]
    assert "& 0 & --" in texts["latex"] and f"{measure},0,,," in texts["csv"]
    cell = found["parts"][0]["values"]["a"][measure]
    assert [cell[name] for name in ("value", "n", "low", "high")] == [None, 0, None, None]


def test_csv_is_long_and_exact_and_no_name_is_a_formula(systems):
    rows = list(csv.DictReader(io.StringIO(render(document(systems, by={"kind": KINDS}), "csv"))))
    assert list(rows[0]) == "system metric slice label measure n value low high method n_groups few".split()
    row = next(r for r in rows if (r["system"], r["label"], r["measure"]) == ("large_model", "common", "f1"))
    common = systems["large_model"].by(KINDS)["common"]
    low, _ = common.interval(names=["f1"])["f1"]
    assert (int(row["n"]), float(row["value"]), float(row["low"])) == pytest.approx((35, common["f1"], low), abs=1e-12)
    scores = qassay.score("average_precision", [-0.75, -0.5], [1, 0])
    named = {"=cmd|x": scores, "-plain": scores, "-0.25": scores}
    found = document(named, by={"+kind": ["@sum(a1)", "-1"]})
    rows = list(csv.DictReader(io.StringIO(render(found, "csv"))))
    assert [*dict.fromkeys(row["system"] for row in rows)] == ["'=cmd|x", "'-plain", "-0.25"]
    assert {(row["slice"], row["label"]) for row in rows} == {("", ""), ("'+kind", "'@sum(a1)"), ("'+kind", "-1")}


def test_wide_characters_keep_columns_aligned():
    table = text_table([("name", "left"), ("n", "right")], [["北京", "1"], [], ["ab", "2"]], "title")
    text = report_text(TableReport([table], ["note"], []), "table")
    assert text.splitlines() == ["title", "name   n", "────────", "北京   1", "", "ab     2", "", "note"]


def test_long_names_keep_their_ends_in_a_terminal():
    names = [
        f"meta__model-of-a-long-name__task_with_a_long_name_too__2026-01-01T12-00-00__seed{seed}" for seed in (1, 2)
    ]
    table = text_table([("n", "right"), *[(name, "right") for name in names]], [["1", "2", "3"]])
    head = report_text(TableReport([table], [], []), "table").splitlines()[0].split()
    assert [name[-5:] for name in head[1:]] == ["seed1", "seed2"] and max(map(len, head)) == 60
