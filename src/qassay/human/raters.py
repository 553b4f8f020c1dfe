"""How well people, and judges beside them, agree on the labels of the same items."""

import dataclasses
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.bootstrap import units_of
from ..core.columns import counted, is_real
from ..core.groups import Groups
from ..core.interval_settings import Intervals, check_confidence
from ..core.intervals import FEW_UNITS, Interval, Spread, spread_interval, spreads_of
from ..core.measures import Rows, TermMeasure
from ..core.options import check_choice
from ..core.presenting import Shown
from ..core.remarks import public
from ..core.shown import describe, shown
from ..stats.paired_tests import spread_t_test
from .agreement_measures import Alpha, Kappas
from .read_ratings import Ratings, read_ratings

SCALES = {"nominal": None, "ordinal": "linear", "interval": "quadratic"}  # scale -> weights of kappa by default
WEIGHTS = ("none", "linear", "quadratic")
_MOST_LABELS = 30  # of tables of pairs of labels
_LEAST_SHARED = 10  # items of a pair of raters
_FALSE_RATE, _LEAST_ITEMS = 0.05, 30  # of the alternative annotator test


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A kappa, an alpha or a difference of kappas; `value` is None if it is not defined, as where all labels are equal."""

    value: float | None
    interval: Interval
    n: int


@dataclasses.dataclass(frozen=True)
class JudgeAgreement:
    """A judge beside people, on the items that it and two people labelled: of pairs of people with 10 of these and with kappas.

    Attributes:
        n: the number of these items.
        kappa: the mean kappa of the judge, in the place of each person in turn, with each partner of the person.
        people: the mean kappa of each person with the same partners on the same items: the ceiling.
        difference: `kappa` minus `people`, with an interval of this difference, which is paired: the same items are in both.
        p_value: of no difference, two-sided.
        verdict: "better" than a second person (the interval is above 0), "as good" (above minus the margin), "worse" (below 0) or
            "unclear".
        z: how many standard deviations `kappa` is above the mean kappa of a person with the others (Judge's Verdict); None
            with two people. z_kind: "human-like" (|z| < 1), "super-consistent" (above) or "below people".
        advantage: the mean probability that the judge agrees with the other people at least as well as a person does.
        won, compared: over how many people the judge wins, in the alternative annotator test, and of how many; None with
            fewer than 30 items of every person.
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
    advantage: float | None
    won: int | None
    compared: int | None


@dataclasses.dataclass(frozen=True)
class RaterAgreement(Shown):
    """The result of `qassay.rater_agreement`.

    Attributes:
        n: the number of items with a label; n_groups: of groups, which intervals draw.
        missing: how many labels of these items the raters did not give.
        labels: the different labels of people in rising order.
        scale, weights, margin, epsilon, confidence: as requested or chosen.
        alpha: Krippendorff's alpha of people.
        kappa: the mean kappa of two people; None if there is only one person.
        people: person -> the mean kappa with the other people.
        judges: one entry per judge.
        pairs: of two raters -> their kappa; pairs without 10 common items are omitted.
        remarks: warnings, in sentences.
    """

    n: int
    n_groups: int
    missing: int
    labels: tuple[Any, ...]
    scale: str
    weights: str
    margin: float
    epsilon: float
    confidence: float
    alpha: Estimate
    kappa: Estimate
    people: Mapping[str, Estimate]
    judges: tuple[JudgeAgreement, ...]
    pairs: Mapping[tuple[str, str], Estimate]
    remarks: tuple[str, ...]

    def __getitem__(self, judge: str) -> JudgeAgreement:
        """A judge; a KeyError lists those that there are."""
        by_name = {one.judge: one for one in self.judges}
        if judge not in by_name:
            raise KeyError(f"no judge {judge!r}; available: {', '.join(by_name) or 'none'}")
        return by_name[judge]

    def to_dict(self) -> dict[str, Any]:
        """All attributes as plain values; intervals as pairs, and pairs of raters as a list."""

        def plain(value: Any) -> Any:
            if isinstance(value, Interval):
                return list(value)
            if isinstance(value, Estimate):
                return {**plain(vars(value)), "method": value.interval.method}
            if dataclasses.is_dataclass(value):
                return plain(vars(value))
            if isinstance(value, Mapping):
                return {name: plain(each) for name, each in value.items()}
            return [plain(each) for each in value] if isinstance(value, (list, tuple)) else value

        pairs = [{"raters": list(pair), **plain(one)} for pair, one in self.pairs.items()]
        return {**plain(dataclasses.replace(self, pairs={})), "pairs": pairs}


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
    epsilon: float = 0.1,
    confidence: float = 0.95,
) -> RaterAgreement:
    """Measure how well people agree with each other, and whether a judge agrees with them as well as a second person does.

    Args:
        ratings: a file or a table, as for `agreement`: a row per item and a column per rater, or a row per item and rater with
            the columns of the item's id, of the rater and of the label. Empty cells are missing labels, in CSV also NA, n/a, NaN,
            None, null and #N/A. A label is a number, yes or no and the like, or any text.
        raters: the columns of people; in a table with a column of raters the names of people; (): there, all but the judges.
        judges: the same for judges to compare with people.
        columns: role -> name of the column: ids, rater, labels, and groups (items of a group are not independent).
        scale: "nominal", "ordinal" or "interval"; None: nominal for texts and two labels, ordinal for other whole numbers, else
            interval.
        weights: of disagreements in kappa, "none", "linear" or "quadratic" in steps of the labels; None: by the scale.
        margin: how far below a second person's kappa a judge may be and still be as good.
        epsilon: of the alternative annotator test: what a person costs more than the judge, as a probability.
        confidence: of the intervals, which take items (or groups) as drawn by chance and the raters as given.

    Returns:
        RaterAgreement: `.alpha`, `.kappa` (the ceiling: mean kappa of two people), `.people`, `.pairs`, and `["judge"]` with
            `kappa`, `people`, `difference`, `verdict`; printed, tables. Each number has `value`, `interval` and `n`.

    Raises:
        ValueError: no such column or rater, two labels of a rater for one item, an id of two rows, a few labels that are no numbers, fewer
            than 10 items with two labels, fewer than two people, another scale, or an order or weights of texts. TypeError: raters
            or judges that are no names.

    Example:
        >>> ann, bob = [1, 1, 0, 0, 1, 0, 1, 1, 0, 1], [1, 1, 0, 1, 1, 0, 1, 0, 0, 1]
        >>> found = rater_agreement({"ann": ann, "bob": bob, "model": ann}, ["ann", "bob"], judges="model")
        >>> round(found.kappa.value, 4), round(found.alpha.value, 4), round(found["model"].kappa.value, 4)
        (0.5833, 0.6042, 0.7917)
    """
    people, judged = _names("raters", raters), _names("judges", judges)
    for name, value in (("margin", margin), ("epsilon", epsilon)):
        if isinstance(value, bool) or not is_real(value) or not 0 <= value < 1:
            raise ValueError(f"{name} must be a number from 0 to below 1, for example 0.1; got {shown(value)}")
    if both := [name for name in judged if name in people]:
        raise ValueError(f"{both[0]} is given both as a person and as a judge; give it once")
    settings = Intervals(check_confidence(confidence))
    if len(people) == 1:
        raise ValueError(f"{people[0]} is the only person; give the labels of at least two people, in raters")
    read = read_ratings(ratings, people, judged, columns)
    people = people or [name for name in read.codes if name not in judged]
    if len(people) < 2:
        raise ValueError(f"people are {', '.join(people) or 'none'}; give the labels of at least two people, in raters")
    scale, weights = _scale_of(read.labels, scale, weights)
    kappa_weights = None if weights == "none" else weights
    table = _Table(read, kappa_weights, settings)
    pairs = {
        pair: table.kappas({pair: 1.0})
        for pair in itertools.combinations([*people, *judged], 2)
        if (table.shared(pair) >= _LEAST_SHARED)
    }
    known = [pair for pair in itertools.combinations(people, 2) if pair in pairs and pairs[pair].value is not None]
    of_person = {name: [pair for pair in known if name in pair] for name in people}
    alpha = table.estimate(Alpha(tuple(people), read.labels, scale), people)[0]
    found, omitted = [], []
    for name in judged:
        one, of_judge = _judge(name, people, table, read, (scale, margin, epsilon))
        found.append(one)
        omitted += of_judge
    return RaterAgreement(
        n=len(read.groups),
        n_groups=len(read.groups.labels),
        missing=int(sum((column < 0).sum() for column in read.codes.values())),
        labels=read.labels,
        scale=scale,
        weights=weights,
        margin=float(margin),
        epsilon=float(epsilon),
        confidence=settings.confidence,
        alpha=alpha,
        kappa=table.mean_kappa(known),
        people={name: table.mean_kappa(of) for name, of in of_person.items()},
        judges=tuple(found),
        pairs=pairs,
        remarks=(*read.remarks, *_remarks(read, people, found, known), *omitted),
    )


