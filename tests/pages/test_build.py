"""The builder of Spaces: what it renders, what it refuses, and that the folders load if qassay is not installed."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from qassay.pages import build as spaces
from qassay.pages.build import BuildError, bundle, lint, metric_names, render_space, render_spaces

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
    """A package with the real core and one toy metric."""
    root = tmp_path / "package"
    shutil.copytree(spaces.PACKAGE / "core", root / "core", ignore=shutil.ignore_patterns("__pycache__"))
    folder = {
        "__init__.py": "",
        "toy_share.py": SCRIPT,
        "shim.py": SHIM,
        "README.md": "---\ntitle: Toy\n---\n\r\nCarriage returns stay.\r\n",
        "requirements.txt": "evaluate==0.4.6\n",
        "app.py": APP,
        "tests.py": "test_cases = []\n",
        "__pycache__/toy_share.pyc": "x",
    }
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
"""File a."""
from __future__ import annotations

import math
import os.path as osp
from collections.abc import (
    Iterable,
    Mapping,
)

__all__ = ["helper", "Holder"]
LIMIT: int = 3  # a comment stays
TEXT = """
    two


    blank lines, "# no comment" and a form feed \x0c stay
"""


def helper(x):
    """A docstring that goes.

    With two lines.
    """
    def inner():
        """It goes too."""
        return osp.join("a", str(math.floor(x)))

    return inner()


class Holder:
    """Nothing but this."""


class Base:
    def compute(self):
        """A docstring that evaluate needs."""
        return LIMIT

    def other(self): "a docstring on the line of its def"; return 1

    async def later(self):
        """Nothing but this."""
'''
B = '''
"""File b."""
import math
from collections.abc import Iterable

from .a import Base, helper
from .a import LIMIT


@staticmethod
def top(x: Iterable) -> Undefined:
    import json
    return json.dumps([helper(x), LIMIT, math.pi])
'''


def test_the_bundle_holds_the_needed_files_in_order(tmp_path):
    text = small(tmp_path, a=A, b=B.replace("@staticmethod\n", "").replace("Undefined", "str"), unused="x = 1\n")
    lines = text.splitlines()
    assert lines[0].startswith("# Generated: do not edit.")
    assert lines[1] == "from __future__ import annotations"
    assert text.index("# core/a.py") < text.index("# core/b.py")
    assert "unused" not in text
    assert text.count("import math") == 1 and text.count("from collections.abc import Iterable\n") == 1
    assert "from .a" not in text and "__all__" not in text
    names = run_bundle(text)
    assert json.loads(names["top"](2.5)) == [os.path.join("a", "2"), 3, 3.141592653589793]
    assert names["TEXT"] == run_bundle(A)["TEXT"]
    assert "\x0c" in names["TEXT"] and "\n\n\n" in names["TEXT"]
    told = [names.get("__doc__"), *(of.__doc__ for of in (names["helper"], names["Holder"], names["Base"].later))]
    assert told == [None] * 4
    assert "It goes too" not in text and "LIMIT: int = 3  # a comment stays" in text
    assert names["Base"].compute.__doc__ == "A docstring that evaluate needs."
    assert names["Base"]().other() == 1


def test_what_a_shim_offers_keeps_its_docstring(tmp_path):
    """The help of a script is made of it."""
    text = small(tmp_path, b='def top():\n    """Told."""\n    return inner()\ndef inner():\n    """Not told."""\n')
    assert run_bundle(text)["top"].__doc__ == "Told." and run_bundle(text)["inner"].__doc__ is None


RESOURCES = """
RESOURCES: dict[str, str] = {}


def read_resource(name):
    return RESOURCES[name]
