"""Ranking measures: value objects whose text is their name (`ndcg@10`, `map(rel=2)@100`), and their formulas.

The definitions match trec_eval 10 (https://github.com/usnistgov/trec_eval) where it has the measure; its names
are aliases.
"""

import dataclasses
import functools
import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ..core.measures import Count, GeometricMean, Mean, Measure, Total
from ..core.options import did_you_mean
from ..core.shown import shown
from .formulas import (
    RECALLS,
    average_precision_at,
    bpref,
    eleven_point_average,
    err_at,
    f1_at,
    hit_rate_at,
    inferred_average_precision,
    interpolated_precision,
    judged_share_at,
    num_nonrelevant_retrieved,
    num_queries,
    num_relevant_judged,
    num_relevant_retrieved,
    num_retrieved,
    precision_at,
    r_precision,
    rank_biased_precision_at,
    rank_biased_residual,
    recall_at,
    reciprocal_rank_at,
    relative_precision_at,
    relevance_levels,
    set_average_precision,
    set_f,
    set_precision,
    set_recall,
    set_relative_precision,
    unjudged_share_at,
    utility,
    yet_another_average_precision,
)
from .gains import (
    binary_gain,
    dcg_at,
    ideal_dcg,
    ndcg_at,
    ndcg_over_levels,
    ndcg_over_relevant,
    normalized_gain,
)
from .judges import preference_values
from .measure_parameters import parameter_text, read_number, read_parameter
from .preferences import Preferences
from .ties import RankedHits

DEFAULT_MEASURES = (
    "mrr", "map", "ndcg@10", "p@10", "recall@100", "hit_rate@10", "num_ret", "num_rel", "num_rel_ret",
)  # fmt: skip
PARAMETER_DEFAULTS = {"p": 0.9, "mult": 1, "max": 4}  # rbp as in trec_eval, err as in gdeval of TREC's web tracks
_LONGEST = 200  # characters of a name with its parameters
_SMALLEST_AP = 0.00001  # lower limit of values in a geometric mean, as in trec_eval
_CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)


