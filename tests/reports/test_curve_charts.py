"""Curves: well-formed SVG, every number in words, nothing escapes, long lines stay small and keep their extremes."""

import html
import math
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay.reports.chart_parts import MOST_POINTS, SERIES_COLORS, WIDTH, escaped
from qassay.reports.charts import count_bars
from qassay.reports.curve_charts import ChartLine, Point, line_chart, reliability_chart

ATTACKS = [
    "<script>alert(1)</script>\"'",
    "</svg><img src=x onerror=alert(1)>",
    "a\x00b\x1b\ud800c",
    "&lt; &amp;",
    "]]>",
]
NUMBERS = st.floats(-1e6, 1e6, allow_nan=False)


def parsed(chart):
    """The root of a chart, which must be XML as it stands."""
    root = ET.fromstring(chart)
    assert root.tag == "svg" and root.get("role") == "img" and root.get("aria-label")
    assert root.get("width") == "100%" and re.fullmatch(rf"0 0 {WIDTH} [\d.]+", root.get("viewBox"))
    assert "nan" not in chart and "inf" not in re.sub(r"[a-z]+fin[a-z]+", "", chart)
    assert not {element.tag for element in root.iter()} & {"script", "img", "image", "a", "foreignObject", "style"}
    return root


def texts(root):
    return [element.text for element in root.iter("text")]


def tips(root):
    return [element.text for element in root.iter("title")]


def curves(root):
    return [path for path in root.iter("path") if path.find("title") is not None]


def simple(lines, **options):
    return line_chart(lines, title="Title", x_label="threshold", y_label="f1", **options)


def drawn(text):
    lines = {text: ChartLine([0, 1], [0, 1], (0.5, 0.5), text), f"{text}b": ChartLine([0], [1])}
    return [
        line_chart(lines, title=text, x_label=text, y_label=text),
        reliability_chart({text: [Point(0.1, 0.2, 5)], f"{text}b": []}, title=text, x_label=text, y_label=text),
        count_bars([text, f"{text}x"], {text: [1, 2], f"{text}b": [0, 0]}, title=text),
    ]


@pytest.mark.parametrize("attack", ATTACKS)
def test_hostile_texts_stay_texts(attack):
    for chart in drawn(attack):
        root = parsed(chart)
        assert root.get("aria-label").startswith(" ".join(html.unescape(escaped(attack)).split()))
        chart.encode()


@given(st.text())
@settings(deadline=None)
def test_any_text_makes_well_formed_charts(text):
    for chart in drawn(text):
        ET.fromstring(chart)


def test_a_line_in_words_with_its_mark_and_axes():
    lines = {
        "small": ChartLine([0, 0.5, 1], [0.25, -0.75, 0.5], (0.5, -0.75), "worst"),
        "large": ChartLine([0, 1], [0.1, 0.2]),
    }
    root = parsed(simple(lines))
    assert root.get("aria-label") == (
        "Title. f1 by threshold. small: 0.250 at 0.00, −0.750 at 0.50, 0.500 at 1.00; worst −0.750 at 0.50. "
        "large: 0.100 at 0.00, 0.200 at 1.00."
    )
    assert {"threshold", "f1", "small", "large", "0", "0.5", "−0.5"} <= set(texts(root))
    assert {"small", "large", "small: worst −0.750 at 0.50", "large: 0.200 at 1.00"} <= set(tips(root))
    assert len([e for e in root.iter("circle") if e.get("class") == "mark"]) == 1


def test_one_line_has_no_legend():
    assert "only" not in texts(parsed(simple({"only": ChartLine([0, 1], [0, 1])})))


def test_series_differ_without_their_colours():
    names = [f"s{number}" for number in range(5 * SERIES_COLORS)]
    root = parsed(simple({name: ChartLine([0, 1], [0, 1]) for name in names}))
    groups = [group for group in root.iter("g") if (group.find("path/title")) is not None]
    looks = {(group.get("class"), group.find("path").get("stroke-dasharray")) for group in groups}
    assert len(groups) == len(looks) == len(names)
    assert len({look[1] for look in list(looks)}) == 5
    diagram = parsed(reliability_chart({n: [Point(0.5, 0.5, 40)] for n in "abcd"}, title="t", x_label="x", y_label="y"))
    shapes = [(e.tag, e.get("points")) for e in diagram.iter() if e.get("class") == "mark"]
    assert len(set(shapes[-4:])) == 4


