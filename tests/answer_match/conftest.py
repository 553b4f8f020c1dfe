"""What the tests of files of answers share."""

import json

import pytest


@pytest.fixture
def save(tmp_path):
    """A function of a name and text, or a JSON value -> the file."""

    def write(name, value):
        path = tmp_path / name
        path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
        return path

    return write
