"""A result document as CSV: a row per value, per difference, or per system of a ranking, with all digits."""

from collections.abc import Iterator, Mapping
from typing import Any

from ..files.system_files import distinct_names
from .tables import Cells, differences_of, numbers_of, runs_of, sliced_differences
from .writers import csv_text

_VALUES = ("system", "slice", "label", "measure", "n", "value", "low", "high", "interval_method", "n_groups", "few")
_RUNS = ("runs", "deviation", "lowest", "highest")
_DIFFERENCES = (
    "slice label measure first second n left_out first_value first_low first_high second_value second_low second_high "
    "difference low high p_value p_adjusted test wins ties losses effect_size n_needed interval_method n_groups groups_needed cautions"
).split()
_BEFORE = ["slice", "label", "measure", "rank", "rank_low", "rank_high", "system", "name", "link"]
_AFTER = ["value", "low", "high", "interval_method", "letters", "best_share", "n", "n_groups"]


def csv_of_document(document: Mapping[str, Any]) -> str:
    """The numbers of a document as CSV; the slice is empty for all examples."""
    if document["kind"] == "leaderboard":
        return _board(document)
    return _comparisons(document) if document["kind"] == "compare" else _values(document)


def _values(document: Mapping[str, Any]) -> str:
    numbers = numbers_of(document)
    spreads = {(system, measure): spread for system, measure, spread in runs_of(document)}
    n_runs = {system["name"]: len(system["runs"]) or 1 for system in document["systems"]}
    rows = []
    for name, label, by_system in _places(numbers.systems, numbers.slices):
        for system, cells in by_system.items():
            for measure, cell in cells.items():
                row = [
                    system,
                    name,
                    label,
                    measure,
                    cell["n"],
                    cell["value"],
                    cell["low"],
                    cell["high"],
                    cell["method"],
                ]
                row += [cell.get("n_groups"), "few" if cell["few"] else ""]
                if spreads:
                    spread = spreads.get((system, measure)) if name is None else None
                    row += [n_runs[system], *(spread[field] if spread else "" for field in _RUNS[1:])]
                rows.append(row)
    return csv_text([*_VALUES, *(_RUNS if spreads else ())], rows)


def _places(
    systems: Cells, slices: Mapping[str, Mapping[str, Cells]]
) -> Iterator[tuple[str | None, str | None, Cells]]:
    yield None, None, systems
    for name, labels in slices.items():
        for label, by_system in labels.items():
            yield name, label, by_system


def _comparisons(document: Mapping[str, Any]) -> str:
    places: list[tuple[str | None, str | None, Any]] = [(None, None, of) for of in differences_of(document)]
    places += [
        (name, label, of)
        for name, labels in sliced_differences(document).items()
        for label, differences in labels.items()
        for of in differences
    ]
    rows = []
    for name, label, difference in places:
        one = difference.one
        (a, b), (of_a, of_b) = one["values"], one["intervals"]
        row = [name, label, one["measure"], one["first"], one["second"], one["n"], one["left_out"], a, *of_a, b, *of_b]
        row += [one["difference"], one["low"], one["high"], one["p"], one["p_corrected"], one["test"], one["better"]]
        row += [one["equal"], one["worse"], one["effect_size"], one["n_needed"], one["method"], one["n_groups"]]
        rows.append([*row, one["groups_needed"], " ".join(one["cautions"])])
    return csv_text(_DIFFERENCES, rows)


def _board(document: Mapping[str, Any]) -> str:
    """A row per slice, measure and system, with p-values against each system."""
    (part,) = document["parts"]
    systems = {system["name"]: system for system in document["systems"]}
    facts, official = (
        list(dict.fromkeys(name for system in systems.values() for name in system[field]))
        for field in ("facts", "official")
    )
    counts = {system: part["notes"].get(system, {}) for system in systems}
    notes = list(dict.fromkeys(name for of in counts.values() for name in of))
    after = [*_AFTER, *notes, *official, *(f"p against {system}" for system in systems)]
    head = distinct_names([*_BEFORE, *after, *facts])  # facts come last, so no fact takes the name of another column
    n_before, n_facts = len(_BEFORE), len(facts)
    head = [*head[:n_before], *head[len(head) - n_facts :], *head[n_before : len(head) - n_facts]]
    rows = []
    for name, label, ranking in _rankings(part):
        names = [of["system"] for of in ranking["systems"]]
        for of, p_values in zip(ranking["systems"], ranking["p_values"], strict=True):
            system, p_of = systems[of["system"]], dict(zip(names, p_values, strict=True))
            row = [name, label, ranking["measure"], of["rank"], *of["rank_interval"], of["system"]]
            row += [system["title"], system["link"], *(system["facts"].get(fact) for fact in facts)]
            row += [of["value"], of["low"], of["high"], of["method"], of["letters"], of["best_share"]]
            row += [ranking["n"], ranking["n_groups"], *(counts[of["system"]].get(note, 0) for note in notes)]
            rows.append([*row, *(system["official"].get(key) for key in official), *(p_of.get(key) for key in systems)])
    return csv_text(head, rows)


def _rankings(part: Mapping[str, Any]) -> Iterator[tuple[str | None, str | None, Mapping[str, Any]]]:
    for ranking in part["ranks"]:
        yield None, None, ranking
    for slicing in part["slices"]:
        for label, rankings in zip(slicing["labels"], slicing["ranks"], strict=True):
            for ranking in rankings:
                yield slicing["name"], label, ranking
