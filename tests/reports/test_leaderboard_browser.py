"""The page of a leaderboard in a browser: what readers click, type and see, with and without scripts."""

import re

import numpy as np
import pytest

from qassay.reports.leaderboard_page import leaderboard_page
from qassay.reports.values_text import number_text

from ..spaces_app.conftest import SECONDS, browser, expect, soon  # noqa: F401 - a fixture
from .boards import board_of, ranking_of, shared_task

ATTACKS = (
    "<img src=x onerror=window.hacked=1><script>window.hacked=1</script>",
    "\u202e${window.hacked=1}'\"><svg onload=window.hacked=1>",
    "javascript:window.hacked=1",
    "very_long_" * 30,
    "العربية שלום 東京",
)


@pytest.fixture
def visit(browser, tmp_path):  # noqa: F811
    """`visit(report, width, hash, ...)` opens the page of a leaderboard from a file; nothing may go wrong in it."""
    wrong, contexts = [], []

    def open_page(report, width=1280, hash="", *, dark=False, scripts=True):
        path = tmp_path / "page.html"
        path.write_text(leaderboard_page(report), "utf-8")
        scheme = "dark" if dark else "light"
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=scripts
        )
        context.set_default_timeout(1_000 * SECONDS)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text))
        page.on("request", lambda asked: asked.url.startswith(("file:", "data:")) or wrong.append(asked.url))
        page.goto(f"{path.as_uri()}{hash}")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not wrong


def table_of(page):
    """The texts of the cells of the ranking that can be seen."""
    shown = "rows => rows.map(row => [...row.cells].filter(cell => cell.checkVisibility()).map(cell => cell.innerText))"
    rows = page.locator(".board tbody tr").evaluate_all(shown)
    return [[" ".join(text.split()) for text in row] for row in rows]


def names_of(page):
    return [row[1].split()[0] for row in table_of(page)]


def ranked(page, *names):
    """The table soon has these systems, in this order."""
    soon(lambda: names_of(page), [*names])


def test_scripts_write_the_same_table_as_the_file_has(visit):
    percent = shared_task(percent=True)
    for report in (shared_task(), percent):
        page, plain = visit(report), visit(report, scripts=False)
        expect(page.locator("#controls")).to_be_visible()
        assert table_of(page) == table_of(plain) != []
    expect(plain.locator("#chart")).to_contain_text("The chart needs JavaScript.", use_inner_text=True)
    expect(plain.locator("#controls")).to_be_hidden()


def test_numbers_are_written_as_python_writes_them(visit):
    rng = np.random.default_rng(0)
    numbers = [
        *rng.random(500),
        *(-rng.random(500)),
        *(np.arange(-70, 70) / 32),
        *(np.arange(99) / 8),
        0.00015,
        -1e-9,
        1e7,
    ]
    page = visit(shared_task())
    for digits, scale in ((4, 1), (2, 100)):
        found = page.evaluate("([numbers, digits]) => numbers.map(one => fixed(one, digits))", [numbers, digits])
        wanted = [number_text(float(one), True, scale) for one in numbers]
        assert found == [(text if text.strip("-0.") else text.lstrip("-")).replace("-", "−") for text in wanted]


def test_sorting_filters_slices_and_the_address(visit):
    page = visit(shared_task())
    heads = page.locator(".board thead")
    ranked(page, "Elm", "oak", "ash", "fir", "yew")
    heads.get_by_role("button", name="exact_match").click()
    ranked(page, "oak", "Elm", "ash", "yew", "fir")
    expect(heads.get_by_role("columnheader", name="exact_match")).to_have_attribute("aria-sort", "descending")
    expect(page.locator("#finding")).to_have_text(re.compile(r"^oak leads by exact_match \(0\.7400\)"))
    heads.get_by_role("button", name="exact_match").click()
    ranked(page, "fir", "yew", "ash", "Elm", "oak")
    heads.get_by_role("button", name="team").click()
    soon(lambda: names_of(page)[:2], ["oak", "Elm"])  # B, Uni <A>; then those without
    page.go_back()
    ranked(page, "fir", "yew", "ash", "Elm", "oak")
    page.get_by_label("Slice").select_option("topic = sea & sky")
    page.get_by_label("Rank by").select_option("f1")
    soon(lambda: table_of(page)[0][5:7], ["0.8937 a 0.8637 to 0.9237", "–"])
    page.get_by_label("Hide systems likely worse than the best").check()
    ranked(page, "Elm", "oak")
    page.get_by_label("Search").fill("uni elm")
    ranked(page, "Elm")
    expect(page.locator("#shown")).to_have_text("1 of 5 systems shown")
    page.locator("#columns summary").click()
    page.get_by_label("exact_match", exact=True).uncheck()
    soon(lambda: len(table_of(page)[0]), 7)
    before = table_of(page)
    page.reload()
    soon(lambda: table_of(page), before)
    expect(page.get_by_label("Search")).to_have_value("uni elm")
    page.get_by_label("Search").fill("nobody")
    expect(page.locator("#shown")).to_contain_text("No system fits")
    page.get_by_role("button", name="Reset").click()
    ranked(page, "Elm", "oak", "ash", "fir", "yew")


