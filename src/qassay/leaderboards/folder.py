"""The systems of a folder: one file or folder of predictions per system."""

import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..core.shown import alike_form, both_shown, first_names, shown
from ..core.writing import ENDING
from ..files import FileError
from ..files.folders import in_natural_order, log_file
from ..files.source import reading
from ..files.system_files import file_stem

# The reason why a name in a folder is no system, and the names that have it.
_NO_SYSTEMS = {
    "hidden": r"\..*",
    "unfinished": f".*{re.escape(ENDING)}",
    "a backup": r".*(~|\.(bak|orig|old|swp|tmp|backup))|#.*#",  # of editors and people
    "not predictions": r"(readme|licen[cs]e|citation|changelog)(\..*)?|thumbs\.db|desktop\.ini|icon\r|__macosx|__pycache__",
}
_OF_SAVED_DATASETS = ("state.json", "dataset_dict.json")  # a folder with one of these files is one table
_MOST_NAMED = 5


class FolderSystems(NamedTuple):
    """The systems of a folder: names, paths of predictions, and omitted files with reasons."""

    names: list[str]
    paths: list[str]
    left_out: list[str]


def has_systems(path: str) -> bool:
    """Whether a path is a folder of systems, and not a table written by `Dataset.save_to_disk`."""
    return os.path.isdir(path) and not any(os.path.exists(os.path.join(path, name)) for name in _OF_SAVED_DATASETS)


def systems_of_folder(folder: str, others: Mapping[str, str] | None = None) -> FolderSystems:
    """Each file of a folder as a system, named without its ending; for a subfolder, the one file in it.

    Args:
        others: path -> description, for files in the folder that are not systems, such as the gold file.

    Raises:
        FileError: no file of predictions, two files with the same name, or a subfolder without a file.
    """
    aside = {os.path.realpath(path): what for path, what in (others or {}).items()}
    left_out: list[str] = []
    files = [os.path.join(folder, name) for name in _kept(folder, aside, left_out)]
    if not files:
        omitted = f"; omitted: {first_names(left_out, _MOST_NAMED)}" if left_out else ""
        raise FileError(folder, f"this folder has no file of predictions{omitted}; put a file of each system into it")
    names = [os.path.basename(path) if os.path.isdir(path) else file_stem(path) for path in files]
    paths = [_file_of(path, aside, left_out) if has_systems(path) else path for path in files]
    seen: dict[str, int] = {}
    for row, name in enumerate(names):
        first = seen.setdefault(alike_form(name), row)
        if first < row:
            both = both_shown(os.path.basename(files[first]), os.path.basename(files[row]))
            how = f"are both called {name}" if names[first] == name else "have names that look alike"
            raise FileError(folder, f"{both} {how}; rename one of them, or omit it")
    return FolderSystems(names, paths, left_out)


def _kept(folder: str, aside: Mapping[str, str], left_out: list[str], below: str = "") -> list[str]:
    """The names in a folder that may be systems; adds the others to `left_out`."""
    kept = []
    for name in _names_in(folder):
        path = os.path.join(folder, name)
        reasons = (what for what, names in _NO_SYSTEMS.items() if re.fullmatch(names, name, re.IGNORECASE | re.DOTALL))
        reason = aside.get(os.path.realpath(path)) or next(reasons, "")
        if not reason and os.path.isdir(path) and not _names_in(path):
            reason = "an empty folder"
        if reason:
            left_out.append(f"{below}{name} ({reason})")
            continue
        if os.path.islink(path) and not os.path.exists(path):
            link = shown(os.readlink(path))
            raise FileError(path, f"this link leads to {link}, which does not exist; fix or remove it")
        if not os.path.isdir(path) and not os.path.isfile(path):  # such as a named pipe, which may never end
            raise FileError(path, "this is not a regular file; remove it from the folder of systems")
        kept.append(name)
    return kept


def _names_in(folder: str) -> list[str]:
    with reading(folder):
        return in_natural_order(os.listdir(folder))


def _file_of(folder: str, aside: Mapping[str, str], left_out: list[str]) -> str:
    """The one file in the folder of a system, or the log that a harness wrote beside its results."""
    names = _kept(folder, aside, left_out, f"{os.path.basename(folder)}/")
    log = log_file(folder) if len(names) > 1 else None
    if log is not None:
        return log
    if len(names) != 1:
        has = f"has {len(names)} files: {first_names(names, _MOST_NAMED)}" if names else "is empty"
        raise FileError(folder, f"the folder of a system must contain one file of its predictions; this one {has}")
    return os.path.join(folder, names[0])


def same_files(files: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Systems whose files have the same content, such as copies under two names.

    Args:
        files: system -> paths of its files; only regular files are read.
    """
    by_size: dict[int, dict[str, list[str]]] = {}
    for name, paths in ((name, list(paths)) for name, paths in files.items()):
        if paths and all(map(os.path.isfile, paths)):
            by_size.setdefault(sum(map(os.path.getsize, paths)), {})[name] = paths
    by_content: dict[tuple[bytes, ...], list[str]] = {}
    for of_size in by_size.values():
        for name, paths in of_size.items() if len(of_size) > 1 else ():
            by_content.setdefault(tuple(sorted(map(_digest, paths))), []).append(name)
    return [names for names in by_content.values() if len(names) > 1]


def _digest(path: str) -> bytes:
    with open(path, "rb") as file:
        digest = hashlib.sha256()
        while part := file.read(1 << 20):
            digest.update(part)
        return digest.digest()
