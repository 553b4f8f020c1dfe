"""Systems compared on the same examples: differences of every measure with intervals, paired tests and slices."""

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from .columns import describe, to_list
from .measures import Measure
from .options import check_choice, did_you_mean
from .paired import (
    CORRECTIONS,
    PAIRED_TESTS,
    Outcome,
    Pairs,
    bootstrap_test,
    corrected_p_values,
    mcnemar_test,
    student_t_test,
    wilcoxon_test,
)
from .ragged import Ragged
from .scores import Scores, in_some_order, other_options
from .statistics import check_draws, check_level

_POWER = 0.8  # of the test whose size `n_needed` is


@dataclasses.dataclass(frozen=True)
class Difference:
    """A measure of two systems on the same examples.

    Attributes:
        measure: its name.
        first, second: the systems; the difference is that of the second minus the first.
        n: how many examples both values rest on.
        left_out: examples that the measure applies to with only one of the systems.
        values: of the first and of the second system, over these n examples.
        intervals: of the values.
        difference: second minus first.
        interval: of the difference, by a bootstrap of pairs.
        p_value: of the test, two-sided, before the correction for several tests.
        p_adjusted: after it.
        test: how p was found: "permutation", "exact permutation", "bootstrap", "t", "wilcoxon", "mcnemar".
        wins, ties, losses: examples in which the second system is better, equal and worse; None where a single example
            has no value of its own (such as macro-F1 of sets of classes).
        effect_size: the difference in standard deviations of the difference of one example (Cohen's d of pairs); None
            where the difference has no spread.
        n_needed: how many examples a test of this level needs to find a difference of that size in 4 of 5 cases; None
            without a difference.
        is_rate: it has a scale, 0..1 or 0..100; counts and thresholds have none.
        lower_is_better: as for an error rate.
    """

    measure: str
    first: str
    second: str
    n: int
    left_out: int
    values: tuple[float, float]
    intervals: tuple[tuple[float, float], tuple[float, float]]
    difference: float
    interval: tuple[float, float]
    p_value: float
    p_adjusted: float
    test: str
    wins: int | None
    ties: int | None
    losses: int | None
    effect_size: float | None
    n_needed: int | None
    is_rate: bool = True
    lower_is_better: bool = False

    @property
    def better(self) -> str | None:
        """The system with the better value, None where they are equal; whether that can be chance, p tells."""
        if self.difference == 0:
            return None
        return self.second if (self.difference > 0) != self.lower_is_better else self.first


@dataclasses.dataclass(frozen=True)
class Comparison:
    """What `compare` returns.

    Attributes:
        systems: name -> Scores of the examples that all systems have, in one order.
        differences: one per pair of systems and measure, over all these examples.
        slices: slice -> label -> differences.
        unmatched: system -> its examples that another system lacks; left out.
        remarks: what else a reader must know, in words.
        level, test, correction, n_resamples, n_permutations, seed: as they were asked for.
    """

    systems: Mapping[str, Scores]
    differences: list[Difference]
    slices: dict[str, dict[str, list[Difference]]]
    unmatched: dict[str, int]
    remarks: list[str]
    level: float
    test: str
    correction: str
    n_resamples: int
    n_permutations: int
    seed: int

    def __str__(self) -> str:
        """A plain table of the differences over all examples."""
        head = ["measure", "n", "first", "second", "difference", f"{100 * self.level:g} % interval", "p"]
        rows = [
            [
                one.measure,
                str(one.n),
                f"{one.first} {one.values[0]:.4f}",
                f"{one.second} {one.values[1]:.4f}",
                f"{one.difference:+.4f}",
                f"{one.interval[0]:+.4f} to {one.interval[1]:+.4f}",
                "<0.0001" if one.p_adjusted < 0.0001 else f"{one.p_adjusted:.4f}",
            ]
            for one in self.differences
        ]
        wide = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
        lines = ["  ".join(f"{cell:<{size}}" for cell, size in zip(row, wide, strict=True)) for row in [head, *rows]]
        return "\n".join(line.rstrip() for line in [*lines, *self.remarks])

    def to_dict(self) -> dict[str, Any]:
        """Everything but the scores, as plain Python numbers, lists and dicts."""
        return {
            "systems": list(self.systems),
            "n": len(next(iter(self.systems.values()))),
            "signature": next(iter(self.systems.values())).signature(),
            **{name: getattr(self, name) for name in _SETTINGS},
            "unmatched": dict(self.unmatched),
            "remarks": list(self.remarks),
            "differences": [dataclasses.asdict(difference) for difference in self.differences],
            "slices": {
                name: {label: [dataclasses.asdict(one) for one in group] for label, group in labels.items()}
                for name, labels in self.slices.items()
            },
        }

    def to_pandas(self):
        """A pandas.DataFrame with a row per difference: those of all examples, then those of the slices.

        Raises:
            ImportError: pandas is not installed.
        """
        import pandas as pd

        rows = [{"slice": None, "label": None, **dataclasses.asdict(one)} for one in self.differences]
        rows += [
            {"slice": name, "label": label, **dataclasses.asdict(one)}
            for name, labels in self.slices.items()
            for label, group in labels.items()
            for one in group
        ]
        return pd.DataFrame(rows)

    def changes(self, measure: str, first: str | None = None, second: str | None = None) -> tuple[list, np.ndarray]:
        """How each example changes from one system to another, the largest loss first.

        Args:
            measure: one that a single example has a value of.
            first, second: systems; by default the first two.

        Returns:
            The ids of the examples that the measure applies to in both, and value of the second minus the first, (n,),
            losses first (a rise is a loss where lower is better); equal ones in the order of the examples.

        Raises:
            ValueError: no such measure or system, or a measure that an example has no value of.
        """
        names = list(self.systems)
        first, second = first or names[0], second or names[1]
        for name in (first, second):
            if name not in names:
                raise ValueError(f"no system {name!r}{did_you_mean(name, names)}; there are: {', '.join(names)}")
        values = [_by_example(self.systems[name], measure) for name in (first, second)]
        change = values[1] - values[0]
        lower = self.systems[first].measures[measure].lower_is_better
        order = np.argsort(-change if lower else change, kind="stable")
        order = order[~np.isnan(change[order])]
        ids = self.systems[first].ids
        return [ids[row] for row in order.tolist()], change[order]


