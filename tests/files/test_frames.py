"""Data frames written by to_json by columns, by index or in parts are recognised; similar files are read normally."""

import json

import pandas as pd
import pytest

import qassay
from qassay.files import FileError, read_gold, read_predictions
from qassay.registry import FAMILIES, get_family

FRAME = pd.DataFrame({"id": [7, 8], "golds": ["a", "b"], "prediction": ["a", None], "label": [1, 0]})
FORMS = {"columns": "by columns", "index": 'by index (orient="index")', "split": 'in parts (orient="split")'}


@pytest.mark.parametrize("orient", FORMS)
@pytest.mark.parametrize("metric", [None, *FAMILIES])
def test_a_frame_by_columns_is_reported(tmp_path, orient, metric):
    path = tmp_path / "frame.json"
    FRAME.to_json(path, orient=orient)
    kinds = metric and get_family(metric).reading.kinds
    with pytest.raises(FileError) as caught:
        read_gold(path, metric=kinds)
    words = f"this is a data frame {FORMS[orient]}, as df.to_json() of pandas may write it; write its rows, with "
    assert words + 'df.to_json(path, orient="records")' in str(caught.value)


def test_other_frames(tmp_path):
    gold, path = tmp_path / "gold.json", tmp_path / "frame.json"
    gold.write_text(json.dumps({"q": ["a"], "r": ["b"]}))
    FRAME.set_index("id").to_json(path)
    with pytest.raises(FileError, match="frame.json: this is a data frame by columns"):
        read_predictions(path, read_gold(gold))
    pd.DataFrame({"x": ["a"], "y": ["b"]}).to_json(path)  # no usual name, but texts by the number of the row
    with pytest.raises(FileError, match="a data frame by columns"):
        read_gold(path)
    for orient in ("records", "table"):
        FRAME.drop(columns="label").to_json(path, orient=orient)
        assert qassay.score_files(path)["frame"].summary(["exact_match", "missing"]) == {
            "exact_match": 0.5,
            "missing": 1,
        }


@pytest.mark.parametrize(
    "value, kind",
    [
        ({"q1": {"0": 1, "1": 0}, "q2": {"0": 0, "1": 2}}, "qrels"),
        ({"0": {"d1": 1}, "1": {"d1": 2}}, "qrels"),
        ({"0": {"documents": ["d"], "answers": ["a"], "id": "x"}}, "pipeline"),
        ({"id": {"d1": 1, "d2": 0}}, "qrels"),
    ],
)
def test_what_only_looks_like_a_frame_is_read(tmp_path, value, kind):
    path = tmp_path / "gold.json"
    path.write_text(json.dumps(value))
    assert read_gold(path).kind == kind


def test_predictions_of_hotpotqa_are_not_a_frame(tmp_path):
    (tmp_path / "gold.json").write_text(
        json.dumps([{"_id": "0", "question": "?", "answer": "a", "supporting_facts": [["t", 0]]}])
    )
    (tmp_path / "model.json").write_text(json.dumps({"answer": {"0": "a"}, "sp": {"0": [["t", 0]]}}))
    gold = read_gold(tmp_path / "gold.json")
    assert read_predictions(tmp_path / "model.json", gold).columns["predictions"]
