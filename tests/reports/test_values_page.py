"""The page of values: complete in itself, every number and n there, safe with any text."""

import re
from html.parser import HTMLParser

import numpy as np

import qassay
from qassay.reports.values import Cell, ValuesReport, build_report
from qassay.reports.values_page import values_page

ATTACK = """<script>alert(1)</script><img src="http://evil.example/x" onerror='x'>&"""


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found, self.open = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in ("meta", "link", "br", "wbr"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def report(name="model", label="Where"):
    scores = qassay.score("answer_match", ["Rome", "in Bern", "x"], [["Rome"], ["Bern"], ["Oslo"]])
    labels = {"question_word": {name: [label, "Who", "Who"]}}
    return build_report({name: scores}, labels, percent=True, n_resamples=20), scores


def test_every_number_is_there_with_its_n():
    found, scores = report()
    page = values_page(
        found,
        gold="gold.json",
        command="qassay score gold.json model.json",
        kinds={"answer_match": {"model": {"correct": 1, "too long": 1, "no shared word": 1}}},
        by_example={"f1": {"model": 100 * scores.measures["f1"].by_example(scores.rows)}},
        examples_name="questions",
    )
    for section in ("values", "slices", "kinds", "examples", "made"):
        assert f'<section id="{section}"' in page
    for measure, cell in found.systems["model"].items():
        assert measure.replace("_", "_<wbr>") in page
        assert f"{cell.value:.2f}" in page
    for text in ("33.33", "few", "3 questions", "qassay score gold.json model.json", *found.signatures.values()):
        assert text in page
    assert not Tags(page).open


def test_it_asks_for_nothing():
    page = values_page(report()[0])
    assert "default-src 'none'" in page
    assert not re.search(r"https?://|url\(|@import|<script|<iframe", page)
    assert 'id="examples"' not in page and 'id="kinds"' not in page


def test_texts_are_escaped():
    found, _ = report(ATTACK, ATTACK)
    page = values_page(
        found,
        gold=ATTACK,
        command=ATTACK,
        kinds={ATTACK: {ATTACK: {ATTACK: 2, "other": 1}}},
        by_example={"f1": {ATTACK: np.array([0.0, 100.0, np.nan])}},
    )
    tags = Tags(page)
    assert not {"script", "img"} & {tag for tag, _ in tags.found} and not tags.open
    assert not any(key.startswith("on") for _, attributes in tags.found for key in attributes)


def test_several_systems_and_values_that_are_no_number():
    cells = {"f1": Cell(50.0, (40.0, 60.0), 40, True), "threshold": Cell(float("nan"), None, 0, False)}
    lone = ValuesReport(
        {"m": "m|v:1"}, {"a": cells, "b": {"f1": cells["f1"]}}, {}, {"a": {}, "b": {}}, [], 100, None, 0, 0
    )
    page = values_page(lone, by_example={"f1": {"a": np.array([np.nan]), "b": np.array([np.nan])}})
    assert "nan" not in page.lower().replace("tenan", "") and "–" in page
    assert 'id="examples"' not in page and "interval" not in page.partition("</style>")[2]
