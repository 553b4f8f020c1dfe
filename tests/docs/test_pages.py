"""The guides of the site: their commands print what the page says; and the pages that are written from the code."""

import importlib
import re
import shlex
import shutil
from pathlib import Path

import pytest

from qassay.cli import main
from qassay.registry import FAMILIES, get_family

ROOT = Path(__file__).resolve().parents[2]
GUIDES = ("start.md", "which_measure.md")
NEW_PAGES = [
    *(ROOT / "docs" / name for name in ("index.md", *GUIDES, "why_numbers_differ.md", "how_it_is_built.md")),
    *sorted((ROOT / "docs" / "coming_from").glob("*.md")),
    *sorted((ROOT / "docs" / "reference").glob("*.md")),
    *(ROOT / name for name in ("CONTRIBUTING.md", "SECURITY.md", "llms.txt")),
]
BANNED = re.compile(r"stands? twice|\bis no\b|\bthat of\b|\bthose that\b|\bfor who\b|\bof which\b|\bleave away\b")


@pytest.fixture(scope="module")
def measure_pages():
    """The writer of the pages of measures, which lies beside the hooks of mkdocs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs" / "building")
        yield importlib.import_module("measure_pages")


@pytest.mark.parametrize("page", GUIDES)
def test_commands_print_what_the_page_says(page, tmp_path, monkeypatch, capsys):
    shutil.copytree(ROOT / "samples", tmp_path / "samples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    found = re.findall(r"^```(\w+)\n(.*?)^```", (ROOT / "docs" / page).read_text("utf-8"), re.DOTALL | re.MULTILINE)
    ran = 0
    for (language, text), (following, printed) in zip(found, [*found[1:], ("", "")], strict=True):
        if language == "bash" and text.startswith("qassay "):
            (line,) = text.splitlines()
            assert main(shlex.split(line)[1:]) == 0, line
            out = capsys.readouterr().out
            assert following != "text" or out.rstrip() == printed.rstrip(), line
            ran += 1
    assert ran


@pytest.mark.parametrize("page", NEW_PAGES, ids=lambda path: path.name)
def test_no_banned_phrase(page):
    assert not BANNED.findall(page.read_text("utf-8"))


def test_each_measure_is_on_one_page(measure_pages):
    for metric in FAMILIES:
        names = [entry.name for page in measure_pages.measure_pages(metric) for entry in page.entries]
        assert sorted(names) == sorted(name for name, _ in get_family(metric).measures())


def test_a_page_of_a_measure_has_range_source_and_an_example_that_ran(measure_pages):
    pages = {page.stem: page for page in measure_pages.measure_pages("retrieval_ranking")}
    text = measure_pages.page_text(pages["ndcg"])
    assert "| range | 0 to 1 |" in text and "| better | higher |" in text and "trec_eval 10" in text
    assert "scores['ndcg']  # 1.0" in text and "`ndcg_cut`" in text
    assert pages["ndcg"].uri == "measures/retrieval_ranking/ndcg.md"
    assert pages["num_ret"].is_count and not pages["dcg"].is_count
    folded = {page.stem: page for page in measure_pages.measure_pages("answer_match")}["f1"]
    assert [entry.name for entry in folded.entries] == ["f1", "has_answer_f1", "no_answer_f1"]


def test_formulas_are_of_measures_that_there_are(measure_pages):
    known = {(page.metric, page.stem) for metric in FAMILIES for page in measure_pages.measure_pages(metric)}
    assert set(measure_pages.FORMULAS) <= known
