"""The metric scripts of this package: what evaluate reads in them, and that their Spaces score where qassay is absent."""

import ast
import builtins
import json
import os
import runpy
import subprocess
import sys

import pytest

import qassay
from qassay.pages import build as spaces
from qassay.pages.build import lint, metric_names, render_spaces

METRICS = metric_names()

# Raises at an import of qassay what Python raises if it is not installed; without transformers, which takes long.
BLOCK = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "qassay":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name.partition(".")[0])
sys.meta_path.insert(0, Block())
sys.modules["transformers"] = None
"""

SCORE = """
import json
from pathlib import Path
import evaluate
seen = {}
for name, cases in json.loads(Path("given.json").read_text()).items():
    metric = evaluate.load(str(Path("out") / name))
    seen[name] = {"results": [metric.compute(**case) for case in cases], "help": metric.inputs_description}
print(json.dumps(seen))
"""


def python(code, folder):
    env = {**os.environ, "HF_HOME": str(folder / "home"), "HF_EVALUATE_OFFLINE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    for name in ("PYTHONPATH", "HF_MODULES_CACHE", "HF_METRICS_CACHE", "HF_EVALUATE_CACHE", "HF_DATASETS_CACHE"):
        env.pop(name, None)
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, cwd=folder, env=env, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def script_of(name):
    return spaces.PACKAGE / name / f"{name}.py"


@pytest.mark.parametrize("name", METRICS)
def test_script_is_what_evaluate_reads_right(name):
    from evaluate.loading import get_imports
    from evaluate.naming import camelcase_to_snakecase

    assert lint(script_of(name)) == []
    kinds = [kind for kind, *_ in get_imports(str(script_of(name)))]
    assert kinds.count("internal") == 1 and "external" not in kinds
    classes = [node.name for node in spaces.PythonFile(script_of(name)).tree.body if isinstance(node, ast.ClassDef)]
    assert name in map(camelcase_to_snakecase, classes)


@pytest.mark.parametrize("name", METRICS)
def test_shim_tells_a_missing_qassay_from_a_missing_dependency(name, monkeypatch):
    source = spaces.PythonFile(script_of(name))
    shim = spaces.PACKAGE / name / f"{source.links()[0].module}.py"
    for missing, error, message in (
        ("qassay", ImportError, "pip install qassay"),
        ("numpy", ModuleNotFoundError, "numpy"),
    ):

        def refuse(*args, name=missing, **kwargs):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

        with monkeypatch.context() as patch, pytest.raises(ImportError, match=message) as caught:
            patch.setattr(builtins, "__import__", refuse)
            exec(compile(shim.read_text(), str(shim), "exec"), {"__name__": "shim"})  # noqa: S102
        assert type(caught.value) is error


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What Spaces rendered of all metrics give for the test cases, without qassay."""
    folder = tmp_path_factory.mktemp("spaces")
    given = {
        name: [{key: value for key, value in case.items() if key != "result"} for case in cases_of(name)]
        for name in METRICS
    }
    (folder / "given.json").write_text(json.dumps(given))
    rendered = render_spaces(folder / "out")
    assert [path.name for path in rendered] == [*METRICS, "demo"]
    return python(BLOCK + SCORE, folder)


def cases_of(name):
    return runpy.run_path(str(spaces.PACKAGE / name / "tests.py"))["test_cases"]


@pytest.mark.thorough
@pytest.mark.parametrize("name", METRICS)
def test_space_scores_like_the_clone(name, found):
    cases, metric = cases_of(name), qassay.load(name)
    assert cases, "tests.py has no test case"
    for case, got in zip(cases, found[name]["results"], strict=True):
        expected = case.pop("result")
        assert expected, "a test case needs a result"
        assert got == metric.compute(**case)
        assert {type(value) for value in got.values()} <= {float, int, type(None)}
        for key, value in expected.items():
            assert got[key] == pytest.approx(value, nan_ok=True), key
    assert found[name]["help"] == metric.inputs_description
