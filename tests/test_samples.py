"""The sample files hold together: offsets, ids, languages, the share of unanswerable questions, probabilities."""

import json
from collections import Counter
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "samples" / "answers"
NAMES = ("gold", "small_model", "large_model", "large_model_no_answer")


def load(name: str) -> dict:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def paragraphs() -> list[dict]:
    return [paragraph for article in load("gold")["data"] for paragraph in article["paragraphs"]]


def questions() -> list[dict]:
    return [question for paragraph in paragraphs() for question in paragraph["qas"]]


def test_gold_has_the_squad_2_shape():
    gold = load("gold")
    assert gold["version"] == "v2.0"
    titles = [article["title"] for article in gold["data"]]
    assert len(set(titles)) == len(titles) == 11
    assert all(2 <= len(article["paragraphs"]) <= 3 for article in gold["data"])
    required = {"id", "question", "answers", "is_impossible", "language"}
    for question in questions():
        assert required <= set(question) <= required | {"plausible_answers"}, question["id"]


def test_every_offset_points_at_its_text():
    checked = 0
    for paragraph in paragraphs():
        for question in paragraph["qas"]:
            for answer in question["answers"] + question.get("plausible_answers", []):
                start, text = answer["answer_start"], answer["text"]
                assert text, question["id"]
                assert paragraph["context"][start : start + len(text)] == text, (question["id"], text)
                checked += 1
    assert checked > 64


def test_64_questions_with_unique_ids_the_same_in_all_files():
    ids = [question["id"] for question in questions()]
    assert len(ids) == len(set(ids)) == 64
    for name in NAMES[1:]:
        assert list(load(name)) == ids, name


def no_repeated_key(pairs: list[tuple[str, object]]) -> dict:
    repeated = [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]
    assert not repeated
    return dict(pairs)


@pytest.mark.parametrize("name", NAMES)
def test_no_key_is_written_twice(name):
    # A plain json.loads keeps the last of two equal keys without a word, so the pairs are checked as they stand.
    json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"), object_pairs_hook=no_repeated_key)


def test_answers_agree_with_the_unanswerable_flag():
    for question in questions():
        texts = [answer["text"] for answer in question["answers"]]
        if question["is_impossible"]:
            assert texts == [], question["id"]
        else:
            assert 1 <= len(texts) <= 3 and len(set(texts)) == len(texts), question["id"]
            assert "plausible_answers" not in question, question["id"]


def test_about_a_quarter_is_unanswerable():
    rows = questions()
    assert 0.20 <= sum(question["is_impossible"] for question in rows) / len(rows) <= 0.30
    assert any("plausible_answers" in question for question in rows)


def test_languages():
    by_article = []
    for article in load("gold")["data"]:
        languages = {question["language"] for paragraph in article["paragraphs"] for question in paragraph["qas"]}
        assert len(languages) == 1, article["title"]
        by_article += languages
    assert Counter(by_article) == {"en": 6, "fr": 2, "de": 1, "es": 1, "ja": 1}


@pytest.mark.parametrize("name", ["small_model", "large_model"])
def test_predictions_are_texts_and_err_in_both_ways(name):
    predictions = load(name)
    assert all(isinstance(text, str) for text in predictions.values())
    impossible = {question["id"]: question["is_impossible"] for question in questions()}
    silent = {question_id for question_id, text in predictions.items() if not text}
    assert any(impossible[question_id] for question_id in silent)
    assert any(not impossible[question_id] for question_id in silent)
    assert any(flag and question_id not in silent for question_id, flag in impossible.items())


def test_probabilities_are_distinct_and_in_range():
    values = list(load("large_model_no_answer").values())
    assert all(isinstance(value, float) and 0.0 <= value <= 1.0 for value in values)
    assert len(set(values)) == len(values)


def test_probabilities_are_informative_but_imperfect():
    probability = load("large_model_no_answer")
    no_answer = [probability[question["id"]] for question in questions() if question["is_impossible"]]
    has_answer = [probability[question["id"]] for question in questions() if not question["is_impossible"]]
    wins = sum(high > low for high in no_answer for low in has_answer)
    assert 0.8 < wins / (len(no_answer) * len(has_answer)) < 0.95


@pytest.mark.parametrize("name", NAMES)
def test_files_are_tidy(name):
    raw = (FOLDER / f"{name}.json").read_bytes()
    text = raw.decode("utf-8")
    assert text == json.dumps(json.loads(text), indent=1, ensure_ascii=False) + "\n"


def test_files_are_small():
    assert sum((FOLDER / f"{name}.json").stat().st_size for name in NAMES) < 80_000