def test_any_address_opens_the_page(visit):
    report = shared_task()
    for hash in ("#%zz", "#slice=50%", "#measure=%E0%A4%A&filter=%"):
        page = visit(report, hash=hash)
        every = ("Elm", "oak", "ash", "fir", "yew")
        expect(page.locator("#controls")).to_be_visible()
        ranked(page, *([] if "filter" in hash else every))
        page.get_by_role("button", name="Reset").click()
        ranked(page, *every)


def test_a_system_opens_with_all_that_is_known_of_it(visit):
    page = visit(shared_task())
    page.locator(".board").get_by_role("button", name="oak").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="oak")
    expect(dialog).to_be_visible()
    text = " ".join(dialog.inner_text().split())
    for told in ("team B", "exact_match 0.7400 0.7100 to 0.7700 1", "topic = law 0.3950", "MRR 0.6100", "missing 12"):
        assert told in text
    page.reload()
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page).not_to_have_url(
        re.compile("system=")
    )  # the event of the dialog writes the address, after it has closed
    page.go_back()
    expect(dialog).to_be_visible()


def test_two_systems_and_the_matrix(visit):
    page = visit(shared_task(), hash="#measure=exact_match")
    compared = page.locator("#comparison tbody tr")
    page.get_by_label("Second", exact=True).select_option("fir")
    page.get_by_label("First", exact=True).select_option("Elm")
    wanted = [
        "f1 0.8125 0.6000 −0.2125 0.0010 Elm likely better",
        "exact_match 0.7000 0.0312 −0.6687 0.0010 Elm likely better",
    ]
    soon(lambda: [" ".join(text.split()) for text in compared.all_inner_texts()], wanted)
    page.get_by_label("First", exact=True).select_option("oak")
    page.get_by_label("Second", exact=True).select_option("Elm")
    wanted = ["0.7400", "0.7000", "−0.0400", "0.6000", "cannot"]
    soon(lambda: compared.nth(1).inner_text().split()[1:6], wanted)
    said, cells = page.locator(".said"), page.locator(".matrix tbody tr")
    cells.nth(0).locator("td").nth(2).hover()
    expect(said).to_have_text("oak is better than ash, p = 0.0010, corrected")
    cells.nth(0).locator("td").nth(1).click()
    expect(said).to_have_text("oak and Elm cannot be told apart, p = 0.6000, corrected")
    page.keyboard.press("ArrowDown")
    expect(cells.nth(1).locator("td").nth(1)).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(said).to_have_text("Elm is better than ash, p = 0.0010, corrected")
    classes = [[cell.get_attribute("class") for cell in row.locator("td").all()] for row in cells.all()[:3]]
    assert classes[2][:3] == ["worse", "worse", "self"] and classes[0][:3] == ["self", None, "better"]


@pytest.mark.parametrize(("width", "dark"), [(375, False), (1280, True)])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_page(visit, width, dark):
    from axe_playwright_python.base import AXE_FILE_PATH

    for hash in ("", "#slice=topic+%3D+law&system=oak"):
        page = visit(shared_task(), width, hash, dark=dark)
        expect(page.locator("#controls")).to_be_visible()
        expect(page.get_by_role("dialog")).to_have_count(int("system" in hash))
        page.evaluate(AXE_FILE_PATH.read_text("utf-8"))
        found = page.evaluate("async () => (await axe.run({resultTypes: ['violations']})).violations")
        assert [(rule["id"], [node["html"][:200] for node in rule["nodes"]]) for rule in found] == []
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_a_hundred_hostile_systems(visit):
    names = [f"{place} {ATTACKS[place % len(ATTACKS)]}" for place in range(100)]
    said = {
        name: {"name": ATTACKS[k % 5], "link": ATTACKS[2], "facts": {ATTACKS[0]: ATTACKS[1]}}
        for k, name in enumerate(names)
    }
    rankings = [ranking_of({n: 0.9 - k / 120 for k, n in enumerate(names)}, measure) for measure in ATTACKS[:2]]
    page = visit(board_of(rankings, {ATTACKS[0]: {ATTACKS[1]: rankings}}, said, title=ATTACKS[0]), 375)
    page.get_by_label("Slice").select_option(index=1)
    page.get_by_label("Rank by").select_option(index=1)
    page.get_by_text("Matrix of 100 systems").click()
    page.locator(".matrix td").nth(1).hover()
    expect(page.locator(".said")).to_contain_text("<img src=x")
    page.locator(".board tbody button").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.reload()
    expect(page.get_by_role("dialog")).to_be_visible()
    expect(page.locator(".board tbody tr")).to_have_count(100)
    soon(lambda: page.evaluate("document.documentElement.scrollWidth"), 375)
    made = "document.querySelectorAll('img, iframe, [onerror], [onload], a[href^=javascript]').length"
    assert page.evaluate(f"[window.hacked ?? 0, {made}]") == [0, 0]
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", page.locator("body").inner_text())
