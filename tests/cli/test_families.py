"""`qassay score` with several metrics."""

import json
from pathlib import Path

import pytest

from qassay.cli import main

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


def test_probabilities_go_to_the_metrics_that_take_them(capsys):
    answers = [str(SAMPLES / "answers" / name) for name in ("gold.json", "large_model.json")]
    given = ["--no-answer-probabilities", str(SAMPLES / "answers" / "large_model_no_answer.json")]
    equivalence = ["--metric", "answer_equivalence", "--no-intervals"]
    assert main(["score", *answers, *equivalence, "--metric", "answer_match", *given]) == 0
    assert "best_f1" in capsys.readouterr().out
    assert main(["score", *answers, *equivalence, *given]) == 2
    assert "answer_equivalence does not use" in capsys.readouterr().err


@pytest.mark.parametrize("metrics", [("answer_match", "retrieval_ranking"), ("retrieval_ranking", "answer_match")])
def test_numbers_of_one_name_of_several_metrics_are_told_apart(metrics, tmp_path, capsys):
    rows = [json.loads(line) for line in (SAMPLES / "rag" / "dense.jsonl").read_text("utf-8").splitlines()]
    for row in rows[:3]:
        row["retrieved_ids"] = None if row is rows[0] else row["retrieved_ids"]
        row["answer"] = None
    run = tmp_path / "run.jsonl"
    run.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    gold = str(SAMPLES / "rag" / "questions.jsonl")
    command = ["score", gold, str(SAMPLES / "rag" / "dense.jsonl"), "--no-intervals", "--option", "top_k=1,5"]
    command += [part for metric in metrics for part in ("--metric", metric)]
    assert main([*command, "--measures", "recall@1"]) == 0
    heads = [line for line in capsys.readouterr().out.splitlines() if line in metrics]
    assert heads == [*metrics]
    assert main(["score", gold, str(run), *command[3:4], *command[6:], "--format", "json"]) == 0
    parts = json.loads(capsys.readouterr().out)["parts"]
    assert sorted(count for part in parts for of in part["notes"].values() for count in of.values()) == [1, 3]
