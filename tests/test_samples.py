"""The sample files hold together: offsets and ids of answers and of pipelines; tests/golden scores all of them."""

import json
from pathlib import Path

SAMPLES = Path(__file__).resolve().parents[1] / "samples"


def load(name):
    return json.loads((SAMPLES / name).read_text("utf-8"))


def test_answers_have_the_squad_2_shape_and_offsets_point_at_their_texts():
    gold = load("answers/gold.json")
    paragraphs = [paragraph for article in gold["data"] for paragraph in article["paragraphs"]]
    questions = {question["id"]: question for paragraph in paragraphs for question in paragraph["qas"]}
    assert gold["version"] == "v2.0" and len(questions) == 64 and len(gold["data"]) == 11
    for paragraph in paragraphs:
        for question in paragraph["qas"]:
            texts = [answer["text"] for answer in question["answers"]]
            assert question["is_impossible"] == (not texts) and len(set(texts)) == len(texts) <= 3, question["id"]
            for answer in question["answers"] + question.get("plausible_answers", []):
                assert paragraph["context"][answer["answer_start"] :].startswith(answer["text"]), question["id"]
    for name in ("small_model", "large_model", "large_model_no_answer"):
        assert list(load(f"answers/{name}.json")) == list(questions), name


def test_pipelines_point_at_their_texts():
    paragraphs = [paragraph for article in load("pipeline/gold.json")["data"] for paragraph in article["paragraphs"]]
    texts = {paragraph["document_id"]: paragraph["context"] for paragraph in paragraphs}
    rows = [(paragraph["context"], question) for paragraph in paragraphs for question in paragraph["qas"]]
    assert len(texts) == len(paragraphs) == 9 and len({row["id"] for _, row in rows}) == len(rows) == 30
    for context, question in rows:
        assert question["is_impossible"] == (not question["answers"])
        assert all(context[answer["answer_start"] :].startswith(answer["text"]) for answer in question["answers"])
    for name in ("keyword", "dense"):
        outputs = load(f"pipeline/{name}.json")
        assert sorted(outputs) == sorted(question["id"] for _, question in rows)
        for row in outputs.values():
            assert set(row["documents"]) <= set(texts) and len(set(row["documents"])) == len(row["documents"])
            for answer in filter(None, row["answers"]):
                assert texts[answer["document_id"]][answer["start"] : answer["end"]] == answer["text"]
