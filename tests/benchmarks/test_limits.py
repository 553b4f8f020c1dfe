"""The command for unusual shapes: a case that is slow, wrong or not refused is reported, and the exit status is 1."""

import sys

import pytest


@pytest.fixture
def limits(load_script):
    return load_script("limits")


def run(limits, monkeypatch, capsys, *args):
    monkeypatch.setattr(sys, "argv", ["limits.py", *args])
    with pytest.raises(SystemExit) as stopped:
        limits.main()
    return stopped.value.code, capsys.readouterr()


def test_late_and_wrong_cases_are_reported(limits, monkeypatch, capsys):
    taken = {"quick": 0.5, "late": 2.0, "wrong": "AssertionError: 3"}
    monkeypatch.setattr(limits, "CASES", {name: limits.Case(1, None) for name in taken})
    monkeypatch.setattr(limits, "in_own_process", taken.get)
    code, shown = run(limits, monkeypatch, capsys)
    lines = shown.out.splitlines()[1:]
    assert code == 1 and [line.endswith("MISSED") for line in lines] == [False, True, True]
    assert "AssertionError: 3" in lines[2]
    assert run(limits, monkeypatch, capsys, "quick")[0] == 0
    assert run(limits, monkeypatch, capsys, "--list")[0] == 0
    code, shown = run(limits, monkeypatch, capsys, "slow")
    assert code == 2 and "no case holds any of slow" in shown.err


def test_what_is_not_refused_is_reported(limits):
    def refuse(*told):
        with limits.refused(*told):
            raise ValueError("line 3 has 4 columns")

    refuse("line 3", "4 columns")
    with pytest.raises(RuntimeError, match="does not say .'line 4'.: line 3"):
        refuse("line 4")
    with pytest.raises(RuntimeError, match="was not refused"), limits.refused("x"):
        pass


def test_cases_check_what_they_time(limits, tmp_path, monkeypatch):
    """Two small cases of this list run unchanged; names are unique."""
    monkeypatch.setattr(limits, "COLUMNS", 30)
    name = next(name for name in limits.CASES if name.endswith("columns, csv"))
    limits.CASES[name].prepare(tmp_path)()
    limits.seconds_of(limits.CASES[name])  # it makes its own folder
    assert len(limits.CASES) > 20
