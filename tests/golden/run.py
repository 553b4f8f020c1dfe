"""Golden numbers: what every metric, interval, test and command gave when these files were written, to the last digit.

    python tests/golden/run.py                 compares all but the thorough ones, and lists what changed
    python tests/golden/run.py answer_match    compares one file of cases
    python tests/golden/run.py --thorough      compares the thorough ones too
    python tests/golden/run.py --write         writes them anew, and lists what changed
    python tests/golden/run.py --count         counts the numbers

A file `cases/NAME.py` has a function `cases()`, or several that `CASES` lists, which yield pairs of a key, such as
"squad/ids/f1", and a value: a number, a text, a list, or a dict of them. `numbers/NAME.jsonl` holds a line `["key", value]` for each. A file with
`THOROUGH = ("torch",)` needs these libraries and runs under `pytest -m thorough` only. The version in signatures is left out.
"""

import argparse
import ast
import importlib.util
import json
import math
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import qassay

HERE = Path(__file__).resolve().parent
TOLERANCE = 1e-12  # relative for numbers above 1; a file of cases may set its own, for ends of intervals
SHOWN = 40  # lines of one list of changes
_VERSION = re.compile(r"\|v:\d[\w.]*")
_NUMBER = re.compile(r"(-?\d+(?:\.\d+)?(?:e-?\d+)?)")
_EXACT = re.compile(r"-?\d+\.\d{10,}(?:e-?\d+)?|-?\d+(?:\.\d+)?e-\d+")  # as CSV has it: its last digit is the machine's


def names(thorough: bool | None = None) -> list[str]:
    """The files of cases: the thorough ones, the others, or (None) all."""
    found = sorted(path.stem for path in (HERE / "cases").glob("*.py") if not path.stem.startswith("_"))
    if thorough is None:
        return found
    return [name for name in found if bool(libraries(name)) == thorough]


def libraries(name: str) -> tuple[str, ...]:
    """What a thorough file of cases needs; () for the others. Nothing is imported."""
    marked = re.search(r"^THOROUGH = (.+)$", (HERE / "cases" / f"{name}.py").read_text("utf-8"), re.MULTILINE)
    return ast.literal_eval(marked[1]) if marked else ()


