"""One table with a row per question: retrieved and gold documents, the answer of a system and the gold answers."""

import warnings

import pytest

import qassay
from qassay.files import FileError

ROWS = [
    {"id": "a", "question": "Where?", "retrieved_ids": ["d1", "d2", "d3"], "gold_ids": ["d2"], "answer": "Paris", "golds": ["Paris"], "lang": "fr"},
    {"id": "b", "question": "Who?", "retrieved_ids": ["d9", "d8"], "gold_ids": ["d1", "d8"], "answer": "Bob", "golds": ["Bob Smith"], "lang": "en"},
    {"id": "c", "question": "What?", "retrieved_ids": [], "gold_ids": ["d5"], "answer": "", "golds": ["seven"], "lang": "en"},
    {"id": "d", "question": "When?", "retrieved_ids": None, "gold_ids": ["d5"], "answer": "", "golds": [], "lang": "en"},
    {"id": "e", "question": "Why?", "retrieved_ids": ["d7"], "gold_ids": None, "answer": "no", "golds": ["no"], "lang": "fr"},
    {"id": "f", "question": "How?", "retrieved_ids": ["d7"], "gold_ids": [], "answer": "so", "golds": ["so", "thus"], "lang": "fr"},
]  # fmt: skip
RUN = {row["id"]: row["retrieved_ids"] for row in ROWS if row["retrieved_ids"] is not None}
QRELS = {row["id"]: row["gold_ids"] for row in ROWS if row["gold_ids"] is not None}
FAMILIES = ("answer_match", "retrieval_ranking", "retriever_reader")


def only(rows, *names):
    return [{name: row[name] for name in names if name in row} for row in rows]


def expected(metric):
    """The same by columns given to `score`."""
    if metric == "retrieval_ranking":
        return qassay.score(metric, RUN, QRELS)
    if metric == "answer_match":
        return qassay.score(metric, [row["answer"] for row in ROWS], [row["golds"] for row in ROWS])
    outputs = [{"documents": row["retrieved_ids"] or [], "answers": [row["answer"]]} for row in ROWS]
    return qassay.score(
        metric, outputs, [{"documents": row["gold_ids"] or [], "answers": row["golds"]} for row in ROWS]
    )


@pytest.mark.parametrize("metric", FAMILIES)
@pytest.mark.parametrize("ending", [".jsonl", ".parquet", ".csv"])
def test_a_table_is_scored_by_each_metric_like_its_columns(save, metric, ending):
    path = save(f"rag{ending}", ROWS)
    ((name, scores),) = qassay.score_files(path, metric=metric).items()
    assert name == "rag" and scores.summary() == expected(metric).summary()
    assert list(scores.ids) == [row["id"] for row in ROWS if metric != "retrieval_ranking" or row["id"] in QRELS]
    assert scores.notes == qassay.score_files(save("same.json", ROWS), metric=metric)["same"].notes
    names = [name for name in ROWS[0] if name != "id"]  # without ids rows belong together by their order
    gold, system = (save(f"{of}{ending}", only(ROWS, *names)) for of in ("gold", "system"))
    assert qassay.score_files(gold, metric=metric)["gold"].summary() == expected(metric).summary()
    assert qassay.score_files(gold, {"s": system}, metric)["s"].summary() == expected(metric).summary()


def test_gold_and_systems_in_files_of_their_own(save):
    gold = save("gold.jsonl", only(ROWS, "id", "question", "gold_ids", "golds", "lang"))
    system = save("a.jsonl", only(ROWS, "id", "retrieved_ids", "answer")[::-1])
    found = {metric: qassay.score_files(gold, {"a": system}, metric)["a"] for metric in FAMILIES}
    for metric in FAMILIES:
        assert found[metric].summary() == expected(metric).summary()
    lines = [f"{query} 0 {name} 1\n" for query, names in QRELS.items() for name in names]
    qrels = save("qrels.txt", "".join(lines))
    of_trec = qassay.score_files(qrels, {"a": system}, measures=["mrr"])["a"]  # which has no query without judgements
    assert of_trec.summary(["mrr"])["mrr"] * 4 == found["retrieval_ranking"].summary(["mrr"])["mrr"] * 5


