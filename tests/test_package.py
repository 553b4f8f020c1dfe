"""The package as a whole: what is shipped, what importing it costs, the public functions."""

import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

import qassay
from qassay.registry import FAMILIES, MetricName

ROOT = Path(__file__).resolve().parent.parent
HEAVY = {"evaluate", "datasets", "torch", "transformers", "sentence_transformers", "pandas", "scipy"}


def python(code, *arguments):
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_importing_listing_and_scoring_are_light():
    """In one process, step by step: the package alone, `qassay list`, each family, scoring of samples."""
    code = """if True:
        import importlib, sys
        heavy, samples, *families = sys.argv[1:]
        import qassay
        assert not {"numpy", "pyarrow"} & set(sys.modules), "import qassay"
        from qassay.cli import main
        main(["list"])
        assert not {"numpy", "pyarrow", "rich"} & set(sys.modules), "qassay list"
        for name in families:
            importlib.import_module(f"qassay.{name}.scoring")
            importlib.import_module(f"qassay.{name}.family")
        main(["score", f"{samples}/answers/gold.json", f"{samples}/answers/small_model.json", "--metric", "answer_match", "--metric", "answer_equivalence"])
        main(["score", f"{samples}/rankings/qrels.txt", f"{samples}/rankings/dense.run"])
        print(set(heavy.split()) & set(sys.modules))
    """
    assert python(code, " ".join(HEAVY), ROOT / "samples", *FAMILIES).endswith("\nset()\n")


@pytest.mark.thorough
def test_all_but_the_modules_works_without_evaluate_and_datasets():
    code = """if True:
        import sys
        sys.modules.update(evaluate=None, datasets=None)
        import qassay
        from qassay.cli import main
        scores = qassay.score("answer_match", ["in Rome"], [["Rome"]])
        assert qassay.compare({"a": scores, "b": scores}).differences and qassay.training.ExtractiveQA
        try:
            qassay.load("answer_match")
        except ImportError as error:
            print(error)
        for command in (["list"], *(["explain", name] for name in qassay.list_metrics())):
            assert main(command) == 0
        for kind, *files in (line.split() for line in sys.argv[2:]):
            paths = [f"{sys.argv[1]}/{kind}/{file}" for file in files]
            assert main(["score", *paths]) == 0 and main(["compare", *paths]) == 0
    """
    samples = ("answers gold.json small_model.json large_model.json", "rankings qrels.txt bm25.run dense.run")
    printed = python(code, ROOT / "samples", *samples)
    assert 'pip install "qassay[evaluate]"' in printed.splitlines()[0]
    assert "0.4844" in printed and "answer_match|norm:squad|unit:token|refs:max" in printed


def test_editors_complete_the_names_of_the_metrics():
    assert sorted(get_args(MetricName)) == sorted(FAMILIES) == qassay.list_metrics()
    for function in (qassay.score, qassay.scorer, qassay.stream, qassay.load):
        assert function.__annotations__["name"] == MetricName


def test_dir_shows_the_public_names():
    names = """InputError Runs Scores __version__ agreement calibrate cluster compare evaluate_pipeline explain export from_signature
        leaderboard list_metrics load majority_answers plan rater_agreement report reward runs score score_files scorer scores_of stream testing training"""
    assert dir(qassay) == qassay.__all__ == names.split()
    assert all(hasattr(qassay, name) for name in dir(qassay))
    with pytest.raises(AttributeError, match="'scorse'"):
        qassay.scorse  # noqa: B018
