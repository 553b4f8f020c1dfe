"""What visitors do in a browser: upload, score, read errors, slices and thresholds, compare, download, err."""

import json
import re
import threading

import pytest

import qassay
from qassay.spaces_app.report_view import FILES
from qassay.spaces_app.samples import FOLDER, SAMPLES

from .conftest import expect, shows, soon

ANSWERS = FOLDER / "answers"
GOLD, SMALL, LARGE = (ANSWERS / f"{name}.json" for name in ("gold", "small_model", "large_model"))
DOUBTS = ANSWERS / "large_model_no_answer.json"


def cells(table):
    """Row heads, of measures the name in code -> the first line of each other cell of a table of HTML."""
    rows = table.locator("tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].map(cell => (cell.querySelector('.measure-key') ?? cell).innerText.trim().split(/\\s/)[0]))"
    )
    return {head: values for head, *values in rows}


def score_answers(one):
    """Upload the gold file and two systems, and score them."""
    one.upload("gold", GOLD)
    one.upload("systems", SMALL, LARGE)
    one.score()
    shows(one.panel.locator("#form"), "large_model · Change")


def card(one):
    return one.panel.locator("#errors-card article")


def test_uploads_are_scored_as_python_scores_them(visit):
    one = visit()
    one.upload("gold", GOLD)
    one.upload("systems", SMALL, LARGE)
    one.upload("probabilities", DOUBTS)
    shows(one.panel.locator("#found"), *(f"{path.name}: " for path in (GOLD, SMALL, LARGE, DOUBTS)))
    shows(one.panel.locator("#form"), "Your files · not scored yet")
    shows(one.panel.locator("#problem"), "Press Score; below is still Sample: Answers")
    one.score()
    golds = {
        question["id"]: [answer["text"] for answer in question["answers"]]
        for article in json.loads(GOLD.read_text("utf-8"))["data"]
        for paragraph in article["paragraphs"]
        for question in paragraph["qas"]
    }
    small, large = (
        qassay.score("answer_match", predictions=json.loads(path.read_text("utf-8")), references=golds).result()
        for path in (SMALL, LARGE)
    )
    shows(one.panel.locator("#form"), "large_model · Change")
    shown = cells(one.panel.locator("#scores table").first)
    for measure in ("exact_match", "f1", "contains", "has_answer_f1", "no_answer_exact_match"):
        assert shown[measure][1:] == [f"{100 * system[measure]:.2f}" for system in (small, large)], measure
    assert shown["f1"][0] == str(small["total"])
    one.open("No answer")
    shows(one.panel, "Best threshold of large_model")
    one.open_form()
    one.panel.get_by_role("button", name="Options").click()
    one.choose("Groups for intervals and tests", "article", starts=False)
    one.score()
    shows(one.panel.locator("#scores"), "intervals over 11 groups by article (few: under 30)")


def test_the_system_of_errors_changes_there_and_back_without_an_error(visit):
    one = visit()
    one.open("Errors")
    one.choose("Kind of error", re.compile(r"^too short"))
    for system, other in (("large_model", "small_model"), ("small_model", "large_model")):
        one.choose("System", system)
        expect(one.panel.get_by_label(f"Against {other}", exact=True)).to_be_visible()
        expect(one.page.get_by_test_id("toast-body")).to_have_count(0)
    one.open("Slices")
    for slicing in ("question_word", "has_answer"):
        one.choose("Grouped by", slicing)
        expect(one.page.get_by_test_id("toast-body")).to_have_count(0)


