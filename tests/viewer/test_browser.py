"""The viewer in Chromium, from a file: ten flows of a reader, hostile texts, and accessibility."""

import json
import re

import pytest

from qassay.results.page import page as page_of

from .documents import made_document

pytestmark = pytest.mark.thorough

HOSTILE = '<img src=x onerror="window.hit=1"><script>window.hit=2</script>{{7*7}} \u202e\u0000'
TABS = ("answer", "examples", "slices", "compare", "curves", "ranks", "remarks")


@pytest.fixture
def show(browser, tmp_path):
    """`show(document, address="", width=1280, dark=False)` opens the page of a document.

    At the end no script may have failed, and nothing may have been requested but the file.
    """
    contexts, faults = [], []

    def open_page(document, address="", width=1280, dark=False, scripts=True):
        path = tmp_path / f"page-{len(contexts)}.html"
        path.write_bytes(page_of(document).encode())
        context = browser.new_context(
            viewport={"width": width, "height": 812}, color_scheme="dark" if dark else "light", accept_downloads=True,
            java_script_enabled=scripts,
        )  # fmt: skip
        contexts.append(context)
        context.set_default_timeout(10_000)
        context.on("request", lambda request: faults.append(request.url) if not request.url.startswith(("file:", "data:", "blob:")) else None)  # fmt: skip
        context.on("weberror", lambda error: faults.append(str(error.error)))
        context.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
        opened = context.new_page()
        opened.goto(f"file://{path}{address}")
        return opened

    yield open_page
    for context in contexts:
        context.close()
    assert faults == []


def shown(page):
    """How many examples the page says that it shows."""
    return int(re.match(r"[\d,]+", page.get_by_role("status").inner_text())[0].replace(",", ""))


def expect(what):
    from playwright.sync_api import expect as of_playwright

    return of_playwright(what)


def tab(page, name):
    page.get_by_role("tab", name=name, exact=True).click()
    expect(page.get_by_role("tab", name=name, exact=True)).to_have_attribute("aria-selected", "true")


def test_from_the_answer_to_the_examples_and_back(show):
    found = made_document(200)
    page = show(found)
    expect(page.get_by_role("heading", level=2).first).to_contain_text("large_model is better than small_model")
    expect(page.locator(".chip")).to_have_text("Better")
    page.get_by_role("link", name=re.compile("Read what small_model gets wrong")).click()
    wrong = 200 - found["parts"][0]["kinds"]["counts"]["small_model"]["correct"]
    assert shown(page) == wrong
    page.go_back()
    expect(page.get_by_role("tab", name="Answer")).to_have_attribute("aria-selected", "true")
    page.go_forward()
    assert shown(page) == wrong
    assert page.evaluate("scrollY") < 200


def test_each_filter_can_be_undone_and_a_copied_link_shows_the_same(show):
    found = made_document(300)
    page = show(found)
    tab(page, "Examples")
    sizes = [shown(page)]
    for label, value in (("Kind of error", "errors"), ("Slice", "question_word:who"), ("Against large_model", "lost")):
        page.get_by_label(label).select_option(value)
        sizes.append(shown(page))
    page.get_by_label("From").fill("1")
    page.get_by_label("From").press("Enter")
    sizes.append(shown(page))
    assert sizes == sorted(sizes, reverse=True) and len({*sizes}) == len(sizes)
    address, listed = page.evaluate("location.hash"), page.locator(".examples tbody th").all_inner_texts()[:5]
    again = show(found, address)
    assert again.locator(".examples tbody th").all_inner_texts()[:5] == listed
    assert again.locator(".chips .chip").count() == 4
    for size in sizes[-2::-1]:
        page.go_back()
        assert shown(page) == size
    again.get_by_role("link", name=re.compile("Remove the filter question word who")).click()
    assert again.locator(".chips .chip").count() == 3


def test_typing_is_one_step_of_the_history_and_keeps_the_cursor(show):
    page = show(made_document(300), "#tab=examples")
    field = page.get_by_label("Contains", exact=True)
    field.press_sequentially("lighthouse", delay=5)
    assert field.input_value() == "lighthouse" and field.evaluate("node => node === document.activeElement")
    few = shown(page)
    assert 0 < few < 300
    expect(page).to_have_url(re.compile("text=lighthouse"))
    page.go_back()
    assert shown(page) == 300 and page.get_by_label("Contains", exact=True).input_value() == ""


