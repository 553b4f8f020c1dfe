"""The result of reading a file: columns for `qassay.score`, and other data about each example."""

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

STDIN = "-"  # standard input, in place of a file path


@dataclasses.dataclass(frozen=True)
class Column:
    """A column of a table."""

    cells: list[Any]
    is_text: bool  # the cells are text because the format has no other type (CSV, TSV)


@dataclasses.dataclass(frozen=True)
class Predictions:
    """The predictions from a file of one system; `columns` are keyword arguments of `qassay.score`, `names` as in
    `Gold`.
    """

    path: str
    columns: dict[str, Any]
    tag: str | None = None  # the name of a TREC run, from its content
    names: Mapping[str, Any] = dataclasses.field(default_factory=dict)


def _no_reason(name: str) -> str:  # unlike a lambda, it can be pickled
    return ""


@dataclasses.dataclass(frozen=True)
class Gold:
    """A gold file.

    Attributes:
        path, kind: the file and its kind, such as "squad", "table" or "trec_qrels".
        columns: keyword arguments of `qassay.score`, one row per example: references and, if present, weights.
            None for a table of rankings whose rows hold label and score, and no references for a table of labels: the
            predictions bring both.
        options: the options that the kind implies, such as `{"preset": "drop"}`.
        ids: one id per example (for rankings, the queries); None if the file has none.
        details: other columns with one value per example (question, title, language, ...), for slices and reports.
        names: for a table, role -> its column; references may have several. Predictions, or for
            rankings and pipelines what was retrieved, come from a separate column if there is one.
        metric: the metric that scores files of this kind; `read_gold` says it.
        truth: for a table of labels, the true labels as in the file; the predictions decide how they are used.
        given: columns that belong to the system of this file and not to the examples (its answers, its probabilities).
        may_hold_predictions: whether the file is a table that can be scored alone.
        more: columns with lists or dicts in cells, which some options of the metric read.
        compared: of a table, the role of the column of gold data, which those of tables of predictions are compared with.
        difference: this and the gold data of such a table -> the first difference in words; None: row by row.
        why_no_detail: explains why a column of the file is not among the details; "" for a column that does not exist.
    """

    path: str
    kind: str
    columns: dict[str, Any]
    options: dict[str, Any]
    ids: Sequence[Any] | None
    details: Mapping[str, list[Any]]
    names: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    metric: str = ""
    truth: Column | Any = None
    given: dict[str, list[Any]] = dataclasses.field(default_factory=dict)
    may_hold_predictions: bool = False
    more: Mapping[str, list[Any]] = dataclasses.field(default_factory=dict)
    compared: str = ""
    difference: Callable[["Gold", "Gold"], str | None] | None = dataclasses.field(
        default=None, repr=False, compare=False
    )
    why_no_detail: Callable[[str], str] = dataclasses.field(default=_no_reason, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The name of the file, without its folder."""
        return "standard input" if self.path == STDIN else os.path.basename(self.path)

    @property
    def is_self_contained(self) -> bool:
        """Whether the file is a table with both predictions and gold answers."""
        return bool(self.names.keys() & {"predictions", "score", "run", "documents"})

    def with_options(self, options: Mapping[str, Any]) -> "Gold":
        """A copy with these options, which override the options of the file; a preset or a task replaces all of these."""
        has_rules = options.get("preset") is not None or options.get("task") is not None
        return dataclasses.replace(self, options={**({} if has_rules else self.options), **options})
