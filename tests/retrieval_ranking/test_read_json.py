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
    nothing = {"q1": {}, "q2": {}}
    assert read_predictions(save_table(nothing), qrels).columns == {"predictions": nothing}


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
    gold = read_gold(save_table([["d1"], ["d3"]]), metric="retrieval_ranking")
    assert (gold.ids, gold.columns) == (None, {"references": [["d1"], ["d3"]]})
    run = read_predictions(save_table([["d2", "d1"], ["d3"]]), gold)
    assert qassay.score(gold.metric, **gold.columns, **run.columns).summary(["mrr"]) == {"mrr": 0.75}


@pytest.mark.parametrize(
    "value",
    [
        {"mteb_model_meta": {"model_name": "m", "x": {"y": {"z": 1}}}, "test": RUN},
        {"default": {"test": RUN}},
        {"mteb_model_meta": {}, "default": {"test": RUN, "note": "x", "empty": {}}},
    ],
)
def test_the_only_run_of_mteb(save_table, qrels, value):
    assert read_predictions(save_table(value), qrels).columns == {"predictions": RUN}
    if "mteb_model_meta" in value:
        with pytest.raises(FileError, match="MTEB"):
            read_gold(save_table(value))


@pytest.mark.parametrize(
    "value, words",
    [
        ({"mteb_model_meta": {}, "en": {"test": RUN, "dev": RUN}}, "en/test, en/dev"),
        ({"en": {"test": RUN}, "dé": {"test": RUN}}, "en/test, dé/test"),
        ({"mteb_model_meta": {}, "scores": {"test": [1]}}, "no run"),
    ],
)
def test_several_runs_or_none_of_mteb(save_table, qrels, value, words, refused):
    refused(words, read_predictions, save_table(value), qrels)


def test_a_folder_with_one_file_of_predictions_of_mteb(save_table, qrels, tmp_path):
    (tmp_path / "m").mkdir()
    run = save_table({"mteb_model_meta": {}, "default": {"test": RUN}}, "m/Task_predictions.json")
    expected = read_predictions(run, qrels).columns
    save_table({"task_name": "Task", "scores": {}}, "m/Task.json")
    with pytest.warns(UserWarning, match="2 files Task_predictions.json"):
        assert read_predictions(tmp_path / "m", qrels).columns == expected
    save_table({"mteb_model_meta": {}}, "m/Other_predictions.json")
    with pytest.raises(FileError, match="Other_predictions.json, Task_predictions.json"):
        read_predictions(tmp_path / "m", qrels)


def test_duplicates_are_not_lost(save_table, qrels, refused):
    for text, words in (
        ('{"q1": {"d1": 1}, "q2": {"d1": 1}, "q1": {"d2": 1}}', "duplicate key 'q1'"),
        ('{"q1": {"d1": 1, "d2": 0, "d1": 0}}', "duplicate key 'd1' in one object, at ['q1']"),
    ):
        refused(words, read_gold, save_table(text))
        refused(words, read_predictions, save_table(text), qrels)


def test_other_files(save_table, qrels, refused):
    run = read_predictions(save_table({"q1": {"d1": "0.5"}}), qrels)
    with pytest.raises(TypeError, match="document 'd1' of query 'q1'"):
        qassay.score(qrels.metric, **qrels.columns, **run.columns)
    for value, words in (
        ({}, "an empty JSON object"),
        ({"version": "v2.0", "data": [{"paragraphs": []}]}, "a SQuAD gold file"),
        ({"q1": "Paris"}, "predictions ({id: text})"),
        ({"q1": 0.5}, "no-answer probabilities"),
    ):
        refused(words, read_predictions, save_table(value), qrels)
    with pytest.raises(FileError, match="SQuAD gold file, which retrieval_ranking"):
        read_gold(save_table({"data": [{"paragraphs": []}]}), metric="retrieval_ranking")
    with pytest.raises(FileError, match="--columns relevance"):
        read_gold(save_table(QRELS), {"relevance": "rel"})
