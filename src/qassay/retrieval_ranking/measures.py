"""Ranking measures as values whose text is their name (`ndcg@10`, `map(rel=2)@100`), read from names of any tool."""

import dataclasses
import functools
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..core.measures import Count, GeometricMean, Mean, Measure, Total
from ..core.options import did_you_mean
from ..core.shown import option_text, shown
from .formulas import level_gains
from .measure_table import KINDS, MEASURE_GROUPS, Kind
from .ties import RankedHits

DEFAULT_MEASURES = (
    "mrr", "map", "ndcg@10", "p@10", "recall@100", "hit_rate@10", "num_ret", "num_rel", "num_rel_ret",
)  # fmt: skip
PARAMETER_DEFAULTS = {"p": 0.9, "mult": 1, "max": 4}  # rbp as in trec_eval, err as in gdeval of TREC's web tracks
AP_DENOMINATORS = ("num_relevant", "min_mn", "num_retrieved_relevant", "min_k_relevant", "fixed:N")
GAINS = ("linear", "exp2")
_LONGEST = 200  # characters of a name with its parameters
_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_RANGES = {
    "rel": (-math.ulp(0.0), math.inf),
    "p": (0, 1),
    "mult": (0, math.inf),
    "max": (0, 1000),
}  # both ends excluded
_SMALLEST_AP = 0.00001  # lower limit of values in a geometric mean, as in trec_eval
_HIGHEST_LEVEL = 1e300  # of relevance


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
        inside = ", ".join(f"{key}={_text(value)}" for key, value in self.parameters)
        cut = "" if self.cutoff is None else f"@{_text(self.cutoff)}"
        return self.name + (f"({inside})" if inside else "") + cut

    @property
    def kind(self) -> Kind:
        """The measure without its parameters."""
        return KINDS[self.name]

    @property
    def trec_name(self) -> str | None:
        """Its name in trec_eval; None for a measure or parameter that trec_eval lacks."""
        kind, parameters = self.kind, dict(self.parameters)
        if parameters.keys() == {"mult"}:
            return f"Rprec_mult_{parameters['mult']:.2f}"
        pattern = kind.trec if self.cutoff is None else kind.trec_cut
        return None if parameters or not pattern else pattern.format(self.cutoff)

    @property
    def column(self) -> str:
        """The name of the column of its values: that of `map` for `gm_map`, otherwise the name of the measure."""
        per_query = self.kind.per_query
        return str(dataclasses.replace(self, name=per_query) if per_query else self)

    @property
    def needs_all_judged(self) -> bool:
        """Whether judged documents without relevance also count."""
        return self.kind.all_judged or "judged_only" in dict(self.parameters)

    def has_bounds(self, settings: Mapping[str, Any]) -> bool:
        """Whether the order of tied documents matters, and relevant ones first are the best order there is."""
        return self.kind.bounded and self.kind.aggregate is not Total and not self._is_moving(settings)

    def has_expectation(self, settings: Mapping[str, Any]) -> bool:
        """Whether the mean over all orders of tied documents is known in closed form."""
        return self.kind.expectation and not self._is_moving(settings)

    def _is_moving(self, settings: Mapping[str, Any]) -> bool:
        """Whether the order of tied documents changes the denominator."""
        return self._denominator(settings) == "num_retrieved_relevant" and self.cutoff is not None

    def values(self, ranked: RankedHits, settings: Mapping[str, Any]) -> np.ndarray:
        """The value for each query, float64 (q,); `settings` has the parameters that the measure lacks."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self.kind.formula(ranked, self.cutoff, {**settings, **dict(self.parameters)})

    def aggregate(self, settings: Mapping[str, Any], column: str | None = None) -> Measure:
        """The measure over all queries, from a column of their values (None: `column`); `settings` as for `values`."""
        kind, column = self.kind, column or self.column
        if kind.aggregate is Count:
            return Count()
        if kind.aggregate is Total:
            return Total(column)
        ends, denominator = kind.ends, self._denominator(settings)
        if denominator.startswith("fixed:"):  # above 1 with more documents than that
            most = math.inf if self.cutoff is None else self.cutoff
            ends = None if most <= int(denominator.removeprefix("fixed:")) else (0.0, math.inf)
        if kind.aggregate is GeometricMean:
            return GeometricMean(column, smallest=_SMALLEST_AP, ends=ends)
        return Mean(column, is_rate=kind.is_rate, ends=ends)

    def _denominator(self, settings: Mapping[str, Any]) -> str:
        """The denominator of average precision; "" for a measure without one."""
        return {**settings, **dict(self.parameters)}["denominator"] if "denominator" in self.kind.parameters else ""


def list_measures() -> list[tuple[str, str]]:
    """Every measure as text, with its parameters (most also take rel and judged_only), and its meaning.

    Example:
        >>> dict(list_measures())["f1@k"]
        'harmonic mean of p@k and recall@k (also f, f1_score)'
    """
    listed = []
    for name, kind in KINDS.items():
        parameters = ", ".join(key for key in kind.parameters if key not in ("rel", "judged_only"))
        cut = {"none": "", "optional": "[@k]", "needed": "@k", "recall": "@recall"}[kind.cut]
        others = f" (also {', '.join(kind.aliases)})" if kind.aliases else ""
        listed.append((name + (f"({parameters})" if parameters else "") + cut, kind.meaning + others))
    return listed


# --- reading names ----------------------------------------------------------------------------------------------------


def parse_measures(given: Any) -> tuple[RankingMeasure, ...]:
    """The measures of a list of names, or of one text separated by commas; groups are expanded, repeats omitted.

    Example:
        >>> [str(measure) for measure in parse_measures("mrr@10, ndcg(gain=exp2, judged_only=yes)@5, mrr@10")]
        ['mrr@10', 'ndcg(gain=exp2, judged_only=true)@5']
    """
    if isinstance(given, (str, RankingMeasure)):
        given = [given] if isinstance(given, RankingMeasure) else _split_names(given)
    elif not isinstance(given, Iterable) or getattr(given, "ndim", 1) != 1:
        raise TypeError(f"measures must be a list of names such as ['map', 'ndcg@10'], got {shown(given)}")
    measures: list[RankingMeasure] = []
    for name in given:
        if isinstance(name, str):
            parts = _split_names(name) or [name]
            measures += [parse_measure(one) for part in parts for one in MEASURE_GROUPS.get(part, [part])]
        else:
            measures.append(parse_measure(name))
    if not measures:
        raise ValueError("measures is empty; give at least one, for example ['map', 'ndcg@10']")
    return tuple(dict.fromkeys(measures))


def _split_names(text: str) -> list[str]:
    """Split names at commas; a bare number is another cutoff of the preceding name, as in trec_eval's `P.5,10`."""
    names: list[str] = []
    for part in filter(None, map(str.strip, re.split(r",(?![^()]*\))", text))):
        stem = re.fullmatch(r"(.+?[@._])\d+(?:\.\d+)?", names[-1]) if names and re.fullmatch(r"[\d.]+", part) else None
        names.append(stem[1] + part if stem else part)
    return names


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
    match = re.fullmatch(r"\s*([\w.-]+)\s*(?:\((.*)\))?\s*(?:@\s*(\S+?))?\s*", text) if len(text) <= _LONGEST else None
    if match is None:
        raise ValueError(f"measure {shown(text)} cannot be read; write it like ndcg@10, map(rel=2)@100 or rbp(p=0.8)")
    spelled, inside, cut = match.groups()
    name, extra = _canonical(spelled, text)
    if extra and cut:
        raise ValueError(f"measure {text!r} has two cutoffs; write {name}@{cut}")
    kind, cut = KINDS[name], extra or cut
    parameters = _parameters(name, kind, inside, text) if inside and inside.strip() else {}
    if extra and "mult" in spelled.lower():  # trec_eval's Rprec_mult_0.20
        parameters["mult"], cut = _parameter("mult", extra, text), None
    cutoff = _cutoff(name, kind, cut, text)
    return RankingMeasure(name, tuple((key, parameters[key]) for key in kind.parameters if key in parameters), cutoff)


