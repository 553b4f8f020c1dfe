"""The notebooks of docs/notebooks: runs their cells, keeps what they show, and writes them as pages of the site.

    python docs/building/notebooks.py         runs every notebook and writes its outputs into it

Cells run in this process, one after the other, without Jupyter. What a cell prints and the value of its last line are its
outputs, in the forms that Jupyter keeps.
"""

import ast
import contextlib
import io
import json
import pprint
import re
import sys
import warnings
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"
_RICH = {"image/svg+xml": "_repr_svg_", "text/html": "_repr_html_"}  # the first that a value has is kept
_STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)


def read_notebook(path: Path) -> dict[str, Any]:
    """A notebook as Jupyter's JSON has it."""
    return json.loads(path.read_text("utf-8"))


def write_notebook(path: Path, notebook: dict[str, Any]) -> None:
    """Write a notebook as Jupyter does."""
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n", "utf-8")


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


def text_outputs(notebook: dict[str, Any]) -> list[str]:
    """What each code cell prints and shows as text; nothing of charts."""
    return [
        "".join(
            "".join(output.get("text") or output["data"]["text/plain"])
            for output in cell["outputs"]
            if "image/svg+xml" not in output.get("data", {})
        )
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]


def as_markdown(name: str, notebook: dict[str, Any]) -> str:
    """The page of a notebook: text, code and outputs."""
    parts, styles = [], {}
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            shown = _shown(output)
            styles |= dict.fromkeys(_STYLE.findall(shown))
            parts.append(_STYLE.sub("", shown))
    parts.append(f'<a href="../{name}.ipynb" download>Download this notebook</a>')
    return "\n\n".join([parts[0], f'<div markdown="0">{"".join(styles)}</div>', *parts[1:]]) + "\n"


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
    """An output as a block of Markdown: HTML or SVG where there is one, else text."""
    data = output.get("data", {})
    for kind in filter(data.__contains__, _RICH):
        text = "".join(data[kind]).replace("\n", " ")
        return f'<div class="notebook-output" markdown="0">{text}</div>'
    return f'```text title="Output"\n{"".join(output.get("text") or data["text/plain"]).rstrip()}\n```'


def main() -> None:
    """Run every notebook and write its outputs."""
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        write_notebook(path, executed(read_notebook(path)))
        print(path.name, file=sys.stderr)


if __name__ == "__main__":
    main()
