"""Answers and gold answers: the kinds of their cells, aligned columns, and remarks on texts that are probably not compared as intended."""

import dataclasses
import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain, permutations
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from .columns import check_rows, is_missing, plain_rows, to_list, with_id
from .errors import InputError
from .extraction import extract_answers
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
from .measures import Count, Measure
from .remarks import remark
from .scores import Scores
from .shown import describe, keys_of, shown
from .written import is_written

GIVE_TEXT = 'give one string per question, "" for no answer'
GIVE_GOLDS = "give a list of gold answers per question, [] for a question without an answer"
_GIVE_TOP_K = "for ranked lists of answers give the option top_k=(1, 5); else predictions and references may be swapped"
_GIVE_CONTENT = "give its text, of a chat the content of the last message"
_GIVE_RANKED = "give a ranked list of strings per question"
GOLD_DETAILS, PREDICTED_DETAILS = "gold_details", "predicted_details"
_ROWS_LOOKED_AT = 200  # rows, evenly spread
_FEWEST = 5  # rows with a separator
_SEPARATORS = ("[SEP]", "<sep>", "||", "|", "###", "\t", ";")  # the first one in a text counts
_LONGEST_PART = 60  # characters of an answer between marks, on average
_MANY = 0.1  # the share of texts that a wrapping must have
_WHOLE_FLOAT, _WHOLE_NUMBER = re.compile(r"-?\d+\.0"), re.compile(r"-?\d+")
_WHOLE_WORD = re.compile(r"(?<![\w.,-])-?\d+(?!\w|[.,]\d)")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]{3}")
# Name of an extraction -> what the texts have that it reads.
_WRAPPED = {
    "after_think": ("a <think> block", re.compile(r"</think(?:ing)?>")),
    "answer_tag": ("an <answer> tag", re.compile(r"</answer>")),
    "boxed": (r"a \boxed{...}", re.compile(r"\\boxed\{")),
}
_OBJECT = re.compile(r'\s*(?:```\w*\s*)?\{\s*"[^"\\]+"\s*:')
_FIELD = re.compile(r'[{,]\s*"([^"\\]+)"\s*:')


# --- answers ----------------------------------------------------------------------------------------------------------


def _texts(cells: Cells, advice: str) -> list[str | None]:
    """One text per row; None and NaN are missing; `advice`: what to do with a list."""
    if set(map(type, cells.values)) <= {str}:
        return cells.values
    values = [None if is_missing(value) else value for value in cells.values]
    wrong = next((value for value in values if not isinstance(value, (str, type(None)))), "")
    last = wrong[-1] if isinstance(wrong, (list, tuple)) and wrong else wrong
    advice = _GIVE_CONTENT if isinstance(last, Mapping) else advice if isinstance(wrong, (list, tuple)) else GIVE_TEXT
    check_rows(["" if value is None else value for value in values], cells.name, cells.ids, str, advice)
    return values


def _ranked_texts(cells: Cells) -> list[list[str] | None]:
    """A ranked list of texts per row; an empty list is the empty answer, None is missing."""
    missing = list(map(is_missing, cells.values))
    lists = [
        [] if none else value if isinstance(value, (list, tuple)) or hasattr(value, "tolist") else [value]
        for value, none in zip(cells.values, missing, strict=True)
    ]
    lists = plain_rows(lists, cells.name, cells.ids, _GIVE_RANKED)
    rows: list[Any] = [None if none else row if len(row) else [""] for row, none in zip(lists, missing, strict=True)]
    _check_texts(rows, cells, GIVE_TEXT)
    return rows


def _check_texts(rows: Sequence[Any], cells: Cells, action: str) -> None:
    """Refuse anything but texts in lists; None is missing."""
    if set(map(type, chain.from_iterable(row or () for row in rows))) <= {str}:
        return
    for row, texts in enumerate(rows):
        for index, text in enumerate(texts or ()):
            if not isinstance(text, str):
                where = f"{cells.name}[{row}][{index}]{with_id(cells.ids, row)}"
                raise InputError(cells.name, f"{where} must be str, got {describe(text)}", action)


