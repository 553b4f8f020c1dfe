"""Hostile ids, documents, synonyms, labels and names of every kind of file: all views show them as text."""

import csv
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from qassay.reports.one_pair import compared_pairs
from qassay.spaces_app import compare_view, comparisons, labels_view, no_answer_view, report_view
from qassay.spaces_app.analysis import Analysis, Inputs, Settings, analyze
from qassay.spaces_app.error_card import example_card
from qassay.spaces_app.inputs import sample_inputs
from qassay.spaces_app.overview_view import overview_html
from qassay.spaces_app.samples import SAMPLES
from qassay.spaces_app.score_view import score_html
from qassay.spaces_app.slice_overview import slices_overview
from qassay.spaces_app.slices_view import sliced_measures, slices_page, slicings

# Without white space, which parts the fields of a run.
ATTACK = """"'></svg><img/src=x/onerror=hacked()><script>hacked()</script>"""
QUICK = Settings(n_resamples=50, n_permutations=100)
_OWN_WORDS = ("type", "version", "importance", "assignment")  # keys whose values qassay knows
# Texts of each sample that views show, so that the attack behind them is seen: ids, documents, synonyms, labels.
SHOWN = {
    "answers": ("large_model",),
    "similarity": ("large_model",),
    "equivalence": ("large_model",),
    "rankings": ("form-18a", "bulky-waste"),
    "pipeline": ("tolmere-origins", "in 1243", "p01"),
    "rag": ("ferry-times", "at 21:40", "20:10"),
    "factoids": ("2n = 44", "tolma01"),
    "runs": ("sampled_model",),
    "verdicts": ("What is known of the windmill?", "Ada Brandt built it"),
    "labels": ("loans", "m01"),
    "curves": ("mail",),
}


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


def hostile_file(path, folder):
    """A copy of a file of a sample, with the attack in all its texts."""
    content, copy = path.read_text("utf-8"), folder / f"{path.parent.name}_{path.name}"
    if path.suffix == ".json":
        copy.write_text(json.dumps(attacked(json.loads(content))), "utf-8")
    elif path.suffix == ".jsonl":
        copy.write_text(
            "".join(f"{json.dumps(attacked(json.loads(line)))}\n" for line in content.splitlines()), "utf-8"
        )
    elif path.suffix == ".csv":
        first, *rows = csv.reader(content.splitlines())
        numeric = {
            place for place, name in enumerate(first) if name == "score" or (name == "label" and "score" in first)
        }
        with copy.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(
                [first, *([cell if at in numeric else cell + ATTACK for at, cell in enumerate(row)] for row in rows)]
            )
    else:
        ids = (0, 2, 5) if path.suffix == ".run" else (0, 2)
        lines = [line.split() for line in content.splitlines()]
        copy.write_text(
            "\n".join(" ".join(one + ATTACK * (at in ids) for at, one in enumerate(line)) for line in lines), "utf-8"
        )
    return copy


def hostile_analysis(name, folder) -> Analysis:
    inputs = sample_inputs(name)
    gold = hostile_file(Path(inputs.gold), folder)
    systems = {f"{system}{ATTACK}": hostile_file(Path(path), folder) for system, path in inputs.systems.items()}
    doubts = {f"{system}{ATTACK}": hostile_file(Path(path), folder) for system, path in inputs.probabilities.items()}
    files = [gold, *systems.values(), *doubts.values()]
    return analyze(
        Inputs(
            f"title {ATTACK}",
            str(gold),
            {system: str(path) for system, path in (systems or {ATTACK: gold}).items()},
            {system: str(path) for system, path in doubts.items()},
            inputs.metric,
            inputs.options,
            inputs.columns,
            shown_files={str(path): f"{path.name}{ATTACK}" for path in files},
        ),
        QUICK,
    )


def views(analysis):
    """Name -> HTML of every view."""
    found = {"score": score_html(analysis), "answer": overview_html(analysis), "gaps": slices_overview(analysis)}
    each = analysis.by_run
    for system in each.systems:
        for row in range(0, len(each.scores(system)), 16):
            found[f"card {row} of {system}"] = example_card(each, system, row)
        labels = labels_view.LabelChoices(system)
        to_label = labels_view.calibrated(analysis, labels, {})
        found[f"labels of {system}"] = labels_view.calibration_html(analysis, labels, to_label)
    found["labels"] = labels_view.labels_head(analysis)
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
    found["report"] = report_view.made(analysis) + report_view.definitions(analysis)
    found["report as HTML"] = report_view.make_file(analysis, choices, "qassay_report.html").decode("utf-8")
    found["report as Markdown"] = report_view.make_file(analysis, choices, "qassay_report.md").decode("utf-8")
    return found


SOME = ("answers", "rankings", "labels")


@pytest.mark.parametrize(
    "name", [name if name in SOME else pytest.param(name, marks=pytest.mark.thorough) for name in SAMPLES]
)
def test_every_view_shows_hostile_files_as_text(name, tmp_path):
    analysis = hostile_analysis(name, tmp_path)
    assert all(ATTACK in str(identifier) for identifier in analysis.scores(analysis.systems[0]).ids)
    shown = views(analysis)
    for view, page in shown.items():
        assert "<img" not in page and "<script>hacked" not in page, view
        if view != "report as Markdown":
            assert not re.search(r"<[^<>]*\son\w+\s*=", page), view
        for chart in re.findall("<svg.*?</svg>", page, re.DOTALL):
            ET.fromstring(chart)
    everything = "".join(shown.values())
    for text in SHOWN[name]:
        assert f"{text}&quot;&#x27;&gt;&lt;/svg&gt;&lt;img/src=x/onerror=hacked()&gt;" in everything, text


def test_short_names_of_systems_are_text_in_the_answer(analysis_of):
    """Names are cut to what distinguishes them, so the attack has to differ."""
    page = overview_html(analysis_of({"q": ["a"]}, {"<img src=x>": {"q": "a"}, "<script>": {"q": "b"}}))
    assert "<img" not in page and "<script" not in page and "&lt;img src=x&gt;" in page
