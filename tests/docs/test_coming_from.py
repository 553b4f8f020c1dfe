"""The pages "Coming from ...": each block runs as it stands; the old line and the new one run beside each other.

Blocks "setup" and "after" run everywhere; "before" and "check" need the old tool and are skipped without it; blocks of bash with the
title "before" are not run, nor those "in each process", whose like tests/distributed runs. A page has a section for each old tool; REQUIRE_PEERS names those whose tool must be there.
"""

import importlib.util
import os
import re
import shlex
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from qassay.cli import main

from ..integrations.conftest import offline  # noqa: F401 - no old line asks the network or reports that it ran
from ..test_documented_code import run

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(path for path in (ROOT / "docs" / "coming_from").glob("*.md") if path.name != "README.md")
_BLOCK = re.compile(
    r"^```(?P<language>\w+)(?: title=\"(?P<title>[\w ]+)\")?\n(?P<text>.*?)^```", re.DOTALL | re.MULTILINE
)
_SECTION = re.compile(r"^## (?P<tool>[^\n]+)\n(?P<text>.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
# The packages of the lines before; sections without an entry need none.
PEERS = {
    "evaluate": ["evaluate", "sklearn"],
    "haystack": ["haystack"],
    "ir_measures": ["ir_measures"],
    "lm_eval": ["lm_eval"],
    "pytrec_eval": ["pytrec_eval"],
    "ragas_and_inspect_ai": ["ragas", "inspect_ai"],
    "ranx": ["ranx"],
    "scikit_learn": ["sklearn"],
    "torchmetrics": ["torch", "torchmetrics"],
    "trec_eval": ["pytrec_eval"],
}
# The modules of evaluate lie on the Hub; a clone of its repository beside this one has them too.
EVALUATE = Path(os.environ.get("EVALUATE_CLONE", ROOT.parent / "evaluate")) / "metrics"


class Block(NamedTuple):
    """A block of code: its language, its title and its text."""

    language: str
    title: str
    text: str


def sections():
    """Name of an old tool -> the blocks of its section, of all pages."""
    found = {}
    for page in PAGES:
        text = page.read_text("utf-8")
        for section in _SECTION.finditer(text):
            name = re.sub(r"\W+", "_", section["tool"]).lower()
            assert name not in found, name
            found[name] = [Block(b["language"], b["title"] or "", b["text"]) for b in _BLOCK.finditer(section["text"])]
        assert not _BLOCK.search(text[: text.index("\n## ")]), f"{page.name} has a block before its first section"
    return found


SECTIONS = sections()


@pytest.fixture(autouse=True)
def in_samples(offline, tmp_path, monkeypatch):  # noqa: F811
    shutil.copytree(ROOT / "samples", tmp_path / "samples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)


def run_python(tool, titles):
    names = {}
    chosen = [block for block in SECTIONS[tool] if block.language == "python" and block.title in titles]
    checked = sum(run(block.text, names, f"{tool}, {block.title}") for block in chosen)
    assert checked or not any("  # " in block.text for block in chosen), f"no block of {tool} says what it gives"


@pytest.mark.parametrize("tool", SECTIONS)
def test_new_lines_give_what_the_page_says(tool, capsys):
    run_python(tool, {"setup", "after"})
    found = SECTIONS[tool]
    for block, printed in zip(found, [*found[1:], None], strict=True):
        if block.language == "bash" and block.title == "after":
            (line,) = block.text.splitlines()
            command, *arguments = shlex.split(line)
            assert command == "qassay" and main(arguments) == 0
            assert capsys.readouterr().out.rstrip() == printed.text.rstrip(), line


@pytest.mark.parametrize("tool", PEERS)
def test_old_lines_give_what_the_new_ones_give(tool, monkeypatch):
    missing = [name for name in PEERS[tool] if importlib.util.find_spec(name) is None]
    if tool == "evaluate" and not missing:
        if not EVALUATE.is_dir():
            missing = [f"a clone of huggingface/evaluate at {EVALUATE.parent}"]
        else:
            load_from_clone(monkeypatch)
    if missing:
        assert tool not in os.environ.get("REQUIRE_PEERS", "").split(), missing
        pytest.skip(f"needs {' and '.join(missing)}")
    run_python(tool, {"setup", "before", "after", "check"})


def load_from_clone(monkeypatch):
    import evaluate

    load = evaluate.load
    names = {path.name for path in EVALUATE.iterdir()}
    monkeypatch.setattr(
        evaluate,
        "load",
        lambda path, *rest, **options: load(str(EVALUATE / path) if path in names else path, *rest, **options),
    )


def test_every_block_has_a_part():
    """A misspelled title would drop a block from both tests."""
    assert set(PEERS) <= SECTIONS.keys()
    for tool, found in SECTIONS.items():
        titles = {block.title for block in found if block.language in ("python", "bash")} - {"in each process"}
        assert {"before", "after"} <= titles <= {"setup", "before", "after", "check"}, tool
        needs_peer = any(block.language == "python" and block.title in ("before", "check") for block in found)
        assert needs_peer == (tool in PEERS), tool
