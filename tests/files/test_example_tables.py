"""The tables of examples, as CSV and JSONL."""

import csv
import json

import pytest

from qassay.files.example_tables import joined_examples, write_examples
from qassay.files.score_files import open_files, score_opened


def table_of(path, metric, columns=None, **options):
    given = open_files(metric, str(path), [], columns or {})
    return joined_examples(score_opened(given, options={metric: options}))


def test_a_detail_that_json_has_no_number_for(save):
    path = save("t.json", '[{"gold": ["x"], "prediction": "x", "v": Infinity, "w": NaN}]')
    write_examples(str(path), table_of(path, "answer_match"))
    (row,) = (json.loads(line, parse_constant=pytest.fail) for line in path.read_text("utf-8").splitlines())
    assert (row["v"], row["w"]) == ("inf", None)


def test_lists_in_csv_are_json(save, tmp_path):
    path = save("t.jsonl", '{"label": ["a", "é"], "prediction": ["b"]}\n')
    write_examples(str(tmp_path / "t.csv"), table_of(path, "label_metrics", task="multi"))
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert json.loads(row["fn"]) == json.loads(row["reference"]) == ["a", "é"] and row["tp"] == "[]"


@pytest.mark.parametrize(
    ("metric", "name"), [("answer_match", "prediction"), ("factoid_accuracy", "mine"), ("label_metrics", "answer")]
)
def test_the_prediction_occurs_once(save, metric, name):
    path = save("t.csv", f"id,gold,{name},lang\n1,a,first,en\n2,b,second,de\n")
    table = table_of(path, metric, {"predictions": name, "references": "gold"})
    both = [["first", "second"], [["first"], ["second"]]]
    assert [name for name, cells in table.items() if cells in both] == ["prediction"]
    assert table["lang"] == ["en", "de"]
