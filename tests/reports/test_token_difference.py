"""Word differences: shared, surplus and missing words, as the normaliser sees them, safely escaped."""

import html
import re
from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.core.shown import visible
from qassay.core.text import get_normalizer
from qassay.reports.token_difference import closest_gold, mark_difference

TAG = re.compile(r'<(/?)(mark|ins|del)( class="(common|surplus|missing)")?>')


def parts(answer, gold, **options):
    """(kind, text) of each marked run."""
    found = mark_difference(answer, gold, **options)
    return [(tag, html.unescape(text)) for tag, text in re.findall(r"<(mark|ins|del) [^>]*>(.*?)</", found, re.DOTALL)]


def plain(found, without=()):
    for tag in without:
        found = re.sub(rf"<{tag} .*?</{tag}>", "", found, flags=re.DOTALL)
    return html.unescape(TAG.sub("", found))


@pytest.mark.parametrize(
    ("normalizer", "answer", "gold", "expected"),
    [
        ("squad", "", "Paris", [("del", "Paris")]),
        ("squad", "in old Paris", "Paris, France", [("ins", "in old"), ("mark", "Paris"), ("del", "France")]),
        ("squad", "red blue", "blue red", [("del", "blue"), ("mark", "red"), ("ins", "blue")]),
        ("drop", "a two-year plan", "two months", [("mark", "two-"), ("ins", "year plan"), ("del", "months")]),
        ("french", "l'avion", "avion", [("mark", "l'avion")]),
        ("cjk", "「東京」 Tower", "東京", [("mark", "東京"), ("ins", "Tower")]),
        (str.lower, "PARIS", "Paris", [("mark", "PARIS")]),
    ],
)
def test_words_are_shared_surplus_or_missing_as_the_normalizer_sees_them(normalizer, answer, gold, expected):
    assert parts(answer, gold, normalizer=normalizer) == expected


@given(
    st.text() | st.text("abc-' /1,.é東\u2019"),
    st.text() | st.text("abc-' /1,.é東\u2019"),
    st.sampled_from(["squad", "drop", "french", "triviaqa", "cjk"]),
)
def test_nothing_is_lost_and_everything_is_escaped(answer, gold, normalizer):
    found = mark_difference(answer, gold, normalizer=normalizer)
    found.encode()
    assert re.fullmatch(r"(?s)(?:[^<]|<(mark|ins|del) class=\"\w+\">[^<]*</\1>)*", found)
    assert kept(plain(found, without=["del"])) == kept(answer)


def kept(text):
    """Without white space, and without what cannot be seen or the escapes that are shown in its place."""
    seen = visible(re.sub(r"\s", "", text))
    return re.sub(r"\\(r|x..|u....|U........)|[\u200c\u200d]", "", seen)


@given(*[st.lists(st.sampled_from(["One", "two", "three", "four", "five", "the"]), max_size=10).map(" ".join)] * 2)
def test_shared_and_missing_words_match_the_gold_answer(answer, gold):
    words = {"mark": [], "ins": [], "del": []}
    for tag, text in parts(answer, gold):
        words[tag] += get_normalizer("squad")(text).split()
    assert sorted(words["mark"] + words["del"]) == sorted(get_normalizer("squad")(gold).split())
    assert sorted(words["mark"] + words["ins"]) == sorted(get_normalizer("squad")(answer).split())
    assert {tag for tag, _ in parts(answer, answer.upper())} <= {"mark"}


def test_long_texts_say_that_they_are_cut(monkeypatch):
    """Comparing takes time that grows with the square of the words that are compared."""
    compared = []

    class Counting(SequenceMatcher):
        def set_seqs(self, a, b):
            compared.append((len(a), len(b)))
            super().set_seqs(a, b)

    monkeypatch.setattr("qassay.reports.token_difference.SequenceMatcher", Counting)
    words = [f"w{i % 7}" for i in range(2_000)]
    found = mark_difference(" ".join(words), " ".join(words[::-1]))
    assert compared == [(500, 500)] and "500 words" in found
    assert plain(found, without=["del", "em"]).split().count("w3") == words.count("w3")


def test_the_closest_gold_answer_shares_most_words():
    assert closest_gold("in New York", ["Albany", "the new york", "New York City"]) == "the new york"
    assert closest_gold("nothing shared", ["first", "second"]) == "first"
    assert closest_gold("", []) == ""
