"""Judgements of several judges of the same documents: one row per query, judge and document."""

import dataclasses
import functools
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

import numpy as np

from ..core.columns import usual_roles
from ..core.errors import blamed
from ..core.gold_fingerprints import GoldFingerprints
from ..core.options import did_you_mean
from ..core.shown import keys_of, shown
from .fields import find_columns, table_of
from .preferences import Opinion, Preferences, opinion_of
from .ranks import JudgedDocuments
from .tables import id_column, number_column, to_arrow

_JUDGE_ROLES = {
    "judge": ("judge", "judge_id", "assessor", "annotator", "judgment_group", "judgement_group"),
    "part": ("part", "judgment_subgroup", "judgement_subgroup", "subgroup"),
}


@dataclasses.dataclass(frozen=True)
class JudgeRows:
    """One judgement per row, n of them.

    Attributes:
        number: int64 (n,), of the document of a query, from 0 on in the order of the rows.
        document, judge, part: n texts.
        level: float64 (n,).
        references: a table of the documents of queries, with their number for a relevance, for `ranks`.
    """

    number: np.ndarray
    document: list[str]
    judge: list[str]
    part: list[str]
    level: np.ndarray
    references: Mapping[str, Any]

    @classmethod
    def of(cls, references: Any, measure: object) -> "JudgeRows":
        """The rows of a table.

        Args:
            measure: the measure that needs judges, for messages.

        Raises:
            TypeError, ValueError: not such a table, or levels that are not finite numbers.
        """
        table = table_of(references, "references")
        roles = {} if table is None else usual_roles(table, _JUDGE_ROLES)
        if table is None or "judge" not in roles:
            has = "" if table is None else f"; it has: {keys_of(table)}{did_you_mean('judge', map(str, table))}"
            told = (
                f"{measure} needs judgements by judges: a table with columns of query, judge, document and relevance, or "
                f"a file with lines of query, judge, part, document and relevance{has}"
            )
            raise blamed(TypeError(told), "references")
        query, document, relevance = find_columns(table, "references", ("query", "document", "relevance"))
        queries, documents, judges = (_texts(table, name) for name in (query, document, roles["judge"][0]))
        parts = _texts(table, roles["part"][0]) if "part" in roles else [""] * len(judges)
        level = number_column(to_arrow(table[relevance], f"references[{relevance!r}]"), f"references[{relevance!r}]")
        level = level.astype(np.float64)
        bad = np.flatnonzero(~np.isfinite(level))
        if len(bad):
            row = int(bad[0])
            told = f"references: the relevance of document {shown(documents[row])} of query {shown(queries[row])}"
            raise blamed(ValueError(f"{told} is {level[row]:g}; give a finite number"), "references")
        numbers: dict[tuple[str, str], int] = {}
        number = [numbers.setdefault(pair, len(numbers)) for pair in zip(queries, documents, strict=True)]
        names = list(zip(*numbers, strict=True)) or [(), ()]
        plain = {"query": list(names[0]), "document": list(names[1]), "relevance": list(map(float, numbers.values()))}
        return cls(np.array(number, np.int64), documents, judges, parts, level, plain)


def _texts(table: Mapping[str, Any], name: str) -> list[str]:
    column = id_column(to_arrow(table[name], f"references[{name!r}]"), f"references[{name!r}]")
    return list(map(str, column.to_pylist()))


