"""Folders: one table in several files, as `Dataset.save_to_disk` writes it, or a file of predictions for each system."""

import json
import os
import re
from collections.abc import Iterable
from fnmatch import fnmatch
from pathlib import Path

from ..core.file_columns import STDIN
from ..core.remarks import remark
from ..core.shown import first_names, visible
from ..core.writing import ENDING
from .logs import all_logs
from .reading import FileError
from .source import file_errors

_OF_DATASETS = ("dataset_info.json", "dataset_infos.json")  # beside the data
_OF_SAVED_DATASETS = ("state.json", "dataset_dict.json")  # a folder with one of these files is one table
_DATA = re.compile(r"\.(parquet|pq|arrow|feather|jsonl|ndjson|json|csv|tsv)(\.(gz|bz2|xz|zst))?$", re.IGNORECASE)
_SHARD = re.compile(r"(?P<of>.*?)-?(?P<number>\d{5})-of-(?P<count>\d{5})")
_BESIDE = re.compile(r"results_.*\.json|config\.yaml|metric_score\.txt")  # what harnesses write beside a log
_OF_MTEB = "_predictions.json"
_NO_SYSTEM = re.compile(  # hidden and unfinished files, backups of editors and people, and what describes a folder
    rf"\..*|.*{re.escape(ENDING)}|.*(~|\.(bak|orig|old|swp|tmp|backup|ya?ml))|#.*#|"
    r"(readme|licen[cs]e|citation|changelog)(\..*)?|thumbs\.db|desktop\.ini|icon\r|__macosx|__pycache__",
    re.IGNORECASE | re.DOTALL,
)
_MOST_NAMED = 5  # names of files in a message
_ENDINGS = "json jsonl ndjson csv tsv txt parquet arrow feather eval run trec gz bz2 xz zst".split()
_ENDING = re.compile(rf"(\.({'|'.join(_ENDINGS)}))+$", re.IGNORECASE)


def _names_in(folder: str) -> list[str]:
    """The names in a folder, sorted, with numbers in them compared as numbers."""
    with file_errors(folder):
        names = os.listdir(folder)
    parts = {name: re.split(r"(\d+)", name) for name in names}
    return sorted(names, key=lambda name: [(int(p), "") if p.isdecimal() else (-1, p) for p in parts[name]])


# --- one table --------------------------------------------------------------------------------------------------------


def data_files(path: str) -> list[str]:
    """The files of data in a folder: in the order of `Dataset.save_to_disk` if it wrote the folder, otherwise of their names."""
    names = [name for name in _names_in(path) if not name.startswith((".", "_")) and name not in _OF_DATASETS]
    saved = next((name for name in ("dataset_dict.json", "state.json") if name in names), None)
    if saved is not None:
        try:
            facts = json.loads(Path(path, saved).read_bytes())
            is_whole = saved == "state.json"
            parts = [file["filename"] for file in facts["_data_files"]] if is_whole else list(facts["splits"])
            paths = [os.path.join(path, part) for part in parts]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            raise FileError(path, f"this folder of a saved dataset is broken, in {saved}; save it again") from None
        if not is_whole and len(paths) != 1:
            raise FileError(path, f"this folder holds {len(paths)} splits; give one of them: {', '.join(paths)}")
        return paths if is_whole else data_files(paths[0])
    data = list(filter(_DATA.search, names))
    files = first_names(data, _MOST_NAMED)
    if not data:
        has = f"; it has: {first_names(names, _MOST_NAMED)}" if names else ", and it is empty"
        raise FileError(
            path, f"this is a folder without files of a table (.parquet, .arrow, .jsonl, .csv){has}; give a file"
        )
    shards = [found for found in map(_SHARD.match, data) if found]
    if shards and (len(shards) < len(data) or len({found["of"] for found in shards}) > 1):
        raise FileError(path, f"this folder has several data sets: {files}; give one of them, or a folder for each")
    numbers = {int(found["number"]) for found in shards}
    absent = next((number for number in range(int(shards[0]["count"]) if shards else 0) if number not in numbers), None)
    if absent is not None:
        raise FileError(path, f"the file {absent:05}-of-{shards[0]['count']} of this folder is missing; fetch it again")
    if len(data) > 1 and not shards:
        remark(f"{path}: its {len(data)} files are read as one table: {files}")
    return [os.path.join(path, name) for name in data]


