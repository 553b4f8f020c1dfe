"""Every number of the page that leads somewhere leads to exactly the examples that it counts or is made of."""

import dataclasses
import html
import re
from pathlib import Path

import numpy as np
import pytest

import qassay
from qassay.answer_match.answerability import no_answer_decision, reliability
from qassay.reports.one_pair import compared_pairs, of_pair
from qassay.reports.page_tables import counted_section
from qassay.reports.page_view import PageView
from qassay.spaces_app.address import View
from qassay.spaces_app.analysis import Inputs, analyze
from qassay.spaces_app.compare_view import pair_details
from qassay.spaces_app.comparisons import CompareChoices, comparison_of
from qassay.spaces_app.errors_address import choice_of
from qassay.spaces_app.errors_choice import EVERY, chosen_rows
from qassay.spaces_app.example_columns import measure_values
from qassay.spaces_app.family_charts import family_charts
from qassay.spaces_app.inputs import sample_analysis, sample_inputs
from qassay.spaces_app.labels_view import LabelChoices, calibrated, calibration_html, read_labels
from qassay.spaces_app.no_answer_view import BEST, OWN, answered_view, no_answer_head, probability_view
from qassay.spaces_app.overview_view import overview_html
from qassay.spaces_app.page_hrefs import ErrorsHrefs
from qassay.spaces_app.runs_view import runs_html
from qassay.spaces_app.samples import FOLDER, SAMPLES
from qassay.spaces_app.score_view import score_html
from qassay.spaces_app.slice_overview import slices_overview
from qassay.spaces_app.slices_view import slice_report, slicings
from qassay.spaces_app.values_view import values_table

ANSWERS = FOLDER / "answers"
MOST = ("answers", "rankings", "labels")  # the others are tried in thorough runs
ALL = [name if name in MOST else pytest.param(name, marks=pytest.mark.thorough) for name in SAMPLES]


def links(body):
    """The links of a page with their names, or their text: [(href, name)]."""
    found = re.findall(r'<a class="go[^"]*" href="([^"]*)"(?: aria-label="([^"]*)")?[^>]*>(.*?)</a>', body)
    return [(html.unescape(href), html.unescape(name or re.sub("<.*?>", "", text))) for href, name, text in found]


def opened(analysis, href):
    """What a link chooses, and the places of the examples that it opens; all of it fits what was scored."""
    choice, _, misfits = choice_of(analysis, View.parse(href))
    assert not misfits, href
    return choice, chosen_rows(analysis.by_run, choice)


def opens(analysis, href):
    return len(opened(analysis, href)[1])


# --- values, bars, checks ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_values_lead_to_the_examples_that_they_are_made_of_the_worst_first(name):
    analysis = sample_analysis(name)
    found = [View.parse(href) for href, _ in links(values_table(analysis) + overview_html(analysis))]
    found = [view for view in found if view.measure and not view.slice and view.tab == "errors"]
    assert len(found) >= len(analysis.systems)
    for view in found:
        column = analysis.by_run.by_example(view.system, view.measure)
        if column is None:
            continue
        choice, rows = opened(analysis, dataclasses.replace(view, kind=EVERY).href())
        assert len(rows) == np.isfinite(column).sum() and choice.measure == view.measure
        _, rows = opened(analysis, view.href())
        lower = analysis.by_run.scores(view.system).measures[view.measure].lower_is_better
        listed = (-column if lower else column)[rows]
        assert not (np.diff(listed[np.isfinite(listed)]) < 0).any(), view


