"""The files of BioASQ: gold and systems, told from their content, and what is wrong with broken ones."""

import gzip
import json
import os
import threading

import pyarrow as pa
import pyarrow.parquet as pq
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


@pytest.mark.parametrize("name", ["system.json", "system.json.gz", "no_ending"])
@pytest.mark.parametrize("value", [{"questions": SYSTEM}, {"username": "x", "questions": SYSTEM}, SYSTEM])
def test_systems(save, gold, value, name):
    predictions = read_predictions(save(value, name), gold)
    scores = qassay.score(gold.metric, **gold.columns, **predictions.columns)
    assert scores.summary(["mrr", "yesno_accuracy", "total", "missing"]) == {
        "mrr": 1.0,
        "yesno_accuracy": 1.0,
        "total": 3,
        "missing": 0,
    }
    scores = qassay.score(gold.metric, **gold.columns, **predictions.columns, phase="A", version=8)
    assert scores.summary(["recall", "unanswered"]) == {"recall": 1 / 3, "unanswered": 1}


@pytest.mark.parametrize("field", ["exact_answer", "documents"])
@pytest.mark.parametrize("layout", ["file", "list", "lines"])
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


def test_null_in_gold_is_refused_however_it_comes(save):
    rows = [{**GOLD[0], "exact_answer": None}, GOLD[1]]
    for value in ({"questions": rows}, rows, "".join(json.dumps(row) + "\n" for row in rows)):
        gold = read_gold(save(value))
        with pytest.raises(TypeError, match=r"references\[0\] \(id 'q1'\) is null"):
            qassay.score(gold.metric, **gold.columns, predictions=[{"id": "q1", "exact_answer": [["dog"]]}])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("lines", [False, True])
def test_null_is_the_same_from_a_pipe(save, gold, tmp_path, lines):
    """A pipe cannot be read again, so null and absent values must be distinguished at once."""
    rows = [{"id": "q1", "exact_answer": None}, {"id": "q2"}]
    text = "".join(json.dumps(row) + "\n" for row in rows) if lines else json.dumps(rows)
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_text(text))
    writer.start()
    predictions = read_predictions(path, gold)
    writer.join()
    assert predictions.columns["predictions"] == rows
    assert qassay.score(gold.metric, **gold.columns, **predictions.columns).summary(["missing"]) == {"missing": 2}


def test_null_means_no_answer_in_plain_tables(save, gold, tmp_path):
    rows = [{"id": "q1", "exact_answer": [["dog"]]}, {"id": "q2", "exact_answer": None}]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "system.parquet")
    predictions = read_predictions(tmp_path / "system.parquet", gold)
    assert predictions.columns["predictions"] == [rows[0], {"id": "q2"}]


def test_a_list_of_questions_may_be_the_gold_file(save, gold):
    assert read_gold(save(GOLD)).columns == gold.columns
    lines = "".join(json.dumps(row) + "\n" for row in GOLD)
    assert read_gold(save(lines, "gold.jsonl")).columns == gold.columns


def test_gold_of_phase_a_needs_no_types(save):
    rows = [{"id": row["id"], "documents": row["documents"]} for row in GOLD]
    gold = read_gold(save({"questions": rows}))
    assert gold.details == {} and gold.columns["references"] == [{**row, "id": str(row["id"])} for row in rows]


@pytest.mark.parametrize(
    "value, words",
    [
        ({"questions": []}, "there are no questions in this BioASQ file; is it cut off?"),
        ({"questions": [GOLD[0], "q2"]}, "question 1 must be a JSON object, not str"),
        ({"questions": [GOLD[0], {"type": "list"}]}, "question 1 has no 'id'; give every question the id of the gold"),
        ({"questions": [{**GOLD[0], "id": None}]}, "question 0 has no 'id'"),
        (
            {"questions": [GOLD[0], SYSTEM[0]]},
            "question 1 (id '3') has no 'type'; a gold file says factoid, list, yesno",
        ),
        ('{"questions": [{"id": "q1", "exact_answer": ', "this is not valid JSON"),
    ],
)
def test_broken_gold_files(save, value, words):
    with pytest.raises(FileError) as caught:
        read_gold(save(value))
    assert words in str(caught.value)
    assert str(caught.value).endswith("(the gold file comes first: qassay score GOLD SYSTEM)") == ("no 'type'" in words)


def test_other_files_beside_bioasq(save, gold):
    words = "this looks like predictions ({id: text}), which does not go with "
    with pytest.raises(FileError) as caught:
        read_predictions(save({"q1": "dog"}), gold)
    assert words in str(caught.value) and str(caught.value).endswith(
        '; give {"questions": [...]} as in BioASQ, or a table'
    )
    for other in ({"q1": ["dog"]}, {"q1": {"d1": 1}}):
        with pytest.raises(FileError, match=r"this looks like a BioASQ file, which does not go with .*; give the gold"):
            read_predictions(save({"questions": SYSTEM}), read_gold(save(other, "other.json")))


@pytest.mark.parametrize("metric", ["answer_match", "retrieval_ranking"])
def test_other_metrics_do_not_score_it(save, metric):
    with pytest.raises(FileError, match=f"this looks like a BioASQ file, which {metric} does not score; "):
        read_gold(save({"questions": GOLD}), metric=metric)
    with pytest.raises(FileError, match="which factoid_accuracy does not score; give {.questions.: "):
        read_gold(save({"q1": ["dog"]}), metric="factoid_accuracy")


def test_columns_cannot_be_named(save):
    with pytest.raises(FileError, match="a BioASQ file, which .* does not score|has no columns to name"):
        read_gold(save({"questions": GOLD}), {"references": "exact_answer"})


def test_rows_with_that_column_are_a_table_to_other_metrics(save):
    rows = [{"id": "q1", "exact_answer": "dog", "mine": "dog"}]
    gold = read_gold(save(rows), {"references": "exact_answer", "predictions": "mine"})
    assert (gold.kind, gold.metric) == ("table", "answer_match")


def test_a_list_with_the_id_questions_is_not_a_bioasq_file(save):
    assert read_gold(save({"questions": ["a"], "q2": ["b"]})).kind == "mapping"
