"""Tables of numbers per example that other tools made: from files, or one table in Python, to Scores of own_scores."""

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..core.columns import check_lengths, index_of, is_missing, is_real, is_table, to_list, usual_roles
from ..core.errors import InputError
from ..core.file_columns import Gold
from ..core.gold_fingerprints import GoldFingerprints
from ..core.ids import values_by_id
from ..core.remarks import public, remark
from ..core.shown import columns_text, shown
from ..registry import OWN_SCORES, get_family
from .columns import check_column
from .content import Content, Table
from .reading import EMPTY_CELLS, ID_NAMES, QUESTION_NAMES, FileError, to_number
from .roles import RUN_ROLE, SYSTEM_ROLE
from .scored import Scored, System, join_runs
from .slicing import with_groups
from .systems import Paths, Runs, given_systems, rows_by, split_runs, with_names
from .tables import USUAL_NAMES, Names, as_table, prepared, table_of_data

_TABLE = "the table"
_DICT = "a dict of columns"  # the format of a table whose columns were given as measures
_NO_ROWS = "this table has no rows; give a row for each example"
_USUAL = {
    "ids": (*ID_NAMES, "doc_id", "sample_id"),
    "questions": (*QUESTION_NAMES, "user_input", "input", "prompt"),
    "references": tuple(name for name in USUAL_NAMES["references"] if name not in ("label", "labels")),
    "predictions": USUAL_NAMES["predictions"],
    "weights": USUAL_NAMES["weights"],
}
_NO_MEASURE = re.compile(r"\s*|index|Unnamed: .*|__index_level_\d+__")  # as pandas calls an index
_OF_EXAMPLES = {
    "questions": "question",
    "references": "references",
}  # rows of one id with other cells here are other examples
_TRUTH = {"true": 1.0, "false": 0.0}


@public
def scores_of(
    numbers: Any,
    ids: Any = None,
    groups: Any = None,
    weights: Any = None,
    *,
    system: str | None = None,
    measures: Sequence[str] | str | None = None,
    **options: Any,
) -> Any:
    """Scores of numbers per example that another tool made, such as BERTScore, ragas, a judge or lm_eval.

    They have intervals, slices, paired tests, ranks, runs, reports and plots as the scores of any metric.

    Args:
        numbers: measure -> one number for each of n examples, or id -> number, or a series of pandas. True and False are 1
            and 0. Or a data frame, data set or rows: every column of numbers that has no other role is a measure, and a column
            of questions or gold answers shows that systems have the same examples.
        ids, groups, weights: one for each example; or the name of a column of `numbers`. Without ids, systems are matched by
            their order; a data frame with a column `id` needs no `ids`, and an index of pandas that has a name or does not just
            count the rows has the ids.
        system: the column of a data frame or rows with the system of each row.
        measures: the measures to read; None: every column of numbers.
        options: `lower_is_better` and `unbounded`, names of measures; and `missing`, how an example without a number of a
            measure (None or NaN) counts: it is refused ("error"), omitted from this measure and counted ("skip") or scores 0 ("zero").
            A measure with a value outside 0 to 1 is unbounded without the option.

    Returns:
        Scores: each measure is the mean of its numbers. With `system`, name of a system -> Scores.

    Raises:
        ValueError: columns of different length, an id that is there twice, a missing number, no column of numbers, or something
            that is no table. TypeError: an unknown option.

    Example:
        >>> import qassay
        >>> small = qassay.scores_of({"bertscore": [0.81, 0.93, 0.64], "right": [False, True, False]}, ids=["a", "b", "c"])
        >>> dict(small)
        {'bertscore': 0.7933333333333333, 'right': 0.3333333333333333}
        >>> rows = [{"id": n, "bot": bot, "judge": 5 - n % 2} for bot in ("old", "new") for n in range(4)]
        >>> {name: dict(scores) for name, scores in qassay.scores_of(rows, system="bot").items()}
        {'old': {'judge': 4.5}, 'new': {'judge': 4.5}}
    """
    get_family(OWN_SCORES).load()[1].check_names(options)
    given = {"ids": ids, "groups": groups, "weights": weights}
    names: dict[str, Any] = {role: column for role, column in given.items() if isinstance(column, str)}
    names |= {} if system is None else {SYSTEM_ROLE: system}
    columns = {role: column for role, column in given.items() if column is not None and role not in names}
    if index_of(numbers) is not None and not is_table(numbers):  # a series
        numbers = numbers.to_frame()
    if isinstance(numbers, Mapping) and not hasattr(numbers, "cache_files"):
        numbers = _listed(numbers, columns.get("ids"))
    if is_table(numbers) and hasattr(numbers, "reset_index"):
        numbers, index = _without_index(numbers, system)
        columns = {"ids": index} | columns if index and "ids" not in names else columns
    table = _table_of(_TABLE, numbers if isinstance(numbers, dict) else table_of_data(numbers) or numbers)
    for name in names.values():
        check_column(_TABLE, table, name)
    known = names.get("ids", next(iter(usual_roles(table.columns, {"ids": _USUAL["ids"]}).get("ids", ())), None))
    n_rows = len(next(iter(table.columns.values()), ()))
    by = to_list(columns.get("ids", range(n_rows) if known is None else table.columns[known]), "ids")
    columns = {role: _in_order(column, ids, by, role) for role, column in columns.items()}
    form = _DICT if isinstance(numbers, Mapping) else table.format
    content = Content(_TABLE, dataclasses.replace(table, columns={**table.columns, **columns}, format=form))
    names |= {role: role for role in columns}
    measures = [measures] if isinstance(measures, str) else measures
    found = score_tables([content], names, options, measures, names.get("groups")).scores
    return found if system is not None else next(iter(found.values()))


