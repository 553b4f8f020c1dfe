"""What holds for every adapter, in any environment: it is on a page, and `explain` names it."""

import importlib.util
import os
import re
from pathlib import Path

import qassay
from qassay.registry import pointers

from .harness import PAGES

FOLDER = PAGES.parents[1] / "metrics" / "integrations"
# Shared code is not an adapter.
SHARED = set(
    re.findall(r"^from \.(\w+) import", "".join(path.read_text("utf-8") for path in FOLDER.glob("*.py")), re.MULTILINE)
)
ADAPTERS = sorted({path.stem for path in FOLDER.glob("*.py")} - SHARED - {"__init__"})
README = (PAGES / "README.md").read_text("utf-8")
ROWS = re.findall(
    r"^\| \[[\w-]+\]\((\w+)\.md\) .* \| \[\w+\.py\]\(\.\./\.\./metrics/integrations/(\w+)\.py\) \|$",
    README,
    re.MULTILINE,
)


def test_the_table_has_every_adapter_and_every_page():
    assert sorted(name for _, name in ROWS) == ADAPTERS
    assert all((Path(__file__).parent / f"test_{page}.py").is_file() for page, _ in ROWS)
    assert set(re.findall(r"\]\((\w+)\.md\)", README)) == {path.stem for path in PAGES.glob("*.md")} - {"README"}


def test_explain_names_the_adapter_of_a_harness():
    assert "qassay.integrations.haystack" in " ".join(str(qassay.explain("haystack-ai")).split())
    modules = {page: page for page, _ in ROWS if page != "trackers"} | {"trackio": "trackers", "wandb": "trackers"}
    for page, module in modules.items():
        assert any(f"qassay.integrations.{module}" in line for line in pointers(page))


if os.environ.get("REQUIRE_HARNESSES"):

    def test_the_harnesses_install_without_torch():
        assert importlib.util.find_spec("torch") is None
