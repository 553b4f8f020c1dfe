"""Documents and answers as Haystack writes them.

It reads the results and classes of Haystack 0.9 to 3 (deepset), as dicts, as objects, or as from `to_dict()`. Errors are
a TypeError or ValueError to be put behind the name of the place.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from ..core.columns import LIST_TYPES, is_list, is_nan
from ..core.options import did_you_mean
from ..core.shown import describe, keys_of, option_text, shown

ANSWER_TEXTS = ("text", "answer", "data")  # plain rows; Haystack 0.9 and 1; Haystack 2
_OUTPUTS = ("documents", "answers", "replies")
_STARTS = ("start", "answer_start", "offset_start_in_doc")  # plain; SQuAD; Haystack 0.9
_ENDS = ("end", "offset_end_in_doc")
_SPANS = ("offset", "offsets_in_document", "document_offset")  # plain; Haystack 1; Haystack 2
_HAYSTACK_PLACES = ("offset_start_in_doc", "offsets_in_document", "document_offset")
_LARGEST_OFFSET = 2**53

# The text of an answer and the id of its document, None for none, and its span, end exclusive, -1 for none.
Answer = tuple[str | None, str | None, int, int]

_PLAIN = frozenset({"text", "document_id", "start", "end", "score"})
_ANSWER_FIELDS = (
    ANSWER_TEXTS,
    (*_STARTS, *_ENDS, *_SPANS),
    ("document_id", "document_ids", "document", "documents"),
)
_OTHER_ANSWER_FIELDS = ("context", "contexts", "offset_start", "offset_end", "context_offset")
_DOCUMENT_TEXTS = ("text", "content")


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


# --- results of a pipeline --------------------------------------------------------------------------------------------


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
    items = [node.get("answers", node.get("documents")) for node in outputs]
    are_plain = [isinstance(of, list) and bool(of) and isinstance(of[0], str) for of in items]
    return len(outputs) == len(nodes) or not all(are_plain)


def is_whole_result(value: Any) -> bool:
    """Whether a value is a result with documents and answers; one with documents only may be rows by id."""
    nodes = [node for node in value.values() if isinstance(node, Mapping)] if is_result(value) else []
    return any("documents" in node for node in nodes) and any(node.keys() & {"answers", "replies"} for node in nodes)


def row_of_result(row: Mapping[str, Any], document_node: str | None = None, answer_node: str | None = None) -> Any:
    """A result of `is_result` as a row with documents and answers, of these nodes where several have some.

    Texts of a generator (`replies`) are the answers where no node has answers.

    Raises:
        ValueError: no node has them, several have them, or the named node lacks them; the message follows the name of the row.
    """
    nodes = {name: value for name, value in row.items() if isinstance(value, Mapping)}
    answers = _output(nodes, "answer_node", answer_node, "answers", "replies")
    answers = list(map(_text_of_reply, answers)) if is_list(answers) else answers
    return {"documents": _output(nodes, "document_node", document_node, "documents"), "answers": answers}


def _output(nodes: Mapping[str, Any], option: str, chosen: str | None, *outputs: str) -> Any:
    """The first of these outputs that a node has, of the only node with it, or of the one that the option chooses."""
    name = outputs[0]
    having = ([of for of, node in nodes.items() if output in node and chosen in (None, of)] for output in outputs)
    output, found = next(((output, of) for output, of in zip(outputs, having, strict=True) if of), (name, []))
    if chosen is not None and not found:
        has = ", ".join(of for of, node in nodes.items() if not node.keys().isdisjoint(outputs)) or "none"
        raise ValueError(f"has no {name} of the node {shown(chosen)} (nodes with {name}: {has}); give one of these")
    if not found:
        raise ValueError(
            f"has no node with {name} (its nodes: {', '.join(nodes)}); run the pipeline with include_outputs_from={{...}} "
            "and the node that gives them"
        )
    if len(found) > 1:
        which = option_text(option, *found)
        raise ValueError(f"has {name} of several nodes ({', '.join(found)}); say which counts: {which}")
    return nodes[found[0]][output]


def _text_of_reply(item: Any) -> Any:
    """The text of a generator's reply, which is a text or a chat message."""
    if isinstance(item, Mapping) and item.keys() >= {"role", "content"}:
        if isinstance(item["content"], str):
            return item["content"]
        texts = [part.get("text") for part in item["content"] or () if isinstance(part, Mapping)]
        return next((text for text in texts if text is not None), None)
    return item.text if hasattr(item, "role") and hasattr(item, "text") else item