def _listed(numbers: Mapping[Any, Any], ids: Any) -> Any:
    """A dict of columns as lists in one order, without the plain texts and numbers beside them, such as the hashcode of
    BERTScore; columns by id with a column of these ids; series of pandas without `ids` as a data frame, by their index.

    Raises:
        InputError: some columns are by id and others not, or one lacks an id.
    """
    columns = {str(of): cells for of, cells in numbers.items() if not isinstance(cells, (str, int, float, type(None)))}
    if ids is None and any(index_of(column) is not None for column in columns.values()):
        import pandas as pd

        return pd.DataFrame(columns)
    by_id = [name for name, column in columns.items() if isinstance(column, Mapping)]
    if ids is not None or not by_id:
        keys = None if ids is None else to_list(ids, "ids")
        lists = {name: _in_order(column, ids, keys, name) for name, column in columns.items()}
        check_lengths(**lists)
        return lists or dict(numbers)
    other = next((name for name in columns if name not in by_id), None)
    if other is not None:
        raise InputError(other, f"{other} has no ids, but {by_id[0]} has some", "give ids=, or all columns by id")
    keys = list(columns[by_id[0]])
    if len(keys) == 1 or len(keys) < len(columns):
        return columns  # more likely id -> measure -> number
    return {"id": keys, **{name: values_by_id(of, keys, name, others=False) for name, of in columns.items()}}


def _in_order(column: Any, ids: Any, keys: Sequence[Any] | None, name: str) -> list[Any]:
    """A column as a list: in the order of the keys, unless it has none, or is of one data frame with the ids."""
    index, of_ids = index_of(column), index_of(ids)
    is_of_frame = index is not None and of_ids is not None and index.equals(of_ids)
    return to_list(column, name) if is_of_frame or keys is None else values_by_id(column, keys, name)


def _without_index(frame: Any, system: str | None) -> tuple[Any, list[Any] | None]:
    """A data frame with the named levels of its index as columns; and its index, if it has ids: if it has a name or does not
    just count the rows, nor the rows of several systems, and no column has ids.
    """
    index = frame.index
    counts_rows = index.nlevels > 1 or index.name is None and index.tolist() == [*range(len(index))]
    of_rows = system is not None and index.is_unique  # and not of examples, which several systems have
    named = [name for name in index.names if name is not None and name not in frame.columns]
    frame = frame.reset_index(level=named) if named else frame
    is_known = "ids" in usual_roles(map(str, frame.columns), {"ids": _USUAL["ids"]})
    return frame, None if counts_rows or of_rows or is_known else index.tolist()


