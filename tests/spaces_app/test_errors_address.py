"""The tab Errors in addresses: what a view leads to, and what does not fit."""

import pytest

from qassay.spaces_app.address import View
from qassay.spaces_app.errors_address import choice_of, view_of
from qassay.spaces_app.errors_choice import ERRORS, EVERY, Choice, chosen_rows, first_choice
from qassay.spaces_app.inputs import sample_analysis
from qassay.spaces_app.samples import SAMPLES


@pytest.fixture
def answers():
    return sample_analysis("answers")


@pytest.mark.parametrize("name", SAMPLES)
def test_the_address_of_a_choice_leads_back_to_it(name):
    analysis = sample_analysis(name)
    for system in analysis.by_run.systems:
        choice = first_choice(analysis.by_run, system)
        row = chosen_rows(analysis.by_run, choice)[-1]
        view = View.parse(view_of(analysis.by_run, choice, row).href())
        assert choice_of(analysis, view) == (choice, row, [])


def test_every_field_leads_back(answers):
    choice = Choice(
        "large_model", "too long", "question_word:why", "small_model", "both_wrong", "f1", 0.25, 99.5, "a&b=c <é>", "original order"
    )  # fmt: skip
    assert choice_of(answers, View.parse(view_of(answers, choice).href())) == (choice, None, [])


def test_what_is_not_given_hides_nothing_that_is_asked_for(answers):
    assert choice_of(answers, View("errors"))[0] == first_choice(answers)
    assert choice_of(answers, View("errors", slice="question_word:who"))[0].kind == EVERY
    assert choice_of(answers, View("errors", other="small_model"))[0].system == "large_model"
    right = next(row for row, kind in enumerate(answers.error_kinds["small_model"]) if kind == "correct")
    identifier = str(answers.scores("small_model").ids[right])
    choice, row, misfits = choice_of(answers, View("errors", system="small_model", example=identifier))
    assert (choice.kind, row, misfits) == (EVERY, right, [])


def test_ids_of_all_characters_are_found(analysis_of):
    ids = ["a&b=c #é", "\ud800<script>", "x" * 1000, "x" * 1000 + "y", "x" * 999, "x" * 300, "x" * 301]
    analysis = analysis_of({identifier: ["A"] for identifier in ids}, {"one": dict.fromkeys(ids, "B")})
    choice = first_choice(analysis)
    for row in range(len(ids)):
        assert choice_of(analysis, View.parse(view_of(analysis, choice, row).href()))[1:] == (row, [])


def test_runs_are_found_by_their_system():
    runs = sample_analysis("runs")
    assert choice_of(runs, View("errors", system="sampled_model"))[0].system == "sampled_model (1)"


def test_a_measure_of_all_examples_together_leaves_the_usual_values():
    labels = sample_analysis("labels")
    choice, _, misfits = choice_of(
        labels, View("errors", system="rules", other="tuned", change="worse", measure="macro_f1")
    )
    assert misfits == [] and choice.measure == "" and choice.change == "worse"


@pytest.mark.parametrize(
    ("view", "words"),
    [
        (View(system="gone"), "Unknown system 'gone'; there are small_model, large_model"),
        (View(other="gone"), "Unknown system 'gone'"),
        (View(kind="gone"), "Unknown kind of error 'gone'; there are "),
        (View(system="large_model", kind="too short"), 'large_model has no example of the kind "too short"'),
        (View(slice="gone:who"), 'No example of small_model is in the slice "gone:who"'),
        (View(slice="question_word"), "No example of small_model is in the slice"),
        (View(change="gone"), 'there is no change "gone"'),
        (View(measure="gone", low="1"), 'No single example has a value of "gone"'),
        (View(low="nan"), '"nan" is not a number'),
        (View(high="1e999"), '"1e999" is not a number'),
        (View(order="gone"), "Unknown order 'gone'; there are "),
        (View(example="gone"), 'small_model has no example "gone"'),
    ],
)
def test_what_does_not_fit_is_told_and_the_tab_is_shown_without_it(answers, view, words):
    choice, row, misfits = choice_of(answers, view)
    assert len(misfits) == 1 and words in misfits[0]
    assert row is None and chosen_rows(answers, choice) and choice.kind in (EVERY, ERRORS)
