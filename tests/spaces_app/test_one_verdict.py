"""Of three systems, every place where a verdict is read gives the same one."""

import json
import re

import pytest

import qassay
from qassay.cli import main
from qassay.reports.comparison_page import comparison_page
from qassay.reports.finding import plain_text
from qassay.reports.one_page import one_page
from qassay.reports.one_pair import of_pair
from qassay.reports.page_view import PageView
from qassay.reports.values import FEW
from qassay.spaces_app.compare_view import pair_details, verdict
from qassay.spaces_app.comparisons import (
    CompareChoices,
    certainty_in_slice,
    comparison_by_all_slices,
    comparison_of,
    is_compared_by_all_slices,
)
from qassay.spaces_app.findings import finding_of, worst_slice
from qassay.spaces_app.ranks_view import board_of
from qassay.spaces_app.report_view import ONE_PAGE, make_file
from qassay.spaces_app.slice_overview import slices_overview, weakest_slices
from qassay.spaces_app.values_view import better_by_tests


def words(page):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page))


@pytest.mark.parametrize(("only_best", "is_better"), [(8, True), (6, False)])
def test_three_systems_have_one_verdict_wherever_it_is_read(
    analysis_of, tmp_path, monkeypatch, capsys, only_best, is_better
):
    """Of 8 questions right against 1 the ranks say p = 0.0391, and Holm over all pairs and measures 0.0781."""
    golds = [{"id": str(n), "question": f"who {n}?", "answers": ["yes"]} for n in range(100)]
    right = {"best": range(80), "second": [*range(only_best, 80), 80], "last": range(10, 45)}
    systems = {
        name: {one["id"]: "yes" if int(one["id"]) in of else "no" for one in golds} for name, of in right.items()
    }
    analysis = analysis_of(golds, systems)
    report = comparison_of(analysis, CompareChoices())
    (own,) = [
        one for one in of_pair(report, ("second", "best")).differences if one.measure == report.rankings[0].measure
    ]
    assert own.p_value == pytest.approx(0.0390625 if is_better else 0.125)
    (tmp_path / "gold.json").write_text(json.dumps(golds))
    for name, answers in systems.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(answers))
    monkeypatch.chdir(tmp_path)
    assert main(["compare", "gold.json", *(f"{name}.json" for name in systems), "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    matrix = words(verdict(analysis, report)).partition("Pairs")[2]
    details = words(pair_details(analysis, report, ("second", "best")))
    python = qassay.compare(analysis.main.scores)
    told = {
        "notebook": bool(re.search(rf"{own.measure}100best 0.8000second[^*b]* \*", words(python._repr_html_()))),
        "plot": bool(
            re.search("<title>[^<]*second − best: [^<]*better, likely real", python.plot([own.measure])._repr_svg_())
        ),
        "answer": plain_text(finding_of(analysis).headline) == "best is the best of 3 systems",
        "star": better_by_tests(analysis).get(own.measure) == "best",
        "ranks": len(next(iter(board_of(analysis).board.rankings.values())).tied_with_best) == 1,
        "matrix": bool(re.search(r"best\s*–\s*\+\d+\.\d\d \*", matrix)),
        "details": "could be chance" not in details.partition("Single")[0],
        "one page": "best is better than second" in words(one_page(report)),
        "whole report": "Likely real. best is better than second" in words(comparison_page(report)),
        "command line": any(
            {one["first"], one["second"]} == {"best", "second"}
            and one["measure"] == own.measure
            and one["p_adjusted"] < 0.05
            for one in printed["differences"]
        ),
    }
    assert set(told.values()) == {is_better}, told
    assert "Letters and p" not in matrix  # they agree


def test_another_correction_is_kept_as_it_was_chosen(analysis_of):
    """Whoever chooses a test or a correction reads its verdict, and why letters may differ."""
    golds = [{"id": str(n), "question": f"who {n}?", "answers": ["yes"]} for n in range(40)]
    systems = {
        name: {one["id"]: "yes" if int(one["id"]) < n else "no" for one in golds}
        for name, n in (("a", 9), ("b", 4), ("c", 3))
    }
    analysis = analysis_of(golds, systems)
    usual, none, t_test = (
        comparison_of(analysis, choices)
        for choices in (CompareChoices(), CompareChoices(correction="none"), CompareChoices(test="t"))
    )
    assert {one.measure for one in usual.differences if one.ranked} == {one.measure for one in usual.rankings}
    assert not any(one.ranked for report in (none, t_test) for one in report.differences)
    assert [one.p_adjusted for one in none.differences] == [one.p_value for one in none.differences]
    assert "Letters and p (none)" in words(verdict(analysis, none))


def _of_topics(analysis_of, wrong, best_wrong=()):
    """200 questions in 5 topics of 40; "last" is wrong in that many of each topic."""
    golds = [
        {"id": str(n), "question": "q", "answers": ["yes"], "topic": f"t{n % 5}", "shelf": f"s{n % 5}"}
        for n in range(200)
    ]
    systems = {
        "best": {str(n): "no" if n in best_wrong else "yes" for n in range(200)},
        "last": {str(n): "no" if n // 5 >= 40 - wrong[n % 5] else "yes" for n in range(200)},
    }
    return analysis_of(golds, systems)


@pytest.mark.parametrize(
    ("wrong", "certainty"),
    [([30, 3, 3, 3, 3], "likely real"), ([6, 2, 2, 1, 1], "could be chance after the correction")],
)
def test_the_worst_slice_is_as_sure_wherever_it_is_read(analysis_of, wrong, certainty):
    """By Holm's correction for all slices of a grouping and both main measures: the answer, the tab Slices and one page."""
    analysis = _of_topics(analysis_of, wrong)
    worst = worst_slice(analysis)
    assert (worst.slice, worst.label) == ("topic", "t0")
    assert not is_compared_by_all_slices(analysis, CompareChoices()), "the answer does not wait for all slices"
    answer = next(told for told in map(plain_text, finding_of(analysis).sentences) if "loses most" in told)
    on_one_page = words(make_file(analysis, CompareChoices(), ONE_PAGE).decode()).partition("fails")[2]
    in_slices = words(slices_overview(analysis)).partition("minus")[0]
    assert "topic t0" in answer and answer.endswith(f"; {certainty}).")
    assert re.search(r"topic: t0 *n = 40 [^(]*\(([^)]*)\)", on_one_page)[1] == certainty
    legend = "By a paired permutation test at level 0.05 with Holm&#x27;s correction for all slices and measures of a grouping"
    assert legend in words(slices_overview(analysis)), "as comparison_by_all_slices tests"
    assert "topic t0" in in_slices and f"({certainty})" in in_slices


def test_a_slice_alone_is_as_sure_as_among_all_slices(analysis_of):
    """Whether the other slices have to be tested or not."""
    seen = set()
    for wrong in (2, 8, 9, 30):
        analysis = _of_topics(analysis_of, [10, 10, 10, 10, wrong], best_wrong=[4])
        alone = {
            label: certainty_in_slice(analysis, ("last", "best"), "f1", "topic", label)
            for label in sorted(set(analysis.labels("best", "topic")))
        }
        report = comparison_by_all_slices(analysis, CompareChoices())
        among = {
            label: PageView(report).certainty(next(one for one in of if one.measure == "f1"))
            for label, of in report.slices["topic"].items()
        }
        assert alone == among
        seen |= {(wrong, alone["t4"])}
    told = ("could be chance", "could be chance after the correction", "likely real", "likely real")
    assert sorted(seen) == list(zip((2, 8, 9, 30), told, strict=True))


def test_slices_of_the_same_examples_count_once(analysis_of):
    """Each topic has a shelf."""
    analysis = _of_topics(analysis_of, [30, 3, 3, 3, 3])
    counted = [one for one in weakest_slices(analysis) if one.value.n >= FEW and not one.is_nearly_all]
    assert worst_slice(analysis).of == len(counted) == 5
    assert "the largest gap of 5 slices" in " ".join(map(plain_text, finding_of(analysis).sentences))
