"""The kinds of files of factoid_accuracy: BioASQ, and tables."""

from typing import Any

from ..core.file_columns import Gold
from ..files.answer_tables import ANSWER_SIDES
from ..files.content import Table
from ..files.kinds import GOLD_AND_PREDICTIONS, FamilyFiles, Kind, first_difference
from .fields import names_within
from .read_bioasq import is_bioasq, read_bioasq, read_bioasq_system
from .read_tables import as_entities, read_entity_predictions, read_entity_table

_METRIC = "factoid_accuracy"


def _is_bioasq(value: Any, asked: str | None) -> bool:
    """Also a table, where no other metric is requested."""
    return is_bioasq(value) and (asked in (None, _METRIC) or not isinstance(value, Table))


class FactoidFiles(FamilyFiles):
    """Files of BioASQ, the same for gold and systems, and tables where the metric is requested."""

    metric = _METRIC
    kinds = (
        Kind(
            "bioasq",
            "a BioASQ file",
            GOLD_AND_PREDICTIONS,
            _METRIC,
            read_bioasq,
            read_bioasq_system,
            fits=_is_bioasq,
            order=10,
        ),
        Kind(
            "table",
            "a table",
            GOLD_AND_PREDICTIONS,
            _METRIC,
            read_entity_table,
            read_entity_predictions,
            is_table=True,
            fits=lambda value, asked: asked == _METRIC and as_entities(value),
            order=30,
        ),
    )
    roles = telling_roles = ("type",)
    splits_cells = True
    gold_roles = (*FamilyFiles.gold_roles, "type")
    gold_files = 'give {"questions": [...]} as in BioASQ, or a table'
    gold_name = "BioASQ"
    compared = {"table": "references"}
    sides = ANSWER_SIDES | {"exact_answer"}
    may_be_others = frozenset(["answer", "exact_answer", "label", "labels", "target", "targets"])
    either = frozenset(["answer", "exact_answer"])

    def not_gold(self, kind: Kind) -> str:
        return 'a gold file; name its column of gold answers with columns={"references": "NAME"}'

    def not_predictions(self, kind: Kind) -> str:
        return 'predictions; name its column of predictions with columns={"predictions": "NAME"}'

    def difference(self, own: Gold, gold: Gold) -> str | None:
        def words(row: Any) -> str:
            return repr(sorted(_names(row))) if _names(row) else "no answer"

        return first_difference(own, gold, own.columns["references"], gold.columns["references"], _names, words)


def _names(row: Any) -> frozenset[str]:
    return frozenset(names_within(row["exact_answer"]))


FILES = FactoidFiles()
