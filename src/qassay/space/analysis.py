"""From files to an Analysis: the scores of all systems, and the numbers that every tab shows."""

import contextlib
import dataclasses
import functools
import threading
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from operator import eq
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..catalog import options_by_metric, split_list
from ..core.examples import Examples
from ..core.family_telling import Telling
from ..core.interval_settings import Intervals
from ..core.remarks import collected
from ..core.scores import Scores
from ..files import Gold
from ..files.content import Content
from ..files.reading import with_file_names
from ..files.roles import RUN_ROLE, names_by_system
from ..labelling import slice_labels
from ..pages.limits import InputError
from ..registry import Family
from ..reports.values import Cell, ValuesReport, build_report, scored_report
from ..run_files import RunFiles, run_files
from ..scoring import Scored, measures_by_metric, read_gold_for, score_golds
from ..stats.runs import with_several_runs
from ..system_files import SystemFile, path_of, system_files, system_names

_T = TypeVar("_T")

# Slices that every analysis can show where its family has them; rankings compute what these need.
_WANTED_SLICES = ("error_kind", "relevant_count")


_USUAL_K = (1, 2, 3, 5, 10)  # of pass@k and majority@k


class Settings(NamedTuple):
    """How the numbers are made.

    Attributes:
        intervals: settings of the intervals, whose confidence and seed tests have too.
        n_permutations: of the permutation test.
        percent: rates as 0..100 instead of 0..1.
    """

    intervals: Intervals = Intervals()
    n_permutations: int = 10_000
    percent: bool = True


class Inputs(NamedTuple):
    """Checked files, each with its role.

    Attributes:
        title: what the page calls them, such as the names of the files.
        gold: path of the gold file.
        systems: name -> path of its predictions; empty for a table that holds both. Where `columns` name several
            systems of a table, all of a table come together, in the order of their columns.
        probabilities: name of a system -> path of its no-answer probabilities.
        metric: None for the metric of the kind of file, "all", or a name.
        options: as on the command line, `KEY=VALUE`.
        columns: role -> column of tables; of references, and of the roles of systems, maybe several.
        measures: what to compute and show; None: the usual measures.
        shown_files: path -> the name to use for it in words and commands, where a path says nothing to its owner.
        contents: path -> what was read there, so that nothing is read twice.
        to_save: shown name -> what must be saved under it before commands find it, in words: pasted text, and files with
            the same name.
        sample: the name of the sample that these are; "" for other files.
        is_compared: whether the gold answers of all tables are known to be the same.
        groups: by what examples belong together; "" for every example by itself.
        runs: name of a system -> paths of the files of its runs, where it has several; `systems` has the first of them.
            A column of runs is one of `columns`.
    """

    title: str
    gold: str
    systems: Mapping[str, str]
    probabilities: Mapping[str, str] = {}
    metric: str | None = None
    options: Sequence[str] = ()
    columns: Mapping[str, str | tuple[str, ...]] = {}
    measures: Sequence[str] | None = None
    shown_files: Mapping[str, str] = {}
    contents: Mapping[str, Content] = {}
    to_save: Mapping[str, str] = {}
    sample: str = ""
    is_compared: bool = False
    groups: str = ""
    runs: Mapping[str, Sequence[str]] = {}

    @property
    def paths(self) -> list[str]:
        """All files, each once."""
        runs = [path for paths in self.runs.values() for path in paths]
        return list(dict.fromkeys([self.gold, *self.systems.values(), *runs, *self.probabilities.values()]))

    def shown(self, path: str) -> str:
        """The name of a file in words and commands."""
        return self.shown_files.get(path, path)

    def opened(self, path: str) -> str | Content:
        """What was read at a path, else the path."""
        return self.contents.get(path, path)


