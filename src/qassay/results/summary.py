"""A result document in a few sentences for people who decide: what is better, by how much, where, and on what it rests."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..core.columns import counted
from ..core.shown import visible
from .rows import Row, by_pair, difference_rows
from .tables import number, p_text

_WIDTH = 100  # characters of a line
_MOST = 3  # slices, kinds of errors and systems that are named
_FEW = 30  # examples of a slice below which it is not named


def summary(document: Mapping[str, Any]) -> str:
    """The summary as plain text, ending with a line break."""
    lines = []
    for part in document["parts"]:
        text = [part["metric"], *sentences(document, part)]
        lines += [piece for line in text for piece in textwrap.wrap(visible(line), _WIDTH)] + [""]
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
    values = ", ".join(
        f"{_title(part, name)} {_value(document, part, system, name)}" for name in names if name in cells
    )
    return f"{system}: {values}, on {counted(part['n'], document['examples_name'])}."


def _of_comparison(document: Mapping[str, Any], part: Mapping[str, Any]) -> Iterator[str]:
    rows = difference_rows({"parts": [part]}, requested=False)
    for differences in by_pair(row for row in rows if row["slice"] is None).values():
        row = next((row for row in differences if row["measure"] == part["leads"]), differences[0])
        yield _verdict(document, part, row)
        same = [of for of in rows if all(of[name] == row[name] for name in ("measure", "first", "second"))]
        yield from _worst_slices(document, [of for of in same if of["slice"] is not None])


def _verdict(document: Mapping[str, Any], part: Mapping[str, Any], row: Row) -> str:
    pair, title = [row["first"], row["second"]], _title(part, row["measure"])
    if not row["n"] or row["difference"] is None:
        return f"{pair[0]} and {pair[1]}: {title} applies to no example of both."
    better = row["winner"] or pair[1]
    other = pair[0] if better == pair[1] else pair[1]
    values = dict(zip(pair, (number(value, row["is_rate"], document["scale"]) for value in row["values"]), strict=True))
    numbers = f"{title} {values[better]} against {values[other]} on {counted(row['n'], document['examples_name'])}"
    p = p_text(row["p_corrected"], row["at_most"])
    p = f"p {p}" if p.startswith("<") else f"p = {p}"
    if row["verdict"]:
        gains, losses = (row["better"], row["worse"])[:: 1 if better == pair[1] else -1]
        counts = (
            f" It is better on {gains:,}, worse on {losses:,} and equal on {row['equal']:,}."
            if gains is not None
            else ""
        )
        return f"{better} is better than {other}: {numbers} ({p}).{counts}"
    needed = row["n_needed"] or 0
    enough = f"; about {needed:,} would settle a difference of this size" if needed > row["n"] else ""
    return f"{better} and {other} do not differ significantly: {numbers}, which could be chance ({p}{enough})."


def _worst_slices(document: Mapping[str, Any], rows: Sequence[Row]) -> Iterator[str]:
    """The groups of at least 30 examples in which a system is behind by more than chance."""
    sure = [row for row in rows if row["verdict"] and row["n"] >= _FEW]
    for row in sorted(sure, key=lambda row: -abs(row["difference"]))[:_MOST]:
        behind = row["first"] if row["winner"] == row["second"] else row["second"]
        gap = number(abs(row["difference"]), row["is_rate"], document["scale"])
        n = counted(row["n"], document["examples_name"])
        yield f"In {row['slice']} = {row['label']}, {behind} is behind by {gap} on {n}."


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
        lead = f"{titles[first]} leads by {_title(part, ranking['measure'])}, {value} on {n}"
        named = ", ".join(titles[name] for name in others[:_MOST])
        more = f" and {len(others) - _MOST} more" if len(others) > _MOST else ""
        yield (
            f"{lead}; not significantly different from it: {named}{more}."
            if others
            else f"{lead}; all others are likely worse."
        )
