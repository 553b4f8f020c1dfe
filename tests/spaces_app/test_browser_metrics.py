"""The page of every metric in a browser: its example scored, contrast, width, nothing asked of other machines."""

import runpy

import pytest

from karat import spaces
from karat.page import example_text

METRICS = spaces.metric_names()


@pytest.fixture(scope="module")
def pages():
    """Name -> the page of a metric."""
    return {name: runpy.run_path(str(spaces.PACKAGE / name / "app.py"))["PAGE"] for name in METRICS}


@pytest.fixture(scope="module")
def addresses(pages, serve):
    """Name -> where its page is served."""
    return {name: serve(page.build).url for name, page in pages.items()}


@pytest.mark.parametrize("name", METRICS)
def test_the_page_of_a_metric_scores_its_example(pages, addresses, visit, name):
    one = visit(url=addresses[name])
    page, (predictions, _) = one.page, pages[name].columns
    assert page.get_by_role("heading", level=1).first.inner_text() == name
    found = {"empty": one.violations()}
    with one.event():
        page.get_by_role("button", name="Load an example", exact=True).click()
    loaded = page.get_by_role("textbox", name=predictions).first.input_value()
    assert loaded == example_text(pages[name].example[predictions])
    with one.event():
        page.get_by_role("button", name="Score", exact=True).click()
    assert page.locator("#signature textarea, #signature input").input_value().startswith(f"{name}|")
    scored = pages[name].score({column: example_text(value) for column, value in pages[name].example.items()}, {})
    for table, cells in (("measures, with bootstrap intervals", scored.measures), ("examples", scored.shown)):
        shown = page.locator(".table-container").filter(has_text=table)
        for column in (0, 1):
            assert shown.locator(f'[data-testid="cell-0-{column}"]').inner_text().strip() == cells[0][column]
    found["scored"] = one.violations()
    page.set_viewport_size({"width": 375, "height": 900})
    found["phone"] = one.violations()
    assert found == {"empty": [], "scored": [], "phone": []}
    assert one.too_wide(375, 768, 1280) == []


def test_the_page_of_a_metric_in_the_dark(addresses, visit):
    one = visit(url=addresses["answer_match"], dark=True)
    with one.event():
        one.page.get_by_role("button", name="Load an example", exact=True).click()
    with one.event():
        one.page.get_by_role("button", name="Score", exact=True).click()
    one.page.get_by_role("button", name="Options and more columns").click()
    assert one.violations() == []