@dataclasses.dataclass(frozen=True)
class RankingMeasure:
    """A measure of rankings with its parameters; `str()` gives the text that `parse_measure` reads.

    Attributes:
        name: canonical, such as "ndcg".
        parameters: pairs of name and value, only explicit ones; the options have the others.
        cutoff: the rank k (of `iprec` a recall); None for the whole list.

    Example:
        >>> str(parse_measure("nDCG(gain=exp2)@10")), parse_measure("P_5").name, str(parse_measure("P_5"))
        ('ndcg(gain=exp2)@10', 'p', 'p@5')
    """

    name: str
    parameters: tuple[tuple[str, Any], ...] = ()
    cutoff: int | float | None = None

    def __str__(self) -> str:
        inside = ", ".join(f"{key}={parameter_text(value)}" for key, value in self.parameters)
        cut = "" if self.cutoff is None else f"@{parameter_text(self.cutoff)}"
        return self.name + (f"({inside})" if inside else "") + cut

    @property
    def trec_name(self) -> str | None:
        """Its name in trec_eval; None for a measure or parameter that trec_eval lacks."""
        kind, parameters = _KINDS[self.name], dict(self.parameters)
        if parameters.keys() == {"mult"}:
            return f"Rprec_mult_{'avgjg_' if kind.judges else ''}{parameters['mult']:.2f}"
        if kind.judges == "preferences":
            return self.name.replace("rnonrel", "Rnonrel")
        pattern = kind.trec if self.cutoff is None else kind.trec_cut
        return None if parameters or not pattern else pattern.format(self.cutoff)

    @property
    def column(self) -> str:
        """The name of the column of its values: the name of `map` for `gm_map`, otherwise its own."""
        per_query = _KINDS[self.name].per_query
        return str(dataclasses.replace(self, name=per_query) if per_query else self)

    @property
    def needs_all_judged(self) -> bool:
        """Whether judged documents without relevance also count."""
        return _KINDS[self.name].all_judged or "judged_only" in dict(self.parameters)

    @property
    def has_expectation(self) -> bool:
        """Whether its mean over all orders of tied documents is known in closed form."""
        return _KINDS[self.name].expectation

    @property
    def judges(self) -> str:
        """How it uses several judges: the "mean" over them or their "preferences"; "" for one judge."""
        return _KINDS[self.name].judges

    def values_of_preferences(self, preferences: Iterable[Preferences]) -> np.ndarray:
        """The value for each query, float64 (q,), of a measure of preferences."""
        return _KINDS[self.name].formula(preferences)

    @property
    def is_mean(self) -> bool:
        """Whether it is the mean of its values over queries."""
        kind = _KINDS[self.name]
        return kind.aggregate is Mean and not kind.is_text

    @property
    def is_text(self) -> bool:
        """Whether its value for a query is a text, which has no mean."""
        return _KINDS[self.name].is_text

    def has_bounds(self, settings: Mapping[str, Any]) -> bool:
        """Whether the order of tied documents matters, and relevant ones first are the best order there is."""
        kind, denominator = _KINDS[self.name], {**settings, **dict(self.parameters)}["denominator"]
        moving = (
            denominator == "num_retrieved_relevant" and "denominator" in kind.parameters and self.cutoff is not None
        )
        return kind.bounded and kind.aggregate is not Total and not moving

    def values(self, ranked: RankedHits, settings: Mapping[str, Any]) -> np.ndarray:
        """The value for each query, float64 (q,); `settings` has the parameters that the measure itself lacks."""
        with np.errstate(over="ignore", invalid="ignore"):
            return _KINDS[self.name].formula(ranked, self.cutoff, {**settings, **dict(self.parameters)})

    def aggregate(self, settings: Mapping[str, Any], column: str | None = None) -> Measure:
        """The measure over all queries, from a column of their values (None: `column`); `settings` as for `values`."""
        kind, column = _KINDS[self.name], column or self.column
        if kind.aggregate is Count:
            return Count()
        if kind.aggregate is Total:
            return Total(column)
        if kind.aggregate is GeometricMean:
            return GeometricMean(column, smallest=_SMALLEST_AP, ends=self._ends(settings))
        return Mean(column, is_rate=kind.is_rate, ends=self._ends(settings))

    def _ends(self, settings: Mapping[str, Any]) -> tuple[float, float] | None:
        """The smallest and the largest value of a query, where they are not 0 and 1, or there are none."""
        kind, denominator = _KINDS[self.name], {**settings, **dict(self.parameters)}["denominator"]
        if "denominator" in kind.parameters and denominator.startswith("fixed:"):
            most = math.inf if self.cutoff is None else self.cutoff
            return None if most <= int(denominator.removeprefix("fixed:")) else (0.0, math.inf)
        return kind.ends


@dataclasses.dataclass(frozen=True)
class _Kind:
    formula: Callable[..., Any]  # arrays, or a `Ragged`; of `RankedHits`, cut-off and settings; or of `Preferences`
    meaning: str
    cut: str = "none"  # "none", "optional", "needed" (ranks), "recall"
    parameters: tuple[str, ...] = ("rel",)
    aliases: tuple[str, ...] = ()
    trec: str | None = None
    trec_cut: str | None = None
    all_judged: bool = False
    bounded: bool = True  # the order of tied documents matters, and the more relevant first the higher
    expectation: bool = True
    is_rate: bool = True  # between 0 and 1
    ends: tuple[float, float] | None = None  # of the mean of a query that is not a rate
    aggregate: type[Measure] = Mean
    judges: str = ""  # what of several judges it takes: the "mean" over them, their "preferences"
    is_text: bool = False  # a text for each query, and nothing over all
    per_query: str = ""  # the measure of single queries, where it is another measure


