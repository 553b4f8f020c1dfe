"""Addresses of the marks of charts and the cells of tables of a page."""

from ..stats.difference import Difference
from .changes import Change, Disagreement
from .right_wrong import RightWrong


class PageHrefs:
    """The addresses of marks and cells, all "" here; a page with addresses overrides the methods.

    Addresses are not escaped for HTML.
    """

    def value(self, measure: str, system: str) -> str:
        """The address of the value of a measure and a system."""
        return ""

    def sliced_value(self, name: str, label: str, measure: str, system: str) -> str:
        """The address of a value in one slice: `label` of the slicing `name`."""
        return ""

    def kind(self, metric: str, system: str, kind: str) -> str:
        """The address of a kind of error of a system."""
        return ""

    def note(self, system: str, name: str, count: int) -> str:
        """The address of the examples of a system that a note counts, such as its missing predictions."""
        return ""

    def difference(self, difference: Difference, name: str = "", label: str = "") -> str:
        """The address of a difference, over all examples or in one slice."""
        return ""

    def change(self, pair: tuple[str, str], measure: str, tone: str) -> str:
        """The address of the examples in which the second system of a pair is "better", "same" or "worse"."""
        return ""

    def right_wrong(self, table: RightWrong, cell: str) -> str:
        """The address of the examples that "both" systems, "only_first", "only_second" or "neither" answer correctly."""
        return ""

    def card(self, change: Change, example: Disagreement) -> tuple[str, str]:
        """Attributes and anchors for the card of an example, as HTML."""
        return "", ""

    def example(self, pair: tuple[str, str], identifier: str) -> str:
        """The address of one example of two systems."""
        return ""
