"""What is said of a result that is exported."""

import json
import sys

import pytest

from qassay.exports import read_facts


def test_fields_are_read_from_a_mapping_and_from_files(tmp_path):
    yaml, plain = tmp_path / "about.yaml", tmp_path / "about.json"
    yaml.write_text("model: org/m\ndate: 2026-01-15\nnotes:\nsplit: ' test '\n", "utf-8")
    plain.write_text(json.dumps({"model": "org/m", "date": "2026-01-15", "split": "test"}), "utf-8")
    fields = {"model": "org/m", "date": "2026-01-15", "split": "test"}
    assert read_facts(yaml) == read_facts(str(plain)) == read_facts(fields)
    assert read_facts(yaml).items() >= {**fields, "notes": ""}.items()


def test_a_wrong_field_is_refused():
    for given, words in (
        ({"modle": "a/b"}, "'model'"),
        ({"revision": 1234567}, "revision"),
        ({"relationship": "third-party"}, "third-party.*'third_party'"),
        ({"date": "15.1.2026"}, "date '15.1.2026'"),
    ):
        with pytest.raises((TypeError, ValueError), match=words):
            read_facts(given)


@pytest.mark.parametrize(
    "name, content", [("a.yaml", b"model: ["), ("a.json", b"{"), ("c.yaml", b"model: \xff"), ("none.yaml", None)]
)
def test_a_file_that_does_not_say_it_is_refused(tmp_path, name, content):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=name):
        read_facts(tmp_path / name)


def test_yaml_needs_a_library_and_json_does_not(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    (tmp_path / "a.json").write_text("{}")
    (tmp_path / "a.yaml").write_text("{}")
    assert read_facts(tmp_path / "a.json") == read_facts({})
    with pytest.raises(ImportError, match="PyYAML"):
        read_facts(tmp_path / "a.yaml")
