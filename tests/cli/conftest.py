"""Calls of the command line."""

import pytest

from qassay.cli import main


@pytest.fixture(autouse=True)
def plain_terminal(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture
def run(capsys):
    def call(*arguments):
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        assert code == 0, err
        assert err == ""
        return out

    return call


@pytest.fixture
def fail(capsys):
    def call(*arguments):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as stop:
            code = stop.code
        out, err = capsys.readouterr()
        assert (code, out) == (2, "")
        assert err.startswith("qassay: error: ") and err.count("\n") == 1
        return err

    return call
