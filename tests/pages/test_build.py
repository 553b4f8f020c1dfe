"""The builder of Spaces: what it renders and what it refuses; tests/pages/test_page.py scores with rendered folders."""

import hashlib
import json
import os
import shutil
import textwrap

import pytest

from qassay.pages import build as spaces
from qassay.pages.build import BuildError, bundle, lint, render_space

SCRIPT = '''
"""A toy metric."""
import datasets
import evaluate

from .shim import QAMetric, check_rows

_DESCRIPTION = """
Share of equal strings.
"""


class ToyShare(QAMetric):
    def _info(self):
        text = datasets.Value("string")
        features = datasets.Features({"predictions": text, "references": text})
        return evaluate.MetricInfo(description=_DESCRIPTION, citation="", features=features, inputs_description="Usage.")

    def _compute(self, predictions, references, *, scale=1.0):
        check_rows(predictions, "predictions", (), str, "give texts")
        hits = sum(p == r for p, r in zip(predictions, references))
        return {"share": hits / len(predictions) * scale}
'''
SHIM = '''
"""Links to the installed core."""
try:
    from qassay.core.columns import check_rows  # noqa: F401
    from qassay.core.module import QAMetric  # noqa: F401
except ModuleNotFoundError as err:
    if err.name != "qassay":
        raise
    raise ImportError("qassay is not installed: run `pip install -e .` in the clone") from err
'''
APP, PAGED = "import evaluate\n", "from qassay.pages.page import Page\n"


def write_tree(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.fixture()
def package(tmp_path):
    """A package with one toy metric and a core of a few lines."""
    root = tmp_path / "package"
    core = {"columns.py": "def check_rows(*_):\n    pass\n", "module.py": "class QAMetric:\n    pass\n"}
    folder = {
        "__init__.py": "",
        "toy_share.py": SCRIPT,
        "shim.py": SHIM,
        "README.md": "---\ntitle: Toy\n---\n\r\nCarriage returns stay.\r\n",
        "requirements.txt": "evaluate==0.4.6\n",
        "app.py": APP,
        "tests.py": "test_cases = []\n",
    }
    write_tree(root, {f"core/{name}": text for name, text in core.items()})
    return write_tree(root, {f"toy_share/{name}": text for name, text in folder.items()})


def small(tmp_path, shim="try:\n    from qassay.core.b import top\nexcept ModuleNotFoundError:\n    raise\n", **core):
    """A shim and a core of files of a few lines; the text of the bundle."""
    files = {f"core/{name}.py": textwrap.dedent(text) for name, text in core.items()}
    write_tree(tmp_path, {"shim.py": shim, **files})
    return bundle(tmp_path / "shim.py", tmp_path)


def run_bundle(text):
    namespace = {"__name__": "bundle"}
    exec(compile(text, "bundle", "exec"), namespace)  # noqa: S102
    return namespace


# --- the bundle -----------------------------------------------------------------------------------------------------

A = '''
from __future__ import annotations

import math
import os.path as osp

__all__ = ["helper"]
LIMIT: int = 3  # a comment stays
TEXT = """
    blank lines, "# no comment" and a form feed \x0c stay

"""


def helper(x):
    """A docstring that goes."""
    return osp.join("a", str(math.floor(x)))


class Base:
    def compute(self):
        """A docstring that evaluate needs."""
        return LIMIT
'''
B = '''
"""File b."""
import math

from .a import Base, helper
from .a import LIMIT


def top(x) -> str:
    import json
    return json.dumps([helper(x), LIMIT, math.pi])
'''


def test_the_bundle_holds_the_needed_files_in_order_and_ends_with_its_hash(tmp_path):
    text = small(tmp_path, a=A, b=B, unused="x = 1\n")
    assert text == bundle(tmp_path / "shim.py", tmp_path)
    assert text.splitlines()[1] == "from __future__ import annotations" and "unused" not in text
    assert text.index("# core/a.py") < text.index("# core/b.py") and text.count("import math") == 1
    assert "from .a" not in text and "__all__" not in text
    names = run_bundle(text)
    assert json.loads(names["top"](2.5)) == [os.path.join("a", "2"), 3, 3.141592653589793]
    assert names["TEXT"] == run_bundle(A)["TEXT"]
    assert names["helper"].__doc__ is None and "LIMIT: int = 3  # a comment stays" in text
    assert names["Base"].compute.__doc__ == "A docstring that evaluate needs."
    code, _, last = text.rstrip("\n").rpartition("\n\n\n")
    digest = hashlib.sha256((code.partition("\n")[2] + "\n").encode()).hexdigest()
    assert last == f'CORE_SHA256 = "{digest}"' and names["CORE_SHA256"] == digest


X = "x = 1\n"
REFUSED = [
    (X, "from . import a", "b.py:1", "only 'from"),
    (X, "from .c import x", "b.py:1", "no file"),
    (X, "from .a import x\nx = 2", "b.py:2", "'x' is bound in a.py:1"),
    (X, "top = __file__", "b.py:1", "__file__"),
    ("from .b import top\nx = 1\n", "from .a import x", "a.py:1", "core.b -> core.a -> core.b"),
    ("try:\n    x = 1\nfinally:\n    y = 1\n", "from .a import y\nx = 2", "b.py:2", "'x' is bound in a.py:2"),
]


@pytest.mark.parametrize(("a", "b", "place", "message"), REFUSED)
def test_what_does_not_survive_in_one_file_is_refused(tmp_path, a, b, place, message):
    with pytest.raises(BuildError) as caught:
        small(tmp_path, a=a, b=f"{b}\ntop = 1\n")
    assert str(caught.value).startswith(f"{tmp_path / 'core'}{os.sep}{place}: ") and message in str(caught.value)


# --- scripts --------------------------------------------------------------------------------------------------------


NAMES, IMPORT = "import QAMetric, check_rows", "import datasets\n"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (NAMES, f"{NAMES}  # noqa: F401", "6: comment on a relative import"),
        (IMPORT, f"{IMPORT}import qassay\n", "4: only the shim may import qassay"),
        (IMPORT, f"{IMPORT}from .other import x\n", "1: the script must import one file beside it"),
        ('_DESCRIPTION = """\n', '_DESCRIPTION = """# A title\n', "8: '#' inside a string"),
        ("class ToyShare", "class ToysShare", "1: no class is named after the script 'toy_share'"),
    ],
)
def test_lint_finds_what_evaluate_would_misread(tmp_path, old, new, message):
    script = tmp_path / "toy_share.py"
    script.write_text(SCRIPT)
    assert lint(script) == []
    assert SCRIPT.count(old) == 1
    script.write_text(SCRIPT.replace(old, new))
    assert any(problem.startswith(f"{script}:{message}") for problem in lint(script)), lint(script)


