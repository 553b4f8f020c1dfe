"""The evaluate module factoid_accuracy: loading, input forms, options, batches, and its card."""

import json
from pathlib import Path

import pytest

import qassay

FOLDER = Path(__file__).resolve().parents[2] / "metrics" / "factoid_accuracy"
SAMPLES = FOLDER.parents[1] / "samples" / "factoid"
GOLD, SYSTEM = (json.loads((SAMPLES / f"{name}.json").read_text("utf-8")) for name in ("gold", "hasty"))
SUMMARY = qassay.score("factoid_accuracy", SYSTEM, GOLD).summary()


@pytest.fixture(scope="module")
def metric(evaluate):
    return evaluate.load(str(FOLDER))


def test_whole_files_and_their_rows(metric):
    for system, gold in ((SYSTEM, GOLD), (SYSTEM["questions"], GOLD["questions"])):
        assert metric.compute(predictions=system, references=gold) == SUMMARY


def card(start, end):
    text = (FOLDER / "README.md").read_text("utf-8")
    return text[text.index(start) : text.index(end)]


def test_the_table_of_versions(metric):
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in card("#### Versions", "Version 2 reads").splitlines()
    ]
    shown = {int(row[0]): row for row in rows if row and row[0].isdigit()}
    assert list(shown) == [9, 8, 5, 3, 2]
    gold = [f"d{number}" for number in range(20)]
    divisors = {"min(10, gold documents)": 10, "10": 10, "gold documents": 20}
    for version, row in shown.items():
        several = [["x", "dog"]] if row[3] == "nested" else ["x", "dog"]
        result = metric.compute(predictions=[several], references=[["dog"]], version=version)
        assert result["lenient_accuracy"] == float(row[2] == "all names count")
        result = metric.compute(predictions=[gold[:5]], references=[gold], phase="A", version=version)
        assert result["map"] == pytest.approx(5 / divisors[row[4]], rel=1e-14)
        result = metric.compute(predictions=[["d0"]], references=[["d0", "d1"]], phase="A", version=version)
        assert result["map"] == pytest.approx(1 / (10 if row[4] == "10" else 2), rel=1e-14)


def test_the_type_of_batches_by_id_is_known_at_the_end(metric):
    for options, expected in (({"question_type": "list"}, (0, 1)), ({}, (1, 0))):
        metric.add_batch(predictions={"a": ["dog"]}, references={"a": ["dog"]})
        result = metric.compute(**options)
        assert (result["factoid_total"], result["list_total"]) == expected
    result = metric.compute(predictions={"a": "yes"}, references={"a": "yes"}, question_types=["yesno"])
    assert result["yesno_accuracy"] == 1.0
