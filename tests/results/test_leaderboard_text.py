"""A leaderboard as text: official numbers, and a report in each form."""

import pytest

import qassay
from qassay.cli import main
from qassay.core.file_columns import Gold
from qassay.core.interval_settings import Intervals
from qassay.files.scored import Scored, System
from qassay.registry import get_family
from qassay.results.document import board_document
from qassay.results.text import render
from qassay.stats.leaderboard import rank_scores
from qassay.stats.ranking import RankSettings

FAST = RankSettings(Intervals(n_resamples=50), n_permutations=100)


def scores_of(n_systems=3, n=40):
    """Systems, each right more often than the one before."""
    golds = [[str(place)] for place in range(n)]
    systems = {}
    for system in range(n_systems):
        right = n * (system + 1) // (n_systems + 1)
        given = [str(place) if (place * 7) % n < right else "?" for place in range(n)]
        systems[f"s{system}"] = qassay.score("answer_match", given, golds)
    return systems


def test_official_numbers_are_shown_as_they_are_printed():
    numbers = {"s0": {"YesNo Acc": "0.5", "GMAP": "1.0E-5"}, "s1": {"YesNo Acc": "0.047619047619047616"}}
    board = rank_scores(scores_of(), ("exact_match", "f1"), None, FAST)
    systems = {name: System(scores, name, {}) for name, scores in board.systems.items()}
    gold = Gold("", "", {}, {}, None, {}, metric="answer_match")
    found = board_document(Scored(get_family("answer_match"), gold, systems), board, official=numbers)
    text = render(found, "table", official="bioasq")
    assert text.startswith("official numbers (bioasq)\n") and "0.047619047619047616" in text and "1.0E-5" in text


@pytest.mark.parametrize("ending", ["html", "md", "tex", "csv", "json"])
def test_a_board_writes_its_report(tmp_path, ending):
    board = qassay.leaderboard(scores_of(), "f1", n_resamples=50, n_permutations=100)
    path = tmp_path / f"board.{ending}"
    board.report(path, title="Task of spring")
    text = path.read_text("utf-8")
    assert "s2" in text and ("Task of spring" in text or ending == "csv")
    with pytest.raises(ValueError, match="must end with one of"):
        board.report(tmp_path / "board.txt")


def test_a_page_of_rankings_has_kinds_of_errors_with_any_measures(tmp_path):
    path = tmp_path / "board.html"
    files = [f"samples/rankings/{name}" for name in ("qrels.txt", "bm25.run", "dense.run")]
    assert (
        main(["leaderboard", *files, "--measures", "ndcg@10", "map", "--questions", "count", "--output", str(path)])
        == 0
    )
    text = path.read_text("utf-8")
    assert '"relevant first"' in text and '"found, not first"' in text


def test_letters_and_brackets_are_explained(capsys):
    files = [f"samples/rankings/{name}" for name in ("qrels.txt", "bm25.run", "dense.run")]
    assert main(["leaderboard", *files, "--measures", "map", "--questions", "count"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "brackets hold for one system alone, letters for all pairs" in out
