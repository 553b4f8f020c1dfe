"""The viewer as one HTML file: a document, the modules of the viewer and its style, which needs no network.

The file runs one script and uses one style sheet, both named by their hash in its content policy.
"""

import base64
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .summary import sentences
from .tables import value_tables
from .writers import escaped, table_html

_VIEWER = Path(__file__).parent / "viewer"
_IMPORT = re.compile(r'^import \{\s*(\w+(?:,\s+\w+)*)\s*\} from "\./(\w+\.js)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?:const|class|(?:async )?function\*?) (\w+)", re.MULTILINE)
_OTHER = re.compile(r"^\s*(?:import\b|export\b)|\bimport\s*\(|</script", re.MULTILINE | re.IGNORECASE)


def page(document: Mapping[str, Any]) -> str:
    """A result document as a self-contained HTML page, which shows its verdict and its values also without scripts.

    Args:
        document: as `document()` makes it.

    Returns:
        HTML that can be encoded as UTF-8. It makes no request, and texts of the document stay texts.
    """
    names = [system["title"] or system["name"] for system in document["systems"]]
    joined = " and ".join(names) if len(names) < 3 else f"{len(names)} systems"
    title = escaped(" ".join((document["title"] or f"{joined} · qassay").split()))
    static = f"<main><h1>{title}</h1>{''.join(_static(document))}</main>"
    return filled(shell(), {"title": title, "static": static, "data": data_text(document)})


def shell() -> str:
    """The page without a document: a browser puts title, text without scripts and data in place of @title@, @static@, @data@."""
    code, looks, text = script("page.js"), style(), (_VIEWER / "page.html").read_text("utf-8")
    return filled(text, {"policy": content_policy(code, looks), "style": looks, "script": code})


def filled(shell: str, parts: Mapping[str, str]) -> str:
    """A shell with its parts in place of their marks, such as @script@; other marks stay."""
    return re.sub(r"@(\w+)@", lambda mark: parts.get(mark[1], mark[0]), shell)


def content_policy(code: str, looks: str, more: str = "") -> str:
    """The content policy of a page with one script and one style sheet.

    Args:
        more: further directives.
    """
    return (
        f"default-src 'none'; script-src '{_digest(code)}'; style-src '{_digest(looks)}'; img-src data:; {more}"
        "base-uri 'none'; form-action 'none'"
    )


def data_text(document: Mapping[str, Any]) -> str:
    """A document as JSON for an HTML script element."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").encode("utf-8", "backslashreplace").decode()


def style() -> str:
    """The style sheet of the viewer."""
    return (_VIEWER / "viewer.css").read_text("utf-8")


def script(entry: str, folder: Path = _VIEWER) -> str:
    """A module and all modules that it imports as one script, each in a function.

    Args:
        entry: the name of the module, which runs last.
        folder: of the module; those that it lacks are of the viewer.

    Raises:
        ValueError: a module imports or exports in another form than `import {a, b} from "./name.js";` and `export` before
            `function`, `class` or `const`; or modules import each other.
    """
    written: dict[str, str] = {}

    def add(name: str, above: tuple[str, ...] = ()) -> None:
        if name in above:
            raise ValueError(f"modules import each other: {' -> '.join([*above, name])}")
        if name in written:
            return
        path = folder if (folder / name).is_file() else _VIEWER
        text = (path / name).read_text("utf-8")
        for _, imported in _IMPORT.findall(text):
            add(imported, (*above, name))
        exports = ", ".join(_EXPORT.findall(text))
        text = _IMPORT.sub(r'const {\1} = modules["\2"];', text)
        text = _EXPORT.sub(lambda found: found[0].removeprefix("export "), text)
        if other := _OTHER.search(text):
            line = text[other.start() :].strip().split("\n")[0]
            raise ValueError(f"{name}: {line!r} cannot be in one script; import and export in the usual forms")
        written[name] = f'modules["{name}"] = (() => {{\n"use strict";\n{text}return {{ {exports} }};\n}})();\n'

    add(entry)
    return "const modules = {};\n" + "".join(written.values())


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _static(document: Mapping[str, Any]) -> Iterator[str]:
    """The summary and the values of each part as HTML for readers without scripts; the script replaces it."""
    for part in document["parts"]:
        yield from (f"<p>{escaped(sentence)}</p>" for sentence in sentences(document, part))
        yield from map(table_html, value_tables({**document, "parts": [part]}, sliced=False))
    yield from (f"<p>{escaped(remark['text'])}</p>" for remark in document["remarks"])
