"""Tables of numbers per example that other tools made, the files of own_scores: a table is a system, or has a column of systems."""

import dataclasses
import re
from collections.abc import Mapping, Sequence, Set
from typing import Any

from ..core.columns import is_missing, is_real, usual_roles
from ..core.file_columns import Gold, Predictions
from ..core.remarks import remark
from ..core.shown import columns_text, shown
from ..registry import OWN_SCORES
from .columns import Columns, check_column
from .content import IN_MEMORY, Content, Table
from .reading import EMPTY_CELLS, ID_NAMES, QUESTION_NAMES, FileError, to_number
from .roles import RUN_ROLE, SYSTEM_ROLE
from .same_gold import first_conflict
from .systems import NO_ROWS, OpenedFiles, Paths, given_systems, system_files
from .tables import USUAL_NAMES, Names, as_table, prepared

AS_MEASURES = "a dict of columns"  # the format of a table in memory whose columns were all given as measures
USUAL = {
    "ids": (*ID_NAMES, "doc_id", "sample_id"),
    "questions": (*QUESTION_NAMES, "user_input", "input", "prompt"),
    "references": tuple(name for name in USUAL_NAMES["references"] if name not in ("label", "labels")),
    "predictions": USUAL_NAMES["predictions"],
    "weights": USUAL_NAMES["weights"],
}
_DETAILS = {"questions": "question", "references": "references"}  # role -> what slices and reports call its column
_NO_MEASURE = re.compile(r"\s*|index|Unnamed: .*|__index_level_\d+__")  # as pandas calls an index
_TRUTH = {"true": 1.0, "false": 0.0}


def are_numbers(metric: str | Sequence[str] | None, names: Names) -> bool:
    """Whether the files of a call are tables of numbers: the metric is own_scores, or the column of systems is named.

    Raises:
        ValueError: another metric too.
    """
    metrics = [metric] if isinstance(metric, str) else list(metric or ())
    found = OWN_SCORES in metrics or SYSTEM_ROLE in names
    other = next((name for name in metrics if name != OWN_SCORES), None)
    if found and other is not None:
        raise ValueError(
            f"{OWN_SCORES}, whose tables may have the role {SYSTEM_ROLE}, is scored by itself; omit {other}"
        )
    return found


def open_number_tables(
    sets: Mapping[str, Paths],
    names: Names,
    measures: Sequence[str] | None = None,
    used: Sequence[Any] = (),
) -> dict[str, OpenedFiles]:
    """Read the tables of one data set or of several, with the measures that all of them have.

    Args:
        sets: name of a data set -> the paths of its systems, as for `given_systems`.
        names: role -> column: ids, system, run_id, weights, questions, references, predictions.
        measures: the columns of numbers that count; None or "all": every one that all tables have.
        used: names of slices and groups, whose columns are no measures.

    Returns:
        Name of a data set -> its gold data, and its tables, as `score_opened` takes them.
    """
    used = [name for name in used if isinstance(name, str)]
    files = {
        name: [
            file._replace(file=Content(file.file.path, NumberTable(file.file, names, used, measures)))
            for file in system_files(given_systems(paths, names, logs=False), names)
        ]
        for name, paths in sets.items()
    }
    tables: list[NumberTable] = [file.file.value for of_set in files.values() for file in of_set]
    _keep_common(tables, measures or ())
    if len(tables) > 1 and any("ids" not in of.cells for of in tables):
        advice = f"name their column with {columns_text('ids', 'NAME')}"
        remark(f"rows are matched by their order, since there are no ids; {advice}")
    outside = [name for name in tables[0].numbers if any(of.leaves_unit(name) for of in tables)]
    for of in tables:
        of.outside = outside
    return {
        name: OpenedFiles({OWN_SCORES: _gold([file.file.value for file in of_set], used)}, of_set)
        for name, of_set in files.items()
    }


