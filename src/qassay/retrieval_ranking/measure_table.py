"""The table of ranking measures: name, formula, one line of meaning, parameters, and what trec_eval calls it.

The definitions match trec_eval 10 (https://github.com/usnistgov/trec_eval) where it has the measure. A formula takes the
ranked documents r, a cutoff k (a rank, a recall, or None for the whole list) and the settings s (parameter -> value), and
gives float64 (q,), 0 for a division by 0.
"""

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.measures import Count, GeometricMean, Mean, Measure, Total
from . import formulas
from .formulas import RECALLS, hits_at
from .ties import quotient, rank_within


@dataclasses.dataclass(frozen=True)
class Kind:
    """A measure without its parameters.

    Attributes:
        formula: of `RankedHits`, cutoff and settings, an array or, of texts, a `Ragged`.
        cut: whether it has a cutoff: "none", "optional" or "needed" (a rank), "recall".
        parameters: in the order in which they are written.
        aliases: its other names.
        trec, trec_cut: its names in trec_eval without and with a cutoff; None if that has none.
        all_judged: judged documents without relevance count too.
        bounded: the order of tied documents matters, and the more relevant first the higher.
        expectation: its mean over all orders of tied documents is known in closed form.
        is_rate: between 0 and 1.
        ends: the smallest and the largest value of a query, of a mean that is no rate.
        is_text: a text for each query, and nothing over all.
        per_query: the measure of single queries, where it is another measure.
    """

    formula: Callable[..., Any]
    meaning: str
    cut: str = "none"
    parameters: tuple[str, ...] = ("rel",)
    aliases: tuple[str, ...] = ()
    trec: str | None = None
    trec_cut: str | None = None
    all_judged: bool = False
    bounded: bool = True
    expectation: bool = True
    is_rate: bool = True
    ends: tuple[float, float] | None = None
    aggregate: type[Measure] = Mean
    is_text: bool = False
    per_query: str = ""


_AP = ("rel", "denominator", "judged_only")
_TOP = ("rel", "judged_only")
_CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_POSITIVE: dict[str, Any] = {"is_rate": False, "ends": (0.0, math.inf)}


