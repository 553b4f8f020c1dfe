"""Messages with hints: parts that name an option, a column or a file, worded differently on each surface."""

import json
import shlex
from collections.abc import Mapping
from typing import Any

from .shown import visible_line


class Hint:
    """A part of a message whose words depend on the surface; the table in this file has the words of each kind."""

    def __init__(self, kind: str, *values: str):
        self.kind, self.values = kind, values

    def __repr__(self) -> str:
        return f"Hint({', '.join(map(repr, (self.kind, *self.values)))})"

    def words(self, surface: str) -> str:
        """The words of this hint on a surface: "command", "shell", "page" (the Space), "metric page", "program" or "python"."""
        command, page, program = _WORDINGS[self.kind]
        wording: Any = {
            "command": command,
            "shell": _OF_SHELL.get(self.kind, command),
            "page": page,
            "metric page": _OF_METRIC_PAGES.get(self.kind, page),
            "submission": _OF_SUBMISSIONS.get(self.kind, _OF_METRIC_PAGES.get(self.kind, page)),
            "program": program,
            "python": _OF_PYTHON.get(self.kind, program),
        }[surface]
        return str(wording(*self.values) if callable(wording) else wording.format(*self.values))


class Message(str):
    """A text for the command line that keeps its hints when it is concatenated, sliced, pickled or raised in an error.

    An f-string or `join` turns it into plain text: pass several parts instead.

    Args:
        parts: texts, hints, messages, and errors, which are replaced by their messages.

    Example:
        >>> message = Message("say which ", Hint("with column", "references", "NAME"))
        >>> message, worded("gold.csv: " + message, "page")
        ('say which with --columns references=NAME', 'gold.csv: say which under Options, references')
        >>> worded(ValueError(message), "program")
        'say which with columns: references=NAME'
    """

    parts: tuple[str | Hint, ...]

    def __new__(cls, *parts: Any) -> "Message":
        flat = [piece for part in parts for piece in _parts_of(part)]
        message = super().__new__(cls, "".join(_text_of_part(part) for part in flat))
        message.parts = tuple(flat)
        return message

    def __str__(self) -> str:
        return self  # so that str(error) keeps the parts

    def __reduce__(self) -> tuple[Any, ...]:
        return Message, self.parts

    def __add__(self, other: str) -> "Message":
        return Message(self, other)

    def __radd__(self, other: str) -> "Message":
        return Message(other, self)

    def __getitem__(self, index: Any) -> str:
        if not isinstance(index, slice) or index.step not in (None, 1):
            return super().__getitem__(index)
        start, stop, _ = index.indices(len(self))
        kept, at = [], 0
        for part in self.parts:
            text = _text_of_part(part)
            piece = text[max(start - at, 0) : max(stop - at, 0)]
            if piece == text:
                kept.append(part)
            elif piece:
                kept.append(piece if isinstance(part, str) else Hint("piece", piece))
            at += len(text)
        return Message(*kept)

    def worded(self, surface: str, files: Mapping[str, str] | None = None) -> str:
        """As `worded`."""
        return "".join(_text_of_part(part, surface) for part in with_file_names(self, files or {}).parts)


def worded(told: str | Exception, surface: str, files: Mapping[str, str] | None = None) -> str:
    """Word a message, or the message of an error, for a surface.

    Args:
        surface: "command" (as in the text of an error), "shell" (the same with values as people type them there), "page"
            (the Space), "metric page" (of one metric), "program" (functions of the Space) or "python" (`qassay.score_files`).
        files: path -> the name to show, if the path means nothing to the reader.
    """
    return Message(told).worded(surface, files)


def reword(error: Exception, surface: str) -> None:
    """Reword the message of an error for a surface."""
    error.args = tuple(worded(part, surface) if isinstance(part, Message) else part for part in error.args)


def with_file_names(told: str | Exception, files: Mapping[str, str]) -> Message:
    """A message with the names of files, path -> name, instead of their paths, and with its hints."""
    return Message(*(_file_named(part, files) for part in Message(told).parts))


def _parts_of(part: Any) -> tuple[str | Hint, ...]:
    if isinstance(part, OSError) and type(part).__str__ is OSError.__str__ and part.strerror is not None:
        reason = part.strerror[:1].lower() + part.strerror[1:]  # without its number
        return (reason,) if part.filename is None else (Hint("file", str(part.filename)), f": {reason}")
    part = part if isinstance(part, (str, Hint)) else str(part)
    return part.parts if isinstance(part, Message) else (part,)


def _text_of_part(part: str | Hint, surface: str = "command") -> str:
    return part.words(surface) if isinstance(part, Hint) else part


def _file_named(part: str | Hint, files: Mapping[str, str]) -> str | Hint:
    if isinstance(part, str) or part.kind != "file":
        return part
    (path,) = part.values
    return Hint("file", files.get(path, path))


def _quoted_values(name: str, *values: str) -> str:
    return f"{name}={' or '.join(map(repr, values))}"


def _bare_values(name: str, *values: str) -> str:
    return f"{name}={' or '.join(values)}"


def _without_quotes(name: str, text: str) -> str:
    bare = text[1:-1] if text[:1] in "'\"" else ""
    return f"{name}={bare if bare.isidentifier() else text}"


def _each_named(role: str, *columns: str) -> str:
    return f", or score each as a system: {_columns_named(role, *columns)}"


