"""Options of visitors: what may be chosen on a page that others share, checked before anything is scored.

Nothing that a visitor chooses may make the server fetch or run a model, or read a file.
"""

import dataclasses
import functools
import os
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..catalog import split_list
from ..core.intervals import INTERVAL_METHODS
from ..core.options import check_choice
from ..files.roles import column_names
from ..files.tables import Names
from ..pages.limits import MAX_OPTIONS, MAX_RESAMPLES, MAX_VALUES, MAX_VALUES_OF_ROW, InputError, check_length
from ..registry import FAMILIES, all_presets, find_preset, get_family
from ..scoring import ALL
from .analysis import Settings

MODELS_VARIABLE = "QASSAY_APP_MODELS"
LITE = "lite"
_MODELLED = tuple(family for family in FAMILIES.values() if family.loads_model)
_CUT_OFF = re.compile(r"[0-9]{1,6}")  # so many places are made room for
_NEEDS_NO_FILE = re.compile(r"\{.*\}|[-+.,\deE\s]+", re.DOTALL)  # a dict, or numbers


class Choices(NamedTuple):
    """What a visitor chose: metric, options, measures and groups as in `Inputs`, and the settings of the numbers."""

    metric: str | None
    options: tuple[str, ...]
    measures: tuple[str, ...] | None
    settings: Settings
    groups: str = ""


def allowed_models() -> list[str]:
    """The models that whoever runs the page has put into the environment variable QASSAY_APP_MODELS, after "lite"."""
    named = (name.strip() for name in os.environ.get(MODELS_VARIABLE, "").split(","))
    return list(dict.fromkeys([LITE, *filter(None, named)]))


def read_choices(
    metric: str | None = None,
    options: str = "",
    measures: str = "",
    level: float | None = None,
    meaning: bool = False,
    model: str | None = None,
    groups: str = "",
    interval_method: str = "auto",
    preset: str = "",
) -> Choices:
    """Check what a visitor chose.

    Args:
        metric: a name; None for the metric of the kind of file.
        options: `KEY=VALUE`, one per line; also n_resamples and seed of the intervals.
        measures: names with commas or line breaks between; "": the usual measures.
        level: of the intervals, above 0 and below 1; None for 0.95.
        meaning: also score how close answers are in meaning, where the metric is left to the files.
        model: for meaning, one of `allowed_models`; None for "lite".
        groups: by what examples belong together; "" for every example by itself.
        interval_method: one of `INTERVAL_METHODS`.
        preset: the rules of a benchmark; "" for none. Without a metric it is the metric of the preset.

    Raises:
        InputError: an option that cannot be chosen here, or that cannot be read.
    """
    if metric:
        get_family(metric)
    pairs = _pairs(options)
    if preset:
        if pairs.setdefault("preset", preset) != preset:
            raise InputError(
                f"options: preset={pairs['preset']} is not the benchmark that is chosen, {preset}; keep one of them"
            )
        metric = metric or find_preset(preset)[0]
    numbers = {name: _whole(name, pairs.pop(name), most) for name, most in _NUMBERS.items() if name in pairs}
    for name, value in pairs.items():
        _check_option(name, value)
    if meaning and metric in (None, *(family.reading.kinds for family in _MODELLED)):
        metric = ALL
    modelled = [family.name for family in _MODELLED]
    if metric in (ALL, *modelled):
        chosen = pairs.setdefault("model", model or LITE)
        if chosen not in allowed_models():
            raise InputError(f"options: the model {chosen!r} cannot be chosen on this page; it has: {_there()}")
    elif "model" in pairs:
        raise InputError(
            f"options: model belongs to {' and '.join(modelled)}; choose that metric, or leave the model out"
        )
    check_length("measures", measures, MAX_OPTIONS)
    check_length("groups", groups, MAX_OPTIONS)
    level = Settings().level if level is None else level
    if not 0 < level < 1:
        raise InputError(f"level: {level:g} is not a level of an interval; give a number between 0 and 1, such as 0.95")
    named = tuple(split_list(_BETWEEN_MEASURES.sub(",", measures.strip()))) if measures.strip() else None
    return Choices(
        metric or None,
        tuple(f"{name}={value}" for name, value in pairs.items()),
        named and tuple(filter(None, named)),
        Settings(
            level=level, interval_method=check_choice("interval_method", interval_method, INTERVAL_METHODS), **numbers
        ),
        groups.strip(),
    )