KINDS: dict[str, Kind] = {
    "mrr": Kind(
        formulas.reciprocal_rank, "mean reciprocal rank of the first relevant document (0 behind k)",
        "optional", _TOP, ("rr", "recip_rank", "reciprocal_rank"), trec="recip_rank",
    ),
    "map": Kind(
        formulas.average_precision, "mean average precision",
        "optional", _AP, ("ap", "map_cut", "average_precision"), "map", "map_cut_{}",
    ),
    "ndcg": Kind(
        formulas.ndcg, "normalised discounted cumulative gain",
        "optional", ("gain", "judged_only"), ("ndcg_cut",), "ndcg", "ndcg_cut_{}",
    ),
    "p": Kind(
        lambda r, k, s: hits_at(r, s, k) / k, "relevant documents in the top k / k",
        "needed", _TOP, ("precision",), trec_cut="P_{}",
    ),
    "recall": Kind(
        lambda r, k, s: quotient(hits_at(r, s, rank_within(k)), r.num_relevant(s["rel"])),
        "relevant documents in the top k / relevant documents",
        "optional", _TOP, ("r",), trec_cut="recall_{}",
    ),
    "hit_rate": Kind(
        formulas.hit_rate, "1 if a relevant document is in the top k",
        "needed", _TOP, ("success", "accuracy", "acc", "hit", "hits"), trec_cut="success_{}",
    ),
    "recall_all": Kind(
        lambda r, k, s: (hits_at(r, s, k) == np.maximum(r.num_relevant(s["rel"]), 1)).astype(np.float64),
        "1 if all relevant documents are in the top k",
        "needed", _TOP, ("all_recall",), expectation=False,
    ),
    "f1": Kind(
        lambda r, k, s: 2 * hits_at(r, s, k) / (k + r.num_relevant(s["rel"])), "harmonic mean of p@k and recall@k",
        "needed", _TOP, ("f", "f1_score"),
    ),
    "rprec": Kind(
        formulas.r_precision, "precision at rank R (mult * R), R relevant documents",
        "none", ("rel", "mult", "judged_only"), ("r_precision", "rprec_mult"), "Rprec",
    ),
    "bpref": Kind(
        formulas.bpref, "judged non-relevant documents ranked above relevant ones",
        trec="bpref", all_judged=True, expectation=False,
    ),
    "dcg": Kind(
        formulas.dcg, "discounted cumulative gain (not normalised)",
        "optional", ("gain", "judged_only"), trec="dcg", **_POSITIVE,
    ),
    "ideal_dcg": Kind(
        formulas.ideal_dcg, "the highest dcg possible with the judged documents",
        "optional", ("gain",), trec="ideal_dcg", bounded=False, **_POSITIVE,
    ),
    "ndcg_rel": Kind(
        formulas.ndcg_over_relevant, "mean of ndcg at the ranks of the documents with a gain",
        "none", ("gain", "judged_only"), trec="ndcg_rel", bounded=False, expectation=False,
    ),
    "rndcg": Kind(
        formulas.ndcg_over_levels, "mean of ndcg at the ranks where the gain of the best order changes",
        "none", ("rel", "gain", "judged_only"), trec="Rndcg", expectation=False,
    ),
    "bing": Kind(
        formulas.binary_gain, "mean over relevant documents of 1 / log2(2 + irrelevant documents above)",
        "none", _TOP, trec="binG", expectation=False,
    ),
    "g": Kind(
        formulas.normalized_gain, "gain, discounted by what the best order would have gained more up to the document",
        "none", ("gain", "judged_only"), trec="G", bounded=False, expectation=False,
    ),
    "rbp": Kind(
        formulas.rank_biased_precision, "rank-biased precision of persistence p",
        "optional", ("rel", "p", "judged_only"), trec="rbp",
    ),
    "rbp_resid": Kind(
        formulas.rank_biased_residual, "what rbp could gain from unjudged documents",
        "none", ("p",), ("rbp_residual",), "rbp_resid", all_judged=True, bounded=False,
    ),
    "err": Kind(
        formulas.expected_reciprocal_rank, "expected reciprocal rank; max: the highest possible level",
        "optional", ("max", "judged_only"), expectation=False,
    ),
    "iprec": Kind(
        formulas.interpolated_precision, "highest precision at this or a higher recall",
        "recall", _TOP, ("iprec_at_recall",), trec_cut="iprec_at_recall_{:.2f}", expectation=False,
    ),
    "11pt_avg": Kind(
        lambda r, k, s: sum(formulas.interpolated_precision(r, recall, s) for recall in RECALLS) / len(RECALLS),
        "mean of iprec at the recalls 0, 0.1 ... 1", "none", _TOP, ("11pt",), "11pt_avg", expectation=False,
    ),
    "infap": Kind(
        formulas.inferred_average_precision, "average precision inferred from a judged sample of the pool",
        trec="infAP", all_judged=True, bounded=False, expectation=False,
    ),
    "relative_p": Kind(
        lambda r, k, s: quotient(hits_at(r, s, k), np.minimum(k, r.num_relevant(s["rel"]))), "p@k / the highest possible p@k",
        "needed", _TOP, trec_cut="relative_P_{}",
    ),
    "judged": Kind(
        lambda r, k, s: quotient(formulas.judged_at(r, k), np.minimum(k, r.retrieved)),
        "judged documents / documents in the top k", "needed", (), all_judged=True,
    ),
    "unjudged": Kind(
        lambda r, k, s: (np.minimum(k, r.retrieved) - formulas.judged_at(r, k)) / k,
        "unjudged documents in the top k / k", "needed", (), ("unj",), None, "unj_{}", all_judged=True, bounded=False,
    ),
    "set_p": Kind(
        lambda r, k, s: quotient(r.num_found(s["rel"]), r.retrieved), "relevant documents retrieved / retrieved",
        trec="set_P", bounded=False,
    ),
    "set_recall": Kind(
        lambda r, k, s: quotient(r.num_found(s["rel"]), r.num_relevant(s["rel"])), "relevant documents retrieved / relevant",
        trec="set_recall", bounded=False,
    ),
    "set_f": Kind(
        formulas.set_f, "harmonic mean of set_p and set_recall", aliases=("set_f1",), trec="set_F", bounded=False,
    ),
    "set_map": Kind(
        lambda r, k, s: quotient(r.num_found(s["rel"]) ** 2, r.retrieved * r.num_relevant(s["rel"])), "set_p * set_recall",
        trec="set_map", bounded=False,
    ),
    "set_relative_p": Kind(
        lambda r, k, s: quotient(r.num_found(s["rel"]), np.minimum(r.retrieved, r.num_relevant(s["rel"]))),
        "relevant documents retrieved / the maximum", trec="set_relative_P", bounded=False,
    ),
    "utility": Kind(
        lambda r, k, s: 2 * r.num_found(s["rel"]) - r.retrieved, "relevant documents retrieved - others retrieved",
        trec="utility", bounded=False, is_rate=False,
    ),
    "yaap": Kind(
        formulas.yet_another_average_precision,
        "log((1 + S) / (1 + R - S)), S the sum of precisions, R relevant documents",
        "none", _TOP, trec="yaap", is_rate=False, expectation=False,
    ),
    "relstring": Kind(
        formulas.relevance_levels, "relevance of each of the first k documents (10), a text for each query",
        "optional", ("judged_only",), (), "relstring", "relstring_{}",
        all_judged=True, bounded=False, expectation=False, is_text=True,
    ),
    "gm_map": Kind(
        formulas.average_precision, "geometric mean of average precision",
        "optional", _AP, trec="gm_map", aggregate=GeometricMean, per_query="map",
    ),
    "gm_bpref": Kind(
        formulas.bpref, "geometric mean of bpref",
        trec="gm_bpref", all_judged=True, expectation=False, aggregate=GeometricMean, per_query="bpref",
    ),
    "num_q": Kind(lambda r, k, s: np.ones(len(r)), "queries", "none", (), (), "num_q", bounded=False, aggregate=Count),
    "num_ret": Kind(
        lambda r, k, s: r.retrieved.astype(np.float64), "documents retrieved", "none", (), (), "num_ret", aggregate=Total,
    ),
    "num_rel": Kind(lambda r, k, s: r.num_relevant(s["rel"]), "relevant documents", trec="num_rel", aggregate=Total),
    "num_rel_ret": Kind(
        lambda r, k, s: r.num_found(s["rel"]), "relevant documents retrieved", trec="num_rel_ret", aggregate=Total,
    ),
    "num_nonrel_judged_ret": Kind(
        lambda r, k, s: r.count(r.query[(r.relevance >= 0) & (r.relevance < s["rel"])]),
        "documents retrieved that were judged not relevant",
        trec="num_nonrel_judged_ret", all_judged=True, aggregate=Total,
    ),
}  # fmt: skip

