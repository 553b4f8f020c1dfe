"""Agreement of raters: how well people, and judges compared with them, agree on the labels of the same items."""

import dataclasses
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.bootstrap import units_of
from ..core.columns import counted, is_real
from ..core.interval_settings import Intervals, check_confidence
from ..core.intervals import FEW_UNITS, Interval, Spread, spread_interval, spreads_of
from ..core.measures import Rows, TermMeasure
from ..core.options import check_choice
from ..core.presenting import Shown
from ..core.remarks import public
from ..core.shown import shown
from ..stats.paired_tests import spread_t_test
from . import as_plain
from .agreement_measures import Alpha, Kappas
from .read_ratings import Ratings, read_ratings

SCALES = {"nominal": "none", "ordinal": "linear", "interval": "quadratic"}  # scale -> default weights of kappa
WEIGHTS = ("none", "linear", "quadratic")
_MOST_LABELS = 30  # for kappa and nominal or ordinal alpha
_LEAST_SHARED = 10  # items of a pair of raters
_UNDEFINED = Interval(None, None, "none")


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A kappa, an alpha, or a difference of kappas over n items; `value` is None if it is undefined."""

    value: float | None
    interval: Interval
    n: int
    _spread: Spread | None = dataclasses.field(default=None, repr=False, compare=False)


@dataclasses.dataclass(frozen=True)
class JudgeAgreement:
    """A judge compared with people, on the items that it and at least two comparable people labelled.

    A pair of people is comparable with the judge if all three labelled 10 common items, and have kappas on them.

    Attributes:
        n: the number of these items.
        kappa: the mean kappa of the judge in the place of each person, with each partner of that person.
        people: the mean kappa of each person with the same partners on the same items: the ceiling.
        difference: `kappa` minus `people`; its interval is paired, because both are based on the same items.
        p_value: two-sided, of no difference.
        verdict: "better" than a second person (interval above 0), "as good" (interval above -margin), "worse"
            (interval below 0) or "unclear".
        z: how many standard deviations `kappa` is above the mean kappa of a person with the others (Judge's Verdict);
            None with two people. z_kind: "human-like" (|z| < 1), "super-consistent" (above) or "below people".
    """

    judge: str
    n: int
    kappa: Estimate
    people: Estimate
    difference: Estimate
    p_value: float | None
    verdict: str
    z: float | None
    z_kind: str | None


@dataclasses.dataclass(frozen=True)
class RaterAgreement(Shown):
    """The result of `qassay.rater_agreement`; prints as tables.

    Attributes:
        n, n_groups: the number of items with a label, and of their groups.
        missing: the number of missing labels of these items.
        labels: the different labels of people in rising order.
        scale, weights, margin, confidence: as requested or chosen.
        alpha: Krippendorff's alpha of people.
        kappa: the mean kappa of two people.
        people: person -> mean kappa with the other people.
        judges: one entry per judge.
        pairs: two raters -> their kappa; pairs with fewer than 10 common items are omitted.
        remarks: warnings, one sentence each.
    """

    n: int
    n_groups: int
    missing: int
    labels: tuple[Any, ...]
    scale: str
    weights: str
    margin: float
    confidence: float
    alpha: Estimate
    kappa: Estimate
    people: Mapping[str, Estimate]
    judges: tuple[JudgeAgreement, ...]
    pairs: Mapping[tuple[str, str], Estimate]
    remarks: tuple[str, ...]

    def __getitem__(self, judge: str) -> JudgeAgreement:
        """One judge; a KeyError lists the available ones."""
        by_name = {one.judge: one for one in self.judges}
        if judge not in by_name:
            raise KeyError(f"no judge {judge!r}; available: {', '.join(by_name) or 'none'}")
        return by_name[judge]

    def to_dict(self) -> dict[str, Any]:
        """All attributes as plain values; intervals as pairs, and pairs of raters as a list."""
        pairs = [{"raters": list(pair), **as_plain(one)} for pair, one in self.pairs.items()]
        return {**as_plain(dataclasses.replace(self, pairs={})), "pairs": pairs}


@public
def rater_agreement(
    ratings: Any,
    raters: Sequence[Any] | str | int = (),
    *,
    judges: Sequence[Any] | str | int = (),
    columns: Mapping[str, Any] | None = None,
    scale: str | None = None,
    weights: str | None = None,
    margin: float = 0.05,
    confidence: float = 0.95,
) -> RaterAgreement:
    """Measure how well people agree with each other, and whether a judge agrees with them as well as a second person.

    Args:
        ratings: a file or a table, as for `agreement`: a row per item and a column per rater; or a row per item and
            rater, with columns of the item's id, the rater and the label. Empty cells are missing labels, also NA, n/a,
            NaN, None, null and #N/A. A label is a number, yes or no and the like, or any text.
        raters: the columns of people; in a table with a column of raters, the names of people, (): all except judges.
        judges: the same for judges to compare with people.
        columns: role -> column: ids, rater, labels, and groups (items of a group are not independent).
        scale: "nominal", "ordinal" or "interval". None: nominal for texts and for two labels, ordinal for other whole
            numbers, interval for the rest.
        weights: how disagreements count in kappa: "none", or "linear" or "quadratic" in steps of the labels. None: by
            the scale.
        margin: how far the kappa of a judge "as good" as a second person may be below the kappa of that person.
        confidence: the level of the intervals, for which items (or groups) are a random sample and raters are fixed.

    Returns:
        RaterAgreement: `.alpha`, `.kappa` (mean kappa of two people: the ceiling), `.people`, `.pairs`, and `["judge"]`
            with `kappa`, `people`, `difference` and `verdict`. Each number has `value`, `interval` and `n`.

    Raises:
        ValueError: an unknown column or rater, two labels of one rater for one item, the same id in two rows, a few
            labels that are not numbers, fewer than 10 items with two labels, fewer than two people, an unknown scale,
            or an order or weights for texts.

    Example:
        >>> ann, bob = [1, 1, 0, 0, 1, 0, 1, 1, 0, 1], [1, 1, 0, 1, 1, 0, 1, 0, 0, 1]
        >>> found = rater_agreement({"ann": ann, "bob": bob, "model": ann}, ["ann", "bob"], judges="model")
        >>> round(found.kappa.value, 4), round(found.alpha.value, 4), round(found["model"].kappa.value, 4)
        (0.5833, 0.6042, 0.7917)
    """
    if isinstance(margin, bool) or not is_real(margin) or not 0 <= margin < 1:
        raise ValueError(f"margin must be a number from 0 to below 1, for example 0.1; got {shown(margin)}")
    people, judged = _names(raters), _names(judges)
    if both := [name for name in judged if name in people]:
        raise ValueError(f"{both[0]} is given both as a person and as a judge; give one of these")
    settings = Intervals(check_confidence(confidence))
    read = read_ratings(ratings, people, judged, columns)
    people = read.people
    scale, weights = _scale_of(read.labels, scale, weights)
    table = _Table(read, None if weights == "none" else weights, settings)
    pairs = {
        pair: table.kappas({pair: 1.0})
        for pair in itertools.combinations([*people, *judged], 2)
        if np.sum(table.rated(pair)) >= _LEAST_SHARED
    }
    known = [pair for pair in itertools.combinations(people, 2) if pair in pairs and pairs[pair].value is not None]

    def mean_kappa(pairs: Sequence[tuple[str, str]]) -> Estimate:
        return table.kappas({pair: 1 / len(pairs) for pair in pairs})

    compared = {name: table.comparable(name, people) for name in judged}
    found = [_judge(name, people, pairs_of_people, table, margin) for name, pairs_of_people in compared.items()]
    return RaterAgreement(
        n=len(read.groups),
        n_groups=len(read.groups.labels),
        missing=int(sum((column < 0).sum() for column in read.codes.values())),
        labels=read.labels,
        scale=scale,
        weights=weights,
        margin=float(margin),
        confidence=settings.confidence,
        alpha=table.estimate(Alpha(tuple(people), read.labels, scale), table.rated(people, 2)),
        kappa=mean_kappa(known),
        people={name: mean_kappa([pair for pair in known if name in pair]) for name in people},
        judges=tuple(found),
        pairs=pairs,
        remarks=(*read.remarks, *_remarks(read, compared, known)),
    )


def _names(given: Sequence[Any] | str | int | None) -> list[str]:
    """The names of raters as a list of texts; a single name may be given without a list."""
    names = [given] if isinstance(given, (str, int)) else list(() if given is None else given)
    return list(dict.fromkeys(str(name).strip() for name in names))


def _scale_of(labels: Sequence[Any], scale: str | None, weights: str | None) -> tuple[str, str]:
    """The scale and the weights; chosen by the labels if they are None."""
    are_numbers = not any(isinstance(label, str) for label in labels)
    if scale is None:
        whole = are_numbers and all(label == int(label) for label in labels) and len(labels) <= _MOST_LABELS
        scale = "nominal" if not are_numbers or len(labels) <= 2 else "ordinal" if whole else "interval"
    check_choice("scale", scale, tuple(SCALES))
    if not are_numbers and (scale != "nominal" or weights in ("linear", "quadratic")):
        remedy = "scale='nominal'" if scale != "nominal" else "weights='none'"
        raise ValueError(f"labels such as {shown(labels[0])} have no known order; give numbers, or {remedy}")
    if scale != "interval" and len(labels) > _MOST_LABELS:
        raise ValueError(f"{len(labels)} different labels are too many for the {scale} scale; give scale='interval'")
    return scale, check_choice("weights", weights or SCALES[scale], WEIGHTS)


def _steps(labels: Sequence[Any], more: Sequence[Any]) -> tuple[float, ...]:
    """The step of each label of people, 0, 1, ..., and of each further label: between these, or one step beyond each."""
    if not labels or any(isinstance(label, str) for label in (*labels, *more)):
        return tuple(map(float, range(len(labels) + len(more))))
    known = sorted({*labels, *(label for label in more if not labels[0] < label < labels[-1])})
    return tuple(np.interp((*labels, *more), known, np.arange(len(known)) - known.index(labels[0])).tolist())


class _Table:
    """The labels of all raters, and kappas and alphas of them with intervals."""

    def __init__(self, read: Ratings, weights: str | None, settings: Intervals) -> None:
        self.read, self.weights, self.settings = read, weights, settings

    def rated(self, raters: Sequence[str], least: int | None = None) -> np.ndarray:
        """Which items all these raters labelled, or at least so many of them, bools (n,)."""
        counts = np.sum([np.zeros(len(self.read.groups)), *(self.read.codes[name] >= 0 for name in raters)], axis=0)
        return np.asarray(counts >= (len(raters) if least is None else least))

    def estimate(self, measure: TermMeasure, mask: np.ndarray) -> Estimate:
        """The value of a measure over some items (n,)."""
        rows, value = np.flatnonzero(mask), math.nan
        table = Rows({name: self.read.codes[name][rows] for name in measure.reads}, {}, np.ones(len(rows)))
        if len(rows):
            value = float(measure.value_of([measure.total(term) for term in measure.terms(table)]))
        if math.isnan(value):
            return Estimate(None, _UNDEFINED, len(rows))
        units = units_of(table, self.read.groups.take(rows), [measure])
        spread = spreads_of({"": measure}, units, self.settings)[""]
        interval = spread_interval(measure.bounds, value, spread, self.settings.confidence)
        return Estimate(value, interval, len(rows), spread)

    def kappas(self, factors: Mapping[Any, float], mask: np.ndarray | None = None) -> Estimate:
        """The sum of the kappas of two raters times their factors; with a third rater, on the items of all three."""
        labels, more = self.read.labels, self.read.more
        names = {name for first, second, *_ in factors for name in (first, second)}
        is_of_people = all(self.read.codes[name].max() < len(labels) for name in names)
        steps = _steps(labels, more)[: len(labels) if is_of_people else None]
        if not factors or len(steps) > _MOST_LABELS:
            return Estimate(None, _UNDEFINED, 0)
        pairs = tuple((first, second, *(third or ("",)), factor) for (first, second, *third), factor in factors.items())
        measure = Kappas(pairs, steps, self.weights)
        return self.estimate(measure, self.rated(measure.reads, 2) if mask is None else mask)

    def comparable(self, judge: str, people: Sequence[str]) -> list[tuple[str, str]]:
        """The pairs of people who labelled 10 items with the judge and have kappas on them, all three."""
        found = []
        for first, second in itertools.combinations(people, 2):
            trios = ((judge, first, second), (judge, second, first), (first, second, judge))
            if np.sum(self.rated(trios[0])) >= _LEAST_SHARED and all(
                self.kappas({trio: 1.0}, self.rated(trio)).value is not None for trio in trios
            ):
                found.append((first, second))
        return found


def _judge(
    judge: str, people: Sequence[str], pairs: Sequence[tuple[str, str]], table: _Table, margin: float
) -> JudgeAgreement:
    """A judge compared with the comparable pairs of people."""
    mask = np.any([np.zeros(len(table.read.groups), bool), *(table.rated((judge, *pair)) for pair in pairs)], axis=0)
    partners = {name: [other for pair in pairs if name in pair for other in pair if other != name] for name in people}
    partners = {name: others for name, others in partners.items() if others}
    share = {(name, one): 1 / len(partners) / len(others) for name, others in partners.items() for one in others}
    with_judge = {(judge, partner, name): factor for (name, partner), factor in share.items()}
    with_person = {(a, b, judge): share[a, b] + share[b, a] for a, b in pairs}
    kappa, ceiling = table.kappas(with_judge, mask), table.kappas(with_person, mask)
    difference = table.kappas(with_judge | {trio: -factor for trio, factor in with_person.items()}, mask)
    (low, high), spread = difference.interval, difference._spread
    verdict = "unclear"
    if low is not None:
        verdict = "better" if low > 0 else "as good" if low > -margin else "worse" if high < 0 else "unclear"
    each = [
        table.kappas({(*pair, judge): 1 / len(others) for pair in pairs if name in pair}, mask).value
        for name, others in partners.items()
    ]
    values = [value for value in each if value is not None]
    deviation = float(np.std(values, ddof=1)) if len(values) > 2 else 0.0
    z = (kappa.value - float(np.mean(values))) / deviation if deviation and kappa.value is not None else None
    return JudgeAgreement(
        judge=judge,
        n=int(mask.sum()),
        kappa=kappa,
        people=ceiling,
        difference=difference,
        p_value=None if spread is None else spread_t_test(difference.value or 0.0, spread).p_value,
        verdict=verdict,
        z=z,
        z_kind=None if z is None else "super-consistent" if z > 1 else "below people" if z < -1 else "human-like",
    )


def _remarks(
    read: Ratings, compared: Mapping[str, Sequence[tuple[str, str]]], known: Sequence[tuple[str, str]]
) -> list[str]:
    lines, pairs = [], math.comb(len(read.people), 2)
    n_labels = len(read.labels) + len(read.more)
    if n_labels > _MOST_LABELS:
        lines.append(f"{n_labels} different labels are too many for every kappa; round them, or use alpha")
    elif pairs > len(known):
        lines.append(
            f"{counted(pairs - len(known), 'pairs of people')} without {_LEAST_SHARED} common items or without a kappa: omitted"
        )
    if not read.groups.are_single:
        lines.append(f"intervals draw {len(read.groups.labels):,} groups of items, not single items")
    if len(read.groups.labels) < FEW_UNITS:
        lines.append(f"fewer than {FEW_UNITS} items or groups: the intervals are rough")
    if compared and len(read.people) == 2:
        lines.append("with two people the ceiling is one pair, and z is not defined; a third person makes both firmer")
    lines += [
        f"{judge} is compared with {len(of_judge)} of {counted(pairs, 'pairs of people')}: the others have fewer than "
        f"{_LEAST_SHARED} items that it and both labelled, or no kappa"
        for judge, of_judge in compared.items()
        if len(of_judge) < pairs and n_labels <= _MOST_LABELS
    ]
    return lines
