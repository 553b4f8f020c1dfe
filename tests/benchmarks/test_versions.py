"""The matrix of versions: its bounds equal the bounds in setup.cfg, and the workflow runs every supported Python."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_constraints_are_the_lower_bounds(load_script):
    versions = load_script("versions")
    oldest = dict(line.split("==") for line in versions.oldest())
    bounded = [line for line in versions.requirements() if ">=" in line and not line.startswith("qassay")]
    assert {re.match(r"[\w-]+", line)[0] for line in bounded} == set(oldest)
    assert all(re.search(rf">={re.escape(oldest[re.match('[a-zA-Z0-9_-]+', line)[0]])}(,|$)", line) for line in bounded)
    core = versions.setup()["options"]["install_requires"].split()
    assert len(core) == 5 and all(">=" in line for line in core), "each has a lower bound that the matrix tries"


def test_the_workflow_tries_every_python(load_script):
    versions = load_script("versions")
    text = (ROOT / ".github" / "workflows" / "versions.yml").read_text("utf-8")
    listed = re.findall(r'"(3\.\d+)"', re.search(r"python: \[(.*)\]", text)[1])
    assert set(versions.pythons()) <= set(listed) and "3.14" in listed
    assert f'python: "{versions.pythons()[0]}"\n            bounds: oldest' in text
    assert versions.setup()["options"]["python_requires"] == f">={versions.pythons()[0]}"


def test_a_python_that_is_not_here_is_reported(load_script, capsys, monkeypatch):
    versions = load_script("versions")
    monkeypatch.setattr(versions.sys, "argv", ["versions.py", "--python", "3.99", "--bounds", "newest"])
    assert versions.main() == 0
    assert capsys.readouterr().out == "Python 3.99, newest dependencies: no Python 3.99 is here; skipped\n"
