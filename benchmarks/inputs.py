"""Data and peers of the benchmarks: SQuAD 2.0 dev with answers, clones of other projects, optional packages."""

import argparse
import importlib
import importlib.util
import json
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent


def add_options(parser: argparse.ArgumentParser) -> None:
    data = os.environ.get("QASSAY_TEST_DATA")
    text = "folder with dev-v2.0.json, predictions_bert.json, evouna_nq.json and so on, each also in a folder of it"
    parser.add_argument("--data", type=Path, default=data and Path(data), metavar="FOLDER", help=text)
    text = "folder with the clones evaluate, transformers and trec_eval (default: the folder above this clone)"
    parser.add_argument("--peers", type=Path, default=ROOT.parent, metavar="FOLDER", help=text)


def data_file(args: argparse.Namespace, name: str) -> Path:
    """A file of --data, at any depth."""
    found = next(args.data.rglob(name), None) if args.data else None
    if found is None:
        sys.exit(f"{name} is not there: give --data, a folder that has it")
    return found


class Squad(NamedTuple):
    """Questions of SQuAD 2.0 dev: ids, gold answers as in the file, answers of systems, and the words of each context."""

    ids: list[str]
    golds: list[list[dict[str, Any]]]
    answers: dict[str, list[str]]
    contexts: list[list[str]]

    @property
    def gold_texts(self) -> list[list[str]]:
        return [[gold["text"] for gold in golds] for golds in self.golds]


def squad(args: argparse.Namespace, systems: tuple[str, ...] = ("bert",)) -> Squad:
    """All questions with --full, otherwise the first 600."""
    articles = json.loads(data_file(args, "dev-v2.0.json").read_text("utf-8"))["data"]
    paragraphs = [paragraph for article in articles for paragraph in article["paragraphs"]]
    rows = [row for paragraph in paragraphs for row in paragraph["qas"]][: None if args.full else 600]
    ids = [row["id"] for row in rows]
    files = {name: data_file(args, f"predictions_{name}.json") for name in systems}
    answers = {name: json.loads(path.read_text("utf-8")) for name, path in files.items()}
    return Squad(
        ids,
        [row["answers"] for row in rows],
        {name: [texts[one] for one in ids] for name, texts in answers.items()},
        [paragraph["context"].split() for paragraph in paragraphs],
    )


def installed(module: str) -> ModuleType | None:
    """A package, or None with a remark if it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        print(f"without {module}: it is not installed")
        return None


def peer(args: argparse.Namespace, *path: str) -> Path | None:
    """A file of a peer's clone, or None with a remark if it is not there."""
    found = args.peers.joinpath(*path)
    if not found.exists():
        text = f"without {found}: say with --peers where the clone of {path[0]} is"
        sys.exit(text) if args.write else print(text)
        return None
    return found


def load_file(path: Path) -> ModuleType:
    """A Python file as a module."""
    spec = importlib.util.spec_from_file_location(path.stem.replace("-", "_").replace(".", "_"), path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def hugging_face(args: argparse.Namespace, name: str) -> Any:
    """A metric module of the clone of evaluate, or None with a remark."""
    evaluate, folder = installed("evaluate"), peer(args, "evaluate", "metrics", name)
    return None if evaluate is None or folder is None else evaluate.load(str(folder))