@functools.cache
def _names() -> dict[str, str]:
    return {alias: name for name, kind in KINDS.items() for alias in (name, *kind.aliases)}


def _canonical(spelled: str, text: str) -> tuple[str, str | None]:
    """The canonical name and the cutoff of names in trec_eval's spelling: `P_10`, `P.10`, `iprec_at_recall_0.10`.

    Refused are those that other tools read as a parameter: in ranx and ir_measures `rbp.95` is a persistence of 0.95;
    `f1.5` could be an F-measure of that beta, `iprec.1` a recall of 0.1. trec_eval has none of these names.
    """
    names, lowered = _names(), spelled.lower().replace("-", "_")
    trec = re.fullmatch(r"(.+?)([_.])(\d*\.?\d+)", lowered)
    if lowered in names:
        return names[lowered], None
    if trec is None or trec[1] not in names:
        near = did_you_mean(re.sub(r"[_.]?[\d.]+$", "", lowered), [*names, *MEASURE_GROUPS])
        raise ValueError(
            f"no measure {text!r}{near}; available: {', '.join(KINDS)}; "
            "a cutoff is written ndcg@10, a parameter map(rel=2)"
        )
    stem, mark, number = trec.groups()
    is_recall = stem == "iprec" and number in ("0", "1")
    if names[stem] == "rbp" or mark == "." and (stem in ("f", "f1") or is_recall):
        digits = number.partition(".")[2] or number
        parameter = {"rbp": f" or rbp(p=0.{digits})", "iprec": f" or iprec@0.{digits}"}.get(names[stem], "")
        raise ValueError(f"measure {text!r} is ambiguous: write {names[stem]}@{digits}{parameter}")
    return names[stem], number


