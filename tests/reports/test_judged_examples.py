"""The examples to read in the page of values: the lowest scores of a metric that says what moved them."""

import json
import re

import pytest

from qassay.cli import main

ATTACK = "<script>alert(1)</script>"
ROWS = [
    {"question": f"in which year {ATTACK}?", "answer": "1903", "prediction": "1911"},
    {"question": "who designed it?", "answer": "Thomas Reay", "prediction": "It was the engineer Thomas Reay."},
    {"question": "who owned it?", "answer": [], "prediction": "Reay"},
]


@pytest.fixture
def page_of(tmp_path):
    """`page_of(*options)`: the page of these rows as the command line writes it."""

    def write(*options: str) -> str:
        gold = tmp_path / "answers.jsonl"
        gold.write_text("\n".join(map(json.dumps, ROWS)), "utf-8")
        assert main(["score", str(gold), *options, "--report", str(tmp_path / "page.html")]) == 0
        return (tmp_path / "page.html").read_text("utf-8")

    return write


def test_lowest_verdicts_are_shown_with_their_reasons(page_of):
    html = page_of("--metric", "answer_equivalence")
    cards = re.findall(r"<article>.*?</article>", html)
    assert "in which year" in cards[0] and "Thomas Reay" in cards[1] and len(cards) == 2, "the third went to no scorer"
    assert ATTACK not in html and "what moved the score" in html
    assert "<strong>wrong number or date</strong>" in cards[0] and "<strong>accepted</strong>" in cards[1]
    assert re.search(r'<li><span class="down">−0\.\d\d</span> \w+: ', cards[0])
    assert re.search(r'<li><span class="up">\+0\.\d\d</span> \w+: ', cards[1])


def test_effects_have_the_scale_of_the_report(page_of):
    assert re.search(r'<span class="down">−\d\d?\.\d</span>', page_of("--metric", "answer_equivalence", "--percent"))


def test_other_metrics_have_no_such_section(page_of):
    assert "Examples to read" not in page_of("--metric", "answer_match")
