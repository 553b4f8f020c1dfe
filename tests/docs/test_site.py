"""The site builds without a warning and without the network, has no dead link, and asks no other server for anything."""

import importlib
import importlib.util
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from qassay.registry import FAMILIES, get_family

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.thorough
# Read by the browser when a page opens; a link that a reader follows may go anywhere.
_LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}
_OFFLINE = "import socket; socket.getaddrinfo = None; from mkdocs.__main__ import cli; cli()"


class Page(HTMLParser):
    """The links, the loaded files and the anchors of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loaded, self.anchors = set(), set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.anchors.add(found.get("id") or found.get("name"))
        if tag == "a" and found.get("href"):
            self.links.add(found["href"])
        self.loaded |= {
            found[name] for of, name in _LOADED if of == tag and found.get(name) and found.get("rel") != "canonical"
        }


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    if importlib.util.find_spec("mkdocs") is None or importlib.util.find_spec("mkdocstrings") is None:
        assert not os.environ.get("REQUIRE_SITE"), "mkdocs is not installed: the extra docs has it"
        pytest.skip("mkdocs is not installed: the extra docs has it")
    folder = tmp_path_factory.mktemp("site")
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-c", _OFFLINE, "build", "--strict", "--site-dir", str(folder)]
    built = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=500)
    assert built.returncode == 0 and "WARNING" not in built.stderr, built.stderr[-3000:]
    return {path.relative_to(folder): Page(path.read_text("utf-8")) for path in folder.rglob("*.html")}, folder


def test_no_link_is_dead(site):
    pages, folder = site
    dead = [
        f"{path}: {link}"
        for path, page in pages.items()
        for link in page.links | page.loaded
        if not leads_somewhere(path, link, pages, folder)
    ]
    assert len(pages) > 100 and not dead, dead[:20]


def test_each_measure_has_a_page(site, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs" / "building")
    page_address = importlib.import_module("measure_pages").page_address
    pages, _ = site
    addresses = {page_address(metric, name) for metric in FAMILIES for name, _ in get_family(metric).measures()}
    addresses |= {f"measures/{metric}/" for metric in FAMILIES}
    assert len(addresses) > 200 and [found for found in addresses if Path(found, "index.html") not in pages] == []


def leads_somewhere(path, link, pages, folder):
    parts = urlsplit(link)
    if parts.scheme or parts.netloc or path.name == "404.html":  # written for the root of the site
        return True
    target = Path(os.path.normpath(path.parent / unquote(parts.path))) if parts.path else path
    target = target / "index.html" if (folder / target).is_dir() else target
    if not (folder / target).is_file():
        return False
    return not parts.fragment or target not in pages or unquote(parts.fragment) in pages[target].anchors


def test_no_page_asks_another_server(site):
    pages, folder = site
    asked = {link for page in pages.values() for link in page.loaded if urlsplit(link).netloc}
    assert not asked
    for style in folder.rglob("*.css"):
        assert not re.search(r"url\(['\"]?https?:", style.read_text("utf-8")), style.name
