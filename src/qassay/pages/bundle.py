"""Metric scripts as files of Spaces: a check for code that `evaluate` misreads, and a bundle of all needed code."""

import ast
import builtins
import functools
import hashlib
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MODULE_CLASSES = {"EvaluationModule", "Metric", "Comparison", "Measurement"}
# evaluate appends the usage text to the docstrings of these methods, so they need one. That text is made from the
# docstrings of a script's imports and of `Scores.result`, which stay too.
DOCUMENTED = {"compute", "add", "add_batch", "result"}
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_OWN_SCOPE = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class BuildError(ValueError):
    """A source that cannot be rendered; the message names file, line and the change needed."""


@functools.lru_cache(maxsize=256)
def _parsed(text: str, path: str) -> tuple[ast.Module, list[ast.AST]]:
    """The tree of a text and all its nodes; callers must not change them, because several bundles share most files."""
    tree = ast.parse(text, path)
    return tree, list(ast.walk(tree))


@dataclass
class PythonFile:
    """A Python file, parsed once: text, tree, all nodes of the tree, and the place that its errors name."""

    path: Path
    text: str = field(init=False)
    tree: ast.Module = field(init=False)
    nodes: list[ast.AST] = field(init=False)

    def __post_init__(self):
        self.text = self.path.read_text(encoding="utf-8")
        self.tree, self.nodes = _parsed(self.text, str(self.path))

    def at(self, node: ast.AST | int, problem: str) -> str:
        line = node if isinstance(node, int) else getattr(node, "lineno", 0)
        return f"{self.path}:{line}: {problem}"

    def imports(self) -> Iterator[Any]:
        return (node for node in self.nodes if isinstance(node, (ast.Import, ast.ImportFrom)))

    def links(self) -> list[Any]:
        """The relative imports at the top level."""
        return [node for node in self.tree.body if isinstance(node, ast.ImportFrom) and node.level]


def root_packages(node: ast.Import | ast.ImportFrom) -> set[str]:
    """Top-level packages of an absolute import."""
    modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
    return set() if getattr(node, "level", 0) else {module.partition(".")[0] for module in modules}


def lint(script: Path) -> list[str]:
    """Lines `file:line: problem` for code of a metric script that `evaluate.load` would misread; [] without a problem.

    `evaluate` finds imports with a regular expression, reads a comment after a relative import as an address, ignores
    everything after a `#` when it hashes a file, and uses the first module class that it finds as the metric.
    """
    source = PythonFile(Path(script))
    problems = [*_import_problems(source), *_string_problems(source)]
    classes = {node.name.lower() for node in source.tree.body if isinstance(node, ast.ClassDef)}
    if source.path.stem.replace("_", "") not in classes:
        problems.append((1, f"no class is named after the script {source.path.stem!r} in CamelCase"))
    return [source.at(line, problem) for line, problem in sorted(problems)]


def _import_problems(source: PythonFile) -> Iterator[tuple[int, str]]:
    links = source.links()
    if len({link.module for link in links}) != 1:
        yield 1, "the script must import one file beside it, its shim"
    tokens = tokenize.generate_tokens(io.StringIO(source.text).readline)
    comments = {token.start[0] for token in tokens if token.type == tokenize.COMMENT}
    taken: set[int] = set()
    for node in source.imports():
        lines = set(range(node.lineno, node.end_lineno + 1))
        if isinstance(node, ast.Import) and len(node.names) > 1 or lines & taken:
            yield node.lineno, "one import per line"
        taken |= lines
        if "qassay" in root_packages(node):
            yield node.lineno, "only the shim may import qassay"
        if "evaluate" in root_packages(node) and MODULE_CLASSES & {alias.name for alias in node.names}:
            yield node.lineno, "do not import a module class of evaluate by name: it would be taken for the metric"
        if not getattr(node, "level", 0):
            continue
        if node not in links:
            yield node.lineno, "relative import below the top level: evaluate would not copy the file"
        if node.level > 1 or not node.module or "." in node.module:
            yield node.lineno, "a relative import must have the form 'from .shim import name'"
        if lines & comments:
            yield node.lineno, "comment on a relative import: evaluate reads it as an address"


def _string_problems(source: PythonFile) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
        opens = token.type == tokenize.STRING or tokenize.tok_name[token.type] == "FSTRING_START"
        if opens and token.string.lstrip("rRbBuUfF").startswith("'''"):
            yield token.start[0], "''' string: evaluate only knows \"\"\""
    for node in source.nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)):
            text = node.value if isinstance(node.value, str) else node.value.decode("latin-1")
            if "#" in text:
                yield node.lineno, "'#' inside a string: later edits behind it would not be seen by the modules cache"


