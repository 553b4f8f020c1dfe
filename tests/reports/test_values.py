"""Reports and their renderings: widths, marks, notes, escapes, strict JSON."""

import csv
import io
import json

import numpy as np
import pytest

import qassay
from qassay.reports.tables import cut_text
from qassay.reports.values import build_report, merge_reports, progress, remarks
from qassay.reports.values_page import values_page
from qassay.reports.values_text import render

FORMATS = ("table", "markdown", "latex", "csv", "json")
GOLD = {f"q{i}": [f"answer {i}"] if i % 4 else [] for i in range(40)}


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


def labels_of(systems, labels):
    return {"kind": {name: labels for name in systems}}


@pytest.fixture(scope="module")
def report(systems):
    return build_report(systems, labels_of(systems, ["rare"] * 5 + ["common"] * 35), n_resamples=100)


def test_values_and_intervals_match_the_scores(report, systems):
    cell = report.systems["large_model"]["exact_match"]
    assert cell.value == systems["large_model"].summary(["exact_match"])["exact_match"] == 0.75
    assert cell.interval == systems["large_model"].interval(n_resamples=100)["exact_match"]
    part = systems["small_model"].subset(np.arange(40) < 5)
    cell = report.slices["kind"]["rare"]["small_model"]["f1"]
    assert (cell.value, cell.n) == (part.summary(["f1"])["f1"], 5)


def test_an_interval_does_not_depend_on_what_else_is_shown(report, systems):
    alone = build_report(systems, {}, ["f1"], n_resamples=100)
    assert alone.systems["small_model"] == {"f1": report.systems["small_model"]["f1"]}


def test_labels_are_in_natural_order(systems):
    labels = ["other", "11+", "2", "zebra", "3-5", "10.5", "-1", "apple"] * 5
    report = build_report(systems, labels_of(systems, labels), level=None)
    assert list(report.slices["kind"]) == ["-1", "2", "3-5", "10.5", "11+", "apple", "zebra", "other"]


