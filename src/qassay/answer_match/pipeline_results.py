"""Reads results of Haystack's `Pipeline.run()`: the node with the answers, and their texts. Also used for pipelines."""

from collections.abc import Mapping
from typing import Any

from ..core.columns import is_nan
from ..core.shown import option_text, shown

ANSWER_TEXTS = ("text", "answer", "data")  # plain rows; Haystack 0.9 and 1; Haystack 2
_OUTPUTS = ("documents", "answers", "replies")


def field_value(item: Any, *names: str) -> Any:
    """The first of these fields of a dict or an object that is not None or NaN; None if there is none."""
    read = item.get if isinstance(item, Mapping) else lambda name: getattr(item, name, None)
    for name in names:
        value = read(name)
        if value is not None and not is_nan(value):
            return value
    return None


def unwrapped(item: Any) -> Any:
    """The fields inside the output of `to_dict()` of Haystack 2, `{"type": ..., "init_parameters": {...}}`."""
    return item["init_parameters"] if isinstance(item, Mapping) and "init_parameters" in item else item


def is_result(row: Any) -> bool:
    """Whether a row is what `Pipeline.run()` of Haystack 2 gives, outputs by the names of nodes (`{"retriever":
    {"documents": [...]}, "reader": {"answers": [...]}}`), and not a row with its own documents and answers.
    """
    if not isinstance(row, Mapping) or not row.keys().isdisjoint(_OUTPUTS):
        return False
    nodes = [value for value in row.values() if isinstance(value, Mapping)]
    outputs = [node for node in nodes if not node.keys().isdisjoint(_OUTPUTS)]
    if not outputs or any({"documents", "answers"} <= node.keys() for node in nodes):
        return False
    # Nodes give objects; plain answers beside other dicts are the log of another program.
    return len(outputs) == len(nodes) or not all(map(_has_plain_answers, outputs))


def _has_plain_answers(node: Mapping[str, Any]) -> bool:
    items = node.get("answers", node.get("documents"))
    return isinstance(items, list) and bool(items) and isinstance(items[0], str)


def is_whole_result(value: Any) -> bool:
    """Whether a value is a result with documents and answers; one with documents only may be rows by id."""
    nodes = [node for node in value.values() if isinstance(node, Mapping)] if is_result(value) else []
    return any("documents" in node for node in nodes) and any(node.keys() & {"answers", "replies"} for node in nodes)


def output_of_node(row: Mapping[str, Any], output: str, option: str | None = None, node: str | None = None) -> Any:
    """The output of the only node that has it, or of the named one, which `option` names; texts of a generator are answers
    if no node has answers.

    Raises:
        ValueError: no node has it, several have it, or the named node lacks it; the message follows the place, such as
            'row 3'.
    """
    nodes = {name: value for name, value in row.items() if isinstance(value, Mapping)}
    found = {name: value[output] for name, value in nodes.items() if output in value}
    if output == "answers":
        replies = {name: value["replies"] for name, value in nodes.items() if "replies" in value}
        found = found or replies if node is None else {**replies, **found}
    if node is not None and node not in found:
        has = ", ".join(found) or "none"
        raise ValueError(f"has no {output} of the node {shown(node)} (nodes with {output}: {has}); give one of these")
    if not found:
        raise ValueError(
            f"has no node with {output} (its nodes: {', '.join(nodes)}); run the pipeline with include_outputs_from={{...}} "
            "and the node that gives them"
        )
    if len(found) > 1 and node is None:
        which = f"say which counts: {option_text(option, *found)}" if option else "keep one of them"
        raise ValueError(f"has {output} of several nodes ({', '.join(found)}); {which}")
    return found[node or next(iter(found))]


def text_of_reply(item: Any) -> Any:
    """The text of a generator's reply, which is a text or a chat message."""
    if isinstance(item, Mapping) and item.keys() >= {"role", "content"}:
        if isinstance(item["content"], str):
            return item["content"]
        texts = [part.get("text") for part in item["content"] or () if isinstance(part, Mapping)]
        return next((text for text in texts if text is not None), None)
    return item.text if hasattr(item, "role") and hasattr(item, "text") else item