_SETTINGS = ("level", "test", "correction", "n_resamples", "n_permutations", "seed")


def compare_scores(
    systems: Mapping[str, Scores],
    measures: Sequence[str] | None = None,
    by: Mapping[str, Sequence | Mapping] | Sequence[str] | str | None = None,
    *,
    slice_measures: Sequence[str] | None = None,
    baseline: str | None = None,
    test: str = "permutation",
    correction: str = "holm",
    level: float = 0.95,
    n_resamples: int = 1000,
    n_permutations: int = 10_000,
    seed: int = 0,
    progress: Callable[[list], Iterable] | None = None,
) -> Comparison:
    """Compare systems by their scores of the same examples.

    Examples are matched by their ids; those that a system lacks are left out of all of them, and counted. An example to
    which a measure applies with only one system of a pair is left out of that measure, and counted.

    Args:
        systems: name -> Scores of the same metric and options; two or more.
        measures: which to compare; None: all that have an interval.
        by: slices: names of subsets (such as "has_answer"), or slice -> labels: one per example of the first system, or
            a dict id -> label. Labels with the same text are the same.
        slice_measures: those of the slices; None: the same.
        baseline: the system that all others are compared with; None: every pair.
        test: "permutation" (exact where few swaps make a difference), "bootstrap", "t", "wilcoxon" or "mcnemar"; a
            measure that a test does not fit is tested by permutation, and a remark says so.
        correction: for the number of tests: "holm", "bonferroni", "benjamini-hochberg" or "none"; over all pairs and
            measures, and for each slice apart over its labels too.
        level: of the intervals; a difference is significant when its corrected p is below 1 - level.
        n_resamples: of the bootstrap intervals.
        n_permutations: of the test by permutation or bootstrap.
        seed: the same seed gives the same result, in any order of the examples.
        progress: wraps the list of parts to compute, as tqdm does.

    Returns:
        Comparison: `.differences`, `.slices`, `.unmatched`, `.changes(measure)`, `.to_dict()`, `.to_pandas()`.

    Raises:
        ValueError: fewer than two systems, no common example, scores made with different options (naming them),
            different weights, an unknown measure, or an argument outside its range. TypeError: something else than
            Scores.

    Example:
        >>> import karat
        >>> gold = {"q1": ["Paris"], "q2": ["Rome"], "q3": ["Bern"]}
        >>> a = karat.score("answer_match", {"q1": "Paris", "q2": "Milan", "q3": "Basel"}, gold)
        >>> b = karat.score("answer_match", {"q1": "Paris", "q2": "Rome", "q3": "in Bern"}, gold)
        >>> found = karat.compare({"a": a, "b": b}, measures=["exact_match"]).differences[0]
        >>> round(found.difference, 3), found.p_value, (found.wins, found.ties, found.losses)
        (0.333, 1.0, (1, 2, 0))
    """
    check_choice("test", test, PAIRED_TESTS)
    check_choice("correction", correction, CORRECTIONS)
    level = check_level(level)
    check_draws(seed, n_resamples=n_resamples, n_permutations=n_permutations)
    _require_comparable(systems)
    if baseline is not None:
        check_choice("baseline", baseline, systems)
    labels = _labels_of(by, systems)
    aligned, unmatched = align_scores(systems)
    place = {identifier: row for row, identifier in enumerate(next(iter(systems.values())).ids)}
    order = [place[identifier] for identifier in next(iter(aligned.values())).ids]
    settings = _Settings(level, test, n_resamples, n_permutations, seed)
    coded = with_same_codes(aligned)
    names = _measures_of(coded, measures)
    in_slices = names if slice_measures is None else _measures_of(coded, slice_measures)
    pairs = _pairs_of(list(aligned), baseline)
    remarks = _remarks(aligned, names, measures)
    parts = [_Part(None, None, coded, names)]
    for name, values in labels.items():
        texts = [str(values[row]) for row in order]
        sliced = {system: scores.by(texts) for system, scores in coded.items()}
        parts += [
            _Part(name, label, {system: found[label] for system, found in sliced.items()}, in_slices)
            for label in _in_order(values, texts)
        ]
    jobs = [(part, pair) for part in parts for pair in pairs]
    found: dict[tuple[str | None, str | None], list[Difference]] = {}
    for part, pair in jobs if progress is None else progress(jobs):
        group = found.setdefault((part.name, part.label), [])
        group += [one for one in _pair_differences(part, pair, settings) if one.n or part.name is None]
    differences = corrected(found.pop((None, None)), correction)
    slices: dict[str, dict[str, list[Difference]]] = {}
    for name in labels:
        groups = {label: group for (slicing, label), group in found.items() if slicing == name and group}
        flat = iter(corrected([one for group in groups.values() for one in group], correction))
        slices[name] = {label: [next(flat) for _ in group] for label, group in groups.items()}
    every = [*differences, *(one for labels in slices.values() for group in labels.values() for one in group)]
    replaced = dict.fromkeys(one.measure for one in every if one.test != test)
    if replaced and test in _WHY_NOT:
        remarks.append(f"{_WHY_NOT[test]}: tested by permutation instead: {', '.join(replaced)}")
    return Comparison(
        aligned,
        differences,
        slices,
        unmatched,
        remarks,
        level,
        test,
        correction,
        n_resamples,
        n_permutations,
        seed,
    )


