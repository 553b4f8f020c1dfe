"""What retriever_reader takes: every layout of the same questions, Haystack's results, and what it refuses."""

import dataclasses
import types

import numpy as np
import pyarrow as pa
import pytest

from qassay.retriever_reader.scoring import ReaderOptions, score_reading

PIPELINE = [
    {"documents": ["d2", "d1"], "answers": [{"text": "nine", "document_id": "d1", "start": 4, "end": 8}]},
    {"documents": ["d3"], "answers": [None, {"text": "x", "document_id": "d3", "start": 0, "end": 1}]},
]
GOLD = [
    {
        "documents": ["d1"],
        "answers": [{"text": "nine m", "document_id": "d1", "start": 4, "end": 10}],
        "is_impossible": False,
    },
    {"documents": ["d3"], "answers": [], "is_impossible": True},
]
EXPECTED = {"retriever_mrr": 0.75, "reader_top1_accuracy": 1.0, "reader_top1_em": 0.5, "reader_top1_f1": 0.9}


def score(predictions, references, ids=None, weights=None, **options):
    return score_reading(predictions, references, ids, weights, options=ReaderOptions(**options))


def with_ids(rows, ids=("q1", "q2")):
    return [{"id": identifier, **row} for identifier, row in zip(ids, rows, strict=True)]


LAYOUTS = {
    "rows": (PIPELINE, GOLD),
    "arrow": (pa.Table.from_pylist(PIPELINE), pa.Table.from_pylist(GOLD)),
    "arrays": ([{key: np.array(value, object) for key, value in row.items()} for row in PIPELINE], GOLD),
    "no flags": (PIPELINE, [{key: row[key] for key in ("documents", "answers")} for row in GOLD]),
    "spans as pairs": (
        [{**PIPELINE[0], "answers": [{"document_id": "d1", "offset": [4, 8]}]}, {**PIPELINE[1], "answers": [None]}],
        [{"documents": ["d1"], "answers": [{"start": 4, "end": 10}]}, {"documents": ["d3"], "answers": []}],
    ),
    "gold of SQuAD": (
        PIPELINE,
        [
            {"documents": ["d1"], "answers": {"text": ["nine m"], "answer_start": [4]}},
            {"documents": ["d3"], "answers": {"text": [], "answer_start": []}},
        ],
    ),
    "documents with texts": (
        [
            {**row, "documents": [{"id": name, "text": "the nine mice"} for name in row["documents"]]}
            for row in PIPELINE
        ],
        [{**row, "documents": [{"id": row["documents"][0], "text": "the nine mice"}]} for row in GOLD],
    ),
    "ends omitted": (
        [{**PIPELINE[0], "answers": [{"text": "nine", "document_id": "d1", "start": 4}]}, PIPELINE[1]],
        GOLD,
    ),
}


def test_every_layout_gives_the_same(pd, datasets):
    found = types.SimpleNamespace(id="d1", content="the nine mice", meta={})
    libraries = {
        "pandas": (pd.DataFrame(PIPELINE), pd.DataFrame(GOLD)),
        "data set": tuple(datasets.Dataset.from_list(with_ids(rows)) for rows in (PIPELINE, GOLD)),
        "Haystack 1": ([{**PIPELINE[0], "answers": [Answer("nine", [Span(4, 8)], ["d1"])]}, PIPELINE[1]], GOLD),
        "Haystack 2": ([{**PIPELINE[0], "answers": [ExtractedAnswer("nine", found, Span(4, 8))]}, PIPELINE[1]], GOLD),
    }
    for layout, columns in {**LAYOUTS, **libraries}.items():
        scores = score(*columns)
        assert scores.summary(EXPECTED) == pytest.approx(EXPECTED, rel=1e-15), layout
        assert scores.options.unit == "offset", layout


def test_documents_of_the_gold_default_to_those_of_its_answers():
    gold = [{"answers": GOLD[0]["answers"]}, {"answers": []}]
    summary = score(PIPELINE, gold).summary()
    assert (summary["retriever_recall"], summary["correct_retrievals"]) == (0.5, 1)


def test_ids_of_documents_are_texts():
    summary = score(
        [{"documents": [7, np.int64(8)], "answers": []}], [{"documents": ["8"], "answers": ["x"]}], unit="token"
    ).summary()
    assert summary["retriever_mrr"] == 0.5


