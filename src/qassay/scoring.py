"""The public functions that score, given the name of a metric, its columns and its options."""

from typing import TYPE_CHECKING, Any

from .core.options import Options
from .core.remarks import public
from .core.scorer import Scorer
from .core.scores import Scores
from .core.signatures import options_of_signature, split_signature
from .core.streaming import ScoreStream
from .registry import MetricName, get_family, require_preset

if TYPE_CHECKING:
    from evaluate import EvaluationModule


@public
def score(name: MetricName, *columns: Any, **options: Any) -> Scores:
    """Score examples: columns in, per-example statistics out.

    Args:
        name: one of `list_metrics()`.
        columns: the metric's columns, by position or by name: predictions, references, ids, weights, groups, ... Or one table
            with all of them (a data set, a data frame, an Arrow table, a list of dicts); its columns are found by their
            usual names, or given by `columns={"references": "gold"}`. The column of groups must be given.
        options: the metric's options by name; `qassay.explain(name)` lists them. Every metric also takes
            `measures=["f1", ...]`, the measures to keep.

    Returns:
        Scores: `print(scores)` shows a table, `dict(scores)` has the values; see `.summary()`, `.interval()`,
            `.per_example()`, `.by()` and `.signature()`.

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
        from .files.score_files import lone_table, score_table  # its import takes longer than a small score

        table = lone_table(family, columns[0], named) if len(columns) == 1 else None
        if table is not None:
            scores = score_table(family, table, named, options)
            return scores if measures is None else scores.only(measures)
        if named is not None:
            raise TypeError("columns={...} needs one table: give the table, and nothing else, before it")
    if "preset" in options:
        require_preset([name], options["preset"])
    scores = family.score(*columns, **options)
    return scores if measures is None else scores.only(measures)


def scorer(name: MetricName, **options: Any) -> Scorer:
    """A function that scores one example, for loops, rewards and harnesses: `scorer(prediction, gold)`.

    Args:
        name: one of `list_metrics()`.
        options: the metric's options by name.

    Returns:
        Scorer: a call returns measure -> value, exactly as `score` for the example; `.many(predictions, golds)` scores
            several, and `.names` lists the measures. An answer takes microseconds with answer_match and up to 3 ms with
            the other built-in scorers (docs/python.md).

    Raises:
        TypeError, ValueError: an unknown option, or an invalid value.

    Example:
        >>> match = scorer("answer_match", extract="answer_tag")
        >>> match("It lies in <answer>the Alps</answer>.", ["Alps", "French Alps"])
        {'exact_match': 1.0, 'f1': 1.0, 'precision': 1.0, 'recall': 1.0, 'contains': 1.0}
    """
    family = get_family(name)
    return Scorer(family, family.load()[1].from_keywords(**options))


def stream(name: MetricName, **options: Any) -> ScoreStream:
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
    function, options_class = get_family(name).load()
    return ScoreStream(function, options_class.from_keywords(**options))


@public
def from_signature(text: str, **data: Any) -> Options:
    """The options of a signature, long or short; score with their `.keywords()` again.

    Args:
        text: the result of `Scores.signature()`.
        data: option -> value, for options that the signature only fingerprints or names (lists of labels, your
            own normalizer or model), checked against it; also options that it does not
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
    parts = split_signature(text)
    return options_of_signature(get_family(parts.family).load()[1], parts, data)


def load(name: MetricName, config_name: str | None = None, **options: Any) -> "EvaluationModule":
    """The evaluate module of a metric, with options for every `compute`: what `evaluate.load("./metrics/NAME")` gives in a clone.

    Args:
        name: one of `list_metrics()`.
        config_name: a preset of the module, such as "squad_v2" of answer_match.
        options: options of the metric and of evaluate, except `num_process`.

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