def bundle(shim: Path, root: Path) -> str:
    """The files of the package that a shim needs, as the text of one file that does not import qassay.

    Args:
        shim: file with `from qassay.folder.file import name` inside one `try`.
        root: folder of the package; its files refer to each other by `from .file import name` and
            `from ..folder.file import name`, at the top level only.

    Raises:
        BuildError: a form that would not survive in one file, with file and line.
    """
    shim_source = PythonFile(Path(shim))
    entries = shim_links(shim_source)
    files: dict[str, PythonFile] = {}
    for node in entries:
        _collect(node.module.removeprefix("qassay."), shim_source.at(node, ""), Path(root), files, ())
    owners = _check_names(files)
    for source, nodes in [(shim_source, entries), *((source, source.links()) for source in files.values())]:
        for node in nodes:
            unknown = [alias.name for alias in node.names if alias.name not in owners]
            if unknown:
                raise BuildError(source.at(node, f"no file of the bundle defines {', '.join(unknown)}"))
    future, hoisted = _hoisted(files.values())
    told = DOCUMENTED | {alias.name for node in entries for alias in node.names}
    parts = [f"# {name.replace('.', '/')}.py\n{_body(source, told)}" for name, source in files.items()]
    parts += [f"# {name}\nRESOURCES[{name!r}] = {text!r}" for name, text in _resources(files).items()]
    code = "\n\n\n".join(part for part in ("\n".join(future + hoisted), *parts) if part) + "\n"
    digest = hashlib.sha256(code.encode("utf-8")).hexdigest()
    header = (
        '# Generated: do not edit. Rendered from the files of qassay named below by "python -m qassay.pages.build".\n'
    )
    text = f'{header}{code}\n\nCORE_SHA256 = "{digest}"\n'
    compile(text, "bundle", "exec")
    return text


def _resources(files: dict[str, PythonFile]) -> dict[str, str]:
    """The texts of data files read by `read_resource("name", ...)`, so that the bundle works without these files."""
    texts = {}
    for source in files.values():
        for node in source.nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "read_resource":
                name, folder = node.args[0], source.path.parent
                if not isinstance(name, ast.Constant) or not (folder / str(name.value)).is_file():
                    raise BuildError(
                        source.at(node, "read_resource needs the name of a file of its folder, as a string")
                    )
                texts[str(name.value)] = (folder / str(name.value)).read_text(encoding="utf-8")
    return texts


def shim_links(shim: PythonFile) -> list[Any]:
    """The imports of a shim; it may not contain other code, because the bundle replaces it."""
    links = []
    for node in shim.tree.body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) or _sets_all(node):
            continue
        if not isinstance(node, ast.Try):
            raise BuildError(shim.at(node, "a shim holds one try with its imports, nothing else"))
        for link in node.body:
            if not isinstance(link, ast.ImportFrom) or not re.fullmatch(r"qassay\.\w+\.\w+", link.module or ""):
                raise BuildError(shim.at(link, "a shim imports by 'from qassay.folder.file import name'"))
            _refuse_aliases(shim, link)
            links.append(link)
    if not links:
        raise BuildError(shim.at(1, "the shim imports nothing of qassay"))
    return links


def _refuse_aliases(source: PythonFile, node: ast.ImportFrom) -> None:
    for alias in node.names:
        if alias.asname or alias.name == "*":
            raise BuildError(source.at(node, "no 'as' and no '*' in an import between files of the package"))


def _collect(name: str, origin: str, root: Path, files: dict[str, PythonFile], above: tuple[str, ...]) -> None:
    """Adds a file, as `folder.file`, to `files` after the files that it needs."""
    if name in above:
        raise BuildError(f"{origin}circular import: {' -> '.join((*above, name))}")
    if name in files:
        return
    folder, _, stem = name.partition(".")
    path = root / folder / f"{stem}.py"
    if not path.is_file():
        raise BuildError(f"{origin}there is no file {path}")
    source = PythonFile(path)
    _check_forms(source)
    for node in source.links():
        linked = f"{folder}.{node.module}" if node.level == 1 else node.module
        _collect(linked, source.at(node, ""), root, files, (*above, name))
    files[name] = source


