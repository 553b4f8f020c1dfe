"""qassay.score_files: the numbers of the command line, from Python."""

import json
import shutil
from pathlib import Path

import pytest

import qassay
from qassay.cli import main

SAMPLES = Path(qassay.__file__).resolve().parent / "samples"


def test_systems_of_files_with_probabilities():
    folder = SAMPLES / "answers"
    names = {"a=b": folder / "small_model.json", "large": folder / "large_model.json"}
    doubts = {"large": folder / "large_model_no_answer.json"}
    found = qassay.score_files(folder / "gold.json", names, no_answer_probabilities=doubts, no_answer_threshold=None)
    assert list(found) == ["a=b", "large"]
    assert "best_f1" in found["large"].measures and "best_f1" not in found["a=b"].measures
    odd = qassay.score_files(
        folder / "gold.json", {"a=b": names["large"]}, no_answer_probabilities={"a=b": doubts["large"]}
    )
    assert odd["a=b"] == found["large"]


def test_a_folder_of_systems(tmp_path, capsys):
    """As the command leaderboard takes it; a folder of shards stays one table."""
    for name in ("bm25.run", "dense.run"):
        shutil.copy(SAMPLES / "rankings" / name, tmp_path)
    (tmp_path / "README.md").write_text("runs")
    qrels = SAMPLES / "rankings" / "qrels.txt"
    with pytest.warns(UserWarning, match=r"omitted: README.md"):
        found = qassay.score_files(qrels, tmp_path, measures=["mrr"])
    assert found == qassay.score_files(qrels, [tmp_path / "bm25.run", tmp_path / "dense.run"], measures=["mrr"])
    assert main(["score", str(qrels), str(tmp_path), "--no-intervals", "--measures", "mrr"]) == 0
    assert capsys.readouterr().out.splitlines()[0].split() == ["bm25", "dense"]


def test_metric_options_measures_and_columns(tmp_path):
    rankings = SAMPLES / "rankings"
    scores = qassay.score_files(rankings / "qrels.txt", {"bm25": rankings / "bm25.run"}, measures=["mrr@5"])["bm25"]
    assert list(scores.measures)[:1] == ["mrr@5"]
    (tmp_path / "table.csv").write_text("mine,right\nin France,France\n")
    columns = {"predictions": "mine", "references": "right"}
    found = qassay.score_files(tmp_path / "table.csv", columns=columns, normalizer="none")
    assert found["table"].summary(["exact_match"]) == {"exact_match": 0.0}


def test_several_metrics():
    folder = SAMPLES / "rag"
    files = folder / "questions.jsonl", {"dense": folder / "dense.jsonl"}
    metrics = ["retriever_reader", "answer_match", "retrieval_ranking"]
    found = qassay.score_files(*files, metrics, measures=["mrr", "f1"], contains="substring")
    assert list(found) == metrics
    assert found["answer_match"] == qassay.score_files(*files, "answer_match", contains="substring")
    assert found["retrieval_ranking"] == qassay.score_files(*files, "retrieval_ranking", measures=["mrr"])
    assert qassay.score_files(*files, ["answer_match"]) == {"answer_match": qassay.score_files(*files, "answer_match")}
    texts = qassay.score_files(*files, ["answer_match", "semantic_answer_similarity"], model="lite", preset="search_r1")
    assert texts["answer_match"]["dense"].options.preset == "search_r1"
    for metric, options, told in (
        (metrics, {"thresholds": 0.5}, "none of the metrics retriever_reader, .* has the option 'thresholds'"),
        (["answer_match", "all"], {}, "no metric 'all'"),
        ([], {}, "metric must be the name of a metric, or a list"),
        (3, {}, "metric must be .* got int: 3"),
        (metrics, {"columns": {"scores": "a"}}, "scores"),
        (metrics, {"duplicates": "best"}, "retriever_reader: .*duplicates"),
    ):
        with pytest.raises((TypeError, ValueError), match=told):
            qassay.score_files(*files, metric, **options)


def test_what_cannot_be_scored(tmp_path):
    gold, run = tmp_path / "gold.json", tmp_path / "system.run"
    gold.write_text(json.dumps({"a": ["x"]}))
    run.write_text("1 Q0 d1 1 0.5 x\n")
    answers = SAMPLES / "answers"
    for files, options, told in (
        ((gold, {"s": gold}), {"normaliser": "squad"}, "no option 'normaliser'.*normalizer"),
        ((gold,), {}, "gold.json: this has gold data of answer_match only"),
        ((gold, run), {}, "metric=retrieval_ranking"),
        ((answers / "gold.json", answers / "small_model.json"), {"measures": ["nope"]}, "nope"),
        (("gold.json",), {"systems": 3}, "systems must be .* got int: 3"),
        (
            (answers / "gold.json", {"s": answers / "small_model.json"}),
            {"no_answer_probabilities": {"other": gold}},
            "probabilities of 'other', but the systems are: s",
        ),
    ):
        with pytest.raises((TypeError, ValueError), match=told):
            qassay.score_files(*files, **options)


def test_a_list_of_files_has_the_names_of_the_command_line():
    folder = SAMPLES / "answers"
    files = [folder / "small_model.json", str(folder / "large_model.json")]
    found = qassay.score_files(folder / "gold.json", files)
    assert found == qassay.score_files(folder / "gold.json", {path.stem: path for path in map(Path, files)})
    assert list(found) == ["small_model", "large_model"]
    assert qassay.score_files(folder / "gold.json", files[0]) == {"small_model": found["small_model"]}
    doubts = [folder / "large_model_no_answer.json"] * 2
    assert qassay.score_files(folder / "gold.json", files, no_answer_probabilities=doubts) == qassay.score_files(
        folder / "gold.json", files, no_answer_probabilities=dict(zip(found, doubts, strict=True))
    )


def test_slices_and_groups_of_omitted_rows_without_ids(tmp_path):
    """Examples without ids are called by the places of their rows."""
    rows = [("x", None, "r"), ("y", "y", "s"), ("z", "z", "t")]
    lines = [json.dumps(dict(zip(("gold", "prediction", "article"), row))) for row in rows]
    path = tmp_path / "table.jsonl"
    path.write_text("\n".join(lines))
    (scores,) = qassay.score_files(path, missing="skip", groups="article").values()
    assert scores.ids == [1, 2] and scores.groups.listed() == ["s", "t"]
    gold, answers = tmp_path / "gold.jsonl", tmp_path / "answers.jsonl"
    gold.write_text("\n".join(json.dumps({"gold": gold, "article": article}) for gold, _, article in rows))
    named = [json.dumps({"id": f"q{row}", "prediction": answer}) for row, (_, answer, _) in enumerate(rows)]
    answers.write_text("\n".join(named))
    with pytest.raises(ValueError, match="no ids"):
        qassay.score_files(gold, answers, missing="skip", groups="article")
