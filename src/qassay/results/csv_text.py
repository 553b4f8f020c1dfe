"""A result document as CSV: a row per value, per difference, or per system of a ranking, with all digits."""

from collections.abc import Mapping
from typing import Any

from ..files.system_files import distinct_names
from .rows import difference_rows, rankings, run_rows, value_rows
from .writers import csv_text

# Head -> field of a row, where they differ.
_FIELDS = {"interval_method": "method", "p_value": "p", "p_adjusted": "p_corrected", "wins": "better", "ties": "equal", "losses": "worse"}  # fmt: skip
_VALUES = "system slice label measure n value low high interval_method n_groups few".split()
_RUNS = ["runs", "deviation", "lowest", "highest"]
_DIFFERENCES = (
    "slice label measure first second n left_out first_value first_low first_high second_value second_low second_high "
    "difference low high p_value p_adjusted test wins ties losses effect_size n_needed interval_method n_groups groups_needed cautions"
).split()
_BEFORE = "slice label measure rank rank_low rank_high system name link".split()
_AFTER = "value low high interval_method letters best_share n n_groups".split()


def csv_of_document(document: Mapping[str, Any]) -> str:
    """The numbers of a document as CSV; the slice is empty for all examples."""
    if document["kind"] == "leaderboard":
        return _board(document)
    if document["kind"] == "compare":
        rows = difference_rows(document)
        for row in rows:
            for which, value, (low, high) in zip(("first", "second"), row["values"], row["intervals"], strict=True):
                row |= {f"{which}_value": value, f"{which}_low": low, f"{which}_high": high}
            row["cautions"] = " ".join(row["cautions"])
        return csv_text(_DIFFERENCES, [_cells(row, _DIFFERENCES) for row in rows])
    spreads = {(row["system"], row["measure"]): row for row in run_rows(document)}
    n_runs = {system["name"]: len(system["runs"]) or 1 for system in document["systems"]}
    heads = [*_VALUES, *(_RUNS if spreads else ())]
    rows = value_rows(document)
    for row in rows:
        spread = spreads.get((row["system"], row["measure"]), {}) if row["slice"] is None else {}
        row |= {name: spread.get(name) for name in _RUNS}
        row |= {"few": "few" if row["few"] else "", "runs": n_runs[row["system"]]}
    return csv_text(heads, [_cells(row, heads) for row in rows])


def _cells(row: Mapping[str, Any], heads: list[str]) -> list[Any]:
    return [row.get(_FIELDS.get(head, head)) for head in heads]


def _board(document: Mapping[str, Any]) -> str:
    """A row per slice, measure and system, with p-values against each system."""
    (part,) = document["parts"]
    systems = {system["name"]: system for system in document["systems"]}
    facts, official = (
        dict.fromkeys(name for of in systems.values() for name in of[key]) for key in ("facts", "official")
    )
    notes = dict.fromkeys(name for system in systems for name in part["notes"].get(system, {}))
    after = [*_AFTER, *notes, *official, *(f"p against {system}" for system in systems)]
    heads = distinct_names([*_BEFORE, *after, *facts])  # facts come last, so no fact takes the name of another column
    n_before, n_others = len(_BEFORE), len(_BEFORE) + len(after)
    rows = []
    for slicing, label, ranking in rankings(document):
        names = [of["system"] for of in ranking["systems"]]
        for of, p_values in zip(ranking["systems"], ranking["p_values"], strict=True):
            system, counts = systems[of["system"]], part["notes"].get(of["system"], {})
            row = {"slice": slicing, "label": label, **ranking, **of, "name": system["title"], "link": system["link"]}
            row["rank_low"], row["rank_high"] = of["rank_interval"]
            p_of = dict(zip(names, p_values, strict=True))
            more = [
                *(counts.get(note, 0) for note in notes),
                *map(system["official"].get, official),
                *map(p_of.get, systems),
            ]
            rows.append([*_cells(row, _BEFORE), *map(system["facts"].get, facts), *_cells(row, _AFTER), *more])
    return csv_text([*heads[:n_before], *heads[n_others:], *heads[n_before:n_others]], rows)
