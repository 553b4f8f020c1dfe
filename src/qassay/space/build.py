"""Writes the folders of Hugging Face Spaces: `qassay spaces build OUT --owner NAME`.

A clone holds what a Space holds: a folder of `metrics/` for each metric, and `spaces_app/` for the page of all metrics. The
package itself is not on the Hub but in one wheel, in the Space of the page; every other Space installs it from its full
address, because pip in a Space sees only the file requirements.txt. Folders and wheel are made from the last commit, so
uncommitted files of the clone are not published.
"""

import io
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ..core.writing import write_whole
from ..registry import FAMILIES

CLONE = Path(__file__).resolve().parents[3]
SPACE = "qassay"  # the Space of the page of all metrics, which holds the wheel
_ADDRESS = "https://huggingface.co/spaces/{owner}/{space}/resolve/main/{wheel}"
_OWNER = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,94}[A-Za-z0-9])?")
_NEEDED = re.compile(r"^qassay(\[[\w,]+\])?$", re.MULTILINE)  # the line of requirements.txt
_IMPORT = re.compile(r"^from qassay\..*$", re.MULTILINE)  # the line of a script


def build_spaces(out: Path, owner: str, names: Sequence[str] = (), clone: Path = CLONE) -> list[Path]:
    """Write the Spaces of metrics, and of the page ("qassay"), below `out`; without names, all Spaces.

    Args:
        owner: the user or organisation of the Hub that will have the Spaces.
        clone: the folder of the clone.

    Returns:
        The folders, in order. Their files are replaced, other files in them stay.

    Raises:
        ValueError: no clone, no such metric, an owner that the Hub cannot have, or a wheel that cannot be built.
            OSError: a file that cannot be written.
    """
    offered = [*FAMILIES, SPACE]
    for name in names:
        if name not in offered:
            raise ValueError(f"no Space {name!r}; there are: {', '.join(offered)}")
    if not _OWNER.fullmatch(owner):
        raise ValueError(f"owner={owner!r} is no name on the Hub: it has letters, digits and inner hyphens")
    if not (clone / ".git").exists():
        raise ValueError(
            f"Spaces are built from a clone of qassay, and {clone} is none; clone it, run `pip install -e .` in it, and then "
            "this command"
        )
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "source")
        _extract_commit(clone, source)
        wheel = _wheel_of(source, Path(folder, "wheel"))
        address = _ADDRESS.format(owner=owner, space=SPACE, wheel=wheel.name)
        spaces = {name: _files_of(source, name, address) for name in names or offered}
        if SPACE in spaces:
            spaces[SPACE][wheel.name] = wheel.read_bytes()
        for name, files in spaces.items():
            (out / name).mkdir(parents=True, exist_ok=True)
            for file, content in files.items():
                write_whole(out / name / file, content)
    return [out / name for name in spaces]


def _extract_commit(clone: Path, folder: Path) -> None:
    """Write the files of the last commit into a folder."""
    command = ["git", "-c", "safe.directory=*", "archive", "HEAD"]  # the clone may belong to another user
    try:
        done = subprocess.run(command, cwd=clone, check=True, capture_output=True)
    except FileNotFoundError:
        raise ValueError("git is not installed, and Spaces are built from the last commit") from None
    except subprocess.CalledProcessError as error:
        raise ValueError(f"git cannot read the last commit of {clone}: {_last_line(error)}") from None
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")


def _wheel_of(source: Path, folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(source)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except subprocess.CalledProcessError as error:
        raise ValueError(f"pip cannot build the wheel: {_last_line(error)}") from None
    (wheel,) = folder.glob("qassay-*.whl")
    return wheel


def _last_line(error: subprocess.CalledProcessError) -> str:
    return (error.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"])[-1]


def _files_of(source: Path, name: str, address: str) -> dict[str, bytes]:
    """The files of a Space: those of the clone, with the address of the wheel after the name of the package."""
    folder = source / "spaces_app" if name == SPACE else source / "metrics" / name
    files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    needed = files["requirements.txt"].decode("utf-8")
    files["requirements.txt"] = _NEEDED.sub(lambda line: f"{line[0]} @ {address}", needed).encode()
    if name != SPACE:  # evaluate shows this comment to those who lack the package
        script = files[f"{name}.py"].decode("utf-8")
        files[f"{name}.py"] = _IMPORT.sub(lambda line: f"{line[0]}  # From: {address}", script).encode()
    return files
