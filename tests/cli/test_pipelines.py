"""`qassay score` with outputs of pipelines."""

import json
from pathlib import Path

SAMPLES = Path(__file__).resolve().parents[2] / "samples" / "pipeline"
GOLD, KEYWORD, DENSE = (str(SAMPLES / f"{name}.json") for name in ("gold", "keyword", "dense"))
PIPELINE = ("--metric", "retriever_reader")


def test_systems_of_different_units(run, fail, tmp_path):
    outputs = json.loads(Path(DENSE).read_text("utf-8"))
    for row in outputs.values():
        row["answers"] = [answer and {"text": answer["text"]} for answer in row["answers"]]
    texts = tmp_path / "texts.json"
    texts.write_text(json.dumps(outputs), "utf-8")
    message = fail("score", GOLD, DENSE, texts, *PIPELINE)
    assert "dense and texts" in message and "--option unit=character" in message
    out = run("score", GOLD, DENSE, texts, *PIPELINE, "--option", "unit=character", "--no-intervals")
    assert "|unit:character|" in out.replace("\n", "")