def score_tables(
    paths: Paths,
    names: Names,
    options: Mapping[str, Any],
    measures: Sequence[str] | None = None,
    groups: Any = None,
    by: Sequence[str] = (),
) -> Scored:
    """Tables of numbers as scored systems: one table for each system, or tables with a column of systems.

    Args:
        paths: as for `given_systems`.
        names: role -> column: ids, system, run_id, weights, question, references, predictions.
        options: of own_scores.
        measures: the columns of numbers that count; None or "all": every one that all systems have.
        groups, by: as in `score_files`; their columns are no measures.

    Raises:
        FileError: it names the file, the row or the column, and what to do.
    """
    return score_sets({"": paths}, names, options, measures, groups, by)[""]


def score_sets(
    sets: Mapping[str, Paths],
    names: Names,
    options: Mapping[str, Any],
    measures: Sequence[str] | None = None,
    groups: Any = None,
    by: Sequence[str] = (),
) -> dict[str, Scored]:
    """The same for several data sets, with the measures that all of them have and common bounds.

    Args:
        sets: name of a data set -> its paths, as in `score_tables`.
    """
    family = get_family(OWN_SCORES)
    made: Any = family.load()[1].from_keywords(**options)
    used = [name for name in (groups, *by) if isinstance(name, str)]
    tables = {
        name: {
            system: {run: _Numbers(content, names, used, measures) for run, content in runs.items()}
            for system, runs in _systems(paths, names).items()
        }
        for name, paths in sets.items()
    }
    read = [table for of_set in tables.values() for runs in of_set.values() for table in runs.values()]
    common = [name for name in read[0].numbers if all(name in of.numbers for of in read)]
    apart = dict.fromkeys(name for of in read for name in of.numbers if name not in common)
    lacking = next(iter(apart), None)
    if lacking is not None and (measures and lacking in measures or not common):
        without = next(of for of in read if lacking not in of.numbers)
        found = f"there is no column of numbers {shown(lacking)}, which another table has; omit it, or add it here"
        raise FileError(without.path, found)
    if lacking is not None:
        remark(f"not all tables have {', '.join(apart)}: omitted")
    if len(read) > 1 and any(of.ids is None for of in read):
        advice = f"name their column with {columns_text('ids', 'NAME')}"
        remark(f"rows are matched by their order, since there are no ids; {advice}")
    outside = [name for name in common if any(of.leaves_unit(name) for of in read)]
    made = family.load()[1](made.lower_is_better, (*made.unbounded, *outside), made.missing)
    scored = {}
    for name, of_set in tables.items():
        gold = _gold([of for runs in of_set.values() for of in runs.values()], used)
        scores: dict[str, System] = {}
        for system, runs in of_set.items():
            of_runs = {run: of.system(system, common, made) for run, of in runs.items()}
            if groups is not None:
                of_runs = {run: of._replace(scores=with_groups(gold, of.scores, groups)) for run, of in of_runs.items()}
            scores[system] = join_runs(system, of_runs)
        scored[name] = Scored(family, gold, scores)
    return scored


def _systems(paths: Paths, names: Names) -> dict[str, Runs]:
    """Name of a system -> its runs; with a column of systems, those of each table."""
    of_files = {role: name for role, name in names.items() if role != RUN_ROLE} if SYSTEM_ROLE in names else names
    found = with_names(given_systems(paths, of_files, logs=False))
    if SYSTEM_ROLE not in names:
        return found
    parts: dict[str, Runs] = {}
    for name, runs in found.items():
        for run, content in runs.items():
            for label, part in rows_by(content, names[SYSTEM_ROLE], "system").items():
                system = parts.setdefault(f"{name}/{label}" if len(found) > 1 else label, {})
                of_part = split_runs(part, names) if RUN_ROLE in names else {run: part}
                twice = next((of for of in of_part if of in system), None)
                if twice is not None:
                    message = f"the run {shown(twice)} of {shown(label)} is in a file before too; give every run once"
                    raise FileError(part.path, message)
                system |= of_part
    if not parts:
        raise FileError(next(iter(found[name].values())).path, _NO_ROWS)
    return parts


