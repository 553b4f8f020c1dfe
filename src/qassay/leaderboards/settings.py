"""The settings of a leaderboard that takes submissions, from a YAML or JSON file."""

import dataclasses
import os
from collections.abc import Mapping
from datetime import date, datetime, time, timezone
from typing import Any

from ..comparison.ranking import MOST_SYSTEMS
from ..core.fields_file import check_fields, field_names, field_table, field_text, made_of_fields
from ..core.options import check_choice, check_flag, check_whole
from ..core.shown import shown
from ..pages.limits import MAX_FILE
from .about import check_link

UTC = timezone.utc  # noqa: UP017  Python 3.10
_CHOICES = {
    "missing": ("refuse", "wrong"),
    "unknown": ("refuse", "ignore"),
    "shown": ("all", "best"),
    "login": ("huggingface", "none"),
    "store_users": ("hashed", "plain"),
}
_FLAGS = ("name_ids", "show_teams")
_TEXTS = ("title", "description", "rules", "metric", "preset", "groups", "gold", "public_set")
_NAMES = ("measures", "by")
_TABLES = ("options", "columns", "baselines")
_TIMES = ("opens", "closes")
_MOST_TEXT = 20_000  # characters of a description or of rules
MOST_DIGITS = 6
MOST_BASELINES = MOST_SYSTEMS // 2


@dataclasses.dataclass(frozen=True)
class SubmissionLimits:
    """The limits of a leaderboard.

    Attributes:
        user_per_day: submissions of one user per day (UTC).
        user_in_all: submissions of one user.
        per_day: submissions of all users per day, which limits users with many accounts too.
        in_all: stored submissions.
        attempts_per_hour: files of one user read within an hour, including refused files; a restart resets the count.
        file_mb: size of a file in MB, 1 to 20.
        store_mb: size of all stored files together in MB.
    """

    user_per_day: int = 3
    user_in_all: int = 50
    per_day: int = 100
    in_all: int = 1_000
    attempts_per_hour: int = 20
    file_mb: int = MAX_FILE // 1_000_000
    store_mb: int = 5_000