_WHY_NOT = {
    "t": "the t-test is for means of examples that count alike",
    "wilcoxon": "the signed-rank test is for means of examples that count alike",
    "mcnemar": "McNemar's test is for measures of right and wrong in which examples count alike",
}


class _Settings(NamedTuple):
    level: float
    test: str
    n_resamples: int
    n_permutations: int
    seed: int


def _require_comparable(systems: Mapping[str, Scores]) -> None:
    if not isinstance(systems, Mapping):
        raise TypeError(f'systems must be a dict name -> Scores, such as {{"A": a, "B": b}}; got {describe(systems)}')
    for name, scores in systems.items():
        if not isinstance(scores, Scores):
            raise TypeError(f"system {name!r} must be a Scores, as karat.score returns it; got {describe(scores)}")
    if len(systems) < 2:
        raise ValueError(f"a comparison needs two systems or more; got {len(systems)}: {', '.join(systems) or 'none'}")
    (first, scores), *others = systems.items()
    for name, other in others:
        alike = type(scores.options) is type(other.options)
        fields = scores.options.differences(other.options) if alike else None
        if fields is None or fields:
            told = other_options(scores.options, other.options, fields)
            raise ValueError(f"{first} and {name} were scored differently and cannot be compared: {told}")


def align_scores(systems: Mapping[str, Scores]) -> tuple[dict[str, Scores], dict[str, int]]:
    """The systems with the examples that all have, matched by id, in the order of the first; and how many others each has.

    Raises:
        ValueError: no common example, examples without ids that cannot be matched, or weights that differ.

    Example:
        >>> import karat
        >>> a = karat.score("answer_match", {"q1": "x", "q2": "y"}, {"q1": ["x"], "q2": ["z"]})
        >>> b = karat.score("answer_match", {"q2": "z", "q3": "y"}, {"q2": ["z"], "q3": ["y"]})
        >>> found, unmatched = align_scores({"a": a, "b": b})
        >>> list(found["a"].ids), unmatched
        (['q2'], {'a': 1, 'b': 1})
    """
    (first_name, first), *others = systems.items()
    common = set(first.ids).intersection(*(scores.ids for _, scores in others))
    for name, scores in others:
        unnamed = [n for n, s in ((first_name, first), (name, scores)) if isinstance(s.ids, range)]
        if unnamed and len(scores) != len(first):
            raise ValueError(
                f"{first_name} has {len(first)} examples and {name} {len(scores)}, and {unnamed[0]} has no ids to match "
                "them by; give ids when you score"
            )
    if not common:
        empty = [name for name, scores in systems.items() if not len(scores)]
        if empty:
            raise ValueError(f"{empty[0]} has no examples; score at least one")
        ids = {name: set(scores.ids) for name, scores in systems.items()}
        apart = [pair for pair in itertools.combinations(systems, 2) if ids[pair[0]].isdisjoint(ids[pair[1]])]
        a, b = apart[0] if apart else (first_name, others[-1][0])
        raise ValueError(
            f"no example is in all systems: {a} has ids such as {systems[a].ids[0]!r}, {b} such as "
            f"{systems[b].ids[0]!r}; score all of them with the same ids"
        )
    ids = [identifier for identifier in first.ids if identifier in common]
    found = {}
    for name, scores in systems.items():
        place = {identifier: row for row, identifier in enumerate(scores.ids)}
        rows = np.array([place[identifier] for identifier in ids], np.int64)
        whole = len(rows) == len(scores) and (rows == np.arange(len(rows))).all()
        found[name] = scores if whole else scores.take(rows)
    for name, scores in found.items():
        unequal = np.flatnonzero(scores.rows.weights != found[first_name].rows.weights)
        if len(unequal):
            raise ValueError(
                f"example {ids[unequal[0]]!r} has another weight in {name} than in {first_name}; "
                "score the systems with the same weights"
            )
    return found, {name: len(scores) - len(ids) for name, scores in systems.items()}


