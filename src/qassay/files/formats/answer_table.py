"""Tables with named columns (JSON rows, JSONL, CSV, TSV, Parquet) as gold answers, predictions or both."""

import dataclasses
from collections.abc import Iterable
from typing import Any

from ...answer_match.gold_texts import gold_columns
from ...answer_match.presets import PRESETS, rules_of
from ...core.file_columns import Gold, Predictions
from ..content import Content, Table
from ..tables import Names, as_table
from . import BOTH, Format
from ._answer_columns import METRIC, predicted_answers
from ._answers import (
    describe_answers,
    numbers_of,
    pick_predictions,
    ranked_cell,
    read_answer_gold,
)


def _read_gold(content: Content, names: Names) -> Gold:
    """A table with a column of gold answers, read as `read_answer_gold` says, and what presets read besides them.

    A log with the questions of DROP has the rules of DROP, as its gold file has.
    """
    gold = read_answer_gold(content, names, lambda answers, there: gold_columns(there.get("ids"), answers))
    table = as_table(content.value)
    if table.log is not None and "doc.validated_answers" in table.columns and "references" not in names:
        gold = gold.with_options({"preset": "drop"})
    every = [preset.rules for preset in PRESETS.values() if preset.rules is not None]
    requested = {name for rules in every for name in rules.kind.gold_details if name in table.columns}
    more = {name: _cells(content.path, table, name) for name in requested}
    return dataclasses.replace(gold, more=more)


def _read_predictions(content: Content, gold: Gold, names: Names) -> Predictions:
    """A table with a column of predictions and, maybe, ids, no-answer probabilities and supporting facts.

    It may be the gold file itself, when that holds both.
    """
    table, picked = pick_predictions(content, gold, names, ("ids", "no_answer_probabilities"))
    probabilities = None
    if "no_answer_probabilities" in picked:
        probabilities = numbers_of(content.path, table, picked["no_answer_probabilities"])
    answers = table.columns[picked["predictions"]]
    if "top_k" in gold.options:
        answers = [ranked_cell(cell, row, content.path, names.get("separator")) for row, cell in enumerate(answers)]
    facts = table.columns.get("supporting_facts") if gold.kind == "hotpotqa" and content.path != gold.path else None
    ids = table.columns[picked["ids"]] if "ids" in picked else None
    rules = rules_of(gold.options)
    requested = rules.kind.predicted_details if rules else ()
    details = _predicted_details(content, table, requested, content.path == gold.path)
    return predicted_answers(
        content.path, gold, ids, answers, probabilities=probabilities, facts=facts, details=details, names=picked
    )


def _predicted_details(
    content: Content, table: Table, requested: Iterable[str], with_gold: bool
) -> dict[str, list[Any]]:
    """The columns of a system that rules read besides its answers: NAME, or predicted_NAME in a table with gold
    answers.
    """
    called = {name: f"predicted_{name}" for name in requested}
    if not with_gold:
        called = {name: other if other in table.columns else name for name, other in called.items()}
    return {name: _cells(content.path, table, other) for name, other in called.items() if other in table.columns}


def _cells(path: str, table: Table, name: str) -> list[Any]:
    """The cells of a column; lists in a text table are written as JSON."""
    cells = table.columns[name]
    return [ranked_cell(cell, row, path, None) for row, cell in enumerate(cells)] if table.is_text else cells


TABLE = Format(
    "table",
    "a table",
    METRIC,
    lambda value, metric: as_table(value) is not None,
    order=90,
    read_gold=_read_gold,
    read_predictions=_read_predictions,
    describe=describe_answers,
    serves=BOTH,
    is_table=True,
    compared={"table": "references"},
    harnesses={
        "lm_eval": "the log that log_samples writes, samples_TASK_DATE.jsonl, of tasks that generate text; each of several filters is a "
        "column prediction_FILTER; with repeats, each answer to a question is a row: give the column repeat as run_id",
        "Inspect": "logs, .eval and .json; several epochs are runs: the column epoch as run_id",
        "FlashRAG": "intermediate_data.json",
    },
)
