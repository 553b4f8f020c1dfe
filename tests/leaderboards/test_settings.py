"""The settings of a leaderboard: what is taken, and one clear message for what is not."""

import json
from datetime import datetime

import pytest

from qassay.leaderboards.settings import UTC, BoardSettings, board_settings, read_board_settings

_LEAST = {"title": "Numbers", "gold": "gold.json"}


def test_a_file_of_yaml_and_one_of_json_say_the_same(tmp_path):
    pytest.importorskip("yaml", reason='needs yaml: pip install -e ".[test-all]"')
    (tmp_path / "a.yaml").write_text(
        "title: Numbers\ngold: gold.json\nmeasures: f1\nlimits:\n  user_per_day: 2\nlogin: none\ncloses: 2027-03-31\n"
    )
    fields = {**_LEAST, "measures": ["f1"], "limits": {"user_per_day": 2}, "login": "none", "closes": "2027-03-31"}
    (tmp_path / "a.json").write_text(json.dumps(fields))
    settings = read_board_settings(tmp_path / "a.yaml")
    assert settings == read_board_settings(tmp_path / "a.json")
    assert settings.measures == ("f1",) and settings.limits.user_per_day == 2
    assert settings.closes == datetime(2027, 3, 31, 23, 59, 59, 999_999, UTC)  # the whole day


def test_what_cannot_be_is_named():
    for fields, words in (
        ({"title": "Numbers"}, "gold is missing"),
        ({**_LEAST, "limit": {}}, "'limit' (did you mean 'limits'?)"),
        ({**_LEAST, "limits": {"per_day": 0}}, "per_day must be an integer of at least 1, got 0"),
        ({**_LEAST, "limits": {"file_mb": 500}}, "file_mb must be an integer of at least 1 and at most 20"),
        ({**_LEAST, "description": "a" * 20_001}, "description: 20,001 characters"),
        ({**_LEAST, "opens": "2027-03-02", "closes": "2027-03-01"}, "closes must be later than opens"),
        ({**_LEAST, "public_set": "javascript:alert(1)"}, "public_set: link"),
        ({**_LEAST, "options": {"missing": "skip"}}, "options: missing"),
        ({**_LEAST, "baselines": {f"a{n}": "a.json" for n in range(51)}}, "baselines: 51 are too many; at most 50"),
        ({**_LEAST, "baselines": {" ": "a.json"}}, "baselines must be names with files"),
    ):
        with pytest.raises(ValueError) as refused:
            board_settings(fields)
        assert words in str(refused.value)


def test_who_says_least_gets_settings_that_are_safe():
    settings = BoardSettings("Numbers", "gold.json")
    assert (settings.login, settings.store_users, settings.missing) == ("huggingface", "hashed", "refuse")
    assert settings.digits <= 4 and settings.limits.user_per_day <= 5
