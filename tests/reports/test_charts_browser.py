"""Charts and reports in a browser: what marks tell and where they lead, with and without scripts; one page is one page."""

import html
import re

import numpy as np
import pytest

from qassay.reports.chart_parts import CSS
from qassay.reports.comparison_page import comparison_page
from qassay.reports.curve_charts import ChartLine, line_chart
from qassay.reports.html_parts import live_script
from qassay.reports.one_page import one_page

from ..spaces_app.conftest import NEXT_FRAMES, SECONDS, browser, expect, soon  # noqa: F401 - a fixture
from .test_comparison_page import change, difference, example, report_of

WORDS = "a question of many words that goes on and on " * 6


@pytest.fixture
def visit(browser, tmp_path):  # noqa: F811
    """`visit(text, ...)` opens a page from a file; nothing may go wrong in it, and it asks for nothing."""
    wrong, contexts = [], []

    def open_page(text, width=1280, *, scripts=True):
        path = tmp_path / "page.html"
        path.write_text(text, "utf-8")
        context = browser.new_context(viewport={"width": width, "height": 900}, java_script_enabled=scripts)
        context.set_default_timeout(1_000 * SECONDS)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text))
        page.on("request", lambda asked: asked.url.startswith(("file:", "data:")) or wrong.append(asked.url))
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not wrong


def test_marks_tell_what_they_are_and_lead_to_their_examples(visit):
    kinds = {"small": {"correct": 30, "too long": 34}, "large": {"correct": 30, "gave no answer": 34}}
    report = comparison_page(report_of(kinds={"answer_match": kinds}))
    page = visit(report)
    readout, bars = page.locator(".readout"), page.locator("#kinds svg.chart a.go")
    bars.first.scroll_into_view_if_needed()

    def point_beside_the_mark():
        """Repeats until the note appears, because a late scroll event hides it."""
        page.mouse.move(1, 1)
        box = bars.first.bounding_box()
        page.mouse.move(box["x"] + 5, box["y"] - 6)
        page.evaluate(NEXT_FRAMES)
        return readout.all_inner_texts()[:1]

    soon(lambda: [text.splitlines()[1][:18] for text in point_beside_the_mark()], ["too long, 34 of 64"])
    page.mouse.move(1, 1)
    expect(readout).to_have_count(0)
    bars.first.focus()
    page.keyboard.press("ArrowRight")
    soon(lambda: readout.inner_text().startswith("large\ngave no answer, 34 of 64 (53 %)"))
    page.keyboard.press("Escape")
    expect(readout).to_have_count(0)
    page.locator("#kinds .entry").first.scroll_into_view_if_needed()
    entry = page.locator("#kinds .entry").first.bounding_box()
    page.mouse.move(entry["x"] + 2, entry["y"] + 5)
    expect(page.locator("#kinds .dim")).not_to_have_count(0)
    expect(page.locator("#kinds g.kind-right.dim")).to_have_count(0)
    cards, kept = page.locator("article:visible"), page.locator(".kept")
    total = cards.count()
    assert total
    bars.first.click(force=True)
    expect(kept).to_contain_text("of the 2 examples of this report: small: too long")
    expect(kept).to_be_visible()
    assert 0 < cards.count() <= total
    page.get_by_role("button", name="Show all examples").click()
    expect(kept).to_be_hidden()
    expect(cards).to_have_count(total)
    around = visit(f'<!DOCTYPE html><iframe sandbox="allow-scripts" srcdoc="{html.escape(report)}"></iframe>')
    framed = around.frames[1]
    first = framed.locator("#kinds svg.chart a.go").first
    first.focus()
    expect(first).to_be_focused()
    around.keyboard.press("Enter")
    expect(framed.locator(".kept")).to_be_visible()
    assert framed.url == "about:srcdoc", "the page around is not loaded into the frame"
    plain = visit(report, scripts=False)
    assert plain.locator("#kinds svg.chart title").count() and plain.locator("article").count() == total


