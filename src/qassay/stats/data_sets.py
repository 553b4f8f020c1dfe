"""Several data sets at once: systems joined over data sets, macro means over them, and mean ranks."""

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.groups import Groups
from ..core.interval_settings import Intervals
from ..core.measures import OfMeasure, Rows, TermMeasure
from ..core.scores import Scores
from ..core.shown import describe, shown
from .letters import compact_letters
from .ranking import drawn_values
from .run_measures import mean_of_known
from .runs import Runs, put_together, with_same_columns

DATA_SET = "dataset"  # the name of the column with the data set of each example, and of the slices by data set


@dataclasses.dataclass(frozen=True)
class MeanOverSets(OfMeasure, TermMeasure):
    """The mean over data sets of another measure's value in each: each data set counts the same, regardless of its size.

    `mean_ranks` refuses a data set without an example that the measure applies to. Its variance is the variance within data sets: the
    sums of each data set are divided by its number of resampled examples.
    """

    measure: TermMeasure
    n_sets: int

    bounds = property(lambda self: self.measure.bounds)
    subset = property(lambda self: self.measure.subset)
    reads = property(lambda self: (*self.measure.reads, DATA_SET))

    def terms(self, rows: Rows) -> list[np.ndarray]:
        terms = self.measure.terms(rows)
        return [
            np.where(rows.columns[DATA_SET] == number, term, 0.0) for number in range(self.n_sets) for term in terms
        ]

    def finish(self, sums: Any) -> Any:
        width = len(sums) // self.n_sets
        with np.errstate(divide="ignore", invalid="ignore"):
            of_sets = [np.asarray(self.measure.finish(sums[at : at + width])) for at in range(0, len(sums), width)]
        return mean_of_known(of_sets)


class MeanRank(NamedTuple):
    """The mean over data sets of the rank of a system in each (1 is best; equal values share the mean of their ranks).

    `low` and `high` are percentiles of the mean rank when the examples of each data set are resampled, the same ones in all
    systems. Systems share a letter in `letters` if these intervals, corrected for the number of systems, overlap.
    """

    system: str
    value: float
    low: float
    high: float
    letters: str


def join_sets(data_sets: Mapping[str, Mapping[str, Scores]]) -> tuple[dict[str, Scores], list[str], list[str]]:
    """Join the scores of each system over data sets; a system that lacks a data set is left out, with a remark.

    Returns:
        Name -> Scores of the examples of all data sets, with the ids `SET/ID`, whose measures are macro means; the data set
        of each example; and what was left out.

    Raises:
        ValueError: fewer than two systems have every data set; scores of one system with different options, or with different numbers of runs.
        TypeError: something other than Scores.
    """
    for name, systems in data_sets.items():
        for system, scores in systems.items():
            if not isinstance(scores, Scores):
                raise TypeError(f"{system} of the data set {name} must be a Scores; got {describe(scores)}")
    names = list(dict.fromkeys(system for systems in data_sets.values() for system in systems))
    lacking = {system: [name for name, of in data_sets.items() if system not in of] for system in names}
    absent = [f"{system} lacks {', '.join(of)}" for system, of in lacking.items() if of]
    kept = [system for system in names if not lacking[system]]
    if len(kept) < 2:
        raise ValueError(
            f"a leaderboard ranks two or more systems with scores of every data set; got {len(kept)}: {'; '.join(absent) or ', '.join(kept)}"
        )
    remarks = [f"not ranked, since a data set is missing: {'; '.join(absent)}"] if absent else []
    for first, second in itertools.combinations(data_sets, 2):
        if all(data_sets[first][system] == data_sets[second][system] for system in kept):
            remarks.append(f"the data sets {first} and {second} have the same examples and values, which count twice")
    joined: dict[str, Scores] = {}
    for system in kept:
        parts = {name: systems[system] for name, systems in data_sets.items()}
        try:
            joined[system] = _joined(parts)
        except ValueError as error:
            raise ValueError(f"{system}: its scores of the data sets cannot be joined: {error}") from error
        if not joined[system].measures:
            raise ValueError(f"{system} has no measure whose mean over data sets is known")
    labels = [name for name, of in data_sets.items() for _ in range(len(of[kept[0]]))]
    return joined, labels, remarks


