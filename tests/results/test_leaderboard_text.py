"""A leaderboard as a report in each form."""

import pytest

import qassay
from qassay.cli import main


def scores_of(n_systems=3, n=40):
    """Systems, each right more often than the one before."""
    golds = [[str(place)] for place in range(n)]
    systems = {}
    for system in range(n_systems):
        right = n * (system + 1) // (n_systems + 1)
        given = [str(place) if (place * 7) % n < right else "?" for place in range(n)]
        systems[f"s{system}"] = qassay.score("answer_match", given, golds)
    return systems


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