TEXT = Kind(lambda cells: _texts(cells, _GIVE_TOP_K))
SINGLE_TEXT = Kind(lambda cells: _texts(cells, GIVE_TEXT))  # of a family without ranked answers
RANKED_TEXTS = Kind(_ranked_texts)


# --- gold answers -----------------------------------------------------------------------------------------------------


def gold_texts(cells: Cells) -> list[Any]:
    """A list of gold answers per row, from texts, lists, `{"text": [...]}`, lists of `{"text": ...}` or `{"value", "aliases"}`.

    An empty cell (None, NaN, "") is a question without an answer, and remarked. Nothing inside the lists is checked.

    Raises:
        InputError: a dict of another layout; texts that are lists or dicts as Python or JSON writes them.
    """
    values = cells.values
    types = set(map(type, values))
    if types == {dict} and all("text" in value for value in values):  # the usual rows, without a look at each
        texts = list(map(itemgetter("text"), values))
        if set(map(type, texts)) == {list}:
            return texts
    if types <= {list} and not any(issubclass(kind, Mapping) for kind in {type(row[0]) for row in values if row}):
        return values
    filled = [value for value in values if not _is_empty(value)]
    if filled and all(isinstance(value, str) and is_written(value) for value in filled):
        what = "dict" if filled[0].startswith("{") else "list"
        found = f"is a {what} that was written as text: {describe(filled[0])}, and so are all others"
        action = "read them first, for example with json.loads or ast.literal_eval"
        raise cells.refusal(values.index(filled[0]), found, action)
    return [_golds_of(value, cells, row) for row, value in enumerate(empty_golds(values, ids=cells.ids))]


def _is_empty(cell: Any) -> bool:
    return is_missing(cell) or isinstance(cell, str) and not cell


def empty_golds(cells: list[Any], file: str = "", ids: Sequence[Any] | None = None) -> list[Any]:
    """Gold answers with [] for the empty cells (None, NaN or ""), which are remarked, and that [""] among them is none."""
    rows = [row for row, cell in enumerate(cells) if _is_empty(cell)]
    if rows:
        column = Cells(cells, REFERENCES, ids or ())
        number = "1 gold answer is" if len(rows) == 1 else f"{len(rows):,} gold answers are"
        text = f"{number} empty, first {column.where(rows[0])}: read as questions without an answer"
        lists = [row for row, cell in enumerate(cells) if isinstance(cell, list) and cell == [""]]
        if lists:
            more = f"{len(lists):,} more {'is' if len(lists) == 1 else 'are'}"
            text += f'; {more} [""], first {column.where(lists[0])}: an answer that is empty; write [] for none'
        remark(f"{file}: {text}" if file else text)
    return [[] if _is_empty(cell) else cell for cell in cells]


def _golds_of(value: Any, cells: Cells, row: int) -> Any:
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping) and isinstance(value.get("aliases"), (list, tuple)) and "text" not in value:
        return list(dict.fromkeys([*([value["value"]] if "value" in value else []), *value["aliases"]]))
    if isinstance(value, Mapping):
        texts: Any = value.get("text")
        texts = texts.tolist() if hasattr(texts, "tolist") else texts
        if not isinstance(texts, (list, tuple)):
            found = f"has the keys {keys_of(value)}, and 'text' is {describe(texts)}"
            raise cells.refusal(row, found, "give a list of texts, or a dict with such a list as 'text'")
        return list(texts)
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], Mapping):
        for answer in value:
            if not isinstance(answer, Mapping) or "text" not in answer:
                raise cells.refusal(row, f"has the answer {describe(answer)}", "every answer needs 'text'")
        return [answer["text"] for answer in value]
    return value


def _checked_golds(cells: Cells) -> list[Any]:
    rows = gold_texts(cells)
    if set(map(type, rows)) <= {list} and set(map(type, chain.from_iterable(rows))) <= {str}:
        return rows
    rows = plain_rows(rows, cells.name, cells.ids, GIVE_GOLDS)
    _check_texts(rows, cells, "give every gold answer as a string")
    return rows


