"""The answer says what the comparison found, in words that are true of every family, and leads to the examples."""

import html
import re

import pytest

from qassay.core.measure_titles import measure_title
from qassay.reports.finding import CHANCE, EQUAL, FEW, NONE, REAL, VALUE, plain_text
from qassay.reports.page_view import PageView
from qassay.spaces_app.address import View
from qassay.spaces_app.analysis import analyze
from qassay.spaces_app.errors_choice import ERRORS, Choice, chosen_rows
from qassay.spaces_app.findings import compared, finding_of, worst_slice
from qassay.spaces_app.inputs import sample_analysis
from qassay.spaces_app.overview_view import copied_text, overview_html, ways
from qassay.spaces_app.samples import SAMPLES
from qassay.spaces_app.slice_overview import slices_overview


def said(analysis):
    return copied_text(analysis).replace("\u00a0", " ")


def words(page):
    return " ".join(html.unescape(re.sub("<[^>]+>", " ", page)).split())


@pytest.mark.parametrize("name", SAMPLES)
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
    main = [view.by_pair[view.pairs[0]][measure] for measure in analysis.main_measures]
    difference = next(one for one in main if one.measure == found.measure)
    sign = 1 if difference.better == difference.second else -1
    low, high = sorted(sign * end for end in difference.interval)
    amount = f"{sign * difference.difference:+.2f}".replace("-", "−")
    assert found.better == difference.better and f"{amount} " in text
    assert f"95 % interval {low:+.2f} to {high:+.2f}".replace("-", "−") in text and f"n = {difference.n})" in text
    assert (found.sure == REAL) == difference.is_significant(0.95) == ("is better than" in text.partition(".")[0])
    assert (found.sure == FEW) == (difference.n < 30 and found.sure != REAL)
    by_system = dict(zip((difference.first, difference.second), difference.values, strict=True))
    common = f"{found.better} has {by_system[found.better]:.2f}, {found.worse} {by_system[found.worse]:.2f}."
    assert (common in text) == (difference.left_out > 0), "the difference is of other values than the large ones"
    for other in main:
        if other is not difference:
            real = "likely real" if other.is_significant(0.95) else "could be chance"
            assert f"{sign * other.difference:+.2f}, {real}".replace("-", "−") in text
    if found.sure != REAL and difference.n_needed > difference.n:
        assert f"About {difference.n_needed:,} {analysis.examples_name} would settle" in text


@pytest.mark.parametrize("n_systems", [1, 2])
def test_the_answer_and_the_slices_are_by_the_measures_that_are_asked_for(n_systems):
    """What a visitor asks for under Options, Measures; the main measures only where nobody asks."""
    sample = sample_analysis("answers")
    systems = dict(list(sample.inputs.systems.items())[:n_systems])
    usual, asked = (
        analyze(sample.inputs._replace(systems=systems, probabilities={}, measures=names))
        for names in (None, ("recall",))
    )
    assert list(asked.report.systems[asked.systems[0]]) == ["recall"]
    assert usual.main_measures[0] != "recall" and asked.main_measures == ["recall"]
    for shown in (overview_html(asked), slices_overview(asked)):
        assert "Recall" in shown and "F1" not in shown and "Exact match" not in shown


@pytest.mark.parametrize("name", SAMPLES)
def test_the_ways_on_lead_to_what_they_say(name):
    analysis = sample_analysis(name)
    links = dict((words(label), view) for label, view in ways(analysis, finding_of(analysis), {}))
    report = View("report", layout="one-page" if len(analysis.systems) > 1 else "")
    assert len(links) >= 2 and report in links.values()
    assert (View("compare") in links.values()) == (len(analysis.systems) > 1)
    page = overview_html(analysis)
    assert all(f'href="{html.escape(view.href())}"' in page for view in links.values())
    (label, first), *_ = links.items()
    if "gets wrong" in label:
        assert first.kind == ERRORS
        wrong = len(chosen_rows(analysis.by_run, Choice(first.system, first.kind)))
        assert label.endswith(f"gets wrong ({wrong:,})")


