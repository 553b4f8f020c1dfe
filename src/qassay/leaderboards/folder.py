"""The systems of a folder: one file or folder of predictions per system."""

import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..core.shown import alike_form, first_names, shown, told_alike
from ..core.writing import ENDING
from ..files import FileError
from ..files.folders import in_natural_order, log_file
from ..files.source import reading
from ..files.system_files import file_stem

_DOCUMENTS = re.compile(r"(readme|licen[cs]e|citation|changelog)(\..*)?$", re.IGNORECASE)
_COPIES = re.compile(
    r".*(~|\.(bak|orig|old|swp|tmp|backup))$|#.*#$", re.IGNORECASE
)  # endings of files of editors and people
_OF_DESKTOPS = re.compile(r"(thumbs\.db|desktop\.ini|icon\r|__macosx|__pycache__)$", re.IGNORECASE)
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
        told = f"; omitted: {first_names(left_out, _MOST_NAMED)}" if left_out else ""
        raise FileError(folder, f"this folder has no file of predictions{told}; put a file of each system into it")
    names, paths = [], []
    for path in files:
        names.append(os.path.basename(path) if os.path.isdir(path) else file_stem(path))
        paths.append(_file_of(path, aside, left_out) if has_systems(path) else path)
    forms = list(map(alike_form, names))
    for place, form in enumerate(forms):
        before = forms.index(form)
        if before < place:
            both = told_alike(os.path.basename(files[before]), os.path.basename(files[place]))
            how = f"are both called {names[place]}" if names[before] == names[place] else "have names that look alike"
            raise FileError(folder, f"{both} {how}; rename one of them, or omit it")
    return FolderSystems(names, paths, left_out)


def _kept(folder: str, aside: Mapping[str, str], left_out: list[str], below: str = "") -> list[str]:
    """The names in a folder that may be systems; adds the others to `left_out`."""
    with reading(folder):
        names = in_natural_order(os.listdir(folder))
    kept = []
    for name in names:
        path = os.path.join(folder, name)
        reason = aside.get(os.path.realpath(path)) or _why_no_system(name) or _why_no_folder(path)
        if reason:
            left_out.append(f"{below}{name} ({reason})")
        else:
            _require_file(path)
            kept.append(name)
    return kept


def _require_file(path: str) -> None:
    """Refuse a broken link, and files that may never end, such as a named pipe."""
    if os.path.islink(path) and not os.path.exists(path):
        raise FileError(path, f"this link leads to {shown(os.readlink(path))}, which does not exist; fix or remove it")
    if not os.path.isdir(path) and not os.path.isfile(path):
        raise FileError(path, "this is not a regular file; remove it from the folder of systems")


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


def _why_no_system(name: str) -> str:
    if name.startswith("."):
        return "hidden"
    if name.endswith(ENDING):
        return "unfinished"
    if _COPIES.match(name):
        return "a backup"
    return "not predictions" if _DOCUMENTS.match(name) or _OF_DESKTOPS.match(name) else ""


def _why_no_folder(path: str) -> str:
    if not os.path.isdir(path):
        return ""
    with reading(path):
        return "" if os.listdir(path) else "an empty folder"


def same_files(files: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Systems whose files have the same content, such as copies under two names.

    Args:
        files: system -> paths of its files; only regular files are read.
    """
    by_content: dict[tuple[bytes, ...], list[str]] = {}
    sizes: dict[int, int] = {}
    regular = {name: [path for path in paths] for name, paths in files.items()}
    regular = {name: paths for name, paths in regular.items() if paths and all(map(os.path.isfile, paths))}
    for paths in regular.values():
        total = sum(map(os.path.getsize, paths))
        sizes[total] = sizes.get(total, 0) + 1
    for name, paths in regular.items():
        if sizes[sum(map(os.path.getsize, paths))] > 1:
            by_content.setdefault(tuple(sorted(map(_digest, paths))), []).append(name)
    return [names for names in by_content.values() if len(names) > 1]


def _digest(path: str) -> bytes:
    found = hashlib.sha256()
    with open(path, "rb") as file:
        while part := file.read(1 << 20):
            found.update(part)
    return found.digest()
