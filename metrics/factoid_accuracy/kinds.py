"""The kind of file of factoid_accuracy: BioASQ."""

from typing import Any

from ..files.content import Table
from ..files.kinds import GOLD_AND_PREDICTIONS, FamilyFiles, Kind
from .read_bioasq import is_bioasq, read_bioasq, read_bioasq_system

_METRIC = "factoid_accuracy"


def _is_bioasq(value: Any, asked: str | None) -> bool:
    """Also a table, where no other metric is asked for."""
    return is_bioasq(value) and (asked in (None, _METRIC) or not isinstance(value, Table))


class FactoidFiles(FamilyFiles):
    """Files of BioASQ, the same for gold and systems."""

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
    )
    gold_files = 'give {"questions": [...]} as in BioASQ'
    gold_name = "BioASQ"


FILES = FactoidFiles()