def with_same_codes(systems: Mapping[str, Scores]) -> dict[str, Scores]:
    """The systems with numbers of classes that mean the same in all of them, which count all classes of any system."""
    coded = {name: scores.coded for name, scores in systems.items()}
    if not any(coded.values()) or all(one == next(iter(coded.values())) for one in coded.values()):
        return dict(systems)
    meanings = in_some_order(what for one in coded.values() for listed in one.values() for what in listed)
    number = {what: place for place, what in enumerate(meanings)}
    found = {}
    for name, scores in systems.items():
        columns = dict(scores.columns)
        numbers = np.zeros(0, np.int64)
        for column, listed in scores.coded.items():
            numbers = np.array([number[what] for what in listed], np.int64)
            old = columns[column]
            recoded = numbers[(old.values if isinstance(old, Ragged) else old).astype(np.int64)]
            columns[column] = Ragged(old.offsets, recoded) if isinstance(old, Ragged) else recoded
        for measure in scores.measures.values():
            columns.update(measure.recoded_columns(scores.columns, len(meanings)))
        measures = {key: measure.recoded(numbers, len(meanings)) for key, measure in scores.measures.items()}
        found[name] = dataclasses.replace(
            scores, columns=columns, measures=measures, coded=dict.fromkeys(scores.coded, meanings)
        )
    return found


def _measures_of(systems: Mapping[str, Scores], asked: Sequence[str] | None) -> list[str]:
    """The measures to compare: those asked for, or all with an interval that all systems have."""
    if asked is None:
        return [
            name
            for name, measure in next(iter(systems.values())).measures.items()
            if measure.has_interval and all(name in scores.measures for scores in systems.values())
        ]
    names = list(dict.fromkeys([asked] if isinstance(asked, str) else asked))
    for scores in systems.values():
        scores.summary(names)  # refuses what there is not
        for name in names:
            if not scores.measures[name].has_interval:
                raise ValueError(f"{name} is a count or a threshold, of which no difference is tested; leave it out")
    if not names:
        raise ValueError("measures is empty; name one, or leave it out")
    return names


def _pairs_of(names: Sequence[str], baseline: str | None) -> list[tuple[str, str]]:
    if baseline is None:
        return list(itertools.combinations(names, 2))
    return [(baseline, name) for name in names if name != baseline]


