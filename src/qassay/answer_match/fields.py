"""The columns that answer_match reads: answers, gold answers, and what presets read besides."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.columns import check_lengths, plain_rows, to_list
from ..core.errors import about
from ..core.extraction import extract_answers, remarks_on_wrappings
from ..core.groups import Groups
from ..core.intake import (
    ANYTHING,
    EXAMPLES,
    GROUPS,
    NUMBER,
    PREDICTIONS,
    REFERENCES,
    WEIGHTS,
    Cells,
    Field,
    Kind,
    Table,
    field_of,
    read,
    refused,
    rows_of_dicts,
)
from ..core.remarks import remark
from ..core.shown import describe, shown
from ..core.text_kinds import (
    GIVE_GOLDS,
    QUESTION,
    QUESTION_OR_NONE,
    RANKED_TEXTS,
    SINGLE_TEXT,
    TEXT,
    TEXTS,
    ranked_rows,
    remarks_on_texts,
)

_GIVE_SPAN = "give (start, end) with 0 <= start < end, or None for no answer"
_FACTS_ARE_IDLE = refused("supporting facts are for preset=hotpotqa; give that option, or omit the facts")
_GOLD_DETAIL, _PREDICTED_DETAIL = "gold_details", "predicted_details"


# --- spans ------------------------------------------------------------------------------------------------------------


def is_span(value: Any) -> bool:
    """Whether a list is one span, a pair of integers, and not several answers."""
    return hasattr(value, "__len__") and len(value) == 2 and all(isinstance(end, (int, np.integer)) for end in value)


def _span(span: Any, cells: Cells, row: int, may_be_none: bool) -> tuple[int, int] | None:
    span = span.tolist() if hasattr(span, "tolist") else span
    if span is None and may_be_none:
        return None
    if not isinstance(span, (list, tuple)) or not is_span(span) or not 0 <= span[0] < span[1] < 2**62:
        raise ValueError(f"{cells.where(row)} has {describe(span)} instead of a span; {_GIVE_SPAN}")
    return int(span[0]), int(span[1])


def _spans(cells: Cells) -> list[tuple[int, int] | None]:
    return [_span(span, cells, row, True) for row, span in enumerate(cells.values)]


def _ranked_spans(cells: Cells) -> list[list[tuple[int, int] | None]]:
    values = [[None] if value is None else value for value in cells.values]
    rows = ranked_rows(dataclasses.replace(cells, values=values), None, is_span)
    return [[_span(span, cells, row, True) for span in spans] for row, spans in enumerate(rows)]


def _gold_spans(cells: Cells) -> list[list[tuple[int, int] | None]]:
    """Lists of spans, also from SQuAD's gold answers, whose texts have the positions `answer_start`."""
    rows = plain_rows(
        [_span_golds(row, cells, place) for place, row in enumerate(cells.values)], cells.name, cells.ids, GIVE_GOLDS
    )
    return [[_span(span, cells, row, False) for span in spans] for row, spans in enumerate(rows)]


def _span_golds(row: Any, cells: Cells, place: int) -> Any:
    if isinstance(row, Mapping):
        texts: Any = row.get("text")
        texts, starts = texts.tolist() if hasattr(texts, "tolist") else texts, row.get("answer_start")
    elif isinstance(row, (list, tuple)) and row and isinstance(row[0], Mapping):
        texts = [answer.get("text") if isinstance(answer, Mapping) else answer for answer in row]
        starts = [answer.get("answer_start") if isinstance(answer, Mapping) else None for answer in row]
    else:
        return row
    if not isinstance(texts, (list, tuple)) or not all(isinstance(text, str) for text in texts):
        raise TypeError(f"{cells.where(place)}: 'text' must contain strings, got {describe(texts)}; {GIVE_GOLDS}")
    if starts is None or len(starts) != len(texts) or not all(isinstance(start, (int, np.integer)) for start in starts):
        raise ValueError(f"{cells.where(place)} needs an integer 'answer_start' for every answer with unit=offset")
    return [(start, start + len(text)) for text, start in zip(texts, starts, strict=True)]


# --- kinds of answers -------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class AnswerKind:
    """What predictions and gold answers are, and the further columns that rules read.

    Attributes:
        predictions, references: the kinds of their cells.
        no_answer: what stands for a missing prediction.
        are_texts: a prediction is a text and a gold row is a list of texts.
        facts: the kind of supporting facts, which keep their score where the prediction is missing; None: none are read.
        compares_numbers: "1914.0" and "1914" are equal.
        gold_details, predicted_details: further columns, name -> whether the rules require them.
    """

    predictions: Kind = TEXT
    references: Kind = TEXTS
    no_answer: Any = ""
    are_texts: bool = True
    facts: Kind | None = None
    compares_numbers: bool = False
    gold_details: Mapping[str, bool] = dataclasses.field(default_factory=dict)
    predicted_details: Mapping[str, bool] = dataclasses.field(default_factory=dict)


