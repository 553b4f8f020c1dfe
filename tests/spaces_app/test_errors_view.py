"""The examples of the tab Errors: what is filtered, in which order, and what their table holds."""

import dataclasses

import numpy as np
import pytest

from qassay.spaces_app.analysis import Analysis
from qassay.spaces_app.errors_view import (
    ANY,
    DISAGREE,
    ERRORS,
    EVERY,
    HIGH,
    LOW,
    ORIGINAL,
    WORST,
    Choice,
    answerable_choices,
    chosen_rows,
    example_measures,
    first_choice,
    kind_choices,
    kinds_of,
    leading_measures,
    order_choices,
    rows_in,
    table_heads,
    table_rows,
    value_names,
    value_note,
    values,
    word_choices,
)
from qassay.spaces_app.inputs import sample_analysis
from qassay.spaces_app.samples import SAMPLES
from qassay.spaces_app.view_parts import asked_texts, cut


@pytest.fixture
def answers() -> Analysis:
    return sample_analysis("answers")


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_has_rows_of_its_heads(name):
    analysis = sample_analysis(name)
    for system in analysis.systems:
        choice = first_choice(analysis, system)
        rows = chosen_rows(analysis, choice)
        heads, table = table_heads(analysis, system), table_rows(analysis, system, rows)
        assert rows and len(table) == len(rows)
        assert heads[-1] == "row" and {len(line) for line in table} == {len(heads)}
        assert [line[-1] for line in table] == [row + 1 for row in rows]
        assert sorted(chosen_rows(analysis, Choice(system))) == list(range(len(analysis.scores(system))))


@pytest.mark.parametrize("name", SAMPLES)
def test_all_choices_give_examples_and_their_counts_are_true(name):
    analysis = sample_analysis(name)
    for system in analysis.systems:
        for label, kind in kind_choices(analysis, system):
            assert label == f"{kind} ({len(chosen_rows(analysis, Choice(system, kind))):,})"
        words = [word for word in word_choices(analysis) if word != ANY]
        found = [len(chosen_rows(analysis, Choice(system, word=word))) for word in words]
        assert not words or sum(found) == len(analysis.scores(system))
        for order in order_choices(analysis):
            assert len(chosen_rows(analysis, Choice(system, order=order))) == len(analysis.scores(system))


def test_the_first_choice_is_the_errors_worst_first(answers):
    choice = first_choice(answers)
    assert choice == Choice("small_model", ERRORS, ANY, ANY, "", WORST)
    rows = chosen_rows(answers, choice)
    kinds = kinds_of(answers, "small_model")
    assert len(rows) == 33 and not {kinds[row] for row in rows} & set(answers.family.telling.errors.right)
    shown = values(answers, "small_model")[rows]
    assert (np.diff(shown) >= 0).all()
    assert kinds[rows[0]] == "answered an unanswerable" and rows[0] == 3


def test_without_kinds_all_examples_are_shown():
    similarity = sample_analysis("similarity")
    assert kind_choices(similarity, "small_model") == []
    assert first_choice(similarity).kind == EVERY
    assert table_heads(similarity, "small_model") == ["sas", "question", "answer", "gold", "row"]


def test_values_are_those_of_the_core_in_the_scale_of_the_report(answers):
    f1 = answers.scores("large_model").columns["f1"]
    assert values(answers, "large_model").tolist() == pytest.approx((100 * f1).tolist())
    assert leading_measures(answers) == ["f1", "exact_match"]  # graded before 0 or 1
    assert value_names(answers, "large_model") == ["f1"] and value_note(answers, "large_model") == ""


def test_values_of_several_measures_are_told():
    factoids = sample_analysis("factoids")
    assert table_heads(factoids, "hasty")[0] == "value"
    assert "mrr, list_f1, yesno_macro_f1" in value_note(factoids, "hasty")
    assert example_measures(factoids) == ["mrr", "list_f1", "yesno_macro_f1"]
    scores = factoids.scores("hasty")
    listed = scores.subsets["list"]
    assert values(factoids, "hasty")[listed].tolist() == pytest.approx(
        (100 * scores.columns["list_f1"][listed]).tolist()
    )
    assert np.isnan(values(factoids, "hasty")[scores.subsets["summary"]]).all()
    assert chosen_rows(factoids, Choice("hasty"))[-6:] == np.flatnonzero(scores.subsets["summary"]).tolist()


