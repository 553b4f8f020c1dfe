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
from qassay.spaces_app.compare_view import pair_details, verdict
from qassay.spaces_app.comparisons import CompareChoices, comparison_of
from qassay.spaces_app.findings import finding_of
from qassay.spaces_app.ranks_view import board_of
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
