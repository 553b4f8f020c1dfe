"""The evaluate module retriever_reader: loading, options, batches, its card and its cases."""

import pytest

import qassay


def RetrieverReader(*config, **options):
    """The metric of the script, which loads evaluate."""
    from qassay.retriever_reader.retriever_reader import RetrieverReader

    return RetrieverReader(*config, **options)


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


@pytest.mark.parametrize("name", ["missing", "denominator", "ap_denominator", "duplicates"])
def test_none_is_not_a_default(name):
    with pytest.raises(ValueError, match=f"option {name}=None is unknown"):
        qassay.score("retriever_reader", PREDICTIONS, REFERENCES, **{name: None})


def test_other_layouts(datasets):
    whole = RetrieverReader().compute(predictions=PREDICTIONS, references=REFERENCES)
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
