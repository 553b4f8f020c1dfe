"""The samples of the page: small invented data of every kind, which lie in the package."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parent.parent / "samples"


class Sample(NamedTuple):
    """One sample: its label, and what `Inputs` has, with paths below the folder of samples."""

    label: str
    gold: str
    systems: Mapping[str, str]
    probabilities: Mapping[str, str] = {}
    metric: str | None = None
    options: tuple[str, ...] = ()
    columns: Mapping[str, str] = {}


_ANSWERS = Sample(
    "Answers (SQuAD 2.0)",
    "answers/gold.json",
    {"small_model": "answers/small_model.json", "large_model": "answers/large_model.json"},
    {"large_model": "answers/large_model_no_answer.json"},
)
BUTTONS = ("answers", "rankings", "rag", "labels")  # the others are in addresses, and the examples of metrics
SAMPLES: dict[str, Sample] = {
    "answers": _ANSWERS,
    "rankings": Sample(
        "Rankings (TREC)",
        "rankings/qrels.txt",
        {"bm25": "rankings/bm25.run", "dense": "rankings/dense.run"},
    ),
    "factoids": Sample(
        "Factoids (BioASQ)",
        "factoid/gold.json",
        {"hasty": "factoid/hasty.json", "careful": "factoid/careful.json"},
    ),
    "rag": Sample(
        "RAG (retrieved and gold ids)",
        "rag/questions.jsonl",
        {"keyword": "rag/keyword.jsonl", "dense": "rag/dense.jsonl"},
        metric="retriever_reader",
    ),
    "similarity": Sample(
        "Answers by meaning (SAS)",
        _ANSWERS.gold,
        _ANSWERS.systems,
        metric="semantic_answer_similarity",
        options=("model=lite",),
    ),
    "equivalence": Sample(
        "Would people accept it?",
        _ANSWERS.gold,
        _ANSWERS.systems,
        metric="answer_equivalence",
    ),
    "runs": Sample(
        "Repeated runs",
        _ANSWERS.gold,
        {"sampled_model": "answers/sampled_model.csv"},
        columns={"run_id": "seed"},
    ),
    "verdicts": Sample(
        "Verdicts on nuggets (TREC RAG)",
        "verdicts/keyword_nuggets.jsonl",
        {"keyword": "verdicts/keyword_nuggets.jsonl", "dense": "verdicts/dense_nuggets.jsonl"},
    ),
    "labels": Sample(
        "Labels",
        "labels/desk.csv",
        {"rules": "labels/desk_rules.csv", "tuned": "labels/desk_tuned.csv"},
        metric="label_metrics",
    ),
    "curves": Sample(
        "Scores and labels (AP)",
        "labels/spam.csv",
        {},
        metric="average_precision",
    ),
}
