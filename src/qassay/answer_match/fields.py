"""The columns that answer_match reads: answers, gold answers, and what presets read besides."""

import functools
from typing import Any

from ..core.answers import (
    GOLD_DETAILS,
    PREDICTED_DETAILS,
    RANKED_TEXTS,
    TEXT_ANSWERS,
    AnswerKind,
    detail_column,
)
from ..core.intake import GROUPS, NUMBER, PREDICTIONS, REFERENCES, WEIGHTS, Field, refused
from .presets import rules_of
from .rules import Rules


def answer_kind(rules: Rules | None) -> AnswerKind:
    """What a prediction and a gold answer is by these rules, or where options express them."""
    return TEXT_ANSWERS if rules is None else rules.kind


def answer_fields(options: Any) -> tuple[Field, ...]:
    """The columns of `score_answers` with these options."""
    return _fields(options.preset, options.top_k is not None)


@functools.cache
def _fields(preset: str | None, are_ranked: bool) -> tuple[Field, ...]:
    rules = rules_of({"preset": preset})
    kind = answer_kind(rules)
    idle = f"preset={preset} does not use no_answer_probabilities; omit them"
    probabilities = NUMBER if rules is None else refused(idle)
    return (
        Field(REFERENCES, kind.references, REFERENCES, ("answers",)),
        Field(PREDICTIONS, RANKED_TEXTS if are_ranked else kind.predictions, PREDICTIONS, ("prediction_text",)),
        *(
            Field(detail_column(of, name), detail.kind, side, (name,))
            for of, side, details in (
                (PREDICTED_DETAILS, PREDICTIONS, kind.predicted_details),
                (GOLD_DETAILS, REFERENCES, kind.gold_details),
            )
            for name, detail in details.items()
        ),
        WEIGHTS,
        GROUPS,
        Field("no_answer_probabilities", probabilities, PREDICTIONS, ("no_answer_probability",), scalar=True),
    )
