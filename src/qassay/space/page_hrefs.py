"""Where the marks of charts and the cells of tables of the page lead: to the examples behind them, on the tab Errors."""

import dataclasses

from ..reports.page_hrefs import PageHrefs
from ..reports.right_wrong import RightWrong
from ..stats.difference import Difference
from .address import DISAGREE, EVERY, MOST_CHARACTERS, View
from .analysis import Analysis
from .class_slices import OF_CLASS, class_of
from .linked_slices import has_own

_CHANGES = {"both": "both_right", "only_first": "only_right", "only_second": "only_wrong", "neither": "both_wrong"}


class ErrorsHrefs(PageHrefs):
    """The examples behind what an analysis shows. The tab Errors shows runs as separate systems: a system of several runs
    leads to its first run where all examples, or a whole slice, are behind a number, else nowhere.

    Args:
        pair: two systems that are compared: their values count the examples that both were measured on.
    """

    def __init__(self, analysis: Analysis, pair: tuple[str, str] | None = None):
        self._analysis, self._pair = analysis, pair or ()
        self._shown = {*analysis.by_run.systems}
        self._metric = analysis.main.family.name

    def _to(self, view: View) -> str:
        is_whole = len(view.slice) <= MOST_CHARACTERS  # an address cuts longer ones
        return view.href() if is_whole and {view.system, view.other or view.system} <= self._shown else ""

    def value(self, measure: str, system: str) -> str:
        if system in self._analysis.systems:
            run, of_class = self._analysis.first_run(system), class_of(self._analysis, system, measure)
            if run != system:
                return self._to(View("errors", system=run, kind=EVERY, measure=measure))
            if of_class is not None:
                return self._of_class(system, of_class)
        return self._to(self.of_both(View("errors", measure=measure), system))

    def _of_class(self, system: str, label: str) -> str:
        """Of the examples whose true or predicted label is this one."""
        is_there = system in self._shown and has_own(self._analysis.by_run, system, f"{OF_CLASS}:{label}")
        return self._to(View("errors", system=system, slice=f"{OF_CLASS}:{label}")) if is_there else ""

    def note(self, system: str, name: str, count: int) -> str:
        if system not in self._shown:
            return ""
        subset = self._analysis.by_run.scores(system).subsets.get(name)
        is_counted = subset is not None and int(subset.sum()) == count
        return View("errors", system=system, slice=f"{name}:yes").href() if is_counted else ""

    def sliced_value(self, name: str, label: str, measure: str, system: str) -> str:
        return self._to(self.of_both(View("errors", slice=f"{name}:{label}", measure=measure), system, first_run=True))

    def of_both(self, view: View, system: str, *, first_run: bool = False) -> View:
        """The view of a system; of two that are compared, only the examples that both were measured on."""
        own = self._analysis.first_run if first_run else str
        view = dataclasses.replace(view, system=own(system))
        others = [one for one in self._pair if one != system]
        if not others or self._analysis.measures_alike(view.measure, system, others[0]):
            return view
        return dataclasses.replace(view, other=own(others[0]), order=DISAGREE)

    def kind(self, metric: str, system: str, kind: str) -> str:
        return self._to(View("errors", system=system, kind=kind)) if metric == self._metric else ""

    def sliced_kind(self, name: str, label: str, system: str, kind: str) -> str:
        """Of a kind of error of a system in one slice."""
        return self._to(View("errors", system=system, kind=kind, slice=f"{name}:{label}"))

    def difference(self, difference: Difference, name: str = "", label: str = "") -> str:
        winner = difference.better or difference.second
        loser = difference.first if winner == difference.second else difference.second
        return self.behind(loser, winner, difference.measure, name, label)

    def behind(self, loser: str, winner: str, measure: str, name: str = "", label: str = "") -> str:
        """Of the examples in which a system is worse than another one; of a slice all examples that both were measured on, the
        furthest apart first.
        """
        if name:
            loser, winner = map(self._analysis.first_run, (loser, winner))
            view = View("errors", system=loser, slice=f"{name}:{label}", other=winner, measure=measure, order=DISAGREE)
            return self._to(view)
        return self._to(View("errors", system=loser, other=winner, change="worse", measure=measure))

    def change(self, pair: tuple[str, str], measure: str, tone: str) -> str:
        return self._to(View("errors", system=pair[1], other=pair[0], change=tone, measure=measure))

    def right_wrong(self, table: RightWrong, cell: str) -> str:
        return self._to(
            View("errors", system=table.first, other=table.second, change=_CHANGES[cell], measure=table.measure)
        )

    def example(self, pair: tuple[str, str], identifier: str) -> str:
        return self._to(View("errors", system=pair[1], other=pair[0], example=identifier))