def parse_measure(text: "str | RankingMeasure") -> RankingMeasure:
    """The measure of a name such as `map`, `ndcg@10`, `map(rel=2)@100`, or of trec_eval's `ndcg_cut_10`.

    Raises:
        ValueError: unknown measure or parameter (the message lists near names), or a value it cannot have.

    Example:
        >>> parse_measure("map(rel=2)@100")
        RankingMeasure(name='map', parameters=(('rel', 2),), cutoff=100)
    """
    if isinstance(text, RankingMeasure):
        return text
    if not isinstance(text, str):
        raise TypeError(f"a measure is a text such as 'ndcg@10', got {shown(text)}")
    return _measure_of(text)


@functools.lru_cache(maxsize=1024)
def _measure_of(text: str) -> RankingMeasure:
    if len(text) > _LONGEST:
        raise ValueError(
            f"measure {text[:40]!r}... has {len(text)} characters; write it like ndcg@10 or map(rel=2)@100"
        )
    match = re.fullmatch(r"\s*([\w.-]+)\s*(?:\((.*)\))?\s*(?:@\s*(\S+?))?\s*", text)
    if match is None:
        raise ValueError(f"measure {text!r} cannot be read; write it like ndcg@10, map(rel=2)@100 or rbp(p=0.8)")
    spelled, inside, cut = match.groups()
    name, extra = _canonical(spelled, text)
    if extra and cut:
        raise ValueError(f"measure {text!r} has two cut-offs; write {name}@{cut}")
    kind, cut = _KINDS[name], extra or cut
    parameters = dict(_own_parameters(name, kind, inside, text)) if inside and inside.strip() else {}
    if extra and "mult" in spelled.lower():  # trec_eval's Rprec_mult_0.20
        parameters["mult"], cut = read_number("mult", extra, text), None
    cutoff = _cutoff(name, kind, cut, text)
    return RankingMeasure(name, tuple((key, parameters[key]) for key in kind.parameters if key in parameters), cutoff)


def parse_measures(given: Any) -> tuple[RankingMeasure, ...]:
    """The measures of a list of names, or of one text separated by commas; groups are expanded, repeats omitted.

    Example:
        >>> [str(measure) for measure in parse_measures("mrr@10, ndcg(gain=exp2, judged_only=yes)@5, mrr@10")]
        ['mrr@10', 'ndcg(gain=exp2, judged_only=true)@5']
    """
    if isinstance(given, str):
        given = _split_names(given)
    elif isinstance(given, RankingMeasure):
        given = [given]
    elif not isinstance(given, Iterable) or getattr(given, "ndim", 1) != 1:
        raise TypeError(f"measures must be a list of names such as ['map', 'ndcg@10'], got {shown(given)}")
    names: list[Any] = []
    for name in given:
        if not isinstance(name, (str, RankingMeasure)):  # checked one by one: an iterator may be infinite
            raise TypeError(f"a measure is a text such as 'ndcg@10', got {shown(name)}")
        if isinstance(name, RankingMeasure):
            names.append(name)
        else:
            names += [one for part in _split_names(name) or [name] for one in MEASURE_GROUPS.get(part, [part])]
    if not names:
        raise ValueError("measures is empty; give at least one, for example ['map', 'ndcg@10']")
    return tuple(dict.fromkeys(map(parse_measure, names)))


def _split_names(text: str) -> list[str]:
    """Split names at commas; a bare number is another cut-off of the preceding name, as in trec_eval's `P.5,10`."""
    names: list[str] = []
    for part in filter(None, map(str.strip, re.split(r",(?![^()]*\))", text))):
        stem = re.fullmatch(r"(.+?[@._])\d+(?:\.\d+)?", names[-1]) if names and re.fullmatch(r"[\d.]+", part) else None
        names.append(stem[1] + part if stem else part)
    return names


def list_measures() -> list[tuple[str, str]]:
    """Every measure in written form, with its own parameters (most also take rel and judged_only), and its meaning.

    Example:
        >>> dict(list_measures())["f1@k"]
        'harmonic mean of p@k and recall@k (also f, f1_score)'
    """
    listed = []
    for name, kind in _KINDS.items():
        own_parameters = [key for key in kind.parameters if key not in ("rel", "judged_only")]
        cut = {"none": "", "optional": "[@k]", "needed": "@k", "recall": "@recall"}[kind.cut]
        inside = f"({', '.join(own_parameters)})" if own_parameters else ""
        others = f" (also {', '.join(kind.aliases)})" if kind.aliases else ""
        listed.append((f"{name}{inside}{cut}", kind.meaning + others))
    return listed


