"""The evaluate module retriever_reader: loading, options, batches, its card and its cases."""

import dataclasses
import doctest
import inspect
import json
import runpy
import threading
from pathlib import Path

import datasets
import evaluate
import pytest

import qassay
from qassay.retriever_reader.retriever_reader import RetrieverReader
from qassay.retriever_reader.scoring import ReaderOptions

FOLDER = Path(qassay.path("retriever_reader"))
SAMPLES = Path(__file__).resolve().parents[2] / "samples" / "pipeline"
PREDICTIONS = [
    {"documents": ["d2", "d1"], "answers": [{"text": "nine", "document_id": "d1", "start": 4, "end": 8}]},
    {"documents": ["d3"], "answers": [None]},
    {"documents": ["x"], "answers": [{"text": "y", "document_id": "x", "start": 0, "end": 1}]},
]
REFERENCES = [
    {"documents": ["d1"], "answers": [{"text": "nine m", "document_id": "d1", "start": 4, "end": 10}]},
    {"documents": ["d3"], "answers": []},
    {"documents": ["d4"], "answers": [{"text": "y", "document_id": "d4", "start": 0, "end": 1}]},
]


def with_ids(rows):
    return [{"id": f"q{place}", **row} for place, row in enumerate(rows)]


def test_equals_qassay_score():
    expected = qassay.score("retriever_reader", PREDICTIONS, REFERENCES).summary()
    for metric in (evaluate.load(str(FOLDER)), qassay.load("retriever_reader"), RetrieverReader()):
        result = metric.compute(predictions=PREDICTIONS, references=REFERENCES)
        assert result == expected
        assert {type(value) for value in result.values()} == {float, int}


def test_loads_by_relative_path(monkeypatch):
    monkeypatch.chdir(FOLDER.parent.parent)
    assert evaluate.load("./metrics/retriever_reader").name == "retriever_reader"


@pytest.mark.parametrize("case", runpy.run_path(str(FOLDER / "tests.py"))["test_cases"])
def test_cases_of_the_card(case):
    given = {name: value for name, value in case.items() if name != "result"}
    result = RetrieverReader().compute(**given)
    assert {name: result[name] for name in case["result"]} == pytest.approx(case["result"], rel=1e-12)


def test_doctests_of_script_and_card(monkeypatch):
    monkeypatch.chdir(FOLDER.parent.parent)
    module = inspect.getmodule(type(evaluate.load("./metrics/retriever_reader")))
    failed, attempted = doctest.testmod(module)
    assert failed == 0 and attempted >= 5
    failed, attempted = doctest.testfile(str(FOLDER / "README.md"), module_relative=False)
    assert failed == 0 and attempted >= 10


def test_the_card_names_every_option_and_every_key():
    parameters = inspect.signature(RetrieverReader._compute).parameters
    for field in dataclasses.fields(ReaderOptions):
        assert parameters[field.name].default == field.default
    card = (FOLDER / "README.md").read_text("utf-8")
    inputs = card[card.index("### Inputs") : card.index("### Output Values")]
    assert [n for n in parameters if n != "self" and f"`{n}`" not in inputs and f"**{n}**" not in inputs] == []
    for name in qassay.score("retriever_reader", PREDICTIONS, REFERENCES).summary():
        assert f"`{name.removesuffix('_has_answer')}`" in card


def test_options_at_load_and_at_compute():
    metric = qassay.load("retriever_reader", denominator="queries")
    given = {"predictions": PREDICTIONS, "references": REFERENCES}
    assert metric.compute(**given)["reader_top1_accuracy"] == 2 / 3
    assert metric.compute(**given, denominator="correct_retrievals")["reader_top1_accuracy"] == 1.0
    assert metric.compute(**given)["reader_top1_accuracy"] == 2 / 3


