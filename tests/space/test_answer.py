"""The answer says what the comparison found and no more than is certain."""

import pytest

from qassay.core.interval_settings import Intervals
from qassay.reports.finding import CHANCE, EQUAL, FEW, NONE, REAL, VALUE
from qassay.reports.page_view import PageView
from qassay.space.analysis import Settings
from qassay.space.comparisons import CompareChoices, certainty_in_slice, comparison_by_all_slices
from qassay.space.findings import compared, finding_of, worst_slice
from qassay.space.inputs import sample_analysis
from qassay.space.overview_view import copied_text, overview_html
from qassay.space.ranks_view import board_of, pair_matrix, ranks_html
from qassay.space.samples import SAMPLES
from qassay.space.slice_overview import weakest_slices
from qassay.space.slices_view import slices_page

from .conftest import words

ALL = [name if name in ("answers", "rag") else pytest.param(name, marks=pytest.mark.thorough) for name in SAMPLES]


def said(analysis):
    return copied_text(analysis).replace("\u00a0", " ")


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


# --- one verdict ------------------------------------------------------------------------------------------------------


def test_a_slice_alone_is_as_sure_as_among_all_slices(analysis_of):
    """Whether the other slices have to be tested or not: 200 questions in 5 topics of 40."""
    golds = [{"id": str(n), "question": "q", "answers": ["yes"], "topic": f"t{n % 5}"} for n in range(200)]
    seen = []
    for wrong in (8, 9):
        systems = {
            "best": {str(n): "no" if n == 4 else "yes" for n in range(200)},
            "last": {str(n): "no" if n // 5 >= 40 - (wrong if n % 5 == 4 else 10) else "yes" for n in range(200)},
        }
        analysis = analysis_of(golds, systems)
        labels = sorted(set(analysis.labels("best", "topic")))
        alone = {label: certainty_in_slice(analysis, ("last", "best"), "f1", "topic", label) for label in labels}
        report = comparison_by_all_slices(analysis, CompareChoices())
        among = {
            label: PageView(report).certainty(next(one for one in of if one.measure == "f1"))
            for label, of in report.slices["topic"].items()
        }
        assert alone == among
        assert worst_slice(analysis).loss == weakest_slices(analysis)[0].gap == 25, "10 of 40"
        seen.append(alone["t4"])
    assert seen == ["could be chance after the correction", "likely real"]


def test_many_systems_are_ranked_and_their_worst_topics_named(analysis_of):
    """Also where two cannot be told apart, and one system alone: 200 questions in 5 topics of 40."""
    golds = [{"id": str(n), "question": "q", "answers": ["x"], "topic": f"t{n % 5}"} for n in range(200)]
    best, near, mid = _answers(lambda n: n > 4), _answers(lambda n: n > 3), _answers(lambda n: n > 4 and n % 5)
    last = _answers(lambda n: n > 39 and (n % 5 < 4 or n > 99), range(180))
    several = {"best": best, "mid": mid, "last": last}, {"best": best, "near": near, "mid": mid}, {"mid": mid}
    settings = Settings(Intervals(n_resamples=50), n_permutations=200)
    clear, tied, alone = (analysis_of(golds, systems, (), settings) for systems in several)
    assert "last on topic t4 (−57.50, n = 40, likely real) and mid on topic t0 (−97.50" in said(clear)
    assert "Without a prediction: last for 20 of 200 questions." in said(clear)
    assert "cannot be told apart from best; mid is behind by more than chance." in said(tied)
    assert "weakest on topic t0 (0.00 against 78.00 of all, n = 40; likely real)" in said(alone)
    assert "t0 (0.00, n = 40)" in words(slices_page(alone, "topic", "f1"))
    values = {of.system: of.value for of in board_of(clear).board.rankings["f1"].systems}
    assert values == {name: clear.scores(name).summary()["f1"] for name in clear.systems}
    for page in (ranks_html(clear), overview_html(clear)):
        assert all(f"{100 * value:.2f}" in words(page) for value in values.values())
    gap = f"{100 * (values['best'] - values['mid']):+.2f} *"
    assert gap in words(pair_matrix(clear, PageView(compared(clear))))