# --- rendering ------------------------------------------------------------------------------------------------------


def test_render_copies_byte_for_byte_and_replaces_the_shim(package, tmp_path):
    out = tmp_path / "out"
    (out / "toy_share").mkdir(parents=True)
    (out / "toy_share" / "shim.py").write_text("old")
    (out / "toy_share" / "notes.txt").write_text("mine")
    source, target = package / "toy_share", render_space("toy_share", out, package)
    assert target == out / "toy_share"
    expected = ["README.md", "app.py", "notes.txt", "requirements.txt", "shim.py", "toy_share.py"]
    assert sorted(path.name for path in target.iterdir()) == expected
    for name in ("README.md", "app.py", "requirements.txt", "toy_share.py"):
        assert (target / name).read_bytes() == (source / name).read_bytes()
    assert (target / "shim.py").read_text().startswith("# Generated: do not edit.")
    assert (target / "shim.py").read_text() == bundle(source / "shim.py", package)
    for path in target.glob("*.py"):
        assert not any("qassay" in spaces.root_packages(node) for node in spaces.PythonFile(path).imports())


def test_render_refuses_what_needs_qassay_and_writes_nothing(package, tmp_path):
    paged = f"{PAGED}import os\n"
    before = {path: path.read_text("utf-8") for path in (package / "toy_share").glob("*.*")}
    for files, message in (
        ({"toy_share/README.md": None}, "toy_share: a Space needs README.md"),
        ({"toy_share/requirements.txt": "evaluate\nqassay>=1\n"}, "requirements.txt:2"),
        ({"toy_share/app.py": "def f():\n    import qassay.core\n"}, "app.py:2"),
        ({"toy_share/app.py": "import os, \\\n  é as e,\\\n qassay\n"}, "app.py:1"),
        ({"toy_share/shim.py": SHIM.replace("QAMetric", "_BLOCK")}, "toy_share.py:6"),
        ({"toy_share/app.py": paged, "pages/page.py": "import os\nfrom .files import read_gold\n"}, "page.py:2"),
        ({"toy_share/app.py": paged, "pages/page.py": "", "toy_share/page.py": ""}, "toy_share/page.py"),
    ):
        write_tree(package, {name: text for name, text in files.items() if text is not None})
        for name in [name for name, text in files.items() if text is None]:
            (package / name).unlink()
        with pytest.raises(BuildError) as caught:
            render_space("toy_share", tmp_path / "out", package)
        assert message in str(caught.value).replace(os.sep, "/") and not (tmp_path / "out").exists()
        for path, text in before.items():
            path.write_text(text, "utf-8")
        shutil.rmtree(package / "pages", ignore_errors=True)
