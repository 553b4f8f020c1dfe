"""The answers behind the numbers of the tab Agreement: where people and a measure disagree, pairs in the wrong order, bins, systems."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..label_agreement.agree import Judged
from ..label_agreement.measures import ACCEPTED_FROM, BINS, REJECTS_ALL, bins_of
from ..label_agreement.results import MeasureAgreement
from ..reports.chart_parts import escaped
from ..reports.comparison import counted
from ..reports.html_parts import WORDY, fold, go, heads, isolated, row, scroll_table
from ..reports.values_text import figure_text
from .view_parts import cut, fold_late, section

MOST_SHOWN = 20  # answers of a list
_MOST_OF_BIN = 10
_MOST_ROWS = 1_000  # of all lists together; each has at least one

_READING = "“Accepted”: the value is at least the threshold. The answers whose value is furthest from the threshold come first."
_READING_MEASURES = (
    "All answers of a measure, the furthest from the verdict of people first. AUC: the answers in pairs that the measure puts in the wrong "
    "order; a pair is a right and a wrong answer, and equal values count half. Pearson: the answers that lower the correlation, each "
    "with its part; the parts of all answers add up to the correlation. "
    "ECE: the bins of the value."
)
_READING_SYSTEMS = "The answers of a system, the lowest label first; then by each measure those whose value is not the verdict of people, the furthest first."


class _List(NamedTuple):
    """Some answers: places in the table, in the order in which they are listed.

    Attributes:
        summary: how many answers, as HTML.
        why: what they are, after how many are shown.
        places: there is at least one.
        measure: whose values are shown; "" for none.
        most: how many are shown.
        more: the head and the cells of one more column; () for none.
    """

    summary: str
    why: str
    places: np.ndarray
    measure: str = ""
    most: int = MOST_SHOWN
    more: tuple[str, Sequence[str]] | tuple[()] = ()


class AnswerLists:
    """The lists of a table, and where its numbers lead."""

    def __init__(self, judged: Judged):
        self._judged = judged
        self._lists: dict[str, _List] = {}  # by anchor
        self._anchors: dict[tuple[str, ...], str] = {}  # measure and figure, or system and measure
        self._different: list[str] = []  # anchors
        self._bins: dict[str, list[str]] = {}  # measure -> rows of its table
        verdicts = judged.labels.verdicts
        self._distances = {measure: np.abs(values - verdicts) for measure, values in judged.values.items()}
        for number, one in enumerate(judged.found.measures):
            self._add_different(one, f"agreement-{number}")
            self._add_of_figures(one, f"agreement-{number}")
        self._names = [system.system for system in judged.found.systems]
        self._systems = None if judged.labelled.systems is None else np.array(judged.labelled.systems)
        self._add_systems()
        self._most = self._most_of_each()

    def href(self, one: MeasureAgreement, figure: str) -> str:
        """Where a figure of a measure leads, or "measure", its name; "" for nowhere."""
        if figure == "largest_difference":
            return self._furthest_system(one)
        figures = ("accuracy", "best_threshold") if figure == "measure" else (figure,)
        return next((self._to(one.measure, own) for own in figures if (one.measure, own) in self._anchors), "")

    def system_href(self, system: str, measure: str) -> str:
        """Where the mean of a measure of a system leads; without a measure the numbers of the system."""
        return self._to(system, measure, "system")

    def html(self) -> str:
        """All lists."""
        measures = "".join(map(self._of_measure, self._judged.found.measures))
        systems = "".join(map(self._of_system, range(len(self._names))))
        return (
            section("Where measures and people disagree", "".join(map(self._folded, self._different)), _READING)
            + section("Answers behind the other numbers", measures, _READING_MEASURES)
            + section("Answers of the systems", systems, _READING_SYSTEMS)
        )

    def _to(self, *key: str) -> str:
        anchor = self._anchors.get(key)
        return f"#{anchor}" if anchor else ""

    def _add(self, key: tuple[str, ...], anchor: str, found: _List) -> None:
        if len(found.places):
            self._lists[anchor] = found
            self._anchors[key] = anchor

    def _most_of_each(self) -> int:
        """How many answers a list shows, so that all lists together have at most `_MOST_ROWS`."""
        sizes = np.array([min(len(found.places), found.most) for found in self._lists.values()])
        return next((most for most in range(MOST_SHOWN, 1, -1) if np.minimum(sizes, most).sum() <= _MOST_ROWS), 1)

    # --- measures -----------------------------------------------------------------------------------------------------

    def _add_different(self, one: MeasureAgreement, anchor: str) -> None:
        """What people and a measure judge differently, by two thresholds; one list where both would be equal."""
        judged, places, thresholds = self._judged, {}, {}
        for figure, threshold in (("accuracy", ACCEPTED_FROM), ("best_threshold", one.best_threshold)):
            if one.auc is None or threshold is None:
                continue
            places[figure], thresholds[figure] = judged.unlike(one.measure, threshold), threshold
        are_same = len(places) == 2 and {*places["accuracy"].tolist()} == {*places["best_threshold"].tolist()}
        for figure in ("accuracy",) if are_same else places:
            told = [*thresholds.values()] if are_same else [thresholds[figure]]
            own = f"{anchor}-{figure}"
            self._add((one.measure, figure), own, self._different_list(one, places[figure], told))
            if own in self._lists:
                self._different.append(own)
        if are_same and (one.measure, "accuracy") in self._anchors:
            self._anchors[one.measure, "best_threshold"] = self._anchors[one.measure, "accuracy"]

    def _different_list(self, one: MeasureAgreement, places: np.ndarray, thresholds: Sequence[float]) -> _List:
        right = int((self._judged.labels.right[places] == 1).sum())
        named = " or ".join(
            "if it rejects every answer" if threshold == REJECTS_ALL else f"threshold {figure_text(threshold)}"
            for threshold in dict.fromkeys(thresholds)
        )
        summary = f"{isolated(one.measure)}, {named}: {len(places):,} of {counted(one.n, 'answers')}"
        why = f" (right but not accepted: {right:,}, wrong but accepted: {len(places) - right:,})"
        return _List(summary, why, places, one.measure)

    def _add_of_figures(self, one: MeasureAgreement, anchor: str) -> None:
        """All answers of a measure, and what is behind its AUC, its correlation and its calibration error."""
        known = np.flatnonzero(~np.isnan(self._judged.values[one.measure]))
        every = self._furthest(one.measure, known)
        self._add(
            (one.measure, "n"),
            f"{anchor}-n",
            _List(f"All {counted(len(known), 'answers')}", "", every, one.measure),
        )
        if one.auc is not None:
            self._add((one.measure, "auc"), f"{anchor}-auc", self._misordered(one, known))
        if one.pearson is not None:
            self._add((one.measure, "pearson"), f"{anchor}-pearson", self._lowering(one, known))
        if one.ece is not None:
            self._add_bins(one, known, anchor)

    def _furthest(self, measure: str, places: np.ndarray) -> np.ndarray:
        """Answers, the ones whose value is furthest from the verdict of people first."""
        return places[np.argsort(-self._distances[measure][places], kind="stable")]

    def _misordered(self, one: MeasureAgreement, known: np.ndarray) -> _List:
        """The answers in pairs that cost AUC, the largest share of their pairs first."""
        values, right = self._judged.values[one.measure][known], self._judged.labels.right[known] == 1
        lost = np.empty(len(known))
        counts = {True: int(right.sum()), False: int((~right).sum())}
        for kind in (True, False):
            others = np.sort(values[right != kind])
            below, up_to = (np.searchsorted(others, values[right == kind], side) for side in ("left", "right"))
            lost[right == kind] = (counts[not kind] - up_to if kind else below) + (up_to - below) / 2
        share = lost / np.where(right, counts[False], counts[True])
        order = np.lexsort([-self._distances[one.measure][known], -share])
        order = order[lost[order] > 0]
        pairs = counts[True] * counts[False]
        summary = f"AUC {figure_text(one.auc)}: {len(order):,} of {counted(len(known), 'answers')}"
        why = f", which are in the {_halves(lost[right].sum())} of {pairs:,} pairs in the wrong order"
        cells = [f"{_halves(lost[at])} of {counts[not right[at]]:,}" for at in order[:MOST_SHOWN]]
        return _List(summary, why, known[order], one.measure, more=("Pairs in the wrong order", cells))

    def _lowering(self, one: MeasureAgreement, known: np.ndarray) -> _List:
        """The answers on different sides of the mean value and the mean label, which lower the correlation, most first."""
        columns = [self._judged.values[one.measure][known], self._judged.labels.labels[known]]
        product = np.prod([column - column.mean() for column in columns], axis=0)
        order = np.argsort(product, kind="stable")
        order = order[product[order] < -1e-12]  # not by rounding alone
        value, label = (figure_text(float(column.mean())) for column in columns)
        summary = f"Pearson {figure_text(one.pearson)}: {len(order):,} of {counted(len(known), 'answers')}"
        why = (
            f", whose value is above the mean ({value}) and whose label is below (mean {label}), or the other way round"
        )
        parts = product / (len(known) * np.prod([column.std() for column in columns]))
        cells = [figure_text(float(part)) for part in parts[order[:MOST_SHOWN]]]
        return _List(summary, why, known[order], one.measure, more=("Part of Pearson", cells))

    def _add_bins(self, one: MeasureAgreement, known: np.ndarray, anchor: str) -> None:
        """The answers of each bin of the value, and a table of the bins."""
        values, verdicts = self._judged.values[one.measure], self._judged.labels.verdicts
        bins, rows = bins_of(values[known]), []
        for place in range(BINS):
            own = known[bins == place]
            if not len(own):
                continue
            ends = f"{place / BINS:g} to {(place + 1) / BINS:g}"
            means = [float(column[own].mean()) for column in (values, verdicts)]
            summary = f"Value {ends}: {counted(len(own), 'answers')}"
            self._add(
                (one.measure, f"bin-{place}"), f"{anchor}-bin-{place}",
                _List(summary, "", self._furthest(one.measure, own), one.measure, _MOST_OF_BIN),
            )  # fmt: skip
            share = abs(means[0] - means[1]) * len(own) / len(known)
            numbers = [go(f"{len(own):,}", f"#{anchor}-bin-{place}"), *map(figure_text, (*means, share))]
            rows.append(row(ends, *(f"<td>{number}</td>" for number in numbers)))
        self._bins[one.measure] = rows
        self._anchors[one.measure, "ece"] = f"{anchor}-ece"

    def _of_measure(self, one: MeasureAgreement) -> str:
        own = [self._folded(self._anchors[one.measure, figure]) for figure in ("n", "auc", "pearson")
               if (one.measure, figure) in self._anchors]  # fmt: skip
        if rows := self._bins.get(one.measure):
            above = heads("Value", "n", "Mean value", "People", "Part of ECE")
            body = scroll_table(f"Bins of {escaped(one.measure)}", above, rows)
            anchors = (self._anchors.get((one.measure, f"bin-{place}")) for place in range(BINS))
            body += "".join(map(self._folded, filter(None, anchors)))
            summary = f"ECE {figure_text(one.ece)}: the parts of {counted(len(rows), 'bins')}"
            own.append(f'<div id="{self._anchors[one.measure, "ece"]}">{fold(summary, body)}</div>')
        return fold(isolated(one.measure), "".join(own)) if own else ""

    # --- systems ------------------------------------------------------------------------------------------------------

    def _add_systems(self) -> None:
        labels = self._judged.labels.labels
        if not self._names or self._systems is None:
            return
        measures = [one.measure for one in self._judged.found.measures]
        for number, name in enumerate(self._names):
            of_system = np.flatnonzero(self._systems == name)
            worst = of_system[np.argsort(labels[of_system], kind="stable")]
            summary = f"All {counted(len(worst), 'answers')}"
            self._add((name, "", "system"), f"agreement-system-{number}", _List(summary, "", worst))
            for place, measure in enumerate(measures):
                known = of_system[~np.isnan(self._judged.values[measure][of_system])]
                unlike = self._furthest(measure, known)
                unlike = unlike[self._distances[measure][unlike] > 0]
                summary = f"{isolated(measure)}: {len(unlike):,} of {counted(len(known), 'answers')} whose value is not the verdict of people"
                self._add(
                    (name, measure, "system"),
                    f"agreement-system-{number}-{place}",
                    _List(summary, "", unlike, measure),
                )

    def _furthest_system(self, one: MeasureAgreement) -> str:
        """Of the system with the largest difference between the means of a measure and of people."""
        if one.largest_difference is None or self._systems is None:
            return ""
        names, signed = self._systems, self._judged.values[one.measure] - self._judged.labels.verdicts
        means = {name: abs(float(np.nanmean(signed[names == name]))) for name in self._names
                 if not np.isnan(signed[names == name]).all()}  # fmt: skip
        return self.system_href(max(means, key=means.__getitem__), one.measure)

    def _of_system(self, number: int) -> str:
        name = self._names[number]
        keys = [(name, measure, "system") for measure in ("", *(one.measure for one in self._judged.found.measures))]
        own = [self._folded(self._anchors[key]) for key in keys if key in self._anchors]
        return fold(isolated(cut(name)), "".join(own))

    # --- what is shown ------------------------------------------------------------------------------------------------

    def _folded(self, anchor: str) -> str:
        """A list under its summary."""
        found, labelled = self._lists[anchor], self._judged.labelled
        values = self._judged.values[found.measure] if found.measure else None
        rows, most = [], min(found.most, self._most)
        for at, place in enumerate(found.places[:most].tolist()):
            asked = "" if labelled.questions is None else labelled.questions[place]
            system = (
                "" if labelled.systems is None else f'<span class="sub">{isolated(cut(labelled.systems[place]))}</span>'
            )
            texts = ((" / ".join(labelled.golds[place]), ""), (labelled.answers[place] or "", system))
            words = "".join(f"<td{WORDY}>{isolated(cut(text))}{more}</td>" for text, more in texts)
            numbers = [f"{self._judged.labels.labels[place]:g}"]
            numbers += [] if values is None else [figure_text(float(values[place]))]
            numbers += [found.more[1][at]] if found.more else []
            rows.append(row(isolated(cut(asked)), words, *(f"<td>{number}</td>" for number in numbers)))
        above = heads("Question") + "".join(f'<th scope="col"{WORDY}>{name}</th>' for name in ("Gold", "Answer"))
        above += heads("Label", *filter(None, [escaped(found.measure), *found.more[:1]]))
        caption = f"Answers, their labels{f' and {escaped(found.measure)}' if found.measure else ''}"
        first = f", the first {most} below" if len(found.places) > most else ""
        summary = f"{found.summary}{first}{found.why}"
        return f'<div id="{anchor}">{fold_late(summary, scroll_table(caption, above, rows))}</div>'


def _halves(count: float) -> str:
    """A number of pairs, in which equal values count half."""
    return f"{count:,.0f}" if float(count).is_integer() else f"{count:,.1f}"