def test_a_span_of_one_place_touches_the_gold_span():
    """The overlap of PIAF's code is inclusive; an answer with a text and an empty span is an answer."""
    row = [{"documents": ["d"], "answers": [{"text": "x", "start": 12, "end": 12, "document_id": "d"}]}]
    assert score(row, [{"documents": ["d"], "answers": []}])["reader_top1_accuracy"] == 0
    found = score(row, [{"documents": ["d"], "answers": [{"start": 10, "end": 20}]}])
    assert [found[f"reader_top1_{name}"] for name in ("accuracy", "em", "f1")] == [1, 0, 0]


def test_no_answer_in_its_forms():
    gold = [{"documents": ["d"], "answers": [{"text": "", "answer_start": 0}], "is_impossible": True}]
    zero = {"offset_start_in_doc": 0, "offset_end_in_doc": 0, "document_id": None}
    forms = [
        None,
        "",
        {"text": None},
        {"text": None, "document_id": "d", "start": 0, "end": 0},
        {"text": None, "document_id": "d", "start": 12.0, "end": 12.0},
        {"document_id": "d", "offset": [3, 3]},
        {"answer": None, **zero},
        {"answer": "", "offsets_in_document": [{"start": 0, "end": 0}]},
        {"data": None},
        Answer("", [Span(0, 0)]),
        ExtractedAnswer(None),
    ]
    for answer in forms:
        assert score([{"documents": ["d"], "answers": [answer]}], gold).summary()["reader_top1_accuracy"] == 1


# --- Haystack ---------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Span:
    start: int
    end: int


@dataclasses.dataclass
class Answer:  # of Haystack 1
    answer: str
    offsets_in_document: list | None = None
    document_ids: list | None = None
    meta: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class ExtractedAnswer:  # of Haystack 2
    data: str | None
    document: object = None
    document_offset: Span | None = None
    meta: dict = dataclasses.field(default_factory=dict)


def test_hashes_of_answers_are_found_in_the_documents():
    documents = [{"id": "h2", "meta": {"name": "d2"}}, {"id": "h1", "meta": {"name": "d1"}}]
    whole = {"text": "nine m", "start": 4, "end": 10}
    for answer in ({"document_ids": ["h1"]}, {"document_id": "h1"}, {"document_id": "d1"}):
        scores = score([{"documents": documents, "answers": [{**whole, **answer}]}], GOLD[:1], document_field="name")
        assert scores.summary()["reader_top1_em"] == 1
    gold = {"documents": documents, "answers": [{**whole, "document_id": "h1"}]}
    plain = [{"documents": ["d1"], "answers": [{**whole, "document_id": "d1"}]}]
    assert score(plain, [gold], document_field="name").summary()["reader_top1_em"] == 1
    with pytest.raises(ValueError, match=r"predictions\[0\]\['answers'\]\[0\] .*'name'.*'h7'"):
        score([{"documents": documents, "answers": [{**whole, "document_id": "h7"}]}], GOLD[:1], document_field="name")


# --- bad input --------------------------------------------------------------------------------------------------------


def changed(rows, row, **fields):
    return [{**old, **fields} if place == row else old for place, old in enumerate(rows)]


def answer(**fields):
    return [{"text": "nine", "document_id": "d1", "start": 4, "end": 8, **fields}]


def answered(**fields):
    return changed(PIPELINE, 0, answers=answer(**fields)), GOLD


def gold_answered(**fields):
    return PIPELINE, changed(GOLD, 0, answers=answer(**fields))


