"""Reads the facts of an organiser about a task and its systems from a YAML or JSON file."""

import dataclasses
import os
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any
from urllib.parse import urlsplit

from ..core.mappings import check_names, read_mapping
from ..core.options import check_choice, did_you_mean
from ..core.shown import alike_form, describe, first_names, shown

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

    def all_facts(self) -> dict[str, str]:
        """The team and the date, if known, and the further facts."""
        return {name: text for name, text in (("team", self.team), ("date", self.date)) if text} | dict(self.facts)


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
            ValueError: an unknown system, or two names that look alike.
        """
        for key in self.systems:
            if key not in names:
                there = first_names(list(names), _MOST_NAMED)
                raise ValueError(f"there is no system {shown(key)}{did_you_mean(key, names)}; the systems are: {there}")
        seen: dict[str, str] = {}
        for key in names:
            other = seen.setdefault(alike_form(self.name_of(key)), key)
            if other != key:
                names_of_both = " and ".join(shown(self.name_of(system)) for system in (other, key))
                raise ValueError(
                    f"the systems {other} and {key} have names that look alike, {names_of_both}; rename one"
                )


def read_about_board(path: "str | os.PathLike[str]") -> AboutBoard:
    """Read the facts about a leaderboard from a file: YAML, or JSON if its name ends with .json.

    Raises:
        ValueError: an unknown field, a link that is not http or https, or a value of a wrong type (the message gives
            the file and the field). ImportError: a YAML file if PyYAML is not installed.
    """
    fields = read_mapping(path)
    try:
        check_names(fields, [field.name for field in dataclasses.fields(AboutBoard)])
        systems = _mapping(fields.pop("systems", None), "systems")
        names: dict[str, Any] = {name: _names(fields.pop(name, None), name) for name in ("measures", "by")}
        texts: dict[str, Any] = {name: _line(value, name) for name, value in fields.items()}
        if texts.get("questions"):
            check_choice("questions", texts["questions"], QUESTIONS)
        return AboutBoard(
            **texts, **names, systems={str(key): _about_system(value, key) for key, value in systems.items()}
        )
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from error


def _about_system(value: Any, key: object) -> AboutSystem:
    where = f"systems, {key}: "
    fields = _mapping(value, f"systems, {key}")
    check_names(fields, [field.name for field in dataclasses.fields(AboutSystem)], where)
    facts = _mapping(fields.pop("facts", None), f"{where}facts")
    texts = {name: _line(text, where + name) for name, text in fields.items()}
    if texts.get("link"):
        _check_link(texts["link"], where)
    twice = next((name for name in ("team", "date") if texts.get(name) and name in facts), None)
    if twice is not None:
        raise ValueError(f"{where}{twice} is a field and also one of the facts; give it once")
    return AboutSystem(**texts, facts={str(name): _line(text, f"{where}facts, {name}") for name, text in facts.items()})


def _mapping(value: Any, what: str) -> dict[Any, Any]:
    """Fields and values; {} for None."""
    if value is not None and not isinstance(value, dict):
        raise ValueError(f"{what} must contain fields and values; got {describe(value)}")
    return dict(value or {})


def _names(value: Any, what: str) -> tuple[str, ...]:
    """Distinct names, from a list or a single name; () for None."""
    names = [value] if isinstance(value, str) else value or []
    if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
        raise ValueError(f"{what} must be a list of names, such as [f1, exact_match]; got {describe(value)}")
    return tuple(dict.fromkeys(names))


def _line(value: Any, what: str) -> str:
    """A text, number or date as text in one line; "" for None."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float, date, type(None))):
        raise ValueError(f"{what} must be text; got {describe(value)}; put it into quotes")
    return "" if value is None else " ".join(str(value).split())


def _check_link(link: str, where: str) -> None:
    """Refuse a link that is not a plain http or https address."""
    try:
        parts = urlsplit(link)
        is_plain = parts.scheme in ("http", "https") and bool(parts.hostname) and link.isprintable() and " " not in link
    except ValueError:
        is_plain = False
    if not is_plain:
        raise ValueError(f"{where}link must be an address that begins with https:// or http://; got {shown(link)}")
