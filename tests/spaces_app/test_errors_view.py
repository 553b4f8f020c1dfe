"""The list of examples on the tab Errors, and the filters above it."""

import html
import re

import pytest

from qassay.spaces_app.address import View
from qassay.spaces_app.errors_address import choice_of
from qassay.spaces_app.errors_choice import ERRORS, Choice, chosen_rows, first_choice
from qassay.spaces_app.errors_view import MOST_ROWS, active_filters, filters_html, list_html
from qassay.spaces_app.inputs import sample_analysis
from qassay.spaces_app.samples import SAMPLES
from qassay.spaces_app.score_view import score_html


def listed(analysis, choice, here=None):
    """The heads, and of each row the view it leads to and its texts."""
    page = list_html(analysis, choice, chosen_rows(analysis, choice), here)
    texts = [re.sub(r"<span class=.sr.>.*?</span>", "", row) for row in re.findall("<tr.*?</tr>", page)]
    cells = [
        [html.unescape(re.sub("<.*?>", "", cell)) for cell in re.findall("<t[hd].*?</t[hd]>", row)] for row in texts
    ]
    views = [View.parse(html.unescape(href)) for href in re.findall('href="(.*?)"', page)]
    return cells[0], list(zip(views, cells[1:], strict=True)), page


@pytest.mark.parametrize("name", SAMPLES)
def test_every_row_has_cells_for_all_heads_and_leads_to_its_example(name):
    analysis = sample_analysis(name).by_run
    for system in analysis.systems:
        choice = first_choice(analysis, system)
        rows = chosen_rows(analysis, choice)
        heads, found, page = listed(analysis, choice, rows[1])
        assert len(found) == len(rows) and {len(cells) for _, cells in found} == {len(heads)}
        assert [choice_of(analysis, view)[:2] for view, _ in found[:3]] == [(choice, row) for row in rows[:3]]
        assert page.count("aria-current") == 1 and page.count("tabindex") == len(rows) - 1


def test_the_list_shows_what_the_other_system_said_and_whether_it_is_right():
    answers = sample_analysis("answers")
    heads, found, _ = listed(answers, Choice("small_model", text="lighthouse-4", other="large_model"))
    assert heads == ["question", "kind", "f1", "small_model", "large_model", "gold"]
    ((_, cells),) = found
    assert cells[1:] == ["answered an unanswerable", "0.00", "Thomas Reay", "✓ (no answer)", "(no answer)"]
    heads, found, _ = listed(answers, Choice("small_model", text="lighthouse-4", measure="exact_match"))
    assert heads == ["question", "kind", "exact_match", "answer", "gold"]
    assert listed(sample_analysis("labels"), Choice("rules"))[0][0] == "text"
    assert listed(sample_analysis("rankings"), Choice("bm25"))[0][0] == "id"


def test_each_filter_that_holds_is_a_link_that_removes_it():
    answers = sample_analysis("answers")
    choice = Choice(
        "small_model", ERRORS, "question_word:who", "large_model", "worse", "f1", 0.0, 50.0, "boats"
    )  # fmt: skip
    found = dict(active_filters(answers, choice))
    assert list(found) == [
        "all errors", "question word: who", "small_model worse", "f1 from 0 to 50", "contains “boats”", "by f1"
    ]  # fmt: skip
    without = [choice_of(answers, view)[0] for view in found.values()]
    changed = [{name for name in Choice._fields if getattr(one, name) != getattr(choice, name)} for one in without]
    assert changed == [{"kind"}, {"part"}, {"change"}, {"low", "high"}, {"text"}, {"measure"}]
    assert "chips" not in filters_html(answers, Choice("small_model"), range(64))


@pytest.mark.parametrize(("low", "high"), [(0, 10), (60, 70), (90, 100)])
def test_a_bar_of_a_histogram_is_named_by_its_edges(low, high):
    answers = sample_analysis("answers")
    links = re.findall(r'href="([^"]*low=[^"]*)"', score_html(answers))
    choices = [choice_of(answers, View.parse(html.unescape(link)))[0] for link in links]
    found = [next(iter(active_filters(answers, choice)))[0] for choice in choices if choice.low == low]
    assert found and set(found) == {f"f1 from {low} to {high}"}


def test_what_visitors_wrote_is_cut_and_escaped(analysis_of):
    hostile = "<script>alert(1)</script>\ud800\n\"'" + "x" * 1000
    analysis = analysis_of([{"id": f"{hostile}{n}", "question": hostile, "answers": [hostile]} for n in range(2)],
                           {hostile[:80]: {f"{hostile}{n}": hostile for n in range(2)}})  # fmt: skip
    choice = first_choice(analysis)._replace(text="<script>")
    rows = chosen_rows(analysis, choice)
    page = list_html(analysis, choice, rows, rows[0]) + filters_html(analysis, choice, rows)
    assert rows and "<script" not in page and "\ud800" not in page and "'x" not in page
    assert page.encode() and "x" * 400 not in page


def test_long_lists_end(analysis_of):
    analysis = analysis_of({f"q{n}": ["A"] for n in range(300)}, {"one": {f"q{n}": "B" for n in range(300)}})
    choice = first_choice(analysis)
    rows = chosen_rows(analysis, choice)
    assert list_html(analysis, choice, rows, rows[0]).count("<tr") == MOST_ROWS + 1
    assert f"300 questions, the first {MOST_ROWS} in the list" in filters_html(analysis, choice, rows)
