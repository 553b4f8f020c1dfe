"""In a browser: links of every sort from numbers to the examples behind them."""

import json
import re

from qassay.spaces_app.samples import FOLDER, SAMPLES

from .conftest import expect, shows

ANSWERS = FOLDER / "answers"


def follow(one, link, *words):
    """Click a link to the tab Errors, which then says these words, and go back."""
    tab = one.page.get_by_role("tab", selected=True).inner_text()
    with one.event():
        link.click()
    expect(one.page.get_by_role("tab", name="Errors", exact=True)).to_have_attribute("aria-selected", "true")
    shows(one.panel.locator("#errors-note"), *words)
    with one.event():
        one.page.go_back()
    expect(one.page.get_by_role("tab", name=tab, exact=True)).to_have_attribute("aria-selected", "true")


def test_numbers_by_human_labels_lead_to_the_labelled_answers_also_after_a_reload(visit):
    one = visit()
    one.upload("gold", ANSWERS / "gold.json")
    one.upload("systems", ANSWERS / "large_model.json")
    one.score()
    one.open("Human labels")
    with one.event():
        one.page.locator("#labels-file input[type=file]").set_input_files([ANSWERS / "large_model_labels.csv"])
    with one.event():
        one.panel.get_by_role("button", name="Calibrate", exact=True).click()
    table = one.panel.locator("#labels-page table")
    follow(one, table.first.get_by_role("link", name="64", exact=True), "64 questions", "by exact_match")
    follow(one, one.panel.locator("#labels-page svg a").nth(1), "40 of 64 questions", "has a human label: yes")
    shows(one.panel.locator("#labels-page"), "calibrated by human labels")
    with one.event():
        table.nth(1).locator("td a").nth(1).click()  # the sensitivity
    shows(one.panel.locator(".chips"), "human label: right")
    shows(one.panel.locator("#errors-list"), "human label")
    first, listed = one.page.url, one.panel.locator("#errors-list tbody tr").count()
    assert listed > 10 and one.violations() == [] and one.too_wide(375, 1280) == []
    one.choose("Slice", re.compile("^human label: wrong"))
    assert 0 < one.panel.locator("#errors-list tbody tr").count() < listed
    shows(one.panel.locator("#errors-card"), "human label 0")
    with one.event():
        one.page.goto(first)
    shows(one.panel.locator(".chips"), "human label: right")
    assert one.panel.locator("#errors-list tbody tr").count() == listed


def test_numbers_of_an_agreement_open_the_list_of_their_answers(visit):
    one = visit()
    one.open("Agreement")
    shows(one.panel.locator("#agreement-page"), "equivalence agrees best")
    address = one.page.url
    for link in (
        one.panel.locator("table").first.locator("tbody a").first,
        one.panel.locator("#agreement-page svg a").first,
    ):
        place = one.page.locator(link.get_attribute("href"))
        expect(place.locator("details[open]")).to_have_count(0)
        link.click()
        expect(place.locator("details[open]")).to_have_count(1)
        expect(place.locator("summary")).to_be_focused()
        expect(place.locator("table")).to_be_in_viewport()
        rows = re.search(r": (\d+) of 36 answers", place.locator("summary").inner_text()).group(1)
        expect(place.locator("tbody tr")).to_have_count(int(rows))
        assert one.page.url == address, "the address of the tab stays"
    numbers = one.panel.locator("#agreement-page > * table:not(details table) tbody tr:first-child a")
    assert numbers.count() > 15  # n, AUC, Pearson, ECE and the accuracy of a measure; a system, its n and its means
    for link in numbers.all():
        link.click()
        rows = one.page.locator(link.get_attribute("href")).locator("tbody tr")
        expect(rows.first).to_be_in_viewport()
    assert one.violations() == [] and one.too_wide(375, 1280) == []


def test_counts_of_the_checks_and_marks_of_no_answer_lead_to_their_questions(visit):
    one = visit()
    follow(one, one.panel.locator(".checks a").last, "14 of 64 questions")
    panel = one.open("No answer")
    follow(one, panel.locator(".finding a").first, "10 of 64 questions", "answered: answered, has none")
    follow(
        one, panel.get_by_role("link", name=re.compile(r"^\d+ right$")).first, "answered right: answered, has an answer"
    )
    charts = panel.locator("svg")
    point = charts.nth(0).locator("a[tabindex='-1']").nth(5)
    point.scroll_into_view_if_needed()
    follow(one, point.locator("circle"), "withheld at 0.")
    follow(one, charts.nth(2).locator("a").first, "no-answer probability 0 to 0.1: yes")
    follow(one, charts.nth(3).locator("a").first, re.compile("no-answer probability .*has an answer"))
    with one.event():
        panel.get_by_label("Best F1 of each system").click()
    shows(panel, "Threshold 0.")
    follow(one, panel.get_by_text("given ").locator("a").last, re.compile(r"\d+ of 64 questions"))
    assert one.violations() == []


def test_runs_and_classes_lead_to_their_examples(visit):
    one = visit()
    one.sample(SAMPLES["runs"].label)
    table = one.panel.locator("table", has_text="the standard deviation")
    follow(one, table.get_by_role("link", name="25 %").first, "16 of 64 questions", "right in none")
    follow(one, table.locator("td a").nth(1), "64 questions")
    follow(one, one.panel.locator("svg a[href*='the+mean+f1']").last, "35 of 64 questions")
    one.sample(SAMPLES["labels"].label)
    follow(one, one.panel.locator("svg a[href*='true+label%3Aloans']").first, "10 of 36", "true label: loans")


def test_an_id_in_a_remark_on_runs_leads_to_the_question_in_that_run(visit, tmp_path):
    answers = json.loads((ANSWERS / "large_model.json").read_text("utf-8"))
    lacking = list(answers)[3]
    (tmp_path / "second.json").write_text(json.dumps({key: answers[key] for key in answers if key != lacking}))
    one = visit()
    one.upload("gold", ANSWERS / "gold.json")
    one.upload("systems", ANSWERS / "large_model.json", tmp_path / "second.json")
    one.panel.get_by_label("Several files of predictions are repeated runs of one system").check()
    one.score()
    follow(one, one.panel.locator(".checks").get_by_role("link", name="1 in second"), "1 of 64 questions")
    with one.event():
        one.panel.locator(".checks").get_by_role("link", name=f"'{lacking}'").click()
    shows(one.panel.locator("#errors-card"), lacking, "no prediction")
    expect(one.panel.get_by_label("System", exact=True)).to_have_value(re.compile(r"\(second\)"))