class Judges:
    """The judgements of several judges with the ranks of the documents, for q queries."""

    def __init__(self, rows: JudgeRows, ranked: JudgedDocuments, ties: str, depth: int | None):
        """`ranked`: the documents of `rows.references`; `ties`, `depth`: the options of these names."""
        self._rows, self._ranked, self._ties, self._depth = rows, ranked, ties, depth
        self.n_queries = len(ranked.ids)
        size = len(rows.references["query"])
        self._query = np.empty(size, np.int64)
        self._query[ranked.judged_relevance.astype(np.int64)] = ranked.judged_query
        self._hit = np.full(size, -1)  # the place in `ranked` of each document that was retrieved
        self._hit[ranked.relevance.astype(np.int64)] = np.arange(len(ranked.relevance))
        query = self._query[rows.number]
        texts = zip(query.tolist(), rows.judge, rows.part, range(len(query)), strict=True)
        self._order = sorted(range(len(query)), key=list(texts).__getitem__)  # by query and judge, as trec_eval

    def as_one(self) -> JudgedDocuments:
        """The documents with the highest relevance that a judge gives them, and all judgements as the gold data."""
        highest = np.full(len(self._query), -np.inf)
        np.maximum.at(highest, self._rows.number, self._rows.level)
        ranked, rows = self._ranked, self._rows
        lines: list[list[tuple]] = [[] for _ in ranked.ids]
        for row, query in enumerate(self._query[rows.number].tolist()):
            lines[query].append((rows.document[row], rows.judge[row], rows.part[row], float(rows.level[row])))
        return dataclasses.replace(
            ranked,
            judged_relevance=highest[ranked.judged_relevance.astype(np.int64)],
            relevance=highest[ranked.relevance.astype(np.int64)],
            gold=GoldFingerprints.of_rows("judgements", [tuple(sorted(line)) for line in lines]),
        )

    @functools.cached_property
    def one_by_one(self) -> tuple[JudgedDocuments, np.ndarray]:
        """The documents, with each judge of a query treated as a query (p in total), and the original query of each,
        int64 (p,).

        Raises:
            ValueError: a judge judges a duplicate document.
        """
        rows, ranked = self._rows, self._ranked
        queries: list[int] = []
        pair = np.empty(len(self._order), np.int64)
        for (query, judge), group in groupby(self._order, self._judge_of):
            places = list(group)
            if len({int(rows.number[row]) for row in places}) < len(places):
                name = shown(ranked.ids[query])
                told = f"references: judge {shown(judge)} judges a document of query {name} twice; give one judgement"
                raise blamed(ValueError(told), "references")
            pair[places] = len(queries)
            queries.append(query)
        query_of = np.array(queries, np.int64)
        by_pair = np.argsort(pair, kind="stable")
        hit = self._hit[rows.number]
        found = np.flatnonzero(hit >= 0)
        found = found[np.lexsort((hit[found], pair[found]))]
        at = hit[found]
        judged = dataclasses.replace(
            ranked,
            ids=range(len(query_of)),
            missing=ranked.missing[query_of],
            retrieved=ranked.retrieved[query_of],
            judged_query=pair[by_pair],
            judged_relevance=rows.level[by_pair],
            query=pair[found],
            relevance=rows.level[found],
            rank=ranked.rank[at],
            greater=ranked.greater[at],
            equal=ranked.equal[at],
        )
        return judged, query_of

    @functools.cached_property
    def preferences(self) -> list[Preferences]:
        """The preferences of the judges of each query.

        With ties="trec", documents with equal scores are ordered by id, ascending, as in trec_eval for preferences
        only.

        Raises:
            ValueError: a relevance below 0, or contradictory preferences.
        """
        rows, ranked = self._rows, self._ranked
        if (rows.level < 0).any():
            name = rows.document[int(np.flatnonzero(rows.level < 0)[0])]
            told = f"references: document {shown(name)} has a relevance below 0; preferences have levels from 0 on"
            raise blamed(ValueError(told), "references")
        rank = ranked.rank if self._ties == "stable" else 2 * ranked.greater + ranked.equal + 1 - ranked.rank
        rank_of = np.where(self._hit >= 0, np.append(rank, 0)[self._hit], np.iinfo(np.int64).max)
        if self._depth is not None:
            rank_of[rank_of > self._depth] = np.iinfo(np.int64).max
        found: list[Preferences] = [Preferences(0, 0, ())] * len(ranked.ids)
        for query, group in groupby(self._order, lambda row: int(self._query[rows.number[row]])):
            places = list(group)
            names = {int(rows.number[row]): rows.document[row] for row in places}
            in_order = sorted(names, key=lambda number: (int(rank_of[number]), names[number]))
            place_of = {number: place for place, number in enumerate(in_order)}
            retrieved = int((rank_of[in_order] < np.iinfo(np.int64).max).sum())
            try:
                opinions = [
                    self._opinion(list(own), judge, place_of, retrieved)
                    for (_, judge), own in groupby(places, self._judge_of)
                ]
            except ValueError as error:
                told = f"references: query {shown(ranked.ids[query])}: {error}"
                raise blamed(ValueError(told), "references") from None
            found[query] = Preferences(len(in_order), retrieved, opinions)
        return found

    def _opinion(self, own: list[int], judge: str, place_of: Mapping[int, int], retrieved: int) -> Opinion:
        """The opinion of a judge on a query from that judge's rows; `place_of`: number of a document -> its place."""
        rows = self._rows
        places = [place_of[int(rows.number[row])] for row in own]
        documents, local = np.unique(places, return_inverse=True)
        levels = rows.level[own].tolist()
        judged = list(zip([rows.part[row] for row in own], local.tolist(), levels, strict=True))
        return opinion_of(documents, int((documents < retrieved).sum()), judged, judge)

    def _judge_of(self, row: int) -> tuple[int, str]:
        return int(self._query[self._rows.number[row]]), self._rows.judge[row]


def mean_over(values: np.ndarray, query_of: np.ndarray, n: int) -> np.ndarray:
    """The mean of the values of each of n queries; each query has at least one value."""
    sums: np.ndarray = np.bincount(query_of, values, n) / np.bincount(query_of, minlength=n)
    return sums


def preference_values(preferences: Iterable[Preferences], method: str, scope: str) -> np.ndarray:
    """A number of the preferences of each query, float64 (q,)."""
    return np.array([getattr(one, method)(scope) for one in preferences], np.float64)
