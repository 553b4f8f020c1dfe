"""The evaluate module retrieval_ranking: batches of its own columns, objects of libraries, and the table of its card."""

import re
import types
from pathlib import Path

import pytest

import qassay


def RetrievalRanking(*config, **options):
    """The metric of the script, which loads evaluate."""
    from qassay.retrieval_ranking.module import RetrievalRanking

    return RetrievalRanking(*config, **options)


ROOT = Path(__file__).resolve().parents[2]


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


def test_batches_of_four_columns():
    metric, summary = RetrievalRanking(), qassay.score("retrieval_ranking", RUN, QRELS).summary()
    columns = {
        "predictions": [list(documents)[::-1] for documents in RUN.values()],
        "scores": [list(documents.values())[::-1] for documents in RUN.values()],
        "references": [list(documents) for documents in QRELS.values()],
        "relevances": [list(documents.values()) for documents in QRELS.values()],
    }
    assert metric.compute(**columns) == metric.compute(run=RUN, qrels=QRELS) == summary
    for part in (slice(1), slice(1, None)):
        metric.add_batch(**{name: column[part] for name, column in columns.items()})
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


def test_objects_of_libraries():
    """More of them are in test_library_rankings.py."""
    run = types.SimpleNamespace(run=RUN, to_dict=lambda: RUN)
    qrels = types.SimpleNamespace(qrels=QRELS, to_dict=lambda: QRELS)
    summary = qassay.score("retrieval_ranking", RUN, QRELS).summary()
    assert RetrievalRanking().compute(predictions=run, references=qrels) == summary


def test_batches_of_a_data_frame_of_pyterrier_and_ids_of_another_collection():
    metric = RetrievalRanking()
    runs = [{"qid": "1", "docid": 7, "docno": name, "rank": rank} for rank, name in enumerate("AB")]
    metric.add_batch(predictions=runs, references=[{"qid": "1", "docno": "B", "label": 1}])
    assert metric.compute(measures=["mrr"])["mrr"] == 0.5
    with pytest.warns(UserWarning, match="ids like '77', the judgements like 'M_77'"):
        metric.compute(predictions=[["77"], ["5"]], references=[["M_77"], ["M_5"]], measures=["mrr"])
