"""What the README promises besides its code: its cards, and the two commands that continuous integration runs."""

import re
from pathlib import Path

import qassay

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")


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
