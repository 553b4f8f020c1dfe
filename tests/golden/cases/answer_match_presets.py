"""answer_match: every preset, each on rows made for it, as `benchmarks/rows.py` makes them."""

import sys
from collections.abc import Iterator
from typing import Any

from _inputs import ROOT, of_columns, of_values, weights_of

import qassay
from qassay.core.text import MKQA_LANGUAGES

sys.path.insert(0, str(ROOT))
from benchmarks import goldens  # noqa: E402
from benchmarks import rows as made_rows  # noqa: E402

SEED, N = 77, 40  # not the seed of tests/data/presets, whose rows the official programs scored
PRESETS = [name for name in goldens.PRESETS if not name.startswith("mkqa:")]

AMOUNTS: list[tuple[Any, ...]] = [  # of TAT-QA: answer, its scale, gold answer, its scale, kind of question
    ("0.2342", "", "23.42", "percent", "arithmetic"), ("23.42%", "", "23.42", "percent", "arithmetic"),
    ("23.42", "percent", "23.42", "percent", "arithmetic"), ("23.42", "", "23.42", "percent", "arithmetic"),
    ("1.5 million", "", "1.5", "million", "span"), ("1500", "thousand", "1.5", "million", "span"),
    ("(12)", "", "-12", "", "arithmetic"), ("$12.345", "", "12.35", "", "arithmetic"),
    ("12.344", "", "12.34", "", "arithmetic"),
    ("3", "", "3", "", "count"), ("3.0", "", "3", "", "count"), ("4", "", "3", "", "count"),
    (".5", "", ".5", "", "span"),
    (["b 2", "a"], "", ["a", "2 b"], "", "multi-span"), (["a"], "million", ["a"], "", "multi-span"),
    ("", "", "the", "", "span"),
    ("2 hundred", "", "200", "", "span"), ("the sales", "", "sales of a year", "", "span"),
    (None, "", "sales", "", "span"),
]  # fmt: skip

MORE: dict[str, list[tuple[str | None, Any]]] = {  # what the rows above do not tell apart
    "gaia": [
        ("apples", ["inf"]), ("inf", ["inf"]), ("nan", ["nan"]), ("$1,000%", ["1000"]), ("a,b", ["a;b"]),
        ("a, b, c", ["a,b"]), ("", []),
        ("x", []), ("a.", ["a"]), ("a., b", ["a, b"]), ("1, b", ["1.0; B"]), (None, ["None"]),
    ],
    "asqa": [
        ("in Ro]me [1][2] it |\nParis", [["Rome"], ["Paris"]]), ("Romeo [12", [["Rome", "x"], ["12"]]),
        ("x", [["the"], ["!"]]),
        ("\nRome", [["Rome"]]), (" [x] Rome.", [["x rome"]]),
    ],
    "docvqa": [
        ("ab", ["ac"]), ("ac", ["ab "]), ("Invoice  12", ["invoice 17", "12"]), ("", [" "]),
        ("abc", ["xyz", "abcdef"]), ("STRASSE", ["straße"]),
    ],
    "coqa": [("Yes", ["no", "No.", "yes"]), ("", ["the", "a"]), ("x", ["x"])],
}  # fmt: skip

OVERRIDES: dict[str, dict[str, Any]] = {  # options that change a preset
    "search_r1": {"unextracted": "whole", "contains": "token"},
    "flashrag": {"whole_answers": ("no",), "empty_f1": 1},
    "dpr": {"top_k": (2, 3)},
    "fquad": {"normalizer": "french"},
    "jsquad": {"unit": "token"},
    "nq_open": {"extract": "last_line"},
    **dict.fromkeys(("kilt", "coqa", "asqa"), {"normalizer": "none"}),
}


def columns_of(name: str, n: int = N) -> dict[str, Any]:
    """The rows of a preset, with some predictions missing where they have no ids."""
    columns = made_rows.columns_of(goldens.PRESETS[name].rows, SEED, n)
    if not isinstance(columns["predictions"][0], dict):
        for row in (0, 1, 26, 27):  # pairs, as in MuSiQue
            columns["predictions"][row] = None
    return columns


def cases() -> Iterator[tuple[str, Any]]:
    for name in PRESETS:
        columns = columns_of(name)
        yield name, of_columns(qassay.score("answer_match", **columns, preset=name))
        for case, options in {"values": {}, "skip": {"missing": "skip"}, "weights": {"weights": weights_of(N)}}.items():
            yield f"{name}/{case}", of_values(qassay.score("answer_match", **columns, preset=name, **options))
        yield f"{name}/many", of_values(qassay.score("answer_match", **columns_of(name, 160), preset=name))
    for name, options in OVERRIDES.items():
        yield f"{name}/changed", of_values(qassay.score("answer_match", **columns_of(name), preset=name, **options))
    for name, pairs in MORE.items():
        predictions, references = (list(column) for column in zip(*pairs, strict=True))
        yield f"{name}/more", of_columns(qassay.score("answer_match", predictions, references, preset=name))
    own, scale, golds, gold_scale, kind = (list(column) for column in zip(*AMOUNTS, strict=True))
    details = {"gold_details": {"scale": gold_scale, "answer_type": kind}, "predicted_details": {"scale": scale}}
    yield "tatqa/amounts", of_columns(qassay.score("answer_match", own, golds, preset="tatqa", **details))
    rows = made_rows.columns_of("multilingual", SEED, N)
    for language in MKQA_LANGUAGES:
        found = qassay.score("answer_match", **rows, preset=f"mkqa:{language}")
        yield f"mkqa:{language}", of_columns(found, "exact_match", "f1", "abstained")
        yield (
            f"mkqa:{language}/values",
            found.summary(["exact_match", "f1", "best_f1", "best_f1_threshold", "no_answer_f1"]),
        )
