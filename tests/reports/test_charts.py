"""Charts: well-formed SVG, every number in words, nothing escapes, links of marks, extremes stay where points are omitted."""

import html
import math
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.reports.chart_parts import MOST_POINTS, escaped
from qassay.reports.charts import Mark, Row, change_chart, count_bars, histogram, interval_chart, stacked_bars
from qassay.reports.curve_charts import ChartLine, Point, line_chart, reliability_chart

ATTACKS = [
    "<script>alert(1)</script>\"'",
    "</svg><img src=x onerror=alert(1)>",
    "a\x00b\x1b\ud800c",
    "&lt; &amp;",
    "]]>",
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
        change_chart([0.5, -1], title=text),
        stacked_bars({text: {text: 1, other: 2}}, title=text),
        histogram({text: [0.1, 0.9], other: [1]}, title=text),
        line_chart({text: ChartLine([0, 1], [0, 1], (0.5, 0.5), text), other: ChartLine([0], [1])}, **labels),
        reliability_chart({text: [Point(0.1, 0.2, 5)], other: []}, **labels),
        count_bars([text, f"{text}x"], {text: [1, 2], other: [0, 0]}, title=text),
    ]


def test_hostile_texts_stay_texts():
    for attack in ATTACKS:
        for chart in drawn(attack):
            assert words(chart).startswith(" ".join(html.unescape(escaped(attack)).split()))
            chart.encode()


@given(st.text())
def test_any_text_makes_well_formed_charts(text):
    for chart in drawn(text):
        assert ET.fromstring(chart).tag == "svg"


def test_marks_are_links_with_their_names():
    href = '?a=1&b="2"'
    charts = {
        interval_chart([Row("who", [Mark(0.5, 0.4, 0.6, href=href), Mark(0.1)])], ["a", "b"], title="t"): ["who, a: 0.500"],
        change_chart([0.5, 0, -1], title="t", hrefs={"better": href, "worse": href}): ["better in 1", "worse in 1"],
        stacked_bars({"a": {"x": 1, "y": 0, "z": 2}}, title="t", href=lambda *at: href if at == ("a", "z") else ""): ["a: z, 2"],
        histogram({"a": [0.1, 0.95]}, title="t", limits=(0, 1), href=lambda name, low, high: href if high == 1 else ""): ["a, 0.9–1: 1"],
        count_bars(["x", "y"], {"a": [1, 0]}, title="t", href=lambda *_: href): ["a, x: 1"],
        simple({"a": ChartLine([0, 1], [0, 1], (0.5, 0.5), "best", href)}): ["a", "a: best"],
        simple({"a": ChartLine([0, math.nan, 1], [0, 0, 1], at=["", "#", href].__getitem__)}): ["a: 1.000 at 1.00"],
        reliability_chart({"a": [Point(0.1, 0.2, 5, href), Point(0.3, 0.2, 5)]}, **LABELS): ["a: 0.20"],
    }  # fmt: skip
    for chart, names in charts.items():
        root = ET.fromstring(chart)
        assert root.get("role") == "group" and root.get("aria-label"), "a picture has no links in it"
        links = list(root.iter("a"))
        assert [link.get("href") for link in links] == [href] * len(names)
        assert all(link.get("aria-label").startswith(name) for link, name in zip(links, names, strict=True))


def test_intervals_are_told_in_words_with_the_examples_of_each_system():
    better = Mark(0.25, 0.125, 0.5, "better", False, "could be chance")
    rows = [
        Row("who", [better, Mark(-0.5, -0.75, -0.25)], [12, 12], True),
        Row("what", [None, Mark(math.nan, 0, 1)], [1200, 1200]),
        Row("how", [Mark(0.25), Mark(0.5)], [3, 1200]),
    ]
    chart = interval_chart(rows, ["small", "large"], title="Differences", zero=True)
    assert words(chart) == (
        "Differences. who (n = 12, few): small 0.250 (0.125 to 0.500), could be chance, large −0.500 "
        "(−0.750 to −0.250). what (n = 1,200): small no value, large no value. "
        "how (n = 3 to 1,200): small 0.250, large 0.500."
    )
    assert tips(chart)[:2] == [
        "who, small: 0.250 (0.125 to 0.500), could be chance, n = 12, few",
        "who, large: −0.500 (−0.750 to −0.250), n = 12, few",
    ]
    assert tips(chart)[2:] == ["how, small: 0.250, n = 3", "how, large: 0.500, n = 1,200"]


