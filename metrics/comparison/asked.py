"""`qassay.compare` and `qassay.leaderboard`: what users ask of several systems, with the measures that are usual."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.align import require_comparable
from ..core.scores import Scores
from ..core.shown import shown
from ..registry import compared_measures
from .compare import Comparison, compare_scores
from .leaderboard import Leaderboard, rank_scores


def compare(
    systems: Mapping[str, Scores],
    measures: Sequence[str] | str | None = None,
    by: Any = None,
    *,
    groups: Any = None,
    baseline: str | None = None,
    test: str = "permutation",
    correction: str = "holm",
    level: float = 0.95,
    n_resamples: int = 1000,
    n_permutations: int = 10_000,
    seed: int = 0,
    interval_method: str = "auto",
) -> Comparison:
    """Is one system better than another, where, and can that be chance?

    Args:
        systems: name -> Scores of the same metric, options and examples, two or more; matched by id.
        measures: which to compare; None: the usual ones of the metric, in slices the main ones; "all" for all that have
            an interval.
        by: slices: names of subsets (such as "has_answer"), or slice -> one label per example of the first system, or
            slice -> {id: label}; or one column of labels (a series, an array), a series with the ids as its index too.
        groups: what examples belong together, such as the questions about one article: one label per example of the first
            system, or {id: label}, or the name of a subset; None: the groups that the systems were scored with, if any.
            Tests swap whole groups and intervals draw them; every system must have the same.
        baseline: the system that all others are compared with; None: every pair.
        test: "permutation" (exact where few swaps make a difference), "bootstrap", "t", "wilcoxon" or "mcnemar"; a
            measure that a test does not fit is tested by permutation, and a remark says so. In groups, "t" takes
            the variance of omitting each group in turn, and "wilcoxon" and "mcnemar" do not fit.
        correction: for the number of tests: "holm", "bonferroni", "benjamini-hochberg" or "none"; over all pairs and
            measures, and for each slice apart over its labels too.
        level: of the intervals; a difference is significant when its corrected p is below 1 - level.
        n_resamples: of the bootstrap, where intervals need it.
        n_permutations: of the test by permutation or bootstrap.
        seed: the same seed gives the same result, in any order of the examples.
        interval_method: "auto", the formula that simulations chose (see `Scores.interval`; a difference counts as a share of the
            range from the worst to the best), or "percentile" of the bootstrap.

    Returns:
        Comparison: `.differences` and `.slices` with values, intervals, p-values, wins, effect sizes and the number of
            examples that would settle it; `.changes(measure)`, `.ranking(measure)`, `.to_dict()`, `.to_pandas()`; printed, a table. `.remarks`
            say where a test is known to fail; `cautions` of a difference are codes for the same.

    Raises:
        ValueError: naming what does not belong together, such as options or gold answers that differ, or no common
            example. TypeError: something other than Scores.

    Example:
        >>> import qassay
        >>> gold = {"q1": ["Paris"], "q2": ["Rome"], "q3": ["Bern"]}
        >>> small = qassay.score("answer_match", {"q1": "Paris", "q2": "Milan", "q3": "Basel"}, gold)
        >>> large = qassay.score("answer_match", {"q1": "Paris", "q2": "Rome", "q3": "in Bern"}, gold)
        >>> found = compare({"small": small, "large": large}).differences[1]
        >>> found.measure, round(found.difference, 3), found.p_value, (found.wins, found.ties, found.losses)
        ('f1', 0.556, 0.5, (2, 1, 0))
    """
    measures, in_slices = _asked_measures(systems, measures)
    return compare_scores(
        systems,
        measures,
        by,
        slice_measures=in_slices,
        baseline=baseline,
        test=test,
        correction=correction,
        level=level,
        n_resamples=n_resamples,
        n_permutations=n_permutations,
        seed=seed,
        groups=groups,
        interval_method=interval_method,
    )


def leaderboard(
    systems: Mapping[str, Scores],
    measures: Sequence[str] | str | None = None,
    by: Any = None,
    *,
    groups: Any = None,
    common: bool = False,
    level: float = 0.95,
    n_resamples: int = 1000,
    n_permutations: int = 10_000,
    seed: int = 0,
    interval_method: str = "auto",
) -> Leaderboard:
    """Rank 2 to 100 systems: ranks with intervals, letters of systems that cannot be told apart, and all pairs tested.

    Args:
        systems, by, groups, seed, interval_method: as in `compare`. Neither the order of the systems nor the order of the
            examples changes a number.
        measures: which to rank by; systems are sorted by the first. None: the usual ones of the metric, in slices the
            main ones; "all" for all that have an interval.
        common: True: rank by the examples that all systems have, and count the others in `.unmatched`. False: refuse systems
            with different examples.
        level: of the intervals of values and ranks; systems differ where the corrected p is below 1 - level.
        n_resamples: how often the examples are drawn again, for `best_share`, and for measures that are not functions of sums.
        n_permutations: how often signs are flipped at random, for p-values and ranks.

    Returns:
        Leaderboard: `.rankings` by measure and `.slices`: each `Ranking` has its `.systems`, the best first, with value,
            interval, rank, interval of the rank, letters and the share of resamples in which the system is the best; and
            `.p_values` of all pairs, corrected for the pairs of this measure (and this slice). Printed, a table.
            `.report(path)`, `.to_pandas()` and `.to_dict()` have it all; `.remarks` say what else to know.

    Raises:
        ValueError: systems with different examples (counted and named), more than 100, or what does not belong together, such
            as options or gold answers that differ; a measure that is named and applies to no example. TypeError: something
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
    measures, in_slices = _asked_measures(systems, measures)
    draws: dict[str, Any] = {"n_resamples": n_resamples, "n_permutations": n_permutations, "seed": seed}
    settings = {**draws, "level": level, "interval_method": interval_method, "slice_measures": in_slices}
    settings["omit_empty"] = omit_empty
    return rank_scores(systems, measures, by, groups=groups, common=common, **settings)


def _asked_measures(
    systems: Mapping[str, Scores], measures: Sequence[str] | str | None
) -> tuple[Sequence[str] | None, Sequence[str] | None]:
    """The measures of a comparison and of its slices; None for all, and in slices for the same."""
    require_comparable(systems)
    if measures is None:
        return compared_measures(systems)
    measures = [measures] if isinstance(measures, str) else measures
    if not isinstance(measures, Sequence) or not all(isinstance(name, str) for name in measures):
        raise TypeError(f'measures must be names of measures, or "all"; got {shown(measures)}')
    return None if "all" in measures else measures, None
