"""The sample files hold together: offsets and ids of the answers, judgements and runs, and what samples/README.md says."""

import json
from collections import Counter
from pathlib import Path

import pytest

SAMPLES = Path(__file__).resolve().parents[1] / "samples"
FOLDER = SAMPLES / "answers"
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


def test_answers_agree_with_the_unanswerable_flag():
    for question in questions():
        texts = [answer["text"] for answer in question["answers"]]
        if question["is_impossible"]:
            assert texts == [], question["id"]
        else:
            assert 1 <= len(texts) <= 3 and len(set(texts)) == len(texts), question["id"]
            assert "plausible_answers" not in question, question["id"]


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


def test_probabilities_are_distinct_in_range_and_informative_but_imperfect():
    probability = load("large_model_no_answer")
    values = list(probability.values())
    assert all(isinstance(value, float) and 0.0 <= value <= 1.0 for value in values)
    assert len(set(values)) == len(values)
    no_answer, has_answer = (
        [probability[question["id"]] for question in questions() if question["is_impossible"] == flag]
        for flag in (True, False)
    )
    wins = sum(high > low for high in no_answer for low in has_answer)
    assert 0.8 < wins / (len(no_answer) * len(has_answer)) < 0.95


# --- rankings ---------------------------------------------------------------------------------------------------------


def lines_of(name: str) -> list[str]:
    raw = (SAMPLES / "rankings" / name).read_bytes().decode("utf-8")
    assert raw.endswith("\n") and "\r" not in raw
    return raw.split("\n")[:-1]


def judgements() -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for line in lines_of("qrels.txt"):
        query, zero, document, relevance = line.split(" ")
        assert zero == "0" and document not in found.setdefault(query, {}), line
        found[query][document] = int(relevance)
    return found


def ranking_of(name: str) -> dict[str, dict[str, float]]:
    """Documents with their scores, in the order of the file."""
    found: dict[str, dict[str, float]] = {}
    for line in lines_of(f"{name}.run"):
        query, q0, document, rank, score, tag = line.split(" ")
        documents = found.setdefault(query, {})
        assert (q0, tag) == ("Q0", name) and document not in documents, line
        documents[document] = float(score)
        assert int(rank) == len(documents), line
    return found


def test_judgements_are_graded():
    qrels = judgements()
    assert len(qrels) == 40
    assert {len(judged) for judged in qrels.values()} <= set(range(2, 13))
    grades = Counter(relevance for judged in qrels.values() for relevance in judged.values())
    assert set(grades) == {-1, 0, 1, 2, 3} and min(grades.values()) >= 10
    assert [query for query, judged in qrels.items() if max(judged.values()) < 1] == ["coin-found"]


@pytest.mark.parametrize(("name", "missing"), [("bm25", {"well-water"}), ("dense", set())])
def test_runs_are_sorted_and_about_30_deep(name, missing):
    run, qrels = ranking_of(name), judgements()
    assert qrels.keys() - run.keys() == missing
    assert run.keys() - qrels.keys() == {"snow-clearing"}
    for query, documents in run.items():
        assert 28 <= len(documents) <= 32, query
        scores = list(documents.values())
        assert scores == sorted(scores, reverse=True), query


def tied_with_relevant(name: str) -> set[str]:
    """Queries in which a relevant document has the score of another document."""
    run, qrels = ranking_of(name), judgements()
    return {
        query
        for query, judged in qrels.items()
        for document, relevance in judged.items()
        if relevance > 0 and list(run.get(query, {}).values()).count(run.get(query, {}).get(document)) > 1
    }


def test_the_dense_run_has_ties_that_matter():
    assert len(tied_with_relevant("dense")) >= 8
    assert not tied_with_relevant("bm25")


def sentences() -> dict[str, list[tuple[float, int]]]:
    """Score and label of the sentences of each question."""
    found: dict[str, list[tuple[float, int]]] = {}
    previous = None
    for line, score in zip(lines_of("sentences.qa"), lines_of("sentences.scores"), strict=True):
        question, sentence, label = line.split("\t")
        assert label in ("0", "1") and sentence.endswith("。"), line
        assert question == previous or question not in found, "a question that comes back later is another one"
        found.setdefault(question, []).append((float(score), int(label)))
        previous = question
    return found


def test_sentences_for_selection():
    questions = sentences()
    assert len(questions) == 12
    assert {len(rows) for rows in questions.values()} <= set(range(2, 7))
    shares = [sum(label for _, label in rows) / len(rows) for rows in questions.values()]
    assert (shares.count(0.0), shares.count(1.0)) == (1, 1)
    tops = [[label for score, label in rows if score == max(rows)[0]] for rows in questions.values()]
    assert sorted(labels for labels in tops if len(labels) > 1) == [[0, 1], [1, 0]]


