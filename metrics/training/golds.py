"""Gold answers, checked before a training or a pipeline has spent its hours."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..answer_match.columns import check_answer_rows
from ..core.columns import to_list
from ..core.scores import Scores
from ..label_metrics.scoring import LabelOptions
from ..registry import get_family
from ..semantic_answer_similarity.scoring import SimilarityOptions


def read_golds(references: Any, ids: Sequence | None = None) -> list[list[str]]:
    """Gold answers as lists of strings, a list per row.

    Args:
        references: strings, lists of strings ([]: the question has no answer) or rows of SQuAD's column answers.
        ids: of the rows, for messages.

    Raises:
        TypeError, ValueError: an answer that is none; naming the row.

    Example:
        >>> read_golds(["Rome", ["Oslo", "Christiania"], []])
        [['Rome'], ['Oslo', 'Christiania'], []]
    """
    if isinstance(references, Mapping):
        raise TypeError(
            "references are a dict by id, but these answers have no ids; give a list in the order of the data set; for "
            'several data sets give name -> lists of gold answers, such as {"a": [["Rome"]], "b": [["Oslo"], []]}'
        )
    rows = [[row] if isinstance(row, str) else row for row in to_list(references, "references")]
    given = {"predictions": [""] * len(rows), "references": rows, "ids": ids}
    _, gold = check_answer_rows(given)
    return gold["values"]


def read_sets(references: Any) -> dict[str | None, list[list[str]]]:
    """Gold answers of one data set, under None, or of several, by name.

    Args:
        references: as `read_golds` takes them, or a dict name -> them, with a list (or a row of SQuAD) for each row.

    Raises:
        TypeError, ValueError: as `read_golds`; data sets that cannot be told apart.

    Example:
        >>> read_sets([["Rome"]]), read_sets({"a": [["Rome"]], "b": [["Oslo"], []]})
        ({None: [['Rome']]}, {'a': [['Rome']], 'b': [['Oslo'], []]})
    """
    if not isinstance(references, Mapping) or not references or any(map(_is_row, references.values())):
        return {None: read_golds(references)}
    found: dict[str | None, list[list[str]]] = {}
    for name, rows in references.items():
        try:
            found[name] = read_golds(rows)
        except (TypeError, ValueError) as error:
            raise type(error)(f"data set {name!r}: {error}") from None
        twin = next((other for other in found if other != name and found[other] == found[name]), None)
        if twin is not None:
            raise ValueError(
                f"the data sets {twin!r} and {name!r} have the same gold answers, so that nothing tells which one Trainer "
                f"evaluates; give them once, for example as {f'{twin}, {name}'!r}"
            )
    return found


def _is_row(value: Any) -> bool:
    """Whether a value is the gold answers of one row, not of a data set."""
    return (
        isinstance(value, (str, Mapping)) or isinstance(value, (list, tuple)) and all(isinstance(t, str) for t in value)
    )


def score_blank(metric: str, references: Sequence, ids: Sequence | None = None, *, options: Any) -> Scores:
    """Scores of empty answers, without a model: what the references, ids and options would fail of fails now.

    Args:
        metric: of answers: "answer_match", "semantic_answer_similarity" or "label_metrics", of one label per row.
        references, ids: as the metric takes them.
        options: of the metric.

    Returns:
        Scores with the measures that those of any answers have; those of label_metrics may lack classes.

    Raises:
        TypeError, ValueError: as the metric raises them.

    Example:
        >>> from qassay.answer_match.scoring import AnswerMatchOptions
        >>> score_blank("answer_match", [["Rome"], ["Oslo"]], ["q1", "q1"], options=AnswerMatchOptions())
        Traceback (most recent call last):
        ValueError: predictions id[1] repeats the id 'q1' of row 0; give every example one id of its own, or the option \
duplicates='first' or 'last'
    """
    blank: Any = ""
    if isinstance(options, LabelOptions):  # there is no empty label: any of them will do
        blank = next((label for label in references if isinstance(label, str)), "")
    elif options.top_k is not None:
        blank = [""]
    if isinstance(options, SimilarityOptions):  # an empty answer goes through no model: none need be loaded
        same = ("normalizer", "top_k", "thresholds", "missing", "duplicates")
        options = SimilarityOptions(model="lite", **{name: getattr(options, name) for name in same})
    function, _ = get_family(metric).load()
    return function([blank] * len(references), references, ids, options=options)
