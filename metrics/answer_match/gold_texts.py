"""Gold answers as texts, for slices and for families that compare texts."""

from typing import Any

from ..core.file_columns import Gold
from ..core.rows import field_of
from .drop import drop_gold_spans


def gold_texts(gold: Gold) -> list[list[str]]:
    """The gold answers of each example as lists of texts, from any kind of file; several spans are one text."""
    rows = gold.columns["references"]
    return list(map(_texts_of, rows if gold.ids is None else field_of(rows, "answers", "references", required=True)))


def _texts_of(row: Any) -> list[str]:
    if isinstance(row, dict) and "answer" in row:
        golds = [row["answer"], *row.get("validated_answers", [])]
        return [" ".join(" ".join(drop_gold_spans(gold)).split()) for gold in golds]
    if isinstance(row, dict):
        return list(row["text"])
    return [answer["text"] if isinstance(answer, dict) else answer for answer in row]