"""


def test_data_files_are_in_the_bundle(tmp_path):
    write_tree(tmp_path, {"core/numbers.json": '{"a": "\\\\ \'é\' # \n"}'})
    reader = 'from .resources import read_resource\ndef top():\n    return read_resource("numbers.json")\n'
    names = run_bundle(small(tmp_path, resources=RESOURCES, b=reader))
    assert names["top"]() == (tmp_path / "core" / "numbers.json").read_text("utf-8")
    for name in ('"other.json"', "names"):
        with pytest.raises(BuildError, match="read_resource needs the name of a file of its folder"):
            small(tmp_path, resources=RESOURCES, b=reader.replace('"numbers.json"', name))


def test_the_bundle_is_deterministic_and_ends_with_its_hash(tmp_path):
    text = small(tmp_path, a=A, b="from .a import helper\ntop = helper\n")
    assert text == bundle(tmp_path / "shim.py", tmp_path)
    code, _, last = text.rstrip("\n").rpartition("\n\n\n")
    assert last == f'CORE_SHA256 = "{run_bundle(text)["CORE_SHA256"]}"'
    digest = hashlib.sha256((code.partition("\n")[2] + "\n").encode()).hexdigest()
    assert run_bundle(text)["CORE_SHA256"] == digest


def test_edits_behind_a_hash_sign_reach_evaluates_cache(tmp_path):
    """Row 4 of the list of evaluate's bugs: its hash of a file stops at every '#'."""
    from evaluate.loading import files_to_hash

    hashes, stripped = [], []
    for letter in "BC":
        text = small(tmp_path, b=f'top = "x # {letter}"\n')
        (tmp_path / "bundle.py").write_text(text)
        hashes.append(files_to_hash([str(tmp_path / "bundle.py")]))
        (tmp_path / "bundle.py").write_text(text.partition("CORE_SHA256")[0])
        stripped.append(files_to_hash([str(tmp_path / "bundle.py")]))
    assert stripped[0] == stripped[1], "without CORE_SHA256 the edit would go unseen"
    assert hashes[0] != hashes[1]


FORM = "only 'from .file import name' or 'from ..folder.file import name'"
BELOW, TWICE = "relative import below the top level", "'x' is bound in a.py:"


@pytest.mark.parametrize(
    ("b", "line", "message"),
    [
        ("from . import a\ntop = 1\n", 1, FORM),
        ("from .a import x as y\ntop = 1\n", 1, "no 'as' and no '*'"),
        ("from .a import *\ntop = 1\n", 1, "no 'as' and no '*'"),
        ("from ..a import x\ntop = 1\n", 1, FORM),
        ("from .a.c import x\ntop = 1\n", 1, FORM),
        ("def top():\n    from .a import x\n    return x\n", 2, BELOW),
        ("if True:\n    from .a import x\ntop = 1\n", 2, BELOW),
        ("from math import *\ntop = 1\n", 1, "star import"),
        ("from qassay.core.a import x\ntop = 1\n", 1, "files of the package import each other by"),
        ("def top():\n    import qassay.core.a\n", 2, "files of the package import each other by"),
        ("from .a import x, y\ntop = 1\n", 1, "no file of the bundle defines y"),
        ("from .c import x\ntop = 1\n", 1, "there is no file"),
        ("from .a import x\nx = 2\ntop = 1\n", 2, f"{TWICE}1 too"),
        ("from .a import x\ndef sum(y): pass\ntop = 1\n", 2, "'sum' has a meaning in all files"),
        ("from .a import x\nfrom math import pow\ntop = 1\n", 2, "'pow' has a meaning"),
        ("CORE_SHA256 = 1\ntop = 1\n", 1, "'CORE_SHA256' has a meaning"),
        ("top = __file__\n", 1, "__file__ is another one"),
        ("import math; top = 1\n", 1, "an import needs a separate line"),
    ],
)
def test_what_does_not_survive_in_one_file_is_refused(tmp_path, b, line, message):
    refused(tmp_path, "x = 1\n", b, f"b.py:{line}", message)


@pytest.mark.parametrize(
    ("a", "b", "place", "message"),
    [
        ("from .b import top\nx = 1\n", "from .a import x\n", "a.py:1", "circular import: core.b -> core.a -> core.b"),
        ("x: int = 1\ny = 1\n", "from .a import y\nx: int = 2\n", "b.py:2", f"{TWICE}1 too"),
        ("x = y = 1\n", "from .a import y\ndef x(): pass\n", "b.py:2", f"{TWICE}1 too"),
        ("(x, y) = 1, 1\n", "from .a import y\nclass x: pass\n", "b.py:2", f"{TWICE}1 too"),
        ("y = 1\nfor x in (): pass\n", "from .a import y\nimport math as x\n", "b.py:2", f"{TWICE}2"),
        ("import math as x\ny = 1\n", "from .a import y\nimport cmath as x\n", "b.py:2", f"{TWICE}1"),
        ("import a.x\ny = 1\n", "from .a import y\nfrom a import a\n", "b.py:2", "'a' is bound in a.py:1"),
        ("try:\n    x = 1\nfinally:\n    y = 1\n", "from .a import y\nx = 2\n", "b.py:2", f"{TWICE}2"),
    ],
)
def test_names_that_meet_are_refused(tmp_path, a, b, place, message):
    refused(tmp_path, a, f"{b}top = 1\n", place, message)


