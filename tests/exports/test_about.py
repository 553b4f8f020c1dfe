"""What is said of a result that is exported."""

import json
import sys

import pytest

from qassay.exports.about import RELATIONSHIPS, About, about_of_pairs, read_about


def test_fields_are_read_from_a_mapping_and_from_files(tmp_path):
    yaml, plain = tmp_path / "about.yaml", tmp_path / "about.json"
    yaml.write_text("model: org/m\ndate: 2026-01-15\nnotes:\nsplit: ' test '\n", "utf-8")
    plain.write_text(json.dumps({"model": "org/m", "date": "2026-01-15", "split": "test"}), "utf-8")
    assert read_about(yaml) == read_about(str(plain)) == About(model="org/m", date="2026-01-15", split="test")
    assert about_of_pairs(["model=org/other", str(plain), "notes=a=b"]) == {
        "model": "org/other",
        "date": "2026-01-15",
        "split": "test",
        "notes": "a=b",
    }


@pytest.mark.parametrize(
    "date, time",
    [
        ("2026-01-15", "2026-01-15T00:00:00+00:00"),
        ("2026-01-15T10:30:00Z", "2026-01-15T10:30:00+00:00"),
        ("2026-01-15T10:30:00+02:00", "2026-01-15T10:30:00+02:00"),
    ],
)
def test_a_time_without_a_zone_is_of_utc(date, time):
    assert About(date=date).time.isoformat() == time


@pytest.mark.parametrize(
    "given, error, words",
    [
        ({"modle": "a/b"}, ValueError, r"unknown field 'modle' \(did you mean 'model'\?\); available: model, "),
        ({"revision": 1234567}, TypeError, "revision must be text; got int: 1234567; put it into quotes"),
        ({"split": False}, TypeError, "split must be text; got bool: False"),
        ({"relationship": "third-party"}, ValueError, r"is not one of: first_party, .*did you mean 'third_party'"),
        ({"availability": "open"}, ValueError, "availability 'open' is not one of: open_weights"),
        ({"date": "15.1.2026"}, ValueError, "date '15.1.2026' is not a date by ISO 8601"),
        ({"source_user": "me"}, ValueError, "give source_url too"),
    ],
)
def test_a_wrong_field_is_refused(given, error, words):
    with pytest.raises(error, match=words):
        read_about(given)


@pytest.mark.parametrize(
    "name, content, words",
    [
        ("about.yaml", b"model: [", r"about.yaml: the file cannot be read: "),
        ("about.json", b"{", r"about.json: the file cannot be read: "),
        ("about.yaml", b"a list", r"about.yaml: the file must contain fields and values"),
        ("about.yaml", b"model: \xff", r"about.yaml: the file is not UTF-8 text"),
        ("about.json", b'{"date": "now"}', r"about.json: date 'now' is not a date"),
        ("about.yaml", None, r"about.yaml: there is no such file"),
    ],
)
def test_a_file_that_does_not_say_it_is_refused(name, content, words, tmp_path):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=words):
        read_about(tmp_path / name)


def test_a_field_with_two_values_is_refused():
    assert about_of_pairs(["model=a/b", "model=a/b"]) == {"model": "a/b"}
    with pytest.raises(ValueError, match="--about model is given twice: a/b and a/c; give it once"):
        about_of_pairs(["model=a/b", "model=a/c"])


def test_yaml_needs_a_library_and_json_does_not(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    (tmp_path / "a.json").write_text("{}")
    (tmp_path / "a.yaml").write_text("{}")
    assert read_about(tmp_path / "a.json") == About()
    with pytest.raises(ImportError, match=r'needs PyYAML: run `pip install "qassay\[hub\]"`'):
        read_about(tmp_path / "a.yaml")


def test_the_docstring_names_every_relationship():
    assert ", ".join(RELATIONSHIPS[:-1]) + f" or {RELATIONSHIPS[-1]}" in About.__doc__