def _names(role: str, given: Any) -> list[str]:
    """The names of raters; one may stand alone, and a number names a column as its text does."""
    each = [given] if isinstance(given, (str, int)) else list(given) if isinstance(given, Iterable) else [given]
    for name in each:
        if isinstance(name, bool) or not isinstance(name, (str, int, np.integer)):
            raise TypeError(f"{role} must be names of raters, such as ['ann', 'bob']; got {describe(name)}")
    return list(dict.fromkeys(str(name).strip() for name in each))


def _scale_of(labels: Sequence[Any], scale: str | None, weights: str | None) -> tuple[str, str]:
    """The scale and the weights, chosen where they are None."""
    are_numbers = not any(isinstance(label, str) for label in labels)
    if scale is None:
        whole = are_numbers and all(label == int(label) for label in labels) and len(labels) <= _MOST_LABELS
        scale = "nominal" if not are_numbers or len(labels) <= 2 else "ordinal" if whole else "interval"
    check_choice("scale", scale, tuple(SCALES))
    if not are_numbers and (scale != "nominal" or weights in ("linear", "quadratic")):
        remedy = "scale='nominal'" if scale != "nominal" else "weights='none'"
        raise ValueError(f"labels such as {shown(labels[0])} have no order that is known; give numbers, or {remedy}")
    if scale != "interval" and len(labels) > _MOST_LABELS:
        raise ValueError(f"{len(labels)} different labels are too many for the {scale} scale; give scale='interval'")
    check_choice("weights", weights := weights or SCALES[scale] or "none", WEIGHTS)
    return scale, weights