def test_the_tab_key_reaches_the_marks_of_every_chart_and_shows_their_values(visit):
    """Also where the browser scrolls to them; a chart without links tells its marks by the arrow keys."""
    kinds = {"small": {"correct": 30, "too long": 34}, "large": {"correct": 30, "gave no answer": 34}}
    page = visit(comparison_page(report_of(kinds={"answer_match": kinds})))
    readout, seen = page.locator(".readout"), set()
    charts = page.locator("svg.chart[aria-label]:visible").count()
    focused = "() => document.activeElement.closest('svg.chart')?.getAttribute('aria-label') ?? ''"
    for _ in range(200):
        page.keyboard.press("Tab")
        chart = page.evaluate(focused)
        if not chart:
            continue
        page.evaluate(NEXT_FRAMES)
        expect(readout).to_be_visible()
        told, mark = readout.bounding_box(), page.locator("svg.chart .on").first.bounding_box()
        assert abs(told["y"] + told["height"] / 2 - mark["y"]) < 150, "beside its mark, after a scroll too"
        if "kinds" in chart.lower() and chart not in seen:
            page.keyboard.press("Enter")
            expect(page.locator(".kept")).to_be_visible()
        seen.add(chart)
        if len(seen) == charts:
            break
    assert charts >= 2 and len(seen) == charts


def test_of_marks_that_overlap_the_closest_is_told_and_opened(visit):
    """Twenty marks, each larger than the room between two of them."""
    x = np.linspace(0, 0.25, 20)
    line = ChartLine(x, x, at=lambda place: f"#mark-{place}")
    chart = line_chart({"only": line}, title="t", x_label="x", y_label="y", x_limits=(0, 1), y_limits=(0, 1))
    page = visit(f"<!DOCTYPE html><style>{CSS}</style>{chart}<script>{live_script()}</script>", width=375)
    links = page.locator("svg a")
    assert links.count() == 20
    for place, link in enumerate(links.all()):
        at = link.locator("circle").first.bounding_box()
        page.mouse.click(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
        expect(page).to_have_url(re.compile(rf"#mark-{place}$"))


def test_text_of_charts_can_be_read_on_a_phone(visit):
    page = visit(comparison_page(report_of()), width=375)
    heights = page.evaluate(
        "[...document.querySelectorAll('svg.chart[aria-label]')].map(svg => 13 * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)"
    )
    assert heights and min(heights) >= 11
    assert page.evaluate("document.documentElement.scrollWidth") <= 375


def test_one_page_prints_on_one_page(visit):
    pair = ("a_system_with_a_name_as_long_as_that_1", "another_one_of_which_the_name_is_long")
    labels = [f"label of a slice {place} that is long" for place in range(3)]
    cards = {
        ("the_name_of_a_slicing", label): [example(place, question=WORDS, gold=[WORDS], answers=(WORDS, WORDS))]
        for place, label in enumerate(labels)
    }
    kinds = dict.fromkeys([f"kind of error number {place}" for place in range(11)], 9)
    full = report_of(
        pair,
        slices={"the_name_of_a_slicing": {label: [difference(first=pair[0], second=pair[1], n=31 + place)] for place, label in enumerate(labels)}},
        changes=[change(first=pair[0], second=pair[1], of_slices=cards, changes=np.zeros(3))],
        kinds={"answer_match": dict.fromkeys(pair, kinds)},
        remarks=[WORDS, f"b{WORDS}", f"c{WORDS}", f"d{WORDS}"],
    )  # fmt: skip
    page = visit(one_page(full))
    assert page.locator(".example").count() == 3
    printed = page.pdf(format="A4", prefer_css_page_size=True)
    assert len(re.findall(rb"/Type /Page\b", printed)) == 1
    page.set_viewport_size({"width": 375, "height": 812})
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
