"""Selected examples of a system: their rows in the gold file and the predictions, and their texts for display."""

import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .file_columns import Gold
    from .scores import Scores


_ASKED = ("question", "text", "query", "sentence")  # columns of a gold file, the most telling first


class ExampleText(NamedTuple):
    """The texts of an example, for display."""

    question: str | None  # or the text to label; None if the gold file has neither
    gold: list[str]  # the gold answers
    answers: list[str]  # the answers of the system, in its order; "" for an empty answer among others


class JudgedDocument(NamedTuple):
    """A document that a system returned for an example."""

    name: str
    is_relevant: bool | None  # None: not judged
    relevance: float | None = None  # None: there are no grades, or none was given


class ScoreReason(NamedTuple):
    """A reason that changed the score of an example."""

    effect: float  # signed change of a score from 0 to 1
    words: str


class Examples:
    """Selected examples of one system.

    Attributes:
        gold: the gold file as its family scores it.
        predictions: the columns of the system as from `Reading.own_predictions`.
        scores: of the system.
        rows, places: the place of each example in the scores and in the gold file.
    """

    def __init__(
        self,
        gold: "Gold",
        predictions: Mapping[str, Any],
        scores: "Scores",
        rows: Sequence[int] | None = None,
        places: Sequence[int] | None = None,
    ):
        self.gold, self.predictions, self.scores = gold, predictions, scores
        self.rows = range(len(scores)) if rows is None else rows
        if places is not None:
            self.places = places

    @functools.cached_property
    def places(self) -> Sequence[int]:
        of_all = gold_rows(self.gold, self.scores)
        return [of_all[row] for row in self.rows]

    @property
    def references(self) -> list[Any]:
        """The reference of each example, from the gold file."""
        return [self.gold.columns["references"][place] for place in self.places]

    @functools.cached_property
    def given_places(self) -> list[int | None]:
        """The row in the predictions for each example; None if it has no prediction."""
        return given_places(self.predictions["predictions"], self.gold, self.scores, self.rows, self.places)

    @property
    def given(self) -> list[Any]:
        """The prediction for each example; None if there is none."""
        rows = self.predictions["predictions"]
        return [None if place is None else rows[place] for place in self.given_places]


def gold_rows(gold: "Gold", scores: "Scores") -> Sequence[int]:
    """The row in the gold file of each scored example: rows may be omitted or duplicated."""
    if gold.ids is None:
        references: Any = gold.columns.get("references")
        n = len(references) if hasattr(references, "__len__") and not hasattr(references, "shape") else len(scores)
        if len(scores) == n:
            return range(n)
        from .ids import Positions

        if not isinstance(scores.ids, (range, Positions)):  # the ids of predictions
            raise ValueError("rows were omitted, and the gold file has no ids that tell which; give it a column of ids")
        return scores.ids
    last = _last_counts(scores)
    place: dict[Any, int] = {}
    for row, identifier in enumerate(gold.ids):
        if last or identifier not in place:
            place[identifier] = row
    return [place[identifier] for identifier in scores.ids]


def asked_texts(details: Mapping[str, Sequence[Any]], places: Sequence[int]) -> list[str | None]:
    """The question or the text to label in some rows of a gold file; None if the file has neither."""
    asked = next((details[name] for name in _ASKED if name in details), None)
    texts = [None if asked is None else asked[place] for place in places]
    return [None if text is None else str(text) for text in texts]


def of_examples(labels: Sequence[Any], gold: "Gold", scores: "Scores") -> list[Any]:
    """The values of the scored examples, from one value per row of the gold file."""
    return [labels[row] for row in gold_rows(gold, scores)]


def given_places(
    given: Sequence[Any], gold: "Gold", scores: "Scores", rows: Sequence[int], places: Sequence[int]
) -> list[int | None]:
    """The row in the predictions for each of some examples; None if it has no prediction.

    Rows with an id belong to the example of that id, as scoring matches them; others to the row of the gold file at
    the same place. `rows` and `places` are as in `Examples`.
    """
    if not given or gold.ids is None or not isinstance(given[0], Mapping) or "id" not in given[0]:
        return [place if place < len(given) else None for place in places]
    from .intake import field_of

    last = _last_counts(scores)
    place_of: dict[Any, int | None] = {scores.ids[row]: None for row in rows}
    for place, identifier in enumerate(field_of(given, "id", "predictions") or ()):
        if identifier in place_of and (last or place_of[identifier] is None):
            place_of[identifier] = place
    return [place_of[scores.ids[row]] for row in rows]


def _last_counts(scores: "Scores") -> bool:
    """Whether the last row of a duplicate id counts, instead of the first."""
    return getattr(scores.options, "duplicates", None) == "last"


def first_answers(answers: Sequence[str], most: int) -> list[str]:
    """The first of ranked answers; [] if all are empty."""
    shown = list(answers[:most])
    return shown if any(shown) else []


def said(texts: Sequence[Any], most: int | None = None) -> list[str]:
    """The non-empty texts or numbers among the first `most` (None: all)."""
    return [str(text) for text in texts[:most] if text not in (None, "")]
