"""Renders self-contained Space folders: `qassay spaces build OUT [NAME ...]`, or `python -m qassay.pages.build build`.

A metric folder holds a script whose only relative import is its shim, and the shim imports the installed package. In the
rendered folder the script is unchanged, and the shim is one file with all the code that it needs, so `evaluate.load`
works without qassay. The page and the files that it imports by absolute names are copied beside app.py. The demo is a
separate folder, see demo.py.
"""

import argparse
import ast
import re
from collections.abc import Sequence
from pathlib import Path

from ..core.writing import write_files
from .bundle import BuildError, PythonFile, bundle, lint, root_packages, shim_links
from .demo import DEMO, render_demo

PACKAGE = Path(__file__).resolve().parents[1]
COPIED = ("README.md", "requirements.txt", "app.py")
NEEDED = ("README.md", "requirements.txt")
# How the page imports the files that are copied with it.
_OF_PAGE = re.compile(rb"^([ \t]*)from qassay\.(pages|core)\.(\w+) import ", re.MULTILINE)
# A quick check whether a file may import qassay: parsing a bundle takes most of the time of a Space.
_MAY_IMPORT = re.compile(rb"\bfrom[\s\\]+qassay\b|\bimport\b[\s\\,.\w\x80-\xff]*?\bqassay\b")


def metric_names(root: Path = PACKAGE) -> list[str]:
    """Names of the metric folders below `root`: folders with a script of the same name."""
    return sorted(path.name for path in Path(root).iterdir() if (path / f"{path.name}.py").is_file())


def render_space(name: str, out: Path, root: Path = PACKAGE) -> Path:
    """Writes the Space of one metric to `out/name` and returns that folder.

    The script, README.md, requirements.txt and app.py, if it exists, are copied byte for byte, except the line in which
    app.py imports `qassay.pages.page`: that file is copied too, with the files that it needs. The shim becomes the bundle
    of the core. Everything is checked before the first file is written; other files of the folder remain.

    Raises:
        BuildError: no such metric, a missing file, a script that `lint` objects to, a core that cannot be bundled, or a
            file that would still need qassay.
    """
    folder = Path(root) / name
    script = folder / f"{name}.py"
    if not script.is_file():
        raise BuildError(f"no metric {name!r} in {root}; available: {', '.join(metric_names(root)) or 'none'}")
    problems = lint(script)
    if problems:
        raise BuildError("\n".join(problems))
    missing = [needed for needed in NEEDED if not (folder / needed).is_file()]
    if missing:
        raise BuildError(f"{folder}: a Space needs {', '.join(missing)}")
    source = PythonFile(script)
    link = source.links()[0]
    shim = folder / f"{link.module}.py"
    if not shim.is_file():
        raise BuildError(source.at(link, f"there is no file {shim}"))
    offered = {alias.name for node in shim_links(PythonFile(shim)) for alias in node.names}
    for alias in (alias for node in source.links() for alias in node.names):
        if alias.name not in offered:
            raise BuildError(source.at(link, f"the shim does not import {alias.name!r}"))
    files = {path.name: path.read_bytes() for path in (script, *(folder / name for name in COPIED)) if path.is_file()}
    files[shim.name] = bundle(shim, Path(root)).encode("utf-8")
    files = {**files, **_with_page(folder, files.get("app.py", b""), Path(root))}
    _check_free_of_qassay(folder, files)
    target = Path(out) / name
    write_files(target, files)
    return target


def _with_page(folder: Path, app: bytes, root: Path) -> dict[str, bytes]:
    """The app importing a copy of `qassay.pages.page` beside it, and that copy with the files that it needs.

    Empty for an app without this import.
    """
    files, waiting = {}, [("app.py", app)]
    while waiting:
        name, content = waiting.pop()
        files[name] = _OF_PAGE.sub(rb"\1from \3 import ", content)
        for room, stem in dict.fromkeys((match[2].decode(), match[3].decode()) for match in _OF_PAGE.finditer(content)):
            other = f"{stem}.py"
            page = root / room / other
            if not page.is_file():
                raise BuildError(f"{folder / name}: there is no file {page}")
            if (folder / other).exists():
                raise BuildError(f"{folder / other}: the page of all metrics has this name; choose another")
            for node in PythonFile(page).links():
                raise BuildError(
                    f"{page}:{node.lineno}: relative import at the top level: the file is alone in a Space"
                )
            if other not in files:
                waiting.append((other, page.read_bytes()))
    return files if len(files) > 1 else {}


def _check_free_of_qassay(folder: Path, files: dict[str, bytes]) -> None:
    for file_name, content in files.items():
        if file_name == "requirements.txt":
            for number, line in enumerate(content.decode("utf-8").splitlines(), 1):
                if re.match(r"\s*(qassay\b|-e\b|--editable\b|\.)", line, re.IGNORECASE):
                    raise BuildError(f"{folder / file_name}:{number}: a Space installs nothing of qassay")
        elif file_name.endswith(".py") and _MAY_IMPORT.search(content):
            for node in ast.walk(ast.parse(content, file_name)):
                if isinstance(node, (ast.Import, ast.ImportFrom)) and "qassay" in root_packages(node):
                    raise BuildError(f"{folder / file_name}:{node.lineno}: a Space cannot import qassay")


def render_spaces(out: Path, names: Sequence[str] = (), root: Path = PACKAGE) -> list[Path]:
    """Renders the named metrics (and the demo, if named) below `out`; by default all. Returns the folders in order.

    Raises:
        BuildError: as `render_space`; an unknown name is reported before anything is written.
    """
    offered = [*metric_names(root), DEMO]
    unknown = [name for name in names if name not in offered]
    if unknown:
        raise BuildError(f"no metric {unknown[0]!r} in {root}; available: {', '.join(offered)}")
    return [render_demo(out) if name == DEMO else render_space(name, out, root) for name in names or offered]


def main(arguments: Sequence[str] | None = None, root: Path = PACKAGE) -> int:
    """The command line of `qassay spaces`; exit status 2 and one message if something cannot be rendered."""
    parser = argparse.ArgumentParser(prog="python -m qassay.pages.build", description="Self-contained Space folders.")
    commands = parser.add_subparsers(dest="command", required=True)
    build = commands.add_parser("build", help="render metrics and the demo into OUT/<name>")
    build.add_argument("out", metavar="OUT", type=Path)
    build.add_argument("names", metavar="name", nargs="*", help="metrics to render, or demo (all)")
    options = parser.parse_args(arguments)
    try:
        for path in render_spaces(options.out, options.names, root):
            print(path)
    except (BuildError, OSError) as err:
        parser.exit(2, f"{err}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
