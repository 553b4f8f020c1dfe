"""Reads lists, tuples, dicts and arrays in texts, as JSON, Python or numpy writes them."""

import ast
import json
import re
from typing import Any

_WRITTEN = re.compile(r"""\[|[({]\s*["']|array\(""")
_COLLECTION = re.compile(r"\[.*\]|\{.*\}|\(.*\)|array\(.*\)", re.DOTALL)
_ARRAY_ITEM = re.compile(  # a text without an end goes to the end, so that no character is read twice
    r"""('(?:[^'\\]|\\.)*(?:'|\\?\Z)|"(?:[^"\\]|\\.)*(?:"|\\?\Z)|\])(\s+(?=['"\[]))?""", re.DOTALL
)


def is_written(text: str) -> bool:
    """Whether a text is a list, a tuple of texts, a dict or an array, as JSON, Python or numpy writes it."""
    if not text or text[-1] not in "]})" or not _WRITTEN.match(text):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return python_value(text) is not text
    return True


def python_value(text: Any) -> Any:
    """The list, tuple, set, dict or array of numpy that a text is as Python writes it; anything else unchanged."""
    if not isinstance(text, str) or not _COLLECTION.fullmatch(text):
        return text
    try:  # Python would join 'a' 'b', two items of an array, into one text
        tree = ast.parse(_ARRAY_ITEM.sub(lambda found: found[1] + "," * bool(found[2]), text), mode="eval")
        value = ast.literal_eval(_WithoutArrays().visit(tree))
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return text
    return value if isinstance(value, (list, tuple, set, dict)) else text


class _WithoutArrays(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> Any:
        is_array = isinstance(node.func, ast.Name) and node.func.id == "array" and node.args
        return self.visit(node.args[0]) if is_array else node
