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


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("titel: x", "unknown field 'titel' (did you mean 'title'?)"),
        ("systems: {a: {nam: x}}", "systems, a: unknown field 'nam' (did you mean 'name'?)"),
        ("systems: [a]", "systems must contain fields and values; got list"),
        ("systems: {a: Alder}", "systems, a must contain fields and values; got str"),
        ("systems: {a: {name: no}}", "systems, a: name must be text; got bool: False; put it into quotes"),
        ("systems: {a: {facts: {size: [7]}}}", "systems, a: facts, size must be text"),
        (
            "systems: {a: {link: 'javascript:alert(1)'}}",
            "systems, a: link must be an address that begins with https://",
        ),
        ("systems: {a: {link: 'data:text/html,x'}}", "link must be an address"),
        ("systems: {a: {link: 'https:///x'}}", "link must be an address"),
        ("systems: {a: {link: 'https://x.org/a b'}}", "link must be an address"),
        ("systems: {a: {link: 'https://[x'}}", "link must be an address"),
        ("systems: {a: {}, a: {}}", "'a' is given twice; give it once"),
        ("systems: {a: {team: x, facts: {team: y}}}", "systems, a: team is given, and another one among the facts"),
        ("questions: some", "questions must be one of refuse, common, count; got 'some'"),
        ("measures: {f1: 1}", "measures must be a list of names, such as [f1, exact_match]"),
        ("title: [", "the file cannot be read"),
        ("just words", "the file must contain fields and values, such as 'title: Reading task'"),
    ],
)
def test_faults_name_the_file_and_the_field(tmp_path, text, told):
    pytest.importorskip("yaml")
    path = tmp_path / "about.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(ValueError) as error:
        read_about_board(path)
    assert told in str(error.value) and str(path) in str(error.value)


def test_repeated_fields_of_json_are_refused(tmp_path):
    path = tmp_path / "about.json"
    path.write_text('{"systems": {"a": {"name": "x", "name": "y"}}}', "utf-8")
    with pytest.raises(ValueError, match="'name' is given twice"):
        read_about_board(path)


def test_systems_must_be_there_and_be_told_apart():
    about = about_board({"systems": {"a": {"name": "Alder"}, "b": {"name": "Birch"}}})
    about.require_systems(["a", "b", "c"])
    with pytest.raises(ValueError, match=r"there is no system 'b'; the systems are: a, c"):
        about.require_systems(["a", "c"])
    with pytest.raises(ValueError, match="the systems a and Alder are both called 'Alder'"):
        about.require_systems(["a", "b", "Alder"])
    with pytest.raises(ValueError, match="the names Alder and alder of two systems look alike"):
        about.require_systems(["a", "b", "alder"])
    assert about_board({}) == AboutBoard()