def _steps(labels: Sequence[Any], more: Sequence[Any]) -> tuple[float, ...]:
    """The steps of the labels of people, 0, 1, ..., and of other labels: between these by their values, or a step further each."""
    own = tuple(map(float, range(len(labels))))
    if not labels or any(isinstance(label, str) for label in (*labels, *more)):
        return (*own, *(float(len(labels) + index) for index in range(len(more))))
    below, above = [each for each in more if each < labels[0]], [each for each in more if each > labels[-1]]
    between = [float(np.interp(each, labels, own)) for each in more[len(below) : len(more) - len(above)]]
    return (*own, *(float(index - len(below)) for index in range(len(below))), *between, *(own[-1] + 1 + index for index in range(len(above))))  # fmt: skip


class _Table:
    """The labels of all raters, and estimates from them."""

    def __init__(self, read: Ratings, weights: str | None, settings: Intervals) -> None:
        self.read, self.weights, self.settings = read, weights, settings
        self.steps = _steps(read.labels, read.more)

    def shared(self, raters: Sequence[str], least: int | None = None) -> int:
        """The number of items that all these raters labelled, or at least so many of them."""
        return int(self.rated(raters, least).sum())

    def rated(self, raters: Sequence[str], least: int | None = None) -> np.ndarray:
        """Which items these are, bools (n,)."""
        counts = sum(self.read.codes[name] >= 0 for name in raters)
        return np.asarray(counts >= (len(raters) if least is None else least))

    def estimate(
        self, measure: TermMeasure, raters: Sequence[str], mask: np.ndarray | None = None
    ) -> tuple[Estimate, Spread | None]:
        """The value of a measure over the items that two of the raters labelled, or over a mask (n,)."""
        rows = np.flatnonzero(self.rated(raters, 2) if mask is None else mask)
        table = Rows({name: self.read.codes[name][rows] for name in measure.reads}, {}, np.ones(len(rows)))
        value = (
            float(measure.value_of([measure.total(term) for term in measure.terms(table)])) if len(rows) else math.nan
        )
        if math.isnan(value):
            return Estimate(None, Interval(None, None, "none"), len(rows)), None
        units = units_of(table, self.read.groups.take(rows), [measure])
        spread = spreads_of({"": measure}, units, self.settings)[""]
        return Estimate(
            value, spread_interval(measure.bounds, value, spread, self.settings.confidence), len(rows)
        ), spread

    def kappas(self, factors: Mapping[tuple[str, ...], float], mask: np.ndarray | None = None) -> Estimate:
        return self.weighted(factors, mask)[0]

    def weighted(
        self, factors: Mapping[tuple[str, ...], float], mask: np.ndarray | None = None
    ) -> tuple[Estimate, Spread | None]:
        """The sum of the kappas of pairs, each by its factor; with a third rater on what that labelled too."""
        known = {name for first, second, *_ in factors for name in (first, second)}
        with_judge = any(self.read.codes[name].max() >= len(self.read.labels) for name in known)
        steps = self.steps if with_judge else self.steps[: len(self.read.labels)]
        if not factors or len(steps) > _MOST_LABELS:
            return Estimate(None, Interval(None, None, "none"), 0), None
        pairs = tuple((first, second, *(third or ("",)), factor) for (first, second, *third), factor in factors.items())
        measure = Kappas(pairs, steps, self.weights)
        return self.estimate(measure, measure.reads, mask)

    def value(self, factors: Mapping[tuple[str, ...], float], mask: np.ndarray) -> float | None:
        return self.kappas(factors, mask).value

    def mean_kappa(self, pairs: Sequence[tuple[str, str]], mask: np.ndarray | None = None) -> Estimate:
        return self.kappas({pair: 1 / len(pairs) for pair in pairs}, mask)


