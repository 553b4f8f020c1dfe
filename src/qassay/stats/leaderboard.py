"""Ranks many systems on the same examples by each measure, overall and in slices."""

import dataclasses
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.align import require_comparable
from ..core.groups import Groups
from ..core.ids import comparable_ids, different_questions
from ..core.interval_settings import Intervals, check_confidence
from ..core.options import check_choice
from ..core.presenting import Shown, presenter
from ..core.remarks import public
from ..core.scores import Scores
from .data_sets import DATA_SET, MeanRank, join_sets, lines_of, mean_ranks
from .rank_agreement import RankAgreement, rank_agreement
from .ranking import Ranking, RankSettings, rank_systems, require_number
from .remarks import remarks_of_leaderboard
from .systems import compared_systems, lacking_answers, requested_measures, shared_measures, slices_of

_MOST_NAMED = 5  # largest number of systems in a message


@dataclasses.dataclass(frozen=True, repr=False)
class Leaderboard(Shown):
    """The result of `qassay.leaderboard`.

    Attributes:
        systems: name -> Scores of the examples that all systems have, in the same order.
        rankings: measure -> Ranking, over all these examples; systems are sorted by the first measure.
        slices: slice -> label -> measure -> Ranking; measures that apply to no example of the label are omitted.
        unmatched: system -> the number of its examples that another system lacks; these are omitted.
        remarks: warnings in words; a `Remark` about one slice has the slice's name in `of_slice`.
        settings: intervals (`Intervals`) and n_permutations as requested.
        labels: slice -> the label of each example.
        mean_ranks: measure -> the `MeanRank` of each system over several data sets, best first; {} for one data set.
    """

    systems: Mapping[str, Scores]
    rankings: dict[str, Ranking]
    slices: dict[str, dict[str, dict[str, Ranking]]]
    unmatched: dict[str, int]
    remarks: list[str]
    settings: RankSettings
    labels: Mapping[str, Sequence[str]] = dataclasses.field(default_factory=dict)
    mean_ranks: dict[str, list[MeanRank]] = dataclasses.field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The systems, best first by the first measure."""
        return next(iter(self.rankings.values())).names

    @property
    def measures(self) -> list[str]:
        """The measures of the ranking."""
        return list(self.rankings)

    def __repr__(self) -> str:
        ranking = next(iter(self.rankings.values()))
        best = ", ".join(f"{of.system} {of.value:.4f}" for of in ranking.systems[:3])
        n = next(iter(self.systems.values())).n_examples
        return f"<Leaderboard of {len(self.systems)} systems on {n} examples by {', '.join(self.measures)}: {best}{', ...' * (len(self.systems) > 3)}>"

    def report(
        self, path: "str | os.PathLike[str]", *, title: str = "", description: str = "", percent: bool = False
    ) -> None:
        """Write the leaderboard: .html (self-contained), .md, .tex, .csv or .json, by the extension.

        Args:
            path: the file.
            title, description: the title and the description of the task.
            percent: show rates as 0..100 instead of 0..1.

        Raises:
            ValueError: another extension. OSError: the file cannot be written.
        """
        presenter("reports").write_leaderboard(self, path, title, description, percent)

    def rank_agreement(self, first: str, second: str) -> RankAgreement:
        """How alike two measures rank the systems: Kendall's tau and tau_ap, with intervals over examples or groups.

        Args:
            first, second: measures that are means over examples; in tau_ap, errors at the top by `second` weigh more.

        Raises:
            ValueError: no such measure, or one without a value per example.

        Example:
            >>> import qassay
            >>> golds = [["Rome"], ["Oslo"], ["Bern"], ["Lima"]]
            >>> answers = {"a": "Rome Oslo Bern Lima", "b": "in Rome Oslo Bern", "c": "x in Oslo y z"}
            >>> answers = {name: (text.split() + [""] * 4)[:4] for name, text in answers.items()}
            >>> board = qassay.leaderboard({n: qassay.score("answer_match", a, golds) for n, a in answers.items()})
            >>> board.rank_agreement("exact_match", "f1").tau
            1.0
        """
        columns, applies = [], []
        for name in (first, second):
            values = []
            for scores in self.systems.values():
                if name not in scores.measures:
                    raise ValueError(f"no measure {name!r}; available: {', '.join(scores.measures)}")
                measure = scores.measures[name]
                of_system = measure.by_example(scores.rows) if measure.is_mean else None
                if of_system is None:
                    raise ValueError(
                        f"{name} is not a mean over examples; choose means over examples, such as {self.measures[0]}"
                    )
                values.append(of_system)
            columns.append(np.concatenate(values))
            applies.append(~np.isnan(columns[-1]))
        n, groups = len(self.systems), next(iter(self.systems.values())).groups
        size = len(columns[0]) // n
        of_examples = np.arange(size) if groups is None else groups.codes
        known = applies[0] & applies[1]
        return rank_agreement(
            columns[0][known],
            columns[1][known],
            np.repeat(np.arange(n), size)[known],
            Groups.of(np.tile(of_examples, n)[known].tolist()),
            self.settings.intervals,
        )

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
            "confidence": intervals.confidence,
            "n_resamples": intervals.n_resamples,
            "n_permutations": self.settings.n_permutations,
            "seed": intervals.seed,
            "requested_method": intervals.method,
            "unmatched": dict(self.unmatched),
            "remarks": list(self.remarks),
            "mean_ranks": {name: [of._asdict() for of in rows] for name, rows in self.mean_ranks.items()},
            "rankings": {name: ranking.to_dict() for name, ranking in self.rankings.items()},
            "slices": {
                name: {
                    label: {measure: ranking.to_dict() for measure, ranking in of_label.items()}
                    for label, of_label in labels.items()
                }
                for name, labels in self.slices.items()
            },
        }


@public
def leaderboard(
    systems: Mapping[str, Any],
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
        systems, by, groups: as in `compare`. The numbers do not depend on the order of systems or examples. For several data
            sets: name of the data set -> systems, matched by name. Values are then means over the data sets, each counted the
            same; the slice "dataset" ranks the systems in each data set, and `.mean_ranks` has the mean rank of each system. A system
            that lacks a data set is not ranked, with a remark. Groups are those of the scores.
        measures: the measures to rank by; systems are sorted by the first. None: the usual measures of the metric,
            in slices its main measures; "all" for all that have an interval.
        common: True: rank by the examples that all systems have, and count the others in `.unmatched`. False: refuse systems
            with different examples.
        confidence, n_resamples, seed, method: as in `Scores.interval`, for values and ranks; `best_share` requires the
            resamples too; systems differ if the corrected p is below 1 - confidence.
        n_permutations: the number of random sign flips, for p-values and ranks.

    Returns:
        Leaderboard: `.rankings` by measure and `.slices`: each `Ranking` has `.systems`, best first, with value,
            interval, rank, interval of the rank, letters and the share of resamples in which the system is the best;
            and `.p_values` of all pairs, corrected for the pairs of this measure (and this slice). It prints as a
            table. `.report(path)` and `.to_dict()` contain everything; `.remarks` has further warnings.

    Raises:
        ValueError: systems with different examples (counted and listed), more than 100 systems, different options or
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
    sets: list[str] = []
    joined = None
    if isinstance(systems, Mapping) and systems and all(isinstance(of, Mapping) for of in systems.values()):
        if by is not None or groups is not None:
            raise ValueError(
                "of several data sets, slices are the data sets, and groups those of the scores; omit by and groups"
            )
        sets, joined = list(systems), join_sets(systems)
        systems, by = joined.systems, {DATA_SET: joined.labels}
    names, in_slices = requested_measures(systems, measures)
    intervals = Intervals(check_confidence(confidence), method, n_resamples, seed)
    settings = RankSettings(intervals, n_permutations)
    board = rank_scores(
        systems,
        names,
        by,
        settings,
        groups=groups,
        common=common,
        slice_measures=in_slices,
        omit_empty=measures is None or measures == "all",
    )
    if joined is None:
        return board
    ranks = mean_ranks(board.systems, sets, board.labels[DATA_SET], board.measures, settings)
    lines = [*joined.remarks, *lines_of(sets, ranks, intervals.confidence), *board.remarks]
    return dataclasses.replace(board, mean_ranks=ranks, remarks=lines)


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
) -> Leaderboard:
    """Rank systems by their scores on the same examples; arguments as in `qassay.leaderboard`.

    Args:
        measures: the measures to rank by; None: all that have an interval.
        slice_measures: measures of the slices; None: the same.
        omit_empty: omit and report a measure that applies to no common example; False: refuse it.

    Raises:
        TypeError, ValueError: as `qassay.leaderboard`.
    """
    common = check_choice("common", common, (False, True))
    if isinstance(systems, Mapping):
        require_number(len(systems), most_only=True)
    require_comparable(systems)
    if not common:
        _require_same_examples(systems)
    aligned, coded, unmatched, labels = compared_systems(systems, by, groups)
    names = shared_measures(coded, measures)
    in_slices = names if slice_measures is None else shared_measures(coded, slice_measures)
    parts: list[Any] = [(None, None, coded), *slices_of(coded, labels)]
    rankings: dict[str, Ranking] = {}
    slices: dict[str, dict[str, dict[str, Ranking]]] = {name: {} for name in labels}
    omitted: list[str] = []
    for slicing, label, of_part in parts:
        found = rank_systems(of_part, names if slicing is None else in_slices, settings)
        known = {name: ranking for name, ranking in found.items() if ranking.n}
        if slicing is None:
            rankings, omitted = known, [name for name in found if name not in known]
            if omitted and not (omit_empty and known):
                raise ValueError(f"applies to no example that all systems have: {', '.join(omitted)}; omit it")
        elif known:
            slices[slicing][label] = known
    confidence = settings.intervals.confidence
    remarks = remarks_of_leaderboard(coded, names, measures is None, omitted, rankings, slices, confidence)
    return Leaderboard(aligned, rankings, slices, unmatched, remarks, settings, labels)


def _require_same_examples(systems: Mapping[str, Scores]) -> None:
    """Refuse systems with different examples; the ValueError counts and lists what each lacks."""
    lacking = lacking_answers(systems, count_absent=True)
    if not lacking:
        return
    ids_of = [set(ids) for ids in comparable_ids(*(scores.ids for scores in systems.values()))]
    n, shared = len(set.union(*ids_of)), len(set.intersection(*ids_of))
    advice = f"common=True ranks them by the {shared} that all have" if shared else "no question is in all"
    named = dict(sorted(lacking.items(), key=lambda of: -len(of[1]))[:_MOST_NAMED])
    rest = len(lacking) - len(named)
    advice = f"and {rest} more systems lack some; {advice}" if rest else advice
    raise ValueError(different_questions("the systems", named, n, advice))
