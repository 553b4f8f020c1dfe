"""The page of every metric in a browser: its example scored, contrast, width, nothing asked of other machines."""

import runpy

import pytest

from qassay.pages import build as spaces
from qassay.pages.page import example_text

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
    found = one.violations()
    assert not found, "\n".join(found)
    assert one.too_wide(375, 768, 1280) == []


def test_the_page_of_a_metric_on_a_phone_in_the_dark(addresses, visit):
    one = visit(375, url=addresses["answer_match"], dark=True)
    found = one.violations()
    with one.event():
        one.page.get_by_role("button", name="Load an example", exact=True).click()
    with one.event():
        one.page.get_by_role("button", name="Score", exact=True).click()
    one.page.get_by_role("button", name="Options and more columns").click()
    found += one.violations()
    assert not found, "\n".join(found)
