"""karat: metrics for question answering, exact, fast and with intervals, as Hugging Face evaluate modules.

    karat.score("answer_match", predictions, references)    per-example statistics: a Scores
    karat.load("answer_match")                              the evaluate module, as evaluate.load gives it
    karat.list_metrics(), karat.path("answer_match")        what there is and where it lies

Importing karat loads neither evaluate nor torch nor datasets.
"""

import importlib
import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karat.core.version import __version__
from karat.families import FAMILIES, get_family

if TYPE_CHECKING:
    from karat.core.scores import Scores

__all__ = ["Scores", "__version__", "list_metrics", "load", "path", "score"]


def list_metrics() -> list[str]:
    """The names of the metrics, each a folder that `evaluate.load` takes.

    Example:
        >>> "answer_match" in list_metrics()
        True
    """
    return sorted(FAMILIES)


def path(name: str) -> str:
    """The folder of a metric, for `evaluate.load(karat.path(name))`.

    Raises:
        ValueError: no metric of that name (the message lists them).

    Example:
        >>> Path(path("answer_match"), "answer_match.py").is_file()
        True
    """
    get_family(name)
    return str(Path(__file__).parent / name)


def load(name: str, config_name: str | None = None, **options: Any):
    """The evaluate module of a metric, with options that then hold for every `compute`.

    Args:
        name: one of `list_metrics()`.
        config_name: a preset of the module, such as "squad_v2" of answer_match.
        options: the metric's options and those of `evaluate.load` (`num_process`, `process_id`, `experiment_id`, ...).

    Example:
        >>> metric = load("answer_match", "squad")
        >>> metric.compute(predictions=["in Paris"], references=[["Paris"]])
        {'exact_match': 0.0, 'f1': 66.66666666666666}
    """
    import evaluate

    return evaluate.load(path(name), config_name, **options)


def score(name: str, *columns: Any, **options: Any) -> "Scores":
    """Score examples: columns in, per-example statistics out.

    Args:
        name: one of `list_metrics()`.
        columns: the metric's columns, by position or by name: predictions, references, ids, weights, ...
        options: the metric's options by name; `karat explain NAME` on the command line lists them.

    Returns:
        Scores: `.summary()` for the numbers, `.interval()` for their intervals, `.per_example()`, `.by()`,
            `.signature()`.

    Raises:
        TypeError: an option the metric does not have. TypeError, ValueError: input it cannot score, naming the row or
            id.

    Example:
        >>> scores = score("answer_match", ["le chat"], [["chat"]], normalizer="french")
        >>> scores.summary(["exact_match"])
        {'exact_match': 1.0}
    """
    function, kind = get_family(name).load()
    names = [key for key in inspect.signature(function).parameters if key != "options"]
    given = {key: options.pop(key) for key in [*options] if key in names}
    kind.check_names(options, columns=names)
    return function(*columns, **given, options=kind.from_keywords(**options))


def __getattr__(name: str) -> Any:
    if name == "Scores":  # on first use: it needs numpy
        return importlib.import_module("karat.core.scores").Scores
    raise AttributeError(f"module 'karat' has no attribute {name!r}")