def load_cases(name: str) -> Any:
    """The module of a file of cases; these files import `_inputs` and the like from their folder."""
    for folder in (HERE, HERE / "cases"):
        if str(folder) not in sys.path:
            sys.path.insert(0, str(folder))
    spec = importlib.util.spec_from_file_location(f"golden_{name}", HERE / "cases" / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def flat(key: str, value: Any, digits: int) -> Iterator[tuple[str, Any]]:
    """The leaves of nested dicts, as plain JSON values; a list is one leaf."""
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield from flat(f"{key}/{name}", part, digits)
    else:
        yield key, plain(value, digits)


def plain(value: Any, digits: int) -> Any:
    """Numbers, texts, None and lists of them, with so many digits; NaN and infinity as texts."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple, range)):
        return [plain(part, digits) for part in value]
    if isinstance(value, Mapping):
        return {str(name): plain(part, digits) for name, part in value.items()}
    if isinstance(value, float) and math.isfinite(value):
        value = float(f"{value:.{digits}g}")
        return int(value) if value.is_integer() and abs(value) < 1e15 else value
    if isinstance(value, float):
        return str(value)
    if isinstance(value, str):
        return _VERSION.sub("", value)
    if value is None or isinstance(value, int):
        return value
    raise TypeError(f"a golden value is a number, a text, a list or a dict, not {type(value).__name__}")


def compute(name: str) -> tuple[dict[str, Any], float]:
    """Key -> value of all cases of a file, and its tolerance."""
    module = load_cases(name)
    tolerance = getattr(module, "TOLERANCE", TOLERANCE)
    digits = 15 if tolerance == TOLERANCE else 2 - round(math.log10(tolerance))  # more only make files larger
    found: dict[str, Any] = {}
    parts = module.CASES if hasattr(module, "CASES") else [module.cases]
    for key, value in (pair for part in parts for pair in part()):
        for leaf, number in flat(key, value, digits):
            if leaf in found:
                raise ValueError(f"{name}: the key {leaf!r} occurs twice")
            found[leaf] = number
    return found, tolerance


def stored(name: str) -> dict[str, Any]:
    """Key -> value as written; {} if there is no such file. A ValueError for a line that is no pair, or a duplicate key."""
    path, found = HERE / "numbers" / f"{name}.jsonl", {}
    for number, line in enumerate(path.read_text("utf-8").split("\n") if path.is_file() else [], start=1):
        if line:
            try:
                key, value = json.loads(line)
            except ValueError:
                raise ValueError(f"{path.name}, line {number}: not a pair of key and value; undo the change") from None
            if key in found:
                raise ValueError(f"{path.name}, line {number}: duplicate key {key!r}; undo the change")
            found[key] = value
    return found


def are_equal(old: Any, new: Any, tolerance: float) -> bool:
    """Whether two values agree; the kind of number (1 or 1.0) does not count, True and 1 differ."""
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(are_equal(*pair, tolerance) for pair in zip(old, new, strict=True))
    if isinstance(old, dict) and isinstance(new, dict):
        return list(old) == list(new) and all(are_equal(old[name], new[name], tolerance) for name in old)
    if isinstance(old, str) and isinstance(new, str):
        pairs = [*zip(_NUMBER.split(old), _NUMBER.split(new), strict=False)]
        return (
            old == new
            or len(_NUMBER.split(old)) == len(_NUMBER.split(new))
            and all(
                one == other
                or bool(place % 2 and (_EXACT.fullmatch(one) or _EXACT.fullmatch(other)))
                and are_equal(float(one), float(other), tolerance)
                for place, (one, other) in enumerate(pairs)
            )
        )
    if isinstance(old, bool) or isinstance(new, bool) or not isinstance(old, (int, float)):
        return type(old) is type(new) and bool(old == new)
    return isinstance(new, (int, float)) and abs(old - new) <= tolerance * max(1.0, abs(old))


def changes(old: Mapping[str, Any], new: Mapping[str, Any], tolerance: float) -> list[str]:
    """A line for each key that is gone, new, or has another value."""
    lines = [f"- {key}: gone" for key in old if key not in new]
    lines += [f"+ {key}: new" for key in new if key not in old]
    for key in old:
        if key in new and not are_equal(old[key], new[key], tolerance):
            lines.append(f"! {key}: {_where(old[key], new[key], tolerance)}")
    return lines


def _where(old: Any, new: Any, tolerance: float) -> str:
    """The first difference of two values."""
    if isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            return f"{len(old)} values, now {len(new)}"
        row = next(row for row, pair in enumerate(zip(old, new, strict=True)) if not are_equal(*pair, tolerance))
        return f"[{row}] {_where(old[row], new[row], tolerance)}"
    return f"{json.dumps(old, ensure_ascii=False)}, now {json.dumps(new, ensure_ascii=False)}"[:300]


def count(values: Any) -> int:
    """How many numbers are compared."""
    if isinstance(values, Mapping):
        values = list(values.values())
    if isinstance(values, list):
        return sum(map(count, values))
    return isinstance(values, (int, float)) and not isinstance(values, bool)


def write(name: str, values: Mapping[str, Any]) -> None:
    """Replace a file of numbers as a whole."""
    path = HERE / "numbers" / f"{name}.jsonl"
    text = "".join(json.dumps(pair, ensure_ascii=False, separators=(",", ":")) + "\n" for pair in values.items())
    whole = path.with_suffix(".new")
    whole.write_text(text, "utf-8")
    whole.replace(path)


def main() -> int:
    """Compare or write; 1 if something changed and was not written."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help="files of cases; all if none is named")
    parser.add_argument("--write", action="store_true", help="write the numbers anew")
    parser.add_argument("--thorough", action="store_true", help="the thorough files too")
    parser.add_argument("--count", action="store_true", help="count the numbers that are written")
    given = parser.parse_args()
    if Path(qassay.__file__).resolve().parent != HERE.parents[1] / "src" / "qassay":
        print(f"these are numbers of another copy of the package: {qassay.__file__}", file=sys.stderr)
    total = changed = 0
    if unknown := set(given.names) - set(names()):
        parser.error(f"no file of cases {sorted(unknown)[0]!r}; there are: {', '.join(names())}")
    for name in given.names or names(None if given.count or given.thorough else False):
        old = stored(name)
        if given.count:
            total += count(old)
            print(f"{name:28}{count(old):8} numbers {len(old):6} keys")
            continue
        new, tolerance = compute(name)
        lines = changes(old, new, tolerance)
        total, changed = total + count(new), changed + len(lines)
        print("\n".join([f"{name}: {len(lines)} of {len(new)} changed", *lines[:SHOWN]]))
        if given.write and lines:
            write(name, new)
    print(f"{total:,} numbers" + ("" if given.count else f", {changed} changed keys"))
    return 1 if changed and not given.write else 0


if __name__ == "__main__":
    sys.exit(main())
