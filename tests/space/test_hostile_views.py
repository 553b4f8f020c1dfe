"""Hostile ids, documents, synonyms, labels and names of every kind of file: all views show them as text."""

import csv
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from qassay.core.interval_settings import Intervals
from qassay.reports.one_pair import compared_pairs
from qassay.space import compare_view, comparisons, no_answer_view, report_view
from qassay.space.analysis import Analysis, Settings
from qassay.space.error_card import example_card
from qassay.space.inputs import sample_inputs
from qassay.space.overview_view import overview_html
from qassay.space.samples import SAMPLES
from qassay.space.score_view import score_html
from qassay.space.slice_overview import slices_overview
from qassay.space.slices_view import sliced_measures, slices_page, slicings

# Without white space, which parts the fields of a run.
ATTACK = """"'></svg><img/src=x/onerror=hacked()><script>hacked()</script>"""
QUICK = Settings(Intervals(n_resamples=50), n_permutations=100)
_OWN_WORDS = ("type", "version", "importance", "assignment")  # keys whose values qassay knows


def attacked(value, key=""):
    """JSON with the attack behind every text that is somebody's own, and before every id that is a key."""
    if isinstance(value, dict):
        are_ids = (
            not {"questions", "data", "text", "answers", "id", "documents", "context", "paragraphs", "nuggets"}
            & value.keys()
        )
        return {name + ATTACK if are_ids else name: attacked(one, name) for name, one in value.items()}
    if isinstance(value, list):
        return [attacked(one, key) for one in value]
    is_own = isinstance(value, str) and key not in _OWN_WORDS and value not in ("yes", "no", "")
    return value + ATTACK if is_own else value


def content_of(path):
    """A file of a sample as JSON; of runs and judgements the numbers by query and document."""
    text = path.read_text("utf-8")
    if path.suffix == ".json":
        return json.loads(text)
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.splitlines()]
    if path.suffix == ".csv":
        numbers = {"score", "label"} if "score" in text.split("\n")[0] else {}
        rows = csv.DictReader(text.splitlines())
        return [{name: float(cell) if name in numbers else cell for name, cell in row.items()} for row in rows]
    found = {}
    for query, _, document, *rest in map(str.split, text.splitlines()):
        found.setdefault(f"{query}{ATTACK}", {})[f"{document}{ATTACK}"] = float(rest[path.suffix == ".run"])
    return found


@pytest.fixture
def hostile(analysis_of):
    """`hostile(name)`: a sample with the attack in all its texts and in the names of its systems."""

    def read(files):
        return {f"{system}{ATTACK}": attacked(content_of(Path(path))) for system, path in files.items()}

    def call(name) -> Analysis:
        inputs = sample_inputs(name)
        gold = attacked(content_of(Path(inputs.gold)))
        more = {"metric": inputs.metric, "options": inputs.options, "columns": inputs.columns}
        return analysis_of(gold, read(inputs.systems) or {ATTACK: gold}, read(inputs.probabilities), QUICK, **more)

    return call


def views(analysis):
    """Name -> HTML of every view."""
    found = {"score": score_html(analysis), "answer": overview_html(analysis), "gaps": slices_overview(analysis)}
    each = analysis.by_run
    for system in each.systems:
        for row in range(0, len(each.scores(system)), 16):
            found[f"card {row} of {system}"] = example_card(each, system, row)
    for name in slicings(analysis)[:2]:
        found[f"slices {name}"] = slices_page(analysis, name, sliced_measures(analysis, name)[0])
    found["no answer"] = "".join(
        make(each)
        for make in (no_answer_view.no_answer_head, no_answer_view.answered_view, no_answer_view.probability_view)
    )
    choices = comparisons.CompareChoices(test="t", measures="usual")
    if len(analysis.systems) > 1:
        report = comparisons.comparison_of(analysis, choices)
        for pair in compared_pairs(report):
            found["verdict"] = compare_view.verdict(analysis, report)
            found["comparison"] = compare_view.pair_details(analysis, report, pair)
    found["report"] = report_view.made(analysis)
    found["report as Markdown"] = report_view.make_file(analysis, choices, "qassay_report.md").decode("utf-8")
    return found


SOME = ("answers", "rankings", "labels")


@pytest.mark.parametrize(
    "name", [name if name in SOME else pytest.param(name, marks=pytest.mark.thorough) for name in SAMPLES]
)
def test_every_view_shows_hostile_files_as_text(name, hostile):
    analysis = hostile(name)
    assert all(ATTACK in str(identifier) for identifier in analysis.scores(analysis.systems[0]).ids)
    shown = views(analysis)
    for view, page in shown.items():
        assert "<img" not in page and "<script>hacked" not in page, view
        if view != "report as Markdown":
            assert not re.search(r"<[^<>]*\son\w+\s*=", page), view
        for chart in re.findall("<svg.*?</svg>", page, re.DOTALL):
            ET.fromstring(chart)
    everything = "".join(shown.values())
    assert "&quot;&#x27;&gt;&lt;/svg&gt;&lt;img/src=x/onerror=hacked()&gt;" in everything


def test_short_names_of_systems_are_text_in_the_answer(analysis_of):
    """Names are cut to what distinguishes them, so the attack has to differ."""
    page = overview_html(analysis_of({"q": ["a"]}, {"<img src=x>": {"q": "a"}, "<script>": {"q": "b"}}))
    assert "<img" not in page and "<script" not in page and "&lt;img src=x&gt;" in page
