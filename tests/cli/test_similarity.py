"""`qassay score` with semantic_answer_similarity, alone and beside answer_match."""

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


def test_probabilities_go_to_the_metric_that_uses_them(run, fail):
    out = run("score", GOLD, LARGE, *ALL, "--no-answer-probabilities", DOUBT)
    assert "best_f1" in out and "sas" in out
    message = fail("score", GOLD, LARGE, *LITE, "--no-answer-probabilities", DOUBT)
    assert "semantic_answer_similarity does not use no-answer probabilities" in message


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((GOLD, SMALL, *LITE, "mood=fast"), "semantic_answer_similarity has no option 'mood' (did you mean 'mode'?)"),
        ((GOLD, SMALL, *ALL, "mood=fast"), "no metric here has the option 'mood' (did you mean 'mode'?)"),
        ((GOLD, SMALL, *LITE, "--measures", "f1"), "no measure 'f1'"),
    ],
)
def test_bad_input(fail, arguments, words):
    assert words in fail("score", *arguments)


@pytest.mark.thorough
def test_a_folder_that_is_missing(fail):
    pytest.importorskip("sentence_transformers", reason="models need the packages of qassay[sas]")
    assert "'./nowhere'" in fail("score", GOLD, SMALL, *LITE, "encoder=./nowhere")