def test_answerable_questions_are_told_apart(answers):
    assert answerable_choices(answers) == [ANY, "has an answer", "has no answer"]
    rows = chosen_rows(answers, Choice("small_model", answerable="has no answer"))
    assert sorted(rows) == np.flatnonzero(answers.scores("small_model").subsets["no_answer"]).tolist()
    assert answerable_choices(sample_analysis("rankings")) == []


@pytest.mark.parametrize(
    "text", ["LIGHTHOUSE-4", "herring  boats", " thomas reay\n", "1858–1861"], ids=["id", "question", "answer", "gold"]
)
def test_text_is_found_wherever_it_stands(answers, text):
    rows = chosen_rows(answers, Choice("small_model", text=text))
    assert {"LIGHTHOUSE-4": 3, "herring  boats": 3, " thomas reay\n": 3, "1858–1861": 0}[text] in rows
    assert len(rows) < 10
    assert chosen_rows(answers, Choice("small_model", text="no such words")) == []


def test_filters_hold_together(answers):
    choice = Choice("small_model", "answered an unanswerable", "who", "has no answer", "boats")
    assert chosen_rows(answers, choice) == [3]
    assert chosen_rows(answers, choice._replace(word="why")) == []


def test_the_systems_disagree_first_where_they_are_furthest_apart(answers):
    rows = chosen_rows(answers, Choice("small_model", order=DISAGREE))
    apart = np.abs(values(answers, "small_model") - values(answers, "large_model"))[rows]
    assert (np.diff(apart) <= 1e-9).all() and apart[0] == 100 and apart[-1] == 0
    assert chosen_rows(answers, Choice("small_model", order=ORIGINAL)) == list(range(64))


def test_scores_with_labels_have_orders_of_their_own():
    curves = sample_analysis("curves")
    assert order_choices(curves) == [HIGH, LOW, ORIGINAL]
    columns = curves.scores("spam").columns
    for order, label, extreme in ((HIGH, 0, max), (LOW, 1, min)):
        first = chosen_rows(curves, Choice("spam", order=order))[0]
        assert columns["label"][first] == label
        assert columns["score"][first] == extreme(columns["score"][columns["label"] == label])


def test_one_system_has_nobody_to_disagree_with(analysis_of):
    assert order_choices(analysis_of({"a": ["A"]}, {"one": {"a": "A"}})) == [WORST, ORIGINAL]


def test_labels_are_shown_with_their_text():
    labels = sample_analysis("labels")
    assert table_heads(labels, "rules") == ["accuracy", "kind", "text", "found", "gold", "row"]
    assert asked_texts(labels, "rules", [0]) == ["Is the new sea novel free to borrow?"]


def test_systems_with_other_examples_are_matched_by_id(analysis_of):
    systems = {"one": {"a": "A", "b": "x", "c": "C"}, "two": {"b": "B", "c": "C"}}
    analysis = analysis_of({name: [name.upper()] for name in "abc"}, systems, options=("missing=skip",))
    assert list(rows_in(analysis, "two", "one")) == [None, 0, 1]
    assert list(rows_in(analysis, "one", "two")) == [1, 2]
    assert chosen_rows(analysis, Choice("one", order=DISAGREE))[0] in (0, 1)


def test_cells_are_texts_that_every_page_can_hold(analysis_of):
    hostile = "<script>alert(1)</script>\ud800\n" + "x" * 1000
    analysis = analysis_of(f'question,prediction,reference\n"{hostile}","{hostile}","{hostile}"\n')
    (row,) = table_rows(analysis, analysis.systems[0], [0])
    texts = [cell for cell in row if isinstance(cell, str)]
    assert len(texts) == 4 and all(len(cell) <= 160 and "\n" not in cell for cell in texts)
    assert "".join(texts).encode()
    assert cut("\ud800").encode() == b"\\ud800"


def test_texts_are_read_once(answers):
    fresh = dataclasses.replace(answers)
    calls = []
    read = fresh.texts
    object.__setattr__(fresh, "texts", lambda *given: calls.append(given) or read(*given))
    for text in ("a", "b", "c"):
        chosen_rows(fresh, Choice("small_model", text=text))
    assert len(calls) == 1
    chosen_rows(fresh, Choice("large_model", text="a"))
    assert fresh.known("searched", "small_model") is None, "of one system at a time"
    assert len(fresh.known("searched", "large_model")) == 64
