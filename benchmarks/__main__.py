"""Run a benchmark: python -m benchmarks NAME [--full] [--write]; python -m benchmarks speed --write measures all tables anew.

Without --full the data are small, and it takes seconds; a table of a page holds the figures of --full. Every comparison first checks
that all programs return the same numbers. Times are CPU seconds of all threads and child processes, medians of five rounds in which
the programs alternate. Peers that are not there are left out with a remark, unless --write needs them.
"""

import os

os.environ.update(OMP_NUM_THREADS="1", MKL_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", NUMBA_NUM_THREADS="1")
os.environ.update(
    TOKENIZERS_PARALLELISM="false", RAY_USAGE_STATS_ENABLED="0", HF_HUB_OFFLINE="1", HF_EVALUATE_OFFLINE="1"
)

import argparse
import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

from qassay.core.writing import write_whole

from . import inputs
from .measure import ABSENT, Table, conditions, show

FOLDER = Path(__file__).parent
PAGE = inputs.ROOT / "docs" / "benchmarks.md"
CARD = inputs.ROOT / "metrics" / "answer_equivalence" / "README.md"
SPEED = {  # benchmark -> its tables on a page
    "answers": ("answers",),
    "few_answers": ("few-answers",),
    "comparisons": ("comparisons",),
    "rankings": ("rankings",),
    "similarity": ("similarity", "lite"),
    "labels": ("labels",),
    "training": ("training",),
    "cluster": ("streams", "billion"),
    "equivalence": ("equivalence",),
}
OTHERS = ("agreement", "coverage", "evouna", "goldens", "input_lines", "lite_models", "misleading", "space", "way_in")


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser("python -m benchmarks", description=__doc__.partition("\n")[0])
    names = parser.add_subparsers(dest="name", required=True, metavar="NAME")
    _speed_options(names.add_parser("speed", help="all benchmarks of speed, one after another"))
    words = sys.argv[1:] if words is None else words
    for name in (*SPEED, *OTHERS):
        text = ast.get_docstring(ast.parse((FOLDER / f"{name}.py").read_text("utf-8")))
        added = names.add_parser(
            name, help=text.split("\n\n")[0], description=text, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        if name in SPEED:
            _speed_options(added)
        elif words[:1] == [name]:  # only this one is imported
            _module(name).add_options(added)
    args = parser.parse_args(words)
    if args.name == "speed":
        calls = {name: [sys.executable, "-m", "benchmarks", name, *words[1:]] for name in SPEED}
        failed = [name for name, call in calls.items() if subprocess.run(call, check=False).returncode]
        if failed:
            sys.exit(f"not measured: {', '.join(failed)}")
    elif args.name in SPEED:
        args.full |= args.write
        module = _module(args.name)
        measured = conditions(module.PACKAGES)
        print(measured)
        if args.write and "not installed" in measured:
            sys.exit("the table of a page needs every peer: install what is missing")
        for table in module.run(args):
            show(table)
            if args.write:
                _write(args.name, table, measured)
    else:
        for table in _module(args.name).run(args) or ():
            show(table)


def _module(name: str):
    return importlib.import_module(f"{__package__}.{name}")


def _speed_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--full", action="store_true", help="the data of the pages, not small ones")
    parser.add_argument("--write", action="store_true", help="with --full, and put the tables into the pages")
    parser.add_argument("--repeats", type=int, default=5)
    inputs.add_options(parser)


def _write(benchmark: str, table: Table, measured: str) -> None:
    if any(ABSENT in cell for row in table.rows for cell in row):
        sys.exit(f"table {table.name} of the page needs every peer; its command is on the page")
    path = CARD if benchmark == "equivalence" else PAGE
    write_whole(path, replaced(path.read_text("utf-8"), benchmark, table, measured))
    print(f"wrote table {table.name} of {path.name}")


def replaced(text: str, benchmark: str, table: Table, measured: str) -> str:
    """The text of a page with a table between its two comments replaced, and the line on its measurement.

    Args:
        measured: "2026-11-28 on MACHINE with VERSIONS".
    """
    block = re.compile(
        rf"(?ms)^<!-- table {table.name} -->\n(?:(?!<!-- table ).)*?^<!-- end of table {table.name} -->\n"
    )
    if len(block.findall(text)) != 1:
        sys.exit(f"the page needs one '<!-- table {table.name} -->' and one '<!-- end of table {table.name} -->'")
    lines = (
        f"<!-- table {table.name} -->",
        table.markdown(),
        f"Measured {measured} by `python -m benchmarks {benchmark} --full`.",
        f"<!-- end of table {table.name} -->\n",
    )
    return block.sub(lambda _: "\n\n".join(lines), text)


if __name__ == "__main__":
    main()
