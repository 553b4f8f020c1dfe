"""Reads signatures: from `family|key:value|...|v:version` back to the options."""

import dataclasses
import re
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

from .options import (
    Options,
    number_or_text,
    option_of,
    option_type,
    signed_fields,
    signed_text,
    takes_numbers_and_texts,
)
from .remarks import remark
from .shown import describe
from .version import __version__

_ESCAPED = {"%25": "%", "%7C": "|", "%2C": ","}
_NAMED = re.compile(r"custom:|\d+-[0-9a-f]{8}$")  # a function, or a fingerprint of many values


@dataclasses.dataclass(frozen=True)
class SignatureParts:
    """The unparsed parts of a signature."""

    text: str
    family: str
    values: dict[str, str]
    version: str  # version of qassay that wrote it


def split_signature(text: str) -> SignatureParts:
    """Split a signature into parts; a TypeError or ValueError if it is not a signature."""
    if not isinstance(text, str):
        raise TypeError(f"a signature is a string, got {describe(text)}")
    family, *parts = text.strip().split("|")
    values: dict[str, str] = {}
    for part in parts:
        key, colon, value = part.partition(":")
        if not colon or not key:
            raise _no_signature(text, f"{part!r} is not key:value; a '|' in a value is written %7C")
        if key in values:
            raise ValueError(f"the signature {text!r} has {key!r} twice; give it once")
        values[key] = value
    if not re.fullmatch(r"\w+", family) or not values.get("v"):
        raise _no_signature(text, "it begins with a metric and ends with v:version")
    version = values.pop("v")
    return SignatureParts(text, family, values, version)


def _no_signature(text: str, problem: str) -> ValueError:
    return ValueError(f"{text!r:.200} is not a signature, such as 'answer_match|norm:squad|v:{__version__}': {problem}")


def options_of_signature(options_class: type[Options], parts: SignatureParts, data: Mapping[str, Any]) -> Options:
    """The options that made a signature.

    Args:
        data: option -> value. Options that the signature only names or fingerprints, which must match it; and options
            that it does not contain, such as the batch size of a model.

    Raises:
        TypeError: data for an unknown option. ValueError: an unknown key, an invalid value, or data that are missing or
            do not match.

    Warns:
        UserWarning: the signature comes from another version of qassay.
    """
    options_class.check_names(data)
    fields = {field.metadata["key"]: field for field in signed_fields(options_class)}
    for key in parts.values:
        if key not in fields:
            near = options_class.pointed(key, fields)
            has = ", ".join([*fields, "v"])
            raise ValueError(f"a signature of {options_class.family} has no {key!r}{near}; it has: {has}")
    given: dict[str, Any] = {}
    for key, text in parts.values.items():
        option = option_of(fields[key])
        if option is None:
            continue
        if option in data:
            given[option] = data[option]
        elif not _data_decided(fields[key], text):
            given[option] = _read_option(options_class, fields[key], text)
    for key, field in fields.items():
        if key not in parts.values and option_of(field) in data:
            raise ValueError(
                f"the signature {parts.text!r} says nothing of {option_of(field)}, which then is at its default; omit it"
            )
    options = _options_with(options_class, given, parts)
    _check_texts(options, parts, fields, data)
    further = {name: value for name, value in data.items() if name not in given}
    if further:
        options = _with_further(options, {**given, **further}, further)
    if parts.version != __version__:
        remark(f"the signature comes from qassay {parts.version}, this is {__version__}: numbers may differ")
    return options


def _read_option(options_class: type[Options], field: dataclasses.Field[Any], text: str) -> Any:
    """The value of the option that a field shows, read from the text of the field."""
    option, key, kind = option_of(field), field.metadata["key"], option_type(options_class, field)
    if kind is Any and _NAMED.match(text):
        raise ValueError(
            f"the signature has only a fingerprint or name of the option {option}, {key}:{text}; pass the option: "
            f"from_signature(text, {option}=...)"
        )
    # An option with the default None that is not always shown never appears as None: there, "None" is a text.
    may_be_none = types.NoneType in typing.get_args(kind) and (
        field.metadata.get("always") or field.default is not None
    )
    try:
        return None if may_be_none and text == "None" else _read_as(kind, text)
    except (KeyError, ValueError):
        raise ValueError(f"option {option} of {options_class.family} does not take {key}:{text}") from None


