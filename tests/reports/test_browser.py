"""Leaderboards in a browser: the numbers of Python, sorting, filters, hostile names, axe."""

import re

import numpy as np
import pytest

from qassay.reports.leaderboard_page import leaderboard_page
from qassay.reports.values_text import number_text

pytest.importorskip("playwright", reason='needs playwright: pip install -e ".[test-all]"')
pytestmark = pytest.mark.thorough

from ..space.conftest import SECONDS, browser, expect, soon  # noqa: E402, F401 - a fixture
from .boards import board_of, ranking_of, shared_task  # noqa: E402

ATTACKS = (
    "<img src=x onerror=window.hacked=1><script>window.hacked=1</script>",
    "\u202e${window.hacked=1}'\"><svg onload=window.hacked=1>",
    "javascript:window.hacked=1",
    "very_long_" * 30,
    "العربية שלום 東京",
)
EVERY = ("Elm", "oak", "ash", "fir", "yew")


@pytest.fixture
def visit(browser, tmp_path):  # noqa: F811
    """`visit(text, ...)` opens a page from a file; nothing may go wrong in it, and it asks for nothing."""
    wrong, contexts = [], []

    def open_page(text, width=1280, hash="", *, dark=False, scripts=True):
        path = tmp_path / "page.html"
        path.write_text(text, "utf-8")
        view, scheme = {"width": width, "height": 900}, "dark" if dark else "light"
        context = browser.new_context(viewport=view, color_scheme=scheme, java_script_enabled=scripts)
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


# --- leaderboards -----------------------------------------------------------------------------------------------------


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


def test_scripts_write_the_same_table_and_numbers_as_python(visit):
    text = leaderboard_page(shared_task(percent=True))
    page, plain = visit(text), visit(text, scripts=False)
    expect(page.locator("#controls")).to_be_visible()
    assert table_of(page) == table_of(plain) != []
    rng = np.random.default_rng(0)
    numbers = [*rng.random(500), *(-rng.random(500)), *(np.arange(-70, 70) / 32), *(np.arange(99) / 8), 0.00015, -1e-9]
    for digits, scale in ((4, 1), (2, 100)):
        found = page.evaluate("([numbers, digits]) => numbers.map(one => fixed(one, digits))", [numbers, digits])
        wanted = [number_text(float(one), True, scale) for one in numbers]
        assert found == [(text if text.strip("-0.") else text.lstrip("-")).replace("-", "−") for text in wanted]


def test_sorting_filters_slices_and_the_address(visit):
    page = visit(leaderboard_page(shared_task()), hash="#slice=50%&measure=%E0%A4%A")  # an address that names nothing
    heads = page.locator(".board thead")
    ranked(page, *EVERY)
    heads.get_by_role("button", name="exact_match").click()
    ranked(page, "oak", "Elm", "ash", "yew", "fir")
    expect(page.locator("#finding")).to_have_text(re.compile(r"^oak leads by exact_match \(0\.7400\)"))
    heads.get_by_role("button", name="exact_match").click()
    ranked(page, "fir", "yew", "ash", "Elm", "oak")
    page.get_by_label("Slice").select_option("topic = sea & sky")
    page.get_by_label("Rank by").select_option("f1")
    soon(lambda: table_of(page)[0][5:7], ["0.8937 a 0.8637 to 0.9237", "–"])
    page.get_by_label("Hide systems likely worse than the best").check()
    ranked(page, "Elm", "oak")
    page.get_by_label("Search").fill("uni elm")
    ranked(page, "Elm")
    expect(page.locator("#shown")).to_have_text("1 of 5 systems shown")
    before = table_of(page)
    page.reload()
    soon(lambda: table_of(page), before)
    page.get_by_role("button", name="Reset").click()
    ranked(page, *EVERY)


@pytest.mark.parametrize(("width", "dark"), [(375, False), (1280, True)])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_page(visit, width, dark):
    from axe_playwright_python.base import AXE_FILE_PATH

    page = visit(leaderboard_page(shared_task()), width, "#slice=topic+%3D+law&system=oak", dark=dark)
    expect(page.get_by_role("dialog")).to_have_count(1)
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
    text = leaderboard_page(board_of(rankings, {ATTACKS[0]: {ATTACKS[1]: rankings}}, said, title=ATTACKS[0]))
    page = visit(text, 375)
    page.get_by_label("Slice").select_option(index=1)
    page.get_by_text("Matrix of 100 systems").click()
    page.locator(".matrix td").nth(1).hover()
    expect(page.locator(".said")).to_contain_text("<img src=x")
    page.locator(".board tbody button").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    expect(page.locator(".board tbody tr")).to_have_count(100)
    made = "document.querySelectorAll('img, iframe, [onerror], [onload], a[href^=javascript]').length"
    assert page.evaluate(f"[window.hacked ?? 0, {made}]") == [0, 0]
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", page.locator("body").inner_text())
