"""A narrow terminal shows everything that a wide one shows, in further tables or lines."""

from collections import Counter
from pathlib import Path

import pytest

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
ANSWERS = [SAMPLES / "answers" / f"{name}.json" for name in ("gold", "small_model", "large_model")]
RUNS = [SAMPLES / "rankings" / name for name in ("qrels.txt", "bm25.run", "dense.run")]


@pytest.mark.parametrize("width", ["60"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["score", *ANSWERS, *ANSWERS[1:], "--by", "language"],
        ["compare", *ANSWERS, "--by", "language", "--texts", "0"],
        ["compare", *ANSWERS, *ANSWERS[1:], "--baseline", "small_model", "--texts", "0"],
        ["explain", "average_precision"],
    ],
    ids=lambda arguments: " ".join(str(part).rpartition("/")[2] for part in arguments),
)
def test_a_narrow_terminal_omits_nothing(arguments, width, run, monkeypatch):
    if arguments[0] in ("score", "compare"):
        arguments = [*arguments, "--resamples", "20"]
    monkeypatch.setenv("COLUMNS", "400")
    wide = Counter(run(*arguments).replace("-", " ").split())
    monkeypatch.setenv("COLUMNS", width)
    narrow = Counter(run(*arguments).replace("-", " ").split())  # a line may break behind a hyphen
    assert not [word for word in wide - narrow if set(word) != {"─"}]


def test_tables_keep_to_the_terminal(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    lines = run("compare", *ANSWERS, "--by", "language", "--texts", "0", "--resamples", "20").splitlines()
    rules = [line for line in lines if set(line) == {"─"}]
    assert len(rules) > 5 and max(map(len, rules)) <= 60
