"""Seeded inputs and readings that several files of golden cases share."""

import contextlib
import io
import os
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = ROOT / "samples"

WORDS = (
    "the of in and an a Denver Broncos Santa Clara California 1976 golden gate bridge Levi's Stadium San Francisco Bay "
    "Zürich Île-de-France 3.14 1,000 twenty-one U.S. naïve cafe café 北京 東京タワー Ελλάδα москва 50% 12:30 don't"
).split()


def rng(name: str) -> random.Random:
    """A generator of its own for each kind of input, so that a new case changes no other."""
    return random.Random(f"golden {name}")


def answers(n: int, name: str = "answers", empty: float = 0.15) -> tuple[list[str], list[list[str]]]:
    """Predictions of one to five words and one to three gold answers each; about a third are right, some have none."""
    draw = rng(name)
    predictions, references = [], []
    for _ in range(n):
        golds = [" ".join(draw.choices(WORDS, k=draw.randrange(1, 5))) for _ in range(draw.randrange(1, 4))]
        references.append([] if draw.random() < empty else golds)
        kind, gold = draw.random(), draw.choice(golds)
        if kind < 0.3:
            answer = draw.choice([gold, gold.upper(), f"the {gold}.", f" {gold} ,", gold.replace(" ", "  ")])
        elif kind < 0.6:
            answer = " ".join([*gold.split()[: draw.randrange(1, 4)], *draw.choices(WORDS, k=draw.randrange(3))])
        elif kind < 0.7:
            answer = ""
        else:
            answer = " ".join(draw.choices(WORDS, k=draw.randrange(1, 6)))
        predictions.append(answer)
    return predictions, references


def groups_of(n: int, name: str = "groups", among: int = 9) -> list[str]:
    """A group for each of n examples."""
    draw = rng(name)
    return [f"g{draw.randrange(among)}" for _ in range(n)]


def weights_of(n: int, name: str = "weights") -> list[float]:
    """Weights of n examples, a few of them 0."""
    draw = rng(name)
    return [draw.choice([0, 0.5, 1, 2, 3.25]) for _ in range(n)]


def columns_for(n: int, *names: str) -> dict[str, dict[str, Any]]:
    """Weights and groups of n examples, by what they are: those with these names, else the usual ones."""
    every: dict[str, dict[str, Any]] = {
        "plain": {},
        "weights": {"weights": weights_of(n)},
        "groups": {"groups": groups_of(n)},
        "weights and groups": {"weights": weights_of(n), "groups": groups_of(n)},
        "whole weights": {"weights": [row % 4 for row in range(n)]},
        "all weights 3": {"weights": [3] * n},
        "pairs": {"groups": [f"g{row // 2}" for row in range(n)]},
        "groups of one": {"groups": [f"g{row}" for row in range(n)]},
        "three groups": {"groups": [f"g{row % 3}" for row in range(n)]},
        "four groups": {"groups": [f"g{row % 4}" for row in range(n)]},
    }
    return {name: every[name] for name in names or list(every)[:4]}


def named_options(texts: str) -> dict[str, dict[str, Any]]:
    """Of "depth=4, judged_only; ties=best": options by the texts that say them; what has no value is True."""
    found: dict[str, dict[str, Any]] = {}
    for text in texts.split("; "):
        pairs = (part.partition("=") for part in text.split(", "))
        found[text] = {name: _value(value) if equals else True for name, equals, value in pairs}
    return found


def _value(text: str) -> int | float | str:
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text


def of_scores(scores: Any) -> dict[str, Any]:
    """What is frozen of a Scores: columns by example, subsets, values, counts, notes, signature."""
    columns = {}
    table = scores.per_example()
    if isinstance(scores.ids, range):
        del table["id"]
    for name, column in table.items():
        values = column if isinstance(column, list) else np.asarray(column).tolist()
        columns[name] = [value if isinstance(value, (int, float, list)) else str(value) for value in values]
    return {
        "columns": columns,
        "summary": scores.summary(),
        "counts": scores.counts(),
        "signature": scores.signature(),
        "short": scores.signature(short=True),
    }


def of_values(scores: Any) -> dict[str, Any]:
    """Values and signature of a Scores, without its columns."""
    return {"summary": scores.summary(), "signature": scores.signature()}


def of_intervals(intervals: Any) -> dict[str, Any]:
    """Measure -> low, high, method."""
    return {name: [*ends, ends.method] for name, ends in intervals.items()}


def command(arguments: Iterable[str]) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of the command line, run in this process from the top folder."""
    from qassay.cli import main

    out, err, before = io.StringIO(), io.StringIO(), Path.cwd()
    width = os.environ.pop("COLUMNS", None)  # which makes tables narrower
    os.chdir(ROOT)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main([str(argument) for argument in arguments])
    finally:
        os.chdir(before)
        if width is not None:
            os.environ["COLUMNS"] = width
    return int(status or 0), out.getvalue(), err.getvalue()


def of_columns(scores: Any, *names: str) -> dict[str, Any]:
    """The named columns by example (none named: all but ids), and the signature; shorter than `of_scores`."""
    table = scores.per_example()
    chosen = names or [
        name for name in table if name not in ("id", "weight", "group", "missing", "has_answer", "no_answer")
    ]
    columns = {name: (np.asarray(table[name]) * 1).tolist() for name in chosen}  # True as 1
    return {**columns, "signature": scores.signature()}


def of_measures(scores: Any, *names: str) -> list[float]:
    """The values of the named measures (none named: all), in one list."""
    return [*scores.summary(names or None).values()]