def _parameters(name: str, kind: Kind, inside: str, text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part in inside.split(","):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if key not in kind.parameters or not equals or not value:
            there = ", ".join(f"{parameter}=..." for parameter in kind.parameters) or "none"
            raise ValueError(f"measure {text!r}: {name} has no parameter {part.strip()!r}; it takes: {there}")
        if key in found:
            raise ValueError(f"measure {text!r} gives {key} twice; give it once")
        found[key] = _parameter(key, value, text)
    return found


def _parameter(key: str, value: str, text: str) -> Any:
    """The value of a parameter in the name of a measure; `text` is the whole name, for messages."""
    if key == "denominator":
        return check_denominator(value)
    if key == "gain":
        return check_gain(value)
    if key == "judged_only":
        if value.lower() not in _FLAGS:
            raise ValueError(f"measure {text!r}: judged_only is true or false, got {value!r}")
        return _FLAGS[value.lower()]
    number, (low, high) = _number(key, value, text), _RANGES[key]
    if not low < number < high:
        between = "at least 0" if key == "rel" else f"between {low:g} and {high:g}, both excluded"
        raise ValueError(f"measure {text!r}: {key} must be {between}, got {value}")
    return number


def _cutoff(name: str, kind: Kind, cut: str | None, text: str) -> int | float | None:
    if cut is None:
        if kind.cut in ("none", "optional"):
            return None
        needs = "a recall, for example {}@0.1" if kind.cut == "recall" else "a cutoff, for example {}@10"
        raise ValueError(f"measure {text!r} needs {needs.format(name)}")
    if kind.cut == "none":
        raise ValueError(f"measure {text!r}: {name} has no cutoff; write {name}")
    if kind.cut == "recall":
        recall = _number("the recall", cut, text)
        if not 0 <= recall <= 1:
            raise ValueError(f"measure {text!r}: the recall must be between 0 and 1, got {cut}")
        return float(recall)
    if not re.fullmatch(r"0*[1-9]\d{0,14}", cut):
        raise ValueError(
            f"measure {text!r}: the cutoff must be an integer of at least 1, of at most 15 digits, got {cut!r}; a parameter "
            "is written like rbp(p=0.95)"
        )
    return int(cut)


def _number(key: str, value: str, text: str) -> int | float:
    try:
        return _plain_number(float(value))
    except (ValueError, OverflowError):
        raise ValueError(f"measure {text!r}: {key} must be a number, got {value!r}") from None


def _text(value: Any) -> str:
    """A parameter as it appears in the name of a measure."""
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


# --- options that are parameters of measures ---------------------------------------------------------------------------


def check_gain(gain: Any) -> str:
    """The option `gain` as text: "linear", "exp2", or level:gain pairs of a dict such as {1: 3, 2: 7}.

    Raises:
        ValueError: another name, or gains that are negative or decrease with the level.

    Example:
        >>> check_gain({2: 7, 1: 3.5})
        '1:3.5;2:7'
    """
    if isinstance(gain, str) and ":" not in gain:
        if gain not in GAINS:
            raise ValueError(
                f"{option_text('gain', gain)} is unknown{did_you_mean(gain, GAINS)}; it is linear, exp2 or "
                "{level: gain}"
            )
        return gain
    try:
        pairs = level_gains(gain) if isinstance(gain, str) else gain.items()
        pairs = sorted((float(level), float(worth)) for level, worth in pairs)
    except (TypeError, ValueError, AttributeError, OverflowError):
        raise ValueError(f"gain must be 'linear', 'exp2' or a dict {{level: gain}}, got {shown(gain)}") from None
    worths = [worth for _, worth in pairs]
    usable = all(math.isfinite(level) and 0 <= worth < math.inf and (level >= 0 or not worth) for level, worth in pairs)
    if not worths or not usable or sorted(worths) != worths:
        raise ValueError(
            "gains must be finite, at least 0, must not fall while the level rises, and are 0 below level 0; "
            f"got {shown(gain)}"
        )
    return ";".join(f"{_text(level)}:{_text(worth)}" for level, worth in pairs)


def check_denominator(value: Any) -> str:
    """The option `ap_denominator`: one of `AP_DENOMINATORS`, "fixed:10" or an integer for the last one."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**15:
        value = f"fixed:{value}"
    if isinstance(value, str) and value.isdigit():
        value = f"fixed:{value}"
    fixed = isinstance(value, str) and re.fullmatch(r"fixed:0*[1-9]\d{0,14}", value)
    if not fixed and not (isinstance(value, str) and value in AP_DENOMINATORS[:-1]):
        raise ValueError(
            f"denominator {shown(value)} is unknown{did_you_mean(value, AP_DENOMINATORS)}; "
            f"it is one of: {', '.join(AP_DENOMINATORS)}"
        )
    return value


def check_level(value: Any) -> int | float:
    """A relevance level: a finite number of at least 0 (levels below 0 count as unjudged), integers as int."""
    real = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not real or not 0 <= value <= _HIGHEST_LEVEL:
        raise ValueError(f"the relevance level must be a finite number of at least 0, got {shown(value)}")
    return _plain_number(value)


def _plain_number(value: float) -> int | float:
    return int(value) if value == int(value) else float(value)
