"""A wheel and a source archive of the last commit: what they hold, and that a fresh environment scores with the wheel."""

import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(
        shutil.which("git") is None or not (ROOT / ".git").exists(), reason="git is not installed, or this is no clone"
    ),
]
# Without what the distribution needs, which the tests' environment lends: the wheel alone is tried.
USE = """
import sys
sys.path += sys.argv[1:]
import qassay
from pathlib import Path
samples = Path(qassay.__file__).parent / "samples"
assert "site-packages" in qassay.__file__ and Path(qassay.__file__).is_relative_to(sys.prefix)
scores = qassay.score_files(samples / "answers" / "gold.json", {"small": samples / "answers" / "small_model.json"})["small"]
metric = qassay.load("answer_match", "squad")
print(round(scores.summary()["exact_match"], 4), metric.compute(predictions=["in Paris"], references=[["Paris"]])["f1"])
print(qassay.score("semantic_answer_similarity", ["thirty"], [["30"]], model="lite").summary(["total"]))
print(qassay.score("answer_equivalence", ["thirty"], [["30"]]).summary(["total"]))
"""


def run(*command, **options):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """The files of the last commit."""
    folder = tmp_path_factory.mktemp("source")
    run("git", "-c", "safe.directory=*", "archive", "--output", folder / "commit.tar", "HEAD", cwd=ROOT)
    with tarfile.open(folder / "commit.tar") as archive:
        archive.extractall(folder / "commit")
    return folder / "commit"


@pytest.fixture(scope="module")
def wheel(source):
    return built(source, "wheel")


def built(source, kind):
    out = source.parent / kind
    out.mkdir()
    code = f"from setuptools import build_meta; build_meta.build_{kind}({str(out)!r})"
    run(sys.executable, "-c", code, cwd=source)
    (path,) = out.iterdir()
    return path


def test_a_wheel_and_a_source_archive_hold_every_file_of_the_package(source, wheel):
    package = source / "src" / "qassay"
    files = {f"qassay/{path.relative_to(package).as_posix()}" for path in package.rglob("*") if path.is_file()}
    with zipfile.ZipFile(wheel) as archive:
        assert {name for name in archive.namelist() if ".dist-info/" not in name} == files
        (entries,) = (archive.read(name).decode() for name in archive.namelist() if name.endswith("entry_points.txt"))
    assert {"[console_scripts]", "[pytest11]", "[inspect_ai]"} <= {*entries.splitlines()}
    with tarfile.open(built(source, "sdist")) as archive:
        held = {name.partition("/src/")[2] for name in archive.getnames()}
    assert files <= held


def test_a_fresh_environment_scores_with_the_wheel(wheel, tmp_path):
    venv.create(tmp_path / "fresh", with_pip=False)
    (python,) = (tmp_path / "fresh").glob("*/python")
    (site,) = (tmp_path / "fresh").rglob("site-packages")
    run(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", site, wheel)
    (tmp_path / "qassay").mkdir()  # a folder of this name in the working directory hides nothing
    lent = [path for path in sys.path if path.endswith("site-packages")]
    printed = run(python, "-c", USE, *lent, cwd=tmp_path)
    assert printed.split() == ["0.4844", "66.66666666666666", "{'total':", "1}", "{'total':", "1}"]


def test_an_editable_installation_needs_no_help_for_type_checkers(source, tmp_path):
    code = f"from setuptools import build_meta; build_meta.build_editable({str(tmp_path)!r})"
    run(sys.executable, "-c", code, cwd=source)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as archive:
        (path,) = (archive.read(name).decode().strip() for name in archive.namelist() if name.endswith(".pth"))
    assert Path(path) == source / "src", "a plain path, which mypy and editors follow"
