"""The evaluate module factoid_accuracy: whole files, and types of batches by id; the versions on its card."""

import json
from pathlib import Path

import pytest

import qassay

ROOT = Path(__file__).resolve().parents[2]
GOLD, SYSTEM = (
    json.loads((ROOT / "samples" / "factoid" / f"{name}.json").read_text("utf-8")) for name in ("gold", "hasty")
)


def test_whole_files_and_types_that_are_known_at_the_end():
    metric = qassay.load("factoid_accuracy")
    assert metric.compute(predictions=SYSTEM, references=GOLD) == (
        qassay.score("factoid_accuracy", SYSTEM["questions"], GOLD["questions"]).summary()
    )
    for options, expected in (({"question_type": "list"}, (0, 1)), ({}, (1, 0))):
        metric.add_batch(predictions={"a": ["dog"]}, references={"a": ["dog"]})
        result = metric.compute(**options)
        assert (result["factoid_total"], result["list_total"]) == expected


def test_the_table_of_versions():
    card = (ROOT / "metrics" / "factoid_accuracy" / "README.md").read_text("utf-8")
    lines = card[card.index("#### Versions") : card.index("Version 2 reads")].splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    shown = {int(row[0]): row for row in rows if row and row[0].isdigit()}
    assert list(shown) == [9, 8, 5, 3, 2]
    gold = [f"d{number}" for number in range(20)]
    divisors = {"min(10, gold documents)": 10, "10": 10, "gold documents": 20}
    for version, row in shown.items():
        several = [["x", "dog"]] if row[3] == "nested" else ["x", "dog"]
        found = qassay.score("factoid_accuracy", [several], [["dog"]], version=version)
        assert found["lenient_accuracy"] == float(row[2] == "all names count")
        found = qassay.score("factoid_accuracy", [gold[:5]], [gold], phase="A", version=version)
        assert found["map"] == pytest.approx(5 / divisors[row[4]], rel=1e-14)
        found = qassay.score("factoid_accuracy", [["d0"]], [["d0", "d1"]], phase="A", version=version)
        assert found["map"] == pytest.approx(1 / (10 if row[4] == "10" else 2), rel=1e-14)