def _joined(parts: Mapping[str, Scores]) -> Scores:
    """The scores of a system over data sets; run 1 of each data set is joined with run 1 of the others, and so on."""
    counts = {name: scores.n_runs for name, scores in parts.items()}
    if len(set(counts.values())) > 1:
        runs = ", ".join(f"{n} of {name}" for name, n in counts.items())
        raise ValueError(f"the numbers of runs differ ({runs}); give the same number for each data set")
    if any(isinstance(scores, Runs) for scores in parts.values()):
        each = [list(scores.each_run().values()) for scores in parts.values()]  # type: ignore[attr-defined]
        runs_of_sets = [dict(zip(parts, of_run, strict=True)) for of_run in zip(*each, strict=True)]
        return put_together([_joined(of_run) for of_run in runs_of_sets])
    whole = Scores.concat([_named(scores, name, number) for number, (name, scores) in enumerate(parts.items())])
    means = {
        name: MeanOverSets(measure, len(parts))
        for name, measure in whole.measures.items()
        if isinstance(measure, TermMeasure)
    }
    return dataclasses.replace(whole, measures={name: of for name, of in means.items() if of.has_interval})


def _named(scores: Scores, name: str, number: int) -> Scores:
    """The scores of a data set, with its name added to ids and groups and its number added as a column."""
    if DATA_SET in (*scores.columns, *scores.subsets):
        raise ValueError(f"the data set {name} has a column {DATA_SET}; rename it")
    ids = [f"{name}/{identifier}" for identifier in scores.ids]
    groups = None if scores.groups is None else Groups.of([f"{name}/{of}" for of in scores.groups.listed()], ids)
    columns = {**scores.columns, DATA_SET: np.full(len(scores), float(number))}
    return dataclasses.replace(scores, ids=ids, columns=columns, groups=groups)


def mean_ranks(
    systems: Mapping[str, Scores],
    sets: Sequence[str],
    labels: Sequence[str],
    measures: Sequence[str],
    intervals: Intervals,
) -> dict[str, list[MeanRank]]:
    """Measure -> the mean rank of each system over the data sets, best first.

    Args:
        systems: Scores with the same examples in the same order, as from `join_sets`; labels: the data set of each example.
        sets: the data sets.

    Raises:
        ValueError: a data set has no example that all systems have and that the measure applies to, so it would not count.
    """
    names, column = sorted(systems), np.array(labels, object)  # draws depend on the order of systems
    systems = with_same_columns(systems)
    found: dict[str, list[MeanRank]] = {}
    tail = (1 - intervals.confidence) / 2
    for measure in measures:
        values, drawn = [], []
        for number, name in enumerate(sets):
            rows = np.flatnonzero(column == name)
            if not len(rows):
                raise ValueError(f"the data set {name} has no example that all systems have; omit the data set")
            of_set = {system: systems[system].take(rows) for system in names}
            seeded = dataclasses.replace(intervals, seed=intervals.seed + number)  # each data set has independent draws
            one, resampled = drawn_values(of_set, measure, seeded)
            if one is None:
                raise ValueError(
                    f"{measure} applies to no example of the data set {name} that all systems have, so the data set would "
                    "not count; omit the data set, or choose other measures"
                )
            values.append(_ranks(one[None])[0])
            drawn.append(_ranks(resampled))
        means, of_draws = np.mean(values, axis=0), np.mean(drawn, axis=0)
        low, high = np.quantile(of_draws, [tail, 1 - tail], axis=0)
        order = sorted(range(len(names)), key=lambda index: (means[index], names[index]))
        means, low, high = means[order], low[order], high[order]
        tail_of_each = tail / len(names)  # all intervals hold at once
        least, most = np.quantile(of_draws[:, order], [tail_of_each, 1 - tail_of_each], axis=0)
        letters = compact_letters((least[:, None] > most) | (most[:, None] < least))
        ranked = zip(
            [names[index] for index in order], means.tolist(), low.tolist(), high.tolist(), letters, strict=True
        )
        found[measure] = [MeanRank(*of) for of in ranked]
    return found


def _ranks(goodness: np.ndarray) -> np.ndarray:
    """The ranks in each row of values (b, systems), 1 for the largest; equal values share the mean of their ranks."""
    larger = (goodness[:, None, :] > goodness[:, :, None]).sum(axis=2)
    equal = (goodness[:, None, :] == goodness[:, :, None]).sum(axis=2)
    ranks: np.ndarray = larger + (equal + 1) / 2
    return ranks


def lines_of(board_sets: Sequence[str], found: Mapping[str, Sequence[MeanRank]], confidence: float) -> list[str]:
    """The lines of a leaderboard about its data sets: the meaning of its values, and the mean ranks."""
    sets = ", ".join(map(shown, board_sets))
    lines = [
        f"values over all are the means over the data sets {sets}, each counted the same; the intervals hold for other examples of these data sets"
    ]
    for measure, rows in found.items():
        ranks = ", ".join(f"{of.system} {of.value:.2f} {of.letters} ({of.low:.2f} to {of.high:.2f})" for of in rows)
        lines.append(f"mean rank over the data sets by {measure} ({confidence:.0%} interval): {ranks}")
    return lines
