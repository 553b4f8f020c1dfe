"""The evaluate module retrieval_ranking: loading, the config nlpcc, input forms, options, batches, and its card."""

import re
from pathlib import Path

import numpy as np
import pytest

import qassay


def RetrievalRanking(*config, **options):
    """The metric of the script, which loads evaluate."""
    from qassay.retrieval_ranking.retrieval_ranking import RetrievalRanking

    return RetrievalRanking(*config, **options)


ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples" / "rankings"


def card(start, end):
    text = (ROOT / "metrics" / "retrieval_ranking" / "README.md").read_text("utf-8")
    return text[text.index(start) : text.index(end)]


def rows_of_table(text):
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line[:1] == "|"]


def test_the_table_of_average_precisions():
    header, _, *rows = rows_of_table(card("| ranking, R |", "- `num_relevant`: R"))
    denominators = [cell.strip("`") for cell in header[1:]]
    assert len(denominators) == len(rows) == 5
    for first, *values in rows:
        ones, relevant = re.fullmatch(r"([01 ]+), R = (\d)", first).groups()
        ranking = [f"{'right' if one == '1' else 'wrong'} {place}" for place, one in enumerate(ones.split())]
        found = [document for document in ranking if document.startswith("right")]
        gold = [*found, *(f"not found {n}" for n in range(int(relevant) - len(found)))]
        for denominator, value in zip(denominators, values, strict=True):
            scores = qassay.score(
                "retrieval_ranking", [ranking], [gold], measures=["map@10"], ap_denominator=denominator
            )
            assert round(scores.summary()["map@10"], 4) == float(value), (first, denominator)


# q1 has its relevant documents at the ranks 2 and 3 of 4, q2 one of two at rank 1.
RUN = {"q1": {"x": 4.0, "a": 3.0, "b": 2.0, "y": 1.0}, "q2": {"a": 0.5, "c": 0.25}}
QRELS = {"q1": {"a": 1, "b": 2, "y": 0}, "q2": {"a": 3, "d": 1}}
FORMS = {
    "lists and scores": {
        "predictions": [list(documents)[::-1] for documents in RUN.values()],
        "scores": [list(documents.values())[::-1] for documents in RUN.values()],
        "references": [list(documents) for documents in QRELS.values()],
        "relevances": [list(documents.values()) for documents in QRELS.values()],
    },
    "rows with ids": {
        "predictions": [{"id": query, "documents": documents} for query, documents in RUN.items()],
        "references": [{"id": query, "documents": documents} for query, documents in reversed(QRELS.items())],
    },
}


@pytest.mark.parametrize("form", FORMS)
def test_batches_equal_one_call(form):
    metric, columns = RetrievalRanking(), FORMS[form]
    summary = qassay.score("retrieval_ranking", RUN, QRELS).summary()
    assert metric.compute(**columns) == metric.compute(run=RUN, qrels=QRELS) == summary
    for part in (slice(1), slice(1, None)):
        metric.add_batch(**{name: column[part] for name, column in columns.items()})
    assert metric.compute() == summary
    for row in range(2):
        one = {name: columns[name][row] for name in ("scores", "relevances") if name in columns}
        metric.add(prediction=columns["predictions"][row], reference=columns["references"][row], **one)
    assert metric.compute() == summary and len(metric) == 0


def test_batches_by_id():
    metric = RetrievalRanking()
    metric.add_batch(run={"q1": RUN["q1"]}, qrels={"q1": QRELS["q1"], "q3": {"a": 1}})
    metric.add_batch(predictions={"q2": RUN["q2"], "q7": {"a": 1.0}}, references={"q2": QRELS["q2"]})
    result = metric.compute()
    whole = qassay.score("retrieval_ranking", RUN | {"q7": {"a": 1.0}}, QRELS | {"q3": {"a": 1}})
    assert result == whole.summary()
    assert (result["total"], result["missing"], result["unmatched"]) == (3, 1, 1)
    metric.add_batch(run=RUN, qrels=QRELS)
    metric.add_batch(run={"q1": RUN["q1"]}, qrels={"q4": QRELS["q1"]})
    with pytest.raises(ValueError, match="'q1' is given twice"):
        metric.compute()
    assert len(metric) == 0


def test_the_config_is_the_preset():
    rows = {"question": [*"qqqrr"], "score": [0.1, 0.5, 0.5, 0.2, 0.1], "label": [0, 1, 0, 0, 1]}
    expected = RetrievalRanking().compute(predictions=rows, preset="nlpcc", signature=True)
    for config in (qassay.load("retrieval_ranking", "nlpcc"), RetrievalRanking("nlpcc")):
        assert config.compute(predictions=rows, signature=True) == expected
    assert "|ties:stable|" in expected["signature"] and "|ap:min_mn|" in expected["signature"]
    own = config.compute(predictions=rows, ties="worst", measures=["map"], signature=True)
    assert "|ties:worst|" in own["signature"] and "|ap:min_mn|" in own["signature"] and own["map"] < expected["map"]


def test_arrays_of_ids_as_a_trainer_gives_them():
    """`compute_metrics` of a retriever: the indices of the top passages, and of the gold passage."""

    metric = RetrievalRanking()

    def compute_metrics(evaluation):
        scores, labels = evaluation
        top = np.argsort(-scores, axis=1, kind="stable")[:, :3]
        return metric.compute(predictions=top, references=labels[:, None], measures=["mrr@3", "hit_rate@1"])

    logits = np.array([[0.1, 0.9, 0.2, 0.3], [0.5, 0.6, 0.7, 0.1], [0.4, 0.3, 0.2, 0.1]], np.float32)
    result = compute_metrics((logits, np.array([1, 0, 3])))
    assert (result["mrr@3"], result["hit_rate@1"], result["total"]) == ((1 + 1 / 3) / 3, 1 / 3, 3)
    assert {type(value) for value in result.values()} == {float, int}