@dataclasses.dataclass(frozen=True, eq=False)
class Analysis:
    """What was scored, for all tabs; nothing in it changes, so that tabs, and visitors of a sample, share it.

    Attributes:
        inputs: the files and options.
        settings: of the numbers.
        scored: one per metric; of the first are the examples, slices and texts.
        report: the values of all systems with their intervals.
        whole: where each run is a system, the analysis in which they are runs; None: this one.
    """

    inputs: Inputs
    settings: Settings
    scored: tuple[Scored, ...]
    report: ValuesReport
    whole: "Analysis | None" = dataclasses.field(default=None, repr=False, compare=False)
    _kept: dict[Hashable, Any] = dataclasses.field(default_factory=dict, init=False, repr=False)
    _locks: dict[Hashable, Any] = dataclasses.field(default_factory=dict, init=False, repr=False)

    @property
    def draws(self) -> dict[str, Any]:
        """How a report of values makes its intervals."""
        return {"intervals": self.settings.intervals, "group_name": self.inputs.groups}

    @functools.cached_property
    def drawn(self) -> dict[str, Sequence[int]]:
        """The numbers k of pass@k and majority@k, as a report of values takes them."""
        return drawn_numbers(self.scored)

    @property
    def main(self) -> Scored:
        """The metric whose examples are shown."""
        return self.scored[0]

    @property
    def family(self) -> Family:
        """Of the main metric."""
        return self.main.family

    @property
    def telling(self) -> Telling:
        """What the family of the main metric tells of its examples and measures."""
        return self.family.telling

    @property
    def examples_name(self) -> str:
        """What the examples are called, in the plural."""
        return self.telling.examples_name

    @property
    def gold(self) -> Gold:
        """The gold file as the main metric reads it."""
        return self.main.gold

    @property
    def systems(self) -> list[str]:
        """Their names, in order."""
        return list(self.main.systems)

    @property
    def rows(self) -> int:
        """How much is kept of all systems: their examples, or lines of rankings, added up."""
        systems = [run for scored in self.scored for run in scored.by_run().systems.values()]
        return sum(max(len(system.scores), *map(len, system.columns.values())) for system in systems)

    def scores(self, system: str) -> Scores:
        """Of the main metric."""
        return self.main.systems[system].scores

    @property
    def has_runs(self) -> bool:
        """Whether some system has several runs."""
        return bool(with_several_runs(self.main.scores))

    @functools.cached_property
    def by_run(self) -> "Analysis":
        """For what is about single answers: the same with each run as a separate system, except for the report."""
        if not self.has_runs:
            return self
        return dataclasses.replace(self, scored=tuple(scored.by_run() for scored in self.scored), whole=self)

    def first_run(self, system: str) -> str:
        """The name of a system in `by_run`, of its first run if it has several."""
        return next(iter(self.main._replace(systems={system: self.main.systems[system]}).by_run().systems))

    @functools.cached_property
    def error_kinds(self) -> dict[str, list[str]] | None:
        """System -> the kind of error of each example; None if the family or these scores have none."""
        kinds = {system: self.telling.errors.of(scores) for system, scores in self.main.scores.items()}
        return None if None in kinds.values() else kinds

    @functools.cached_property
    def main_measures(self) -> list[str]:
        """The measures that the visitor asked for, otherwise the main measures of the main metric, the most telling first;
        only measures that all systems have.
        """
        first = self.scores(self.systems[0])
        asked = measures_by_metric(self.scored, _names(self.inputs.measures)) if self.inputs.measures else {}
        wanted = asked.get(self.family.name) or ()
        names = [name for name in wanted if name in first.measures and first.measures[name].has_interval]
        names = names or self.telling.main_measures(first) or list(first.measures)[:1]
        return [name for name in names if all(name in scores.measures for scores in self.main.scores.values())]

    def cells(self, measure: str) -> Mapping[str, Cell]:
        """System -> its value of a measure with the interval, also where the visitor asked for other measures alone."""

        def make() -> dict[str, Cell]:
            found = build_report(self.main.scores, {}, [measure], percent=self.settings.percent, **self.draws)
            return {system: cells[measure] for system, cells in found.systems.items()}

        shown = {system: cells[measure] for system, cells in self.report.systems.items() if measure in cells}
        return shown or self.once(("cells", measure), make)

    def by_example(self, system: str, measure: str) -> np.ndarray | None:
        """A measure's value by each example alone, float64 (n,), NaN where it does not apply; None: it has none."""
        scores = self.scores(system)
        return scores.measures[measure].by_example(scores.rows)

    def measured_on_all(self, measure: str, among: tuple[str, ...] = ()) -> "Analysis":
        """The same, of the main metric and this measure alone, on the examples to which it applies in every system:
        differences between systems are differences on these.

        Args:
            among: the systems; () for all. The others are omitted where examples are.
        """
        names = among or tuple(self.systems)

        def make() -> Analysis:
            if self.has_runs or not all(self._same_examples(names[0], system) for system in names):
                return self
            columns = [self.by_example(system, measure) for system in names]
            if any(column is None for column in columns):
                return self
            absent = np.isnan(columns)
            if (absent == absent[0]).all():
                return self
            kept = ~absent.any(axis=0)
            systems = {name: self.main.systems[name] for name in self.systems if name in names}
            systems = {name: of._replace(scores=of.scores.subset(kept)) for name, of in systems.items()}
            main = self.main._replace(systems=systems)
            report = build_report(main.scores, {}, [measure], percent=self.settings.percent, **self.draws)
            return dataclasses.replace(self, scored=(main,), report=report)

        return self.once(("measured_on_all", measure, names), make)

    def measures_alike(self, measure: str, system: str, other: str) -> bool:
        """Whether two systems have the same examples, and a measure applies to the same ones of both."""
        if not self._same_examples(system, other):
            return False
        columns = [self.by_example(one, measure) for one in (system, other)]
        return any(column is None for column in columns) or bool((np.isnan(columns[0]) == np.isnan(columns[1])).all())

    def labels(self, system: str, slice_name: str) -> list[str]:
        """The label of each example of a system in a slicing; kept, so not to be changed.

        Slices of the examples are the same for all systems that were scored on the same examples.

        Raises:
            ValueError: no such slicing.
        """
        if slice_name not in self.telling.system_slices and slice_name not in self.scores(system).subsets:
            system = next(other for other in self.systems if self._same_examples(system, other))
        make = functools.partial(slice_labels, self.gold, self.scores(system), slice_name)
        return self.once(("labels", system, slice_name), make)

    def _same_examples(self, system: str, other: str) -> bool:
        first, second = self.scores(system).ids, self.scores(other).ids
        return system == other or self.once(
            ("same_examples", system, other), lambda: len(first) == len(second) and all(map(eq, first, second))
        )

    def once(self, key: Hashable, make: Callable[[], _T]) -> _T:
        """What `make` gives, computed by the first call with this key and kept with the analysis.

        Of threads that ask for the same at once, one computes it and the others wait.
        """
        with self._lock(key):
            if key not in self._kept:
                self._kept[key] = make()
            return self._kept[key]

    def latest(
        self,
        group: str,
        key: Hashable,
        make: Callable[[], _T],
        most: int,
        is_good: Callable[[_T], bool] | None = None,
    ) -> _T:
        """As `once`, but of a group only the `most` that were made last are kept.

        Args:
            group: what they are, such as "comparisons"; results of one group are made one after another.
            is_good: whether what was kept can still be used; None: always.
        """
        with self._lock(("latest", group)):
            kept = self._kept.setdefault(("latest", group), {})
            if key in kept and (is_good is None or is_good(kept[key])):
                return kept[key]
            made = make()
            others = [entry for entry in self._kept["latest", group].items() if entry[0] != key]
            # A new dict, because `known` reads without waiting.
            self._kept["latest", group] = dict([*others, (key, made)][-most:])
            return made

    def known(self, group: str, key: Hashable) -> Any:
        """What `latest` keeps, None for nothing; never waits for what is being made."""
        return self._kept.get(("latest", group), {}).get(key)

    def _lock(self, key: Hashable) -> Any:
        """One lock per key, so that long work holds up nobody who asks for something else."""
        return self._locks.setdefault(key, threading.RLock())

    def texts(self, system: str, rows: Sequence[int]) -> list[Any]:
        """Some examples of a system as `ExampleText`: question, gold answers, answers."""
        return self.telling.example_texts(self.examples(system, rows))

    def examples(self, system: str, rows: Sequence[int]) -> Examples:
        """Some examples of a system."""
        scored = self.main.systems[system]
        return Examples(self.gold, scored.columns, scored.scores, rows)


