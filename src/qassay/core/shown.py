"""Formats values for display: in messages on one line, truncated if long; in cells of tables and CSV files without
hidden characters and without anything that a spreadsheet reads as a formula.
"""

import csv
import json
import keyword
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

_LONGEST_SHOWN = 60  # characters of a value
_MOST_KEYS = 20  # of a dict
# How spreadsheets recognise a formula; some also accept full-width signs.
_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
# Invisible characters: they move the cursor, colour a terminal, change the writing direction, or hide.
# Joiners between letters belong to Persian, Hindi and emoji; beside Latin letters and digits they only hide.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e007f]"
    "|\r(?!\n)|(?<=[0-9A-Za-z])[\u200c\u200d]|[\u200c\u200d](?=[0-9A-Za-z])"
)
_BREAKS = re.compile(r"[\t\n\r]")
_SIGNED_NUMBER = re.compile(r"[-+](\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|[-+](inf|nan)")


def describe(value: Any) -> str:
    """The type of a value and, if short, the value: for error messages."""
    return "None" if value is None else f"{type(value).__name__}: {_short(value, ascii)}"


def shown(value: Any) -> str:
    """A value for messages: on one line, truncated if long.

    Example:
        >>> shown("q1"), len(shown("x" * 1000))
        ("'q1'", 60)
    """
    return _short(value, repr)


def option_text(name: str, *values: Any) -> str:
    """An option with a value, or with the values to choose from, as messages write it; names have no quotes.

    Example:
        >>> option_text("task", "multi", "ranked"), option_text("top_k", (1, 5)), option_text("model", "org/name")
        ('task=multi or ranked', 'top_k=(1, 5)', "model='org/name'")
    """
    return f"{name}={' or '.join(value if _is_name(value) else shown(value) for value in values)}"


def _is_name(value: Any) -> bool:
    """Whether a value is a short name that no constant of Python has."""
    return (
        isinstance(value, str)
        and len(value) <= _LONGEST_SHOWN
        and value.isidentifier()
        and not keyword.iskeyword(value)
    )


def columns_text(role: str, *columns: str) -> str:
    """The names of columns for a role, as messages write them.

    Example:
        >>> columns_text("references", "gold"), columns_text("predictions", "a", "b")
        ('columns={"references": "gold"}', 'columns={"predictions": ["a", "b"]}')
    """
    named = columns[0] if len(columns) == 1 else columns
    return f"columns={json.dumps({role: named}, ensure_ascii=False)}"


def error_text(error: BaseException) -> str:
    """The message of an error; of an error of the system the file and the reason, without its number.

    Example:
        >>> error_text(FileNotFoundError(2, "No such file or directory", "gold.json"))
        'gold.json: no such file or directory'
    """
    if not isinstance(error, OSError) or type(error).__str__ is not OSError.__str__ or error.strerror is None:
        return str(error)
    reason = error.strerror[:1].lower() + error.strerror[1:]
    return reason if error.filename is None else f"{error.filename}: {reason}"


def _short(value: Any, to_text: Callable[[Any], str]) -> str:
    try:
        text = to_text(value)
        text.encode()
    except Exception:  # noqa: BLE001 - a broken __repr__ or an integer of thousands of digits must not hide the message
        return "..."
    text = " ".join(text.split("\n"))
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 3] + "..."


def keys_of(row: Mapping[Any, Any], most: int = _MOST_KEYS) -> str:
    """The keys of a dict, up to a maximum number, for messages."""
    keys = [key if isinstance(key, str) else shown(key) for key in islice(row, most)]
    keys = [key if len(key) <= _LONGEST_SHOWN and key.isprintable() else shown(key) for key in keys]
    return ", ".join([*keys, *["..."] * (len(row) > most)]) or "none"


def first_names(names: Sequence[str], most: int) -> str:
    """The first names and the number of further ones: "f1, recall and 3 more"."""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def alike_form(name: str) -> str:
    """A form shared by names that readers may confuse: they differ only in case, spaces or the encoding of a letter.

    Example:
        >>> alike_form("Foo ") == alike_form("foo"), alike_form("\\u00e9t\\u00e9") == alike_form("e\\u0301te\\u0301")
        (True, True)
    """
    return " ".join(unicodedata.normalize("NFC", name).casefold().split())


# --- cells of tables and files --------------------------------------------------------------------------------


def visible(text: str) -> str:
    """Text with invisible characters escaped: control characters, direction marks, zero-width characters.

    Right-to-left text still reads naturally, and no text can reverse, hide or colour its surroundings.
    """
    return _UNSEEN.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def visible_line(text: str) -> str:
    r"""As `visible`, with line breaks and tabs escaped too: for names of files, which can hold any character.

    Example:
        >>> visible_line("a\nb\x1b[2J.json")
        'a\\nb\\x1b[2J.json'
    """
    return visible(_BREAKS.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text))


def on_one_line(text: object) -> str:
    """The text with single spaces for all white space, without invisible characters."""
    return visible(" ".join(str(text).split()))


def write_csv(file: Any, rows: Iterable[Iterable[Any]]) -> None:
    """Write rows as CSV to a text file opened with newline="".

    A cell is quoted if a reader could end a line in it: Python alone does not quote a lone carriage return.
    """
    csv.writer(_EndsOfLines(file), lineterminator="\r\n").writerows(rows)


class _EndsOfLines:
    """Puts "\\n" where the csv module puts "\\r\\n", which it must believe in to quote both."""

    def __init__(self, file: Any):
        write = file.write
        self.write = lambda line: write(line[:-2] + "\n")


def no_formula(value: Any) -> Any:
    """Put an apostrophe before text that a spreadsheet would read as a formula; leave other text and numbers
    unchanged.
    """
    if not isinstance(value, str) or not value.startswith(_FORMULAS) or _SIGNED_NUMBER.fullmatch(value):
        return value
    return f"'{value}"