def _answers(right, of=range(200), wrong="no"):
    return {str(number): "x" if right(number) else wrong for number in of}


GOLD = "id,question,answers\n" + "".join(
    f"{number},{'who' if number % 4 == 0 else 'what'} is it,x\n" for number in range(200)
)


def test_the_largest_gap_of_a_slice(analysis_of):
    """200 questions, 50 with who: "worse" fails in 40 of these and in 15 others; "better" in 10 others."""
    worse = _answers(lambda number: number % 20 == 0 if number % 4 == 0 else number % 10 != 1)
    better = _answers(lambda number: number % 20 != 1)
    analysis = analysis_of(GOLD, {"worse": worse, "better": better})
    found, text = finding_of(analysis), said(analysis)
    worst = worst_slice(analysis)
    assert (worst.slice, worst.label, worst.loss, worst.n) == ("question_word", "who", 80, 50)
    assert found.sure == REAL and "worse loses most on question word who (−80.00, n = 50" in text
    label, view = ways(analysis, found, {})[1]
    assert words(label) == "Where: question word who (−80.00)"
    assert view == View("errors", system="worse", slice="question_word:who", measure="exact_match")
    turned = finding_of(analysis_of(GOLD, {"better": better, "worse": worse}))
    assert list(map(plain_text, turned.sentences)) == list(map(plain_text, found.sentences)), "winner minus loser"
    alone = analysis_of(GOLD, {"worse": worse})
    assert "It is weakest on question word who (20.00 against" in said(alone) and "n = 50; likely real)" in said(alone)


def test_a_measure_of_few_examples_does_not_lead_against_one_of_all():
    """The reader is measured where the documents were found: in half of the questions with one retriever."""
    found = finding_of(sample_analysis("rag"))
    assert (found.better, found.measure) == ("dense", "retriever_recall")
    assert "keyword" in found.worse and "“document not found”, 6 against 0" in said(sample_analysis("rag"))


def test_many_missing_predictions_are_told(analysis_of):
    answers = _answers(lambda number: number % 3 > 0)
    some = {key: text for number, (key, text) in enumerate(answers.items()) if number % 4}
    analysis = analysis_of(GOLD, {"some": some, "all": answers})
    assert "Without a prediction: some for 50 of 200 questions." in said(analysis)
    few = {key: text for number, (key, text) in enumerate(answers.items()) if number > 5}
    assert "Without a prediction" not in said(analysis_of(GOLD, {"few": few, "all": answers})), "6 of 200"


def test_of_three_systems_the_answer_names_where_each_is_furthest_behind(analysis_of):
    """Two systems differ by chance only, so neither wins; the third fails most questions with "who"."""
    systems = {
        "worst": _answers(lambda number: number % 20 == 0 if number % 4 == 0 else number % 10 != 1),
        "best": _answers(lambda number: number % 20 != 1),
        "close": _answers(lambda number: number % 20 != 3),
    }
    analysis = analysis_of(GOLD, systems)
    found = finding_of(analysis)
    assert found.sure == CHANCE and found.worse == "worst"
    assert (
        plain_text(found.sentences[-1])
        == "Largest gaps to best: worst on question word who (−80.00, n = 50, likely real)."
    )
    view = View("errors", system="worst", slice="question_word:who", measure="exact_match")
    assert [piece.href for piece in found.sentences[-1] if piece.href] == [view.href()]
    label, led = ways(analysis, found, {})[1]
    assert words(label) == "Where: question word who (−80.00)" and led == view
    alike = analysis_of(GOLD, {name: systems["best"] for name in ("a", "b", "c")})
    assert worst_slice(alike) is None and "Largest gaps" not in said(alike)