def refused(folder, a, b, place, message):
    with pytest.raises(BuildError) as caught:
        small(folder, a=a, b=b)
    assert str(caught.value).startswith(f"{folder / 'core'}{os.sep}{place}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "b",
    [
        "import math\nfrom .a import y\ntop = 1\n",
        "from .a import y\nimport os.path\ntop = 1\n",
        "from .a import y\ntop = [x for x in range(3)]\n",
        "from .a import y\ndef top(x):\n    z = x\n    return z\n",
        "from .a import y\nclass top:\n    x = 1\n    sum = 2\n",
    ],
)
def test_names_that_do_not_meet_are_allowed(tmp_path, b):
    assert run_bundle(small(tmp_path, a="import math\nimport os\nx = y = z = 1\n", b=b))["x"] == 1


def test_files_of_other_folders_are_followed(tmp_path):
    other = "from .inner import half\nfrom ..core.a import x\nwhole = 2 * half + x\n"
    write_tree(tmp_path, {"toy/c.py": other, "toy/inner.py": "half = 3\n"})
    text = small(tmp_path, a="x = 1\n", b="from ..toy.c import whole\nfrom .a import x\ntop = whole + x\n")
    assert run_bundle(text)["top"] == 8
    assert [line for line in text.splitlines() if line.startswith("# ")][1:] == [
        "# toy/inner.py", "# core/a.py", "# toy/c.py", "# core/b.py",
    ]  # fmt: skip
    with pytest.raises(BuildError, match="circular import: core.b -> toy.c -> core.b"):
        write_tree(tmp_path, {"toy/c.py": "from ..core.b import top\nwhole = 1\n"})
        small(tmp_path, b="from ..toy.c import whole\ntop = 1\n")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("import qassay.core.b", "a shim imports by"),
        ("from qassay.core.files.b import top", "a shim imports by"),
        ("from qassay.core import b", "a shim imports by"),
        ("from qassay.files.b import top", "there is no file"),
        ("from qassay.core.c import top", "there is no file"),
        ("from qassay.core.b import top as t", "no 'as'"),
        ("from qassay.core.b import nosuch", "no file of the bundle defines nosuch"),
    ],
)
def test_shims_import_names_of_files(tmp_path, line, message):
    refused_shim(tmp_path, f"try:\n    {line}\nfinally:\n    pass\n", f"shim.py:2: {message}")


@pytest.mark.parametrize(
    ("shim", "message"),
    [
        ("from qassay.core.b import top\n", "shim.py:1: a shim holds one try"),
        ("x = 1\ntry:\n    from qassay.core.b import top\nfinally:\n    pass\n", "shim.py:1: a shim holds one try"),
        ('"""Nothing."""\n', "shim.py:1: the shim imports nothing"),
    ],
)
def test_shims_hold_nothing_but_their_imports(tmp_path, shim, message):
    refused_shim(tmp_path, shim, message)


def refused_shim(folder, shim, message):
    with pytest.raises(BuildError) as caught:
        small(folder, shim, b="top = 1\n")
    assert str(caught.value).startswith(f"{folder}{os.sep}{message}")


# --- scripts --------------------------------------------------------------------------------------------------------


NAMES, IMPORT = "import QAMetric, check_rows", "import datasets\n"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (NAMES, f"{NAMES}  # noqa: F401", "6: comment on a relative import"),
        (NAMES, "import (  # core\n    QAMetric,\n    check_rows,\n)", "6: comment on a relative import"),
        (IMPORT, "import datasets, os\n", "3: one import per line"),
        (IMPORT, "import datasets; import os\n", "3: one import per line"),
        (IMPORT, f"{IMPORT}import qassay\n", "4: only the shim may import qassay"),
        (IMPORT, f"{IMPORT}from qassay.core.module import QAMetric\n", "4: only the shim may"),
        (IMPORT, f"{IMPORT}from evaluate import Metric\n", "4: do not import a module class"),
        (IMPORT, f"{IMPORT}from evaluate.module import EvaluationModule\n", "4: do not import a module"),
        (IMPORT, f"{IMPORT}from .other import x\n", "1: the script must import one file beside it"),
        (f"from .shim {NAMES}", "import math", "1: the script must import one file beside it"),
        ("from .shim import", "from . import", "6: a relative import must have the form"),
        ("from .shim import", "from .shim.core import", "6: a relative import must have the form"),
        ("from .shim import", "from ..shim import", "6: a relative import must have the form"),
        ("        hits =", "        from .shim import top\n        hits =", "21: relative import below the top level"),
        ('_DESCRIPTION = """\n', '_DESCRIPTION = """# A title\n', "8: '#' inside a string"),
        ("scale=1.0):", "scale=1.0):\n        x = f'{scale} # no'", "20: '#' inside a string"),
        ("scale=1.0):", "scale=1.0):\n        x = b'#'", "20: '#' inside a string"),
        ('"""A toy metric."""', "'''A toy metric.'''", "2: ''' string"),
        ('_DESCRIPTION = """\n', "_DESCRIPTION = rf'''\n{1}'''\n_X = \"\"\"", "8: ''' string"),
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
    (source / "app.py").unlink()
    assert not (render_space("toy_share", tmp_path / "second", package) / "app.py").exists()


