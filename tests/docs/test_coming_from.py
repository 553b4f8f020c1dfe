"""The pages "Coming from ...": each block runs as it stands; the old line and the new one run beside each other.

Blocks "setup" and "after" run everywhere; "before" and "check" need the old tool and are skipped without it; blocks of bash with the
title "before" are not run. REQUIRE_PEERS names the pages whose old tool must be there.
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
_BLOCK = re.compile(r"^```(?P<language>\w+)(?: title=\"(?P<title>\w+)\")?\n(?P<text>.*?)^```", re.DOTALL | re.MULTILINE)
# The packages of the lines before; pages without an entry need none.
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


def blocks(page):
    return [
        Block(found["language"], found["title"] or "", found["text"])
        for found in _BLOCK.finditer(page.read_text("utf-8"))
    ]


@pytest.fixture(autouse=True)
def in_samples(offline, tmp_path, monkeypatch):  # noqa: F811
    shutil.copytree(ROOT / "samples", tmp_path / "samples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)


def run_python(page, titles):
    names = {}
    wanted = [block for block in blocks(page) if block.language == "python" and block.title in titles]
    checked = sum(run(block.text, names, f"{page.name}, {block.title}") for block in wanted)
    assert checked or not any("  # " in block.text for block in wanted), f"no block of {page.name} says what it gives"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_new_lines_give_what_the_page_says(page, capsys):
    run_python(page, {"setup", "after"})
    found = blocks(page)
    for block, printed in zip(found, [*found[1:], None], strict=True):
        if block.language == "bash" and block.title == "after":
            (line,) = block.text.splitlines()
            command, *arguments = shlex.split(line)
            assert command == "qassay" and main(arguments) == 0
            assert capsys.readouterr().out.rstrip() == printed.text.rstrip(), line


@pytest.mark.parametrize("page", [page for page in PAGES if page.stem in PEERS], ids=lambda page: page.stem)
def test_old_lines_give_what_the_new_ones_give(page, monkeypatch):
    missing = [name for name in PEERS[page.stem] if importlib.util.find_spec(name) is None]
    if page.stem == "evaluate" and not missing:
        if not EVALUATE.is_dir():
            missing = [f"a clone of huggingface/evaluate at {EVALUATE.parent}"]
        else:
            load_from_clone(monkeypatch)
    if missing:
        assert page.stem not in os.environ.get("REQUIRE_PEERS", "").split(), missing
        pytest.skip(f"needs {' and '.join(missing)}")
    run_python(page, {"setup", "before", "after", "check"})


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
    assert set(PEERS) <= {page.stem for page in PAGES}
    for page in PAGES:
        found = blocks(page)
        titles = {block.title for block in found if block.language in ("python", "bash")}
        assert {"before", "after"} <= titles <= {"setup", "before", "after", "check"}, page.name
        needs_peer = any(block.language == "python" and block.title in ("before", "check") for block in found)
        assert needs_peer == (page.stem in PEERS), page.name
