"""The script that times comparisons: it runs from end to end on made-up answers, and refuses numbers that disagree."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import qassay

SCRIPT = Path(__file__).resolve().parent.parent.parent / "benchmarks" / "compare.py"


@pytest.fixture(scope="module")
def script(load_script):
    return load_script("compare")


def test_the_whole_script_on_invented_answers(script, ranx, monkeypatch, capsys):
    monkeypatch.delenv("QASSAY_TEST_DATA", raising=False)
    monkeypatch.setattr(script, "QUERIES", 100)
    words = ["--questions", "200", "--permutations", "500", "--repeats", "1"]
    monkeypatch.setattr("sys.argv", [str(SCRIPT), *words])
    script.main()
    printed = capsys.readouterr().out
    assert re.match(
        rf"\d{{4}}-\d\d-\d\d on \d+ x .+, with Python 3.+, qassay {re.escape(qassay.__version__)}, .*scipy \d", printed
    )
    assert "invented answers: 200 questions, 4 measures, 500 permutations" in printed
    assert "Rankings: 100 queries" in printed
    assert "wanted at most 2 s" in printed
    ways = ("qassay.compare: tests and intervals", "scipy permutation_test", "scipy bootstrap, paired", "ranx.compare")
    for row in ways:
        assert f"│ {row}" in printed


def test_a_folder_without_questions_is_refused(tmp_path):
    done = subprocess.run(
        [sys.executable, SCRIPT, "--data", tmp_path], check=False, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 2
    assert "has no dev-v2.0.json" in done.stderr


def test_real_answers(script, squad2):
    name, systems = script.squad(squad2)
    assert name == "SQuAD 2.0 dev"
    assert {system: len(scores) for system, scores in systems.items()} == {"bert": 11_873, "bidaf_elmo": 11_873}


def test_p_values_that_disagree_stop_the_run(script):
    script.check_p_values("f1", 0.05, 0.055, 10_000)
    script.check_p_values("f1", 1 / 10_001, 0.0, 10_000)
    script.check_p_values("f1", 1.0, 1.0, 10_000)
    with pytest.raises(SystemExit, match=r"f1: p is 0\.05, 0\.07 there"):
        script.check_p_values("f1", 0.05, 0.07, 10_000)


def test_intervals_that_disagree_stop_the_run(script):
    script.check_intervals("f1", (0.01, 0.05), (0.012, 0.049), 0.01)
    with pytest.raises(SystemExit, match="f1: the interval is"):
        script.check_intervals("f1", (0.01, 0.05), (0.02, 0.05), 0.01)
