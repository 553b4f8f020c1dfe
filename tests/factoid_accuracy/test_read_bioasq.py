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
def gold(save_table):
    return read_gold(save_table({"questions": GOLD}, "gold.json"))


def packed(text):
    return gzip.compress(text.encode())


def test_gold(gold):
    assert (gold.kind, gold.metric, gold.options) == ("bioasq", "factoid_accuracy", {})
    assert gold.ids == ["q1", "q2", "3"]
    assert gold.details == {"type": ["factoid", "summary", "yesno"], "question": ["Who?", "How?", "Is it?"]}
    assert gold.columns["references"][2] == {"id": "3", "type": "yesno", "exact_answer": "yes", "documents": []}


@pytest.mark.parametrize("write", [str, packed])
@pytest.mark.parametrize("value", [{"username": "x", "questions": SYSTEM}, SYSTEM], ids=["file", "list"])
def test_systems(save_table, gold, value, write):
    predictions = read_predictions(save_table(write(json.dumps(value, ensure_ascii=False))), gold)
    scores = qassay.score(gold.metric, **gold.columns, **predictions.columns)
    expected = {"mrr": 1.0, "yesno_accuracy": 1.0, "total": 3, "missing": 0}
    assert scores.summary(list(expected)) == expected
    scores = qassay.score(gold.metric, **gold.columns, **predictions.columns, phase="A", version=8)
    assert scores.summary(["recall", "unanswered"]) == {"recall": 1 / 3, "unanswered": 1}


@pytest.mark.parametrize("field", ["exact_answer", "documents"])
@pytest.mark.parametrize("layout", ["file", "lines"])
def test_null_is_the_same_in_every_layout(save_table, gold, layout, field):
    rows = [*SYSTEM[:2], {"id": "q2"}]
    rows[1] = {**rows[1], field: None}
    text = json.dumps({"questions": rows}) if layout == "file" else "".join(json.dumps(row) + "\n" for row in rows)
    path = save_table(packed(text))
    columns = {**gold.columns, **read_predictions(path, gold).columns}
    if field == "documents":
        with pytest.raises(TypeError, match=r"predictions\[1\] \(id 'q1'\) is null; give"):
            qassay.score(gold.metric, **columns, phase="A", version=8)
    else:
        found = qassay.score(gold.metric, **columns, version=8).summary(["mrr", "missing", "unanswered"])
        assert found == {"mrr": 0, "missing": 1, "unanswered": 0}


def test_files_that_are_broken_or_do_not_fit(save_table, gold):
    for value, words in (
        ({"questions": []}, "no questions"),
        ({"questions": [GOLD[0], "q2"]}, "BioASQ file .* has another form"),
        ({"questions": [GOLD[0], {"type": "list"}]}, "lacks 'id'"),
        ({"questions": [GOLD[0], SYSTEM[0]]}, r"question 1 \(id '3'\) has no 'type'.*as gold"),
    ):
        with pytest.raises(FileError, match=words):
            read_gold(save_table(value))
    with pytest.raises(FileError, match=r"predictions \(\{id: text\}\), .*questions"):
        read_predictions(save_table({"q1": "dog"}), gold)
    with pytest.raises(FileError, match="a BioASQ file"):
        read_predictions(save_table({"questions": SYSTEM}), read_gold(save_table({"q1": {"d1": 1}}, "other.json")))
    with pytest.raises(FileError, match="a BioASQ file .*not gold data of answer_match"):
        read_gold(save_table({"questions": GOLD}), metric="answer_match")
    assert read_gold(save_table({"questions": ["a"], "q2": ["b"]})).kind == "mapping"


def test_files_in_the_place_of_each_other(save_table):
    """Known by the ideal answers: lists in gold files, texts in those of systems."""
    row = {"type": "factoid", "exact_answer": [["dog"]]}
    gold, system = (
        save_table({"questions": [{"id": "q1", **row, "ideal_answer": ideal}]}, name)
        for name, ideal in (("gold.json", ["It is."]), ("system.json", "It is."))
    )
    assert qassay.score_files(gold, system)["system"]["mrr"] == 1
    assert qassay.score_files(gold, {"s": gold})["s"]["mrr"] == 1
    with pytest.raises(FileError, match=r"gold.json: ideal answers are lists .* texts in .*system.json.*as gold"):
        qassay.score_files(system, gold)