def log_file(path: str) -> str | None:
    """The only file in a folder that is a log by its name, as harnesses write it beside results; None for other folders."""
    names = _names_in(path)
    logs = _logs_in(names)
    if len(logs) > 1 and len(names) > len(logs):
        raise FileError(path, f"this folder has {len(logs)} logs: {first_names(logs, _MOST_NAMED)}; give one of them")
    if len(logs) != 1:
        return None
    if any(name != logs[0] and not _BESIDE.fullmatch(name) for name in names):
        remark(f"{path}: of its {len(names)} files {logs[0]} is read")
    return os.path.join(path, logs[0])


def _logs_in(names: Iterable[str]) -> list[str]:
    patterns = [pattern for log in all_logs() for pattern in log.file_patterns]
    return [name for name in names if any(fnmatch(name, pattern) for pattern in patterns)]


# --- systems ----------------------------------------------------------------------------------------------------------


def file_stem(path: str) -> str:
    """The name of a file without folder and extensions."""
    return "stdin" if path == STDIN else _ENDING.sub("", Path(path).name)


def has_systems(path: str) -> bool:
    """Whether a path is a folder of systems, and not one table: the shards of a data set, or one log beside its results."""
    if not os.path.isdir(path) or _is_saved(path):
        return False
    names = _names_in(path)
    return not any(map(_SHARD.match, names)) and not _are_of_one_log(names)


def _are_of_one_log(names: list[str]) -> bool:
    """Whether the files of a folder are one log, and what lies beside it."""
    logs = _logs_in(names)
    if len(logs) != 1 or not logs[0].endswith(_OF_MTEB):
        return len(logs) == 1
    # A file of a system may be called like the predictions of MTEB, whose results are in TASK.json.
    beside = {logs[0], f"{logs[0].removesuffix(_OF_MTEB)}.json"}
    return all(name in beside or _BESIDE.fullmatch(name) or _NO_SYSTEM.fullmatch(name) for name in names)


def _is_saved(path: str) -> bool:
    return any(os.path.exists(os.path.join(path, name)) for name in _OF_SAVED_DATASETS)


def systems_of_folder(folder: str, gold: str = "") -> list[tuple[str, str]]:
    """Each file of a folder as a system: its name without its ending, and its path; for a subfolder, the one file in it.

    A remark says which files are no systems: hidden and unfinished ones, backups, the gold file, and links to nothing.

    Args:
        gold: the path of the gold file, which may be in the folder.
    """
    omitted: list[str] = []
    files = _kept(folder, gold, omitted)
    if not files:
        others = f"; it has: {first_names(omitted, _MOST_NAMED)}" if omitted else ""
        raise FileError(folder, f"this folder has no file of predictions{others}; put a file of each system into it")
    found = []
    for path in files:
        of_system = [path]
        if os.path.isdir(path) and not _is_saved(path):
            of_system = _kept(path, gold, omitted)
            log = log_file(path) if len(of_system) > 1 else None
            of_system = of_system if log is None else [log]
        if len(of_system) != 1:
            has = f"has {len(of_system)} files: {first_names(list(map(os.path.basename, of_system)), _MOST_NAMED)}"
            message = "the folder of a system must contain one file of its predictions; this one "
            raise FileError(path, message + (has if of_system else "is empty"))
        found.append((os.path.basename(path) if os.path.isdir(path) else file_stem(path), of_system[0]))
    if omitted:
        remark(f"{folder}: omitted: {visible(', '.join(omitted))}")
    return found


def _kept(folder: str, gold: str, omitted: list[str]) -> list[str]:
    """The paths in a folder that may be systems; adds the names of the others to `omitted`."""
    kept: list[str] = []
    for name in _names_in(folder):
        path = os.path.join(folder, name)
        is_gold = bool(gold) and os.path.realpath(path) == os.path.realpath(gold)
        is_other = is_gold or _NO_SYSTEM.fullmatch(name) or not (os.path.isdir(path) or os.path.isfile(path))
        (omitted if is_other else kept).append(name if is_other else path)
    return kept