# --- documents and answers --------------------------------------------------------------------------------------------


def document_id(item: Any, document_field: str | None = None) -> str:
    """The id of a document given as its id, or as a dict or an object with the field `id`.

    Args:
        document_field: a field of the document's `meta` that is its id instead.
    """
    if type(item) is str:
        return item
    item = unwrapped(item)
    if isinstance(item, bool) or item is None or isinstance(item, (float, *LIST_TYPES)):
        raise TypeError(f"is not a document: {describe(item)}; give its id, a string, or a dict with 'id'")
    if isinstance(item, (str, int)) or hasattr(item, "item"):
        return str(item)
    fields, where = item, "'id'"
    if document_field is not None:
        meta = field_value(item, "meta")  # with the other fields, as `to_dict()` of Haystack 2 writes them
        fields = item if meta is None and isinstance(item, Mapping) and "meta" not in item else meta or {}
        where = f"{shown(document_field)} in its 'meta'"
    identifier = field_value(fields, document_field or "id")
    if identifier is None:
        there = keys_of(fields) if isinstance(fields, Mapping) else type(fields).__name__
        raise ValueError(f"has no {where} (its fields: {there or 'none'}); give every document one")
    return document_id(identifier)


def document_text(item: Any) -> str | None:
    """The text of a document given as a dict or an object; a field of nearly that name is refused."""
    if type(item) is dict:
        refuse_misspelt(item, _DOCUMENT_TEXTS)
    text = None if type(item) is str else field_value(unwrapped(item), *_DOCUMENT_TEXTS)
    return text if isinstance(text, str) else None


def refuse_misspelt(item: Mapping[str, Any], *groups: tuple[str, ...], others: Sequence[str] = ()) -> None:
    """Refuse a field with a name close to one of a group of names if the item has none of these; `others` are not misspelt."""
    absent = [name for names in groups if not any(name in item for name in names) for name in names]
    known = {*others, *chain.from_iterable(groups)} if absent else item.keys()
    for name in item:
        near = "" if name in known else did_you_mean(name, absent)
        if near:
            raise ValueError(f"has the unknown field {name!r}{near}; rename it or omit it")


def answer_of(item: Any, document_field: str | None = None, names: Mapping[str, str] | None = None) -> Answer | None:
    """An answer; None for no answer.

    No answer is None itself, an empty text, a text that is None without a span, or Haystack's `answer` or `data` that
    is None. An answer from several documents has no document id.

    Args:
        document_field: of `document_id`.
        names: the native ids of the question's documents -> their ids by `document_field`.

    Example:
        >>> answer_of({"answer": "Paris", "document_ids": ["d1"], "offsets_in_document": [{"start": 3, "end": 8}]})
        ('Paris', 'd1', 3, 8)
        >>> answer_of({"answer": "", "offsets_in_document": [{"start": 0, "end": 0}]}) is None
        True
    """
    if type(item) is dict and document_field is None and item.keys() <= _PLAIN:  # the usual rows, three times as fast
        parts: Any = item.get("text"), item.get("document_id"), item.get("start"), item.get("end")
        is_usual = tuple(map(type, parts)) == (str, str, int, int)
        if is_usual and parts[0] and 0 <= parts[2] <= parts[3] < _LARGEST_OFFSET:
            return parts  # type: ignore[no-any-return]
    if type(item) is str:
        return (item, None, -1, -1) if item else None
    item = unwrapped(item)
    if item is None:
        return None
    if isinstance(item, (bool, int, float, *LIST_TYPES)):
        raise TypeError(
            f"is not an answer: {describe(item)}; give a dict with 'text', 'document_id', 'start' and 'end', or None"
        )
    if isinstance(item, Mapping) and not item.keys() <= _PLAIN:
        refuse_misspelt(item, *_ANSWER_FIELDS, others=_OTHER_ANSWER_FIELDS)
    text = field_value(item, *ANSWER_TEXTS)
    if text == "" or text is None and any(_has_field(item, name) for name in ANSWER_TEXTS[1:]):
        return None  # Haystack adds offsets of 0
    if text is not None and not isinstance(text, str):
        raise TypeError(f"has a text that must be str, got {describe(text)}; give the text of the answer")
    start, end = _span_of(item, text)
    if text is None and start == -1:
        if isinstance(item, Mapping) and not any(name in item for name in ANSWER_TEXTS):
            keys = keys_of(item)
            raise ValueError(f"has neither a text nor a span (its keys: {keys}); give 'text', or 'start' and 'end'")
        return None
    return text, _document_of(item, document_field, names or {}), start, end


