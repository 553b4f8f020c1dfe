"""The action of GitHub: its step runs `qassay check` as GitHub would run it, and no input becomes a command."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "samples" / "answers"
ACTION = pytest.importorskip("yaml", reason="PyYAML reads the action").safe_load(
    (ROOT / "action.yml").read_text("utf-8")
)
STEPS = {step.get("name", step.get("uses")): step for step in ACTION["runs"]["steps"]}


@pytest.fixture
def check(tmp_path):
    """Runs the step; its status, the summary of the job and the outputs."""
    program = tmp_path / "qassay" / "bin" / "qassay"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m qassay "$@"\n')
    program.chmod(0o755)
    (tmp_path / "step.sh").write_text(STEPS["Check"]["run"])

    def call(**inputs):
        given = {name: of.get("default", "") for name, of in ACTION["inputs"].items()} | inputs
        variables = {
            name: given[re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", value)[1]]
            for name, value in STEPS["Check"]["env"].items()
        }
        files = {name: str(tmp_path / name) for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
        found = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(tmp_path / "step.sh")],
            cwd=SAMPLES,
            env={**os.environ, **variables, **files, "RUNNER_TEMP": str(tmp_path)},
            capture_output=True,
            text=True,
        )
        outputs = dict(line.split("=", 1) for line in Path(files["GITHUB_OUTPUT"]).read_text().splitlines())
        summary = Path(files["GITHUB_STEP_SUMMARY"])
        return found, summary.read_text("utf-8") if summary.exists() else "", outputs

    return call


BOTH = {"new": "small_model.json", "baseline": "large_model.json", "gold": "gold.json"}


def test_a_worse_system_fails_with_a_summary_and_files(check):
    found, summary, outputs = check(
        **BOTH, measure="f1 exact_match=0.5", margin="0.02", groups="article", arguments="--by language --level 0.9"
    )
    assert (found.returncode, outputs["status"]) == (1, "1")
    assert found.stdout.startswith("failed: f1: small_model is worse than large_model by more than 0.02 (")
    assert "\npassed: exact_match: small_model is not worse than large_model by more than 0.5 (" in found.stdout
    assert summary == Path(outputs["markdown"]).read_text("utf-8") and "| f1 | 64 in 11 groups |" in summary
    assert "90 % interval" in summary and "by language" in summary
    assert Path(outputs["junit"]).read_text("utf-8").count("<testcase ") == 2


def test_inputs_are_values_and_never_commands(check, tmp_path):
    """A name that a shell would run, one that looks like an option, and bad input without a file to show."""
    harm = tmp_path / "harm"
    hostile = f'$(touch {harm}) `touch {harm}`"; touch {harm} #'
    for given in ({"new": hostile}, {"new": f"--output={harm}"}, {"gold": hostile}, {"groups": hostile}):
        found, summary, outputs = check(**{**BOTH, **given}, measure="f1=0.02")
        assert (found.returncode, summary, harm.exists()) == (2, "", False)
        assert found.stderr.startswith("qassay: error: ") and not Path(outputs["markdown"]).exists()
    found, _, _ = check(**BOTH, measure="f1=0.02", arguments="*")
    assert "check judges one new system; got *, small_model.json; give one NEW" in found.stderr
    for step in STEPS.values():
        assert "${{" not in step.get("run", "")


def test_the_action_says_what_it_takes_and_gives():
    assert {name for name, of in ACTION["inputs"].items() if of.get("required")} == {"new", "baseline", "measure"}
    assert all(of["description"] for of in (*ACTION["inputs"].values(), *ACTION["outputs"].values()))
    assert set(ACTION["outputs"]) == set(re.findall(r'echo "(\w+)=', STEPS["Check"]["run"]))
    assert all(step.get("shell") == "bash" for step in STEPS.values() if "run" in step)
