"""The answer says what the comparison found and no more than is certain, and every place where a verdict is read says the same."""

import html
import json
import re

import pytest

import qassay
from qassay.cli import main
from qassay.reports.comparison_page import comparison_page
from qassay.reports.finding import CHANCE, EQUAL, FEW, NONE, REAL, VALUE, plain_text
from qassay.reports.one_page import one_page
from qassay.reports.one_pair import of_pair
from qassay.reports.page_view import PageView
from qassay.reports.values import FEW as FEW_EXAMPLES
from qassay.spaces_app.address import View
from qassay.spaces_app.compare_view import pair_details, verdict
from qassay.spaces_app.comparisons import CompareChoices, certainty_in_slice, comparison_by_all_slices, comparison_of
from qassay.spaces_app.findings import compared, finding_of, worst_slice
from qassay.spaces_app.inputs import sample_analysis
from qassay.spaces_app.overview_view import copied_text, overview_html, ways
from qassay.spaces_app.ranks_view import board_of
from qassay.spaces_app.report_view import ONE_PAGE, make_file
from qassay.spaces_app.samples import SAMPLES
from qassay.spaces_app.slice_overview import slices_overview, weakest_slices
from qassay.spaces_app.values_view import better_by_tests

ALL = [name if name in ("answers", "rag") else pytest.param(name, marks=pytest.mark.thorough) for name in SAMPLES]


def said(analysis):
    return copied_text(analysis).replace("\u00a0", " ")


def words(page):
    return " ".join(html.unescape(re.sub("<[^>]+>", " ", page)).split())


