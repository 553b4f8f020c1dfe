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
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .core import presenting
from .core.remarks import public, remark
from .core.version import __version__
from .registry import FAMILIES, get_family, require_preset

if TYPE_CHECKING:
    import os

    from evaluate import EvaluationModule

    from . import cluster, testing, training
    from .calibration.calibrate import Calibration
    from .catalog import Explanation
    from .comparison.compare import compare
    from .comparison.leaderboard import leaderboard
    from .core.options import Options
    from .core.scorer import Scorer
    from .core.scores import Scores
    from .core.streaming import ScoreStream
    from .label_agreement.results import LabelAgreement
    from .registry import MetricName
    from .repeated_runs.drawn_answers import majority_answers
    from .repeated_runs.runs import Runs
    from .rewards import reward
    from .scoring import score_files
    from .training.evaluation import evaluate_pipeline

__all__ = [
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

presenting.package = f"{__name__}.reports"

# Loaded on first use: they need numpy.
_LAZY = {
    "Runs": "qassay.repeated_runs.runs",
    "Scores": "qassay.core.scores",
    "compare": "qassay.comparison.compare",
    "evaluate_pipeline": "qassay.training.evaluation",
    "leaderboard": "qassay.comparison.leaderboard",
    "majority_answers": "qassay.repeated_runs.drawn_answers",
    "reward": "qassay.rewards",
    "score_files": "qassay.scoring",
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
        from .table_scoring import lone_table, score_table

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


@public
def runs(scores: "Mapping[str, Scores] | Sequence[Scores]", common: bool = False) -> "Runs":
    """Join several runs of one system on the same questions, such as the answers of several seeds or checkpoints.

    The value of a measure is the mean of its values in the runs. This holds for counts too: `total` and `missing` are means
    over runs. Only notes about omitted input, such as `unmatched` and `duplicates`, are sums over runs. The
    interval covers other questions (or other groups of questions) and other runs. `qassay.compare`, `qassay.report` and
    slices accept the result like any Scores.

    Args:
        scores: two or more Scores of the same metric, options, gold data and questions, matched by id; or name -> Scores.
        common: True: keep the questions that all runs have, and count the others in the notes. False: refuse runs with
            different questions.

    Returns:
        Runs: Scores with a row per question. `.variance()` splits the variance by question, run and noise;
            `.expected_width(runs=, questions=)` predicts the width of the interval with more of either; `.pass_at(k)`
            and `.majority_at(k)` score k answers to a question; `.run_values()` has the values of each run.

    Raises:
        ValueError: one run only, or runs with different options, gold data, questions or groups. TypeError: something
            other than Scores.

    Warns:
        UserWarning: a run lacks predictions that other runs have; they are scored 0, and the warning counts and names
            them.

    Example:
        >>> gold = {"q1": ["Paris"], "q2": ["Rome"], "q3": ["Bern"]}
        >>> seeds = [{"q1": "Paris", "q2": "Rome", "q3": "Basel"}, {"q1": "Paris", "q2": "Milan", "q3": "Basel"}]
        >>> found = runs([score("answer_match", answers, gold) for answers in seeds])
        >>> found.summary(["exact_match"]), found.run_values(["total"])
        ({'exact_match': 0.5}, {'run 1': {'total': 3}, 'run 2': {'total': 3}})
    """
    from .repeated_runs.joined_runs import put_together

    joined = put_together(scores, common)
    for line in joined.told_of_questions():
        remark(line)
    return joined


@public
def calibrate(
    scores: "Scores | Mapping[str, Scores]",
    labels: Any,
    measure: str | Sequence[str] | None = None,
    *,
    method: str = "ppi",
    lam: float | None = None,
    interval_method: str = "auto",
    confidence: float = 0.95,
    groups: Any = None,
    columns: Mapping[str, str] | None = None,
) -> "Calibration | dict[str, Calibration]":
    """Correct a measure with human verdicts on a random sample: estimate what people would say about all examples.

    The default is PPI++ (Angelopoulos, Duchi, Zrnic 2023, arXiv 2311.01453): lambda times the measure over the examples
    without a label, plus the mean difference between labels and lambda times the measure on the labelled examples. It
    is valid for any measure, even a bad one; the better the measure predicts human verdicts, the narrower
    the interval. Rogan-Gladen (1978), for verdicts of a judge, corrects for its sensitivity and specificity
    (arXiv 2511.21140); it is also valid if the labels were drawn by verdict instead of at random.

    Args:
        scores: Scores of one system, with a row per example; or name -> Scores of two systems, with labels as name ->
            labels. With two systems, the difference (second minus first) is calibrated on their common examples, and
            estimates are in -1..1.
        labels: human verdicts on this system's answers, 0 to 1 or bools: id -> verdict as a dict or a pandas
            series (NaN: no verdict), a list with one verdict per example (None without one), or a data frame, or the
            path of a CSV, JSON or JSONL file, with a column of ids and one of labels. The labelled examples must be a
            random sample: `to_next` draws it.
        measure: a measure that is a mean of values per example, such as "f1", or several, "all" for all that can be
            calibrated; None: the first main measure of the metric.
        method: "ppi", or "rogan_gladen" for measures and labels of 0 and 1.
        lam: the lambda of "ppi": None for the smallest variance, 1 for plain PPI, 0 for the labels alone.
        interval_method: "auto" is valid with few labels too: PPI++ with t quantiles and half a label added in each
            corner of label and measure, Rogan-Gladen as in Lang and Reiczigel (2014); "normal": as the methods were
            published.
        confidence: as in `Scores.interval`.
        groups: one label per example, or id -> label, if examples come in groups, such as questions of one document:
            the groups then vary, not the examples. None: the groups of the scores, if they have any.
        columns: names of columns in a file or data frame of labels, such as {"ids": "qid", "labels": "right"}.

    Returns:
        Calibration: `.value` and `.interval`, `.measured`, `.labelled`, `.agreement`, `.labels_needed(width)`,
            `.to_next(k)`; prints as a table. For several measures a dict measure -> Calibration. Estimates are for the
            mean verdict on such examples in general, not only on these; all are in 0..1.

    Raises:
        ValueError: fewer than 10 labels, labels of unknown ids, a verdict outside 0..1 or NaN, different verdicts on
            one example, a measure that is not a mean of values per example, such as F1 of a class; for Rogan-Gladen
            labels of only one kind, or a judge that agrees no better than chance; one group only. TypeError: something
            other than Scores, labels or numbers.

    Example:
        >>> answers = ["Rome", "in Rome", "Paris", "Oslo"] * 5
        >>> scores = score("answer_match", answers, [["Rome"], ["Rome"], ["Rome"], ["Oslo"]] * 5)
        >>> found = calibrate(scores, [1, 1, 0, 1] * 3 + [None] * 8, "exact_match")
        >>> found.measured, found.labelled, round(found.value, 4)
        (0.5, 0.75, 0.75)
        >>> found.agreement.sensitivity.__round__(3), found.n_labelled, len(found.to_next(3))
        (0.667, 12, 3)
    """
    from .calibration.calibrate import CalibrationSettings, calibrate_scores

    settings = CalibrationSettings(method, lam, interval_method, confidence)
    found = calibrate_scores(scores, labels, measure, settings, groups=groups, columns=columns)
    is_one = measure is None or isinstance(measure, str) and measure != "all"
    return next(iter(found.values())) if is_one else found


@public
def agreement(
    labelled: Any,
    metrics: Sequence[str] | str | None = None,
    *,
    measures: Sequence[str] | str | None = None,
    model: Any = "lite",
    columns: Mapping[str, Any] | None = None,
    right_from: float | None = None,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
    **options: Any,
) -> "LabelAgreement":
    """Measure how well each measure agrees with human labels, to find which one you can trust on such data.

    Args:
        labelled: the path of a table (CSV, TSV, JSON, JSONL, Parquet, Arrow), a data frame, a list of rows or a dict of
            columns. It has a row per answer, with gold answers, answer and label, and optionally question, system, groups
            and ids. A label is 1 or 0, yes or no, correct or incorrect, or a number that is higher for better answers;
            rows with None or NaN are omitted.
        metrics: the metrics to try; None: all that score texts.
        measures: the measures to show; None: all with a value from 0 to 1 for every answer.
        model: the model of the metric that loads one: "lite" is built in. If several metrics do,
            semantic_answer_similarity takes a model and answer_equivalence a judge.
        columns: role -> name of the column, with the roles labels, references, predictions, question, system, groups,
            ids; and `{"separator": "/"}` for gold answers such as `a/b`. References may be several columns.
        right_from: the lowest label of a right answer; None: 0.5, for labels from 0 to 1.
        confidence, n_resamples, seed: as in `Scores.interval`; the seed also chooses the folds of the accuracy at the
            best threshold.
        options: options of the metrics; each goes to every metric that has it.

    Returns:
        LabelAgreement: `["f1"]` has `auc`, `accuracy` (from 0.5 on), `best_accuracy` (cross-fitted), `best_threshold`,
            `pearson`, `ece` (calibration error in ten bins) and their `intervals`; a `best_threshold` above 1
            rejects every answer. `.systems` has the means of systems by people and by measures; `.to_dict()`; printed,
            tables. Rows with the same groups, else the same question, else the same gold answers, are drawn together and
            are in one fold.

    Raises:
        ValueError: no column of labels or of another role, a label that is not a number, no gold answers, labels beyond
            0..1 without `right_from`, right or wrong answers only, fewer than 10 labels, a duplicate id of one system, no
            such metric or measure, or a measure that two of the metrics have. TypeError: something other than a table,
            or an option that no metric has.

    Example:
        >>> answers = ["in Rome", "Rome", "Oslo", "Bern", "the city of Oslo", "Paris"] * 2
        >>> golds = ["Rome", "Rome", "Oslo", "Oslo", "Oslo", "Bern"] * 2
        >>> rows = {"gold": golds, "answer": answers, "label": [1, 1, 1, 0, 1, 0] * 2}
        >>> found = agreement(rows, "answer_match", measures=["exact_match", "f1"])
        >>> found["exact_match"].auc, found["f1"].auc, found["f1"].accuracy, found.right.__round__(3)
        (0.75, 1.0, 1.0, 0.667)
    """
    from .core.interval_settings import Intervals, check_confidence
    from .label_agreement.agree import agreement_of

    intervals = Intervals(check_confidence(confidence), n_resamples=n_resamples, seed=seed)
    settings: dict[str, Any] = {"columns": columns, "right_from": right_from, "options": options}
    return agreement_of(labelled, metrics, measures=measures, model=model, intervals=intervals, **settings)


@public
def report(
    systems: "Scores | Mapping[str, Scores]",
    path: "str | os.PathLike[str]",
    *,
    by: Any = None,
    measures: Sequence[str] | str | None = None,
    percent: bool = False,
    confidence: float | None = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
    method: str = "auto",
) -> None:
    """Write the values of one or several systems as a report; `comparison.report(path)` writes a comparison.

    A page shows values with intervals, slices, kinds of errors and the distribution of examples. It is one file without
    external resources.

    Args:
        systems: Scores, or name -> Scores of the same metric and options, as `qassay.score_files` returns them. If they
            have groups, intervals treat groups as units, and the report says how many there are.
        path: the file; its extension chooses the format: .html, .md, .tex, .csv or .json.
        by: slices: names of subsets or "error_kind", or slice -> one label per example of the first system, or slice ->
            {id: label}.
        measures: the measures to show; None for the usual measures, "all" for all.
        percent: rates as 0..100 instead of 0..1.
        confidence, n_resamples, seed, method: as in `Scores.interval`; confidence=None for no intervals.

    Raises:
        TypeError: something other than Scores. ValueError: another extension, an unknown measure or slice, or systems
            whose options differ. OSError: the file cannot be written.
    """
    from .core.interval_settings import Intervals
    from .reports.report_files import report_of

    intervals = Intervals(confidence, method, n_resamples, seed)
    report_of(systems, path, by=by, measures=measures, percent=percent, intervals=intervals)


@public
def export(
    scores: "Scores",
    path: "str | os.PathLike[str]",
    about: "Mapping[str, Any] | str | os.PathLike[str]",
    *,
    predictions: Any = None,
    references: Any = None,
    questions: Any = None,
    measures: Sequence[str] | str | None = None,
    percent: bool = False,
    confidence: float | None = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
    method: str = "auto",
) -> list[str]:
    """Write the values of a system in the format of Every Eval Ever 0.3.0 or of the Hugging Face Hub.

    Args:
        scores: the Scores of one system.
        path: a folder for Every Eval Ever, which gets `data/DATASET/ORG/MODEL/` with a JSON record of values, intervals,
            counts and signature, and a JSONL file with a row per measure and example; or a .yaml file for the folder
            `.eval_results` of a model on the Hub, which has one value.
        about: facts that the scores do not contain, field -> value, or a YAML or JSON file of them. Every Eval Ever
            needs model ("org/name"), dataset, date, organization and relationship ("first_party", "third_party",
            "collaborative" or "other" of who made the result to who made the model); the Hub needs dataset and
            task_id. Other fields are model_name, dataset_url, split, revision, deployment, availability, source_url,
            source_name, source_user, source_org, verify_token and notes.
        predictions, references, questions: the scored columns: the file of examples contains their texts. Without
            them it is not written.
        measures: the measures to write; None for the usual measures, for the Hub the main measure.
        percent: for the Hub, rates as 0..100 instead of 0..1; Every Eval Ever has 0..1.
        confidence, n_resamples, seed, method: as in `report`.

    Returns:
        The files written. The same result has the same names, so it replaces its own files.

    Raises:
        TypeError: something other than Scores, or a value of about that is not text. ValueError: about lacks a
            field or has an invalid value, several measures for the Hub, another extension, or texts that were not
            scored. ImportError: PyYAML is not installed, which the Hub needs. OSError: a file cannot be written;
            no file is left incomplete.
    """
    from .core.interval_settings import Intervals
    from .exports.export import export_scores

    intervals = Intervals(confidence, method, n_resamples, seed)
    texts = {"predictions": predictions, "references": references, "questions": questions}
    return export_scores(scores, path, about, **texts, measures=measures, percent=percent, intervals=intervals)


if not TYPE_CHECKING:  # else type checkers take every name for one of these

    def __getattr__(name: str) -> Any:
        if name in ("cluster", "testing", "training"):  # on first use: they need numpy
            return importlib.import_module(f"qassay.{name}")
        if name in _LAZY:
            return getattr(importlib.import_module(_LAZY[name]), name)
        raise AttributeError(f"module 'qassay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
