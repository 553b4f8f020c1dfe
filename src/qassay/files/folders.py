"""A folder as a table: what `Dataset.save_to_disk` writes, and shards of one kind."""

import json
import os
import re
from collections.abc import Callable, Iterable
from typing import Any

from ..core.remarks import remark
from .logs import logs_in, unknown_beside
from .reading import FileError
from .source import Source, reading

_KINDS = {
    "parquet": "Parquet", "pq": "Parquet", "arrow": "Arrow", "feather": "Arrow", "jsonl": "JSONL", "ndjson": "JSONL", "json": "JSONL",
    "csv": "CSV", "tsv": "TSV",
}  # fmt: skip
_OF_DATASETS = ("dataset_info.json", "dataset_infos.json")  # beside the data
_DATA = re.compile(rf"\.({'|'.join(_KINDS)})(\.(gz|bz2|xz|zst))?$", re.IGNORECASE)
_SHARD = re.compile(r"(?P<of>.*?)-?(?P<number>\d{5})-of-(?P<count>\d{5})")
_SHOWN = 5  # names of files in a message


def data_files(path: str, kind: str | None = None) -> list[str]:
    """The files of data in a folder, in order; [] for a path that is not a folder.

    Args:
        kind: "Parquet" or "JSONL", the kind of all files; None: any kind, the same for all.

    The order is `Dataset.save_to_disk`'s if it wrote the folder, otherwise the order of the names, where numbers count
    as numbers.

    Raises:
        FileError: a folder of several splits, of files of several kinds, with a shard missing, or without data.
    """
    if not os.path.isdir(path):
        return []
    with reading(path):
        names = sorted(os.listdir(path))
    names = [name for name in names if not name.startswith((".", "_")) and name not in _OF_DATASETS]
    if "dataset_dict.json" in names:
        splits = _of_datasets(path, "dataset_dict.json", lambda value: value["splits"])
        if len(splits) == 1:
            return data_files(splits[0], kind)
        raise FileError(path, f"this folder holds {len(splits)} splits; give one of them: {', '.join(splits)}")
    if "state.json" in names:
        return _of_datasets(path, "state.json", lambda value: [file["filename"] for file in value["_data_files"]])
    kinds = {name: _KINDS[found[1].lower()] for name in names if (found := _DATA.search(name))}
    kinds = {name: found for name, found in kinds.items() if kind in (None, found)}
    if not kinds:
        has = f"; it has: {_some(names)}" if names else ", and it is empty"
        raise FileError(
            path, f"this is a folder without files of a table (.parquet, .arrow, .jsonl, .csv){has}; give a file"
        )
    if len(set(kinds.values())) > 1:
        raise FileError(path, f"this folder has files of several kinds: {_some(list(kinds))}; give one of them")
    _check_shards(path, list(kinds))
    return [os.path.join(path, name) for name in in_natural_order(kinds)]


def log_file(path: str) -> str | None:
    """The file of a folder that alone is a log by its name, as harnesses write one beside results; None for others.

    Raises:
        FileError: several logs beside other files, as of several tasks or runs.
    """
    if not os.path.isdir(path):
        return None
    with reading(path):
        names = os.listdir(path)
    logs = sorted(logs_in(names))
    if len(logs) > 1 and len(names) > len(logs):
        raise FileError(path, f"this folder has {len(logs)} logs: {_some(logs)}; give one of them")
    if len(logs) != 1:
        return None
    if unknown_beside(logs[0], names):
        remark(f"{path}: of its {len(names)} files {logs[0]} is read")
    return os.path.join(path, logs[0])


def tell_order(paths: list[str]) -> None:
    """Warn that files are read as one table in this order, where they have no numbers of shards that say so."""
    names = list(map(os.path.basename, paths))
    if len(names) > 1 and not any(map(_SHARD.match, names)):
        folder = os.path.dirname(paths[0])
        remark(f"{folder}: its {len(names)} files are read as one table: {_some(names)}")


def _of_datasets(path: str, name: str, pick: Callable[[Any], list[str]]) -> list[str]:
    """The paths in a file that datasets writes beside the data."""
    data = Source(os.path.join(path, name), "plain").read()
    try:
        return [os.path.join(path, part) for part in pick(json.loads(data))]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise FileError(path, f"this folder of a saved dataset is broken, in {name}; save it again") from None


def _check_shards(path: str, names: list[str]) -> None:
    """Refuse a folder that holds several sets of shards, or a set that lacks one."""
    shards = [found for found in map(_SHARD.match, names) if found]
    if shards and (len(shards) < len(names) or len({found["of"] for found in shards}) > 1):
        raise FileError(path, f"this folder holds several data sets: {_some(names)}; give a file, or a folder for each")
    there = {int(found["number"]) for found in shards}
    for found in shards:
        absent = next((number for number in range(int(found["count"])) if number not in there), None)
        if absent is not None:
            raise FileError(path, f"the file {absent:05}-of-{found['count']} of this folder is missing; fetch it again")


def in_natural_order(names: Iterable[str]) -> list[str]:
    """Names in order, where numbers in them count as numbers."""
    return sorted(
        names, key=lambda name: [(int(p), "") if p.isdecimal() else (-1, p) for p in re.split(r"(\d+)", name)]
    )


def _some(names: list[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
