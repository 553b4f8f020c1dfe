"""The notebooks run unchanged and show their stored outputs; there is one per metric."""

import importlib
import re
from pathlib import Path

import pytest

from qassay.registry import FAMILIES

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "notebooks"
PATHS = sorted(FOLDER.glob("*.ipynb"))
STALE = "run python docs/building/notebooks.py and read what has changed"


@pytest.fixture(scope="module")
def notebooks():
    """What runs the notebooks and writes them, beside the hooks of mkdocs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs" / "building")
        yield importlib.import_module("notebooks")


def test_every_metric_has_a_notebook_and_the_list_names_it():
    listed = re.findall(r"\]\((\w+)\.ipynb\)", (FOLDER / "README.md").read_text("utf-8"))
    assert {path.stem for path in PATHS} == set(FAMILIES) == set(listed)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_it_keeps(notebooks, path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kept = notebooks.read_notebook(path)
    found = notebooks.executed(kept)
    assert notebooks.text_outputs(found) == notebooks.text_outputs(kept), STALE
    assert found == kept, STALE  # charts and tables in HTML, which follow the reports of the package
    assert not list(tmp_path.iterdir()) and str(ROOT) not in path.read_text("utf-8")
    text = "".join("".join(cell["source"]) for cell in kept["cells"] if cell["cell_type"] == "markdown")
    targets = re.findall(r"\]\(([^)#]+)", text)
    assert targets and all((FOLDER / target).exists() for target in targets)