@pytest.mark.parametrize("metric", ["retrieval_ranking", "retriever_reader"])
def test_gold_documents_of_two_tables_that_differ_are_reported(save, metric):
    one = save("one.json", ROWS)
    other = save("other.json", [{**ROWS[0], "gold_ids": ["d1"]}, *ROWS[1:]])
    with pytest.raises(FileError, match="other.json: the id 'a' has .*d1.* as gold, but .*d2"):
        qassay.score_files(one, [other], metric)


def test_a_system_without_a_run_is_scored_by_its_answers_only(save):
    gold = save("gold.jsonl", only(ROWS, "id", "gold_ids", "golds"))
    answers = save("a.jsonl", only(ROWS, "id", "answer"))
    assert qassay.score_files(gold, {"a": answers})["a"].summary() == expected("answer_match").summary()
    for metric, missing in (("retriever_reader", "documents"), ("retrieval_ranking", "run")):
        with pytest.raises(FileError, match=f"no column is known to hold the {missing}"):
            qassay.score_files(gold, {"a": answers}, metric)


def test_rows_that_do_not_fit_are_refused(save):
    gold = save("gold.json", only(ROWS, "gold_ids"))
    with_ids = save("ids.json", only(ROWS, "id", "retrieved_ids"))
    fewer = save("fewer.json", only(ROWS[:2], "retrieved_ids"))
    for system, words in ((with_ids, "have ids .* but not in .*gold.json"), (fewer, "2 rows here, but 6 in")):
        with pytest.raises(FileError, match=words):
            qassay.score_files(gold, {"s": system}, "retrieval_ranking")
    by_question = {"ids": "question", "run": "retrieved_ids", "qrels": "gold_ids"}
    scores = qassay.score_files(save("r.json", ROWS), metric="retrieval_ranking", columns=by_question)["r"]
    assert scores.ids[0] == "Where?"
    twice = save("twice.json", [ROWS[0], ROWS[0]])
    with pytest.raises(FileError, match="repeats the id 'a' of row 0"):
        qassay.score_files(twice, metric="retrieval_ranking")
    with pytest.raises(FileError, match=r"column id\[1\] must be str or int"):
        qassay.score_files(save("n.json", [ROWS[0], {**ROWS[1], "id": None}]), metric="retrieval_ranking")


@pytest.mark.parametrize("metric", ["retrieval_ranking", "retriever_reader"])
def test_ids_that_are_in_one_text_are_reported(save, metric):
    rows = [{"id": "a", "retrieved_ids": ["d1", "d2"], "gold_ids": "d2;d3", "answer": "x", "golds": ["x"]}]
    path = save("r.csv", rows)
    with pytest.raises(ValueError, match="r.csv: the gold document 'd2;d3' holds the ids of retrieved documents"):
        qassay.score_files(path, metric=metric)
    scores = qassay.score_files(path, metric=metric, columns={"separator": ";"})["r"]
    measure = {"retrieval_ranking": "mrr", "retriever_reader": "retriever_mrr"}[metric]
    assert scores.summary([measure]) == {measure: 0.5}
    save("r.csv", [{**rows[0], "gold_ids": "Paris, Texas", "retrieved_ids": ["Paris, Texas", "Paris"]}])
    assert qassay.score_files(path, metric=metric)["r"].summary([measure]) == {measure: 1}


# --- cells ------------------------------------------------------------------------------------------------------------


BEST_LAST = [{"id": "d2", "score": 1.0, "content": "..."}, {"id": "d1", "score": 2}]


@pytest.mark.parametrize(
    "cells",
    [
        [["d1", "d2"], '["d1", "d2"]', "['d1', 'd2']"],
        [[{"corpus_id": "d1", "text": "..."}, {"corpus_id": "d2", "text": "..."}]],
        [BEST_LAST, [["d1", 0.9], ["d2", 0.5]], {"d2": 0.1, "d1": 0.5}],
    ],
)
@pytest.mark.parametrize("metric, measure", [("retrieval_ranking", "mrr"), ("retriever_reader", "retriever_mrr")])
def test_cells_of_retrieved_documents(save, cells, metric, measure):
    for gold in (["d2"], {"d2": 3}):
        rows = [{"retrieved_ids": cell, "gold_ids": gold, "answer": "x", "golds": ["x"]} for cell in cells]
        scores = qassay.score_files(save("r.json", rows), metric=metric)["r"]
        assert scores.summary([measure]) == {measure: 0.5}