def test_examples_by_keyboard_and_only_those_in_sight_exist(show):
    page = show(made_document(5000, words=3, texts=True), "#tab=examples&sort=id")
    head = page.locator("article.example .id")
    first = head.inner_text()
    page.locator(".examples").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("j")
    assert head.inner_text() != first
    expect(page.locator(".where")).to_have_text("3 of 5,000")
    page.keyboard.press("k")
    page.get_by_role("button", name="Previous").click()
    assert head.inner_text() == first
    page.locator(".examples").evaluate("node => node.scrollTo(0, node.scrollHeight)")
    last = page.locator(".examples tbody:not([aria-hidden]) tr").last
    expect(last).to_have_attribute("aria-rowindex", "5001")
    assert page.locator(".examples tr").count() < 60
    last.click()
    expect(page.locator(".where")).to_have_text("5,000 of 5,000")
    page.get_by_role("tab", name="Examples").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Slices")).to_be_focused()
    expect(page.get_by_role("tab", name="Slices")).to_have_attribute("aria-selected", "true")


def test_slices_show_the_worst_gap_first_and_lead_to_their_examples(show):
    found = made_document(400)
    page = show(found, "#tab=slices")
    items = page.locator("ol.gaps").first.locator("li")
    gaps = [float(text.replace("−", "-")) for text in items.locator(".amount b").all_inner_texts()]
    assert gaps == sorted(gaps, reverse=True) and gaps[0] > 0  # as the headline: the better system minus the other
    size = int(re.search(r"n = (\d+)", items.first.inner_text())[1])
    page.get_by_label("Grouped by").select_option("has_answer")
    expect(page.get_by_role("table", name=re.compile("F1 by has answer"))).to_be_visible()
    items.first.get_by_role("link").click()
    assert shown(page) == size


def test_small_slices_and_charts_of_many_systems_say_so(show):
    names = [f"system {letter}" for letter in "abcdefgh"]
    page = show(made_document(20, names), "#tab=slices&system=system%20h&other=system%20a")
    expect(page.locator("p.finding")).to_contain_text(re.compile("is behind system a on .* of fewer than 30"))
    caption = page.locator("figure").first
    expect(caption).to_contain_text("6 of 8 systems")
    drawn = caption.locator("ul.key li").all_inner_texts()
    assert len(drawn) == 6 and {"system a", "system h"} <= {*drawn}


def test_compare_two_of_three_systems(show):
    found = made_document(200, ["a", "b", "c"])
    page = show(found, "#tab=compare&first=a&second=c")
    pair = next(
        one
        for one in found["parts"][0]["comparisons"]
        if (one["first"], one["second"], one["measure"]) == ("a", "c", "f1")
    )
    expect(page.locator(".verdict-line")).to_contain_text(f"c is better than a in F1 by {pair['difference']:.2f}")
    page.locator(".piece.better").first.click()
    assert shown(page) == pair["better"]
    page.go_back()
    page.locator(".matrix td.better a").first.click()
    expect(page.locator(".verdict-line")).not_to_contain_text("c is better than a")
    page.get_by_label("Against", exact=True).select_option("c")
    assert "first=c" in page.evaluate("location.hash")


def test_a_slider_finds_the_threshold(show):
    found = made_document(100)
    curve = next(one for one in found["parts"][0]["curves"] if one["name"] == "threshold")
    page = show(found, "#tab=curves&threshold=0.25")
    cell = page.locator(".columns table tbody tr").first.locator("td").first
    expect(cell).to_have_text(f"{curve['y'][50]:.2f}")
    page.get_by_role("button", name="Best of small_model").click()
    expect(cell).to_have_text(f"{curve['mark']['y']:.2f}")
    expect(page).to_have_url(re.compile(r"threshold=0\.7"))
    page.get_by_label("Curve", exact=True).select_option(label="Reliability of the probabilities")
    expect(page.locator("svg.chart")).to_have_attribute("aria-label", re.compile("no-answer probability"))


