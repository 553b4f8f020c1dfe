"""Tables with named columns (JSON rows, JSONL, CSV, TSV, Parquet) as gold answers, predictions or both."""

from ..core.file_columns import Gold, Predictions
from ..files.answer_tables import numbers_of, pick_predictions, ranked_cell, read_answer_gold
from ..files.content import Content
from ..files.tables import Names
from .read_columns import gold_columns, prediction_columns

ANSWER_ROLES = ("predictions", "references", "ids", "weights", "no_answer_probabilities", "question")


def read_gold_table(content: Content, names: Names) -> Gold:
    """A table with a column of gold answers, read as `read_answer_gold` says."""
    return read_answer_gold(content, names, lambda answers, there: gold_columns(there.get("ids"), answers))


def read_prediction_table(content: Content, gold: Gold, names: Names) -> Predictions:
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
    columns = prediction_columns(ids, answers, gold, probabilities, facts)
    return Predictions(content.path, columns, names=picked)
