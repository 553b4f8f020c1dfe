"""Ranks many systems on the same examples by each measure, overall and in slices."""

import dataclasses
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.align import require_comparable
from ..core.errors import import_pandas
from ..core.interval_settings import Intervals, check_confidence
from ..core.options import check_choice
from ..core.presenting import presenter
from ..core.remarks import public
from ..core.rows import comparable_ids, different_questions, lacking_by_run
from ..core.scores import Scores
from ..core.shown import first_names
from ..core.slices import in_order
from .cautions import told_of
from .compared import AskedSystems, asked_measures, asked_systems, shared_measures
from .ranking import Ranking, RankSettings, rank_systems, require_number
from .ranking_table import ranking_rows, ranking_text
from .remarks import SliceRemark, remarks_of_systems

_MOST_NAMED = 5  # largest number of labels, measures or systems in a remark or message


@dataclasses.dataclass(frozen=True, repr=False)
class Leaderboard:
    """The result of `qassay.leaderboard`.

    Attributes:
        systems: name -> Scores of the examples that all systems have, in one order.
        rankings: measure -> Ranking, over all these examples; systems are sorted by the first measure.
        slices: slice -> label -> measure -> Ranking; without measures that apply to no example of the label.
        unmatched: system -> the number of its examples that another system lacks; these are omitted.
        remarks: warnings in words; a remark about one slice is a `SliceRemark`.
        settings: intervals (`Intervals`) and n_permutations as requested.
        labels: slice -> the label of each example.
    """

    systems: Mapping[str, Scores]
    rankings: dict[str, Ranking]
    slices: dict[str, dict[str, dict[str, Ranking]]]
    unmatched: dict[str, int]
    remarks: list[str]
    settings: RankSettings
    labels: Mapping[str, Sequence[str]] = dataclasses.field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The systems, best first by the first measure."""
        return next(iter(self.rankings.values())).names

    @property
    def measures(self) -> list[str]:
        """The measures of the ranking."""
        return list(self.rankings)

    def __str__(self) -> str:
        """A plain table for each measure, over all examples."""
        tables = [ranking_text(ranking) for ranking in self.rankings.values()]
        return "\n\n".join([*tables, *(["\n".join(self.remarks)] if self.remarks else [])])

    def __repr__(self) -> str:
        ranking = next(iter(self.rankings.values()))
        best = ", ".join(f"{of.system} {of.value:.4f}" for of in ranking.systems[:3])
        n = next(iter(self.systems.values())).n_examples
        return f"<Leaderboard of {len(self.systems)} systems on {n} examples by {', '.join(self.measures)}: {best}{', ...' * (len(self.systems) > 3)}>"

    def _repr_html_(self) -> str:
        """The systems with their values, for notebooks."""
        return str(presenter("notebooks").leaderboard_html(self))

    def report(self, path: "str | os.PathLike[str]", **settings: Any) -> None:
        """Write the leaderboard: .html (self-contained), .md, .tex, .csv or .json, by the extension.

        Args:
            path: of the file.
            settings: as in `qassay.results.report_files.write_leaderboard`.

        Raises:
            ValueError: another extension. OSError: the file cannot be written.
        """
        presenter("report_files").write_leaderboard(self, path, **settings)

    def signature(self) -> str:
        """The common options of all systems."""
        return next(iter(self.systems.values())).signature()

    def to_dict(self) -> dict[str, Any]:
        """Everything except the scores, as plain numbers, strings, lists and dicts."""
        intervals = self.settings.intervals
        return {
            "systems": self.names,
            "n": next(iter(self.systems.values())).n_examples,
            "signature": self.signature(),
            "level": intervals.confidence,
            "n_resamples": intervals.n_resamples,
            "n_permutations": self.settings.n_permutations,
            "seed": intervals.seed,
            "interval_method": intervals.method,
            "unmatched": dict(self.unmatched),
            "remarks": list(self.remarks),
            "rankings": {name: ranking.to_dict() for name, ranking in self.rankings.items()},
            "slices": {
                name: {
                    label: {measure: ranking.to_dict() for measure, ranking in own.items()}
                    for label, own in labels.items()
                }
                for name, labels in self.slices.items()
            },
        }

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with one row per system and measure: first all examples, then the slices.

        Raises:
            ImportError: pandas is not installed.
        """
        pd = import_pandas("Leaderboard.to_pandas")
        places: list[tuple[str | None, str | None, Ranking]] = [(None, None, own) for own in self.rankings.values()]
        places += [
            (name, label, ranking)
            for name, labels in self.slices.items()
            for label, own in labels.items()
            for ranking in own.values()
        ]
        return pd.DataFrame(
            [{"slice": name, "label": label, **row} for name, label, own in places for row in ranking_rows(own)]
        )


