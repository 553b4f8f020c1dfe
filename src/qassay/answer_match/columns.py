"""Every layout of answers and gold answers (lists, dicts, SQuAD rows, columns of a data set) as checked, aligned columns."""

import contextlib
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from ..core.columns import (
    check_lengths,
    check_nested_rows,
    check_rows,
    gold_lists,
    plain_rows,
    question_texts,
    to_list,
    to_numbers,
    with_id,
)
from ..core.errors import about, blamed
from ..core.extraction import Extraction, extract_answers, told_of_wrappings
from ..core.groups import Groups
from ..core.remarks import remark
from ..core.rows import (
    dicts_as_rows,
    field_of,
    listed_rows,
    matched_by_id,
    pair_sides,
    rows_of_dicts,
    settle_rows,
    values_by_id,
    weights_and_groups,
)
from ..core.shown import describe, keys_of, shown
from ..core.text_remarks import told_of_texts

GIVE_TEXT = 'give one string per question, "" for no answer'
GIVE_GOLDS = "give a list of gold answers per question, [] for a question without an answer"
_GIVE_ALL_GOLDS = f"{GIVE_GOLDS}; or one string per question, for all of them"
_GIVE_TOP_K = "for ranked lists of answers give the option top_k, for example top_k=(1, 5)"
_GIVE_RANKED = "give a ranked list of strings per question"
_GIVE_SPAN = "give (start, end) with 0 <= start < end, or None for no answer"


