"""One ranking in plain Python, without arrays: equal to the last bit to a query of `score_rankings`."""

from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from math import floor, inf
from typing import Any

import numpy as np

from .gains import level_gains, worth_of_levels
from .measures import RankingMeasure, parse_measures
from .query_ids import has_text_keys
from .scoring import RankingOptions
from .tables import KNOWN_NAMES

_HIGHEST_LEVEL = 10  # a higher relevance may be a score
_LOGARITHMS = np.log2(np.arange(1 << 10) + 1.0).tolist()  # of rank + 1
_NUMBERS, _TEXTS = frozenset((int, float)), frozenset((str,))


class _Ranking:
    """One query: documents `retrieved`, and the relevance of judged documents and, by rank, of retrieved ones."""

    __slots__ = ("_relevant", "found", "judged", "retrieved")

    def __init__(self, retrieved: int, found: list[tuple[int, float]], judged: Collection[float]):
        self.retrieved, self.found, self.judged = retrieved, found, judged
        self._relevant: dict[float, tuple[list[int], int]] = {}

    def relevant(self, level: float) -> tuple[list[int], int]:
        """The ranks of the retrieved documents of this relevance or more, and how many documents have it in all."""
        if level not in self._relevant:
            ranks = [rank for rank, relevance in self.found if relevance >= level]
            self._relevant[level] = ranks, len([relevance for relevance in self.judged if relevance >= level])
        return self._relevant[level]


# Largest number of documents, in one query or several, for which this is faster than columns; documents of a dict are
# sorted.
_MOST_SCORED, _MOST_LISTED = 2500, 20_000


def work_of(prediction: Any) -> float:
    """The share of the work limit of the fast path that a ranking uses: at 1, columns are faster."""
    if not isinstance(prediction, (dict, list)):
        return 0.0
    return len(prediction) / (_MOST_SCORED if isinstance(prediction, dict) else _MOST_LISTED)


_Formula = Callable[[_Ranking], float]


def one_ranking(options: RankingOptions) -> Callable[[Any, Any], dict[str, float] | None] | None:
    """A function of a ranking and its judgements that returns the measures that are means; None if there is no fast
    path.

    It takes a dict document -> score or a list of documents, and a dict document -> relevance (integers up to 10), or a
    list or set of the relevant documents; documents are strings. For any other input it returns None.
    """
    settings, formulas = options.settings, []
    measures = [measure for measure in parse_measures(options.measures) if measure.is_mean]
    if not measures or not _is_short(options, measures):
        return None
    for measure in measures:
        own = {**settings, **dict(measure.parameters)}
        formulas.append((str(measure), _FORMULAS[measure.name](measure.cutoff, own)))
    depth, judged_only, by_id = options.depth, options.judged_only, options.ties == "trec"

    def score(prediction: Any, gold: Any) -> dict[str, float] | None:
        if work_of(prediction) > 1:
            return None
        levels, documents = _levels(gold), _order(prediction, by_id)
        if levels is None or documents is None:
            return None
        if depth is not None:
            documents = documents[:depth]
        found = [(rank, levels[name]) for rank, name in enumerate(documents, 1) if name in levels]
        retrieved = len(documents)
        if judged_only:
            found = list(enumerate((relevance for _, relevance in found if relevance >= 0), 1))
            retrieved = len(found)
        ranking = _Ranking(retrieved, found, levels.values())
        return {name: formula(ranking) for name, formula in formulas}

    return score


def _is_short(options: RankingOptions, measures: Sequence[RankingMeasure]) -> bool:
    gains = {dict(measure.parameters).get("gain", options.gain) for measure in measures}
    return (
        options.ties in ("trec", "stable")
        and options.score_dtype == "float64"
        and not (options.tie_bounds or options.skip_trivial or options.drop_identical_ids or options.lower_is_better)
        and not any(map(level_gains, gains))
        and all(
            measure.name in _FORMULAS
            and dict(measure.parameters).get("judged_only", options.judged_only) == options.judged_only
            for measure in measures
        )
    )


def _levels(gold: Any) -> dict[str, float] | None:
    """The relevance of each judged document, all strings; None if the judgements go by columns."""
    levels: dict[str, float]
    if type(gold) is dict:
        numbers = gold.values()
        kinds = set(map(type, numbers))
        if not gold or not _has_documents(gold) or not kinds <= _NUMBERS or max(numbers) > _HIGHEST_LEVEL:
            return None
        whole = float not in kinds or all(number % 1 == 0 for number in numbers)  # not where one is NaN or infinite
        return gold if whole else None
    if not isinstance(gold, (list, set, tuple, frozenset)) or not _TEXTS.issuperset(map(type, gold)):
        return None
    levels = dict.fromkeys(gold, 1)
    return levels if 0 < len(levels) == len(gold) else None


def _order(prediction: Any, by_id: bool) -> list[str] | None:
    """The retrieved documents, all strings, the first rank first; None as in `_levels`."""
    if type(prediction) is list:
        texts = _TEXTS.issuperset(map(type, prediction)) and len(set(prediction)) == len(prediction)
        return prediction if texts else None
    if type(prediction) is not dict or not _has_documents(prediction):
        return None
    scores: Any = prediction.values()
    kinds = set(map(type, scores))
    if not kinds <= _NUMBERS:
        return None
    if int in kinds:
        scores = list(map(float, scores))
    total = sum(scores)
    if total != total:  # one is NaN, or two are infinite
        return None
    if by_id:
        return [name for _, name in sorted(zip(scores, prediction, strict=True), reverse=True)]
    score_of = dict(zip(prediction, scores, strict=True))
    return sorted(prediction, key=score_of.__getitem__, reverse=True)


