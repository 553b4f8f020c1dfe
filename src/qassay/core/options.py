"""The frozen options of a metric family; as text, they are its signature."""

import copy
import dataclasses
import difflib
import functools
import inspect
import numbers
import re
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from .option_texts import number_or_text, takes_numbers_and_texts
from .presets import Preset, listed_presets
from .shown import option_text, shown
from .version import __version__

MOST_WHOLE = 10**15  # largest integer of an option: enough for any count, and exact as a float
_MOST_VALUES = 10_000_000  # a longer range is a mistake, and fits no memory
_OWN_TYPES = frozenset((type(None), str, bool, int, float, tuple))
_PLAIN_KINDS = frozenset("biufU")
_Own = TypeVar("_Own", bound="Options")
_T = TypeVar("_T")


@dataclasses.dataclass(frozen=True)
class Options:
    """Base of the options of a metric: the fields are its keyword arguments everywhere, and their text is the signature.

    `option` makes a field. The type of a field decides how a signature is read back: `Any` takes data, for which a
    signature may contain only a fingerprint, and `str | Any` takes names or objects.

    Attributes:
        family: the name of the metric.
        presets: the rules of benchmarks by name; each is a config of the evaluate module. Options with presets have the
            option `preset`, and a field `changed` if the signature contains the preset.
        aliases: names of measures in other tools, in lower case -> the identical measure.
        pointers: names of measures and options in other tools, in lower case -> what to write instead.
    """

    family: ClassVar[str]
    presets: ClassVar[Mapping[str, Preset]] = {}
    aliases: ClassVar[Mapping[str, str]] = {}
    pointers: ClassVar[Mapping[str, str]] = {}

    def __new__(cls: type[_Own], *values: Any, **keywords: Any) -> _Own:
        """Record which options were given, until `_apply_preset` has run."""
        made = super().__new__(cls)
        if cls.presets and (values or keywords):  # absent in a copy
            made.__dict__["_given"] = {*keyword_names(cls)[: len(values)], *keywords}
        return made

    @property
    def of_preset(self) -> Preset | None:
        """The preset of the options; None if they have none."""
        name = getattr(self, "preset", None)
        return None if name is None else self.presets[name]

    @classmethod
    def from_keywords(cls: type[_Own], **keywords: Any) -> _Own:
        """The options with these keyword arguments; a TypeError for an unknown option."""
        cls.check_names(keywords)
        return cls(**keywords)

    @classmethod
    def check_names(cls, given: Iterable[str], columns: Iterable[str] = ()) -> None:
        """Refuse names that are not options; the message lists the options, and the columns if they could be meant."""
        names = keyword_names(cls)
        for name in given:
            if name not in names:
                columns = list(columns)
                there = f"it has: {', '.join(names)}" + (f"; its columns are: {', '.join(columns)}" if columns else "")
                what = "column or option" if columns else "option"
                raise TypeError(f"{cls.family} has no {what} {name!r}{cls.pointed(name, [*names, *columns])}; {there}")

    @classmethod
    def pointed(cls, name: object, there: Iterable[str]) -> str:
        """The end of the message "no measure NAME" or "no option NAME": what to write instead, or a similar valid name."""
        text = cls.pointers.get(name.lower()) if isinstance(name, str) else None
        return did_you_mean(name, there) if text is None else f": {text}"

    @classmethod
    def measure_names(cls, name: str) -> list[str]:
        """The measures that a name stands for: in the base, the measure of an alias, or the name itself."""
        stem, at, cutoff = name.partition("@")
        return [cls.aliases.get(stem.lower(), stem) + at + cutoff]

    @classmethod
    def from_some(cls: type[_Own], keywords: Mapping[str, Any]) -> _Own:
        """The options among these keyword arguments; others are ignored, as in a module."""
        names = keyword_names(cls)
        return cls(**{name: value for name, value in keywords.items() if name in names})

    @classmethod
    def config_options(cls, name: str) -> dict[str, Any]:
        """The options that a config of the evaluate module sets: "default", or a preset.

        Raises:
            ValueError: the module does not have this config.
        """
        names = ("default", *cls.presets)
        if name not in names:
            raise ValueError(
                f"{cls.family} has no config {name!r}{did_you_mean(name, names)}; it has: {', '.join(names)}"
            )
        return {} if name == "default" else {"preset": name}

    @classmethod
    def of_config(cls: type[_Own], name: str, keywords: Mapping[str, Any]) -> _Own:
        """The options among the keyword arguments of a config of the evaluate module."""
        return cls.from_some({**cls.config_options(name), **keywords})

    def __post_init__(self) -> None:
        self._apply_preset()
        for name in keyword_names(type(self)):
            value = getattr(self, name)
            if type(value) not in _OWN_TYPES and (plain := plain_scalar(value)) is not value:
                self._set(**{name: plain})
        for name, choices in _choices(type(self)):
            value = getattr(self, name)
            if (choice := check_choice(name, value, choices)) is not value:
                self._set(**{name: choice})
        self._settle()
        self._note_changes()

    def _settle(self) -> None:
        """Check the options beyond their choices, and set what they imply. The base has nothing to check."""

    def _apply_preset(self) -> None:
        """Set the options of the preset that are not given or None."""
        given = self.__dict__.pop("_given", set())
        name = getattr(self, "preset", None)
        options: Mapping[str, Any] = {}
        if isinstance(name, str) and name in self.presets:
            options = self.presets[name].options
        elif name is not None:
            known = ", ".join(preset.name for preset in listed_presets(self.presets.values()))
            there = f" is unknown{did_you_mean(name, self.presets)}; available: {known}"
            raise ValueError(f"option {option_text('preset', name)}{there}")
        over = {key for key in given - {"preset"} if getattr(self, key) is not None}
        self._set(**{key: value for key, value in options.items() if key not in over}, _over=bool(over))

    def _note_changes(self) -> None:
        """Set the field `changed`, if it exists, to the options that differ from the preset."""
        if self.__dict__.pop("_over") and self.of_preset is not None and hasattr(self, "changed"):
            names = keyword_names(type(self))
            default = type(self)(preset=getattr(self, "preset"))  # noqa: B009
            self._set(changed=tuple(key for key in names if getattr(self, key) != getattr(default, key)))

    def refuse_options_of_other_tasks(self, task: str, tasks_of: Mapping[str, Sequence[str]]) -> None:
        """Refuse options that a task does not have; `tasks_of` maps an option to its tasks."""
        for name, tasks in tasks_of.items():  # the defaults of fields are attributes of the class
            if task not in tasks and differs(getattr(self, name), getattr(type(self), name)):
                raise ValueError(f"task={task} has no option {name}; omit it (it belongs to task={tasks[0]})")

    def _set(self, **values: Any) -> None:
        """Set frozen fields, in `__post_init__` only."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def differences(self, other: "Options") -> list[dataclasses.Field[Any]]:
        """The fields of the signature that differ in other options of the same family; then numbers are not comparable."""
        return [field for field in signed_fields(self) if getattr(self, field.name) != getattr(other, field.name)]

    def unlike(self, requested: "Options") -> dict[str, Any]:
        """The fields that differ from the options as requested, such as those that the data decided."""
        return {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)
            if getattr(self, field.name) != getattr(requested, field.name)
        }

    def with_fields(self: _Own, fields: Mapping[str, Any]) -> _Own:
        """A copy with these fields of `unlike`, which are not checked again."""
        made = copy.copy(self)
        made._set(**fields)
        return made

    def from_data(self) -> tuple[str, str] | None:
        """What the data decided in these options, and the option that decides it instead, for messages; None in the base."""
        return None

    def signature(self, short: bool = False) -> str:
        """What reproduces a number, as in sacreBLEU: `family|key:value|...|v:version`.

        A value with an attribute `signed`, or else `name`, is written as that attribute. In texts `%` and `|` are
        written `%25` and `%7C`, and in lists `,` as `%2C`. `qassay.from_signature` reads it back. `short` omits
        defaults and derived fields, but not the fingerprint of a built-in scorer and the revision of a custom scorer.
        """
        parts = [self.family]
        needed = self._needed_keys() if short else ()
        for field in signed_fields(self):
            differs_here = getattr(self, field.name) != field.default or field.name in getattr(self, "changed", ())
            in_short = field.name in needed or self._is_pinned(field) and differs_here
            if in_short if short else field.metadata.get("always") or differs_here:
                parts.append(f"{field.metadata['key']}:{signed_text(self, field)}")
        return "|".join([*parts, f"v:{__version__}"])

    def _is_pinned(self, field: dataclasses.Field[Any]) -> bool:
        """Whether the short signature contains a field, because the rest does not determine it."""
        source = field.metadata.get("object")
        return bool(field.metadata.get("pinned")) or source is not None and not isinstance(getattr(self, source), str)

    def keywords(self) -> dict[str, Any]:
        """The keyword arguments that recreate these options: all that differ from the defaults and do not follow from
        others.

        `qassay.score(name, ..., **options.keywords())` scores with equal options. Classes found in the data are not
        included.
        """
        given = {name: getattr(self, name) for name in keyword_names(type(self))}
        return self._fewest(given, dataclasses.fields(self))

    def _needed_keys(self) -> set[str]:
        """The fields of the signature that do not follow from others."""
        options = {field.name: option_of(field) for field in signed_fields(self)}
        given = {option: getattr(self, option) for option in options.values() if option}
        fewest = self._fewest(given, signed_fields(self))
        return {name for name, option in options.items() if option in fewest}

    def _fewest(self, given: Mapping[str, Any], fields: Iterable[dataclasses.Field[Any]]) -> dict[str, Any]:
        """The smallest set of keyword arguments that determines these fields."""
        complete, names, kept = type(self)(**given), [field.name for field in fields], dict(given)
        for name in given:
            fewer = {other: value for other, value in kept.items() if other != name}
            try:
                made = type(self)(**fewer)
            except (TypeError, ValueError):  # the rest is invalid without it
                continue
            if all(getattr(made, other) == getattr(complete, other) for other in names):
                kept = fewer
        return kept


def _cached(function: Callable[[Any], _T]) -> Callable[[Any], _T]:
    """`functools.cache`, for functions of a class of options, which mypy takes for unhashable."""
    return functools.cache(function)


def option(default: Any, key: str = "", *, choices: Sequence[Any] = (), **more: Any) -> Any:
    """A field of `Options`.

    Args:
        key: its key in the signature; "" for an option that changes no number.
        choices: the valid values; True and False if the default is one of these.
        more: `compare` and `repr` as in dataclasses, and

            - always: the signature has the field even at its default.
            - pinned: the short signature has the field if it differs from its default.
            - last: of a base class, the signature has the field after the other fields, also those of the subclass.
            - object: the option whose object decides the field, such as a scorer.
            - advice: what to do if parts differ in a field that the data decided.
            - unlike: the remark in a table of systems that may differ in the field.
    """
    if isinstance(default, bool):
        choices = (False, True)
    of_field = {name: more.pop(name) for name in ("compare", "repr") if name in more}
    metadata = {**({"key": key} if key else {}), **({"choices": tuple(choices)} if choices else {}), **more}
    return dataclasses.field(default=default, metadata=metadata, **of_field)


@_cached
def _choices(options_class: Any) -> list[tuple[str, tuple[Any, ...]]]:
    """The options that have choices, with these."""
    fields = [field for field in dataclasses.fields(options_class) if field.init]
    return [(field.name, field.metadata["choices"]) for field in fields if "choices" in field.metadata]


@_cached
def keyword_names(options_class: Any) -> tuple[str, ...]:
    """The names of the options of a family, which are its keyword arguments."""
    return tuple(field.name for field in dataclasses.fields(options_class) if field.init)


def documented_entries(documented: Any, title: str) -> list[tuple[str, str]]:
    """The entries of a docstring section as (names, meaning); [] if Python runs without docstrings (-OO)."""
    section = re.search(rf"^{title}:\n((?: {{4}}.*\n)+)", f"{inspect.getdoc(documented)}\n", re.MULTILINE)
    entries = re.findall(r"^ {4}(\w[\w, ]*): (.*\n(?: {5}.*\n)*)", section[1] if section else "", re.MULTILINE)
    return [(names, " ".join(meaning.split())) for names, meaning in entries]


def option_entries(options_class: type[Options]) -> list[tuple[str, str]]:
    """The options with their meanings, as (names, meaning): those of the class, then those of its base classes."""
    kinds = options_class.__mro__[: options_class.__mro__.index(Options)]
    return [entry for kind in kinds for entry in documented_entries(kind, "Attributes")]


def signed_fields(options: Options | type[Options]) -> list[dataclasses.Field[Any]]:
    """The fields of the signature, in order."""
    fields = [field for field in dataclasses.fields(options) if "key" in field.metadata]
    return sorted(fields, key=lambda field: bool(field.metadata.get("last")))


def option_of(field: dataclasses.Field[Any]) -> str | None:
    """The option that a field of the signature shows; None for a constant field."""
    return field.name if field.init else field.metadata.get("option")


@_cached
def option_types(options_class: Any) -> dict[str, Any]:
    """The type of each option, also if annotations are strings."""
    return typing.get_type_hints(options_class)


def signed_text(options: Options, field: dataclasses.Field[Any]) -> str:
    """The text of a field in the signature, without its key."""
    value, annotation = getattr(options, field.name), option_types(type(options))[field.name]
    if isinstance(value, str) and takes_numbers_and_texts(annotation) and number_or_text(value) != value:
        value = f"'{value}'"
    return _text(value)


def plain_scalar(value: Any) -> Any:
    """A numpy bool, number or string as a Python object; anything else unchanged."""
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    return value.item() if kind in _PLAIN_KINDS and getattr(value, "ndim", None) == 0 else value


def check_choice(name: str, value: object, allowed: Iterable[Any]) -> Any:
    """The value as listed in the choices: False for 0 if the option takes False and True.

    Raises:
        ValueError: not among the choices, which the message lists.
    """
    allowed = allowed if isinstance(allowed, tuple) else tuple(allowed)
    given = value if type(value) in _OWN_TYPES else plain_scalar(value)
    if given is None or isinstance(given, (str, numbers.Real)):  # comparing other types may fail or not return a bool
        for choice in allowed:
            if given is choice or (given is not None and choice is not None and given == choice):
                return choice
    near = did_you_mean(given, [choice for choice in allowed if isinstance(choice, str)])
    there = f" is unknown{near}; it is one of: {', '.join(map(repr, allowed))}"
    raise ValueError(f"option {option_text(name, value)}{there}")


def check_whole(name: str, value: object, least: int = 1, most: int = MOST_WHOLE, kind: str = "option ") -> int:
    """Return an integer from `least` to `most`; a TypeError or ValueError for anything else.

    `kind` precedes the name in messages; "" for an argument.
    """
    given: Any = value if type(value) in _OWN_TYPES else plain_scalar(value)
    whole = type(given) is int or isinstance(given, numbers.Integral) and not isinstance(given, bool)
    if not whole or not least <= given <= most:
        limit = f"at most {most:,}" if most < 10**60 else f"below 2**{most.bit_length()}"
        above = f" and {limit}" if whole and given > most else ""
        problem = f"{kind}{name} must be an integer of at least {least}{above}, got {shown(value)}"
        raise ValueError(problem) if isinstance(given, numbers.Real) else TypeError(problem)
    return int(given)


def to_ranks(given: Any, name: str = "top_k", most: int = MOST_WHOLE) -> tuple[int, ...]:
    """The distinct ranks at which rankings are scored, in order; a single number is allowed."""
    ranks = listed(given)
    if not ranks:
        raise ValueError(f"option {name} needs at least one rank, for example (1, 3, 5); omit it for the default")
    return tuple(sorted({check_whole(name, rank, most=most) for rank in ranks}))


def differs(value: Any, default: Any) -> bool:
    """Whether an option differs from its default; arrays and tables always differ."""
    if value is default:
        return False
    alike = isinstance(value, (str, numbers.Real, tuple)) and default is not None
    return not (alike and value == default)


def listed(value: Any) -> tuple[Any, ...]:
    """The values of an option that takes one or several: a list, tuple, range or array, or a single value."""
    if isinstance(value, range) and value[_MOST_VALUES:]:
        raise ValueError(f"an option takes at most {_MOST_VALUES:,} values, got {value}")
    if hasattr(value, "tolist") and not hasattr(value, "columns"):
        value = value.tolist()
    values = tuple(value) if isinstance(value, (list, tuple, range)) else (value,)
    return tuple([value if type(value) in _OWN_TYPES else plain_scalar(value) for value in values])


def did_you_mean(name: object, names: Iterable[Any]) -> str:
    """The text " (did you mean 'x'?)" for the nearest of the names, or an empty string."""
    text, *names = (other if isinstance(other, str) else shown(other) for other in (name, *names))
    if len(text) > 100:  # too long to be a typo, and slow to compare
        return ""
    kinds = [other for other in names if text and ":" in other and other.startswith(text)]  # "mkqa" in "mkqa:ar"
    kinds = kinds or [other for other in names if other.lower() == text.lower()]
    near = kinds or difflib.get_close_matches(text, names, 1) or [o for o in names if sorted(o) == sorted(text)]
    return f" (did you mean {near[0]!r}?)" if near else ""


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(_text(item).replace(",", "%2C") for item in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(getattr(value, "signed", getattr(value, "name", value))).replace("%", "%25").replace("|", "%7C")
