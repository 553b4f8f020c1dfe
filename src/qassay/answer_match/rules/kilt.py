"""The measures of KILT: an answer counts only if the retrieved pages are the pages of a gold answer.

The values match `kilt/eval_downstream.py` of facebookresearch/KILT, for the task of Petroni et al. (2021), "KILT: a
Benchmark for Knowledge Intensive Language Tasks".
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.answers import AnswerColumns, AnswerKind, Detail
from ...core.columns import is_list
from ...core.presets import Preset
from ...core.shown import describe
from ..token_bags import bag_f1, need_golds, reader_of
from . import Rules, cells_as


def r_precision(ranked: Sequence[str], gold_sets: Sequence[Sequence[str]]) -> float:
    """The share of the first R retrieved pages that are gold pages; R is the number of gold pages; the best over the sets.

    Example:
        >>> r_precision(["a", "b", "c"], [["b", "a"], ["x"]]), r_precision(["a"], [["a", "b"]]), r_precision([], [[]])
        (1.0, 0.5, 0.0)
    """
    shares = [len(set(gold).intersection(ranked[: len(gold)])) / len(gold) for gold in gold_sets if gold]
    return max(shares, default=0.0)


def _score_kilt(columns: AnswerColumns, options: Any) -> dict[str, np.ndarray]:
    golds = [[gold.strip() for gold in row if gold.strip()] for row in columns.references]
    need_golds(golds, columns.ids, "kilt")
    read, values = reader_of(options.normalizer), []
    pages = columns.predicted_details["pages"], columns.gold_details["pages"]
    for answer, right, ranked, sets in zip(columns.predictions, golds, *pages, strict=True):
        found, answer = (0.0, 0.0, 0.0), answer.strip()
        if answer:
            text, tokens = read(answer)
            pairs = [(float(text == other), bag_f1(tokens, others)) for other, others in map(read, right)]
            found = (float(answer in right), *map(max, zip(*pairs, strict=True)))
        precision = r_precision(ranked or [], sets)
        values.append((*found, *(value if precision == 1 else 0.0 for value in found), precision))
    names = ("accuracy", "exact_match", "f1")
    columns_of = (*names, *(f"kilt_{name}" for name in names), "r_precision")
    return dict(zip(columns_of, np.array(values).T.copy(), strict=True))


def _page_sets(pages: Any, where: str) -> list[list[str]]:
    """The pages of each gold answer; a flat list of ids belongs to one answer."""
    nested = is_list(pages) and any(map(is_list, pages))
    return [_pages(part, where) for part in (pages if nested else [pages])]


def _pages(pages: Any, where: str) -> list[str]:
    if not is_list(pages) or not all(isinstance(page, (str, int, np.integer)) for page in pages):
        raise TypeError(f"{where} must be a list of ids of pages, got {describe(pages)}")
    return list(dict.fromkeys(str(page).strip() for page in pages))


_ANSWERS = AnswerKind(
    gold_details={"pages": Detail(cells_as(_page_sets), True)},
    predicted_details={"pages": Detail(cells_as(_pages, or_none=True), True)},
)

KILT_PRESET = Preset(
    name="kilt",
    line="knowledge from Wikipedia (KILT): strict accuracy, exact match and F1, and each counted only if the R-precision of the "
    "retrieved pages is 1",
    source="facebookresearch/KILT, kilt/eval_downstream.py",
    rules=Rules(_score_kilt, _ANSWERS),
    measures=("kilt_exact_match", "kilt_f1", "kilt_accuracy", "exact_match", "f1", "accuracy", "r_precision"),
    columns={
        "gold_details": "pages: for each gold answer the list of the ids of its pages (or one list of ids)",
        "predicted_details": "pages: the ids of the retrieved pages, best first",
    },
    differences="An empty answer scores 0 in all measures except r_precision, and is never right. ROUGE-L and recall@5 of evidence sets "
    "are not measured; retrieval_ranking has recall@k of pages.",
)
