"""The HTML page of values: every number with its n, hostile texts, several systems."""

import math

import numpy as np

import qassay
from qassay.reports.values import Cell, ValuesReport, build_report
from qassay.reports.values_page import values_page

from .html_reader import read_page
from .test_comparison_page import ATTACK


def values_report(name="model", label="Where"):
    scores = qassay.score("answer_match", ["Rome", "in Bern", "x"], [["Rome"], ["Bern"], ["Oslo"]])
    labels = {"question_word": {name: [label, "Who", "Who"]}}
    return build_report({name: scores}, labels, percent=True, n_resamples=20), scores


def test_every_value_is_there_with_its_n():
    found, scores = values_report()
    page = read_page(
        values_page(
            found,
            gold="gold.json",
            command="qassay score gold.json model.json",
            kinds={"answer_match": {"model": {"correct": 1, "too long": 1, "no shared word": 1}}},
            by_example={"f1": {"model": 100 * scores.measures["f1"].by_example(scores.rows)}},
            examples_name="questions",
        )
    )
    assert page.sections == ["values", "slices", "kinds", "examples", "made"]
    for measure, cell in found.systems["model"].items():
        assert measure in page.text and f"{cell.value:.2f}" in page.text
    for text in ("33.33", "few", "3 questions", "qassay score gold.json model.json", *found.signatures.values()):
        assert text in page.text
    plain = read_page(values_page(found))
    assert "default-src 'none'" in plain.page and plain.sections == ["values", "slices", "made"]


def test_hostile_texts_stay_texts_on_the_page_of_values():
    found, _ = values_report(ATTACK, ATTACK)
    by_example = {"f1": {ATTACK: np.array([0.0, 100.0, np.nan])}}
    kinds = {ATTACK: {ATTACK: {ATTACK: 2, "other": 1}}}
    read_page(values_page(found, gold=ATTACK, command=ATTACK, kinds=kinds, by_example=by_example))


def test_several_systems_and_values_that_are_not_numbers():
    cells = {"f1": Cell(50.0, (40.0, 60.0), 40, True), "threshold": Cell(math.nan, None, 0, False)}
    systems, notes = {"a": cells, "b": {"f1": cells["f1"]}}, {"a": {}, "b": {}}
    lone = ValuesReport({"m": "m|v:1"}, systems, {}, notes, [], 100, None, 0, 0)
    nothing = np.array([math.nan])
    page = read_page(values_page(lone, by_example={"f1": {"a": nothing, "b": nothing}}))
    assert "–" in page.text and "examples" not in page.sections and "interval" not in page.text