def test_bars_of_kinds_values_and_ranks_count_what_they_lead_to():
    for name in ("answers", "rankings"):
        analysis = sample_analysis(name)
        views = [(View.parse(href), told) for href, told in links(score_html(analysis))]
        kinds = [(view, told) for view, told in views if told.startswith(f"{view.system}: {view.kind},")]
        bins = [(view, told) for view, told in views if view.low]
        assert bins and kinds
        for view, told in kinds:
            n = analysis.error_kinds[view.system].count(view.kind)
            assert f", {n:,} of " in told and opens(analysis, view.href()) == n
        for view, told in bins:
            values = analysis.report.scale * analysis.by_example(view.system, view.measure)
            n = int(((values >= float(view.low)) & (values <= float(view.high))).sum())
            assert told.endswith(f": {n:,}") and opens(analysis, view.href()) == n


def checks(analysis):
    page = score_html(analysis)
    return [(told, href) for href, told in links(page[page.index("Checks of the data") :].split("</section>")[0])]


def test_what_a_check_counts_is_what_opens(analysis_of):
    for name in ("answers", "rankings"):
        found = checks(sample_analysis(name))
        assert len(found) >= 4
        for told, href in found:
            assert opens(sample_analysis(name), href) == int(told.split()[0].replace(",", "")) > 0, told
    gold = {f"q{n}": [f"city {n}"] for n in range(9)}
    systems = {"one": {key: "x" for key in [*gold][:-2]} | {"odd <id>": "?"}, "two": dict.fromkeys(gold, "")}
    analysis = analysis_of(gold, systems)
    lacking = next(href for told, href in checks(analysis) if told == "2 without a prediction")
    ids = analysis.scores("one").ids
    assert sorted(ids[row] for row in opened(analysis, lacking)[1]) == [*gold][-2:]


# --- slices and comparisons -------------------------------------------------------------------------------------------


def counted_slices(analysis):
    """The links of slices with the number that is shown beside them."""
    hrefs = ErrorsHrefs(analysis)
    rows = re.findall(
        r'<li class="gap"><a class="go" href="([^"]*)">.*?n&nbsp;=&nbsp;([\d,]+)', slices_overview(analysis)
    )
    counted = [(html.unescape(href), int(n.replace(",", ""))) for href, n in rows]
    assert counted
    for slicing in slicings(analysis):
        for label, by_system in slice_report(analysis, slicing).slices[slicing].items():
            for system, cells in by_system.items():
                counted += [(hrefs.sliced_value(slicing, label, one, system), cells[one].n) for one in cells]
    return counted


def counted_comparisons(analysis):
    """The links of the details of each two systems with the number of examples of their difference."""
    if len(analysis.systems) < 2:
        return []
    report, counted = comparison_of(analysis, CompareChoices()), []
    for pair in compared_pairs(report):
        part = of_pair(report, pair)
        sizes = {(one.measure, ""): one.n for one in part.differences}
        for slicing, labels in part.slices.items():
            for label, differences in labels.items():
                sizes |= {(one.measure, f"{slicing}:{label}"): one.n for one in differences}
        details = re.sub(r'<ul class="parts">.*?</ul>', "", pair_details(analysis, report, pair))
        for to in (View.parse(href) for href in re.findall(r'<a class="go" href="([^"]*)"', html.unescape(details))):
            if to.measure and not to.change:
                assert {to.system, to.other or to.system} <= {*pair}
                counted.append((to.href(), sizes[to.measure, to.slice]))
    assert counted
    return counted


@pytest.mark.parametrize("name", ALL)
def test_slices_and_comparisons_lead_to_the_examples_that_their_measure_applies_to(name):
    analysis = sample_analysis(name)
    counted = counted_slices(analysis) + counted_comparisons(analysis)
    assert [one for one in counted if one[1] and opens(analysis, one[0]) != one[1]] == []


