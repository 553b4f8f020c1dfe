"""Files of numbers by id that belong to systems: probabilities of no answer and confidences."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.columns import is_real, usual_roles
from ..core.intake import rows_of_dicts
from ..core.scores import Scores
from .content import Content, read_content
from .reading import ID_NAMES, FileError, number_cells
from .tables import USUAL_NAMES, as_table

PROBABILITIES = "no_answer_probabilities"
_PROBABILITY_NAMES = USUAL_NAMES[PROBABILITIES]
_CONFIDENCE_NAMES = ("confidence", "confidences", "confidence_score")

Numbers = Sequence[str] | Mapping[str, Any]  # files: one per system in order, `system=FILE`, or by system


def files_by_system(argument: str, files: Numbers, systems: Sequence[str]) -> dict[str, Content]:
    """The file of numbers of each system that has one, read once."""
    if not isinstance(files, Mapping):
        named: dict[str, str] = {}
        for part in files:
            of = [system for system in systems if part.startswith(f"{system}=")]  # names may hold "=" themselves
            named |= {max(of, key=len): part.removeprefix(f"{max(of, key=len)}=")} if of else {}
        if not named and len(files) == len(systems):
            named = dict(zip(systems, files, strict=True))
        elif len(named) < len(files):
            raise ValueError(
                f"{argument} has {len(files)} for {len(systems)} systems; give one per system in order, or name the "
                f"system, for example {systems[-1]}=FILE; the systems are: {', '.join(systems)}"
            )
        files = named
    unknown = next((system for system in files if system not in systems), None)
    if unknown is not None:
        raise ValueError(f"{argument} of {unknown!r}, but the systems are: {', '.join(systems)}")
    return {system: read_content(file) for system, file in files.items()}


def with_probabilities(rows: Any, file: Content) -> list[dict[str, Any]]:
    """Rows of predictions with no-answer probabilities, which replace any in the rows."""
    found = _read_numbers(file, "probabilities of no answer", _PROBABILITY_NAMES)
    numbers = {str(identifier): number for identifier, number in found.items()}
    if not rows_of_dicts(rows, "predictions"):
        message = "probabilities come by id, but the predictions have no ids; give the predictions by id too"
        raise FileError(file.path, message)
    for row in rows:
        if numbers.get(str(row["id"])) is None:
            raise FileError(file.path, f"there is no number for the id {row['id']!r}; give one for every prediction")
    return [{**row, "no_answer_probability": numbers[str(row["id"])]} for row in rows]


def with_confidences(scores: Scores, file: Content) -> Scores:
    """Scores with confidences, and so with measures of selective answering."""
    found = _read_numbers(file, "confidences", _CONFIDENCE_NAMES)
    try:
        return scores.with_confidences(found)
    except (ValueError, TypeError) as error:
        raise FileError(file.path, str(error)) from error


def _read_numbers(content: Content, what: str, names: Sequence[str]) -> dict[Any, Any]:
    """Read `{id: number}`, or a table with a column of ids and one of numbers, such as a file of predictions.

    Args:
        what: what the numbers are, for messages.
        names: usual names of the column.
    """
    value = content.value
    if isinstance(value, Mapping) and value and all(number is None or is_real(number) for number in value.values()):
        return dict(value)
    table = as_table(value)
    roles = {} if table is None else usual_roles(table.columns, {"ids": ID_NAMES, "number": names})
    if len(roles) < 2:
        has = f"; it has the columns: {', '.join(map(str, table.columns))}" if table else ""
        message = f"no {what} here; give {{id: number}}, or a table with the columns id and {names[0]}{has}"
        raise FileError(content.path, message)
    ids, cells = (table.columns[roles[role][0]] for role in ("ids", "number"))
    cells = [None if isinstance(cell, str) and not cell.strip() else cell for cell in cells]
    found: dict[Any, Any] = {}
    for identifier, number in zip(ids, number_cells(content.path, cells, roles["number"][0]), strict=True):
        if found.setdefault(identifier, number) is not number and found[identifier] != number:
            raise FileError(content.path, f"the id {identifier!r} has two {what}; give one")
    return found
