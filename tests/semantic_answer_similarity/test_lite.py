"""The lite scorer: features of two texts, evaluation of its trees, and plausible scores."""

import csv
import json
import tracemalloc

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from qassay.core.forest import Forest, evaluate_forest, evaluate_rows, read_forest
from qassay.core.resources import read_resource
from qassay.semantic_answer_similarity.lite import LITE_VERSION, lite_scores
from qassay.semantic_answer_similarity.lite_features import (
    LITE_COSINE_FEATURES,
    LITE_FEATURES,
    LITE_SIGNS,
    content_words,
    folded_words,
    lite_features,
)
from qassay.semantic_answer_similarity.lite_one import lite_row, read_lite_text

MODEL = json.loads(read_resource("lite_model.json", "qassay.semantic_answer_similarity"))
TEXTS = st.text(max_size=40) | st.lists(
    st.sampled_from(
        ["the", "not", "II", "i", "V", "11", "eleven", "twenty-four", "thirty", "two", "million", "1,000", "1.", "5"]
        + ["3,5", "%", "U.S.", "hundred", "s"]
        + ["née", "Straße", "'s", ",", ".", "—", "Obama", "obamas", "O(n)", "٣", "東京"]
    ),
    max_size=7,
).map(" ".join)


def features_of(left, right):
    return dict(zip(LITE_FEATURES, lite_features([left], [right])[0].tolist(), strict=True))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The Cat's pyjamas", ["cat", "pyjamas"]),
        ("of the", ["of", "the"]),
        ("", []),
        ("?!", []),
        ("twenty-four", ["24"]),
        ("twenty - four hours", ["24", "hours"]),
        ("twenty cats and four dogs", ["20", "cats", "4", "dogs"]),
        ("seventy or one", ["70", "1"]),
        ("twenty million four", ["20000000", "million", "4"]),
        ("thirty ten", ["30", "10"]),
        ("thirty percent", ["30", "percent"]),
        ("30 Prozent", ["30", "percent"]),
        ("30%", ["30", "percent"]),
        ("the eleventh", ["11"]),
        ("11th", ["11"]),
        ("the 1980s", ["1980"]),
        ("dreißig", ["30"]),
        ("1,000,000", ["1000000"]),
        ("1 million", ["1000000", "million"]),
        ("two hundred thousand", ["200000"]),
        ("1. 8 billion", ["1800000000", "billion"]),
        ("7, 236 m", ["7236", "m"]),
        ("October 9, 2001", ["october", "9", "2001"]),
        ("3,5 Prozent", ["3.5", "percent"]),
        ("007", ["7"]),
        ("Louis XIV", ["louis", "14"]),
        ("Richard I", ["richard", "1"]),
        ("James I of England", ["james", "1", "england"]),
        ("I won", ["i", "won"]),
        ("you and I", ["you", "i"]),
        ("U.S.A.", ["usa"]),
        ("Beyoncé", ["beyonce"]),
        ("ﬁne", ["fine"]),
        ("He\u00adlium", ["helium"]),
        ("9" * 400, ["9" * 400]),
        ("million", ["million"]),
        ("three " + "thousand " * 80, ["1000000000000000.0"]),
    ],
)
def test_content_words(text, words):
    assert content_words(folded_words(text)) == words


def test_features_of_a_pair_by_hand():
    seen = features_of("red cats 7", "the red cat")
    # beginnings of words: {red, cat, 7} and {red, cat}
    assert (seen["prefix_f1"], seen["prefix_max"]) == (4 / 5, 1)
    # " red cats 7 " holds 11 bigrams, " red cat " 8: all but "t " are shared
    assert seen["bigram_dice"] == 2 * 7 / 19
    assert seen["trigram_max"] == 6 / 7
    assert (seen["length_ratio"], seen["length_min"]) == (7 / 10, 7)
    assert (seen["number_state"], seen["number_share"], seen["number_gap"], seen["conflict"]) == (1, -1, -1, 0)


def test_numbers_of_a_pair_by_hand():
    seen = features_of("9 May 2018", "May 11, 2018")
    assert (seen["number_state"], seen["number_share"], seen["number_gap"], seen["conflict"]) == (2, 0.5, 0, 1)
    assert features_of("12", "twelve")["conflict"] == 0
    assert features_of("10", "5")["number_gap"] == 1.791759  # log(6), rounded


@pytest.mark.parametrize(
    ("left", "right", "conflict"),
    [
        ("he won", "he did not win", 1),
        ("not here", "never there", 0),
        ("Louis XIV", "Louis XV", 1),
        ("1980", "1980s", 0),
        ("kein Bier", "Bier", 1),
        ("1999", "May", 0),
    ],
)
def test_conflicts(left, right, conflict):
    assert features_of(left, right)["conflict"] == conflict