@public
def leaderboard(
    systems: Mapping[str, Scores],
    measures: Sequence[str] | str | None = None,
    by: Any = None,
    *,
    groups: Any = None,
    common: bool = False,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    n_permutations: int = 10_000,
    seed: int = 0,
    method: str = "auto",
) -> Leaderboard:
    """Rank 2 to 100 systems: ranks with intervals, letters of indistinguishable systems, and tests of all pairs.

    Args:
        systems, by, groups: as in `compare`. The numbers do not depend on the order of systems or examples.
        measures: the measures to rank by; systems are sorted by the first. None: the usual measures of the metric,
            in slices its main measures; "all" for all that have an interval.
        common: True: rank by the examples that all systems have, and count the others in `.unmatched`. False: refuse systems
            with different examples.
        confidence, n_resamples, seed, method: as in `Scores.interval`, for values and ranks; `best_share` needs the
            resamples too, and systems differ if the corrected p is below 1 - confidence.
        n_permutations: the number of random sign flips, for p-values and ranks.

    Returns:
        Leaderboard: `.rankings` by measure and `.slices`: each `Ranking` has `.systems`, best first, with value,
            interval, rank, interval of the rank, letters and the share of resamples in which the system is the best;
            and `.p_values` of all pairs, corrected for the pairs of this measure (and this slice). It prints as a
            table. `.report(path)`, `.to_pandas()` and `.to_dict()` contain everything; `.remarks` has further warnings.

    Raises:
        ValueError: systems with different examples (counted and named), more than 100 systems, different options or
            gold answers, or a requested measure that applies to no example. TypeError: something
            other than Scores.

    Example:
        >>> import qassay
        >>> gold = {f"q{n}": [str(n)] for n in range(40)}
        >>> answers = {"sharp": 36, "fair": 33, "blunt": 12}  # how many are right
        >>> systems = {
        ...     name: qassay.score("answer_match", {f"q{n}": str(n if n < right else "?") for n in range(40)}, gold)
        ...     for name, right in answers.items()
        ... }
        >>> for ranked in leaderboard(systems, "exact_match").rankings["exact_match"].systems:
        ...     print(ranked.rank, ranked.system, ranked.value, ranked.rank_interval, ranked.letters)
        1 sharp 0.9 (1, 2) a
        2 fair 0.825 (1, 2) a
        3 blunt 0.3 (3, 3) b
    """
    omit_empty = measures is None or measures == "all"
    measures, in_slices = asked_measures(systems, measures)
    intervals = Intervals(check_confidence(confidence), method, n_resamples, seed)
    settings = RankSettings(intervals, n_permutations)
    asked: dict[str, Any] = {"slice_measures": in_slices, "omit_empty": omit_empty}
    return rank_scores(systems, measures, by, settings, groups=groups, common=common, **asked)


def rank_scores(
    systems: Mapping[str, Scores],
    measures: Sequence[str] | None = None,
    by: Any = None,
    settings: RankSettings = RankSettings(),
    *,
    groups: Any = None,
    common: bool = False,
    slice_measures: Sequence[str] | None = None,
    omit_empty: bool = True,
    progress: Callable[[list[Any]], Iterable[Any]] | None = None,
) -> Leaderboard:
    """Rank systems by their scores on the same examples; arguments as in `qassay.leaderboard`.

    Args:
        measures: the measures to rank by; None: all that have an interval.
        slice_measures: measures of the slices; None: the same.
        omit_empty: omit and report a measure that applies to no common example; False: refuse it.
        progress: wraps the list of parts to compute, as tqdm does.

    Raises:
        TypeError, ValueError: as `qassay.leaderboard`.
    """
    common = check_choice("common", common, (False, True))
    if isinstance(systems, Mapping):
        require_number(len(systems), most_only=True)
    require_comparable(systems)
    if not common:
        _require_same_examples(systems)
    asked = asked_systems(systems, by, groups)
    names = shared_measures(asked.coded, measures)
    in_slices = names if slice_measures is None else shared_measures(asked.coded, slice_measures)
    parts = [_Part(None, None, asked.coded, names), *_slices_of(asked, in_slices)]
    rankings: dict[str, Ranking] = {}
    omitted: list[str] = []
    slices: dict[str, dict[str, dict[str, Ranking]]] = {name: {} for name in asked.labels}
    for slicing, label, own, wanted in parts if progress is None else progress(parts):
        found = rank_systems(own, wanted, settings)
        if slicing is None:
            rankings, omitted = _that_apply(found, omit_empty)
        elif known := {measure: ranking for measure, ranking in found.items() if ranking.n}:
            slices[slicing][str(label)] = known
    remarks = remarks_of_systems(asked.coded, names, measures is None)
    remarks += [f"applies to no example in all systems, and is omitted: {_first(omitted)}"] if omitted else []
    remarks += remarks_of_rankings(rankings, slices, settings.intervals.confidence)
    return Leaderboard(asked.aligned, rankings, slices, asked.unmatched, remarks, settings, asked.labels)


