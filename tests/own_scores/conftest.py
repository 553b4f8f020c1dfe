"""The command line on tables of numbers, and a log of lm_eval."""

import json

import pytest

from qassay.cli import main


@pytest.fixture
def run(capsys):
    """A function: arguments of the command line -> exit status, output and errors."""

    def call(*arguments):
        code = main(list(map(str, arguments)))
        found = capsys.readouterr()
        return code, found.out, found.err

    return call


@pytest.fixture
def lm_eval_log():
    """A function: a path, the share of right answers in tenths and filters -> a log of lm_eval there."""

    def write(path, right, filters=("none",)):
        lines = [
            {"doc_id": n, "doc": {"question": f"{n}?", "level": "x"}, "target": "1", "arguments": [["p", " x"]], "resps": [[["-1", "False"]]],
             "filtered_resps": [["-1", "False"], ["-2", "True"]], "filter": of, "metrics": ["acc"], "doc_hash": "h", "acc": float(n % 10 < right)}
            for n in range(30)
            for of in filters
        ]  # fmt: skip
        path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
        return path

    return write
