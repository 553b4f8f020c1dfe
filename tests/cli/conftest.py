"""Calls of the command line."""

import json

import pytest

from qassay.cli import main
from qassay.cli.errors import WRITTEN


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
        reports = [path for option, path in zip(arguments, arguments[1:], strict=False) if option == "--report"]
        notes = [line for line in err.splitlines() if ": columns chosen by name: " not in line]  # see test_roles.py
        assert notes == [f"qassay: note: wrote {path}" for path in reports]
        return out

    return call


@pytest.fixture
def put(tmp_path):
    """A function that writes a text, or data as JSON, to a file and returns its path."""

    def write(name, content):
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    return write


@pytest.fixture
def tree(run):
    """The strict JSON that the command prints."""

    def call(*arguments):
        return json.loads(run(*arguments, "--format", "json"), parse_constant=pytest.fail)

    return call


@pytest.fixture
def values(tree):
    """The values of each system that `qassay score` prints as JSON."""

    def call(*arguments):
        return {name: of["values"] for name, of in tree("score", *arguments, "--no-intervals")["systems"].items()}

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
        assert err.startswith("qassay: error: ")
        assert err.count("\n") == 1 or (f"\n{WRITTEN}" in err and err.count("\n") == 2)
        return err

    return call
