"""Several data sets at once: macro means, their intervals and mean ranks, against plain numpy; what is refused or said."""

import numpy as np
import pytest

import qassay
from qassay.stats.data_sets import DATA_SET


def scored(rng, n, share, mean):
    values = {"right": rng.random(n) < share, "score": np.clip(rng.normal(mean, 0.1, n), 0, 1)}
    return qassay.scores_of(values, ids=[f"q{number}" for number in range(n)])


@pytest.fixture(scope="module")
def data_sets():
    rng = np.random.default_rng(1)
    return {
        "squad": {
            name: scored(rng, 300, share, mean)
            for name, share, mean in (("A", 0.6, 0.5), ("B", 0.75, 0.6), ("C", 0.6, 0.5))
        },
        "nq": {
            name: scored(rng, 60, share, mean)
            for name, share, mean in (("B", 0.4, 0.3), ("D", 0.3, 0.2), ("C", 0.3, 0.3), ("A", 0.3, 0.3))
        },
    }


def test_the_macro_mean_and_its_interval_are_those_of_a_stratified_sample(data_sets):
    board = qassay.leaderboard(data_sets, "score")
    for ranked in board.rankings["score"].systems:
        columns = [of[ranked.system].columns["score"] for of in data_sets.values()]
        assert ranked.value == pytest.approx(np.mean([column.mean() for column in columns]), abs=1e-12)
        error = np.sqrt(sum(column.var(ddof=1) / len(column) for column in columns)) / len(columns)
        assert np.ptp(ranked.interval) == pytest.approx(2 * 1.96 * error, rel=0.03)
        assert board.slices[DATA_SET]["nq"]["score"].n == 60
        nq = {of.system: of.value for of in board.slices[DATA_SET]["nq"]["score"].systems}
        assert nq[ranked.system] == pytest.approx(data_sets["nq"][ranked.system]["score"], abs=1e-12)


def test_mean_ranks_are_the_means_of_the_ranks_and_lie_in_their_intervals(data_sets):
    board = qassay.leaderboard(data_sets, ["right", "score"])
    for measure, rows in board.mean_ranks.items():
        for row in rows:
            ranks = []
            for of in data_sets.values():
                values = {name: of[name][measure] for name in "ABC"}
                larger = sum(value > values[row.system] for value in values.values())
                ranks.append(larger + (1 + sum(value == values[row.system] for value in values.values())) / 2)
            assert row.value == np.mean(ranks)
            assert 1 <= row.low <= row.value <= row.high <= 3
    assert board.mean_ranks["score"][0].system == "B"
    again = qassay.leaderboard({name: dict(reversed(of.items())) for name, of in data_sets.items()}, ["right", "score"])
    assert {row for rows in again.mean_ranks.values() for row in rows} == {
        row for rows in board.mean_ranks.values() for row in rows
    }


def test_two_runs_of_equal_values_beside_systems_of_one_run_have_the_mean_rank_of_one(data_sets):
    turned = {  # the same values for other examples
        name: qassay.scores_of({key: of["A"].columns[key][::-1] for key in ("right", "score")}, ids=of["A"].ids)
        for name, of in data_sets.items()
    }
    twice = {name: {**of, "A": qassay.runs([of["A"], turned[name]])} for name, of in data_sets.items()}
    expected, found = (qassay.leaderboard(of, ["right", "score"]).mean_ranks for of in (data_sets, twice))
    for measure, rows in found.items():
        assert [(row.system, row.value) for row in rows] == [(row.system, row.value) for row in expected[measure]]


def test_letters_of_mean_ranks_hardly_separate_equal_systems():
    rng, false = np.random.default_rng(8), 0
    for _ in range(60):
        equal = {f"set{number}": {name: scored(rng, 40, 0.5, 0.5) for name in "ABCD"} for number in range(4)}
        rows = qassay.leaderboard(equal, "score", n_resamples=200).mean_ranks["score"]
        false += len({row.letters for row in rows}) > 1
    assert false <= 9  # at a level of 5 %, 10 or more of 60 have a chance of 0.1 %
    shares = {"A": 0.9, "B": 0.4}
    apart = {
        number: {name: scored(rng, 100, share, 0.5) for name, share in shares.items()} for number in ("one", "two")
    }
    assert [row.letters for row in qassay.leaderboard(apart, "right").mean_ranks["right"]] == ["a", "b"]


def test_a_missing_cell_is_said(data_sets, tmp_path):
    board = qassay.leaderboard(data_sets)
    assert board.names[0] == "B" and "D" not in board.systems
    assert "not ranked, since a data set is missing: D lacks squad" in board.remarks
    for ending in ("html", "md", "csv", "json"):
        board.report(tmp_path / f"board.{ending}")
    assert "nq" in (tmp_path / "board.csv").read_text("utf-8")
    assert "mean rank over the data sets by right" in (tmp_path / "board.html").read_text("utf-8")
    assert "mean rank over the data sets by right" in (tmp_path / "board.md").read_text("utf-8")


