"""The page of a leaderboard as a file: complete in itself, readable without scripts, safe with any name."""

import base64
import hashlib
import html
import json
import math
import re

from qassay.reports.leaderboard_page import leaderboard_page

from .boards import board_of, ranking_of, shared_task
from .html_reader import Reader

ATTACK = (
    """<script>alert(1)</script><img src="http://evil.example/x" onerror='x'>&amp;"></svg></style>\ud800\x00\u202e"""
)


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])


def rows_of(page):
    """The cells of the first table as texts, a list for each row."""
    table = re.search(r"<table>.*?</table>", page, re.DOTALL)[0].replace("<wbr>", "")
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in re.findall(r"<tr>.*?</tr>", table)]
    return [[" ".join(html.unescape(re.sub(r"<[^>]+>", " ", cell)).split()) for cell in row] for row in cells]


class Elements(Reader):
    """The elements of a page, which must nest, with their attributes."""

    def __init__(self, page):
        self.found = []
        super().__init__(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        super().handle_starttag(tag, attrs)


def check(page):
    """Checks for every page: no requests, one script, unique names."""
    page.encode()
    found = Elements(page).found
    assert {tag for tag, _ in found}.isdisjoint({"iframe", "object", "embed", "form", "base", "img"})
    for tag, attributes in found:
        assert not {"src", "style", "action", "srcset"} & set(attributes), tag
        assert not [name for name in attributes if name.startswith("on")]
        assert re.match(r"#|data:,|https?://", attributes.get("href", "#"))
    assert [attributes.get("type") for tag, attributes in found if tag == "script"] == ["application/json", None]
    script = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)[-1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)[1]
    assert policy.startswith("default-src 'none';") and f"script-src 'sha256-{digest}';" in policy
    assert "unsafe-inline" not in policy.replace("style-src 'unsafe-inline'", "")
    ids = [attributes["id"] for _, attributes in found if "id" in attributes]
    assert len(ids) == len(set(ids))
    return page


def test_the_table_is_in_the_page_with_every_number():
    rows = rows_of(check(leaderboard_page(shared_task())))
    assert rows[0] == ["Rank", "System", "team", "date", "note", "f1", "exact_match", "Best"]
    assert rows[1] == (
        ["1 1 to 3", "Elm page Uni <A> · 2026-05-01", "Uni <A>", "2026-05-01", "–"]
        + ["0.8125 a 0.7825 to 0.8425", "0.7000 a 0.6700 to 0.7300", "20 %"]
    )
    assert [row[1].split()[0] for row in rows[1:]] == ["Elm", "oak", "ash", "fir", "yew"]
    assert rows[3][5] == "0.7500 b 0.7200 to 0.7800"
    assert rows[4][6] == "0.0312 d 0.0013 to 0.0612"  # 0.03125, of which the even digit is written
    assert rows[5][5] == "–" and rows[5][6].startswith("0.4000 c")


def test_rates_in_per_cent_and_counts():
    counts = ranking_of({"a": 1200.0, "b": 3.5}, "num_ret", is_rate=False, lower_is_better=True)
    rows = rows_of(check(leaderboard_page(board_of([ranking_of({"a": 0.5, "b": 0.25}), counts], percent=True))))
    assert rows[0][3] == "num_ret lower is better"
    assert rows[1][2:4] == ["50.00 a 47.00 to 53.00", "1,200 b 1199.9700 to 1200.0300"]
    assert rows[2][2:4] == ["25.00 b 22.00 to 28.00", "3.5000 a 3.4700 to 3.5300"]


def test_data_of_the_script():
    data = data_of(leaderboard_page(shared_task()))
    assert [(view["slice"], view["label"]) for view in data["views"]] == [
        ("", ""),
        ("topic", "law"),
        ("topic", "sea & sky"),
    ]
    first, second = data["views"][0]["rankings"]
    assert [data["systems"][place]["key"] for place in first["order"]] == ["elm", "oak", "ash", "fir", "yew"]
    # elm-oak, elm-ash, elm-fir, elm-yew, oak-ash, ...: in steps of 0.0001
    assert first["p"][:5] == [round(1e4 * (1 - 10 * (0.81249 - 0.79))), 10, 10, 10_000, 6000]
    assert first["rows"][0][:6] == [0.81249, 0.7825, 0.8425, 1, 1, 3] and first["rows"][-1][0] is None
    assert data["views"][1]["rankings"][1] is None  # the slice has no ranking by that measure
    assert second["finding"].startswith("oak leads by exact_match (0.7400) on 1,204 questions in 35 groups.")
    assert data["systems"][1]["notes"] == [["missing", 12]] and data["systems"][2]["notes"] == [["left out", 4]]
    assert data["systems"][3]["link"] is None  # not a web address


def test_p_values_below_what_is_shown_and_unknown_ones():
    ranking = ranking_of({"a": 0.9, "b": 0.1, "c": math.nan})
    ranking.p_values[:] = [[math.nan, 4e-5, math.nan], [4e-5, math.nan, 11 / 32], [math.nan, 11 / 32, math.nan]]
    assert data_of(leaderboard_page(board_of([ranking])))["views"][0]["rankings"][0]["p"] == [0, None, 3438]


def test_hostile_names_everywhere():
    values = {ATTACK: 0.5, "b": 0.6, "c": 0.7}
    said = {
        ATTACK: {"name": ATTACK, "link": f'https://x.example/"{ATTACK}', "facts": {ATTACK: ATTACK}},
        "b": {"link": " javascript:alert(1)", "notes": {ATTACK: 1}, "official": {ATTACK: ATTACK}},
        "c": {"link": "JavaScript:alert(1)"},
    }
    rankings = [ranking_of(values, ATTACK), ranking_of(values)]
    about = dict.fromkeys(("title", "description", "gold", "command", "examples_name"), ATTACK)
    page = check(leaderboard_page(board_of(rankings, {ATTACK: {ATTACK: rankings}}, said, [ATTACK], **about)))
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800]", page)
    assert r"\u202e" in page and [system["link"] for system in data_of(page)["systems"]] == [None] * 3