@dataclasses.dataclass
class AnswerColumns:
    """Checked columns, one row per question.

    `predictions` and `references` are lists of the compared values; `given` (n,) marks questions with a prediction;
    `notes` has counts that belong to no question; `places` (n,) are the rows of the predictions if these are in another
    order, -1 if missing. In HotpotQA a missing prediction is None, because the question may still have supporting
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
    places: np.ndarray | None = None
    unextracted: np.ndarray | None = None
    gold_details: dict[str, list] = dataclasses.field(default_factory=dict)
    predicted_details: dict[str, list] = dataclasses.field(default_factory=dict)

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


def read_answers(columns: Mapping[str, Any], options: Any, kind: "AnswerKind | None" = None) -> AnswerColumns:
    """Bring any layout into columns in the order of the references.

    Args:
        columns: the columns of `score_answers` or `score_similarity` by name; None means absent.
        options: with `top_k` (if given, predictions are ranked lists), the policies `missing` and `duplicates`, and
            `extract` and `unextracted` if answers are extracted from predictions.
        kind: the kind of predictions and gold answers; None: texts.
    """
    kind, ranked = kind or TEXTS, options.top_k is not None
    predicted, gold = check_answer_rows(columns, kind, ranked, options.extract, options.unextracted)
    if not gold["values"]:
        raise blamed(ValueError("there are no examples to score: references is empty"), "references")
    ids, given, places, notes = settle_rows(
        predicted,
        gold,
        missing=options.missing,
        duplicates=options.duplicates,
        advice="predict every id",
        may_be_none=kind.none_is_missing,
    )
    if options.extract is None and kind.are_texts and not ranked:
        for line in told_of_wrappings(predicted["values"], gold["values"]):
            remark(line)
    if kind.are_texts:
        tokens = options.normalizer if getattr(options, "unit", None) == "token" and not options.rules else None
        answers, golds = predicted["values"], gold["values"]
        for line in told_of_texts(
            answers, golds, ids, options.family, numbers=not kind.compares_numbers, tokens=tokens
        ):
            remark(line)
    unextracted = predicted["unextracted"] != 0 if "unextracted" in predicted else None
    zero = ~given if unextracted is None or options.unextracted != "zero" else ~given | unextracted
    if zero.any():  # an empty answer replaces a missing one; rules with facts determine which half is missing
        filler = None if kind.has_facts else [kind.no_answer] if ranked else kind.no_answer
        each = zip(predicted["values"], zero.tolist(), strict=True)
        predicted["values"] = [filler if is_zero else value for value, is_zero in each]
    return AnswerColumns(
        ids,
        predicted["values"],
        gold["values"],
        given,
        zero,
        predicted.get("probabilities"),
        gold.get("weights"),
        gold.get("groups"),
        predicted.get("facts"),
        gold.get("facts"),
        gold.get("questions"),
        notes,
        places,
        unextracted,
        *({name: side[_DETAIL + name] for name in names} for side, names in _detail_sides(kind, gold, predicted)),
    )


def check_answer_rows(
    columns: Mapping[str, Any],
    kind: "AnswerKind | None" = None,
    ranked: bool = False,
    extract: Extraction | None = None,
    unextracted: str = "empty",
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The predictions and the references as columns of checked rows, each in its own order.

    Args:
        columns, kind: as in `read_answers`.
        ranked: predictions are ranked lists.
        extract, unextracted: the options with these names.

    Returns:
        Two dicts of columns: `values` and, if given, `ids`, `facts`, `probabilities`, `questions`,
        `weights` and `groups`, the details that the rules read and, with `extract`, `unextracted`, an array of 0 and 1.
    """
    kind = kind or TEXTS
    with about("predictions"):
        predicted = _split_predictions(columns["predictions"], kind)
    with about("references"):
        gold = _split_references(columns["references"], kind)
    pair_sides(predicted, gold, columns.get("ids"))
    predicted_ids, gold_ids = predicted.get("ids", range(0)), gold.get("ids", range(0))
    if kind.are_texts and not ranked:
        _refuse_swapped_answers(predicted["values"], gold["values"])
    with about("predictions"):
        if extract is not None:
            predicted |= _extracted(predicted["values"], predicted_ids, extract, unextracted)
        predicted["values"] = kind.check_predictions(predicted["values"], predicted_ids, ranked)
    with about("references"):
        gold["values"] = kind.check_references(gold["values"], gold_ids)
    for side, name, row_ids in ((predicted, "predicted_facts", predicted_ids), (gold, "gold_facts", gold_ids)):
        with about(name):
            if columns.get(name) is not None:
                side["facts"] = to_list(columns[name], name)
                check_lengths(rows=side["values"], **{name: side["facts"]})
            if "facts" in side:
                side["facts"] = kind.check_facts(side["facts"], name, row_ids)
    for side, name, wanted in (
        (predicted, "predicted_details", kind.predicted_details),
        (gold, "gold_details", kind.gold_details),
    ):
        with about(name):
            _read_details(side, name, wanted, columns.get(name))
    gold |= weights_and_groups(columns, predicted, gold)
    if columns.get("questions") is not None:
        with about("questions"):
            ids = gold.get("ids", predicted.get("ids", range(len(gold["values"]))))
            questions = to_list(matched_by_id(columns["questions"], ids, "questions", others=False), "questions")
            check_lengths(references=gold["values"], questions=questions)
            gold["questions"] = question_texts(questions, "questions", gold_ids, kind.questions_may_be_empty)
    with about("no_answer_probabilities"):
        probabilities = _read_probabilities(columns.get("no_answer_probabilities"), predicted)
        if probabilities is not None:
            predicted["probabilities"] = to_numbers(probabilities, "no_answer_probabilities", predicted_ids)
    return predicted, gold


_DETAIL = "detail:"  # prefix of a detail among the columns of a side


def _detail_sides(kind: "AnswerKind", gold: Mapping, predicted: Mapping) -> Any:
    """The two sides, each with the names of its details."""
    for side, wanted in ((gold, kind.gold_details), (predicted, kind.predicted_details)):
        yield side, [name for name in wanted if _DETAIL + name in side]