def test_what_is_not_certain_is_not_claimed(analysis_of):
    gold = {str(number): ["x"] for number in range(5)}
    few = analysis_of(gold, {"a": _answers(lambda n: n < 4, range(5)), "b": _answers(lambda n: n < 2, range(5))})
    assert finding_of(few).sure == FEW and said(few).startswith(
        "5 questions are too few to say which is better. a is ahead:"
    )
    many = analysis_of(GOLD, {"a": _answers(lambda n: n < 104), "b": _answers(lambda n: n > 98)})
    assert finding_of(many).sure == CHANCE and said(many).startswith("No clear winner. a is ahead: ")
    equal = analysis_of(GOLD, dict.fromkeys("ab", _answers(lambda n: n < 50)))
    assert finding_of(equal).sure == EQUAL and "b and a have the same" in said(equal)
    three = analysis_of(
        GOLD, {"a": _answers(lambda n: n < 150), "b": _answers(lambda n: n < 149), "c": _answers(lambda n: n < 9)}
    )
    assert said(three).startswith("No clear winner. a is first, ")
    assert "It cannot be told apart from b; c is behind by more than chance." in said(three)
    clear = analysis_of(
        GOLD, {"a": _answers(lambda n: n < 190), "b": _answers(lambda n: n < 90), "c": _answers(lambda n: n < 9)}
    )
    assert said(clear).startswith("a is the best of 3 systems.") and "Alike 1 a 95.00" in words(overview_html(clear))


def test_one_example_is_told_in_the_singular(analysis_of):
    one = analysis_of({"0": ["x"]}, {"a": {"0": "x"}, "b": {"0": "y"}})
    assert said(one).startswith("1 question is too few to say which is better.")


def test_the_answer_leads_with_the_measure_that_was_asked_for(analysis_of):
    systems = {"a": _answers(lambda n: n < 150), "b": _answers(lambda n: n < 90)}
    asked = analysis_of(GOLD, systems, measures=["contains"])
    assert finding_of(asked).measure == "contains" and "+30.00 Contains" in said(asked)
    assert [one.measure for one in compared(asked).differences] == ["contains"]
    assert finding_of(analysis_of(GOLD, {"a": systems["a"]}, measures=["contains"])).measure == "contains"
    three = analysis_of(GOLD, {**systems, "c": _answers(lambda n: n < 9)}, measures=["contains"])
    assert "a has Contains a gold answer 75.00" in said(three)


def test_systems_without_common_examples_are_shown_without_a_verdict(analysis_of):
    gold = {"p": ["x"], "q": ["x"]}
    analysis = analysis_of(gold, {"a": {"p": "x"}, "b": {"q": "x"}}, options=["missing=skip"])
    assert finding_of(analysis).sure == NONE and "100.00" in words(overview_html(analysis))


def test_rules_are_told_and_nothing_of_users_is_markup(analysis_of):
    attack = "<img src=x onerror=alert(1)>\"'"
    gold = "id,question,answers,topic\n" + "".join(f"{n},what,x,t{n % 7}\n" for n in range(70))
    systems = {
        attack: _answers(lambda n: n < 60, range(70), attack),
        "other": _answers(lambda n: n < 9, range(70), attack),
    }
    analysis = analysis_of(gold, systems, groups="topic", options=["preset=search_r1", "unextracted=whole"])
    page = overview_html(analysis)
    assert "<img" not in page and "rules of search_r1" in page and "answers extracted by answer_tag" in page
    assert "95 % intervals over 7 groups by topic (few: under 30)" in page


def test_names_of_measures():
    assert (
        measure_title("yesno_macro_f1") == "Yes/no macro F1" and measure_title("sas_accuracy@0.5") == "SAS accuracy@0.5"
    )
    assert measure_title("iprec@0.1") == "Interpolated precision@0.1"
    assert measure_title("no_answer_contains@3", {"contains": "Contained"}) == "Contained@3, without an answer"