def test_changes_are_counted_by_what_is_better():
    changes = [0.5, 0.0, -0.25, 1.0, math.nan, 0.0, 0.25, -1.0]
    chart = change_chart(changes, title="f1")
    told = "7 examples: better in 3 (43 %), same in 2 (29 %), worse in 2 (29 %); changes from +1.000 to −1.000."
    assert words(chart) == f"f1. {told}"
    assert tips(chart) == ["better in 3 of 7, by up to +1.000", "same in 2 of 7", "worse in 2 of 7, by up to −1.000"]
    lower = change_chart(changes, title="errors", lower_is_better=True)
    assert "better in 2 (29 %), same in 2 (29 %), worse in 3 (43 %)" in words(lower)
    assert len(change_chart(np.linspace(1, -1, 100_001), title="t")) < 40 * MOST_POINTS


def test_bars_and_histograms_tell_every_count():
    counts = {"small": {"correct": 1, "too long": 2, "wrong": 1}, "large": {"wrong": 999, "correct": 1}, "none": {}}
    chart = stacked_bars(counts, title="Kinds")
    assert words(chart) == (
        "Kinds. small: correct 1 (25 %), too long 2 (50 %), wrong 1 (25 %). large: correct 1 (<1 %), wrong 999 (99 %). "
        "none: none."
    )
    assert tips(chart)[1] == "small: too long, 2 of 4 (50 %)"
    chart = histogram({"a": [0, 0.5, 1, math.nan], "b": [0.1] * 1200}, title="f1", bins=4, limits=(0, 1))
    assert words(chart) == "f1. Counts of a, b. 0–0.25: 1, 1,200; 0.25–0.5: 0, 0; 0.5–0.75: 1, 0; 0.75–1: 1, 0."
    chart = count_bars(["1", "not found"], {"bm25": [3, 0], "dense": [1, 2000]}, title="Rank")
    assert words(chart) == "Rank. Counts of bm25, dense. 1: 3, 1; not found: 0, 2,000."


def test_a_line_in_words_with_its_mark():
    lines = {
        "small": ChartLine([0, 0.5, 1], [0.25, -0.75, 0.5], (0.5, -0.75), "worst"),
        "large": ChartLine([-math.inf, 0, math.nan, 1], [1, 0.1, 2, math.nan]),
        "none": ChartLine([], []),
    }
    assert words(simple(lines)) == (
        "t. y by x. small: 0.250 at 0.00, −0.750 at 0.50, 0.500 at 1.00; worst −0.750 at 0.50. "
        "large: 0.100 at 0.00. none: no value."
    )


def test_a_long_line_is_small_and_keeps_its_extremes():
    y = np.full(11_873, 0.5)
    y[7_777], y[3_333] = 1.0, 0.0
    chart = simple({"a": ChartLine(np.linspace(0, 1, len(y)), y)}, x_limits=(0, 1), y_limits=(0, 1), steps=True)
    heights = {float(height) for height in re.findall(r"V([\d.]+)", chart)}
    assert len(chart) < 25_000 and max(heights) - min(heights) == 190  # the whole height of the plot


def test_reliability_tells_sizes_and_few():
    points = {"a": [Point(0.1, 0.05, 400), Point(math.nan, math.nan, 0), Point(0.9, 1.0, 4)]}
    assert (
        words(reliability_chart(points, **LABELS)) == "t. y by x. a: 0.05 at 0.10 (n = 400), 1.00 at 0.90 (n = 4, few)."
    )


@pytest.mark.parametrize(
    "chart, words",
    [
        (lambda: interval_chart([], ["a"], title=""), "row"),
        (lambda: interval_chart([Row("f1", [None])], ["a", "b"], title=""), "'f1'"),
        (lambda: change_chart([math.nan], title="t"), "change"),
        (lambda: stacked_bars({"a": {}}, title="t"), "kind"),
        (lambda: histogram({"a": [math.inf]}, title="t"), "finite"),
        (lambda: histogram({"a": [2.0]}, title="t", limits=(0, 1)), r"\(0, 1\)"),
        (lambda: simple({"a": ChartLine([math.nan], [1])}), "finite"),
        (lambda: simple({"a": ChartLine([0, 1], [1])}), "'a'"),
        (lambda: simple({"a": ChartLine([0, 2], [0, 0])}, x_limits=(0, 1)), r"x from 0 to 2"),
        (lambda: reliability_chart({"a": [Point(0.5, -1, 3)]}, **LABELS), "y from -1 to -1"),
        (lambda: count_bars(["1"], {}, title="t"), "counted"),
        (lambda: count_bars(["1"], {"a": [1, 2]}, title="t"), "'a'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(chart, words):
    with pytest.raises(ValueError, match=words):
        chart()