def test_render_all_and_the_command_line(package, tmp_path, capsys):
    twin = package / "twin_share"
    shutil.copytree(package / "toy_share", twin)
    (twin / "toy_share.py").unlink()
    (twin / "twin_share.py").write_text(SCRIPT.replace("ToyShare", "TwinShare"))
    assert metric_names(package) == ["toy_share", "twin_share"]
    names = ["toy_share", "twin_share", "demo"]
    assert render_spaces(tmp_path / "all", root=package) == [tmp_path / "all" / name for name in names]
    assert spaces.main(["build", str(tmp_path / "cli"), "twin_share"], package) == 0
    assert capsys.readouterr().out.split() == [str(tmp_path / "cli" / "twin_share")]
    assert not (tmp_path / "cli" / "toy_share").exists()
    assert spaces.main(["build", str(tmp_path / "cli")], package) == 0
    assert len(capsys.readouterr().out.split()) == 3
    with pytest.raises(SystemExit) as caught:
        spaces.main(["build", str(tmp_path / "none"), "toy_share", "nosuch"], package)
    assert caught.value.code == 2
    assert "no metric 'nosuch'" in capsys.readouterr().err and not (tmp_path / "none").exists()


def test_the_page_of_all_metrics_is_copied_beside_the_app(package, tmp_path):
    app = '"""The page; from qassay.pages.page import Page is not code here."""\n\nfrom qassay.pages.page import Page\n\nPage()\n'
    page = '"""Stands alone."""\n\n\ndef read():\n    from .files import read_gold\n\n    return read_gold\n'
    served = "def serve():\n    from qassay.pages.server import serve\n"
    cells = {"pages/server.py": "from qassay.core.shared_cells import text\n", "core/shared_cells.py": "text = str\n"}
    steps = [
        ({"toy_share/app.py": app, "pages/page.py": page},
         {"app.py": app.replace("\nfrom qassay.pages.page import", "\nfrom page import"), "page.py": page}),
        ({"pages/page.py": served, "pages/server.py": "from qassay.pages.page import text\n"},
         {"page.py": served.replace("qassay.pages.", ""), "server.py": "from page import text\n"}),
        (cells, {"server.py": "from shared_cells import text\n", "shared_cells.py": "text = str\n"}),
    ]  # fmt: skip
    for place, (files, wanted) in enumerate(steps):
        write_tree(package, files)
        out = render_space("toy_share", tmp_path / str(place), package)
        assert {name: (out / name).read_text() for name in wanted} == wanted
    write_tree(package, {"toy_share/app.py": APP})
    assert not (render_space("toy_share", tmp_path / "other", package) / "page.py").exists()


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "app.py: there is no file"),
        ({"pages/page.py": "", "toy_share/page.py": ""}, "toy_share/page.py: the page of all metrics has this name"),
        ({"pages/page.py": "import os\nfrom .files import read_gold\n"}, "page.py:2: relative import at the top level"),
        ({"pages/page.py": "from qassay.pages.server import f\n"}, "page.py: there is no file"),
        ({"pages/page.py": "def f():\n    import qassay\n"}, "page.py:2: a Space cannot import qassay"),
        ({"pages/page.py": "", "toy_share/app.py": PAGED + "import qassay\n"}, "app.py:2: a Space cannot"),
    ],
)
def test_pages_that_need_qassay_are_refused(package, tmp_path, files, message):
    write_tree(package, {"toy_share/app.py": PAGED, **files})
    with pytest.raises(BuildError) as caught:
        render_space("toy_share", tmp_path / "out", package)
    assert message in str(caught.value).replace(os.sep, "/")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("README.md", None, "toy_share: a Space needs README.md"),
        ("requirements.txt", None, "toy_share: a Space needs requirements.txt"),
        ("requirements.txt", "evaluate\nqassay>=1\n", "requirements.txt:2: a Space installs nothing of qassay"),
        ("requirements.txt", "-e .\n", "requirements.txt:1: a Space installs nothing of qassay"),
        ("app.py", "import os\nfrom qassay import load\n", "app.py:2: a Space cannot import qassay"),
        ("app.py", "def f():\n    import qassay.core\n", "app.py:2: a Space cannot import qassay"),
        ("app.py", "import os, \\\n  é as e,\\\n qassay\n", "app.py:1: a Space cannot import qassay"),
        ("app.py", "from\\\n\tqassay .core import text\n", "app.py:1: a Space cannot import qassay"),
        ("shim.py", None, "toy_share.py:6: there is no file"),
        ("shim.py", SHIM.replace("QAMetric", "_BLOCK"), "toy_share.py:6: the shim does not import 'QAMetric'"),
        ("toy_share.py", SCRIPT + "# x\nTEXT = '#'\n", "toy_share.py:24: '#' inside a string"),
    ],
)
def test_render_refuses_and_writes_nothing(package, tmp_path, name, text, message):
    path = package / "toy_share" / name
    path.unlink()
    if text is not None:
        path.write_text(text)
    with pytest.raises(BuildError) as caught:
        render_space("toy_share", tmp_path / "out", package)
    assert message in str(caught.value)
    assert not (tmp_path / "out").exists()


