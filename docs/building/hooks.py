"""Hooks of mkdocs: the pages written from the code, the cards of the metrics, and links between files of the repository.

On GitHub a link goes to a file of the repository. The site has the same file at another address, so each relative link
is resolved in the repository first and then written as the address in the site. A link to a card with the name of a measure
as its anchor goes to the card on GitHub, and in the site to the page of the measure.
"""

import json
import os
import posixpath
import re
from pathlib import Path, PurePosixPath
from typing import Any

from measure_pages import written_pages
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from notebook import NOTEBOOK, as_markdown

from qassay.registry import FAMILIES

ROOT = Path(__file__).resolve().parents[2]
_LINK = re.compile(r"(?P<before>!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()(?P<target>[^)\s]+)(?P<after>\))")
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
# Pages of the repository outside docs/ -> their pages in the site.
_PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "CODE_OF_CONDUCT.md": "code_of_conduct.md",
}
_LANGUAGES = {".py": "python", ".yml": "yaml", ".cfg": "ini", ".md": "markdown", ".sh": "bash"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the README as the home page, the cards, the notebook, the pages of measures and the sources that pages link to;
    fills the part of the navigation that follows from the code.
    """
    pages = written_pages()
    for path, uri in _PAGES.items():
        pages[uri] = (ROOT / path).read_text("utf-8").replace('src="docs/', 'src="')
    pages["notebook.md"] = as_markdown(json.loads(NOTEBOOK.read_text("utf-8")))
    for metric in FAMILIES:
        card = (ROOT / "metrics" / metric / "README.md").read_text("utf-8")
        pages[f"cards/{metric}.md"] = _FRONT_MATTER.sub("", card)
    for uri, text in pages.items():
        files.append(File.generated(config, uri, content=text))
    for source in sorted(_linked_sources(files)):
        path = ROOT / source
        text = f"# {source}\n\n```{_LANGUAGES.get(path.suffix, 'text')}\n{path.read_text('utf-8').rstrip()}\n```\n"
        files.append(File.generated(config, f"source/{source}.md", content=text))
    measures = [
        "measures/README.md",
        *({metric: f"measures/{metric}/index.md"} for metric in FAMILIES),
        {"Cards": [{metric: f"cards/{metric}.md"} for metric in FAMILIES]},
    ]
    config.nav = _with_measures(config.nav or [], measures)
    return files


def on_page_markdown(markdown: str, page: Any, config: MkDocsConfig, files: Files) -> str:
    """Writes links between files of the repository as links of the site; a page alone in its part has no list of pages beside it."""
    uri = page.file.src_uri
    if page.parent is None:
        page.meta.setdefault("hide", ["navigation"])
    return _outside_code(markdown, lambda text: _LINK.sub(lambda link: _rewritten(link, uri, files), text))


def site_uri(path: str, files: Files) -> str | None:
    """The source in the site of a file of the repository; None if the site does not have it.

    Example: `metrics/answer_match/README.md` is `cards/answer_match.md`, `docs/start.md` is `start.md`.
    """
    card = re.fullmatch(r"metrics/(\w+)/README\.md", path)
    if path in _PAGES:
        uri = _PAGES[path]
    elif card and card[1] in FAMILIES:
        uri = f"cards/{card[1]}.md"
    elif path.startswith("docs/"):
        uri = re.sub(r"\.ipynb$", ".md", path.removeprefix("docs/"))
    else:
        uri = f"source/{path}.md"
    return uri if files.get_file_from_path(uri) is not None else None


def repository_path(uri: str) -> str:
    """The file of the repository that a page of the site is written from; pages written from code act as files of docs/."""
    if uri.startswith("cards/"):
        return f"metrics/{PurePosixPath(uri).stem}/README.md"
    return {page: path for path, page in _PAGES.items()}.get(uri, f"docs/{uri}")


def _target(link: re.Match[str], uri: str) -> tuple[str, str] | None:
    """The file of the repository that a relative link names, and its anchor; None for an address or an anchor alone."""
    path, _, anchor = link["target"].partition("#")
    if not path or re.match(r"[a-z]+:|/", path):
        return None
    return posixpath.normpath(posixpath.join(posixpath.dirname(repository_path(uri)), path)), anchor


def _rewritten(link: re.Match[str], uri: str, files: Files) -> str:
    named = _target(link, uri)
    if named is None:
        return link[0]
    path, anchor = named
    found = site_uri(path, files)
    measure = f"{posixpath.dirname(path).replace('metrics', 'measures', 1)}/{anchor}.md"
    if anchor and files.get_file_from_path(measure) is not None:
        found, anchor = measure, ""
    if found is None:
        return link[0]
    address = os.path.relpath(found, posixpath.dirname(uri) or ".").replace(os.sep, "/")
    return f"{link['before']}{address}{'#' + anchor if anchor else ''}{link['after']}"


def _linked_sources(files: Files) -> set[str]:
    """Files of the repository outside docs/ that pages link to, and that are not cards: code, samples, texts."""
    found = set()
    for file in files:
        if file.src_uri.endswith(".md"):
            for link in _LINK.finditer(_FENCE.sub("", file.content_string)):
                named = _target(link, file.src_uri)
                if named and site_uri(named[0], files) is None and (ROOT / named[0]).is_file():
                    found.add(named[0])
    return {path for path in found if not path.startswith(("docs/", "../"))}


def _outside_code(markdown: str, change: Any) -> str:
    """Changes the text outside blocks of code."""
    parts, end = [], 0
    for block in _FENCE.finditer(markdown):
        parts += [change(markdown[end : block.start()]), block[0]]
        end = block.end()
    return "".join([*parts, change(markdown[end:])])


def _with_measures(nav: list[Any], measures: list[Any]) -> list[Any]:
    """A navigation whose entry "Measures" has these pages, wherever it is."""
    return [
        {
            title: measures
            if title == "Measures"
            else _with_measures(inside, measures)
            if isinstance(inside, list)
            else inside
            for title, inside in entry.items()
        }
        if isinstance(entry, dict)
        else entry
        for entry in nav
    ]
