"""Code that serves every family asks its descriptor: it imports no family and compares no name of one."""

import ast
from pathlib import Path

import pytest

import qassay
from qassay import spaces_app
from qassay.registry import FAMILIES

_PACKAGE, _SPACE = (Path(module.__file__).parent for module in (qassay, spaces_app))
_ROOMS = ("core", "files", "comparison", "cluster", "reports", "pages", "cli")
_GENERIC = [
    *_SPACE.glob("*.py"),
    *(path for room in _ROOMS for path in (_PACKAGE / room).glob("*.py")),
    _PACKAGE / "catalog.py",
    _PACKAGE / "scoring.py",
]
_NAMED_AS_DATA = {"samples.py", "quick_check.py"}  # which sample is of which metric, and what the quick check shows


@pytest.mark.parametrize("path", _GENERIC, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_generic_code_names_no_family(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert not {*(node.module or "").split("."), *(alias.name for alias in node.names)} & FAMILIES.keys()
        elif isinstance(node, ast.Import):
            assert not {part for alias in node.names for part in alias.name.split(".")} & FAMILIES.keys()
        elif isinstance(node, ast.Constant) and path.name not in _NAMED_AS_DATA:
            assert node.value not in FAMILIES.keys(), node.lineno


@pytest.mark.parametrize(
    "path", [*(_PACKAGE / "files").glob("*.py"), _PACKAGE / "system_files.py"], ids=lambda path: path.name
)
def test_generic_code_knows_no_column_and_no_file_of_a_harness(path):
    text = path.read_text("utf-8")
    assert not [mark for mark in ("doc_hash", "samples_", "_predictions.json", ".eval", "|eval") if mark in text]
