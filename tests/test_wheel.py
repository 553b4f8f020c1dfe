"""The wheel: that it holds what git tracks of the package and no more, and wins over folders."""

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = {"metrics": "qassay", "samples": "qassay/samples", "spaces_app": "qassay/spaces_app"}
ABOUT = ("LICENSE", "MANIFEST.in", "README.md", "build_backend.py", "pyproject.toml", "setup.cfg")
STRAY = (
    "samples/answers/report.html",
    "samples/labels/mine.csv",
    "metrics/core/stray.py",
    "metrics/average_precision/stray.json",
    "build/lib/qassay/old.py",
    "build/lib/metrics/old.py",
)


def git(folder, *arguments):
    done = subprocess.run(
        ["git", "-c", "safe.directory=*", *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout


def tracked(folder):
    return [name for name in git(folder, "ls-files", "-z", *FOLDERS, *ABOUT).split("\0") if name]


def copy(clone, names):
    for name in names:
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, clone / name)
    return clone


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A clone with files that git does not track."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("git is not installed, or this is not a clone")
    clone = copy(tmp_path_factory.mktemp("clone"), tracked(ROOT))
    git(clone, "init", "--quiet")
    git(clone, "add", ".")
    for name in STRAY:
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        (clone / name).write_text("1\n", "utf-8")
    return clone


def build(clone, out, kind):
    code = f"import sys; sys.path.insert(0, '.'); import build_backend; build_backend.build_{kind}(sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, str(out)], cwd=clone, check=True, capture_output=True)
    (built,) = out.glob("qassay-*")
    return built


@pytest.fixture(scope="module")
def installed(clone, tmp_path_factory):
    """The folder into which a wheel of the clone is unpacked."""
    out = tmp_path_factory.mktemp("wheel")
    zipfile.ZipFile(build(clone, out, "wheel")).extractall(out / "installed")
    return out / "installed"


def files_below(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def shipped(names):
    """The names in a wheel of the files of the package."""
    split = [name.partition("/") for name in names]
    return sorted(f"{FOLDERS[top]}/{rest}" for top, _, rest in split if top in FOLDERS)


def test_a_wheel_holds_what_git_tracks(clone, installed):
    held = [name for name in files_below(installed) if ".dist-info/" not in name]
    assert sorted(held) == shipped(tracked(ROOT))
    left = {path.relative_to(clone).as_posix() for path in (clone / "build").rglob("*") if path.is_file()}
    assert left == {name for name in STRAY if name.startswith("build/")} and not list(clone.glob("*.egg-info"))


def test_an_editable_installation_is_seen_by_type_checkers_and_not_by_python(clone, tmp_path):
    zipfile.ZipFile(build(clone, tmp_path, "editable")).extractall(tmp_path)
    (added,) = tmp_path.glob("*types.pth")
    (record,) = tmp_path.glob("*/RECORD")
    assert f"{added.name},sha256=" in record.read_text("utf-8")
    links = added.read_text("utf-8").splitlines()[0]
    assert (Path(links) / "qassay" / "py.typed").samefile(clone / "metrics" / "py.typed")
    code = """if True:
        import importlib, site, sys
        site.addsitedir(sys.argv[1])
        importlib.invalidate_caches()
        import qassay, qassay.samples
        print(qassay.__file__, *sys.path, sep="\\n")
    """
    command = [sys.executable, "-S", "-E", "-c", code, str(tmp_path)]  # this environment may have another qassay
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    assert printed[0] == str(clone / "metrics" / "__init__.py") and links in printed


def test_a_source_archive_holds_what_git_tracks_and_makes_the_same_wheel(clone, installed, tmp_path):
    with tarfile.open(build(clone, tmp_path, "sdist")) as archive:
        archive.extractall(tmp_path / "source")
    (source,) = (tmp_path / "source").iterdir()
    held = {name for name in files_below(source) if ".egg-info/" not in name}
    assert held == {*tracked(ROOT), "PKG-INFO"}
    (tmp_path / "again").mkdir()
    with zipfile.ZipFile(build(source, tmp_path / "again", "wheel")) as wheel:
        assert sorted(wheel.namelist()) == sorted(files_below(installed))
