"""The measures of TAT-QA: answers with a scale such as million or percent, numbers compared as numbers.

The values match `tatqa_metric.py` of NExTplusplus/TAT-QA, for the task of Zhu et al. (2021), "TAT-QA: A Question
Answering Benchmark on a Hybrid of Tabular and Textual Content in Finance".
"""

import dataclasses
import functools
import math
import re
import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.answers import AnswerColumns, Detail
from ...core.columns import is_list, with_id
from ...core.errors import InputError
from ...core.intake import ANYTHING, Cells, Kind
from ...core.presets import Preset
from ...core.shown import describe
from ...core.text import collapse_spaces, drop_articles
from ..token_bags import f1_of_shared
from . import Rules, cells_as
from .drop import SPAN_LISTS

_FACTORS = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000, "percent": 0.01}
_IN_NUMBERS = dict.fromkeys(map(ord, "'\"\\$€£¥%(),[]"))
_ASCII_MARKS = dict.fromkeys(map(ord, string.punctuation))
_FIRST_NUMBER = re.compile(r"([+-]?\d+(?:\.\d+)?)|[+-]?\.\d+")
_NUMBER_AND_WORD = re.compile(r"[\d.]+\s?[a-zA-Z]+")
_IN_BRACKETS = re.compile(r"\([\d.\s]+\)")
_PER_CENT = re.compile(r"[\d.\s]+%")
_CALCULATED = ("arithmetic", "count")


def _span_lists(cells: Cells) -> Any:
    """Predictions as lists of spans; a number is one span."""
    return SPAN_LISTS.predictions.check(dataclasses.replace(cells, values=list(map(_with_number, cells.values))))


def _gold_spans(row: Any, where: str) -> list[str]:
    """The only gold answer of a row as a list of spans."""
    spans = _with_number(row)
    spans = [spans] if isinstance(spans, str) else spans
    if not is_list(spans) or not all(isinstance(span, str) for span in spans):
        raise TypeError(f"{where} must be a list of spans, a text or a number, got {describe(row)}")
    return list(spans)


def _scale(scale: Any, where: str) -> str:
    if not isinstance(scale, str):
        raise TypeError(f"{where} must be a text such as '' or 'million', got {describe(scale)}")
    return scale


_ANSWERS = dataclasses.replace(
    SPAN_LISTS,
    predictions=Kind(_span_lists),
    references=cells_as(_gold_spans),
    gold_details={"scale": Detail(cells_as(_scale), True), "answer_type": Detail(ANYTHING, True)},
    predicted_details={"scale": Detail(cells_as(_scale, or_none=True), True)},
)


def _with_number(row: Any) -> Any:
    """A row with a single number turned into text; the caller refuses several numbers."""
    if is_list(row) and len(row) == 1:
        return [_with_number(row[0])]
    is_number = isinstance(row, (int, float, np.integer, np.floating)) and not isinstance(row, bool)
    return str(row.item() if isinstance(row, np.generic) else row) if is_number else row


def _factor(text: str) -> float:
    return next((factor for word, factor in _FACTORS.items() if word in text.lower()), 1)


def _is_amount(text: str) -> bool:
    """Whether a text is a number, optionally followed by a scale."""
    words = " ".join(word.translate(_IN_NUMBERS) for word in text.split()).split()
    try:
        return bool(words) and not math.isnan(float(words[0])) and (len(words) < 2 or _factor(words[1]) != 1)
    except ValueError:
        return False


def amount_of(text: str) -> float | None:
    """The number in a text, with its scale, brackets for negative numbers, and per cent; None if no number starts
    with a digit.

    Example:
        >>> amount_of("$1.5 million"), amount_of("(12)"), amount_of("3%"), amount_of(".5")
        (1500000.0, -12, 0.03, None)
    """
    found = _FIRST_NUMBER.search(text.translate(_IN_NUMBERS))
    if found is None or found[1] is None:
        return None
    number = float(found[1]) if "." in found[1] else int(found[1])
    word = _NUMBER_AND_WORD.search(text)
    negative = -1 if _IN_BRACKETS.search(text.strip()) else 1
    return round(
        number * (_factor(word[0]) if word else 1) * negative * (0.01 if _PER_CENT.search(text.strip()) else 1), 4
    )


