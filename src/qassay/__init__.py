"""qassay: metrics for question answering, exact, fast and with intervals, as Hugging Face evaluate modules.

    qassay.score("answer_match", predictions, references)    per-example statistics: a Scores
    qassay.scorer("answer_match")                            scores one example: scorer(prediction, gold)
    qassay.score_files("gold.json", {"small": "small.json"}) from files of any kind: a Scores per system
    qassay.scores_of({"bertscore": [0.9, 0.8, 0.4]})         numbers that another tool made: a Scores
    qassay.stream("answer_match")                            batch by batch: add(predictions=..., references=...)
    qassay.cluster.score(dataset, "answer_match", ...)       the same on a Ray cluster
    qassay.runs([scores_of_seed_1, scores_of_seed_2])        several runs of one system: the mean over runs, and their spread
    qassay.majority_answers([answers_1, answers_2])          the answers that most runs give, to score as a system
    qassay.compare({"A": scores_a, "B": scores_b})           differences with intervals and paired tests: a Comparison
    qassay.leaderboard({"A": a, "B": b, "C": c})             many systems: ranks with intervals, letters, p-values: a Leaderboard
    qassay.plan(share=0.7, width=0.1)                        how many questions an interval or a test needs: a Plan
    qassay.testing.assert_not_worse(new, old, "f1", ...)     in a test: not worse than before by more than a margin
    qassay.calibrate(scores, {"q1": 1, "q7": 0, ...})        a measure corrected by a few human labels: a Calibration
    qassay.agreement("labelled.csv")                         which measures agree with human labels: a LabelAgreement
    qassay.rater_agreement("votes.csv", ["ann", "bob"], judges="model")  whether people agree, and a judge with them
    qassay.report({"A": scores_a}, "report.html")            values with intervals as a page, Markdown, LaTeX, CSV or JSON
    qassay.export(scores, "records", about)                  a record for Every Eval Ever, or for the Hugging Face Hub
    qassay.explain("f1")                                     what a metric, a measure, an option or a term means
    qassay.from_signature(scores.signature())                the options that made the scores
    qassay.load("answer_match")                              the evaluate module, as from evaluate.load
    qassay.list_metrics()                                    the names of the metrics
    qassay.reward("f1", format_weight=0.1)                   a measure as a reward for TRL, verl and verifiers: a Reward
    qassay.evaluate_pipeline(pipeline, dataset)              run a transformers pipeline, or any callable, and score
    qassay.training.GenerativeQA(tokenizer, references)      compute_metrics for a Trainer; others for other tasks

Importing qassay does not load evaluate, torch or datasets.
"""

import importlib
from typing import TYPE_CHECKING, Any

from .core.version import __version__
from .registry import FAMILIES

if TYPE_CHECKING:
    from . import cluster, testing, training
    from .catalog import explain
    from .core.errors import InputError
    from .core.scores import Scores
    from .exports import export
    from .files.score_files import score_files
    from .files.score_tables import scores_of
    from .human.agreement import agreement
    from .human.calibrate import calibrate
    from .human.raters import rater_agreement
    from .results.reports import report
    from .rewards import reward
    from .scoring import from_signature, load, score, scorer, stream
    from .stats.compare import compare
    from .stats.leaderboard import leaderboard
    from .stats.majority import majority_answers
    from .stats.plan import plan
    from .stats.runs import Runs, runs
    from .training.evaluation import evaluate_pipeline

__all__ = [
    "InputError",
    "Runs",
    "Scores",
    "__version__",
    "agreement",
    "calibrate",
    "cluster",
    "compare",
    "evaluate_pipeline",
    "explain",
    "export",
    "from_signature",
    "leaderboard",
    "list_metrics",
    "load",
    "majority_answers",
    "plan",
    "rater_agreement",
    "report",
    "reward",
    "runs",
    "score",
    "score_files",
    "scorer",
    "scores_of",
    "stream",
    "testing",
    "training",
]

# Loaded on first use: they need numpy.
_LAZY = {
    "InputError": "qassay.core.errors",
    "Runs": "qassay.stats.runs",
    "Scores": "qassay.core.scores",
    "agreement": "qassay.human.agreement",
    "calibrate": "qassay.human.calibrate",
    "compare": "qassay.stats.compare",
    "evaluate_pipeline": "qassay.training.evaluation",
    "explain": "qassay.catalog",
    "export": "qassay.exports",
    "from_signature": "qassay.scoring",
    "leaderboard": "qassay.stats.leaderboard",
    "load": "qassay.scoring",
    "majority_answers": "qassay.stats.majority",
    "plan": "qassay.stats.plan",
    "rater_agreement": "qassay.human.raters",
    "report": "qassay.results.reports",
    "reward": "qassay.rewards",
    "runs": "qassay.stats.runs",
    "score": "qassay.scoring",
    "score_files": "qassay.files.score_files",
    "scorer": "qassay.scoring",
    "scores_of": "qassay.files.score_tables",
    "stream": "qassay.scoring",
}


def list_metrics() -> list[str]:
    """The names of the metrics.

    Example:
        >>> "answer_match" in list_metrics()
        True
    """
    return sorted(FAMILIES)


if not TYPE_CHECKING:  # else type checkers take every name for one of these

    def __getattr__(name: str) -> Any:
        if name in ("cluster", "testing", "training"):  # on first use: they need numpy
            return importlib.import_module(f"qassay.{name}")
        if name in _LAZY:
            globals()[name] = getattr(importlib.import_module(_LAZY[name]), name)
            return globals()[name]
        raise AttributeError(f"module 'qassay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
