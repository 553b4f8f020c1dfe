"""`qassay score` with semantic_answer_similarity, alone and beside answer_match."""

import csv
import json
from pathlib import Path

import pytest

import qassay

SAMPLES = Path(__file__).resolve().parents[2] / "samples" / "answers"
GOLD, SMALL, LARGE, DOUBT = (
    str(SAMPLES / f"{name}.json") for name in ("gold", "small_model", "large_model", "large_model_no_answer")
)
LITE = ("--metric", "semantic_answer_similarity", "--option", "model=lite")
ALL = ("--metric", "all", "--option", "model=lite")


def expected(path, metric="semantic_answer_similarity", **options):
    if metric == "semantic_answer_similarity":
        options = {"model": "lite", **options}
    return qassay.score_files(GOLD, {"system": path}, metric, **options)["system"]


def test_table_and_slices(run):
    out = run("score", GOLD, SMALL, *LITE, "--by", "question_word,answer_length,gold_count,has_answer,language")
    assert "sas_accuracy@0.5" in out and "has_answer_sas" in out and "model:lite|revision:" in out
    for label in ("who", "3-5", "3+", "yes", "fr"):
        assert any(line.startswith(f"{label} ") for line in out.splitlines()), label


def test_all_metrics_in_one_table(run):
    out = run("score", GOLD, SMALL, LARGE, *ALL, "--by", "has_answer")
    assert all(name in out for name in ("exact_match", "has_answer_f1", "sas ", "no_answer_sas"))
    assert out.index("exact_match") < out.index("sas ") and out.count("small_model") == 2
    signatures = [line.partition("|")[0] for line in out.splitlines() if "|" in line]
    assert signatures == ["answer_match", "semantic_answer_similarity", "answer_equivalence"]


def test_all_metrics_as_json(tree):
    tree = tree("score", GOLD, SMALL, *ALL, "missing=skip", "--resamples", "50", "--by", "language")
    answers, meaning = expected(SMALL, "answer_match", missing="skip"), expected(SMALL, missing="skip")
    verdicts = expected(SMALL, "answer_equivalence", missing="skip")
    assert tree["systems"]["small_model"]["values"] == {
        **verdicts.summary(verdicts.measures),
        **meaning.summary(meaning.measures),
        **answers.summary(answers.measures),
    }
    assert tree["metrics"] == ["answer_match", "semantic_answer_similarity", "answer_equivalence"]
    assert tree["signatures"] == [answers.signature(), meaning.signature(), verdicts.signature()]
    assert {"f1", "sas"} <= set(tree["slices"]["language"]["fr"]["small_model"]["values"])
    assert tree["systems"]["small_model"]["intervals"]["sas"] == list(meaning.interval(n_resamples=50)["sas"])


def test_measures_of_both(run):
    out = run("score", GOLD, SMALL, *ALL, "--measures", "f1,sas", "--no-intervals", "--format", "csv")
    assert [row["measure"] for row in csv.DictReader(out.splitlines())] == ["f1", "sas"]


def test_per_example_of_both(run, tmp_path):
    path = tmp_path / "examples.jsonl"
    run("score", GOLD, SMALL, LARGE, *ALL, "--per-example", path)
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    answers, meaning = expected(SMALL, "answer_match"), expected(SMALL)
    assert [row["id"] for row in rows[: len(answers)]] == list(answers.ids)
    assert [row["f1"] for row in rows[: len(answers)]] == answers.columns["f1"].tolist()
    assert [row["sas"] for row in rows[: len(answers)]] == meaning.columns["sas"].tolist()
    assert {"system", "truncated", "question"} <= rows[0].keys() and len(rows) == 2 * len(answers)


def test_probabilities_go_to_the_metric_that_uses_them(run, fail):
    out = run("score", GOLD, LARGE, *ALL, "--no-answer-probabilities", DOUBT)
    assert "best_f1" in out and "sas" in out
    message = fail("score", GOLD, LARGE, *LITE, "--no-answer-probabilities", DOUBT)
    assert "semantic_answer_similarity does not use no-answer probabilities" in message