@pytest.mark.parametrize(
    ("short", "long"), [("the NFL", "National Football League"), ("USA", "United States of America")]
)
def test_an_acronym_has_the_beginnings_of_its_long_form(short, long):
    assert features_of(short, long)["prefix_f1"] == features_of(long, short)["trigram_max"] == 1
    assert features_of(short[:-1] + "Q", long)["prefix_f1"] < 1


def test_the_cosine_is_the_last_column():
    pairs = (["red cat", "red"], ["cat", "blue"])
    rows = lite_features(*pairs, np.array([0.5, 0.25]))
    assert (rows[:, :-1] == lite_features(*pairs)).all() and rows[:, -1].tolist() == [0.5, 0.25]
    assert rows.shape == (2, len(LITE_FEATURES + LITE_COSINE_FEATURES))


def test_features_do_not_depend_on_the_other_pairs():
    pairs = [("red cat", "cat"), ("1", "one"), ("", "x"), ("née", "nee"), ("a" * 300, "b")]
    alone = np.vstack([lite_features([left], [right]) for left, right in pairs])
    assert (lite_features(*zip(*pairs, strict=True)) == alone).all()


def walk(forest, row):
    """A forest read as trees of questions, one row and one node at a time."""
    total = forest.base
    for tree in range(len(forest.leaves)):
        node = 0
        while node < 15:
            column, rank = forest.features[tree, node], forest.ranks[tree, node]
            right = rank != 255 and not row[column] <= forest.thresholds[column][rank]  # NaN goes right
            node = 2 * node + 1 + right
        total += int(forest.leaves[tree, node - 15])
    return total / forest.scale


@pytest.mark.parametrize("name", ["text", "cosine"])
def test_trees_are_walked_right(name):
    forest = read_forest(MODEL["forests"][name])
    rows = np.random.default_rng(3).choice(
        [np.nan, -1, 0, 0.1, 0.25, 0.5, 0.7, 0.9, 1, 2, 5, 12, *forest.thresholds[3][:5]], (700, len(forest.thresholds))
    )
    expected = [walk(forest, row) for row in rows]
    assert evaluate_forest(forest, rows).tolist() == expected
    assert evaluate_rows(forest, rows.tolist()) == expected
    assert [evaluate_rows(forest, [row])[0] for row in rows[:50].tolist()] == expected[:50]
    assert evaluate_rows(forest, []) == []


def test_a_value_at_a_threshold_goes_left():
    leaves = np.arange(16)[None]
    forest = Forest((np.array([0.5]),), np.zeros((1, 15), int), np.zeros((1, 15), np.uint8), leaves, 1, base=100)
    for copies in (1, 50):  # few rows take another way
        rows = np.array([[0.5], [np.nextafter(0.5, 1)]] * copies)
        assert evaluate_forest(forest, rows).tolist() == [100, 115] * copies


def test_model_file():
    assert MODEL["version"] == LITE_VERSION
    assert MODEL["feature_names"] == {"text": [*LITE_FEATURES], "cosine": [*LITE_FEATURES, *LITE_COSINE_FEATURES]}
    assert len(read_resource("lite_model.json", "qassay.semantic_answer_similarity").encode()) <= 500_000
    for forest in map(read_forest, MODEL["forests"].values()):
        assert all((np.diff(values) > 0).all() and len(values) < 255 for values in forest.thresholds)


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=6), st.booleans())
@example([("", ""), ("", "Paris"), ("\ud800", "0"), ("Ⅷ", "²"), ("١٬٠٠٠", "1e999"), ("1.5.3", "1..2")], False)
@settings(deadline=None, max_examples=300)
def test_any_texts_score_between_0_and_1_the_same_both_ways_and_alone(pairs, with_cosines):
    left, right = [a for a, _ in pairs], [b for _, b in pairs]
    cosines = np.linspace(-1, 1, len(pairs)) if with_cosines else None
    assert np.isfinite(lite_features(left, right, cosines)).all()
    rows = [lite_row(read_lite_text(a), read_lite_text(b)) for a, b in pairs]
    assert lite_features(left, right).tolist() == rows
    scores = lite_scores(left, right, cosines)
    assert scores.dtype == np.float64 and scores.shape == (len(pairs),)
    assert ((scores >= 0) & (scores <= 1)).all()
    assert (scores == lite_scores(right, left, cosines)).all()
    alone = [
        lite_scores([a], [b], None if cosines is None else cosines[i : i + 1])[0] for i, (a, b) in enumerate(pairs)
    ]
    assert scores.tolist() == alone


@given(st.data())
@settings(deadline=None, max_examples=100)
def test_signs_hold(data):
    """A feature with a known sign never moves the score in the opposite direction."""
    for name, columns in (("text", LITE_FEATURES), ("cosine", LITE_FEATURES + LITE_COSINE_FEATURES)):
        forest = read_forest(MODEL["forests"][name])
        row = np.array(data.draw(st.lists(st.floats(-1, 20), min_size=len(columns), max_size=len(columns))))
        column = data.draw(st.sampled_from([i for i, feature in enumerate(columns) if feature in LITE_SIGNS]))
        higher = row.copy()
        higher[column] += data.draw(st.floats(0, 20))
        low, high = evaluate_forest(forest, np.vstack([row, higher]))
        assert (high - low) * LITE_SIGNS[columns[column]] >= -1e-6


