"""Judgements of several judges of the same documents: one row per query, judge and document."""

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.columns import check_lengths, usual_roles
from ..core.errors import InputError
from ..core.gold_fingerprints import GoldFingerprints
from ..core.options import did_you_mean
from ..core.shown import keys_of, shown
from .fields import find_columns, table_of
from .judgements import Judgements
from .long import LongRun, id_column, long_judgements, number_column, to_arrow
from .nested import NestedRun
from .preferences import Preferences, opinion_of
from .ranks import JudgedDocuments, ranks

_JUDGE_ROLES = {
    "judge": ("judge", "judge_id", "assessor", "annotator", "judgment_group", "judgement_group"),
    "part": ("part", "judgment_subgroup", "judgement_subgroup", "subgroup"),
}


@dataclasses.dataclass(frozen=True)
class JudgeRows:
    """n judgements: query, document, judge and part as texts, and levels, float64 (n,)."""

    query: list[str]
    document: list[str]
    judge: list[str]
    part: list[str]
    level: np.ndarray

    @classmethod
    def of(cls, references: Any, measure: object) -> "JudgeRows":
        """The rows of a table; anything else raises a TypeError or ValueError with the `measure` that needs judges."""
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
        name = f"references[{relevance!r}]"
        level = number_column(to_arrow(table[relevance], name), name).astype(np.float64)
        check_lengths(query=queries, document=documents, judge=judges, relevance=level)
        return cls(queries, documents, judges, parts, level)

    @property
    def table(self) -> dict[str, Any]:
        """The judgements of all judges, for `read_rankings`, which takes the highest level of each document."""
        return {"query": self.query, "document": self.document, "relevance": self.level}

    @property
    def by_judge(self) -> dict[str, list[int]]:
        """Judge -> rows, in the order of judges, parts and rows."""
        rows: dict[str, list[int]] = {}
        for judge, _, row in sorted(zip(self.judge, self.part, range(len(self.judge)), strict=True)):
            rows.setdefault(judge, []).append(row)
        return rows


def _texts(table: Mapping[str, Any], name: str) -> list[str]:
    texts: list[str] = id_column(to_arrow(table[name], f"references[{name!r}]"), f"references[{name!r}]").to_pylist()
    return texts


class Judges:
    """The judgements of several judges of the q queries of a run."""

    def __init__(
        self, rows: JudgeRows, run: NestedRun | LongRun, judgements: Judgements, judged: JudgedDocuments, options: Any
    ):
        """`judgements`: those of `rows.table`; `judged`: their documents; `options`: `RankingOptions`."""
        self._rows, self._run, self._judgements, self._judged, self._options = rows, run, judgements, judged, options
        self._number_of = {key: number for number, key in enumerate(judgements.keys or ())}

    @property
    def gold(self) -> GoldFingerprints:
        """Fingerprints of all judgements of each query."""
        rows = self._rows
        lines: list[list[Any]] = [[] for _ in self._judged.ids]
        for query, *line in zip(rows.query, rows.document, rows.judge, rows.part, rows.level.tolist(), strict=True):
            lines[self._number_of[query]].append(tuple(line))
        return GoldFingerprints.of_rows("judgements", [tuple(sorted(line)) for line in lines])

    def values(self, measure: Any, settings: Mapping[str, Any]) -> np.ndarray:
        """The value of a measure of several judges for each query, float64 (q,); `settings`: as in `RankingMeasure.values`."""
        if measure.kind.judges == "preferences":
            return np.array(list(map(measure.kind.formula, self._preferences)), np.float64)
        judged_only = {**settings, **dict(measure.parameters)}["judged_only"]
        sums, counts = np.zeros((2, len(self._judged.ids)))
        for queries, judged in self._of_judges:
            hits = judged.hits.in_order(self._options.ties, judged_only, self._options.depth)
            sums[queries] += measure.values(hits, settings)
            counts[queries] += 1
        return sums / counts

    @functools.cached_property
    def _of_judges(self) -> list[tuple[np.ndarray, JudgedDocuments]]:
        """For each judge the queries, and the ranks of the documents that this judge has judged."""
        found = []
        for rows in self._rows.by_judge.values():
            query, document = ([column[row] for row in rows] for column in (self._rows.query, self._rows.document))
            names = to_arrow(query, "query"), to_arrow(document, "document")
            judgements = long_judgements(*names, to_arrow(self._rows.level[rows], "relevance"), "error")
            queries = np.array([self._number_of[key] for key in judgements.keys or ()])
            found.append((queries, ranks(self._run, judgements, self._options)))
        return found

    @functools.cached_property
    def _preferences(self) -> list[Preferences]:
        """The preferences of the judges of each query.

        With ties="trec", documents with equal scores are ordered by id, ascending, as in trec_eval for preferences
        only.

        Raises:
            ValueError: a relevance below 0, or contradictory preferences.
        """
        rows, hits, depth = self._rows, self._judged.hits, self._options.depth
        if (rows.level < 0).any():
            name = rows.document[int(np.argmax(rows.level < 0))]
            message = f"references: document {shown(name)} has a relevance below 0; preferences have levels from 0 on"
            raise InputError("references", message)
        rank = hits.rank if self._options.ties == "stable" else 2 * hits.greater + hits.equal + 1 - hits.rank
        documents = zip(hits.query.tolist(), self._judgements.texts(self._judged.found), strict=True)
        rank_of = {
            pair: place for pair, place in zip(documents, rank.tolist(), strict=True) if depth is None or place <= depth
        }
        judged: list[dict[str, list[int]]] = [{} for _ in self._judged.ids]  # of each query, judge -> rows
        for judge, of_judge in rows.by_judge.items():
            for row in of_judge:
                judged[self._number_of[rows.query[row]]].setdefault(judge, []).append(row)
        found = []
        for query, by_judge in enumerate(judged):
            names = {rows.document[row] for of_judge in by_judge.values() for row in of_judge}
            places = {name: rank_of[query, name] for name in names if (query, name) in rank_of}
            retrieved = sorted(places, key=places.__getitem__)
            index_of = {name: index for index, name in enumerate([*retrieved, *sorted(names.difference(retrieved))])}
            opinions = []
            for judge, of_judge in by_judge.items():
                indices, local = np.unique([index_of[rows.document[row]] for row in of_judge], return_inverse=True)
                levels = rows.level[of_judge].tolist()
                judgements = list(zip([rows.part[row] for row in of_judge], local.tolist(), levels, strict=True))
                try:
                    opinions.append(opinion_of(indices, int((indices < len(retrieved)).sum()), judgements, judge))
                except ValueError as error:
                    message = f"references: query {shown(self._judged.ids[query])}: {error}"
                    raise InputError("references", message) from None
            found.append(Preferences(len(index_of), len(retrieved), opinions))
        return found
