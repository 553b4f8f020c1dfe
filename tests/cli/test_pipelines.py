"""`qassay score` with outputs of pipelines."""

import json
from pathlib import Path

import pytest

import qassay

SAMPLES = Path(__file__).resolve().parents[2] / "samples" / "pipeline"
GOLD, KEYWORD, DENSE = (str(SAMPLES / f"{name}.json") for name in ("gold", "keyword", "dense"))
PIPELINE = ("--metric", "retriever_reader")


def expected(path, **options):
    """The same from the files themselves, without the readers."""
    data = json.loads(Path(GOLD).read_text("utf-8"))["data"]
    references = {
        question["id"]: {
            "documents": [paragraph["document_id"]],
            "answers": [{**answer, "document_id": paragraph["document_id"]} for answer in question["answers"]],
            "is_impossible": question["is_impossible"],
        }
        for article in data
        for paragraph in article["paragraphs"]
        for question in paragraph["qas"]
    }
    return qassay.score("retriever_reader", json.loads(Path(path).read_text("utf-8")), references, **options)


@pytest.mark.parametrize(
    "words, options",
    [
        ((), {}),
        (("denominator=queries", "top_k=1"), {"denominator": "queries", "top_k": 1}),
        (("unit=token", "normalizer=french"), {"unit": "token", "normalizer": "french"}),
        (("ap_denominator=num_retrieved_relevant",), {"ap_denominator": "num_retrieved_relevant"}),
    ],
)
def test_values(run, words, options):
    more = ("--option", *words) if words else ()
    tree = json.loads(run("score", GOLD, KEYWORD, DENSE, *PIPELINE, "--format", "json", "--no-intervals", *more))
    for name, path in (("keyword", KEYWORD), ("dense", DENSE)):
        scores = expected(path, **options)
        assert tree["systems"][name]["values"] == scores.summary(scores.measures)
    assert tree["signature"] == scores.signature()


def test_table_and_failures(run):
    out = run("score", GOLD, KEYWORD, DENSE, *PIPELINE, "--by", "failure,language")
    assert "retriever_recall" in out and "reader_topk_f1_has_answer" in out and "reader_top1_fk" not in out
    for label in ("none", "retriever", "reader", "no_answer", "fr"):
        assert any(line.startswith(f"{label} ") for line in out.splitlines())
    by_subset = run("score", GOLD, DENSE, *PIPELINE, "--by", "failure_retriever", "correct_retrieval")
    assert "failure_retriever" in by_subset


def test_every_measure(run):
    out = run("score", GOLD, DENSE, *PIPELINE, "--measures", "all", "--no-intervals")
    assert "reader_top1_fk_has_answer" in out and "correct_retrievals" in out


def test_per_example(run, tmp_path):
    path = tmp_path / "examples.jsonl"
    run("score", GOLD, DENSE, *PIPELINE, "--per-example", path)
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    scores = expected(DENSE)
    assert [row["id"] for row in rows] == list(scores.ids)
    assert [row["retriever_mrr"] for row in rows] == scores.columns["retriever_mrr"].tolist()
    assert {row["failure_reader"] for row in rows} == {True, False} and "context" not in rows[0]


@pytest.mark.parametrize(
    "arguments, words",
    [
        (
            (GOLD, DENSE),
            "dense.json: this looks like documents and answers of a pipeline by id; score it with --metric",
        ),
        ((GOLD, *PIPELINE), "gold.json: this has gold answers only; give outputs of a pipeline too"),
        ((GOLD, GOLD, *PIPELINE), "gold.json: this looks like a SQuAD gold file, not outputs of a pipeline"),
        ((GOLD, DENSE, *PIPELINE, "--option", "top_k=0"), "top_k must be a whole number of at least 1, got 0"),
        ((GOLD, DENSE, *PIPELINE, "--option", "unit=word"), "option unit='word' is unknown"),
        (
            (GOLD, DENSE, *PIPELINE, "--option", "open_domain=yes"),
            "dense.json: predictions[0] (id 'p01')['documents'][0] has no text",
        ),
        ((GOLD, DENSE, *PIPELINE, "--no-answer-probabilities", DENSE), "has no use for no-answer probabilities"),
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


def test_list_and_explain(run):
    assert "retriever_reader" in run("list")
    out = run("explain", "retriever_reader")
    assert "denominator" in out and "another name of reader_topk_f1" in " ".join(out.split())
