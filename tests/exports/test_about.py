"""What is said of a result that is exported."""

import json
import sys

import pytest

from qassay.exports.about import About, about_of_pairs, read_about


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


def test_a_time_without_a_zone_is_of_utc():
    assert About(date="2026-01-15").time.isoformat() == "2026-01-15T00:00:00+00:00"
    assert About(date="2026-01-15T10:30:00+02:00").time.isoformat() == "2026-01-15T10:30:00+02:00"


def test_a_wrong_field_is_refused():
    for given, words in (
        ({"modle": "a/b"}, "'model'"),
        ({"revision": 1234567}, "revision"),
        ({"relationship": "third-party"}, "first_party, .*'third_party'"),
        ({"date": "15.1.2026"}, "date '15.1.2026'"),
        ({"source_user": "me"}, "source_url"),
    ):
        with pytest.raises((TypeError, ValueError), match=words):
            read_about(given)
    assert about_of_pairs(["model=a/b", "model=a/b"]) == {"model": "a/b"}
    with pytest.raises(ValueError, match="model is given twice"):
        about_of_pairs(["model=a/b", "model=a/c"])


@pytest.mark.parametrize(
    "name, content", [("a.yaml", b"model: ["), ("a.json", b"{"), ("c.yaml", b"model: \xff"), ("none.yaml", None)]
)
def test_a_file_that_does_not_say_it_is_refused(tmp_path, name, content):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=name):
        read_about(tmp_path / name)


def test_yaml_needs_a_library_and_json_does_not(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    (tmp_path / "a.json").write_text("{}")
    (tmp_path / "a.yaml").write_text("{}")
    assert read_about(tmp_path / "a.json") == About()
    with pytest.raises(ImportError, match="PyYAML"):
        read_about(tmp_path / "a.yaml")
