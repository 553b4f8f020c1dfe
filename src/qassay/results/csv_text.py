"""A result document as CSV: a row per value, per difference, or per system of a ranking, with all digits."""

from collections.abc import Mapping
from typing import Any

from ..files.system_files import distinct_names
from .rows import Row, difference_rows, rankings, run_rows, value_rows
from .writers import csv_text

# Head -> field of a row, where they differ.
_FIELDS = {"interval_method": "method", "p_value": "p", "p_adjusted": "p_corrected", "wins": "better", "ties": "equal", "losses": "worse"}  # fmt: skip
_VALUES = ["system", "slice", "label", "measure", "n", "value", "low", "high", "interval_method", "n_groups", "few"]
_RUNS = ["runs", "deviation", "lowest", "highest"]
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
    if document["kind"] == "score":
        return _values(document)
    rows = difference_rows(document)
    for row in rows:
        for which, value, (low, high) in zip(("first", "second"), row["values"], row["intervals"], strict=True):
            row |= {f"{which}_value": value, f"{which}_low": low, f"{which}_high": high}
        row["cautions"] = " ".join(row["cautions"])
    return csv_text(_DIFFERENCES, [_cells(row, _DIFFERENCES) for row in rows])


def _cells(row: Mapping[str, Any], heads: list[str]) -> list[Any]:
    return [row.get(_FIELDS.get(head, head)) for head in heads]


def _values(document: Mapping[str, Any]) -> str:
    spreads = {(None, row["system"], row["measure"]): row for row in run_rows(document)}
    n_runs = {system["name"]: len(system["runs"]) or 1 for system in document["systems"]}
    heads = [*_VALUES, *(_RUNS if spreads else ())]
    rows = []
    for row in value_rows(document):
        spread = spreads.get((row["slice"], row["system"], row["measure"]), {})
        few = "few" if row["few"] else ""
        rows.append({**row, "few": few, **{name: spread.get(name) for name in _RUNS}, "runs": n_runs[row["system"]]})
    return csv_text(heads, [_cells(row, heads) for row in rows])


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
    heads = distinct_names([*_BEFORE, *after, *facts])  # facts come last, so no fact takes the name of another column
    n_before, n_facts = len(_BEFORE), len(facts)
    heads = [*heads[:n_before], *heads[len(heads) - n_facts :], *heads[n_before : len(heads) - n_facts]]
    rows = []
    for slicing, label, ranking in rankings(document):
        names = [of["system"] for of in ranking["systems"]]
        for of, p_values in zip(ranking["systems"], ranking["p_values"], strict=True):
            system, p_of = systems[of["system"]], dict(zip(names, p_values, strict=True))
            row: Row = {
                "slice": slicing,
                "label": label,
                **ranking,
                **of,
                "name": system["title"],
                "link": system["link"],
            }
            row["rank_low"], row["rank_high"] = of["rank_interval"]
            cells = [*_cells(row, _BEFORE), *(system["facts"].get(fact) for fact in facts), *_cells(row, _AFTER)]
            cells += [*(counts[of["system"]].get(note, 0) for note in notes)]
            rows.append(
                [*cells, *(system["official"].get(key) for key in official), *(p_of.get(key) for key in systems)]
            )
    return csv_text(heads, rows)
