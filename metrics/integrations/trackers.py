"""Experiment trackers: Scores logged to wandb, trackio or MLflow. Tried on wandb 0.31.0, trackio 0.43.0, mlflow 3.17.2."""

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

from ..core.rows import listed_by_id
from ..core.safe_names import safe_name
from ..core.scores import Scores
from ..registry import family_of
from ..training.hook import LoggedMeasures

_LIBRARIES = ("wandb", "trackio", "mlflow")


def log(
    tracker: Any,
    scores: Scores,
    *,
    step: int | None = None,
    prefix: str = "",
    measures: Sequence[str] | None = None,
    level: float | None = 0.95,
    examples: bool = True,
    columns: Mapping[str, Any] | None = None,
) -> None:
    """Log the measures of Scores, the ends of their intervals and a table of the examples to a run.

    Args:
        tracker: the module `wandb`, `trackio` or `mlflow` with a run that has begun, or a run of wandb or trackio.
        step: of the training. prefix: before each name, such as "dev/".
        measures: which to log; None: all that rest on an example, and the counts of the notes. Names are safe names,
            `ndcg_at_10` for `ndcg@10`; `qassay.measure_name` reads them back.
        level: of the intervals, logged as `f1_low` and `f1_high`; None for no intervals.
        examples: log the table `examples` too, with a row per example: its id, statistics and kind of error.
        columns: further columns of that table, such as {"prediction": predictions}: one value per example of the scores,
            in their order or by id.

    Raises:
        TypeError: another tracker. ValueError: no such measure, or a column of another length.
    """
    owner = getattr(tracker, "__name__", None) or type(tracker).__module__
    library = owner.partition(".")[0]
    if library not in _LIBRARIES:
        raise TypeError(f"tracker must be a run or the module of {', '.join(_LIBRARIES)}; got {owner}")
    numbers = LoggedMeasures(measures, level).numbers(scores)
    found: dict[str, Any] = {f"{prefix}{safe_name(name)}": value for name, value in numbers.items()}
    table = _table(scores, columns or {}) if examples else None
    if library == "mlflow":
        tracker.log_metrics(found, step=step)
        if table is not None:
            tracker.log_table(table, f"{prefix}examples{'' if step is None else f'_{step}'}.json")
        return
    if table is not None:
        found[f"{prefix}examples"] = importlib.import_module(library).Table(dataframe=table)
    tracker.log(found, step=step)


def _table(scores: Scores, columns: Mapping[str, Any]) -> Any:
    """The examples as a pandas.DataFrame."""
    table = scores.to_pandas().reset_index()
    given = {name: listed_by_id(column, scores.ids, name) for name, column in columns.items()}
    for name, column in given.items():
        if len(column) != len(scores):
            raise ValueError(f"{name} has {len(column)} rows, but there are {len(scores)} examples; give one for each")
        table[name] = column
    kinds = family_of(scores).telling.errors.of(scores)
    return table if kinds is None else table.assign(error_kind=kinds)
