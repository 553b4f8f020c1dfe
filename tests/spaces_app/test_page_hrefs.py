"""Marks of charts and cells of tables lead to exactly the examples that they count."""

import dataclasses
import html
import re
from pathlib import Path

import numpy as np
import pytest

from qassay.reports.one_pair import compared_pairs, of_pair
from qassay.reports.page_charts import changes_section, kinds_section
from qassay.reports.page_right_wrong import right_wrong_section
from qassay.reports.page_slices import slices_section
from qassay.reports.page_tables import _more_cells, counted_section, measures_section
from qassay.reports.page_view import PageView
from qassay.reports.right_wrong import right_wrong_tables
from qassay.spaces_app.address import DISAGREE, View
from qassay.spaces_app.analysis import analyze
from qassay.spaces_app.compare_view import pair_details
from qassay.spaces_app.comparisons import CompareChoices, comparison_of
from qassay.spaces_app.errors_address import choice_of
from qassay.spaces_app.errors_choice import EVERY, chosen_rows
from qassay.spaces_app.inputs import sample_analysis, sample_inputs
from qassay.spaces_app.overview_view import overview_html
from qassay.spaces_app.page_hrefs import ErrorsHrefs
from qassay.spaces_app.samples import SAMPLES
from qassay.spaces_app.score_view import score_html
from qassay.spaces_app.slice_overview import sides_of, slices_overview
from qassay.spaces_app.slices_view import slice_report, slicings
from qassay.spaces_app.values_view import values_table


def views(body):
    """The links of a page by their names, or their text: [(view, name)]."""
    found = re.findall(r'<a class="go" href="([^"]*)"(?: aria-label="([^"]*)")?>(.*?)</a>', body)
    return [(View.parse(html.unescape(href)), html.unescape(name or text)) for href, name, text in found]


@pytest.fixture(scope="module")
def answers():
    return sample_analysis("answers")


def test_bars_of_the_first_tab_count_what_they_lead_to(answers):
    found = views(score_html(answers))
    kinds = [(view, name) for view, name in found if view.kind not in ("", EVERY)]
    bins = [(view, name) for view, name in found if view.low]
    assert kinds and bins and {view.tab for view, _ in found} == {"errors"}
    for view, name in kinds:
        n = answers.error_kinds[view.system].count(view.kind)
        assert name.startswith(f"{view.system}: {view.kind}, {n:,} of ")
    for view, name in bins:
        values = answers.report.scale * answers.by_example(view.system, view.measure)
        n = int(((values >= float(view.low)) & (values <= float(view.high))).sum())
        assert name.startswith(f"{view.system}, ") and name.endswith(f": {n:,}")


@pytest.mark.parametrize("name", ["answers", "rankings", "factoids", "labels", "pipeline"])
def test_values_lead_to_the_examples_that_they_are_made_of(name):
    analysis = sample_analysis(name)
    linked = [view for view, _ in views(values_table(analysis))]
    for view in linked:
        column = analysis.by_example(view.system, view.measure)
        choice, _, misfits = choice_of(analysis, dataclasses.replace(view, kind=EVERY))
        n = len(analysis.scores(view.system)) if column is None else int(np.isfinite(column).sum())
        assert not misfits and len(chosen_rows(analysis, choice)) == n
        if column is not None:
            assert n == analysis.report.systems[view.system][view.measure].n
    first = analysis.systems[0]
    rates = [one for one in analysis.report.systems[first] if analysis.scores(first).measures[one].is_rate]
    assert {view.measure for view in linked} >= {one for one in rates if not one.startswith(("best_", "estimated_"))}, (
        "every row leads on"
    )


@pytest.mark.parametrize("name", SAMPLES)
def test_a_value_leads_to_what_fails_by_its_own_measure_first(name):
    analysis = sample_analysis(name)
    linked = [
        view for view, _ in views(values_table(analysis) + overview_html(analysis)) if view.measure and not view.slice
    ]
    assert linked
    analysis = analysis.by_run  # a value of several runs leads to the first run
    for view in linked:
        column = analysis.by_example(view.system, view.measure)
        if column is None:
            continue
        choice, _, misfits = choice_of(analysis, view)
        listed = column[chosen_rows(analysis, choice)]
        worst_first = np.sort(column[np.isfinite(column)])
        if analysis.scores(view.system).measures[view.measure].lower_is_better:
            worst_first = worst_first[::-1]
        assert not misfits and choice.measure == view.measure
        assert listed.tolist() == worst_first.tolist(), view