TEXT_ANSWERS = AnswerKind()
SPAN_ANSWERS = AnswerKind(
    Kind(_spans, none_is_missing=False),
    Kind(_gold_spans, takes_dicts=lambda row: "text" in row),
    no_answer=None,
    are_texts=False,
)
RANKED_SPANS = Kind(_ranked_spans, none_is_missing=False)


def answer_kind(options: Any) -> AnswerKind:
    """What a prediction and a gold answer is with these options."""
    kind = SPAN_ANSWERS if options.unit == "offset" else TEXT_ANSWERS if options.rules is None else options.rules.kind
    if options.top_k is None:
        return kind
    return dataclasses.replace(kind, predictions=RANKED_SPANS if kind is SPAN_ANSWERS else RANKED_TEXTS)


def answer_fields(options: Any) -> tuple[Field, ...]:
    """The columns of `score_answers` with these options."""
    kind = answer_kind(options)
    probabilities, facts = NUMBER, kind.facts or _FACTS_ARE_IDLE
    if options.rules is not None:
        probabilities = refused(f"preset={options.preset} does not use no_answer_probabilities; omit them")
    usual_facts = ("supporting_facts",) if kind.facts else ()
    return (
        Field(PREDICTIONS, kind.predictions, PREDICTIONS, ("prediction_text",)),
        Field(REFERENCES, kind.references, REFERENCES, ("answers",)),
        Field("predicted_facts", facts, PREDICTIONS, usual_facts),
        Field("gold_facts", facts, REFERENCES, usual_facts),
        *(Field(f"{_PREDICTED_DETAIL}.{name}", ANYTHING, PREDICTIONS, (name,)) for name in kind.predicted_details),
        *(Field(f"{_GOLD_DETAIL}.{name}", ANYTHING, REFERENCES, (name,)) for name in kind.gold_details),
        WEIGHTS,
        GROUPS,
        Field("no_answer_probabilities", probabilities, PREDICTIONS, ("no_answer_probability",), scalar=True),
    )


def text_fields(options: Any, prediction: Kind = SINGLE_TEXT, question: Kind = QUESTION_OR_NONE) -> tuple[Field, ...]:
    """The columns of families that compare texts: `score_similarity` and `score_equivalence`."""
    return (
        Field(PREDICTIONS, prediction, PREDICTIONS, ("prediction_text",)),
        Field(REFERENCES, TEXTS, REFERENCES, ("answers",)),
        WEIGHTS,
        GROUPS,
        Field("questions", question, EXAMPLES),
    )


def similarity_fields(options: Any) -> tuple[Field, ...]:
    """The columns of `score_similarity`, which takes ranked answers."""
    return text_fields(options, TEXT if options.top_k is None else RANKED_TEXTS, QUESTION)


