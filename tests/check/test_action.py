"""The action of GitHub: its step runs `qassay check` as GitHub would run it, and no input becomes a command."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples" / "answers"
ACTION = pytest.importorskip("yaml", reason='needs yaml: pip install -e ".[test-all]"').safe_load(
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


def test_the_action_installs_its_own_tree(tmp_path):
    step = STEPS["Install qassay"]
    variables = {"QASSAY_SOURCE": str(ROOT), "RUNNER_TEMP": str(tmp_path), "PIP_NO_DEPS": "1"}
    subprocess.run(["bash", "-eo", "pipefail", "-c", step["run"]], env={**os.environ, **variables}, check=True)
    program = tmp_path / "qassay" / "bin" / "qassay"
    listed = subprocess.run([program, "list"], check=True, capture_output=True, text=True, cwd=tmp_path).stdout
    assert "answer_match" in listed


BOTH = {"new": "small_model.json", "baseline": "large_model.json", "gold": "gold.json"}


def test_a_worse_system_fails_with_a_summary_and_files(check):
    found, summary, outputs = check(
        **BOTH,
        measure="f1 exact_match=0.5",
        margin="0.02",
        groups="article",
        arguments="--confidence 0.9",
    )
    assert (found.returncode, outputs["status"]) == (1, "1")
    assert found.stdout.startswith("failed: f1: small_model is worse than large_model by more than 0.02 (")
    assert "\npassed: exact_match: small_model is not worse than large_model by more than 0.5 (" in found.stdout
    assert summary == Path(outputs["markdown"]).read_text("utf-8") and "| f1 | 64 in 11 groups |" in summary
    assert "90 % interval" in summary
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
    assert "unrecognized arguments: -- small_model.json" in found.stderr
    for step in STEPS.values():
        assert "${{" not in step.get("run", "")


GH = r"""#!/bin/sh
# The part of gh that the step uses: a comment is the file of its body, and the list is filtered by jq.
case "$*" in
  *PATCH*comments/7\ *) verb=edited ;;
  *POST*) verb=added ;;
  *) [ -f comments.json ] || { echo "HTTP 403: Resource not accessible by integration" >&2; exit 1; }
     for last; do :; done
     exec jq -r "$last" comments.json ;;
esac
[ -f read_only ] && { echo "HTTP 403: Resource not accessible by integration" >&2; exit 1; }
for last; do :; done
cp "${last#body=@}" "$verb.md"
"""


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq stands for the filter of gh")
def test_a_comment_is_added_then_edited_and_never_decides(tmp_path):
    program = tmp_path / "gh"
    program.write_text(GH)
    program.chmod(0o755)
    (tmp_path / "check.md").write_text("### result\n")
    added, edited, listed = (tmp_path / name for name in ("added.md", "edited.md", "comments.json"))

    def comment(**variables):
        given = {"QASSAY_MARKDOWN": "check.md", "QASSAY_PULL_REQUEST": "3", "QASSAY_WHICH": '{"new": "a.json"}'}
        job = {"GITHUB_WORKFLOW": "tests", "GITHUB_JOB": "gate", "GH_REPO": "o/r"}
        path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS["Comment"]["run"]]
        variables = {**os.environ, **job, **given, **variables, "PATH": path}
        found = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True)
        assert found.returncode == 0
        return found.stdout

    def is_listed(login, body):
        others = [{"id": 5, "user": {"login": "github-actions[bot]"}, "body": "coverage 90 %"}]
        listed.write_text(json.dumps([*others, {"id": 7, "user": {"login": login}, "body": body}]))

    assert "::warning " in comment() and not added.exists()
    is_listed("someone", "hello")
    assert comment() == "" and added.read_text().endswith("-->\n### result\n")
    body = added.read_text()
    is_listed("someone", body)
    added.unlink()
    assert comment() == "" and added.exists() and not edited.exists()
    is_listed("github-actions[bot]", body)
    added.unlink()
    assert comment() == "" and edited.read_text() == body and not added.exists()
    comment(QASSAY_WHICH='{"new": "b.json"}')
    assert added.read_text() != body
    (tmp_path / "read_only").touch()
    assert "pull-requests: write" in comment()
    added.unlink()
    assert comment(QASSAY_MARKDOWN="absent.md") == "" and not added.exists()
