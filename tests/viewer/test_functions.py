"""The viewer's pure functions, in node where it is there."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import qassay

from .documents import made_document

TESTS = Path(__file__).with_name("viewer.test.mjs")


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_functions_of_the_viewer(tmp_path):
    path = tmp_path / "document.json"
    path.write_text(json.dumps(made_document(64)))
    viewer = Path(qassay.__file__).parent / "results" / "viewer"
    done = subprocess.run(
        ["node", "--test", str(TESTS)],
        capture_output=True,
        text=True,
        env={**os.environ, "QASSAY_VIEWER": str(viewer), "QASSAY_DOCUMENT": str(path)},
    )
    assert done.returncode == 0, done.stdout + done.stderr
