"""Describes the files of a family: the kinds of files that it reads, and which of them go together."""

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from ..core.file_columns import Gold, Predictions
from ..registry import DEFAULT, FAMILIES
from .content import Content, Table
from .lines import Lines
from .logs import Log
from .reading import FileError
from .source import Source
from .tables import Names, as_table, each_as_system

# What files serve as.
GOLD, PREDICTIONS, PROBABILITIES = "gold", "predictions", "probabilities"
ONLY_GOLD, ONLY_PREDICTIONS = frozenset([GOLD]), frozenset([PREDICTIONS])
GOLD_AND_PREDICTIONS = ONLY_GOLD | ONLY_PREDICTIONS


@dataclasses.dataclass(frozen=True)
class Kind:
    """A kind of file.

    Attributes:
        name, text: its name in the code and in messages.
        serves: what it serves as, of GOLD, PREDICTIONS and PROBABILITIES.
        metric: which metric scores it.
        gold_reader: content -> Gold, where it can be gold.
        prediction_reader: content and Gold -> what else it serves as.
        is_table: its readers also take names of columns.
        fits: a value and the requested metric, or None -> whether the value is of this kind, or the attributes
            that are others for this value.
        order: kinds are tried from the lowest to the highest order, of the same order by family: 0 lines; 10 and 20
            formats that their own fields tell; 30 and 50 what a family takes where it is requested, before the texts
            and lists by id at 40 and 60; 70 to 90 what looks like the family where none is requested, tables last.
        keeps_duplicates: its reader sees both values of a duplicate key.
        elsewhere: what to do with it where another metric is requested, if that is always the same.
    """

    name: str
    text: str
    serves: frozenset[str]
    metric: str = DEFAULT
    gold_reader: Callable[..., Gold] | None = dataclasses.field(default=None, compare=False)
    prediction_reader: Callable[..., Any] | None = dataclasses.field(default=None, compare=False)
    is_table: bool = False
    fits: Callable[[Any, str | None], bool | dict[str, Any]] | None = dataclasses.field(default=None, compare=False)
    order: int = dataclasses.field(default=20, compare=False)
    keeps_duplicates: bool = False
    elsewhere: str = ""

    @property
    def may_hold_both(self) -> bool:
        """Whether the file may be a table of gold data and predictions: text of one column cannot."""
        return self.is_table and self.name != "text"

    def of(self, value: Any, asked: str | None) -> "Kind | None":
        """This kind as the kind of a value; None if the value is of another kind."""
        fitting = self.fits(value, asked)  # type: ignore[misc]  # of a kind that this is asked of
        return dataclasses.replace(self, **fitting) if isinstance(fitting, dict) else self if fitting else None

    def read_gold(self, content: Content, names: Names) -> Gold:
        """The file as gold, by its reader."""
        assert self.gold_reader, self.name
        return self.gold_reader(content, names) if self.is_table else self.gold_reader(content)

    def read_predictions(self, content: Content, gold: Gold, names: Names) -> Any:
        """The file as predictions, or as probabilities, for a gold file, by its reader."""
        assert self.prediction_reader, self.name
        return self.prediction_reader(content, gold, *([names] if self.is_table else []))


