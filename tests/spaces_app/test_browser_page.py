"""The page as a whole in a browser: every sample in every tab, contrast, width, fonts, keyboard."""

import re

import pytest

from qassay.spaces_app.address import View
from qassay.spaces_app.errors_address import choice_of
from qassay.spaces_app.errors_choice import chosen_rows
from qassay.spaces_app.inputs import sample_analysis
from qassay.spaces_app.samples import SAMPLES

from .conftest import expect, shows, soon

# What a panel shows, the report in its frame too.
PANELS = """panels => panels.map(panel => [
    panel.innerText, ...[...panel.querySelectorAll('iframe')].map(frame => frame.srcdoc)].join(' '))"""
LINKS = """panels => panels.flatMap(panel => [...panel.querySelectorAll('a[href^="?tab=errors"]')].map(
    link => [link.getAttribute('href'), link.querySelector('title')?.textContent ?? '']))"""


def wrong_links(page, key):
    """The links of all tabs that lead to no example, or to more or fewer than their mark counts; fails without links."""
    analysis, found = sample_analysis(key), page.get_by_role("tabpanel").evaluate_all(LINKS)
    assert len(found) > 50
    wrong = []
    for href, tip in found:
        choice, _, misfits = choice_of(analysis, View.parse(href))
        rows, counted = len(chosen_rows(analysis.by_run, choice)), re.search(r"\bn = ([\d,]+)", tip)
        if misfits or not rows or (counted and int(counted[1].replace(",", "")) != rows):
            wrong.append((href, tip, rows, misfits))
    return wrong


@pytest.mark.parametrize(
    "keys",
    [("answers", "rankings", "factoids", "labels"), pytest.param(tuple(SAMPLES), marks=pytest.mark.thorough)],
    ids=["four samples", "all samples"],
)
def test_every_sample_changes_every_tab_every_link_leads_somewhere_and_nothing_is_too_wide(visit, keys):
    """On a phone and a desk; all tabs are measured at once, which is much faster. The first sample is there at once."""
    one = visit()
    expect(one.page.get_by_role("tab")).to_have_text(list(one.tabs))
    expect(one.page).to_have_title("qassay")
    one.show_all_tabs()
    of_scores = [name for name in one.tabs if name != "Agreement"]  # which has a file of its own
    shown, wide = {}, {}

    def panels():
        return dict(zip(one.tabs, one.page.get_by_role("tabpanel").evaluate_all(PANELS), strict=True))

    def not_of(key):
        """Tabs that do not show a system of the sample, or still show another sample."""
        found, sample = panels(), SAMPLES[key]
        named = [
            (name, system)
            for system in sample.systems
            for name in (("Score", "Report") if shown else of_scores)
            if name != "Human labels" or system in sample.labels  # it opens with the labels of the sample
        ]
        lacking = [(name, system) for name, system in named if system not in found[name]]
        # Compare says of one system that it needs two, No answer of most samples that it does not apply.
        own = [name for name in of_scores if name != "No answer" and (name != "Compare" or len(sample.systems) > 1)]
        return lacking + [(name, other) for other in shown for name in own if found[name] == shown[other][name]]

    for key in keys:
        sample = SAMPLES[key]
        if shown:
            one.page.set_viewport_size({"width": 1280, "height": 900})
            one.sample(sample.label)
        for name in ("Slices", "Compare", "Report"):  # which wait until somebody looks
            one.open(name)
        soon(lambda key=key: not_of(key), [])
        shown[key] = panels()
        assert wrong_links(one.page, key) == []
        wide[key] = one.too_wide(375, 1280)
    assert wide == {key: [] for key in keys}
    assert "Best threshold" in shown["answers"]["No answer"]
    assert "Best threshold" not in shown["labels"]["No answer"], "nothing of the sample before"


@pytest.mark.parametrize(
    ("width", "dark", "sample"),
    [
        (1280, False, "answers"),
        (375, True, "rankings"),
        pytest.param(375, False, "rankings", marks=pytest.mark.thorough),
        pytest.param(1280, True, "answers", marks=pytest.mark.thorough),
    ],
)
def test_axe_finds_nothing_in_any_tab_and_no_heading_mixes_two_fonts(visit, width, dark, sample):
    """In all tabs at once, which is faster."""
    one = visit(width, dark=dark)
    if sample != "answers":
        one.sample(SAMPLES[sample].label)
    one.show_all_tabs()
    found = one.violations()
    assert not found, "\n".join(found)
    # Some bold fonts that Gradio ships hold a few letters only, and the browser takes the others from elsewhere.
    session = one.context.new_cdp_session(one.page)
    session.send("DOM.enable")
    session.send("CSS.enable")
    root = session.send("DOM.getDocument", {"depth": 0})["root"]["nodeId"]
    parts = "h1, h2, h3, h4, strong, th[scope=col], [role=tab], button.primary"
    mixed, own = [], 0
    for node in session.send("DOM.querySelectorAll", {"nodeId": root, "selector": parts})["nodeIds"]:
        fonts = session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
        own += any(font["isCustomFont"] for font in fonts)
        if len({font["familyName"] for font in fonts}) > 1:
            mixed.append(session.send("DOM.getOuterHTML", {"nodeId": node})["outerHTML"][:200])
    assert own > 20 and mixed == []


