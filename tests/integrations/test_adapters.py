"""What holds for every adapter, in any environment: it is in the table and has a page and tests."""

import importlib.util
import os
import re
from pathlib import Path

from .harness import PAGE, ROOT

FOLDER = ROOT / "src" / "qassay" / "integrations"
# Shared code is not an adapter.
SHARED = set(
    re.findall(r"^from \.(\w+) import", "".join(path.read_text("utf-8") for path in FOLDER.glob("*.py")), re.MULTILINE)
)
ADAPTERS = sorted({path.stem for path in FOLDER.glob("*.py")} - SHARED - {"__init__"})
TEXT = PAGE.read_text("utf-8")
SECTIONS = re.findall(r"^## (\w+)$", TEXT, re.MULTILINE)
ROWS = re.findall(
    r"^\| \[[\w-]+\]\(#(\w+)\) .* \| \[\w+\.py\]\(\.\./src/qassay/integrations/(\w+)\.py\) \|$", TEXT, re.MULTILINE
)


def test_the_table_has_every_adapter_and_every_section():
    assert sorted(name for _, name in ROWS) == ADAPTERS
    linked = set(re.findall(r"\]\(#(\w+)\)", TEXT[: TEXT.index("\n## ")]))
    assert linked == {section.lower() for section in SECTIONS}


def test_every_section_has_a_test_that_runs_it():
    for name in SECTIONS:
        text = (Path(__file__).parent / f"test_{name.lower()}.py").read_text("utf-8")
        assert re.search(rf'run_section\("{name}"|blocks\("{name}", (language|"python")', text), name


if os.environ.get("REQUIRE_HARNESSES"):

    def test_the_harnesses_install_without_torch():
        assert importlib.util.find_spec("torch") is None