_COUNTS = ["num_q", "num_ret", "num_rel", "num_rel_ret"]
_SETS = ["set_p", "set_relative_p", "set_recall", "set_map", "set_f"]
_OFFICIAL = [
    *_COUNTS, "map", "gm_map", "rprec", "bpref", "mrr",
    *(f"iprec@{recall:g}" for recall in RECALLS), *(f"p@{k}" for k in _CUTS),
]  # fmt: skip
# Names of groups in trec_eval, as in its option -m.
MEASURE_GROUPS: dict[str, list[str]] = {
    "official": _OFFICIAL,
    "all_trec": [
        *_OFFICIAL, "relstring", *(f"recall@{k}" for k in _CUTS), "infap", "gm_bpref",
        *(f"rprec(mult={tenth / 5:g})" for tenth in range(1, 11)), "utility", "11pt_avg", "bing", "g", "ndcg", "ndcg_rel",
        "rndcg", *(f"{name}@{k}" for name in ("ndcg", "map", "relative_p") for k in _CUTS),
        *(f"hit_rate@{k}" for k in (1, 5, 10)), *_SETS, "num_nonrel_judged_ret", "rbp", "rbp_resid",
        *(f"unjudged@{k}" for k in (5, 10, 20)),
    ],
    "set": [*_COUNTS, "utility", *_SETS],
}  # fmt: skip