@pytest.mark.parametrize(
    "column, words",
    [
        ([["a"], [["x", "y", "z"]]], r"an id of query 1 is list"),
        ([[{"id": "x", "doc_id": "y"}]], "the document could be id or doc_id"),
        ([[{"id": "x", "score": 1}, {"id": "y"}]], "the score of document 'y' of query 0 is None"),
        (["[d1"], r"row 0: '\[d1' is not a list of documents, in the column retrieved_ids"),
        ([[["x", 0.1], ["y", 0.5]]], "every list of retrieved_ids begins with its lowest score"),
    ],
)
def test_cells_that_are_not_documents_are_refused(save, column, words):
    path = save("r.json", [{"retrieved_ids": cell, "gold_ids": ["x"]} for cell in column])
    with pytest.raises(FileError, match=words):
        qassay.score_files(path, metric="retrieval_ranking")


def test_rows_of_pipelines_have_scores_or_none(save):
    """Each row by itself: one that has no scores is in rank order."""
    scored, unscored = [["d1", 0.9], ["d2", 0.5]], ["d1", "d2"]
    rows = [{"retrieved_ids": cell, "gold_ids": ["d2"], "answer": "x", "golds": "x"} for cell in (scored, unscored)]
    scores = qassay.score_files(save("r.json", rows), metric="retriever_reader")["r"]
    assert scores["retriever_mrr"] == 0.5
    path = save("r.json", [{**rows[0], "retrieved_ids": [["d1", 0.9], "d2"]}])
    with pytest.raises(FileError, match="row 0: the document 'd2' of retrieved_ids has no score"):
        qassay.score_files(path, metric="retriever_reader")


def test_chunks_of_one_document(save):
    path = save("r.json", [{"id": "a", "retrieved_ids": ["x", "x", "y"], "gold_ids": ["y", "y"]}])
    with pytest.raises(FileError, match="twice"):
        qassay.score_files(path)
    scores = qassay.score_files(path, duplicates="best")["r"]
    assert scores.summary(["mrr"]) == {"mrr": 0.5} and scores.notes["duplicates"] == 1
    graded = [{"id": "x", "grade": 1}, {"id": "x", "grade": 2}]
    twice = save("s.json", [{"id": "a", "retrieved_ids": ["x"], "gold_ids": graded}])
    with pytest.raises(FileError, match="row 0: gold_ids has a document twice"):
        qassay.score_files(twice)


def test_scores_and_weights_of_a_table_count(save):
    rows = [
        {"id": "a", "retrieved_ids": {"x": 1, "y": 2}, "gold_ids": ["y"], "weight": 3},
        {"id": "b", "retrieved_ids": {"x": 1, "y": 2}, "gold_ids": ["x"], "weight": 1},
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = qassay.score_files(save("r.json", rows))["r"]
    assert scores.summary(["mrr"]) == {"mrr": (3 * 1 + 1 * 0.5) / 4}


@pytest.mark.parametrize(
    "cells",
    [
        [("[2, 3]", "2"), ("[4, 3]", "[3]")],
        [("[[5, 0.9], [6, 0.1]]", '{"6": 1}'), ('[{"id": 7, "score": 1}]', "7")],
    ],
)
def test_a_bare_id_and_a_list_of_numbers_are_in_one_column_of_csv(save, cells):
    """Ids are text in every form of a cell."""
    rows = [{"retrieved_ids": run, "gold_ids": gold, "answer": "x", "golds": "x"} for run, gold in cells]
    (scores,) = qassay.score_files(save("t.csv", rows), metric="retrieval_ranking").values()
    assert scores.summary(["mrr"]) == {"mrr": 0.75}
