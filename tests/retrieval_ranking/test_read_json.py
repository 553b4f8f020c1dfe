"""Judgements and runs as JSON by query, as BEIR and MTEB write them."""

import pytest

import qassay
from qassay.files import FileError, read_gold, read_predictions
from qassay.files.folders import has_systems

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


@pytest.mark.parametrize("more", [{"mteb_model_meta": {"x": {"y": {"z": 1}}}}, {}])
def test_the_only_run_of_mteb(save_table, qrels, refused, more):
    path = save_table({**more, "default": {"test": RUN, "note": "x", "empty": {}} if more else {"test": RUN}})
    assert read_predictions(path, qrels).columns == {"predictions": RUN}
    several = save_table({**more, "en": {"test": RUN, "dev": RUN}})
    refused("en/test, en/dev", read_predictions, several, qrels)


def test_a_folder_with_one_file_of_predictions_of_mteb(save_table, qrels, tmp_path):
    (tmp_path / "m").mkdir()
    run = save_table({"mteb_model_meta": {}, "default": {"test": RUN}}, "m/Task_predictions.json")
    expected = read_predictions(run, qrels).columns
    save_table({"task_name": "Task", "scores": {}}, "m/Task.json")
    with pytest.warns(UserWarning, match="2 files Task_predictions.json"):
        assert read_predictions(tmp_path / "m", qrels).columns == expected
    assert not has_systems(str(tmp_path / "m"))
    save_table({"mteb_model_meta": {}}, "m/Other_predictions.json")
    with pytest.raises(FileError, match="Other_predictions.json, Task_predictions.json"):
        read_predictions(tmp_path / "m", qrels)


def test_other_files(save_table, qrels, refused):
    refused("an empty JSON object", read_predictions, save_table({}), qrels)
    refused("predictions ({id: text})", read_predictions, save_table({"q1": "Paris"}), qrels)
    refused("MTEB", read_gold, save_table({"mteb_model_meta": {}, "default": {"test": RUN}}))
    refused('"relevance" from columns', read_gold, save_table(QRELS), {"relevance": "rel"})
