"""How well raters agree: kappas and alphas as other packages have them, verdicts on judges, and refused tables."""

import json
import math

import numpy as np
import pytest

import qassay

PEOPLE = ["ann", "bob", "cy"]
BOTH = ["ann", "bob"]
PAIR = {"ann": [1, 2, 3, 1] * 5, "bob": [1, 2, 3, 2] * 5}
IDS = [f"q{n}" for n in range(20)]
FEW = "fewer than 30 items or groups: the intervals are rough"


def drawn(seed=0, n=200, noise=(0.4, 0.5, 0.3, 0.2), missing=0.1):
    """Marks from 1 to 5 of three people and a judge, some of them absent."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, n)

    def marks(share):
        return np.clip(truth + np.where(rng.random(n) < share, rng.integers(-2, 3, n), 0), 1, 5)

    table = {name: marks(share) for name, share in zip([*PEOPLE, "gpt"], noise, strict=True)}
    return {name: [int(x) if rng.random() > missing else None for x in column] for name, column in table.items()}


def rows_of(table):
    """A row per item and rater."""
    return [
        {"item": row, "annotator": name, "label": label}
        for name, column in table.items()
        for row, label in enumerate(column)
        if label is not None
    ]


def first_label(label):
    """The pair of raters with another first label of ann."""
    return {**PAIR, "ann": [label, *PAIR["ann"][1:]]}


@pytest.fixture
def in_file(tmp_path):
    def write(table):
        rows = [table, *zip(*table.values(), strict=True)]
        path = tmp_path / "votes.csv"
        path.write_text("".join(",".join("" if cell is None else str(cell) for cell in row) + "\n" for row in rows))
        return path

    return write


def test_kappa_matches_scikit_learn(sklearn):
    table = drawn(4)
    for weights in ("none", "linear", "quadratic"):
        found = qassay.rater_agreement(table, PEOPLE, judges="gpt", weights=weights)
        for (first, second), one in found.pairs.items():
            both = [pair for pair in zip(table[first], table[second], strict=True) if None not in pair]
            theirs = sklearn.cohen_kappa_score(*zip(*both, strict=True), weights=None if weights == "none" else weights)
            assert one.value == pytest.approx(theirs, abs=1e-12) and one.n == len(both)


@pytest.mark.parametrize(
    ("scale", "alpha"), [("nominal", 0.540722113448), ("ordinal", 0.791475942314), ("interval", 0.794845577445)]
)
def test_alpha_matches_krippendorff(scale, alpha):
    """The numbers of krippendorff 0.8 on the same table."""
    assert qassay.rater_agreement(drawn(), PEOPLE, scale=scale).alpha.value == pytest.approx(alpha, abs=1e-12)


def test_wide_and_long_tables_words_and_groups_agree():
    wide = drawn(2, missing=0.3)
    first, long = (qassay.rater_agreement(data, PEOPLE, judges="gpt") for data in (wide, rows_of(wide)))
    assert list(long.people) == PEOPLE and long.alpha == pytest.approx(first.alpha)
    assert long["gpt"].difference.value == pytest.approx(first["gpt"].difference.value)
    assert qassay.rater_agreement(rows_of(wide), judges="gpt").people.keys() == long.people.keys()
    words = {name: [None if x is None else "no yes".split()[x > 2] for x in column] for name, column in wide.items()}
    named = qassay.rater_agreement(words, PEOPLE)
    assert named.labels == (0.0, 1.0) and (named.scale, named.weights) == ("nominal", "none")
    grouped = qassay.rater_agreement({**wide, "groups": [row // 10 for row in range(200)]}, PEOPLE)
    assert grouped.alpha.value == first.alpha.value and grouped.alpha.interval != first.alpha.interval
    assert json.loads(json.dumps(grouped.to_dict()))["alpha"]["method"] == "effective wilson"


def test_verdicts_of_judges():
    better = qassay.rater_agreement(drawn(1, 400, (0.5, 0.5, 0.5, 0.05)), PEOPLE, judges="gpt")["gpt"]
    worse = qassay.rater_agreement(drawn(1, 400, (0.1, 0.1, 0.1, 0.9)), PEOPLE, judges="gpt")["gpt"]
    alike = qassay.rater_agreement(drawn(1, 400, (0.3, 0.3, 0.3, 0.3)), PEOPLE, judges="gpt", margin=0.2)["gpt"]
    assert (better.verdict, better.z_kind) == ("better", "super-consistent")
    assert (worse.verdict, worse.z_kind) == ("worse", "below people")
    assert alike.verdict == "as good" and alike.p_value > 0.05


def test_undefined_and_perfect_agreement():
    same = qassay.rater_agreement({"ann": [0, 1] * 10, "bob": [0, 1] * 10}, BOTH)
    assert same.alpha.value == same.kappa.value == 1 and 0.5 < same.alpha.interval.low < 1
    constant = qassay.rater_agreement({"ann": [1] * 20, "bob": [1] * 20}, BOTH)
    assert constant.alpha.value is constant.kappa.value is None and "–" in str(constant)
    many = {name: [x and x + row / 1000 for row, x in enumerate(column)] for name, column in drawn().items()}
    found = qassay.rater_agreement(many, PEOPLE, scale="interval")
    assert found.kappa.value is None and any("too many for every kappa" in line for line in found.remarks)


@pytest.mark.thorough
def test_intervals_cover_and_a_judge_like_a_person_is_seldom_called_better_or_worse():
    truth = qassay.rater_agreement(drawn(0, 20_000, (0.4,) * 4), PEOPLE)
    hits = {"alpha": 0, "kappa": 0, "distinguished": 0}
    draws = 300
    for seed in range(draws):
        found = qassay.rater_agreement(drawn(seed + 1, 80, (0.4,) * 4), PEOPLE, judges="gpt")
        for name in ("alpha", "kappa"):
            low, high = getattr(found, name).interval
            hits[name] += low <= getattr(truth, name).value <= high
        low, high = found["gpt"].difference.interval
        hits["distinguished"] += not low <= 0 <= high
    assert 0.92 < hits["alpha"] / draws < 0.985 and 0.92 < hits["kappa"] / draws < 0.985
    assert hits["distinguished"] / draws < 0.08


def test_a_judge_is_compared_with_each_person_on_the_same_items(sklearn):
    def kappa(table, first, second, third):
        rows = [row for row in zip(*(table[name] for name in (first, second, third)), strict=True) if None not in row]
        return sklearn.cohen_kappa_score([row[0] for row in rows], [row[1] for row in rows], weights="linear")

    whole = drawn(3, missing=-1)
    one = qassay.rater_agreement(whole, PEOPLE, judges="gpt")
    with_judge = [one.pairs[name, "gpt"].value for name in PEOPLE]
    assert one["gpt"].kappa.value == pytest.approx(np.mean(with_judge)) and one["gpt"].n == 200
    assert one["gpt"].people.value == pytest.approx(one.kappa.value)
    # ann and bob share the first 120 items, bob and cy the last 80; dan is alone with 5 of ann's
    uneven = {**whole, "dan": [1, 2, 3, 4, 5, *[None] * 195]}
    for name, start, stop in (("ann", 0, 120), ("cy", 120, 200)):
        uneven[name] = [x if start <= row < stop else None for row, x in enumerate(whole[name])]
    found = qassay.rater_agreement(uneven, [*PEOPLE, "dan"], judges="gpt")
    kappas = {(c, p): (kappa(uneven, "gpt", p, c), kappa(uneven, c, p, "gpt")) for a, b in (("ann", "bob"), ("bob", "cy")) for c, p in ((a, b), (b, a))}  # fmt: skip
    for index, term in enumerate(("kappa", "people")):
        each = {key: pair[index] for key, pair in kappas.items()}
        mean = (each["ann", "bob"] + (each["bob", "ann"] + each["bob", "cy"]) / 2 + each["cy", "bob"]) / 3
        assert getattr(found["gpt"], term).value == pytest.approx(mean, abs=1e-12)
    gpt = found["gpt"]
    assert gpt.difference.value == pytest.approx(gpt.kappa.value - gpt.people.value, abs=1e-12)
    assert gpt.n == gpt.kappa.n == gpt.difference.n == 200
    assert any("gpt is compared with 2 of 6 pairs of people" in line for line in found.remarks)


# --- labels -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cell", [None, math.nan, "", " ", "NA", "n/a", "NaN", "None", "null", "#N/A", " NA "])
def test_missing_labels_are_empty_or_spelled_and_counted(in_file, cell):
    expected = qassay.rater_agreement(first_label(None), BOTH)
    for data in (first_label(cell), in_file(first_label(cell))):
        found = qassay.rater_agreement(data, BOTH)
        assert found.alpha == expected.alpha and found.missing == 1 and found.labels == (1.0, 2.0, 3.0)
        assert found.remarks in ((FEW,), (f"1 cell such as {str(cell).strip()!r}: no label", FEW))


def test_a_few_words_among_numbers_are_refused(in_file):
    odd = {**PAIR, "ann": [*PAIR["ann"][:7], "refused", *PAIR["ann"][8:]]}
    for data, raters in ((odd, BOTH), (in_file(odd), BOTH), (rows_of(odd), ())):
        with pytest.raises(qassay.InputError, match="row 7: 'refused' of ann is not a number, and most others are"):
            qassay.rater_agreement(data, raters)


def test_words_have_no_order():
    words = {"ann": ["yes", "no", "no", "not sure"] * 5, "bob": [" yes", "no ", "yes", "No"] * 5}
    found = qassay.rater_agreement(words, BOTH)
    assert found.labels == ("No", "no", "not sure", "yes")
    assert "labels that differ only in case are different labels: 'no' and 'No'" in found.remarks
    for weights in ("linear", "quadratic"):
        with pytest.raises(ValueError, match="no known order; give numbers, or weights='none'"):
            qassay.rater_agreement(words, BOTH, weights=weights)


@pytest.mark.parametrize("mark", [2.5, 9, -1])
def test_judges_do_not_change_the_scale_of_people(mark):
    alone = qassay.rater_agreement(PAIR, BOTH)
    found = qassay.rater_agreement({**PAIR, "gpt": first_label(mark)["ann"]}, BOTH, judges="gpt")
    assert found.labels == alone.labels and found.scale == "ordinal"
    assert (found.kappa, found.alpha) == (alone.kappa, alone.alpha)
    assert f"1 label such as {mark:g} only judges gave: the scale and its steps are those of people" in found.remarks
    assert found["gpt"].people.value == pytest.approx(alone.kappa.value) and found["gpt"].kappa.value < 1


def test_tables_have_ids_arrays_series_and_names_of_any_kind(pd):
    expected = qassay.rater_agreement(PAIR, BOTH).alpha
    assert qassay.rater_agreement({"id": IDS, **PAIR}, BOTH).alpha == expected
    for kind in (np.array, lambda cells: pd.Series(cells, dtype="Int64")):
        assert qassay.rater_agreement({name: kind(cells) for name, cells in PAIR.items()}, BOTH).alpha == expected
    assert qassay.rater_agreement({**PAIR, 9: PAIR["ann"]}, BOTH, judges=9)["9"].n == 20
    spaced = rows_of({f" {name} ": cells for name, cells in PAIR.items()})
    assert list(qassay.rater_agreement(spaced, ["ann", " bob"]).people) == BOTH


ROWS = [{"id": row, "rater": name, "label": row % 2} for row in range(20) for name in PEOPLE]


@pytest.mark.parametrize(
    ("message", "data", "arguments"),
    [
        ("no rater 'an' (did you mean 'ann'?)", ROWS, {"raters": ["an", "bob"]}),
        ("in rows 0 and 60", [*ROWS, ROWS[0]], {}),
        (
            "rows 0 and 1 are of one item in the groups 'a' and 'b'",
            [{**of, "group": "ab"[of["rater"] == "bob"]} for of in ROWS],
            {},
        ),
        ("the label ['a'] of ann is neither", first_label(["a"]), {"raters": BOTH}),
        ("row 0: rater is empty", [{**ROWS[0], "rater": ""}, *ROWS[1:]], {}),
        ("people are ann; give the labels of at least two", ROWS, {"raters": "ann"}),
        ("both as a person and as a judge", ROWS, {"raters": PEOPLE, "judges": "ann"}),
        ("no judge 'model'", ROWS, {"judges": "model"}),
        ("labelled 4 items", ROWS[:12], {}),
        ("say which columns", PAIR, {}),
        ("no known order", {"ann": ["a", "b"] * 10, "bob": ["b"] * 20}, {"raters": BOTH, "scale": "ordinal"}),
        ("margin must be", ROWS, {"margin": -1}),
        ("scale", ROWS, {"scale": "ratio"}),
        ("row 0: 'inf' of ann is not a number", first_label("inf"), {"raters": BOTH}),
        ("row 0: the label inf of ann is neither", first_label(math.inf), {"raters": BOTH}),
        ("row 0: the label [1] of ann is neither", first_label([1]), {"raters": BOTH}),
        ("column id[1] repeats the id 'q0' of row 0", {"id": ["q0", *IDS[:-1]], **PAIR}, {"raters": BOTH}),
        ("ann 20, bob 19", {**PAIR, "bob": PAIR["bob"][1:]}, {"raters": BOTH}),
        ("no column 'nosuch'", PAIR, {"raters": BOTH, "columns": {"ids": "nosuch"}}),
        ("no column 'bo' (did you mean 'bob'?)", {**PAIR, "user": ["x"] * 20}, {"raters": ["ann", "bo"]}),
    ],
)
def test_refused_tables(message, data, arguments):
    with pytest.raises(ValueError) as error:
        qassay.rater_agreement(data, **arguments)
    assert message in str(error.value)