class FamilyFiles:
    """Describes the files of a family. Subclasses list their kinds of files and override what differs.

    Attributes:
        metric: the name of the family.
        kinds: its kinds of files.
        roles: of columns that its tables have in addition to the columns of the families before it.
        other_roles: roles of later families, or of families beside it, that its tables have too.
        telling_roles: roles that tell, where they are named and no metric is requested, that a table belongs to this
            family.
        splits_cells: cells of its tables may hold several values with a separator between.
        lines_order: families are tried on lines from the lowest to the highest.
        gold_role, prediction_role: the roles whose columns make a table gold, or predictions.
        gold_roles: roles of columns that only gold files of the family have.
        gold_files: what gold files there are, as an imperative; "" if a message should name the metric that scores a
            file of another family.
        gold_name: the words for its gold files in messages: "the gold file of ...".
        compared: the kinds of its gold files that are compared with the gold columns of predictions -> the role of
            that column.
        sides: the usual names, as from `spelled`, of columns of gold and of predictions.
        may_be_others: roles of gold columns that may hold something other than the right answers.
        either: names of columns that are gold in a gold file and predictions in a file of predictions.
        logs: of harnesses that it reads.
    """

    metric: str
    kinds: tuple[Kind, ...]
    roles: tuple[str, ...] = ()
    other_roles: tuple[str, ...] = ()
    telling_roles: tuple[str, ...] = ()
    splits_cells: bool = False
    lines_order: int = 20
    gold_role: str = "references"
    prediction_role: str = "predictions"
    gold_roles: tuple[str, ...] = ("references", "weights", "question")
    gold_files: str = ""
    compared: dict[str, str] = {}
    sides: frozenset[str] = frozenset()
    may_be_others: frozenset[str] = frozenset()
    either: frozenset[str] = frozenset()
    logs: tuple[Log, ...] = ()

    @property
    def gold_name(self) -> str:
        return self.metric

    def find_lines(self, source: Source, lines: list[bytes], begun: bytes) -> Lines | None:
        """The file as lines of a kind of this family; None if the first of them show nothing of the sort.

        Args:
            lines: the first lines, with blank ones and comments.
            begun: the one that follows, cut off.
        """
        return None

    def read_gold(self, content: Content, kind: Kind, names: Names) -> Gold:
        """A file as gold of this family.

        Raises:
            FileError: its kind belongs to another family, it is not a gold file, or has no columns to name.
        """
        if kind.metric != self.metric:
            advice = self.gold_files or f"{kind.metric} does"
            raise FileError(content.path, f"this looks like {kind.text}, which {self.metric} does not score; {advice}")
        if GOLD not in kind.serves and not (kind.is_table and self.gold_role in names):
            raise FileError(content.path, f"this looks like {kind.text}, not {self.not_gold(kind)}")
        if not kind.is_table:
            check_unnamed(content.path, kind, names, self.gold_roles)
        return kind.read_gold(content, names)

    def read_predictions(self, content: Content, kind: Kind, gold: Gold, names: Names) -> Predictions:
        """A file as predictions for a gold file of this family.

        Raises:
            FileError: its kind belongs to another family, it has no predictions, does not go with this gold file, or
                has no columns to name.
        """
        if kind.metric != self.metric:
            why = f"; {kind.elsewhere}" if kind.elsewhere else self.refuse_other(kind, gold)
            raise FileError(content.path, f"this looks like {kind.text}{why}")
        if PREDICTIONS not in kind.serves and not (kind.is_table and self.prediction_role in names):
            table = self.table_of(content.value)
            advice = "" if table is None else each_as_system(table, self.prediction_role)
            if table is not None and content.path == gold.path:
                advice += _other_metric(self, table)
            raise FileError(content.path, f"this looks like {kind.text}, not {self.not_predictions(kind)}{advice}")
        why = self.refuse_pair(kind, gold)
        if why:
            raise FileError(content.path, f"this looks like {kind.text}{why}")
        if not kind.is_table:
            check_unnamed(content.path, kind, names, (self.prediction_role,))
        return kind.read_predictions(content, gold, names)

    def unused_role(self, names: Names) -> tuple[str, str] | None:
        """The first role that only other families use, and a metric that does; any table may have roles of answers.

        Args:
            names: role -> column, maybe with such dicts for single files.
        """
        files = all_files()
        known = {*files[DEFAULT].roles, *self.roles, *self.other_roles, "separator"}
        for role in roles_in(names):
            users = [metric for metric, other in files.items() if role in other.roles]
            if role not in known and users:
                return role, users[0]
        return None

    def check_roles(self, names: Names) -> None:
        """Refuse names of columns that only other families use: one dict of names may serve several metrics.

        Raises:
            ValueError: naming the role, and a metric that uses it.
        """
        unused = [self.unused_role({role: ""}) for role in roles_in(names) if role != "separator"]
        if unused and None not in unused:
            role, user = cast(tuple[str, str], unused[0])
            told = f"{self.metric} does not use the role {role}, which {user} uses; "
            raise ValueError(f'{told}omit "{role}" from columns, or score it with metric={user}')

    def has_roles(self, value: Any, names: Names) -> bool:
        """Whether a file is a table of questions with documents in lists, and has the gold columns of this family."""
        return False

    def not_gold(self, kind: Kind) -> str:
        """What a file of this family is not that is not a gold file, and what to give."""
        return f"a gold file; {self.gold_files}"

    def not_predictions(self, kind: Kind) -> str:
        """What a file of this family is not that has no predictions, and what to give."""
        return "predictions"

    def refuse_other(self, kind: Kind, gold: Gold) -> str:
        """Why a file of another family does not go with a gold file of this one: the rest of a message."""
        return f", which does not go with {gold.path}; {self.gold_files}"

    def refuse_gold(self, gold: Gold) -> str:
        """Why predictions of this family do not go with a gold file of another one, where that one does not say."""
        return f", which does not go with {gold.path}; give the gold file of {self.gold_name} before it"

    def system_role(self, gold: Gold) -> str:
        """The role of the column that a gold table needs to be scored alone."""
        return self.prediction_role

    def refuse_pair(self, kind: Kind, gold: Gold) -> str:
        """Why predictions of this family do not go with this gold file of it; "" where they do."""
        return ""

    def table_of(self, value: Any) -> Table | None:
        """A JSON value as a table of this family; None if it is none."""
        return as_table(value)

    def fits(self, table: Table) -> bool:
        """Whether a table has all columns that this family scores, where it is scored only if people name the metric."""
        return False

    def difference(self, own: Gold, gold: Gold) -> str | None:
        """The first difference between two gold tables of one kind that is `compared`, in words; None for none."""
        raise NotImplementedError(f"{type(self).__name__} does not compare gold files")