def test_of_three_systems_the_numbers_are_those_of_the_two_that_links_open(tmp_path):
    """Their readers were measured on different questions: the third is a mixture."""
    inputs = sample_inputs("rag")
    lines = [Path(path).read_text("utf-8").splitlines() for path in inputs.systems.values()]
    third = [pair[n in (0, 1, 4, 5, 6, 7)] for n, pair in enumerate(zip(*lines, strict=True))]
    (tmp_path / "third.jsonl").write_text("\n".join(third), "utf-8")
    systems = {**inputs.systems, "third": str(tmp_path / "third.jsonl")}
    shown = {**inputs.shown_files, systems["third"]: "third.jsonl"}
    analysis = analyze(inputs._replace(systems=systems, shown_files=shown, measures=["reader_topk_f1"]))
    applies = {name: np.isfinite(analysis.by_example(name, "reader_topk_f1")) for name in analysis.systems}
    both = applies["dense"] & applies["third"]
    assert applies["dense"].sum() > both.sum() > (both & applies["keyword"]).sum()
    counted = counted_slices(analysis) + counted_comparisons(analysis)
    assert [one for one in counted if one[1] and opens(analysis, one[0]) != one[1]] == []


def test_changes_and_right_and_wrong_count_what_they_lead_to():
    analysis = sample_analysis("answers")
    report = comparison_of(analysis, CompareChoices())
    page = pair_details(analysis, report, compared_pairs(report)[0])
    found = re.findall(r'<a class="go" href="([^"]*)">((?:(?!</a>).)*<strong>.*?)</a>', page)
    parts = [(View.parse(html.unescape(href)), re.sub("<[^>]+>", " ", text)) for href, text in found]
    assert {view.change for view, _ in parts} >= {"better", "worse", "same", "both_right", "only_right", "only_wrong"}
    for view, told in parts:
        own, other = (analysis.by_example(system, view.measure) for system in (view.system, view.other))
        wanted = {
            "better": own > other, "worse": own < other, "same": own == other, "both_right": (own > 0) & (other > 0),
            "only_right": (own > 0) & (other == 0), "only_wrong": (own == 0) & (other > 0), "both_wrong": own + other == 0,
        }[view.change]  # fmt: skip
        assert int(re.findall(r"\d+", told)[-1]) == wanted.sum() == opens(analysis, view.href()), told
    for name in ("rankings", "factoids"):
        analysis = sample_analysis(name)
        counts = links(counted_section(PageView(comparison_of(analysis, CompareChoices()), ErrorsHrefs(analysis))))
        assert counts and [one for one in counts if opens(analysis, one[0]) != int(one[1])] == []


# --- charts of a metric -----------------------------------------------------------------------------------------------


def test_points_of_precision_and_recall_lead_to_what_counts_as_positive(analysis_of):
    tiny = analysis_of([{"id": i, "label": i % 2, "score": i * 1e-12} for i in range(6)], metric="average_precision")
    for analysis in (sample_analysis("curves"), tiny):
        score, is_positive = analysis.telling.score_and_label(analysis.scores(analysis.systems[0]))
        (figure,) = family_charts(analysis)
        points = [(href, told) for href, told in links(figure) if " at " in told]
        assert len(points) == len(np.unique(score))
        for href, told in points:
            rows = opened(analysis, href)[1]
            precision, recall = is_positive[rows].mean(), is_positive[rows].sum() / is_positive.sum()
            assert told.endswith(f": {100 * precision:.2f} at {100 * recall:.2f}")


def test_f1_of_a_class_leads_to_the_examples_of_the_class(analysis_of):
    analysis = sample_analysis("labels")
    marks = [(href, told) for href, told in links(score_html(analysis)) if "true+label%3A" in href]
    assert len(marks) == 10
    for href, told in marks:
        choice, rows = opened(analysis, href)
        label = told.partition(", ")[0]
        assert f"n = {len(rows)}," in told
        assert all(tuple(text.gold) == (label,) for text in analysis.texts(choice.system, rows))
    gold = {f"q{n}": ["a:b", "c"] if n % 3 else ["c"] for n in range(30)}
    given = {key: ["c"] if n % 2 else ["a:b"] for n, key in enumerate(gold)}
    rows = ([{"id": key, "references": labels} for key, labels in gold.items()],
            [{"id": key, "predictions": labels} for key, labels in given.items()])  # fmt: skip
    analysis = analysis_of(rows[0], {"one": rows[1]}, metric="label_metrics", options=("task=multi", "per_class=true"))
    hrefs = ErrorsHrefs(analysis)
    assert {label: opens(analysis, hrefs.of_class("one", label)) for label in ("a:b", "c")} == {"a:b": 20, "c": 30}
    either = sum("a:b" in gold[key] or "a:b" in given[key] for key in gold)
    assert opens(analysis, hrefs.value("f1[a:b]", "one")) == either > 20 and hrefs.of_class("one", "d") == ""


