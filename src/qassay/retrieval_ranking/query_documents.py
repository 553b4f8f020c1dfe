"""The documents of single queries, from judgements and runs of any size, for display and not for scoring."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.remarks import collected
from .ranks import read_rankings
from .scoring import RankingOptions


class QueryDocuments:
    """The documents of single queries, by their ids in the scores."""

    def __init__(self, columns: Mapping[str, Any], options: RankingOptions):
        """`columns`: predictions and references of `score_rankings`, without references if the run has the judgements."""
        with collected():  # the remarks have been issued when the run was scored
            run, judgements = read_rankings(columns, options.duplicates, options.lower_is_better)
        self._run, self._judgements, self._options = run, judgements, options
        positions = map(str, range(len(judgements.ids)))
        self._row_of_judged = {key: row for row, key in enumerate(judgements.keys or positions)}
        self._row_of_run = {key: row for row, key in enumerate(run.keys or self._row_of_judged)}

    def relevance(self, query: Any) -> dict[str, float]:
        """The judgements of a query: document -> relevance, which is 1 for the documents of a list."""
        row = self._row_of_judged.get(str(query))
        return {} if row is None else self._judgements.of_query(row)

    def relevant(self, query: Any, most: int) -> list[str]:
        """The relevant documents of a query, most relevant first, at most `most`."""
        level, relevance = self._options.relevance_level, self.relevance(query)
        names = [name for name, value in relevance.items() if value >= level]
        return sorted(names, key=relevance.__getitem__, reverse=True)[:most]

    def retrieved(self, query: Any, most: int) -> list[str]:
        """The first documents of a query, in the order in which they are scored; with ties="expected" documents of the same
        score are in the order of trec_eval.
        """
        row = self._row_of_run.get(str(query))
        pairs = [] if row is None else self._run.pairs(row)
        options = self._options
        relevance = self.relevance(query) if options.judged_only or options.ties in ("best", "worst") else {}
        if options.judged_only:
            pairs = [pair for pair in pairs if relevance.get(pair[0], -1) >= 0]
        if options.drop_identical_ids:
            pairs = [pair for pair in pairs if pair[0] != str(query)]
        if options.ties in ("best", "worst"):
            pairs.sort(key=lambda pair: relevance.get(pair[0], 0), reverse=options.ties == "best")
        elif options.ties != "stable":
            pairs.sort(key=lambda pair: pair[0], reverse=True)
        to_float: Any = np.dtype(options.score_dtype).type
        pairs.sort(key=lambda pair: to_float(pair[1]), reverse=True)
        return [name for name, _ in pairs[:most]]
