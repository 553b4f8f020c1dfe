"""Rules of benchmarks that options cannot express; they score one question after the other, as in DROP and HotpotQA."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...core.answers import GOLD_DETAILS, PREDICTED_DETAILS, TEXT_ANSWERS, AnswerColumns, AnswerKind
from ...core.errors import InputError
from ...core.gold_fingerprints import sorted_texts
from ...core.intake import Cells, Kind
from ...core.measures import Count, Mean, Measure


def means_of(columns: Mapping[str, np.ndarray]) -> dict[str, Measure]:
    """The mean of each column, and counts."""
    return {**{name: Mean(name) for name in columns}, "total": Count(), "missing": Count("missing")}


def cells_as(read: Callable[[Any, str], Any], *, or_none: bool = False, takes_dicts: bool = False) -> Kind:
    """The kind of cells that `read` reads, from a cell and its name for messages.

    Args:
        or_none: a cell may be None, which stays.
        takes_dicts: a dict without 'answers' is a cell.
    """

    def check(cells: Cells) -> list[Any]:
        return [
            None if or_none and cell is None else read(cell, cells.where(row)) for row, cell in enumerate(cells.values)
        ]

    return Kind(check, takes_dicts=lambda row: takes_dicts and "answers" not in row)


def details_of_both(
    columns: AnswerColumns, gold_name: str, predicted_name: str | None = None
) -> tuple[list[Any], list[Any]] | None:
    """A detail of the predictions and of the gold answers; None if neither side has it.

    Raises:
        InputError: one side lacks it.
    """
    predicted_name = predicted_name or gold_name
    predicted, gold = columns.predicted_details.get(predicted_name), columns.gold_details.get(gold_name)
    if predicted is not None and gold is not None:
        return predicted, gold
    if predicted is not None or gold is not None:
        side, name = (GOLD_DETAILS, gold_name) if gold is None else (PREDICTED_DETAILS, predicted_name)
        raise InputError(side, f"{side} lacks {name!r}, which the other has; give it in both, or in neither")
    return None


@dataclasses.dataclass(frozen=True)
class Rules:
    """The rules of a benchmark.

    Attributes:
        score: from columns and options to the columns of scores, name -> float64 (n,); missing predictions score 0.
        kind: the kind of predictions and gold answers, and which further columns the rules read.
        normalizer: the default normaliser; "none": the rules normalise the texts, and the option is refused.
        references: how several gold answers of a question are combined, in the words of the signature.
        nothing: normalised answers that mean no answer.
        measures: from the columns of scores to the measures.
        gold_key: a key that is equal for gold rows that differ only in order.
        zero_missing: whether all columns are set to 0 where a prediction is missing; else `score` handles missing ones.
        needs_golds: whether a question without a gold answer is refused.
    """

    score: Callable[[AnswerColumns, Any], dict[str, np.ndarray]]
    kind: AnswerKind = TEXT_ANSWERS
    normalizer: str = "squad"
    references: str = "max"
    nothing: frozenset[str] = frozenset({""})
    measures: Callable[[Mapping[str, np.ndarray]], dict[str, Measure]] = means_of
    gold_key: Callable[[Any], Any] = sorted_texts
    zero_missing: bool = True
    needs_golds: bool = True