def _read_details(side: dict[str, Any], name: str, wanted: Mapping[str, bool], given: Any) -> None:
    """Add the details of a side to its columns; they may also come from the rows.

    Args:
        wanted: name of a detail -> whether it is required.
        given: n dicts, one per row, or a dict of columns; None if not given.
    """
    if given is not None and not wanted:
        raise ValueError(f"{name} are for presets that read more than answers; omit them, or give the preset")
    if isinstance(given, Mapping):
        columns = {key: to_list(column, f"{name}[{key!r}]") for key, column in given.items() if key in wanted}
    elif given is None:
        columns = {}
    else:
        rows = to_list(given, name)
        if not rows_of_dicts(rows, name):
            raise TypeError(f"{name} must be a dict of columns, or one dict per question")
        found = {key: field_of(rows, key, name) for key in wanted}
        columns = {key: column for key, column in found.items() if column is not None}
    check_lengths(rows=side["values"], **columns)
    side |= {_DETAIL + key: column for key, column in columns.items()}
    lacking = [key for key, needed in wanted.items() if needed and _DETAIL + key not in side]
    if lacking:
        told = (
            f'{name} lacks {", ".join(map(repr, lacking))}; give {name}={{"{lacking[0]}": [...]}}, or rows that have it'
        )
        raise ValueError(told)


def _extracted(values: list, ids: Sequence, extract: Extraction, policy: str) -> dict[str, Any]:
    """The answers extracted from the predictions; if there is none, the policy decides; None stays None."""
    answers = extract_answers(extract, values, lambda row: f"predictions[{row}]{with_id(ids, row)}")
    absent = [answer is None and value is not None for answer, value in zip(answers, values, strict=True)]
    if policy == "error" and any(absent):
        row = absent.index(True)
        told = f"extract {extract.name} finds no answer in predictions[{row}]{with_id(ids, row)}, {shown(values[row])}"
        raise ValueError(f"{told}; use the option unextracted=zero or empty or whole")
    for row, is_absent in enumerate(absent):
        if is_absent:
            answers[row] = values[row] if policy == "whole" else ""
    return {"values": answers, "unextracted": np.array(absent, np.float64)}


