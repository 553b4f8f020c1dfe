"""Predictions in a table that has gold answers too: are these the gold answers that the predictions are scored by?"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..core.hints import Hint, Message
from ..retrieval_ranking.read_tables import ranking_table
from ..retrieval_ranking.tables import ROLE_NAMES, spelled
from . import read_gold
from .content import Content, Table
from .inputs import ANSWERS, CURVES, LABELS, RANKINGS, FileError, Gold
from .label_cells import label_key
from .label_tables import LABEL_SIDES, label_table
from .tables import ANSWER_SIDES, Names, each_column

_RANKING_SIDES = {*ROLE_NAMES["score"], *ROLE_NAMES["relevance"]}
_SIDES = {ANSWERS: ANSWER_SIDES, RANKINGS: _RANKING_SIDES, LABELS: LABEL_SIDES, CURVES: LABEL_SIDES}
# Columns of these names may be something else than what is right, such as a category of questions.
_MAY_BE_OTHERS = {
    ANSWERS: {"answer", "label", "labels", "target", "targets"},
    RANKINGS: {"label", "labels", "gain", "score", "scores", "sim", "similarity"},
    **{metric: {"class", "classes", "category", "categories"} for metric in (LABELS, CURVES)},
}
_MOST_COLUMNS = 1000
_OTHER_ROLES = ("ids", "query", "document", "weights", "question", "no_answer_probabilities")


def can_be_compared(gold: Gold) -> bool:
    """Whether a gold file is a table, whose gold answers another table may have too."""
    return gold.kind in _COMPARISONS


def has_own_gold(content: Content, gold: Gold, names: Names) -> bool:
    """Whether a file of predictions is a table that has the gold answers of the gold file too, by a column of its own.

    Rows are compared by id where both tables have ids, and else by their order; rows of only one of them are not compared.

    Args:
        gold: what `read_gold` gave; a file that is no table is not compared.
        names: role -> column, as for `read_gold`.

    Raises:
        FileError: its gold answers are others; the message names the first row that differs.
    """
    table = _table_of(content.value, gold)
    if content.path == gold.path or table is None:
        return False
    role = "relevance" if gold.metric == RANKINGS else "references"
    name = gold.names[role]
    # The other columns of the gold file need not be called the same here.
    names = {of: named for of, named in names.items() if of not in _OTHER_ROLES or named in table.columns}
    if role not in names and isinstance(name, str) and name in table.columns:
        names = {**names, role: name}
    named = each_column(names.values())
    if sum(column in named or spelled(column) in _SIDES[gold.metric] for column in table.columns) < 2:
        return False
    try:
        own = read_gold(content, names, metric=gold.metric)
    except FileError:
        return False
    if own.kind != gold.kind or not own.is_self_contained:
        return False
    difference = _COMPARISONS[gold.kind](own, gold)
    if difference is None:
        return True
    mine = own.names[role]
    if isinstance(mine, str) and (
        spelled(mine) in _MAY_BE_OTHERS[gold.metric] and (mine != name or gold.metric == ANSWERS and mine == "answer")
    ):
        return False
    raise FileError(
        content.path,
        difference,
        f" (the column {_words(mine)} here, {_words(name)} there); score it by itself, or, if ",
        Hint("file", gold.path),
        f" is right for both, rename or remove the column {_words(mine)} here",
    )


def _table_of(value: Any, gold: Gold) -> Table | None:
    """A file as a table that can be compared with the gold file; None where one of them is none."""
    if not can_be_compared(gold) or isinstance(value, Table):
        return value if can_be_compared(gold) else None
    if not isinstance(value, dict) or len(value) > _MOST_COLUMNS:  # more are ids
        return None
    return ranking_table(value) if gold.metric == RANKINGS else label_table(value)


def _words(name: str | Sequence[str]) -> str:
    return name if isinstance(name, str) else " and ".join(name)


def _answers_differ(own: Gold, gold: Gold) -> str | None:
    def words(row: Any) -> str:
        return repr(sorted(_texts(row))) if _texts(row) else "no answer"

    return _first_difference(own, gold, own.columns["references"], gold.columns["references"], _texts, words)


def _labels_differ(own: Gold, gold: Gold) -> str | None:
    def key(cell: Any) -> str | frozenset[str]:
        return label_key(cell, own.names.get("separator"))

    def words(cell: Any) -> str:
        return repr(key(cell) if isinstance(key(cell), str) else sorted(key(cell)))

    return _first_difference(own, gold, own.truth.cells, gold.truth.cells, key, words)


def _first_difference(
    own: Gold, gold: Gold, mine: Sequence, theirs: Sequence, key: Callable[[Any], Any], words: Callable[[Any], str]
) -> str | None:
    """The first row that says something else than the row of the gold file.

    Args:
        mine, theirs: one cell per row.
        key: what a cell says, whatever its layout.
        words: the same for a message.
    """
    if own.ids is not None and gold.ids is not None:
        there = dict(zip(map(str, gold.ids), theirs, strict=True))
        named: Iterable = zip(map(str, own.ids), mine, strict=True)
        spot = "the id {!r}"
    else:
        there, named, spot = dict(enumerate(theirs)), enumerate(mine), "row {}"
    for name, row in named:
        other = there.get(name, row)
        if row != other and not _is_null(row) and key(row) != key(other):
            text = f"{spot.format(name)} has {words(row)} as gold, but {words(other)} in "
            return Message(text, Hint("file", gold.path))
    return None


def _is_null(row: Any) -> bool:
    return (row["answers"] if isinstance(row, dict) and "answers" in row else row) is None


def _texts(row: Any) -> frozenset[str]:
    """The gold answers of a row, whatever their layout, without blanks around them."""
    answers = row["answers"] if isinstance(row, dict) and "answers" in row else row
    answers = answers.get("text", ()) if isinstance(answers, dict) else answers
    answers = answers if isinstance(answers, (list, tuple)) else [answers]
    texts = [answer.get("text") if isinstance(answer, dict) else answer for answer in answers]
    return frozenset(str(text).strip() for text in texts if text not in (None, ""))


def _judgements_differ(own: Gold, gold: Gold) -> str | None:
    import pyarrow.compute as pc

    if not own.columns or not gold.columns:  # each row judges itself
        return None
    mine, theirs = (one.columns["references"].select(["query", "document", "relevance"]) for one in (own, gold))
    if mine.equals(theirs):
        return None
    keys = ["query", "document"]
    mine, theirs = (
        table.set_column(0, "query", table.column("query").cast("string")).set_column(
            1, "document", table.column("document").cast("string")
        )
        for table in (mine, theirs)
    )
    mine = mine.filter(pc.is_in(mine.column("query"), pc.unique(theirs.column("query"))))
    # A run has no rows for documents that it did not find: what only the gold file has is no difference.
    both = mine.join(theirs.rename_columns([*keys, "there"]), keys, join_type="left outer")
    differs = pc.not_equal(both.column("relevance"), pc.fill_null(both.column("there"), 0.0))
    rows = both.filter(differs).sort_by([(key, "ascending") for key in keys]).slice(0, 1).to_pylist()
    if not rows:
        return None
    (row,) = rows
    other = "it is not judged" if row["there"] is None else f"{row['there']:g}"
    pair = f"the document {row['document']!r} of the query {row['query']!r}"
    return Message(f"{pair} has the relevance {row['relevance']:g}, but {other} in ", Hint("file", gold.path))


_COMPARISONS: dict[str, Callable[[Gold, Gold], str | None]] = {
    "table": _answers_differ,
    "labels": _labels_differ,
    "ranking_table": _judgements_differ,
}
