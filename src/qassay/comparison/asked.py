"""`qassay.compare` and `qassay.leaderboard`, with their default measures."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.align import require_comparable
from ..core.interval_settings import Intervals, check_confidence
from ..core.scores import Scores
from ..core.shown import shown
from ..registry import compared_measures
from .compare import Comparison, compare_scores
from .difference import ComparisonSettings
from .leaderboard import Leaderboard, rank_scores
from .ranking import RankSettings


def compare(
    systems: Mapping[str, Scores],
    measures: Sequence[str] | str | None = None,
    by: Any = None,
    *,
    groups: Any = None,
    baseline: str | None = None,
    test: str = "permutation",
    correction: str = "holm",
    confidence: float = 0.95,
    n_resamples: int = 1000,
    n_permutations: int = 10_000,
    seed: int = 0,
    method: str = "auto",
) -> Comparison:
    """Compare systems: is one better than another, where, and could the difference be chance?

    Args:
        systems: name -> Scores of the same metric, options and examples, two or more; matched by id.
        measures: the measures to compare; None: the usual measures of the metric, in slices its main measures; "all" for all
            that have an interval.
        by: slices: names of subsets (such as "has_answer"), or slice -> one label per example of the first system, or
            slice -> {id: label}; or one column of labels (an array or a series, which may be indexed by id).
        groups: which examples belong together, such as the questions about one article: one label per example of the
            first system, or {id: label}, or the name of a subset; None: the groups of the scores, if any.
            Tests swap whole groups and intervals draw whole groups; every system must have the same groups.
        baseline: the system that all others are compared with; None: every pair.
        test: "permutation" (exact if there are few swaps), "bootstrap", "t", "wilcoxon" or "mcnemar"; a measure that
            does not fit the test is tested by permutation, with a remark. With groups, "t" uses the jackknife variance
            by group, and "wilcoxon" and "mcnemar" do not apply.
        correction: the correction for the number of tests: "holm", "bonferroni", "benjamini-hochberg" or "none"; over
            all pairs and measures, and in each slice also over its labels.
        confidence, n_resamples, seed, method: as in `Scores.interval`; a difference counts as a share of the range from
            the worst to the best, and is significant if its corrected p is below 1 - confidence. The seed is also of the
            tests.
        n_permutations: the number of rounds of a permutation or bootstrap test.

    Returns:
        Comparison: `.differences` and `.slices` with values, intervals, p-values, wins, effect sizes and the number of
            examples that would settle it; `.changes(measure)`, `.ranking(measure)`, `.to_dict()`, `.to_pandas()`; it
            prints as a table. `.remarks` warn about tests that are known to fail; `cautions` of a difference are codes
            for the same warnings.

    Raises:
        ValueError: options or gold answers differ, or there is no common example; the message names the difference.
            TypeError: something other than Scores.

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
    intervals = Intervals(check_confidence(confidence), method, n_resamples, seed)
    settings = ComparisonSettings(test, correction, intervals, n_permutations, baseline)
    return compare_scores(systems, measures, by, settings, slice_measures=in_slices, groups=groups)


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
    measures, in_slices = _asked_measures(systems, measures)
    intervals = Intervals(check_confidence(confidence), method, n_resamples, seed)
    settings = RankSettings(intervals, n_permutations)
    asked: dict[str, Any] = {"slice_measures": in_slices, "omit_empty": omit_empty}
    return rank_scores(systems, measures, by, settings, groups=groups, common=common, **asked)


def _asked_measures(
    systems: Mapping[str, Scores], measures: Sequence[str] | str | None
) -> tuple[Sequence[str] | None, Sequence[str] | None]:
    """The measures of a comparison and of its slices; None: all, and in slices the same."""
    require_comparable(systems)
    if measures is None:
        return compared_measures(systems)
    measures = [measures] if isinstance(measures, str) else measures
    if not isinstance(measures, Sequence) or not all(isinstance(name, str) for name in measures):
        raise TypeError(f'measures must be names of measures, or "all"; got {shown(measures)}')
    return None if "all" in measures else measures, None
