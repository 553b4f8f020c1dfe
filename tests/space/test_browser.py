"""In a browser: what visitors rely on, each promise once. Upload, score, read, compare, download, come back, and err."""

import json
import re

import pytest

pytest.importorskip("gradio", reason='needs gradio: pip install -e ".[test-all]"')

import qassay
from qassay.space.report_view import FILES
from qassay.space.samples import FOLDER, SAMPLES

from .conftest import expect, shows

pytestmark = pytest.mark.thorough

ANSWERS = FOLDER / "answers"
GOLD, SMALL, LARGE = (ANSWERS / f"{name}.json" for name in ("gold", "small_model", "large_model"))
DOUBTS = ANSWERS / "large_model_no_answer.json"


def score_answers(one):
    """Upload the gold file and two systems, and score them."""
    one.upload("gold", GOLD)
    one.upload("systems", SMALL, LARGE)
    one.score()
    shows(one.panel.locator("#form"), "large_model · Change")


def test_uploads_are_scored_as_python_scores_them_and_broken_ones_leave_the_earlier_numbers(visit, tmp_path):
    one = visit()
    one.upload("gold", GOLD)
    one.upload("systems", SMALL, LARGE)
    one.upload("probabilities", DOUBTS)
    shows(one.panel.locator("#found"), *(path.name for path in (GOLD, SMALL, LARGE, DOUBTS)))
    shows(one.panel.locator("#problem"), "still Sample: Answers")
    one.score()
    shows(one.panel.locator("#form"), "large_model · Change")
    found = qassay.score_files(GOLD, {"small": SMALL, "large": LARGE})
    rows = one.panel.locator("#scores table").first.locator("tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].map(cell => (cell.querySelector('.measure-key') ?? cell).innerText.trim().split(/\\s/)[0]))"
    )  # fmt: skip
    shown = {head: values for head, *values in rows}
    for measure in ("exact_match", "f1", "contains", "has_answer_f1", "no_answer_exact_match"):
        assert shown[measure][1:] == [f"{100 * scores[measure]:.2f}" for scores in found.values()], measure
    expect(one.panel.locator("#answer")).to_be_in_viewport(ratio=1)
    shows(one.panel.locator("#answer"), "large_model is better", "Likely real")
    shows(one.open("No answer"), "Best threshold of large_model")
    one.open_form()
    with one.event():
        one.panel.locator("#gold").get_by_role("button", name=re.compile("clear|remove", re.IGNORECASE)).first.click()
    one.page.locator("#gold input[type=file]").wait_for(state="attached")
    (tmp_path / "broken.json").write_text('{"data": [')
    one.upload("gold", tmp_path / "broken.json")
    one.score()
    shows(one.panel.locator("#problem"), "Not scored", "broken.json", "still gold.json, small_model.json")
    shows(one.panel.locator("#form"), "not scored yet")
    shows(one.panel.locator("#answer"), "large_model is better")
    shows(one.open("Errors"), "small_model")


def test_links_and_back_show_the_same_and_another_visitor_gets_nothing(visit):
    one = visit()
    score_answers(one)
    expect(one.page).not_to_have_url(re.compile("sample="))
    one.open("Compare")
    piece = one.panel.locator("a.piece.same").first
    n = int(piece.inner_text())
    with one.event():
        piece.click()
    shows(one.panel, f"{n} of 64 questions")
    with one.event():
        one.page.go_back()
    expect(one.page.get_by_role("tab", name="Compare")).to_have_attribute("aria-selected", "true")
    link = one.panel.locator("a.go[href*='slice=']").first
    part = re.search(r"slice=[^&]*", link.get_attribute("href"))[0]
    with one.event():
        link.click()
    expect(one.page).to_have_url(re.compile(f"{re.escape(part)}.*&example="))
    with one.event():
        one.panel.get_by_role("button", name="Next", exact=True).click()
    card = one.panel.locator("#errors-card article")
    shows(one.panel.locator("#errors-place"), re.compile(r"^\s*2 of "))
    address, text = one.page.url, card.inner_text()
    with one.event():
        one.page.go_back()
    with one.event():
        one.page.go_forward()
    expect(card).to_have_text(text, use_inner_text=True)
    other = visit()
    with other.event():
        other.page.goto(address)
    expect(other.page).to_have_url(re.compile("sample=answers"))
    shows(other.page.locator(".toast-body"), "another tab or browser")
    hostile = (
        "?tab=errors&system=<img src=x onerror=hacked=1>&kind='\"><script>hacked=1</script>&example=" + "x" * 20_000
    )
    with other.event():
        other.page.goto(f"{other.url}/{hostile}")
    shows(other.page.locator(".toast-body"), "<img src=x")
    assert other.page.evaluate("() => 'hacked' in window") is False


def test_all_files_of_a_report_can_be_had_and_the_page_opens_without_any_request(visit, browser, tmp_path):
    one = visit()
    one.open("Report")
    found = {}
    buttons = one.panel.locator("#report-files button")
    expect(buttons).to_have_count(len(FILES))
    for button in buttons.all():
        with one.page.expect_download() as waiting:
            button.click()
        ending = waiting.value.suggested_filename.removeprefix("qassay-report-small_model-vs-large_model")
        found[ending] = waiting.value.path().read_text("utf-8")
    assert set(found) == set(FILES)
    assert "exact_match" in found[".md"] and json.loads(found[".json"])
    path, asked, said = tmp_path / "report.html", [], []
    path.write_text(found[".html"], "utf-8")
    with browser.new_context(offline=True) as context:
        context.on("request", lambda request: asked.append(request.url))
        context.on("weberror", lambda error: said.append(str(error.error)))
        page = context.new_page()
        page.goto(path.as_uri())
        text = page.inner_text("body")
    assert "large_model" in text and "Likely real" in text and "71.88" in text
    assert [url for url in asked if not url.startswith(("data:", "blob:"))] == [path.as_uri()] and said == []


def test_files_of_one_system_are_scored_as_its_runs(visit):
    one = visit()
    one.upload("gold", GOLD)
    one.upload("systems", SMALL, LARGE)
    one.panel.get_by_role("button", name=re.compile("^Options")).click()
    one.panel.locator("#options textarea").fill("names=model")
    one.score()
    runs = qassay.score_files(GOLD, {"model": [str(SMALL), str(LARGE)]})["model"]
    shows(one.panel.locator("#scores"), "majority@k", f"{100 * runs['f1']:.2f}")


@pytest.mark.parametrize(
    ("width", "dark", "sample"), [(1280, False, "answers"), (1280, True, "labels"), (375, True, "rankings")]
)
def test_axe_finds_nothing_in_any_tab_and_nothing_is_too_wide(visit, width, dark, sample):
    """In all tabs at once, which is faster: on a desk, light and dark, and on a phone, where wide tables are cards."""
    one = visit(width, dark=dark)
    if sample != "answers":
        one.sample(SAMPLES[sample].label)
    for name in one.tabs:
        one.open(name)
    one.page.add_style_tag(content="[role=tabpanel]{display:flex!important}")
    found = one.violations()
    assert not found, "\n".join(found)
    assert one.too_wide(width) == []
    assert (one.page.locator(".scroll.as-cards").count() > 0) == (width < 400)