def _columns_named(role: str, *columns: str) -> str:
    """The option as a shell takes it: "separator=;" is in quotes."""
    return " ".join(["--columns", *(shlex.quote(f"{role}={column}") for column in columns)])


def _each_of_program(role: str, *columns: str) -> str:
    return ", or score each as a system, with columns: " + " and ".join(f"{role}={column}" for column in columns)


def _each_of_python(role: str, *columns: str) -> str:
    return f', or score each as a system: columns={{"{role}": {json.dumps(columns, ensure_ascii=False)}}}'


def _typed_value(name: str, text: str) -> str:
    """A value as typed: names without quotes, comma-separated lists, yes and no."""
    text = {"True": "yes", "False": "no"}.get(text, text)
    if text[:1] in "([" and text[-1:] in ")]":
        return f"{name}={text[1:-1].replace(' ', '').rstrip(',')}"
    return _without_quotes(name, text)


# kind -> its words on the command line, on the page, and for functions of programs; {0}, {1} are its values
_WORDINGS = {
    "file": (visible_line, visible_line, visible_line),
    "piece": ("{0}", "", ""),  # of a hint that was cut
    "with column": (
        lambda *values: f"with {_columns_named(*values)}",
        "under Options, {0}",  # qassay.space.page_words puts the box in place of the role
        "with columns: {0}={1}",
    ),
    "column": (_columns_named, "{0} under Options", "columns: {0}={1}"),
    "with label column": (
        "with --columns labels:{0}={1}",
        "under Options of human labels",
        "with label_columns: {0}={1}",
    ),
    "label column": ("--columns labels:{0}={1}", "under Options of human labels", "label_columns: {0}={1}"),
    "each a system": (_each_named, ", or choose several there: each is a system then", _each_of_program),
    "leave out column": (
        "omit --columns {0}=...",
        "leave {0} under Options empty",
        "leave out columns: {0}=...",
    ),
    "or separator": (  # the page has no input for it
        ", or name the separator of labels, for example --columns 'separator={0}'",
        "",
        ", or name the separator of labels, for example columns: separator={0}",
    ),
    "option": ("--option {0}={1}", "the option {0}={1}", "the option {0}={1}"),
    "any option": ("--option {0}=...", "the option {0}", "the option {0}"),
    "options": ("--option {0}", "the option {0}", "the option {0}"),
    "option text": ("--option {0!r}", "option {0!r}", "option {0!r}"),
    "values": (_quoted_values, _bare_values, _quoted_values),
    "given": ("{0}={1}", _without_quotes, "{0}={1}"),  # a value as `shown` writes it
    "metric": ("--metric {0}", "the metric {0}", "metric {0}"),
    "score with metric": (
        "score it with --metric {0}",
        "choose the metric {0} under Options",
        "score it with metric {0}",
    ),
    "add metric": ("add --metric {0}", "choose the metric {0} under Options", "add metric {0}"),
    "probabilities": ("--no-answer-probabilities", "the box of no-answer probabilities", "no_answer_probabilities"),
    "name of probabilities": ("--no-answer-probabilities", "no-answer probabilities", "no_answer_probabilities"),
    "name of confidences": ("--confidences", "confidences", "confidences"),
    "gold first": (
        "the gold file comes first: qassay score {0}",
        "give the gold file in its place",
        "give the gold file as gold",
    ),
    "usage": (": qassay score {0}", "", ""),
    "usage with metric": (": qassay score {0} --metric {1}", "", ""),
    "questions": ("--questions {0}", "the choice {0}", "questions={0}"),  # of a leaderboard
    "flag": ("--{0}", "{0}", "{0}"),  # of what only the command line has
    "right from": ("--right-from {0}", "right from {0}", "right_from={0}"),
    "common": ("--common", "common=True", "common=True"),
    "count absent": ("--count-absent", "count_absent=True", "count_absent=True"),
    "one run": ("give the file of one run, without run_id",) * 3,
    "slices": (", and see `qassay score --by` for this one", "; the tab Slices has this one", ""),
}
# The page of one metric has no inputs for column names, and only one metric.
_OF_METRIC_PAGES = {
    **dict.fromkeys(("with column", "column"), "by the heading {0} in the file"),
    **dict.fromkeys(("score with metric", "add metric"), "use the page of {0}"),
    **dict.fromkeys(("slices", "each a system"), ""),
}
# A submitter chooses only the file.
_OF_SUBMISSIONS = {
    "gold first": "submit predictions",
    "probabilities": "a file of predictions",
    **dict.fromkeys(("score with metric", "add metric"), "submit predictions of this task"),
}
_OF_SHELL = {"values": _bare_values, "given": _typed_value}
# Python functions take the same arguments as functions of programs, in other forms.
_OF_PYTHON = {
    **dict.fromkeys(("with column", "with label column"), 'with columns={{"{0}": "{1}"}}'),
    **dict.fromkeys(("column", "label column"), 'columns={{"{0}": "{1}"}}'),
    "each a system": _each_of_python,
    "leave out column": 'omit "{0}" from columns',
    "or separator": ', or name the separator of labels, for example columns={{"separator": "{0}"}}',
    "metric": 'metric="{0}"',
    "questions": 'questions="{0}"',
    "score with metric": 'score it with metric="{0}"',
    "add metric": 'add metric="{0}"',
    "one run": "calibrate one run of scores.each_run()",
    "gold first": "the gold file comes first: give it as gold, and files of predictions as systems",
    **dict.fromkeys(("usage", "usage with metric"), ', as systems={{"name": file}}'),
}
