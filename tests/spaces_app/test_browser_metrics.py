"""The page of every metric in a browser: its example scored, contrast, width, nothing asked of other machines."""

import re
import runpy

import pytest

from qassay.pages import build as spaces
from qassay.pages.page import example_text

from .conftest import expect, shows

# One in each theme; the page of the others differs in its words.
DEFAULT = {"answer_match": (1280, False), "answer_equivalence": (375, False), "retrieval_ranking": (375, True)}
METRICS = [
    name if name in DEFAULT else pytest.param(name, marks=pytest.mark.thorough) for name in spaces.metric_names()
]


@pytest.mark.parametrize("name", METRICS)
def test_the_page_of_a_metric_scores_its_example(name, serve, visit):
    own = runpy.run_path(str(spaces.PACKAGE / name / "app.py"))["PAGE"]
    width, dark = DEFAULT.get(name, (1280, False))
    one = visit(width, url=serve(own.build).url, dark=dark)
    page, (predictions, _) = one.page, own.columns
    expect(page.get_by_role("heading", level=1).first).to_have_text(name)
    with one.event():
        page.get_by_role("button", name="Load the example", exact=True).click()
    loaded = page.get_by_role("textbox", name=predictions).first
    expect(loaded).to_have_value(example_text(own.example[predictions]))
    with one.event():
        page.get_by_role("button", name="Score", exact=True).click()
    signature = page.locator("#signature textarea, #signature input")
    expect(signature).to_have_value(re.compile(rf"^{name}\|"))
    scored = own.score({column: example_text(value) for column, value in own.example.items()}, {})
    shows(page.locator("#values"), *scored.measures[0][:2])
    shown = page.locator(".table-container").filter(has_text="examples")
    for column in (0, 1):
        expect(shown.locator(f'[data-testid="cell-0-{column}"]')).to_have_text(scored.shown[0][column])
    expect(page.locator("#reasons li li")).to_have_count(sum(map(len, scored.reasons)))
    page.get_by_role("button", name="Options and more columns").click()
    found = one.violations()
    assert not found, "\n".join(found)
    assert one.too_wide(375, 768, 1280) == []
