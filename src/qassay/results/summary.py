"""A result document in a few sentences for people who decide: what is better, by how much, where, and on what it rests."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..core.columns import counted
from ..core.shown import visible
from ..stats.difference import p_text
from .tables import Difference, by_pair, differences_of, number, sliced_differences

_WIDTH = 100  # characters of a line
_MOST = 3  # slices, kinds of errors and systems that are named
_FEW = 30  # examples of a slice below which it is not named


def summary(document: Mapping[str, Any]) -> str:
    """The summary as plain text, ending with a line break."""
    lines = []
    for part in document["parts"]:
        told = [part["metric"], *sentences(document, part)]
        lines += [piece for line in told for piece in textwrap.wrap(visible(line), _WIDTH)] + [""]
    lines += [f"Gold file: {document['gold']}."] if document["gold"] else []
    lines += [f"Command: {document['command']}"] if document["command"] else []
    return "\n".join([*map(visible, lines), *(part["signature"] for part in document["parts"])]) + "\n"


def sentences(document: Mapping[str, Any], part: Mapping[str, Any]) -> Iterator[str]:
    """What is better, by how much, where, and the most frequent errors of one metric."""
    if document["kind"] == "leaderboard":
        yield from _of_board(document, part)
    elif document["kind"] == "compare":
        yield from _of_comparison(document, part)
    else:
        for system in document["systems"]:
            yield _of_system(document, part, system["name"])
    yield from _of_errors(document, part)


def _title(part: Mapping[str, Any], measure: str) -> str:
    return str(next(one["title"] for one in part["measures"] if one["name"] == measure))


def _value(document: Mapping[str, Any], part: Mapping[str, Any], system: str, measure: str) -> str:
    """A value with its interval."""
    cell = part["values"][system][measure]
    is_rate = next(one["is_rate"] for one in part["measures"] if one["name"] == measure)
    ends = [number(cell[end], is_rate, document["scale"]) for end in ("low", "high")] if cell["low"] is not None else []
    return number(cell["value"], is_rate, document["scale"]) + (f" ({' to '.join(ends)})" if ends else "")


def _of_system(document: Mapping[str, Any], part: Mapping[str, Any], system: str) -> str:
    cells = part["values"][system]
    names = [one["name"] for one in part["measures"] if one["main"] and one["name"] in cells] or [part["leads"]]
    told = ", ".join(f"{_title(part, name)} {_value(document, part, system, name)}" for name in names if name in cells)
    return f"{system}: {told}, on {counted(part['n'], document['examples_name'])}."


def _of_comparison(document: Mapping[str, Any], part: Mapping[str, Any]) -> Iterator[str]:
    metric = {"parts": [part]}
    for differences in by_pair(differences_of(metric)).values():
        leading = [of for of in differences if of.one["measure"] == part["leads"]] or differences
        yield _verdict(document, part, leading[0])
        yield from _worst_slices(document, part, leading[0])


def _verdict(document: Mapping[str, Any], part: Mapping[str, Any], of: Difference) -> str:
    one = of.one
    pair = [one["first"], one["second"]]
    if not one["n"] or one["difference"] is None:
        return f"{pair[0]} and {pair[1]}: {_title(part, one['measure'])} applies to no example of both."
    better = of.better or pair[1]
    other = pair[0] if better == pair[1] else pair[1]
    values = dict(zip(pair, (number(value, of.is_rate, document["scale"]) for value in one["values"]), strict=True))
    told = f"{_title(part, one['measure'])} {values[better]} against {values[other]} on {counted(one['n'], document['examples_name'])}"
    p = p_text(one["p_corrected"], one["at_most"])
    p = f"p {p}" if p.startswith("<") else f"p = {p}"
    if one["significant"] and of.better:
        counts = "" if one["better"] is None else f" It is better on {_counts(one, better == pair[1])}."
        return f"{better} is better than {other}: {told} ({p}).{counts}"
    needed = (
        f"; about {one['n_needed']:,} would settle a difference of this size"
        if (one["n_needed"] or 0) > one["n"]
        else ""
    )
    return f"{better} and {other} cannot be told apart: {told}, which could be chance ({p}{needed})."


def _counts(one: Mapping[str, Any], is_second: bool) -> str:
    gains, losses = (one["better"], one["worse"]) if is_second else (one["worse"], one["better"])
    return f"{gains:,}, worse on {losses:,} and equal on {one['equal']:,}"


def _worst_slices(document: Mapping[str, Any], part: Mapping[str, Any], of: Difference) -> Iterator[str]:
    """The groups of at least 30 examples in which a system is behind by more than chance."""
    requested = {**part, "slices": [{**slicing, "requested": True} for slicing in part["slices"]]}
    found = []
    for name, labels in sliced_differences({"parts": [requested]}).items():
        for label, differences in labels.items():
            for one in differences:
                same = all(one.one[field] == of.one[field] for field in ("measure", "first", "second"))
                if same and one.one["significant"] and one.better and one.one["n"] >= _FEW:
                    found.append((abs(one.one["difference"]), name, label, one))
    for gap, name, label, one in sorted(found, key=lambda item: -item[0])[:_MOST]:
        behind = one.one["first"] if one.better == one.one["second"] else one.one["second"]
        shown = number(gap, one.is_rate, document["scale"])
        yield f"In {name} = {label}, {behind} is behind by {shown} on {counted(one.one['n'], document['examples_name'])}."


def _of_errors(document: Mapping[str, Any], part: Mapping[str, Any]) -> Iterator[str]:
    """The most frequent kinds of errors of each system."""
    if part["kinds"] is None:
        return
    titles = {system["name"]: system["title"] for system in document["systems"]}
    wrong = [kind["name"] for kind in part["kinds"]["order"] if not kind["right"]]
    for system, counts in list(part["kinds"]["counts"].items())[: _MOST + 1]:
        most: Sequence[str] = sorted((kind for kind in wrong if counts[kind]), key=lambda kind: -counts[kind])[:_MOST]
        if most:
            yield f"Errors of {titles[system]}: {', '.join(f'{kind} ({counts[kind]:,})' for kind in most)}."


def _of_board(document: Mapping[str, Any], part: Mapping[str, Any]) -> Iterator[str]:
    titles = {system["name"]: system["title"] for system in document["systems"]}
    for ranking in part["ranks"]:
        tied = [of["system"] for of in ranking["systems"] if of["tied_with_best"]]
        if not tied:
            continue
        first, *others = tied
        value = number(ranking["systems"][0]["value"], ranking["is_rate"], document["scale"])
        n = counted(ranking["n"], document["examples_name"])
        told = f"{titles[first]} leads by {_title(part, ranking['measure'])}, {value} on {n}"
        named = ", ".join(titles[name] for name in others[:_MOST])
        more = f" and {len(others) - _MOST} more" if len(others) > _MOST else ""
        yield (
            f"{told}; not to be told apart from it: {named}{more}."
            if others
            else f"{told}; all others are likely worse."
        )