# --- repeated runs ----------------------------------------------------------------------------------------------------


def test_numbers_of_runs_lead_to_their_questions():
    files = {str(ANSWERS / name): name for name in ("gold.json", "sampled_model.csv")}
    gold, sampled = files
    analysis = analyze(Inputs("t", gold, {"sampled": sampled}, columns={"run_id": "seed"}, shown_files=files))
    body, names = runs_html(analysis), analysis.by_run.systems
    exact = [analysis.by_run.by_example(run, "exact_match") for run in names]
    values = [100 * column.mean() for column in exact]

    def rows_of(caption):
        table = body[body.index(caption) :].split("</table>")[0]
        return [links(row) for row in table.split("<tr>")[2:]]

    smallest, largest, always, never = rows_of("the standard deviation")[0]
    for (href, text), value in ((smallest, min(values)), (largest, max(values))):
        choice, rows = opened(analysis, href)
        assert choice.system == names[values.index(value)] and len(rows) == 64 and text == f"{value:.2f}"
    variance = qassay.runs([analysis.by_run.scores(run) for run in names]).variance(["exact_match"])["exact_match"]
    parts = ((always, variance.always, np.all(exact, axis=0)), (never, variance.never, ~np.any(exact, axis=0)))
    for (href, text), share, kept in parts:
        assert sorted(opened(analysis, href)[1]) == np.flatnonzero(kept).tolist() and text == f"{100 * share:.0f} %"
        assert kept.sum() == share * 64 > 0
    for run, row in zip(names, rows_of("Values of single runs"), strict=True):
        assert [(opened(analysis, href)[0].system, opens(analysis, href)) for href, _ in row] == [(run, 64)] * 3
    found = links(score_html(analysis))
    bars = [(href, int(told.rpartition(": ")[2])) for href, told in found if "the+mean+f1+of+the+runs" in href]
    assert len(bars) > 4 and sum(n for _, n in bars) == 64 and all(opens(analysis, href) == n for href, n in bars)
    run = analysis.first_run("sampled")
    for slice_name in (
        "the runs of other by exact_match:right in all",
        "the mean f1 of the runs of sampled from 0 to x:yes",
    ):
        assert choice_of(analysis, View("errors", system=run, slice=slice_name))[2]


# --- no answer --------------------------------------------------------------------------------------------------------


def test_counts_of_no_answer_lead_to_their_examples_at_every_threshold():
    sample = sample_analysis("answers")
    head = no_answer_head(sample)
    counts = [(href, told) for href, told in links(head[: head.index("<table")]) if told.isdigit()]
    assert [int(n) for _, n in counts] == [10, 5, 16, 2, 3, 48]
    for which, own in (("as scored", None), (BEST, None), (OWN, 0.25), (OWN, 0.0), (OWN, 1.0)):
        page = answered_view(sample, which, own)
        found = [(href, told.split()[0]) for href, told in links(page) if re.fullmatch(r"\d+( right)?", told)]
        cells = [int(count) for count in re.findall(r"<td>(?:<a[^>]*>)?(\d+)<", page)]
        assert len(re.findall(r'<td><a class="go"', page)) == sum(map(bool, cells)), "every count but 0 is a link"
        counts += found
    assert [one for one in counts if opens(sample, one[0]) != int(one[1])] == []


