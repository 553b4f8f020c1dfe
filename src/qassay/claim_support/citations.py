"""Citation recall and precision of one answer from given verdicts of entailment, as ALCE computes them."""

import math
import numbers
from collections.abc import Mapping
from typing import Any

from ..core.columns import items_of
from ..core.shown import describe
from .words import Verdicts, known_share, required

CITATION_MEASURES = ("citation_recall", "citation_precision")
_ALONE = ("alone", "without")
_GIVE_STATEMENT = 'give {"citations": [1, 2], "entailed": ..., "alone": [...], "without": [...]}'


def score_citations(row: Any, gold: Any, verdicts: Verdicts) -> tuple[float, ...]:
    """The `CITATION_MEASURES` of a list of statements, or of a dict with `statements` and `docs`.

    A statement is supported if all its citations together entail it. A citation counts if its statement is supported
    and it is the only citation, entails the statement alone, or is needed: the others do not entail the statement
    without it.
    """
    most: int | None = None
    if isinstance(row, Mapping):
        most = _number_of_docs(row.get("docs"), verdicts.where)
        row = required(row, "statements", verdicts.where, "use [] for none")
    supported: list[float] = []
    counted: list[float] = []
    for index, statement in enumerate(items_of(row, verdicts.where)):
        where = f"[{index}]"
        citations = required(statement, "citations", f"{verdicts.where}{where}", _GIVE_STATEMENT)
        cited = _cited(citations, f"{verdicts.where}{where}['citations']")
        if not cited or most is not None and max(cited) > most:
            supported.append(verdicts.settled(0.0, where))  # by rule, without a verdict
            continue
        entailed = verdicts.parsed(statement.get("entailed"), f"{where}['entailed']")
        lists = [_verdict_list(statement, name, len(cited), f"{verdicts.where}{where}") for name in _ALONE]
        supported.append(verdicts.settled(entailed, f"{where}['entailed']"))
        counted += _counted(lists, len(cited), supported[-1], verdicts, where)
    nothing = 0.0 if supported else math.nan  # the official program omits an answer without statements
    return known_share(supported, nothing), known_share(counted, nothing)


def _counted(lists: list[list[Any]], n: int, entailed: float, verdicts: Verdicts, where: str) -> list[float]:
    """Whether each of n citations counts: 1.0, 0.0, or NaN where verdicts are missing that decide it."""
    if entailed != 1 or n == 1:
        return [entailed] * n
    values = []
    for index in range(n):
        alone, without = (
            verdicts.parsed(given[index], f"{where}[{name!r}][{index}]") if given else math.nan
            for name, given in zip(_ALONE, lists, strict=True)
        )
        counts = 1.0 if alone == 1 or without == 0 else 0.0 if alone == 0 and without == 1 else math.nan
        values.append(verdicts.settled(counts, f"{where}['citations'][{index}]"))
    return values


def _verdict_list(statement: Mapping[str, Any], name: str, n: int, where: str) -> list[Any]:
    """A verdict for each of n citations; [] if there are none."""
    if statement.get(name) is None:
        return []
    given = items_of(statement[name], f"{where}[{name!r}]")
    if len(given) != n:
        raise ValueError(f"{where}[{name!r}] has {len(given)} verdicts for {n} citations; give one for each")
    return given


def _cited(citations: Any, where: str) -> list[int]:
    numbers_of = items_of(citations, where)
    for index, number in enumerate(numbers_of):
        if not isinstance(number, numbers.Integral) or isinstance(number, bool) or number < 0:
            raise TypeError(f"{where}[{index}] must be the number of a document, got {describe(number)}")
    return [int(number) for number in numbers_of]


def _number_of_docs(docs: Any, where: str) -> int | None:
    if docs is None:
        return None
    if isinstance(docs, numbers.Integral) and not isinstance(docs, bool) and int(docs) >= 0:
        return int(docs)
    return len(items_of(docs, f"{where}['docs']"))
