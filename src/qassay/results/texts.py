"""The largest losses and gains of a comparison with their texts, as lines for a terminal and for Markdown."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.shown import visible
from ..core.text_tables import ABSENT, number_text
from .writers import cut_text, escape_markdown, short_name

_WIDE = 0.75  # of the examples of the measure with most examples, from which on a measure may lead
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


class _Side(NamedTuple):
    """The gold answer of an example, or what a system answered: texts of one line."""

    name: str
    text: str
    value: str = ""
    kind: str = ""


def largest(document: Mapping[str, Any], n_texts: int) -> list[Largest]:
    """The losses, then the gains of each pair of systems and metric, by one measure."""
    found = []
    for part in document["parts"] if n_texts else ():
        if part["examples"]["gold"] is None:
            continue
        for pair in dict.fromkeys((one["first"], one["second"]) for one in part["comparisons"]):
            measure = _measure(part, pair)
            if measure is None:
                continue
            first, second = _values(part, measure, pair)
            lower = next(one["lower_is_better"] for one in part["measures"] if one["name"] == measure)
            gained = np.nan_to_num(first - second if lower else second - first)
            for what, gains in (("losses", -gained), ("gains", gained)):
                rows = [row for row in np.argsort(-gains, kind="stable").tolist() if gains[row] > _SLACK]
                if rows:
                    found.append(Largest(part, measure, pair, what, rows[:n_texts], len(rows)))
    return found


def _values(part: Mapping[str, Any], measure: str, pair: Sequence[str]) -> np.ndarray:
    systems = part["examples"]["systems"]
    return np.array([systems[system]["values"][measure] for system in pair], np.float64)


def _measure(part: Mapping[str, Any], pair: Sequence[str]) -> str | None:
    """The compared measure with the most distinct values per example; main measures come first.

    A measure of far fewer examples than another one comes later, and one without a difference.
    """
    compared = list(dict.fromkeys(one["measure"] for one in part["comparisons"]))
    main = {one["name"] for one in part["measures"] if one["main"]}
    of_examples = [part["examples"]["systems"][system]["values"] for system in pair]
    for names in (sorted(main.intersection(compared), key=[part["leads"], *compared].index), compared):
        values = {name: _values(part, name, pair) for name in names if all(name in of for of in of_examples)}
        if values:
            known = {name: np.isfinite(both).all(axis=0) for name, both in values.items()}
            fewest = _WIDE * max(int(of.sum()) for of in known.values())
            wide = [
                name
                for name, (first, second) in values.items()
                if known[name].sum() >= fewest and (first != second)[known[name]].any()
            ]
            return max(wide or values, key=lambda name: len(np.unique(values[name])))
    return None


def _sides(of: Largest, row: int, scale: int) -> Iterator[_Side]:
    examples = of.part["examples"]
    yield _Side("gold", " | ".join(examples["gold"][row] or ()) or ABSENT)
    for system in of.pair:
        columns = examples["systems"][system]
        answers = (columns["answers"] or {row: None})[row] or ()
        value, kinds = columns["values"][of.measure][row], columns["kinds"]
        yield _Side(
            system,
            " / ".join(answer or "(no answer)" for answer in answers) or ABSENT,
            ABSENT if value is None else number_text(float(value), True, scale),
            "" if kinds is None else f"  ({of.part['kinds']['order'][kinds[row]]['name']})",
        )


def _question(of: Largest, row: int) -> str:
    return (of.part["examples"]["question"] or {row: None})[row] or ""


def text_lines(document: Mapping[str, Any], n_texts: int, width: int) -> Iterator[str]:
    """The lines for a terminal."""
    for of in largest(document, n_texts):
        first, second = of.pair
        part = f" ({n_texts} of {of.total})" if of.total > n_texts else ""
        yield visible(f"largest {of.what} of {second} against {first}, {of.measure}{part}")
        names = [short_name(name) for name in ("gold", first, second)]
        wide = max(map(len, names))
        for row in of.rows:
            identifier = cut_text(str(of.part["examples"]["ids"][row]), width)
            yield f"  {identifier}  {cut_text(_question(of, row), max(20, width - len(identifier) - 4))}"
            for name, side in zip(names, _sides(of, row, document["scale"]), strict=True):
                room = max(20, width - wide - len(side.kind) - 15)
                yield f"    {name:<{wide}}  {side.value:>7}  {cut_text(side.text, room)}{side.kind}"
        yield ""


def markdown_lines(document: Mapping[str, Any], n_texts: int) -> Iterator[str]:
    """The lines for Markdown."""
    for of in largest(document, n_texts):
        yield f"**Largest {of.what} of {escape_markdown(f'{of.pair[1]}, {of.measure}')}**"
        yield ""
        for row in of.rows:
            question = _question(of, row)
            end = f": {escape_markdown(question)}" if question else ""
            yield f"- {escape_markdown(str(of.part['examples']['ids'][row]))}{end}"
            for side in _sides(of, row, document["scale"]):
                yield f"  - {escape_markdown(side.name)}: {escape_markdown(side.text)}"
        yield ""


def order_notes(document: Mapping[str, Any], n_texts: int) -> list[str]:
    """In which order examples show the answers of several runs."""
    shown = {system for of in largest(document, n_texts) for system in of.pair}
    return [
        f"examples show the answers of {system['name']} in the order of its runs: {', '.join(system['runs'])}"
        for system in document["systems"]
        if system["runs"] and system["name"] in shown
    ]
