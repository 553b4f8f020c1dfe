"""The lines of source that read input: from what people give to checked columns of a family.

It counts `core`'s layouts, ids and kinds of cells, the `fields.py` of the families and the modules that only these use to read
cells, and `files/` with its formats.
"""

import argparse
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "src" / "qassay"
FILES = (
    *(f"core/{name}.py" for name in ("align", "answers", "arrow", "columns", "ids", "intake", "label_columns")),
    "*/fields.py",
    *(f"retrieval_ranking/{name}.py" for name in ("nested", "long", "mismatch", "ids")),
    "retriever_reader/haystack.py",
    "average_precision/box_rows.py",
    "files/**/*.py",
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """No options."""


def run(args: argparse.Namespace) -> None:
    total = 0
    for pattern in FILES:
        for path in sorted(ROOT.glob(pattern)):
            lines = len(path.read_text("utf-8").splitlines())
            total += lines
            print(f"{lines:6}  {path.relative_to(ROOT)}")
    print(f"{total:6}  in all")
