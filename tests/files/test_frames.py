"""Data frames written by to_json by columns, by index or in parts are recognised; similar files are read normally."""

import json
import re

import pandas as pd
import pytest

import qassay
from qassay.files import FileError, read_gold, read_predictions
from qassay.registry import get_family

FRAME = pd.DataFrame({"id": [7, 8], "golds": ["a", "b"], "prediction": ["a", None], "label": [1, 0]})
FORMS = {"columns": "by columns", "split": 'in parts (orient="split")'}


@pytest.mark.parametrize("orient, metric", [*((orient, None) for orient in FORMS), ("columns", "label_metrics")])
def test_a_frame_by_columns_is_reported(tmp_path, orient, metric):
    path = tmp_path / "frame.json"
    FRAME.to_json(path, orient=orient)
    with pytest.raises(FileError, match="frame.json: this is a data frame " + re.escape(FORMS[orient])) as caught:
        read_gold(path, metric=metric and get_family(metric).files_of)
    assert 'orient="records"' in str(caught.value)


def test_other_frames(tmp_path):
    gold, path = tmp_path / "gold.json", tmp_path / "frame.json"
    gold.write_text(json.dumps({"q": ["a"], "r": ["b"]}))
    FRAME.set_index("id").to_json(path)
    with pytest.raises(FileError, match="frame.json: this is a data frame by columns"):
        read_predictions(path, read_gold(gold))
    pd.DataFrame({"x": ["a"], "y": ["b"]}).to_json(path)  # no usual name, but texts by the number of the row
    with pytest.raises(FileError, match="a data frame by columns"):
        read_gold(path)
    pd.DataFrame({"prediction": ["a"], "x": [1]}).to_json(path, orient="split")
    with pytest.raises(FileError, match="a data frame in parts"):
        read_gold(path)
    for orient in ("records", "table"):
        FRAME.drop(columns="label").to_json(path, orient=orient)
        assert qassay.score_files(path)["frame"].summary(["exact_match"]) == {"exact_match": 0.5}
    path.write_text(json.dumps({"0": {"d1": 1}, "1": {"d1": 2}}))  # what only looks like a frame
    assert read_gold(path).kind == "qrels"
