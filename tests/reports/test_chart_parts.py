"""Parts of charts: text that fits, fewer points, colours that can be seen and read."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.core.shown import visible
from qassay.registry import FAMILIES
from qassay.reports.chart_parts import CSS, CSS_BY_CLASS, downsample, fit_axis, fit_text, text_width
from qassay.reports.charts import Mark, Row, change_chart, interval_chart, stacked_bars
from qassay.reports.palette import kind_classes


@given(st.text(), st.floats(20, 400))
def test_fit_text_fits_its_room(text, room):
    found = fit_text(text, room)
    line = visible(" ".join(text.split()))
    assert text_width(found) <= room or found == "…"
    assert found == line or (found.endswith("…") and line.startswith(found[:-1]))


@pytest.mark.parametrize("numbers", [[], [0.0], [1.8e-307], [1e-306, 2e-306], [-1e-300], [5.0, 5.0], [1e300]])
def test_every_axis_has_a_tick(numbers):
    scale, ticks = fit_axis(numbers, 10, 400)
    assert ticks and all(10 <= scale(tick) <= 400 for tick in ticks)
    assert all(10 <= scale(number) <= 400 for number in numbers)


@given(st.integers(1, 2_000_000), st.integers(2, 600))
def test_downsampling_keeps_both_ends(n, most):
    places = downsample(n, most)
    assert places[0] == 0 and places[-1] == n - 1 and len(places) == min(n, most)
    assert (np.diff(places) > 0).all()
    assert np.diff(places).max(initial=1) <= math.ceil(n / (min(n, most) - 1 or 1)) + 1


@pytest.mark.parametrize("css", [CSS, CSS_BY_CLASS])
def test_every_class_has_colours_in_both_themes(css):
    light, dark = (dict(re.findall(r"--([\w-]+):([^;]+);", part)) for part in themes(css))
    assert light.keys() == dark.keys() and not re.search(r"http|url\(|@import", css)
    marks = interval_chart([Row("x", [Mark(0.1)] * 8)], [f"s{i}" for i in range(8)], title="t")
    bars = stacked_bars({"a": {f"kind {i}": 100 for i in range(9)}}, title="t")
    changes = change_chart([1, 0, -1], title="t")
    used = {
        name
        for chart in (marks, bars, changes)
        for group in re.findall(r'class="([^"]+)"', chart)
        for name in group.split()
    }
    assert {name for name in used if name not in ("chart",) and f".{name}" not in css} == set()


@pytest.mark.parametrize("theme", [0, 1])
def test_colours_can_be_seen_and_read(theme):
    colours = dict(re.findall(r"--([\w-]+):#([0-9a-f]+);", themes(CSS)[theme]))
    ground = colours["chart-ground"]
    for name in [key for key in colours if re.fullmatch(r"chart-text|chart-faint|better|worse|same|system-\d", key)]:
        assert contrast(colours[name], ground) >= 4.5, name
    for name in ("better", "worse"):
        assert contrast(colours[name], colours[f"{name}-ground"]) >= 4.5, name
    for name in [key for key in colours if key.startswith("kind-")]:
        assert contrast(colours[name], colours[f"on-{name}"]) >= 4.5, name


def test_a_kind_of_error_has_its_colour_whatever_is_beside_it():
    for family in FAMILIES.values():
        kinds = family.telling.errors.order
        own = kind_classes(kinds)
        assert [kind_classes([kind])[0] for kind in kinds] == own
        wrong = [one for kind, one in zip(kinds, own, strict=True) if kind not in family.telling.errors.right]
        assert len(set(wrong)) == len(wrong) and not {"kind-right", "kind-none"} & {*wrong} - {"kind-none"}
    mine = kind_classes(["correct", *(f"mine {place}" for place in range(20))])
    assert mine[0] == "kind-right" and "kind-right" not in mine[1:] and len(set(mine[1:12])) == 11


def themes(css):
    first, second = re.findall(r"\{((?:--[^{}]+)+)\}", css)
    return first, second


def contrast(one, other):
    """Of two colours, as WCAG 2 defines it."""

    def luminance(colour):
        colour = "".join(c * 2 for c in colour) if len(colour) == 3 else colour
        parts = [int(colour[i : i + 2], 16) / 255 for i in (0, 2, 4)]
        r, g, b = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_rates_that_are_all_zero_begin_at_zero():
    assert min(fit_axis([0.0, 0.0], 10, 400)[1]) == 0
    assert min(fit_axis([0.0, 0.0], 10, 400, signed=True)[1]) < 0 < max(fit_axis([0.0], 10, 400, signed=True)[1])
    assert fit_axis([0.0], 10, 400)[0](0.0) == 10
