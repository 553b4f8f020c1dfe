"""What holds for every adapter, in any environment: short, documented, on a page, tested."""

import ast
import importlib.util
import os
import re
from pathlib import Path

import pytest

import qassay
from qassay.registry import pointers

from .harness import PAGES

FOLDER = PAGES.parents[1] / "metrics" / "integrations"
TREES = {path.stem: ast.parse(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.py"))}
# Shared code is not an adapter.
SHARED = {node.module for tree in TREES.values() for node in tree.body if getattr(node, "level", 0) == 1}
ADAPTERS = [name for name in TREES if name not in SHARED | {"__init__"}]
README = (PAGES / "README.md").read_text("utf-8")
ROWS = re.findall(
    r"^\| \[[\w-]+\]\((\w+)\.md\) .* \| \[\w+\.py\]\(\.\./\.\./metrics/integrations/(\w+)\.py\) \|$",
    README,
    re.MULTILINE,
)


def length_of(name):
    return len((FOLDER / f"{name}.py").read_text("utf-8").splitlines())


@pytest.mark.parametrize("name", ADAPTERS)
def test_an_adapter_is_short_and_says_on_which_version_it_was_tried(name):
    tree = TREES[name]
    assert length_of(name) < 50
    assert re.search(r"Tried on [\w-]+ \d", ast.get_docstring(tree))
    public = [node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name[0] != "_"]
    assert public and all(ast.get_docstring(node) for node in public)


@pytest.mark.parametrize("name", sorted(TREES.keys() - {*ADAPTERS}))
def test_what_adapters_share_is_short(name):
    assert length_of(name) < 75


def test_the_table_has_every_adapter_and_every_page():
    assert sorted(name for _, name in ROWS) == ADAPTERS
    assert all((Path(__file__).parent / f"test_{page}.py").is_file() for page, _ in ROWS)
    assert set(re.findall(r"\]\((\w+)\.md\)", README)) == {path.stem for path in PAGES.glob("*.md")} - {"README"}


def test_explain_names_the_adapter_of_a_harness():
    assert "by qassay.integrations.haystack" in " ".join(str(qassay.explain("haystack-ai")).split())
    modules = {page: page for page, _ in ROWS if page != "trackers"} | {"trackio": "trackers", "wandb": "trackers"}
    for page, module in modules.items():
        assert f"a harness, which scores with qassay by qassay.integrations.{module}" in pointers(page)


if os.environ.get("REQUIRE_HARNESSES"):

    def test_the_harnesses_install_without_torch():
        assert importlib.util.find_spec("torch") is None
