"""The columns that answer_match reads: answers, gold answers, and what presets read besides."""

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.answers import (
    GIVE_GOLDS,
    GOLD_DETAILS,
    PREDICTED_DETAILS,
    RANKED_TEXTS,
    TEXT_ANSWERS,
    AnswerKind,
    detail_column,
    ranked_rows,
)
from ..core.columns import is_missing, plain_rows
from ..core.intake import GROUPS, NUMBER, PREDICTIONS, REFERENCES, WEIGHTS, Cells, Field, Kind, refused
from ..core.shown import describe
from .presets import rules_of

_GIVE_SPAN = "give (start, end) with 0 <= start < end, or None for no answer"
_FACTS_ARE_IDLE = refused("supporting facts are for preset=hotpotqa; give that option, or omit the facts")


# --- spans ------------------------------------------------------------------------------------------------------------


def is_span(value: Any) -> bool:
    """Whether a list is one span, a pair of integers, and not several answers."""
    return hasattr(value, "__len__") and len(value) == 2 and all(isinstance(end, (int, np.integer)) for end in value)


def _span(span: Any, cells: Cells, row: int, may_be_none: bool) -> tuple[int, int] | None:
    span = None if is_missing(span) else span.tolist() if hasattr(span, "tolist") else span
    if span is None and may_be_none:
        return None
    if not isinstance(span, (list, tuple)) or not is_span(span) or not 0 <= span[0] < span[1] < 2**62:
        raise cells.refusal(row, f"has {describe(span)} instead of a span", _GIVE_SPAN)
    return int(span[0]), int(span[1])


def _spans(cells: Cells) -> list[tuple[int, int] | None]:
    return [_span(span, cells, row, True) for row, span in enumerate(cells.values)]


def _ranked_spans(cells: Cells) -> list[list[tuple[int, int] | None]]:
    values = [[None] if is_missing(value) else value for value in cells.values]
    rows = ranked_rows(dataclasses.replace(cells, values=values), None, is_span)
    return [[_span(span, cells, row, True) for span in spans] for row, spans in enumerate(rows)]


def _gold_spans(cells: Cells) -> list[list[tuple[int, int] | None]]:
    """Lists of spans, also from SQuAD's gold answers: texts with their positions `answer_start`."""
    rows = plain_rows(
        [_span_golds(row, cells, index) for index, row in enumerate(cells.values)], cells.name, cells.ids, GIVE_GOLDS
    )
    return [[_span(span, cells, row, False) for span in spans] for row, spans in enumerate(rows)]


def _span_golds(row: Any, cells: Cells, index: int) -> Any:
    if isinstance(row, Mapping):
        texts: Any = row.get("text")
        texts, starts = texts.tolist() if hasattr(texts, "tolist") else texts, row.get("answer_start")
    elif isinstance(row, (list, tuple)) and row and isinstance(row[0], Mapping):
        texts = [answer.get("text") if isinstance(answer, Mapping) else answer for answer in row]
        starts = [answer.get("answer_start") if isinstance(answer, Mapping) else None for answer in row]
    else:
        return row
    if not isinstance(texts, (list, tuple)) or not all(isinstance(text, str) for text in texts):
        raise TypeError(f"{cells.where(index)}: 'text' must contain strings, got {describe(texts)}; {GIVE_GOLDS}")
    if starts is None or len(starts) != len(texts) or not all(isinstance(start, (int, np.integer)) for start in starts):
        raise ValueError(f"{cells.where(index)} needs an integer 'answer_start' for every answer with unit=offset")
    return [(start, start + len(text)) for text, start in zip(texts, starts, strict=True)]


# --- kinds of answers -------------------------------------------------------------------------------------------------


SPAN_ANSWERS = AnswerKind(
    Kind(_spans, none_is_missing=False),
    Kind(_gold_spans, takes_dicts=lambda row: "text" in row),
    no_answer=None,
    are_texts=False,
)
RANKED_SPANS = Kind(_ranked_spans, none_is_missing=False)


def answer_kind(options: Any) -> AnswerKind:
    """What a prediction and a gold answer is with these options."""
    return _kind(options.preset, options.unit == "offset", options.top_k is not None)


@functools.cache
def _kind(preset: str | None, are_spans: bool, are_ranked: bool) -> AnswerKind:
    rules = rules_of({"preset": preset})
    kind = SPAN_ANSWERS if are_spans else TEXT_ANSWERS if rules is None else rules.kind
    return dataclasses.replace(kind, predictions=RANKED_SPANS if are_spans else RANKED_TEXTS) if are_ranked else kind


def answer_fields(options: Any) -> tuple[Field, ...]:
    """The columns of `score_answers` with these options."""
    return _fields(options.preset, options.unit == "offset", options.top_k is not None)


@functools.cache
def _fields(preset: str | None, are_spans: bool, are_ranked: bool) -> tuple[Field, ...]:
    kind = _kind(preset, are_spans, are_ranked)
    probabilities, facts = NUMBER, kind.facts or _FACTS_ARE_IDLE
    if rules_of({"preset": preset}) is not None:
        probabilities = refused(f"preset={preset} does not use no_answer_probabilities; omit them")
    usual_facts = ("supporting_facts",) if kind.facts else ()
    return (
        Field(REFERENCES, kind.references, REFERENCES, ("answers",)),
        Field(PREDICTIONS, kind.predictions, PREDICTIONS, ("prediction_text",)),
        Field("predicted_facts", facts, PREDICTIONS, usual_facts),
        Field("gold_facts", facts, REFERENCES, usual_facts),
        *(
            Field(detail_column(of, name), detail.kind, side, (name,))
            for of, side in ((PREDICTED_DETAILS, PREDICTIONS), (GOLD_DETAILS, REFERENCES))
            for name, detail in kind.details_of(of).items()
        ),
        WEIGHTS,
        GROUPS,
        Field("no_answer_probabilities", probabilities, PREDICTIONS, ("no_answer_probability",), scalar=True),
    )