def is_extracted(item: Any) -> bool:
    """Whether an answer has a field of places as Haystack's readers write them: it is extracted, not generated."""
    if item is None or type(item) is str or type(item) is dict and item.keys() <= _PLAIN:
        return False
    item = unwrapped(item)
    return any(_has_field(item, name) for name in _HAYSTACK_PLACES)


def _has_field(item: Any, name: str) -> bool:
    return name in item if isinstance(item, Mapping) else hasattr(item, name)


def _span_of(item: Any, text: str | None) -> tuple[int, int]:
    """Start and end (exclusive) of an answer in its document, -1 for none."""
    span = field_value(item, *_SPANS)
    if is_list(span) and len(span) == 1:
        span = span[0]  # Haystack 1 has lists; an extracted answer fills one place
    if span is None or is_list(span) and not len(span):
        start, end = field_value(item, *_STARTS), field_value(item, *_ENDS)
    elif not is_list(span):
        start, end = field_value(span, "start"), field_value(span, "end")
    elif len(span) == 2 and field_value(span[0], "start") is None:
        start, end = span
    else:
        raise ValueError(f"has {len(span)} spans: {describe(span)}; give one answer for each")
    if end is None and text is not None and (isinstance(start, float) or hasattr(start, "__index__")):
        end = start + len(text)
    if start is None and end is None:
        return -1, -1
    if start is None or end is None:
        raise ValueError("has only one end of its span; give 'start' and 'end', or 'start' and 'text'")
    for offset in (start, end):
        is_whole = isinstance(offset, (int, np.integer)) or isinstance(offset, float) and offset.is_integer()
        if not is_whole or isinstance(offset, bool):
            raise TypeError(f"has the offset {describe(offset)}; offsets are integers, counted in characters")
    if not 0 <= start <= end < _LARGEST_OFFSET:
        raise ValueError(f"has the span {int(start)} to {int(end)}; give 0 <= start <= end, end exclusive")
    return int(start), int(end)


def _document_of(item: Any, document_field: str | None, names: Mapping[str, str]) -> str | None:
    """The id of the document of an answer, None for none or several."""
    several, document = field_value(item, "document_ids", "documents"), field_value(item, "document_id")
    if document is None and is_list(several) and len(several) == 1:
        document = several[0]
    whole = field_value(item, "document")
    if document_field is None:
        document = whole if document is None else document
        return None if document is None else document_id(document)
    named = field_value(field_value(item, "meta") or {}, document_field)
    if named is not None:
        return document_id(named)
    document = document if whole is None else whole
    if document is None:
        return None
    key = str(document) if isinstance(document, (str, int)) and not isinstance(document, bool) else None
    if not names or key is None or key not in names and key in names.values():
        return document_id(document, document_field)
    if key not in names:
        problem = f"has no {shown(document_field)} in its 'meta', and its document {shown(key)} does not belong to the question"
        raise ValueError(f"{problem}; give every answer one")
    return names[key]