def _keep_common(tables: Sequence["NumberTable"], requested: Sequence[str]) -> None:
    """Reduce tables to the measures that all of them have."""
    common = [name for name in tables[0].numbers if all(name in of.numbers for of in tables)]
    apart = list(dict.fromkeys(name for of in tables for name in of.numbers if name not in common))
    if apart and (apart[0] in requested or not common):
        without = next(of for of in tables if apart[0] not in of.numbers)
        found = f"there is no column of numbers {shown(apart[0])}, which another table has; omit it, or add it here"
        raise FileError(without.path, found)
    if apart:
        remark(f"not all tables have {', '.join(apart)}: omitted")
    for of in tables:
        of.numbers = {name: of.numbers[name] for name in common}


def _gold(tables: Sequence["NumberTable"], used: Sequence[str]) -> Gold:
    """The data of the examples: the details that are equal in every table that has the example."""
    ids = list(dict.fromkeys(key for of in tables for key in of.keys))
    details = {}
    for name in dict.fromkeys(name for of in tables for name in of.details):
        tables_of = [
            (of.path, dict(zip(of.keys, of.details[name], strict=True))) for of in tables if name in of.details
        ]
        conflict = first_conflict((path, cells.items()) for path, cells in tables_of)
        if conflict is None:
            known = {key: cell for _, cells in reversed(tables_of) for key, cell in cells.items()}
            details[name] = [known.get(key) for key in ids]
        elif name in used:
            message = f"the column {name} differs between the systems, so it divides no examples; name another one"
            raise FileError(conflict[1][1], message)
    references = details.pop("references", None)
    has_texts = references is not None or "question" in details or any("predictions" in of.cells for of in tables)
    have_ids = any("ids" in of.cells for of in tables)
    return Gold(
        tables[0].path, "own_scores", {"references": references or [None] * len(ids)} if has_texts else {}, {},
        ids if have_ids else None, details, metric=OWN_SCORES,
    )  # fmt: skip


def table_of_numbers(path: str, value: Any) -> Table:
    """The content of a file, or the argument of a call, as a table."""
    are_alone = isinstance(value, Mapping) and all(map(is_real, value.values()))  # one row, or numbers by id?
    table = None if are_alone else as_table(value, any_columns=True)
    if table is None:
        forms = '[{"id": "q1", "bertscore": 0.9}, ...], or columns, such as {"bertscore": [0.9, 0.8]}'
        raise FileError(path, f"this is no table of numbers; give a row for each example, such as {forms}")
    return table


