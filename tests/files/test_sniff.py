"""What a file is, and what messages call it."""

import pytest

from karat.files.content import Content, Table
from karat.files.inputs import columns_of
from karat.files.sniff import sniff

ROW = {"id": "q1", "question": "?"}


def table(*rows):
    return Table(columns_of(rows), "JSON")


@pytest.mark.parametrize(
    "value, name, serves",
    [
        ({"version": "v2.0", "data": [{"paragraphs": []}]}, "squad", {"gold"}),
        (table({"_id": "a", "answer": "yes", "supporting_facts": []}), "hotpotqa", {"gold"}),
        ({"p1": {"passage": "", "qa_pairs": []}}, "drop", {"gold"}),
        ({"answer": {"a": "yes"}, "sp": {"a": []}}, "hotpotqa_predictions", {"predictions"}),
        ({"q1": 0.5, "q2": 1}, "probabilities", {"probabilities"}),
        ({"q1": "Paris", "q2": ""}, "mapping", {"predictions"}),
        ({"q1": "Paris", "q2": None}, "mapping", {"predictions"}),
        ({"q1": ["Paris"], "q2": []}, "mapping", {"gold", "predictions"}),
        (["Paris", ""], "list", {"gold", "predictions"}),
        (table({**ROW, "prediction_text": "x"}), "table", {"predictions"}),
        (table({**ROW, "answers": {"text": ["x"]}}), "table", {"gold"}),
        (table({**ROW, "Ground Truth": "x", "output": "y"}), "table", {"gold", "predictions"}),
        (table({**ROW, "answer": "x"}), "table", {"gold", "predictions"}),
        (table(ROW), "table", set()),
        ({"data": [{**ROW, "answers": []}]}, "table", {"gold"}),
        ({"id": ["a", "b"], "prediction": ["x", "y"]}, "table", {"predictions"}),
        ({"id": "a", "prediction": "x", "references": ["x"]}, "table", {"gold", "predictions"}),
        (Table({"Dear all": ["text"]}, "CSV"), "text", set()),
        ({"name": "x", "scripts": {}}, "unknown", set()),
        ({}, "unknown", set()),
        ([], "unknown", set()),
        ([1, "a"], "unknown", set()),
        (None, "unknown", set()),
        ({"q1": True}, "unknown", set()),
    ],
)
def test_kind_and_what_it_serves_as(value, name, serves):
    kind = sniff(Content("file", value))
    assert (kind.name, kind.serves) == (name, serves)


@pytest.mark.parametrize(
    "value, text",
    [
        (
            {"name": "x", "version": "1", "a": {}, "b": 1, "c": 2, "d": 3},
            "a JSON object with the keys name, version, a, b, c, ...",
        ),
        ({}, "an empty JSON object"),
        ([], "an empty JSON list"),
        ([1, "a", 2.5], "a JSON list of numbers and strings"),
        (3, "a JSON number"),
        (None, "a JSON null"),
        (table({"id": 1, "output": "x"}), "predictions (JSON with the columns id, output)"),
    ],
)
def test_description(value, text):
    assert sniff(Content("file", value)).text == text
