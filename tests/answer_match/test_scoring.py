"""answer_match to Scores: official totals, thresholds, withheld answers, ranked answers."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay import score, scorer
from qassay.answer_match.drop_in import score_answers_as
from qassay.answer_match.scoring import score_answers

FAST = settings(max_examples=60, deadline=None)
SQUAD_V2_KEYS = [f"{p}{name}" for p in ("", "HasAns_", "NoAns_") for name in ("exact", "f1", "total")]
SQUAD_V2_KEYS += ["best_exact", "best_exact_thresh", "best_f1", "best_f1_thresh"]
OFFICIAL = {  # printed by the official script under Python 3.11, with the probabilities of `doubts`
    "bert": [78.74168280973637, 81.77528052374723, 11873, 74.10593792172739, 80.18183293833508, 5928, 83.36417157275021]
    + [83.36417157275021, 5945, 78.74168280973637, 0.9996120005779506, 81.77528052374701, 0.9996120005779506],
    "bidaf_elmo": [65.70369746483618, 67.87648921451334, 11873, 61.42037786774629, 65.77219238257676, 5928]
    + [
        69.97476871320437,
        69.97476871320437,
        5945,
        65.72054240714226,
        0.9992686916595911,
        67.89333415681959,
        0.9992686916595911,
    ],
}


@pytest.fixture(scope="module")
def doubts(squad2_golds):
    rng = random.Random(1)
    return {identifier: rng.random() for identifier in sorted(squad2_golds)}


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("system", OFFICIAL)
def test_all_13_keys_equal_the_official_script(squad2_golds, squad2_systems, doubts, system):
    columns = {"predictions": squad2_systems[system], "references": squad2_golds, "no_answer_probabilities": doubts}
    summary = score_answers_as("squad_v2", columns, {}).summary()
    assert list(summary) == SQUAD_V2_KEYS
    expected = dict(zip(SQUAD_V2_KEYS, OFFICIAL[system], strict=True))
    if sum([0.1] * 10) == 1.0:  # from Python 3.12 on `sum` itself rounds less, in the official script too
        assert summary == pytest.approx(expected, rel=1e-14)
    else:
        assert summary == expected


@pytest.mark.usefixtures("both_ways")
def test_exact_sums_on_real_data(squad2_golds, squad2_systems):
    scores = score("answer_match", squad2_systems["bert"], squad2_golds)
    summary = scores.summary()
    assert 100 * summary["exact_match"] == pytest.approx(78.74168280973637, rel=1e-15)
    assert 100 * summary["f1"] == pytest.approx(81.77528052374726, rel=1e-15)
    ids = list(squad2_golds)
    random.Random(0).shuffle(ids)
    shuffled = score(
        "answer_match", squad2_systems["bert"], {identifier: squad2_golds[identifier] for identifier in ids}
    )
    assert shuffled.summary() == summary and shuffled == scores
    names = ["exact_match", "has_answer_f1"]
    assert shuffled.interval(n_resamples=100, names=names) == scores.interval(n_resamples=100, names=names)


def test_tied_probabilities_do_not_depend_on_the_order(squad2_golds, squad2_systems):
    """The official sweep gives 78.742 or 87.072 here, for the same answers in another order; so does the drop-in."""
    ids = sorted(squad2_golds, key=lambda key: not squad2_golds[key])
    answerable_first = {key: squad2_systems["bert"][key] for key in ids}
    found, drop_in = [], []
    for answers in (squad2_systems["bert"], answerable_first):
        columns = {"predictions": answers, "references": squad2_golds, "no_answer_probabilities": 0.0}
        found.append(score_answers(**columns).summary())
        drop_in.append(score_answers_as("squad_v2", columns, {}).summary())
    assert found[0] == found[1] and found[0]["best_exact_match"] == found[0]["exact_match"]
    assert drop_in[0]["exact"] == drop_in[1]["exact"] < drop_in[1]["best_exact"]


def squad_v2(predictions, references, **options):
    return score_answers_as("squad_v2", {"predictions": predictions, "references": references}, options).summary()


def row(identifier, text, probability=0.0):
    return {"id": identifier, "prediction_text": text, "no_answer_probability": probability}


def gold(identifier, *texts):
    return {"id": identifier, "answers": {"text": list(texts), "answer_start": [0] * len(texts)}}


def test_thresholds_of_no_answer():
    """A probability at the threshold is answered; the sweep sees what is withheld."""
    assert squad_v2([row("a", "x", 0.1)], [gold("a", "x")], no_answer_threshold=0.1)["exact"] == 100
    assert squad_v2([row("a", "x", 0.1000001)], [gold("a", "x")], no_answer_threshold=0.1)["exact"] == 0
    found = score("answer_match", [row("a", "x", 0.2), row("b", "y", 0.9)], [gold("a", "x"), gold("b")],
                  no_answer_threshold=0.1).summary()  # fmt: skip
    assert (found["exact_match"], found["best_exact_match"], found["best_exact_match_threshold"]) == (0.5, 1.0, 0.2)
    found = score("answer_match", [row("a", "x")], [gold("a")]).summary()
    assert found["best_exact_match_threshold"] == -math.inf
    assert squad_v2([row("a", "x")], [gold("a")])["best_exact_thresh"] == 0.0  # as in the script


@pytest.mark.usefixtures("both_ways")
def test_withheld_answers_are_empty_answers():
    doubts = {"no_answer_probabilities": [0.9, 0.9], "no_answer_threshold": 0.5}
    for options in ({}, {"empty_f1": 0.0}):
        withheld = score("answer_match", ["x", "y"], [[], ["y"]], **doubts, **options)
        empty = score("answer_match", ["", ""], [[], ["y"]], **options)
        for name in empty.columns:
            assert withheld.columns[name].tolist() == empty.columns[name].tolist()


@FAST
@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(["a b", "b", "c", ""]), max_size=4),
            st.lists(st.sampled_from(["b", "c"]), max_size=2),
        ),
        min_size=1,
    )
)
def test_top_k_is_the_best_of_single_answers(rows):
    found = score("answer_match", [r for r, _ in rows], [g for _, g in rows], top_k=(1, 2, 9))
    for k in (1, 2, 9):
        for place, (ranked, golds) in enumerate(rows):
            singles = [score("answer_match", [answer], [golds]).columns["f1"][0] for answer in (ranked or [""])[:k]]
            assert found.columns[f"f1@{k}"][place] == max(singles)


@pytest.mark.usefixtures("both_ways")
def test_lone_surrogates_and_long_answers_are_texts():
    found = score("answer_match", ["\ud800 x", "word " * 200_000], [["x \ud800"], ["word"]])
    assert found.columns["f1"][0] == 1.0
    assert found.columns["precision"][1] == 1 / 200_000


@pytest.mark.parametrize("repeated", [1, 200])  # short columns are compared text by text
def test_answers_that_are_right_because_nothing_is_left_are_counted(repeated):
    golds = [["A", "the A"], ["A"], [], ["B"], ["C"]]
    scores = score("answer_match", ["the", "a", "", "B", ""] * repeated, golds * repeated)
    assert scores["exact_match"] == 0.8 and scores.notes["nothing_left"] == repeated
    assert "nothing_left" not in score("answer_match", ["", "the"], [[], ["B"]]).notes


@pytest.mark.parametrize("repeated", [1, 200])
@pytest.mark.parametrize("preset", "mrqa xquad squad germanquad sberquad nq_open search_r1 flashrag longbench".split())
def test_an_empty_answer_is_right_without_gold_answers_and_as_in_squad_1_for_an_empty_one(preset, repeated):
    """That script cannot score the former, and gives the latter an exact match of 1 and an F1 of 0, which is noted."""
    golds, expected = [[], [""], ["Ur"], ["Ur"]], [(1, 1), (1, 0), (0, 0), (1, 1)]
    answers = [f"<answer>{text}</answer>" if preset == "search_r1" else text for text in ("", "", "", "Ur")]
    scores = score("answer_match", answers * repeated, golds * repeated, preset=preset)
    one = scorer("answer_match", preset=preset)
    for name, column in zip(("exact_match", "f1"), zip(*expected, strict=True), strict=True):
        assert scores.columns[name].tolist() == [*column] * repeated
        assert tuple(one(answer, row)[name] for answer, row in zip(answers, golds, strict=True)) == column
    assert scores.notes["exact_match_without_f1"] == repeated
    assert score("answer_match", [""], [[""]], preset="hotpotqa").notes["exact_match_without_f1"] == 1


def test_configs_have_their_own_keys():
    with pytest.raises(ValueError, match="did you mean 'squad_v2'"):
        score_answers_as("squadv2", {"predictions": ["a"], "references": [["a"]]}, {})
    for options in ({"preset": "drop"}, {"preset": "search_r1"}):
        with pytest.raises(ValueError, match="squad_v2"):
            squad_v2([row("a", "x")], [gold("a")], **options)
    with pytest.warns(UserWarning, match="1 without a prediction"):
        assert squad_v2([row("a", "x")], [gold("a", "x"), gold("b")])["exact"] == 50
