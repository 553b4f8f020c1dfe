"""The largest losses and gains of a comparison with their texts, as tables."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..core.text_tables import ABSENT, TextTable, number_text, text_table

_WIDE = 0.75  # of the examples of the measure with most examples, from which on a measure comes first
_SLACK = 1e-9  # of values that have 6 decimals


class Largest(NamedTuple):
    """The largest losses or gains of the second system of a pair.

    Attributes:
        what: "losses" or "gains".
        rows: example indices, the largest first.
        total: the number of all losses or gains.
    """

    part: Mapping[str, Any]
    measure: str
    pair: tuple[str, str]
    what: str
    rows: list[int]
    total: int


def largest(document: Mapping[str, Any], n_texts: int) -> list[Largest]:
    """The losses, then the gains of each pair of systems and metric, by one measure."""
    found = []
    for part in document["parts"] if n_texts else ():
        if part["examples"]["gold"] is None:
            continue
        for pair in dict.fromkeys((one["first"], one["second"]) for one in part["comparisons"]):
            measure, gained = _gains(part, pair)
            for what, gains in (("losses", -gained), ("gains", gained)):
                rows = [row for row in np.argsort(-gains, kind="stable").tolist() if gains[row] > _SLACK]
                if rows:
                    found.append(Largest(part, measure, pair, what, rows[:n_texts], len(rows)))
    return found


def _gains(part: Mapping[str, Any], pair: tuple[str, str]) -> tuple[str, np.ndarray]:
    """A compared measure, and how much better the second system is on each example.

    Of the main measures, else of all, it is the one with the most distinct values, or the first requested one if it has more than
    two; one by which no example differs, or of far fewer examples than another one, comes after the others.
    """
    systems = [part["examples"]["systems"][system]["values"] for system in pair]
    compared = {one["measure"] for one in part["comparisons"]}
    there = [one for one in part["measures"] if one["name"] in compared and all(one["name"] in of for of in systems)]
    there = [one for one in there if one["main"]] or there
    values = {one["name"]: np.array([of[one["name"]] for of in systems], np.float64) for one in there}
    gains = {
        one["name"]: np.nan_to_num(np.diff(values[one["name"]], axis=0)[0]) * (-1 if one["lower_is_better"] else 1)
        for one in there
    }
    sizes = {name: int(np.isfinite(both).all(axis=0).sum()) for name, both in values.items()}

    def key(name: str) -> tuple[bool, bool, int, bool]:
        is_wide, n_values, leads = (
            sizes[name] >= _WIDE * max(sizes.values()),
            len(np.unique(values[name])),
            part["leads"],
        )
        is_first = name == leads and part["requested"] and n_values > 2
        return is_wide and bool(gains[name].any()), is_first, n_values, name == leads

    measure = max(values, key=key, default="")
    return measure, gains.get(measure, np.zeros(0))


def largest_tables(document: Mapping[str, Any], n_texts: int) -> Iterator[TextTable]:
    """A table of the losses, and of the gains, of each pair and metric: the gold answer and the answers of both systems."""
    for of in largest(document, n_texts):
        examples = of.part["examples"]
        rows: list[list[str]] = []
        for row in of.rows:
            question = (examples["question"] or {row: None})[row]
            answers = [["question", "", question]] if question else []
            answers.append(["gold", "", " | ".join(examples["gold"][row] or ()) or ABSENT])
            for system in of.pair:
                columns = examples["systems"][system]
                value, kinds = columns["values"][of.measure][row], columns["kinds"]
                text = " / ".join(answer or "(no answer)" for answer in columns["answers"][row] or ()) or ABSENT
                kind = "" if kinds is None else f" ({of.part['kinds']['order'][kinds[row]]['name']})"
                number = ABSENT if value is None else number_text(float(value), True, document["scale"])
                answers.append([system, number, f"{text}{kind}"])
            rows += [[]] * bool(rows)
            rows += [[str(examples["ids"][row]) * (not index), *cells] for index, cells in enumerate(answers)]
        part = f" ({n_texts} of {of.total})" if of.total > n_texts else ""
        title = f"largest {of.what} of {of.pair[1]} against {of.pair[0]}, {of.measure}{part}"
        yield text_table([("example", "left"), ("", "left"), (of.measure, "left"), ("text", "text")], rows, title)


def order_notes(document: Mapping[str, Any], n_texts: int) -> list[str]:
    """In which order examples show the answers of several runs."""
    shown = {system for of in largest(document, n_texts) for system in of.pair}
    return [
        f"examples show the answers of {system['name']} in the order of its runs: {', '.join(system['runs'])}"
        for system in document["systems"]
        if system["runs"] and system["name"] in shown
    ]
