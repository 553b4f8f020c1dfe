"""Options of visitors: what may be chosen on a page that others share, checked before anything is scored.

Nothing that a visitor chooses may make the server fetch or run a model, or read a file.
"""

import dataclasses
import functools
import os
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from ..core.interval_settings import INTERVAL_METHODS, Intervals
from ..core.option_texts import split_list
from ..core.options import check_choice
from ..files.reading import to_number
from ..files.roles import column_names, named_columns
from ..files.tables import Names
from ..registry import FAMILIES, find_preset, get_family
from .limits import MAX_OPTIONS, MAX_RESAMPLES

MODELS_VARIABLE = "QASSAY_APP_MODELS"
LITE = "lite"
_MODELLED = tuple(family for family in FAMILIES.values() if family.loads_model)


class Choices(NamedTuple):
    """What a visitor chose.

    Attributes:
        metric: None: the kind of file decides.
        options: of the metric, `name=value`.
        measures: to compute and show; None: the usual measures.
        by: slices to show besides the usual ones.
        groups: the column or slice whose value groups examples; "": no groups.
        names: names of the systems; () for the names of the files.
        columns: role -> column of tables; references and the roles of systems may have several.
        intervals: settings of the intervals; tests use their confidence and seed too.
    """

    metric: str | None = None
    options: tuple[str, ...] = ()
    measures: tuple[str, ...] | None = None
    by: tuple[str, ...] = ()
    groups: str = ""
    names: tuple[str, ...] = ()
    columns: Names = {}
    intervals: Intervals = Intervals()

    @property
    def kinds(self) -> str | None:
        """The metric whose kinds of files are read; None if the kind of file decides."""
        return FAMILIES[self.metric].files_of if self.metric and self.metric in FAMILIES else self.metric


def allowed_models() -> list[str]:
    """The models that visitors may choose: "lite", and those of the environment variable QASSAY_APP_MODELS."""
    named = (name.strip() for name in os.environ.get(MODELS_VARIABLE, "").split(","))
    return list(dict.fromkeys([LITE, *filter(None, named)]))


def read_choices(options: str = "") -> Choices:
    """Read and check the options of a visitor.

    Args:
        options: `name=value`, one per line: metric, measures, by, groups, names, confidence, seed, n_resamples,
            interval_method, `columns=ROLE=NAME` (as often as there are columns to name), and the options of the metric.

    Raises:
        ValueError: an option that visitors may not choose, or that cannot be read.
    """
    pairs, columns = _pairs(options)
    metric = pairs.pop("metric", None)
    if metric is not None:
        get_family(metric)
    if "preset" in pairs:
        metric = metric or find_preset(pairs["preset"])[0]
    measures, by, names = (_listed(pairs.pop(name, "")) for name in ("measures", "by", "names"))
    groups = pairs.pop("groups", "")
    intervals = _intervals(pairs)
    for name, value in pairs.items():
        _check_option(name, value)
    _check_model(metric, pairs)
    of_metric = tuple(f"{name}={value}" for name, value in pairs.items())
    return Choices(metric, of_metric, measures or None, by, groups, names, columns, intervals)


def _pairs(text: str) -> tuple[dict[str, str], Names]:
    """The options by name, and the columns by role."""
    text = (text or "").strip()
    if len(text) > MAX_OPTIONS:
        raise ValueError(f"options: {len(text):,} characters are too many; at most {MAX_OPTIONS:,}")
    pairs: dict[str, str] = {}
    columns = []
    for line in filter(str.strip, text.splitlines()):
        name, _, value = (part.strip() for part in line.partition("="))
        if not value:
            raise ValueError(f"options: {name!r} has no value; write name=value, one per line")
        if name == "columns":
            columns.append(re.sub(r"\s*=\s*", "=", value, count=1))
        elif name in pairs:
            raise ValueError(f"options: {name} is given twice; keep one of them")
        else:
            pairs[name] = value
    return pairs, column_names(named_columns(columns, "options: columns={!r} must be columns=ROLE=NAME"))


def _listed(text: str) -> tuple[str, ...]:
    return tuple(filter(None, split_list(text))) if text else ()


def _intervals(pairs: dict[str, str]) -> Intervals:
    """The settings of the intervals; removes their options from `pairs`."""
    given: dict[str, Any] = {}
    kinds: dict[str, Callable[[str], float]] = {"confidence": to_number, "n_resamples": int, "seed": int}
    for name in filter(pairs.__contains__, kinds):
        text = pairs.pop(name)
        try:
            given[name] = kinds[name](text)
        except ValueError:
            number = "a number" if name == "confidence" else "an integer"
            raise ValueError(f"options: {name} needs {number}; got {text[:20]!r}") from None
    if given.get("n_resamples", 0) > MAX_RESAMPLES:
        raise ValueError(f"options: n_resamples is at most {MAX_RESAMPLES:,} here; got {given['n_resamples']:,}")
    method = check_choice("interval_method", pairs.pop("interval_method", "auto"), INTERVAL_METHODS)
    return Intervals(method=method, **given)


def _check_model(metric: str | None, pairs: dict[str, str]) -> None:
    """Refuse a model that visitors may not choose; the default model is "lite"."""
    modelled = [family.name for family in _MODELLED]
    if metric in modelled:
        chosen = pairs.setdefault("model", LITE)
        if chosen not in allowed_models():
            raise ValueError(
                f"options: the model {chosen!r} cannot be chosen on this page; it has: {', '.join(allowed_models())}"
            )
    elif "model" in pairs:
        raise ValueError(
            f"options: model belongs to {' and '.join(modelled)}; choose that metric, or leave the model out"
        )


@functools.cache
def _closed_options() -> frozenset[str]:
    """Options that fetch, run or move models, which visitors may not choose."""
    closed: set[str] = set()
    for family in _MODELLED:
        _, options_class = family.load()
        closed |= {option.name for option in dataclasses.fields(options_class)} - {
            "model",
            *(family.page_options or ()),
        }
    return frozenset(closed)


def _check_option(name: str, value: str) -> None:
    if name in _closed_options():
        raise ValueError(
            f"options: {name} cannot be chosen on this page, because it decides what its server fetches or runs; for "
            "that install qassay and use its command line"
        )
    if name == "extract" and value.startswith("regex:"):
        raise ValueError(
            "options: a regular expression cannot be chosen on this page, because it can take seconds; for that install qassay and use "
            "its command line"
        )
