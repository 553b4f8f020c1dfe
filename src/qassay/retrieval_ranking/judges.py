"""Judgements of several judges of the same documents: one row per query, judge and document."""

import dataclasses
import functools
from collections.abc import Mapping
from itertools import groupby
from typing import Any

import numpy as np

from ..core.columns import usual_roles
from ..core.errors import InputError
from ..core.gold_fingerprints import GoldFingerprints
from ..core.options import did_you_mean
from ..core.shown import keys_of, shown
from .fields import find_columns, table_of
from .long import id_column, number_column, to_arrow
from .preferences import Opinion, Preferences, opinion_of
from .ranks import JudgedDocuments
from .ties import RankedHits

_NOT_RETRIEVED = np.iinfo(np.int64).max

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
            message = (
                f"{measure} needs judgements by judges: a table with columns of query, judge, document and relevance, or "
                f"a file with lines of query, judge, part, document and relevance{has}"
            )
            raise InputError("references", message)
        query, document, relevance = find_columns(table, "references", ("query", "document", "relevance"))
        queries, documents, judges = (_texts(table, name) for name in (query, document, roles["judge"][0]))
        parts = _texts(table, roles["part"][0]) if "part" in roles else [""] * len(judges)
        level = number_column(to_arrow(table[relevance], f"references[{relevance!r}]"), f"references[{relevance!r}]")
        level = level.astype(np.float64)
        bad = np.flatnonzero(~np.isfinite(level))
        if len(bad):
            row = int(bad[0])
            which = f"document {shown(documents[row])} of query {shown(queries[row])}"
            message = f"references: the relevance of {which} is {level[row]:g}; give a finite number"
            raise InputError("references", message)
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

    def __init__(self, rows: JudgeRows, ranked: JudgedDocuments, options: Any):
        """`ranked`: the documents of `rows.references`; `options`: `RankingOptions`, of which ties and depth count."""
        self._rows, self._ranked, self._hits, self._options = rows, ranked, ranked.hits, options
        size, hits = len(rows.references["query"]), ranked.hits
        query_of = np.empty(size, np.int64)
        query_of[hits.judged_relevance.astype(np.int64)] = hits.judged_query
        self._query = query_of[rows.number]  # of each row
        self._hit = np.full(size, -1)  # the hit of each document that was retrieved
        self._hit[hits.relevance.astype(np.int64)] = np.arange(len(hits.relevance))
        self._judged: dict[tuple[int, str], list[int]] = {}  # query and judge -> rows by part, in trec_eval's order
        for query, judge, _, row in sorted(
            zip(self._query.tolist(), rows.judge, rows.part, range(len(rows.judge)), strict=True)
        ):
            self._judged.setdefault((query, judge), []).append(row)

    def values(self, measure: Any, settings: Mapping[str, Any]) -> np.ndarray:
        """The value of a measure of several judges for each query, float64 (q,); `settings`: as in `RankingMeasure.values`."""
        if measure.kind.judges == "preferences":
            return np.array(list(map(measure.kind.formula, self._preferences)), np.float64)
        hits, query_of = self._one_by_one
        judged_only = {**settings, **dict(measure.parameters)}["judged_only"]
        ranked, n = hits.in_order(self._options.ties, judged_only, self._options.depth), len(self._ranked.ids)
        means: np.ndarray = np.bincount(query_of, measure.values(ranked, settings), n) / np.bincount(
            query_of, minlength=n
        )
        return means

    def as_one(self) -> JudgedDocuments:
        """The documents with the highest relevance that a judge gives them, and all judgements as the gold data."""
        ranked, rows = self._ranked, self._rows
        highest = np.full(len(self._hit), -np.inf)
        np.maximum.at(highest, rows.number, rows.level)
        lines: list[list[tuple]] = [[] for _ in ranked.ids]
        for query, *line in zip(
            self._query.tolist(), rows.document, rows.judge, rows.part, rows.level.tolist(), strict=True
        ):
            lines[query].append(tuple(line))
        hits = dataclasses.replace(
            self._hits,
            judged_relevance=highest[self._hits.judged_relevance.astype(np.int64)],
            relevance=highest[self._hits.relevance.astype(np.int64)],
        )
        gold = GoldFingerprints.of_rows("judgements", [tuple(sorted(line)) for line in lines])
        return dataclasses.replace(ranked, hits=hits, gold=gold)

    @functools.cached_property
    def _one_by_one(self) -> tuple[RankedHits, np.ndarray]:
        """The hits, with each judge of a query treated as a query (p in total), and the original query of each,
        int64 (p,).

        Raises:
            ValueError: a judge judges a duplicate document.
        """
        rows, ranked = self._rows, self._ranked
        pair = np.empty(len(rows.judge), np.int64)
        for number, ((query, judge), judged) in enumerate(self._judged.items()):
            if len(np.unique(rows.number[judged])) < len(judged):
                name = shown(ranked.ids[query])
                message = (
                    f"references: judge {shown(judge)} judges a document of query {name} twice; give one judgement"
                )
                raise InputError("references", message)
            pair[judged] = number
        query_of = np.array([query for query, _ in self._judged], np.int64)
        by_pair = np.argsort(pair, kind="stable")
        hit = self._hit[rows.number]
        found = np.flatnonzero(hit >= 0)
        found = found[np.lexsort((hit[found], pair[found]))]
        at = hit[found]
        hits = RankedHits(
            self._hits.retrieved[query_of],
            pair[by_pair],
            rows.level[by_pair],
            pair[found],
            rows.level[found],
            self._hits.rank[at],
            self._hits.greater[at],
            self._hits.equal[at],
        )
        return hits, query_of

    @functools.cached_property
    def _preferences(self) -> list[Preferences]:
        """The preferences of the judges of each query.

        With ties="trec", documents with equal scores are ordered by id, ascending, as in trec_eval for preferences
        only.

        Raises:
            ValueError: a relevance below 0, or contradictory preferences.
        """
        rows, hits = self._rows, self._hits
        if (rows.level < 0).any():
            name = rows.document[int(np.argmax(rows.level < 0))]
            message = f"references: document {shown(name)} has a relevance below 0; preferences have levels from 0 on"
            raise InputError("references", message)
        rank = hits.rank if self._options.ties == "stable" else 2 * hits.greater + hits.equal + 1 - hits.rank
        rank_of = np.where(self._hit >= 0, np.append(rank, 0)[self._hit], _NOT_RETRIEVED)
        if self._options.depth is not None:
            rank_of[rank_of > self._options.depth] = _NOT_RETRIEVED
        found = [Preferences(0, 0, ())] * len(self._ranked.ids)
        for query, pairs in groupby(self._judged.items(), lambda item: item[0][0]):
            judged = {judge: judgements for (_, judge), judgements in pairs}
            names = {int(rows.number[row]): rows.document[row] for judgements in judged.values() for row in judgements}
            in_order = sorted(names, key=lambda number: (int(rank_of[number]), names[number]))
            index_of = {number: index for index, number in enumerate(in_order)}
            retrieved = int((rank_of[in_order] < _NOT_RETRIEVED).sum())
            try:
                opinions = [self._opinion(rows_of, judge, index_of, retrieved) for judge, rows_of in judged.items()]
            except ValueError as error:
                message = f"references: query {shown(self._ranked.ids[query])}: {error}"
                raise InputError("references", message) from None
            found[query] = Preferences(len(in_order), retrieved, opinions)
        return found

    def _opinion(self, judged: list[int], judge: str, index_of: Mapping[int, int], retrieved: int) -> Opinion:
        """The opinion of a judge on a query from that judge's rows; `index_of`: number of a document -> its index."""
        rows = self._rows
        documents, local = np.unique([index_of[int(rows.number[row])] for row in judged], return_inverse=True)
        parts = [rows.part[row] for row in judged]
        judgements = list(zip(parts, local.tolist(), rows.level[judged].tolist(), strict=True))
        return opinion_of(documents, int((documents < retrieved).sum()), judgements, judge)