_AP = ("rel", "denominator", "judged_only")
_TOP = ("rel", "judged_only")

_BY_JUDGES: dict[str, Any] = {"judges": "mean", "bounded": False, "all_judged": True}


def _preferences(method: str, scope: str, meaning: str, aggregate: type[Measure] = Mean) -> _Kind:
    return _Kind(
        functools.partial(preference_values, method=method, scope=scope),
        meaning,
        parameters=(),
        judges="preferences",
        all_judged=True,
        bounded=False,
        expectation=False,
        aggregate=aggregate,
    )


_KINDS: dict[str, _Kind] = {
    "mrr": _Kind(
        reciprocal_rank_at, "mean reciprocal rank of the first relevant document (0 behind k)",
        cut="optional", parameters=_TOP, aliases=("rr", "recip_rank", "reciprocal_rank"), trec="recip_rank",
    ),
    "map": _Kind(
        average_precision_at, "mean average precision",
        cut="optional", parameters=_AP, aliases=("ap", "map_cut", "average_precision"),
        trec="map", trec_cut="map_cut_{}",
    ),
    "ndcg": _Kind(
        ndcg_at, "normalised discounted cumulative gain",
        cut="optional", parameters=("gain", "judged_only"), aliases=("ndcg_cut",), trec="ndcg", trec_cut="ndcg_cut_{}",
    ),
    "p": _Kind(
        precision_at, "relevant documents in the top k / k",
        cut="needed", parameters=_TOP, aliases=("precision",), trec_cut="P_{}",
    ),
    "recall": _Kind(
        recall_at, "relevant documents in the top k / relevant documents",
        cut="optional", parameters=_TOP, aliases=("r",), trec_cut="recall_{}",
    ),
    "hit_rate": _Kind(
        hit_rate_at, "1 if a relevant document is in the top k",
        cut="needed", parameters=_TOP, aliases=("success", "accuracy", "acc", "hit", "hits"), trec_cut="success_{}",
    ),
    "f1": _Kind(f1_at, "harmonic mean of p@k and recall@k", cut="needed", parameters=_TOP, aliases=("f", "f1_score")),
    "rprec": _Kind(
        r_precision, "precision at rank R (mult * R), R relevant documents",
        parameters=("rel", "mult", "judged_only"), aliases=("r_precision", "rprec_mult"), trec="Rprec",
    ),
    "bpref": _Kind(
        bpref, "judged non-relevant documents ranked above relevant ones", trec="bpref", all_judged=True,
    ),
    "dcg": _Kind(
        dcg_at, "discounted cumulative gain (not normalised)",
        cut="optional", parameters=("gain", "judged_only"), is_rate=False, ends=(0.0, math.inf), trec="dcg",
    ),
    "ideal_dcg": _Kind(
        ideal_dcg, "the highest dcg possible with the judged documents",
        cut="optional", parameters=("gain",), is_rate=False, ends=(0.0, math.inf), trec="ideal_dcg", bounded=False,
    ),
    "ndcg_rel": _Kind(
        ndcg_over_relevant, "mean of ndcg at the ranks of the documents with a gain",
        parameters=("gain", "judged_only"), trec="ndcg_rel", bounded=False, expectation=False,
    ),
    "rndcg": _Kind(
        ndcg_over_levels, "mean of ndcg at the ranks where the gain of the best order changes",
        parameters=("rel", "gain", "judged_only"), trec="Rndcg", expectation=False,
    ),
    "bing": _Kind(
        binary_gain, "mean over relevant documents of 1 / log2(2 + irrelevant documents above)",
        parameters=_TOP, trec="binG", expectation=False,
    ),
    "g": _Kind(
        normalized_gain, "gain, discounted by what the best order would have gained more up to the document",
        parameters=("gain", "judged_only"), trec="G", bounded=False, expectation=False,
    ),
    "rbp": _Kind(
        rank_biased_precision_at, "rank-biased precision of persistence p",
        cut="optional", parameters=("rel", "p", "judged_only"), trec="rbp",
    ),
    "rbp_resid": _Kind(
        rank_biased_residual, "what rbp could gain from unjudged documents",
        parameters=("p",), aliases=("rbp_residual",), trec="rbp_resid", all_judged=True, bounded=False,
    ),
    "err": _Kind(
        err_at, "expected reciprocal rank; max: the highest possible level",
        cut="optional", parameters=("max", "judged_only"),
    ),
    "iprec": _Kind(
        interpolated_precision, "highest precision at this or a higher recall",
        cut="recall", parameters=_TOP, aliases=("iprec_at_recall",),
        trec_cut="iprec_at_recall_{:.2f}", expectation=False,
    ),
    "11pt_avg": _Kind(
        eleven_point_average, "mean of iprec at the recalls 0, 0.1 ... 1",
        parameters=_TOP, aliases=("11pt",), trec="11pt_avg", expectation=False,
    ),
    "infap": _Kind(
        inferred_average_precision, "average precision inferred from a judged sample of the pool",
        trec="infAP", all_judged=True, bounded=False, expectation=False,
    ),
    "relative_p": _Kind(
        relative_precision_at, "p@k / the highest possible p@k",
        cut="needed", parameters=_TOP, trec_cut="relative_P_{}",
    ),
    "judged": _Kind(
        judged_share_at, "judged documents / documents in the top k", cut="needed", parameters=(), all_judged=True,
    ),
    "unjudged": _Kind(
        unjudged_share_at, "unjudged documents in the top k / k",
        cut="needed", parameters=(), aliases=("unj",), trec_cut="unj_{}", all_judged=True, bounded=False,
    ),
    "set_p": _Kind(set_precision, "relevant documents retrieved / retrieved", trec="set_P", bounded=False),
    "set_recall": _Kind(set_recall, "relevant documents retrieved / relevant", trec="set_recall", bounded=False),
    "set_f": _Kind(
        set_f, "harmonic mean of set_p and set_recall", aliases=("set_f1",), trec="set_F", bounded=False,
    ),
    "set_map": _Kind(set_average_precision, "set_p * set_recall", trec="set_map", bounded=False),
    "set_relative_p": _Kind(
        set_relative_precision, "relevant documents retrieved / the maximum",
        trec="set_relative_P", bounded=False,
    ),
    "utility": _Kind(
        utility, "relevant documents retrieved - others retrieved", trec="utility", bounded=False, is_rate=False,
    ),
    "yaap": _Kind(
        yet_another_average_precision, "log((1 + S) / (1 + R - S)), S the sum of precisions, R relevant documents",
        parameters=_TOP, trec="yaap", is_rate=False, expectation=False,
    ),
    "relstring": _Kind(
        relevance_levels, "relevance of each of the first k documents (10), a text for each query",
        cut="optional", parameters=("judged_only",), trec="relstring", trec_cut="relstring_{}",
        all_judged=True, bounded=False, expectation=False, is_text=True,
    ),
    "gm_map": _Kind(
        average_precision_at, "geometric mean of average precision",
        cut="optional", parameters=_AP, trec="gm_map", aggregate=GeometricMean, per_query="map",
    ),
    "gm_bpref": _Kind(
        bpref, "geometric mean of bpref", trec="gm_bpref", all_judged=True, aggregate=GeometricMean, per_query="bpref",
    ),
    "num_q": _Kind(num_queries, "queries", parameters=(), trec="num_q", bounded=False, aggregate=Count),
    "num_ret": _Kind(
        num_retrieved, "documents retrieved", parameters=(), trec="num_ret", aggregate=Total,
    ),
    "num_rel": _Kind(num_relevant_judged, "relevant documents", trec="num_rel", aggregate=Total),
    "num_rel_ret": _Kind(num_relevant_retrieved, "relevant documents retrieved", trec="num_rel_ret", aggregate=Total),
    "num_nonrel_judged_ret": _Kind(
        num_nonrelevant_retrieved, "documents retrieved that were judged not relevant",
        trec="num_nonrel_judged_ret", all_judged=True, aggregate=Total,
    ),
    "map_avgjg": _Kind(
        average_precision_at, "mean over judges of average precision", parameters=_TOP, trec="map_avgjg", **_BY_JUDGES,
    ),
    "p_avgjg": _Kind(
        precision_at, "mean over judges of p@k", cut="needed", parameters=_TOP, trec_cut="P_avgjg_{}", **_BY_JUDGES,
    ),
    "rprec_avgjg": _Kind(
        r_precision, "mean over judges of rprec",
        parameters=("rel", "mult", "judged_only"), aliases=("rprec_mult_avgjg",), **_BY_JUDGES,
    ),
    "prefs_num_prefs_poss": _preferences("possible", "all", "preferences of documents over others", Total),
    "prefs_num_prefs_ful": _preferences("kept", "implied", "preferences that the ranking keeps", Total),
    "prefs_num_prefs_ful_ret": _preferences("kept", "retrieved", "such between retrieved documents", Total),
    **{
        f"prefs_{name}{ending}": _preferences(method, scope, meaning + among)
        for ending, scope, among in (
            ("", "all", ""), ("_ret", "retrieved", ", between retrieved documents"),
            ("_imp", "implied", ", with a retrieved document"),
        )
        for name, method, meaning in (
            ("simp", "ratio", "preferences kept / all"),
            ("pair", "pair_ratio", "mean over pairs of documents of preferences kept / all"),
            ("avgjg", "mean_ratio", "mean over judges of preferences kept / all"),
            ("avgjg_rnonrel", "mean_balanced_ratio",
             "the same with as many documents of level 0 as of others"),
        )
        if (name, scope) != ("avgjg_rnonrel", "implied")
    },
}  # fmt: skip