def _one_text(spans: Sequence[str], scale: str) -> str:
    """The sorted spans as one text, with numbers multiplied by their scale and written with four decimals."""
    texts = []
    for span in sorted(spans):
        amount = amount_of(span) if _is_amount(span) else None
        if amount is None:
            texts.append(f"{span} {scale}" if scale else span)
        else:
            texts.append(f"{amount if '%' in span else round(amount, 2) * _factor(scale):.4f}")
    return " ".join(texts)


@functools.lru_cache(1 << 16)
def _tatqa_tokens(text: str) -> tuple[str, ...]:
    return tuple(filter(None, map(_tatqa_token, text.split(" "))))


def _tatqa_token(token: str) -> str:
    token = token.lower()
    token = token if _is_amount(token) else token.translate(_ASCII_MARKS)
    return collapse_spaces(drop_articles("en", str(amount_of(token)) if _is_amount(token) else token))


def _tatqa_pair(predicted: str, gold: str) -> tuple[float, float]:
    """Exact match and F1 of the sets of tokens, rounded to two decimals."""
    answer_tokens, gold_tokens = _tatqa_tokens(predicted), _tatqa_tokens(gold)
    bags = [set(" ".join(tokens).split()) for tokens in (answer_tokens, gold_tokens)]
    f1 = f1_of_shared(len(bags[0] & bags[1]), *bags) if any(bags) else 1.0
    return float(" ".join(answer_tokens) == " ".join(gold_tokens)), float(np.round(f1, 2))


def _score_tatqa(columns: AnswerColumns, options: Any) -> dict[str, np.ndarray]:
    """Exact match, F1 (exact match where the answer is calculated) and whether the scale is right."""
    values = [(0.0, 0.0, 0.0)] * len(columns.ids)
    details = columns.gold_details["answer_type"], columns.gold_details["scale"], columns.predicted_details["scale"]
    rows = zip(columns.predictions, columns.references, *details, strict=True)
    for row, (spans, golds, answer_type, gold_scale, scale) in enumerate(rows):
        if scale is None and columns.given[row]:
            found = f"predicted_details['scale'][{row}]{with_id(columns.ids, row)} is None"
            raise InputError("predicted_details", found, "give '' for no scale")
        if not spans or spans == ("",) or not golds:
            continue
        if answer_type == "count":
            golds = [_count_at(golds, row, columns.ids)]
        try:
            gold, texts = _one_text(golds, gold_scale), [_one_text(spans, scale or "")]
            if len(spans) == 1 and not scale and "%" not in spans[0] and _is_amount(spans[0]):
                amount = amount_of(spans[0])
                texts += [] if amount is None else [f"{amount:.4f}"]
        except OverflowError:
            problem = f"row {row}{with_id(columns.ids, row)} has a number that is too large to compare"
            raise ValueError(problem) from None
        exact_match, f1 = max(_tatqa_pair(text, gold) for text in texts)
        f1 = exact_match if answer_type in _CALCULATED else f1
        values[row] = exact_match, f1, float((scale or "") == gold_scale)
    return dict(zip(("exact_match", "f1", "scale_accuracy"), np.array(values).T.copy(), strict=True))


def _count_at(golds: Sequence[str], row: int, ids: Sequence[Any]) -> str:
    """The gold answer of a counting question, as an integer."""
    try:
        (count,) = golds
        return str(int(float(count)))
    except (ValueError, OverflowError):
        found = f"is the answer of a count and must be one integer, got {golds!r:.80}"
        raise InputError("references", f"references[{row}]{with_id(ids, row)} {found}") from None


TATQA_PRESET = Preset(
    name="tatqa",
    line="questions about financial tables and texts (TAT-QA): numbers compared with their scale, F1 of the sets of tokens, and the "
    "share of right scales",
    source="NExTplusplus/TAT-QA, tatqa_metric.py",
    rules=Rules(_score_tatqa, _ANSWERS, normalizer="none", references="all", needs_golds=False),
    measures=("exact_match", "f1", "scale_accuracy"),
    columns={
        "gold_details": "scale ('', thousand, million, billion or percent) and answer_type (span, multi-span, arithmetic, count)",
        "predicted_details": "scale",
    },
    differences="A gold row is one answer, a list of its spans or a number. As in the script: numbers are rounded to two decimals before the "
    "scale; 23.42 percent is also right as 0.2342 without a scale; F1 is rounded to two decimals, and is exact match for "
    "arithmetic and count; an amount such as .5 without a digit before its point is not a separate number.",
)