def _table_of(path: str, value: Any) -> Table:
    """The content of a file, or the argument of a call, as a table.

    Raises:
        FileError: it is no table.
    """
    are_numbers = isinstance(value, Mapping) and all(map(is_real, value.values()))  # one row, or numbers by id?
    table = None if are_numbers else as_table(value, any_columns=True)
    if table is None:
        forms = '[{"id": "q1", "bertscore": 0.9}, ...], or columns, such as {"bertscore": [0.9, 0.8]}'
        raise FileError(path, f"this is no table of numbers; give a row for each example, such as {forms}")
    return table


class _Numbers:
    """A table of one system, or of one of its runs.

    Attributes:
        roles: role -> its column. ids: None if there are none.
        numbers: measure -> its numbers, None for a missing one. others: the other columns with one value per cell.
    """

    def __init__(self, content: Content, names: Names, used: Sequence[str], measures: Sequence[str] | None):
        content, names = prepared(content, {**names, **{f"by {name}": name for name in used}})
        table = _table_of(content.path, content.value)
        self.path, self.n = content.path, len(next(iter(table.columns.values()), ()))
        if not self.n:
            raise FileError(self.path, _NO_ROWS)
        chosen = [] if measures is None or "all" in measures else measures
        named = {role: name for role, name in names.items() if role in _USUAL}
        for name in [*named.values(), *chosen]:
            check_column(self.path, table, name)
        usual = usual_roles(table.columns, _USUAL)
        free = {role: of[0] for role, of in usual.items() if role in _OF_EXAMPLES or of[0] not in named.values()}
        self.roles = {**free, **named}
        columns = {name: _cells(table, name) for name in table.columns}
        self.ids = columns[self.roles["ids"]] if "ids" in self.roles else None
        apart = {*self.roles.values(), *usual.get("ids", ()), *used, *names.values()}
        meant = chosen or [name for name in columns if name not in apart and not _NO_MEASURE.fullmatch(name)]
        self.numbers: dict[str, list[float | None]] = {}
        for name in meant:
            numbers, odd = _numbers(columns[name])
            n_numbers = self.n - numbers.count(None)
            found = (
                f"row {odd[0]}: {shown(columns[name][odd[0]])} in the column {name}" if odd else f"the column {name}"
            )
            advice = "is not a number; give one in every row, or leave the cell empty"
            if not odd and (n_numbers or table.format == _DICT):
                self.numbers[name] = numbers
            elif chosen:
                raise FileError(self.path, f"{found} {advice}")
            elif n_numbers >= max(len(odd), 1):
                where = "" if self.path == _TABLE else f"{self.path}: "
                remark(f"{where}{found} {advice}; until then {name} is no measure")
        if not self.numbers:
            raise FileError(self.path, f"there is no column of numbers; it has: {', '.join(table.columns)}")
        plain = (name for name, cells in columns.items() if not any(isinstance(cell, (list, dict)) for cell in cells))
        others = {name for name in plain if name.strip() and name not in self.numbers}
        self.others = {name: cells for name, cells in columns.items() if name in apart | others}

    def keys(self) -> Sequence[Any]:
        """The ids, or the numbers of the rows."""
        return range(self.n) if self.ids is None else self.ids

    def column(self, role: str) -> list[Any] | None:
        """The cells of a role."""
        return self.others.get(self.roles[role]) if role in self.roles else None

    def leaves_unit(self, name: str) -> bool:
        """Whether a number is outside 0 to 1."""
        return any(number is not None and not 0 <= number <= 1 for number in self.numbers[name])

    def system(self, name: str, measures: Iterable[str], options: Any) -> System:
        """Its scores by these measures."""
        weights, odd = _numbers(self.column("weights") or [])
        if odd:
            raise FileError(
                self.path,
                f"row {odd[0]}: a cell of the column {self.roles['weights']} is no number; give one in every row",
            )
        try:
            scores = get_family(OWN_SCORES).load()[0](
                {of: self.numbers[of] for of in measures}, self.ids, weights or None, options=options
            )
        except ValueError as error:
            columns = f"with {columns_text(SYSTEM_ROLE, 'NAME')} or {columns_text(RUN_ROLE, 'NAME')}"
            by = 'by system="NAME"' if self.path == _TABLE else columns
            is_twice = self.ids is not None and len(set(map(str, self.ids))) < self.n
            advice = f"; or, if the rows belong to several systems or runs, name their column {by}" * is_twice
            raise FileError(self.path, f"{error}{advice}") from error
        gold: GoldFingerprints | None = None
        for role, what in zip(_OF_EXAMPLES, ("questions", "gold answers"), strict=True):
            cells = self.column(role)
            if cells is not None:
                part = GoldFingerprints.of_texts(what, [[] if cell is None else [str(cell)] for cell in cells])
                gold = part if gold is None else gold | part
        answers = self.column("predictions")
        given = None if answers is None else dict(zip(self.keys(), answers, strict=True))
        return System(dataclasses.replace(scores, gold=gold), name, {"predictions": given}, self.path)