def test_the_values_of_the_answer_lead_to_their_examples(answers):
    cards = [view for view, _ in views(overview_html(answers)) if view.measure and not view.slice]
    assert [(view.system, view.measure) for view in cards] == [("small_model", "f1"), ("large_model", "f1")]


def test_ranks_lead_to_their_queries():
    analysis = sample_analysis("rankings")
    ranks = [(view, name) for view, name in views(score_html(analysis)) if view.low and view.measure.startswith("mrr")]
    assert ranks
    for view, name in ranks:
        values = analysis.report.scale * analysis.by_example(view.system, view.measure)
        n = int(((values >= float(view.low)) & (values <= float(view.high))).sum())
        assert name.endswith(f": {n:,}"), name


def test_what_a_comparison_shows_leads_to_the_examples_of_the_worse_system(answers):
    report = comparison_of(answers, CompareChoices())
    view = PageView(report, ErrorsHrefs(answers))
    pair = view.pairs[0]
    for to, name in views(changes_section(view)):
        both = [answers.by_example(system, to.measure) for system in (to.other, to.system)]
        moved = both[1] - both[0]
        n = int({"better": moved > 0, "same": moved == 0, "worse": moved < 0}[to.change].sum())
        assert name.startswith(f"{to.change} in {n:,} of ")
    sliced = [to for to, _ in views(slices_section(view)) if to.other]
    assert sliced and {(to.change, to.order) for to in sliced} == {("", DISAGREE)}
    for to in sliced:
        slicing, label = to.slice.split(":", 1)
        kept = np.array(answers.labels(to.system, slicing)) == label
        assert kept.any()
    tables = right_wrong_tables(answers.main, pair)
    cells = views(right_wrong_section(tables, ErrorsHrefs(answers)))
    assert {to.change for to, _ in cells} <= {"both_right", "only_right", "only_wrong", "both_wrong"}
    for to, text in cells:
        first, second = (answers.by_example(system, to.measure) > 0 for system in (to.system, to.other))
        wanted = {
            "both_right": first & second, "only_right": first & ~second,
            "only_wrong": ~first & second, "both_wrong": ~first & ~second,
        }[to.change]  # fmt: skip
        assert text == f"{int(wanted.sum()):,}"
    assert views(measures_section(view)) and {to.kind for to, _ in views(kinds_section(view))} > {"correct"}
    one = next(one for one in view.by_pair[pair].values() if one.wins)
    assert len(views(_more_cells(view, one))) == 3
    cells = _more_cells(view, dataclasses.replace(one, ties=0))
    assert len(views(cells)) == 2 and "0 /" in cells, "a zero leads to no example"
    plain = PageView(report)
    assert not views(changes_section(plain) + slices_section(plain) + measures_section(plain) + kinds_section(plain))


def opens(analysis, href):
    """The number of examples that a link opens, all of which the page can show."""
    choice, _, misfits = choice_of(analysis, View.parse(href))
    assert not misfits, href
    return len(chosen_rows(analysis.by_run, choice))


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    """Three systems of the sample whose readers were measured on different questions: the third is a mixture."""
    inputs = sample_inputs("rag")
    lines = [Path(path).read_text("utf-8").splitlines() for path in inputs.systems.values()]
    third = tmp_path_factory.mktemp("three") / "third.jsonl"
    third.write_text(
        "\n".join(pair[n in (0, 1, 4, 5, 6, 7)] for n, pair in enumerate(zip(*lines, strict=True))), "utf-8"
    )
    systems = {**inputs.systems, "third": str(third)}
    shown = {**inputs.shown_files, str(third): "third.jsonl"}
    analysis = analyze(inputs._replace(systems=systems, shown_files=shown, measures=["reader_topk_f1"]))
    applies = {name: np.isfinite(analysis.by_example(name, "reader_topk_f1")) for name in analysis.systems}
    both = applies["dense"] & applies["third"]
    assert applies["dense"].sum() > both.sum() > (both & applies["keyword"]).sum()
    return analysis


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
        for to, _ in views(details):
            if to.measure and not to.change:
                assert {to.system, to.other or to.system} <= {*pair}
                counted.append((to.href(), sizes[to.measure, to.slice]))
    assert counted
    return counted


