"""The examples of the tab Errors: what is filtered, in which order, and their values."""

import dataclasses

import numpy as np
import pytest

from qassay.reports.right_wrong import right_wrong_tables
from qassay.spaces_app.analysis import Analysis
from qassay.spaces_app.errors_choice import (
    CHANGES,
    DISAGREE,
    ERRORS,
    EVERY,
    HIGH,
    IN_TURN,
    LOW,
    ORIGINAL,
    WORST,
    Choice,
    change_choices,
    chosen_rows,
    first_choice,
    kind_choices,
    order_choices,
    part_choices,
)
from qassay.spaces_app.errors_values import (
    example_measures,
    is_known_measure,
    kinds_of,
    leading_measures,
    rightness,
    value_names,
    values,
)
from qassay.spaces_app.example_columns import measure_values, rows_in
from qassay.spaces_app.findings import headline_measure
from qassay.spaces_app.inputs import sample_analysis
from qassay.spaces_app.samples import SAMPLES


@pytest.fixture
def answers() -> Analysis:
    return sample_analysis("answers")


@pytest.mark.parametrize("name", SAMPLES)
def test_all_choices_give_examples_and_their_counts_are_true(name):
    analysis = sample_analysis(name).by_run
    for system in analysis.systems:
        n = len(analysis.scores(system))
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
            assert sorted(chosen_rows(analysis, Choice(system, order=order))) == list(range(n))


def test_the_first_choice_is_the_errors_of_the_worse_system(answers):
    choice = first_choice(answers)
    assert choice == Choice("small_model", ERRORS, other="large_model", order=WORST)
    rows = chosen_rows(answers, choice)
    kinds = kinds_of(answers, "small_model")
    assert len(rows) == 33 and not {kinds[row] for row in rows} & set(answers.family.telling.errors.right)
    swapped = dataclasses.replace(
        answers, scored=(answers.main._replace(systems=dict(reversed(answers.main.systems.items()))),)
    )
    assert first_choice(swapped).system == "small_model", "by its values, not its place"


def test_the_first_rows_have_their_kinds_in_turn_and_the_others_are_the_worst_first(answers):
    rows = chosen_rows(answers, first_choice(answers))
    kinds = kinds_of(answers, "small_model")
    shown = [kinds[row] for row in rows]
    n = len(set(shown))
    assert n > 3 and len(set(shown[:n])) == n
    assert (np.diff(values(answers, "small_model")[rows[IN_TURN:]]) >= 0).all()
    one_kind = chosen_rows(answers, Choice("small_model", "partial"))
    assert (np.diff(values(answers, "small_model")[one_kind]) >= 0).all()


def test_changes_part_the_examples_by_both_systems(answers):
    rows = {change: set(chosen_rows(answers, _against(change))) for change in CHANGES}
    of_right = [rows[name] for name in ("both_right", "both_wrong", "only_right", "only_wrong")]
    assert sorted(row for part in of_right for row in part) == list(range(64))
    first, second = rightness(answers, "small_model"), rightness(answers, "large_model")
    assert rows["only_wrong"] == set(np.flatnonzero((first == 0) & (second == 1)).tolist())
    f1 = [answers.by_example(system, "f1") for system in ("small_model", "large_model")]
    assert rows["worse"] == set(np.flatnonzero(f1[0] < f1[1]).tolist())
    exact = [answers.by_example(system, "exact_match") for system in ("small_model", "large_model")]
    by_exact = chosen_rows(answers, _against("worse")._replace(measure="exact_match"))
    assert set(by_exact) == set(np.flatnonzero(exact[0] < exact[1]).tolist()) < rows["worse"]


def test_right_and_wrong_are_those_of_compare_where_there_are_no_kinds():
    """An answer that a judge of similarity accepts is right, although its similarity is not exactly 1."""
    analysis = sample_analysis("similarity")
    first, second = (rightness(analysis, system) for system in analysis.systems)
    (table,) = right_wrong_tables(analysis.main, tuple(analysis.systems))
    assert table.measure == "sas_accuracy@0.5"
    counts = [int(((first == one) & (second == other)).sum()) for one in (1, 0) for other in (1, 0)]
    assert counts == list(table[3:7])
    by_similarity = values(analysis, analysis.systems[1])
    assert ((second == 1) & (by_similarity < 100)).any()


