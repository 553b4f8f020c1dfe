"""Numbers of the page lead to exactly the examples that they count or are made of."""

import dataclasses
import html
import re

import numpy as np
import pytest

from qassay.reports.one_pair import compared_pairs, of_pair
from qassay.space.address import View
from qassay.space.compare_view import pair_details
from qassay.space.comparisons import CompareChoices, comparison_of
from qassay.space.errors_address import choice_of
from qassay.space.errors_choice import EVERY, chosen_rows
from qassay.space.inputs import sample_analysis
from qassay.space.overview_view import overview_html
from qassay.space.page_hrefs import ErrorsHrefs
from qassay.space.samples import SAMPLES
from qassay.space.slice_overview import slices_overview
from qassay.space.slices_view import slice_report, slicings
from qassay.space.values_view import values_table

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