TEXTS = Kind(_checked_golds, takes_dicts=lambda row: "text" in row or isinstance(row.get("aliases"), (list, tuple)))


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
        no_answer: the value of a missing prediction.
        are_texts: a prediction is a text and a gold row is a list of texts.
        compares_numbers: "1914.0" and "1914" are equal.
        gold_details, predicted_details: further columns by name.
    """

    predictions: Kind = TEXT
    references: Kind = TEXTS
    no_answer: Any = ""
    are_texts: bool = True
    compares_numbers: bool = False
    gold_details: Mapping[str, Detail] = dataclasses.field(default_factory=dict)
    predicted_details: Mapping[str, Detail] = dataclasses.field(default_factory=dict)


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


def _column(name: str) -> Any:
    return property(lambda table: table.columns.get(name))


@dataclasses.dataclass
class AnswerColumns(Table):
    """A table of answers, one row per question; a column that is not given is None.

    Attributes:
        zero: bool (n,), rows that score 0: without a prediction or, by the options, without an extracted answer.
        unextracted: bool (n,), predictions in which no answer was found; None without extraction.
        gold_details, predicted_details: further columns that the rules read, by name.
    """

    zero: np.ndarray
    unextracted: np.ndarray | None
    gold_details: dict[str, list[Any]]
    predicted_details: dict[str, list[Any]]

    predictions, references, questions = _column(PREDICTIONS), _column(REFERENCES), _column("questions")
    groups, no_answer_probabilities = _column("groups"), _column("no_answer_probabilities")

    def with_columns(self, **columns: Any) -> "AnswerColumns":
        """The same table with other columns."""
        return dataclasses.replace(self, columns={**self.columns, **columns})

    def scores(  # type: ignore[override]
        self,
        subsets: Mapping[str, np.ndarray],
        measures: Mapping[str, Measure],
        notes: Mapping[str, int] | None = None,
        **parts: Any,
    ) -> Scores:
        """The scores of these questions; predictions without an answer to extract are counted. `parts` are the other fields
        of `Scores`.
        """
        if self.unextracted is not None:
            subsets = {**subsets, "unextracted": self.unextracted}
            measures = {**measures, "unextracted": Count("unextracted")}
        return super().scores(notes, subsets=subsets, measures=measures, **parts)

    def settled(self, scores: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Columns of scores, set to 0 in the rows that score 0."""
        if not self.zero.any():
            return dict(scores)
        return {name: np.where(self.zero, 0.0, column) for name, column in scores.items()}

    def subsets(self) -> dict[str, np.ndarray]:
        """The questions with a gold answer, without one, and without a prediction, (n,)."""
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
        kinds = {field.name: field.kind for field in fields}
        kinds[PREDICTIONS] = _extracting(kinds[PREDICTIONS], options, absent)
        fields = [dataclasses.replace(field, kind=kinds[field.name]) for field in fields]
    table = read(fields, _with_details(given, kind), missing=options.missing, duplicates=options.duplicates)
    columns, rows = table.columns, table.rows[PREDICTIONS]
    answers = columns[PREDICTIONS]
    unextracted = None if options.extract is None else np.array(absent, bool)[rows] & (rows >= 0)
    if kind.are_texts:
        remark_on_texts(
            answers,
            columns[REFERENCES],
            options.family,
            numbers=not kind.compares_numbers,
            tokens=options.normalizer if getattr(options, "unit", None) == "token" and not options.rules else None,
            extracts=options.extract is None and options.top_k is None,
        )
    zero = ~table.given
    if unextracted is not None and options.unextracted == "zero":
        zero = zero | unextracted
    if zero.any():  # an empty answer replaces a missing one
        empty = [kind.no_answer] if options.top_k is not None else kind.no_answer
        answers = [empty if is_zero else answer for answer, is_zero in zip(answers, zero.tolist(), strict=True)]
    return AnswerColumns(
        **{**vars(table), "columns": {**columns, PREDICTIONS: answers}},
        zero=zero,
        unextracted=unextracted,
        gold_details=_details(columns, GOLD_DETAILS, kind.gold_details),
        predicted_details=_details(columns, PREDICTED_DETAILS, kind.predicted_details),
    )