def _that_apply(rankings: Mapping[str, Ranking], omit_empty: bool) -> tuple[dict[str, Ranking], list[str]]:
    """The rankings with at least one example, and the names of the other measures."""
    empty = [name for name, ranking in rankings.items() if not ranking.n]
    if empty and not (omit_empty and len(empty) < len(rankings)):
        raise ValueError(f"applies to no example that all systems have: {', '.join(empty)}; omit it")
    return {name: ranking for name, ranking in rankings.items() if ranking.n}, empty


class _Part(NamedTuple):
    """Examples to rank systems by: all (slicing and label None), or the examples of one slice."""

    slicing: str | None
    label: str | None
    systems: Mapping[str, Scores]
    measures: Sequence[str]


def _slices_of(asked: AskedSystems, measures: Sequence[str]) -> Iterator[_Part]:
    for name, texts in asked.labels.items():
        column = np.array(texts, object)
        for label in in_order(set(texts)):
            rows = np.flatnonzero(column == label)
            yield _Part(name, label, {system: own.take(rows) for system, own in asked.coded.items()}, measures)


def _require_same_examples(systems: Mapping[str, Scores]) -> None:
    """Refuse systems with different examples; the ValueError counts and names what each lacks."""
    ids_of = dict(zip(systems, comparable_ids(*(scores.ids for scores in systems.values())), strict=True))
    own = {name: set(ids) for name, ids in ids_of.items()}
    first = next(iter(own.values()))
    if all(ids == first for ids in own.values()):
        return
    lacking = lacking_by_run(ids_of)
    n, shared = len(set().union(*own.values())), len(first.intersection(*own.values()))
    todo = f"common=True ranks them by the {shared} that all have" if shared else "no question is in all"
    named = dict(sorted(lacking.items(), key=lambda of: -len(of[1]))[:_MOST_NAMED])
    rest = len(lacking) - len(named)
    todo = f"and {rest} more systems lack some; {todo}" if rest else todo
    raise ValueError(different_questions("the systems", named, n, todo))


def remarks_of_rankings(
    rankings: Mapping[str, Ranking], slices: Mapping[str, Mapping[str, Mapping[str, Ranking]]], level: float
) -> list[str]:
    """The warnings about rankings, in words."""
    lines = []
    lines += _remarks_of_place(None, [(name, ranking) for name, ranking in rankings.items()], level)
    for name, labels in slices.items():
        named = [(label, ranking) for label, own in labels.items() for ranking in own.values()]
        lines += _remarks_of_place(name, named, level)
    return lines


def _remarks_of_place(place: str | None, named: Sequence[tuple[str, Ranking]], level: float) -> list[str]:
    """The remarks about all examples (place None) or a slice; rankings have the names of their measures or labels."""
    told = {code: [name for name, ranking in named if code in ranking.cautions] for code in told_of(level)}
    lines = [f"{told_of(level)[code]}: {_first(names)}" for code, names in told.items() if names]
    fewer = [f"{name} ({ranking.left_out:,})" for name, ranking in named if ranking.left_out]
    if fewer:
        lines.append(
            "examples are omitted unless a measure applies to them in all systems, so values may differ from the "
            f"values of each system alone: {_first(fewer)}"
        )
    return lines if place is None else [SliceRemark(f"in {place}: {line}", place) for line in lines]


def _first(names: Sequence[str]) -> str:
    return first_names(list(dict.fromkeys(names)), _MOST_NAMED)