def test_on_a_phone_wide_tables_are_cards_and_the_edge_is_narrow(visit):
    phone, desk = visit(375, dark=True), visit()
    indent = "rows => rows.map(row => parseFloat(getComputedStyle(row.querySelector('th')).paddingInlineStart))"
    for one in (phone, desk):
        whole, part = one.panel.locator(".values-table tbody tr").evaluate_all(indent)[:2]
        assert part > whole + 5, "with an answer, below Exact match"
        one.open("Agreement")
    box, wide = (one.panel.locator(".scroll").first for one in (phone, desk))
    expect(box).to_have_class(re.compile("as-cards"))
    expect(wide).not_to_have_class(re.compile("as-cards"))
    soon(lambda: box.evaluate("box => box.scrollWidth <= box.clientWidth"))
    row = box.locator("tbody tr").first
    heads = wide.locator("thead th").all_inner_texts()
    names = row.locator("td").evaluate_all("cells => cells.map(cell => cell.dataset.name)")
    assert [name.replace("_\u200b", "_") for name in names] == heads[1:], "keys may break behind an underscore"
    expect(box.locator("thead")).to_be_hidden()
    assert phone.violations() == []
    left = "() => document.querySelector('.page-head').getBoundingClientRect().left"
    assert phone.page.evaluate(left) < 16 < desk.page.evaluate(left)
    phone.page.set_viewport_size({"width": 1280, "height": 900})
    expect(box).not_to_have_class(re.compile("as-cards"))
    expect(box.locator("thead")).to_be_visible()


def test_on_a_phone_long_keys_run_into_nothing(visit):
    one = visit(375)
    one.sample("Verdicts on nuggets (TREC RAG)")
    cells = one.open("Slices").locator(".as-cards td")
    expect(cells.first).to_be_visible()
    widths = cells.evaluate_all("cells => cells.map(cell => [cell.scrollWidth, cell.clientWidth])")
    assert all(needed <= there for needed, there in widths)
    chosen = one.panel.get_by_label("Measure", exact=True)
    ends = chosen.evaluate(
        """input => [input.getBoundingClientRect().right - parseFloat(getComputedStyle(input).paddingRight),
            input.closest('.secondary-wrap').querySelector('.icon-wrap').getBoundingClientRect().left]"""
    )
    assert ends[0] <= ends[1], "the text ends before the arrow"


def test_the_mark_of_examples_that_stay_the_same_can_be_clicked(visit):
    one = visit()
    folded = one.open("Compare").locator("details", has_text="How far single").last
    folded.locator("summary").click()
    with one.event():
        folded.locator("a.go[aria-label^='same in 35 of 64']").click()
    shows(one.page.locator("#errors-note"), "35 of 64 questions", "both equally good")


def test_the_keyboard_alone_reaches_the_samples_score_and_the_tabs(visit):
    one = visit()
    focused = "() => document.activeElement.innerText"

    def press_tab_until(words, key="Tab"):
        seen = []
        for _ in range(60):
            one.page.keyboard.press(key)
            seen.append(one.page.evaluate(focused).strip().partition("\n")[0])
            if seen[-1] == words:
                return
        raise AssertionError(f"{words!r} is not reached, but {seen}")

    press_tab_until(SAMPLES["labels"].label)
    with one.event():
        one.page.keyboard.press("Enter")
    shows(one.panel.locator("#scores"), "rules")
    press_tab_until("Sample: Labels · Use your own files")
    one.page.keyboard.press("Enter")
    one.panel.locator("#score").wait_for()
    press_tab_until("Score")
    with one.event():
        one.page.keyboard.press("Enter")
    shows(one.panel.locator("#scores"), "Sample: Labels")  # without files the sample is scored again
    expect(one.panel.locator("#form > button")).to_contain_text("Sample: Labels")
    press_tab_until("Slices", "Shift+Tab")
    with one.event():
        one.page.keyboard.press("Enter")
    expect(one.page.get_by_role("tab", name="Slices")).to_have_attribute("aria-selected", "true")
