"""Preferences between documents, and how many of them a ranking keeps, as counted by trec_eval 10.

A judge prefers a document to another one of a lower level. If the judgements of a judge come in several parts, levels
are compared within a part, and preferences that follow from several parts are added (a over b, b over c: a over c).
"""

import dataclasses
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..core.shown import shown


class Opinion(NamedTuple):
    """The opinion of one judge on m documents of a query, in the order of the ranking; documents missing from the
    ranking come last.

    Attributes:
        documents: int64 (m,), indices in that order, among all judged documents of the query.
        retrieved: how many of them the ranking has, which are the first ones.
        levels: float64 (m,); prefers: bool (m, m), [i, j]: document i is preferred to document j.
        in_parts: whether the judgements came in several parts.
    """

    documents: np.ndarray
    retrieved: int
    levels: np.ndarray
    prefers: np.ndarray
    in_parts: bool


_Count = tuple[int, int]  # the number of kept preferences, and of all possible ones


@dataclasses.dataclass(frozen=True)
class Preferences:
    """The opinions of all judges of one query on n judged documents; the ranking has the first `retrieved` of them."""

    n: int
    retrieved: int
    opinions: Sequence[Opinion]

    def ratio(self, scope: str) -> float:
        """Preferences kept / possible ones, of all judges together."""
        possible = self.possible(scope)
        return self.kept(scope) / possible if possible else 0.0

    def mean_ratio(self, scope: str) -> float:
        """The mean of that ratio over judges; 0 for a judge without a possible one."""
        counts = self._counts(scope)
        return sum(kept / possible for kept, possible in counts if possible) / len(counts)

    def mean_balanced_ratio(self, scope: str) -> float:
        """The mean over judges of the ratio with as many documents of level 0 as of higher levels; 0 where a judge has
        nothing to divide by, as in trec_eval.
        """
        counts = [_balanced(opinion, scope) for opinion in self.opinions]
        if not all(possible for _, possible in counts):
            return 0.0
        return sum(kept / possible for kept, possible in counts) / len(counts)

    def pair_ratio(self, scope: str) -> float:
        """The mean over pairs of documents of the share of judges with a preference who see it kept."""
        votes = np.zeros((self.n, self.n))
        for opinion in self.opinions:
            votes[np.ix_(opinion.documents, opinion.documents)] += opinion.prefers
        above, below = votes[np.triu_indices(self.n, 1)], votes.T[np.triu_indices(self.n, 1)]
        first, second = np.triu_indices(self.n, 1)
        kept = np.where(first < self.retrieved, above, 0.0)
        counts = (above + below > 0) & {
            "all": np.ones(len(first), bool),
            "implied": first < self.retrieved,
            "retrieved": second < self.retrieved,
        }[scope]
        return float((kept[counts] / (above + below)[counts]).sum() / counts.sum()) if counts.any() else 0.0

    def kept(self, scope: str) -> int:
        """Preferences kept."""
        return sum(kept for kept, _ in self._counts(scope))

    def possible(self, scope: str) -> int:
        """Preferences that could be kept."""
        return sum(possible for _, possible in self._counts(scope))

    def _counts(self, scope: str) -> list[_Count]:
        return [_counted(opinion.prefers, opinion.retrieved, scope) for opinion in self.opinions]


def opinion_of(
    documents: np.ndarray, retrieved: int, judgements: Sequence[tuple[str, int, float]], judge: str
) -> Opinion:
    """The preferences of a judge.

    Args:
        documents: int64 (m,), as in `Opinion`.
        judgements: part, index in `documents`, level.

    Raises:
        ValueError: preferences against each other, a level of 0 and one above it, a duplicate document in a part.
    """
    levels, prefers = np.full(len(documents), np.nan), np.zeros((len(documents), len(documents)), bool)
    parts: dict[str, dict[int, float]] = {}
    for part, index, level in judgements:
        if index in parts.setdefault(part, {}):
            raise ValueError(f"judge {shown(judge)} judges a document twice; give one judgement, or several parts")
        if (levels[index] > 0) != (level > 0) and not math.isnan(levels[index]):
            raise ValueError(f"judge {shown(judge)} gives a document the level 0 and a higher one; give one of them")
        parts[part][index] = levels[index] = level
    for judged in parts.values():
        indices, given = np.array(list(judged)), np.array(list(judged.values()))
        prefers[np.ix_(indices, indices)] |= given[:, None] > given[None]
    if len(parts) > 1:
        for through in range(len(documents)):
            prefers |= np.outer(prefers[:, through], prefers[through])
        if prefers.diagonal().any():
            raise ValueError(
                f"the preferences of judge {shown(judge)} go round in a circle; give them as judgements of several judges"
            )
    return Opinion(documents, retrieved, levels, prefers, len(parts) > 1)


def _counted(prefers: np.ndarray, retrieved: int, scope: str) -> _Count:
    """The preferences between retrieved documents ("retrieved"), with at least one of them ("implied"), or "all"."""
    if scope == "retrieved":
        prefers = prefers[:retrieved, :retrieved]
    kept = int(np.triu(prefers[:retrieved]).sum())
    absent = int(prefers[retrieved:, retrieved:].sum()) if scope == "implied" else 0
    return kept, int(prefers.sum()) - absent


def _balanced(opinion: Opinion, scope: str) -> _Count:
    """The preferences with as many documents of level 0 as of higher levels, of all documents or of the retrieved ones."""
    relevant, others = opinion.levels > 0, opinion.levels == 0
    found, found_others = int(relevant[: opinion.retrieved].sum()), int(others[: opinion.retrieved].sum())
    n, in_scope = int(relevant.sum()), scope == "retrieved"
    lacking = found - found_others if in_scope else n - int(others.sum())
    if lacking < 0:
        return _recount(opinion, found if in_scope and not opinion.in_parts else n, scope)
    kept, possible = _counted(opinion.prefers, opinion.retrieved, scope)
    return kept + found * lacking, possible + n * lacking


def _recount(opinion: Opinion, n: int, scope: str) -> _Count:
    """The preferences with the first n documents of level 0 only.

    Where the judgements came in one part, trec_eval also counts each pair of a document of level 0 and one of these n.
    """
    others = opinion.levels == 0
    counted = ~others | (np.cumsum(others) <= n)
    retrieved = int(counted[: opinion.retrieved].sum())
    kept, possible = _counted(opinion.prefers[np.ix_(counted, counted)], retrieved, scope)
    if opinion.in_parts:
        return kept, possible
    found = int(others[: opinion.retrieved].sum())
    pairs = (found if scope == "retrieved" else int(others.sum())) * n
    first = min(found, n)  # retrieved documents among the n, each above all later ones
    return kept + first * (n - 1) - first * (first - 1) // 2, possible + pairs