def _extracting(kind: Kind, options: Any, absent: list[bool]) -> Kind:
    """The kind of predictions that contain the answers; `kind` checks these, and `absent` receives whether each has none."""

    def check(cells: Cells) -> Any:
        texts = [None if is_missing(text) else text for text in cells.values]
        answers: list[Any] = extract_answers(options.extract, texts, cells.where)
        absent[:] = [answer is None and text is not None for answer, text in zip(answers, texts, strict=True)]
        for row in np.flatnonzero(absent).tolist():
            if options.unextracted == "error":
                raise InputError(
                    cells.name,
                    f"extract {options.extract.name} finds no answer in {cells.where(row)}, {shown(texts[row])}",
                    "use the option unextracted=zero or empty or whole",
                )
            answers[row] = texts[row] if options.unextracted == "whole" else ""
        return kind.check(dataclasses.replace(cells, values=answers))

    return dataclasses.replace(kind, check=check)


def _with_details(given: Mapping[str, Any], kind: AnswerKind) -> dict[str, Any]:
    """The given columns, with each detail that the rules read as a column.

    Details are given as a dict of columns or as one dict per question, or lie in the rows of their side.
    """
    columns = dict(given)
    for of, details in ((PREDICTED_DETAILS, kind.predicted_details), (GOLD_DETAILS, kind.gold_details)):
        value = columns.pop(of, None)
        if value is None:
            continue
        if not details:
            raise InputError(of, f"{of} are for presets that read more than answers", "omit them, or give the preset")
        if not isinstance(value, Mapping):
            rows = to_list(value, of)
            if not rows_of_dicts(rows, of):
                raise InputError(of, f"{of} must be a dict of columns, or one dict per question")
            value = {name: field_of(rows, name, of) for name in details}
        columns |= {detail_column(of, name): value[name] for name in details if name in value}
    return columns


def detail_column(side: str, name: str) -> str:
    """The name of the column of a detail, as messages write it."""
    return f"{side}[{name!r}]"


def _details(columns: Mapping[str, Any], of: str, details: Mapping[str, Detail]) -> dict[str, list[Any]]:
    """The columns of details by name; refuses rows that lack one which the rules require."""
    found = {name: columns[detail_column(of, name)] for name in details if detail_column(of, name) in columns}
    lacking = [name for name, detail in details.items() if detail.required and name not in found]
    if lacking:
        action = f'give {of}={{"{lacking[0]}": [...]}}, or rows that have it'
        raise InputError(of, f"{of} lacks {', '.join(map(repr, lacking))}", action)
    return found


# --- remarks ----------------------------------------------------------------------------------------------------------


def remark_on_texts(
    answers: Sequence[Any],
    golds: Sequence[Any],
    metric: str,
    *,
    numbers: bool = True,
    tokens: Callable[[str], str] | None = None,
    extracts: bool = False,
) -> None:
    """Remark on each oddity of aligned answers and gold answers; of many rows, a sample is looked at.

    Args:
        answers, golds: a row is a text or a list of texts or of lists; anything else has none.
        metric: the metric that compares them.
        numbers: whether "1914.0" and "1914" differ.
        tokens: the normaliser, if tokens separated by white space are compared; else None.
        extracts: whether the option extract is available.
    """
    step = len(answers) // _ROWS_LOOKED_AT or 1
    rows, gold_rows = (list(map(_flat_texts, side[::step])) for side in (answers, golds))
    some, some_golds = list(chain.from_iterable(rows)), list(chain.from_iterable(gold_rows))
    gold_text = "\0".join(some_golds)
    if extracts:
        _remark_on_wrappings(some, some_golds)
    mark = next((mark for mark in _SEPARATORS if mark in gold_text and _parts_golds(mark, gold_rows, some)), None)
    if mark is not None:
        name = json.dumps(mark)
        remark(
            f"most gold answers contain {name} and are compared whole; if it separates several gold answers, split them: "
            f'text.split({name}) for columns, or columns={{"separator": {name}}} and metric={metric} for files'
        )
    if numbers and any(text.endswith(".0") for text in chain(some, some_golds)):
        columns = {"predictions": answers, "references": golds}
        remark_on_floats({name: [*chain.from_iterable(map(_flat_texts, column))] for name, column in columns.items()})
    if tokens is not None and not gold_text.isascii():
        unspaced = list(filter(_UNSPACED.search, some_golds))
        if 2 * sum(len(tokens(gold).split()) == 1 for gold in unspaced) > len(list(filter(None, some_golds))):
            remark(
                "texts without spaces count as one token; the option normalizer=cjk splits Chinese and Japanese ones, "
                "unit=character splits all"
            )