def test_a_board_is_sorted_and_filtered(show):
    found = made_document(150, ["oak", "elm", "ash", "yew", "fir"])
    found["systems"][0] |= {"title": "Oak (tuned)", "link": "javascript:alert(1)", "facts": {"team": "Wood"}}
    page = show(found, "#tab=ranks")
    names = page.locator(".board tbody th")
    assert names.count() == 5 and page.locator(".board a.out").count() == 0
    best = names.first.inner_text()
    page.locator(".board").get_by_role("button", name="F1").click()
    expect(names.last).to_have_text(best)
    page.go_back()
    expect(names.first).to_have_text(best)
    page.get_by_label("Name contains").fill("wood")
    expect(names).to_have_count(1)
    expect(names).to_have_text("Oak (tuned)")
    page.get_by_label("Ranked by").select_option("exact_match")
    assert "measure=exact_match" in page.evaluate("location.hash")


def test_what_leaves_the_page(show, tmp_path):
    found = made_document(50)
    found["parts"][0]["examples"]["question"][3] = "=HYPERLINK(1)"
    page = show(found, "#tab=examples&sort=id")

    def saved(button):
        with page.expect_download() as download:
            page.get_by_role("button", name=button).first.click()
        download.value.save_as(tmp_path / "saved")
        return download.value.suggested_filename, (tmp_path / "saved").read_text("utf-8")

    name, text = saved("Save these as CSV")
    assert name == "examples-small_model.csv" and "'=HYPERLINK(1)" in text and len(text.splitlines()) == 51
    tab(page, "Remarks")
    name, text = saved("The document (JSON)")
    assert name.endswith(".json") and json.loads(text) == json.loads(json.dumps(found))
    tab(page, "Slices")
    name, text = saved("Save as SVG")
    assert name.endswith(".svg") and text.startswith("<svg") and "var(" not in text and "class=" not in text
    tab(page, "Answer")
    page.get_by_role("button", name="Copy as text").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()


def test_several_metrics_in_one_document(show):
    found = made_document(60)
    other = made_document(40, seed=1)["parts"][0] | {"metric": "semantic_answer_similarity", "curves": []}
    found["parts"].append(other)
    page = show(found)
    expect(page.locator(".answer .checks li")).to_contain_text("semantic_answer_similarity: large_model is better than")
    page = show(found, "#tab=curves")
    page.get_by_label("Metric").select_option(label="semantic_answer_similarity")
    expect(page.get_by_role("tab", name="Curves")).to_have_count(0)
    expect(page.locator(".rules")).to_contain_text("40 questions")
    page.go_back()
    expect(page.get_by_role("tab", name="Curves")).to_have_attribute("aria-selected", "true")


def test_the_state_is_kept_when_the_address_no_longer_follows(show):
    page = show(made_document(300), "#tab=examples&sort=id")
    page.evaluate("() => { history.pushState = history.replaceState = () => { throw new Error('too many'); }; }")
    for _ in range(30):
        page.get_by_role("button", name="Next").click()
    expect(page.locator(".where")).to_have_text("31 of 300")
    page.get_by_label("Kind of error").select_option("errors")
    assert shown(page) < 300


@pytest.mark.parametrize("address", [f"#tab={name}" for name in TABS])
def test_hostile_texts_stay_texts(show, address):
    found = made_document(6, [HOSTILE, f"{HOSTILE}2", "c"])
    found["title"] = found["description"] = found["gold"] = found["command"] = HOSTILE
    part = found["parts"][0]
    for measure in part["measures"]:
        measure["title"] = measure["meaning"] = HOSTILE
    for slicing in part["slices"]:
        slicing["labels"] = slicing["titles"] = [HOSTILE] * len(slicing["labels"])
    for kind in part["kinds"]["order"][1:]:
        kind["meaning"] = HOSTILE
    part["examples"]["question"] = part["examples"]["contexts"] = [HOSTILE] * 6
    part["examples"]["gold"] = [[HOSTILE]] * 6
    part["examples"]["ids"] = [f"{HOSTILE}{place}" for place in range(6)]
    found["remarks"][0]["text"] = HOSTILE
    page = show(found, address)
    assert page.evaluate("window.hit") is None
    assert page.locator("img, [role=tabpanel] script").count() == 0
    expect(page.get_by_role("heading", level=1)).to_contain_text("<img src=x")


