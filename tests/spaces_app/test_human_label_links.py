"""From the numbers of the tab Human labels to the examples that they are of."""

import dataclasses
import html
import re

import numpy as np
import pytest

from qassay.spaces_app.address import View
from qassay.spaces_app.error_card import example_card
from qassay.spaces_app.errors_address import choice_of, view_of
from qassay.spaces_app.errors_choice import UNLIKE_PEOPLE, Choice, chosen_rows, order_choices, part_choices
from qassay.spaces_app.errors_view import list_html
from qassay.spaces_app.example_columns import measure_values
from qassay.spaces_app.human_labels import keep_labels, labels_of
from qassay.spaces_app.inputs import sample_analysis
from qassay.spaces_app.labels_view import LabelChoices, calibrated, calibration_html, read_labels
from qassay.spaces_app.samples import FOLDER

LABELS = FOLDER / "answers" / "large_model_labels.csv"
N = 40


def linked(body):
    """Name -> the view of its link; of texts that several links have, the last."""
    found = re.findall(r'<a class="go" href="([^"]*)"(?: aria-label="([^"]*)")?>(.*?)</a>', body)
    return {html.unescape(name or text): View.parse(html.unescape(href)) for href, name, text in found}


def cells(body, caption):
    """The cells of the first row of a table: text and view, None without a link."""
    table = body[body.index(f"<caption><span>{caption}") :]
    row = re.search(r"<tbody><tr>(.*?)</tr>", table).group(1)
    return [(re.sub("<.*?>", " ", cell).split()[0], next(iter(linked(cell).values()), None))
            for cell in re.findall(r"<td>(.*?)</td>", row)]  # fmt: skip


def rows_of(analysis, view):
    choice, _, misfits = choice_of(analysis, view)
    assert not misfits
    return choice, chosen_rows(analysis.by_run, choice)


@pytest.fixture
def scored(analysis_of):
    """Files of a visitor, two systems and their labels, some of which are graded."""
    gold = {f"q{n}": [f"city {n}"] for n in range(N)}
    systems = {
        "a": {key: value[0] if n % 3 else "town" for n, (key, value) in enumerate(gold.items())},
        "b": {key: value[0] if n % 4 else "town" for n, (key, value) in enumerate(gold.items())},
    }
    labels = {
        "a": {f"q{n}": 0.5 if n == 1 else n % 2 for n in range(30)},
        "b": {f"q{n}": n % 2 for n in range(10, 36)},
    }
    return analysis_of(gold, systems), labels


def test_numbers_of_the_sample_lead_to_what_they_are_of():
    analysis = sample_analysis("answers")
    choices = LabelChoices("large_model", measures=("exact_match", "f1"))
    result = calibrated(analysis, choices, {"large_model": read_labels(str(LABELS), LABELS.name).content})
    body = calibration_html(analysis, choices, result)
    verdicts = result.verdicts["large_model"]
    n, labelled, alone, of_labels, people = cells(body, "Values with")
    assert n[0] == "64" and labelled[0] == "40" and None not in [view for _, view in (n, alone, of_labels, people)]
    for view, count in ((n[1], 64), (labelled[1], 40), (alone[1], 64), (of_labels[1], 40), (people[1], 64)):
        assert len(rows_of(analysis, view)[1]) == count and view.measure == "exact_match"
    method, lam, accuracy, sensitivity, specificity, correlation, saved, worth = cells(
        body, "Agreement with the labels"
    )
    assert [view for _, view in (method, lam, saved, worth)] == [None] * 4, "no examples are behind these"
    exact = measure_values(analysis, "large_model", "exact_match") / 100
    for (text, view), kept in (
        (accuracy, ~np.isnan(verdicts)), (sensitivity, verdicts == 1), (specificity, verdicts == 0),
        (correlation, ~np.isnan(verdicts)),
    ):  # fmt: skip
        choice, rows = rows_of(analysis, view)
        assert sorted(rows) == np.flatnonzero(kept).tolist()
        unlike = exact[rows] != verdicts[rows]
        assert not (np.diff(unlike.astype(int)) > 0).any(), "where the measure and people disagree comes first"
        if view != correlation[1]:
            assert f"{1 - unlike.mean():.3f}" == text
    marks = [
        view for name, view in linked(body).items() if re.match(r"(exact_match alone|labels alone|calibrated): ", name)
    ]
    assert [len(rows_of(analysis, view)[1]) for view in marks] == [64, 40, 64]


def test_measures_of_all_metrics_lead_to_the_examples_by_them(analysis_of):
    """On the tab Errors, which has kinds and slices of the first metric: values, their order and bounds are of the other one."""
    gold = {f"q{n}": [f"city {n}"] for n in range(N)}
    said = {"a": {key: f"{value[0]} town" if n % 3 else "sea" for n, (key, value) in enumerate(gold.items())}}
    analysis = analysis_of(gold, said, metric="all", options=("model=lite",))
    assert [scored.family.name for scored in analysis.scored][0] == "answer_match" and len(analysis.scored) > 1
    choices = LabelChoices("a", measures=("sas",))
    result = calibrated(analysis, choices, {"a": {f"q{n}": n % 2 for n in range(30)}})
    keep_labels(analysis, result.verdicts)
    n, labelled, alone, *_ = cells(calibration_html(analysis, choices, result), "Values with")
    of_sas = next(scored for scored in analysis.scored if "sas" in scored.scores["a"].measures).scores["a"]
    own = of_sas.measures["sas"].by_example(of_sas.rows) * 100
    for (text, view), count in ((n, N), (labelled, 30), (alone, N)):
        choice, rows = rows_of(analysis, view)
        assert view.measure == choice.measure == "sas" and len(rows) == count
        listed = list_html(analysis, choice, rows, rows[0])
        shown = re.findall(r'data-name="sas" class=number>([\d.]+)<', listed)
        assert shown == [f"{own[row]:.2f}" for row in rows], "in the order of the files"
    worst = rows_of(analysis, View("errors", system="a", measure="sas", low="0", high=str(np.median(own))))[1]
    assert sorted(worst) == np.flatnonzero(own <= np.median(own)).tolist() and (np.diff(own[worst]) >= 0).all()
    assert choice_of(analysis, View("errors", system="a", measure="nothing"))[2] == [
        'No single example has a value of "nothing"'
    ]


