"""`qassay compare`: slices of reports, signatures, bad input; numbers: tests/golden."""

import json
from pathlib import Path

import qassay

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
GOLD, SMALL, LARGE, DOUBTS = (
    str(SAMPLES / "answers" / f"{name}.json")
    for name in ("gold", "small_model", "large_model", "large_model_no_answer")
)
PAIR = (GOLD, SMALL, LARGE)


def test_a_report_has_slices_though_none_are_requested(run, tmp_path):
    path = tmp_path / "report.json"
    out = run("compare", *PAIR, "--report", path)
    assert "by question_word" not in out
    slices = json.loads(path.read_text(encoding="utf-8"))["parts"][0]["slices"]
    assert [slicing["name"] for slicing in slices] == ["has_answer", "question_word", "answer_type", "answer_length"]


def test_signature_scores_with_its_options(fail, tree):
    signature = qassay.score("answer_match", ["a"], [["a"]], normalizer="lower+spaces", unit="character").signature()
    report = tree("compare", *PAIR, "--signature", signature)
    assert report["signature"] == signature
    assert tree("score", GOLD, SMALL, "--signature", signature)["signature"] == signature
    message = fail("score", GOLD, SMALL, "--signature", signature, "--metric", "label_metrics")
    assert "--signature belongs to answer_match, but --metric is label_metrics" in message
