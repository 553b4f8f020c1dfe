"""Tables of the benchmark scripts, on the console and as Markdown in a page of the documentation.

A page holds each table between two comments, which `--page` leaves in place:

    <!-- table NAME -->
    ... the table, and a line with date, machine, versions and command of the measurement
    <!-- end of table NAME -->
"""

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from peers import ROOT
from rich.console import Console
from rich.table import Table
from timing import conditions

from qassay.core.writing import write_whole

PAGE = ROOT / "docs" / "benchmarks.md"
CARD = ROOT / "metrics" / "answer_equivalence" / "README.md"
COMMANDS = {  # name of a table -> the command that measures it; --page writes it
    "answers": "benchmarks/answers.py --data FOLDER",
    "few-answers": "benchmarks/answers.py --small",
    "comparisons": "benchmarks/compare.py --data FOLDER",
    "rankings": "benchmarks/ranking.py --trec-eval PROGRAM",
    "similarity": "benchmarks/similarity.py --data FOLDER",
    "lite": "benchmarks/similarity.py --data FOLDER",
    "labels": "benchmarks/labels.py",
    "training": "benchmarks/training.py",
    "streams": "benchmarks/scale.py",
    "billion": "benchmarks/scale.py",
    "equivalence": "benchmarks/equivalence.py FOLDER --cross-encoder 32",
}


class Shown(NamedTuple):
    """A table: its title, the names of its columns, its rows and a line below."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    below: str = ""

    def markdown(self) -> str:
        """The table as Markdown; columns of numbers, except the first column, are aligned right."""
        columns = [*zip(*self.rows, strict=True)][1:]
        sides = ["---:" if all(re.match(r"$|[-−+*.\d]", cell) for cell in column) else "---" for column in columns]
        lines = [self.head, ["---", *sides], *self.rows]
        text = "\n".join("|" + "".join(f" {cell} |" if cell else " |" for cell in line) for line in lines)
        return text.replace("<", "&lt;")  # a page would hide a tag

    def show(self, console: Console) -> None:
        drawn = Table(*self.head, title=self.title or None, caption=self.below or None)
        for row in self.rows:
            drawn.add_row(*row)
        console.print(drawn)


def add_page_option(parser: argparse.ArgumentParser, page: Path = PAGE) -> None:
    shown = page.relative_to(ROOT)
    help_text = f"also replace the tables of this script on a page, {shown} unless another FILE is given"
    parser.add_argument("--page", type=Path, nargs="?", const=page, metavar="FILE", help=help_text)


def check_page_option(parser: argparse.ArgumentParser, args: argparse.Namespace, *options: str) -> None:
    """Refuse --page with options that change the measurement, so that all numbers of a page are comparable."""
    for option in options if args.page else ():
        if getattr(args, option) != parser.get_default(option):
            parser.error(f"--page holds the figures of a whole run; omit --{option.replace('_', '-')}")
    if args.page and not args.page.is_file():
        parser.error(f"--page: there is no file {args.page}")


class Measured(dict):
    """Name -> time. A missing name ends the script, because tables on a page must be complete."""

    def __missing__(self, name: str) -> float:
        raise SystemExit(f"--page: {name!r} was not measured; install it or give its option, or omit --page")


def put(page: Path, name: str, table: Shown, packages: Sequence[str] = ()) -> None:
    """Replace a table of a page with this table, measured now."""
    text = replaced(page.read_text("utf-8"), name, table, conditions(packages))
    write_whole(page, text)
    print(f"wrote table {name} of {page.name}")


def replaced(text: str, name: str, table: Shown, measured: str) -> str:
    """The text of a page with this table replaced, and the line on its measurement.

    Args:
        measured: "2026-11-28 on MACHINE with VERSIONS".
    """
    if name not in COMMANDS:
        raise SystemExit(f"no script writes a table {name!r}; the tables are {', '.join(COMMANDS)}")
    if any(len(row) != len(table.head) for row in table.rows):
        raise SystemExit(f"table {name!r}: each row needs {len(table.head)} cells")
    found = re.findall(r"^<!-- table (\S+) -->\n", text, re.MULTILINE)
    block = re.compile(
        rf"(?ms)^<!-- table {re.escape(name)} -->\n(?:(?!<!-- table ).)*?^<!-- end of table {name} -->\n"
    )
    if found.count(name) != 1 or len(block.findall(text)) != 1:
        raise SystemExit(
            f"the page needs one '<!-- table {name} -->' and one '<!-- end of table {name} -->'; "
            f"it has the tables {', '.join(found) or 'none'}"
        )
    lines = (
        f"<!-- table {name} -->",
        table.markdown(),
        f"Measured {measured} by `{COMMANDS[name]}`.",
        f"<!-- end of table {name} -->\n",
    )
    return block.sub(lambda _: "\n\n".join(lines), text)


def faster(seconds: float, peer: float, of_peer: bool = False) -> str:
    """Our time, or with `of_peer` the peer's time, and the ratio of the peer's time to ours."""
    return f"{in_seconds(peer if of_peer else seconds)}, {times_of(peer / seconds)}"


def times_of(ratio: float) -> str:
    return f"**{ratio:.1f}x**" if ratio < 9.95 else f"**{ratio:.0f}x**"


def in_seconds(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds < 999.5 else f"{seconds:,.0f} s"
