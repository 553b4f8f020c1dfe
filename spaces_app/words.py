"""Words of qassay, which are for the command line, in those of the page and in those of functions for programs."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

_Rules = Sequence[tuple[re.Pattern, Any]]  # a pattern, and what `re.sub` puts in its place


def page_words(message: str, shown_files: Mapping[str, str] | None = None) -> str:
    """A message, remark or meaning of qassay for people who have this page and no command line.

    Args:
        shown_files: path -> the name to use for it.

    Example:
        >>> page_words("say which with --columns references=NAME")
        'say which under Options, Columns: references'
        >>> page_words("give the option task='multi' or task='ranked'")
        'give the option task=multi or task=ranked'
    """
    return _translated(with_file_names(message, shown_files or {}), _PAGE)


def program_words(message: str, shown_files: Mapping[str, str] | None = None) -> str:
    """A message of qassay for who calls a function: flags are its arguments.

    Args:
        shown_files: path -> the name to use for it.

    Example:
        >>> program_words("say which with --columns references=NAME")
        'say which with columns: references=NAME'
        >>> program_words("leave out --no-answer-probabilities")
        'leave out no_answer_probabilities'
    """
    return _translated(with_file_names(message, shown_files or {}), _PROGRAM)


def with_file_names(message: str, shown_files: Mapping[str, str]) -> str:
    """A message with the names of files in place of paths, which say nothing to those who uploaded them.

    Example:
        >>> with_file_names("/up/ab/gold.json: no such id", {"/up/ab/gold.json": "gold.json"})
        'gold.json: no such id'
    """
    # The longest first: a path may begin with another one.
    for path in sorted(shown_files, key=len, reverse=True):
        message = message.replace(path, shown_files[path])
    return message


def _translated(message: str, rules: _Rules) -> str:
    for words, ours in rules:
        message = words.sub(ours, message)
    return message


def _rules(*pairs: tuple[str, Any]) -> _Rules:
    return [(re.compile(words), ours) for words, ours in pairs]


_FLAG = r"(?<![\w-])--"
_OPTIONS = (
    (rf"{_FLAG}option (\w+)=\.\.\.", r"the option \1"),
    (rf"{_FLAG}option '(\w+)'", r"option '\1'"),
    (rf"(the option )?{_FLAG}option (\w+=)", r"the option \2"),
)
_PAGE = _rules(
    (r"[:;] the gold file comes first: qassay score \w+ \w+", "; give the gold file in its place"),
    (r": qassay score [A-Z]+ [A-Z]+( --metric \w+)?", ""),
    (r", and see `qassay score --by` for this one", "; the tab Slices has this one"),
    # The page has no box for what stands between labels in a cell.
    (rf", or say what stands between labels, for example {_FLAG}columns 'separator=\S+'", ""),
    (rf"leave out {_FLAG}columns (\w+)=\S+", r"leave the box of \1 under Options, Columns, empty"),
    (rf"(with )?{_FLAG}columns (\w+)=[^\s,;)]+", r"under Options, Columns: \2"),
    (rf"(with |add )?{_FLAG}metric (\w+)", r"choose the metric \2 under Options"),
    (rf"(leave out|give it with) {_FLAG}no-answer-probabilities", r"\1 the box of no-answer probabilities"),
    (rf"{_FLAG}no-answer-probabilities", "no-answer probabilities"),
    *_OPTIONS,
    (rf"{_FLAG}measures", "the box of measures"),
    (r"\b([a-z]\w*)='([a-z]\w*)'", r"\1=\2"),
    (r"(=[a-z]\w*) or '([a-z]\w*)'", r"\1 or \2"),
)
_PROGRAM = _rules(
    (r"[:;] the gold file comes first: qassay score \w+ \w+", "; give the gold file as gold"),
    (r": qassay score [A-Z]+ [A-Z]+( --metric \w+)?", ""),
    (rf"{_FLAG}columns '(\w+=[^']+)'", r"columns: \1"),
    (rf"{_FLAG}columns (\w+=)", r"columns: \1"),
    *_OPTIONS,
    (rf"{_FLAG}([a-z][a-z-]*)", lambda flag: flag[1].replace("-", "_")),
)