def _against(change):
    return Choice("small_model", other="large_model", change=change)


def test_bounds_are_included_and_in_the_scale_of_the_page(answers):
    f1 = 100 * answers.scores("small_model").columns["f1"]
    for low, high in ((0.0, 0.0), (20.0, 80.0), (100.0, None), (None, 0.0)):
        rows = chosen_rows(answers, Choice("small_model", low=low, high=high))
        wanted = (f1 >= (0 if low is None else low)) & (f1 <= (100 if high is None else high))
        assert rows and sorted(rows) == np.flatnonzero(wanted).tolist()


def test_without_kinds_all_examples_are_shown():
    similarity = sample_analysis("similarity")
    assert kind_choices(similarity, "small_model") == []
    assert first_choice(similarity).kind == EVERY


def test_values_are_those_of_the_core_in_the_scale_of_the_report(answers):
    f1 = answers.scores("large_model").columns["f1"]
    assert values(answers, "large_model").tolist() == pytest.approx((100 * f1).tolist())
    assert leading_measures(answers) == ["f1", "exact_match"]  # graded before 0 or 1
    assert value_names(answers, "large_model") == ["f1"]


@pytest.mark.parametrize("name", SAMPLES)
def test_values_begin_with_the_measure_that_the_answer_leads_with(name):
    analysis = sample_analysis(name)
    led = headline_measure(analysis)
    if is_known_measure(analysis.by_run, led):
        assert leading_measures(analysis.by_run)[0] == led
        column = measure_values(analysis.by_run, analysis.by_run.systems[0], led)
        shown = values(analysis.by_run, analysis.by_run.systems[0])
        applies = ~np.isnan(column)
        assert applies.any() and (shown[applies] == column[applies]).all()
    else:
        assert name == "curves"


def test_values_of_several_measures_are_told():
    factoids = sample_analysis("factoids")
    assert value_names(factoids, "hasty") == ["list_f1", "mrr", "yesno_macro_f1"]
    assert example_measures(factoids) == ["mrr", "list_f1", "yesno_macro_f1"]
    scores = factoids.scores("hasty")
    listed = scores.subsets["list"]
    assert values(factoids, "hasty")[listed].tolist() == pytest.approx(
        (100 * scores.columns["list_f1"][listed]).tolist()
    )
    assert np.isnan(values(factoids, "hasty")[scores.subsets["summary"]]).all()
    assert chosen_rows(factoids, Choice("hasty"))[-6:] == np.flatnonzero(scores.subsets["summary"]).tolist()


@pytest.mark.parametrize(
    "text", ["LIGHTHOUSE-4", "herring  boats", " thomas reay\n", "1858–1861"], ids=["id", "question", "answer", "gold"]
)
def test_text_is_found_wherever_it_stands(answers, text):
    rows = chosen_rows(answers, Choice("small_model", text=text))
    assert {"LIGHTHOUSE-4": 3, "herring  boats": 3, " thomas reay\n": 3, "1858–1861": 0}[text] in rows
    assert len(rows) < 10
    assert chosen_rows(answers, Choice("small_model", text="no such words")) == []


def test_filters_hold_together(answers):
    choice = Choice("small_model", "answered an unanswerable", "question_word:who", text="boats")
    assert chosen_rows(answers, choice) == [3]
    assert chosen_rows(answers, choice._replace(part="question_word:why")) == []
    assert chosen_rows(answers, choice._replace(other="large_model", change="only_wrong", high=0.0)) == [3]


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


def test_systems_with_other_examples_are_matched_by_id(analysis_of):
    systems = {"one": {"a": "A", "b": "x", "c": "C"}, "two": {"b": "B", "c": "C"}}
    analysis = analysis_of({name: [name.upper()] for name in "abc"}, systems, options=("missing=skip",))
    assert list(rows_in(analysis, "two", "one")) == [None, 0, 1]
    assert list(rows_in(analysis, "one", "two")) == [1, 2]
    assert chosen_rows(analysis, Choice("one", order=DISAGREE))[0] in (0, 1)
    found = {change: chosen_rows(analysis, Choice("one", other="two", change=change)) for change in CHANGES}
    assert found["both_right"] == [2] and found["only_wrong"] == found["worse"] == [1]
    assert 0 not in [row for rows in found.values() for row in rows], "the other does not have it"


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