def closely(page):
    """The words of a page without a space for each tag."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page))


@pytest.mark.parametrize("name", ALL)
def test_every_number_is_the_one_of_the_comparison(name):
    analysis = sample_analysis(name)
    found, text, page = finding_of(analysis), said(analysis), words(overview_html(analysis))
    report = compared(analysis)
    for system in analysis.systems:
        cell = analysis.report.systems[system][found.measure]
        assert f"{cell.value:.2f}" in page and all(f"{end:.2f}" in page for end in cell.interval)
    if report is None:
        assert len(analysis.systems) == 1 and found.sure in (VALUE, FEW)
        return
    view = PageView(report)
    main_ones = [view.by_pair[view.pairs[0]][measure] for measure in analysis.main_measures]
    difference = next(one for one in main_ones if one.measure == found.measure)
    sign = 1 if difference.better == difference.second else -1
    low, high = sorted(sign * end for end in difference.interval)
    assert found.better == difference.better
    assert f"{sign * difference.difference:+.2f} ".replace("-", "−") in text
    assert f"{low:+.2f} to {high:+.2f}".replace("-", "−") in text and f"n = {difference.n})" in text
    assert (found.sure == REAL) == difference.is_significant(0.95) == ("is better than" in text.partition(".")[0])
    assert (found.sure == FEW) == (difference.n < 30 and found.sure != REAL)
    for other in main_ones:
        if other is not difference:
            real = "likely real" if other.is_significant(0.95) else "could be chance"
            assert f"{sign * other.difference:+.2f}, {real}".replace("-", "−") in text


def _answers(right, of=range(200), wrong="no"):
    return {str(number): "x" if right(number) else wrong for number in of}


GOLD = "id,question,answers\n" + "".join(
    f"{number},{'who' if number % 4 == 0 else 'what'} is it,x\n" for number in range(200)
)


def test_the_largest_gap_of_a_slice_and_where_it_leads(analysis_of):
    """200 questions, 50 with who: "worse" fails in 40 of these and in 15 others; "better" in 10 others."""
    worse = _answers(lambda number: number % 20 == 0 if number % 4 == 0 else number % 10 != 1)
    better = _answers(lambda number: number % 20 != 1)
    analysis = analysis_of(GOLD, {"worse": worse, "better": better})
    found, worst = finding_of(analysis), worst_slice(analysis)
    assert (worst.slice, worst.label, worst.loss, worst.n) == ("question_word", "who", 80, 50)
    assert found.sure == REAL and "question word who (−80.00, n = 50" in said(analysis)
    view = View("errors", system="worse", slice="question_word:who", measure="exact_match")
    assert view in [led for _, led in ways(analysis, found, {})]
    turned = finding_of(analysis_of(GOLD, {"better": better, "worse": worse}))
    assert list(map(plain_text, turned.sentences)) == list(map(plain_text, found.sentences)), "winner minus loser"
    assert "n = 50; likely real)" in said(analysis_of(GOLD, {"worse": worse})), "of one system its weakest slice"
    three = analysis_of(GOLD, {"worst": worse, "best": better, "close": _answers(lambda number: number % 20 != 3)})
    told = plain_text(finding_of(three).sentences[-1])
    assert finding_of(three).sure == CHANCE and "worst on question word who (−80.00, n = 50, likely real)" in told


def test_what_is_not_certain_is_not_claimed(analysis_of):
    gold = {str(number): ["x"] for number in range(5)}
    few = analysis_of(gold, {"a": _answers(lambda n: n < 4, range(5)), "b": _answers(lambda n: n < 2, range(5))})
    many = analysis_of(GOLD, {"a": _answers(lambda n: n < 104), "b": _answers(lambda n: n > 98)})
    equal = analysis_of(GOLD, dict.fromkeys("ab", _answers(lambda n: n < 50)))
    clear = analysis_of(GOLD, {"a": _answers(lambda n: n < 190), "b": _answers(lambda n: n < 90)})
    apart = analysis_of({"p": ["x"], "q": ["x"]}, {"a": {"p": "x"}, "b": {"q": "x"}}, options=["missing=skip"])
    found = [finding_of(one).sure for one in (few, many, equal, clear, apart)]
    assert found == [FEW, CHANCE, EQUAL, REAL, NONE]
    assert ["is better than" in said(one) for one in (few, many, equal, clear)] == [False, False, False, True]
    assert "100.00" in words(overview_html(apart)), "values without a verdict"
    assert overview_html(sample_analysis("labels")), "of few examples too"


def test_many_missing_predictions_are_told_and_nothing_of_users_is_markup(analysis_of):
    answers = _answers(lambda number: number % 3 > 0)
    some = {key: text for number, (key, text) in enumerate(answers.items()) if number % 4}
    assert "some for 50 of 200" in said(analysis_of(GOLD, {"some": some, "all": answers}))
    attack = "<img src=x onerror=alert(1)>\"'"
    systems = {attack: _answers(lambda n: n < 150, wrong=attack), "other": _answers(lambda n: n < 9, wrong=attack)}
    page = overview_html(analysis_of(GOLD, systems, options=["preset=search_r1", "unextracted=whole"]))
    assert "<img" not in page and "search_r1" in page


# --- one verdict ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("only_best", "is_better"), [(8, True), (6, False)])
def test_three_systems_have_one_verdict_wherever_it_is_read(
    analysis_of, tmp_path, monkeypatch, capsys, only_best, is_better
):
    """Of 8 questions right against 1 the ranks say p = 0.0391, and Holm over all pairs and measures 0.0781."""
    golds = [{"id": str(n), "question": f"who {n}?", "answers": ["yes"]} for n in range(100)]
    right = {"best": range(80), "second": [*range(only_best, 80), 80], "last": range(10, 45)}
    systems = {name: {str(n): "yes" if n in of else "no" for n in range(100)} for name, of in right.items()}
    analysis = analysis_of(golds, systems)
    report = comparison_of(analysis, CompareChoices())
    (own,) = [
        one for one in of_pair(report, ("second", "best")).differences if one.measure == report.rankings[0].measure
    ]
    assert own.p_value == pytest.approx(0.0390625 if is_better else 0.125)
    for name, content in {"gold": golds, **systems}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    monkeypatch.chdir(tmp_path)
    assert main(["compare", "gold.json", *(f"{name}.json" for name in systems), "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)["differences"]
    matrix = closely(verdict(analysis, report)).partition("Pairs")[2]
    details = closely(pair_details(analysis, report, ("second", "best")))
    python = qassay.compare(analysis.main.scores)
    drawn = python.plot([own.measure])._repr_svg_()
    told = {
        "notebook": bool(re.search(rf"{own.measure}100best 0.8000second[^*b]* \*", closely(python._repr_html_()))),
        "plot": bool(re.search("<title>[^<]*second − best: [^<]*better, likely real", drawn)),
        "answer": plain_text(finding_of(analysis).headline) == "best is the best of 3 systems",
        "star": better_by_tests(analysis).get(own.measure) == "best",
        "ranks": len(next(iter(board_of(analysis).board.rankings.values())).tied_with_best) == 1,
        "matrix": bool(re.search(r"best\s*–\s*\+\d+\.\d\d \*", matrix)),
        "details": "could be chance" not in details.partition("Single")[0],
        "one page": "best is better than second" in closely(one_page(report)),
        "whole report": "Likely real. best is better than second" in closely(comparison_page(report)),
        "command line": any(
            {one["first"], one["second"]} == {"best", "second"} and one["p_adjusted"] < 0.05
            for one in printed
            if one["measure"] == own.measure
        ),
    }
    assert set(told.values()) == {is_better}, told


def _of_topics(analysis_of, wrong, best_wrong=()):
    """200 questions in 5 topics of 40; "last" is wrong in that many of each topic. Each topic has a shelf."""
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
    answer = next(told for told in map(plain_text, finding_of(analysis).sentences) if "topic t0" in told)
    on_one_page = closely(make_file(analysis, CompareChoices(), ONE_PAGE).decode()).partition("fails")[2]
    assert answer.endswith(f"; {certainty}).")
    assert re.search(r"topic: t0 *n = 40 [^(]*\(([^)]*)\)", on_one_page)[1] == certainty
    in_slices = closely(slices_overview(analysis)).partition("minus")[0]
    assert "topic t0" in in_slices and f"({certainty})" in in_slices
    counted = [one for one in weakest_slices(analysis) if one.value.n >= FEW_EXAMPLES and not one.is_nearly_all]
    assert worst.of == len(counted) == 5, "a shelf has the same examples as its topic"


def test_a_slice_alone_is_as_sure_as_among_all_slices(analysis_of):
    """Whether the other slices have to be tested or not."""
    seen = []
    for wrong in (2, 8, 9, 30):
        analysis = _of_topics(analysis_of, [10, 10, 10, 10, wrong], best_wrong=[4])
        labels = sorted(set(analysis.labels("best", "topic")))
        alone = {label: certainty_in_slice(analysis, ("last", "best"), "f1", "topic", label) for label in labels}
        report = comparison_by_all_slices(analysis, CompareChoices())
        among = {
            label: PageView(report).certainty(next(one for one in of if one.measure == "f1"))
            for label, of in report.slices["topic"].items()
        }
        assert alone == among
        seen.append(alone["t4"])
    assert seen == ["could be chance", "could be chance after the correction", "likely real", "likely real"]
