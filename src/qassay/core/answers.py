"""Answers beside gold answers: kinds of cells, aligned columns, and remarks on texts that are probably not compared as meant."""

import dataclasses
import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain, permutations
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from .columns import (
    check_lengths,
    check_nested_rows,
    check_rows,
    is_missing,
    plain_rows,
    to_list,
)
from .errors import about
from .extraction import extract_answers
from .groups import Groups
from .intake import (
    EXAMPLES,
    GROUPS,
    PREDICTIONS,
    REFERENCES,
    WEIGHTS,
    Cells,
    Field,
    Kind,
    Table,
    field_of,
    read,
    rows_of_dicts,
)
from .remarks import remark
from .shown import describe, first_names, keys_of, shown
from .written import is_written

GIVE_TEXT = 'give one string per question, "" for no answer'
GIVE_GOLDS = "give a list of gold answers per question, [] for a question without an answer"
_GIVE_TOP_K = "for ranked lists of answers give the option top_k, for example top_k=(1, 5)"
_GIVE_RANKED = "give a ranked list of strings per question"
_GIVE_ALL_GOLDS = f"{GIVE_GOLDS}; or one string per question, for all of them"
_ROWS_LOOKED_AT = 200  # rows, evenly spread
_FEWEST = 5  # rows with a separator
_SEPARATORS = ("[SEP]", "<sep>", "||", "|", "###", "\t", ";")  # the first in a text is the one meant
_LONGEST_PART = 60  # characters of an answer between marks, on average
_WHOLE_FLOAT, _WHOLE_NUMBER = re.compile(r"-?\d+\.0"), re.compile(r"-?\d+")
_WHOLE_WORD = re.compile(r"(?<![\w.,-])-?\d+(?!\w|[.,]\d)")
_OF_PANDAS = "pandas writes them so where a column has a gap: read that column as text, dtype=str"
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]{3}")
# Name of an extraction -> what texts have whose answer it extracts.
_WRAPPED: dict[str, tuple[str, Callable[[str], Any]]] = {
    "after_think": ("a <think> block", re.compile(r"</think(?:ing)?>").search),
    "answer_tag": ("an <answer> tag", re.compile(r"</answer>").search),
    "boxed": (r"a \boxed{...}", re.compile(r"\\boxed\{").search),
}
_OBJECT = re.compile(r'\s*(?:```\w*\s*)?\{\s*"[^"\\]+"\s*:').match
_FIELD = re.compile(r'[{,]\s*"([^"\\]+)"\s*:')
_LOOKED_AT, _MANY = 200, 0.1  # texts, and the share of them
GOLD_DETAILS, PREDICTED_DETAILS = "gold_details", "predicted_details"


# --- answers ----------------------------------------------------------------------------------------------------------


def _message_advice(value: Any) -> str:
    """What to do with the messages of a chat in place of an answer; "" for anything else."""
    if isinstance(value, (list, tuple)) and value and isinstance(value[-1], Mapping) and _message_advice(value[-1]):
        return "these are messages of a chat; give the text of the last one, [-1]['content']"
    if not isinstance(value, Mapping):
        return ""
    if "role" in value and "content" in value:
        return "this is a message of a chat; give its text, ['content']"
    if "choices" in value:
        return "this is the reply of a chat; give its text, ['choices'][0]['message']['content']"
    return ""


def _row_advice(row: Mapping[Any, Any]) -> str:
    if "answers" in row:
        return "rows with 'answers' and no 'prediction_text' are gold answers; give the predictions first"
    return _message_advice(row)


def _texts(cells: Cells, advice: str) -> list[str | None]:
    """One text per row; None and NaN are missing."""
    values = cells.values
    if set(map(type, values)) <= {str}:
        return values
    values = [None if is_missing(value) else value for value in values]
    wrong = next((value for value in values if not isinstance(value, (str, type(None)))), "")
    if isinstance(wrong, (list, tuple)):
        beside = cells.beside
        if (
            beside
            and all(isinstance(gold, str) for gold in beside)
            and all(isinstance(v, (list, tuple)) for v in values)
        ):
            raise TypeError(
                "predictions are lists of answers and references single answers: they may be swapped; give the "
                "predictions first, then the gold answers, or both by name"
            )
    else:
        advice = GIVE_TEXT
    texts = ["" if value is None else value for value in values]
    check_rows(texts, cells.name, cells.ids, str, _message_advice(wrong) or advice)
    return values


