"""The folders of Spaces: from the last commit, with the address of the wheel, and loaded by evaluate from elsewhere."""

import json
import runpy
import shutil
import subprocess
import sys
import zipfile

import pytest

import qassay
from qassay.space import build
from qassay.space.build import CLONE, build_spaces

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(
        shutil.which("git") is None or not (CLONE / ".git").exists(), reason="git is not installed, or this is no clone"
    ),
]

WHEEL = f"qassay-{qassay.__version__}-py3-none-any.whl"
ADDRESS = f"https://huggingface.co/spaces/acme/qassay/resolve/main/{WHEEL}"
SCORE = """
import json, sys
from pathlib import Path
import evaluate
seen = {}
for name, cases in json.loads(Path("given.json").read_text()).items():
    metric = evaluate.load(f"{sys.argv[1]}/{name}")
    seen[name] = {"results": [metric.compute(**case) for case in cases], "help": metric.inputs_description}
print(json.dumps(seen))
"""


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """All Spaces, beside a file of their owner."""
    out = tmp_path_factory.mktemp("spaces") / "out"
    (out / "qassay").mkdir(parents=True)
    (out / "qassay" / "notes.txt").write_text("mine")
    stray = CLONE / "metrics" / "answer_match" / "stray.txt"
    stray.write_text("nobody's business")
    try:
        assert build_spaces(out, "acme") == [out / name for name in [*qassay.registry.FAMILIES, "qassay"]]
    finally:
        stray.unlink()
    return out


def cases_of(name):
    return runpy.run_path(str(CLONE / "tests" / name / "card_cases.py"))["test_cases"]


def test_a_space_holds_the_last_commit_and_names_the_wheel(out):
    names = {path.name for path in (out / "answer_match").iterdir()}
    assert names == {"README.md", "answer_match.py", "app.py", "requirements.txt"}
    assert (out / "answer_match" / "requirements.txt").read_text() == f"qassay[evaluate] @ {ADDRESS}\n"
    script = (out / "answer_match" / "answer_match.py").read_text()
    assert f"from qassay.answer_match.module import AnswerMatch  # From: {ADDRESS}\n" in script
    assert {path.name for path in (out / "qassay").iterdir()} == {
        *("README.md", "app.py", "notes.txt", "requirements.txt", WHEEL)
    }
    assert (out / "qassay" / "requirements.txt").read_text() == f"qassay @ {ADDRESS}\n"
    with zipfile.ZipFile(out / "qassay" / WHEEL) as wheel:
        assert "qassay/samples/answers/gold.json" in wheel.namelist()


def test_evaluate_scores_with_the_folders_as_qassay_does_and_names_the_wheel_where_it_is_missing(out, tmp_path):
    given = {
        name: [{key: value for key, value in case.items() if key != "result"} for case in cases_of(name)]
        for name in qassay.list_metrics()
    }
    (tmp_path / "given.json").write_text(json.dumps(given))
    done = subprocess.run(
        [sys.executable, "-c", SCORE, out], check=True, cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    seen = json.loads(done.stdout.splitlines()[-1])
    for name, cases in given.items():
        metric = qassay.load(name)
        assert seen[name] == {"results": [metric.compute(**case) for case in cases], "help": metric.inputs_description}
    missing = f"import sys; sys.modules['qassay'] = None; import evaluate; evaluate.load({str(out / 'answer_match')!r})"
    done = subprocess.run([sys.executable, "-c", missing], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert f"'pip install {ADDRESS}'" in done.stderr


def test_bad_arguments_write_nothing(tmp_path, monkeypatch):
    for owner, names, clone, message in (
        ("acme", ["nosuch"], CLONE, "no Space 'nosuch'; there are: answer_match"),
        ("a/b", [], CLONE, "owner='a/b' is no name on the Hub"),
        ("acme", [], tmp_path, "is none; clone it"),
    ):
        with pytest.raises(ValueError, match=message):
            build_spaces(tmp_path / "out", owner, names, clone)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    (tmp_path / "broken").mkdir()
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path / "broken", check=True)
    with pytest.raises(ValueError, match="git cannot read the last commit"):
        build_spaces(tmp_path / "out", "acme", [], tmp_path / "broken")
    monkeypatch.setattr(build.sys, "executable", shutil.which("false"))
    with pytest.raises(ValueError, match="pip cannot build the wheel: no reason given"):
        build_spaces(tmp_path / "out", "acme")
    assert not (tmp_path / "out").exists()
