"""Reads the arguments of trainers: completions, gold answers, and columns of a data set."""

import contextlib
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..core.shown import describe, keys_of, shown
from ..files.reading import QUESTION_NAMES
from ..files.tables import USUAL_NAMES

QUESTIONS = ("questions", *QUESTION_NAMES, "problem")
_USUAL = {
    "references": ("answer", *USUAL_NAMES["references"], "solution", "solutions", "reward_model"),
    "questions": QUESTIONS,
}
_GOLD_KEYS = ("ground_truth", "target", "text")  # of a dict of gold answers: verl, Search-R1, SQuAD
_LIST_AS_TEXT = re.compile(r"""\[\s*(["']).*["']\s*,?\s*\]""", re.DOTALL)


def find_column(role: str, named: str | None, columns: Mapping[str, Any]) -> str | None:
    """The column for a role: the named one, or the one with a usual name; None if there is none.

    Raises:
        ValueError: the named column is missing, or several columns have usual names.
    """
    found = [name for name in _USUAL[role] if name in columns] if named is None else [named]
    if len(found) == 1 and found[0] not in columns:
        raise ValueError(f"no column {shown(named)}; available: {keys_of(columns)}")
    if len(found) > 1:
        raise ValueError(
            f'{" and ".join(found)} may be the {role}; name the column with columns={{"{role}": NAME}}; available: '
            f"{keys_of(columns)}"
        )
    return found[0] if found else None


@contextlib.contextmanager
def naming(index: int) -> Iterator[None]:
    """Adds the index of the completion to errors."""
    try:
        yield
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"completion {index}: {error}") from error


def text_of(completion: Any) -> str:
    """The output of a model: a text, or the text of the last assistant message.

    Raises:
        TypeError: neither a text nor messages. ValueError: no message of the assistant.
    """
    if isinstance(completion, str):
        return completion
    if not isinstance(completion, (list, tuple)):
        raise TypeError(f"a completion is a text or a list of messages, got {describe(completion)}")
    for message in reversed(completion):
        role = _item(message, "role")
        if not isinstance(role, str):
            raise TypeError(f"a message has a role and content, got {describe(message)}")
        if role == "assistant":
            return _content(_item(message, "content"))
    if completion:
        raise ValueError("a completion has no message with the role assistant")
    return ""  # an empty list of messages


def _content(content: Any) -> str:
    """The text of a message; "" if it only calls tools."""
    if content is None or isinstance(content, str):
        return content or ""
    if isinstance(content, (list, tuple)):
        parts = [part for part in content if _item(part, "type") in (None, "text", "output_text")]
        texts: list[Any] = [_item(part, "text") for part in parts]  # without thoughts, images and calls of tools
        if all(isinstance(text, str) for text in texts):
            return "".join(texts)
    raise TypeError(f"the content of a message is a text or a list of texts, got {describe(content)}")


def _item(thing: Any, name: str) -> Any:
    """An entry of a dict, or an attribute of a message object."""
    return thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)


def golds_of(gold: Any) -> list[Any] | None:
    """The gold answers of a row, from the dicts and arrays of data sets; None if the row has None.

    Raises:
        ValueError: a dict with none of the usual keys, or several; a list that was written as text. TypeError: neither a
            text, a list nor None.
    """
    while isinstance(gold, Mapping):
        found = [key for key in _GOLD_KEYS if key in gold]
        if len(found) != 1:
            raise ValueError(
                f"a dict of gold answers has one of the keys {', '.join(_GOLD_KEYS)}; this has: {keys_of(gold)}"
            )
        gold = gold[found[0]]
    gold = gold.tolist() if hasattr(gold, "tolist") else gold
    if gold is not None and not isinstance(gold, (str, list, tuple)):
        raise TypeError(f"the gold answers of a row are a text or a list of texts, got {describe(gold)}")
    if isinstance(gold, str) and gold[:1] == "[" and _LIST_AS_TEXT.fullmatch(gold):
        raise ValueError(
            f"the gold answers are a list that was written as text: {describe(gold)}; "
            "read them first, for example with json.loads or ast.literal_eval"
        )
    return [gold] if isinstance(gold, str) else None if gold is None else list(gold)
