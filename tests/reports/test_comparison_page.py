"""Pages of comparisons: self-contained, safe with any text, complete in their numbers."""

import dataclasses
import html
import math
import re

import numpy as np
import pytest

from qassay.comparison.difference import Difference
from qassay.core.intervals import Interval
from qassay.core.text import get_normalizer
from qassay.reports.comparison import Change, ComparisonReport, Disagreement
from qassay.reports.comparison_page import comparison_page
from qassay.reports.values import Cell, ValuesReport

from .html_reader import read_page

SECTIONS = ["verdict", "measures", "differences", "kinds", "slices", "changes", "examples", "counted", "made"]
ATTACK = (
    """<script>alert(1)</script><img src="http://evil.example/x" onerror='x'>&amp;"></svg></pre></style>\ud800\x00"""
)


def difference(measure="f1", first="small", second="large", **fields):
    known = {
        "n": 64,
        "left_out": 0,
        "values": (0.5, 0.7374),
        "intervals": ((0.41, 0.59), (0.65, 0.82)),
        "difference": 0.2374,
        "interval": (0.1463, 0.3321),
        "p_value": 0.0001,
        "p_adjusted": 0.0002,
        "test": "permutation",
        "wins": 22,
        "ties": 37,
        "losses": 5,
        "effect_size": 0.6123,
        "n_needed": 21,
    }
    known |= fields
    if known["interval"] is not None:
        known["interval"] = Interval(*known["interval"], "wilson")
    return Difference(measure, first, second, **known)


CHANCE = {"difference": 0.01, "interval": (-0.05, 0.07), "p_value": 0.5, "p_adjusted": 1.0, "n_needed": 1234}


def said(answers):
    """A text as the only answer, "" as none; several as they are."""
    return [answers] * bool(answers) if isinstance(answers, str) else list(answers)


def example(place=0, question="Where is the tower?", gold=("the old Tower",), answers=("tower hill", ""), kinds=True):
    kinds = ("too long", "gave no answer") if kinds else None
    return Disagreement(f"id-{place}", (1.0, 0.25), question, list(gold), tuple(map(said, answers)), kinds)


def change(measure="f1", first="small", second="large", **fields):
    known = {
        "metric": "answer_match",
        "changes": np.array([1.0, 0.5, 0.0, -0.75]),
        "losses": [example()],
        "gains": [example(1, answers=("", "Tower"))],
        "are_texts": True,
    }
    return Change(measure=measure, first=first, second=second, **{**known, **fields})


def report_of(systems=("small", "large"), differences=None, metric="answer_match", scale=1, level=0.95, **fields):
    pairs = [(a, b) for i, a in enumerate(systems) for b in systems[i + 1 :]]
    differences = [difference(first=a, second=b) for a, b in pairs] if differences is None else differences
    cells = {
        system: {"f1": Cell(0.5 + place / 10, (0.4, 0.9), 64, True), "num_q": Cell(64, None, 64, False)}
        for place, system in enumerate(systems)
    }
    notes = {system: {"missing": 3} for system in systems}
    remarks = [f"{systems[0]}: 3 without a prediction: scored 0"]
    signature = {metric: f"{metric}|norm:squad|v:0.1.0"}
    known = {
        "report": ValuesReport(signature, cells, {}, notes, remarks, scale, level, 1000, 17),
        "differences": differences,
        "slices": {
            "question_word": {
                "who": [difference(first=a, second=b, n=40) for a, b in pairs],
                "why": [difference(first=a, second=b, n=7, **CHANCE) for a, b in pairs],
            }
        },
        "kinds": {metric: {system: {"correct": 30, "too long": 34} for system in systems}},
        "changes": [change(first=a, second=b, metric=metric) for a, b in pairs],
        "test": "permutation",
        "correction": "holm",
        "n_permutations": 10_000,
        "gold": "gold.json",
        "command": "qassay compare gold.json small.json large.json --seed 17",
        "remarks": ["large: 2 examples omitted"],
        "examples_name": "questions",
    }
    return ComparisonReport(**{**known, **fields})


def read(report):
    return read_page(comparison_page(report))


