"""Judgements of relevance in one checked form, whatever layout they come in."""

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.arrow import SPREAD, arrow_integers, binary_array, fingerprints, mixed
from ..core.gold_fingerprints import GoldFingerprints, float_prints, print_sums
from ..core.shown import shown
from .ids import first_repeated, may_have_duplicates, once_in_segments


@dataclasses.dataclass(frozen=True, eq=False)
class Judgements:
    """Judgements of q queries, query after query.

    Attributes:
        ids: q query ids as given; a `range` by position.
        keys: the same as text; None by position.
        offsets: int64 (q + 1,), the judgements of query i are at offsets[i]:offsets[i + 1] of `documents` and `relevance`.
        documents: j ids, a list of strings or an Arrow column of them; `listed` and `binary` are made on first use.
        relevance: float64 (j,).
        from_run: they come from the rows of the run.
    """

    ids: Sequence[Any]
    keys: list[str] | None
    offsets: np.ndarray
    documents: Any
    relevance: np.ndarray
    from_run: bool = False

    @functools.cached_property
    def listed(self) -> list[str]:
        """The documents as a list of strings."""
        return self.documents if isinstance(self.documents, list) else self.documents.to_pylist()

    @functools.cached_property
    def binary(self) -> Any:
        """The documents as a pyarrow.ChunkedArray of large_binary."""
        import pyarrow as pa

        if isinstance(self.documents, list):
            return pa.chunked_array([binary_array(self.documents)])
        return self.documents.cast(pa.large_binary())

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
            prints = mixed(fingerprints(self.binary) + SPREAD) ^ float_prints(self.relevance)
            return print_sums(mixed(prints), self.offsets)

        return GoldFingerprints(len(self.ids), {"judgements": made})

    def texts(self, rows: np.ndarray) -> list[str]:
        """The documents of some judgements."""
        if isinstance(self.documents, list):
            return list(map(self.documents.__getitem__, rows.tolist()))
        texts: list[str] = self.documents.take(arrow_integers(rows)).to_pylist()
        return texts

    def take(self, rows: np.ndarray) -> "Judgements":
        """Some of the judgements, by ascending row."""
        documents = self.texts(rows) if isinstance(self.documents, list) else self.documents.take(arrow_integers(rows))
        starts = np.searchsorted(rows, self.offsets)
        return dataclasses.replace(self, offsets=starts, documents=documents, relevance=self.relevance[rows])

    def of_query(self, row: int) -> dict[str, float]:
        """Document -> relevance of a query."""
        start, end = self.offsets[row : row + 2]
        return dict(zip(self.texts(np.arange(start, end)), self.relevance[start:end].tolist(), strict=True))

    def checked(self, duplicates: str, may_repeat: bool = True) -> "Judgements":
        """The judgements, with each document of a query once.

        Args:
            duplicates: which of several judgements of a document counts, as in `RankingOptions`.
            may_repeat: the layout can hold a document twice.

        Raises:
            ValueError: a relevance is not finite, or a document is judged twice.
        """
        bad = np.flatnonzero(~np.isfinite(self.relevance))
        if len(bad):
            raise ValueError(
                f"references: the relevance of document {shown(self.texts(bad[:1])[0])} of query "
                f"{shown(self.ids[self.query[bad[0]]])} is {self.relevance[bad[0]]}; give a finite number"
            )
        if not may_repeat or not may_have_duplicates(self.binary, self.offsets):
            return self
        if duplicates != "error":
            return self.take(
                once_in_segments(self.binary, self.offsets, self.relevance if duplicates == "best" else None)
            )
        for query, identifier in enumerate(self.ids):
            judged = self.listed[self.offsets[query] : self.offsets[query + 1]]
            if len(set(judged)) != len(judged):
                raise ValueError(
                    f"references: query {shown(identifier)} judges the document {shown(first_repeated(judged)[1])} twice; "
                    "give every document one relevance"
                )
        return self
