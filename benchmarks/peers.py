"""Peers of the benchmark scripts: answers to SQuAD 2.0 dev, and optional packages."""

import argparse
import importlib
import json
import os
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def add_squad_option(parser: argparse.ArgumentParser, systems: str = "predictions_bert.json") -> None:
    """The option --data, the folder of `read_squad`; the default comes from the environment."""
    above = os.environ.get("QASSAY_TEST_DATA")
    folder = Path(above) / "squad2" if above else None
    parser.add_argument("--data", type=Path, default=folder, help=f"folder of dev-v2.0.json and {systems}")


def check_squad_option(parser: argparse.ArgumentParser, data: Path | None) -> None:
    """End with a message if the folder is missing."""
    if data is None or not (data / "dev-v2.0.json").is_file():
        parser.error("give --data, a folder with dev-v2.0.json and predictions_bert.json")


def add_evaluate_option(parser: argparse.ArgumentParser) -> None:
    """The option --evaluate, a checkout with modules as peers, which load without the hub."""
    clone = os.environ.get("QASSAY_EVALUATE_CLONE", ROOT.parent / "evaluate")
    parser.add_argument("--evaluate", type=Path, default=clone, help="checkout of huggingface/evaluate")
    os.environ["HF_EVALUATE_OFFLINE"] = "1"


def read_squad(data: Path) -> tuple[list[dict], list[str]]:
    """The questions of SQuAD 2.0 dev as in its file, and the contexts."""
    articles = json.loads((data / "dev-v2.0.json").read_text("utf-8"))["data"]
    paragraphs = [paragraph for article in articles for paragraph in article["paragraphs"]]
    questions = [question for paragraph in paragraphs for question in paragraph["qas"]]
    return questions, [paragraph["context"] for paragraph in paragraphs]


def read_answers(data: Path, system: str = "bert") -> dict[str, str]:
    """The answers of a system, by the ids of questions."""
    return json.loads((data / f"predictions_{system}.json").read_text("utf-8"))


def installed(module: str, name: str | None = None) -> Any:
    """A package, or None with a remark if it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        print(f"without {name or module}: it is not installed")
        return None