def _labels_of(by: Any, systems: Mapping[str, Scores]) -> dict[str, list]:
    """Slice -> a label per example of the first system."""
    if by is None:
        return {}
    first = next(iter(systems.values()))
    if isinstance(by, str):
        by = [by]
    if not isinstance(by, Mapping):
        by = {name: _subset_labels(systems, name) for name in by}
    found = {}
    for name, values in by.items():
        if isinstance(values, Mapping):
            absent = next((identifier for identifier in first.ids if identifier not in values), None)
            if absent is not None:
                raise ValueError(f"slice {name!r} has no label for example {absent!r}; give one for every example")
            values = [values[identifier] for identifier in first.ids]
        values = to_list(values, f"slice {name!r}")
        if len(values) != len(first):
            raise ValueError(
                f"slice {name!r} has {len(values)} labels for the {len(first)} examples of the first system; "
                "give one for each, in its order, or a dict id -> label"
            )
        found[name] = values
    return found


def _in_order(values: Sequence, texts: Sequence[str]) -> list[str]:
    """The distinct labels among texts, in the order of the values that they are the texts of."""
    there = set(texts)
    return [label for label in dict.fromkeys(map(str, in_some_order(values))) if label in there]


def _subset_labels(systems: Mapping[str, Scores], name: str) -> dict[Any, str]:
    """Whether each example is in a subset, which must be one of the examples themselves, not of what a system did."""
    labels: dict[Any, str] = {}
    for system, scores in systems.items():
        if name not in scores.subsets:
            scores.subset(name)  # raises, listing those there are
        for identifier, inside in zip(scores.ids, scores.subsets[name].tolist(), strict=True):
            label = "yes" if inside else "no"
            if labels.setdefault(identifier, label) != label:
                raise ValueError(
                    f"the subset {name!r} is not the same in all systems ({system} differs in example {identifier!r}): "
                    "a comparison needs slices that do not depend on what a system answers"
                )
    return labels


def _remarks(systems: Mapping[str, Scores], names: Sequence[str], asked: Sequence[str] | None) -> list[str]:
    if asked is not None:
        return []
    there = dict.fromkeys(name for scores in systems.values() for name, m in scores.measures.items() if m.has_interval)
    lacking = [name for name in there if name not in names]
    return [f"not compared, because a system does not have it: {', '.join(lacking)}"] if lacking else []


class _Part:
    """The examples of a slice, or all; `name` and `label` of the slice are None for all."""

    def __init__(self, name: str | None, label: str | None, systems: Mapping[str, Scores], measures: list[str]):
        self.name, self.label, self.systems, self.measures = name, label, systems, measures
        self.found: dict[str, dict[str, tuple[float, float]]] = {}

    def intervals(self, system: str, settings: _Settings) -> dict[str, tuple[float, float]]:
        """Those of a system, computed once for all its pairs."""
        if system not in self.found:
            self.found[system] = self.systems[system].interval(
                settings.level, settings.n_resamples, settings.seed, self.measures
            )
        return self.found[system]


def _pair_differences(part: _Part, pair: tuple[str, str], settings: _Settings) -> list[Difference]:
    """The differences of two systems."""
    both, names = [part.systems[name] for name in pair], part.measures
    sources = {
        name: measure
        for name, measure in both[0].measures.items()
        if measure.has_interval and both[1].measures.get(name) == measure
    }
    unlike = [name for name in names if name not in sources]
    if unlike:
        raise ValueError(f"{unlike[0]} of {pair[0]} and of {pair[1]} are not the same measure; compare them apart")
    pairs = Pairs(both[0].rows, both[1].rows, sources)
    tested = {name: _plain_test(pairs, sources[name], settings.test) for name in names}
    permuted = [name for name in names if tested[name] is None] if settings.test != "bootstrap" else []
    tested |= pairs.permutation_tests(permuted, settings.n_permutations, settings.seed)
    draws = max(settings.n_resamples, settings.n_permutations if settings.test == "bootstrap" else 0)
    drawn = pairs.bootstrap_differences(names, draws, settings.seed)
    return [_difference(name, part, pair, pairs, drawn[name], tested[name], settings) for name in names]


