"""The page in Chromium: the flows of a visitor, what goes wrong on the way, and accessibility."""

import json
import re

import pytest

pytest.importorskip("gradio", reason='needs gradio: pip install -e ".[test-all]"')

from qassay.space.samples import FOLDER

pytestmark = pytest.mark.thorough

ANSWERS = FOLDER / "answers"
GOLD, SMALL, LARGE = (ANSWERS / f"{name}.json" for name in ("gold", "small_model", "large_model"))


def expect(what):
    from playwright.sync_api import expect as of_playwright

    of_playwright.set_options(timeout=60_000)
    return of_playwright(what)


def choose(page, gold, *systems):
    form = page.locator("details.form")
    if form.get_attribute("open") is None:
        form.locator("summary").first.click()
    page.locator("#gold").set_input_files(gold)
    page.locator("#systems").set_input_files(list(systems))


def score(page, *, fails=False):
    page.get_by_role("button", name="Score", exact=True).click()
    if fails:
        expect(page.locator(".failed")).not_to_be_empty()
        return page.locator(".failed").inner_text()
    expect(page.locator(".tools")).to_contain_text("Kept in this browser until")
    return ""


def shown(page):
    """How many examples the page says that it shows."""
    return int(re.match(r"[\d,]+", page.locator("#panel").get_by_role("status").inner_text())[0].replace(",", ""))


def verdict(page):
    return page.locator(".verdict").inner_text()


def test_upload_score_filter_back_and_reload(visit):
    page = visit()
    assert "large_model is better than small_model" in verdict(page), "the sample"
    choose(page, GOLD, SMALL, LARGE)
    page.get_by_label("Confidence").fill("0.9")
    score(page)
    expect(page.locator("details.form")).not_to_have_attribute("open", "")
    expect(page.locator(".rules")).to_contain_text("90 % intervals")
    page.get_by_role("link", name=re.compile("Read what small_model gets wrong")).click()
    wrong = shown(page)
    page.get_by_label("Slice").select_option(index=2)
    assert shown(page) < wrong
    page.go_back()
    assert shown(page) == wrong
    address = page.url
    page.reload()
    expect(page.locator(".tools")).to_contain_text("Kept in this browser since")
    assert shown(page) == wrong and page.url == address
    page.get_by_role("button", name="Forget").click()
    expect(page.locator(".tools")).to_contain_text("Forgotten")
    page.goto(page.url.partition("#")[0])
    expect(page.locator(".tools")).to_contain_text("A sample")


def test_back_leads_from_own_files_to_the_sample_and_forward_again(visit):
    page = visit()
    choose(page, GOLD, SMALL)
    score(page)
    page.wait_for_function("indexedDB.databases().then(all => all.length > 0)")
    page.go_back()
    expect(page.locator(".tools")).to_contain_text("A sample")
    page.go_forward()
    expect(page.locator(".tools")).to_contain_text("Kept in this browser since")
    page.get_by_label("Samples").select_option("rankings")
    expect(page.locator(".page-head")).to_contain_text("retrieval_ranking")
    assert "sample=rankings" in page.url


def test_a_failed_score_keeps_the_result_and_says_what_to_do(visit, tmp_path):
    page = visit()
    choose(page, GOLD, SMALL, LARGE)
    score(page)
    page.get_by_role("tab", name="Slices").click()
    broken, packed = tmp_path / "broken.json", tmp_path / "<b>packed.json"
    broken.write_text('{"a": [')
    packed.write_bytes(b"PK\x03\x04....")
    for file in (broken, packed):
        choose(page, file)
        words = score(page, fails=True)
        assert file.name in words and "/" not in words
        expect(page.get_by_role("tab", name="Slices")).to_have_attribute("aria-selected", "true")
    assert page.locator("b", has_text="packed").count() == 0
    choose(page, GOLD)
    page.get_by_text("More", exact=True).click()
    page.get_by_label("Options", exact=True).fill("measures=gone")
    assert "gone" in score(page, fails=True)
    page.get_by_label("Options", exact=True).fill("")
    score(page)


def test_a_file_above_the_limit_says_so_in_its_slot(visit, tmp_path):
    page, large = visit(), tmp_path / "large.json"
    large.write_bytes(b" " * 20_000_001)
    choose(page, large, SMALL)
    expect(page.locator(".slot").first).to_contain_text("too large")
    sent = []
    page.on("request", lambda request: sent.append(request.url))
    assert "large.json" in score(page, fails=True) and not [url for url in sent if "upload" in url]
    page.get_by_role("button", name="Remove large.json").click()
    assert "gold file" in score(page, fails=True)


def test_save_as_page_and_open_it(visit, tmp_path):
    page = visit()
    choose(page, GOLD, SMALL, LARGE)
    score(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as page").click()
    saved = tmp_path / "saved.html"
    download.value.save_as(saved)
    alone = page.context.new_page()
    alone.goto(f"file://{saved}")
    alone.locator(".verdict").wait_for()
    assert verdict(alone) == verdict(page)
    page.get_by_label("Samples").select_option("labels")
    expect(page.locator(".page-head")).to_contain_text("label_metrics")
    page.locator("#open").set_input_files(saved)
    expect(page.locator(".tools")).to_contain_text("Opened from saved.html")
    assert "large_model is better" in verdict(page)
    odd = tmp_path / "odd.json"
    for content in ("{", "{}", "<html></html>", '{"format": "qassay.result/99"}'):
        odd.write_text(content)
        page.locator("#open").set_input_files(odd)
        expect(page.locator(".failed")).not_to_be_empty()
        assert "large_model is better" in verdict(page)


def test_hostile_texts_stay_texts(visit, tmp_path):
    hostile = '<img src=x onerror="window.hit=1"><script>window.hit=2</script>{{7*7}}'
    gold, system = tmp_path / "gold <i>.json", tmp_path / "a <img src=x onerror=hit=3>.json"
    gold.write_text(json.dumps({hostile: [hostile], "b": ["x"]}))
    system.write_text(json.dumps({hostile: hostile + "!", "b": hostile}))
    page = visit()
    choose(page, gold, system)
    score(page)
    for tab in page.get_by_role("tab").all():
        tab.click()
        assert page.evaluate("window.hit") is None and page.locator("main img, main i:not([style]) script").count() == 0
    assert page.evaluate("window.hit") is None


def test_a_link_to_a_result_of_somebody_else_says_so(visit):
    page = visit("#tab=examples&kind=wrong")
    expect(page.locator(".failed")).to_contain_text("not in this browser")


@pytest.mark.parametrize("width", [1280, 375])
def test_everyone_can_use_it(visit, width):
    from axe_playwright_python.base import AXE_FILE_PATH

    for dark in (False, True):
        page = visit("?sample=rag", width, dark=dark)
        page.get_by_text("More", exact=True).click()
        assert page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0
        page.evaluate(AXE_FILE_PATH.read_text("utf-8"))
        found = page.evaluate("""async () => (await axe.run({resultTypes: ['violations']})).violations
            .flatMap(rule => rule.nodes.map(node => `${rule.id}: ${node.target}`))""")
        assert found == []


def test_the_form_is_reached_by_keyboard(visit):
    page, names = visit(), []
    page.keyboard.press("Tab")
    for _ in range(14):
        names.append(page.evaluate("document.activeElement.id || document.activeElement.textContent"))
        page.keyboard.press("Tab")
    assert {"sample", "open", "gold", "systems", "metric", "preset"} <= {*names}
