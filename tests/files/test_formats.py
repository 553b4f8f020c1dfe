"""The kind of a file, and its name in messages."""

import pytest

from qassay.files.content import Table
from qassay.files.formats import find_format
from qassay.files.reading import columns_of

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
        ({"q1": ["Paris"], "q2": []}, "mapping", {"gold", "predictions"}),
        (table({**ROW, "prediction_text": "x"}), "table", {"predictions"}),
        (table({**ROW, "Ground Truth": "x", "output": "y"}), "table", {"gold", "predictions"}),
        ({"id": ["a", "b"], "prediction": ["x", "y"]}, "table", {"predictions"}),
        ({"q1": {}, "q2": {"d1": 0.5, "d2": 2}}, "ranking", {"gold", "predictions"}),
        (table({"query": "q", "docid": "d", "score": 0.5}), "ranking_table", {"gold", "predictions"}),
        (table({"query": "q", "docid": "d", "score": 0.5, "rank": 1}), "ranking_table", {"predictions"}),
        (table({"query": "q", "docid": "d", "rel": 1}), "ranking_table", {"gold"}),
        ({"name": "x", "scripts": {}}, "unknown", set()),
    ],
)
def test_kind_and_what_it_serves_as(value, name, serves):
    kind = find_format(value)
    assert (kind.name, kind.serves) == (name, serves)
