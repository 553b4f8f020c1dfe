"""The interface between a cluster and a family whose examples have several rows."""

import abc
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .scores import Scores

if TYPE_CHECKING:
    import pyarrow as pa


class GroupScores(NamedTuple):
    """The scored examples of a part, if examples have several rows.

    `labels` are the values of `by`, by name (None if the result is not divided); `with_gold` are the names of examples
    that have both rows and gold data.
    """

    scores: Scores
    labels: dict[str, Any] | None
    with_gold: list[str]


class RowGroups(abc.ABC):
    """Tells a cluster how a family handles examples with several rows; `Family.row_groups` returns the only instance.

    A cluster brings the rows of an example together and knows nothing else about them. Rows have the plain form of the
    family (`plain_rows_of`), in which the column `key` names the example, as text. Gold data are in the rows or
    separate; if separate, all workers have the table `gold_table`, or rows and gold data are shuffled together.

    In all methods, `types` maps columns of a data set to Arrow types, and `columns` maps names of the family to columns
    of the data set. "groups" is the column of groups (`Scores.groups`), in rows of the plain form or in gold data.

    Attributes:
        key: the column of the plain form, and of separate gold data, that names the example; also the word for an
            example in messages.
        gold: the argument with separate gold data.
        why_gold: the message if separate gold data are required and missing.
        why_gold_rows: the message if separate gold data must be a data set and are not.
        nothing_in_common: the message if no example has both rows and gold data.
    """

    key: str
    gold: str
    why_gold: str
    why_gold_rows: str
    nothing_in_common: str

    @abc.abstractmethod
    def roles_of(self, given: Mapping[str, str], has_gold: bool) -> tuple[str, ...]:
        """The columns of the family, including gold data if the rows have them; a TypeError for other `given` columns,
        except groups.
        """

    @abc.abstractmethod
    def all_columns(
        self, there: Sequence[str], given: Mapping[str, str], by: str | None, roles: Sequence[str]
    ) -> dict[str, str]:
        """`columns`: the given columns, and the existing columns `there` recognised by usual names, except `by`.

        Raises:
            ValueError: there is none for one of `roles`.
        """

    @abc.abstractmethod
    def gold_columns(self, there: Sequence[str], groups: str | None = None, in_rows: bool = False) -> dict[str, str]:
        """`columns` of a data set of gold data, among them `key`; a ValueError if there is none for one of them.

        Args:
            groups: its column of groups, where it has them.
            in_rows: whether the rows have that column too, so that gold data may lack it.
        """

    @abc.abstractmethod
    def are_together(self, types: Mapping[str, Any], columns: Mapping[str, str], options: Any, grouped: bool) -> bool:
        """Whether all rows of an example are in one block, or the user says so with `grouped`.

        A ValueError if they are not and the options need the order of the rows.
        """

    @abc.abstractmethod
    def item_kind(self, types: Mapping[str, Any], columns: Mapping[str, str]) -> str | None:
        """The kind of ids within an example, in words; None if rows have none."""

    @abc.abstractmethod
    def plain_rows_of(self, block: "pa.Table", columns: Mapping[str, str], kind: str | None) -> "pa.Table":
        """A block in the plain form, with `by` if it is among `columns`; `kind` comes from `item_kind`."""

    @abc.abstractmethod
    def empty_groups(self, block: "pa.Table", columns: Mapping[str, str]) -> "pa.Table | None":
        """The examples of a block that have no row in the plain form: `key`, and `by` if given; None if there are
        none.
        """

    @abc.abstractmethod
    def gold_table(self, gold: Any, groups: str | None = None, in_rows: bool = False) -> "pa.Table":
        """Gold data in any form as a table; a TypeError or ValueError if they cannot be read.

        Args:
            groups: its column of groups, where it has them.
            in_rows: whether the rows have that column too, so that gold data may lack it.
        """

    @abc.abstractmethod
    def gold_names(self, gold: "pa.Table") -> list[str]:
        """The names of the examples of a `gold_table`, in order."""

    @abc.abstractmethod
    def joined_schema(self, types: Mapping[str, Any], columns: Mapping[str, str], groups: Any = None) -> "pa.Schema":
        """The columns of rows and gold data that are shuffled together.

        Args:
            groups: the type of the column of groups in gold data, if any.
        """

    @abc.abstractmethod
    def rows_to_join(self, rows: "pa.Table", schema: "pa.Schema") -> "pa.Table":
        """Rows in the plain form, with the columns of `joined_schema`."""

    @abc.abstractmethod
    def gold_to_join(self, block: "pa.Table", columns: Mapping[str, str], schema: "pa.Schema") -> "pa.Table":
        """A block of a data set of gold data, by `gold_columns`, with the columns of `joined_schema`."""

    @abc.abstractmethod
    def score_examples(
        self,
        rows: "pa.Table",
        gold: "pa.Table | None",
        options: Any,
        by: str | None,
        integer_ids: bool,
        empty: "pa.Table | None" = None,
    ) -> GroupScores:
        """Score examples whose rows are all here.

        Args:
            rows: in the plain form.
            gold: a `gold_table` of these and other examples; None if gold data are in the rows.
            by: the column of the data set that divides the result.
            integer_ids: the names of the examples are integers.
            empty: the result of `empty_groups`.
        """

    @abc.abstractmethod
    def score_joined_examples(self, joined: "pa.Table", options: Any, by: str | None, integer_ids: bool) -> GroupScores:
        """Score examples whose rows and gold data are all here, with the columns of `joined_schema`."""

    @abc.abstractmethod
    def score_without_rows(
        self, gold: "pa.Table", names: Sequence[str], options: Any, in_groups: bool = False
    ) -> Scores:
        """Score examples of a `gold_table` that have no rows, by their names.

        Args:
            in_groups: examples have groups; a ValueError if gold data do not contain them.
        """
