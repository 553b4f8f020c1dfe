"""Systems by people and by measures, and whether both order them alike."""

import dataclasses
import itertools
from collections.abc import Mapping, Sequence

import numpy as np

from ..core.interval_settings import Intervals
from ..core.intervals import intervals_of
from ..core.measures import Mean, Measure, Rows, exact_sum
from .figures import Labels
from .measures import VERDICT
from .read_labelled import Labelled
from .results import MeasureAgreement, SystemMeans


def systems_of(
    labelled: Labelled, labels: Labels, values: Mapping[str, np.ndarray], settings: Intervals
) -> list[SystemMeans]:
    """The systems by the mean verdict, best first."""
    if labelled.systems is None:
        return []
    names = np.array(labelled.systems)
    found = []
    mean: dict[str, Measure] = {VERDICT: Mean(VERDICT)}
    for name in dict.fromkeys(labelled.systems):
        place = np.flatnonzero(names == name)
        rows = Rows({VERDICT: labels.verdicts[place]}, {}, np.ones(len(place)))
        interval = intervals_of(mean, mean, rows, labelled.groups.take(place), settings)[VERDICT]
        known = {measure: column[place][~np.isnan(column[place])] for measure, column in values.items()}
        means = {measure: exact_sum(column) / len(column) for measure, column in known.items() if len(column)}
        counts = {measure: len(known[measure]) for measure in means}
        found.append(SystemMeans(name, len(place), float(mean[VERDICT].value_once(rows)), interval, means, counts))
    return sorted(found, key=lambda one: (-one.people, one.system))


def ranks(values: Sequence[float]) -> list[int]:
    """The rank of each value, 1 for the largest; equal values share the better rank.

    Example:
        >>> ranks([0.5, 0.9, 0.5])
        [2, 1, 2]
    """
    return [1 + sum(other > value for other in values) for value in values]


def with_order(
    one: MeasureAgreement, values: np.ndarray, verdicts: np.ndarray, systems: Sequence[str]
) -> MeasureAgreement:
    """The agreement with the order of the systems, each by the answers that the measure has a value for."""
    known = ~np.isnan(values)
    names = np.array(systems)[known]
    both = []
    for name in np.unique(names):
        place = np.flatnonzero(names == name)
        both.append(tuple(exact_sum(column[known][place]) / len(place) for column in (verdicts, values)))
    if len(both) < 2:
        return one
    pairs = list(itertools.combinations(both, 2))
    same = sum(np.sign(a[0] - b[0]) == np.sign(a[1] - b[1]) for a, b in pairs)
    largest = max(abs(people - mean) for people, mean in both)
    return dataclasses.replace(one, same_order=int(same), pairs=len(pairs), largest_difference=largest)
