"""The numbers of a result document as rows, of all metrics together: values, runs, differences and ranks."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Row = dict[str, Any]
CHANCE = "could be chance"  # the verdict on a difference that is not significant


def value_rows(document: Mapping[str, Any]) -> list[Row]:
    """A row per slice, label, system, metric and measure that is shown: the fields of a value, and `is_rate`.

    Slice and label are None over all examples.
    """
    return _grouped((row for part in document["parts"] for row in _values_of_part(part)), "slice", "label", "system")


def _values_of_part(part: Mapping[str, Any]) -> Iterator[Row]:
    """The values of a metric."""
    measures = {one["name"]: one for one in part["measures"]}
    tables: list[tuple[str | None, str | None, Any]] = [(None, None, part["values"])]
    tables += [(slicing["name"], label, slicing["values"][index]) for slicing, index, label in _labels(part)]
    for of_slice, label, values in tables:
        for system, of in values.items():
            for measure, cell in of.items():
                if measures[measure]["shown"] or of_slice is not None:
                    where = {"slice": of_slice, "label": label, "system": system, "measure": measure}
                    yield {**where, "metric": part["metric"], "is_rate": measures[measure]["is_rate"], **cell}


def _labels(part: Mapping[str, Any], requested: bool = True) -> Iterator[tuple[Mapping[str, Any], int, str]]:
    """The slicings of a metric, requested ones or all, with each index and label."""
    for slicing in part["slices"]:
        if slicing["requested"] or not requested:
            for index, label in enumerate(slicing["labels"]):
                yield slicing, index, label


def _grouped(rows: Iterable[Row], *fields: str) -> list[Row]:
    """The rows with equal values of the first field together, within them those of the second, in order of appearance."""
    if not fields:
        return list(rows)
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(row[fields[0]], []).append(row)
    return [row for group in groups.values() for row in _grouped(group, *fields[1:])]


def run_rows(document: Mapping[str, Any]) -> list[Row]:
    """A row per system with several runs and shown measure: how its runs differ."""
    return [
        {"system": system["name"], "measure": one["name"], **part["runs"][system["name"]][one["name"]]}
        for system in document["systems"]
        for part in document["parts"]
        for one in part["measures"]
        if one["shown"] and one["name"] in part["runs"].get(system["name"], ())
    ]


def difference_rows(document: Mapping[str, Any], requested: bool = True) -> list[Row]:
    """A row per slice, label and comparison: its fields, `is_rate` and `lower_is_better`.

    `winner` is the system with the better value, None if values are equal or absent. `verdict` says what the second system
    is: "better", "worse", or "could be chance"; None where no example has a value.

    Args:
        requested: of slicings, the requested ones; False: all.
    """
    rows = []
    for part in document["parts"]:
        measures = {one["name"]: one for one in part["measures"]}
        found = [{"slice": None, "label": None, "metric": part["metric"], **one} for one in part["comparisons"]]
        found += [
            {"slice": slicing["name"], "label": label, "metric": part["metric"], **one}
            for slicing, index, label in _labels(part, requested)
            for one in slicing["comparisons"][index]
        ]
        for row in found:
            row |= {name: measures[row["measure"]][name] for name in ("is_rate", "lower_is_better")}
            second_wins = ((row["difference"] or 0) > 0) != row["lower_is_better"]
            row["winner"] = row["second" if second_wins else "first"] if row["difference"] else None
            verdict = ("better" if second_wins else "worse") if row["significant"] and row["winner"] else CHANCE
            row["verdict"] = verdict if row["n"] else None
        rows += found
    return _grouped(rows, "slice", "label")


def by_pair(differences: Iterable[Row]) -> dict[tuple[str, str], list[Row]]:
    """The differences of each pair of systems."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in differences:
        groups.setdefault((row["first"], row["second"]), []).append(row)
    return groups


def rankings(document: Mapping[str, Any]) -> Iterator[tuple[str | None, str | None, Mapping[str, Any]]]:
    """Slice, label and ranking; slice and label are None over all examples."""
    for part in document["parts"]:
        for ranking in part["ranks"]:
            yield None, None, ranking
        for slicing in part["slices"]:
            for label, of_label in zip(slicing["labels"], slicing["ranks"], strict=True):
                for ranking in of_label:
                    yield slicing["name"], label, ranking
