"""Single examples: counts of filters, addresses that lead back, escaping, and answers marked in a text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.reports.chart_parts import escaped
from qassay.space.address import View
from qassay.space.errors_address import choice_of, view_of
from qassay.space.errors_choice import (
    ERRORS,
    EVERY,
    Choice,
    change_choices,
    chosen_rows,
    first_choice,
    kind_choices,
    order_choices,
    part_choices,
)
from qassay.space.errors_view import filters_html, list_html
from qassay.space.inputs import sample_analysis
from qassay.space.marked_text import Passage, marked_passages


@pytest.fixture
def answers():
    return sample_analysis("answers")


# --- which examples, in which order -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["answers", "curves"])
def test_all_choices_give_examples_and_their_counts_are_true(name):
    analysis = sample_analysis(name).by_run
    for system in analysis.systems[:2]:
        first = first_choice(analysis, system)
        assert chosen_rows(analysis, first)
        for label, kind in kind_choices(analysis, system):
            assert label == f"{kind} ({len(chosen_rows(analysis, Choice(system, kind))):,})"
        for label, part in part_choices(analysis, system)[1:]:
            assert label.endswith(f" ({len(chosen_rows(analysis, Choice(system, part=part))):,})")
        for label, change in change_choices(analysis, first)[1:]:
            rows = chosen_rows(analysis, Choice(system, other=first.other, change=change))
            assert label.endswith(f" ({len(rows):,})")
        for order in order_choices(analysis):
            rows = chosen_rows(analysis, Choice(system, order=order))
            assert sorted(rows) == list(range(len(analysis.scores(system))))


# --- addresses --------------------------------------------------------------------------------------------------------


def test_every_field_and_ids_of_all_characters_lead_back(answers, analysis_of):
    choice = Choice(
        "large_model", "too long", "question_word:why", "small_model", "both_wrong", "f1", "a&b=c <é>", "original order"
    )  # fmt: skip
    assert choice_of(answers, View.parse(view_of(answers, choice).href())) == (choice, None, [])
    ids = ["a&b=c #é", "\ud800<script>", "x" * 1000, "x" * 1000 + "y", "x" * 999, "x" * 300, "x" * 301]
    analysis = analysis_of({identifier: ["A"] for identifier in ids}, {"one": dict.fromkeys(ids, "B")})
    first = first_choice(analysis)
    for row in range(len(ids)):
        assert choice_of(analysis, View.parse(view_of(analysis, first, row).href()))[1:] == (row, [])


@pytest.mark.parametrize(
    ("view", "named"),
    [
        (View(system="gone"), "'gone'; there are small_model, large_model"),
        (View(system="large_model", kind="too short"), "too short"),
        (View(measure="gone"), "gone"),
        (View(example="gone"), "gone"),
    ],
)
def test_what_does_not_fit_is_told_and_the_examples_are_shown_without_it(answers, view, named):
    choice, row, (told,) = choice_of(answers, view)
    assert named in told
    assert row is None and chosen_rows(answers, choice) and choice.kind in (EVERY, ERRORS)


# --- the list ---------------------------------------------------------------------------------------------------------


def test_what_visitors_wrote_is_cut_and_escaped(analysis_of):
    hostile = "<script>alert(1)</script>\ud800\n\"'" + "x" * 1000
    analysis = analysis_of([{"id": f"{hostile}{n}", "question": hostile, "answers": [hostile]} for n in range(2)],
                           {hostile[:80]: {f"{hostile}{n}": hostile for n in range(2)}})  # fmt: skip
    choice = first_choice(analysis)._replace(text="<script>")
    rows = chosen_rows(analysis, choice)
    page = list_html(analysis, choice, rows, rows[0]) + filters_html(analysis, choice, rows)
    assert rows and "<script" not in page and "\ud800" not in page and "'x" not in page
    assert page.encode() and "x" * 400 not in page


# --- passages marked in a text ----------------------------------------------------------------------------------------


def bare(page):
    """The marked text without its key and tags."""
    return re.sub(r"<[^>]*>", "", page.partition("</div>")[0])


@given(
    st.text(alphabet="ab <&", max_size=30),
    st.lists(st.tuples(st.text(alphabet="ab <&", max_size=4), st.integers(-3, 33)), max_size=4),
    st.lists(st.text(alphabet="ab <&", max_size=4), max_size=3),
)
def test_a_marked_text_stays_whole_and_its_tags_match(context, golds, said):
    page = marked_passages(context, [Passage(*gold) for gold in golds], {"one": said, "two": said[:1]})
    assert bare(page) == escaped(context)
    assert page.count("<mark") == page.count("</mark>") and page.count("<span") == page.count("</span>")
