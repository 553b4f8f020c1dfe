"""Facts from an organiser about a task and its systems, from a YAML or JSON file."""

import dataclasses
import os
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from ..core.fields_file import check_fields, field_names, field_table, field_text, made_of_fields
from ..core.options import did_you_mean
from ..core.shown import alike_form, first_names, shown, told_alike

QUESTIONS = ("refuse", "common", "count")  # what to do if systems did not answer the same questions
_MOST_NAMED = 5


@dataclasses.dataclass(frozen=True)
class AboutSystem:
    """Facts about a system.

    Attributes:
        name: its display name; "" for its key.
        link: an http or https address, or "".
        team, date: of the submission.
        facts: further facts, name -> text.
    """

    name: str = ""
    link: str = ""
    team: str = ""
    date: str = ""
    facts: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def entry(self) -> dict[str, Any]:
        """The known fields of its `BoardEntry`."""
        facts = {name: text for name, text in (("team", self.team), ("date", self.date)) if text} | dict(self.facts)
        given = {"name": self.name, "link": self.link, "facts": facts}
        return {field: value for field, value in given.items() if value}


@dataclasses.dataclass(frozen=True)
class AboutBoard:
    """Facts about a leaderboard.

    Attributes:
        title, description: of the task, or "".
        systems: key -> facts about the system; a key is the name of its file, or its name in a call.
        measures: measures to show; systems are sorted by the first. (): the main measures of the metric.
        by: slices; groups: the name of the groups, as in `qassay.score_files`, or "".
        questions: what to do if systems did not answer the same questions, one of `QUESTIONS`; "" if not given.
    """

    title: str = ""
    description: str = ""
    systems: Mapping[str, AboutSystem] = dataclasses.field(default_factory=dict)
    measures: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    groups: str = ""
    questions: str = ""

    def name_of(self, key: str) -> str:
        """The displayed name of a system."""
        return (self.systems[key].name if key in self.systems else "") or key

    def require_systems(self, names: Sequence[str]) -> None:
        """Refuse facts about unknown systems, and names of systems that look alike.

        Raises:
            ValueError: naming the systems.
        """
        for key in self.systems:
            if key not in names:
                there = first_names(list(names), _MOST_NAMED)
                raise ValueError(f"there is no system {shown(key)}{did_you_mean(key, names)}; the systems are: {there}")
        called: dict[str, str] = {}
        for key in names:
            name = self.name_of(key)
            other = called.setdefault(alike_form(name), key)
            if other == key:
                continue
            before = self.name_of(other)
            if before == name:
                told = f"the systems {other} and {key} are both called {shown(before)}"
            else:
                told = f"the names {told_alike(before, name)} of two systems look alike"
            raise ValueError(f"{told}; give each its own name")


def read_about_board(path: "str | os.PathLike[str]") -> AboutBoard:
    """Read the facts about a leaderboard from a file: YAML, or JSON if its name ends with .json.

    Raises:
        ValueError: naming the file and the field: an unknown field, a link that is not http or https, or a value of a
            wrong kind. ImportError: a YAML file if PyYAML is not installed.
    """
    return made_of_fields(path, "title: Reading task", about_board)


def about_board(fields: Mapping[str, Any]) -> AboutBoard:
    """The facts about a leaderboard from fields, such as the fields of a file.

    Raises:
        ValueError: as `read_about_board`, without a file.

    Example:
        >>> about_board({"title": "Reading task", "systems": {"a": {"name": "Alder"}}}).systems["a"].name
        'Alder'
    """
    check_fields(fields, AboutBoard)
    systems = field_table(fields.get("systems"), "systems")
    given: dict[str, Any] = {
        **{name: _line(fields.get(name), name) for name in ("title", "description", "groups", "questions")},
        **{name: field_names(fields.get(name), name) for name in ("measures", "by")},
        "systems": {key: _about_system(value, key) for key, value in systems.items()},
    }
    if given["questions"] and given["questions"] not in QUESTIONS:
        raise ValueError(f"questions must be one of {', '.join(QUESTIONS)}; got {shown(given['questions'])}")
    return AboutBoard(**given)


def _about_system(value: Any, key: str) -> AboutSystem:
    where = f"systems, {key}: "
    fields = field_table(value, f"systems, {key}")
    check_fields(fields, AboutSystem, where)
    texts = {name: _line(fields.get(name), where + name) for name in ("name", "link", "team", "date")}
    if texts["link"]:
        check_link(texts["link"], where)
    facts = field_table(fields.get("facts"), f"{where}facts")
    twice = next((name for name in ("team", "date") if texts[name] and name in facts), None)
    if twice is not None:
        raise ValueError(f"{where}{twice} is given, and another one among the facts; give it once")
    return AboutSystem(**texts, facts={name: _line(text, f"{where}facts, {name}") for name, text in facts.items()})


def _line(value: Any, what: str) -> str:
    """Text in one line."""
    return " ".join(field_text(value, what).split())


def check_link(link: str, where: str = "") -> None:
    """Refuse a link that is not a plain http or https address; `where` is its place, for the message.

    Raises:
        ValueError: another address.
    """
    try:
        parts = urlsplit(link)
        is_plain = parts.scheme in ("http", "https") and bool(parts.hostname) and link.isprintable() and " " not in link
    except ValueError:
        is_plain = False
    if not is_plain:
        raise ValueError(f"{where}link must be an address that begins with https:// or http://; got {shown(link)}")
