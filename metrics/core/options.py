"""The frozen options of a metric family, whose text is its signature."""

import dataclasses
import difflib
from collections.abc import Iterable
from typing import Any, ClassVar

from .version import __version__


@dataclasses.dataclass(frozen=True)
class Options:
    """Base of every family's options: its fields are the keyword arguments everywhere, its text form is the signature.

    A field takes part in the signature when its metadata has a `key`; it is shown always when the metadata says
    `always`, otherwise only where it differs from the default.
    """

    family: ClassVar[str]

    @classmethod
    def from_keywords(cls, **keywords: Any):
        """The options of these keyword arguments.

        Raises:
            TypeError: an option the family does not have (the message lists those it has).
        """
        cls.check_names(keywords)
        return cls(**keywords)

    @classmethod
    def check_names(cls, given: Iterable[str], columns: Iterable[str] = ()) -> None:
        """Refuse names that are no options, listing those there are, and the columns where they could be meant too."""
        names, columns = [field.name for field in dataclasses.fields(cls) if field.init], list(columns)
        for name in given:
            if name not in names:
                there = f"it has: {', '.join(names)}" + (f"; its columns are: {', '.join(columns)}" if columns else "")
                what = "column or option" if columns else "option"
                raise TypeError(f"{cls.family} has no {what} {name!r}{did_you_mean(name, [*names, *columns])}; {there}")

    def signature(self) -> str:
        """What a reader must know to compute the same number again, as in sacreBLEU: `family|key:value|...|v:version`."""
        parts = [self.family]
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if "key" in field.metadata and (field.metadata.get("always") or value != field.default):
                parts.append(f"{field.metadata['key']}:{_text(value)}")
        return "|".join([*parts, f"v:{__version__}"])


def check_choice(name: str, value: object, allowed: Iterable) -> None:
    """Refuse a value that an option does not take, listing those it takes.

    Raises:
        ValueError: naming the option, and the nearest of its values.
    """
    allowed = list(allowed)
    if value not in allowed:
        near = did_you_mean(value, [choice for choice in allowed if isinstance(choice, str)])
        raise ValueError(f"option {name}={value!r} is unknown{near}; it is one of: {', '.join(map(repr, allowed))}")


def did_you_mean(name: object, names) -> str:
    """ " (did you mean 'x'?)" for the nearest of the names, or an empty string."""
    text, names = str(name), list(names)
    near = difflib.get_close_matches(text, names, 1) or [other for other in names if sorted(other) == sorted(text)]
    return f" (did you mean {near[0]!r}?)" if near else ""


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(map(_text, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(getattr(value, "name", value))