def first_difference(
    own: Gold,
    gold: Gold,
    own_cells: Sequence,
    gold_cells: Sequence,
    key: Callable[[Any], Any],
    words: Callable[[Any], str],
    null_is_no_row: bool = False,
) -> str | None:
    """The first row that says something other than the row of the gold file.

    Args:
        own_cells, gold_cells: one per row.
        key: the meaning of a cell, in any layout.
        words: the same for a message.
        null_is_no_row: a null of the gold file says nothing of its row, which is not compared.
    """
    there: dict[Any, Any]
    if own.ids is not None and gold.ids is not None:
        there = dict(zip(map(str, gold.ids), gold_cells, strict=True))
        named: Iterable = zip(map(str, own.ids), own_cells, strict=True)
        spot = "the id {!r}"
    else:
        there, named, spot = dict(enumerate(gold_cells)), enumerate(own_cells), "row {}"
    for name, row in named:
        other = there.get(name, row)
        if other is None and null_is_no_row:
            continue
        if row != other and not _is_null(row) and key(row) != key(other):
            return f"{spot.format(name)} has {words(row)} as gold, but {words(other)} in {gold.path}"
    return None


def roles_in(names: Names) -> list[str]:
    """The roles for which columns are named, also for single files."""
    return [role for of, named in names.items() for role in (named if isinstance(named, Mapping) else [of])]


def _is_null(row: Any) -> bool:
    return (row["answers"] if isinstance(row, dict) and "answers" in row else row) is None


def _other_metric(files: FamilyFiles, table: Table) -> str:
    """Which other metric scores a table, as the end of a message; "" where none is known to."""
    fitting = [metric for metric, other in all_files().items() if other is not files and other.fits(table)]
    return f"; or, to score its labels, add metric={fitting[0]}" if fitting else ""


def check_unnamed(path: str, kind: Kind, names: Names, roles: tuple[str, ...]) -> None:
    """Refuse names of columns for a file that has none; roles that the other file may have are not for this one."""
    named = [role for role in roles if role in names]
    if named:
        raise FileError(path, f'this is {kind.text}, which has no columns to name; omit "{named[0]}" from columns')


@functools.cache
def all_files() -> dict[str, FamilyFiles]:
    """Metric -> the description of its files, for families with their own kinds."""
    return {name: family.reading.files() for name, family in FAMILIES.items() if family.reading.kinds == name}


@functools.cache
def all_kinds() -> tuple[Kind, ...]:
    """The kinds of files of all families, in the order in which they are tried."""
    kinds = [kind for files in all_files().values() for kind in files.kinds]
    return tuple(sorted(kinds, key=lambda kind: kind.order))


def files_of(metric: str) -> FamilyFiles:
    """The description of the files of a metric's family."""
    return all_files()[metric or DEFAULT]