# --- loading --------------------------------------------------------------------------------------------------------

SCORE_TOY = """
import sys
import evaluate
metric = evaluate.load("./toy_share", scale=100.0)
seen = {"once": metric.compute(predictions=["a", "b"], references=["a", "x"])}
metric.add(prediction="a", reference="a")
metric.add_batch(predictions=["a"], references=["a"])
seen["added"] = metric.compute(scale=1)
try:
    metric.compute(predictions=["a", 1], references=["a", "x"])
except TypeError as err:
    seen["error"] = str(err)
seen["doc"] = [method.__doc__.endswith("Usage.") for method in (metric.compute, metric.add, metric.add_batch)]
"""
TOY_SCORES = {
    "once": {"share": 50.0},
    "added": {"share": 1.0},
    "error": "predictions[1] must be str, got int: 1; give texts",
    "doc": [True, True, True],
}


SCORE_ELSEWHERE = """
import importlib.util, json, os
os.chdir(sys.argv[1])
try:
    evaluate.load("./toy_share")
except ImportError as err:
    seen["clone"] = f"{type(err).__name__}: {err}"
seen["qassay"] = importlib.util.find_spec("qassay")
print(json.dumps(seen))
"""


def test_a_clone_scores_where_qassay_is_installed(package, monkeypatch):
    monkeypatch.chdir(package)
    namespace = {}
    exec(SCORE_TOY, namespace)  # noqa: S102
    assert namespace["seen"] == TOY_SCORES


@pytest.mark.thorough  # tests/test_scripts.py has all metrics where qassay cannot be imported
def test_a_rendered_space_scores_in_an_environment_without_qassay(package, tmp_path):
    """A virtual environment with links to all installed packages except qassay and transformers, which is slow."""
    environment, links = tmp_path / "environment", tmp_path / "links"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    links.mkdir()
    for site in (Path(path) for path in sys.path if Path(path).name in ("site-packages", "dist-packages")):
        for entry in site.iterdir():
            left_out = entry.name.startswith(("qassay", "__editable__", "transformers"))
            if not left_out and not (links / entry.name).exists():
                (links / entry.name).symlink_to(entry)
    (site_packages,) = environment.glob("**/site-packages")
    (site_packages / "links.pth").write_text(f"{links}\n")
    executable = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    out = render_space("toy_share", tmp_path / "out", package).parent
    env = {**os.environ, "HF_HOME": str(out / "home"), "HF_EVALUATE_OFFLINE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    for name in ("PYTHONPATH", "HF_MODULES_CACHE", "HF_METRICS_CACHE", "HF_EVALUATE_CACHE", "HF_DATASETS_CACHE"):
        env.pop(name, None)
    command = [executable, "-c", SCORE_TOY + SCORE_ELSEWHERE, str(package)]
    done = subprocess.run(command, check=False, cwd=out, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout.splitlines()[-1])
    assert seen.pop("qassay") is None
    assert seen.pop("clone") == "ImportError: qassay is not installed: run `pip install -e .` in the clone"
    assert seen == TOY_SCORES


def test_the_command_is_light_and_reports_its_errors(tmp_path):
    command = [sys.executable, "-X", "importtime", "-m", "qassay.pages.build", "build", str(tmp_path / "out"), "nosuch"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 2
    assert "no metric 'nosuch'" in done.stderr
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert "argparse" in loaded
    assert not loaded & {"evaluate", "datasets", "numpy", "torch", "pyarrow"}
