"""Tables of rankings: usual names, given names, every format, rows that judge themselves, bad cells."""

import json

import pyarrow as pa
import pytest

import qassay
from qassay.files import read_gold, read_predictions

QRELS = {"query-id": ["7", "7", "8"], "corpus-id": ["a", "b", "a"], "score": [1, 0, 2]}
RUN = {"qid": [8, 7, 7], "docid": ["a", "b", "a"], "score": [0.5, 2.5, -1.0], "rank": [1, 1, 2]}
SELF = {"question": ["x?", "x?", "y?"], "sentence": ["s", "t", "u"], "label": [0, 1, 1], "score": [0.9, 0.1, 0.5]}


def delimited(columns, delimiter):
    rows = [columns, *zip(*columns.values(), strict=True)]
    return "".join(delimiter.join(map(str, row)) + "\n" for row in rows)


def json_rows(columns):
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


WRITERS = {
    "csv": lambda columns: delimited(columns, ","),
    "jsonl": lambda columns: "\n".join(map(json.dumps, json_rows(columns))),
    "parquet": lambda columns: pa.table(columns),
}


@pytest.fixture
def qrels(save_table):
    return read_gold(save_table(pa.table(QRELS), "qrels"))


def score(gold, run):
    return qassay.score(gold.metric, **gold.columns, **run.columns, **gold.options)


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_every_format(save_table, write):
    gold = read_gold(save_table(write(QRELS), "qrels"))
    assert (gold.kind, gold.metric, gold.ids) == ("ranking_table", "retrieval_ranking", ["7", "8"])
    assert gold.names == {"query": "query-id", "document": "corpus-id", "relevance": "score"}
    assert not gold.may_hold_predictions
    references = gold.columns["references"]
    assert isinstance(references, pa.Table)
    assert references.to_pydict() == {"query": ["7", "7", "8"], "document": ["a", "b", "a"], "relevance": [1, 0, 2]}
    run = read_predictions(save_table(write(RUN), "run"), gold)
    table = run.columns["predictions"]
    assert list(map(int, table["rank"].to_pylist())) == RUN["rank"]  # compared with the scores
    table = table.drop(["rank"])
    assert table.to_pydict() == {"query": ["8", "7", "7"], "document": ["a", "b", "a"], "score": [0.5, 2.5, -1.0]}
    assert table.schema.field("score").type == pa.float64()
    assert score(gold, run).summary(["mrr"]) == {"mrr": 0.75}


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_rows_that_judge_themselves(save_table, form):
    write = WRITERS[form]
    path = save_table(write(SELF))
    gold = read_gold(path)
    assert (gold.kind, gold.ids, gold.columns) == ("ranking_table", ["x?", "y?"], {})
    assert gold.may_hold_predictions
    run = read_predictions(path, gold)
    assert run.columns["predictions"].to_pydict() == {
        "query": ["x?", "x?", "y?"],
        "score": [0.9, 0.1, 0.5],
        "relevance": [0, 1, 1],
    }
    assert score(gold, run).summary(["mrr", "total"]) == {"mrr": 0.75, "total": 2}
    other = save_table(write({**SELF, "score": [1, 2, 3]}), "other")
    assert score(gold, read_predictions(other, gold)).summary(["mrr"]) == {"mrr": 1.0}


def test_judgements_and_scores_in_one_file(save_table):
    path = save_table(WRITERS["csv"]({"query": [1, 1], "doc": ["a", "b"], "rel": [0, 1], "score": [2, 1]}))
    gold = read_gold(path)
    assert gold.may_hold_predictions
    assert score(gold, read_predictions(path, gold)).summary(["mrr"]) == {"mrr": 0.5}
    assert score(gold, read_predictions(save_table("1 Q0 b 1 3 x\n", "run"), gold)).summary(["mrr"]) == {"mrr": 1.0}


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_given_names(save_table, form):
    write = WRITERS[form]
    names = {"query": "topic number", "document": "sentence", "relevance": "grade", "score": "bm25"}
    judged = {"topic number": [1, 1], "qid": [5, 5], "sentence": ["a", "b"], "grade": [3, 0]}
    gold = read_gold(save_table(write(judged), "qrels"), names)
    references = gold.columns["references"].to_pydict()
    assert references == {"query": ["1", "1"], "document": ["a", "b"], "relevance": [3, 0]}
    ranked = {"topic number": [1, 1], "sentence": ["a", "b"], "score": [1, 2], "bm25": [9, 8]}
    run = read_predictions(save_table(write(ranked)), gold, names)
    assert run.columns["predictions"].to_pydict() == {"query": ["1", "1"], "document": ["a", "b"], "score": [9, 8]}


