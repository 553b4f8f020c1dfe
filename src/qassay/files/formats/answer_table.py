"""Tables with a column of gold answers, of predictions or of both (JSON rows, JSONL, CSV, TSV, Parquet), a row per question."""

import functools
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from ...answer_match.gold_texts import gold_columns
from ...answer_match.presets import PRESETS, rules_of
from ...core.answers import empty_golds
from ...core.columns import spelled, usual_roles
from ...core.file_columns import Gold, Predictions
from ...core.shown import columns_text, shown
from ...factoid_accuracy.fields import DEFAULT_TYPE, QUESTION_TYPES
from ..content import Content, Table
from ..reading import FileError, same_type, twice_named
from ..tables import USUAL_NAMES, Names, as_table, each_column, numbers_of, optional_column, pick_column
from . import BOTH, GOLD, PREDICTIONS, Format
from ._answers import METRIC, gold_cells, predicted_answers, ranked_cell
from ._cells import details_of

ENTITIES_OF = "factoid_accuracy"
_DOC_ID = "doc_id"  # the id of a question in tables made of logs of lm_eval, and in others of its document
_OF_EXAMPLES = ("ids", "weights", "question", "type")
_OF_SYSTEMS = ("predictions", "no_answer_probabilities")


def _usual(metric: str, table: Table) -> Mapping[str, Sequence[str]]:
    """The usual names of columns; a column of types of questions has some type in it."""
    if metric != ENTITIES_OF:
        return USUAL_NAMES
    types = [
        spelled(name)
        for name, cells in table.columns.items()
        if spelled(name) in ("type", "question_type", "question_types") and not set(QUESTION_TYPES).isdisjoint(cells)
    ]
    return {**USUAL_NAMES, "answer": (*USUAL_NAMES["answer"], "exact_answer"), "type": types}


def _describe(metric: str, value: Any) -> tuple[str, frozenset[str]]:
    """The text of a table, and what it serves as by the usual names of its columns."""
    table = as_table(value)
    roles, names = usual_roles(table.columns, _usual(metric, table)), ", ".join(table.columns)
    serves = {GOLD for role in ("references", "answer") if role in roles}
    serves |= {PREDICTIONS for role in ("predictions", "answer") if role in roles}
    if not serves and len(table.columns) == 1 and table.is_text:
        return f"plain text beginning with {names[:40]!r}", frozenset()
    text = f"a table ({table.format}) with the columns {names}"
    if serves == {PREDICTIONS}:
        text = f"predictions ({table.format} with the columns {names})"
    return text, frozenset(serves)


