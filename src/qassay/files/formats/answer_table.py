"""Tables with a column of gold answers, of predictions or of both (JSON rows, JSONL, CSV, TSV, Parquet), a row per question."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...answer_match.gold_texts import gold_columns
from ...answer_match.presets import PRESETS, rules_of
from ...core.columns import spelled, usual_roles
from ...core.file_columns import Gold, Predictions
from ..columns import Columns, names_here
from ..content import Content, Table
from ..reading import twice_named
from ..tables import USUAL_NAMES, Names, as_table, each_column, paths_of
from . import BOTH, GOLD, PREDICTIONS, Format
from ._answers import METRIC, check_questions, gold_cells, predicted_answers, ranked_cells, text_cells

_DOC_ID = "doc_id"  # the id of a question in tables made of logs of lm_eval, and in others of its document


def describe(value: Any, usual: Mapping[str, Sequence[str]] = USUAL_NAMES) -> tuple[str, frozenset[str]]:
    """A description of a table, and what it serves as by the usual names of its columns."""
    table = as_table(value)
    roles, names = usual_roles(table.columns, usual).keys(), ", ".join(paths_of(table.columns))
    serves = {GOLD} if roles & {"references", "answer"} else set()
    serves |= {PREDICTIONS} if roles & {"predictions", "answer"} else set()
    if not serves and len(table.columns) == 1 and table.is_text:
        return f"plain text beginning with {names[:40]!r}", frozenset()
    text = f"predictions ({table.format} with the columns {names})" if serves == {PREDICTIONS} else ""
    return text or f"a table ({table.format}) with the columns {names}", frozenset(serves)


# --- gold answers -----------------------------------------------------------------------------------------------------


def pick_gold(path: str, table: Table, names: Names, usual: Mapping[str, Sequence[str]]) -> Columns:
    """The columns of the gold answers and of what belongs to the questions."""
    columns = Columns(path, table, names, usual_roles(table.columns, usual))
    columns.require("references", "answer")
    columns.optional("ids", "weights", "questions", "type")
    if "ids" not in columns.picked and (name := _doc_id(columns)) is not None:
        cells = list(map(str, table.columns[name]))
        columns.picked |= {"ids": name} if len(set(cells)) == len(cells) and "" not in cells else {}
    return columns


def gold_of(columns: Columns, given: Mapping[str, Any], options: dict[str, Any], **more: Any) -> Gold:
    """The gold data of a table; its other columns with one value per row are details, without those of a system.

    Args:
        given: the columns for scoring.
        options: those that the table implies.
    """
    picked, ids = columns.picked, columns.cells("ids")
    described = {"question": columns.cells("questions"), "type": columns.cells("type")}
    details = {name: cells for name, cells in described.items() if cells is not None}
    if ids is not None and picked["ids"] in columns.usual.get("questions", ()):
        details = {"question": ids} | details  # questions may serve as ids
    found = columns.free("predictions", *["answer"] * ("predictions" not in columns.names))
    of_systems = {name for role in ("predictions", "no_answer_probabilities", "answer") for name in columns.free(role)}
    if "weights" in picked:
        given = {**given, "weights": columns.numbers("weights")}
    others = columns.others()
    of_system = {name: others.pop(name) for name in list(others) if name in of_systems}
    picked |= {"predictions": found[0]} if len(found) == 1 else {}
    return Gold(
        columns.path, "table", dict(given), options, ids, details | others, picked,
        given=of_system, may_hold_predictions=True, why_no_detail=columns.why_no_detail, compared="references", **more,
    )  # fmt: skip


def _read_gold(content: Content, names: Names) -> Gold:
    """A table with a column of gold answers.

    A cell of gold answers is a list, `{"text": [...]}`, one answer, or one of these in JSON; empty for no answer. Of
    several columns of gold answers all count, and a row has no answer where all its cells are empty.
    """
    path, table = content.path, as_table(content.value)
    columns = pick_gold(path, table, names, USUAL_NAMES)
    golds = gold_cells(table, columns.picked["references"], names.get("separator"))
    # A log with the questions of DROP has the rules of DROP, as its gold file has.
    is_drop = "doc.validated_answers" in table.columns and "references" not in names
    rules = [preset.rules for preset in PRESETS.values() if preset.rules is not None]
    read_by_rules = {name for of in rules for name in of.kind.gold_details if name in table.columns}
    more = {name: _cells(path, table, name) for name in read_by_rules}
    given = gold_columns(columns.cells("ids"), golds)
    return gold_of(columns, given, {"preset": "drop"} if is_drop else {}, more=more)


def _doc_id(columns: Columns) -> str | None:
    """The column that may have the ids of the questions if no other column has."""
    taken = each_column([*columns.names.values(), *columns.picked.values()])
    return next((name for name in columns.table.columns if spelled(name) == _DOC_ID and name not in taken), None)


# --- predictions ------------------------------------------------------------------------------------------------------


def pick_predictions(content: Content, gold: Gold, names: Names, usual: Mapping[str, Sequence[str]]) -> Columns:
    """The columns of a system; the table may be the gold file itself."""
    path, table = content.path, as_table(content.value)
    columns = Columns(path, table, names_here(path, table, gold, names), usual_roles(table.columns, usual))
    columns.require("predictions", "answer")
    columns.optional("ids", "no_answer_probabilities")
    name = _doc_id(columns)
    if "ids" not in columns.picked and gold.ids is not None and name is not None:
        is_known = set(map(str, gold.ids)).issuperset(map(str, table.columns[name]))
        columns.picked |= {"ids": name} if is_known or spelled(gold.names.get("ids", "")) == _DOC_ID else {}
    column = columns.picked["predictions"]
    if path == gold.path and column in each_column([gold.names.get("references", ())]):
        raise twice_named(path, column)
    questions = columns.usual.get("questions", ())
    questions = [names["questions"]] if names.get("questions") in table.columns else questions
    if path != gold.path and "question" in gold.details and len(questions) == 1:
        check_questions(table, questions[0], gold, columns.cells("ids"))
    return columns


def _read_answers(content: Content, gold: Gold, names: Names) -> Predictions:
    """A table with a column of predictions and, maybe, ids, no-answer probabilities and what a preset reads besides.

    It may be the gold file itself, when that holds both.
    """
    path = content.path
    columns = pick_predictions(content, gold, names, USUAL_NAMES)
    table, answers = columns.table, text_cells(columns.cells("predictions") or [])
    if "top_k" in gold.options:
        answers = ranked_cells(answers, names.get("separator"))
    rules = rules_of(gold.options)
    details = _predicted_details(path, table, rules.kind.predicted_details if rules else (), path == gold.path)
    return predicted_answers(
        path, gold, columns.cells("ids"), answers, probabilities=columns.numbers("no_answer_probabilities"),
        details=details, names=columns.picked,
    )  # fmt: skip


def _predicted_details(path: str, table: Table, names: Iterable[str], with_gold: bool) -> dict[str, list[Any]]:
    """The columns of a system that rules read besides its answers: NAME, or predicted_NAME in a table with gold
    answers.
    """
    columns = {name: f"predicted_{name}" for name in names}
    if not with_gold:
        columns = {name: column if column in table.columns else name for name, column in columns.items()}
    return {name: _cells(path, table, column) for name, column in columns.items() if column in table.columns}


def _cells(path: str, table: Table, name: str) -> list[Any]:
    """The cells of a column; lists in a text table are written as JSON."""
    return ranked_cells(table.columns[name]) if table.is_text else table.columns[name]


TABLE = Format(
    "table",
    "a table",
    METRIC,
    lambda value, metric: as_table(value) is not None,
    order=90,
    read_gold=_read_gold,
    read_predictions=_read_answers,
    describe=describe,
    serves=BOTH,
    is_table=True,
)