_BETWEEN_MEASURES = re.compile(r"[\s;,]+(?![^(]*\))")  # outside brackets
_NUMBERS = {"n_resamples": MAX_RESAMPLES, "seed": 2**31 - 1}


@functools.cache
def _closed_options() -> frozenset[str]:
    """Options that fetch, run or move models: options that the page of a metric with a model does not leave to visitors."""
    closed: set[str] = set()
    for family in _MODELLED:
        _, options_class = family.load()
        closed |= {option.name for option in dataclasses.fields(options_class)} - {
            "model",
            *(family.page_options or ()),
        }
    return frozenset(closed)


def _pairs(text: str) -> dict[str, str]:
    text = (text or "").strip()
    check_length("options", text, MAX_OPTIONS)
    pairs: dict[str, str] = {}
    for line in filter(str.strip, text.splitlines()):
        name, _, value = (part.strip() for part in line.partition("="))
        if not value:
            raise InputError(f"options: {name!r} has no value; write key=value, one per line")
        if name in pairs:
            raise InputError(f"options: {name} is given twice; keep one of them")
        pairs[name] = value
    return pairs


def _check_option(name: str, value: str) -> None:
    if name in _closed_options():
        raise InputError(
            f"options: {name} cannot be chosen on this page, because it decides what its server fetches or runs; for "
            "that install qassay and use its command line"
        )
    if name == "k" and not all(
        _CUT_OFF.fullmatch(part) and int(part) <= MAX_VALUES_OF_ROW for part in split_list(value)
    ):
        raise InputError(
            f"options: k needs integers up to {MAX_VALUES_OF_ROW:,} separated by commas; got {value[:60]!r}"
        )
    if name == "labels" and value.isdigit():
        _whole(name, value, MAX_VALUES)
    if name == "extract" and value.startswith("regex:"):
        raise InputError(
            "options: a regular expression cannot be chosen on this page, because it can take seconds; for that install qassay and use "
            "its command line"
        )
    if name in _READS_FILES and not _NEEDS_NO_FILE.fullmatch(value):
        raise InputError(f"options: {name} needs numbers in the order of the labels, as in 3,0,7, or a dict {{1: 0.5}}")


_READS_FILES = frozenset(name for family in FAMILIES.values() for name in family.reading.file_options)


def _whole(name: str, text: str, most: int) -> int:
    if not re.fullmatch(r"\d{1,10}", text) or int(text) > most or (name == "n_resamples" and int(text) < 1):
        raise InputError(f"options: {name} needs an integer, at most {most:,} here; got {text[:20]!r}")
    return int(text)


def _there() -> str:
    return ", ".join(allowed_models())


def chosen_columns(values: Mapping[str, str | Sequence[str] | None]) -> Names:
    """Role -> column, for the chosen columns; several columns of gold answers as a list.

    Raises:
        InputError: a column with two roles. ValueError: as `column_names`.
    """
    given = {role: [columns] if isinstance(columns, str) else columns or [] for role, columns in values.items()}
    given = {role: [column.strip() for column in columns if column.strip()] for role, columns in given.items()}
    chosen = column_names({role: columns for role, columns in given.items() if columns})
    for role, columns in given.items():
        for column in columns:
            twice = next((other for other in chosen if other != role and column in given[other]), None)
            if twice:
                raise InputError(f"columns: {column!r} cannot be both {role} and {twice}; leave one of them empty")
    return chosen


def preset_choices() -> Sequence[tuple[str, str]]:
    """Label and value of the presets a visitor can choose; "" for none."""
    named = ((f"{name} ({metric})", name) for name, (metric, _) in all_presets().items())
    return [("none: the options below", ""), *named]


def metric_choices() -> Sequence[tuple[str, str]]:
    """Label and value of the metrics a visitor can choose; "" for the metric of the kind of file."""
    return [("by the kind of file", ""), *((name, name) for name in FAMILIES)]