def answer_rows_by_id(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Columns of `score_answers`, with predictions and references given as dicts by id turned into rows with ids."""
    return dicts_as_rows(columns, {"predictions": "prediction_text", "references": "answers"})


_LIKE_IDS = frozenset(("_id", "example_id", "guid", "idx", "ids", "qid", "query_id", "question_id", "uid"))


def _require_ids(row: Mapping[str, Any], name: str) -> None:
    """Refuse rows whose ids have another name: they would be matched by position."""
    unread = [] if "id" in row else [key for key in row if key in _LIKE_IDS]
    if unread:
        raise ValueError(
            f"{name}[0] has no 'id', and {unread[0]!r} is not read; name it 'id', so that rows are matched by it"
        )


def _split_predictions(predictions: Any, kind: "AnswerKind") -> dict[str, Any]:
    """The columns of a layout of predictions: `values` and, if present, `ids`, `probabilities` and `facts`."""
    if isinstance(predictions, Mapping):
        return {"values": list(predictions.values()), "ids": list(predictions), "by_id": True}
    rows = listed_rows(predictions, "predictions")
    if not rows_of_dicts(rows, "predictions"):
        return {"values": rows}
    if "prediction_text" not in rows[0] and (advice := _advice_on_messages(rows[0])):
        raise TypeError(f"predictions[0] has the keys {keys_of(rows[0])}; {advice}")
    if "prediction_text" not in rows[0] and "answers" in rows[0]:
        raise ValueError(
            "predictions[0] has 'answers' and no 'prediction_text', as rows of gold answers do; give the predictions first"
        )
    _require_ids(rows[0], "predictions")
    return present_columns(
        values=field_of(rows, "prediction_text", "predictions", required=True),
        ids=field_of(rows, "id", "predictions"),
        probabilities=field_of(rows, "no_answer_probability", "predictions"),
        facts=field_of(rows, "supporting_facts", "predictions") if kind.has_facts else None,
        **{_DETAIL + name: field_of(rows, name, "predictions") for name in kind.predicted_details},
    )


def _split_references(references: Any, kind: "AnswerKind") -> dict[str, Any]:
    """The same for references."""
    if isinstance(references, Mapping):
        ids: Any = list(references)
        return {"values": kind.gold_rows(list(references.values()), ids), "ids": ids, "by_id": True}
    rows: Any = listed_rows(references, "references")
    if kind.has_own_rows and rows and isinstance(rows[0], Mapping) and "answers" not in rows[0]:
        return {"values": rows}
    if not rows_of_dicts(rows, "references"):
        return {"values": rows}
    if "answers" not in rows[0] and "text" in rows[0]:  # the answers column of a data set, without other columns
        return {"values": kind.gold_rows(rows, ())}
    if kind.are_texts and "answers" not in rows[0] and "id" not in rows[0]:
        raise _no_gold_texts(rows[0], "references[0]")
    _require_ids(rows[0], "references")
    ids = field_of(rows, "id", "references")
    answers: Any = field_of(rows, "answers", "references", required=True)
    return present_columns(
        values=kind.gold_rows(answers, ids or ()),
        ids=ids,
        facts=field_of(rows, "supporting_facts", "references") if kind.has_facts else None,
        **{_DETAIL + name: field_of(rows, name, "references") for name in kind.gold_details},
    )


def present_columns(**columns: Sequence[Any] | None) -> dict[str, Any]:
    """The given columns, as lists."""
    return {name: list(column) for name, column in columns.items() if column is not None}


def _read_probabilities(probabilities: Any, predicted: Mapping[str, Any]) -> list | None:
    """One probability per prediction; the rows take precedence over a single number for all."""
    if probabilities is None or isinstance(probabilities, (int, float)):
        every = None if probabilities is None else [probabilities] * len(predicted["values"])
        return predicted.get("probabilities", every)
    if isinstance(probabilities, Mapping):
        if "ids" not in predicted:
            raise ValueError(
                "no_answer_probabilities are given by id, but predictions have no ids; give both by id or as lists"
            )
        numbers, absent = values_by_id(probabilities, predicted["ids"])
        if absent:
            raise ValueError(
                f"no_answer_probabilities has no number for the id {shown(absent[0])} ({len(absent)} in all); give one for every prediction"
            )
        return numbers
    values = to_list(probabilities, "no_answer_probabilities")
    check_lengths(predictions=predicted["values"], no_answer_probabilities=values)
    return values


def _refuse_swapped_answers(predictions: list, references: list) -> None:
    """Refuse lists of predictions with single gold answers: the arguments were probably swapped."""
    if not references or not all(isinstance(gold, str) for gold in references):
        return
    if all(isinstance(row, (list, tuple)) for row in predictions):
        raise TypeError(
            "predictions are lists of answers and references single answers: they may be swapped; give the predictions "
            "first, then the gold answers, or both by name"
        )


def _no_gold_texts(row: Mapping, where: str) -> ValueError:
    """The error for a dict in place of gold answers, such as `{"value": ..., "aliases": [...]}` of TriviaQA."""
    lists = [key for key, value in row.items() if isinstance(value, (list, tuple))]
    take = f"; here give the list in {shown(lists[0])}" if len(lists) == 1 else ""
    advice = ", in a table as a separate column" if lists else "; as the one text of a list it is compared as text"
    return ValueError(f"{where} has the keys {keys_of(row)}; answers need 'text', or are a list of texts{take}{advice}")


def _advice_on_messages(value: Any) -> str:
    """What to do with the messages of a chat in place of an answer; "" for anything else."""
    if isinstance(value, (list, tuple)) and value and isinstance(value[-1], Mapping) and _advice_on_messages(value[-1]):
        return "these are messages of a chat; give the text of the last one, [-1]['content']"
    if not isinstance(value, Mapping):
        return ""
    if "role" in value and "content" in value:
        return "this is a message of a chat; give its text, ['content']"
    if "choices" in value:
        return "this is the reply of a chat; give its text, ['choices'][0]['message']['content']"
    return ""


def _holds_dicts(row: Any) -> bool:
    """Whether a gold row is a dict or a list of dicts, not the gold answers themselves."""
    return isinstance(row, Mapping) or isinstance(row, (list, tuple)) and bool(row) and isinstance(row[0], Mapping)


class AnswerKind:
    """The kind of predictions and gold answers, and how rows are checked: here texts; rules of benchmarks define their own kinds.

    Attributes:
        no_answer: the placeholder of a missing prediction.
        are_texts: a prediction is a text and a gold row is a list of texts.
        has_facts: rows may hold supporting facts, and a prediction may be missing although its facts are given.
        has_own_rows: a gold row may be a dict without the key "answers".
        none_is_missing: a prediction of None is missing, not "no answer".
        compares_numbers: "1914.0" and "1914" are equal.
        questions_may_be_empty: None among the questions is "", no question, which the family counts.
        advice_on_lists: what to do if a prediction is a list but should be one answer.
        gold_details, predicted_details: other columns that the rules read, name -> whether they require them.
    """

    no_answer: Any = ""
    are_texts = True
    has_facts = False
    has_own_rows = False
    none_is_missing = True
    compares_numbers = False
    questions_may_be_empty = False
    advice_on_lists: str = _GIVE_TOP_K
    gold_details: Mapping[str, bool] = {}
    predicted_details: Mapping[str, bool] = {}

    def gold_rows(self, rows: list, ids: Sequence) -> list:
        """Rows of gold answers as lists: from `{"text": [...]}`, a list of `{"text": ...}`, or lists already."""
        if set(map(type, rows)) == {dict}:  # the usual rows, without checking each
            with contextlib.suppress(KeyError):
                texts = list(map(itemgetter("text"), rows))
                if set(map(type, texts)) == {list}:
                    return texts
        return self._each_gold_row(rows, ids)

    def _each_gold_row(self, rows: list, ids: Sequence) -> list:
        return [
            self._gold_row(row, lambda place=place: f"references[{place}]{with_id(ids, place)}")  # type: ignore[misc]
            if _holds_dicts(row)
            else row
            for place, row in enumerate(rows)
        ]

    def _gold_row(self, row: Any, where: Callable[[], str]) -> list:
        if isinstance(row, Mapping):
            if "text" not in row:
                raise _no_gold_texts(row, where())
            texts = row["text"]
            texts = texts.tolist() if hasattr(texts, "tolist") else texts
            if not isinstance(texts, (list, tuple)):
                raise TypeError(f"{where()}: 'text' must be a list, got {describe(texts)}; {GIVE_GOLDS}")
            return self.golds_of(list(texts), row.get("answer_start"), where)
        for answer in row:
            if not isinstance(answer, Mapping) or "text" not in answer:
                raise ValueError(f"{where()} has the answer {describe(answer)}; every answer needs 'text'")
        starts = [answer.get("answer_start") for answer in row]
        return self.golds_of([answer["text"] for answer in row], starts, where)

    def golds_of(self, texts: list, starts: Sequence | None, where: Callable[[], str]) -> list:
        """The gold answers of a row and their start positions; `where` names the row in messages."""
        return texts

    def check_predictions(self, values: list, ids: Sequence, ranked: bool) -> list:
        """Check the predictions: None if missing; ranked predictions are n non-empty lists."""
        if set(map(type, values)) == {str} and not ranked:
            return values
        missing = [value is None for value in values]
        texts = [self.no_answer if none else value for none, value in zip(missing, values, strict=True)]
        if ranked:
            texts = _ranked_rows(texts, ids, self.no_answer)
            check_nested_rows(texts, "predictions", ids, str, GIVE_TEXT)
        else:
            wrong = next((text for text in texts if not isinstance(text, str)), "")
            advice = self.advice_on_lists if isinstance(wrong, (list, tuple)) else GIVE_TEXT
            check_rows(texts, "predictions", ids, str, _advice_on_messages(wrong) or advice)
        return [None if none else text for none, text in zip(missing, texts, strict=True)] if any(missing) else texts

    def check_references(self, values: list, ids: Sequence) -> list:
        """Check the n lists of gold answers; if all rows are texts, each is one gold answer."""
        advice = _GIVE_ALL_GOLDS if any(issubclass(kind, str) for kind in set(map(type, values))) else GIVE_GOLDS
        values = plain_rows(gold_lists(values, ids), "references", ids, advice)
        check_nested_rows(values, "references", ids, str, "give every gold answer as a string")
        return values

    def check_facts(self, facts: list, name: str, ids: Sequence) -> list:
        """The supporting facts of n rows; kinds with facts check them."""
        return facts


class SingleTextKind(AnswerKind):
    """Texts of a family without ranked lists, which counts empty questions."""

    advice_on_lists = GIVE_TEXT
    questions_may_be_empty = True


TEXTS, SINGLE_TEXTS = AnswerKind(), SingleTextKind()


def _ranked_rows(
    values: list, ids: Sequence, no_answer: Any, is_answer: Callable[[Any], bool] = lambda row: False
) -> list:
    """Ranked answers as lists; an empty row gets the answer that means no answer.

    Args:
        is_answer: whether a list is one answer.
    """
    values = [value if isinstance(value, (list, tuple)) or hasattr(value, "tolist") else [value] for value in values]
    values = [[row] if is_answer(row) else row for row in values]
    values = plain_rows(values, "predictions", ids, _GIVE_RANKED)
    return [row if len(row) else [no_answer] for row in values]


class SpanKind(AnswerKind):
    """Positions in a text, (start, end), instead of texts; None means no answer."""

    no_answer = None
    are_texts = False
    none_is_missing = False

    def gold_rows(self, rows: list, ids: Sequence) -> list:
        """As `AnswerKind.gold_rows`, with the position of each text."""
        return self._each_gold_row(rows, ids)

    def golds_of(self, texts: list[Any], starts: Any, where: Callable[[], str]) -> list[tuple[int, int]]:
        """The positions of gold answers."""
        if not all(isinstance(text, str) for text in texts):
            raise TypeError(f"{where()}: 'text' must contain strings, got {describe(texts)}; {GIVE_GOLDS}")
        whole = starts is not None and len(starts) == len(texts)
        if not whole or not all(isinstance(start, (int, np.integer)) for start in starts):
            told = f"{where()} needs an integer 'answer_start' for every answer with unit=offset"
            raise ValueError(told)
        return [(start, start + len(text)) for text, start in zip(texts, starts, strict=True)]

    def check_predictions(self, values: list, ids: Sequence, ranked: bool) -> list:
        """Check the spans and return tuples of ints; ranked spans are n non-empty lists."""
        if not ranked:
            return [_check_span(span, "predictions", row, ids, True) for row, span in enumerate(values)]
        ranked_rows = enumerate(_ranked_rows(values, ids, self.no_answer, is_span))
        return [[_check_span(span, "predictions", row, ids, True) for span in spans] for row, spans in ranked_rows]

    def check_references(self, values: list, ids: Sequence) -> list:
        """Check the n lists of spans and return tuples of ints."""
        rows = enumerate(plain_rows(values, "references", ids, GIVE_GOLDS))
        return [[_check_span(span, "references", row, ids, False) for span in spans] for row, spans in rows]


SPANS = SpanKind()


def is_span(value: Sequence[Any]) -> bool:
    """Whether a list is one span, a pair of integers, and not several answers."""
    return (
        hasattr(value, "__len__") and len(value) == 2 and all(isinstance(number, (int, np.integer)) for number in value)
    )


def _check_span(span: Any, name: str, row: int, ids: Sequence, may_be_none: bool) -> tuple[int, int] | None:
    if hasattr(span, "tolist"):
        span = span.tolist()
    if span is None and may_be_none:
        return None
    if not isinstance(span, (list, tuple)) or not is_span(span) or not 0 <= span[0] < span[1] < 2**62:
        where = f"{name}[{row}]{with_id(ids, row)}"
        raise ValueError(f"{where} has {describe(span)} instead of a span; {_GIVE_SPAN}")
    return int(span[0]), int(span[1])
