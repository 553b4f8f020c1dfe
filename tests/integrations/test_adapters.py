"""What holds for every adapter, in any environment: it is in the table and has a page and tests."""

import importlib.util
import os
import re
from pathlib import Path

from .harness import PAGES

FOLDER = PAGES.parents[1] / "src" / "qassay" / "integrations"
# Shared code is not an adapter.
SHARED = set(
    re.findall(r"^from \.(\w+) import", "".join(path.read_text("utf-8") for path in FOLDER.glob("*.py")), re.MULTILINE)
)
ADAPTERS = sorted({path.stem for path in FOLDER.glob("*.py")} - SHARED - {"__init__"})
README = (PAGES / "README.md").read_text("utf-8")
RECIPES = re.findall(r"^## (\w+)$", (PAGES / "recipes.md").read_text("utf-8"), re.MULTILINE)
ROWS = re.findall(
    r"^\| \[[\w-]+\]\((\w+)\.md\) .* \| \[\w+\.py\]\(\.\./\.\./src/qassay/integrations/(\w+)\.py\) \|$",
    README,
    re.MULTILINE,
)


def test_the_table_has_every_adapter_and_every_page():
    assert sorted(name for _, name in ROWS) == ADAPTERS
    assert all((Path(__file__).parent / f"test_{page}.py").is_file() for page, _ in ROWS)
    assert set(re.findall(r"\]\((\w+)\.md\)", README)) == {path.stem for path in PAGES.glob("*.md")} - {"README"}


def test_every_recipe_has_tests():
    for name in RECIPES:
        text = (Path(__file__).parent / f"test_{name.lower()}.py").read_text("utf-8")
        assert f'run_recipe("{name}"' in text or f'"recipes", "python", "{name}"' in text


if os.environ.get("REQUIRE_HARNESSES"):

    def test_the_harnesses_install_without_torch():
        assert importlib.util.find_spec("torch") is None