def _parts_golds(mark: str, rows: Sequence[Sequence[str]], answers: Sequence[str]) -> bool:
    """Whether a mark separates short parts of most gold answers, in several rows, and is not in most answers too."""
    if sum(any(mark in gold for gold in row) for row in rows) < _FEWEST:
        return False
    golds, answers = list(filter(None, chain.from_iterable(rows))), list(filter(None, answers))
    split = [list(filter(None, map(str.strip, gold.split(mark)))) for gold in golds]
    sizes = [len(part) for parts in split if len(parts) > 1 for part in parts]
    return (
        2 * sum(len(parts) > 1 for parts in split) > len(golds)
        and 2 * sum(mark in answer for answer in answers) <= len(answers)
        and sum(sizes) <= _LONGEST_PART * len(sizes)
    )


def _flat_texts(row: Any) -> Sequence[str]:
    """The texts of a row: a text, texts in a list, or lists of them in one."""
    if not isinstance(row, (list, tuple)):
        return [row] if isinstance(row, str) else ()
    if set(map(type, row)) == {str}:
        return row
    parts = [item if isinstance(item, (list, tuple)) else [item] for item in row]
    return [text for part in parts for text in part if isinstance(text, str)]


def remark_on_floats(columns: Mapping[str, Collection[str]]) -> None:
    """Remark on whole numbers in one of two columns (name -> texts or labels) that all end in ".0", as pandas writes a
    column with a gap, while those of the other do not.
    """
    for (name, texts), (other_name, others) in permutations(columns.items(), 2):
        floats = dict.fromkeys(filter(_WHOLE_FLOAT.fullmatch, texts))
        if not floats or any(map(_WHOLE_NUMBER.fullmatch, texts)):
            continue
        whole = set(chain.from_iterable(map(_WHOLE_WORD.findall, others)))
        found = min((number for number in floats if number[:-2] in whole), default=None)
        if found is not None:
            remark(
                f'whole numbers end in ".0" in the {name} and not in the {other_name}, such as {found!r} beside {found[:-2]!r}; '
                "pandas does this to a column with a gap: read that column as text, dtype=str"
            )
            return


def _remark_on_wrappings(texts: Sequence[str], golds: Sequence[str]) -> None:
    """Remark on each wrapping that many texts have and no gold answer: their answers should be extracted."""
    least = max(_MANY * len(texts), 1)
    found = {
        name: what
        for name, (what, pattern) in _WRAPPED.items()
        if sum(map(bool, map(pattern.search, texts))) >= least and not any(map(pattern.search, golds))
    }
    objects, gold_objects = (list(filter(_OBJECT.match, side)) for side in (texts, golds))
    if len(objects) >= least and not gold_objects:
        fields = _FIELD.findall(objects[0])
        name = "answer" if "answer" in fields else "FIELD" if len(fields) > 1 else fields[0]
        found[f"json:{name}"] = f"a JSON object with {keys_of(dict.fromkeys(fields))}"
    for name, what in found.items():
        remark(
            f'predictions have {what}, which is scored as part of the answer; the option extract="{name}" scores the answer alone'
        )
    if min(len(objects), len(gold_objects)) >= least:
        remark(
            "predictions and gold answers are JSON objects, compared as texts with their keys; give the answers in them"
        )
