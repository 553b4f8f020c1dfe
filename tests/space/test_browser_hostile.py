"""Hostile text in everything that visitors can name or write: the browser shows it, and runs none of it."""

import json
import re

import pytest

pytest.importorskip("gradio", reason='needs gradio: pip install -e ".[test-all]"')

from .conftest import expect, shows

pytestmark = pytest.mark.thorough

ATTACKS = (
    "<img src=x onerror=window.hacked=1><script>window.hacked=1</script>",
    '"><img src=x onerror="window.hacked=1">',
    "'><img src=x onerror='window.hacked=1'></title></textarea></style><svg onload=window.hacked=1>",
    "javascript:window.hacked=1//</a><a href='javascript:window.hacked=1'>",
    "${window.hacked=1}{{window.hacked=1}}",
)
# Gradio leaves the brackets out of the names of uploads.
IN_FILE_NAMES = "<img src=x onerror=window.hacked=1>"
# What none of the attacks may have become: an element, an attribute that runs, a link that runs.
MADE = """() => [
    window.hacked, document.querySelectorAll('img[src="x"], img[src$="/x"], svg[onload], [onerror], [onload]').length,
    [...document.querySelectorAll('script')].filter(script => script.textContent.includes('hacked')).length,
    [...document.querySelectorAll('a')].filter(
        link => (link.href.baseVal ?? link.href).trim().toLowerCase().startsWith('javascript:')).length]"""
NOTHING = [None, 0, 0, 0]


def squad_files(folder):
    """A gold file, two systems and the no-answer probabilities of each, hostile in every text."""
    questions, answers, doubts = [], ({}, {}), {}
    for place in range(40):
        attack = ATTACKS[place % len(ATTACKS)]
        name, text = f"{place} {attack}", f"{attack} {place}"
        impossible = place % 4 == 3
        golds = [] if impossible else [{"text": text, "answer_start": 0}]
        questions.append({"id": name, "question": f"Who? {attack}", "answers": golds, "is_impossible": impossible})
        answers[0][name] = text if place % 2 else f"{ATTACKS[0]} {attack}"
        answers[1][name] = "" if impossible else f"{attack} {place if place % 3 else ATTACKS[1]}"
        doubts[name] = place / 40
    context = " ".join(f"{attack} {place}" for place in range(40) for attack in ATTACKS)
    paragraphs = [{"context": context, "qas": questions}]
    data = {"version": ATTACKS[0], "data": [{"title": ATTACKS[1], "paragraphs": paragraphs}]}
    contents = {"gold": data, "first": answers[0], "second": answers[1], "doubts_1": doubts, "doubts_2": doubts}
    paths = [folder / f"{name}{IN_FILE_NAMES}.json" for name in contents]
    for path, content in zip(paths, contents.values(), strict=True):
        path.write_text(json.dumps(content), "utf-8")
    return paths


def visit_all_tabs(one):
    """Open every tab, with every fold of it, and a few of the cards."""
    for name in one.tabs:
        panel = one.open(name)
        shows(panel, re.compile(r"\w"))
        panel.locator("details:not([open]) > summary").evaluate_all("folds => folds.forEach(fold => fold.click())")
        if name == "Errors" and panel.get_by_role("button", name="Next", exact=True).is_visible():
            with one.event():
                panel.get_by_role("button", name="Next", exact=True).click()
            shows(panel.locator("#errors-place"), re.compile(r"^\s*2 of "))
        assert one.page.evaluate(MADE) == NOTHING, name


def test_hostile_answers_are_text_in_every_tab(visit, tmp_path):
    one = visit()
    gold, first, second, *doubts = squad_files(tmp_path)
    one.upload("gold", gold)
    one.upload("systems", first, second)
    one.upload("probabilities", *doubts)
    one.panel.get_by_role("button", name=re.compile("^Options")).click()
    one.panel.locator("#options textarea").fill(f"names=first {ATTACKS[0]},second {ATTACKS[2]}")
    one.score()
    shows(one.panel.locator("#scores"), "40 questions", "first <img src")
    expect(one.panel.locator("#problem")).to_have_text("")
    visit_all_tabs(one)
    one.open("Errors")
    shows(one.panel.locator("#errors-card"), "<script>window.hacked=1</script>")
    assert one.too_wide(375, 1280) == []