def test_errors_are_filtered_and_read_one_after_the_other_also_with_the_keyboard_alone(visit):
    one = visit()
    one.open("Errors")
    one.choose("Kind of error", re.compile(r"^too long"))
    rows = one.panel.locator(".examples tbody tr")
    soon(lambda: {kind.strip() for kind in rows.locator("td.kind").all_inner_texts()}, {"too long"})
    questions = rows.locator("th").all_inner_texts()

    def reads(row):
        soon(lambda: card(one).inner_text().startswith(questions[row]))
        expect(rows.nth(row)).to_have_attribute("aria-current", "true")
        expect(one.panel.locator("[aria-current]")).to_have_count(1)
        shows(one.panel.locator("#errors-place"), re.compile(rf"^\s*{row + 1} of "))

    reads(0)
    with one.event():
        rows.nth(1).locator("td").last.click()
    reads(1)
    for name, row in (("Next", 2), ("Previous", 1), ("Previous", 0)):
        with one.event():
            one.panel.get_by_role("button", name=name, exact=True).click()
        reads(row)
    one.page.keyboard.press("Shift+Tab")  # back from the first button to the row that is read
    for row in (0, 1, 2):
        expect(rows.nth(row).locator("a.go")).to_be_focused()
        if row < 2:
            one.page.keyboard.press("ArrowDown")
    with one.event():
        one.page.keyboard.press("Enter")
    reads(2)


def test_links_back_and_reload_show_the_same_and_another_visitor_gets_nothing(visit, app_server):
    """Also of work that was uploaded, which only the browser that has its token finds."""
    one = visit()
    score_answers(one)
    expect(one.page).to_have_url(re.compile("tab=score"))
    expect(one.page).not_to_have_url(re.compile("sample="))

    one.open("Compare")
    expect(one.page).to_have_url(re.compile("tab=compare"))
    piece = one.panel.locator("a.piece.same").first
    n = int(piece.inner_text())
    with one.event():
        piece.click()
    shows(one.panel.locator(".chips"), "both equally good")
    shows(one.panel, f"{n} of 64 questions")
    with one.event():
        one.page.go_back()
    expect(one.page.get_by_role("tab", name="Compare")).to_have_attribute("aria-selected", "true")
    link = one.panel.locator("a.go[href*='slice=']").first
    part = re.search(r"slice=[^&]*", link.get_attribute("href"))[0]
    with one.event():
        link.click()
    expect(one.page.get_by_role("tab", name="Errors")).to_have_attribute("aria-selected", "true")
    shows(one.panel.locator(".chips li").first, ": ")
    expect(one.page).to_have_url(re.compile(f"{re.escape(part)}.*&example="))
    place, before = one.panel.locator("#errors-place"), one.page.url
    shows(place, re.compile(r"^\s*1 of "))
    with one.event():
        one.panel.get_by_role("button", name="Next", exact=True).click()
    shows(place, re.compile(r"^\s*2 of "))
    expect(one.page).not_to_have_url(before)
    address, text = one.page.url, card(one).inner_text()

    with one.event():
        one.page.go_back()
    expect(one.page.get_by_role("tab", name="Compare")).to_have_attribute("aria-selected", "true")
    with one.event():
        one.page.go_forward()
    expect(card(one)).to_have_text(text, use_inner_text=True)
    kept = app_server.demo.kept_work
    works = [*map(id, kept.last_used_first())]
    with one.event():
        one.page.reload()
    expect(card(one)).to_have_text(text, use_inner_text=True)
    expect(one.page).to_have_url(address)
    assert [*map(id, kept.last_used_first())] == works, "nothing is scored again"
    one.sample(SAMPLES["labels"].label)
    with one.event():
        one.page.go_back()
    expect(card(one)).to_have_text(text, use_inner_text=True)
    expect(one.page).to_have_url(address)

    token = one.page.evaluate("() => sessionStorage.getItem('qassay-work')")
    assert token and token not in address
    beside = one.context.new_page()  # the address, copied into a new tab of this browser
    beside.goto(address)
    expect(beside.locator("#errors-card article")).to_have_text(text, use_inner_text=True)
    assert beside.url == address and beside.evaluate("() => sessionStorage.getItem('qassay-work')") == token
    beside.close()
    other = visit()
    with other.event():
        other.page.goto(address)
    expect(other.page).to_have_url(re.compile("sample=answers"))
    assert other.page.evaluate("() => sessionStorage.getItem('qassay-work')") is None
    hostile = (
        "?tab=errors&system=<img src=x onerror=hacked=1>&kind='\"><script>hacked=1</script>&example=" + "x" * 20_000
    )
    with other.event():
        other.page.goto(f"{other.url}/{hostile}")
    shows(other.page.locator(".toast-body"), "<img src=x")
    assert other.page.evaluate("() => 'hacked' in window") is False
    expect(other.page).to_have_url(re.compile("tab=errors&sample=answers&system=small_model&kind=all"))


