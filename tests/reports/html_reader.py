"""Reads HTML pages of reports in tests."""

import base64
import hashlib
import html
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

from qassay.reports.html_parts import live_script

VOID = {"meta", "link", "br", "hr", "img", "input", "wbr"}


class Reader(HTMLParser):
    """Tags must nest; collects tags, attributes, ids and visible text."""

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.attributes, self.text = [], [], [], []
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "title"):
            self.text.append(data)


def digest_of(script):
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def read_page(page):
    """A parsed page, after the checks for every page."""
    page.encode()
    script = live_script()
    assert f"script-src 'sha256-{digest_of(script)}';" in page and "</script" not in script
    page = page.replace(f"<script>{script}</script>", "")
    reader = Reader(page)
    assert not {"script", "iframe", "object", "embed", "form", "base", "img"} & set(reader.tags)
    for tag, name, value in reader.attributes:
        assert name not in ("src", "srcset", "action", "style", "background") and not name.startswith("on"), (tag, name)
        if name == "href":
            assert value.startswith("#") or value == "data:,"
    style = "".join(re.findall(r"<style>(.*?)</style>", page, re.DOTALL))
    assert not re.search(r"url\(|@import|http", style)
    for chart in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        ET.fromstring(chart)
    reader.text = " ".join("".join(reader.text).replace("\xa0", " ").split())
    assert not re.search(r"\b(nan|inf|None)\b", reader.text)
    reader.page = page
    reader.sections = [value for tag, name, value in reader.attributes if tag == "section" and name == "id"]
    return reader


def table_rows(page, caption=""):
    """The cells of the first table, or that of a caption, as texts; a list for each row."""
    table = next(found for found in re.findall(r"<table>.*?</table>", page, re.DOTALL) if caption in found)
    rows = re.findall(r"<tr>.*?</tr>", table.replace("<wbr>", ""), re.DOTALL)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
    return [[" ".join(html.unescape(re.sub(r"<[^>]+>", " ", cell)).split()) for cell in row] for row in cells]
