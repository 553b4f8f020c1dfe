"""Charts: well-formed SVG, counts in words, hostile texts, extremes that stay where points are omitted."""

import html
import math
import re
import xml.etree.ElementTree as ET

import numpy as np

from qassay.reports.chart_parts import escaped
from qassay.reports.charts import Mark, Row, count_bars, histogram, interval_chart
from qassay.reports.curve_charts import ChartLine, line_chart

ATTACKS = [
    "<script>alert(1)</script>\"'",
    "</svg><img src=x onerror=alert(1)>",
    "a\x00b\x1b\ud800c",
]
LABELS = {"title": "t", "x_label": "x", "y_label": "y"}


def parsed(chart):
    """The root of a chart without links, which must be valid XML, hold nothing live, and show only numbers."""
    root = ET.fromstring(chart)
    assert root.tag == "svg" and root.get("role") == "img" and root.get("aria-label")
    assert not re.search(r"http|url\(|\b(src|href|style|on\w+)=", re.sub(r'"[^"]*"|>[^<]*<', '""', chart))
    assert "nan" not in chart and "inf" not in re.sub(r"[a-z]+fin[a-z]+", "", chart)
    assert not {element.tag for element in root.iter()} & {"script", "img", "image", "a", "foreignObject", "style"}
    return root


def words(chart):
    return parsed(chart).get("aria-label")


def tips(chart):
    return [element.text for element in parsed(chart).iter("title")]


def simple(lines, **options):
    return line_chart(lines, **{**LABELS, **options})


def drawn(text):
    other, labels = f"{text}b", {"title": text, "x_label": text, "y_label": text}
    row = Row(text, [Mark(0.5, 0.4, 0.6, note=text), Mark(0.1)], [5, 5], True)
    return [
        interval_chart([row], [text, other], title=text),
        histogram({text: [0.1, 0.9], other: [1]}, title=text),
        line_chart({text: ChartLine([0, 1], [0, 1], (0.5, 0.5), text), other: ChartLine([0], [1])}, **labels),
        count_bars([text, f"{text}x"], {text: [1, 2], other: [0, 0]}, title=text),
    ]


def test_hostile_texts_stay_texts():
    for attack in ATTACKS:
        for chart in drawn(attack):
            assert words(chart).startswith(" ".join(html.unescape(escaped(attack)).split()))
            chart.encode()


def test_bars_and_histograms_tell_every_count():
    chart = histogram({"a": [0, 0.5, 1, math.nan], "b": [0.1] * 1200}, title="f1", bins=4, limits=(0, 1))
    assert words(chart) == "f1. Counts of a, b. 0–0.25: 1, 1,200; 0.25–0.5: 0, 0; 0.5–0.75: 1, 0; 0.75–1: 1, 0."
    chart = count_bars(["1", "not found"], {"bm25": [3, 0], "dense": [1, 2000]}, title="Rank")
    assert words(chart) == "Rank. Counts of bm25, dense. 1: 3, 1; not found: 0, 2,000."


def test_a_long_line_is_small_and_keeps_its_extremes():
    y = np.full(11_873, 0.5)
    y[7_777], y[3_333] = 1.0, 0.0
    chart = simple({"a": ChartLine(np.linspace(0, 1, len(y)), y)}, x_limits=(0, 1), y_limits=(0, 1), steps=True)
    heights = {float(height) for height in re.findall(r"V([\d.]+)", chart)}
    assert len(chart) < 25_000 and max(heights) - min(heights) == 190  # the whole height of the plot
