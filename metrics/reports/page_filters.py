"""Marks of a report that lead to the examples which the report shows: a filter for each, over the cards on the page.

A filter is an anchor, `#f1`, at the first card that it keeps; where scripts run, page_filters.js hides the other cards.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence

from ..comparison.difference import Difference
from .chart_parts import escaped
from .comparison import Change, Disagreement
from .page_hrefs import PageHrefs


class CardFilters(PageHrefs):
    """The addresses of filters; nothing that no card is behind has one.

    Args:
        cards: the filters of each card, as key -> what the filter keeps, in words.
    """

    def __init__(self, cards: Mapping[int, Mapping[Hashable, str]]):
        words = {key: told for keys in cards.values() for key, told in keys.items()}
        self._names = {key: f"f{place}" for place, key in enumerate(words, 1)}
        self._words = words
        self._cards = cards
        self._anchored: set[Hashable] = set()

    @classmethod
    def of_changes(cls, changes: Sequence[Change]) -> "CardFilters":
        """The filters of the losses and gains of all pairs."""
        return cls(
            {
                id(example): dict(_keys(change, example, tone))
                for change in changes
                for tone, examples in (("worse", change.losses), ("better", change.gains))
                for example in examples
            }
        )

    def _href(self, key: Hashable) -> str:
        return f"#{self._names[key]}" if key in self._names else ""

    def kind(self, metric: str, system: str, kind: str) -> str:
        return self._href((metric, system, kind))

    def difference(self, difference: Difference, name: str = "", label: str = "") -> str:
        pair = frozenset((difference.first, difference.second))
        return self._href((pair, name, label))

    def change(self, pair: tuple[str, str], measure: str, tone: str) -> str:
        return self._href((pair, measure, tone))

    def card(self, example: object) -> tuple[str, str]:
        keys = self._cards.get(id(example), {})
        new = [key for key in keys if key not in self._anchored]
        self._anchored |= {*new}
        anchors = "".join(
            f'<span id="{self._names[key]}" data-keeps="{escaped(self._words[key])}"></span>' for key in new
        )
        return (f' data-in="{" ".join(self._names[key] for key in keys)}"' if keys else ""), anchors


def _keys(change: Change, example: Disagreement, tone: str) -> Iterable[tuple[Hashable, str]]:
    pair = (change.first, change.second)
    yield (pair, change.measure, tone), f"{change.second} {tone} than {change.first} in {change.measure}"
    for system, kind in zip(pair, example.kinds or (), strict=False):
        yield (change.metric, system, kind), f"{system}: {kind}"
    for name, label in example.slices.items():
        yield (frozenset(pair), name, label), f"{name}: {label}"
