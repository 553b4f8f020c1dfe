"""Charts and curves: well-formed SVG, every number in words, nothing escapes, extremes stay when points are omitted."""

import html
import itertools
import math
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay.reports.chart_parts import MOST_POINTS, WIDTH, escaped, text_width
from qassay.reports.charts import Mark, Row, change_chart, count_bars, histogram, interval_chart, stacked_bars
from qassay.reports.curve_charts import ChartLine, Point, line_chart, reliability_chart
from qassay.reports.palette import SYSTEM_COLORS

ATTACKS = [
    "<script>alert(1)</script>\"'",
    "</svg><img src=x onerror=alert(1)>",
    "a\x00b\x1b\ud800c",
    "&lt; &amp;",
    "]]>",
]
NUMBERS = st.floats(-1e6, 1e6, allow_nan=False)


def parsed(chart):
    """The root of a chart without links, which must be valid XML."""
    root = ET.fromstring(chart)
    assert root.tag == "svg" and root.get("role") == "img" and root.get("aria-label")
    assert root.get("width") == "100%" and re.fullmatch(rf"0 0 {WIDTH} [\d.]+", root.get("viewBox"))
    assert not re.search(r"http|url\(|\b(src|href|style|on\w+)=", re.sub(r'"[^"]*"|>[^<]*<', '""', chart))
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


@pytest.mark.parametrize("attack", ATTACKS)
def test_hostile_texts_stay_texts(attack):
    for chart in drawn(attack):
        root = parsed(chart)
        assert root.get("aria-label").startswith(" ".join(html.unescape(escaped(attack)).split()))
        chart.encode()


def test_marks_are_links_with_their_names():
    href = '?a=1&b="2"'
    charts = {
        interval_chart([Row("who", [Mark(0.5, 0.4, 0.6, href=href), Mark(0.1)])], ["a", "b"], title="t"): ["who, a: 0.500"],
        change_chart([0.5, 0, -1], title="t", hrefs={"better": href, "worse": href}): ["better in 1", "worse in 1"],
        stacked_bars({"a": {"x": 1, "y": 0, "z": 2}}, title="t", href=lambda *at: href if at == ("a", "z") else ""): ["a: z, 2"],
        histogram({"a": [0.1, 0.95]}, title="t", limits=(0, 1), href=lambda name, low, high: href if high == 1 else ""): [
            "a, 0.9–1: 1"
        ],
        count_bars(["x", "y"], {"a": [1, 0]}, title="t", href=lambda *_: href): ["a, x: 1"],
        line_chart({"a": ChartLine([0, 1], [0, 1], (0.5, 0.5), "best", href)}, title="t", x_label="x", y_label="y"): ["a", "a: best"],
        line_chart({"a": ChartLine([0, math.nan, 1], [0, 0, 1], at=["", "#", href].__getitem__)}, title="t", x_label="x", y_label="y"): ["a: 1.000 at 1.00"],
        reliability_chart({"a": [Point(0.1, 0.2, 5, href), Point(0.3, 0.2, 5)]}, title="t", x_label="x", y_label="y"): ["a: 0.20"],
    }  # fmt: skip
    for chart, names in charts.items():
        root = ET.fromstring(chart)
        assert root.get("role") == "group" and root.get("aria-label"), "a picture has no links in it"
        links = list(root.iter("a"))
        assert [link.get("href") for link in links] == [href] * len(names)
        for link, name in zip(links, names, strict=True):
            assert link.get("class") == "go" and link.get("aria-label").startswith(name)
            assert link.find(".//title").text == link.get("aria-label")
        hidden = [part for part in root if part.get("aria-hidden") == "true"]
        assert not [link for part in hidden for link in part.iter("a")]
        assert {*root.iter("text")} == {text for part in hidden for text in part.iter("text")}


@given(st.text())
@settings(deadline=None)
def test_any_text_makes_well_formed_charts(text):
    for chart in drawn(text):
        assert ET.fromstring(chart).tag == "svg"


def test_intervals_in_words_marks_and_texts():
    rows = [
        Row(
            "who",
            [Mark(0.25, 0.125, 0.5, "better", False, "could be chance"), Mark(-0.5, -0.75, -0.25)],
            [12, 12],
            True,
        ),
        Row("what", [None, Mark(math.nan, 0, 1)], [1200, 1200]),
    ]
    root = parsed(interval_chart(rows, ["small", "large"], title="Differences", zero=True))
    assert root.get("aria-label") == (
        "Differences. who (n = 12, few): small 0.250 (0.125 to 0.500), could be chance, large −0.500 "
        "(−0.750 to −0.250). "
        "what (n = 1,200): small no value, large no value."
    )
    assert tips(root) == [
        "who, small: 0.250 (0.125 to 0.500), could be chance, n = 12, few",
        "who, large: −0.500 (−0.750 to −0.250), n = 12, few",
    ]
    assert {"who", "n = 12, few", "n = 1,200", "0.250", "−0.500", "–", "small", "large"} <= set(texts(root))
    groups = [group.get("class") for group in root.iter("g") if group.find("title") is not None]
    assert groups == ["better few", "system-2 few"]
    assert [element.get("class") for element in root.iter("circle")] == ["mark", "mark open"]  # legend, hollow mark
    zero = [line for line in root.iter("line") if line.get("class") == "zero"]
    ticks = [element for element in root.iter("text") if element.get("text-anchor") == "middle"]
    assert [zero[0].get("x1")] == [tick.get("x") for tick in ticks if tick.text == "0"]


