"""Builds wheels and source archives from what git tracks: a file that somebody left in a clone is not for the public.

pip and other installers call these functions (PEP 517). Each lets setuptools work in a copy of the tracked files, so that
an installation leaves no folder `build` in the clone, and takes nothing from an older one. Where there is no git (an
unpacked source archive, for example) all files of the package's folders count. An editable installation is as setuptools
makes it: of the clone itself.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import (  # noqa: F401
    build_editable,
    get_requires_for_build_editable,
    prepare_metadata_for_build_editable,
)

ROOT = Path(__file__).resolve().parent
SHIPPED = (
    "LICENSE", "MANIFEST.in", "README.md", "build_backend.py", "metrics", "pyproject.toml", "samples", "setup.cfg",
    "spaces_app",
)  # fmt: skip


def _tracked() -> Iterator[str]:
    """The paths below ROOT of the files to build from."""
    if (ROOT / ".git").exists() and shutil.which("git"):  # not the git of a folder around
        command = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--", *SHIPPED]  # the owner may be another user
        found = subprocess.run(command, cwd=ROOT, check=False, capture_output=True)
        if found.returncode == 0:
            yield from (name for name in os.fsdecode(found.stdout).split("\0") if (ROOT / name).is_file())
            return
    for name in SHIPPED:
        for path in sorted([ROOT / name, *(ROOT / name).rglob("*")]):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path.relative_to(ROOT).as_posix()


@contextmanager
def _in_copy() -> Iterator[None]:
    """Work in a copy of the tracked files."""
    with tempfile.TemporaryDirectory() as copy:
        for name in _tracked():
            (Path(copy) / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, Path(copy) / name)
        os.chdir(copy)
        try:
            yield
        finally:
            os.chdir(ROOT)


def _from_copy(hook: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(hook)
    def build(*args: Any, **kwargs: Any) -> Any:
        with _in_copy():
            return hook(*args, **kwargs)

    return build


get_requires_for_build_wheel = _from_copy(build_meta.get_requires_for_build_wheel)
get_requires_for_build_sdist = _from_copy(build_meta.get_requires_for_build_sdist)
prepare_metadata_for_build_wheel = _from_copy(build_meta.prepare_metadata_for_build_wheel)
build_wheel = _from_copy(build_meta.build_wheel)
build_sdist = _from_copy(build_meta.build_sdist)
