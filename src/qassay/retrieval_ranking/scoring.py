"""retrieval_ranking: MRR, MAP, nDCG, precision, recall, hit rate and the other measures of trec_eval, for rankings."""

import contextlib
import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from ..core.columns import check_lengths
from ..core.errors import InputError, NothingToScore, about
from ..core.groups import to_groups
from ..core.ids import values_by_id
from ..core.intake import WEIGHTS, Cells
from ..core.measures import Count, Measure
from ..core.options import Options, check_whole, option
from ..core.presets import Preset
from ..core.scores import Scores
from ..core.shown import shown
from .formulas import RELEVANCE_LEVELS, check_gains, level_gains
from .measures import (
    DEFAULT_MEASURES,
    PARAMETER_DEFAULTS,
    RankingMeasure,
    check_denominator,
    check_gain,
    check_level,
    parse_measure,
    parse_measures,
)
from .mismatch import refuse_swapped, remark_unjudged
from .presets import PRESETS
from .ranks import match_queries, ranked_hits, read_rankings
from .ties import RankedHits

_ABOVE_ZERO = math.ulp(0.0)

_WITHOUT_PRESET: dict[str, Any] = {"measures": DEFAULT_MEASURES, "ties": "trec", "ap_denominator": "num_relevant"}


@dataclasses.dataclass(frozen=True)
class RankingOptions(Options):
    """The options of retrieval_ranking.

    Attributes:
        preset: "trec_eval": the measures that the program prints without options; "nlpcc": the measures, the order of
            ties and the AP denominator of the NLPCC-DBQA guideline.
        measures: names such as "map", "ndcg@10", "map(rel=2)@100", or trec_eval's; also "official" and "all_trec".
        ties: the order of documents with the same score: "trec" (document id descending), "stable" (as given), "best"
            or "worst" (relevant documents first or last), "expected" (the mean over all orders).
        tie_bounds: add measures for the worst and the best order of ties, if these are bounds.
        score_dtype: precision in which scores are compared: "float64" (trec_eval 10) or "float32" (trec_eval 9 and
            pytrec_eval).
        missing: a judged query that the run lacks scores 0 ("zero"), is omitted ("skip") or refused ("error");
            it is always counted.
        relevance_level: documents of at least this relevance are relevant; does not affect nDCG, DCG and ERR.
        ap_denominator: the denominator of average precision: "num_relevant" (trec_eval), "min_mn" (relevant or
            retrieved documents, whichever are fewer: NLPCC), "num_retrieved_relevant" (relevant documents found),
            "min_k_relevant" (relevant documents, at most k) or "fixed:N" (fixed:10: BioASQ 3 and 5).
        gain: the value of relevance in nDCG and DCG: "linear", "exp2" (2^relevance - 1) or a dict {level: gain}, in
            which the gain of an omitted level is the level.
        depth: the number of documents of each ranking that count (trec_eval's -M); None: all. Applied before
            judged_only.
        judged_only: removes unjudged documents (trec_eval's -J).
        skip_trivial: omits queries without a relevant document, or with relevant documents only (NLPCC's program).
        drop_identical_ids: removes documents with the id of their query (ArguAna, Quora).
        duplicates: for a duplicate document of a query, as with chunks of one document, the "first" one counts, or the
            "best" (highest score; in a list the first), and the others are removed and counted; or it is refused
            ("error"). The same for duplicate judgements, by relevance.
        lower_is_better: the scores are distances, so the lowest is best.
    """

    family: ClassVar[str] = "retrieval_ranking"
    presets: ClassVar[Mapping[str, Preset]] = PRESETS
    pointers: ClassVar[Mapping[str, str]] = {
        "k": 'write measures=["ndcg@10", "recall@100"]: the cutoff belongs to the measure',
        "k_values": 'write measures=["ndcg@10", "ndcg@100"]: the cutoff belongs to the measure',
        "metrics": "write measures=",
        "top_k": 'write measures=["ndcg@10", "recall@100"]: the cutoff belongs to the measure',
        "average": "every measure is a mean over queries",
    }

    @classmethod
    def measure_names(cls, name: str) -> list[str]:
        """Reads names like the option measures: "P.5,10" is p@5 and p@10."""
        try:
            return list(map(str, parse_measures(name)))
        except ValueError:
            return [name]

    @classmethod
    def pointed(cls, name: object, there: Iterable[str]) -> str:
        """Also says that a measure must be requested to be computed."""
        near = super().pointed(name, there)
        known = cls.measure_names(name) if isinstance(name, str) and name not in cls.pointers else [name]
        with contextlib.suppress(ValueError, TypeError):
            names = ", ".join(map(repr, map(str, parse_measures(known))))
            return f"{near}; it is only computed on request: score with measures=[..., {names}]"
        return near

    preset: str | None = None
    measures: tuple[str, ...] | None = None
    ties: str | None = option(None, "ties", choices=(None, "trec", "stable", "best", "worst", "expected"), always=True)
    tie_bounds: bool = False
    score_dtype: str = option("float64", "scores", choices=("float64", "float32"), always=True)
    missing: str = option("zero", "missing", choices=("zero", "skip", "error"), always=True)
    relevance_level: float = option(1, "rel", always=True)
    ap_denominator: str | None = option(None, "ap", always=True)
    gain: str = option("linear", "gain", always=True)
    depth: int | None = option(None, "depth")
    judged_only: bool = option(False, "judged_only")
    skip_trivial: bool = option(False, "skip_trivial")
    drop_identical_ids: bool = option(False, "drop_identical_ids")
    duplicates: str = option("error", "duplicates", choices=("error", "first", "best"))
    lower_is_better: bool = option(False, "lower_is_better")

    @classmethod
    def of_config(cls, name: str, keywords: Mapping[str, Any]) -> "RankingOptions":
        """As for all options; None means the choice of the config."""
        given = {option: value for option, value in keywords.items() if value is not None}
        return super().of_config(name, given)

    def _settle(self):
        self._set(**{name: value for name, value in _WITHOUT_PRESET.items() if getattr(self, name) is None})
        level, denominator = check_level(self.relevance_level), check_denominator(self.ap_denominator)
        measures = parse_measures(self.measures)
        self._set(relevance_level=level, ap_denominator=denominator, gain=check_gain(self.gain))
        self._set(measures=tuple(map(str, measures)))
        if self.depth is not None:
            check_whole("depth", self.depth, 1)
        if self.ties == "expected":
            if self.depth is not None:
                raise ValueError(
                    "a depth may cut through tied documents, which has no closed form for ties=expected; omit "
                    "depth, or use ties=trec"
                )
            unknown = [str(measure) for measure in measures if not measure.has_expectation(self.settings)]
            if unknown:
                raise ValueError(
                    f"{unknown[0]} has no closed form for ties=expected; omit it, or use ties=trec with tie_bounds=True"
                )

    @property
    def settings(self) -> dict[str, Any]:
        """The parameters of measures without explicit ones."""
        return {
            "rel": self.relevance_level,
            "denominator": self.ap_denominator,
            "gain": self.gain,
            "judged_only": self.judged_only,
            **PARAMETER_DEFAULTS,
        }