def test_marks_of_no_answer_charts_lead_to_their_questions(analysis_of):
    sample = sample_analysis("answers")
    scores = sample.scores("large_model")
    f1, exact, reliable, bars = re.findall(r"<svg.*?</svg>", probability_view(sample), re.DOTALL)
    for chart in (f1, exact):
        points = [View.parse(href) for href, _ in links(chart) if "withheld" in href]
        assert len(points) > 20
        for view in points:
            threshold = float(view.slice.removeprefix("withheld at ").removesuffix(":yes"))
            assert opens(sample, view.href()) == no_answer_decision(scores, threshold).n > 0
    marks = [(href, re.search(r"\(n = (\d+)|: (\d+)$", told)) for href, told in links(reliable + bars)]
    assert len(links(reliable)) == int((reliability(scores).n > 0).sum()) and len(marks) > 10
    assert [told for href, told in marks if opens(sample, href) != int(told[1] or told[2])] == []
    # 0.3 is below the edge 3 * 0.1 of a computer, and 0.1 * 3 is on it: it is counted in one bar.
    gold = [{"id": f"q{n}", "references": ["x"] if n % 2 else [], "withheld": "yes"} for n in range(40)]
    probabilities = {f"q{n}": (n % 11) / 10 if n < 30 else 0.1 * (n % 11) for n in range(40)}
    analysis = analysis_of(gold, {"a": {f"q{n}": "x" for n in range(38)}}, {"a": probabilities})
    page = "".join(re.findall(r"<svg.*?</svg>", probability_view(analysis), re.DOTALL)[2:])
    marks = [(href, re.search(r"\(n = (\d+)|: (\d+)$", told)) for href, told in links(page)]
    assert len(marks) > 20 and [told for href, told in marks if opens(analysis, href) != int(told[1] or told[2])] == []
    assert "slice=withheld" not in answered_view(analysis), "a column has the name of that slice"
    for name in ("withheld at much:yes", "withheld at nan:yes", "no-answer probability 0 to x:yes"):
        assert choice_of(sample, View("errors", system="large_model", slice=name))[2]


# --- human labels -----------------------------------------------------------------------------------------------------


def cells(body, caption):
    """The cells of the first row of a table: text and href, "" without a link."""
    table = body[body.index(f"<caption><span>{caption}") :]
    row = re.search(r"<tbody><tr>(.*?)</tr>", table).group(1)
    found = re.findall(r"<td>(.*?)</td>", row)
    return [(re.sub("<.*?>", " ", cell).split()[0], next((href for href, _ in links(cell)), "")) for cell in found]


def test_numbers_by_human_labels_lead_to_what_they_are_of():
    analysis, name = sample_analysis("answers"), "large_model_labels.csv"
    choices = LabelChoices("large_model", measures=("exact_match", "f1"))
    result = calibrated(analysis, choices, {"large_model": read_labels(str(ANSWERS / name), name).content})
    body, verdicts = calibration_html(analysis, choices, result), result.verdicts["large_model"]
    assert [opens(analysis, href) for _, href in cells(body, "Values with")] == [64, 40, 64, 40, 64]
    _, _, accuracy, sensitivity, specificity, *_ = cells(body, "Agreement with the labels")
    exact = measure_values(analysis, "large_model", "exact_match") / 100
    for (text, href), kept in (
        (accuracy, ~np.isnan(verdicts)), (sensitivity, verdicts == 1), (specificity, verdicts == 0),
    ):  # fmt: skip
        _, rows = opened(analysis, href)
        unlike = exact[rows] != verdicts[rows]
        assert sorted(rows) == np.flatnonzero(kept).tolist() and f"{1 - unlike.mean():.3f}" == text
        assert not (np.diff(unlike.astype(int)) > 0).any(), "where the measure and people disagree comes first"