def test_sections_are_in_order_and_linked():
    page = read(report_of())
    links = [value for tag, name, value in page.attributes if tag == "a" and name == "href"]
    assert page.sections == SECTIONS and links[: len(SECTIONS)] == [f"#{name}" for name in SECTIONS]
    assert ("html", "lang", "en") in page.attributes and "http" not in page.page.replace("http-equiv", "")


def test_a_page_counts_all_examples_where_a_measure_applies_to_few():
    few = [difference(n=10)]
    assert "· 64 questions" in comparison_page(report_of(differences=few))
    assert "· 10 questions" in comparison_page(report_of(differences=few, kinds={}))
    report = report_of(differences=[difference(measure="em")])
    report.report.systems["large"]["f1"] = Cell(0.6, (0.4, 0.9), 32, True)
    assert "<td>64/32</td>" in comparison_page(report)


LOST = {"wins": 5, "losses": 22}


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({}, "Likely real. large is better than small in f1 by 0.2374 (95 % interval 0.1463 to 0.3321, p = 0.0002"),
        ({"difference": -0.2, "interval": (-0.3, -0.1), **LOST}, "better in 22 questions, equal in 37, worse in 5"),
        ({"lower_is_better": True, **LOST}, "small is better than large in f1 by 0.2374"),
        (CHANCE, "Could be chance. large is ahead of small in f1 by 0.0100 (95 % interval −0.0500 to 0.0700"),
        (CHANCE, "1,234 questions would be needed"),
        ({"difference": 0.0, "interval": (0.0, 0.0), "values": (0.5, 0.5), "p_adjusted": 1.0}, "equal in f1 (0.5000)"),
        ({"interval": (0.01, 0.07), "p_value": 0.02, "p_adjusted": 0.24}, "Could be chance after the correction."),
        (
            {"interval": (0.01, 0.07), "p_value": 0.06, "p_adjusted": 0.06},
            "Could be chance by the test, unlike the interval.",
        ),
        ({"p_value": 1e-9, "p_adjusted": 1e-9}, "p < 0.0001, adjusted"),
        ({"p_value": 1 / 10_001, "p_adjusted": 2 / 10_001}, "p ≤ 0.0002, adjusted"),
    ],
)
def test_the_verdict_says_who_is_better_and_by_how_much(fields, told):
    assert told in read(report_of(differences=[difference(**fields)])).text


def test_a_measure_that_cannot_be_compared_has_no_difference():
    nan = math.nan
    none = {"values": (nan, nan), "intervals": ((nan, nan),) * 2, "difference": nan, "interval": (nan, nan)}
    counts = {"wins": None, "ties": None, "losses": None, "effect_size": math.inf, "n_needed": None}
    nothing = difference(**none, **counts, p_value=nan, p_adjusted=nan)
    page = read(report_of(differences=[nothing], slices={"s": {"x": [nothing]}}))
    assert "differences" not in page.sections and "slices" in page.sections
    assert "adjusted" not in read(report_of(correction="none")).text


def rows_of(page, caption):
    """The cells of the table of that caption, as texts; a row for each row."""
    table = next(t for t in re.findall(r"<table>.*?</table>", page.page, re.DOTALL) if f"<span>{caption}" in t)
    table = table.replace("<wbr>", "")
    rows = re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
    return [[" ".join(html.unescape(re.sub(r"<[^>]+>", " ", cell)).split()) for cell in row] for row in cells]


def test_the_table_has_every_number():
    page = read(report_of())
    _, row, counts = rows_of(page, "Values of both systems")
    assert row == (
        ["f1", "64", "0.5000 0.4100 to 0.5900", "0.7374 0.6500 to 0.8200", "+0.2374 +0.1463 to +0.3321", "0.0001"]
        + ["0.0002 *", "likely better", "22 / 37 / 5", "+0.61", "21"]
    )
    assert counts == ["num_q", "64", "64", "64"] + ["–"] * 7
    _, who, why = rows_of(page, "By question_word")
    assert (who[:3], why[:3]) == (["who", "f1", "40"], ["why", "f1", "7 few"])
    assert why[5:] == ["+0.0100 −0.0500 to +0.0700", "0.5000", "1.0000", "could be chance"]