def test_better_and_worse_of_a_measure_that_is_better_when_lower(show):
    found = made_document(200)
    (part,) = found["parts"]
    part["leads"] = "f1"
    for measure in part["measures"]:
        measure["lower_is_better"] = True
    one = next(one for one in part["comparisons"] if one["measure"] == "f1")
    one |= {"difference": -abs(one["difference"]), "better": 90, "equal": 95, "worse": 15}
    page = show(found, f"#tab=compare&first={one['first']}&second={one['second']}")
    expect(page.locator(".verdict-line")).to_contain_text("better in 90 questions, equal in 95, worse in 15")


def without_texts(part):
    part["examples"] |= {"question": None, "gold": None, "context": None, "contexts": []}
    for columns in part["examples"]["systems"].values():
        columns["answers"] = None


def without_numbers(part):
    nothing = {"value": None, "low": None, "high": None, "n": 0}
    for values in part["values"].values():
        values.update({name: {**value, **nothing} for name, value in values.items()})
    for one in part["comparisons"]:
        one |= dict.fromkeys(("difference", "low", "high", "p_value", "p_corrected", "values"), None)
        one |= {"intervals": [[None, None], [None, None]], "significant": False}
    for columns in part["examples"]["systems"].values():
        columns["values"] = {name: [None] * len(values) for name, values in columns["values"].items()}


def without_anything(part):
    part |= {"slices": [], "comparisons": [], "ranks": [], "curves": [], "kinds": None, "measures": [], "leads": None}
    part["values"] = {system: {} for system in part["values"]}
    part["examples"] |= {"ids": [], "systems": {}}


@pytest.mark.parametrize("without", [without_texts, without_numbers, without_anything])
@pytest.mark.parametrize("systems", [["a"], ["a", "b"], ["a", "b", "c"]], ids=len)
def test_a_document_may_lack_parts(show, systems, without):
    found = made_document(12, systems)
    without(found["parts"][0])
    page = show(found)
    for name in TABS:
        if page.locator(f"#tab-{name}").count():
            page.locator(f"#tab-{name}").click()
            expect(page.locator("[role=tabpanel]")).not_to_contain_text(re.compile(r"undefined|NaN|\[object|null"))


def test_a_page_without_scripts(show):
    page = show(made_document(64), scripts=False)
    expect(page.get_by_text("large_model is better than small_model")).to_be_visible()
    expect(page.get_by_role("table")).to_contain_text("exact_match")


def test_a_document_that_cannot_be_read_says_so(browser, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(page_of(made_document(3)).replace('{"format":"qassay.result/1"', '{"format":"qassay.result/9"'))
    page = browser.new_page()
    page.goto(f"file://{path}")
    expect(page.get_by_role("heading")).to_have_text("This result cannot be shown")
    expect(page.get_by_text("qassay.result/9")).to_be_visible()
    page.close()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 375])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(show, width, dark):
    from axe_playwright_python.base import AXE_FILE_PATH

    found = []
    for document in (
        made_document(80),
        made_document(80, ["a", "b", "c", "a system with a long name"]),
        made_document(40, ["one"]),
    ):
        page = show(document, width=width, dark=dark)
        page.evaluate(AXE_FILE_PATH.read_text("utf-8"))
        for name in TABS:
            if not page.locator(f"#tab-{name}").count():
                continue
            page.locator(f"#tab-{name}").click()
            page.evaluate("document.querySelectorAll('details').forEach(box => { box.open = true; })")
            page.wait_for_timeout(50)
            rules = page.evaluate("async () => (await axe.run({resultTypes: ['violations']})).violations.map(rule => [rule.id, rule.nodes.length, rule.nodes[0].target.join(' '), rule.nodes[0].failureSummary])")  # fmt: skip
            found += [(name, *rule) for rule in rules]
            wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            found += [(name, "wider than the window", wide)] * (wide > 0)
    assert found == []
