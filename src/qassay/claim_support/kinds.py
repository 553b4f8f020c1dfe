"""The kind of file of claim_support: verdicts, in JSON of the programs that give them and in tables."""

from typing import Any

from ..core.file_columns import Gold, Predictions
from ..files.content import Content, Table
from ..files.kinds import GOLD_AND_PREDICTIONS, FamilyFiles, Kind, first_difference
from ..files.reading import ID_NAMES
from ..files.tables import Names
from .claims import CLAIM_FIELDS
from .read_verdict_tables import (
    VERDICT_TABLE,
    gold_key,
    read_verdict_gold,
    read_verdict_predictions,
    table_of_verdicts,
    verdict_layout,
)
from .shown_verdicts import gold_texts

_METRIC = "claim_support"


def _is_of_verdicts(value: Any, asked: str | None) -> bool | dict[str, Any]:
    """Tables whose columns other tables may have too only where the metric is requested."""
    layout = verdict_layout(table_of_verdicts(value), {}) if asked in (None, _METRIC) else None
    return layout is not None and (asked == _METRIC or not layout.is_plain)


def _is_named(content: Content, names: Names) -> bool:
    return "predictions" in names and verdict_layout(table_of_verdicts(content.value), names) is not None


def _gold_words(row: Any) -> str:
    return " | ".join(gold_texts(row)) or "nothing"


class VerdictFiles(FamilyFiles):
    """Verdicts on nuggets, claims, citations and whole answers."""

    metric = _METRIC
    kinds = (
        Kind(
            VERDICT_TABLE,
            "a table of verdicts",
            GOLD_AND_PREDICTIONS,
            _METRIC,
            read_verdict_gold,
            read_verdict_predictions,
            is_table=True,
            fits=_is_of_verdicts,
            order=10,
        ),
    )
    gold_files = "give verdicts: JSON with nuggets, answer2response or statements, or a table with a row per verdict"
    compared = {f"{VERDICT_TABLE}_{task}": VERDICT_TABLE for task in ("nuggets", "claims", "citations", "grades")}
    sides = frozenset(
        name.lower()
        for name in ("nuggets", "statements", "assignment", "importance", "grade", *CLAIM_FIELDS, *ID_NAMES)
    )

    def read_gold(self, content: Content, kind: Kind, names: Names) -> Gold:
        """Also a table whose column of grades is named."""
        return (
            read_verdict_gold(content, names) if _is_named(content, names) else super().read_gold(content, kind, names)
        )

    def read_predictions(self, content: Content, kind: Kind, gold: Gold, names: Names) -> Predictions:
        if _is_named(content, names):
            return read_verdict_predictions(content, gold, names)
        return super().read_predictions(content, kind, gold, names)

    def table_of(self, value: Any) -> Table | None:
        return table_of_verdicts(value)

    def has_roles(self, value: Any, names: Names) -> bool:
        layout = verdict_layout(table_of_verdicts(value), {})
        return layout is not None and not layout.is_plain

    def difference(self, own: Gold, gold: Gold) -> str | None:
        own_rows, gold_rows = own.columns["references"], gold.columns["references"]
        return first_difference(own, gold, own_rows, gold_rows, gold_key, _gold_words)


FILES = VerdictFiles()