def _judge(
    judge: str, people: Sequence[str], table: _Table, read: Ratings, settings: tuple[str, float, float]
) -> tuple[JudgeAgreement, list[str]]:
    """A judge beside people, and a remark on people or pairs that are not compared."""
    scale, margin, epsilon = settings

    def is_known(first: str, second: str) -> bool:
        """Whether the judge and two people have common items, and kappas on them."""
        items = table.rated((judge, first, second))
        each = itertools.combinations((judge, first, second), 2)
        return items.sum() >= _LEAST_SHARED and all(table.value({pair: 1.0}, items) is not None for pair in each)

    pairs = list(itertools.combinations(people, 2))
    of_people = [pair for pair in pairs if is_known(*pair)]
    partners = {
        name: of for name in people if (of := [other for pair in of_people if name in pair for other in pair if other != name])
    }  # fmt: skip
    mask = np.any([np.zeros(len(read.groups), bool), *(table.rated((judge, *pair)) for pair in of_people)], axis=0)
    with_judge: dict[tuple[str, ...], float] = {}
    with_person: dict[tuple[str, ...], float] = {}
    for name, others in partners.items():
        for other in others:
            share = 1 / len(partners) / len(others)
            items = table.rated((judge, other)) & mask
            is_same = np.array_equal(items, table.rated((judge, other, name)))
            of_judge = (judge, other) if is_same else (judge, other, name)
            pair = (name, other) if (name, other) in of_people else (other, name)
            with_judge[of_judge] = with_judge.get(of_judge, 0.0) + share
            with_person[pair] = with_person.get(pair, 0.0) + share
    kappa, ceiling = table.kappas(with_judge, mask), table.kappas(with_person, mask)
    factors = with_judge | {pair: -factor for pair, factor in with_person.items()}
    difference, spread = table.weighted(factors, mask)
    p_value = None if spread is None else spread_t_test(difference.value or 0.0, spread).p_value
    low, high = difference.interval
    verdict = "unclear"
    if low is not None:
        verdict = "better" if low > 0 else "as good" if low > -margin else "worse" if high < 0 else "unclear"
    each = [
        table.value(dict.fromkeys([pair for pair in of_people if name in pair], 1 / len(of)), mask)
        for name, of in partners.items()
    ]
    values = [value for value in each if value is not None]
    deviation = float(np.std(values, ddof=1)) if len(values) > 2 else 0.0
    z = (kappa.value - float(np.mean(values))) / deviation if deviation and kappa.value is not None else None
    kind = None if z is None else "super-consistent" if z > 1 else "below people" if z < -1 else "human-like"
    omitted = []
    if len(pairs) > len(of_people) and len(read.labels) + len(read.more) <= _MOST_LABELS:
        left = [counted(len(pairs) - len(of_people), "pairs of people")]
        left += [f"{lone} people" if lone > 1 else "1 person"] if (lone := len(people) - len(partners)) else []
        omitted = [f"{judge} is compared {'without' if of_people else 'with nobody, without'} {' and '.join(left)}: fewer than {_LEAST_SHARED} items that it and both labelled, or no kappa"]  # fmt: skip
    found = JudgeAgreement(
        judge, int(mask.sum()), kappa, ceiling, difference, p_value, verdict, z, kind, *_alternative(judge, people, read, scale, epsilon)
    )  # fmt: skip
    return found, omitted