def _ranked_texts(cells: Cells) -> list[list[str] | None]:
    """A ranked list of texts per row; an empty list is the empty answer, None is missing."""
    rows = ranked_rows(cells, "")
    check_nested_rows([[] if row is None else row for row in rows], cells.name, cells.ids, str, GIVE_TEXT)
    return rows


def ranked_rows(cells: Cells, no_answer: Any, is_answer: Callable[[Any], bool] = lambda row: False) -> list[Any]:
    """Ranked answers as lists; an empty row has `no_answer` alone, None is missing; `is_answer`: whether a list is one answer."""
    missing = list(map(is_missing, cells.values))
    rows = [
        [] if none else value if isinstance(value, (list, tuple)) or hasattr(value, "tolist") else [value]
        for value, none in zip(cells.values, missing, strict=True)
    ]
    rows = plain_rows([[row] if is_answer(row) else row for row in rows], cells.name, cells.ids, _GIVE_RANKED)
    return [None if none else row if len(row) else [no_answer] for row, none in zip(rows, missing, strict=True)]


TEXT = Kind(lambda cells: _texts(cells, _GIVE_TOP_K), advice=_row_advice)
SINGLE_TEXT = Kind(lambda cells: _texts(cells, GIVE_TEXT), advice=_row_advice)  # of a family without ranked answers
RANKED_TEXTS = Kind(_ranked_texts, advice=_row_advice)


# --- gold answers -----------------------------------------------------------------------------------------------------


def gold_texts(cells: Cells) -> list[Any]:
    """A list of gold answers per row, from lists, `{"text": [...]}`, lists of `{"text": ...}`, `{"value", "aliases"}`, or
    texts in all rows.

    An empty cell (None, NaN, "" among texts) is a question without an answer, and remarked. Nothing inside the lists is
    checked.

    Raises:
        TypeError, ValueError: a cell of another layout; texts that are lists or dicts as Python or JSON writes them.
    """
    values = cells.values
    types = set(map(type, values))
    if types == {dict}:  # the usual rows, without a look at each
        try:
            texts = list(map(itemgetter("text"), values))
        except KeyError:
            pass
        else:
            if set(map(type, texts)) == {list}:
                return texts
    if types <= {list} and not any(issubclass(kind, Mapping) for kind in {type(row[0]) for row in values if row}):
        return values
    values = [None if is_missing(value) else value for value in values]
    filled = set(map(type, values)) - {type(None)}
    if filled and all(issubclass(kind, str) for kind in filled):
        written = list(filter(None, values))
        if written and all(map(is_written, written)):
            row = values.index(written[0])
            what = "dict" if written[0].startswith("{") else "list"
            raise ValueError(
                f"{cells.where(row)} is a {what} that was written as text: {describe(written[0])}, and so are all others; "
                "read them first, for example with json.loads or ast.literal_eval"
            )
        empty = [row for row, text in enumerate(values) if not text]
        rows: list[Any] = [[text] if text else [] for text in values]
    else:
        empty = [row for row, value in enumerate(values) if _is_empty(value)]
        rows = [[] if _is_empty(row) else _golds_of(row, cells, place) for place, row in enumerate(values)]
    _remark_on_empty(empty, cells)
    return rows


def _is_empty(cell: Any) -> bool:
    return is_missing(cell) or isinstance(cell, str) and not cell


