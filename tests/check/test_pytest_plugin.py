"""The plugin for pytest: it costs nothing before a test asks for it, stores baselines and judges by them."""

import json
import os
import subprocess
import sys

import pytest

from qassay.check.baselines import BaselineGate

GOLD = {f"q{number}": ["Rome"] for number in range(100)}
RIGHT = dict.fromkeys(GOLD, "Rome")
TEST = """
GOLD = {number: ["Rome"] for number in range(100)}

def test_answers(qassay_gate, pytestconfig):
    wrong = int(pytestconfig.rootpath.joinpath("wrong").read_text())
    answers = {number: "Oslo" if number < wrong else "Rome" for number in GOLD}
    qassay_gate("answer_match", answers, GOLD, "f1", margin=0.05)
"""


def test_a_run_stores_a_baseline_and_later_runs_are_judged_by_it(tmp_path):
    (tmp_path / "test_model.py").write_text(TEST)
    (tmp_path / "pytest.ini").write_text("[pytest]\nqassay_baseline = kept\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "qassay.check.pytest_plugin", "-p", "no:cacheprovider"]

    def run(wrong, *more):
        (tmp_path / "wrong").write_text(str(wrong))
        environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        environment.pop("PYTEST_ADDOPTS", None)
        return subprocess.run([*command, *more], cwd=tmp_path, env=environment, capture_output=True, text=True).stdout

    assert "there is no baseline " in run(0) and not (tmp_path / "kept").exists()
    assert "1 passed" in run(0, "--qassay-update-baseline")
    stored = json.loads((tmp_path / "kept" / "test_model.py.test_answers.json").read_text())
    assert stored == {str(number): "Rome" for number in range(100)}
    told = run(40)
    assert "f1: new is worse than old by more than 0.05\n" in told
    assert "baselines.py" not in told and "testing.py" not in told, "the line of the test is shown"
    assert "there is no baseline other" in run(0, "--qassay-baseline", "other")


@pytest.mark.thorough
def test_the_plugin_loads_no_library():
    code = """if True:
        import sys, pytest
        before = set(sys.modules)
        import qassay.check.pytest_plugin
        print({name.partition(".")[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names))
    """
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "{'qassay'}\n"


def test_a_question_that_the_baseline_lacks_cannot_let_a_system_pass(tmp_path):
    """The baseline would fail it."""
    BaselineGate(tmp_path, "t", update=True)("answer_match", RIGHT, GOLD, "f1", margin=0.05)
    judge, again = BaselineGate(tmp_path, "t"), BaselineGate(tmp_path, "t")
    golds, answers = ({**of, "new": value} for of, value in ((GOLD, ["Bern"]), (RIGHT, "Bern")))
    with pytest.raises(ValueError, match=r"lacks 1 question of this test \(new\)"):
        judge("answer_match", answers, golds, "f1", margin=0.05)
    assert judge("answer_match", answers, golds, "f1", margin=0.05, common=True).difference.n == 100
    fewer = dict(list(GOLD.items())[1:])
    assert again("answer_match", dict.fromkeys(fewer, "Rome"), fewer, "f1", margin=0.05).difference.n == 99


def test_two_systems_of_a_test_need_two_names(tmp_path):
    judge, other = BaselineGate(tmp_path, "t", update=True), {**RIGHT, "q1": "Oslo"}
    judge("answer_match", RIGHT, GOLD, "f1", margin=0.05)
    judge("answer_match", RIGHT, GOLD, "exact_match", margin=0.05)  # the same system by another measure
    judge("answer_match", other, GOLD, "f1", margin=0.05, name="other")
    with pytest.raises(ValueError, match=r"t\.json already"):
        judge("answer_match", other, GOLD, "f1", margin=0.05)
    stored = {path.name: json.loads(path.read_text()) for path in tmp_path.iterdir()}
    assert stored == {"t.json": RIGHT, "other.json": other}


def test_what_cannot_be_stored_or_read_is_refused(tmp_path):
    update = BaselineGate(tmp_path, "t", update=True)
    with pytest.raises(TypeError, match="predictions must be a dict by id"):
        update("answer_match", ["Rome"], ["Rome"], "f1", margin=0.05)
    assert list(tmp_path.iterdir()) == []
    for content in ("[1]", "{"):
        (tmp_path / "t.json").write_text(content)
        with pytest.raises(ValueError, match=r"t\.json"):
            BaselineGate(tmp_path, "t")("answer_match", RIGHT, GOLD, "f1", margin=0.05)


def test_every_test_has_a_file_of_its_own(tmp_path):
    names = ["a/b.py::t[x/y]", "a/b.py::t[x.y]", "a/b.py::t[x:y]", "a/b.py::C::t", "../../t"]
    paths = {BaselineGate(tmp_path, name).path() for name in names}
    assert len(paths) == len(names) and {path.parent for path in paths} == {tmp_path}
    assert BaselineGate(tmp_path, "t").path("../x").parent == tmp_path
