"""Results of `Pipeline.run()` of Haystack 2 and 3, outputs by the names of nodes: in Python and from files."""

import json

import pytest

import qassay
from qassay.retriever_reader.haystack import row_of_result

GOLD = {"documents": ["d1"], "answers": [{"text": "nine m", "document_id": "d1", "start": 4, "end": 10}]}
EXPECTED = {"retriever_mrr": 0.5, "reader_top1_f1": 0.8}
# As json.dumps of `to_dict()` of Document and ExtractedAnswer: a document has its meta beside the other fields.
DOCUMENTS = [
    {"file": "f2", "id": "d2", "content": "...", "blob": None, "score": 2.5, "embedding": None},
    {"file": "f1", "id": "d1", "content": "the nine mice", "blob": None, "score": 1.5, "embedding": None},
]
ANSWER = {
    "data": "nine",
    "query": "?",
    "document": {"id": "d1", "content": "the nine mice", "meta": {"file": "f1"}},
    "context": None,
    "score": 0.9,
    "document_offset": {"start": 4, "end": 8},
    "context_offset": None,
    "meta": {},
}
NOTHING = {"data": None, "query": "?", "document": None, "score": 0.1, "document_offset": None, "meta": {}}
RESULT = {"retriever": {"documents": DOCUMENTS}, "reader": {"answers": [ANSWER, NOTHING]}}
RANKED = {**RESULT, "ranker": {"documents": DOCUMENTS[::-1]}, "llm": {"replies": ["nine mice"]}}


def score(predictions, references, **options):
    return qassay.score("retriever_reader", predictions, references, **options).summary(list(EXPECTED))


@pytest.mark.parametrize(
    "predictions, references",
    [
        (RESULT, [GOLD]),
        ([RESULT, RESULT], [GOLD, GOLD]),
        ({"a": RESULT, "b": RESULT}, {"b": GOLD, "a": GOLD}),
        ([{**RESULT, "id": "a"}], [{**GOLD, "id": "a"}]),
    ],
    ids=["one", "list", "by id", "rows with ids"],
)
def test_a_result_is_a_row(predictions, references):
    assert score(predictions, references) == EXPECTED


def test_of_several_nodes_one_is_named():
    with pytest.raises(ValueError, match=r"predictions\[0\] .*document_node=retriever or ranker"):
        score(RANKED, [GOLD])
    assert score(RANKED, [GOLD], document_node="ranker") == {"retriever_mrr": 1.0, "reader_top1_f1": 0.8}
    assert row_of_result(RANKED, "ranker", "llm")["answers"] == ["nine mice"]
    with pytest.raises(ValueError, match="'joiner'.*: retriever, ranker"):
        score(RANKED, [GOLD], document_node="joiner")
    with pytest.raises(TypeError, match="answer_node"):
        score(RANKED, [GOLD], answer_node=1)


@pytest.mark.parametrize("missing", ["documents", "answers"])
def test_a_node_without_an_output_is_reported(missing):
    nodes = {name: node for name, node in RESULT.items() if missing not in node}
    with pytest.raises(ValueError, match=rf"predictions\[0\] has no node with {missing} .*include_outputs_from="):
        score([nodes], [GOLD])


@pytest.mark.parametrize("form", ["one", "lines", "by id"])
def test_files_of_results(form, tmp_path):
    gold, system = tmp_path / "gold.json", tmp_path / "system.json"
    gold.write_text(json.dumps({"a": GOLD} if form == "by id" else [GOLD]))
    written = {"one": RANKED, "lines": RANKED, "by id": {"a": RANKED}}[form]
    system.write_text(json.dumps(written) + "\n" * (form == "lines"))
    scores = qassay.score_files(gold, {"s": system}, "retriever_reader", document_node="ranker")["s"]
    assert scores.summary(list(EXPECTED)) == {"retriever_mrr": 1.0, "reader_top1_f1": 0.8}
    with pytest.raises(ValueError, match="system.json: .*several nodes"):
        qassay.score_files(gold, {"s": system}, "retriever_reader")


@pytest.mark.thorough
def test_a_pipeline_of_the_installed_haystack(monkeypatch):
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", "False")
    haystack = pytest.importorskip("haystack", reason='needs haystack: pip install -e ".[harnesses]"')
    from haystack.dataclasses import ExtractedAnswer

    documents = [haystack.Document(id=name, content="the nine mice", meta={"file": name}) for name in ("d2", "d1")]
    answer = ExtractedAnswer(
        query="?", score=0.9, data="nine", document=documents[1], document_offset=ExtractedAnswer.Span(4, 8)
    )
    result = {"retriever": {"documents": documents}, "reader": {"answers": [answer]}}
    as_dicts = {
        name: {output: [item.to_dict() for item in items] for output, items in node.items()}
        for name, node in result.items()
    }
    for given in (result, as_dicts, json.loads(json.dumps(as_dicts))):
        assert score(given, [GOLD]) == score([given], [GOLD], document_field="file") == EXPECTED
