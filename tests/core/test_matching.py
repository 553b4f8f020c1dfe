"""Answers against gold answers: the plain definitions, the official outputs, and properties."""

import collections
import hashlib
import itertools
import random
import re
import string
import struct

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from qassay.core import matching
from qassay.core import token_table as tokens
from qassay.core.matching import match_spans, match_texts
from qassay.core.one_match import MATCH_COLUMNS, MatchRules
from qassay.core.text import get_normalizer, list_normalizers

FAST = settings(max_examples=100, deadline=None)
SQUAD = get_normalizer("squad")
# Frequent words, with all difficulties of normalisation.
PIECES = st.sampled_from(
    [
        *("a", "A", "b", "c", "d", "x", ".", ",", "-", "'", "_", " ", "  ", "a ", " the ", "The", "an", "the cat"),
        *("cat", "dog", "“", "’", "–", "é", "İ", "Σ", "\u212a", "ﬁ", "a\u0301", "\u200b", "\u00a0", "\x00", "\x1c"),
        *("\x1f", "\x0b", "\x85", "\u2028", "\n", "\t", "\x7f", "😀", "٣", "_a_", "l'", "𝐚", "中国", "\ud800"),
    ]
)
TEXTS = st.lists(PIECES, max_size=7).map("".join)


def plain_normalise(text):
    text = "".join(character for character in text.lower() if character not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def plain_match(answer, golds, normalise=plain_normalise, split=str.split):
    """One answer by the definition: the best of each measure over the golds that are not empty."""
    golds = [gold for gold in golds if normalise(gold)] or [""]
    best = dict.fromkeys(MATCH_COLUMNS, 0.0)
    for gold in golds:
        given_words, gold_words = split(normalise(answer)), split(normalise(gold))
        exact = float(normalise(answer) == normalise(gold))
        same = sum((collections.Counter(given_words) & collections.Counter(gold_words)).values())
        if not given_words or not gold_words:
            precision = recall = f1 = inside = float(given_words == gold_words)
        else:
            precision, recall = same / len(given_words), same / len(gold_words)
            f1 = 2 * precision * recall / (precision + recall) if same else 0.0
            places = range(len(given_words) - len(gold_words) + 1)
            inside = float(any(given_words[i : i + len(gold_words)] == gold_words for i in places))
        for name, value in zip(MATCH_COLUMNS, (exact, f1, precision, recall, inside), strict=True):
            best[name] = max(best[name], value)
    return best


def match(rows, normalizer=SQUAD, measures=MATCH_COLUMNS, **options):
    """Match answers as columns of tokens, and one by one; both must agree."""
    found = []
    for short in (-1, 10**9):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(matching, "SHORT", short)
            answers, golds = [answer for answer, _ in rows], [golds for _, golds in rows]
            columns = match_texts(answers, golds, MatchRules(normalizer, **options), measures)
        found.append([{name: column[i] for name, column in columns.items()} for i in range(len(rows))])
    assert found[0] == found[1]
    return found[0]


ROWS = st.lists(st.tuples(TEXTS, st.lists(TEXTS, max_size=4)), min_size=1, max_size=8)


@settings(max_examples=200, deadline=None)
@given(ROWS)
@example([("the", ["a"]), ("", []), ("a", []), ("x", []), ("x\x00", ["x"]), (".", ["."])])
def test_equals_the_definition_bit_for_bit(rows):
    assert match(rows) == [plain_match(answer, golds) for answer, golds in rows]


@FAST
@given(ROWS)
def test_other_normalisers_and_units(rows):
    """No normaliser compares strings as they are; korquad leaves spaces out of its characters."""
    none, korquad = get_normalizer("none"), get_normalizer("korquad")
    for normalizer, unit, normalise, split in (
        (none, "token", str, str.split),
        (SQUAD, "character", plain_normalise, list),
        (korquad, "character", korquad, lambda text: list("".join(text.split()))),
    ):
        expected = [plain_match(answer, golds, normalise, split) for answer, golds in rows]
        assert match(rows, normalizer, unit=unit) == expected, normalizer.name


PIECES_OF_ALL = [
    "0.5",
    "1,000",
    "-",
    "l'eau",
    "东京",
    "東",
    "はな",
    "한국",
    "الكتاب",
    "der",
    "e\u0301",
    "ß",
    "the",
    " ",
]


@pytest.mark.parametrize("name", [*list_normalizers(), "mkqa:ja", "nfd+split_words+lower", "custom"])
def test_fast_and_plain_path_of_every_normaliser(name):
    """With all options of the rules: `match` compares both paths."""
    rng = random.Random(name)
    normalizer = get_normalizer(str.title if name == "custom" else name)

    def text():
        return " ".join(rng.choices((*PIECES_OF_ALL, "cat", "yes", "no", "a"), k=rng.randrange(5)))

    for unit, drop, empty_f1, substring, whole in itertools.product(
        ("token", "character"), (True, False), (1.0, 0.0), (True, False), ((), ("yes", "no", ""))
    ):
        rows = [(text(), [text() for _ in range(rng.randrange(4))]) for _ in range(4)]
        rules = {"unit": unit, "drop_empty_golds": drop, "empty_f1": empty_f1, "substring": substring}
        assert len(match(rows, normalizer, **rules, measures=(*MATCH_COLUMNS, "nothing"), whole_answers=whole)) == 4


LIMITS = {
    "_TOKENS_AT_ONCE": (tokens, 3),
    "_ANSWERS_AT_ONCE": (matching, 2),
}


@settings(max_examples=60, deadline=None)
@given(ROWS, st.sets(st.sampled_from(sorted(LIMITS)), min_size=1))
def test_the_counting_method_changes_nothing(rows, limits):
    with pytest.MonkeyPatch.context() as patch:
        for name in limits:
            patch.setattr(LIMITS[name][0], name, LIMITS[name][1])
        assert match(rows) == [plain_match(answer, golds) for answer, golds in rows]


@pytest.mark.parametrize(
    ("system", "digest"),
    [
        ("bert", "39703bf7ee92f7a337832d8d3fae591140c9f88f04d920f15374020962d29674"),
        ("bidaf_elmo", "8e24cd61ec29466d94cc07bd0a14c0f8806ce54329bec135dda8970c2dfdd4a3"),
    ],
)
def test_every_question_equals_the_official_script(squad2_golds, squad2_systems, system, digest):
    """The digest is that of the official script's exact and F1 of every question, as little-endian doubles in the order of the file."""
    answers = squad2_systems[system]
    found = match([(answers[identifier], golds) for identifier, golds in squad2_golds.items()])
    numbers = [struct.pack("<2d", row["exact_match"], row["f1"]) for row in found]
    assert hashlib.sha256(b"".join(numbers)).hexdigest() == digest


def test_long_answers_are_scored_quickly():
    long = "gold " * 20_000
    found = match([(long, ["gold", long]), (long, ["silver gold gold"]), ("x" * 100_000, ["x"])])
    assert found[0]["exact_match"] == 1
    assert found[1]["recall"] == 2 / 3
    assert found[2]["f1"] == 0
    repetitive = match([("y" + " x" * 20_000, ["x " * 10_000 + "y"]), ("y" + " x" * 20_000, ["x " * 10_000])])
    assert [row["contains"] for row in repetitive] == [0, 1]


SPANS = st.tuples(st.integers(0, 12), st.integers(1, 6)).map(lambda s: (s[0], s[0] + s[1]))


@FAST
@given(st.lists(st.tuples(st.one_of(SPANS, st.just((0, 0))), st.lists(SPANS, max_size=3)), min_size=1, max_size=6))
def test_spans_equal_sets_of_positions(rows):
    answers = np.array([answer for answer, _ in rows])
    golds = np.array([gold for _, golds in rows for gold in golds], np.int64).reshape(-1, 2)
    columns = match_spans(answers, golds, np.array([len(golds) for _, golds in rows]))
    for row, (answer, gold_spans) in enumerate(rows):
        best = dict.fromkeys(MATCH_COLUMNS, 0.0)
        for gold in gold_spans or [(0, 0)]:
            mine, theirs = set(range(*answer)), set(range(*gold))
            if mine and theirs:
                precision, recall = len(mine & theirs) / len(mine), len(mine & theirs) / len(theirs)
                f1 = 2 * precision * recall / (precision + recall) if mine & theirs else 0.0
                values = (float(mine == theirs), f1, precision, recall, float(theirs <= mine))
            else:
                values = (float(mine == theirs),) * 5
            best = {name: max(best[name], value) for name, value in zip(MATCH_COLUMNS, values, strict=True)}
        assert {name: column[row] for name, column in columns.items()} == best
