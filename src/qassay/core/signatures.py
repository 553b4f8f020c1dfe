"""Reads signatures: from `family|key:value|...|v:version` back to the options."""

import dataclasses
import re
import types
import typing
from collections.abc import Mapping
from typing import Any, NamedTuple

from .option_texts import number_or_text, takes_numbers_and_texts, value_of_text
from .options import Options, option_of, option_types, signed_fields, signed_text
from .remarks import remark
from .shown import describe
from .version import __version__

_ESCAPED = {"%25": "%", "%7C": "|", "%2C": ","}
_NAMED = re.compile(r"custom:|\d+-[0-9a-f]{8}$")  # a function, or a fingerprint of many values


class SignatureParts(NamedTuple):
    """The unparsed parts of a signature."""

    text: str
    family: str
    values: dict[str, str]
    version: str  # version of qassay that wrote it


def split_signature(text: str) -> SignatureParts:
    """Split a signature into parts; a TypeError or ValueError if it is not a signature."""
    if not isinstance(text, str):
        raise TypeError(f"a signature is a string, got {describe(text)}")
    problem = f"{text!r:.200} is not a signature, such as 'answer_match|norm:squad|v:{__version__}': "
    family, *parts = text.strip().split("|")
    values: dict[str, str] = {}
    for part in parts:
        key, colon, value = part.partition(":")
        if not colon or not key:
            raise ValueError(f"{problem}{part!r} is not key:value; a '|' in a value is written %7C")
        if key in values:
            raise ValueError(f"the signature {text!r} has {key!r} twice; give it once")
        values[key] = value
    if not re.fullmatch(r"\w+", family) or not values.get("v"):
        raise ValueError(f"{problem}it begins with a metric and ends with v:version")
    version = values.pop("v")
    return SignatureParts(text, family, values, version)


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
    given: dict[str, Any] = {}
    for key, text in parts.values.items():
        if key not in fields:
            near = options_class.pointed(key, fields)
            has = ", ".join([*fields, "v"])
            raise ValueError(f"a signature of {options_class.family} has no {key!r}{near}; it has: {has}")
        option = option_of(fields[key])
        if option is not None and option in data:
            given[option] = data[option]
        elif option is not None and not _data_decided(fields[key], text):
            given[option] = _read_option(options_class, fields[key], option, text)
    try:
        options = options_class(**given)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"the signature {parts.text!r:.200} has no valid options: {error}; an option that is your own object is "
            "given by name: from_signature(text, OPTION=...)"
        ) from error
    for key, text in parts.values.items():
        made, from_data = signed_text(options, fields[key]), option_of(fields[key]) in data
        if not (_data_decided(fields[key], text) and not from_data or _is_same_text(text, made)):
            what = f"the given {option_of(fields[key])}" if from_data else "the rest of it"
            raise ValueError(f"{key}:{text} of the signature does not fit {what}, which has {key}:{made}")
    further = {name: value for name, value in data.items() if name not in given}
    if further:
        made_with = options_class(**given, **further)
        for field in Options.differences(options, made_with):
            names = ", ".join(further)
            raise ValueError(f"{names} would change {field.name}, which the signature sets differently; omit it")
        options = made_with
    if parts.version != __version__:
        remark(f"the signature comes from qassay {parts.version}, this is {__version__}: numbers may differ")
    return options


def _read_option(options_class: type[Options], field: dataclasses.Field[Any], option: str, text: str) -> Any:
    """The value of the option that a field shows, read from the text of the field."""
    key, kind = field.metadata["key"], option_types(options_class)[option]
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
    except ValueError:
        raise ValueError(f"option {option} of {options_class.family} does not take {key}:{text}") from None


def _read_as(kind: Any, text: str) -> Any:
    if kind is Any or takes_numbers_and_texts(kind):
        return number_or_text(_unescaped(text))
    return value_of_text(kind, _unescaped(text), [*map(_unescaped, text.split(","))])


def _unescaped(text: str) -> str:
    return re.sub("%(?:25|7C|2C)", lambda match: _ESCAPED[match[0].upper()], text, flags=re.IGNORECASE)


def _data_decided(field: dataclasses.Field[Any], text: str) -> bool:
    """Whether the text of a field says that its value was found in the data, as classes can be."""
    return not field.init and text == "found"


def _is_same_text(text: str, made: str) -> bool:
    numbers = (number_or_text(text), number_or_text(made))
    return _unescaped(text) == _unescaped(made) or (numbers[0] == numbers[1] and not isinstance(numbers[0], str))
