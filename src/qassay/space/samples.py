"""The samples of the page: small invented data for each kind of task, stored in the package."""

from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parent.parent / "samples"


class Sample(NamedTuple):
    """The files and options of a sample.

    Attributes:
        title: its text in the menu.
        gold: the gold file, below the folder of samples.
        systems: the files of predictions and probabilities.
        options: as a visitor writes them.
        metric: the metric that it shows.
    """

    title: str
    gold: str
    systems: tuple[str, ...]
    options: str
    metric: str


_ANSWERS = ("answers/small_model.json", "answers/large_model.json")
SAMPLES: dict[str, Sample] = {
    "answers": Sample(
        "Answers (SQuAD 2.0)",
        "answers/gold.json",
        (*_ANSWERS, "answers/large_model_no_answer.json"),
        "",
        "answer_match",
    ),
    "rankings": Sample(
        "Rankings (TREC)", "rankings/qrels.txt", ("rankings/bm25.run", "rankings/dense.run"), "", "retrieval_ranking"
    ),
    "rag": Sample(
        "RAG: retrieved and gold ids",
        "rag/questions.jsonl",
        ("rag/keyword.jsonl", "rag/dense.jsonl"),
        "metric=retriever_reader",
        "retriever_reader",
    ),
    "verdicts": Sample(
        "Verdicts on nuggets (TREC RAG)",
        "verdicts/keyword_nuggets.jsonl",
        ("verdicts/keyword_nuggets.jsonl", "verdicts/dense_nuggets.jsonl"),
        "names=keyword,dense",
        "claim_support",
    ),
    "factoids": Sample(
        "Factoids (BioASQ)", "factoid/gold.json", ("factoid/hasty.json", "factoid/careful.json"), "", "factoid_accuracy"
    ),
    "labels": Sample(
        "Labels",
        "labels/desk.csv",
        ("labels/desk_rules.csv", "labels/desk_tuned.csv"),
        "metric=label_metrics\nnames=rules,tuned",
        "label_metrics",
    ),
    "curves": Sample(
        "Scores and labels (average precision)", "labels/spam.csv", (), "metric=average_precision", "average_precision"
    ),
    "similarity": Sample(
        "Answers by similarity",
        "answers/gold.json",
        _ANSWERS,
        "metric=semantic_answer_similarity\nmodel=lite",
        "semantic_answer_similarity",
    ),
    "equivalence": Sample(
        "Would people accept it?", "answers/gold.json", _ANSWERS, "metric=answer_equivalence", "answer_equivalence"
    ),
    "runs": Sample(
        "Repeated runs", "answers/gold.json", ("answers/sampled_model.csv",), "columns=run_id=seed", "answer_match"
    ),
}


def sample_of(metric: str) -> str:
    """The name of the sample that shows a metric."""
    return next(name for name, sample in SAMPLES.items() if sample.metric == metric)
