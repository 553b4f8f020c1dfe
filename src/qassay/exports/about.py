"""The facts of a result besides its numbers: model, data set, date and author."""

import dataclasses
import os
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timezone
from typing import Any

from ..core.fields_file import read_fields
from ..core.options import did_you_mean, documented_entries
from ..core.shown import describe, shown

RELATIONSHIPS = ("first_party", "third_party", "collaborative", "other")
DEPLOYMENTS = ("self_deployed", "externally_managed", "unknown")
AVAILABILITIES = ("open_weights", "closed_weights", "unknown")


@dataclasses.dataclass(frozen=True)
class About:
    """The facts about a result from the user; "" if unknown.

    Attributes:
        model: the id of the model, such as org/name.
        model_name: the display name; "" for the id.
        dataset: the id of the data set on the hub, such as rajpurkar/squad_v2, or any name.
        dataset_url: the address of a data set that is not on the hub.
        split, revision: of the data set.
        task_id: the task of the data set, as its eval.yaml has it.
        date: when the result was made, such as 2026-01-15: a date or time by ISO 8601, of UTC where it names no zone.
        organization: who publishes the result.
        relationship: between the authors of result and model: first_party, third_party, collaborative or other.
        deployment: who ran the model, one of `DEPLOYMENTS`.
        availability: of the weights of the model, one of `AVAILABILITIES`.
        source_url, source_name: of a page about the result.
        source_user, source_org: whose page it is, on the hub.
        verify_token: of the hub.
        notes: about the setup, such as "no-tools".
    """

    model: str = ""
    model_name: str = ""
    dataset: str = ""
    dataset_url: str = ""
    split: str = ""
    revision: str = ""
    task_id: str = ""
    date: str = ""
    organization: str = ""
    relationship: str = ""
    deployment: str = "unknown"
    availability: str = "unknown"
    source_url: str = ""
    source_name: str = ""
    source_user: str = ""
    source_org: str = ""
    verify_token: str = ""
    notes: str = ""

    def __post_init__(self) -> None:
        for name, values in _VALUES_OF.items():
            value = getattr(self, name)
            if value and value not in values:
                near = did_you_mean(value, values)
                raise ValueError(f"{name} {shown(value)} is not one of: {', '.join(values)}{near}")
        if self.date:
            _time_of(self.date)
        if (self.source_name or self.source_user or self.source_org) and not self.source_url:
            raise ValueError("source_name, source_user and source_org describe a page: give source_url too")

    @property
    def time(self) -> datetime:
        """When the result was made."""
        return _time_of(self.date)

    def require(self, form: str, names: Sequence[str]) -> None:
        """Raise ValueError if a field that the format needs is missing."""
        lacking = [name for name in names if not getattr(self, name)]
        if lacking:
            meanings = dict(documented_entries(About, "Attributes"))
            told = "; ".join(f"{name} ({meanings[name].rstrip('.')})" if name in meanings else name for name in lacking)
            raise ValueError(f"{form} needs more about the result: {told}")


def _time_of(text: str) -> datetime:
    """The time that a date by ISO 8601 says; a ValueError for another text."""
    try:
        found = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError as error:
        raise ValueError(
            f"date {shown(text)} is not a date by ISO 8601, such as 2026-01-15 or 2026-01-15T10:30:00Z"
        ) from error
    return found if found.tzinfo else found.replace(tzinfo=timezone.utc)  # noqa: UP017  Python 3.10


_VALUES_OF = {"relationship": RELATIONSHIPS, "deployment": DEPLOYMENTS, "availability": AVAILABILITIES}


def read_about(given: "Mapping[str, Any] | str | os.PathLike[str]") -> About:
    """Facts about a result, by the fields of `About`, or the path of a YAML or JSON file of them.

    Raises:
        ValueError: an unknown field, or a value that a field does not take. TypeError: a value that is not text.
        ImportError: a YAML file if PyYAML is not installed.
    """
    where = "" if isinstance(given, Mapping) else f"{os.fspath(given)}: "
    given = given if isinstance(given, Mapping) else _read_file(given)
    fields = [field.name for field in dataclasses.fields(About)]
    for name, value in given.items():
        if name not in fields:
            raise ValueError(
                f"{where}unknown field {shown(name)}{did_you_mean(name, fields)}; available: {', '.join(fields)}"
            )
        if value is not None and not isinstance(value, (str, date)):
            raise TypeError(f"{where}{name} must be text; got {describe(value)}; put it into quotes")
    texts = {name: value.isoformat() if isinstance(value, date) else value for name, value in given.items() if value}
    try:
        return About(**{name: text.strip() for name, text in texts.items()})
    except ValueError as error:
        raise ValueError(f"{where}{error}") from error


def about_of_pairs(parts: Sequence[str]) -> dict[str, Any]:
    """Fields by name from a command line: files of them, and NAME=VALUE, which goes before files.

    Raises:
        ValueError: a duplicate field with two values.
    """
    found: dict[str, Any] = {}
    pairs = [part.partition("=") for part in parts]
    for name, sign, _ in pairs:
        if not sign:
            found |= _read_file(name)
    given: dict[str, str] = {}
    for name, sign, value in pairs:
        if sign and given.setdefault(name, value) != value:
            raise ValueError(f"--about {name} is given twice: {given[name]} and {value}; give it once")
    return found | given


def _read_file(path: "str | os.PathLike[str]") -> dict[str, Any]:
    return read_fields(path, "model: org/name", "name a file, or give FIELD=VALUE")
