"""Outputs of a pipeline, SQuAD files as the gold for them, and the wrong file in the wrong place."""

import json

import pyarrow as pa
import pytest
from pyarrow import parquet

import qassay
from qassay.files import FileError, read_gold, read_predictions

METRIC = "retriever_reader"
QUESTIONS = [
    {"id": "q1", "question": "Where?", "answers": [{"text": "Paris", "answer_start": 3}], "level": 2},
    {"id": "q2", "question": "Who?", "answers": [], "is_impossible": True},
]
SPAN = {"text": "Paris", "document_id": "T#1", "start": 3, "end": 8}
OUTPUTS = {
    "q1": {"documents": ["x", "T#1"], "answers": [SPAN, None]},
    "q2": {"documents": ["T#1"], "answers": [None]},
}


def squad(questions=QUESTIONS, **paragraph):
    return {
        "version": "v2.0",
        "data": [{"title": "T", "paragraphs": [{"context": "In Paris.", "qas": questions, **paragraph}]}],
    }


def score(gold_path, path):
    gold = read_gold(gold_path, metric=METRIC)
    return qassay.score(gold.metric, **gold.columns, **read_predictions(path, gold).columns, **gold.options)


def lines(outputs):
    return "".join(json.dumps({"id": identifier, **row}) + "\n" for identifier, row in outputs.items())


def test_gold_file_of_squad(save):
    gold = read_gold(save("g.json", squad()), metric=METRIC)
    assert (gold.kind, gold.metric, gold.ids) == ("squad", METRIC, ["q1", "q2"])
    document = {"id": "T#1", "text": "In Paris."}
    assert gold.columns["references"] == [
        {"id": "q1", "documents": [document], "answers": [{"text": "Paris", "answer_start": 3, "document_id": "T#1"}], "is_impossible": None},
        {"id": "q2", "documents": [document], "answers": [], "is_impossible": True},
    ]  # fmt: skip
    assert gold.details["question"] == ["Where?", "Who?"] and gold.details["level"] == [2, None]
    assert read_gold(save("g.json", squad())).metric == "answer_match", "only if asked"


def test_documents_need_ids_that_differ(save):
    value = squad()
    value["data"][0].pop("title")
    with pytest.raises(FileError, match=r"data\[0\] has no 'title' to name its documents by"):
        read_gold(save("g.json", value), metric=METRIC)
    value = squad()
    other = {"context": "In Rome.", "qas": [{"id": "q3", "answers": []}]}
    value["data"].append({"title": "T", "paragraphs": [other]})
    with pytest.raises(FileError, match="two paragraphs have the document id 'T#1'"):
        read_gold(save("g.json", value), metric=METRIC)
    value["data"][1]["title"] = "U"
    assert len(read_gold(save("g.json", value), metric=METRIC).ids) == 3


def test_outputs_in_their_forms(save, tmp_path):
    gold = save("g.json", squad())
    expected = {"retriever_mrr": 0.75, "reader_top1_em": 1.0, "reader_topk_no_answer_accuracy": 1.0, "total": 2}
    rows = [{"id": identifier, **row} for identifier, row in OUTPUTS.items()]
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "p.parquet")
    for path in (
        save("p.json", OUTPUTS),
        save("p.jsonl", lines(OUTPUTS)),
        save("r.json", rows),
        tmp_path / "p.parquet",
    ):
        assert score(gold, path).summary(expected) == expected
    partial = score(gold, save("p.json", {"q1": OUTPUTS["q1"], "q2": None, "q9": OUTPUTS["q2"]}))
    assert partial.summary()["missing"] == partial.summary()["unmatched"] == 1


def test_gold_rows(save):
    rows = {
        "q1": {"documents": ["T#1"], "answers": [SPAN], "is_impossible": False, "topic": "a"},
        "q2": {"documents": ["T#1"], "answers": [], "is_impossible": True, "topic": "b"},
    }
    outputs = save("p.json", OUTPUTS)
    for path in (save("g.json", rows), save("g.jsonl", lines(rows))):
        gold = read_gold(path, metric=METRIC)
        assert (gold.kind, gold.ids) == ("pipeline", ["q1", "q2"]) and gold.details["topic"] == ["a", "b"]
        assert score(path, outputs).summary()["reader_topk_em"] == 1
    assert read_gold(save("g.json", rows)).metric == METRIC, "these are nothing else"


def test_wrong_files(save):
    gold = read_gold(save("g.json", squad()), metric=METRIC)
    for value, named in (
        ({"q1": "Paris"}, r"predictions \({id: text}\)"),
        (squad(), "SQuAD gold file"),
        ([], "p.json"),
    ):
        with pytest.raises(FileError, match=f"p.json: .*{named}" if value else named):
            read_predictions(save("p.json", value), gold)
    with pytest.raises(FileError, match=r"p.json: .*predictions \({id: text}\)"):
        read_gold(save("p.json", {"q1": "Paris"}), metric=METRIC)
    with pytest.raises(FileError, match="metric=retriever_reader"):
        read_predictions(save("p.json", OUTPUTS), read_gold(save("g.json", squad())))
    with pytest.raises(FileError, match="columns"):
        read_gold(save("g.json", squad()), {"references": "answers"}, metric=METRIC)
