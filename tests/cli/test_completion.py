"""Completion in shells: the words, and bash itself."""

import shutil
import subprocess
import sys

import pytest

from qassay import list_metrics
from qassay.catalog import explain_name
from qassay.cli.arguments import build_parser
from qassay.cli.completion import complete
from qassay.retrieval_ranking.measures import parse_measure


def words(line, breaks=""):
    return complete(build_parser(), line, breaks)


@pytest.mark.parametrize(
    "line, found",
    [
        ("qassay sc", ["score"]),
        ("/any/folder/qassay explain retriever_r", ["retriever_reader", "retriever_recall"]),
        ("qassay explain exact_m", ["exact_match"]),
        ("qassay score gold.json --metr", ["--metric"]),
        ("qassay score gold.json --metric=label", ["--metric=label_metrics"]),
        ("qassay score gold.json --metric label_metrics --option ta", ["task="]),
        ("qassay score --option normalizer=fr", ["normalizer=french"]),
        ("qassay score --columns refer", ["references="]),
        ("qassay score --by answer_t", ["answer_type"]),
        ("qassay score --metric answer_match --measures exact_match f", ["f1"]),
        ("qassay compare a b --test w", ["wilcoxon"]),
        ("qassay score gold", []),  # a file
        ("qassay completion ", ["bash", "zsh", "fish"]),
    ],
)
def test_words(line, found):
    assert words(line) == found


def test_completion_offers_everything():
    assert words("qassay score --metric ") == [*list_metrics(), "all"]
    assert words("qassay explain ") == list_metrics()
    names = words("qassay explain r")
    assert len(names) > 10 and all(explain_name(name).text() for name in names[::5])
    assert {"f1", "ndcg@10", "mrr", "all"} <= set(words("qassay score --measures "))
    for measure in words("qassay score --metric retrieval_ranking --measures "):
        assert measure == "all" or parse_measure(measure), measure
    assert {"--help", "--metric", "--report"} <= set(words("qassay score --"))
    assert not {"--line", "-m"} & set(words("qassay completion -") + words("qassay score -"))


@pytest.mark.thorough
@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not there")
def test_bash_itself(run, tmp_path):
    (tmp_path / "script").write_text(run("completion", "bash"))
    command = tmp_path / "qassay"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m qassay "$@"\n')
    command.chmod(0o755)
    script = f"""
        PATH="{tmp_path}:$PATH"; cd "{tmp_path}"
        . ./script
        complete -p qassay
        ask() {{ COMP_LINE="$1"; COMP_POINT=${{#1}}; _qassay qassay; echo "$?:${{COMPREPLY[*]}}"; }}
        ask "qassay score --option normalizer=fr"
        ask "qassay score gold"
    """
    found = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines() == [
        "complete -o default -F _qassay qassay",
        "0:french",
        "0:",
    ]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_are_complete(shell, run):
    script = run("completion", shell)
    assert f"completion {shell} --line" in script