def test_steps_go_along_and_then_up():
    path = curves(parsed(simple({"a": ChartLine([0, 1], [0, 1])}, steps=True)))[0].get("d")
    straight = curves(parsed(simple({"a": ChartLine([0, 1], [0, 1])})))[0].get("d")
    (x0, y0), (x1, y1) = (map(float, spot.split()) for spot in straight[1:].split("L"))
    assert path == f"M{x0:.1f} {y0:.1f}H{x1:.1f}V{y1:.1f}" and x1 > x0 and y1 < y0


@given(
    st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=8),
    st.booleans(),
)
@settings(deadline=None)
def test_points_stand_inside_the_drawing_in_their_order(points, steps):
    root = parsed(simple({"a": ChartLine(*zip(*points, strict=True))}, steps=steps, diagonal=True))
    height = float(root.get("viewBox").split()[3])
    spots = [(float(c.get("cx")), float(c.get("cy"))) for c in root.iter("circle") if c.find("title") is not None]
    assert len(spots) == len(points)
    for (x, y), (left, top) in zip(points, spots, strict=True):
        assert 0 <= left <= WIDTH and 0 <= top <= height
        for (x2, y2), (left2, top2) in zip(points, spots, strict=True):
            assert x <= x2 or left >= left2 - 0.1
            assert y <= y2 or top <= top2 + 0.1


def test_a_long_line_is_small_and_keeps_its_extremes():
    x = np.linspace(0, 1, 11_873)
    y = np.full(len(x), 0.5)
    y[7_777], y[3_333] = 1.0, 0.0
    chart = simple({"a": ChartLine(x, y)}, x_limits=(0, 1), y_limits=(0, 1), steps=True)
    path = curves(parsed(chart))[0].get("d")
    assert len(chart) < 25_000 and path.count("H") <= MOST_POINTS
    heights = {float(height) for height in re.findall(r"V([\d.]+)", path)}
    assert max(heights) - min(heights) == 190  # the whole height of the plot


def test_points_that_are_not_finite_are_left_out():
    root = parsed(simple({"a": ChartLine([-math.inf, 0, math.nan, 1], [1, 0.5, 2, math.nan]), "b": ChartLine([], [])}))
    assert root.get("aria-label").endswith("a: 0.500 at 0.00. b: no value.")


def test_wrong_lines_are_refused():
    with pytest.raises(ValueError, match="no finite point"):
        simple({"a": ChartLine([math.nan], [1])})
    with pytest.raises(ValueError, match="no finite point"):
        simple({})
    with pytest.raises(ValueError, match="line 'a' has 2 x for 1 y"):
        simple({"a": ChartLine([0, 1], [1])})
    with pytest.raises(ValueError, match=r"x from 0 to 2 does not fit the limits \(0, 1\); widen them"):
        simple({"a": ChartLine([0, 2], [0, 0])}, x_limits=(0, 1))
    with pytest.raises(ValueError, match="y from -1 to -1 does not fit"):
        reliability_chart({"a": [Point(0.5, -1, 3)]}, title="t", x_label="x", y_label="y")
    with pytest.raises(ValueError, match="no finite point"):
        reliability_chart({"a": [Point(math.nan, math.nan, 0)]}, title="t", x_label="x", y_label="y")


def test_reliability_tells_sizes_and_few():
    points = {"a": [Point(0.1, 0.05, 400), Point(math.nan, math.nan, 0), Point(0.9, 1.0, 4)]}
    root = parsed(reliability_chart(points, title="Bins", x_label="said", y_label="seen"))
    assert root.get("aria-label") == ("Bins. seen by said. a: 0.05 at 0.10 (n = 400), 1.00 at 0.90 (n = 4, few).")
    scales = [
        float(re.search(r"scale\(([\d.]+)\)", g.get("transform"))[1]) for g in root.iter("g") if g.get("transform")
    ]
    assert len(scales) == 2 and scales[0] > scales[1] > 0.5
    assert [e.get("class") for e in root.iter("circle")] == ["mark", "mark open"]


def test_bars_count():
    root = parsed(count_bars(["1", "not found"], {"bm25": [3, 0], "dense": [1, 2000]}, title="Rank"))
    assert root.get("aria-label") == "Rank. Counts of bm25, dense. 1: 3, 1; not found: 0, 2,000."
    assert "dense, not found: 2,000" in tips(root)
    with pytest.raises(ValueError, match="nothing was counted"):
        count_bars([], {"a": []}, title="t")
    with pytest.raises(ValueError, match="nothing was counted"):
        count_bars(["1"], {}, title="t")
    with pytest.raises(ValueError, match="series 'a' has 2 counts for 1 labels"):
        count_bars(["1"], {"a": [1, 2]}, title="t")
