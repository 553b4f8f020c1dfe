"""Experiment trackers: Scores in wandb, trackio or MLflow. Tested with wandb 0.31.0, trackio 0.43.0, mlflow-skinny 3.17.2."""

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

from ..core.ids import values_by_id
from ..core.scores import Scores
from ..registry import family_of
from ..training.hook import LoggedMeasures


def log(
    tracker: Any,
    scores: Scores,
    *,
    step: int | None = None,
    prefix: str = "",
    measures: Sequence[str] | None = None,
    confidence: float | None = 0.95,
    examples: bool = True,
    columns: Mapping[str, Any] | None = None,
) -> None:
    """Log the measures of Scores, the limits of their intervals and a table of the examples to a run.

    Args:
        tracker: the module of the library, with a run that has begun; or a run of wandb or trackio.
        step: of the training. prefix: before each name, such as "dev/".
        measures: as in the hooks of `qassay.training`, None for the headline measures; logged by safe names:
            `ndcg_at_10` for `ndcg@10`.
        confidence: of the intervals, `f1_low` and `f1_high`; None for no intervals.
        examples: log the table `examples` too; columns: further columns of it, such as {"prediction": predictions}: one
            value per example of the scores, in order or by id.

    Raises:
        TypeError: another tracker. ValueError: unknown measure, or a column of another length or with an existing name.
    """
    library = (getattr(tracker, "__name__", None) or type(tracker).__module__).partition(".")[0]
    if library not in ("wandb", "trackio", "mlflow"):
        raise TypeError(f"tracker must be a run or the module of wandb, trackio or mlflow; got {library}")
    numbers = LoggedMeasures(measures, confidence, safe_names=True).numbers(scores)
    found: dict[str, Any] = {f"{prefix}{name}": value for name, value in numbers.items()}
    table = {f"{prefix}examples": _table_of(scores, columns or {})} if examples else {}
    if library == "mlflow":
        tracker.log_metrics(found, step=step)
        for name, rows in table.items():
            tracker.log_table(rows, f"{name}.json" if step is None else f"{name}_{step}.json")
    else:
        tables = {name: importlib.import_module(library).Table(dataframe=rows) for name, rows in table.items()}
        tracker.log({**found, **tables}, step=step)


def _table_of(scores: Scores, columns: Mapping[str, Any]) -> Any:
    """A pandas.DataFrame with a row per example: id, statistics, subsets, kind of error, and further columns.

    Statistics have the units of `Scores.to_pandas`; shares are 0..1.

    Args:
        columns: name -> one value per example, in their order or by id.

    Raises:
        ValueError: a column with another length or with a name that the table has. ImportError: pandas is not installed.
    """
    table = scores.to_pandas().reset_index()
    kinds = family_of(scores).about.errors.of(scores)
    table = table if kinds is None else table.assign(error_kind=kinds)
    for name, column in columns.items():
        values = values_by_id(column, scores.ids, name)
        if len(values) != len(scores):
            raise ValueError(f"{name} has {len(values)} rows, but there are {len(scores)} examples; give one for each")
        if name in table:
            raise ValueError(f"the table of examples has a column {name!r} already; give yours another name")
        table[name] = values
    return table
