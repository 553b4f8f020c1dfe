"""Judgements and runs as JSON by query, as BEIR and MTEB write them."""

import pytest

import qassay
from qassay.files import FileError, read_gold, read_predictions

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
RUN = {"q1": {"d2": 0.5, "d1": 0.25}, "q2": {}}


@pytest.fixture
def qrels(save_table):
    return read_gold(save_table(QRELS, "qrels.json"))


def test_numbers_by_document_by_query(save_table, qrels):
    assert (qrels.kind, qrels.metric, qrels.options, qrels.details) == ("qrels", "retrieval_ranking", {}, {})
    assert (qrels.ids, qrels.columns) == (["q1", "q2"], {"references": QRELS})
    run = read_predictions(save_table(RUN), qrels)
    assert run.columns == {"predictions": RUN}
    scores = qassay.score(qrels.metric, **qrels.columns, **run.columns, **qrels.options)
    assert scores.summary(["mrr", "total"]) == {"mrr": 0.25, "total": 2}


@pytest.mark.parametrize("value", [{"q1": {"a": 0.5}}, {"q1": {}, "q2": {"a": 3, "b": 0.1}}])
def test_the_role_decides(save_table, qrels, value):
    """Both sides look the same: gains may have decimals, and scores may be whole."""
    assert read_gold(save_table(value)).columns == {"references": value}
    assert read_predictions(save_table(value), qrels).columns == {"predictions": value}


def test_lists_are_rankings_on_request(save_table, qrels):
    ranked = {"q1": ["d2", "d1"], "q2": []}
    assert read_gold(save_table(ranked)).metric == "answer_match"
    gold = read_gold(save_table(ranked), metric="retrieval_ranking")
    assert (gold.kind, gold.ids, gold.columns) == ("qrels", ["q1", "q2"], {"references": ranked})
    assert read_predictions(save_table(ranked), qrels).columns == {"predictions": ranked}
    pairs = {"q1": [["d2", 0.5], ["d1", 0.25]]}
    assert read_predictions(save_table(pairs), qrels).columns == {"predictions": pairs}
    gold = read_gold(save_table([["d1"], ["d3"]]), metric="retrieval_ranking")
    assert (gold.ids, gold.columns) == (None, {"references": [["d1"], ["d3"]]})
    run = read_predictions(save_table([["d2", "d1"], ["d3"]]), gold)
    assert qassay.score(gold.metric, **gold.columns, **run.columns).summary(["mrr"]) == {"mrr": 0.75}


def test_a_run_that_found_nothing(save_table, qrels):
    assert read_predictions(save_table({"q1": {}, "q2": {}}), qrels).columns == {"predictions": {"q1": {}, "q2": {}}}


@pytest.mark.parametrize(
    "value",
    [
        {"mteb_model_meta": {"model_name": "m"}, "default": {"test": RUN}},
        {"mteb_model_meta": {"model_name": "m", "x": {"y": {"z": 1}}}, "test": RUN},
        {"default": {"test": RUN}},
        {"test": RUN},
        {"mteb_model_meta": {}, "default": {"test": RUN, "note": "x", "empty": {}}},
    ],
)
def test_the_only_run_of_mteb(save_table, qrels, value):
    assert read_predictions(save_table(value), qrels).columns == {"predictions": RUN}


@pytest.mark.parametrize(
    "value, words",
    [
        (
            {"mteb_model_meta": {}, "en": {"test": RUN, "dev": RUN}},
            """en/test, en/dev; give a file with one of them, for example what jq '.["en"]["test"]' prints""",
        ),
        ({"en": {"test": RUN}, "dé": {"test": RUN}}, "there are 2 runs in this file of MTEB: en/test, dé/test;"),
        ({"mteb_model_meta": {}, **{f"l{n}": {"test": RUN} for n in range(12)}}, "l9/test, ...; give"),
        (
            {"mteb_model_meta": {}, "scores": {"test": [1]}},
            "there is no run in this file of MTEB; give {query: {document",
        ),
    ],
)
def test_several_runs_or_none_of_mteb(save_table, qrels, value, words, refused):
    refused(words, read_predictions, save_table(value), qrels)


def test_a_folder_with_one_file_of_predictions_of_mteb(save_table, qrels, tmp_path):
    (tmp_path / "m").mkdir()
    run = save_table({"mteb_model_meta": {}, "default": {"test": RUN}}, "m/Task_predictions.json")
    expected = read_predictions(run, qrels).columns
    save_table({"task_name": "Task", "scores": {}}, "m/Task.json")
    with pytest.warns(UserWarning, match="m: of its 2 files Task_predictions.json is read"):
        assert read_predictions(tmp_path / "m", qrels).columns == expected
    save_table({"mteb_model_meta": {}}, "m/Other_predictions.json")
    with pytest.raises(FileError, match="has 2 logs: Other_predictions.json, Task_predictions.json; give one of them"):
        read_predictions(tmp_path / "m", qrels)


def test_a_run_of_mteb_is_not_a_gold_file(save_table):
    with pytest.raises(FileError, match="looks like a run of MTEB, not qrels; the gold file comes first"):
        read_gold(save_table({"mteb_model_meta": {}, "default": {"test": RUN}}))


@pytest.mark.parametrize(
    "text, words",
    [
        ('{"q1": {"d1": 1}, "q2": {"d1": 1}, "q1": {"d2": 1}}', "duplicate key 'q1'; give it once"),
        ('{"q1": {"d1": 1, "d2": 0, "d1": 0}}', "duplicate key 'd1' in one object, at ['q1']; give it once"),
    ],
)
def test_duplicates_are_not_lost(save_table, qrels, text, words, refused):
    for read in (read_gold, lambda path: read_predictions(path, qrels)):
        refused(words, read, save_table(text))


@pytest.mark.parametrize("number", ["0.5", None])
def test_the_core_says_which_number_is_none(save_table, qrels, number):
    run = read_predictions(save_table({"q1": {"d1": number}}), qrels)
    with pytest.raises((TypeError, ValueError), match="document 'd1' of query 'q1'"):
        qassay.score(qrels.metric, **qrels.columns, **run.columns)


@pytest.mark.parametrize(
    "value, words",
    [
        ({}, "this looks like an empty JSON object, not a run"),
        (
            {"version": "v2.0", "data": [{"paragraphs": []}]},
            "this looks like a SQuAD gold file, not a run; give a TREC run",
        ),
        ({"q1": "Paris"}, "this looks like predictions ({id: text}), not a run"),
        ({"q1": 0.5}, "this looks like no-answer probabilities ({id: number}), not a run"),
    ],
)
def test_no_run(save_table, qrels, value, words, refused):
    refused(words, read_predictions, save_table(value), qrels)


def test_no_judgements(save_table):
    with pytest.raises(FileError, match="a SQuAD gold file, which retrieval_ranking does not score; give TREC qrels, "):
        read_gold(save_table({"data": [{"paragraphs": []}]}), metric="retrieval_ranking")
    with pytest.raises(FileError, match="this is numbers of documents by query .* omit --columns relevance"):
        read_gold(save_table(QRELS), {"relevance": "rel"})
