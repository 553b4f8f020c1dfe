"""Charts: well-formed SVG, every number in words, nothing escapes, nothing is lost by drawing fewer points."""

import html
import itertools
import math
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.reports.chart_parts import MOST_POINTS, WIDTH, escaped, text_width
from qassay.reports.charts import Mark, Row, change_chart, histogram, interval_chart, stacked_bars

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
    assert not re.search(r"http|url\(|\b(src|href|style|on\w+)=", re.sub(r'"[^"]*"|>[^<]*<', '""', chart))
    assert "nan" not in chart and "inf" not in re.sub(r"[a-z]+fin[a-z]+", "", chart)
    return root


def texts(root):
    return [element.text for element in root.iter("text")]


def tips(root):
    return [element.text for element in root.iter("title")]


def drawn(attack):
    row = Row(attack, [Mark(0.5, 0.4, 0.6, note=attack), Mark(0.1)], 5, True)
    return [
        interval_chart([row], [attack, "b"], title=attack),
        change_chart([0.5, -1], title=attack),
        stacked_bars({attack: {attack: 1, "b": 2}}, title=attack),
        histogram({attack: [0.1, 0.9], "b": [1]}, title=attack),
    ]


@pytest.mark.parametrize("attack", ATTACKS)
def test_hostile_texts_stay_texts(attack):
    for chart in drawn(attack):
        root = parsed(chart)
        assert root.get("aria-label").startswith(" ".join(html.unescape(escaped(attack)).split()))
        assert not {element.tag for element in root.iter()} & {"script", "img", "image", "a", "foreignObject"}
        chart.encode()


@given(st.text())
def test_any_text_makes_well_formed_charts(text):
    for chart in drawn(text):
        parsed(chart)


def test_intervals_in_words_marks_and_texts():
    rows = [
        Row("who", [Mark(0.25, 0.125, 0.5, "gain", False, "could be chance"), Mark(-0.5, -0.75, -0.25)], 12, True),
        Row("what", [None, Mark(math.nan, 0, 1)], 1200),
    ]
    root = parsed(interval_chart(rows, ["small", "large"], title="Differences", zero=True))
    assert root.get("aria-label") == (
        "Differences. who (n = 12, few): small 0.250 (0.125 to 0.500), could be chance, large −0.500 "
        "(−0.750 to −0.250). "
        "what (n = 1,200): small no value, large no value."
    )
    assert tips(root) == [
        "who, small: 0.250 (0.125 to 0.500), could be chance",
        "who, large: −0.500 (−0.750 to −0.250)",
    ]
    assert {"who", "n = 12, few", "n = 1,200", "0.250", "−0.500", "–", "small", "large"} <= set(texts(root))
    groups = [group.get("class") for group in root.iter("g") if group.find("title") is not None]
    assert groups == ["gain few", "s2 few"]
    assert [element.get("class") for element in root.iter("circle")] == ["mark", "mark open"]  # legend, hollow mark
    zero = [line for line in root.iter("line") if line.get("class") == "zero"]
    ticks = [element for element in root.iter("text") if element.get("text-anchor") == "middle"]
    assert [zero[0].get("x1")] == [tick.get("x") for tick in ticks if tick.text == "0"]


def test_one_series_has_no_legend_and_no_zero_line_unless_asked():
    root = parsed(interval_chart([Row("f1", [Mark(0.5)])], ["only"], title="Values"))
    assert "only" not in texts(root) and not [line for line in root.iter("line") if line.get("class") == "zero"]


def test_wrong_rows_are_refused():
    with pytest.raises(ValueError, match="at least one row"):
        interval_chart([], ["a"], title="")
    with pytest.raises(ValueError, match="row 'f1' has 1 marks for 2 series"):
        interval_chart([Row("f1", [None])], ["a", "b"], title="")


@given(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), min_size=1, max_size=6), st.booleans())
def test_marks_stand_inside_the_drawing_in_their_order(numbers, zero):
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
    assert areas == ["loss", "gain"]  # the largest rise on the left, which is a loss


@pytest.mark.parametrize("changes", [[0.0], [1.0], [-1e-9], [0.0] * 5, np.linspace(1, -1, 100_001), [1e9, -3]])
def test_extreme_changes_are_drawn(changes):
    root = parsed(change_chart(changes, title="t"))
    for path in root.iter("path"):
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", path.get("d"))]
        assert all(0 <= number <= WIDTH for number in numbers)
    assert len("".join(path.get("d") for path in root.iter("path"))) < 20 * MOST_POINTS


def test_a_chart_without_numbers_is_refused():
    with pytest.raises(ValueError, match="no example has a change"):
        change_chart([math.nan], title="t")
    with pytest.raises(ValueError, match="no kind was counted"):
        stacked_bars({"a": {}}, title="t")
    with pytest.raises(ValueError, match="no finite number"):
        histogram({"a": [math.inf]}, title="t")


@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=1, max_size=3000))
def test_the_widths_of_the_parts_are_the_counts(changes):
    root = parsed(change_chart(changes, title="t"))
    left = min(float(line.get("x1")) for line in root.iter("line") if line.get("class") == "zero")
    for tone, count in (("gain", sum(c > 0 for c in changes)), ("loss", sum(c < 0 for c in changes))):
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
    with pytest.raises(ValueError, match=r"do not fit the limits \(0, 1\)"):
        histogram({"a": [2.0]}, title="t", limits=(0, 1))
    with pytest.raises(ValueError, match="bins must be at least 1"):
        histogram({"a": [2.0]}, title="t", bins=0)