def _read_as(kind: Any, text: str) -> Any:
    """Parse a text by the type of an option; other texts, such as names of models, are unchanged."""
    if kind is Any or takes_numbers_and_texts(kind):
        return number_or_text(_unescaped(text))
    if isinstance(kind, types.UnionType):
        kind = next(other for other in typing.get_args(kind) if other is not types.NoneType)
    if typing.get_origin(kind) is tuple:
        return tuple(_read_as(typing.get_args(kind)[0], item) for item in text.split(","))
    return _VALUE_READERS.get(kind, str)(_unescaped(text))


_VALUE_READERS: dict[Any, Callable[[str], Any]] = {
    bool: {"yes": True, "no": False}.__getitem__,
    int: int,
    float: lambda text: int(text) if text.isdecimal() else float(text),
}


def _unescaped(text: str) -> str:
    return re.sub("%(?:25|7C|2C)", lambda match: _ESCAPED[match[0].upper()], text, flags=re.IGNORECASE)


def _data_decided(field: dataclasses.Field[Any], text: str) -> bool:
    """Whether the text of a field says that its value was found in the data, as classes can be."""
    return not field.init and text == "found"


def _options_with(options_class: type[Options], given: Mapping[str, Any], parts: SignatureParts) -> Options:
    """The options with these keyword arguments; an error has the signature, and the options that take objects."""
    try:
        return options_class(**given)
    except (TypeError, ValueError) as error:
        fields = [field for field in signed_fields(options_class) if field.metadata["key"] in parts.values]
        objects = dict.fromkeys(_object_of(options_class, field) for field in fields)
        mine = [f"from_signature(text, {name}=...)" for name in objects if name and type(given.get(name)) is str]
        advice = f"; pass your object: {' or '.join(mine)}" if mine else ""
        raise ValueError(f"the signature {parts.text!r:.200} has no valid options: {error}{advice}") from error


def _object_of(options_class: type[Options], field: dataclasses.Field[Any]) -> str | None:
    """The option that may be an object, if the text of a field is not a known value."""
    kind = option_type(options_class, field)
    takes_objects = Any in (kind, *typing.get_args(kind))
    found: str | None = field.metadata.get("object", option_of(field) if takes_objects else None)
    return found


def _check_texts(
    options: Options, parts: SignatureParts, fields: Mapping[str, dataclasses.Field[Any]], data: Mapping[str, Any]
) -> None:
    """Refuse options whose signature would differ, for example if the data do not match the fingerprint."""
    for key, text in parts.values.items():
        made = signed_text(options, fields[key])
        option = option_of(fields[key])
        if option not in data and _data_decided(fields[key], text) or _is_same_text(text, made):
            continue
        if option in data:
            raise ValueError(f"option {option} comes to {key}:{made}, but the signature was made with {key}:{text}")
        raise ValueError(f"{key}:{text} of the signature does not fit the rest of it, which has {key}:{made}")


def _is_same_text(text: str, made: str) -> bool:
    numbers = (number_or_text(text), number_or_text(made))
    return _unescaped(text) == _unescaped(made) or (numbers[0] == numbers[1] and not isinstance(numbers[0], str))


def _with_further(options: Options, keywords: Mapping[str, Any], further: Mapping[str, Any]) -> Options:
    """The options with further options that the signature does not mention and that must not change it."""
    made = type(options)(**keywords)
    changed = Options.differences(options, made)
    if changed:
        names = ", ".join(further)
        raise ValueError(f"{names} would change {changed[0].name}, which the signature sets differently; omit it")
    return made
