"""Nugget recall of one answer, as AutoNuggetizer computes it for the TREC RAG track."""

from collections.abc import Mapping
from typing import Any

from ..core.columns import items_of
from ..core.shown import shown
from .words import IMPORTANCES, Verdicts, known_share, number_of, required

NUGGET_MEASURES = (
    "strict_vital_score", "vital_score", "strict_all_score", "all_score", "strict_weighted_score", "weighted_score",
)  # fmt: skip
_OKAY_WEIGHT = 0.5


def read_importances(row: Any, where: str) -> list[tuple[bool, str | None]]:
    """Whether each nugget of a question is vital, and its text if it has one."""
    return [_importance(item, f"{where}[{index}]") for index, item in enumerate(items_of(row, where))]


def _importance(item: Any, where: str) -> tuple[bool, str | None]:
    text = None
    if isinstance(item, Mapping):
        item, text = required(item, "importance", where, "give it as vital or okay"), item.get("text")
    return number_of(item, IMPORTANCES, where, "importance", missing=False) == 1.0, text


def have_importances(rows: list[Any]) -> bool:
    """Whether each nugget of the predictions has its importance, so no references are needed."""
    nuggets = [nugget for row in rows if isinstance(row, (list, tuple)) for nugget in row]
    return bool(nuggets) and all(isinstance(nugget, Mapping) and "importance" in nugget for nugget in nuggets)


def score_nuggets(row: Any, nuggets: list[tuple[bool, str | None]], verdicts: Verdicts) -> tuple[float, ...]:
    """The `NUGGET_MEASURES` of a list of assignments, or of dicts with `assignment`, for the nuggets of the question."""
    items = items_of(row, verdicts.where)
    if len(items) != len(nuggets):
        raise ValueError(
            f"{verdicts.where} has {len(items)} verdicts, but its references have {len(nuggets)} nuggets; give one for each"
        )
    values = []
    for index, (item, nugget) in enumerate(zip(items, nuggets, strict=True)):
        if isinstance(item, Mapping):
            item = _assignment(item, nugget, f"{verdicts.where}[{index}]")
        values.append(verdicts.read(item, "", index))
    of_vital = [1.0 if is_vital else 0.0 for is_vital, _ in nuggets]
    weightings = of_vital, [1.0] * len(values), [1.0 if is_vital else _OKAY_WEIGHT for is_vital, _ in nuggets]
    full = [0.0 if value == 0.5 else value for value in values]
    return tuple(known_share(of, weights=weights) for weights in weightings for of in (full, values))


def _assignment(item: Mapping[str, Any], nugget: tuple[bool, str | None], where: str) -> Any:
    """The verdict of a dict; its text and importance must equal those of the references."""
    key = "verdict" if "verdict" in item and "assignment" not in item else "assignment"
    verdict = required(item, key, where, "use None for a missing verdict")
    is_vital, text = nugget
    if text is not None and item.get("text", text) != text:
        problem = f"{where} is the nugget {shown(item['text'])}, but its references have {shown(text)} there"
        raise ValueError(f"{problem}; give both in one order")
    if "importance" in item and _importance(item, where)[0] != is_vital:
        raise ValueError(f"{where} is {shown(item['importance'])}, but differs in its references; give one importance")
    return verdict
