"""The wheel: that it holds all that the package reads, and renders the same Spaces as a clone."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from qassay.pages.demo import render_demo

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The folder into which a wheel of a copy of the clone is unpacked; a build in the clone would leave files."""
    clone, out = tmp_path_factory.mktemp("clone"), tmp_path_factory.mktemp("wheel")
    for name in ("setup.cfg", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, clone)
    for name in ("metrics", "samples", "spaces_app"):
        shutil.copytree(ROOT / name, clone / name, ignore=shutil.ignore_patterns("__pycache__"))
    build = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", build, str(out)], cwd=clone, check=True, capture_output=True)
    (wheel,) = out.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(out / "installed")
    return out / "installed"


def files_below(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_wheel_holds_page_samples_and_style(installed):
    assert sorted(path.name for path in installed.iterdir() if not path.name.endswith(".dist-info")) == ["qassay"]
    held = set(files_below(installed / "qassay"))
    for folder, place in (("metrics", ""), ("spaces_app", "spaces_app/"), ("samples", "samples/")):
        there = {f"{place}{path.relative_to(ROOT / folder).as_posix()}" for path in (ROOT / folder).rglob("*.*")}
        assert {name for name in there if not name.endswith(".pyc")} - held == set()


def test_a_wheel_renders_the_same_demo_as_the_clone(installed, tmp_path):
    env = {**os.environ, "PYTHONPATH": str(installed), "PYTHONDONTWRITEBYTECODE": "1"}
    code = "import qassay, sys; print(qassay.__path__[0]); from qassay.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "spaces", "build", str(tmp_path / "wheel"), "demo"]
    done = subprocess.run(command, cwd=tmp_path, env=env, check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[0] == str(installed / "qassay")
    assert files_below(tmp_path / "wheel" / "demo") == files_below(render_demo(tmp_path / "clone"))