def test_differences_are_winner_minus_loser_and_tones_follow_what_is_better():
    differences = [difference(lower_is_better=True), difference("recall")]  # the first by the smaller, the other not
    page = read(report_of(differences=differences, changes=[change(lower_is_better=True)], slices={}))
    heads, row, _, other = rows_of(page, "Values of both systems")
    assert heads[2:5] == ["large", "small", "Difference"] and row[2].startswith("0.7374")
    assert row[0] == "f1 lower is better" and row[4].startswith("−0.2374") and row[7] == "likely better"
    assert other[4].startswith("−0.2374") and other[7] == "likely worse"
    assert "f1: −0.2374 (−0.3321 to −0.1463), small better, likely real" in page.page
    assert "recall: −0.2374 (−0.3321 to −0.1463), small worse, likely real" in page.page
    gains = re.search(r'<section id="changes".*?</section>', page.page, re.DOTALL)[0]
    assert "better in 2 (50 %), same in 1 (25 %), worse in 1 (25 %)" in gains


def test_numbers_follow_the_scale_and_counts_have_no_decimals():
    percent = difference(values=(50.0, 73.741), intervals=((41.0, 59.0), (65.0, 82.0)), difference=23.741)
    percent = dataclasses.replace(percent, interval=(14.63, 33.21))
    count = difference("num_ret", values=(1200.0, 1350.0), difference=-0.0, interval=(-3.5, 4.0), is_rate=False)
    rows = rows_of(read(report_of(differences=[percent, count], scale=100)), "Values of both systems")
    assert rows[1][2:5] == ["50.00 41.00 to 59.00", "73.74 65.00 to 82.00", "+23.74 +14.63 to +33.21"]
    assert rows[3][:5] == ["num_ret", "64", "1,200 0.4100 to 0.5900", "1,350 0.6500 to 0.8200", "0 −3.5000 to +4"]


def test_cards_show_both_answers_with_their_words():
    page = read(report_of())
    kinds = rows_of(page, "Questions by kind")[1:]
    assert kinds == [["correct", "30 46.9 %", "30 46.9 %"], ["too long", "34 53.1 %", "34 53.1 %"]]
    for part in ("Where is the tower?", "id-0", "1.0000 → 0.2500", "the old Tower", "small · 1.0000 · too long"):
        assert part in page.text
    marked = '<del class="missing">old</del> <mark class="common">tower</mark> <ins class="surplus">hill</ins>'
    assert marked in page.page
    assert '<span class="none">no answer</span>' in page.page
    assert page.tags.count("article") == 2


def test_ids_are_not_compared_word_by_word_and_all_gold_answers_are_there():
    gold = [f"doc-{i}" for i in range(9)]
    loss = example(gold=gold, answers=(["doc-3", "doc_99"], ""), question=None, kinds=False)
    losses = change(losses=[loss], gains=[], are_texts=False)
    page = read(report_of(metric="retrieval_ranking", changes=[losses], examples_name="queries"))
    article = re.search(r"<article.*?</article>", page.page, re.DOTALL)[0]
    assert "<ins" not in article and "<bdi>doc-3</bdi> / <bdi>doc_99</bdi>" in article
    assert all(name in article for name in gold) and "better in 22 queries" in page.text


def test_what_was_counted_and_how_it_was_made():
    text = read(report_of()).text
    told = ["small: 3 without a prediction", "large: 2 examples omitted", "answer_match|norm:squad|v:0.1.0", "Holm"]
    told += ["10,000 rounds", "1,000 resamples", "Seed17", "qassay compare gold.json small.json large.json --seed 17"]
    assert [part for part in told if part not in text] == []
    assert rows_of(read(report_of()), "Counts by system")[1] == ["missing", "3", "3"]


def test_several_answers_to_one_question_are_compared_one_by_one():
    listed = example(gold=["red", "dark blue"], answers=(["blue", "green", "", "red"], "km / h"))
    items = re.findall(r"<li><bdi>(.*?)</bdi></li>", comparison_page(report_of(changes=[change(losses=[listed])])))
    assert items[0] == '<del class="missing">dark</del> <mark class="common">blue</mark>'
    assert [re.search(r'class="(\w+)"', item)[1] for item in items[1:4]] == ["surplus", "none", "common"]