def test_each_mark_tells_the_number_of_examples_of_its_own_system():
    row = Row("how", [Mark(0.25), None, Mark(0.5), Mark(math.nan)], [3, 0, 1200, 7])
    drawn = interval_chart([row], list("abcd"), title="t")
    assert "<title>how, a: 0.250, n = 3</title>" in drawn and "<title>how, c: 0.500, n = 1,200</title>" in drawn
    assert ">n = 3 to 1,200</text>" in drawn and 'aria-label="t. how (n = 3 to 1,200): ' in drawn


def test_one_series_has_no_legend_and_no_zero_line_unless_asked():
    assert "only" not in texts(parsed(simple({"only": ChartLine([0, 1], [0, 1])})))
    root = parsed(interval_chart([Row("f1", [Mark(0.5)])], ["only"], title="Values"))
    assert "only" not in texts(root) and not [line for line in root.iter("line") if line.get("class") == "zero"]


@given(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), min_size=1, max_size=6), st.booleans())
def test_marks_are_inside_the_drawing_in_their_order(numbers, zero):
    rows = [Row(str(i), [Mark(value, min(ends), max(ends))]) for i, (value, *ends) in enumerate(numbers)]
    root = parsed(interval_chart(rows, ["a"], title="t", zero=zero))
    places = [float(circle.get("cx")) for circle in root.iter("circle")]
    assert len(places) == len(rows) and all(0 <= place <= WIDTH for place in places)
    for (a, *_), x in zip(numbers, places, strict=True):
        for (b, *_), y in zip(numbers, places, strict=True):
            assert a < b or x >= y - 0.1
    ticks = [element for element in root.iter("text") if element.get("text-anchor") == "middle"]
    ends = sorted(
        (float(t.get("x")) - text_width(t.text) / 2, float(t.get("x")) + text_width(t.text) / 2) for t in ticks
    )
    assert len(ticks) <= 2 or all(right < left for (_, right), (left, _) in itertools.pairwise(ends))


def test_labels_are_cut_and_whole_in_their_title():
    name = "a very long name of a slice that nobody could draw in one line of this chart"
    for chart in (
        interval_chart([Row(name, [Mark(0.5)])], ["a"], title="t"),
        stacked_bars({name * 3: {"right": 1}}, title="t"),
    ):
        cut = [element for element in parsed(chart).iter("text") if element.find("title") is not None]
        assert len(cut) == 1 and cut[0].text.endswith("…") and cut[0].find("title").text in (name, name * 3)


def test_changes_are_counted_and_coloured_by_what_is_better():
    changes = [0.5, 0.0, -0.25, 1.0, math.nan, 0.0, 0.25, -1.0]
    root = parsed(change_chart(changes, title="f1"))
    words = "7 examples: better in 3 (43 %), same in 2 (29 %), worse in 2 (29 %); changes from +1.000 to −1.000."
    assert root.get("aria-label") == f"f1. {words}"
    assert tips(root) == ["better in 3 of 7, by up to +1.000", "same in 2 of 7", "worse in 2 of 7, by up to −1.000"]
    assert {"better", "same", "worse", "3 (43 %)", "2 (29 %)"} <= set(texts(root))
    lower = parsed(change_chart(changes, title="errors", lower_is_better=True))
    assert "better in 2 (29 %), same in 2 (29 %), worse in 3 (43 %)" in lower.get("aria-label")
    areas = [group.get("class") for group in lower.iter("g") if group.find("path") is not None]
    assert areas == ["worse", "better"]  # the largest rise on the left, which is a loss


def test_the_line_at_zero_lies_below_the_marks_so_that_the_pointer_reaches_them():
    chart = change_chart([1.0, 0.0, -1.0], title="f1", hrefs={"same": "?change=same"})
    assert chart.count('class="zero"') == 1 and chart.index('class="zero"') < chart.index('class="go"')
    (reach,) = (one for one in ET.fromstring(chart).iter("rect") if one.get("fill") == "transparent")
    (line,) = (one for one in ET.fromstring(chart).iter("line") if one.get("class") == "whisker")
    assert line.get("x1") == reach.get("x") and float(reach.get("height")) > 10


@pytest.mark.parametrize("changes", [[0.0], [1.0], [-1e-9], [0.0] * 5, np.linspace(1, -1, 100_001), [1e9, -3]])
def test_extreme_changes_are_drawn(changes):
    root = parsed(change_chart(changes, title="t"))
    for path in root.iter("path"):
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", path.get("d"))]
        assert all(0 <= number <= WIDTH for number in numbers)
    assert len("".join(path.get("d") for path in root.iter("path"))) < 20 * MOST_POINTS