def test_all_of_other_files_is_their_one_metric(run):
    folder = SAMPLES.parent / "rankings"
    arguments = ("score", folder / "qrels.txt", folder / "dense.run")
    assert run(*arguments, "--metric", "all") == run(*arguments)


def test_other_kinds_of_gold_files(run, values, put):
    hotpot = [{"_id": "h1", "question": "Who?", "answer": "Ada", "supporting_facts": [["A", 0]], "context": []}]
    gold = put("hotpot.json", hotpot)
    answers = put("system.json", {"answer": {"h1": "Ada L."}, "sp": {"h1": [["A", 0]]}})
    assert "sas" in run("score", gold, answers, *LITE)
    assert "joint_f1" in run("score", gold, answers, *ALL)
    question = {"query_id": "d1", "question": "How many?", "answer": {"number": "7"}, "validated_answers": []}
    gold = put("drop.json", {"p1": {"passage": "...", "qa_pairs": [question]}})
    assert values(gold, put("seven.json", {"d1": "7"}), *LITE)["seven"]["sas"] == 1.0
    table = put("table.csv", "id,question,gold,prediction\n1,Who?,Ada,Ada L.\n2,When?,1980,1980\n")
    out = run("score", table, *LITE, "--columns", "references=gold", "--by", "question_word")
    assert "when" in out


def test_texts_that_were_cut_are_reported(run, put, monkeypatch):
    import numpy as np

    from qassay.semantic_answer_similarity import scoring as similarity
    from qassay.semantic_answer_similarity.pair_scorers import PairScores

    def cut(self, predictions, references, questions=None):
        return PairScores(np.zeros(len(predictions)), *np.ones((2, len(predictions)), bool))

    monkeypatch.setattr(similarity.LiteScorer, "score", cut)
    out = run("score", put("gold.json", {"a": ["x"]}), put("system.json", {"a": "y"}), *LITE)
    assert "1 with a text that the model truncated" in out
    assert "1 with a score outside 0 to 1 (a negative cosine), clipped to this range" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((GOLD, SMALL, *LITE, "mood=fast"), "semantic_answer_similarity has no option 'mood' (did you mean 'mode'?)"),
        ((GOLD, SMALL, *ALL, "mood=fast"), "no metric here has the option 'mood' (did you mean 'mode'?); answer_match"),
        ((GOLD, SMALL, *LITE, "batch_size=many"), "option batch_size needs an integer; got 'many'"),
        ((GOLD, SMALL, *LITE, "--measures", "f1"), "no measure 'f1'"),
        ((GOLD, SMALL, *ALL, "--measures", "sass"), "no measure 'sass'"),
    ],
)
def test_bad_input(fail, arguments, words):
    assert words in fail("score", *arguments)


@pytest.mark.parametrize(
    "arguments", [(*LITE, "encoder=./nowhere"), ("--metric", "all", "--option", "model=./nowhere")]
)
def test_a_folder_that_is_missing(fail, arguments):
    pytest.importorskip("sentence_transformers", reason="models need the packages of qassay[sas]")
    assert "qassay: error: there is no folder './nowhere'" in fail("score", GOLD, SMALL, *arguments)


def test_bad_rows_name_their_file(fail, put):
    gold = put("gold.json", {"a": ["x"], "b": ["y", 3]})
    message = fail("score", gold, put("system.json", {"a": "x"}), *LITE)
    assert "gold.json: references[1][1] (id 'b') must be str, got int: 3" in message
    gold = put("gold.json", {"a": ["x"], "b": ["y"]})
    message = fail("score", gold, put("system.json", {"a": "x", "b": ["y"]}), *LITE)
    assert "system.json: predictions[1] (id 'b') must be str, got list" in message
