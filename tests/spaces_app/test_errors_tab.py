"""The events of the tab Errors, called as Gradio calls them."""

import pytest

from qassay.spaces_app.address import View
from qassay.spaces_app.errors_choice import ERRORS, EVERY, WORST
from qassay.spaces_app.inputs import sample_analysis
from qassay.spaces_app.samples import SAMPLES

FILTERS = ("small_model", ERRORS, "", "large_model", "", "", WORST, None)


@pytest.fixture(scope="module")
def page(build_tab):
    from qassay.spaces_app.errors_tab import build_errors_tab

    return build_tab(build_errors_tab, None)


@pytest.fixture
def answers():
    return sample_analysis("answers")


def test_without_scores_it_says_what_to_do(page):
    values = page.tab.refresh(None)
    assert len(values) == len(page.tab.outputs)
    assert "Nothing has been scored yet" in values[0].value


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
        for label in ("System", "Kind of error", "Against"):
            assert shown[label].visible is is_shown, label
        assert shown["Slice"].visible and not shown["Compared with"].visible
    assert shown["Kind of error"].value == ERRORS and shown["Against"].label == "Against large_model"


def test_a_link_of_the_list_shows_its_example(page, answers):
    (read,) = page.handlers["read"]
    place, card, here, now = read(
        answers, "?example=lighthouse-5", "large_model", *FILTERS[1:3], "small_model", *FILTERS[4:]
    )
    assert here == 4 and "lighthouse-5" in card and "of 18" in place and "lighthouse-5" in now
    *_, here, _ = read(answers, "?example=lighthouse-5", *FILTERS)
    assert here == 3, "the small model is right about it: a link of another list shows the first"
    assert read(answers, None, *FILTERS)[2] == 3


def test_a_view_fills_the_tab(page, answers):
    view = View("errors", system="large_model", slice="question_word:who", high="50", text="a")
    values, misfits = page.tab.follow(answers, view)
    assert misfits == [] and len(values) == len(page.tab.outputs)
    labels = [getattr(part, "label", None) for part in page.tab.outputs]
    shown = dict(zip(labels, values, strict=True))
    assert shown["System"].value == "large_model" and shown["Slice"].value == "question_word:who"
    assert shown["Kind of error"].value == EVERY and shown["Contains"].value == "a" == values[-1]
    assert "high=50" in values[-2]


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
    note, table, place, card, here, _ = filter_examples(answers, *FILTERS[:5], "no such words", WORST, None)
    assert "0 of 64 questions" in note and table.visible is False and place == "" and here is None
    assert "Choose fewer filters" in card


def test_text_is_searched_for_once(page, answers, gr):
    (search,) = page.handlers["search"]
    *shown, last = search(answers, "", *FILTERS[:5], "boats", WORST, None)
    assert last == "boats" and "of 64 questions" in shown[0]
    same = search(answers, "boats", "gone", *FILTERS[1:5], "boats", WORST, None)  # set by the page, not typed
    assert len(same) == 7 and all(value == gr.skip() for value in same)
    assert search(answers, "boats", *FILTERS)[-1] == ""


def test_another_system_has_its_own_counts(page, answers):
    (change_system, *_) = page.handlers["change_system"]
    system, kinds, _, _, change, *_, note, _, _, _, _, _ = change_system(
        answers, "large_model", "too short", *FILTERS[2:]
    )
    assert system.value == "large_model" and change.label == "Against small_model"
    assert kinds.value == EVERY and ("too long (6)", "too long") in kinds.choices  # it has nothing too short
    assert "64 questions" in note


def test_filters_of_an_older_analysis_do_no_harm(page):
    rankings = sample_analysis("rankings")
    (filter_examples, *_) = page.handlers["filter_examples"]
    note, _, _, card, here, _ = filter_examples(
        rankings, "gone", "too long", "who", "gone", "gone", None, "no order", None
    )
    assert "40 queries" in note and "<article" in card and here is not None


def test_values_that_a_dropdown_no_longer_offers_are_not_refused_by_gradio(page, answers):
    """Gradio sends the event of a dropdown twice: what the first answer removes from the choices comes again in the second."""
    assert not any(event.preprocess for event in page.demo.fns.values())
    for handler in page.handlers["change_system"]:
        again = handler(answers, "large_model", "too short", "no:such", "large_model", "", "", WORST, None)
        assert again[0].value == "large_model" and again[3].value == "small_model"
    (filter_examples, *_) = page.handlers["filter_examples"]
    for odd in (7, ["a"], {"a": 1}, True):  # what a browser sends is checked here alone
        assert "64 questions." in filter_examples(answers, *[odd] * 7, None)[0]
    (read,), (search,) = page.handlers["read"], page.handlers["search"]
    assert read(answers, 7, *FILTERS)[2] == 3 and search(answers, "", *FILTERS[:5], 7, WORST, None)[-1] != 7


def test_before_anything_is_scored_events_change_nothing(page):
    for name, handlers in page.handlers.items():
        for handler in handlers:
            at = [None] if name in ("go", "search", "read") else []
            assert handler(None, *at, *FILTERS)