def score_rankings(
    predictions: Any = None,
    references: Any = None,
    ids: Any = None,
    weights: Any = None,
    scores: Any = None,
    relevances: Any = None,
    groups: Any = None,
    *,
    run: Any = None,
    qrels: Any = None,
    options: RankingOptions | None = None,
) -> Scores:
    """Score rankings of documents by judgements of relevance, as trec_eval 10 does.

    Args:
        predictions: a dict query -> {document: score} (or -> ranked documents); n ranked lists of documents; or a table
            (Arrow, pandas, a dict of columns) with the columns query, document, score. A table with query, label and
            score judges itself.
        references: a dict query -> {document: relevance} (or -> relevant documents); n lists or sets of relevant
            documents; or a table with query, document, relevance.
        ids: n unique ids of the queries, when the columns are plain lists.
        weights: the weight of each query of the references: n numbers of at least 0, or a dict or a pandas series by query.
        scores: n lists of scores parallel to ranked lists; the order of lists then counts only with ties="stable".
        relevances: n lists of relevances (numbers, higher is better) parallel to lists of documents.
        groups: one label (str or number) for each query of the references, such as its topic, or a dict by query: queries
            of one group are not independent, so intervals draw whole groups. None: queries are independent.
        run: another name of predictions.
        qrels: another name of references.
        options: see `RankingOptions`.

    Returns:
        Scores with a row per judged query: columns named like the measures, the subsets missing (not in the run),
        no_relevant and tied (a relevant document has the score of another document), and counts of them.

    Raises:
        TypeError, ValueError: naming the query and document, or the row, and what to do.

    Example:
        >>> run = {"q1": {"d1": 0.9, "d2": 0.8, "d3": 0.1}, "q2": {"d4": 2.0}}
        >>> qrels = {"q1": {"d2": 1, "d3": 0}, "q2": {"d4": 1, "d5": 1}}
        >>> score_rankings(run, qrels).summary(["mrr", "map", "recall@100", "num_rel_ret"])
        {'mrr': 0.75, 'map': 0.5, 'recall@100': 0.75, 'num_rel_ret': 2}
    """
    options = options or RankingOptions()
    for name, other, column, same in (
        ("predictions", "run", predictions, run),
        ("references", "qrels", references, qrels),
    ):
        if column is not None and same is not None:
            raise InputError(name, f"{name} and {other} are the same column; give one of them")
    columns = {
        "predictions": predictions if run is None else run,
        "references": references if qrels is None else qrels,
        "ids": ids,
        "scores": scores,
        "relevances": relevances,
    }
    measures = tuple(map(parse_measure, options.measures or ()))
    rankings, judgements = read_rankings(columns, options.duplicates, options.lower_is_better)
    rows, unmatched = match_queries(rankings, judgements)
    if run is None and qrels is None:
        refuse_swapped(rankings, judgements)
    if options.drop_identical_ids and isinstance(judgements.ids, range):
        raise ValueError("drop_identical_ids compares documents with the ids of queries; give ids, or omit it")
    if weights is not None:
        with about("weights"):
            listed = values_by_id(weights, judgements.ids, "weights")
            check_lengths(references=judgements.ids, weights=listed)
            weights = WEIGHTS.kind.check(Cells(listed, "weights", judgements.ids))
    hits = ranked_hits(rankings, judgements, rows, options, _relevant_from(measures, options))
    score_columns, reported = _measured(hits, judgements.ids, measures, options)
    scored, notes = _scored_queries(hits, rows < 0, judgements.ids, options)
    notes["unmatched"] = unmatched
    if options.duplicates != "error":
        notes["duplicates"] = int(rankings.repeated[rows[rows >= 0]].sum())
    every = Scores(
        ids=judgements.ids,
        columns=score_columns,
        subsets=_subsets(hits, rows < 0, options),
        measures=reported,
        options=options,
        notes=notes,
        coded={str(measure): RELEVANCE_LEVELS for measure in measures if measure.kind.is_text},
        gold=judgements.gold,
        weights=weights,
        groups=to_groups(groups, judgements.ids),
    )
    if not scored.all():
        every = dataclasses.replace(every.take(np.flatnonzero(scored)), notes=notes)
    if not len(hits.query):
        remark_unjudged(rankings, judgements, rows)
    if not len(every):
        raise NothingToScore(notes)
    return every


