"""The functions of the front page, by `node --test`, and the page as one script."""

import shutil
import subprocess
from pathlib import Path

import pytest

import qassay.space
from qassay.results.page import page, script, shell
from qassay.space.samples import FOLDER

HERE = Path(__file__).parent
FRONT = Path(qassay.space.__file__).parent / "front"


def test_functions_of_the_front_page():
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    done = subprocess.run([node, "--test", str(HERE / "front.test.mjs")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:]


def test_the_page_is_one_script_with_the_viewer_and_no_html_of_data():
    code = script("front.js", FRONT)
    assert code.count('modules["dom.js"] = ') == 1 and 'modules["main.js"] = ' in code
    for path in FRONT.glob("*.js"):
        assert not {"innerHTML", "outerHTML", "insertAdjacentHTML", "eval(", "document.write"} & set(
            path.read_text().split()
        )
        assert "innerHTML" not in path.read_text() and "insertAdjacent" not in path.read_text()


def test_a_shell_that_is_filled_is_the_page(tmp_path):
    from qassay.space.scoring import document_of

    found = document_of(str(FOLDER / "labels/spam.csv"), [], "metric=average_precision")
    whole, empty = page(found), shell()
    for mark in ("@title@", "@static@", "@data@"):
        assert empty.count(mark) == 1
    assert whole.partition("</style>")[0].partition("<title>")[0] == empty.partition("<title>")[0]
