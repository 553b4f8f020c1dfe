"""Judgements of relevance in one checked form, whatever layout they come in."""

import dataclasses
import functools
from collections.abc import Sequence

import numpy as np

from ..core.arrow import mixed
from ..core.gold_fingerprints import GoldFingerprints, column_prints, float_prints, print_sums
from ..core.shown import shown
from .id_matching import IdTexts, as_int, first_repeated, may_have_duplicates, once_in_segments


@dataclasses.dataclass(frozen=True, eq=False)
class Judgements:
    """Judgements of q queries, query after query.

    Attributes:
        ids: q query ids as given; a `range` by position.
        keys: the same as text; None by position.
        offsets: int64 (q + 1,), the judgements of query i are at offsets[i]:offsets[i + 1] of `documents` and `relevance`.
        documents, relevance: (j,), ids and float64.
        from_run: they come from the rows of the run.
        are_named: a column that is called relevance has them, so they are no run.
    """

    ids: Sequence
    keys: list[str] | None
    offsets: np.ndarray
    documents: IdTexts
    relevance: np.ndarray
    from_run: bool = False
    are_named: bool = False

    @functools.cached_property
    def query(self) -> np.ndarray:
        """The row of `ids` of each judgement, int64 (j,)."""
        return np.repeat(np.arange(len(self.ids)), np.diff(self.offsets))

    @property
    def gold(self) -> GoldFingerprints | None:
        """Fingerprints of the judged documents of each query; None if each run brings its own judgements."""
        if self.from_run:
            return None

        def made() -> np.ndarray:
            prints = column_prints(self.documents.binary) ^ float_prints(self.relevance)
            return print_sums(mixed(prints), self.offsets)

        return GoldFingerprints(len(self.ids), {"judgements": made})

    def take(self, rows: np.ndarray) -> "Judgements":
        """Some of the judgements, by ascending row."""
        starts, documents = np.searchsorted(rows, self.offsets), self.documents.take(rows)
        return dataclasses.replace(self, offsets=starts, documents=documents, relevance=self.relevance[rows])

    def of_queries(self, queries: list[int], kind: type) -> tuple[np.ndarray, np.ndarray, list[list]]:
        """The rows (m,) of the judgements of some queries, which of these each belongs to, and their ids as str or int."""
        starts, ends = self.offsets[:-1][queries], self.offsets[1:][queries]
        sizes, listed = ends - starts, self.documents.listed
        documents: list[list] = [listed[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        if kind is int:
            documents = [list(map(as_int, names)) for names in documents]
        segment = np.repeat(np.arange(len(queries)), sizes)
        return np.arange(len(segment)) + np.repeat(starts - np.cumsum(sizes) + sizes, sizes), segment, documents

    def of_query(self, row: int) -> dict[str, float]:
        """Document -> relevance of a query."""
        (_, _, (documents,)), (start, end) = self.of_queries([row], str), self.offsets[row : row + 2]
        return dict(zip(documents, self.relevance[start:end].tolist(), strict=True))

    def checked(self, duplicates: str, may_repeat: bool = True) -> "Judgements":
        """The judgements, with each document of a query once.

        Args:
            duplicates: which of several judgements of a document counts, as in `RankingOptions`.
            may_repeat: the layout can hold a document twice.

        Raises:
            ValueError: there are none, a relevance is not finite, or a document is judged twice.
        """
        offsets, documents = self.offsets, self.documents
        if not len(documents):
            raise ValueError("there is nothing to score: references has no judgements")
        bad = np.flatnonzero(~np.isfinite(self.relevance))
        if len(bad):
            raise ValueError(
                f"references: the relevance of document {shown(documents.take(bad[:1]).listed[0])} of query "
                f"{shown(self.ids[self.query[bad[0]]])} is {self.relevance[bad[0]]}; give a finite number"
            )
        if not may_repeat or not may_have_duplicates(documents.binary, offsets):
            return self
        if duplicates != "error":
            return self.take(
                once_in_segments(documents.binary, offsets, self.relevance if duplicates == "best" else None)
            )
        for query, identifier in enumerate(self.ids):
            judged = documents.listed[offsets[query] : offsets[query + 1]]
            if len(set(judged)) != len(judged):
                raise ValueError(
                    f"references: query {shown(identifier)} judges the document {shown(first_repeated(judged)[1])} twice; "
                    "give every document one relevance"
                )
        return self