# --- aligned answers --------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class AnswerColumns:
    """Checked columns, one row per question.

    `predictions` and `references` are lists of the compared values; `given` (n,) marks questions with a prediction;
    `notes` has counts that belong to no question; `positions` (n,) are the rows of the predictions, -1 if
    missing. In HotpotQA a missing prediction is None, because the question may still have supporting
    facts. `unextracted` (n,) marks predictions in which no answer was found, None without extraction; `zero` (n,) marks
    rows that score 0: rows without a prediction, and, depending on the options, rows without an extracted answer;
    `gold_details` and `predicted_details` are further columns that the rules read, by name.
    """

    ids: Sequence
    predictions: list
    references: list
    given: np.ndarray
    zero: np.ndarray
    no_answer_probabilities: np.ndarray | None
    weights: np.ndarray | None
    groups: Groups | None
    predicted_facts: list | None
    gold_facts: list | None
    questions: list[str] | None
    notes: dict[str, int]
    positions: np.ndarray
    unextracted: np.ndarray | None
    gold_details: dict[str, list]
    predicted_details: dict[str, list]

    @property
    def found(self) -> dict[str, np.ndarray]:
        """The subset of predictions without an answer; {} without extraction."""
        return {} if self.unextracted is None else {"unextracted": self.unextracted}

    def settled(self, scores: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Columns of scores, set to 0 in the rows that score 0."""
        if not self.zero.any():
            return dict(scores)
        return {name: np.where(self.zero, 0.0, column) for name, column in scores.items()}

    def subsets(self) -> dict[str, np.ndarray]:
        """has_answer, no_answer and missing: the questions with a gold answer, without one, and without a prediction,
        (n,).
        """
        has_answer = np.fromiter(map(bool, self.references), bool, len(self.ids))
        return {"has_answer": has_answer, "no_answer": ~has_answer, "missing": ~self.given}


def read_answers(
    given: Mapping[str, Any], fields: Sequence[Field], options: Any, kind: AnswerKind = TEXT_ANSWERS
) -> AnswerColumns:
    """Bring any layout into columns in the order of the references.

    Args:
        given: the columns of `score_answers` or `score_similarity` by name; None means absent.
        fields: what is read with these options.
        options: with `top_k` (if given, predictions are ranked lists), the policies `missing` and `duplicates`, and
            `extract` and `unextracted` if answers are extracted from predictions.
        kind: the kind of predictions and gold answers.
    """
    absent: list[bool] = []  # predictions without an answer to extract, as they were given
    if options.extract is not None:
        first, *others = fields
        fields = [dataclasses.replace(first, kind=_extracting(first.kind, options, absent)), *others]
    table = read(fields, _with_details(given, kind), missing=options.missing, duplicates=options.duplicates)
    columns, rows = table.columns, table.rows[PREDICTIONS]
    answers: list = columns[PREDICTIONS]
    unextracted = None if options.extract is None else np.array(absent, bool)[rows] & (rows >= 0)
    if kind.are_texts:
        _remark_oddities(answers, table, options, kind)
    zero = ~table.given
    if unextracted is not None and options.unextracted == "zero":
        zero = zero | unextracted
    if zero.any():  # an empty answer replaces a missing one; rules with facts determine which half is missing
        empty = None if kind.facts else [kind.no_answer] if options.top_k is not None else kind.no_answer
        answers = [empty if is_zero else answer for answer, is_zero in zip(answers, zero.tolist(), strict=True)]
    names = ("no_answer_probabilities", "weights", "groups", "predicted_facts", "gold_facts", "questions")
    return AnswerColumns(
        table.ids,
        answers,
        columns[REFERENCES],
        table.given,
        zero,
        *map(columns.get, names),
        table.counts,
        rows,
        unextracted,
        *(
            {name.partition(".")[2]: column for name, column in columns.items() if name.startswith(f"{of}.")}
            for of in (_GOLD_DETAIL, _PREDICTED_DETAIL)
        ),
    )


def _remark_oddities(answers: list, table: Table, options: Any, kind: AnswerKind) -> None:
    golds = table.columns[REFERENCES]
    if options.extract is None and options.top_k is None:
        for line in remarks_on_wrappings(answers, golds):
            remark(line)
    tokens = options.normalizer if getattr(options, "unit", None) == "token" and not options.rules else None
    numbers = not kind.compares_numbers
    for line in remarks_on_texts(answers, golds, table.ids, options.family, numbers=numbers, tokens=tokens):
        remark(line)


def _extracting(kind: Kind, options: Any, absent: list[bool]) -> Kind:
    """The kind of predictions in which the answers lie that `kind` checks; `absent` gets, for each, whether there is none."""

    def check(cells: Cells) -> Any:
        answers: list = extract_answers(options.extract, cells.values, cells.where)
        absent[:] = [answer is None and text is not None for answer, text in zip(answers, cells.values, strict=True)]
        for row in np.flatnonzero(absent).tolist():
            text = cells.values[row]
            if options.unextracted == "error":
                raise ValueError(
                    f"extract {options.extract.name} finds no answer in {cells.where(row)}, {shown(text)}; use the option "
                    "unextracted=zero or empty or whole"
                )
            answers[row] = text if options.unextracted == "whole" else ""
        return kind.check(dataclasses.replace(cells, values=answers))

    return dataclasses.replace(kind, check=check)


def _with_details(given: Mapping[str, Any], kind: AnswerKind) -> dict[str, Any]:
    """The given columns, with the details that the rules read as columns of their own.

    Details are given as a dict of columns or as one dict per question, or lie in the rows of their side.
    """
    columns = dict(given)
    for of, details in ((_PREDICTED_DETAIL, kind.predicted_details), (_GOLD_DETAIL, kind.gold_details)):
        value = columns.pop(of, None)
        if value is None:
            continue
        with about(of):
            if not details:
                raise ValueError(f"{of} are for presets that read more than answers; omit them, or give the preset")
            if isinstance(value, Mapping):
                found = {name: to_list(value[name], f"{of}[{name!r}]") for name in details if name in value}
            else:
                rows = to_list(value, of)
                if not rows_of_dicts(rows, of):
                    raise TypeError(f"{of} must be a dict of columns, or one dict per question")
                found = {name: field_of(rows, name, of) for name in details}
            check_lengths(**{name: column for name, column in found.items() if column is not None})
            columns |= {f"{of}.{name}": column for name, column in found.items()}
    return columns


def require_details(columns: AnswerColumns, kind: AnswerKind) -> None:
    """Refuse rows that lack a detail which the rules require."""
    for of, details, found in (
        (_PREDICTED_DETAIL, kind.predicted_details, columns.predicted_details),
        (_GOLD_DETAIL, kind.gold_details, columns.gold_details),
    ):
        lacking = [name for name, required in details.items() if required and name not in found]
        if lacking:
            with about(of):
                raise ValueError(
                    f'{of} lacks {", ".join(map(repr, lacking))}; give {of}={{"{lacking[0]}": [...]}}, or rows that have it'
                )
