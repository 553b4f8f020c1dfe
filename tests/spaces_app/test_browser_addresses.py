"""What the address of the page holds, in a browser: what was chosen comes back with reload, Back and a copied link."""

import json
import re

from qassay.spaces_app.samples import FOLDER

from .conftest import expect, shows, soon

ANSWERS = FOLDER / "answers"
GOLD, SMALL, LARGE = (ANSWERS / f"{name}.json" for name in ("gold", "small_model", "large_model"))


def test_a_grouping_two_systems_and_their_order_come_back(visit, tmp_path):
    small = json.loads(SMALL.read_text("utf-8"))
    third = tmp_path / "third.json"
    third.write_text(json.dumps({key: text if n % 3 else "" for n, (key, text) in enumerate(small.items())}), "utf-8")
    one = visit()
    one.upload("gold", GOLD)
    one.upload("systems", SMALL, LARGE, third)
    one.score()
    one.open("Slices")
    one.choose("Grouped by", "language")
    one.choose("Measure", "exact_match")
    expect(one.page).to_have_url(re.compile("tab=slices&measure=exact_match&by=language"))
    one.open("Compare")
    expect(one.page).to_have_url(re.compile("tab=compare&__theme"))
    one.choose("Two systems in detail", "small_model against third")
    with one.event():
        one.panel.get_by_role("button", name="Swap: show").click()
    expect(one.page).to_have_url(re.compile("tab=compare&system=third&other=small_model"))
    address, words = one.page.url, re.compile("third minus small_model")

    def compares(page):
        panel = page.locator("[role=tabpanel]:visible").first
        shows(panel.locator("#compare-details"), words)
        expect(panel.get_by_role("button", name="Swap: show small_model minus third", exact=False)).to_be_visible()

    compares(one.page)
    with one.event():
        one.page.reload()
    compares(one.page)
    expect(one.page).to_have_url(address)
    with one.event():
        one.page.go_back()
    expect(one.page.get_by_role("tab", name="Slices")).to_have_attribute("aria-selected", "true")
    for label, value in (("Grouped by", "language"), ("Measure", "exact_match")):
        expect(one.panel.get_by_label(label, exact=True)).to_have_value(value)
    shows(one.panel.locator("#slices-page"), "exact_match by language")
    with one.event():
        one.page.go_forward()
    compares(one.page)
    beside = one.context.new_page()  # the address, copied into a new tab of this browser
    beside.goto(address)
    compares(beside)
    beside.close()


def test_back_brings_earlier_work_back_after_files_that_cannot_be_scored(visit, tmp_path):
    """Its numbers are gone meanwhile: what is shown must not be taken for values of the other files."""
    bad = tmp_path / "bad.json"
    bad.write_text('{"id of nothing": "x"}', "utf-8")

    def numbers(one):
        return [part.strip() for part in one.panel.locator("#answer").locator(".number, .rules").all_inner_texts()]

    def comes_back(one):
        told = numbers(one)
        assert len(told) == 3
        one.upload("systems", bad)
        with one.event(fails=True):
            one.panel.get_by_role("button", name="Score", exact=True).click()
        shows(one.panel.locator("#problem"), "Not scored")
        assert numbers(one) == []
        with one.event():
            one.page.go_back()
        soon(lambda: numbers(one), told)
        one.open("Compare")
        shows(one.panel, "large_model minus small_model")

    one, two = visit(), visit()
    one.upload("gold", GOLD)
    one.upload("systems", SMALL, LARGE)
    one.score()
    expect(one.page).not_to_have_url(re.compile("sample="))
    comes_back(one)
    two.upload("gold", GOLD)
    comes_back(two)
    expect(two.page).to_have_url(re.compile("sample=answers"))