def test_two_choices_of_files_and_a_click_answer_and_a_link_leads_to_the_worst_examples(visit, tmp_path):
    """Which system is better, where the other one fails and what to tell a manager, without scrolling."""
    asked = ["who", "when", "where"]
    golds = [{"id": str(n), "question": f"{asked[n % 3]} {n}?", "answers": [f"answer {n}"]} for n in range(120)]
    careful = {one["id"]: one["answers"][0] for one in golds}
    hasty = {key: "nobody" if int(key) % 3 == 0 and int(key) % 10 else text for key, text in careful.items()}
    contents = {"gold.json": golds, "careful.json": careful, "hasty.json": hasty}
    for name, content in contents.items():
        (tmp_path / name).write_text(json.dumps(content))
    one = visit()
    for slot, *names in (("gold", "gold.json"), ("systems", "careful.json", "hasty.json")):
        with one.event(), one.page.expect_file_chooser() as chooser:
            one.page.locator(f"#pick_{slot}").click()
            chooser.value.set_files([tmp_path / name for name in names])
    shows(one.panel.locator("#found"), *(f"{name}: " for name in contents))
    with one.event():
        one.page.locator("#score").click()
    answer = one.panel.locator("#answer")
    for part in (
        "careful is better than hasty",
        "Likely real",
        "hasty loses most on question word who",
        "100.00",
        "Copy as text",
    ):
        shows(answer, part)
    expect(answer).to_be_in_viewport(ratio=1)
    with one.event():
        answer.get_by_role("link", name="Report for your manager").click()
    inside = one.page.frame_locator("#report-page iframe")
    shows(inside.locator("h1"), "careful is better")
    expect(one.page).to_have_url(re.compile("layout=one-page"))
    with one.event():
        one.page.go_back()
    expect(one.page.get_by_role("tab", name="Score")).to_have_attribute("aria-selected", "true")
    with one.event():
        answer.get_by_role("link", name="question word who", exact=True).click()
    expect(one.page.get_by_role("tab", name="Errors")).to_have_attribute("aria-selected", "true")
    shows(one.panel.locator("#errors-card"), "nobody")
    asked_who = {one["question"] for one in golds[::3]}
    soon(lambda: set() < set(one.panel.locator(".examples tbody th").all_inner_texts()) <= asked_who)