def test_wrong_options_and_columns():
    with pytest.raises(TypeError, match="'denominators'.*did you mean 'denominator'"):
        qassay.load("retriever_reader", denominators="queries")
    with pytest.raises(ValueError, match="top_k must be a whole number of at least 1, got 0"):
        qassay.load("retriever_reader", top_k=0)
    for name in ("missing", "denominator", "ap_denominator", "duplicates"):  # None is not a default
        with pytest.raises(ValueError, match=f"option {name}=None is unknown"):
            qassay.load("retriever_reader", **{name: None})
        with pytest.raises(ValueError, match=f"option {name}=None is unknown"):
            qassay.score("retriever_reader", PREDICTIONS, REFERENCES, **{name: None})
        with pytest.raises(ValueError, match=f"option {name}=None is unknown"):
            RetrieverReader().compute(predictions=PREDICTIONS, references=REFERENCES, **{name: None})
    with pytest.raises(ValueError, match="has no config 'piaf'"):
        qassay.load("retriever_reader", "piaf")
    with pytest.raises(TypeError, match="'documents'"):
        RetrieverReader().compute(predictions=PREDICTIONS, references=REFERENCES, documents=[])
    with pytest.raises(TypeError, match="references missing"):
        RetrieverReader().compute(predictions=PREDICTIONS)
    with pytest.raises(ValueError, match=r"predictions\[1\] has no 'answers' \(its keys: documents\)"):
        RetrieverReader().compute(predictions=[PREDICTIONS[0], {"documents": []}], references=REFERENCES[:2])


@pytest.mark.parametrize("form", [list, with_ids])
def test_batches_equal_one_call(form):
    predictions, references = form(PREDICTIONS), form(REFERENCES)
    whole = RetrieverReader().compute(predictions=predictions, references=references)
    metric = RetrieverReader()
    metric.add_batch(predictions=predictions[:2], references=references[:2])
    metric.add(prediction=predictions[2], reference=references[2])
    assert metric.compute() == whole
    metric.add_batch(predictions=predictions[:1], references=references[:1])
    assert metric.compute(predictions=predictions[1:], references=references[1:]) == whole


def test_other_layouts():
    whole = RetrieverReader().compute(predictions=PREDICTIONS, references=REFERENCES)
    by_id = [{row["id"]: row for row in with_ids(rows)} for rows in (PREDICTIONS, REFERENCES)]
    assert RetrieverReader().compute(predictions=by_id[0], references=by_id[1]) == whole
    metric = RetrieverReader()
    metric.add_batch(predictions=by_id[0], references=by_id[1])
    assert metric.compute() == whole
    tables = [datasets.Dataset.from_list(with_ids(rows)) for rows in (PREDICTIONS, REFERENCES)]
    assert RetrieverReader().compute(predictions=tables[0], references=tables[1]) == whole


def test_tables_that_hold_both_sides():
    gold = {
        "query": "?",
        "gold_document_ids": ["d1"],
        "gold_answers": ["x"],
        "gold_offsets_in_documents": [{"start": 0, "end": 1}],
    }
    rows = [
        {**gold, "type": "document", "rank": 1, "document_id": "d1"},
        {**gold, "type": "answer", "rank": 1, "document_id": "d1", "answer": "x", "offsets_in_document": [{"start": 0, "end": 1}]},
    ]  # fmt: skip
    for table in (rows, {"Retriever": rows[:1], "Reader": rows[1:]}):
        assert RetrieverReader().compute(predictions=table)["reader_top1_em"] == 1.0


def test_more_on_request():
    result = RetrieverReader().compute(
        predictions=PREDICTIONS, references=REFERENCES, per_example=True, level=0.9, n_resamples=50, signature=True
    )
    assert result["per_example"]["retriever_mrr"] == [0.5, 1.0, 0.0]
    assert result["reader_top1_f1_low"] <= result["reader_top1_f1"] <= result["reader_top1_f1_high"]
    assert result["signature"] == qassay.score("retriever_reader", PREDICTIONS, REFERENCES).signature()


def test_threads_share_a_metric():
    outputs = json.loads((SAMPLES / "dense.json").read_text("utf-8"))
    golds = {identifier: {"documents": ["railway-line"], "answers": []} for identifier in outputs}
    metric, found = RetrieverReader(), []

    def work():
        found.append(metric.compute(predictions=outputs, references=golds))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all(result == found[0] for result in found)
