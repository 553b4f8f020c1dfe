"""Charts of scores and comparisons in Python."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core.options import check_choice, did_you_mean
from ..core.scores import Scores
from ..core.selective import curved_measures
from ..core.shown import shown
from ..core.writing import write_whole
from ..registry import family_of
from ..reports.chart_parts import CSS, FONT
from ..reports.charts import Mark, Row, interval_chart
from ..reports.comparison import decided_differences
from ..reports.family_charts import (
    classes_chart,
    examples_chart,
    precision_recall_chart,
    ranks_chart,
    risk_coverage_chart,
    threshold_chart,
)
from ..reports.interval_text import over_groups
from ..reports.values import build_report
from ..stats.compare import Comparison


class Plot:
    """A chart as SVG: notebooks show it, `save` writes it.

    Attributes:
        svg: the drawing without its colours, for a page that has them.
    """

    def __init__(self, svg: str):
        self.svg = svg

    def __repr__(self) -> str:
        return f"<Plot of {len(self.svg):,} characters of SVG; save it with .save('plot.svg')>"

    def _repr_svg_(self) -> str:
        opening = f'<svg xmlns="http://www.w3.org/2000/svg" font-family="{FONT}" '
        return self.svg.replace("<svg ", opening, 1).replace(">", f"><style>{CSS}</style>", 1)

    def _repr_html_(self) -> str:
        return (
            f'<div style="max-width:34rem;padding:.8rem;font-family:{FONT};background:var(--chart-ground)">'
            f"<style>{CSS}</style>{self.svg}</div>"
        )

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Write the chart as a separate SVG file.

        Raises:
            ValueError: the name does not end with .svg. OSError: the file cannot be written.
        """
        if os.path.splitext(os.fspath(path))[1].lower() != ".svg":
            raise ValueError(f"save writes SVG: the name must end with .svg; got {os.fspath(path)}")
        write_whole(path, f"{self._repr_svg_()}\n")


def plot_scores(scores: Scores, kind: str | None, measures: Sequence[str] | str | None, label: Any) -> Plot:
    """The chart of `Scores.plot`."""
    makers = _plots_of(scores, measures, label)
    return Plot(makers[check_choice("kind", "values" if kind is None else kind, tuple(makers))]())


def _plots_of(scores: Scores, measures: Sequence[str] | str | None, label: Any) -> dict[str, Callable[[], str]]:
    """Kind of chart -> function that draws it, for the kinds of these scores."""
    telling, systems = family_of(scores).telling, {"": scores}
    names = [measures] if isinstance(measures, str) else measures
    if names is not None:
        scores.summary(names)  # refuses an unknown measure
    main = [*(names or ()), *filter(scores.measures.__contains__, telling.main_measures(scores)), *scores.measures][0]
    makers: dict[str, Callable[[], str]] = {
        "values": lambda: _values_chart(systems, names),
        "examples": lambda: examples_chart(systems, main, telling.examples_name),
    }
    if not scores.tells_examples:
        return makers
    if telling.first_right_ranks(scores) is not None:
        makers["ranks"] = lambda: ranks_chart(systems)
    if telling.class_values(scores):
        makers["classes"] = lambda: classes_chart(systems)
    labels = telling.curve_labels(scores)
    if labels:
        chosen = labels[0] if label is None else label
        makers["precision_recall"] = lambda: precision_recall_chart(systems, 1, chosen)
    curved = curved_measures(scores)
    if curved:
        makers["risk_coverage"] = lambda: risk_coverage_chart(systems, curved[0])
    swept = telling.answerability.swept_measures(scores) if telling.answerability else []
    if swept:
        chosen_measure = main if main in swept else swept[-1]
        makers["thresholds"] = lambda: threshold_chart(systems, chosen_measure, 1)
    return makers


def _values_chart(systems: Mapping[str, Scores], names: Sequence[str] | None) -> str:
    report = build_report(systems, {}, names)
    rows = [
        Row(name, [Mark(cell.value, *(cell.interval or (None, None)))])
        for name, cell in report.systems[""].items()
        if cell.is_rate
    ]
    if not rows:
        raise ValueError("only rates from 0 to 1 are drawn; counts and thresholds have no common scale")
    return interval_chart(rows, [""], title=f"Values with 95 % intervals{over_groups(report)}", write="{:.3f}".format)


def plot_comparison(comparison: Comparison, measures: Sequence[str] | str | None) -> Plot:
    """The chart of `Comparison.plot`."""
    names = [measures] if isinstance(measures, str) else measures
    there = dict.fromkeys(found.measure for found in comparison.differences)
    for name in names or ():
        if name not in there:
            raise ValueError(f"no measure {shown(name)}{did_you_mean(name, there)}; compared are: {', '.join(there)}")
    several = len({(found.first, found.second) for found in comparison.differences}) > 1
    rows = []
    for found in decided_differences(comparison):
        if not found.is_rate or names is not None and found.measure not in names:
            continue
        tone = "same" if found.better is None else "better" if found.better == found.second else "worse"
        real = found.is_significant(comparison.settings.intervals.confidence)
        note = f"{found.better} better, {'likely real' if real else 'could be chance'}" if found.better else "equal"
        mark = Mark(found.difference, *found.interval, tone, real, note)
        name = f"{found.measure}: {found.second} − {found.first}" if several else found.measure
        rows.append(Row(name, [mark]))
    if not rows:
        raise ValueError("only rates from 0 to 1 are drawn; counts and thresholds have no common scale")
    pair = "" if several else f", {comparison.differences[0].second} minus {comparison.differences[0].first}"
    return Plot(interval_chart(rows, [""], title=f"Differences{pair}", zero=True, write="{:+.3f}".format))