def test_a_link_and_a_tab_wait_until_all_tabs_are_filled(visit, monkeypatch):
    """The answer is shown before the other tabs are: what is clicked meanwhile opens when it is there."""
    from playwright.sync_api import expect

    from qassay.spaces_app import score_tab

    show, goes_on = score_tab.score_html, threading.Event()
    one = visit()
    one.upload("gold", GOLD)
    one.upload("systems", SMALL, LARGE)
    monkeypatch.setattr(score_tab, "score_html", lambda analysis: goes_on.wait(60) and show(analysis))
    for click, name in (
        (lambda: one.panel.locator("#answer").get_by_role("link", name="Read what").click(), "Errors"),
        (lambda: one.page.get_by_role("tab", name="Compare").click(), "Compare"),
    ):
        one.open_form()
        with one.event():
            one.page.locator("#score").click()
            expect(one.panel.locator("#scores .pending")).to_be_visible()
            expect(one.panel.locator("#answer")).to_contain_text("large_model is better")
            click()
            expect(one.page.get_by_role("tab", name="Score")).to_have_attribute("aria-selected", "true")
            goes_on.set()
            expect(one.page.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")
        goes_on.clear()
        shown = one.panel.locator(".chips" if name == "Errors" else "#compare-overview")
        expect(shown).to_contain_text("all errors" if name == "Errors" else "large_model")
        expect(one.page).to_have_url(re.compile(f"tab={name.lower()}"))
        assert "sample=" not in one.page.url, "it is of the files, not of the sample that was there before"


def test_slices_and_thresholds_change_with_what_is_chosen(visit):
    one = visit()
    one.open("Slices")
    shows(one.panel, "n = ")
    assert "by has_answer" not in one.panel.inner_text()
    taken = []

    def hold_back_the_second(route):
        """A dropdown sends two events. Where the answer to the second comes before its number, Gradio leaves a stream open."""
        taken.append((route, route.fetch()))
        if len(taken) == 2:
            for held, response in taken:
                held.fulfill(response=response)
                one.page.wait_for_timeout(250)

    one.page.route("**/queue/join*", hold_back_the_second)
    one.choose("Grouped by", "has_answer")
    one.page.unroute("**/queue/join*")
    assert len(taken) == 2
    shows(one.panel, "by has_answer", "n = 48")
    one.choose("Measure", "f1")
    shows(one.panel, "f1 by has_answer")
    one.open("No answer")
    before = one.panel.inner_text()
    with one.event():
        one.panel.get_by_label("Best F1 of each system").click()
    soon(lambda: one.panel.inner_text() != before)
    with one.event():
        one.panel.get_by_role("spinbutton").fill("0.0")
        one.page.keyboard.press("Tab")
    expect(one.panel.get_by_label("One of my own")).to_be_checked()


def test_all_files_of_a_report_can_be_had_and_the_page_opens_without_any_request(visit, browser, tmp_path):
    one = visit()
    one.open("Compare")
    verdict = "Likely real. large_model is better than small_model"
    shows(one.panel.locator("#compare-overview"), verdict)
    one.open("Report")
    inside = one.page.frame_locator("#report-page iframe")
    shows(inside.locator("#verdict"), "Likely real")
    with one.event():
        one.panel.get_by_text("One page for a manager", exact=True).click()
    shows(inside.locator("h1"), "large_model is better")
    with one.event():
        one.panel.get_by_text("The whole report").click()
    expect(inside.locator("#verdict")).to_be_visible()
    found = {}
    one.panel.get_by_role("button", name="Other forms").click()
    buttons = one.panel.locator("#report-download, #report-files button")
    expect(buttons).to_have_count(len(FILES))
    for button in buttons.all():
        with one.page.expect_download() as waiting:
            button.click()
        assert waiting.value.suggested_filename.startswith("qassay-report-small_model-vs-large_model")
        found[waiting.value.suggested_filename.removeprefix("qassay-report-small_model-vs-large_model")] = (
            waiting.value.path().read_text("utf-8")
        )
    assert set(found) == set(FILES)
    assert "exact_match" in found[".md"] and json.loads(found[".json"])
    (tmp_path / "report.html").write_text(found[".html"], "utf-8")
    asked, said = [], []
    with browser.new_context(offline=True) as context:
        context.on("request", lambda request: asked.append(request.url))
        context.on("weberror", lambda error: said.append(str(error.error)))
        page = context.new_page()
        page.goto((tmp_path / "report.html").as_uri())
        text = page.inner_text("body")
    assert "large_model" in text and "Likely real" in text and "71.88" in text
    assert [url for url in asked if not url.startswith(("data:", "blob:"))] == [(tmp_path / "report.html").as_uri()]
    assert said == []


@pytest.mark.parametrize("dark", [False, True])
def test_the_report_in_its_frame_has_the_theme_of_the_page(visit, dark):
    """The system of the reader has the other theme; the report follows when the page changes."""
    one = visit(dark=dark)
    one.open("Report")
    inside = one.page.frame_locator("#report-page iframe").locator("body")
    grounds = {False: "rgb(255, 255, 255)", True: "rgb(22, 26, 33)"}
    for scheme in ("light", "dark"):
        one.page.emulate_media(color_scheme=scheme)
        expect(inside).to_have_css("background-color", grounds[dark])
        expect(inside).to_have_css(
            "color-scheme", "light dark" if dark == (scheme == "dark") else "dark" if dark else "light"
        )
    one.page.evaluate("() => document.body.classList.toggle('dark')")
    expect(inside).to_have_css("background-color", grounds[not dark])
    shows(inside, "Likely real")


def test_runs_are_scored_and_labels_calibrate_their_values(visit, tmp_path):
    one = visit()
    one.upload("gold", GOLD)
    one.upload("systems", SMALL, LARGE)
    one.panel.get_by_label("Several files of predictions are repeated runs of one system").check()
    one.score()
    runs = qassay.score_files(GOLD, {"model": [str(SMALL), str(LARGE)]})["model"]
    told = ("Repeated runs", "Twice the runs", "majority@k", f"{100 * runs['f1']:.2f}")
    shows(one.panel.locator("#scores"), *told)
    assert one.violations() == [] and one.too_wide(390, 1280) == []
    shows(one.open("Errors"), "system (small_model)")  # each run has its own errors
    one.open("Human labels")
    one.choose("System", re.compile(r"\(large_model\)"))
    with one.event():
        one.page.locator("#labels-file input[type=file]").set_input_files([ANSWERS / "large_model_labels.csv"])
    shows(one.panel.locator("#labels-found"), "large_model_labels.csv")
    one.panel.get_by_label("Target width").fill("15")
    with one.event():
        one.panel.get_by_role("button", name="Calibrate", exact=True).click()
    scores = qassay.score_files(GOLD, LARGE)["large_model"]
    found = qassay.calibrate(scores, ANSWERS / "large_model_labels.csv")
    told = (f"{100 * found.value:.2f}", f"needs about {found.labels_needed(0.15)} labels")
    shows(one.panel.locator("#labels-page"), *told)
    assert one.violations() == [] and one.too_wide(390, 1280) == []
    with one.page.expect_download() as download:
        one.panel.locator("#labels-download").click()
    download.value.save_as(tmp_path / "to_label.csv")
    assert (
        (tmp_path / "to_label.csv")
        .read_text("utf-8")
        .startswith("id,label,question,answer,gold\n" + found.to_next(1)[0])
    )
    address = one.page.url
    with one.event():
        one.page.reload()
    expect(one.page).to_have_url(address)
    shows(one.panel.locator("#labels-page"), *told)
    one.panel.get_by_role("button", name=re.compile("^Labels: .* · change")).click()
    shows(one.panel.locator("#labels-found"), "(large_model): 40 labels that you gave")
    with one.event():
        one.page.locator("#labels-file input[type=file]").set_input_files([ANSWERS / "large_model_labels.csv"])
    expect(one.panel.locator("#labels-page")).to_have_text("")  # no numbers of labels that are gone


def test_labelled_answers_tell_which_measure_agrees_with_people(visit):
    one = visit()
    one.open("Agreement")
    shown = one.panel.locator("#agreement-page")
    shows(shown, "equivalence agrees best")  # of the sample
    one.panel.get_by_role("button", name="give your own answers").click()
    with one.event():
        one.page.locator("#agreement-file input[type=file]").set_input_files([ANSWERS / "labelled_answers.csv"])
    shows(one.panel.locator("#agreement-found"), "labelled_answers.csv")
    press = one.panel.get_by_role("button", name="Agreement", exact=True)
    with one.event():
        press.click()
    found = qassay.agreement(ANSWERS / "labelled_answers.csv")
    shows(shown, "chat", *(f"{measure.auc:.3f}" for measure in found.measures))
    with one.page.expect_download() as download:
        one.panel.get_by_role("button", name="Other forms").click()
        one.panel.get_by_role("button", name="JSON").click()
    assert json.loads(download.value.path().read_text("utf-8"))["n"] == found.n
    text, address = shown.inner_text(), one.page.url
    with one.event():
        one.page.reload()
    expect(shown).to_have_text(text, use_inner_text=True)
    expect(one.page).to_have_url(address)
    assert one.page.evaluate("() => sessionStorage.getItem('qassay-table')") not in address
    expect(one.panel.get_by_role("button", name="Download the page")).to_be_enabled()
    one.panel.get_by_role("button", name="labelled_answers.csv · change").click()
    with one.event():
        one.page.locator("#agreement-file input[type=file]").set_input_files([ANSWERS / "labelled_answers.csv"])
    expect(shown.locator("table")).to_have_count(0)
    one.panel.get_by_role("button", name="Options").click()
    one.choose("System", "label", starts=False)
    assert one.violations() == [] and one.too_wide(375, 1280) == []
    with one.event(fails=True):
        press.click()
    shows(one.panel.locator("#agreement-problem"), "no column is known to hold the labels")
    expect(shown.locator("table")).to_have_count(0)  # no numbers of other choices


def test_broken_input_is_told_and_old_numbers_are_gone(visit, tmp_path):
    one = visit()
    score_answers(one)
    shows(one.panel.locator("#scores"), "58.33")
    one.open_form()
    with one.event():
        one.panel.locator("#gold").get_by_role("button", name=re.compile("clear|remove", re.IGNORECASE)).first.click()
    one.page.locator("#gold input[type=file]").wait_for(state="attached")
    (tmp_path / "broken.json").write_text('{"data": [')
    one.upload("gold", tmp_path / "broken.json")
    one.score()
    shows(one.panel.locator("#problem"), "Not scored", "broken.json", "JSON")
    shows(one.page.get_by_test_id("toast-body"), "broken.json")
    expect(one.panel.locator("#problem")).to_be_visible()  # the form is open again, with the message beside the slots
    expect(one.panel.locator("#scores table")).to_have_count(0)
    for part in ("#answer", "#scores"):
        expect(one.panel.locator(part)).not_to_contain_text("small_model", use_inner_text=True)
    for name in ("Errors", "Slices", "Compare", "Report", "No answer"):
        panel = one.open(name)
        shows(panel, re.compile(r"\w"))
        expect(panel).not_to_contain_text(re.compile("small_model|lighthouse"), use_inner_text=True)


def test_two_visitors_see_their_own_data_only(visit, tmp_path):
    """Also when both score at the same time."""
    for name in "AB":
        gold = {"data": [{"title": name, "paragraphs": [{"context": f"It is {name}.", "qas": [
            {"id": f"{name}{place}", "question": f"Which letter of {name}?", "answers": [{"text": name, "answer_start": 6}]}
            for place in range(40)]}]}]}  # fmt: skip
        (tmp_path / f"gold_{name}.json").write_text(json.dumps(gold))
        (tmp_path / f"system_{name}.json").write_text(json.dumps({f"{name}{place}": name for place in range(40)}))
    both = {name: visit() for name in "AB"}
    both["A"].upload("gold", tmp_path / "gold_A.json")
    both["A"].upload("systems", tmp_path / "system_A.json")
    both["A"].score()
    shows(both["A"].panel, "system_A")
    with both["B"].event():
        both["B"].panel.get_by_role("button", name=SAMPLES["labels"].label, exact=True).click()
    shows(both["B"].panel.locator("#form"), "Sample: Labels")
    assert "system_A" not in both["B"].panel.inner_text()
    both["B"].upload("gold", tmp_path / "gold_B.json")
    both["B"].upload("systems", tmp_path / "system_B.json")
    both["A"].open_form()
    with both["A"].event(), both["B"].event():
        for one in both.values():
            one.panel.get_by_role("button", name="Score", exact=True).click()
    for name, other in ("AB", "BA"):
        for tab in ("Score", "Errors"):
            panel = both[name].open(tab)
            shows(panel, f"system_{name}")
            assert f"system_{other}" not in panel.inner_text(), (name, tab)
