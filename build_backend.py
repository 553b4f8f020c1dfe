"""Builds wheels and source archives from what git tracks: a file that somebody left in a clone is not for the public.

pip and other installers call these functions (PEP 517). Each lets setuptools work in a copy of the tracked files, so that
an installation leaves no folder `build` in the clone, and takes nothing from an older one. The description of a wheel is
the README without images and links into the clone, which lead nowhere on the page of a package. Where there is no git (an
unpacked source archive, for example) all files of the package's folders count. An editable installation is as setuptools
makes it: of the clone itself. A link that only mypy and editors read is added, as they do not run setuptools' finder.
"""

import base64
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from setuptools import build_meta
from setuptools.build_meta import get_requires_for_build_editable, prepare_metadata_for_build_editable  # noqa: F401

_HERE = r"\((?!https?:|#)[^()]*\)"  # what a link into the clone leads to
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


def build_editable(wheel_directory: str, *args: Any, **kwargs: Any) -> str:
    """The wheel of setuptools, with a `.pth` file that puts the folder of the link `qassay -> metrics` on the path.

    Type checkers and editors follow that path; they do not run setuptools' finder. Python must not, or files would have
    two names: the second line of the file gives it a finder for that folder that never finds anything there.
    """
    name = build_meta.build_editable(wheel_directory, *args, **kwargs)
    links = ROOT / ".editable"
    try:
        links.mkdir(exist_ok=True)
        (links / "qassay").unlink(missing_ok=True)
        (links / "qassay").symlink_to(Path("..", "metrics"), target_is_directory=True)
    except OSError as error:  # Windows lets not every user make links
        warnings.warn(f"type checkers will not see this editable installation: {error}", stacklevel=2)
        return name
    blind = f"import sys, importlib.machinery as m; sys.path_importer_cache[{str(links)!r}] = m.BuiltinImporter"
    added = f"{links}\n{blind}\n".encode()
    _add_to_wheel(Path(wheel_directory, name), "__editable__.qassay_types.pth", added)
    return name


def _add_to_wheel(path: Path, name: str, content: bytes) -> None:
    """Add a file to a wheel, and to its list of files."""
    with ZipFile(path) as wheel:
        files = {held: wheel.read(held) for held in wheel.namelist()}
    (record,) = (held for held in files if held.endswith(".dist-info/RECORD"))
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    listed = f"{name},sha256={digest},{len(content)}\n".encode()
    with ZipFile(path, "w") as wheel:
        for held, old in {name: content, **files, record: listed + files[record]}.items():
            wheel.writestr(held, old)


def _without_links(readme: str) -> str:
    """A README without images and links that lead into the clone; of links the words stay. Code stays as it is."""
    parts = re.split(r"(^```.*?^```|`[^`\n]*`)", readme, flags=re.DOTALL | re.MULTILINE)
    for place in range(0, len(parts), 2):
        plain = re.sub(rf"^!\[[^\]]*\]{_HERE}\n*", "", parts[place], flags=re.MULTILINE)
        parts[place] = re.sub(rf"\[([^\]]*)\]{_HERE}", r"\1", plain)
    return "".join(parts)


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


def _from_copy(hook: Callable[..., Any], *, for_wheel: bool = True) -> Callable[..., Any]:
    @wraps(hook)
    def build(*args: Any, **kwargs: Any) -> Any:
        with _in_copy():
            if for_wheel:
                readme = Path("README.md")
                readme.write_text(_without_links(readme.read_text("utf-8")), "utf-8")
            return hook(*args, **kwargs)

    return build


get_requires_for_build_wheel = _from_copy(build_meta.get_requires_for_build_wheel)
get_requires_for_build_sdist = _from_copy(build_meta.get_requires_for_build_sdist)
prepare_metadata_for_build_wheel = _from_copy(build_meta.prepare_metadata_for_build_wheel)
build_wheel = _from_copy(build_meta.build_wheel)
build_sdist = _from_copy(build_meta.build_sdist, for_wheel=False)