def empty_golds(cells: list[Any], file: str, ids: Sequence[Any] | None) -> list[Any]:
    """The gold answers of a file, with [] for the empty cells (None or ""), which are remarked."""
    empty = [row for row, cell in enumerate(cells) if _is_empty(cell)]
    _remark_on_empty(empty, Cells(cells, REFERENCES, ids or range(0)), f"{file}: ")
    return [[] if _is_empty(cell) else cell for cell in cells]


def _remark_on_empty(rows: Sequence[int], cells: Cells, start: str = "") -> None:
    if rows:
        number = "1 gold answer is" if len(rows) == 1 else f"{len(rows):,} gold answers are"
        remark(f"{start}{number} empty, first {cells.where(rows[0])}: read as questions without an answer")


def _golds_of(row: Any, cells: Cells, place: int) -> Any:
    if isinstance(row, Mapping):
        if "text" in row:
            texts = row["text"]
            texts = texts.tolist() if hasattr(texts, "tolist") else texts
            if not isinstance(texts, (list, tuple)):
                raise TypeError(f"{cells.where(place)}: 'text' must be a list, got {describe(texts)}; {GIVE_GOLDS}")
            return list(texts)
        if isinstance(row.get("aliases"), (list, tuple)):
            return list(dict.fromkeys([*([row["value"]] if "value" in row else []), *row["aliases"]]))
        raise cells.refusal(place, f"has the keys {keys_of(row)}", _gold_advice(row))
    if isinstance(row, (list, tuple)) and row and isinstance(row[0], Mapping):
        for answer in row:
            if not isinstance(answer, Mapping) or "text" not in answer:
                raise cells.refusal(place, f"has the answer {describe(answer)}", "every answer needs 'text'")
        return [answer["text"] for answer in row]
    return row


def _gold_advice(row: Mapping[Any, Any]) -> str:
    """What to do with a dict in place of gold answers."""
    lists = [key for key, value in row.items() if isinstance(value, (list, tuple))]
    take = f"; here give the list in {shown(lists[0])}" if len(lists) == 1 else ""
    advice = ", in a table as a separate column" if lists else "; as the one text of a list it is compared as text"
    return f"answers need 'text', or are a list of texts{take}{advice}"


def _checked_golds(cells: Cells) -> list[Any]:
    rows = gold_texts(cells)
    if set(map(type, rows)) <= {list} and set(map(type, chain.from_iterable(rows))) <= {str}:
        return rows
    advice = _GIVE_ALL_GOLDS if any(issubclass(kind, str) for kind in set(map(type, rows))) else GIVE_GOLDS
    rows = plain_rows(rows, cells.name, cells.ids, advice)
    check_nested_rows(rows, cells.name, cells.ids, str, "give every gold answer as a string")
    return rows


def _is_gold(row: Mapping[Any, Any]) -> bool:
    return "text" in row or isinstance(row.get("aliases"), (list, tuple))


TEXTS = Kind(_checked_golds, takes_dicts=_is_gold, advice=_gold_advice)


# --- questions --------------------------------------------------------------------------------------------------------


def question_texts(cells: Cells, may_be_empty: bool = True) -> list[str]:
    """A text per row; an empty cell (None, NaN) is "", no question, or is refused."""
    values = cells.values
    if set(map(type, values)) != {str}:
        if may_be_empty:
            values = ["" if is_missing(question) else question for question in values]
        check_rows(values, cells.name, cells.ids, str, 'give the text of each question, "" for none')
    return values


QUESTION = Kind(lambda cells: question_texts(cells, False))
QUESTION_OR_NONE = Kind(question_texts)


# --- what predictions and gold answers are -----------------------------------------------------------------------------


class Detail(NamedTuple):
    """A further column that rules read: the kind of its cells, and whether the rules require it."""

    kind: Kind
    required: bool = False


