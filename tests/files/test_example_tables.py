"""The tables of examples of two runs can be put together: their types do not depend on what was scored."""

import csv
import json
import re

import pyarrow as pa
import pytest
from pyarrow import parquet

from qassay.files.example_tables import joined_examples, write_examples
from qassay.files.score_files import open_files, score_golds

STATISTICS = {"double", "bool"}
TEXTS = {"string", "list<element: string>", "list<item: string>"}
NUMBERS = {"list<element: double>", "list<item: double>"}  # scores of boxes and of classes


def schema_of(folder, family, options, gold, system):
    given = open_files(family, str(gold), [] if system is None else [str(system)], {})
    scored = score_golds(given.golds, given.files, options={family: options})
    path = folder / f"{len(list(folder.iterdir()))}.parquet"
    write_examples(str(path), joined_examples(scored))
    return parquet.read_table(path)


@pytest.mark.parametrize(
    ("family", "options", "first", "second"),
    [
        ("answer_match", {}, [{"id": 7, "prediction": "x", "gold": ["x"]}], [{"id": "b", "prediction": "", "gold": []}]),
        ("answer_match", {"top_k": 2}, [{"id": 1, "prediction": ["x", "y"], "gold": ["x"]}],
         [{"id": "b", "prediction": [], "gold": ["z"]}]),
        ("average_precision", {}, [{"label": 1, "score": {"1": 1, "2": 0}}], [{"label": "a", "score": {"a": 0.5, "b": 0}}]),
        ("retrieval_ranking", {}, [{"query": 1, "document": 2, "score": 1, "relevance": 0}],
         [{"query": "a", "document": "b", "score": 0.5, "relevance": 1}]),
    ],
)  # fmt: skip
def test_types_do_not_depend_on_the_values(tmp_path, family, options, first, second):
    tables = []
    for name, rows in (("a.json", first), ("b.json", second)):
        (tmp_path / name).write_text(json.dumps(rows), encoding="utf-8")
        tables.append(schema_of(tmp_path, family, options, tmp_path / name, None))
    assert tables[0].schema == tables[1].schema and len(pa.concat_tables(tables)) == 2
    types = {field.name: str(field.type) for field in tables[0].schema}
    assert types.pop("id") == "string" and set(types.values()) <= STATISTICS | TEXTS | NUMBERS


def test_a_detail_has_the_type_of_its_column_in_the_gold_file(tmp_path):
    rows = [
        {"id": "a", "gold": ["x"], "prediction": "x", "year": 2019, "share": 1, "late": None, "big": 2**70, "odd": 1},
        {"id": "b", "gold": ["x"], "prediction": "x", "year": None, "share": 0.5, "late": None, "big": 3, "odd": "y"},
    ]
    (tmp_path / "t.json").write_text(json.dumps(rows), encoding="utf-8")
    types = {f.name: str(f.type) for f in schema_of(tmp_path, "answer_match", {}, tmp_path / "t.json", None).schema}
    assert [types[name] for name in ("year", "share", "late", "big", "odd")] == [
        "int64", "double", "string", "string", "string",
    ]  # fmt: skip
    (tmp_path / "p.json").write_text('{"b": "x"}', encoding="utf-8")
    options = {"missing": "skip"}  # the row that is left has no year
    left = schema_of(tmp_path, "answer_match", options, tmp_path / "t.json", tmp_path / "p.json")
    assert {field.name: str(field.type) for field in left.schema} == types
    assert left.column("year").to_pylist() == [None]


def test_a_detail_that_json_has_no_number_for(tmp_path):
    (tmp_path / "t.json").write_text('[{"gold": ["x"], "prediction": "x", "v": Infinity, "w": NaN}]', encoding="utf-8")
    given = open_files("answer_match", str(tmp_path / "t.json"), [], {})
    scored = score_golds(given.golds, given.files)
    write_examples(str(tmp_path / "t.jsonl"), joined_examples(scored))
    row = json.loads((tmp_path / "t.jsonl").read_text("utf-8"), parse_constant=pytest.fail)
    assert (row["v"], row["w"]) == ("inf", None)


def test_lists_in_csv_are_json(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"label": ["a", "é"], "prediction": ["b"]}\n', encoding="utf-8")
    given = open_files("label_metrics", str(tmp_path / "t.jsonl"), [], {})
    write_examples(
        str(tmp_path / "t.csv"),
        joined_examples(score_golds(given.golds, given.files, options={"label_metrics": {"task": "multi"}})),
    )
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert json.loads(row["fn"]) == json.loads(row["reference"]) == ["a", "é"] and row["tp"] == "[]"
    assert not re.search("'", row["reference"])


@pytest.mark.parametrize(
    ("metric", "name"), [("answer_match", "prediction"), ("factoid_accuracy", "mine"), ("label_metrics", "answer")]
)
def test_the_prediction_occurs_once(tmp_path, metric, name):
    path = tmp_path / "t.csv"
    path.write_text(f"id,gold,{name},lang\n1,a,first,en\n2,b,second,de\n")
    columns = {"predictions": name, "references": "gold"}
    given = open_files(metric, str(path), [str(path)], columns)
    scored = score_golds(given.golds, given.files)
    table = joined_examples(scored)
    assert [n for n, (_, cells) in table.items() if cells in (["first", "second"], [["first"], ["second"]])] == [
        "prediction"
    ]
    assert table["lang"] == ("string", ["en", "de"])