def _pick(
    path: str, table: Table, required: str, optional: Sequence[str], names: Names, usual: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """The column of each role, by the given names, otherwise by the usual names; references may have several columns."""
    roles, taken = usual_roles(table.columns, usual), each_column(names.values())
    free = [name for name in roles.get(required, ()) if name not in taken] or roles.get("answer", [])
    picked = {required: pick_column(path, table, required, free, names)}
    for role in optional:
        column = optional_column(path, table, role, roles.get(role, ()), names)
        if column is not None:
            picked[role] = column
    return picked


# --- gold answers -----------------------------------------------------------------------------------------------------


def _read_gold(metric: str, content: Content, names: Names) -> Gold:
    """A table with a column of gold answers; other columns with one value per row become details.

    A cell of gold answers is a list, `{"text": [...]}`, one answer, or one of these in JSON; empty for no answer. Of
    several columns of gold answers all count, and a row has no answer where all its cells are empty. For
    factoid_accuracy it has the names of one entity, or the entities of a list question. Columns of predictions and of
    no-answer probabilities are not details: they belong to one system.

    Args:
        names: role -> column, where the usual names do not tell; `{"separator": "|"}` for gold answers such as `a|b`.
    """
    path, table = content.path, as_table(content.value)
    usual = _usual(metric, table)
    picked = _pick(
        path, table, "references", [role for role in _OF_EXAMPLES if role in usual or role in names], names, usual
    )
    if "ids" not in picked and (name := _doc_id(table, {**names, **picked})) is not None:
        cells = list(map(str, table.columns[name]))
        picked |= {"ids": name} if len(set(cells)) == len(cells) and "" not in cells else {}
    there = {role: table.columns[picked[role]] for role in _OF_EXAMPLES if role in picked}
    ids, roles = there.get("ids"), usual_roles(table.columns, usual)
    if "question" not in there and picked.get("ids") in roles.get("question", ()):
        there["question"] = there["ids"]  # questions may serve as ids
    golds = gold_cells(path, table, picked["references"], names.get("separator"))
    if metric == ENTITIES_OF:
        columns, options = _entity_columns(path, golds, ids, there.get("type"))
    else:
        columns, options = gold_columns(ids, golds), _implied_options(table, names)
    if "weights" in picked:
        columns["weights"] = numbers_of(path, table, picked["weights"])
    predicted, of_system = _columns_of_systems(table, names, picked, roles)
    if len(predicted) == 1:
        picked["predictions"] = predicted[0]
    others = details_of(table, {*each_column(picked.values())} - of_system)
    given = {name: others.pop(name) for name in list(others) if name in of_system}
    details = {role: there[role] for role in ("question", "type") if role in there} | others
    rules = [preset.rules for preset in PRESETS.values() if preset.rules is not None]
    read_by_rules = {name for of in rules for name in of.kind.gold_details if name in table.columns}
    more = {name: _cells(path, table, name) for name in read_by_rules if metric == METRIC}
    return Gold(
        path, "table", columns, options, ids, details, picked, given=given, may_hold_predictions=True, more=more
    )


def _columns_of_systems(
    table: Table, names: Names, picked: Names, roles: Mapping[str, list[str]]
) -> tuple[list[str], set[str]]:
    """The columns that could hold the predictions of this file, and all that belong to a system: probabilities too."""
    of_examples = each_column(picked.values())
    taken = {*of_examples, *each_column(names.values())}
    named = {role: names[role] for role in _OF_SYSTEMS if names.get(role) in table.columns}
    named = {role: name for role, name in named.items() if name not in of_examples}
    free = {role: [name for name in roles.get(role, ()) if name not in taken] for role in (*_OF_SYSTEMS, "answer")}
    if "predictions" in names:
        predicted = [named["predictions"]] if "predictions" in named else []
    else:
        predicted = free["predictions"] or free["answer"]
    return predicted, {*named.values(), *chain.from_iterable(free.values())}


def _doc_id(table: Table, names: Names) -> str | None:
    """The column that may hold the ids of the questions where no other one does."""
    taken = each_column(names.values())
    return next((name for name in table.columns if spelled(name) == _DOC_ID and name not in taken), None)


def _implied_options(table: Table, names: Names) -> dict[str, Any]:
    """A log with the questions of DROP has the rules of DROP, as its gold file has."""
    is_drop = table.log is not None and "doc.validated_answers" in table.columns and "references" not in names
    return {"preset": "drop"} if is_drop else {}


def _entity_columns(
    path: str, golds: list[Any], ids: Sequence[Any] | None, types: Sequence[Any] | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The columns of factoid_accuracy, and its options.

    Without a column of types all questions are factoid questions, or yes/no questions where every gold answer is yes or
    no; the option question_type says otherwise.
    """
    golds = empty_golds(golds, path, ids)
    golds = [_listed(gold["text"] if isinstance(gold, dict) and "text" in gold else gold) for gold in golds]
    rows = _rows(ids, exact_answer=golds, type=types or [DEFAULT_TYPE] * len(golds))
    are_yes_or_no = all(isinstance(gold, list) and str(*gold[:1]).strip().lower() in ("yes", "no") for gold in golds)
    is_yes_no = types is None and are_yes_or_no and all(len(gold) == 1 for gold in golds)
    return {"references": rows}, {"question_type": "yesno"} if is_yes_no else {}


def _listed(answer: Any) -> Any:
    """One entity as a list of it; an empty text is none."""
    return [answer] * bool(answer.strip()) if isinstance(answer, str) else answer


def _rows(ids: Sequence[Any] | None, **columns: Sequence[Any]) -> list[dict[str, Any]]:
    columns = columns if ids is None else {"id": ids, **columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


# --- predictions ------------------------------------------------------------------------------------------------------


def _pick_predictions(metric: str, content: Content, gold: Gold, names: Names) -> tuple[Table, dict[str, Any]]:
    """A table with a column of predictions, and role -> the column that serves as it; it may be the gold file itself."""
    path, table = content.path, as_table(content.value)
    # A column of ids that the gold file has need not be called the same here.
    is_elsewhere = names.get("ids") not in table.columns and names.get("ids") == gold.names.get("ids")
    names = {role: name for role, name in names.items() if role != "ids" or not is_elsewhere}
    if path == gold.path:
        names = {**gold.names, **names}
    optional = ("ids", "no_answer_probabilities") if metric == METRIC else ("ids",)
    usual = _usual(metric, table)
    picked = _pick(path, table, "predictions", optional, names, usual)
    name = _doc_id(table, names)
    if "ids" not in picked and gold.ids is not None and name is not None:
        is_known = set(map(str, gold.ids)).issuperset(map(str, table.columns[name]))
        picked |= {"ids": name} if is_known or spelled(gold.names.get("ids", "")) == _DOC_ID else {}
    if path == gold.path and picked["predictions"] in each_column([gold.names.get("references", ())]):
        raise twice_named(path, picked["predictions"])
    questions = usual_roles(table.columns, usual).get("question", [])
    questions = [names["question"]] if names.get("question") in table.columns else questions
    if path != gold.path and "question" in gold.details and len(questions) == 1:
        _check_questions(path, questions[0], table, picked.get("ids"), gold)
    return table, picked


def _check_questions(path: str, column: str, table: Table, ids: str | None, gold: Gold) -> None:
    """Refuse an answer to a question of the gold file that would be scored by another row, by its id or its place."""
    cells, expected = (
        [" ".join(cell.split()) if isinstance(cell, str) else "" for cell in of]
        for of in (table.columns[column], gold.details["question"])
    )
    known, beside = {question: row for row, question in reversed([*enumerate(expected)])}, expected
    if ids is not None and gold.ids is not None:
        by_id = dict(zip(map(str, gold.ids), expected, strict=True))
        beside = [by_id.get(str(identifier), "") for identifier in table.columns[ids]]
    for row, (question, other) in enumerate(zip(cells, beside)):
        if question and other and question != other and question in known:
            raise FileError(
                path,
                f"row {row} has the question {shown(question)}, which is the question of row {known[question]} of "
                f"{gold.path}, but would be scored by the gold answers of another row; put the rows in the same order, give "
                f"both files the same ids, or take the questions as ids with {columns_text('ids', column)}",
            )


def _read_answers(content: Content, gold: Gold, names: Names) -> Predictions:
    """A table with a column of predictions and, maybe, ids, no-answer probabilities and supporting facts.

    It may be the gold file itself, when that holds both.
    """
    path = content.path
    table, picked = _pick_predictions(METRIC, content, gold, names)
    column = picked.get("no_answer_probabilities")
    probabilities = None if column is None else numbers_of(path, table, column)
    answers = table.columns[picked["predictions"]]
    if "top_k" in gold.options:
        answers = [ranked_cell(cell, row, path, names.get("separator")) for row, cell in enumerate(answers)]
    facts = table.columns.get("supporting_facts") if gold.kind == "hotpotqa" and path != gold.path else None
    rules = rules_of(gold.options)
    details = _predicted_details(content, table, rules.kind.predicted_details if rules else (), path == gold.path)
    ids = table.columns[picked["ids"]] if "ids" in picked else None
    return predicted_answers(
        path, gold, ids, answers, probabilities=probabilities, facts=facts, details=details, names=picked
    )


def _predicted_details(content: Content, table: Table, names: Iterable[str], with_gold: bool) -> dict[str, list[Any]]:
    """The columns of a system that rules read besides its answers: NAME, or predicted_NAME in a table with gold
    answers.
    """
    columns = {name: f"predicted_{name}" for name in names}
    if not with_gold:
        columns = {name: column if column in table.columns else name for name, column in columns.items()}
    return {name: _cells(content.path, table, column) for name, column in columns.items() if column in table.columns}


def _cells(path: str, table: Table, name: str) -> list[Any]:
    """The cells of a column; lists in a text table are written as JSON."""
    cells = table.columns[name]
    return [ranked_cell(cell, row, path, None) for row, cell in enumerate(cells)] if table.is_text else cells


def _read_entities(content: Content, gold: Gold, names: Names) -> Predictions:
    """A table with a column of answers and, maybe, ids; it may be the gold file itself, when that holds both.

    A cell is a list of entities, or one; in a cell of text a list is written as JSON, or with a separator. An answer to a
    yes/no question is a text. Null is a missing prediction.

    Raises:
        FileError: documents are scored, which such tables do not hold.
    """
    if str(gold.options.get("phase")).upper() == "A":
        message = "a table has exact answers, but phase A scores documents; give BioASQ JSON with documents"
        raise FileError(content.path, message)
    table, picked = _pick_predictions(ENTITIES_OF, content, gold, names)
    cells = table.columns[picked["predictions"]]
    ids = same_type(table.columns[picked["ids"]], gold.ids) if "ids" in picked else None
    usual = gold.options.get("question_type")
    types = [usual if row.get("type") in (None, DEFAULT_TYPE) else row["type"] for row in gold.columns["references"]]
    by_id = dict(enumerate(types) if ids is None or gold.ids is None else zip(map(str, gold.ids), types, strict=True))
    names_of_rows = range(len(cells)) if ids is None or gold.ids is None else map(str, ids)
    answers = [
        cell
        if by_id.get(name, usual) == "yesno"
        else _listed(ranked_cell(cell, row, content.path, names.get("separator")))
        for row, (cell, name) in enumerate(zip(cells, names_of_rows, strict=True))
    ]
    return Predictions(content.path, {"predictions": _rows(ids, exact_answer=answers)}, names=picked)


def _format(metric: str, **attributes: Any) -> Format:
    return Format(
        "table",
        "a table",
        metric,
        read_gold=functools.partial(_read_gold, metric),
        describe=functools.partial(_describe, metric),
        serves=BOTH,
        is_table=True,
        compared={"table": "references"},
        **attributes,
    )


ENTITIES = _format(
    ENTITIES_OF,
    fits=lambda value, metric: metric == ENTITIES_OF and as_table(value) is not None,
    order=50,
    read_predictions=_read_entities,
    roles=("type",),
)
TABLE = _format(
    METRIC,
    fits=lambda value, metric: as_table(value) is not None,
    order=90,
    read_predictions=_read_answers,
    harnesses={
        "lm_eval": "the log that log_samples writes, samples_TASK_DATE.jsonl, of tasks that generate text; each of several filters is a "
        "column prediction_FILTER; with repeats, each answer to a question is a row: give the column repeat as run_id",
        "Inspect": "logs, .eval and .json; several epochs are runs: the column epoch as run_id",
        "FlashRAG": "intermediate_data.json",
    },
)
