"""The page as a file: one script, one style, its policy, and what is in it without scripts."""

import base64
import hashlib
import html
import json
import re
from pathlib import Path

import pytest

import qassay
from qassay.results import document
from qassay.results.page import page, script, style

from .documents import made_document

VIEWER = Path(qassay.__file__).parent / "results" / "viewer"
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u2028]]>--><!--<script>$&$'`@data@"


def test_made_documents_are_valid():
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    schema = json.loads((VIEWER.parent / "schema.json").read_text("utf-8"))
    for systems in (["one"], ["one", "two"], ["one", "two", "three", "four"]):
        jsonschema.Draft202012Validator(schema).validate(made_document(40, systems))


def test_the_policy_allows_one_script_and_one_style_and_nothing_else():
    text = page(made_document(5))
    (code,) = re.findall(r'<script type="module">(.*?)</script>', text, re.DOTALL)
    (looks,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    hashes = [base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in (code, looks)]
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{hashes[0]}'; style-src 'sha256-{hashes[1]}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    assert (code, looks) == (script("page.js"), style())


def test_the_script_makes_no_html_of_texts_and_no_request():
    code = script("page.js")
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "fetch(",
        "XMLHttpRequest",
        "import(",
    ):
        assert word not in code, word
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", code + style())


def test_hostile_texts_stay_texts():
    found = made_document(4, [HOSTILE, "other"])
    found["title"], found["parts"][0]["measures"][2]["title"] = HOSTILE, HOSTILE
    text = page(found)
    assert text.count("<script") == text.count("</script>") == 2
    (data,) = re.findall(r'<script type="application/json" id="result">(.*?)</script>', text, re.DOTALL)
    assert json.loads(data) == json.loads(json.dumps(found))
    static = text[text.index('<div id="viewer"') : text.index('<script type="application/json"')]
    assert "<img" not in static and html.escape(HOSTILE)[:60] in static


def test_lone_surrogates_do_not_stop_a_page():
    found = made_document(4, ["\ud800", "other"])
    assert b"\\ud800" in page(found).encode()


def test_a_reader_without_scripts_sees_the_verdict_and_the_values():
    found = made_document(64)
    static = html.unescape(page(found).split('<script type="application/json"')[0])
    pair = next(one for one in found["parts"][0]["comparisons"] if one["measure"] == "f1")
    second, first = (f"{value:.2f}" for value in reversed(pair["values"]))
    assert f"large_model is better than small_model: F1 {second} against {first} on 64 questions" in static
    for system, values in found["parts"][0]["values"].items():
        assert f"{values['f1']['value']:.2f}" in static and f"({values['f1']['low']:.2f}–" in static, system
    ranked = html.unescape(page(made_document(64, ["a", "b", "c"])).split('<script type="application/json"')[0])
    assert "c leads by F1" in ranked and "not significantly different from it: " in ranked


def test_documents_of_scores_have_pages():
    gold = {"q1": ["Paris"], "q2": ["Rome"], "q3": ["Bern"]}
    scores = {
        name: qassay.score("answer_match", answers, gold)
        for name, answers in {
            "small": {"q1": "Paris", "q2": "Milan", "q3": "Basel"},
            "large": {"q1": "Paris", "q2": "Rome", "q3": "in Bern"},
        }.items()
    }
    for kind in ("score", "compare", "leaderboard"):
        text = page(document(scores, kind))
        assert "small" in text and str(VIEWER) not in text


@pytest.mark.parametrize(
    "line",
    [
        'import one from "./other.js";',
        'import { a as b } from "./other.js";',
        'import "./other.js";',
        "export default 1;",
        "export { one };",
        "export let one = 1;",
        'const one = await import("./other.js");',
        "const text = '</script>';",
    ],
)
def test_other_forms_of_modules_are_refused(tmp_path, line):
    (tmp_path / "other.js").write_text("export const a = 1;\n")
    (tmp_path / "main.js").write_text(f"{line}\n")
    with pytest.raises(ValueError, match=r"main\.js"):
        script("main.js", tmp_path)


def test_modules_run_once_each_before_those_that_import_them(tmp_path):
    (tmp_path / "a.js").write_text("export const one = 1;\nexport function two() {\n  return 2;\n}\n")
    (tmp_path / "b.js").write_text('import { one } from "./a.js";\nexport class B {}\n')
    (tmp_path / "main.js").write_text('import { one, two } from "./a.js";\nimport { B } from "./b.js";\none;\n')
    found = script("main.js", tmp_path)
    assert [found.count(f'modules["{name}.js"] = ') for name in ("a", "b", "main")] == [1, 1, 1]
    assert found.index('modules["a.js"] =') < found.index('modules["b.js"] =') < found.index('modules["main.js"] =')
    assert "return { one, two };" in found and "return { B };" in found
    (tmp_path / "a.js").write_text('import { B } from "./b.js";\nexport const one = 1;\n')
    with pytest.raises(ValueError, match=r"a\.js -> b\.js -> a\.js|b\.js -> a\.js"):
        script("main.js", tmp_path)
