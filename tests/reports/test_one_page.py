"""The report on one page: its numbers, hostile texts, and how it is asked for."""

import datetime
import re

import pytest

import qassay
from qassay.cli import main
from qassay.reports.changes import Change, Disagreement
from qassay.reports.one_page import one_page

from .comparisons import ATTACK, change, difference, report_of


def words(page):
    """The text of a page."""
    joined = " ".join(
        re.sub(r"<[^>]+>", " ", re.sub(r"<style>.*?</style>|<svg.*?</svg>", "", page, flags=re.S)).split()
    )
    return joined.replace(" ,", ",")


def test_the_verdict_both_values_and_where_the_worse_fails():
    failing = {("question_word", "who"): [change().losses[0]]}
    page = one_page(report_of(changes=[change(of_slices=failing)]), datetime.date(2026, 11, 24))
    text = words(page)
    assert "<h1><bdi>large</bdi> is better than <bdi>small</bdi></h1>" in page
    assert "difference in f1 is 0.2374 (95 % interval 0.1463 to 0.3321, p = 0.0002)" in text
    assert "large is better in 22 questions, worse in 5 and equal in 37" in text
    assert re.findall(r'<p class="large">([^<]+)', page) == ["0.7374", "0.5000"], "the winner first"
    who, tower, why = map(text.index, ("question word: who n = 40", "Where is the tower?", "question word: why"))
    assert who < tower < why and "24 November 2026 answer_match|norm:squad|v:0.1.0" in text
    assert "<script" not in page and "http" not in page.replace("http-equiv", "")


def test_hostile_texts_stay_texts():
    one = Disagreement(ATTACK, (1.0, 0.0), ATTACK, [ATTACK], ([ATTACK], [ATTACK]), (ATTACK, ATTACK))
    pair = [f"a{ATTACK}", f"b{ATTACK}"]
    found, failing = difference(ATTACK, *pair), {(ATTACK, ATTACK): [one]}
    moved = Change("answer_match", ATTACK, *pair, change().changes, [one], [], True, of_slices=failing)
    known = {"kinds": {"answer_match": {name: {ATTACK: 3} for name in pair}}, "slices": {ATTACK: {ATTACK: [found]}}}
    page = one_page(report_of(pair, [found], changes=[moved], gold=ATTACK, remarks=[ATTACK], test=ATTACK, **known))
    page.encode()
    assert "<script" not in page and "<img" not in page and page.count("&lt;script&gt;") > 8


def test_the_page_is_available_on_the_command_line_and_in_python(tmp_path, capsys):
    gold = {f"q{place}": [f"gold {place}"] for place in range(40)}
    asked = {key: f"{'who' if place % 2 else 'what'} is {place}" for place, key in enumerate(gold)}
    good = {key: golds[0] for key, golds in gold.items()}
    poor = {key: "nothing" if place % 2 else golds[0] for place, (key, golds) in enumerate(gold.items())}
    scores = {
        name: qassay.score("answer_match", texts, gold) for name, texts in (("poor", poor), ("good", good))
    }  # fmt: skip
    found = qassay.compare(scores, by={"question_word": [text.split()[0] for text in asked.values()]}, n_resamples=50)
    path = tmp_path / "page.html"
    found.report(path, predictions={"poor": poor, "good": good}, references=gold, questions=asked, one_page=True)
    page = path.read_text("utf-8")
    assert "<h1><bdi>good</bdi> is better than <bdi>poor</bdi></h1>" in page
    assert "question word: who" in words(page) and "who is 1" in page and "nothing" in page
    with pytest.raises(ValueError, match="one_page.*html"):
        found.report(tmp_path / "page.md", one_page=True)
    assert main(["compare", "gold.json", "a.json", "b.json", "--one-page", "--report", "a.md"]) == 2
    assert "--one-page" in capsys.readouterr().err
