"""The numbers of the tabs are those of Python and of the command line."""

import itertools
import json
import shlex

import pytest

from qassay.answer_match.answerability import answered_table, no_answer_decision, reliability, threshold_curve
from qassay.cli import main
from qassay.space import runs_slices, threshold_slices
from qassay.space.comparisons import CompareChoices, compare_command, comparison_of
from qassay.space.inputs import sample_analysis
from qassay.space.linked_slices import in_part
from qassay.space.no_answer_view import BEST, OWN, answered_view, no_answer_head, probability_view, threshold_range
from qassay.space.samples import FOLDER, SAMPLES
from qassay.space.score_view import score_html
from qassay.space.slices_view import slice_report, slices_page

from .conftest import words

# --- values -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_shows_all_its_values(name):
    analysis = sample_analysis(name)
    page = words(score_html(analysis))
    for system, cells in analysis.report.systems.items():
        summary = analysis.scores(system).summary(list(analysis.main_measures))
        for measure in analysis.main_measures:
            assert cells[measure].value == pytest.approx(100 * summary[measure], nan_ok=True)
            assert f"{cells[measure].value:.2f}" in page, (system, measure)


# --- slices -----------------------------------------------------------------------------------------------------------


def test_values_of_slices_are_those_of_the_core():
    analysis = sample_analysis("answers")
    parts = analysis.scores("large_model").by(analysis.labels("large_model", "language"))
    cells = slice_report(analysis, "language").slices["language"]
    for label, part in parts.items():
        cell = cells[label]["large_model"]["f1"]
        assert cell.value == pytest.approx(100 * part.summary(["f1"])["f1"]) and cell.n == len(part)
    assert f"{cells['fr']['large_model']['f1'].value:.2f}" in slices_page(analysis, "language", "f1")


# --- comparisons ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "measures"), [("answers", "usual"), ("labels", "all")])
def test_the_command_line_gives_the_same_comparison(name, measures, monkeypatch, capsys):
    analysis = sample_analysis(name)
    choices = CompareChoices(analysis.systems[1], "t", "bonferroni", measures)
    _, *arguments = shlex.split(compare_command(analysis, choices))
    monkeypatch.chdir(FOLDER.parent)
    assert main([*arguments[:-2], "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)["parts"][0]["comparisons"]
    asked = comparison_of(analysis, choices).differences
    assert [(one["measure"], one["n"]) for one in told] == [(one.measure, one.n) for one in asked]
    for field, attribute in (("difference", "difference"), ("p", "p_value"), ("p_corrected", "p_adjusted")):
        assert [one[field] for one in told] == pytest.approx([getattr(one, attribute) for one in asked])
    assert CompareChoices("gone").fitting(analysis).baseline is None


# --- no answer --------------------------------------------------------------------------------------------------------


def test_thresholds_of_no_answer_are_those_of_the_core():
    sample = sample_analysis("answers")
    scores, head = sample.scores("large_model"), words(no_answer_head(sample))
    found = scores.summary()
    for name in ("exact_match", "f1"):
        values = [f"{100 * found[key]:.2f}" for key in (name, f"best_{name}")]
        gain = f"+{100 * (found[f'best_{name}'] - found[name]):.2f}"
        assert f"{name} {values[0]} {values[1]} {gain} {found[f'best_{name}_threshold']:.4g} 25.00" in head
    for which, threshold in (("as scored", None), (BEST, found["best_f1_threshold"]), (OWN, 0.25), (OWN, 1.0)):
        page = words(answered_view(sample, which, threshold if which == OWN else None))
        table, decision = answered_table(scores, threshold), no_answer_decision(scores, threshold)
        large = page[page.index("large_model") :]
        for kind in ("answered", "withheld"):
            cells = [table[kind][name] for name in ("has_answer", "no_answer")]
            assert " ".join(f"{cell.n} {cell.right} right" for cell in cells) in large
        assert f"precision {100 * decision.precision:.2f}, recall {100 * decision.recall:.2f}" in large
        f1 = found["f1"] if threshold is None else threshold_curve(scores).at(threshold)
        assert f"f1 {100 * f1:.2f}" in large
    assert f"large_model {reliability(scores).error:.3f} 64" in words(probability_view(sample))
    assert threshold_range(sample) == (0.0, 1.0, 0.5)


def test_examples_of_a_threshold_and_of_runs_are_as_many_as_in_the_core():
    sample, (curves, runs) = sample_analysis("answers"), map(sample_analysis, ("curves", "runs"))
    table, count = answered_table(sample.scores("large_model"), 0.25), lambda *part: in_part(*part).sum()
    for kind, (name, told) in itertools.product(table, threshold_slices.CLASSES.items()):
        for of, n in zip((threshold_slices.answered, threshold_slices.answered_right), table[kind][name], strict=True):
            assert count(sample, "large_model", f"{of(0.25)}:{kind}, {told}") == n
    withheld = sum(cell.n for cell in table["withheld"].values())
    assert count(sample, "large_model", f"{threshold_slices.withheld(0.25)}:yes") == withheld
    answered = sum(cell.n for cell in table["answered"].values())
    assert count(sample, "large_model", f"{threshold_slices.probability_range(0, 0.25)}:yes") == answered
    spam = curves.telling.score_and_label(curves.scores("spam"))[0] >= 0.5
    assert count(curves, "spam", f"{threshold_slices.score_from(0.5)}:yes") == spam.sum()
    never = f"{runs_slices.right_in_runs('sampled_model', 'exact_match')}:{runs_slices.NEVER}"
    wrong = 1 - runs.scores("sampled_model").pass_at(4)["pass@4"]
    assert count(runs.by_run, "sampled_model (1)", never) == 64 * wrong
