"""The sample files hold together: offsets and ids of the answers, judgements and runs, pipelines and labels."""

import json
from collections import Counter
from pathlib import Path

SAMPLES = Path(__file__).resolve().parents[1] / "samples"


def load(name):
    return json.loads((SAMPLES / name).read_text("utf-8"))


def lines_of(name):
    return (SAMPLES / name).read_bytes().decode("utf-8").split("\n")[:-1]


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
    for name in ("small_model", "large_model"):  # each errs in both ways
        said = {(questions[key]["is_impossible"], bool(text)) for key, text in load(f"answers/{name}.json").items()}
        assert said == {(True, True), (True, False), (False, True), (False, False)}


def test_probabilities_are_distinct_and_informative_but_imperfect():
    questions = [q for a in load("answers/gold.json")["data"] for p in a["paragraphs"] for q in p["qas"]]
    probability = load("answers/large_model_no_answer.json")
    assert len(set(probability.values())) == len(probability) and all(0 <= value <= 1 for value in probability.values())
    none, some = ([probability[q["id"]] for q in questions if q["is_impossible"] == flag] for flag in (True, False))
    wins = sum(high > low for high in none for low in some)
    assert 0.8 < wins / (len(none) * len(some)) < 0.95


def test_runs_are_sorted_and_the_dense_one_has_ties_that_matter():
    qrels, tied = {}, Counter()
    for line in lines_of("rankings/qrels.txt"):
        query, zero, document, relevance = line.split(" ")
        assert zero == "0" and document not in qrels.setdefault(query, {}), line
        qrels[query][document] = int(relevance)
    assert len(qrels) == 40 and {grade for judged in qrels.values() for grade in judged.values()} == {-1, 0, 1, 2, 3}
    for name, missing in (("bm25", {"well-water"}), ("dense", set())):
        run = {}
        for line in lines_of(f"rankings/{name}.run"):
            query, _, document, rank, score, tag = line.split(" ")
            documents = run.setdefault(query, {})
            assert tag == name and document not in documents and int(rank) == len(documents) + 1, line
            documents[document] = float(score)
        assert qrels.keys() - run.keys() == missing and run.keys() - qrels.keys() == {"snow-clearing"}
        for query, documents in run.items():
            scores = list(documents.values())
            assert 28 <= len(scores) <= 32 and scores == sorted(scores, reverse=True), query
            relevant = [documents[key] for key, grade in qrels.get(query, {}).items() if grade > 0 and key in documents]
            tied[name] += any(scores.count(score) > 1 for score in relevant)
    assert tied["dense"] >= 8 and not tied["bm25"]


def test_sentences_for_selection():
    rows, scores = lines_of("rankings/sentences.qa"), lines_of("rankings/sentences.scores")
    found = {}
    for line, score in zip(rows, scores, strict=True):
        question, _, label = line.split("\t")
        found.setdefault(question, []).append((float(score), int(label)))
    shares = [sum(label for _, label in of) / len(of) for of in found.values()]
    assert len(found) == 12 and (shares.count(0.0), shares.count(1.0)) == (1, 1)


def test_the_readme_names_every_file():
    text = (SAMPLES / "README.md").read_text("utf-8")
    for path in SAMPLES.rglob("*.*"):
        if path.parent != SAMPLES and "__pycache__" not in path.parts:
            assert f"`{path.relative_to(SAMPLES).as_posix()}`" in text


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


def test_factoid_questions_of_all_types():
    gold, careful, hasty = (load(f"factoid/{name}.json")["questions"] for name in ("gold", "careful", "hasty"))
    assert {row["type"] for row in gold} == {"factoid", "list", "yesno", "summary"}
    assert all(("exact_answer" in row) == (row["type"] != "summary") for row in gold)
    ids, counts = [row["id"] for row in gold], Counter(row["id"] for row in hasty)
    assert [row["id"] for row in careful] == ids and len(set(ids) - counts.keys()) == 1
    assert counts.keys() - set(ids) == {"tolma99"} and max(counts.values()) == 2


def test_labels_of_all_kinds():
    desk = {line.split(",")[0]: line.rpartition(",")[2] for line in lines_of("labels/desk.csv")[1:]}
    for name in ("desk_rules.csv", "desk_tuned.csv"):
        found = dict(line.split(",") for line in lines_of(f"labels/{name}")[1:])
        assert found.keys() == desk.keys() and set(found.values()) <= set(desk.values())
    pages = [[json.loads(line)["id"] for line in lines_of(f"labels/{name}.jsonl")] for name in ("pages", "pages_found")]
    assert pages[0] == pages[1] and len(pages[0]) == 10
    truth, old = lines_of("labels/subjects.txt"), lines_of("labels/subjects_old.txt")
    assert (truth[0], old[0]) == ("20 40", "20 12 40") and "" in truth
    for line, other in zip(truth[1:], old[1:], strict=True):
        assert [cell.partition(":")[0] for cell in line.split()] == list(filter(None, other.split(" ")[0].split(",")))
