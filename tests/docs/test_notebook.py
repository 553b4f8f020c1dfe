"""The notebook runs unchanged and shows its stored outputs."""

import importlib
import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).resolve().parents[2]


def test_the_notebook_shows_what_it_keeps(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs" / "building")
    monkeypatch.chdir(tmp_path)
    notebook = importlib.import_module("notebook")
    text = notebook.NOTEBOOK.read_text("utf-8")
    kept = json.loads(text)
    assert notebook.executed(kept) == kept, "run python docs/building/notebook.py and read what has changed"
    assert not list(tmp_path.iterdir()) and str(ROOT) not in text
