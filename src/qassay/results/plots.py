"""Charts of scores and comparisons in Python."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.options import check_choice, did_you_mean
from ..core.scores import Scores
from ..core.shown import shown
from ..core.writing import write_whole
from ..registry import family_of
from ..stats.compare import Comparison
from ..stats.values import values_of
from .curves import curves_of
from .svg import Mark, curve_chart, row_chart

_NOTHING = "only rates from 0 to 1 are drawn; counts and thresholds have no common scale"
_BINS = 10  # of a distribution


class Plot:
    """A chart as SVG: notebooks show it, `save` writes it.

    Attributes:
        svg: the drawing, whose text has the colour of the text around it.
    """

    def __init__(self, svg: str):
        self.svg = svg

    def __repr__(self) -> str:
        return f"<Plot of {len(self.svg):,} characters of SVG; save it with .save('plot.svg')>"

    def _repr_svg_(self) -> str:
        """The drawing on white, since an image does not know the colours around it."""
        return self.svg.replace('style="', 'style="color:#1d2330;background:#fff;', 1)

    def _repr_html_(self) -> str:
        return f"<div>{self.svg}</div>"

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
    names = [measures] if isinstance(measures, str) else measures
    if names is not None:
        scores.summary(names)  # refuses an unknown measure
    if kind in (None, "values"):
        cells = values_of({"": scores}, names).systems[""]
        marks = [Mark(name, cell.value, *(cell.interval or ())) for name, cell in cells.items() if cell.is_rate]
        if not marks:
            raise ValueError(_NOTHING)
        return Plot(row_chart("Values with 95 % intervals", marks, "{:.3f}".format))
    about = family_of(scores).about
    main = [*(names or ()), *filter(scores.measures.__contains__, about.main_measures(scores)), *scores.measures][0]
    curves: dict[str, list[dict[str, Any]]] = {}
    for curve in curves_of(about, {"": scores}, [*scores.measures], 1):
        curves.setdefault(curve["name"], []).append(curve)
    if check_choice("kind", kind, ("values", "examples", *curves)) == "examples":
        return Plot(_distribution(scores, main, about.examples_name))
    found = [curve for curve in curves[str(kind)] if label is None or curve["label"] == str(label)]
    if not found:
        raise ValueError(f"no class {shown(label)} with a curve")
    return Plot(curve_chart(next((of for of in found if of["measure"] in (main, main.partition("@")[0])), found[0])))


def _distribution(scores: Scores, measure: str, examples_name: str) -> str:
    """How many examples have which values of a measure, as bars."""
    values = scores.measures[measure].by_example(scores.rows)
    known = np.array([]) if values is None else values[np.isfinite(values)]
    if not len(known):
        raise ValueError(f"a single example has no {measure}; choose a mean over examples")
    limits = (0.0, 1.0) if known.min() >= 0 and known.max() <= 1 else None
    counts, edges = np.histogram(known, _BINS, limits)
    bars = [
        Mark(f"{low:.3g} to {high:.3g}", count)
        for low, high, count in zip(edges[:-1], edges[1:], counts.tolist(), strict=True)
    ]
    return row_chart(f"{examples_name} by {measure}", bars, "{:,}".format, bars=True)


def plot_comparison(comparison: Comparison, measures: Sequence[str] | str | None) -> Plot:
    """The chart of `Comparison.plot`: green and red differences are significant."""
    names = [measures] if isinstance(measures, str) else measures
    there = dict.fromkeys(found.measure for found in comparison.differences)
    for name in names or ():
        if name not in there:
            raise ValueError(f"no measure {shown(name)}{did_you_mean(name, there)}; compared are: {', '.join(there)}")
    pairs = {(found.first, found.second) for found in comparison.differences}
    marks = []
    for found in comparison.decided_differences():
        if found.is_rate and (names is None or found.measure in names):
            tone = "better" if found.better == found.second else "worse"
            tone = tone if found.is_significant(comparison.settings.intervals.confidence) else "same"
            name = f"{found.measure}: {found.second} − {found.first}" if len(pairs) > 1 else found.measure
            marks.append(Mark(name, found.difference, *found.interval, tone))
    if not marks:
        raise ValueError(_NOTHING)
    pair = ", {1} minus {0}".format(*pairs.pop()) if len(pairs) == 1 else ""
    return Plot(row_chart(f"Differences{pair}", marks, "{:+.3f}".format, zero=True))
