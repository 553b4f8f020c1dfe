"""`qassay score` with outputs of pipelines."""

import json
from pathlib import Path

import pytest

SAMPLES = Path(__file__).resolve().parents[2] / "samples" / "pipeline"
GOLD, KEYWORD, DENSE = (str(SAMPLES / f"{name}.json") for name in ("gold", "keyword", "dense"))
PIPELINE = ("--metric", "retriever_reader")


def test_table_and_failures(run):
    out = run("score", GOLD, KEYWORD, DENSE, *PIPELINE, "--by", "failure,language")
    assert "retriever_recall" in out and "reader_topk_f1_has_answer" in out and "reader_top1_fk" not in out
    for label in ("none", "retriever", "reader", "no_answer", "fr"):
        assert any(line.startswith(f"{label} ") for line in out.splitlines())
    by_subset = run("score", GOLD, DENSE, *PIPELINE, "--by", "failure_retriever", "correct_retrieval")
    assert "failure_retriever" in by_subset


@pytest.mark.parametrize(
    "arguments, words",
    [
        (
            (GOLD, DENSE),
            "dense.json: this looks like documents and answers of a pipeline by id; score it with --metric",
        ),
        ((GOLD, *PIPELINE), "gold.json: this has gold answers only; give outputs of a pipeline too"),
        ((GOLD, GOLD, *PIPELINE), "gold.json: this looks like a SQuAD gold file, not outputs of a pipeline"),
        (
            (GOLD, DENSE, *PIPELINE, "--option", "open_domain=yes"),
            "dense.json: predictions[0] (id 'p01')['documents'][0] has no text",
        ),
        ((GOLD, DENSE, *PIPELINE, "--by", "failures"), "no slice 'failures' (did you mean 'failure'?)"),
    ],
)
def test_wrong_calls(fail, arguments, words):
    assert words in fail("score", *arguments)


def test_systems_of_different_units(run, fail, tmp_path):
    outputs = json.loads(Path(DENSE).read_text("utf-8"))
    for row in outputs.values():
        row["answers"] = [answer and {"text": answer["text"]} for answer in row["answers"]]
    texts = tmp_path / "texts.json"
    texts.write_text(json.dumps(outputs), "utf-8")
    message = fail("score", GOLD, DENSE, texts, *PIPELINE)
    assert "dense and texts were scored differently" in message and "score both with --option unit=character" in message
    assert "|unit:offset|" in message and "|unit:character|" in message
    out = run("score", GOLD, DENSE, texts, *PIPELINE, "--option", "unit=character", "--no-intervals")
    assert "|unit:character|" in out.replace("\n", "")