def _has_documents(row: dict) -> bool:
    """Whether all keys are strings and no key is a column name, so the dict is not a row of a table."""
    return (has_text_keys(row) or _TEXTS.issuperset(map(type, row))) and KNOWN_NAMES.isdisjoint(map(str.lower, row))


# --- measures: the formulas of `formulas` and `gains` for one query ---------------------------------------------------


def _mrr(k: int | None, settings: Mapping[str, Any]) -> _Formula:
    level, cut = settings["rel"], inf if k is None else k

    def value(ranking: _Ranking) -> float:
        ranks, _ = ranking.relevant(level)
        return 1.0 / ranks[0] if ranks and ranks[0] <= cut else 0.0

    return value


def _average_precision(k: int | None, settings: Mapping[str, Any]) -> _Formula:
    level, denominator, cut = settings["rel"], settings["denominator"], inf if k is None else k
    fixed = int(denominator.removeprefix("fixed:")) if denominator.startswith("fixed:") else None

    def value(ranking: _Ranking) -> float:
        ranks, relevant = ranking.relevant(level)
        total, most = 0.0, float(relevant)
        for number, rank in enumerate(ranks, 1):
            if rank > cut:
                break
            total += number / rank
        if fixed is not None:
            return total / fixed
        if denominator == "num_retrieved_relevant":
            most = bisect_right(ranks, cut)
        elif denominator == "min_k_relevant":
            most = min(most, cut)
        elif denominator == "min_mn":
            most = min(most, ranking.retrieved, cut)
        return total / most if most else 0.0

    return value


def _dcg(k: int | None, settings: Mapping[str, Any]) -> _Formula:
    worth, cut = _worth(settings), inf if k is None else k
    return lambda ranking: _discounted(worth, ranking.found, cut)


def _ideal_dcg(k: int | None, settings: Mapping[str, Any]) -> _Formula:
    worth, cut = _worth(settings), inf if k is None else k
    return lambda ranking: _discounted(worth, enumerate(sorted(ranking.judged, reverse=True), 1), cut)


def _ndcg(k: int | None, settings: Mapping[str, Any]) -> _Formula:
    dcg, ideal_dcg = _dcg(k, settings), _ideal_dcg(k, settings)

    def value(ranking: _Ranking) -> float:
        ideal = ideal_dcg(ranking)
        return dcg(ranking) / ideal if ideal else 0.0

    return value


def _worth(settings: Mapping[str, Any]) -> list[float]:
    return worth_of_levels(np.arange(_HIGHEST_LEVEL + 1.0), settings["gain"]).tolist()


def _discounted(worth: list[float], ranked: Any, cut: float) -> float:
    total = 0.0
    for rank, relevance in ranked:
        if rank > cut:
            break
        if relevance > 0:
            total += worth[int(relevance)] / (
                _LOGARITHMS[rank] if rank < len(_LOGARITHMS) else np.log2(rank + 1.0).item()
            )
    return total


def _at(value: Callable[[int, int, int, Any], float]) -> Callable[[Any, Mapping[str, Any]], _Formula]:
    """A measure as a function of the relevant documents up to rank k (None: all), all relevant documents, retrieved
    documents, and k.
    """

    def measure(k: int | None, settings: Mapping[str, Any]) -> _Formula:
        level, cut = settings["rel"], inf if k is None else k

        def of_ranking(ranking: _Ranking) -> float:
            ranks, relevant = ranking.relevant(level)
            return value(bisect_right(ranks, cut), relevant, ranking.retrieved, k)

        return of_ranking

    return measure


def _r_precision(k: None, settings: Mapping[str, Any]) -> _Formula:
    level, mult = settings["rel"], settings["mult"]

    def value(ranking: _Ranking) -> float:
        ranks, num_relevant = ranking.relevant(level)
        cut = floor(mult * num_relevant + 0.9)
        return bisect_right(ranks, cut) / cut if cut else 0.0

    return value


def _ratio(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else 0.0


def _set_f(found: int, relevant: int, retrieved: int, k: None) -> float:
    precision, recall = _ratio(found, retrieved), _ratio(found, relevant)
    return _ratio(2 * precision * recall, precision + recall)


_RECALL = _at(lambda found, relevant, retrieved, k: _ratio(found, relevant))
_FORMULAS: dict[str, Callable[[Any, Mapping[str, Any]], _Formula]] = {
    "mrr": _mrr,
    "map": _average_precision,
    "ndcg": _ndcg,
    "dcg": _dcg,
    "ideal_dcg": _ideal_dcg,
    "p": _at(lambda found, relevant, retrieved, k: found / k),
    "recall": _RECALL,
    "hit_rate": _at(lambda found, relevant, retrieved, k: float(found > 0)),
    "f1": _at(lambda found, relevant, retrieved, k: 2 * found / (k + relevant)),
    "rprec": _r_precision,
    "relative_p": _at(lambda found, relevant, retrieved, k: _ratio(found, min(k, relevant))),
    "set_p": _at(lambda found, relevant, retrieved, k: _ratio(found, retrieved)),
    "set_recall": _RECALL,
    "set_f": _at(_set_f),
    "set_map": _at(lambda found, relevant, retrieved, k: _ratio(found**2, retrieved * relevant)),
    "set_relative_p": _at(lambda found, relevant, retrieved, k: _ratio(found, min(retrieved, relevant))),
    "utility": _at(lambda found, relevant, retrieved, k: float(2 * found - retrieved)),
}
