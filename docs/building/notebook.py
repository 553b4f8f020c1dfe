"""The notebook of the site: runs its cells, keeps what they show, and writes it as a page.

    python docs/building/notebook.py         runs docs/notebook.ipynb and writes its outputs into it

Cells run in this process, one after the other, without Jupyter. What a cell prints and the value of its last line are its
outputs, in the forms that Jupyter keeps.
"""

import ast
import contextlib
import io
import json
import pprint
import warnings
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).resolve().parents[1] / "notebook.ipynb"
_RICH = {"image/svg+xml": "_repr_svg_", "text/html": "_repr_html_"}  # the first that a value has is kept


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with the outputs of its cells, run from the top.

    Raises:
        Exception: what a cell raises. UserWarning: a cell warns.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    cells, count = [], 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            cell = {**cell, "execution_count": count, "outputs": _outputs("".join(cell["source"]), names, count)}
        cells.append(cell)
    return {**notebook, "cells": cells}


def as_markdown(notebook: dict[str, Any]) -> str:
    """The page of the notebook: text, code and outputs."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
        else:
            parts += [f"```python\n{source}\n```", *map(_shown, cell["outputs"])]
    return "\n\n".join([*parts, '<a href="../notebook.ipynb" download>Download this notebook</a>']) + "\n"


def _outputs(source: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """What a cell prints, and the value of its last line unless it is None or followed by a semicolon."""
    statements = ast.parse(source).body
    last = statements.pop() if statements and isinstance(statements[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        exec(compile(ast.Module(statements, []), f"<cell {count}>", "exec"), names)  # noqa: S102 - our own cells
        if last is not None:
            value = eval(compile(ast.Expression(last.value), f"<cell {count}>", "eval"), names)  # noqa: S307
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": _lines(printed.getvalue())})
    if value is not None:
        rich = {kind: _lines(getattr(value, method)()) for kind, method in _RICH.items() if hasattr(value, method)}
        text = repr(value) if rich else pprint.pformat(value, width=100, sort_dicts=False)
        data = {"text/plain": _lines(text), **dict([*rich.items()][:1])}
        outputs.append({"output_type": "execute_result", "execution_count": count, "data": data, "metadata": {}})
    return outputs


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _shown(output: dict[str, Any]) -> str:
    """An output as a block of Markdown: HTML or SVG if it has one, otherwise text."""
    data = output.get("data", {})
    for kind in filter(data.__contains__, _RICH):
        text = "".join(data[kind]).replace("\n", " ")
        return f'<div class="notebook-output" markdown="0">{text}</div>'
    return f'```text title="Output"\n{"".join(output.get("text") or data["text/plain"]).rstrip()}\n```'


if __name__ == "__main__":
    found = executed(json.loads(NOTEBOOK.read_text("utf-8")))
    NOTEBOOK.write_text(json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True) + "\n", "utf-8")
