"""`qassay check`: exit statuses, what is printed and written, and bad input one by one."""

import json
import re
import shlex
from pathlib import Path
from xml.etree import ElementTree

import pytest

from qassay.cli import main


@pytest.fixture
def check(capsys, samples, monkeypatch):
    """Calls the command in the folder of the samples: exit status, output and errors."""
    monkeypatch.chdir(samples)

    def call(*arguments):
        try:
            code = main(["check", *map(str, arguments)])
        except SystemExit as stop:
            code = stop.code
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return code, out, err

    return call


WORSE = ("small_model.json", "--baseline", "large_model.json", "--gold", "gold.json")
BETTER = ("large_model.json", "--baseline", "small_model.json", "--gold", "gold.json")


def test_the_exit_status_and_one_line_tell_the_verdict(check):
    for files, margin, status, told in (
        (WORSE, "0.02", 1, "failed: f1: small_model"),
        (BETTER, "0.02", 0, "passed: f1: large_model"),
    ):
        code, out, err = check(*files, "--measure", "f1", "--margin", margin)
        assert (code, err, out.count("\n")) == (status, "", 1) and out.startswith(told)


def test_gold_data_of_a_baseline_that_lacks_questions_are_refused(check, tmp_path):
    rows = [{"id": n, "prediction": "a b" if n % 3 else "c", "gold": "a b"} for n in range(40)]
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    old.write_text("\n".join(map(json.dumps, rows[:30])), "utf-8")
    new.write_text("\n".join(json.dumps({**row, "prediction": "a b"}) for row in rows), "utf-8")
    for more in ((), ("--count-absent",)):
        code, _, err = check(new, "--baseline", old, "--measure", "f1=0.1", *more)
        assert code == 2 and "old, whose gold answers count, lacks 10 questions of new; give a file that has" in err
    for more, numbers in (
        (("--common",), "(old 0.6667, new 1.0000, difference +0.3333"),  # 20 of 30
        (("--count-absent", "--gold", new), "(old 0.5000, new 1.0000, difference +0.5000"),  # 20 of 40
    ):
        code, out, _ = check(new, "--baseline", old, "--measure", "f1=0.1", *more)
        assert code == 0 and numbers in out


def test_a_system_must_pass_by_every_measure(check):
    code, out, _ = check(*WORSE, "--measure", "f1=0.5", "em,contains=0.02", "--margin", "0.6")
    assert code == 1 and [line[:20] for line in out.splitlines()] == [
        "passed: f1: small_mo", "passed: exact_match:", "failed: contains: sm",
    ]  # fmt: skip
    assert check(*WORSE, "-m", "f1=0.5", "-m", "em=0.6")[0] == 0


@pytest.fixture
def tree_of(check):
    def call(*arguments):
        return json.loads(check(*arguments, "--format", "json")[1], parse_constant=pytest.fail)

    return call


def test_the_files_for_a_pull_request_and_for_a_ci_server(check, tmp_path):
    files = {"--markdown": tmp_path / "gate.md", "--junit": tmp_path / "gate.xml"}
    written = [part for pair in files.items() for part in pair]
    code, _, err = check(*WORSE, "--measure", "f1=0.02", "em=0.5", "--groups", "article", *written)
    assert code == 1 and all(line.startswith("qassay: note: ") for line in err.splitlines())
    page = files["--markdown"].read_text("utf-8")
    assert page.startswith("### ❌ small_model ") and "| f1 | 64 in 11 groups | 0.8205 | 0.5833 | -0.2372 |" in page
    assert page.count("<details>") == page.count("</details>") == 1 and "`qassay check small_model.json " in page
    suite = ElementTree.fromstring(files["--junit"].read_text("utf-8")).find("testsuite")
    cases = {case.get("name"): case.find("failure") for case in suite}
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1") and cases["exact_match"] is None
    assert "small_model" in cases["f1"].get("message") and "'lighthouse-1' -1.0000" in cases["f1"].text
    page = tmp_path / "passed.md"
    assert check(*BETTER, "--measure", "f1=0.02", "--markdown", page)[0] == 0
    assert page.read_text("utf-8").startswith("### ✅ large_model ")


def test_other_questions_are_refused_unless_requested(check, tree_of, tmp_path, samples):
    """A baseline without answers would let a worse system pass."""
    answers = json.loads((samples / "large_model.json").read_text("utf-8"))
    some = tmp_path / "some.json"
    some.write_text(json.dumps(dict(list(answers.items())[:24])))
    files = ("small_model.json", "--baseline", some, "--gold", "gold.json", "--measure", "f1=0.02")
    code, out, err = check(*files)
    assert (code, out) == (2, "")
    assert "some lacks 40 of 64 ('release-4', " in err and "common=True" in err and "count_absent=True" in err
    code, out, err = check(*files, "--common")
    assert code == 1 and " 24 examples)" in out and "scored 0" not in err
    assert "40 of small_model" in err
    assert tree_of(*files, "--common")["verdicts"][0]["difference"]["n"] == 24
    assert check(*files, "--count-absent")[0] == 0


BAD = {
    "margin must be a number of at least 0": ("--measure", "f1", "--margin", "-0.1"),
    "--measure f1=a": ("--measure", "f1=a"),
    "f1 has no margin: give --margin 0.01, or --measure f1=0.01": ("--measure", "f1"),
    "unrecognized arguments: other.json": ("--measure", "f1=0.1", "--margin", "0.1", "other.json"),
    "the measure exact_match is given twice": ("--measure", "em=0.1", "exact_match=0.2"),
    "unrecognized arguments: --by": ("--measure", "f1=0.1", "--by", "language"),
    "--markdown small_model.json: this file is read": ("--measure", "f1=0.1", "--markdown", "small_model.json"),
    "--junit -": ("--measure", "f1=0.1", "--junit", "-"),
    "--measure =0.1": ("--measure", "=0.1"),
    "map(rel=2)@100 has no margin": ("--measure", "map(rel=2)@100"),
    "the following arguments are required: --measure": (),
}


@pytest.mark.parametrize("told", BAD)
def test_bad_input_is_one_line_and_status_2(check, told):
    code, out, err = check(*WORSE, *BAD[told])
    assert (code, out) == (2, "") and err.startswith("qassay: error: ") and told in err and err.count("\n") == 1


def test_files_in_the_wrong_place_are_named(check):
    code, _, err = check("large_model.json", "--baseline", "./large_model.json", "--measure", "f1=0.1")
    assert code == 2 and "large_model.json" in err
    code, _, err = check("small_model.json", "--baseline", "large_model.json", "--measure", "f1=0.1")
    assert code == 2 and "--gold" in err and "score" not in err
    code, _, err = check("none.json", "--baseline", "large_model.json", "--gold", "gold.json", "--measure", "f1=0.1")
    assert code == 2 and "none.json: no such file" in err
    code, _, err = check("--measure", "f1=0.1", "small_model.json", "--baseline", "large_model.json")
    assert code == 2 and "files come first" in err


@pytest.mark.thorough
def test_the_page_of_the_gate_is_true(check):
    page = (Path(__file__).parents[2] / "docs" / "check.md").read_text("utf-8")
    first, *others = re.findall(r"^qassay check (.*)", page, re.MULTILINE)
    assert check(*shlex.split(first)) == (0, re.search("```text\n(.*?)```", page, re.DOTALL)[1], "")
    assert others and all(check(*shlex.split(line))[0] in (0, 1) for line in others)
