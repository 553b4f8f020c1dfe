"""Columns of judgements with one value per query: groups and slices."""

import json

import pytest

import qassay
from qassay.cli import main
from qassay.files import FileError
from qassay.files.gold_and_predictions import read_golds

_HEADER = ["query_id", "doc_id", "relevance", "topic", "title"]
_ROWS = [
    ["q2", "d1", 1, "sea", "a"],
    ["q1", "d1", 1, "land", "b"],
    ["q2", "d2", 0, "sea", "c"],
    ["q3", "d1", 1, "land", "d"],
    ["q1", "d3", 1, "land", "e"],
]


def _written(folder, form, rows=_ROWS):
    path = folder / f"qrels.{form}"
    as_dicts = [dict(zip(_HEADER, row, strict=True)) for row in rows]
    if form == "csv":
        path.write_text("\n".join(",".join(map(str, row)) for row in [_HEADER, *rows]), encoding="utf-8")
    else:
        pyarrow = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        parquet.write_table(pyarrow.Table.from_pylist(as_dicts), path)
    return str(path)


@pytest.fixture
def run(tmp_path):
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d2": 2.0, "d1": 1.0}, "q3": {"d1": 1.0}}))
    return str(path)


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_columns_of_queries_are_groups_and_slices(tmp_path, run, form):
    gold = _written(tmp_path, form)
    scores = qassay.score_files(gold, run, groups="topic")["run"]
    assert dict(zip(scores.ids, scores.groups.listed(), strict=True)) == {"q1": "land", "q2": "sea", "q3": "land"}
    read = read_golds(None, gold, {})["retrieval_ranking"]
    assert dict(read.details) == {"topic": ["sea", "land", "land"]} and read.ids == ["q2", "q1", "q3"]
    assert "title" not in read.details and len(read.details) == 1


def test_a_query_with_two_values_is_refused(tmp_path, run, capsys):
    gold = _written(tmp_path, "csv")
    told = "title: the query 'q2' has 'a' and 'c'"
    with pytest.raises(FileError, match=told):
        qassay.score_files(gold, run, groups="title")
    assert main(["score", gold, run, "--by", "title"]) != 0
    assert told in capsys.readouterr().err


def test_a_table_of_judgements_and_runs(tmp_path):
    """Further columns of a run are not details; an empty cell is not a group."""
    path = tmp_path / "all.csv"
    path.write_text("query_id,doc_id,relevance,score,system,rank,topic\nq1,d1,1,2,m,1,a\nq2,d1,0,1,m,1,\n")
    assert list(read_golds(None, str(path), {})["retrieval_ranking"].details) == ["topic"]
    with pytest.raises(FileError, match="topic.* is empty"):
        qassay.score_files(path, groups="topic")
