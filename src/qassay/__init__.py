"""qassay: metrics for question answering, exact, fast and with intervals, as Hugging Face evaluate modules.

    qassay.score("answer_match", predictions, references)    per-example statistics: a Scores
    qassay.scorer("answer_match")                            scores one example: scorer(prediction, gold)
    qassay.score_files("gold.json", {"small": "small.json"}) from files of any kind: a Scores per system
    qassay.stream("answer_match")                            batch by batch: add(predictions=..., references=...)
    qassay.cluster.score(dataset, "answer_match", ...)       the same on a Ray cluster
    qassay.runs([scores_of_seed_1, scores_of_seed_2])        several runs of one system: the mean over runs, and their spread
    qassay.majority_answers([answers_1, answers_2])          the answers that most runs give, to score as a system
    qassay.compare({"A": scores_a, "B": scores_b})           differences with intervals and paired tests: a Comparison
    qassay.leaderboard({"A": a, "B": b, "C": c})             many systems: ranks with intervals, letters, p-values: a Leaderboard
    qassay.testing.assert_not_worse(new, old, "f1", ...)     in a test: not worse than before by more than a margin
    qassay.calibrate(scores, {"q1": 1, "q7": 0, ...})        a measure corrected by a few human labels: a Calibration
    qassay.agreement("labelled.csv")                         which measures agree with human labels: a LabelAgreement
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

from .core import presenting
from .core.remarks import public
from .core.version import __version__
from .registry import FAMILIES, get_family, require_preset

if TYPE_CHECKING:
    from evaluate import EvaluationModule

    from . import cluster, testing, training
    from .catalog import Explanation
    from .core.errors import InputError
    from .core.options import Options
    from .core.scorer import Scorer
    from .core.scores import Scores
    from .core.streaming import ScoreStream
    from .exports import export
    from .files.score_files import score_files
    from .human.agreement import agreement
    from .human.calibrate import calibrate
    from .registry import MetricName
    from .results.report_files import report
    from .rewards import reward
    from .stats.compare import compare
    from .stats.drawn_answers import majority_answers
    from .stats.joined_runs import runs
    from .stats.leaderboard import leaderboard
    from .stats.runs import Runs
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
    "report",
    "reward",
    "runs",
    "score",
    "score_files",
    "scorer",
    "stream",
    "testing",
    "training",
]

presenting.package = f"{__name__}.results"

# Loaded on first use: they need numpy.
_LAZY = {
    "InputError": "qassay.core.errors",
    "Runs": "qassay.stats.runs",
    "Scores": "qassay.core.scores",
    "agreement": "qassay.human.agreement",
    "calibrate": "qassay.human.calibrate",
    "compare": "qassay.stats.compare",
    "evaluate_pipeline": "qassay.training.evaluation",
    "export": "qassay.exports",
    "leaderboard": "qassay.stats.leaderboard",
    "majority_answers": "qassay.stats.drawn_answers",
    "report": "qassay.results.report_files",
    "reward": "qassay.rewards",
    "runs": "qassay.stats.joined_runs",
    "score_files": "qassay.files.score_files",
}


def list_metrics() -> list[str]:
    """The names of the metrics.

    Example:
        >>> "answer_match" in list_metrics()
        True
    """
    return sorted(FAMILIES)


def explain(name: str) -> "Explanation":
    """What a name means: a metric with its columns, options and measures, a measure, an option, or a term of the field.

    Args:
        name: such as "answer_match", "f1", "normalizer", "em", "squad_v2" or "trec_eval".

    Returns:
        Explanation: printed, what `qassay explain NAME` prints; a notebook shows it too.

    Raises:
        ValueError: unknown name (the message suggests similar names).

    Example:
        >>> explain("bleu")
        bleu: not in qassay; evaluate.load('sacrebleu') has it
    """
    from .catalog import explain_name

    return explain_name(name)


def load(name: "MetricName", config_name: str | None = None, **options: Any) -> "EvaluationModule":
    """The evaluate module of a metric, with options for every `compute`: what `evaluate.load("./metrics/NAME")` gives in a clone.

    Args:
        name: one of `list_metrics()`.
        config_name: a preset of the module, such as "squad_v2" of answer_match.
        options: options of the metric and of evaluate (`num_process`, `process_id`, `experiment_id`, `cache_dir`, `seed`,
            ...).

    Raises:
        ValueError: no metric with this name. ImportError: evaluate is not installed. TypeError: an unknown option.

    Example:
        >>> metric = load("answer_match", "squad")
        >>> metric.compute(predictions=["in Paris"], references=[["Paris"]])
        {'exact_match': 0.0, 'f1': 66.66666666666666}
    """
    family = get_family(name)
    try:
        import evaluate  # noqa: F401  first, or the message would name datasets
    except ModuleNotFoundError as error:
        raise ImportError(
            f'qassay.load needs {error.name}: run `pip install "qassay[evaluate]"`; qassay.score works without'
        ) from error
    return family.module_class(config_name, **options)


@public
def score(name: "MetricName", *columns: Any, **options: Any) -> "Scores":
    """Score examples: columns in, per-example statistics out.

    Args:
        name: one of `list_metrics()`.
        columns: the metric's columns, by position or by name: predictions, references, ids, weights, groups, ... Or one table
            with all of them (a data set, a data frame, an Arrow table, a list of dicts), whose columns are recognised
            by their usual names, with a warning for other names; `columns={"references": "gold"}`
            names them, and `columns={"groups": "article"}` the column of groups, which is never guessed.
        options: the metric's options by name; `qassay.explain(name)` lists them. Every metric has `measures=["f1", ...]`: only
            these measures.

    Returns:
        Scores: `print(scores)` for a table, `dict(scores)` for the values, `.summary()` for the numbers, `.interval()` for their intervals, `.per_example()`, `.by()`,
            `.signature()`.

    Raises:
        TypeError: an option the metric does not have. TypeError, ValueError: invalid input; the message names the row
            or id; pandas series with the same index in another order, since rows are matched by position or `ids`.

    Example:
        >>> scores = score("answer_match", ["le chat"], [["chat"]], normalizer="french")
        >>> scores.summary(["exact_match"])
        {'exact_match': 1.0}
    """
    family, named = get_family(name), options.pop("columns", None)
    computes = "measures" in family.load()[1].__dataclass_fields__  # only these
    measures = None if computes else options.pop("measures", None)
    if named is not None or len(columns) == 1 and not {"references", "qrels"} & options.keys():
        from .files.score_files import lone_table, score_table

        table = lone_table(family, columns[0], named) if len(columns) == 1 else None
        if table is not None:
            scores = score_table(family, table, named, options)
            return scores if measures is None else scores.only(measures)
        if named is not None:
            raise TypeError("columns={...} names the columns of one table: give the table, and nothing else, before it")
    if "preset" in options:
        require_preset([name], options["preset"])
    scores = family.score(*columns, **options)
    return scores if measures is None else scores.only(measures)


def scorer(name: "MetricName", **options: Any) -> "Scorer":
    """A metric as a function of one example, for loops, rewards and harnesses: `scorer(prediction, gold)`.

    Args:
        name: one of `list_metrics()`.
        options: the metric's options by name.

    Returns:
        Scorer: returns measure -> value, exactly as `score` for the example; `.many(predictions, golds)` takes
            several, `.names` are the measures. An answer takes microseconds with answer_match, up to 3 ms with the
            other built-in scorers (docs/one_answer.md).

    Raises:
        TypeError, ValueError: an unknown option, or an invalid value.

    Example:
        >>> match = scorer("answer_match", extract="answer_tag")
        >>> match("It lies in <answer>the Alps</answer>.", ["Alps", "French Alps"])
        {'exact_match': 1.0, 'f1': 1.0, 'precision': 1.0, 'recall': 1.0, 'contains': 1.0}
    """
    from .core.scorer import Scorer

    family = get_family(name)
    return Scorer(family, family.load()[1].from_keywords(**options))


def stream(name: "MetricName", **options: Any) -> "ScoreStream":
    """Score examples batch by batch: it keeps the statistics of each batch, not its texts.

    Args:
        name: one of `list_metrics()`.
        options: the metric's options by name.

    Returns:
        ScoreStream: `.add(predictions=..., references=...)`, then `.summary()`, `.interval()` and `.scores()` at any time.

    Raises:
        TypeError: an option the metric does not have.

    Example:
        >>> found = stream("answer_match")
        >>> for answer, gold in [("in Rome", "Rome"), ("Rome", "Rome")]:
        ...     found.add(predictions=[answer], references=[[gold]])
        >>> found.summary(["exact_match", "total"])
        {'exact_match': 0.5, 'total': 2}
    """
    from .core.streaming import ScoreStream

    function, options_class = get_family(name).load()
    options_class.check_names(options)
    return ScoreStream(function, options_class.from_keywords(**options))


@public
def from_signature(text: str, **data: Any) -> "Options":
    """The options of a signature, long or short; score with their `.keywords()` again.

    Args:
        text: the result of `Scores.signature()`.
        data: option -> value, for options that the signature only fingerprints or names (lists of labels, label_counts,
            inverse_propensities, your own normalizer or model), checked against it; also options that it does not
            contain, such as measures or batch_size.

    Raises:
        TypeError: not a text, or data of an unknown option. ValueError: not a signature, an unknown
            metric or key, an invalid value, data that are missing or differ from the signature.

    Warns:
        UserWarning: it comes from another version of qassay, whose numbers may differ.

    Example:
        >>> scores = score("answer_match", ["le chat"], [["chat"]], normalizer="french")
        >>> scores.options.signature(short=True).partition("|v:")[0]
        'answer_match|norm:french'
        >>> options = from_signature(scores.signature())
        >>> options == scores.options, list(options.keywords())
        (True, ['normalizer'])
    """
    from .core.signatures import options_of_signature, split_signature

    parts = split_signature(text)
    return options_of_signature(get_family(parts.family).load()[1], parts, data)


if not TYPE_CHECKING:  # else type checkers take every name for one of these

    def __getattr__(name: str) -> Any:
        if name in ("cluster", "testing", "training"):  # on first use: they need numpy
            return importlib.import_module(f"qassay.{name}")
        if name in _LAZY:
            return getattr(importlib.import_module(_LAZY[name]), name)
        raise AttributeError(f"module 'qassay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
