"""The events of the tab Errors, called as Gradio calls them."""

import pytest

from qassay.spaces_app.errors_view import ANY, ERRORS, EVERY, ORIGINAL, WORST
from qassay.spaces_app.inputs import sample_analysis
from qassay.spaces_app.samples import SAMPLES

FILTERS = ("small_model", ERRORS, ANY, ANY, "", WORST)


@pytest.fixture(scope="module")
def page(build_tab):
    from qassay.spaces_app.errors_tab import build_errors_tab

    return build_tab(build_errors_tab, None)


@pytest.fixture
def answers():
    return sample_analysis("answers")


@pytest.fixture
def selected(gr):
    """`selected(row)` is what a click on a row gives; its last cell is the number of the example."""

    def call(row: int):
        return gr.SelectData(None, {"index": [0, 0], "value": 0, "row_value": [0, "kind", "question", "a", "b", row]})

    return call


def test_without_scores_it_says_what_to_do(page):
    values = page.tab.refresh(None)
    assert len(values) == len(page.tab.outputs)
    assert "Nothing was scored yet" in values[0].value


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_fills_all_outputs(page, name):
    values = page.tab.refresh(sample_analysis(name))
    assert len(values) == len(page.tab.outputs)
    place, card, here, now, searched = values[-5:]
    assert "1 of " in place and "<article" in card and isinstance(here, int) and searched == ""
    assert "data-view" in now


def test_what_does_not_apply_is_hidden(page, answers):
    labels = [getattr(part, "label", None) for part in page.tab.outputs]
    for analysis, is_shown in ((sample_analysis("curves"), False), (answers, True)):
        shown = dict(zip(labels, page.tab.refresh(analysis), strict=True))
        for label in ("System", "Kind of error", "Question word", "Has an answer"):
            assert shown[label].visible is is_shown, label
    assert shown["Kind of error"].value == ERRORS


def test_a_click_shows_the_example_of_the_row(page, answers, selected):
    (select,) = page.handlers["select"]
    place, card, here, _ = select(selected(5), answers, *FILTERS)
    assert here == 3  # the small model is right about row 5: a click of another list shows the first
    place, card, here, _ = select(selected(5), answers, "large_model", *FILTERS[1:])
    assert here == 4 and "lighthouse-5" in card and "of 18" in place


def test_previous_and_next_walk_round(page, answers):
    previous, following = page.handlers["go"]
    place, _, here, _ = following(answers, 3, *FILTERS)
    assert "2 of 33" in place
    place, _, here, _ = previous(answers, here, *FILTERS)
    assert "1 of 33" in place and here == 3
    place, _, here, _ = previous(answers, here, *FILTERS)
    assert "33 of 33" in place
    assert "1 of 33" in following(answers, here, *FILTERS)[0]
    assert "1 of 33" in following(answers, None, *FILTERS)[0]


def test_filters_that_nothing_passes(page, answers):
    (filter_examples, *_) = page.handlers["filter_examples"]
    note, table, place, card, here, _ = filter_examples(answers, *FILTERS[:4], "no such words", WORST)
    assert "0 of 64 questions" in note and table.visible is False and place == "" and here is None
    assert "Choose fewer filters" in card


def test_text_is_searched_for_once(page, answers, gr):
    (search,) = page.handlers["search"]
    *shown, last = search(answers, "", *FILTERS[:4], "boats", WORST)
    assert last == "boats" and "of 64 questions" in shown[0]
    same = search(answers, "boats", "gone", *FILTERS[1:4], "boats", WORST)  # set by the page, not typed
    assert len(same) == 7 and all(value == gr.skip() for value in same)
    assert search(answers, "boats", *FILTERS)[-1] == ""


def test_another_system_has_its_own_counts(page, answers):
    (change_system,) = page.handlers["change_system"]
    kinds, note, *_ = change_system(answers, "large_model", "too short", *FILTERS[2:])
    assert kinds.value == EVERY and ("too long (6)", "too long") in kinds.choices  # it has nothing too short
    assert "64 questions" in note


def test_filters_of_an_older_analysis_do_no_harm(page):
    rankings = sample_analysis("rankings")
    (filter_examples, *_) = page.handlers["filter_examples"]
    note, _, _, card, here, _ = filter_examples(rankings, "gone", "too long", "who", "has an answer", None, "no order")
    assert "40 queries" in note and "<article" in card and here is not None


def test_the_table_has_texts_and_numbers_only_and_is_cut(page, answers):
    (filter_examples, *_) = page.handlers["filter_examples"]
    table = filter_examples(answers, "small_model", EVERY, ANY, ANY, "", ORIGINAL)[1]
    assert set(table.datatype) == {"str", "number"}
    assert table.datatype[0] == "number" and table.datatype[-1] == "number"
    assert len(table.datatype) == len(table.headers) == len(table.column_widths)


def test_before_anything_is_scored_events_change_nothing(page, selected):
    for name, handlers in page.handlers.items():
        for handler in handlers:
            event = [selected(1)] if name == "select" else []
            at = [None] if name in ("go", "search") else []
            assert handler(*event, None, *at, *FILTERS)