def wrong_links(analysis, counted):
    return [(href, n, opens(analysis, href)) for href, n in counted if n and opens(analysis, href) != n]


@pytest.mark.parametrize("name", SAMPLES)
def test_slices_and_comparisons_lead_to_the_examples_that_their_measure_applies_to(name):
    analysis = sample_analysis(name)
    assert not wrong_links(analysis, counted_slices(analysis) + counted_comparisons(analysis))


def test_of_three_systems_the_numbers_of_slices_and_comparisons_are_those_of_the_two_that_links_open(three):
    assert not wrong_links(three, counted_slices(three) + counted_comparisons(three))
    sides = sides_of(three)
    both = np.isfinite([three.by_example(system, sides.measure) for system in (sides.system, sides.other)]).all(axis=0)
    assert f"over the {both.sum()} questions that both were measured on" in slices_overview(three)


def test_f1_of_a_class_leads_to_the_examples_of_the_class():
    analysis = sample_analysis("labels")
    marks = [(view, name) for view, name in views(score_html(analysis)) if view.slice.startswith("true label:")]
    assert len(marks) == 10
    for view, name in marks:
        label, _, told = name.partition(", ")
        assert view.slice == f"true label:{label}" and told.startswith(f"{view.system}: ")
        rows = chosen_rows(analysis, choice_of(analysis, view)[0])
        assert f"n = {len(rows)}," in name and all(
            text.gold == (label,) for text in map_texts(analysis, view.system, rows)
        )


def map_texts(analysis, system, rows):
    return [text._replace(gold=tuple(text.gold)) for text in analysis.texts(system, rows)]


def test_classes_of_sets_of_labels_and_with_colons(analysis_of):
    gold = {f"q{n}": ["a:b", "c"] if n % 3 else ["c"] for n in range(30)}
    given = {key: ["c"] if n % 2 else ["a:b"] for n, key in enumerate(gold)}
    options = ("task=multi", "per_class=true")
    table = {name: [{"id": key, column: labels} for key, labels in of.items()]
             for name, column, of in (("gold", "references", gold), ("one", "predictions", given))}  # fmt: skip
    analysis = analysis_of(table["gold"], {"one": table["one"]}, metric="label_metrics", options=options)
    hrefs = ErrorsHrefs(analysis)
    sizes = {label: opens(analysis, hrefs.of_class("one", label)) for label in ("a:b", "c")}
    assert sizes == {"a:b": 20, "c": 30} and hrefs.of_class("one", "d") == "" == hrefs.of_class("two", "c")
    linked = {view.slice for view, _ in views(values_table(analysis)) if view.slice}
    assert linked == {"true or predicted label:a:b", "true or predicted label:c"}
    either = sum("a:b" in gold[key] or "a:b" in given[key] for key in gold)
    assert opens(analysis, hrefs.value("f1[a:b]", "one")) == either > 20


@pytest.mark.parametrize("name", ["rankings", "factoids", "verdicts"])
def test_counts_by_system_lead_to_what_they_count(name):
    analysis = sample_analysis(name)
    body = counted_section(PageView(comparison_of(analysis, CompareChoices()), ErrorsHrefs(analysis)))
    linked = views(body)
    assert linked
    for view, text in linked:
        assert opens(analysis, view.href()) == int(text)
    of_none = {note for notes in analysis.report.notes.values() for note in notes} & {"unmatched", "duplicates"}
    assert not any(view.slice.startswith(note) for view, _ in linked for note in of_none), "what no example is behind"
