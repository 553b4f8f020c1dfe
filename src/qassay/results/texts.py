"""The largest losses and gains of a comparison with their texts, as tables."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..core.text_tables import ABSENT, TextTable, number_text, text_table

_SLACK = 1e-9  # of values that have 6 decimals


def gains_of(part: Mapping[str, Any], pair: tuple[str, str]) -> tuple[str, np.ndarray]:
    """A measure, and how much better the second system is on each example, (n,).

    The measure is the first requested one if an example differs by it, else the main one with the most distinct gains.
    """
    first, second = (part["examples"]["systems"][system]["values"] for system in pair)
    compared = {one["measure"] for one in part["comparisons"]} & first.keys() & second.keys()
    there = [one for one in part["measures"] if one["name"] in compared]
    gains = {}
    for one in [one for one in there if one["main"]] or there:
        name, sign = one["name"], -1 if one["lower_is_better"] else 1
        changes = np.array(second[name], np.float64) - np.array(first[name], np.float64)
        gains[name] = sign * np.nan_to_num(changes)

    def key(name: str) -> tuple[bool, int]:
        return part["requested"] and name == part["leads"] and bool(gains[name].any()), len(np.unique(gains[name]))

    measure = max(gains, key=key, default="")
    return measure, gains.get(measure, np.zeros(0))


def largest_tables(document: Mapping[str, Any], n_texts: int) -> Iterator[TextTable]:
    """A table of the losses, and of the gains, of each pair and metric: the gold answer and the answers of both systems."""
    for part in document["parts"] if n_texts else ():
        if part["examples"]["gold"] is None:
            continue
        for pair in dict.fromkeys((one["first"], one["second"]) for one in part["comparisons"]):
            measure, gained = gains_of(part, pair)
            for what, gains in (("losses", -gained), ("gains", gained)):
                order = [index for index in np.argsort(-gains, kind="stable").tolist() if gains[index] > _SLACK]
                rows: list[list[str]] = []
                for index in order[:n_texts]:
                    rows += [[]] * bool(rows)
                    rows += _example_rows(part, pair, measure, index, document["scale"])
                count = f" ({n_texts} of {len(order)})" if len(order) > n_texts else ""
                if rows:
                    heads = [("example", "left"), ("", "left"), (measure, "left"), ("text", "text")]
                    yield text_table(heads, rows, f"largest {what} of {pair[1]} against {pair[0]}, {measure}{count}")


def _example_rows(
    part: Mapping[str, Any], pair: tuple[str, str], measure: str, index: int, scale: int
) -> Iterator[list[str]]:
    """The question, the gold answer, and the answer of each system to an example; the first row has its id."""
    examples, name = part["examples"], str(part["examples"]["ids"][index])
    if examples["question"] and examples["question"][index]:
        yield [name, "question", "", examples["question"][index]]
        name = ""
    yield [name, "gold", "", " | ".join(examples["gold"][index] or ()) or ABSENT]
    for system in pair:
        columns = examples["systems"][system]
        value, kinds = columns["values"][measure][index], columns["kinds"]
        text = " / ".join(answer or "(no answer)" for answer in columns["answers"][index] or ()) or ABSENT
        kind = "" if kinds is None else f" ({part['kinds']['order'][kinds[index]]['name']})"
        yield ["", system, ABSENT if value is None else number_text(float(value), True, scale), f"{text}{kind}"]


def order_notes(document: Mapping[str, Any]) -> list[str]:
    """In which order examples show the answers of several runs."""
    return [
        f"examples show the answers of {system['name']} in the order of its runs: {', '.join(system['runs'])}"
        for system in document["systems"]
        if system["runs"]
    ]
