"""A comparison as the sections of its page need it: pairs and measures, numbers as text, verdicts on differences."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..stats.difference import Difference, p_text
from .chart_parts import escaped, is_finite
from .comparison import Change, ComparisonReport, by_pair, counted
from .interval_text import over_groups
from .page_hrefs import PageHrefs
from .values import Cell
from .values_text import ABSENT, page_number

Pair = tuple[str, str]
REAL = "likely real"  # of a difference that chance does not explain


class Verdict(NamedTuple):
    """The verdict on a difference: which system is better (None: neither), and whether chance does not explain it."""

    better: str | None
    worse: str | None
    real: bool


class PageView:
    """A comparison as the sections of its page need it.

    Attributes:
        names: of all measures.
        lower: the measures for which a lower value is better.
        by_pair: pair -> measure -> difference.
        alpha: the level of the tests.
        interval_name: for example "95 % interval".
        corrected: whether p-values are corrected for several tests.
        examples_name: what the examples are called, in the plural.
        hrefs: the addresses of marks and cells.
        title: measure -> displayed name.
    """

    def __init__(
        self, data: ComparisonReport, hrefs: PageHrefs | None = None, title: Callable[[str], str] | None = None
    ):
        self.data = data
        self.title: Callable[[str], str] = title or str
        self.hrefs = hrefs or PageHrefs()
        self.report = data.report
        self.systems = list(data.report.systems)
        self.by_pair = {pair: {d.measure: d for d in of} for pair, of in by_pair(data.differences).items()}
        self.pairs: list[Pair] = list(self.by_pair)
        level = self.report.intervals.confidence
        self.alpha = 0.05 if level is None else round(1 - level, 10)
        self.interval_name = "interval" if level is None else f"{100 * level:g}\u00a0% interval"
        self.corrected = data.correction not in ("", "none")
        self.examples_name = data.examples_name
        self.names = list(
            dict.fromkeys(
                [name for cells in self.report.systems.values() for name in cells]
                + [difference.measure for difference in data.differences]
            )
        )
        self.lower = {difference.measure for difference in data.differences if difference.lower_is_better}

    @property
    def n_examples(self) -> int:
        """The number of examples; a measure may apply to a part of them only."""
        kinds = (by_kind for by_system in self.data.kinds.values() for by_kind in by_system.values())
        return max([0, *(one.n for one in self.data.differences), *(sum(by_kind.values()) for by_kind in kinds)])

    def measure(self, name: str) -> str:
        """A measure in a sentence, as HTML; its key is a tooltip if the displayed name differs."""
        title = escaped(self.title(name))
        return title if title == escaped(name) else f'<span title="{escaped(name)}">{title}</span>'

    def write(self, value: float | None, kind: Cell | Difference) -> str:
        """A number as in the other formats, with a true minus; counts without decimals."""
        return page_number(value, kind.is_rate, self.report.scale)

    def rate(self, value: float) -> str:
        """A rate as text."""
        return self.write(value, Cell(value, None, 0, True))

    def signed(self, value: float | None, kind: Cell | Difference) -> str:
        """A number with its sign, plus for numbers above 0."""
        text = self.write(value, kind)
        return f"+{text}" if is_finite(value) and value > 0 and text.strip("0.") else text

    def signed_rate(self, value: float) -> str:
        """A difference of rates as text."""
        return self.signed(value, Cell(value, None, 0, True))

    def ends(self, interval: Sequence[float] | None, write: Callable[[float], str]) -> str:
        """An interval in words; "" without finite ends."""
        if interval is None or not all(map(is_finite, interval)):
            return ""
        return " to ".join(map(write, interval))

    def read(self, difference: Difference) -> Verdict:
        """The verdict on a difference."""
        better = difference.better if is_finite(difference.difference) else None
        if better is None:
            return Verdict(None, None, False)
        worse = difference.first if better == difference.second else difference.second
        return Verdict(better, worse, difference.is_significant(1 - self.alpha))

    def certainty(self, difference: Difference) -> str:
        """Whether a difference is likely real, in words."""
        return REAL if self.read(difference).real else self.chance(difference)

    def chance(self, difference: Difference) -> str:
        """Words for a difference that could be chance, with the reason if its interval excludes 0."""
        low, high = difference.interval or (0.0, 0.0)
        if difference.p_value < self.alpha:
            return "could be chance after the correction"
        return "could be chance" + (" by the test, unlike the interval" if low > 0 or high < 0 else "")

    def main_measures(self, pair: Pair) -> list[str]:
        """The measures with changes, otherwise the measures of the slices, otherwise the first measure."""
        differences = self.by_pair[pair]
        changed = [change.measure for change in by_pair(self.data.changes).get(pair, ())]
        sliced = [d.measure for labels in self.data.slices.values() for ds in labels.values() for d in ds]
        names = [name for name in dict.fromkeys(changed or sliced) if name in differences]
        return names or list(differences)[:1]

    def best(self, values: Sequence[float | None], name: str) -> list[bool]:
        """Which values are the best; none if all are equal, or if the measure has no better direction."""
        finite = [value for value in values if is_finite(value)]
        compared = any(d.measure == name and (d.is_rate or d.wins is not None) for d in self.data.differences)
        if not compared or len(set(finite)) < 2:
            return [False] * len(values)
        best = (min if name in self.lower else max)(finite)
        return [is_finite(value) and value == best for value in values]

    def with_intervals(self) -> str:
        """The words on intervals in a caption, as HTML; "" without intervals."""
        if self.report.intervals.confidence is None:
            return ""
        return f" with {self.interval_name}s{escaped(over_groups(self.report))}"

    def count(self, number: int) -> str:
        """A number of examples, in words."""
        return counted(number, self.examples_name)

    def kind_of(self, change: Change) -> Cell | Difference:
        """The kind of number of the measure of a change."""
        difference = self.by_pair.get((change.first, change.second), {}).get(change.measure)
        return difference or self.report.systems[change.first].get(change.measure) or Cell(0.0, None, 0, True)


def p_html(value: float, at_most: bool = False) -> str:
    """A p-value, as HTML, to four decimals.

    Example:
        >>> p_html(0.03125), p_html(0.00001), p_html(0.0001, at_most=True)
        ('0.0312', '&lt; 0.0001', '≤ 0.0001')
    """
    if not is_finite(value):
        return ABSENT
    return p_text(value, at_most).replace("<= ", "≤ ").replace("<", "&lt; ")


def p_equation(value: float, at_most: bool = False) -> str:
    """A p-value within a sentence, as HTML.

    Example:
        >>> p_equation(0.03125), p_equation(0.00001), p_equation(0.0001, at_most=True)
        ('p = 0.0312', 'p &lt; 0.0001', 'p ≤ 0.0001')
    """
    text = p_html(value, at_most)
    return f"p {text}" if text.startswith(("&lt;", "≤")) else f"p = {text}"
