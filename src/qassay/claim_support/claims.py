"""Precision, recall, faithfulness and the other measures of RAGChecker, of one answer from given verdicts of entailment."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.columns import items_of
from ..core.shown import describe, keys_of
from .words import Verdicts, known_share, read_texts

NOISE_MEASURES = ("noise_sensitivity_in_relevant", "noise_sensitivity_in_irrelevant")
CLAIM_MEASURES = (
    "precision", "recall", "f1", "claim_recall", "context_precision", "context_utilization",
    *NOISE_MEASURES, "hallucination", "self_knowledge", "faithfulness",
)  # fmt: skip
CLAIM_FIELDS = ("answer2response", "response2answer", "retrieved2response", "retrieved2answer")
_OF_RESPONSE = ("answer2response", "retrieved2response")
_UNKNOWN = 0.5  # between no and yes: the least of several is "and", the largest is "or", 1 - x is "not"


def read_gold_claims(row: Any, where: str) -> list[str] | str:
    """The claims of a gold answer, each a text or a list of its parts, as texts; or the text of the answer, which does not
    tell how many claims it has.
    """
    if isinstance(row, str):
        return row
    parts = [[claim] if isinstance(claim, str) else claim for claim in items_of(row, where)]
    return [" ".join(read_texts(claim, f"{where}[{index}]")) for index, claim in enumerate(parts)]


def score_claims(row: Any, gold: list[str] | str | None, verdicts: Verdicts) -> tuple[float, ...]:
    """The `CLAIM_MEASURES` of a dict of `CLAIM_FIELDS`; NaN for a measure if one of its fields is absent. A field that is
    None counts as a missing verdict.

    Three-valued logic: a claim with missing verdicts that could change what a measure says of it is omitted from that
    measure.
    """
    if not isinstance(row, Mapping) or not any(name in row for name in CLAIM_FIELDS):
        has = f"its keys: {keys_of(row)}" if isinstance(row, Mapping) else f"it is {describe(row)}"
        raise ValueError(
            f"{verdicts.where} has none of the fields {', '.join(CLAIM_FIELDS)} ({has}); give a dict with them"
        )
    given = {name: _read_field(row[name], name, verdicts) for name in CLAIM_FIELDS if row.get(name) is not None}
    for name in CLAIM_FIELDS:
        if name in row and row[name] is None:
            verdicts.settled(math.nan, f"[{name!r}]")
    _check_shapes(given, gold, verdicts.where)
    right, recalled, from_docs, of_gold = (given.get(name) for name in CLAIM_FIELDS)
    values = dict.fromkeys(CLAIM_MEASURES, math.nan)
    if right is not None:
        values["precision"] = _mean_of_known(right)
    if recalled is not None:
        values["recall"] = _mean_of_known(recalled)
    values["f1"] = _harmonic_mean(values["precision"], values["recall"])
    if of_gold is not None:
        found = of_gold.max(axis=1) if of_gold.size else np.zeros(0)
        values["claim_recall"] = _mean_of_known(found)
        values["context_precision"] = _mean_of_known(of_gold.max(axis=0) if of_gold.size else found)
        if recalled is not None:
            values["context_utilization"] = _used(found, recalled)
    if from_docs is None:
        return tuple(values.values())
    faithful = from_docs.max(axis=1) if from_docs.size else np.zeros(0)
    values["faithfulness"] = _mean_of_known(faithful)
    if right is not None:
        known = right if from_docs.size else np.zeros(0)
        values["hallucination"] = _mean_of_known(np.minimum(1 - faithful, 1 - known))
        values["self_knowledge"] = _mean_of_known(np.minimum(1 - faithful, known))
        if of_gold is not None:
            in_relevant, in_irrelevant = _noise(known, from_docs, of_gold)
            values["noise_sensitivity_in_relevant"] = _mean_of_known(in_relevant)
            values["noise_sensitivity_in_irrelevant"] = _mean_of_known(in_irrelevant)
    return tuple(values.values())


def _noise(right: np.ndarray, from_docs: np.ndarray, of_gold: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which claims are wrong and entailed by a document that entails a gold claim too, and which only by others."""
    if not from_docs.size or not of_gold.size:
        return np.zeros(0), np.zeros(0)
    relevant = of_gold.max(axis=0, keepdims=True)
    of_relevant = np.minimum(relevant, from_docs).max(axis=1)
    of_others = np.minimum(1 - relevant, from_docs).max(axis=1)
    return np.minimum(of_relevant, 1 - right), np.minimum(np.minimum(of_others, 1 - of_relevant), 1 - right)


def _read_field(rows: Any, name: str, verdicts: Verdicts) -> np.ndarray:
    """Verdicts (claims,), or by document (claims, documents); 0.5 where one is missing."""
    at = f"[{name!r}]"
    if not name.startswith("retrieved"):
        return _three_valued(verdicts.each(rows, at))
    lists = items_of(rows, f"{verdicts.where}{at}")
    matrix = [verdicts.each(row, f"{at}[{index}]") for index, row in enumerate(lists)]
    widths = set(map(len, matrix))
    if len(widths) > 1:
        raise ValueError(
            f"{verdicts.where}{at} has rows of {min(widths)} and of {max(widths)} verdicts; give one per document"
        )
    return _three_valued(matrix).reshape(len(matrix), *(widths or {0}))


def _three_valued(values: Any) -> np.ndarray:
    found = np.array(values, np.float64)
    return np.where(np.isnan(found), _UNKNOWN, found)


def _check_shapes(given: Mapping[str, np.ndarray], gold: list[str] | str | None, where: str) -> None:
    """Refuse fields of one answer that differ in their number of claims or of documents."""
    sizes: dict[str, dict[str, int]] = {"claims of the response": {}, "claims of the gold answer": {}, "documents": {}}
    for name, values in given.items():
        sizes["claims of the response" if name in _OF_RESPONSE else "claims of the gold answer"][name] = len(values)
        if values.ndim == 2 and len(values):
            sizes["documents"][name] = values.shape[1]
    if isinstance(gold, list):
        sizes["claims of the gold answer"]["the references"] = len(gold)
    for what, counts in sizes.items():
        if len(set(counts.values())) > 1:
            listed = ", ".join(f"{name} {count}" for name, count in counts.items())
            raise ValueError(f"{where} differs in its number of {what}: {listed}; give one verdict for each")


def _mean_of_known(values: np.ndarray) -> float:
    return known_share(np.where(values == _UNKNOWN, math.nan, values).tolist())


def _harmonic_mean(precision: float, recall: float) -> float:
    if precision > 0 and recall > 0:
        return 2 * precision * recall / (precision + recall)
    return precision + recall if math.isnan(precision + recall) else 0.0


def _used(found: np.ndarray, recalled: np.ndarray) -> float:
    """Of the gold claims that the documents entail the share that the response entails too."""
    among = recalled[: len(found)][found == 1]
    if len(among):
        return _mean_of_known(among)
    return math.nan if (found == _UNKNOWN).any() else 0.0