def _difference(
    name: str,
    part: _Part,
    pair: tuple[str, str],
    pairs: Pairs,
    drawn: np.ndarray,
    tested: Outcome | None,
    settings: _Settings,
) -> Difference:
    """One difference, from what the bootstrap drew and the test found (None: the bootstrap is the test)."""
    measure = pairs.measures[name]
    both = [part.systems[system] for system in pair]
    applies = [measure.applies(scores.rows) for scores in both]
    known = applies[0] & applies[1]
    n, left_out = int(known.sum()), int((applies[0] ^ applies[1]).sum())
    intervals = tuple(part.intervals(system, settings)[name] for system in pair)
    if left_out:
        both = [scores.take(np.flatnonzero(known)) for scores in both]
        intervals = tuple(
            scores.interval(settings.level, settings.n_resamples, settings.seed, [name])[name] for scores in both
        )
    first, second = (scores.summary([name])[name] for scores in both)
    resampled = drawn[: settings.n_resamples]
    resampled = resampled[~np.isnan(resampled)]
    tails = [(1 - settings.level) / 2, (1 + settings.level) / 2]
    tested = tested or (bootstrap_test(drawn, second - first) if n > 1 else Outcome(1.0, "bootstrap"))
    examples = pairs.by_example(measure)
    effect = _effect_size(measure, examples, both[0].weights, second - first, resampled, n)
    return Difference(
        name,
        *pair,
        n,
        left_out,
        (float(first), float(second)),
        intervals,
        float(second - first),
        tuple(map(float, np.quantile(resampled, tails))) if len(resampled) else (0.0, 0.0),
        tested.p_value,
        tested.p_value,
        tested.test,
        *_wins(examples, measure.lower_is_better),
        effect,
        _n_needed(effect, settings.level),
        measure.is_rate,
        measure.lower_is_better,
    )


def _plain_test(pairs: Pairs, measure: Measure, test: str) -> Outcome | None:
    """The test of the examples' own values; None where it does not fit the measure, or is none of these."""
    alike = len(np.unique(pairs.rows.weights)) == 1 and pairs.rows.weights.any()
    if test in ("permutation", "bootstrap") or not measure.is_mean or not alike:
        return None
    first, second = pairs.by_example(measure)
    order = np.lexsort((second, first))  # so that rounding does not depend on the order of examples
    first, second = first[order], second[order]
    if test == "mcnemar":
        values = np.unique([*first, *second])
        scale = values.max(initial=0.0)
        return mcnemar_test(first, second) if set(values.tolist()) <= {0.0, scale} and len(values) <= 2 else None
    return student_t_test(first, second) if test == "t" else wilcoxon_test(first, second)


def _wins(
    examples: tuple[np.ndarray, np.ndarray] | None, lower_is_better: bool
) -> tuple[int | None, int | None, int | None]:
    """In how many examples the second is better, equal and worse."""
    if examples is None:
        return None, None, None
    first, second = examples[::-1] if lower_is_better else examples
    return int((second > first).sum()), int((second == first).sum()), int((second < first).sum())


def _effect_size(
    measure: Measure,
    examples: tuple[np.ndarray, np.ndarray] | None,
    weights: np.ndarray | None,
    difference: float,
    resampled: np.ndarray,
    n: int,
) -> float | None:
    """The difference in standard deviations of one example's; those of what is no mean follow from the bootstrap."""
    if measure.is_mean and weights is None and examples is not None:
        change = np.sort(examples[1] - examples[0])  # so that rounding does not depend on the order of examples
        spread = float(np.std(change, ddof=1)) if len(change) > 1 else 0.0
    else:
        spread = float(np.std(resampled)) * math.sqrt(n) if len(resampled) else 0.0
    return difference / spread if spread > 1e-12 else None


def _n_needed(effect: float | None, level: float) -> int | None:
    """How many pairs a two-sided test of the level needs to find an effect in 4 of 5 cases (normal approximation)."""
    if not effect:
        return None
    normal = NormalDist()
    return max(2, math.ceil(((normal.inv_cdf((1 + level) / 2) + normal.inv_cdf(_POWER)) / effect) ** 2))


def corrected(differences: Sequence[Difference], correction: str) -> list[Difference]:
    """The same differences with their p-values corrected for as many tests; where no example applies none was made."""
    p_values = iter(corrected_p_values([one.p_value for one in differences if one.n], correction))
    return [dataclasses.replace(one, p_adjusted=next(p_values) if one.n else 1.0) for one in differences]


def _by_example(scores: Scores, name: str) -> np.ndarray:
    scores.summary([name])  # refuses what there is not
    values = scores.measures[name].by_example(scores.rows)
    if values is None:
        raise ValueError(f"a single example has no {name} of its own; choose a mean over examples")
    return values
