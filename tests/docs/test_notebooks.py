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


def test_a_cell_shows_what_it_prints_and_the_value_of_its_last_line(notebooks):
    class Drawn:
        def _repr_svg_(self):
            return "<svg><style>a</style></svg>"

        def _repr_html_(self):
            return "<b>never kept beside the SVG</b>"

    def code(source):
        return {"cell_type": "code", "source": [source], "outputs": [], "execution_count": None}

    sources = ("x = {'b': 1, 'a': 2}\nprint('one')\nx", "y = 1", "None", "Drawn()")
    title = {"cell_type": "markdown", "source": ["# Title"]}
    notebook = {"cells": [title, *map(code, sources[:3])]}
    found = notebooks.executed(notebook)
    assert notebooks.text_outputs(found) == ["one\n{'b': 1, 'a': 2}", "", ""]
    shown = notebooks._outputs(sources[3], {"Drawn": Drawn}, 4)
    assert [set(output["data"]) for output in shown] == [{"text/plain", "image/svg+xml"}]
    page = notebooks.as_markdown("name", {"cells": [title, {**code("Drawn()"), "outputs": shown}]})
    assert page.startswith('# Title\n\n<div markdown="0"><style>a</style></div>\n\n```python\nDrawn()\n```\n\n')
    assert '<div class="notebook-output" markdown="0"><svg></svg></div>' in page
    with pytest.raises(UserWarning, match="careful"):
        notebooks.executed({"cells": [code("import warnings\nwarnings.warn('careful')")]})