@dataclasses.dataclass(frozen=True)
class AnswerKind:
    """What predictions and gold answers are, and the further columns that rules read.

    Attributes:
        predictions, references: the kinds of their cells.
        no_answer: what stands for a missing prediction.
        are_texts: a prediction is a text and a gold row is a list of texts.
        facts: the kind of supporting facts, which keep their score where the prediction is missing; None: none are read.
        compares_numbers: "1914.0" and "1914" are equal.
        gold_details, predicted_details: further columns by name.
    """

    predictions: Kind = TEXT
    references: Kind = TEXTS
    no_answer: Any = ""
    are_texts: bool = True
    facts: Kind | None = None
    compares_numbers: bool = False
    gold_details: Mapping[str, Detail] = dataclasses.field(default_factory=dict)
    predicted_details: Mapping[str, Detail] = dataclasses.field(default_factory=dict)

    def details_of(self, side: str) -> Mapping[str, Detail]:
        """GOLD_DETAILS or PREDICTED_DETAILS."""
        return self.gold_details if side == GOLD_DETAILS else self.predicted_details


TEXT_ANSWERS = AnswerKind()


def text_fields(options: Any, prediction: Kind = SINGLE_TEXT, question: Kind = QUESTION_OR_NONE) -> tuple[Field, ...]:
    """The columns of families that compare texts: `score_similarity` and `score_equivalence`."""
    return (
        Field(REFERENCES, TEXTS, REFERENCES, ("answers",)),
        Field(PREDICTIONS, prediction, PREDICTIONS, ("prediction_text",)),
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

    ids: Sequence[Any]
    predictions: list[Any]
    references: list[Any]
    given: np.ndarray
    zero: np.ndarray
    no_answer_probabilities: np.ndarray | None
    weights: np.ndarray | None
    groups: Groups | None
    predicted_facts: list[Any] | None
    gold_facts: list[Any] | None
    questions: list[str] | None
    notes: dict[str, int]
    positions: np.ndarray
    unextracted: np.ndarray | None
    gold_details: dict[str, list[Any]]
    predicted_details: dict[str, list[Any]]

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
        fields = [
            dataclasses.replace(field, kind=_extracting(field.kind, options, absent))
            if field.name == PREDICTIONS
            else field
            for field in fields
        ]
    table = read(fields, _with_details(given, kind), missing=options.missing, duplicates=options.duplicates)
    columns, rows = table.columns, table.rows[PREDICTIONS]
    answers: list[Any] = columns[PREDICTIONS]
    unextracted = None if options.extract is None else np.array(absent, bool)[rows] & (rows >= 0)
    if kind.are_texts:
        _remark_oddities(answers, table, options, kind)
    zero = ~table.given
    if unextracted is not None and options.unextracted == "zero":
        zero = zero | unextracted
    if zero.any():  # an empty answer replaces a missing one; rules with facts determine which half is missing
        empty = None if kind.facts else [kind.no_answer] if options.top_k is not None else kind.no_answer
        answers = [empty if is_zero else answer for answer, is_zero in zip(answers, zero.tolist(), strict=True)]
    details = {
        side: {
            name: columns[detail_column(side, name)]
            for name in kind.details_of(side)
            if detail_column(side, name) in columns
        }
        for side in (GOLD_DETAILS, PREDICTED_DETAILS)
    }
    names = ("no_answer_probabilities", "weights", "groups", "predicted_facts", "gold_facts", "questions")
    return AnswerColumns(
        ids=table.ids,
        predictions=answers,
        references=columns[REFERENCES],
        given=table.given,
        zero=zero,
        **{name: columns.get(name) for name in names},  # type: ignore[arg-type]
        notes=table.counts,
        positions=rows,
        unextracted=unextracted,
        **details,  # type: ignore[arg-type]
    )


def _remark_oddities(answers: list[Any], table: Table, options: Any, kind: AnswerKind) -> None:
    golds = table.columns[REFERENCES]
    if options.extract is None and options.top_k is None:
        for line in remarks_on_wrappings(answers, golds):
            remark(line)
    tokens = options.normalizer if getattr(options, "unit", None) == "token" and not options.rules else None
    numbers = not kind.compares_numbers
    for line in remarks_on_texts(answers, golds, options.family, numbers=numbers, tokens=tokens):
        remark(line)


def _extracting(kind: Kind, options: Any, absent: list[bool]) -> Kind:
    """The kind of predictions in which the answers lie that `kind` checks; `absent` gets, for each, whether there is none."""

    def check(cells: Cells) -> Any:
        texts = [None if is_missing(text) else text for text in cells.values]
        answers: list[Any] = extract_answers(options.extract, texts, cells.where)
        absent[:] = [answer is None and text is not None for answer, text in zip(answers, texts, strict=True)]
        for row in np.flatnonzero(absent).tolist():
            text = texts[row]
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
    for of in (PREDICTED_DETAILS, GOLD_DETAILS):
        value, details = columns.pop(of, None), kind.details_of(of)
        if value is None:
            continue
        with about(of):
            if not details:
                raise ValueError(f"{of} are for presets that read more than answers; omit them, or give the preset")
            if isinstance(value, Mapping):
                found: dict[str, Any] = {
                    name: to_list(value[name], detail_column(of, name)) for name in details if name in value
                }
            else:
                rows = to_list(value, of)
                if not rows_of_dicts(rows, of):
                    raise TypeError(f"{of} must be a dict of columns, or one dict per question")
                found = {name: field_of(rows, name, of) for name in details}
            check_lengths(**{name: column for name, column in found.items() if column is not None})
            columns |= {detail_column(of, name): column for name, column in found.items()}
    return columns


def detail_column(side: str, name: str) -> str:
    """The name of the column of a detail, as messages write it."""
    return f"{side}[{name!r}]"


def require_details(columns: AnswerColumns, kind: AnswerKind) -> None:
    """Refuse rows that lack a detail which the rules require."""
    for of, found in ((PREDICTED_DETAILS, columns.predicted_details), (GOLD_DETAILS, columns.gold_details)):
        lacking = [name for name, detail in kind.details_of(of).items() if detail.required and name not in found]
        if lacking:
            with about(of):
                raise ValueError(
                    f'{of} lacks {", ".join(map(repr, lacking))}; give {of}={{"{lacking[0]}": [...]}}, or rows that have it'
                )


# --- remarks ----------------------------------------------------------------------------------------------------------


def remarks_on_texts(
    answers: Sequence[Any],
    golds: Sequence[Any],
    metric: str,
    *,
    numbers: bool = True,
    tokens: Callable[[str], str] | None = None,
) -> list[str]:
    """A line for each oddity of aligned answers and gold answers; [] for usual texts, of which few are looked at.

    Args:
        answers, golds: a row is a text or a list of texts or of lists; anything else has none.
        metric: which compares them.
        numbers: whether "1914.0" and "1914" differ.
        tokens: the normaliser after which white space parts the compared tokens; None: something else is compared.
    """
    step = len(answers) // _ROWS_LOOKED_AT or 1
    rows, gold_rows = (list(map(_flat_texts, side[::step])) for side in (answers, golds))
    some, some_golds = list(chain.from_iterable(rows)), list(chain.from_iterable(gold_rows))
    text, gold_text = "\0".join(some) + "\0", "\0".join(some_golds) + "\0"
    found = []
    mark = next((mark for mark in _SEPARATORS if mark in gold_text and _parts_golds(mark, gold_rows, some)), None)
    if mark is not None:
        name = json.dumps(mark)
        found.append(
            f"most gold answers have {name} in them and are compared whole; if it parts several gold answers, split them: "
            f'text.split({name}) for columns, or columns={{"separator": {name}}} and metric={metric} for files'
        )
    if numbers and (".0\0" in text or ".0\0" in gold_text):
        columns = {"predictions": answers, "references": golds}
        found += remarks_on_floats(
            {name: [*chain.from_iterable(map(_flat_texts, column))] for name, column in columns.items()}
        )
    if tokens is not None and not gold_text.isascii() and _UNSPACED.search(gold_text):
        whole = [len(tokens(gold).split()) == 1 for gold in some_golds if _UNSPACED.search(gold)]
        if 2 * sum(whole) > len(list(filter(None, some_golds))):
            found.append(
                "texts without spaces count as one token; the option normalizer=cjk splits Chinese and Japanese ones, "
                "unit=character all"
            )
    return found


def _parts_golds(mark: str, golds: Sequence[Sequence[str]], answers: Sequence[str]) -> bool:
    """Whether a mark is between short parts of most gold answers, in several rows, and not in most answers too."""
    there, given = list(filter(None, chain.from_iterable(golds))), list(filter(None, answers))
    parts = [[part.strip() for part in gold.split(mark) if part.strip()] for gold in there if mark in gold]
    parts = [of_gold for of_gold in parts if len(of_gold) > 1]
    rows = sum(any(mark in gold for gold in row) for row in golds)
    if rows < _FEWEST or 2 * len(parts) <= len(there) or 2 * sum(mark in answer for answer in given) > len(given):
        return False
    sizes = list(map(len, chain.from_iterable(parts)))
    return sum(sizes) <= _LONGEST_PART * len(sizes)


def _flat_texts(row: Any) -> Sequence[str]:
    """The texts of a row: a text, texts in a list, or lists of them in one."""
    if not isinstance(row, (list, tuple)):
        return [row] if isinstance(row, str) else ()
    if set(map(type, row)) == {str}:
        return row
    parts = [item if isinstance(item, (list, tuple)) else [item] for item in row]
    return [text for part in parts for text in part if isinstance(text, str)]


def remarks_on_floats(columns: Mapping[str, Collection[str]]) -> list[str]:
    """A line for whole numbers of one column that all end in ".0", as pandas writes a column with a gap, beside the same without.

    Args:
        columns: name -> texts or labels, of two columns.
    """
    for (name, texts), (other_name, others) in permutations(columns.items(), 2):
        floats = dict.fromkeys(filter(_WHOLE_FLOAT.fullmatch, texts))
        if floats and not any(map(_WHOLE_NUMBER.fullmatch, texts)):
            whole = set(chain.from_iterable(map(_WHOLE_WORD.findall, others)))
            found = min((number for number in floats if number[:-2] in whole), default=None)
            if found is not None:
                return [
                    f'whole numbers end in ".0" in the {name} and not in the {other_name}, such as {found!r} beside '
                    f"{found[:-2]!r}; {_OF_PANDAS}"
                ]
    return []


def remarks_on_wrappings(texts: Sequence[Any], golds: Sequence[Any]) -> list[str]:
    """Why the answers in texts should be extracted: a line for each wrapping that many of the first texts have.

    Args:
        texts: what is scored as it is.
        golds: the gold answers of each text; a wrapping that one of them has is a part of the answers.
    """
    some = [text for text in texts[:_LOOKED_AT] if isinstance(text, str) and ("<" in text or "{" in text)]
    if not some:
        return []
    least, of_golds = _MANY * len(texts[:_LOOKED_AT]), list(chain.from_iterable(golds[:_LOOKED_AT]))
    found = [
        f'predictions have {what}, which is scored as a part of the answer; the option extract="{name}" takes the answer alone'
        for name, (what, finds) in _WRAPPED.items()
        if sum(map(bool, map(finds, some))) >= least and not any(map(finds, of_golds))
    ]
    objects, gold_objects = list(filter(_OBJECT, some)), sum(map(bool, map(_OBJECT, of_golds)))
    if len(objects) >= max(least, 1) and gold_objects >= least:
        found.append(
            "predictions and gold answers are JSON objects, compared as texts with their keys; give the answers in them"
        )
    elif len(objects) >= least and not gold_objects:
        fields = _FIELD.findall(objects[0])
        named = "answer" if "answer" in fields else "FIELD" if len(fields) > 1 else fields[0]
        what = (
            f'a JSON object with the field "{named}"'
            if named in fields
            else f"a JSON object with the fields {first_names(list(map(repr, fields)), 3)}"
        )
        found.append(
            f'predictions have {what}, which is scored as a part of the answer; the option extract="json:{named}" takes the answer alone'
        )
    return found