class NumberTable:
    """The table of one system, or of one of its runs.

    Attributes:
        path: of the file.
        numbers: measure -> its numbers, None for a missing one.
        cells: role -> the cells of its column: ids, questions, references, predictions, weights.
        keys: the ids, or the numbers of the rows.
        outside: the measures with a number outside 0 to 1 in some table.
        details: what describes the examples: "question", "references", and other columns by their names.
    """

    def __init__(self, content: Content, names: Names, used: Sequence[str], measures: Sequence[str] | None):
        content, names = prepared(content, {**names, **{f"by {name}": name for name in used}})
        self.path, table = content.path, table_of_numbers(content.path, content.value)
        table = dataclasses.replace(table, columns={name: _cells(table, name) for name in table.columns})
        n_rows = len(next(iter(table.columns.values()), ()))
        if not n_rows:
            raise FileError(self.path, NO_ROWS)
        named = {role: name for role, name in names.items() if role in USUAL}
        columns = Columns(self.path, table, named, usual_roles(table.columns, USUAL))
        columns.optional(*USUAL)
        self.cells = {role: columns.cells(role) or [] for role in columns.picked}
        self.weights = columns.numbers("weights")
        self.outside: list[str] = []
        by = f"{columns_text(SYSTEM_ROLE, 'NAME')} or {columns_text(RUN_ROLE, 'NAME')}"
        by = 'system="NAME"' if self.path == IN_MEMORY else by
        several = f"; if the rows belong to several systems or runs, name their column: {by}"
        self.keys: Sequence[Any] = columns.unique_ids(several) or range(n_rows)
        roles = {*columns.picked.values(), *columns.usual.get("ids", ()), *used, *names.values()}
        self.numbers = self._measures(table, measures or ["all"], roles)
        if "questions" not in self.cells and columns.picked.get("ids") in columns.usual.get("questions", ()):
            self.cells["questions"] = self.cells["ids"]  # questions may serve as ids
        self.details = {detail: self.cells[role] for role, detail in _DETAILS.items() if role in self.cells}
        others = {name: cells for name, cells in columns.others(*self.numbers).items() if name.strip()}
        self.details |= others | {name: table.columns[name] for name in used if name in table.columns}

    def _measures(self, table: Table, requested: Sequence[str], roles: Set[str]) -> dict[str, list[float | None]]:
        """The requested columns, or "all" columns of numbers that have no role."""
        chosen = [] if "all" in requested else requested
        for name in chosen:
            check_column(self.path, table, name)
        meant = chosen or [name for name in table.columns if name not in roles and not _NO_MEASURE.fullmatch(name)]
        found = {name: self._measure(name, table.columns[name], bool(chosen), table.format) for name in meant}
        numbers = {name: column for name, column in found.items() if column is not None}
        if not numbers:
            has_answers = {"predictions", "references"} <= {*self.cells}
            each = "; answers of several systems need a file, or a column of predictions, for each" * has_answers
            raise FileError(self.path, f"there is no column of numbers; it has: {', '.join(table.columns)}{each}")
        return numbers

    def _measure(self, name: str, cells: Sequence[Any], is_chosen: bool, form: str) -> list[float | None] | None:
        """The numbers of a column; None for a column that is no measure, with a remark if most of its cells are numbers."""
        numbers, odd = _numbers(cells)
        n_numbers = len(numbers) - numbers.count(None)
        if not odd and (n_numbers or form == AS_MEASURES):
            return numbers
        found = f"row {odd[0]}: {shown(cells[odd[0]])} in the column {name}" if odd else f"the column {name}"
        found += " is not a number; give one in every row, or leave the cell empty"
        if is_chosen:
            raise FileError(self.path, found)
        if n_numbers >= max(len(odd), 1):
            where = "" if self.path == IN_MEMORY else f"{self.path}: "
            remark(f"{where}{found}; until then {name} is no measure")
        return None

    def leaves_unit(self, name: str) -> bool:
        """Whether a number of a measure is outside 0 to 1."""
        return any(number is not None and not 0 <= number <= 1 for number in self.numbers[name])

    def predictions(self) -> Predictions:
        """The columns of the scoring function, and the answers by id, to show beside the numbers."""
        columns: dict[str, Any] = {role: self.cells.get(role) for role in ("questions", "references")}
        answers = self.cells.get("predictions")
        columns["predictions"] = None if answers is None else dict(zip(self.keys, answers, strict=True))
        ids = self.keys if "ids" in self.cells else None
        columns |= {"measures": self.numbers, "ids": ids, "weights": self.weights, "outside": self.outside}
        return Predictions(self.path, columns)


def _cells(table: Table, name: str) -> list[Any]:
    """The cells of a column; None for empty ones."""
    cells = [None if is_missing(cell) else cell for cell in table.columns[name]]
    return [None if str(cell).strip() in EMPTY_CELLS else cell for cell in cells] if table.is_text else cells


def _numbers(cells: Sequence[Any]) -> tuple[list[float | None], list[int]]:
    """The cells of a column as numbers, None for others, and the rows of cells that are neither numbers nor empty."""
    found: list[float | None] = [None] * len(cells)
    odd = []
    for row, cell in enumerate(cells):
        try:
            found[row] = _number(cell)
        except (TypeError, ValueError):
            odd.append(row)
    return found, odd


def _number(cell: Any) -> float | None:
    """A cell as a number, true and false as 1 and 0, None for an empty one; a TypeError or ValueError for anything else."""
    if not isinstance(cell, str):
        return None if cell is None else float(cell)
    text = cell.strip()
    if text in EMPTY_CELLS:
        return None
    return _TRUTH[text.lower()] if text.lower() in _TRUTH else to_number(text)