def _gold(tables: Sequence[_Numbers], used: Sequence[str]) -> Gold:
    """The data of the examples: columns that are equal in every table that has the example.

    Raises:
        FileError: a column of groups or slices differs between the systems.
    """
    ids = list(dict.fromkeys(key for of in tables for key in of.keys()))
    cells: dict[str, dict[Any, Any]] = {}
    differ: set[str] = set()
    for of in tables:
        named = {of.roles[role]: detail for role, detail in _OF_EXAMPLES.items() if role in of.roles}
        of_system = {of.roles.get(role) for role in ("ids", "weights", "predictions")}
        for name, column in of.others.items():
            for called in {named.get(name, name), *({name} & {*used})}:
                known = cells.setdefault(called, {})
                are_equal = [known.setdefault(key, cell) == cell for key, cell in zip(of.keys(), column, strict=True)]
                if name in used and not all(are_equal):
                    message = (
                        f"the column {name} differs between the systems, so it divides no examples; name another one"
                    )
                    raise FileError(of.path, message)
                if not all(are_equal) or name in of_system and name not in {*used, of.roles.get("questions")}:
                    differ.add(called)
    columns = {name: [of_name.get(key) for key in ids] for name, of_name in cells.items() if name not in differ}
    references = columns.pop("references", None)
    has_texts = references is not None or "question" in columns or any(of.column("predictions") for of in tables)
    return Gold(
        tables[0].path, "own_scores", {"references": references or [None] * len(ids)} if has_texts else {}, {},
        ids if any(of.ids is not None for of in tables) else None, columns, metric=OWN_SCORES,
    )  # fmt: skip


def _cells(table: Table, name: str) -> list[Any]:
    """The cells of a column; None for empty ones."""
    cells = [None if is_missing(cell) else cell for cell in table.columns[name]]
    return [None if str(cell).strip() in EMPTY_CELLS else cell for cell in cells] if table.is_text else cells


def _numbers(cells: Sequence[Any]) -> tuple[list[float | None], list[int]]:
    """The cells of a column as numbers, None for others, and the rows of cells that are neither numbers nor empty."""
    found: list[float | None] = [None] * len(cells)
    odd = []
    for row, cell in enumerate(cells):
        text = cell.strip() if isinstance(cell, str) else ""
        if cell is None or isinstance(cell, str) and text in EMPTY_CELLS:
            continue
        try:
            found[row] = (
                _TRUTH.get(text.lower()) if text.lower() in _TRUTH else to_number(text) if text else float(cell)
            )
        except (TypeError, ValueError):
            odd.append(row)
    return found, odd
