"""How well raters agree: kappas, alphas and the alternative annotator test as other packages have them, and refused files."""

import json

import numpy as np
import pytest

import qassay

PEOPLE = ["ann", "bob", "cy"]


def drawn(seed=0, n=200, noise=(0.4, 0.5, 0.3, 0.2), missing=0.1):
    """Marks from 1 to 5 of three people and a judge, some of them absent."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, n)

    def marks(share):
        return np.clip(truth + np.where(rng.random(n) < share, rng.integers(-2, 3, n), 0), 1, 5)

    table = {name: marks(share) for name, share in zip([*PEOPLE, "gpt"], noise, strict=True)}
    return {name: [int(x) if rng.random() > missing else None for x in column] for name, column in table.items()}


def test_kappa_matches_scikit_learn(sklearn):
    table = drawn(4)
    for weights in ("none", "linear", "quadratic"):
        found = qassay.rater_agreement(table, PEOPLE, judges="gpt", weights=weights)
        for (first, second), one in found.pairs.items():
            both = [pair for pair in zip(table[first], table[second], strict=True) if None not in pair]
            theirs = sklearn.cohen_kappa_score(*zip(*both, strict=True), weights=None if weights == "none" else weights)
            assert one.value == pytest.approx(theirs, abs=1e-12) and one.n == len(both)


def test_alpha_and_the_alternative_annotator_test_match_their_packages():
    """krippendorff 0.8 (alphas) and the notebook of nitaytech/AltTest (advantage, wins of epsilon 0.1), run on the same table."""
    table = drawn()
    for scale, alpha in (("nominal", 0.540722113448), ("ordinal", 0.791475942314), ("interval", 0.794845577445)):
        assert qassay.rater_agreement(table, PEOPLE, scale=scale).alpha.value == pytest.approx(alpha, abs=1e-12)
    for scale, advantage in (("nominal", 0.921475875118), ("interval", 0.907990569296)):
        gpt = qassay.rater_agreement(table, PEOPLE, judges="gpt", scale=scale)["gpt"]
        assert (gpt.advantage, gpt.won, gpt.compared) == (pytest.approx(advantage, abs=1e-12), 3, 3)
    many = {name: [x and x + row / 1000 for row, x in enumerate(column)] for name, column in table.items()}
    assert qassay.rater_agreement(many, PEOPLE, scale="interval").kappa.value is None


def test_wide_and_long_tables_words_and_groups_agree():
    wide = drawn(2, missing=0.3)
    rows = [
        {"item": row, "annotator": name, "label": mark}
        for row in range(200)
        for name, column in wide.items()
        if (mark := column[row]) is not None
    ]
    first = qassay.rater_agreement(wide, PEOPLE, judges="gpt")
    long = qassay.rater_agreement(rows, judges="gpt")
    assert sorted(long.people) == PEOPLE and long.alpha == pytest.approx(first.alpha)
    assert long["gpt"].difference.value == pytest.approx(first["gpt"].difference.value)
    words = {name: [None if x is None else "no yes".split()[x > 2] for x in column] for name, column in wide.items()}
    named = qassay.rater_agreement(words, PEOPLE)
    assert named.labels == (0.0, 1.0) and (named.scale, named.weights) == ("nominal", "none")
    grouped = qassay.rater_agreement({**wide, "groups": [row // 10 for row in range(200)]}, PEOPLE)
    assert grouped.alpha.value == first.alpha.value and grouped.alpha.interval != first.alpha.interval
    assert json.loads(json.dumps(grouped.to_dict()))["alpha"]["interval_method"] == "effective wilson"


def test_verdicts_of_judges():
    better = qassay.rater_agreement(drawn(1, 400, (0.5, 0.5, 0.5, 0.05)), PEOPLE, judges="gpt")["gpt"]
    worse = qassay.rater_agreement(drawn(1, 400, (0.1, 0.1, 0.1, 0.9)), PEOPLE, judges="gpt")["gpt"]
    alike = qassay.rater_agreement(drawn(1, 400, (0.3, 0.3, 0.3, 0.3)), PEOPLE, judges="gpt", margin=0.2)["gpt"]
    assert (better.verdict, better.z_kind, better.won) == ("better", "super-consistent", 3)
    assert (worse.verdict, worse.z_kind, worse.won) == ("worse", "below people", 0)
    assert alike.verdict == "as good" and alike.p_value > 0.05
    same = qassay.rater_agreement({"ann": [0, 1] * 10, "bob": [0, 1] * 10}, ["ann", "bob"])
    assert same.alpha.value == same.kappa.value == 1 and 0.5 < same.alpha.interval.low < 1
    constant = qassay.rater_agreement({"ann": [1] * 20, "bob": [1] * 20}, ["ann", "bob"])
    assert constant.alpha.value is constant.kappa.value is None and "–" in str(constant)


@pytest.mark.thorough
def test_intervals_cover_and_a_judge_like_a_person_is_seldom_called_better_or_worse():
    truth = {name: qassay.rater_agreement(drawn(0, 20_000, (0.4,) * 4), PEOPLE) for name in ("all",)}["all"]
    hits = {"alpha": 0, "kappa": 0, "told apart": 0}
    draws = 300
    for seed in range(draws):
        found = qassay.rater_agreement(drawn(seed + 1, 80, (0.4,) * 4), PEOPLE, judges="gpt")
        for name in ("alpha", "kappa"):
            low, high = getattr(found, name).interval
            hits[name] += low <= getattr(truth, name).value <= high
        low, high = found["gpt"].difference.interval
        hits["told apart"] += not low <= 0 <= high
    assert 0.92 < hits["alpha"] / draws < 0.985 and 0.92 < hits["kappa"] / draws < 0.985
    assert hits["told apart"] / draws < 0.08


def test_refused_files(tmp_path):
    rows = [{"id": row, "rater": name, "label": row % 2} for row in range(20) for name in PEOPLE]
    for message, given, arguments in (
        ("no rater 'an' (did you mean 'ann'?)", rows, {"raters": ["an", "bob"]}),
        ("in rows 0 and 60", [*rows, rows[0]], {}),
        ("row 0: rater is empty", [{**rows[0], "rater": ""}, *rows[1:]], {}),
        ("only person", rows, {"raters": "ann"}),
        ("both as a person and as a judge", rows, {"raters": PEOPLE, "judges": "ann"}),
        ("no judge 'model'", rows, {"judges": "model"}),
        ("labelled 4 items", rows[:12], {}),
        ("say which columns", {"ann": [1] * 20, "bob": [0] * 20}, {}),
        ("no order that is known", {"ann": ["a", "b"] * 10, "bob": ["b"] * 20}, {"raters": ["ann", "bob"], "scale": "ordinal"}),
        ("some labels are numbers and others texts", {"ann": [1, "b"] * 10, "bob": ["b"] * 20}, {"raters": ["ann", "bob"]}),
        ("margin must be", rows, {"margin": -1}),
        ("scale", rows, {"scale": "ratio"}),
    ):  # fmt: skip
        with pytest.raises(qassay.InputError if message.startswith("row") else (ValueError, TypeError)) as told:
            qassay.rater_agreement(given, **arguments)
        assert message in str(told.value)
