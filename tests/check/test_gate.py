"""The forms of a gate with ids and names that try to be more than text."""

import json
from xml.etree import ElementTree

import qassay
from qassay.check.gate import gate_json, gate_junit, gate_lines, gate_markdown, judge_gate
from qassay.core.file_columns import Gold
from qassay.files.scored import Scored, System
from qassay.registry import get_family

IDS = [
    "a|b", "]]>", "<script>alert(1)</script>", "@somebody", "[link](http://x.example)", "`code`", "a\nb", "\x00\x1b[31m",
    "https://x.example", "x" * 500, "\ud800", "![i](x)",
]  # fmt: skip


def gate_of(ids, old="old", new="new", command="qassay check", **settings):
    family = get_family("answer_match")
    golds = dict.fromkeys(ids, ["Rome"])
    wrong = {identifier: "Oslo" if row < len(IDS) else "Rome" for row, identifier in enumerate(ids)}
    systems = {
        name: System(qassay.score("answer_match", answers, golds), name, {})
        for name, answers in ((old, dict.fromkeys(ids, "Rome")), (new, wrong))
    }
    gold = Gold("gold", "", {"references": list(golds.values())}, {}, list(ids), {}, metric="answer_match")
    return judge_gate(Scored(family, gold, systems), [("f1", 0.01)], command=command, **settings)


def test_hostile_names_and_ids_stay_text_in_every_form(monkeypatch):
    monkeypatch.setattr("qassay.stats.margin._SHOWN_LOSSES", len(IDS))
    many = [*IDS, *(f"q{row}" for row in range(200))]
    report = gate_of(many, "o|ld\n@boss", "<b>new</b>\x1b[2J", command="qassay check `a\n``b` ]]>")
    writers = {"table": gate_lines, "markdown": gate_markdown, "json": gate_json, "junit": gate_junit}
    forms = {form: write(report) for form, write in writers.items()}
    assert len(report.verdicts[0].losses) == len(IDS)
    assert forms["table"].count("\n") == 1
    for text in forms.values():
        assert not any(character in text for character in "\x00\x1b")
    page = forms["markdown"]
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    assert len(rows) == 3 and {line.replace("\\|", "").count("|") for line in rows} == {9}
    for harm in ("<script", "<b>", " [link]", "://", "![i]"):
        assert harm not in page
    assert "`@somebody`" in page and "`@boss`" in page  # code is not a mention
    assert sum(line.startswith("- largest losses") for line in page.splitlines()) == 1
    suite = ElementTree.fromstring(forms["junit"].encode())[0]
    (failure,) = suite.iter("failure")
    assert "']]>' -1.0000" in failure.text and "<script>" in failure.text
    (verdict,) = json.loads(forms["json"])["verdicts"]
    assert [loss["change"] for loss in verdict["losses"]] == [-1.0] * len(IDS)
