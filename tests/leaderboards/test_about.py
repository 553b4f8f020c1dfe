"""What an organiser says of a task and its systems: fields, and faults one by one."""

import json
from pathlib import Path

import pytest

from qassay.leaderboards.about import AboutBoard, about_board, read_about_board

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "leaderboard" / "about.yaml"


def test_the_sample_is_read():
    about = read_about_board(SAMPLE)
    assert about.measures == ("f1", "exact_match") and about.by == ("language",) and about.questions == "count"
    assert about.systems["alder"].entry() == {
        "name": "Alder-2",
        "link": "https://example.org/alder",
        "facts": {"team": "University of Skarrow", "date": "2026-05-04"},
    }
    assert about.systems["keywords"].entry()["facts"]["note"] == "baseline" and about.systems["birch"].link == ""


def test_json_says_the_same(tmp_path):
    path = tmp_path / "about.JSON"
    path.write_text(json.dumps({"title": " A\n task", "systems": {"1": {"date": "2026"}, "b": None}}), "utf-8")
    about = read_about_board(path)
    assert about.title == "A task" and about.systems["1"].date == "2026" and about.systems["b"].entry() == {}


FAULTS = {
    "titel: x": "'titel' (did you mean 'title'?)",
    "systems: {a: {nam: x}}": "systems, a: unknown field 'nam'",
    "systems: [a]": "systems must contain fields",
    "systems: {a: Alder}": "systems, a must contain fields",
    "systems: {a: {name: no}}": "systems, a: name must be text",
    "systems: {a: {facts: {size: [7]}}}": "systems, a: facts, size must be text",
    "systems: {a: {link: 'javascript:alert(1)'}}": "systems, a: link must be an address",
    "systems: {a: {link: 'data:text/html,x'}}": "link must be an address",
    "systems: {a: {link: 'https:///x'}}": "link must be an address",
    "systems: {a: {link: 'https://x.org/a b'}}": "link must be an address",
    "systems: {a: {link: 'https://[x'}}": "link must be an address",
    "systems: {a: {}, a: {}}": "'a' is given twice",
    "systems: {a: {team: x, facts: {team: y}}}": "systems, a: team",
    "questions: some": "refuse, common, count; got 'some'",
    "measures: {f1: 1}": "measures must be a list",
    "title: [": "cannot be read",
    "just words": "must contain fields",
}


def test_faults_name_the_file_and_the_field(tmp_path):
    for name, text, told in [("about.yaml", *of) for of in FAULTS.items()] + [
        ("about.json", '{"systems": {"a": {"name": "x", "name": "y"}}}', "'name' is given twice")
    ]:
        path = tmp_path / name
        path.write_text(text, "utf-8")
        with pytest.raises(ValueError) as error:
            read_about_board(path)
        assert told in str(error.value) and str(path) in str(error.value)


def test_systems_must_be_there_and_be_told_apart():
    about = about_board({"systems": {"a": {"name": "Alder"}, "b": {"name": "Birch"}}})
    about.require_systems(["a", "b", "c"])
    with pytest.raises(ValueError, match=r"'b'.*a, c"):
        about.require_systems(["a", "c"])
    with pytest.raises(ValueError, match="a and Alder"):
        about.require_systems(["a", "b", "Alder"])
    with pytest.raises(ValueError, match="Alder and alder"):
        about.require_systems(["a", "b", "alder"])
    assert about_board({}) == AboutBoard()