def test_the_question_is_a_detail_beside_an_id(save_table):
    rows = {"qid": [2, 1, 2], "question": ["why?", "who?", "again?"], "docid": ["a", "b", "c"], "label": [1, 0, 1]}
    for write in WRITERS.values():
        gold = read_gold(save_table(write(rows)))
        assert (gold.ids, gold.details) == (["2", "1"], {"question": ["why?", "who?"]})
    gold = read_gold(save_table(WRITERS["csv"](rows)), {"questions": "docid", "document": "question"})
    assert gold.details == {"question": ["a", "b"]}


@pytest.mark.parametrize(
    "header, metric",
    [
        ("qid,document,answer,score", "answer_match"),
        ("question,answer,label", "answer_match"),
        ("question,answer,label,score", "retrieval_ranking"),
        ("Query ID,Doc ID,Relevance", "retrieval_ranking"),
    ],
)
def test_tables_of_answers_are_unchanged(save_table, header, metric):
    path = save_table(f"{header}\n{','.join('1' for _ in header.split(','))}\n")
    assert read_gold(path).metric == metric
    assert read_gold(save_table("query,label,score\nq,Paris,0.5\n")).metric == "answer_match"


def test_the_metric_decides_where_it_is_given(save_table):
    gold = read_gold(save_table("query,document,answers,score\nq,d,a,1\n"), metric="retrieval_ranking")
    assert gold.columns["references"].to_pydict() == {"query": ["q"], "document": ["d"], "relevance": [1]}
    table = save_table("question,answer,label,score\nq,a,1,2\n")
    assert read_gold(table, metric="answer_match").metric == "answer_match"
    for value, rows in (
        ({"query": ["q", "q"], "docid": ["a", "b"], "rel": [1, 0]}, 2),
        ({"data": [{"query": "q", "docid": "a", "rel": 1}]}, 1),
    ):
        assert read_gold(save_table(value), metric="retrieval_ranking").columns["references"].num_rows == rows


def test_types_of_parquet(save_table):
    texts = {"query": pa.array(["1", "2"]).dictionary_encode(), "docid": pa.array(["a", "b"], pa.large_string())}
    numbers = {"query": pa.array([1, 2], pa.int32()), "docid": pa.array([10**18, -1], pa.int64())}
    for kind, columns in (
        (pa.int8(), texts),
        (pa.float32(), numbers),
        (pa.bool_(), texts),
        (pa.decimal128(5, 2), numbers),
    ):
        relevance = pa.array([1, 0], pa.int8()).cast(kind)
        gold = read_gold(save_table(pa.table({**columns, "rel": relevance})), metric="retrieval_ranking")
        table = gold.columns["references"]
        assert gold.ids == ["1", "2"] and table["document"].to_pylist() == list(map(str, columns["docid"].to_pylist()))
        assert (table["relevance"].type, table["relevance"].to_pylist()) == (pa.float64(), [1.0, 0.0])


def test_bad_judgements(save_table, refused):
    for data, names, words in (
        ("query,doc,rel\n1,a,1\n", {"relevance": "re"}, "no column 're' (did you mean 'rel'?)"),
        ("query,doc,rel,label\n1,a,1,1\n", {}, "rel or label"),
        ("key,doc,rel\n", {"document": "doc"}, "query; it has: key, doc, rel"),
        ("query,doc,rel\n1,a,1\n2,,1\n", {}, "row 1: the column doc"),
        ("query,doc,rel\n1,a,1\n1,b,high\n", {}, "row 1: 'high' in the column rel"),
        ([{"qid": 1, "doc": "a", "rel": 1}, {"qid": None, "doc": "b", "rel": 1}], {}, "the column qid[1] is None"),
        ([{"qid": 1, "doc": "a", "rel": 1}, {"qid": 1, "doc": "b", "rel": "1"}], {}, "in row 1 str: '1'"),
        (pa.table({"qid": [1, 2], "doc": ["a", "b"], "rel": [1, None]}), {}, "row 1: the column rel"),
        (pa.table({"qid": [1.0], "doc": ["a"], "rel": [1]}), {"query": "qid"}, "qid holds double"),
    ):
        refused(words, read_gold, save_table(data), names)


def test_bad_runs(save_table, qrels, refused):
    for data, words in (
        ("query,doc,score,sim\n1,a,1,1\n", "score or sim"),
        ("query,doc,score\n1,a,1_0\n", "row 0: '1_0' in the column score"),
        ("query,doc,rel\n1,a,1\n", "as gold"),
    ):
        refused(words, read_predictions, save_table(data), qrels)
    refused("as gold", read_gold, save_table(WRITERS["jsonl"](RUN)))
    gold = read_gold(save_table(WRITERS["csv"](SELF), "self"))  # rows that judge themselves
    refused("self have no documents", read_predictions, save_table("x? Q0 a 1 2 t\n"), gold)
