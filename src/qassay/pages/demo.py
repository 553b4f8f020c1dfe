"""The Space of the demo: the package as the folder qassay/, beside an app.py that needs no installed qassay."""

import importlib
import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..core.writing import write_files

DEMO = "demo"  # its name among the names of the metrics
# The place of each package in the folder. A clone has them side by side, a wheel has them inside one package.
_PLACES = {"qassay": "qassay", "qassay.spaces_app": "qassay/spaces_app", "qassay.samples": "qassay/samples"}
# Endings of code and of files that it reads.
_SHIPPED = (".py", ".css", ".js", ".json", ".md", ".svg", ".txt")
_DATA = "qassay.samples"
_CARD = {"README.md": "README.md", "requirements.txt": "requirements.txt", "__main__.py": "app.py"}


def render_demo(out: Path) -> Path:
    """Writes the Space of the demo to `out/demo` and returns that folder; other files of the folder stay.

    `app.py`, `README.md` and `requirements.txt` come from `qassay.spaces_app`, and `qassay/` is the package without its
    tests, from a clone or an installed wheel.
    """
    files = {**package_files(), **{name: page_file(source) for source, name in _CARD.items()}}
    target = Path(out) / DEMO
    write_files(target, files)
    return target


def page_file(name: str) -> bytes:
    """A file of the page of all metrics, such as requirements.txt."""
    return (_folder("qassay.spaces_app") / name).read_bytes()


def package_files(*, with_samples: bool = True) -> dict[str, bytes]:
    """The files of the package, each with its path, which begins with qassay/."""
    packages = [package for package in _PLACES if with_samples or package != _DATA]
    return {f"qassay/{path}": content for path, content in _files_below(packages)}


def _files_below(packages: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    for package in packages:
        folder = _folder(package)
        below = Path(_PLACES[package]).relative_to("qassay")
        for path in _files(folder):
            parts = path.relative_to(folder).parts
            hidden = any(part.startswith((".", "__pycache__")) for part in parts)
            wanted = package == _DATA and path.suffix != ".pyc" or path.suffix in _SHIPPED
            if path.is_file() and wanted and not hidden and path.name != "tests.py":
                yield (below / Path(*parts)).as_posix(), path.read_bytes()


def _files(folder: Path) -> list[Path]:
    """The files in the folder of a package; in a clone only files tracked by git, because other files are not public."""
    if (folder.parent / ".git").exists() and shutil.which("git"):
        command = ["git", "-c", "safe.directory=*", "ls-files", "-z"]  # the clone may belong to another user
        listing = subprocess.run(command, cwd=folder, check=False, capture_output=True)
        if listing.returncode == 0:
            return sorted(folder / name for name in os.fsdecode(listing.stdout).split("\0") if name)
    return sorted(folder.rglob("*"))


def _folder(package: str) -> Path:
    return Path(next(iter(importlib.import_module(package).__path__)))