@pytest.mark.parametrize("width", [80, 120, 200])
def test_tables_keep_to_the_width(systems, width):
    many = {f"{name}_{number}": scores for number in range(3) for name, scores in systems.items()}
    report = build_report(many, labels_of(many, ["rare"] * 5 + ["common"] * 35), n_resamples=20)
    text = render(report, "table", width=width)
    assert max(map(len, text.splitlines())) <= width
    # nothing was cut: every number is there as it was made
    for cells in report.systems.values():
        for cell in cells.values():
            assert f"{cell.value:.4f}  {cell.interval[0]:.4f}–{cell.interval[1]:.4f}" in text
    assert text.count("rare") == -(-6 // {80: 2, 120: 3, 200: 6}[width])


def test_without_a_width_there_is_one_table(systems):
    many = {f"{name}_{number}": scores for number in range(5) for name, scores in systems.items()}
    text = render(build_report(many, {}, n_resamples=20), "table")
    assert text.count("contains") == 1


def test_a_narrow_terminal_still_gets_uncut_numbers(report):
    text = render(report, "table", width=30)
    assert text.count("measure") == 4
    assert "0.7500  " in text


def test_slices_with_few_examples_are_marked(report):
    for form, few, many in (("table", "5*", "35 "), ("markdown", r"| 5\* |", "| 35 |"), ("latex", "5$^*$", "& 35 &")):
        text = render(report, form)
        assert few in text and many in text
        assert "few: under 30 examples or groups, or an interval that rests on few" in text
    assert "few: under" not in render(build_report({"a": system(1)}, {}, level=None), "table")


def test_colors_only_when_requested(report):
    assert "\x1b[" not in render(report, "table")
    assert "\x1b[1" in render(report, "table", color=True)


def test_notes_are_shown_by_system_and_zeros_are_not():
    extra = {**{key: "x" for key in list(GOLD)[:38]}, "unknown": "y"}
    noted = {"good": system(1), "lacking": qassay.score("answer_match", extra, GOLD)}
    report = build_report(noted, {}, level=None)
    assert report.notes == {"good": {}, "lacking": {"missing": 2, "unmatched": 1}}
    lines = report.remarks
    assert lines[0] == "lacking: 2 without a prediction: scored 0"
    assert lines[1].startswith("lacking: 1 predicted under an id that no gold answer has")
    for form in ("table", "markdown", "latex"):
        assert lines[0] in render(report, form)
    assert remarks({"lacking": noted["lacking"]})[0] == "2 without a prediction: scored 0"
    skipped = qassay.score("answer_match", extra, GOLD, missing="skip")
    assert remarks({"skipped": skipped})[0] == "2 without a prediction: omitted"
    cells = build_report({"skipped": skipped}, {}, ["missing", "total"], level=None).systems["skipped"]
    assert (cells["missing"].value, cells["total"].value) == (0, 38)


def test_sizes_that_differ_are_together():
    fewer = qassay.score("answer_match", {key: "x" for key in list(GOLD)[:30]}, GOLD, missing="skip")
    report = build_report({"all": system(1, missing="skip"), "fewer": fewer}, {}, ["exact_match"], level=None)
    assert "40/30" in render(report, "table")


def test_systems_need_the_same_options(systems):
    other = system(1, missing="skip", normalizer="none")
    with pytest.raises(ValueError) as caught:
        build_report({**systems, "other": other}, {})
    message = str(caught.value)
    assert message.startswith("small_model and other were scored differently and cannot share a table")
    assert systems["small_model"].signature() in message and other.signature() in message
    assert message.endswith("score both with --option normalizer=squad missing=zero")
    ranked = qassay.score("retrieval_ranking", {"q": {"d": 1.0}}, {"q": {"d": 1}})
    with pytest.raises(ValueError, match="against retrieval_ranking.*; report them apart"):
        build_report({**systems, "ranked": ranked}, {})


def test_per_cent(systems):
    report = build_report(systems, {}, ["exact_match", "total"], percent=True, n_resamples=20)
    assert report.systems["large_model"]["exact_match"].value == 75.0
    assert report.systems["large_model"]["total"].value == 40
    text = render(report, "table")
    assert "75.00" in text and "0.75" not in text


def test_thresholds_are_not_rates_and_infinity_is_null_in_json():
    scores = qassay.score(
        "answer_match", {"a": "x", "b": "y"}, {"a": [], "b": []}, no_answer_probabilities={"a": 0.5, "b": 0.5}
    )
    report = build_report({"s": scores}, {}, ["all"], percent=True, n_resamples=20)
    assert report.systems["s"]["best_f1"].value == 100.0
    assert "-inf" in render(report, "table")
    values = json.loads(render(report, "json"), parse_constant=pytest.fail)["systems"]["s"]["values"]
    assert values["best_f1_threshold"] is None


@pytest.mark.parametrize(
    ("metric", "columns", "measure"),
    [
        ("answer_match", (["Rome"], [["Rome"]]), "no_answer_f1"),
        ("semantic_answer_similarity", (["Rome"], [["Rome"]]), "no_answer_sas"),
        ("factoid_accuracy", ([["a"]], [["a"]]), "list_f1"),
        ("factoid_accuracy", ([["a"]], [["a"]]), "yesno_accuracy"),
    ],
)
def test_a_measure_of_no_example_is_a_dash_and_n_0(metric, columns, measure):
    options = {"model": "lite"} if metric.startswith("semantic") else {}
    scores = qassay.score(metric, *columns, **options)
    assert scores.summary([measure]) == {measure: 0.0}  # as documented
    report = build_report({"a": scores}, {"kind": {"a": ["one"]}}, [measure], n_resamples=10)
    for cells in (report.systems["a"], report.slices["kind"]["one"]["a"]):
        assert (np.isnan(cells[measure].value), cells[measure].interval, cells[measure].n) == (True, None, 0)
    texts = {form: render(report, form) for form in FORMATS}
    assert not any("0.0" in text.partition("|v:")[0] or "nan" in text for text in texts.values())
    assert f"| {measure} | 0 | – |" in texts["markdown"] and f"{measure}   0  " in texts["table"]
    assert "& 0 & --" in texts["latex"] and f"{measure},0,,," in texts["csv"]
    tree = json.loads(texts["json"], parse_constant=pytest.fail)["systems"]["a"]
    assert (tree["values"], tree["counts"], tree["intervals"]) == ({measure: None}, {measure: 0}, {})
    page = values_page(report)
    assert "<td>0</td><td>–</td>" in page and ">nan" not in page.casefold()


def test_json_has_everything(report, systems):
    tree = json.loads(render(report, "json"), parse_constant=pytest.fail)
    assert tree["metric"] == "answer_match"
    assert tree["signature"] == systems["small_model"].signature()
    assert tree["interval"] == {
        "level": 0.95,
        "requested_method": "auto",
        "n_resamples": 100,
        "seed": 0,
        "group_name": None,
    }
    small = tree["systems"]["small_model"]
    assert small["values"]["f1"] == systems["small_model"].summary(["f1"])["f1"]
    assert small["counts"]["has_answer_f1"] == 30 and small["interval_methods"]["exact_match"] == "wilson"
    assert len(small["intervals"]["f1"]) == 2
    assert tree["slices"]["kind"]["rare"]["large_model"]["counts"] == {"exact_match": 5, "f1": 5}


def test_csv_is_long_and_exact(report):
    rows = list(csv.DictReader(io.StringIO(render(report, "csv"))))
    assert list(rows[0]) == [
        "system",
        "slice",
        "label",
        "measure",
        "n",
        "value",
        "low",
        "high",
        "interval_method",
        "n_groups",
        "few",
    ]
    row = next(r for r in rows if (r["system"], r["label"], r["measure"]) == ("large_model", "common", "f1"))
    cell = report.slices["kind"]["common"]["large_model"]["f1"]
    assert (float(row["value"]), float(row["low"]), int(row["n"])) == (cell.value, cell.interval[0], cell.n)


def test_no_name_in_csv_is_a_formula():
    scores = qassay.score("average_precision", [-0.75, -0.5], [1, 0])
    named = {"=cmd|x": scores, "-plain": scores, "-0.25": scores}
    labels = {name: ["@sum(a1)", "-1"] for name in named}
    rows = list(csv.DictReader(io.StringIO(render(build_report(named, {"+kind": labels}, level=None), "csv"))))
    assert [*dict.fromkeys(row["system"] for row in rows)] == ["'=cmd|x", "'-plain", "-0.25"]
    assert {(row["slice"], row["label"]) for row in rows} == {("", ""), ("'+kind", "'@sum(a1)"), ("'+kind", "-1")}


def test_without_intervals(systems):
    report = build_report(systems, {}, level=None)
    for form in FORMATS:
        text = render(report, form)
        assert "%" not in text.replace("% ", "") or form == "latex"
        assert "–" not in text
    assert "0.7500 & " not in render(report, "json")


@pytest.mark.parametrize("name", ["[bold]x[/bold]", "x" * 60])
def test_names_in_a_terminal_are_cut_and_not_markup(name):
    scores = system(1)
    labels = {"kind": {name: [name] * 40, "other": [name] * 40}}
    text = render(build_report({name: scores, "other": scores}, labels, level=None), "table")
    assert text.count(name if len(name) < 24 else f"{name[:23]}…") == 3


def test_latex_is_booktabs(report):
    text = render(report, "latex")
    for word in (
        r"\begin{tabular}",
        r"\toprule",
        r"\midrule",
        r"\bottomrule",
        r"small\_model",
        r"\multicolumn{2}{c}",
        "0.7500 & (",
    ):
        assert word in text


def test_classes_decided_by_the_data():
    two, three = (
        qassay.score("average_precision", [dict.fromkeys(classes, 0.5)], ["a"]) for classes in (["a", "b"], ["a", "c"])
    )
    with pytest.raises(ValueError, match="; give all of them the same option labels$") as caught:
        build_report({"two": two, "three": three}, {})
    assert "option classes" not in str(caught.value)
    grouped = qassay.score("average_precision", [{"a": 0.5, "c": 0.5}], ["a"], interpolation="voc11")
    with pytest.raises(ValueError, match="score both with --option interpolation=none ties=grouped; give all of them"):
        build_report({"two": two, "grouped": grouped}, {})


def test_unknown_measures_name_the_near_one(systems):
    with pytest.raises(ValueError, match=r"no measure 'exact_mach' \(did you mean 'exact_match'\?\)"):
        build_report(systems, {}, ["exact_mach"])


def test_a_measure_that_one_system_lacks():
    answers = {key: "x" for key in GOLD}
    doubted = qassay.score("answer_match", answers, GOLD, no_answer_probabilities=dict.fromkeys(GOLD, 0.5))
    report = build_report({"plain": system(1), "doubted": doubted}, {}, n_resamples=20)
    line = next(line for line in render(report, "table").splitlines() if line.startswith("best_f1 "))
    assert line.split()[2] == "–"


def test_progress_is_silent_off_a_terminal_and_keeps_the_items_on_one(monkeypatch, capsys):
    items = [1, 2, 3]
    assert progress(items, "x") is items
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert list(progress(items, "x")) == items
    assert progress(items, "x") is not items and progress(items[:1], "x") == [1]


def test_reports_of_two_metrics_as_one(systems):
    sas = {
        name: qassay.score("semantic_answer_similarity", answers(share), GOLD, model="lite")
        for name, share in (("small_model", 0.5), ("large_model", 0.75))
    }
    kinds = ["rare"] * 5 + ["common"] * 35
    one = build_report(systems, labels_of(systems, kinds), n_resamples=20)
    two = build_report(sas, labels_of(sas, kinds), n_resamples=20)
    both = merge_reports([one, two])
    assert list(both.signatures) == ["answer_match", "semantic_answer_similarity"]
    for name in systems:
        assert both.systems[name] == {**two.systems[name], **one.systems[name]}
        assert list(both.systems[name])[: len(one.systems[name])] == list(one.systems[name])
        assert both.slices["kind"]["rare"][name] == {
            **two.slices["kind"]["rare"][name],
            **one.slices["kind"]["rare"][name],
        }
    assert merge_reports([one]) == one
    for form in FORMATS:
        assert "sas" in render(both, form) and "exact" in render(both, form)


@pytest.mark.parametrize("groups", [None, [row % 9 for row in range(30)]])
def test_intervals_in_per_cent_match_rates(groups):
    """Also of measures that are multiplied as a whole, such as macro F1."""
    guessed = ["a", "b", "c", "c", "b"] * 6
    scores = qassay.score("label_metrics", guessed, ["a", "b", "c", "a", "a", "c"] * 5).with_groups(groups)
    rates, percent = (build_report({"s": scores}, {}, ["all"], percent=of).systems["s"] for of in (False, True))
    for name, cell in rates.items():
        scale = 100 if cell.is_rate else 1
        if cell.interval:
            assert [*percent[name].interval] == pytest.approx([scale * end for end in cell.interval], rel=1e-9), name
            assert percent[name].interval.method == cell.interval.method


def test_a_column_of_values_names_its_level_although_one_has_no_interval():
    scores = qassay.score("factoid_accuracy", [["a"]] * 2, [["a"], ["b"]])  # no list question
    report = build_report({"a": scores}, {}, ["mrr", "list_f1"], n_resamples=10)
    text = render(report, "table")
    assert report.systems["a"]["mrr"].interval and report.systems["a"]["list_f1"].interval is None
    assert text.partition("\n\n")[0].count("interval") == 1


def test_a_cut_text_is_as_wide_as_it_may_be():
    assert cut_text("x" * 24, 24) == "x" * 24
    assert cut_text("x" * 25, 24) == "x" * 23 + "…"
