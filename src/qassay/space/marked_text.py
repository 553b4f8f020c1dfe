"""A passage of text in which gold answers and answers of systems are marked."""

import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..reports.chart_parts import escaped
from ..reports.html_parts import focus, isolated
from ..reports.palette import system_class

MOST_CHARACTERS = 20_000  # of a text that are shown
_LINES = 3  # kinds of underlines


class Passage(NamedTuple):
    """A text that occurs in another.

    Attributes:
        text: as written there.
        start: where, counted in characters; None if unknown.
    """

    text: str
    start: int | None = None


def find_passage(context: str, passage: Passage, near: Sequence[tuple[int, int]] = ()) -> tuple[int, int] | None:
    """Where a passage occurs: at its own offset if that is right, else where it overlaps one of `near`, else the first.

    Upper and lower case are distinguished only if it occurs exactly.

    Returns:
        Start and end (exclusive), or None.

    Example:
        >>> find_passage("a cat, a dog, a cat", Passage("cat", 16)), find_passage("A cat", Passage("a CAT"))
        ((16, 19), (0, 5))
        >>> find_passage("cat cat", Passage("cat"), near=[(4, 7)])
        (4, 7)
    """
    text, start = passage
    size = len(text)
    if not text.strip():
        return None
    if isinstance(start, int) and start >= 0 and context[start : start + size] == text:
        return start, start + size
    for low, high in near:
        at = context.find(text, max(low - size + 1, 0), high + size - 1)
        if at >= 0:
            return at, at + size
    at = context.find(text)
    if at < 0 and len(context.lower()) == len(context) and len(text.lower()) == size:  # else offsets would not fit
        at = context.lower().find(text.lower())
    return None if at < 0 else (at, at + size)


def marked_passages(context: str, golds: Sequence[Passage], said: Mapping[str, Sequence[str]]) -> str:
    """A text as HTML in a scrolling box, gold answers highlighted, answers underlined, and a key.

    Args:
        context: any text; of a very long text the part around the first gold answer.
        golds: gold answers that are not in the text are omitted.
        said: system -> its answers.

    Returns:
        HTML, everything escaped.

    Example:
        >>> '<mark class="gold">Paris</mark> or' in marked_passages("Paris or Rome", [Passage("Paris")], {})
        True
    """
    right = [span for span in (find_passage(context, gold) for gold in golds) if span]
    told: dict[tuple[tuple[int, int], ...], list[str]] = {}
    for system, texts in said.items():
        spans = [span for span in (find_passage(context, Passage(text), right) for text in texts) if span]
        if spans:
            told.setdefault(tuple(sorted({*spans})), []).append(system)
    lines = _lines(list(told.values()), list(said))
    low, high = _window(len(context), right)
    edges = {low, high, *(edge for spans in (right, *told) for span in spans for edge in span)}
    edges = sorted(edge for edge in edges if low <= edge <= high)
    parts, inside = [], False
    for start, end in itertools.pairwise(edges):
        is_gold = _covers(right, start)
        if is_gold != inside:
            parts.append('<mark class="gold">' if is_gold else "</mark>")
            inside = is_gold
        piece = escaped(context[start:end])
        for line, (spans, systems) in zip(lines, told.items(), strict=True):
            if _covers(spans, start):
                piece = f'<span class="{line}" title="{escaped(", ".join(systems))}">{piece}</span>'
        parts.append(piece)
    body = "".join(parts) + ("</mark>" if inside else "")
    cut = ("[…] " if low else "", " […]" if high < len(context) else "")
    key = _key(
        bool(right), bool(any(gold.text.strip() for gold in golds)), list(zip(lines, told.values(), strict=True))
    )
    return f'<div class="text passage" dir="auto"{focus(context)}>{cut[0]}{body}{cut[1]}</div>{key}'


def _window(size: int, right: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The part of a long text that is shown."""
    middle = right[0][0] if right else 0
    low = max(0, min(middle - MOST_CHARACTERS // 2, size - MOST_CHARACTERS))
    return low, min(size, low + MOST_CHARACTERS)


def _covers(spans: Sequence[tuple[int, int]], place: int) -> bool:
    return any(start <= place < end for start, end in spans)


def _lines(told: Sequence[Sequence[str]], all_systems: Sequence[str]) -> list[str]:
    """The classes of the underline of each answer, by the systems that gave it: one system's has its colour, a common one has
    the colour of the text.
    """
    common = [systems for systems in told if len(systems) > 1]
    return [
        f"said said{common.index(systems) % _LINES}"
        if systems in common
        else f"said said{all_systems.index(systems[0]) % _LINES} {system_class(all_systems.index(systems[0]))}"
        for systems in told
    ]


def _key(has_gold: bool, wants_gold: bool, lines: Sequence[tuple[str, Sequence[str]]]) -> str:
    """The key; `lines` is the classes of each underline and the systems that gave the answer."""
    items = ['<span><mark class="gold">gold answer</mark></span>'] if has_gold else []
    items += ["<span>the gold answer does not occur here literally</span>"] if wants_gold and not has_gold else []
    items += [
        f'<span><span class="{line}">{", ".join(map(isolated, systems))}</span></span>' for line, systems in lines
    ]
    return f'<p class="key">{"".join(items)}</p>' if items else ""