@dataclasses.dataclass(frozen=True)
class BoardSettings:
    """The settings of a leaderboard that takes submissions.

    Attributes:
        title: of the task; description, rules: plain text with empty lines between paragraphs.
        gold: the file of hidden gold answers, relative to the file of the settings.
        metric: "" for the metric of the preset, or of the kind of the gold file; preset, options, columns: as in
            `qassay.score_files`.
        measures: measures to show; systems are sorted by the first. (): the main measures of the metric.
        by: slices to show; labels of fewer than 10 examples are merged as "other".
        groups: which examples belong together, as in `qassay.score_files`, or "".
        baselines: name -> file of predictions, for systems of the organiser, on the board from the start.
        limits: the limits of submissions.
        opens, closes: the first and the last moment for submissions; None: no limit.
        missing: whether a submission without some ids is refused, or these count as wrong.
        unknown: whether a submission with unknown ids is refused, or these are ignored.
        name_ids: whether messages name missing ids, or only count them.
        shown: all submissions, or only the best of each team and user by the first measure.
        show_teams: whether the board shows names of teams.
        login: "huggingface": users log in with their Hugging Face account; "none": a user is a network address, which
            is easy to change; refused on the Hub, where all users have the same address.
        store_users: whether the store has the names of users, or only hashes.
        digits: decimal places of values, ends of intervals and shares of resamples, 1 to 6; p-values have 3 at least.
            Fewer places hinder probing of the gold answers.
        public_set: address of a data set with public gold answers, on which everybody can score, or "".
    """

    title: str
    gold: str
    description: str = ""
    rules: str = ""
    metric: str = ""
    preset: str = ""
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    columns: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    measures: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    groups: str = ""
    baselines: Mapping[str, str] = dataclasses.field(default_factory=dict)
    limits: SubmissionLimits = SubmissionLimits()
    opens: datetime | None = None
    closes: datetime | None = None
    missing: str = "refuse"
    unknown: str = "refuse"
    name_ids: bool = True
    shown: str = "all"
    show_teams: bool = True
    login: str = "huggingface"
    store_users: str = "hashed"
    digits: int = 4
    public_set: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain values, the input of `board_settings`."""
        told = dataclasses.asdict(self)
        return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in told.items()}


def read_board_settings(path: "str | os.PathLike[str]") -> BoardSettings:
    """Read settings from a file: YAML, or JSON if its name ends with .json.

    Raises:
        ValueError: naming the file and the field: an unknown or missing field, or an invalid value. ImportError: a
            YAML file if PyYAML is not installed.
    """
    return made_of_fields(path, "title: Reading task", board_settings)


def board_settings(fields: Mapping[str, Any]) -> BoardSettings:
    """The settings from fields, such as the fields of a file.

    Raises:
        ValueError: as `read_board_settings`, without a file.

    Example:
        >>> settings = board_settings({"title": "Reading task", "gold": "test.json", "limits": {"user_per_day": 2}})
        >>> settings.limits.user_per_day, settings.missing
        (2, 'refuse')
    """
    check_fields(fields, BoardSettings)
    for name in ("title", "gold"):
        if not str(fields.get(name) or "").strip():
            raise ValueError(f"{name} is missing; add the line '{name}: ...'")
    given = {name: value for name, value in fields.items() if value is not None}
    readers: dict[str, Any] = {
        **dict.fromkeys(_TEXTS, _text),
        **dict.fromkeys(_NAMES, lambda name, value: field_names(value, name)),
        **dict.fromkeys(_TABLES, lambda name, value: field_table(value, name)),
        **dict.fromkeys(_TIMES, _moment),
        **dict.fromkeys(_CHOICES, lambda name, value: _told(check_choice, name, value, _CHOICES[name])),
        **dict.fromkeys(_FLAGS, lambda name, value: _told(check_flag, name, value)),
        "limits": _limits,
        "digits": lambda name, value: _told(check_whole, name, value, 1, MOST_DIGITS, ""),
    }
    settings = BoardSettings(**{name: readers[name](name, value) for name, value in given.items()})
    if settings.opens and settings.closes and settings.opens >= settings.closes:
        raise ValueError("closes must be later than opens")
    if "missing" in settings.options:
        raise ValueError(
            "options: missing is not an option here; the field missing says what becomes of examples without a prediction"
        )
    if len(settings.baselines) > MOST_BASELINES:
        raise ValueError(
            f"baselines: {len(settings.baselines)} are too many; at most {MOST_BASELINES}, so that submissions have room on a "
            f"board of {MOST_SYSTEMS} systems"
        )
    if settings.public_set:
        check_link(settings.public_set, "public_set: ")
    for name, file in settings.baselines.items():
        if not isinstance(file, str) or not name.strip():
            raise ValueError(
                f"baselines must be names with files, such as 'copy the question: copy.json'; got {shown(file)}"
            )
    return settings


def _told(check: Any, name: str, *values: Any) -> Any:
    """The result of a check, with every error as a ValueError."""
    try:
        return check(name, *values)
    except (TypeError, ValueError) as error:
        raise ValueError(str(error).removeprefix("option ")) from error


def _text(name: str, value: Any) -> str:
    text = field_text(value, name)
    if len(text) > _MOST_TEXT:
        raise ValueError(f"{name}: {len(text):,} characters are too many; at most {_MOST_TEXT:,}")
    return text


def _moment(name: str, value: Any) -> datetime:
    """A moment, in UTC without a time zone; a day without a time is its first moment, for `closes` its last."""
    if isinstance(value, str):
        try:
            value = (
                date.fromisoformat(value) if len(value) == 10 else datetime.fromisoformat(value.replace("Z", "+00:00"))
            )
        except ValueError:
            value = None
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime.combine(value, time.max if name == "closes" else time.min)
    if not isinstance(value, datetime):
        raise ValueError(f"{name} must be a day or a moment, such as 2027-03-31 or 2027-03-31T18:00+01:00")
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def _limits(name: str, value: Any) -> SubmissionLimits:
    fields = field_table(value, name)
    check_fields(fields, SubmissionLimits, "limits: ")
    most = {"file_mb": MAX_FILE // 1_000_000}
    given = {field: _told(check_whole, f"limits: {field}", number, 1, most.get(field, 1_000_000), "")
             for field, number in fields.items()}  # fmt: skip
    return SubmissionLimits(**given)
