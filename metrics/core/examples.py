"""What a metric family reads: its kinds of files, and options written as text."""

import importlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .hints import Hint, Message

if TYPE_CHECKING:
    from .file_columns import Gold
    from .scores import Scores


class Reading:
    """What a family reads. A subclass overrides what is special about it.

    Attributes:
        kinds: the metric whose kinds of files it scores: itself, or one that has them all.
        named_only: its tables look like tables of other metrics, so that people must name this metric.
        known_by_predictions: its files of predictions tell the metric, where the gold file is of another metric too.
        gold_columns: the columns of the function that come from the gold file, which errors about them then name.
        gold_alone: what to say of a gold file without predictions.
        dict_options: options that may be a dict, written like one in Python.
        list_options: options that may be a list of names or whole numbers, written with commas, or one whole number.
        file_options: options whose text may be the path of a file.
    """

    kinds: str
    named_only: bool = False
    known_by_predictions: bool = False
    gold_columns: tuple[str, ...] = ("references", "weights")
    gold_alone: Message = Message("this has gold answers only; give predictions too", Hint("usage", "GOLD PREDICTIONS"))
    dict_options: tuple[str, ...] = ()
    list_options: tuple[str, ...] = ()
    file_options: tuple[str, ...] = ()

    def files(self) -> Any:
        """What the family says of its files, a `files.kinds.FamilyFiles`, imported now."""
        return importlib.import_module(f"qassay.{self.kinds}.kinds").FILES

    def own_gold(self, gold: "Gold") -> "Gold":
        """The gold file as this family scores it, where another family has its kind."""
        return gold

    def own_predictions(self, columns: Mapping[str, Any]) -> Mapping[str, Any]:
        """The columns of predictions as this family scores them, where another family has their kind."""
        return columns

    def gold_answers(self, references: Sequence[Any], ids: Sequence[Any] | None = None) -> list[list[str]]:
        """The gold answers of each row as texts, from any layout that a family of answers reads."""
        raise NotImplementedError(f"{type(self).__name__} does not read answers")

    def options_of_text(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """Options as they were written, with the contents of files in place of their names."""
        return options


def gold_rows(gold: "Gold", scores: "Scores") -> Sequence[int]:
    """For each example of scores its row in the gold file: rows may have been left out or given twice."""
    if gold.ids is None:
        return range(len(scores))
    last = _last_counts(scores)
    place: dict[Any, int] = {}
    for row, identifier in enumerate(gold.ids):
        if last or identifier not in place:
            place[identifier] = row
    return [place[identifier] for identifier in scores.ids]


def of_examples(labels: Sequence[Any], gold: "Gold", scores: "Scores") -> list[Any]:
    """What belongs to the examples of scores, from one value per row of the gold file."""
    return [labels[row] for row in gold_rows(gold, scores)]


def given_places(
    given: Sequence[Any], gold: "Gold", scores: "Scores", rows: Sequence[int], places: Sequence[int]
) -> list[int | None]:
    """Which row a system gave for each of some examples, None where it gave none.

    Rows with an id belong to the example of that id, as scoring matches them; others to the row of the gold file at
    the same place. `rows` and `places` are those of `Examples`.
    """
    if not given or gold.ids is None or not isinstance(given[0], Mapping) or "id" not in given[0]:
        return [place if place < len(given) else None for place in places]
    from .rows import field_of

    last = _last_counts(scores)
    place_of: dict[Any, int | None] = {scores.ids[row]: None for row in rows}
    for place, identifier in enumerate(field_of(given, "id", "predictions") or ()):
        if identifier in place_of and (last or place_of[identifier] is None):
            place_of[identifier] = place
    return [place_of[scores.ids[row]] for row in rows]


def _last_counts(scores: "Scores") -> bool:
    """Whether, of rows with the same id, the last one counts instead of the first."""
    return getattr(scores.options, "duplicates", None) == "last"
