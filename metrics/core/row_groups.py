"""What a cluster asks of a family whose examples have several rows."""

import abc
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .scores import Scores

if TYPE_CHECKING:
    import pyarrow as pa


class GroupScores(NamedTuple):
    """The examples of a part whose examples have several rows.

    `labels` are what `by` says about each, by name (None where nothing divides the result); `with_gold` the names of
    rows that have both rows and gold data.
    """

    scores: Scores
    labels: dict[str, Any] | None
    with_gold: list[str]


class RowGroups(abc.ABC):
    """What a cluster asks of a family whose examples have several rows; one instance, which `Family.row_groups` gives.

    A cluster brings the rows of an example together and knows nothing else about them. Rows come in the plain form of
    the family (`plain_rows_of`), in which the column `key` names the example, as text. Gold data are in the rows, or
    apart: then all workers have the table `gold_table`, or rows and gold data are shuffled together.

    In all methods `types` are the columns of a data set -> their Arrow types, and `columns` what the family calls a
    column -> the column of the data set. "groups" is what examples are put in groups by (`Scores.groups`): a column of the
    rows in the plain form, or else of gold data.

    Attributes:
        key: the column of the plain form, and of gold data that are apart, that names the example; in messages what
            people call an example.
        gold: the argument with gold data that are apart.
        why_gold: what to say where such gold data are needed and there are none.
        why_gold_rows: what to say where such gold data are to be a data set and are none.
        nothing_in_common: what to say where no example has both rows and gold data.
    """

    key: str
    gold: str
    why_gold: str
    why_gold_rows: str
    nothing_in_common: str

    @abc.abstractmethod
    def roles_of(self, given: Mapping[str, str], has_gold: bool) -> tuple[str, ...]:
        """The columns of the family, with gold data where the rows have them; a TypeError for others `given` but groups."""

    @abc.abstractmethod
    def all_columns(
        self, there: Sequence[str], given: Mapping[str, str], by: str | None, roles: Sequence[str]
    ) -> dict[str, str]:
        """`columns`: the given columns, and the columns `there` recognised by their usual names, except `by`.

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
        """Whether all rows of an example are in one block, or the user says so (`grouped`).

        A ValueError where they are not and the options need the order of the rows.
        """

    @abc.abstractmethod
    def item_kind(self, types: Mapping[str, Any], columns: Mapping[str, str]) -> str | None:
        """What the ids within an example are, in words; None where rows have none."""

    @abc.abstractmethod
    def plain_rows_of(self, block: "pa.Table", columns: Mapping[str, str], kind: str | None) -> "pa.Table":
        """A block in the plain form, with `by` where it is among `columns`; `kind` comes from `item_kind`."""

    @abc.abstractmethod
    def empty_groups(self, block: "pa.Table", columns: Mapping[str, str]) -> "pa.Table | None":
        """The examples of a block that have no row in the plain form: `key`, and `by` where there is; None for none."""

    @abc.abstractmethod
    def gold_table(self, gold: Any, groups: str | None = None, in_rows: bool = False) -> "pa.Table":
        """Gold data in any form as a table; a TypeError or ValueError where they cannot be read.

        Args:
            groups: its column of groups, where it has them.
            in_rows: whether the rows have that column too, so that gold data may lack it.
        """

    @abc.abstractmethod
    def gold_names(self, gold: "pa.Table") -> list[str]:
        """The names of the examples of a `gold_table`, in its order."""

    @abc.abstractmethod
    def joined_schema(self, types: Mapping[str, Any], columns: Mapping[str, str], groups: Any = None) -> "pa.Schema":
        """The columns of rows and gold data that are shuffled together.

        Args:
            groups: the type of the column of groups of gold data, where these have them.
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
        whole_numbers: bool,
        empty: "pa.Table | None" = None,
    ) -> GroupScores:
        """Score examples all of whose rows are here.

        Args:
            rows: in the plain form.
            gold: a `gold_table` of these and other examples; None where gold data are in the rows.
            by: the column of the data set that divides the result.
            whole_numbers: the names of the examples are whole numbers.
            empty: of `empty_groups`.
        """

    @abc.abstractmethod
    def score_joined_examples(
        self, joined: "pa.Table", options: Any, by: str | None, whole_numbers: bool
    ) -> GroupScores:
        """Score examples all of whose rows and gold data are here, with the columns of `joined_schema`."""

    @abc.abstractmethod
    def score_without_rows(
        self, gold: "pa.Table", names: Sequence[str], options: Any, in_groups: bool = False
    ) -> Scores:
        """Score examples of a `gold_table` that have no rows, by their names.

        Args:
            in_groups: examples have groups; a ValueError where gold data do not tell them.
        """