MEASURE_GROUPS: dict[str, list[str]] = {
    "official": [
        "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "rprec", "bpref", "mrr",
        *(f"iprec@{recall:g}" for recall in RECALLS), *(f"p@{k}" for k in _CUTS),
    ],
}  # fmt: skip
MEASURE_GROUPS["all_trec"] = [
    *MEASURE_GROUPS["official"], "relstring", *(f"recall@{k}" for k in _CUTS), "infap", "gm_bpref",
    *(f"rprec(mult={tenth / 5:g})" for tenth in range(1, 11)), "utility", "11pt_avg", "bing", "g", "ndcg", "ndcg_rel", "rndcg",
    *(f"{name}@{k}" for name in ("ndcg", "map", "relative_p") for k in _CUTS), *(f"hit_rate@{k}" for k in (1, 5, 10)),
    "set_p", "set_relative_p", "set_recall", "set_map", "set_f", "num_nonrel_judged_ret", "rbp", "rbp_resid",
    *(f"unjudged@{k}" for k in (5, 10, 20)),
]  # fmt: skip
MEASURE_GROUPS["set"] = [
    "num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_p", "set_relative_p", "set_recall", "set_map", "set_f",
]  # fmt: skip
MEASURE_GROUPS["prefs"] = [
    "num_q", "prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret",
    "prefs_simp", "prefs_pair", "prefs_avgjg",
]  # fmt: skip
MEASURE_GROUPS["all_prefs"] = [
    *MEASURE_GROUPS["prefs"], "prefs_avgjg_rnonrel",
    *(f"prefs_{name}_ret" for name in ("simp", "pair", "avgjg", "avgjg_rnonrel")),
    *(f"prefs_{name}_imp" for name in ("simp", "pair", "avgjg")),
]  # fmt: skip
MEASURE_GROUPS["qrels_jg"] = [
    "num_q", "map_avgjg", *(f"p_avgjg@{k}" for k in _CUTS), *(f"rprec_avgjg(mult={tenth / 5:g})" for tenth in range(1, 11)),
]  # fmt: skip