IN = r"predictions\[0\]\['answers'\]\[0\]"
OF = r"references\[0\]\['answers'\]\[0\]"
BAD = {  # columns, and what the message names
    "end before start": (answered(start=8, end=4), f"{IN} .*8 to 4"),
    "text as an offset": (answered(start="4"), f"{IN} .*'4'"),
    "empty gold span": (gold_answered(end=4), r"references\[0\]"),
    "no document": (answered(document_id=None), f"{IN} .*'document_id'"),
    "a number as answer": ((changed(PIPELINE, 0, answers=[9]), GOLD), f"{IN} .*int: 9"),
    "no id in a document": ((changed(PIPELINE, 0, documents=["d1", {"text": "x"}]), GOLD), r"\['documents'\]\[1\] .*'id'"),
    "documents as text": ((changed(PIPELINE, 0, documents="d1"), GOLD), r"predictions\[0\]\['documents'\]"),
    "possible without answers": ((PIPELINE, changed(GOLD, 1, is_impossible=False)), r"references\[1\] .*is_impossible"),
    "an empty gold answer": ((PIPELINE, changed(GOLD, 0, answers=[{"text": "", "answer_start": 0}], is_impossible=None)), r"references\[0\]"),
    "a slip in an answer": ((changed(PIPELINE, 0, answers=[{"text": "nine", "doc_id": "d1"}]), GOLD), f"{IN} .*'doc_id'.*'document_id'"),
    "a slip in a document": ((changed(PIPELINE, 0, documents=["d2", {"id": "d1", "contents": "x"}]), GOLD), r"\['documents'\]\[1\] .*'contents'.*'content'"),
    "a text as flag": ((PIPELINE, changed(GOLD, 1, is_impossible="yes")), r"references\[1\]\['is_impossible'\]"),
    "lists of SQuAD that do not fit": ((PIPELINE, changed(GOLD, 0, answers={"text": ["a", "b"], "answer_start": [1]})), r"references\[0\]\['answers'\]"),
    "a span beyond the document": (
        ([{"documents": ["d1"], "answers": answer()}], [{"documents": [{"id": "d1", "text": "nine"}], "answers": answer(end=6, start=0)}]),
        "'d1' has only 4",
    ),
    "a gold span beyond the document": (
        ({"q1": PIPELINE[0]}, {"q1": {"documents": [{"id": "d1", "text": "nine"}], "answers": answer()}}),
        r"references\[0\] \(id 'q1'\)\['answers'\]\[0\] ends at 8",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_named(case):
    columns, named = BAD[case]
    with pytest.raises((ValueError, TypeError), match=named):
        score(*columns)


def test_spans_and_texts_mixed():
    only_text = [{"text": "nine", "document_id": "d1"}]
    only_span = [{"document_id": "d1", "start": 4, "end": 8}]
    mixed = changed(PIPELINE, 0, answers=only_text + only_span)
    for columns, options, named in (
        ((mixed, GOLD), {}, r"predictions\[0\]\['answers'\]\[1\] .*unit=token"),
        ((mixed, GOLD), {"unit": "offset"}, IN),
        ((changed(PIPELINE, 0, answers=only_text), changed(GOLD, 0, answers=only_span)), {"unit": "token"}, OF),
        ((PIPELINE, GOLD), {"open_domain": True}, r"predictions\[0\]\['documents'\]\[0\] .*open_domain=True"),
        ((PIPELINE, changed(GOLD, 0, answers=only_span)), {"open_domain": True}, f"{OF} .*open_domain=True"),
        (([None], GOLD[:1]), {"missing": "skip"}, "missing"),
    ):
        with pytest.raises(ValueError, match=named):
            score(*columns, **options)
    assert score(changed(PIPELINE, 0, answers=only_text), GOLD).options.unit == "token"


def test_passages_that_share_an_id_do_not_tell_how_long_their_document_is():
    passages = [{"id": "d1", "text": "the nine mice"}, {"id": "d1", "text": "x"}]
    whole = {"id": "d1", "text": "the nine mice ran"}
    for documents in (passages, passages[::-1], [passages[1]]):
        gold = {"documents": [whole], "answers": answer()}
        assert score([{"documents": documents, "answers": answer()}], [gold]).summary()["reader_top1_em"] == 1
    gold = {"documents": ["d1"], "answers": answer()}
    assert score([{"documents": passages, "answers": answer()}], [gold]).summary()["reader_top1_em"] == 1
    to_the_end = [{"documents": ["d1"], "answers": answer(text="whole", start=0, end=17)}]
    assert score(to_the_end, [{**gold, "documents": [whole]}])["reader_top1_accuracy"] == 1
    with pytest.raises(ValueError, match="has only 17 characters"):
        score([{"documents": passages, "answers": answer(end=18)}], [{**gold, "documents": [whole]}])
