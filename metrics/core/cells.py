"""Values as the cells of tables and CSV files: nothing hidden in a text, nothing that a spreadsheet takes for a formula.

Imports nothing of qassay: `qassay.pages.build` copies it into the folders that it renders.
"""

import csv
import math
import re
from collections.abc import Iterable
from typing import Any

# How spreadsheets know a formula; some take wide signs too.
_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
# Characters without a shape of their own: they move the cursor, colour a terminal, turn the direction of writing, or hide.
# Joiners between letters belong to Persian, Hindi and emoji; beside Latin letters and digits they only hide.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e007f]"
    "|\r(?!\n)|(?<=[0-9A-Za-z])[\u200c\u200d]|[\u200c\u200d](?=[0-9A-Za-z])"
)
_NUMBER = re.compile(r"[-+](\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|[-+](inf|nan)")


def cell_text(value: Any) -> str:
    """A value as a cell shows it: four decimals, empty where a measure does not apply, text as `visible` shows it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.4f}"
    return visible(str(value))


def visible(text: str) -> str:
    """Text with the characters that cannot be seen as escapes: control characters, marks of direction, zero-width ones.

    Without them text from right to left still reads naturally, and no text turns, hides or colours what is around it.

    Example:
        >>> visible("a\\u202eb"), visible("\\x1b[31mred"), visible("two\\nlines")
        ('a\\\\u202eb', '\\\\x1b[31mred', 'two\\nlines')
    """
    return _UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def write_csv(file: Any, rows: Iterable[Iterable[Any]]) -> None:
    """Write rows as CSV to a file of text that was opened with newline="".

    A cell is quoted wherever a reader may end a line: Python by itself leaves a lone carriage return as it is.

    Example:
        >>> import io
        >>> file = io.StringIO(newline="")
        >>> write_csv(file, [["a", "b\\rc"]])
        >>> file.getvalue()
        'a,"b\\rc"\\n'
    """
    csv.writer(_EndsOfLines(file), lineterminator="\r\n").writerows(rows)


class _EndsOfLines:
    """Puts "\\n" where the csv module puts "\\r\\n", which it must believe in to quote both."""

    def __init__(self, file: Any):
        write = file.write
        self.write = lambda line: write(line[:-2] + "\n")


def csv_cell(value: Any) -> Any:
    """A cell of a CSV file: empty where a measure does not apply, and nothing that a spreadsheet takes for a formula.

    Example:
        >>> csv_cell("=1+1"), csv_cell(-0.5), csv_cell(float("nan")), csv_cell(None)
        ("'=1+1", -0.5, '', '')
    """
    return "" if value is None or (isinstance(value, float) and math.isnan(value)) else no_formula(value)


def no_formula(value: Any) -> Any:
    """Text that a spreadsheet would take for a formula, with an apostrophe before it; all else, and numbers, as it is.

    Example:
        >>> no_formula("=1+1"), no_formula("@x"), no_formula("-0.25"), no_formula("a=b"), no_formula(-1)
        ("'=1+1", "'@x", '-0.25', 'a=b', -1)
    """
    if not isinstance(value, str) or not value.startswith(_FORMULAS) or _NUMBER.fullmatch(value):
        return value
    return f"'{value}"
