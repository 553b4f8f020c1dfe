"""Rows against the features of `datasets` that a metric declares: every row, with its index in the error.

The features are recognised by their attributes, so that nothing has to be imported for them.
"""

import itertools
from typing import Any

from .shown import describe

_SCALAR_TYPES = {"string": str, "large_string": str, "int": int, "uint": int, "float": float, "bool": bool}


def fit_features(columns: dict[str, list], alternatives: list[dict[str, Any]]) -> tuple[dict[str, list], list[dict]]:
    """Columns as plain Python values of the first alternative that fits all their rows.

    Args:
        columns: name -> list with one entry per example.
        alternatives: mappings from name to feature: `Value` and `ClassLabel` of strings, numbers and bools, lists and
            dicts of features, a tuple of scalar features (either type, row by row), or None for rows of any kind.
            numpy scalars, arrays, tensors and tuples inside rows are converted; a bool is not a number; whole numbers
            are welcome where the feature is a float.

    Returns:
        The columns, the same lists where nothing had to be converted, and the alternatives that fit.

    Raises:
        TypeError: no alternative fits; the message is that of the one that got furthest.

    >>> import datasets
    >>> text = datasets.Value("string")
    >>> fit_features({"references": [["a"], ("b", "c")]}, [{"references": text}, {"references": [text]}])[0]
    {'references': [['a'], ['b', 'c']]}
    >>> fit_features({"references": [["a"], "b"]}, [{"references": text}, {"references": [text]}])
    Traceback (most recent call last):
    TypeError: references[1] must be a list, got str: 'b'
    """
    fits, first, best, message = [], None, (), ""
    for features in alternatives:
        fitted = {}
        for name, rows in columns.items():
            try:
                fitted[name] = _fit_column(rows, features[name])
            except _Misfit as err:
                reached = (len(fitted), *(step for step in err.path if isinstance(step, int)))
                if reached > best:
                    steps = "".join(f"[{step!r}]" for step in err.path)
                    best, message = reached, f"{name}{steps} {err.problem}"
                break
        else:
            fits.append(features)
            first = fitted if first is None else first
    if first is None:
        raise TypeError(message)
    return first, fits


class _Misfit(Exception):
    """A value that does not fit its feature: where it is below the column, and what is wrong."""

    def __init__(self, path: tuple, problem: str):
        self.path, self.problem = path, problem

    @classmethod
    def of(cls, index: int, wanted: str, value: Any) -> "_Misfit":
        return cls((index,), f"must be {wanted}, got {describe(value)}")

    def below(self, *path) -> "_Misfit":
        """The same misfit seen from one level up: `path` replaces the first step."""
        return _Misfit(path + self.path[1:], self.problem)


def _scalar_types(feature: Any) -> tuple[type, ...]:
    """Python types a scalar feature accepts; a tuple of features accepts the types of each."""
    if isinstance(feature, tuple):
        return tuple(itertools.chain.from_iterable(map(_scalar_types, feature)))
    if type(feature).__name__ in ("Value", "ClassLabel"):
        for prefix, kind in _SCALAR_TYPES.items():
            if feature.dtype.startswith(prefix):
                return (kind,)
    raise TypeError(f"rows of the feature {feature!r} cannot be checked; use strings, numbers, bools, lists and dicts")


def _fit_scalars(rows: list, kinds: tuple[type, ...]) -> list:
    if set(map(type, rows)) <= set(kinds):
        return rows
    wanted, fitted = " or ".join(kind.__name__ for kind in kinds), []
    for index, row in enumerate(rows):
        value = row.tolist() if hasattr(row, "tolist") else row  # numpy scalars and tensors without dimensions
        if isinstance(value, bool):  # a bool is an int for Python, never for a metric
            fits = bool in kinds
        else:
            fits = isinstance(value, kinds) or float in kinds and isinstance(value, int)
        if not fits:
            raise _Misfit.of(index, wanted, row)
        if isinstance(value, int) and not isinstance(value, bool) and int not in kinds:
            try:
                value = float(value)
            except OverflowError:
                raise _Misfit.of(index, "float", row) from None
        fitted.append(value)
    return fitted


def _fit_lists(rows: list, inner: Any, length: int) -> list:
    if set(map(type, rows)) - {list}:
        rows = [_list_of(row, index) for index, row in enumerate(rows)]
    for index, row in enumerate(rows if length >= 0 else ()):
        if len(row) != length:
            raise _Misfit((index,), f"must have {length} entries, got {len(row)}")
    values = itertools.chain.from_iterable(rows)
    if type(inner).__name__ == "Value" and set(map(type, values)) <= set(_scalar_types(inner)):
        return rows  # without a list of all values
    flat = list(itertools.chain.from_iterable(rows))
    try:
        fitted = _fit_column(flat, inner)
    except _Misfit as err:
        position = err.path[0]
        for index, row in enumerate(rows):
            if position < len(row):
                break
            position -= len(row)
        raise err.below(index, position) from None
    if fitted is flat:
        return rows
    values = iter(fitted)
    return [list(itertools.islice(values, len(row))) for row in rows]


def _list_of(row: Any, index: int) -> list:
    value = list(row) if isinstance(row, tuple) else row.tolist() if hasattr(row, "tolist") else row
    if not isinstance(value, list):
        raise _Misfit.of(index, "a list", row)
    return value


def _fit_dicts(rows: list, features: dict) -> list:
    keys = features.keys()
    for index, row in enumerate(rows):
        if not isinstance(row, dict):
            raise _Misfit.of(index, f"a dict with the keys {', '.join(keys)}", row)
        if row.keys() != keys:
            missing, surplus = keys - row.keys(), row.keys() - keys
            problem = f"lacks the key {min(missing)!r}" if missing else f"has the unknown key {min(surplus, key=str)!r}"
            raise _Misfit((index,), f"{problem}; its keys must be {', '.join(keys)}")
    given = {key: [row[key] for row in rows] for key in features}
    fitted = {}
    for key, feature in features.items():
        try:
            fitted[key] = _fit_column(given[key], feature)
        except _Misfit as err:
            raise err.below(err.path[0], key) from None
    if all(fitted[key] is given[key] for key in features):
        return rows
    return [dict(zip(fitted, values)) for values in zip(*fitted.values())]


def _fit_column(rows: list, feature: Any) -> list:
    """The rows as plain Python values of the feature: the same list where nothing had to be converted."""
    if feature is None:
        return rows
    if isinstance(feature, dict):
        return _fit_dicts(rows, feature)
    if isinstance(feature, list):
        return _fit_lists(rows, feature[0], -1)
    if hasattr(feature, "feature"):
        return _fit_lists(rows, feature.feature, getattr(feature, "length", -1))
    return _fit_scalars(rows, _scalar_types(feature))