def analyze(
    inputs: Inputs, settings: Settings | None = None, check: Callable[[Mapping, Mapping], None] | None = None
) -> Analysis:
    """Score files and compute what every tab needs.

    Args:
        check: as for `score_inputs`.

    Raises:
        ValueError: as `score_inputs`.
    """
    settings = settings or Settings()
    with collected() as found:
        scored = score_inputs(inputs, check)
    told = [with_file_names(line, inputs.shown_files) for line in found]
    shown = measures_by_metric(scored, _names(inputs.measures))
    with _own_words(inputs):
        draws = {"intervals": settings.intervals, "group_name": inputs.groups, **drawn_numbers(scored)}
        report = scored_report(scored, (), shown, percent=settings.percent, **draws)
    report = dataclasses.replace(report, remarks=[*told, *report.remarks])
    return Analysis(inputs._replace(contents={}), settings, tuple(scored), report)


def drawn_numbers(scored: Sequence[Scored]) -> dict[str, Sequence[int]]:
    """The numbers k of pass@k and majority@k, as a report of values takes them; {} where there are none."""
    several = with_several_runs(scored[0].scores).values()
    if len(scored) > 1 or not several:
        return {}
    try:
        for scores in several:
            scores.pass_at(1)
    except ValueError:  # no measure of right and wrong
        return {}
    most = min(scores.n_runs for scores in several)
    numbers = [k for k in _USUAL_K if k < most] + [most]
    return {"pass_at": numbers, "majority_at": numbers}


