"""A result document in a few sentences for people who decide: which system is better, by how much, where, and how sure that is."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..core.columns import counted
from ..core.shown import first_names, visible
from ..core.text_tables import number_text
from .rows import CHANCE, Row, by_pair, difference_rows
from .tables import p_text, value_cell

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
        yield from _of_values(document, part)
    yield from _of_errors(document, part)


def _measure(part: Mapping[str, Any], name: str) -> Any:
    return next(one for one in part["measures"] if one["name"] == name)


def _of_values(document: Mapping[str, Any], part: Mapping[str, Any]) -> Iterator[str]:
    for system, cells in part["values"].items():
        main = [one["name"] for one in part["measures"] if one["main"] and one["name"] in cells]
        texts = []
        for name in main or filter(cells.__contains__, [part["leads"]]):
            measure = _measure(part, name)
            texts.append(f"{measure['title']} {value_cell({**measure, **cells[name]}, document['scale'])}")
        yield f"{system}: {', '.join(texts)}, on {counted(part['n'], document['examples_name'])}."


def _of_comparison(document: Mapping[str, Any], part: Mapping[str, Any]) -> Iterator[str]:
    """The verdict of each pair, then the groups of at least 30 examples in which a system is behind by more than chance."""
    for differences in by_pair(difference_rows({"parts": [part]}, requested=False)).values():
        of_all = [row for row in differences if row["slice"] is None]
        shown = next((row for row in of_all if row["measure"] == part["leads"]), of_all[0])
        yield _verdict(document, part, shown)
        in_slices = [row for row in differences if row["slice"] is not None and row["measure"] == shown["measure"]]
        sure = [row for row in in_slices if row["verdict"] in ("better", "worse") and row["n"] >= _FEW]
        for row in sorted(sure, key=lambda row: -abs(row["difference"]))[:_MOST]:
            behind = row["first"] if row["winner"] == row["second"] else row["second"]
            gap = number_text(abs(row["difference"]), row["is_rate"], document["scale"])
            n = counted(row["n"], document["examples_name"])
            yield f"In {row['slice']} = {row['label']}, {behind} is behind by {gap} on {n}."


def _verdict(document: Mapping[str, Any], part: Mapping[str, Any], row: Row) -> str:
    first, second, title = row["first"], row["second"], _measure(part, row["measure"])["title"]
    if not row["n"] or row["difference"] is None:
        return f"{first} and {second}: {title} applies to no example of both."
    texts = [number_text(value, row["is_rate"], document["scale"]) for value in row["values"]]
    counts = [row["worse"], row["better"]]
    better, other = first, second
    if row["winner"] != first:
        (better, other), texts, counts = (second, first), texts[::-1], counts[::-1]
    numbers = f"{title} {texts[0]} against {texts[1]} on {counted(row['n'], document['examples_name'])}"
    p = p_text(row["p_corrected"], row["at_most"])
    p = f"p {p}" if p.startswith("<") else f"p = {p}"
    if row["verdict"] == CHANCE:
        needed = row["n_needed"] or 0
        enough = ""
        if needed > row["n"]:
            enough = (
                f"; about {counted(needed, document['examples_name'])} are needed to detect a difference of this size"
            )
        return f"{better} and {other} do not differ significantly: {numbers}, which could be chance ({p}{enough})."
    verdict = f"{better} is better than {other}: {numbers} ({p})."
    if row["better"] is None:
        return verdict
    return f"{verdict} It is better on {counts[0]:,}, worse on {counts[1]:,} and equal on {row['equal']:,}."


def _of_errors(document: Mapping[str, Any], part: Mapping[str, Any]) -> Iterator[str]:
    """The most frequent kinds of errors of each system."""
    if part["kinds"] is None:
        return
    wrong = [kind["name"] for kind in part["kinds"]["order"] if not kind["right"]]
    for system in document["systems"][: _MOST + 1]:
        counts = part["kinds"]["counts"][system["name"]]
        most: Sequence[str] = sorted((kind for kind in wrong if counts[kind]), key=lambda kind: -counts[kind])[:_MOST]
        if most:
            yield f"Errors of {system['title']}: {', '.join(f'{kind} ({counts[kind]:,})' for kind in most)}."


def _of_board(document: Mapping[str, Any], part: Mapping[str, Any]) -> Iterator[str]:
    titles = {system["name"]: system["title"] for system in document["systems"]}
    for ranking in part["ranks"]:
        tied = [titles[of["system"]] for of in ranking["systems"] if of["tied_with_best"]]
        if tied:
            value = number_text(ranking["systems"][0]["value"], ranking["is_rate"], document["scale"])
            n = counted(ranking["n"], document["examples_name"])
            others = f"not significantly different from it: {first_names(tied[1:], _MOST)}"
            end = others if tied[1:] else "all others are worse"
            yield f"{tied[0]} leads by {_measure(part, ranking['measure'])['title']}, {value} on {n}; {end}."
