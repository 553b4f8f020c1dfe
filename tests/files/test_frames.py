"""Data frames written by to_json are read, by columns, by index and by rows; similar files are read normally."""

import json

import pandas as pd
import pytest

import qassay
from qassay.files import read_gold

FRAME = pd.DataFrame({"id": [7, 8], "golds": ["a", "b"], "prediction": ["a", None]})


@pytest.mark.parametrize("orient", ["columns", "index", "records", "table"])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_frames(tmp_path, orient):
    FRAME.to_json(tmp_path / "frame.json", orient=orient)
    assert qassay.score_files(tmp_path / "frame.json")["frame"].summary(["exact_match"]) == {"exact_match": 0.5}


@pytest.mark.parametrize("form", ["csv", "parquet", "json"])
def test_a_column_of_whole_numbers_has_their_texts(tmp_path, form):
    frame = pd.DataFrame({"id": ["a", "b"], "prediction": [1815, 1852], "gold": [1815, 1843]})
    getattr(frame, f"to_{form}")(tmp_path / "years")
    (scores,) = qassay.score_files(tmp_path / "years").values()
    assert scores["exact_match"] == qassay.score("answer_match", frame)["exact_match"] == 0.5


def test_a_frame_by_columns_has_its_index_as_ids(tmp_path):
    FRAME.set_index("id").to_json(tmp_path / "frame.json")
    assert read_gold(tmp_path / "frame.json").ids == ["7", "8"]


def test_what_only_looks_like_a_frame(tmp_path):
    (tmp_path / "qrels.json").write_text(json.dumps({"0": {"d1": 1}, "1": {"d1": 2}}))
    assert read_gold(tmp_path / "qrels.json").kind == "qrels"
