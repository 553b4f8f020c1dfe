"""Where the marks of charts and the cells of tables of a page lead."""

from ..comparison.difference import Difference
from .changes import Change, Disagreement
from .right_wrong import RightWrong


class PageHrefs:
    """The addresses behind marks and cells, "" for nowhere, as all of them are here; a page that has some overrides them.

    Addresses are not yet escaped for HTML.
    """

    def value(self, measure: str, system: str) -> str:
        """Of the value of a measure and a system."""
        return ""

    def sliced_value(self, name: str, label: str, measure: str, system: str) -> str:
        """Of the same in one slice: `label` of the slicing `name`."""
        return ""

    def kind(self, metric: str, system: str, kind: str) -> str:
        """Of a kind of error of a system."""
        return ""

    def difference(self, difference: Difference, name: str = "", label: str = "") -> str:
        """Of a difference, of all examples or in one slice."""
        return ""

    def change(self, pair: tuple[str, str], measure: str, tone: str) -> str:
        """Of the examples in which the second system of a pair is "better", "same" or "worse"."""
        return ""

    def right_wrong(self, table: RightWrong, cell: str) -> str:
        """Of the examples that "both" systems have right, "only_first", "only_second" or "neither"."""
        return ""

    def card(self, change: Change, example: Disagreement) -> tuple[str, str]:
        """Of the card of an example: attributes of its element, and anchors to put into it, as HTML."""
        return "", ""

    def example(self, pair: tuple[str, str], identifier: str) -> str:
        """Of one example of two systems."""
        return ""