# --- reading names ----------------------------------------------------------------------------------------------------


@functools.cache
def _names() -> dict[str, str]:
    return {alias: name for name, kind in _KINDS.items() for alias in (name, *kind.aliases)}


def _canonical(spelled: str, text: str) -> tuple[str, str | None]:
    """The canonical name and the cut-off of names in trec_eval's spelling: `P_10`, `iprec_at_recall_0.10`."""
    lowered = spelled.lower().replace("-", "_")
    if lowered in _names():
        return _names()[lowered], None
    trec = re.fullmatch(r"(.+?)([_.])(\d*\.?\d+)", lowered)
    if trec and trec[1] in _names():
        _refuse_ambiguous(trec[1], trec[2], trec[3], text)
        return _names()[trec[1]], trec[3]
    near = did_you_mean(re.sub(r"[_.]?[\d.]+$", "", lowered), [*_names(), *MEASURE_GROUPS])
    raise ValueError(
        f"no measure {text!r}{near}; available: {', '.join(_KINDS)}; "
        "a cut-off is written ndcg@10, a parameter map(rel=2)"
    )


def _refuse_ambiguous(stem: str, mark: str, number: str, text: str) -> None:
    """Refuse a number after a dot that other tools read as a parameter and that could be a cut-off here.

    ranx and ir_measures read `rbp.95` as persistence 0.95; `f1.5` could be an F-measure of that beta, `iprec.1` a recall
    of 0.1. trec_eval has none of these names, so its names, such as `P.5` and `ndcg_cut.10`, can still be read.
    """
    digits = number.partition(".")[2] or number
    if _names()[stem] == "rbp":
        cut = f"; a cut-off rbp@{number}" if "." not in number else ""
        raise ValueError(
            f"measure {text!r} is ambiguous: a persistence is written rbp(p=0.{digits}){cut}, or both rbp(p=0.8)@10"
        )
    if mark == "." and stem in ("f", "f1"):
        raise ValueError(
            f"measure {text!r} is ambiguous: a cut-off is written f1@{digits}; there is no F-measure with a beta other than 1"
        )
    if mark == "." and stem == "iprec" and number in ("0", "1"):
        raise ValueError(f"measure {text!r} is ambiguous: write iprec@0.{number} or iprec@{number}")