@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=1, max_size=3000))
def test_the_widths_of_the_parts_are_the_counts(changes):
    root = parsed(change_chart(changes, title="t"))
    left = min(float(line.get("x1")) for line in root.iter("line") if line.get("class") == "zero")
    for tone, count in (("better", sum(c > 0 for c in changes)), ("worse", sum(c < 0 for c in changes))):
        paths = [
            g.find("path").get("d") for g in root.iter("g") if g.get("class") == tone and g.find("path") is not None
        ]
        assert len(paths) == (count > 0)
        for path in paths:
            xs = [float(x) for x in re.findall(r"[MH]([\d.]+)", path)]
            assert max(xs) - min(xs) == pytest.approx((WIDTH - left) * count / len(changes), abs=0.11)


def test_bars_fill_the_width_and_tell_every_count():
    counts = {"small": {"correct": 1, "too long": 2, "wrong": 1}, "large": {"wrong": 999, "correct": 1}, "none": {}}
    root = parsed(stacked_bars(counts, title="Kinds"))
    assert root.get("aria-label") == (
        "Kinds. small: correct 1 (25 %), too long 2 (50 %), wrong 1 (25 %). large: correct 1 (<1 %), wrong 999 (99 %). "
        "none: none."
    )
    assert tips(root)[1] == "small: too long, 2 of 4 (50 %)"
    bars = [rect for rect in root.iter("rect") if rect.find("title") is not None]
    assert sum(float(rect.get("width")) for rect in bars[:3]) == pytest.approx(WIDTH - 4.5)
    assert {"correct", "too long", "wrong", "n = 4", "n = 1,000", "50 %"} <= set(texts(root))
    assert "<1 %" not in texts(root)  # no room in its bar


def test_histogram_counts_every_value_once():
    values = {"a": [0, 0.5, 1, math.nan], "b": [0.1] * 1200}
    root = parsed(histogram(values, title="f1", bins=4, limits=(0, 1)))
    assert root.get("aria-label") == (
        "f1. Counts of a, b. 0–0.25: 1, 1,200; 0.25–0.5: 0, 0; 0.5–0.75: 1, 0; 0.75–1: 1, 0."
    )
    assert tips(root)[:2] == ["a, 0–0.25: 1", "b, 0–0.25: 1,200"]


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


def test_series_differ_without_their_colours():
    names = [f"s{number}" for number in range(5 * SYSTEM_COLORS)]
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
def test_points_are_inside_the_drawing_in_their_order(points, steps):
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


def test_points_that_are_not_finite_are_omitted():
    root = parsed(simple({"a": ChartLine([-math.inf, 0, math.nan, 1], [1, 0.5, 2, math.nan]), "b": ChartLine([], [])}))
    assert root.get("aria-label").endswith("a: 0.500 at 0.00. b: no value.")


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


def reliable(x, y):
    return reliability_chart({"a": [Point(x, y, 3)]}, title="t", x_label="x", y_label="y")


@pytest.mark.parametrize(
    "chart, words",
    [
        (lambda: interval_chart([], ["a"], title=""), "at least one row"),
        (lambda: interval_chart([Row("f1", [None])], ["a", "b"], title=""), "row 'f1' has 1 marks for 2 series"),
        (lambda: change_chart([math.nan], title="t"), "no example has a change"),
        (lambda: stacked_bars({"a": {}}, title="t"), "no kind was counted"),
        (lambda: histogram({"a": [math.inf]}, title="t"), "no finite number"),
        (lambda: histogram({"a": [2.0]}, title="t", limits=(0, 1)), r"do not fit the limits \(0, 1\)"),
        (lambda: histogram({"a": [2.0]}, title="t", bins=0), "bins must be at least 1"),
        (lambda: simple({"a": ChartLine([math.nan], [1])}), "no finite point"),
        (lambda: simple({}), "no finite point"),
        (lambda: simple({"a": ChartLine([0, 1], [1])}), "line 'a' has 2 x for 1 y"),
        (
            lambda: simple({"a": ChartLine([0, 2], [0, 0])}, x_limits=(0, 1)),
            r"x from 0 to 2 does not fit the limits \(0, 1\); widen them",
        ),
        (lambda: reliable(0.5, -1), "y from -1 to -1 does not fit"),
        (lambda: reliable(math.nan, math.nan), "no finite point"),
        (lambda: count_bars([], {"a": []}, title="t"), "nothing was counted"),
        (lambda: count_bars(["1"], {}, title="t"), "nothing was counted"),
        (lambda: count_bars(["1"], {"a": [1, 2]}, title="t"), "series 'a' has 2 counts for 1 labels"),
    ],
)
def test_what_cannot_be_drawn_is_refused(chart, words):
    with pytest.raises(ValueError, match=words):
        chart()