def test_a_metric_without_some_of_the_examples_has_no_value_of_them(analysis_of):
    gold = {f"q{n}": [f"city {n}"] for n in range(N)}
    analysis = analysis_of(gold, {"a": {key: "city 1" for key in gold}}, metric="all", options=("model=lite",))
    other = analysis.scored[1]
    kept = np.arange(N) % 4 > 0
    scores = other.scores["a"].subset(kept)
    systems = {"a": other.systems["a"]._replace(scores=scores)}
    part = dataclasses.replace(analysis, scored=(analysis.main, other._replace(systems=systems)))
    name = next(name for name in scores.measures if name not in analysis.scores("a").measures)
    column = measure_values(part, "a", name)
    assert np.isnan(column).tolist() == (~kept).tolist()
    assert column[kept].tolist() == measure_values(analysis, "a", name)[kept].tolist()


def test_a_difference_leads_to_the_examples_of_both(scored):
    analysis, labels = scored
    choices = LabelChoices("a", "b", measures=("f1",), n_next=None)
    result = calibrated(analysis, choices, labels)
    keep_labels(analysis, result.verdicts)
    of_both = next(one for one in result.found if one.first)
    table = calibration_html(analysis, choices, result).split("<tbody>")[1]
    row = next(row for row in table.split("<tr>") if "f1: b − a" in html.unescape(row))
    n, labelled, *_ = [next(iter(linked(cell).values())) for cell in re.findall(r"<td>(.*?)</td>", row)]
    assert len(rows_of(analysis, n)[1]) == of_both.n == N
    assert len(rows_of(analysis, labelled)[1]) == of_both.n_labelled == 20


def test_labels_are_slices_and_an_order_of_the_tab_errors(scored):
    analysis, labels = scored
    assert UNLIKE_PEOPLE not in order_choices(analysis) and not any(
        "label" in name for name, _ in part_choices(analysis, "a")
    )
    keep_labels(analysis, calibrated(analysis, LabelChoices("a"), {"a": labels["a"]}).verdicts)
    assert UNLIKE_PEOPLE in order_choices(analysis)
    offered = [name for name, _ in part_choices(analysis, "a") if "label" in name]
    assert offered == [
        "human label: none (10)",
        "human label: partly right (1)",
        "human label: right (14)",
        "human label: wrong (15)",
    ]
    assert not any("label" in name for name, _ in part_choices(analysis, "b"))
    choice = Choice("a", other="b", part="human label:wrong", measure="f1", order=UNLIKE_PEOPLE)
    rows = chosen_rows(analysis, choice)
    values = measure_values(analysis, "a", "f1")[rows]
    assert len(rows) == 15 and (np.diff(values) <= 0).all() and values[0] == 100
    assert choice_of(analysis, view_of(analysis, choice))[0] == choice
    listed = list_html(analysis, choice, rows, rows[0])
    assert (
        '<th scope="col">human label</th>' in listed and listed.count('data-name="human label" class=number>0<') == 15
    )
    assert "human label 0</span>" in example_card(analysis, "a", rows[0])
    assert "human label" not in list_html(analysis, Choice("a"), rows, rows[0])
    everything = chosen_rows(analysis, Choice("a", order=UNLIKE_PEOPLE))
    assert np.isnan(labels_of(analysis, "a")[everything]).tolist() == [False] * 30 + [True] * 10


def test_a_column_of_the_files_keeps_its_name(analysis_of):
    gold = [{"id": f"q{n}", "references": ["x"], "human label": "ab"[n % 2]} for n in range(20)]
    analysis = analysis_of(gold, {"a": {f"q{n}": "x" for n in range(20)}})
    keep_labels(
        analysis, calibrated(analysis, LabelChoices("a"), {"a": {f"q{n}": n % 3 % 2 for n in range(20)}}).verdicts
    )
    offered = [value for _, value in part_choices(analysis, "a") if value.startswith("human label")]
    assert offered == ["human label:a", "human label:b"]
    assert len(chosen_rows(analysis, Choice("a", part="human label:a"))) == 10


def test_what_one_visitor_uploads_for_a_sample_no_other_one_sees():
    analysis = sample_analysis("answers")
    own = {identifier: 1 for identifier in analysis.scores("small_model").ids[:30]}
    for system in ("small_model", "large_model"):
        choices = LabelChoices(system)
        result = calibrated(analysis, choices, {system: own})
        keep_labels(analysis, result.verdicts)
        views = linked(calibration_html(analysis, choices, result)).values()
        assert views and not any(view.slice for view in views), "the labels that the page has are others"
    assert labels_of(analysis, "small_model") is None
    assert int((~np.isnan(labels_of(analysis, "large_model"))).sum()) == 40


def test_links_to_labels_that_are_gone_say_so(scored):
    analysis, _ = scored
    _, _, misfits = choice_of(analysis, View("errors", system="a", slice="human label:wrong"))
    assert misfits == ['No example of a is in the slice "human label:wrong"']
    view = View("errors", system="a", slice="has human labels, as has b:yes")
    assert choice_of(analysis, dataclasses.replace(view))[2]
