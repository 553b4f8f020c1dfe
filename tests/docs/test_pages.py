"""The pages of the site: their links, the pages that are written from the code, the tests that they name."""

import importlib
import re
from collections import Counter
from pathlib import Path

import pytest

import qassay
from qassay.registry import FAMILIES, get_family

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def measure_pages():
    """The writer of the pages of measures, which lies beside the hooks of mkdocs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs" / "building")
        yield importlib.import_module("measure_pages")


def test_links_lead_to_files_of_the_repository():
    """On GitHub too; tests/docs/test_site.py follows them in the site."""
    dead = []
    for page in [*ROOT.glob("*.md"), ROOT / "llms.txt", *ROOT.glob("docs/**/*.md"), *ROOT.glob("metrics/**/*.md")]:
        text = re.sub(r"^```.*?^```|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
        for target in re.findall(r"\]\(([^)\s#]+)(?:#[^)]*)?\)", text):
            if "://" not in target and not target.startswith("mailto:") and not (page.parent / target).exists():
                dead.append(f"{page.relative_to(ROOT)}: {target}")
    assert not dead


def anchors(text):
    """The anchors of a Markdown file where it is read in the repository: of its headings, and its own."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    found, counts = set(re.findall(r'<a id="([^"]+)">', text)), Counter()
    for title in re.findall(r"^#+ +(.+?) *$", text, re.MULTILINE):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        found.add(f"{slug}-{counts[slug]}" if counts[slug] else slug)
        counts[slug] += 1
    return found


def test_anchors_of_links_are_in_the_files_of_the_repository():
    """Without the site, which writes a page for each measure, a link to a measure leads to its line of the card."""
    dead = []
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("metrics/**/*.md")]:
        text = re.sub(r"^```.*?^```|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
        for path, anchor in re.findall(r"\]\(([^)\s#:]*)#([^)\s]+)\)", text):
            target = page.parent / path if path else page
            if target.suffix == ".md" and anchor not in anchors(target.read_text("utf-8")):
                dead.append(f"{page.relative_to(ROOT)}: {path}#{anchor}")
    assert not dead


def test_the_citation_is_of_this_version():
    assert f"version: {qassay.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


def test_every_public_name_is_in_the_reference():
    text = "".join(page.read_text("utf-8") for page in (ROOT / "docs" / "reference").glob("*.md"))
    named = set(re.findall(r"^::: qassay\.(?:\w+\.)*(\w+)$", text, re.MULTILINE))
    assert not set(qassay.__all__) - {"__version__"} - named


@pytest.mark.thorough
def test_each_measure_is_on_one_page(measure_pages):
    known = {(page.metric, page.stem) for metric in FAMILIES for page in measure_pages.measure_pages(metric)}
    assert set(measure_pages.FORMULAS) <= known
    for metric in FAMILIES:
        names = [entry.name for page in measure_pages.measure_pages(metric) for entry in page.entries]
        assert sorted(names) == sorted(name for name, _ in get_family(metric).measures())


@pytest.mark.thorough
def test_a_page_of_a_measure_has_range_source_and_an_example_that_ran(measure_pages):
    pages = {page.stem: page for page in measure_pages.measure_pages("retrieval_ranking")}
    text = measure_pages.page_text(pages["ndcg"])
    assert "| range | 0 to 1 |" in text and "| better | higher |" in text and "trec_eval 10" in text
    assert "scores['ndcg']  # 1.0" in text and "`ndcg_cut`" in text
    assert pages["ndcg"].uri == "measures/retrieval_ranking/ndcg.md"
    folded = {page.stem: page for page in measure_pages.measure_pages("answer_match")}["f1"]
    assert [entry.name for entry in folded.entries] == ["f1", "has_answer_f1", "no_answer_f1"]


def test_each_metric_of_the_source_texts_has_its_key_and_an_existing_test():
    text = (ROOT / "docs" / "why_numbers_differ.md").read_text("utf-8")
    rows = re.findall(r"^\| .+ \| \[(\w+)\]\(\S+\) \| (.+) \| `(tests/\S+\.py)::(\w+)` \|$", text, re.MULTILINE)
    assert len(rows) == text.count("`tests/") > 30
    for metric, keys, file, test in rows:
        known = {re.split(r"[@(\[]", name)[0] for name, _ in get_family(metric).measures()}
        assert {re.split(r"[@\[]", key)[0] for key in re.findall(r"`([^`=]+)`", keys)} <= known, keys
        assert f"\ndef {test}(" in (ROOT / file).read_text("utf-8"), (file, test)
