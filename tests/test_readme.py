"""What the README promises besides its code: its length, its cards, and the two commands that continuous integration
runs.
"""

import re
from pathlib import Path

import pytest

import qassay
from qassay.registry import FAMILIES

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def test_the_readme_is_short():
    assert README.count("\n") <= 150


def test_every_metric_has_its_card_in_the_readme():
    for name in qassay.list_metrics():
        assert f"(metrics/{name}/README.md)" in README


def test_ci_runs_the_two_commands():
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    found = re.findall(r"^(pip install \S+ \S+(?: \S+)? && (?:qassay|pytest).*)$", README, re.MULTILINE)
    assert len(found) == 2
    for line in found:
        assert line.replace("pip install", "pip install --quiet") in script
    assert qassay.__version__ in README


@pytest.mark.parametrize("place", ["docs/error_bars.md", *(f"metrics/{name}/README.md" for name in FAMILIES)])
def test_each_page_says_which_groups_a_claim_needs(place):
    text = " ".join((ROOT / place).read_text("utf-8").split())
    assert "qassay.runs" in text and re.search(
        r"groups for a claim|no groups otherwise|by the claim|claim decides", text
    )
    claims = re.findall(r"about new paragraphs\b(.{17})", text)
    assert set(claims) <= {" of such articles"} and (claims or "paragraphs as groups" not in text)
