"""The summary of a result in a few sentences."""

import pytest

import qassay
from qassay.results import document
from qassay.results.text import render

GOLD = {f"q{row}": [str(row)] for row in range(120)}


def systems(**right):
    return {
        name: qassay.score(
            "answer_match", {key: key[1:] if row % 10 < n else "wrong" for row, key in enumerate(GOLD)}, GOLD
        )
        for name, n in right.items()
    }


@pytest.mark.parametrize(
    ("right", "words"),
    [
        ({"small": 2, "large": 8}, ("large is better than small", "better on 72, worse on 0 and equal on 48")),
        ({"large": 8, "small": 2}, ("large is better than small", "better on 72, worse on 0 and equal on 48")),
        ({"a": 5, "b": 5}, ("do not differ significantly", "could be chance")),
    ],
)
def test_a_pair_has_a_verdict(right, words):
    text = render(document(systems(**right), "compare", n_permutations=200), "summary")
    assert all(word in " ".join(text.split()) for word in words) and "answer_match|" in text
    assert max(map(len, text.splitlines()[:4])) <= 100


def test_where_a_system_is_behind_is_named():
    labels = ["near" if row % 10 < 5 else "far" for row in range(120)]
    found = document(systems(small=5, large=9), "compare", by={"place": labels}, n_permutations=200)
    assert "In place = far, small is behind by 0.8000 on 60" in render(found, "summary")


def test_values_and_boards():
    text = render(document(systems(small=2, large=8), percent=True), "summary")
    assert "small: Exact match 20.00" in text and "Errors of large: no shared word (24)" in text
    board = document(systems(a=2, b=8, c=8), "leaderboard", measures=["f1"], n_permutations=200)
    assert "b leads by F1, 0.8000" in render(board, "summary") and ": c." in render(board, "summary")


def test_the_command_prints_it_and_others_do_not(tmp_path, capsys):
    from qassay.cli import main

    for name, text in (("gold", '{"a": ["x"]}'), ("s", '{"a": "x"}')):
        (tmp_path / f"{name}.json").write_text(text)
    files = [str(tmp_path / f"{name}.json") for name in ("gold", "s")]
    assert main(["score", *files, "--format", "summary"]) == 0
    assert "s: Exact match 1.0000" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["calibrate", *files, "--format", "summary"])
    assert "summary" in capsys.readouterr().err