def test_the_readme_names_every_file():
    text = (SAMPLES / "README.md").read_text("utf-8")
    for path in SAMPLES.rglob("*.*"):
        if path.parent != SAMPLES and "__pycache__" not in path.parts:
            assert f"`{path.relative_to(SAMPLES).as_posix()}`" in text


# --- pipelines --------------------------------------------------------------------------------------------------------


def test_pipelines_point_at_their_texts():
    folder = SAMPLES / "pipeline"
    articles = json.loads((folder / "gold.json").read_text("utf-8"))["data"]
    of_documents = [paragraph for article in articles for paragraph in article["paragraphs"]]
    texts = {paragraph["document_id"]: paragraph["context"] for paragraph in of_documents}
    rows = [(paragraph["context"], question) for paragraph in of_documents for question in paragraph["qas"]]
    assert len(texts) == len(of_documents) == 9 and len({row["id"] for _, row in rows}) == len(rows) == 30
    assert sum(question["is_impossible"] for _, question in rows) == 5
    for context, question in rows:
        assert question["is_impossible"] == (not question["answers"])
        for answer in question["answers"]:
            assert context[answer["answer_start"] :].startswith(answer["text"])
    for name in ("keyword", "dense"):
        outputs = json.loads((folder / f"{name}.json").read_text("utf-8"))
        assert sorted(outputs) == sorted(question["id"] for _, question in rows)
        for row in outputs.values():
            assert set(row["documents"]) <= set(texts) and len(set(row["documents"])) == len(row["documents"])
            for answer in filter(None, row["answers"]):
                assert texts[answer["document_id"]][answer["start"] : answer["end"]] == answer["text"]


def bioasq_rows(name: str) -> list[dict]:
    return json.loads((SAMPLES / "factoid" / f"{name}.json").read_text("utf-8"))["questions"]


def test_factoid_questions_of_all_types():
    gold = {row["id"]: row for row in bioasq_rows("gold")}
    assert Counter(row["type"] for row in gold.values()) == {"factoid": 12, "list": 10, "yesno": 12, "summary": 6}
    assert all(("exact_answer" in row) == (row["type"] != "summary") for row in gold.values())
    assert all(row["documents"] and row["body"] for row in gold.values())
    assert [row["id"] for row in bioasq_rows("careful")] == list(gold)
    hasty = Counter(row["id"] for row in bioasq_rows("hasty"))
    assert len(gold.keys() - hasty.keys()) == 1 and hasty.keys() - gold.keys() == {"tolma99"}
    assert sorted(hasty.values())[-2:] == [1, 2]
    assert sum((SAMPLES / "factoid" / f"{name}.json").stat().st_size for name in ("gold", "careful", "hasty")) < 60_000


# --- labels -----------------------------------------------------------------------------------------------------------


def label_lines(name: str) -> list[str]:
    return (SAMPLES / "labels" / name).read_text("utf-8").splitlines()


def test_labels_of_all_kinds():
    desk = {line.split(",")[0]: line.rpartition(",")[2] for line in label_lines("desk.csv")[1:]}
    assert len(desk) == 36 and len(set(desk.values())) == 5
    right = []
    for name in ("desk_rules.csv", "desk_tuned.csv"):
        found = dict(line.split(",") for line in label_lines(name)[1:])
        assert found.keys() == desk.keys() and set(found.values()) <= set(desk.values())
        right.append(sum(found[key] == label for key, label in desk.items()))
    assert right[0] < right[1] < 36
    articles = list(map(json.loads, label_lines("articles.jsonl")))
    assert len(articles) == 24 and sum(not row["labels"] for row in articles) == 4
    pages = [list(map(json.loads, label_lines(f"{name}.jsonl"))) for name in ("pages", "pages_found")]
    assert [row["id"] for row in pages[0]] == [row["id"] for row in pages[1]] and len(pages[0]) == 10


def test_sparse_rows_of_both_formats():
    truth = label_lines("subjects.txt")
    old = label_lines("subjects_old.txt")
    assert (truth[0], old[0]) == ("20 40", "20 12 40") and "" in truth
    for line, other in zip(truth[1:], old[1:], strict=True):
        assert [cell.partition(":")[0] for cell in line.split()] == list(filter(None, other.split(" ")[0].split(",")))
    for name in ("subjects_words.txt", "subjects_graph.txt"):
        header, *rows = label_lines(name)
        assert header == "20 40" and [len(row.split()) for row in rows] == [6] * 20