@pytest.mark.parametrize(
    ("left", "right", "low", "high"),
    [
        ("11", "eleven", 0.8, 1),
        ("thirty percent", "30 %", 0.9, 1),
        ("drei", "3", 0.8, 1),
        ("Beyoncé", "beyonce", 0.9, 1),
        ("1980", "the 1980s", 0.8, 1),
        ("Louis XVI", "Louis the 16th", 0.9, 1),
        ("Barack Obama", "Obama", 0.6, 0.9),
        ("Paris", "Paris, France", 0.6, 0.9),
        ("New York", "New York City", 0.7, 0.95),
        ("United States of America", "the USA", 0.5, 1),
        ("engraved", "engraving", 0.6, 1),
        ("2018", "2019", 0, 0.35),
        ("5 million", "7 million", 0, 0.6),
        ("1,000,000", "1 million", 0.6, 1),
        ("5 million", "5 billion", 0, 0.6),
        ("Richard I", "Richard II", 0, 0.55),
        ("Larry Smith", "Larry Bloom", 0, 0.4),
        ("he won", "he did not win", 0, 0.4),
        ("guilty", "not guilty", 0, 0.65),
        ("increase", "decrease", 0, 0.35),
        ("north", "south", 0, 0.15),
        ("cat", "lawnmower", 0, 0.05),
        ("", "Paris", 0, 0.1),
        ("heart attack", "myocardial infarction", 0, 0.1),  # a known weakness: no synonyms
    ],
)
def test_probes(left, right, low, high):
    assert low <= lite_scores([left], [right])[0] <= high


def test_synonyms_are_seen_through_the_cosine():
    left, right = ["heart attack"] * 3, ["myocardial infarction"] * 3
    low, middle, high = lite_scores(left, right, np.array([0.1, 0.6, 0.95]))
    assert low < middle < high
    assert high > low + 0.1 and high > lite_scores(left[:1], right[:1])[0] + 0.1


@pytest.mark.parametrize(("pairs", "characters"), [(1, 1000), (2, 1000), (3, 12), (100, 0), (100, 20)])
def test_blocks_change_no_score(pairs, characters, monkeypatch):
    texts = ["red cat", "7", "née", "the cat is red", ""]
    left, right = zip(*((left, right) for left in texts for right in texts), strict=True)
    cosines = np.linspace(-1, 1, len(left))
    whole = [lite_scores(left, right, given).tolist() for given in (None, cosines)]
    monkeypatch.setattr("qassay.semantic_answer_similarity.lite._LITE_PAIRS", pairs)
    monkeypatch.setattr("qassay.semantic_answer_similarity.lite._LITE_CHARACTERS", characters)
    assert [lite_scores(left, right, given).tolist() for given in (None, cosines)] == whole


def test_memory_does_not_grow_with_the_number_of_pairs(monkeypatch):
    monkeypatch.setattr("qassay.semantic_answer_similarity.lite._LITE_PAIRS", 1_000)
    texts = [f"alpha{i} beta{i * 7} gamma{i * 13} delta{i * 17}" for i in range(6_000)]
    lite_scores(["the first call"], ["reads the trees"])
    tracemalloc.start()
    try:
        lite_scores(texts, texts[1:] + texts[:1])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 15e6  # all at once: 30 MB


def test_no_pairs():
    assert lite_scores([], []).shape == (0,)
    assert lite_scores([], [], np.array([])).shape == (0,)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["a"], []), "1 predictions but 0 references"),
        ((["a"], ["b"], [0.5, 0.5]), r"shape \(2,\), expected \(1,\)"),
        ((["a", "c"], ["b", "d"], [0.5, np.nan]), "pair 1 is not finite"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        lite_scores(*arguments)


def test_long_texts_take_linear_time():
    texts = [
        piece * (100_000 // len(piece))
        for piece in ("x", "a.", "1,000.", "'s ", "million ", "7", "é", "word ", "1, 234")
    ]
    pairs = [(left, right) for left in texts for right in texts]
    scores = lite_scores(*zip(*pairs, strict=True))  # seconds, not minutes
    assert ((scores >= 0) & (scores <= 1)).all()


def test_agreement_on_the_answers_it_was_fitted_to(sas):
    with (sas / "nq_open_pairs.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    scores = lite_scores([row["answer2"] for row in rows], [row["answer1"] for row in rows])
    assert np.corrcoef(scores, [float(row["sas"]) for row in rows])[0, 1] > 0.92
    assert np.corrcoef(scores, [float(row["label"]) for row in rows])[0, 1] > 0.54
