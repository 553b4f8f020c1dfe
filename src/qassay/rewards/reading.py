"""Reads the arguments of trainers: completions, gold answers, and columns of a data set."""

import contextlib
import inspect
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..core.options import did_you_mean
from ..core.remarks import remark
from ..core.shown import describe, keys_of, shown
from ..files.reading import QUESTION_NAMES
from ..files.tables import USUAL_NAMES
from ..registry import Family

_NOT_OF_ONE = ("predictions", "ids", "weights", "groups", "options")
_QUESTION_NAMES = ("questions", *QUESTION_NAMES, "problem")
_GOLD_NAMES = ("answer", *USUAL_NAMES["references"], "solution", "solutions", "reward_model")
_GOLD_KEYS = ("ground_truth", "target", "text")  # of a dict of gold answers: verl, Search-R1, SQuAD
_LIST_AS_TEXT = re.compile(r"""\[\s*(["']).*["']\s*,?\s*\]""", re.DOTALL)


class RewardColumns:
    """The columns of a data set that a reward reads.

    Args:
        roles: role -> column, for columns without a usual name.
        family: of the metric.
        needs_golds: whether the reward scores answers.

    Raises:
        TypeError, ValueError: an unknown role, or a column that is not a text.
    """

    def __init__(self, roles: Mapping[str, str] | None, family: Family, needs_golds: bool):
        available = [role for role in inspect.signature(family.load()[0]).parameters if role not in _NOT_OF_ONE]
        if not isinstance(roles or {}, Mapping):
            raise TypeError(
                f"columns must be a dict role -> column, such as {{'references': 'gold'}}; got {describe(roles)}"
            )
        self.roles = dict(roles or {})
        for role, name in self.roles.items():
            if role not in available:
                near = did_you_mean(role, available)
                raise ValueError(f"no role {shown(role)} of columns{near}; available: {', '.join(available)}")
            if not isinstance(name, str):
                raise TypeError(f"columns: the role {role} must be the name of a column, got {describe(name)}")
        self._needs_golds, self._reads_questions = needs_golds, family.reads_questions

    def of_golds(self, columns: Mapping[str, Any]) -> str | None:
        """The column of gold answers; None if the reward has none."""
        if not self._needs_golds:
            return None
        named = self.roles.get("references")
        found = [named] if named is not None else [name for name in _GOLD_NAMES if name in columns]
        if len(found) != 1 or found[0] not in columns:
            problem = (
                "no column of gold answers" if len(found) < 2 else f"{' and '.join(found)} may be the gold answers"
            )
            problem = problem if named is None else f"no column {shown(named)}"
            raise ValueError(f'{problem}; name it with columns={{"references": NAME}}; available: {keys_of(columns)}')
        return found[0]

    def further(self, columns: Mapping[str, Any]) -> dict[str, Any]:
        """The further columns of the metric, by role; empty if no answer is scored."""
        if not self.roles and not self._reads_questions:
            return {}
        roles = {role: name for role, name in self.roles.items() if role != "references"}
        if self._needs_golds and self._reads_questions and "questions" not in roles:
            found = [name for name in _QUESTION_NAMES if name in columns]
            if len(found) > 1:
                raise ValueError(
                    f'{" and ".join(found)} may be the questions; name them with columns={{"questions": NAME}}; '
                    f"available: {keys_of(columns)}"
                )
            if not found:
                remark(
                    f"no column of questions ({', '.join(_QUESTION_NAMES)}): answers are scored without questions, which gives "
                    'other numbers; name it with columns={"questions": NAME}'
                )
            roles |= {"questions": name for name in found}
        absent = [name for name in roles.values() if name not in columns]
        if absent:
            raise ValueError(f"no column {shown(absent[0])}; available: {keys_of(columns)}")
        return {role: columns[name] for role, name in roles.items()}


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
        ValueError: a dict with none of the usual keys, or several; a list that was written as text. TypeError: neither a text, a list nor None.
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
