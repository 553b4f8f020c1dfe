"""The page of a leaderboard as a file: complete in itself, readable without scripts, safe with any name."""

import json
import math
import re

from qassay.reports.leaderboard_page import leaderboard_page

from .boards import board_of, ranking_of, shared_task
from .html_reader import Reader, digest_of, table_rows

ATTACK = (
    """<script>alert(1)</script><img src="http://evil.example/x" onerror='x'>&amp;"></svg></style>\ud800\x00\u202e"""
)


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])


def check(page):
    """Checks for every page: no requests, one script."""
    page.encode()
    found = Reader(page)
    assert {"iframe", "object", "embed", "form", "base", "img"}.isdisjoint(found.tags)
    for tag, name, value in found.attributes:
        assert name not in ("src", "style", "action", "srcset") and not name.startswith("on"), tag
        assert name != "href" or re.match(r"#|data:,|https?://", value)
    types = [value for tag, name, value in found.attributes if (tag, name) == ("script", "type")]
    assert types == ["application/json"] and found.tags.count("script") == 2
    script = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)[-1]
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)[1]
    assert policy.startswith("default-src 'none';") and f"script-src 'sha256-{digest_of(script)}';" in policy
    assert "unsafe-inline" not in policy.replace("style-src 'unsafe-inline'", "")
    return page


def test_the_table_is_in_the_page_with_every_number():
    rows = table_rows(check(leaderboard_page(shared_task())))
    assert rows[0] == ["Rank", "System", "team", "date", "note", "f1", "exact_match", "Best"]
    assert rows[1] == (
        ["1 1 to 3", "Elm page Uni <A> · 2026-05-01", "Uni <A>", "2026-05-01", "–"]
        + ["0.8125 a 0.7825 to 0.8425", "0.7000 a 0.6700 to 0.7300", "20 %"]
    )
    assert [row[1].split()[0] for row in rows[1:]] == ["Elm", "oak", "ash", "fir", "yew"]
    assert rows[3][5] == "0.7500 b 0.7200 to 0.7800"
    assert rows[4][6] == "0.0312 d 0.0013 to 0.0612"  # 0.03125, of which the even digit is written
    assert rows[5][5] == "–" and rows[5][6].startswith("0.4000 c")


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