def _own_parameters(name: str, kind: _Kind, inside: str, text: str) -> Iterable[tuple[str, Any]]:
    seen: set[str] = set()
    for part in inside.split(","):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if key not in kind.parameters or not equals or not value:
            there = ", ".join(f"{parameter}=..." for parameter in kind.parameters) or "none"
            raise ValueError(f"measure {text!r}: {name} has no parameter {part.strip()!r}; it takes: {there}")
        if key in seen:
            raise ValueError(f"measure {text!r} gives {key} twice; give it once")
        seen.add(key)
        yield key, read_parameter(key, value, text)


def _cutoff(name: str, kind: _Kind, cut: str | None, text: str) -> int | float | None:
    if cut is None:
        if kind.cut == "needed":
            whole = {"p": "; set_p is the precision of the whole list", "f1": "; set_f is F1 of the whole list"}
            raise ValueError(f"measure {text!r} needs a cut-off, for example {name}@10{whole.get(name, '')}")
        if kind.cut == "recall":
            raise ValueError(f"measure {text!r} needs a recall, for example {name}@0.1")
        return None
    if kind.cut == "none":
        raise ValueError(f"measure {text!r}: {name} has no cut-off; write {name}")
    if kind.cut == "recall":
        recall = read_number("the recall", cut, text)
        if not 0 <= recall <= 1:
            raise ValueError(f"measure {text!r}: the recall must be between 0 and 1, got {cut}")
        return float(recall)
    if not re.fullmatch(r"0*[1-9]\d{0,14}", cut):
        advice = "; a persistence is written rbp(p=0.95)" if name == "rbp" else ""
        raise ValueError(
            f"measure {text!r}: the cut-off must be an integer of at least 1, of at most 15 digits, got {cut!r}{advice}"
        )
    return int(cut)
