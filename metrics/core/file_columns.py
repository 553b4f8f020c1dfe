"""What readers of files make of them: columns for `qassay.score`, and what else a file tells about each example."""

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

STDIN = "-"  # standard input, instead of the path of a file


@dataclasses.dataclass(frozen=True)
class Column:
    """A column of a table."""

    cells: list[Any]
    is_text: bool  # the cells are text because the file has nothing else (CSV, TSV), whatever they mean


@dataclasses.dataclass(frozen=True)
class Predictions:
    """What one system's file gives; `columns` are keyword arguments of `qassay.score`, `names` as in `Gold`."""

    path: str
    columns: dict[str, Any]
    tag: str | None = None  # the name that a TREC run gives itself
    names: Mapping[str, Any] = dataclasses.field(default_factory=dict)


def no_reason(name: str) -> str:
    """Nothing to say about a column."""
    return ""


@dataclasses.dataclass(frozen=True)
class Gold:
    """A gold file.

    Attributes:
        path, kind: the file, and what it is, such as "squad", "table" or "trec_qrels".
        columns: keyword arguments of `qassay.score`, one row per example: references and, where there are any, weights.
            None for a table of rankings whose rows hold label and score, and no references for a table of labels: the
            predictions bring both.
        options: the options that the kind implies, such as `{"task": "drop"}`.
        ids: one id per example, of rankings the queries; None where the file has none.
        details: other columns with one value per example (question, title, language, ...), for slices and reports.
        names: of a table, role -> the column that serves as it; of references maybe several. Predictions, or for
            rankings and pipelines what was retrieved, come from a separate column if there is one.
        metric: the metric that scores files of this kind; `read_gold` says it.
        truth: of a table of labels the true ones as the file has them; what becomes of them, the predictions decide.
        content: of a table that came by a pipe, what was read: it may hold predictions, and comes only once.
        given: columns that belong to the system of this file and not to the examples (its answers, its probabilities).
        may_hold_predictions: whether the file is a table that can be scored alone.
        more: columns whose cells may be lists or dicts, which some options of the metric read.
        why_no_detail: says why a column of the file is none of the details; "" for a column that is not there.
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
    content: Any = dataclasses.field(default=None, repr=False)
    given: dict[str, list[Any]] = dataclasses.field(default_factory=dict)
    may_hold_predictions: bool = False
    more: Mapping[str, list[Any]] = dataclasses.field(default_factory=dict)
    why_no_detail: Callable[[str], str] = dataclasses.field(default=no_reason, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The name of the file, without its folder."""
        return "standard input" if self.path == STDIN else os.path.basename(self.path)

    @property
    def has_ids(self) -> bool:
        """Whether the examples have ids."""
        columns = getattr(self.columns.get("references"), "columns", None)
        return self.ids is not None or isinstance(columns, Mapping) and "id" in columns

    @property
    def is_self_contained(self) -> bool:
        """Whether the file is a table with a column of predictions beside the column of gold answers."""
        return bool(self.names.keys() & {"predictions", "score", "run", "documents"})

    def with_options(self, options: Mapping[str, Any]) -> "Gold":
        """The same with these options over its own."""
        return dataclasses.replace(self, options={**self.options, **options})
