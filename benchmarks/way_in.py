"""The way of predictions into the tokens of answer_match: the functions and files that a reader must follow.

It prints counts for lists, dicts by id and rows, and the functions in order.

A function counts if a predicted text is within its arguments when it is called, or is itself an argument; comprehensions
belong to the function that has them. The way ends where the texts become tokens, at `match_texts`.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any

import qassay

_ROOT = os.path.dirname(qassay.__file__)
_DEPTH = 6
_PARTS = {"<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>", "<lambda>"}


def _holds(value: Any, texts: set[int], depth: int = _DEPTH) -> bool:
    """Whether a value is one of these texts, or contains one."""
    if id(value) in texts:
        return True
    if not depth:
        return False
    if isinstance(value, Mapping):
        return any(_holds(item, texts, depth - 1) for item in value.values())
    if isinstance(value, (list, tuple)):
        return any(_holds(item, texts, depth - 1) for item in value)
    return hasattr(value, "__dict__") and not isinstance(value, type) and _holds(vars(value), texts, depth - 1)


def _functions(given: tuple[Any, ...], texts: set[int]) -> Iterator[tuple[str, str]]:
    """The file and name of each call on the way, in order."""
    calls: list[tuple[str, str]] = []
    is_over = False

    def follow(frame: FrameType, event: str, _: Any) -> None:
        nonlocal is_over
        code = frame.f_code
        if is_over or event != "call" or not code.co_filename.startswith(_ROOT) or code.co_name in _PARTS:
            return
        arguments = [frame.f_locals[name] for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]]
        arguments += [frame.f_locals[name] for name in ("columns", "args", "kwargs", "named") if name in frame.f_locals]
        if code.co_name == "match_texts":
            is_over = True
        elif any(_holds(value, texts) for value in arguments):
            calls.append((os.path.relpath(code.co_filename, _ROOT), code.co_qualname))

    qassay.score("answer_match", *given)  # imports
    sys.setprofile(follow)
    qassay.score("answer_match", *given)
    sys.setprofile(None)
    yield from calls


def add_options(parser: argparse.ArgumentParser) -> None:
    """No options."""


def run(args: argparse.Namespace) -> None:
    answers = [f"answer {number}" for number in range(12)]
    golds = [[f"gold {number}"] for number in range(12)]
    ids = [f"q{number}" for number in range(12)]
    layouts = {
        "lists": (answers, golds),
        "dicts by id": (dict(zip(ids, answers, strict=True)), dict(zip(ids[::-1], golds, strict=True))),
        "rows": (
            [{"id": name, "prediction_text": text} for name, text in zip(ids, answers, strict=True)],
            [{"id": name, "answers": {"text": texts}} for name, texts in zip(ids, golds, strict=True)],
        ),
    }
    for name, given in layouts.items():
        calls = list(_functions(given, set(map(id, answers))))
        changes = sum(one[0] != other[0] for one, other in zip(calls, calls[1:], strict=False))
        print(
            f"{name}: {len(set(calls))} functions, {len({file for file, _ in calls})} files, {changes} changes of file"
        )
        for file, function in dict.fromkeys(calls):
            print(f"    {file}: {function}")
