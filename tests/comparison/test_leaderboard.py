"""`qassay.leaderboard`: what it takes and refuses, slices, remarks, and how it is shown."""

import numpy as np
import pytest

import qassay

FEW = {"n_resamples": 60, "n_permutations": 200}
IDS = [f"q{n}" for n in range(30)]
GOLD = {name: ["yes"] for name in IDS}


def system(right, ids=IDS):
    """A system that is right in the first `right` questions of `IDS`."""
    answers = {name: "yes" if IDS.index(name) < right else "no" for name in ids}
    return qassay.score("answer_match", answers, {name: GOLD[name] for name in ids})


@pytest.fixture(scope="module")
def three():
    return {"fair": system(20), "sharp": system(28), "blunt": system(3)}


def test_it_ranks_by_the_usual_measures(three):
    board = qassay.leaderboard(three, **FEW)
    assert board.measures == ["exact_match", "f1", "contains"]
    assert board.names == ["sharp", "fair", "blunt"]
    assert board.rankings["f1"].n == 30
    assert board.unmatched == dict.fromkeys(three, 0)
    assert [of.value for of in board.rankings["f1"].systems] == [28 / 30, 20 / 30, 0.1]
    assert board.rankings["f1"].systems[0].interval == three["sharp"].interval(names=["f1"])["f1"]
    assert qassay.leaderboard(three, "recall", **FEW).measures == ["recall"]


def test_slices_are_rankings_of_their_examples(three):
    labels = ["early"] * 10 + ["late"] * 20
    board = qassay.leaderboard(three, ["exact_match"], {"part": labels}, **FEW)
    assert list(board.slices["part"]) == ["early", "late"]
    alone = {name: scores.take(np.arange(10, 30)) for name, scores in three.items()}
    late = board.slices["part"]["late"]["exact_match"]
    assert late.to_dict() == qassay.leaderboard(alone, ["exact_match"], **FEW).rankings["exact_match"].to_dict()
    assert [of.system for of in late.systems] == ["sharp", "fair", "blunt"]
    frame = board.to_pandas()
    assert len(frame) == 9
    assert frame[frame.label == "late"].value.tolist() == [of.value for of in late.systems]


def test_groups_of_labels_by_id_and_few_groups_are_reported(three):
    board = qassay.leaderboard(three, "f1", groups={name: place % 5 for place, name in enumerate(IDS)}, **FEW)
    assert board.rankings["f1"].n_groups == 5
    assert board.rankings["f1"].cautions == ("too_few_groups",)
    assert any("fewer than 6 groups" in line for line in board.remarks)


def test_systems_with_different_questions_are_refused_or_cut_to_the_common_ones(three):
    systems = {**three, "late": system(20, IDS[3:]), "early": system(20, IDS[:-2])}
    told = (
        r"the systems have different questions: late lacks 3 of 30, such as 'q0', 'q1'.*; early lacks 2 of 30, such as "
        r"'q28', 'q29'; common=True ranks them by the 25 that all have"
    )
    with pytest.raises(ValueError, match=told):
        qassay.leaderboard(systems, **FEW)
    board = qassay.leaderboard(systems, "f1", common=True, **FEW)
    assert board.rankings["f1"].n == 25
    assert board.unmatched == {"fair": 5, "sharp": 5, "blunt": 5, "late": 2, "early": 3}


def test_what_it_refuses(three):
    with pytest.raises(ValueError, match="two or more systems; got 1: sharp"):
        qassay.leaderboard({"sharp": three["sharp"]})
    with pytest.raises(ValueError, match="up to 100 systems; got 101"):
        qassay.leaderboard({str(n): three["sharp"] for n in range(101)})
    with pytest.raises(ValueError, match="level must be between 0 and 1"):
        qassay.leaderboard(three, level=95)
    with pytest.raises(ValueError, match="no measure 'f2'"):
        qassay.leaderboard(three, "f2")
    with pytest.raises(ValueError, match="total is a count"):
        qassay.leaderboard(three, "total")
    with pytest.raises(ValueError, match="no example is in all systems"):
        qassay.leaderboard({"a": system(2, IDS[:9]), "b": system(2, IDS[9:])}, common=True)
    with pytest.raises(TypeError, match="must be a dict name -> Scores"):
        qassay.leaderboard(list(three.values()))


def test_a_hundred_systems():
    rng = np.random.default_rng(0)
    systems = {f"s{place}": system(int(right)) for place, right in enumerate(rng.integers(0, 31, 100))}
    ranking = qassay.leaderboard(systems, "f1", **FEW).rankings["f1"]
    assert ranking.p_values.shape == (100, 100)
    assert all(of.letters for of in ranking.systems)


def test_it_is_printed_as_a_table(three):
    board = qassay.leaderboard(three, "f1", **FEW)
    lines = str(board).splitlines()
    assert lines[0] == "f1 (30 examples)"
    assert lines[1].split() == ["rank", "ranks", "system", "f1", "95", "%", "interval", "letters", "best"]
    assert lines[2].split() == ["1", "1", "sharp", "0.9333", "0.7868", "to", "0.9815", "a", "1.000"]
    assert repr(board) == "<Leaderboard of 3 systems on 30 examples by f1: sharp 0.9333, fair 0.6667, blunt 0.1000>"


def test_a_notebook_shows_it_with_names_escaped(three):
    board = qassay.leaderboard({**three, "<b>": three["fair"]}, "f1", **FEW)
    html = board._repr_html_()
    assert "<td>0.9333 (0.7868 to 0.9815) a</td>" in html
    assert "&lt;b&gt;" in html and "<b>" not in html


def test_a_measure_of_no_example_is_refused_by_name_or_omitted():
    """no_answer_f1 if every question has an answer: its value is not 0.0."""
    systems = {name: qassay.score("answer_match", [name, "b", "b"], [["a"], ["b"], ["c"]]) for name in "ab"}
    assert "no_answer_f1" in systems["a"].measures
    fast = {"n_resamples": 20, "n_permutations": 20}
    with pytest.raises(ValueError, match="applies to no example that all systems have: no_answer_f1; omit it"):
        qassay.leaderboard(systems, ["f1", "no_answer_f1"], **fast)
    board = qassay.leaderboard(systems, "all", **fast)
    assert "f1" in board.rankings and "no_answer_f1" not in board.rankings
    assert any(line.startswith("applies to no example") and "no_answer_f1" in line for line in board.remarks)
