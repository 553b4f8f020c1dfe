"""The measures of MultiSpanQA: precision, recall and F1 of all spans of all questions.

The values match `eval_script.py` of haonan-li/MultiSpanQA, for the task of Li et al. (2022), "MultiSpanQA: A Dataset
for Multi-Span Question Answering".
"""

import dataclasses
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

import numpy as np

from ...core.answers import AnswerColumns
from ...core.matching import harmonic
from ...core.measures import Count, Mean, Measure, Rows, TermMeasure
from ...core.presets import Preset
from . import Rules
from .drop import SPAN_LISTS

_NO_SPANS: tuple[list[str], ...] = ([], [""])  # the text that means no answer when overlap is counted


@dataclasses.dataclass(frozen=True)
class SpanSums(TermMeasure):
    """Precision, recall or F1 of the spans of all questions.

    Attributes:
        part: "precision", "recall" or "f1".
        predicted, gold: columns with the number of predicted and gold spans that are right.
    """

    part: str
    predicted: str
    gold: str

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.predicted, self.gold, "spans", "gold_spans")

    def terms(self, rows: Rows) -> list[np.ndarray]:
        return [rows.weights * rows.columns[name] for name in self.reads]

    def finish(self, sums: Any) -> Any:
        precision, recall = np.asarray(sums[0] / sums[2]), np.asarray(sums[1] / sums[3])
        return {"precision": precision, "recall": recall, "f1": harmonic(precision, recall)}[self.part]


def _span_measures(columns: Mapping[str, np.ndarray]) -> dict[str, Measure]:
    parts = ("precision", "recall", "f1")
    return {
        "exact_match": Mean("exact_match"),
        **{f"exact_{part}": SpanSums(part, "exact_right", "exact_right") for part in parts},
        **{f"overlap_{part}": SpanSums(part, "overlap_right", "overlap_found") for part in parts},
        "total": Count(),
        "missing": Count("missing"),
    }


def _score_multispanqa(columns: AnswerColumns, options: Any) -> dict[str, np.ndarray]:
    """The sums of each question; no spans count as one."""
    values = []
    rows = zip(columns.predictions, columns.references, (~columns.zero).tolist(), strict=True)
    for answer, gold, counts in rows:
        predicted, right = (sorted(set(map(options.normalizer, spans or []))) for spans in (answer, gold))
        exact = float(not predicted and not right or len(set(predicted) & set(right)))
        found = (exact, *_overlaps(predicted, right)) if counts else (0.0, 0.0, 0.0)
        f1 = 0.0 if not found[1] else 2 / (max(len(predicted), 1) / found[1] + max(len(right), 1) / found[2])
        values.append((*found, max(len(predicted), 1), max(len(right), 1), predicted == right and counts, f1))
    names = ("exact_right", "overlap_right", "overlap_found", "spans", "gold_spans", "exact_match", "f1")
    return dict(zip(names, np.array(values, np.float64).T.copy(), strict=True))


def _overlaps(predicted: Sequence[str], gold: Sequence[str]) -> tuple[float, float]:
    """The overlap of predicted and gold spans: for each span, the largest share that a span of the other side
    contains.
    """
    if not gold or predicted in _NO_SPANS:
        same = float(not gold and predicted in _NO_SPANS)
        return same, same
    runs = np.zeros((len(gold), len(predicted)))
    for row, right in enumerate(gold):
        for index, span in enumerate(predicted):
            runs[row, index] = SequenceMatcher(None, right, span).find_longest_match(0, len(right), 0, len(span)).size
    widths, heights = (np.maximum([len(span) for span in spans], 1) for spans in (predicted, gold))
    return float((runs / widths).max(axis=0).sum()), float((runs / heights[:, None]).max(axis=1).sum())


MULTISPANQA_PRESET = Preset(
    name="multispanqa",
    line="questions whose answer is several spans (MultiSpanQA): precision, recall and F1 of all spans of all questions, for "
    "equal spans and for the longest common run of characters",
    source="haonan-li/MultiSpanQA, src/eval_script.py",
    rules=Rules(
        _score_multispanqa,
        SPAN_LISTS,
        references="all",
        measures=_span_measures,
        zero_missing=False,
    ),
    measures=("exact_f1", "overlap_f1", "exact_precision", "exact_recall", "overlap_precision", "overlap_recall"),
    compared=300,
    differences="All gold answers of a question form one answer, and [] means no answer. As in the script: no span counts as one "
    "span in the sums; if there is no answer, a prediction of one empty text is right for overlap and wrong for exact. The "
    "last digits of the script's overlap vary from run to run, because its sets are unordered.",
)
