"""The largest losses and gains of a comparison with their texts, as lines for a terminal and for Markdown."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.shown import visible
from ..core.text_tables import ABSENT, number_text
from .writers import cut_text, escape_markdown, short_names

_WIDE = 0.75  # of the examples of the measure with most examples, from which on a measure may lead
_SLACK = 1e-9  # of values that have 6 decimals


class Largest(NamedTuple):
    """The largest losses or gains of the second system of a pair.

    Attributes:
        what: "losses" or "gains".
        places: example indices, the largest first.
        total: the number of all losses or gains.
    """

    part: Mapping[str, Any]
    measure: str
    pair: tuple[str, str]
    what: str
    places: list[int]
    total: int


def largest(document: Mapping[str, Any], n_texts: int) -> list[Largest]:
    """The losses, then the gains of each pair of systems and metric, by the measure that tells most of single examples."""
    found = []
    for part in document["parts"] if n_texts else ():
        if part["examples"]["gold"] is None:
            continue
        for pair in dict.fromkeys((one["first"], one["second"]) for one in part["comparisons"]):
            measure = _telling_measure(part, pair)
            if measure is None:
                continue
            first, second = _values(part, measure, pair)
            lower = next(one["lower_is_better"] for one in part["measures"] if one["name"] == measure)
            better = np.nan_to_num(first - second if lower else second - first)
            for what, order in (
                ("losses", np.argsort(better, kind="stable")),
                ("gains", np.argsort(-better, kind="stable")),
            ):
                is_so = better < -_SLACK if what == "losses" else better > _SLACK
                places = [place for place in order[:n_texts].tolist() if is_so[place]]
                if places:
                    found.append(Largest(part, measure, pair, what, places, int(is_so.sum())))
    return found


def _values(part: Mapping[str, Any], measure: str, pair: Sequence[str]) -> list[np.ndarray]:
    systems = part["examples"]["systems"]
    return [np.array(systems[system]["values"][measure], np.float64) for system in pair]


def _telling_measure(part: Mapping[str, Any], pair: Sequence[str]) -> str | None:
    """The compared measure with the most distinct values per example; main measures come first.

    A measure of far fewer examples than another one comes later, unless only its values differ between the systems.
    """
    there = list(dict.fromkeys(one["measure"] for one in part["comparisons"]))
    main = {one["name"] for one in part["measures"] if one["main"]}
    leading = sorted((name for name in there if name in main), key=lambda name: name != part["leads"])
    for names in (leading, there):
        systems = part["examples"]["systems"]
        values = {
            name: np.array(_values(part, name, pair))
            for name in names
            if all(name in systems[system]["values"] for system in pair)
        }
        if not values:
            continue
        measured = {name: np.isfinite(both).all(axis=0) for name, both in values.items()}
        fewest = _WIDE * max(int(known.sum()) for known in measured.values())
        wide = [
            name
            for name, (first, second) in values.items()
            if measured[name].sum() >= fewest and (first != second)[measured[name]].any()
        ]
        return max(wide or values, key=lambda name: len(np.unique(values[name])))
    return None


def _sides(of: Largest, place: int) -> Iterator[tuple[str, str]]:
    """The gold answer and the answers of both systems, by name, each in one line."""
    examples = of.part["examples"]
    yield "gold", " | ".join(examples["gold"][place] or ()) or ABSENT
    for system in of.pair:
        answers = (examples["systems"][system]["answers"] or {place: None})[place] or ()
        yield system, " / ".join(answer or "(no answer)" for answer in answers) or ABSENT


def text_lines(document: Mapping[str, Any], n_texts: int, width: int) -> Iterator[str]:
    """The lines for a terminal."""
    for of in largest(document, n_texts):
        first, second = of.pair
        part = f" ({n_texts} of {of.total})" if of.total > n_texts else ""
        yield visible(f"largest {of.what} of {second} against {first}, {of.measure}{part}")
        names = short_names(["gold", first, second])
        wide, examples = max(map(len, names)), of.part["examples"]
        for place in of.places:
            identifier = cut_text(str(examples["ids"][place]), width)
            asked = (examples["question"] or {place: None})[place] or ""
            yield f"  {identifier}  {cut_text(asked, max(20, width - len(identifier) - 4))}"
            values = ["", *(_value(of, system, place, document["scale"]) for system in of.pair)]
            kinds = ["", *(_kind(of, system, place) for system in of.pair)]
            for name, (_, text), value, kind in zip(names, _sides(of, place), values, kinds, strict=True):
                room = max(20, width - wide - len(kind) - 15)
                yield f"    {name:<{wide}}  {value:>7}  {cut_text(text, room)}{kind}"
        yield ""


def _value(of: Largest, system: str, place: int, scale: int) -> str:
    value = of.part["examples"]["systems"][system]["values"][of.measure][place]
    return ABSENT if value is None else number_text(float(value), True, scale)


def _kind(of: Largest, system: str, place: int) -> str:
    codes = of.part["examples"]["systems"][system]["kinds"]
    return "" if codes is None else f"  ({of.part['kinds']['order'][codes[place]]['name']})"


def markdown_lines(document: Mapping[str, Any], n_texts: int) -> Iterator[str]:
    """The lines for Markdown."""
    for of in largest(document, n_texts):
        yield f"**Largest {of.what} of {escape_markdown(f'{of.pair[1]}, {of.measure}')}**"
        yield ""
        examples = of.part["examples"]
        for place in of.places:
            asked = (examples["question"] or {place: None})[place]
            yield f"- {escape_markdown(str(examples['ids'][place]))}{f': {escape_markdown(asked)}' if asked else ''}"
            for name, text in _sides(of, place):
                yield f"  - {escape_markdown(name)}: {escape_markdown(text)}"
        yield ""


def order_notes(document: Mapping[str, Any], n_texts: int) -> list[str]:
    """In which order examples show the answers of several runs."""
    shown = {system for of in largest(document, n_texts) for system in of.pair}
    return [
        f"examples show the answers of {system['name']} in the order of its runs: {', '.join(system['runs'])}"
        for system in document["systems"]
        if system["runs"] and system["name"] in shown
    ]
