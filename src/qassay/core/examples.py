"""Selected examples of a system: their rows in the gold file and the predictions, and their texts for display."""

import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .file_columns import Gold
    from .scores import Scores


_QUESTIONS = ("question", "text", "query", "sentence")  # columns of a gold file, the one that says most first


class ExampleText(NamedTuple):
    """The texts of an example, for display."""

    question: str | None  # or the text to label; None if the gold file has neither
    gold: list[str]  # the gold answers
    answers: list[str]  # the answers of the system, in its order; "" for an empty answer among others
    whole: str | None = None  # the output from which the answer was extracted; None if the output is the answer


class JudgedDocument(NamedTuple):
    """A document that a system returned for an example."""

    name: str
    is_relevant: bool | None  # None: not judged
    relevance: float | None = None  # None: there are no grades, or none was given


class ScoreReason(NamedTuple):
    """A reason that changed the score of an example."""

    effect: float  # signed change of a score from 0 to 1
    words: str

    def __str__(self) -> str:
        return f"{self.effect:+.2f} {self.words}"


class Examples:
    """Selected examples of one system.

    Attributes:
        gold: the gold file as its family scores it.
        predictions: the columns of the system.
        scores: of the system.
        rows: the row of each example in the scores; None given: all rows.
    """

    def __init__(
        self, gold: "Gold", predictions: Mapping[str, Any], scores: "Scores", rows: Sequence[int] | None = None
    ):
        self.gold, self.predictions, self.scores = gold, predictions, scores
        self.rows = range(len(scores)) if rows is None else rows

    @functools.cached_property
    def gold_rows(self) -> list[int]:
        """The row of each example in the gold file."""
        of_all = gold_rows(self.gold, self.scores)
        return [of_all[row] for row in self.rows]

    @property
    def references(self) -> list[Any]:
        """The reference of each example, from the gold file."""
        return [self.gold.columns["references"][row] for row in self.gold_rows]

    @property
    def questions(self) -> list[str | None]:
        """The question or the text to label; None if the gold file has neither."""
        details = self.gold.details
        column = next((details[name] for name in _QUESTIONS if name in details), None)
        texts = [None if column is None else column[row] for row in self.gold_rows]
        return [None if text is None else str(text) for text in texts]

    @functools.cached_property
    def prediction_rows(self) -> list[int | None]:
        """The row of each example in the predictions; None if it has no prediction.

        Rows are matched by id, as in scoring; rows without ids by position.
        """
        given = self.predictions["predictions"]
        if not given or self.gold.ids is None or not isinstance(given[0], Mapping) or "id" not in given[0]:
            return [row if row < len(given) else None for row in self.gold_rows]
        ids = [self.scores.ids[row] for row in self.rows]
        rows = _counting_rows(ids, [row["id"] for row in given], self.scores)
        return [None if row < 0 else row for row in rows]

    @property
    def given(self) -> list[Any]:
        """The prediction for each example; None if there is none."""
        column = self.predictions["predictions"]
        return [None if row is None else column[row] for row in self.prediction_rows]


def gold_rows(gold: "Gold", scores: "Scores") -> Sequence[int]:
    """The row in the gold file of each scored example: rows may be omitted or duplicated."""
    if gold.ids is None:
        references: Any = gold.columns.get("references")
        n = len(references) if hasattr(references, "__len__") and not hasattr(references, "shape") else len(scores)
        if len(scores) == n:
            return range(n)
        from .ids import Positions

        if not isinstance(scores.ids, (range, Positions)):  # the ids of predictions
            raise ValueError("rows were omitted, and the gold file has no ids; add a column of ids")
        return scores.ids
    return _counting_rows(scores.ids, gold.ids, scores)


def _counting_rows(ids: Sequence[Any], given: Sequence[Any], scores: "Scores") -> list[int]:
    """The row in `given` of each id, -1 for none; of a duplicate id the row that counts, by the option duplicates."""
    from .ids import rows_of_ids

    if getattr(scores.options, "duplicates", None) == "last":
        return list(rows_of_ids(ids, list(given)).tolist())
    rows = rows_of_ids(ids, list(given)[::-1])  # its last row is the one that is found
    return [row if row < 0 else len(given) - 1 - row for row in rows.tolist()]


def of_examples(labels: Sequence[Any], gold: "Gold", scores: "Scores") -> list[Any]:
    """The values of the scored examples, from one value per row of the gold file."""
    return [labels[row] for row in gold_rows(gold, scores)]


def first_answers(answers: Sequence[str], most: int) -> list[str]:
    """The first of ranked answers; [] if all are empty."""
    shown = list(answers[:most])
    return shown if any(shown) else []


def said(texts: Sequence[Any], most: int | None = None) -> list[str]:
    """The non-empty texts or numbers among the first `most` (None: all)."""
    return [str(text) for text in texts[:most] if text not in (None, "")]