def _check_forms(source: PythonFile) -> None:
    """Refuses code whose meaning changes when several files become one."""
    links = source.links()
    forms = "'from .file import name' or 'from ..folder.file import name'"
    for node in source.imports():
        if "qassay" in root_packages(node):
            raise BuildError(source.at(node, f"files of the package import each other by {forms}"))
        if isinstance(node, ast.ImportFrom) and node.level:
            if node not in links:
                raise BuildError(source.at(node, "relative import below the top level"))
            if not node.module or node.level > 2 or node.module.count(".") != node.level - 1:
                raise BuildError(source.at(node, f"only {forms} between files of the package"))
            _refuse_aliases(source, node)
        elif any(alias.name == "*" for alias in node.names):
            raise BuildError(source.at(node, "star import"))
    for node in source.nodes:
        if isinstance(node, ast.Name) and node.id in ("__file__", "__package__", "__spec__"):
            raise BuildError(source.at(node, f"{node.id} is another one in the bundle"))


def _bound(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, int, str]]:
    """Names bound at the top level, as (name, line, meaning), including `if` and `try`, excluding functions."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.level or _sets_all(node):
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                module = f"{getattr(node, 'module', '')}:"
                short = alias.name if isinstance(node, ast.ImportFrom) else alias.name.partition(".")[0]
                whole = alias.name if alias.asname else short
                yield alias.asname or short, node.lineno, f"import {module}{whole}"
            continue
        if isinstance(node, _DEFINITIONS):
            yield node.name, node.lineno, "definition"
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno, "definition"
        if isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name, node.lineno, "definition"
        if not isinstance(node, _OWN_SCOPE):
            yield from _bound(ast.iter_child_nodes(node))


def _check_names(files: dict[str, PythonFile]) -> dict[str, PythonFile]:
    """Name -> file that binds it; a name with two meanings, or a built-in name, is refused."""
    owners: dict[str, PythonFile] = {}
    meanings: dict[str, dict[str, int]] = {}
    for source in files.values():
        own: dict[str, dict[str, int]] = {}
        for name, line, meaning in _bound(source.tree.body):
            if hasattr(builtins, name) and not name.startswith("__") or name == "CORE_SHA256":
                raise BuildError(source.at(line, f"the name {name!r} has a meaning in all files: choose another"))
            own.setdefault(name, {}).setdefault(meaning, line)
        for name, lines in own.items():
            first, owner = meanings.setdefault(name, lines), owners.setdefault(name, source)
            if owner is not source and ("definition" in lines or lines.keys() != first.keys()):
                place = f"{owner.path.name}:{min(first.values())}"
                raise BuildError(source.at(min(lines.values()), f"{name!r} is bound in {place} too"))
    return owners


def _hoisted(sources: Iterable[PythonFile]) -> tuple[list[str], list[str]]:
    """The absolute top-level imports of all files, one name per line: first __future__ imports, then the others."""
    lines = set()
    for source in sources:
        for node in source.tree.body:
            if isinstance(node, (ast.Import, ast.ImportFrom)) and not getattr(node, "level", 0):
                for alias in node.names:
                    origin = f"from {node.module} " if isinstance(node, ast.ImportFrom) else ""
                    lines.add(f"{origin}import {alias.name}" + (f" as {alias.asname}" if alias.asname else ""))
    future = sorted(line for line in lines if line.startswith("from __future__ "))
    return future, sorted(lines.difference(future), key=lambda line: (line.startswith("from"), line))


def _sets_all(node: ast.AST) -> bool:
    """Whether a statement sets `__all__`, which has no effect without star imports."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets)


def _body(source: PythonFile, told: set[str]) -> str:
    """The text of a file without top-level imports, and without docstrings except of the names in `told`."""
    lines: list[Any] = [
        *source.text.split("\n")
    ]  # lines as ast counts them: form feeds and similar characters do not end a line
    body: list[Any] = source.tree.body
    dropped = [n for n in body if isinstance(n, (ast.Import, ast.ImportFrom)) or _sets_all(n)]
    used = {line for n in body if n not in dropped for line in (n.lineno, n.end_lineno)}
    for node in dropped:
        if used & set(range(node.lineno, node.end_lineno + 1)):
            raise BuildError(source.at(node, "an import needs a separate line"))
        lines[node.lineno - 1 : node.end_lineno] = [None] * (node.end_lineno - node.lineno + 1)
    for owner in source.nodes:
        if not isinstance(owner, (ast.Module, *_DEFINITIONS)):
            continue
        if getattr(owner, "name", "") in told or ast.get_docstring(owner, clean=False) is None:
            continue
        text: Any
        text, *after = owner.body
        indent = lines[text.lineno - 1][: text.col_offset]
        if indent.strip() or (after and after[0].lineno == text.end_lineno):
            continue  # shares its line with code
        rest = [] if after or isinstance(owner, ast.Module) else [f"{indent}pass"]
        height = text.end_lineno - text.lineno + 1
        lines[text.lineno - 1 : text.end_lineno] = (rest + [None] * height)[:height]
    return "\n".join(line for line in lines if line is not None).strip("\n")
