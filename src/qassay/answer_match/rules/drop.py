"""Exact match and F1 of DROP: answers of several spans, numbers compared as numbers.

The values match the official evaluator (`drop_eval.py` of allenai/allennlp-reading-comprehension) for the
task of Dua et al. (2019), "DROP: A Reading Comprehension Benchmark Requiring Discrete Reasoning Over Paragraphs".
Between a prediction and one gold answer, both lists of spans:

- exact match is 1 when the sets of normalised spans are equal and so are the numbers of spans;
- F1 pairs the spans one to one for the largest total, divides it by the length of the longer list, and rounds to
  two decimals. Two spans score the F1 of their *sets* of tokens, and 0 if the gold span has numbers and the
  predicted span has none of them. Two empty spans score 1.

With several gold answers, each value is the largest over the gold answers, separately, as in the official
evaluator; the AllenNLP training metric takes both from the gold answer with the largest (exact match, F1). A gold
answer whose first span is blank is ignored, so a question with only such gold answers scores 0.
"""

import dataclasses
import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...core.answers import GIVE_GOLDS, AnswerColumns, AnswerKind, gold_texts
from ...core.columns import check_rows, is_list, texts_of
from ...core.errors import InputError
from ...core.gold_fingerprints import sorted_texts
from ...core.intake import Cells, Kind
from ...core.presets import Preset
from ...core.shown import describe, shown
from ...core.text import parses_as_float
from ..token_bags import f1_of_shared
from . import Rules

_MOST_PAIRS = 1_000_000  # largest number of span pairs per question: some seconds
_GIVE_SPANS = "give a string, a list of strings for several spans, or None for no answer"


def _span_lists(cells: Cells) -> list[Sequence[str] | None]:
    """Predictions as lists of spans, a text as one span; None if there is none."""
    check_rows(cells.values, cells.name, cells.ids, (str, list, tuple, type(None)), _GIVE_SPANS)
    return [
        (value,) if isinstance(value, str) else value and texts_of(value, cells.where(row), "spans", _GIVE_SPANS)
        for row, value in enumerate(cells.values)
    ]


def _gold_rows(cells: Cells) -> list[list[list[str]]]:
    """The gold answers of each row, each a list of spans; a row may be an answer object of DROP or a whole question."""
    values = cells.values
    values = gold_texts(cells) if any(issubclass(kind, str) for kind in set(map(type, values))) else values
    check_rows(values, cells.name, cells.ids, (list, tuple, Mapping), GIVE_GOLDS)
    return [_golds_of(value, cells.where(row)) for row, value in enumerate(values)]


SPAN_LISTS = AnswerKind(Kind(_span_lists), no_answer=None, are_texts=False)
_DROP_ANSWERS = dataclasses.replace(
    SPAN_LISTS, references=Kind(_gold_rows, takes_dicts=lambda row: "answers" not in row)
)


# --- scores -----------------------------------------------------------------------------------------------------------


def _score_drop(columns: AnswerColumns, options: Any) -> dict[str, np.ndarray]:
    values = [(0.0, 0.0)] * len(columns.predictions)
    read = functools.cache(options.normalizer)
    for row, (spans, golds) in enumerate(zip(columns.predictions, columns.references, strict=True)):
        if spans is None:
            continue
        most = max(map(len, golds))
        if len(spans) * most > _MOST_PAIRS:
            raise ValueError(
                f"predictions[{row}] has {len(spans):,} spans for {most:,} gold spans, each compared with each; give at "
                f"most {_MOST_PAIRS // most:,} spans"
            )
        predicted = list(map(read, spans))
        pairs = [_drop_pair(predicted, list(map(read, gold))) for gold in golds if gold[0].strip()]
        if pairs:
            values[row] = pairs[0] if len(pairs) == 1 else tuple(map(max, zip(*pairs)))
    exact_match, f1 = np.array(values).reshape(-1, 2).T
    # Rounding keeps the order, so the largest rounded value is the largest value, rounded.
    return {"exact_match": exact_match.copy(), "f1": np.round(f1, 2)}


def _drop_pair(predicted: list[str], gold: list[str]) -> tuple[float, float]:
    """Exact match and unrounded F1 of two lists of normalised spans."""
    if len(predicted) == 1 == len(gold):
        if predicted == gold:
            return 1.0, 1.0
        return 0.0, _drop_bag_f1(set(predicted[0].split()), set(gold[0].split()))
    same = len(predicted) == len(gold) and set(predicted) == set(gold)
    bags = ([set(span.split()) for span in spans] for spans in (predicted, gold))
    return float(same), _drop_aligned_f1(*bags)