def test_empty_parts_are_omitted():
    empty = report_of(slices={"s": {}}, kinds={"answer_match": {"small": {}, "large": {}}}, changes=[], remarks=[])
    empty.report.notes.clear()
    empty.report.remarks.clear()
    page = read(empty)
    assert page.sections == ["verdict", "measures", "differences", "made"]
    no_texts = report_of(changes=[change(losses=[], gains=[], changes=np.array([math.nan]))], command="", gold="")
    page = read(no_texts)
    assert not {"changes", "examples"} & set(page.sections) and "pre" not in page.tags


@pytest.mark.parametrize("count", [3, 5])
def test_all_pairs_of_more_systems_are_there(count):
    systems = [f"system_{i}" for i in range(count)]
    page, pairs = read(report_of(systems)), count * (count - 1) // 2
    assert page.text.count("Likely real.") == pairs and page.tags.count("article") == 2 * pairs
    assert rows_of(page, "Values of all systems")[0][2:] == systems
    best_first = ", ".join(f"{name} {0.5 + place / 10:.4f}" for place, name in reversed(list(enumerate(systems))))
    assert f"f1, best first: {best_first}." in page.text
    if count > 3:
        matrix = rows_of(page, "f1: the system of the row minus")
        assert matrix[1][:3] == ["system_0", "–", "−0.2374 *"] and matrix[2][1] == "+0.2374 *"


@pytest.mark.parametrize("count", [2, 5])
def test_hostile_texts_stay_texts_everywhere(count):
    systems = tuple(f"{place}{ATTACK}" for place in range(count))
    measure, texts = f"m{ATTACK}", ([f"x{ATTACK}"], [ATTACK, "", f"g{ATTACK}"])
    bad = Disagreement(f"i{ATTACK}", (1.0, 0.0), f"q{ATTACK}", [f"g{ATTACK}"], texts, (ATTACK, ATTACK))
    unasked = dataclasses.replace(bad, question=None)
    base = report_of(systems)
    pairs = [{"first": a, "second": b} for i, a in enumerate(systems) for b in systems[i + 1 :]]
    ones = [difference(measure, **pair, test=ATTACK, left_out=2) for pair in pairs]
    others = [difference(f"n{ATTACK}", **pair, difference=place % 2 * math.nan) for place, pair in enumerate(pairs)]
    values = dataclasses.replace(
        base.report,
        systems={name: {measure: Cell(0.5, (0.4, 0.6), 9, True)} for name in systems},
        signatures={"answer_match": ATTACK, ATTACK: ATTACK},
        notes={name: {ATTACK: 2} for name in systems},
        remarks=[ATTACK],
    )
    changes = [
        change(name, **pair, losses=[bad, unasked], gains=[bad], are_texts=are_texts)
        for pair in pairs
        for name, are_texts in ((measure, True), (f"n{ATTACK}", False))
    ]
    known = dict.fromkeys(("test", "correction", "gold", "command"), ATTACK)
    known |= {"report": values, "differences": [*ones, *others], "changes": changes, "remarks": [ATTACK]}
    known |= {"slices": {f"s{ATTACK}": {f"l{ATTACK}": [*ones, *others]}}}
    known |= {"kinds": {metric: {name: {ATTACK: 3, "ok": 1} for name in systems} for metric in (ATTACK, "plain")}}
    page = read(dataclasses.replace(base, **known))
    assert page.sections == SECTIONS
    assert page.page.count("<script") == 0 and "<img" not in page.page and "\x00" not in page.page


def test_words_are_compared_as_the_scores_compare_them():
    article = example(gold=["tower"], answers=("the tower", ""))

    def marked(normalizer):
        losses = change(losses=[article], gains=[], normalizer=normalizer)
        return '<ins class="surplus">the</ins>' in comparison_page(report_of(changes=[losses]))

    assert not marked(None) and not marked("squad")
    assert marked("lower+spaces") and marked(get_normalizer("bioasq")) and marked(str.lower)
