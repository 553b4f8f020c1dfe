"""The private folder of submissions of a leaderboard, written atomically, readable by `datasets.load_dataset`.

    README.md                       the card of a data set; its rows are the files result.json
    salt                            the key of the hashes of users
    submissions/ID/result.json      a row: user, time and results
    submissions/ID/predictions.*    the file as submitted

An ID is the time and a random part, so names sort by time.
"""

import contextlib
import dataclasses
import hashlib
import hmac
import json
import logging
import os
import re
import secrets
import shutil
import threading
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from ..core.writing import ENDING, WriteError, folder_locked, write_whole
from .settings import UTC, SubmissionLimits
from .submissions import Refused, Submission

_ENDINGS = ("json", "jsonl", "csv", "tsv", "parquet", "txt", "run", "trec")
_CARD = """---
configs:
- config_name: default
  data_files: submissions/*/result.json
---

The submissions of a leaderboard, written by qassay. Keep this folder private: it holds the predictions of all teams.

    datasets.load_dataset("json", data_files="FOLDER/submissions/*/result.json")

gives a row per submission. Without the files, `load_dataset("FOLDER")` may give rows that it has read before.
"""
_LOG = logging.getLogger(__name__)
_LOCKS: dict[str, threading.RLock] = {}  # for threads of this process; the lock of the folder is for other processes


@dataclasses.dataclass(frozen=True)
class StoredSubmission:
    """A row of the store.

    Attributes:
        id: of the submission; also the name of its folder.
        time: time of submission, UTC, in ISO form.
        user: a hash of the submitter; user_name: the name in plain text, "" unless the organiser stores names.
        system, team, link: as on the board.
        predictions: the name of the file of predictions in the folder of the submission.
        values: measure -> value over all examples; None if it does not apply.
        intervals: measure -> both ends.
        notes: counts, such as missing predictions.
        signature: of the options; version: of qassay.
    """

    id: str
    time: str
    user: str
    user_name: str
    system: str
    team: str
    link: str
    predictions: str
    values: Mapping[str, float | None]
    intervals: Mapping[str, list[float | None]]
    notes: Mapping[str, int]
    signature: str
    version: str