def _drop_aligned_f1(predicted: list[set[str]], gold: list[set[str]]) -> float:
    """Mean F1 of the best one-to-one alignment, over the length of the longer list."""
    if not predicted:
        return 0.0
    scores = [[_drop_bag_f1(p, g) for p in predicted] for g in gold]
    if len(predicted) == 1 or len(gold) == 1:
        return max(map(max, scores)) / max(len(predicted), len(gold))
    from scipy.optimize import linear_sum_assignment

    matrix = np.array(scores)
    rows, columns = linear_sum_assignment(matrix, maximize=True)
    # Keep each value at the index of its gold span: the last bit of numpy's sum depends on positions and can change a
    # rounding.
    aligned = np.zeros(max(matrix.shape))
    aligned[rows] = matrix[rows, columns]
    return float(aligned.mean())


def _drop_bag_f1(predicted: set[str], gold: set[str]) -> float:
    """F1 of two sets of tokens, 0 if the gold answer has numbers and none is shared."""
    if not predicted or not gold:
        return float(not predicted and not gold)
    shared = predicted & gold
    if not shared:
        return 0.0
    if not any(map(parses_as_float, shared)) and any(map(parses_as_float, gold - shared)):
        return 0.0
    return f1_of_shared(len(shared), predicted, gold)


# --- answers of the data set ------------------------------------------------------------------------------------------


def _golds_of(row: Any, where: str) -> list[list[str]]:
    """The gold answers of one question, in any form, each as a non-empty list of spans."""
    if isinstance(row, Mapping):
        golds = [drop_gold_spans(answer, index) for answer, index in _answers_of(row, where)]
    else:
        golds = [_gold_of(gold, f"{where}[{index}]") for index, gold in enumerate(row)]
    if not golds:
        message = f"{where} has no gold answer; DROP has no unanswerable questions, so give at least one"
        raise InputError("references", message)
    return golds


def _gold_of(gold: Any, where: str) -> list[str]:
    if isinstance(gold, Mapping):
        return drop_gold_spans(gold, where)
    spans = [gold] if isinstance(gold, str) else texts_of(gold, where, "spans", GIVE_GOLDS)
    if not spans:
        raise ValueError(f"{where} is a gold answer without spans; remove it or give its spans")
    return spans


def _answers_of(row: Mapping[str, Any], where: str) -> Iterator[tuple[Any, str]]:
    """The answer objects of a question, of a table of answers (a list per field) or of a single answer."""
    if "answer" in row:
        yield row["answer"], f"{where}['answer']"
        validated, where = row.get("validated_answers"), f"{where}['validated_answers']"
        if isinstance(validated, Mapping):
            yield from _answers_of(validated, where)
        elif validated is not None:
            answers = validated if is_list(validated) else [validated]
            yield from ((answer, f"{where}[{index}]") for index, answer in enumerate(answers))
    elif is_list(row.get("number")):
        fields = [field for field in ("number", "date", "spans") if field in row]
        lengths = {field: len(row[field]) for field in fields}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"{where} is a table of answers with columns of different lengths: {lengths}")
        for index, values in enumerate(zip(*(row[field] for field in fields))):
            yield dict(zip(fields, values)), f"{where} row {index}"
    else:
        yield row, where


def drop_gold_spans(answer: Any, where: str = "answer") -> list[str]:
    """The spans of one answer object of the DROP data set.

    A number, spans of text or a date: the first non-empty one, in this order. A date becomes the single span "day month
    year"; an empty object gives a blank span, which scores skip. Unlike
    the official evaluator, the integer 0 is a number (the data set writes numbers as text, where the two agree).
    """
    if not isinstance(answer, Mapping):
        raise TypeError(f"{where} must be an answer of DROP, a dict, got {describe(answer)}")
    number, spans, date = (answer.get(field) for field in ("number", "spans", "date"))
    if not (number is None or isinstance(number, str) and number == ""):
        return [_number_text(number, where)]
    spans = [] if spans is None else texts_of(spans, f"{where}['spans']")
    if spans:
        return spans
    if isinstance(date, Mapping) and all(part in date for part in ("day", "month", "year")):
        return [" ".join("" if date[part] is None else str(date[part]) for part in ("day", "month", "year"))]
    raise ValueError(
        f"{where} contains no answer: fill in 'number', 'spans' or 'date' (with 'day', 'month' and 'year'); "
        f"it has the keys {sorted(map(str, answer))}"
    )


def _number_text(number: Any, where: str) -> str:
    is_whole = isinstance(number, (int, np.integer)) and not isinstance(number, bool)
    if not isinstance(number, str) and not is_whole:
        if not (isinstance(number, (float, np.floating)) and math.isfinite(number)):
            raise TypeError(f"{where}['number'] must be text or a finite number, not {shown(number)}")
    try:
        return str(number)
    except ValueError:  # the official script would fail too
        raise ValueError(f"{where}['number'] is {shown(number)}; write such a number as text") from None


DROP_PRESET = Preset(
    name="drop",
    line="DROP: numbers, dates and lists of spans; spans are matched one to one",
    source="allenai/allennlp-reading-comprehension, allennlp_rc/eval/drop_eval.py",
    # The spans of an answer are a bag: their order does not matter.
    rules=Rules(_score_drop, _DROP_ANSWERS, "drop", gold_key=lambda answers: sorted_texts(map(sorted, answers))),
    measures=("exact_match", "f1"),
)