def _alternative(
    judge: str, people: Sequence[str], read: Ratings, scale: str, epsilon: float
) -> tuple[float | None, int | None, int | None]:
    """The advantage of a judge, over how many people it wins, and of how many: the alternative annotator test.

    Each person is left out in turn; the judge and the person are compared by how well they agree with the others: the share of equal
    labels, or on other scales minus the root of the mean squared distance.

    Source: Calderon, Reichart and Dror (2025), arXiv 2501.10970; Benjamini and Yekutieli (2001).
    """
    labels = (*read.labels, *read.more)
    numbers = np.arange(len(labels)) if scale == "nominal" else np.array(labels, np.float64)
    codes = {name: column.astype(np.int64) for name, column in read.codes.items()}
    advantages, p_values = [], []
    for person in people:
        others = np.column_stack([codes[name] for name in people if name != person])
        rows = np.flatnonzero((codes[person] >= 0) & (codes[judge] >= 0) & (others >= 0).any(1))
        if len(rows) < _LEAST_ITEMS:
            continue
        given = others[rows] >= 0

        def score(name: str, rows: np.ndarray = rows, given: np.ndarray = given, others: np.ndarray = others) -> Any:
            apart = numbers[codes[name][rows]][:, None] - numbers[others[rows]]
            costs = (apart != 0 if scale == "nominal" else apart**2) * given
            return -np.sqrt(costs.sum(1) / given.sum(1))

        of_judge, of_person = score(judge), score(person)
        advantages.append(float(np.mean(of_judge >= of_person)))
        less = (of_person >= of_judge).astype(np.float64) - (of_judge >= of_person)
        p_values.append(_p_below(less, read.groups.take(rows), epsilon))
    if not p_values:
        return None, None, None
    m = len(p_values)
    limits = _FALSE_RATE * np.arange(1, m + 1) / m / (1 / np.arange(1, m + 1)).sum()
    won = max((rank for rank, p in enumerate(sorted(p_values), 1) if p <= limits[rank - 1]), default=0)
    return float(np.mean(advantages)), won, m


def _p_below(values: np.ndarray, groups: Groups, limit: float) -> float:
    """One-sided p of a mean that is not below a limit, by Student's t over groups."""
    mean, n = float(values.mean()), len(groups.labels)
    sums = np.bincount(groups.codes, values - mean, n)
    variance = n / max(1, n - 1) * float(sums @ sums) / len(values) ** 2
    if not variance:
        return float(mean >= limit)
    p_value = spread_t_test(mean - limit, Spread(variance, n, n - 1)).p_value
    return p_value / 2 if mean < limit else 1 - p_value / 2


def _remarks(
    read: Ratings, people: Sequence[str], judges: Sequence[JudgeAgreement], known: Sequence[tuple[str, str]]
) -> list[str]:
    lines = []
    if len(read.labels) > _MOST_LABELS:
        lines.append(f"{len(read.labels)} different labels are too many for kappa; round them, or use alpha")
    elif len(read.labels) + len(read.more) > _MOST_LABELS:
        lines.append(
            f"with those of judges, {len(read.labels) + len(read.more)} different labels are too many for their kappas; round them"
        )
    elif missing := math.comb(len(people), 2) - len(known):
        lines.append(
            f"{counted(missing, 'pairs of people')} without {_LEAST_SHARED} common items or without a kappa: omitted"
        )
    if not read.groups.are_single:
        lines.append(f"intervals draw {len(read.groups.labels):,} groups of items, not single items")
    if len(read.groups.labels) < FEW_UNITS:
        lines.append(f"fewer than {FEW_UNITS} items or groups: the intervals are rough")
    if judges and len(people) == 2:
        lines.append("with two people the ceiling is one pair, and z is not defined; a third person makes both firmer")
    return lines
