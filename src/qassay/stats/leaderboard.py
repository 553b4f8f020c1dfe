"""Ranks many systems on the same examples by each measure, overall and in slices."""

import dataclasses
import os
from collections.abc import Mapping, Sequence
from typing import Any

from ..core.interval_settings import Intervals, check_confidence
from ..core.options import check_choice
from ..core.presenting import Shown, presenter
from ..core.remarks import public
from ..core.scores import Scores
from .absent import require_answers
from .data_sets import DATA_SET, MeanRank, join_sets, lines_of, mean_ranks
from .difference import ComparisonSettings
from .ranking import Ranking, rank_systems, require_number
from .remarks import remarks_of_leaderboard
from .systems import compared_systems, requested_measures


@dataclasses.dataclass(frozen=True, repr=False)
class Leaderboard(Shown):
    """The result of `qassay.leaderboard`.

    Attributes:
        systems: name -> Scores of the examples that all systems have, in the same order.
        rankings: measure -> Ranking, over all these examples; systems are sorted by the first measure.
        slices: slice -> label -> measure -> Ranking; measures that apply to no example of the label are omitted.
        unmatched: system -> the number of its examples that another system lacks; these are omitted.
        remarks: warnings in words; a `Remark` about one slice has the slice's name in `of_slice`.
        settings: `intervals` and `n_permutations` as requested.
        labels: slice -> the label of each example.
        mean_ranks: measure -> the `MeanRank` of each system over several data sets, best first; {} for one data set.
    """

    systems: Mapping[str, Scores]
    rankings: dict[str, Ranking]
    slices: dict[str, dict[str, dict[str, Ranking]]]
    unmatched: dict[str, int]
    remarks: list[str]
    settings: ComparisonSettings
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

    def signature(self) -> str:
        """The common options of all systems."""
        return next(iter(self.systems.values())).signature()

    def to_dict(self) -> dict[str, Any]:
        """Its numbers as plain data: the result document that `report("FILE.json")` writes."""
        return dict(presenter("reports").document_of(self))


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
    remarks: list[str] = []
    if isinstance(systems, Mapping) and systems and all(isinstance(of, Mapping) for of in systems.values()):
        if by is not None or groups is not None:
            raise ValueError(
                "of several data sets, slices are the data sets, and groups those of the scores; omit by and groups"
            )
        sets = list(systems)
        systems, labels, remarks = join_sets(systems)
        by = {DATA_SET: labels}
    if isinstance(systems, Mapping):
        require_number(len(systems), most_only=True)
    names, in_slices = requested_measures(systems, measures)
    if not check_choice("common", common, (False, True)):
        require_answers(systems, "examples", "common=True", count_absent=True)
    intervals = Intervals(check_confidence(confidence), method, n_resamples, seed)
    settings = ComparisonSettings(intervals=intervals, n_permutations=n_permutations)
    board = rank_scores(
        systems,
        names,
        by,
        settings,
        groups=groups,
        slice_measures=in_slices,
        omit_empty=measures is None or measures == "all",
    )
    if not sets:
        return board
    ranks = mean_ranks(board.systems, sets, board.labels[DATA_SET], board.measures, intervals)
    lines = [*remarks, *lines_of(sets, ranks, intervals.confidence), *board.remarks]
    return dataclasses.replace(board, mean_ranks=ranks, remarks=lines)


def rank_scores(
    systems: Mapping[str, Scores],
    measures: Sequence[str] | None = None,
    by: Any = None,
    settings: ComparisonSettings = ComparisonSettings(),
    *,
    groups: Any = None,
    slice_measures: Sequence[str] | None = None,
    omit_empty: bool = True,
) -> Leaderboard:
    """Rank systems by their scores on the same examples; other arguments as in `qassay.leaderboard`.

    Args:
        measures: the measures to rank by; None: all that have an interval.
        slice_measures: measures of the slices; None: the same.
        omit_empty: omit and report a measure that applies to no common example; False: refuse it.

    Raises:
        TypeError, ValueError: as `qassay.leaderboard`.
    """
    compared = compared_systems(systems, measures, by, groups, slice_measures)
    found = rank_systems(compared.coded, compared.measures, settings)
    rankings = {name: ranking for name, ranking in found.items() if ranking.n}
    omitted = [name for name in found if name not in rankings]
    if omitted and not (omit_empty and rankings):
        raise ValueError(f"applies to no example that all systems have: {', '.join(omitted)}; omit it")
    slices: dict[str, dict[str, dict[str, Ranking]]] = {name: {} for name in compared.labels}
    for slicing, label, part in compared.slices():
        known = {name: of for name, of in rank_systems(part, compared.in_slices, settings).items() if of.n}
        if known:
            slices[slicing][label] = known
    remarks = remarks_of_leaderboard(compared, measures is None, omitted, rankings, slices, settings)
    return Leaderboard(compared.aligned, rankings, slices, compared.unmatched, remarks, settings, compared.labels)