class SubmissionStore:
    """The submissions in a folder; safe for several threads and processes.

    Example:
        >>> import tempfile
        >>> SubmissionStore(tempfile.mkdtemp()).rows()
        []
    """

    def __init__(self, folder: "str | os.PathLike[str]"):
        self.folder = Path(folder)
        self._submissions = self.folder / "submissions"
        self._rows: dict[str, StoredSubmission] = {}
        self._lost: set[str] = set()  # submissions without a file, logged once
        try:
            self._submissions.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WriteError(str(self.folder), f"the folder cannot be made ({error.strerror})") from error
        with self.locked():
            if not (self.folder / "README.md").exists():
                write_whole(self.folder / "README.md", _CARD)
            if not (self.folder / "salt").exists():
                if self.rows():
                    _LOG.error(
                        "the file salt is lost: for the limits, users of earlier submissions count as others now"
                    )
                write_whole(self.folder / "salt", secrets.token_hex(32))
                (self.folder / "salt").chmod(0o600)
            for draft in self._submissions.glob(f"*{ENDING}"):  # left by a killed process
                shutil.rmtree(draft, ignore_errors=True)
        self._salt = (self.folder / "salt").read_bytes()

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """A lock for threads and processes: limits are checked and a submission is added under the same lock."""
        lock = _LOCKS.setdefault(os.path.realpath(self.folder), threading.RLock())
        with lock, folder_locked(self._submissions):
            yield

    def rows(self) -> list[StoredSubmission]:
        """All submissions, oldest first; a folder without a result is omitted.

        Raises:
            ValueError: a file result.json that cannot be read; the message names it.
        """
        names = sorted(name for name in os.listdir(self._submissions) if not name.endswith(ENDING))
        for name in names:
            path = self._submissions / name / "result.json"
            if name not in self._rows and path.is_file():
                self._rows[name] = _read_row(path)
        return [self._rows[name] for name in names if name in self._rows]

    def predictions(self, row: StoredSubmission) -> Path:
        """The file of predictions of a submission."""
        return self._submissions / row.id / row.predictions

    def _size(self, row: StoredSubmission) -> int:
        """Bytes of the file of predictions; 0 if it was removed."""
        try:
            return self.predictions(row).stat().st_size
        except OSError as error:
            if row.id not in self._lost:
                self._lost.add(row.id)
                _LOG.error("the submission %s has no file %s: %s", row.id, row.predictions, error.strerror)
            return 0

    def user_key(self, user: str) -> str:
        """The hash of a user, which does not reveal the name without the salt."""
        return hmac.new(self._salt, user.casefold().encode("utf-8", "backslashreplace"), hashlib.sha256).hexdigest()[
            :32
        ]

    def check_limits(self, user: str, limits: SubmissionLimits, now: datetime | None = None, size: int = 0) -> None:
        """Refuse a submission above a limit.

        Args:
            size: of its file in bytes.

        Raises:
            Refused: the message names the limit and the time of the next submission.
        """
        now = now or datetime.now(UTC)
        rows, key = self.rows(), self.user_key(user)
        own = [row for row in rows if row.user == key]
        today = now.astimezone(UTC).date().isoformat()
        tomorrow = (now.astimezone(UTC).date() + timedelta(days=1)).isoformat()
        again = f"the next one is taken from {tomorrow} 00:00 UTC on"
        if len(rows) >= limits.in_all:
            raise Refused(f"the leaderboard has {len(rows):,} submissions and takes no more; ask the organisers")
        if sum(map(self._size, rows)) + size > limits.store_mb * 1_000_000:
            raise Refused("the leaderboard has no room for this file; ask the organisers")
        if len(own) >= limits.user_in_all:
            raise Refused(f"you have made {len(own)} submissions, the limit per user")
        if sum(row.time[:10] == today for row in own) >= limits.user_per_day:
            raise Refused(f"you have made {limits.user_per_day} submissions today, the limit per day; {again}")
        if sum(row.time[:10] == today for row in rows) >= limits.per_day:
            raise Refused(f"the leaderboard has taken {limits.per_day} today, which is the limit of all users; {again}")

    def add(self, submission: Submission, results: Mapping[str, Any], *, keep_name: bool = False,
            now: datetime | None = None) -> StoredSubmission:  # fmt: skip
        """Store a submission; call it inside `locked()`, after the checks.

        Args:
            results: values, intervals, notes, signature and version of the row.
            keep_name: store the name of the user too.

        Raises:
            WriteError: the submission cannot be written; its files are removed.
        """
        now = (now or datetime.now(UTC)).astimezone(UTC)
        name = f"{now:%Y%m%dT%H%M%S}.{now.microsecond:06}-{secrets.token_hex(4)}"
        row = StoredSubmission(
            id=name,
            time=now.isoformat(timespec="seconds"),
            user=self.user_key(submission.user),
            user_name=submission.user if keep_name else "",
            system=submission.system,
            team=submission.team,
            link=submission.link,
            predictions=f"predictions.{_ending(submission.file_name)}",
            **results,
        )
        draft = self._submissions / f"{name}{ENDING}"
        try:
            draft.mkdir()
            shutil.copyfile(submission.path, draft / row.predictions)
            text = json.dumps(dataclasses.asdict(row), ensure_ascii=False, allow_nan=False)
            write_whole(draft / "result.json", f"{text}\n")
            os.replace(draft, self._submissions / name)
        except OSError as error:
            shutil.rmtree(draft, ignore_errors=True)
            raise WriteError(
                str(self.folder), "the submission cannot be stored; nothing of it stays", error.errno
            ) from error
        self._rows[name] = row
        return row


def _read_row(path: Path) -> StoredSubmission:
    try:
        fields = json.loads(path.read_text("utf-8"))
        row = StoredSubmission(**{field.name: fields[field.name] for field in dataclasses.fields(StoredSubmission)})
        _check_row(row)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"{path}: this is not the result of a submission; remove its folder") from error
    return dataclasses.replace(row, id=path.parent.name, predictions=os.path.basename(row.predictions))


def _check_row(row: StoredSubmission) -> None:
    """Refuse values of wrong types, as in an edited file, with a TypeError or ValueError."""
    datetime.fromisoformat(row.time)
    for field in dataclasses.fields(row):
        value = getattr(row, field.name)
        if not isinstance(value, str if field.type in ("str", str) else Mapping):
            raise TypeError(field.name)
    ends = [end for pair in row.intervals.values() for end in pair]
    numbers = [*row.values.values(), *ends, *row.notes.values()]
    if not all(number is None or type(number) in (int, float) for number in numbers):
        raise TypeError("numbers")
    if any(len(pair) != 2 for pair in row.intervals.values()) or row.intervals.keys() != row.values.keys():
        raise ValueError("intervals")


def _ending(file_name: str) -> str:
    ending = re.sub(r".*\.", "", file_name.lower())
    return ending if ending in _ENDINGS else "txt"
