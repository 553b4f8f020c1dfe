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
        assert err.splitlines() == [f"qassay: note: wrote {path}" for path in reports]
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
    """The strict JSON that the command prints; of a result document also its numbers by names."""

    def call(*arguments):
        found = json.loads(run(*arguments, "--format", "json"), parse_constant=pytest.fail)
        return found | by_name(found) if "parts" in found else found

    return call


def by_name(document):
    """The numbers of a result document by system, measure and label."""
    parts, names = document["parts"], [system["name"] for system in document["systems"]]
    systems = {
        name: {
            "values": {key: cell["value"] for part in parts for key, cell in part["values"].get(name, {}).items()},
            "intervals": {
                key: [cell["low"], cell["high"]] for part in parts for key, cell in part["values"].get(name, {}).items()
            },
            "notes": {key: count for part in parts for key, count in part["notes"].get(name, {}).items()},
            **{"runs": part["runs"][name] for part in parts if name in part["runs"]},
        }
        for name in names
    }
    slices = {
        slicing["name"]: {
            label: {
                system: {"values": {key: one["value"] for key, one in measures.items()}}
                for system, measures in of_label.items()
            }
            for label, of_label in zip(slicing["labels"], slicing["values"], strict=True)
        }
        for part in parts
        for slicing in part["slices"]
        if slicing["requested"]
    }
    rankings = {ranking["measure"]: ranking for part in parts for ranking in part["ranks"]}
    first = {name: parts[0][name] for name in ("metric", "signature", "unmatched")}
    return {**first, "systems": systems, "slices": slices, "rankings": rankings}


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