def score_inputs(
    inputs: Inputs, check: Callable[[Mapping, Mapping], None] | None = None, by: Sequence[str] = _WANTED_SLICES
) -> list[Scored]:
    """Score files with each metric asked for.

    Args:
        check: called with the columns of the gold file and of each system before they are scored, to refuse some.
        by: slices to compute what they need.

    Raises:
        ValueError: input that cannot be scored, in qassay's words; files are named as `shown_files` says. What `check`
            raises.
    """
    with _own_words(inputs):
        given = _run_files(inputs)
        golds = read_gold_for(inputs.metric, given.gold, given.names)
        files = given.marked(
            system_files(golds, None, given.paths, given.names, given.systems, is_compared=inputs.is_compared)
        )
        if inputs.systems:
            files = _called(files, inputs)
        return score_golds(
            golds,
            files,
            options=options_by_metric(golds, inputs.options),
            measures=_names(inputs.measures),
            by=by,
            probabilities={system: inputs.opened(path) for system, path in inputs.probabilities.items()},
            check=check,
            groups=inputs.groups or None,
        )


def _run_files(inputs: Inputs) -> RunFiles:
    """The files of each run; a gold file that is the only system is one with a column of runs, or has one run."""
    systems = list(inputs.systems)[:: len(names_by_system(inputs.columns))]
    opened = [
        [*map(inputs.opened, inputs.runs[name])] if name in inputs.runs else inputs.opened(inputs.systems[name])
        for name in systems
    ]
    is_alone = RUN_ROLE in inputs.columns and {*inputs.systems.values()} == {inputs.gold}
    named: tuple[Any, Any] = ([], None) if is_alone else (opened, systems)
    return run_files(inputs.opened(inputs.gold), named[0], inputs.columns, named[1])


def _called(files: Sequence[SystemFile], inputs: Inputs) -> list[SystemFile]:
    """The files of systems, called as the visitor says; files of runs are called as they are shown."""
    known = dict.fromkeys(file.run_of[0] if file.run_of else file.name for file in files)
    names = dict(zip(known, inputs.systems, strict=True))
    shown = {path: run for paths in inputs.runs.values()
             for path, run in zip(paths, system_names(list(map(inputs.shown, paths))), strict=True)}  # fmt: skip
    called = []
    for file in files:
        if file.run_of is None:
            called.append(file._replace(name=names[file.name]))
            continue
        system, run = names[file.run_of[0]], shown.get(path_of(file.file), file.run_of[1])
        called.append(file._replace(name=f"{system} ({run})", run_of=(system, run)))
    return called


def _names(measures: Sequence[str] | None) -> list[str] | None:
    return None if measures is None else [name for part in measures for name in split_list(part)]


@contextlib.contextmanager
def _own_words(inputs: Inputs) -> Iterator[None]:
    """Errors with the names of files in place of paths, which mean nothing to visitors."""
    try:
        yield
    except InputError:
        raise
    except (ValueError, TypeError, ImportError, OSError) as error:
        raise ValueError(with_file_names(error, inputs.shown_files)) from error
