"""The package as a whole: what is shipped, what importing it costs, the public functions."""

import ast
import configparser
import doctest
import importlib
import importlib.util
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import qassay
import qassay.spaces_app
from qassay.answer_match.scoring import AnswerMatchOptions
from qassay.registry import FAMILIES

ROOT = Path(__file__).resolve().parent.parent
SETUP = configparser.ConfigParser()
SETUP.read(ROOT / "setup.cfg", "utf-8")
HEAVY = {"evaluate", "datasets", "torch", "transformers", "sentence_transformers", "pandas", "scipy"}


def _can_be_imported(name):
    """Whether the libraries are here that a module names at its top: an adapter needs its harness."""
    path = Path(importlib.util.find_spec(name).origin)
    nodes = ast.parse(path.read_text("utf-8")).body if path.parent.name == "integrations" else ()
    named = [node.module for node in nodes if isinstance(node, ast.ImportFrom) and not node.level]
    return all(importlib.util.find_spec(module.partition(".")[0]) for module in named)


# In a clone the page is not a folder of the package.
MODULES = sorted(
    {
        name
        for package in (qassay, qassay.spaces_app)
        for _, name, _ in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        if name.rpartition(".")[2] not in ("__main__", "tests") and _can_be_imported(name)
    }
)


def test_the_package_list_is_the_folders():
    listed = SETUP["options"]["packages"].split()
    folders = {path.parent for path in (ROOT / "metrics").rglob("*.py") if "__pycache__" not in path.parts}
    names = {".".join(["qassay", *folder.relative_to(ROOT / "metrics").parts]): folder for folder in folders}
    names |= {f"qassay.{name}": ROOT / name for name in ("samples", "spaces_app")}
    assert sorted(listed) == sorted(names)
    assert all((folder / "__init__.py").is_file() for folder in names.values())


def test_extras_and_requirements():
    extras = {"all", "app", "bench", "chinese", "docs", "evaluate", "harnesses", "hub", "ray", "sas", "test"}
    assert set(SETUP["options.extras_require"]) == extras
    assert not re.search("evaluate|datasets|torch", SETUP["options"]["install_requires"])
    assert (ROOT / "requirements.txt").read_text(
        "utf-8"
    ) == ".[evaluate]\n"  # not -e, which a folder called qassay hides


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
    command = [sys.executable, "-c", code, str(ROOT / "samples"), *samples]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    message = 'qassay.load needs evaluate: run `pip install "qassay[evaluate]"`; qassay.score works without'
    assert printed.splitlines()[0] == message
    assert "0.4844" in printed and "answer_match|norm:squad|unit:token|refs:max" in printed


def test_dir_shows_the_public_names():
    assert dir(qassay) == sorted(qassay.__all__)
    assert all(hasattr(qassay, name) for name in dir(qassay))


def test_importing_qassay_its_core_and_its_families_is_light():
    scripts = {"qassay.core.module"} | {f"qassay.{name}.{file}" for name in FAMILIES for file in (name, "shim", "app")}
    rooms = tuple(f"qassay.{name}" for name in ("core", *FAMILIES))
    light = [name for name in MODULES if name.startswith(rooms) and name not in scripts]
    code = f"import sys, {', '.join(light)}, qassay.cli\nprint(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not HEAVY & set(loaded)
    bare = subprocess.run(
        [sys.executable, "-c", "import sys, qassay\nprint(*sys.modules)"], check=True, capture_output=True, text=True
    )
    assert not {"numpy", "pyarrow"} & set(bare.stdout.split())


@pytest.mark.parametrize(
    "arguments",
    [
        ["answers/gold.json", "answers/small_model.json"],
        ["rankings/qrels.txt", "rankings/dense.run"],
        ["answers/gold.json", "answers/small_model.json", "--metric=all", "--option=model=lite"],
    ],
)
def test_scoring_from_a_cold_start_stays_light(arguments):
    paths = [path if path.startswith("--") else str(ROOT / "samples" / path) for path in arguments]
    code = f"import sys\nfrom qassay.cli import main\nmain(['score', *{paths}])\nprint(*sys.modules)"
    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    loaded = printed.splitlines()[-1].split()
    assert not HEAVY & set(loaded)


def test_every_metric_has_a_folder_that_evaluate_loads():
    assert qassay.list_metrics() == [
        "answer_equivalence",
        "answer_match",
        "average_precision",
        "claim_support",
        "factoid_accuracy",
        "label_metrics",
        "retrieval_ranking",
        "retriever_reader",
        "semantic_answer_similarity",
    ]
    for name in qassay.list_metrics():
        folder = Path(qassay.path(name))
        assert (folder / f"{name}.py").is_file() and (folder / "README.md").is_file()
    with pytest.raises(
        ValueError,
        match=r"no metric 'answer_mach' \(did you mean 'answer_match'\?\); available: answer_equivalence, answer_match",
    ):
        qassay.path("answer_mach")


def test_score_refuses_unknown_names():
    with pytest.raises(ValueError, match="no metric"):
        qassay.score("nothing", [], [])
    with pytest.raises(TypeError, match="answer_match has no column or option 'options'"):
        qassay.score("answer_match", ["a"], [["a"]], options=AnswerMatchOptions())


def test_scores_is_public():
    from qassay.core.scores import Scores

    assert qassay.Scores is Scores
    with pytest.raises(AttributeError, match="no attribute 'scorse'"):
        qassay.scorse  # noqa: B018


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    module = importlib.import_module(name)
    if ">>>" in Path(module.__file__).read_text("utf-8"):
        assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("name", MODULES)
def test_public_functions_and_classes_have_docstrings(name):
    module = importlib.import_module(name)
    own = (
        item
        for key, item in vars(module).items()
        if getattr(item, "__module__", "") == name and not key.startswith("_")
    )
    bare = [
        item.__name__
        for item in own
        if (inspect.isfunction(item) or inspect.isclass(item)) and not inspect.getdoc(item)
    ]
    assert bare == []


def test_no_file_names_a_machine():
    """Except the two that have to: the place of the tests' data, and this list."""
    folders = ("benchmarks", "metrics", "samples", "spaces_app", "tests")
    files = [*ROOT.glob("*"), *(ROOT / ".ci").glob("*")]
    files += [path for folder in folders for path in (ROOT / folder).rglob("[!.]*") if path.suffix != ".pyc"]
    files = [
        path
        for path in files
        if path.is_file() and ".hypothesis" not in path.parts and path.name not in (".coverage", ".git")
    ]
    assert {"README.md", "setup.cfg", "run", "ranking.py", "registry.py", "bm25.run"} <= {path.name for path in files}
    for path in files:
        text = path.read_text("utf-8")
        if path not in (Path(__file__).resolve(), ROOT / "tests" / "conftest.py"):
            for name in ("../shared", '"shared"', "/tmp/", "/work/", "/home/", "/root/"):
                assert name not in text, path