def test_the_macro_mean_of_a_ratio_and_of_groups(data_sets):
    gold = {f"q{n}": ["a"] for n in range(40)}
    answers = {"x": lambda n: "a" if n % 3 else "b", "y": lambda n: "a" if n % 5 else "b"}
    one = {
        name: qassay.score(
            "answer_match", {i: of(n) for n, i in enumerate(gold)}, gold, groups=[n // 4 for n in range(40)]
        )
        for name, of in answers.items()
    }
    two = {name: scores.take(np.arange(20)) for name, scores in one.items()}
    board = qassay.leaderboard({"one": one, "two": two}, "f1")
    assert board.rankings["f1"].n_groups == 15
    assert board.rankings["f1"].systems[0].value == pytest.approx((one["y"]["f1"] + two["y"]["f1"]) / 2)


def test_several_runs_of_each_data_set():
    rng = np.random.default_rng(3)
    each = {
        name: {of: [scored(rng, n, 0.5, 0.5) for _ in range(3)] for of in "AB"}
        for name, n in (("one", 200), ("two", 50))
    }
    data_sets = {name: {of: qassay.runs(parts) for of, parts in systems.items()} for name, systems in each.items()}
    board = qassay.leaderboard(data_sets, "score")
    for ranked in board.rankings["score"].systems:
        parts = [each[name][ranked.system] for name in each]
        values = [np.mean([run.columns["score"] for run in runs], axis=0) for runs in parts]
        assert ranked.value == pytest.approx(np.mean([value.mean() for value in values]), abs=1e-12)
        error = np.sqrt(sum(value.var(ddof=1) / len(value) for value in values)) / len(values)
        assert np.ptp(ranked.interval) >= 2 * 1.96 * error * 0.97
    assert board.systems["A"].n_runs == 3
    data_sets["two"]["A"] = each["two"]["A"][0]
    with pytest.raises(ValueError, match=r"A: .* the numbers of runs differ \(3 of one, 1 of two\)"):
        qassay.leaderboard(data_sets, "score")


def test_what_is_refused(data_sets):
    squad, nq = data_sets["squad"], data_sets["nq"]
    with pytest.raises(ValueError, match="two or more systems with scores of every data set; got 1: B lacks nq"):
        qassay.leaderboard({"squad": {"A": squad["A"], "B": squad["B"]}, "nq": {"A": nq["A"]}})
    with pytest.raises(ValueError, match="omit by and groups"):
        qassay.leaderboard(data_sets, by={"x": []})
    with pytest.raises(TypeError, match="A of the data set squad must be a Scores"):
        qassay.leaderboard({"squad": {"A": 0.5, "B": 0.6}})
    other = qassay.scores_of({"loss": [2.0] * 60}, ids=[f"q{n}" for n in range(60)])
    with pytest.raises(ValueError, match="A: its scores of the data sets cannot be joined"):
        qassay.leaderboard({"squad": squad, "nq": {**nq, "A": other}})


@pytest.mark.parametrize("measures", [None, "judge"])
def test_a_data_set_that_would_not_count_is_refused(measures):
    right = {"right": [1, 0, 1, 0]}
    full = {name: qassay.scores_of({"judge": [0.5, 1, 0, 0.5], **right}, missing="skip") for name in "AB"}
    empty = {name: qassay.scores_of({"judge": [None] * 4, **right}, missing="skip") for name in "AB"}
    with pytest.raises(ValueError, match="judge applies to no example of the data set nq that all systems have"):
        qassay.leaderboard({"squad": full, "nq": empty}, measures)
    half = qassay.scores_of({"judge": [0.5, 0.5, None, None], **right}, missing="skip")
    other = qassay.scores_of({"judge": [None, None, 0.5, 0.5], **right}, missing="skip")
    with pytest.raises(ValueError, match="judge applies to no example of the data set nq that all systems have"):
        qassay.leaderboard({"squad": full, "nq": {"A": half, "B": other}}, measures)
    assert qassay.leaderboard({"squad": full, "nq": empty}, "right").measures == ["right"]


def test_a_data_set_without_common_ids_is_refused(data_sets):
    rng = np.random.default_rng(2)
    apart = {
        name: qassay.scores_of(
            {"right": rng.random(9) < 0.5, "score": rng.random(9)}, ids=[f"{name}{n}" for n in range(9)]
        )
        for name in "ABC"
    }
    with pytest.raises(ValueError, match="the data set nq has no example that all systems have; omit the data set"):
        qassay.leaderboard({"squad": data_sets["squad"], "nq": apart}, common=True)


def test_a_data_set_given_twice_is_remarked():
    golds = [["Rome"], ["Oslo"], ["Bern"]]
    given = {"a": ["Rome", "x", "Bern"], "b": ["x", "Oslo", "x"]}
    systems = {name: qassay.score("answer_match", answers, golds) for name, answers in given.items()}
    board = qassay.leaderboard({"first": systems, "again": systems})
    assert any("first and again have the same examples" in remark for remark in board.remarks)
