"""Do the tests find small faults? Puts one fault at a time into the package, and runs golden numbers and the default suite.

    python benchmarks/mutations.py --count 60 --seed 0

A fault swaps an operator or a comparison, shifts a constant, or negates a condition, in a line that a seed chooses: the same
number in each room (a folder or a module of the package). The tests of the room run first, then golden numbers, then all. The
files are changed in place and written back, so the clone must be clean, and nothing else should use it. A fault that makes tests
run for ten minutes counts as found.
"""

import argparse
import ast
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 600  # seconds of a run of tests
PACKAGE, TESTS = ROOT / "src" / "qassay", ROOT / "tests"
SWAPS = {  # operator in the code -> what replaces it
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "is": "is not", "is not": "is", "in": "not in",
    "not in": "in", "+": "-", "-": "+", "*": "/", "/": "*", "//": "*", "and": "or", "or": "and",
}  # fmt: skip


def faults(text: str) -> Iterator[tuple[int, str, str, str]]:
    """The line, the old and the new code of each possible fault, and the text of the file with it."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode()))
    data = text.encode()

    def span(node: ast.expr) -> tuple[int, int]:
        first, last = node.lineno, node.end_lineno or node.lineno
        return starts[first - 1] + node.col_offset, starts[last - 1] + (node.end_col_offset or 0)

    for node in _expressions(ast.parse(text)):
        start, stop = span(node)
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            new = repr(node.value + 1)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            stop, new = start + len("not"), ""
        elif sides := _sides(node):
            start, stop = span(sides[0])[1], span(sides[1])[0]
            gap = data[start:stop].decode()
            operator = " ".join(gap.strip(" ()\n").split())
            if operator not in SWAPS:
                continue
            new = gap.replace(operator, SWAPS[operator])
        else:
            continue
        mutant = (data[:start] + new.encode() + data[stop:]).decode()
        whole = span(node)
        longer = len(mutant.encode()) - len(data)
        yield node.lineno, data[slice(*whole)].decode(), mutant.encode()[whole[0] : whole[1] + longer].decode(), mutant


def _sides(node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """The two sides of an operator; not those of a text, whose + and % are no arithmetic."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return node.left, node.comparators[0]
    if isinstance(node, ast.BinOp) and not any(isinstance(part, ast.JoinedStr) for part in ast.walk(node)):
        texts = [part for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
        return None if texts else (node.left, node.right)
    return (node.values[0], node.values[1]) if isinstance(node, ast.BoolOp) else None


def _expressions(tree: ast.AST) -> Iterator[ast.expr]:
    """Expressions inside functions, without annotations, decorators and what raises."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            for statement in node.body:
                for part in ast.walk(statement):
                    if isinstance(part, ast.Raise):
                        part.exc = part.cause = None
                    if isinstance(part, ast.AnnAssign):
                        part.annotation = ast.Constant(None)
                    if isinstance(part, ast.expr) and hasattr(part, "lineno"):
                        yield part


def chosen(count: int, seed: int) -> Iterator[tuple[Path, int, str, str, str]]:
    """The faults of a seed: the same number in each room."""
    draw = random.Random(seed)
    rooms: dict[str, list[Path]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.stem not in ("__init__", "__main__"):
            rooms.setdefault(path.relative_to(PACKAGE).parts[0], []).append(path)
    names = sorted(rooms)
    draw.shuffle(names)
    taken = set()
    for number in range(count):
        paths = rooms[names[number % min(len(names), (count + 1) // 2)]]
        possible = [(path, *fault) for path in paths for fault in faults(path.read_text("utf-8"))]
        possible = [fault for fault in possible if fault not in taken]
        if possible:
            taken.add(fault := draw.choice(possible))
            yield fault


def caught_by(room: str) -> str:
    """The first of the tests of the room, golden numbers and the other default tests that fails; "" if all pass."""
    golden, others = TESTS / "golden", [TESTS]
    own = [path for path in (TESTS / room, TESTS / f"test_{room}.py") if path.exists()]
    others += [f"--ignore={path}" for path in (golden, *own)]
    for name, arguments in (("tests of the room", own), ("golden numbers", [golden]), ("default suite", others)):
        if arguments:
            command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *map(str, arguments)]
            try:
                code = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, timeout=LIMIT).returncode
            except subprocess.TimeoutExpired:
                return f"{name}, by time"
            if code in (1, 2, 4):  # a test failed, or the package cannot be imported by it or by conftest.py
                return name
            if code not in (0, 5):  # 5: no test in this tier
                raise SystemExit(f"pytest ended with {code}: {' '.join(command)}")
    return ""


def main() -> None:
    """Try each fault, print what found it, and the share that was found."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the number of the first fault to try, of count")
    parser.add_argument("--list", action="store_true", help="only print the faults")
    given = parser.parse_args()
    changed = subprocess.run(
        ["git", "status", "--porcelain", "src"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    if changed.stdout and not given.list:
        raise SystemExit(f"the package has changes that are not committed; commit or undo them:\n{changed.stdout}")
    if not given.list and (failing := caught_by("contract")):
        raise SystemExit(f"{failing}: a test fails without any fault")
    found = tried = 0
    for path, line, old, new, text in [*chosen(given.count, given.seed)][given.first :]:
        place = f"{path.relative_to(ROOT).as_posix()}:{line}: {' '.join(old.split())}  ->  {' '.join(new.split())}"
        if given.list:
            print(place)
            continue
        whole, start = path.read_text("utf-8"), time.perf_counter()
        try:
            path.write_text(text, "utf-8")
            found_by = caught_by(path.relative_to(PACKAGE).parts[0].removesuffix(".py"))
        finally:
            path.write_text(whole, "utf-8")
        tried, found = tried + 1, found + bool(found_by)
        print(f"{found}/{tried} {found_by or 'MISSED'} ({time.perf_counter() - start:.0f} s) {place}", flush=True)


if __name__ == "__main__":
    main()
