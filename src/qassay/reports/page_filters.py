"""Filters over the cards of a report: marks and cells link to the examples that they count.

A filter is an anchor, `#f1`, at its first card; with scripts, page_filters.js hides the other cards.
"""

from collections.abc import Hashable, Iterable, Sequence

from ..stats.difference import Difference
from .changes import Change, Disagreement
from .chart_parts import escaped
from .page_hrefs import PageHrefs


class CardFilters(PageHrefs):
    """The addresses of the filters of a report's cards; marks without a card have no address."""

    def __init__(self, changes: Sequence[Change]):
        self._of_cards = {
            _card_key(change, example): dict(_filters(change, example))
            for change in changes
            for example in shown_examples(change)
        }
        self._words = {key: words for filters in self._of_cards.values() for key, words in filters.items()}
        self._names = {key: f"f{place}" for place, key in enumerate(self._words, 1)}
        self._anchored: set[Hashable] = set()

    def _href(self, key: Hashable) -> str:
        return f"#{self._names[key]}" if key in self._names else ""

    def kind(self, metric: str, system: str, kind: str) -> str:
        return self._href((metric, system, kind))

    def difference(self, difference: Difference, name: str = "", label: str = "") -> str:
        return self._href((frozenset((difference.first, difference.second)), name, label))

    def change(self, pair: tuple[str, str], measure: str, tone: str) -> str:
        return self._href((pair, measure, tone))

    def card(self, change: Change, example: Disagreement) -> tuple[str, str]:
        filters = self._of_cards[_card_key(change, example)]
        new = [key for key in filters if key not in self._anchored]
        self._anchored |= {*new}
        anchors = "".join(f'<span id="{self._names[key]}" data-keeps="{escaped(filters[key])}"></span>' for key in new)
        return f' data-in="{" ".join(self._names[key] for key in filters)}"', anchors


def shown_examples(change: Change) -> list[Disagreement]:
    """The examples of a change in a report, each once: losses, gains, then examples of slices."""
    of_slices = (example for some in change.of_slices.values() for example in some)
    return list({example.id: example for example in (*change.losses, *change.gains, *of_slices)}.values())


def _card_key(change: Change, example: Disagreement) -> Hashable:
    return change.metric, change.first, change.second, example.id


def _filters(change: Change, example: Disagreement) -> Iterable[tuple[Hashable, str]]:
    pair = (change.first, change.second)
    first, second = example.values
    if first != second:
        tone = "better" if (second > first) != change.lower_is_better else "worse"
        yield (pair, change.measure, tone), f"{change.second} {tone} than {change.first} in {change.measure}"
    for system, kind in zip(pair, example.kinds or (), strict=False):
        yield (change.metric, system, kind), f"{system}: {kind}"
    for name, label in example.slices.items():
        yield (frozenset(pair), name, label), f"{name}: {label}"
