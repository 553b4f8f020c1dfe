"""From files to an Analysis: the scores of all systems, and the numbers that every tab shows."""

import dataclasses
import functools
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from karat.catalog import options_by_metric, split_list
from karat.core.scores import Scores
from karat.families import Family
from karat.files import Gold
from karat.reports.values import Report, build_report, merge_reports
from karat.scoring import Scored, measures_by_metric, read_gold_for, score_golds, slice_labels

_T = TypeVar("_T")

# Slices that every analysis can show where its family has them; rankings compute what these need.
_WANTED_SLICES = ("error_kind", "relevant_count")


class Settings(NamedTuple):
    """How the numbers are made.

    Attributes:
        level: of the intervals and tests.
        n_resamples, n_permutations, seed: of the bootstrap and of the permutation test.
        percent: rates as 0..100 instead of 0..1.
    """

    level: float = 0.95
    n_resamples: int = 1000
    n_permutations: int = 10_000
    seed: int = 0
    percent: bool = True


class Inputs(NamedTuple):
    """Checked files, each with its role.

    Attributes:
        title: what the page calls them, such as the names of the files.
        gold: path of the gold file.
        systems: name -> path of its predictions; empty for a table that holds both.
        probabilities: name of a system -> path of its no-answer probabilities.
        metric: None for that of the kind of file, "all", or a name.
        options: as on the command line, `KEY=VALUE`.
        columns: role -> column of tables.
        measures: what to compute and show; None for the usual ones.
        shown_files: path -> the name to use for it in words and commands, where a path says nothing to its owner.
    """

    title: str
    gold: str
    systems: Mapping[str, str]
    probabilities: Mapping[str, str] = {}
    metric: str | None = None
    options: Sequence[str] = ()
    columns: Mapping[str, str] = {}
    measures: Sequence[str] | None = None
    shown_files: Mapping[str, str] = {}


@dataclasses.dataclass(frozen=True, eq=False)
class Analysis:
    """What was scored, for all tabs; nothing in it changes, so that tabs, and visitors of a sample, share it.

    Attributes:
        inputs: the files and options.
        settings: of the numbers.
        scored: one per metric; of the first are the examples, slices and texts.
        report: the values of all systems with their intervals.
    """

    inputs: Inputs
    settings: Settings
    scored: tuple[Scored, ...]
    report: Report

    @property
    def main(self) -> Scored:
        """The metric of which examples are shown."""
        return self.scored[0]

    @property
    def family(self) -> Family:
        """Of the main metric."""
        return self.main.family

    @property
    def gold(self) -> Gold:
        """The gold file as the main metric reads it."""
        return self.main.gold

    @property
    def systems(self) -> list[str]:
        """Their names, in order."""
        return list(self.main.systems)

    def scores(self, system: str) -> Scores:
        """Of the main metric."""
        return self.main.systems[system].scores

    @functools.cached_property
    def error_kinds(self) -> dict[str, list[str]] | None:
        """System -> the kind of error of each example; None where the family or these scores have none."""
        kinds = {system: self.family.error_kinds(scores) for system, scores in self.main.scores.items()}
        return None if None in kinds.values() else kinds

    @functools.cached_property
    def main_measures(self) -> list[str]:
        """The main measures of the main metric that all systems have, the most telling first."""
        first = self.main.systems[self.systems[0]].scores
        names = self.family.main_measures(first) or list(first.measures)[:1]
        return [name for name in names if all(name in scores.measures for scores in self.main.scores.values())]

    def by_example(self, system: str, measure: str) -> np.ndarray | None:
        """A measure's value by each example alone, float64 (n,), NaN where it does not apply; None: it has none."""
        scores = self.scores(system)
        return scores.measures[measure].by_example(scores.rows)

    def labels(self, system: str, slice_name: str) -> list[str]:
        """The label of each example of a system in a slicing; kept, so not to be changed.

        Raises:
            ValueError: no such slicing.
        """
        make = functools.partial(slice_labels, self.gold, self.scores(system), slice_name)
        return self.once(("labels", system, slice_name), make)

    def once(self, key: Hashable, make: Callable[[], _T]) -> _T:
        """What `make` gives, computed by the first call with this key and kept with the analysis."""
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]

    @functools.cached_property
    def _kept(self) -> dict[Hashable, Any]:
        return {}

    def texts(self, system: str, rows: Sequence[int]) -> list[Any]:
        """Some examples of a system as `ExampleText`: question, gold answers, answers."""
        one = self.main.systems[system]
        return self.family.example_texts(self.gold, one.columns, one.scores, rows)


def analyze(inputs: Inputs, settings: Settings | None = None) -> Analysis:
    """Score files and compute what every tab needs.

    Raises:
        ValueError: input that cannot be scored, in karat's words; files are named as `shown_files` says.
    """
    settings = settings or Settings()
    try:
        golds = read_gold_for(inputs.metric, inputs.gold, inputs.columns)
        options = options_by_metric(golds, inputs.options)
        measures = None
        if inputs.measures is not None:
            measures = [name for part in inputs.measures for name in split_list(part)]
        scored = score_golds(
            golds,
            list(inputs.systems.values()),
            inputs.columns,
            systems=list(inputs.systems) or None,
            options=options,
            measures=measures,
            by=_WANTED_SLICES,
            probabilities=inputs.probabilities,
        )
        shown = measures_by_metric(scored, measures)
        settings_of_intervals = {"level": settings.level, "n_resamples": settings.n_resamples, "seed": settings.seed}
        reports = [
            build_report(one.scores, {}, shown[one.family.name], percent=settings.percent, **settings_of_intervals)
            for one in scored
        ]
    except (ValueError, TypeError, ImportError, OSError) as error:
        raise ValueError(_with_file_names(str(error), inputs)) from error
    return Analysis(inputs, settings, tuple(scored), merge_reports(reports))


def _with_file_names(message: str, inputs: Inputs) -> str:
    """The paths of uploads say nothing to those who made them."""
    for path, name in inputs.shown_files.items():
        message = message.replace(path, name)
    return message