def _relevant_from(measures: Iterable[RankingMeasure], options: RankingOptions) -> float | None:
    """The lowest relevance that can change the value of a measure; None when all judged documents count."""
    parameters = [dict(measure.parameters) for measure in measures]
    levels = [options.relevance_level, *(given["rel"] for given in parameters if "rel" in given)]
    gains = [options.gain, *(given["gain"] for given in parameters if "gain" in given)]
    worth_below = any(worth > 0 for gain in gains for level, worth in level_gains(gain) if level <= 0)
    needs_all = options.judged_only or any(measure.needs_all_judged for measure in measures)
    return None if needs_all or worth_below or min(levels) <= 0 else _ABOVE_ZERO


def _measured(
    hits: RankedHits, ids: Sequence[Any], measures: Iterable[RankingMeasure], options: RankingOptions
) -> tuple[dict[str, np.ndarray], dict[str, Measure]]:
    """The columns of values of each query, and the measures over all."""
    settings = options.settings
    columns: dict[str, np.ndarray] = {}
    reported: dict[str, Measure] = {}

    def values(measure: RankingMeasure, ties: str) -> np.ndarray:
        judged_only = {**settings, **dict(measure.parameters)}["judged_only"]
        column = measure.values(hits.in_order(ties, judged_only, options.depth), settings)
        if not measure.kind.is_text and not np.isfinite(column).all():
            query = shown(ids[int(np.argmin(np.isfinite(column)))])
            message = f"references: {measure} of query {query} is too large for a number; give smaller relevances"
            raise InputError("references", message)
        return column

    for gain in {dict(measure.parameters).get("gain", options.gain) for measure in measures}:
        check_gains(hits.judged_relevance, gain)
    for measure in measures:
        if measure.kind.is_text:
            columns[str(measure)] = values(measure, str(options.ties))
            continue
        reported[str(measure)] = aggregate = measure.aggregate(settings)
        for column in aggregate.reads:
            columns[column] = values(measure, str(options.ties))
        for order in ("worst", "best") if options.tie_bounds and measure.has_bounds(settings) else ():
            column = f"{measure.column}_ties_{order}"
            columns[column] = values(measure, order)
            reported[f"{measure}_ties_{order}"] = measure.aggregate(settings, column)
    reported["total"] = Count()
    return columns, reported | {subset: Count(subset) for subset in ("missing", "no_relevant", "tied")}


def _subsets(hits: RankedHits, missing: np.ndarray, options: RankingOptions) -> dict[str, np.ndarray]:
    hits, level = hits.in_order(str(options.ties), options.judged_only, options.depth), options.relevance_level
    tied = hits.count(hits.query[(hits.relevance >= level) & (hits.equal > 1)])
    return {"missing": missing, "no_relevant": hits.num_relevant(level) == 0, "tied": tied > 0}


def _scored_queries(
    hits: RankedHits, missing: np.ndarray, ids: Sequence[Any], options: RankingOptions
) -> tuple[np.ndarray, dict[str, int]]:
    """Which queries are scored, bool (q,), and how many were omitted, by reason."""
    scored, notes, count = np.ones(len(ids), bool), {}, int(np.count_nonzero(missing))
    if count and options.missing == "error":
        raise ValueError(
            f"the run does not have the judged query {shown(ids[int(np.argmax(missing))])} ({count} are "
            "missing); rank documents for every query, or use the option missing=zero or skip"
        )
    if options.missing == "skip":
        scored = ~missing
        notes["skipped"] = count
    if options.skip_trivial:
        level = options.relevance_level
        all_relevant = (hits.retrieved > 0) & (hits.num_found(level) == hits.retrieved)
        trivial = scored & ((hits.num_relevant(level) == 0) | all_relevant)
        scored = scored & ~trivial
        notes["trivial"] = int(np.count_nonzero(trivial))
    return scored, notes
