"""What an organiser says of a task and its systems: fields, and faults one by one."""

from pathlib import Path

import pytest

from qassay.leaderboards.about import read_about_board

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "leaderboard" / "about.yaml"


def test_the_sample_is_read():
    about = read_about_board(SAMPLE)
    assert about.measures == ("f1", "exact_match") and about.by == ("language",) and about.questions == "count"
    alder = about.systems["alder"]
    assert (alder.name, alder.link) == ("Alder-2", "https://example.org/alder")
    assert alder.all_facts() == {"team": "University of Skarrow", "date": "2026-05-04"}
    assert about.systems["keywords"].all_facts()["note"] == "baseline" and about.systems["birch"].link == ""


FAULTS = {
    "titel: x": "'titel' (did you mean 'title'?)",
    "systems: {a: {name: no}}": "systems, a: name must be text",
    "systems: {a: {link: 'javascript:alert(1)'}}": "systems, a: link must be an address",
    "systems: {a: {name: x, facts: [1]}}": "systems, a: facts",
    "systems: {a: {team: x, facts: {team: y}}}": "systems, a: team",
    "measures: {f1: x}": "measures must be a list",
    "questions: skip": "questions",
}


def test_faults_name_the_file_and_the_field(tmp_path):
    for name, text, told in [("about.yaml", *of) for of in FAULTS.items()] + [
        ("about.json", "[" * 100_000, "JSON"),
        ("about.yaml", "[" * 1_000, "YAML"),
        ("about.yaml", "- a", "fields and values"),
    ]:
        path = tmp_path / name
        path.write_text(text, "utf-8")
        with pytest.raises(ValueError) as error:
            read_about_board(path)
        assert told in str(error.value) and str(path) in str(error.value)
