"""The files of BioASQ: gold and systems, told from their content, and what is wrong with broken ones."""

import gzip
import json

import pytest

import qassay
from qassay.files import FileError, read_gold, read_predictions

GOLD = [
    {"id": "q1", "type": "factoid", "body": "Who?", "exact_answer": [["dog", "canine"]], "documents": ["d1"]},
    {"id": "q2", "type": "summary", "body": "How?", "ideal_answer": ["So."], "documents": ["d2"]},
    {"id": 3, "type": "yesno", "body": "Is it?", "exact_answer": "yes", "documents": []},
]
SYSTEM = [
    {"id": "3", "exact_answer": "Yes é", "_type": "x", "documents": ["d3"]},
    {"id": "q1", "type": "list", "exact_answer": [["Canine"]], "documents": ["d1", "d1"]},
    {"id": "q2", "ideal_answer": "So."},
]


@pytest.fixture
def save(tmp_path):
    def write(value, name="file.json"):
        path = tmp_path / name
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return path

    return write


@pytest.fixture
def gold(save):
    return read_gold(save({"questions": GOLD}, "gold.json"))


def test_gold(gold):
    assert (gold.kind, gold.metric, gold.options) == ("bioasq", "factoid_accuracy", {})
    assert gold.ids == ["q1", "q2", "3"]
    assert gold.details == {"type": ["factoid", "summary", "yesno"], "question": ["Who?", "How?", "Is it?"]}
    assert gold.columns["references"][2] == {"id": "3", "type": "yesno", "exact_answer": "yes", "documents": []}


@pytest.mark.parametrize("name", ["system.json.gz", "no_ending"])
@pytest.mark.parametrize("value", [{"username": "x", "questions": SYSTEM}, SYSTEM], ids=["file", "list"])
def test_systems(save, gold, value, name):
    predictions = read_predictions(save(value, name), gold)
    scores = qassay.score(gold.metric, **gold.columns, **predictions.columns)
    expected = {"mrr": 1.0, "yesno_accuracy": 1.0, "total": 3, "missing": 0}
    assert scores.summary(list(expected)) == expected
    scores = qassay.score(gold.metric, **gold.columns, **predictions.columns, phase="A", version=8)
    assert scores.summary(["recall", "unanswered"]) == {"recall": 1 / 3, "unanswered": 1}


@pytest.mark.parametrize("field", ["exact_answer", "documents"])
@pytest.mark.parametrize("layout", ["file", "lines"])
def test_null_is_the_same_in_every_layout(save, gold, layout, field):
    rows = [*SYSTEM[:2], {"id": "q2"}]
    rows[1] = {**rows[1], field: None}
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path = save({"file": {"questions": rows}, "list": rows, "lines": text}[layout], "system.json.gz")
    columns = {**gold.columns, **read_predictions(path, gold).columns}
    if field == "documents":
        with pytest.raises(TypeError, match=r"predictions\[1\] \(id 'q1'\) is null; give"):
            qassay.score(gold.metric, **columns, phase="A", version=8)
    else:
        found = qassay.score(gold.metric, **columns, version=8).summary(["mrr", "missing", "unanswered"])
        assert found == {"mrr": 0, "missing": 1, "unanswered": 0}


def test_files_that_are_broken_or_do_not_fit(save, gold):
    for value, words in (
        ({"questions": []}, "no questions"),
        ({"questions": [GOLD[0], "q2"]}, "BioASQ file .* has another form"),
        ({"questions": [GOLD[0], {"type": "list"}]}, "lacks 'id'"),
        ({"questions": [GOLD[0], SYSTEM[0]]}, r"question 1 \(id '3'\) has no 'type'.*as gold"),
    ):
        with pytest.raises(FileError, match=words):
            read_gold(save(value))
    with pytest.raises(FileError, match=r"predictions \(\{id: text\}\), .*questions"):
        read_predictions(save({"q1": "dog"}), gold)
    with pytest.raises(FileError, match="a BioASQ file"):
        read_predictions(save({"questions": SYSTEM}), read_gold(save({"q1": {"d1": 1}}, "other.json")))
    with pytest.raises(FileError, match="a BioASQ file .*not gold data of answer_match"):
        read_gold(save({"questions": GOLD}), metric="answer_match")
    assert read_gold(save({"questions": ["a"], "q2": ["b"]})).kind == "mapping"
