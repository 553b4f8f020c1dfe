"""Passages marked in a text: the right occurrence, nothing of the text lost."""

import re

from hypothesis import given
from hypothesis import strategies as st

from qassay.reports.chart_parts import escaped
from qassay.spaces_app.marked_text import MOST_CHARACTERS, Passage, find_passage, marked_passages


def bare(html: str) -> str:
    """The marked text without its key and tags."""
    return re.sub(r"<[^>]*>", "", html.partition("</div>")[0])


def test_the_offset_decides_between_occurrences():
    context = "Paris is not Paris, Texas"
    assert find_passage(context, Passage("Paris", 13)) == (13, 18)
    assert find_passage(context, Passage("Paris", 2)) == (0, 5)  # an offset that is wrong
    assert find_passage(context, Passage("Paris")) == (0, 5)
    assert marked_passages(context, [Passage("Paris", 13)], {}).count("<mark") == 2  # and one in the key
    assert 'not <mark class="gold">Paris</mark>, Texas' in marked_passages(context, [Passage("Paris", 13)], {})


def test_an_answer_is_marked_where_it_meets_the_gold_answer():
    html = marked_passages("a cat and a cat", [Passage("cat", 12)], {"one": ["a cat"], "two": ["dog"]})
    body = html.partition("</div>")[0]
    assert 'and <span class="said said0 system-1" title="one">a </span><mark class="gold"><span' in body
    assert "two" not in html


def test_an_answer_of_several_systems_has_one_line_and_each_other_system_its_own():
    said = {"a": ["cat"], "b": ["dog"], "c": ["cat"], "d": ["cow"], "e": ["dog"], "f": ["hen"]}
    body, _, key = marked_passages("cat dog cow hen", [], said).partition("</div>")
    lines = dict(re.findall(r'<span class="([^"]*)" title="([^"]*)">', body))
    assert lines == {
        "said said0": "a, c",
        "said said1": "b, e",
        "said said0 system-4": "d",
        "said said2 system-6": "f",
    }
    shown = re.findall(r'<span class="([^"]*)">(<bdi>.*?)</span>', key)
    assert {line: re.sub("<.*?>", "", systems) for line, systems in shown} == lines


def test_a_gold_answer_that_is_not_there_is_told():
    assert "does not occur here" in marked_passages("a cat", [Passage("dog")], {})
    assert "does not occur here" not in marked_passages("a cat", [Passage(" ")], {})
    assert find_passage("a cat", Passage("")) is None


def test_case_counts_only_where_it_helps():
    assert find_passage("CAT cat", Passage("cat")) == (4, 7)
    assert find_passage("CAT", Passage("cat")) == (0, 3)
    assert find_passage("İ CAT", Passage("cat")) is None  # small letters are more than capitals: offsets would be wrong


def test_a_long_text_is_shown_around_the_gold_answer():
    html = marked_passages("x" * 50_000 + "here" + "y" * 50_000, [Passage("here")], {})
    assert bare(html).startswith("[…] xxx") and bare(html).endswith("yyy […]") and "here" in bare(html)
    assert len(html) < MOST_CHARACTERS + 500


@given(
    st.text(alphabet="ab <&", max_size=30),
    st.lists(st.tuples(st.text(alphabet="ab <&", max_size=4), st.integers(-3, 33)), max_size=4),
    st.lists(st.text(alphabet="ab <&", max_size=4), max_size=3),
)
def test_the_text_stays_whole_and_tags_match(context, golds, said):
    html = marked_passages(context, [Passage(*gold) for gold in golds], {"one": said, "two": said[:1]})
    assert bare(html) == escaped(context)
    assert html.count("<mark") == html.count("</mark>") and html.count("<span") == html.count("</span>")
