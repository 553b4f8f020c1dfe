"""Compares systems on the same examples: differences of every measure with intervals, paired tests and slices."""

import dataclasses
import functools
import itertools
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.interval_settings import Intervals, check_confidence
from ..core.measures import are_right_or_wrong
from ..core.options import check_choice, did_you_mean
from ..core.presenting import Shown, presenter
from ..core.remarks import public
from ..core.scores import Scores
from ..registry import compared_measures
from .difference import ComparisonSettings, Difference, corrected, corrected_groups, differences_of_pairs
from .pairs import changes_of
from .ranking import FEWEST_RANKED, MOST_SYSTEMS, Ranking, decided_by, rank_systems
from .remarks import remarks_of_comparison
from .runs import with_same_columns
from .sliced import are_summed, slice_differences
from .systems import compared_systems, requested_measures, shared_measures

_SHOWN_DIFFERENCES = 3


@dataclasses.dataclass(frozen=True, repr=False)
class Comparison(Shown):
    """The result of `compare`.

    Attributes:
        systems: name -> Scores of the common examples, in the same order.
        differences: one per pair of systems and measure, over all common examples.
        slices: slice -> label -> differences.
        unmatched: system -> the number of its examples that another system lacks; these are omitted.
        remarks: warnings in words; a `Remark` about one slice has the slice's name in `of_slice`.
        settings: test, correction, intervals (`Intervals`), n_permutations and baseline as requested.
        labels: slice -> the label of each example.
    """

    systems: Mapping[str, Scores]
    differences: list[Difference]
    slices: dict[str, dict[str, list[Difference]]]
    unmatched: dict[str, int]
    remarks: list[str]
    settings: ComparisonSettings
    labels: Mapping[str, Sequence[str]] = dataclasses.field(default_factory=dict)

    def ranking(self, measure: str | None = None) -> Ranking:
        """Rank the systems by a measure: ranks with intervals, letters, how often each is the best, and tests of all
        pairs.

        P-values and letters are corrected for all pairs by this measure, regardless of the correction of the
        differences. `qassay.leaderboard` ranks by several measures and in slices, and is faster for many systems.

        Args:
            measure: the measure; None for the first compared one.

        Raises:
            ValueError: an unknown measure, or a measure without an interval.
        """
        first = next(iter(self.systems.values()))
        name = self.differences[0].measure if measure is None else first.measure_names([measure])[0]
        if name not in self._rankings:
            plain = with_same_columns(self.systems)
            self._rankings.update(rank_systems(plain, shared_measures(plain, [name]), self.settings))
        return self._rankings[name]

    def main_rankings(self, main: Sequence[str] | None = None) -> list[Ranking]:
        """Rank three or more systems by the main measures that were compared, or by the first measure if there are none.

        Args:
            main: the main measures; None for those of the metric.
        """
        if not FEWEST_RANKED <= len(self.systems) <= MOST_SYSTEMS:
            return []
        main = compared_measures(self.systems)[1] if main is None else main
        names = dict.fromkeys(difference.measure for difference in self.differences)
        return [self.ranking(name) for name in dict.fromkeys(main) if name in names] or [self.ranking()]

    def decided_differences(self) -> list[Difference]:
        """The differences as reports show them: for the main measures, the corrected p is that of the ranking."""
        return decided_by(self.main_rankings(), self.differences, self.settings)

    @functools.cached_property
    def _rankings(self) -> dict[str, Ranking]:
        return {}

    def __repr__(self) -> str:
        found = ", ".join(
            f"{d.measure} {d.difference:+.4f} ({d.second} - {d.first})" for d in self.differences[:_SHOWN_DIFFERENCES]
        )
        n = next(iter(self.systems.values())).n_examples
        return f"<Comparison of {', '.join(self.systems)} on {n} examples: {found}>"

    def report(
        self,
        path: "str | os.PathLike[str]",
        *,
        predictions: Mapping[str, Any] | None = None,
        references: Any = None,
        questions: Any = None,
    ) -> None:
        """Write a report as `qassay compare --report` does: .html (self-contained), .md, .tex, .csv or .json.

        Scores contain no texts: the page and JSON have examples to read if `predictions` and `references` are given;
        otherwise a remark says that they are omitted.

        Args:
            path: the file; its extension determines the format.
            predictions: system -> its predictions, as scored; for several runs a list with one item per run, or a dict
                by the names of the runs. The answers of all runs are shown.
            references: the gold data, as scored.
            questions: texts, one per reference or id -> text.

        Raises:
            ValueError: another extension, or columns that differ from the scored ones: missing examples or different
                gold answers. OSError: the file cannot be written.
        """
        texts = {"predictions": predictions, "references": references, "questions": questions}
        presenter("reports").write_comparison(self, path, texts)

    def plot(self, measures: Sequence[str] | str | None = None) -> Any:
        """A chart of the differences of rates with intervals; notebooks show it and `.save("x.svg")` writes it.

        Args:
            measures: the measures to draw; None for all rates.

        Raises:
            ValueError: an unknown measure, or only counts and thresholds.
        """
        return presenter("plots").plot_comparison(self, measures)

    def to_dict(self) -> dict[str, Any]:
        """Its numbers as plain data, without texts: the result document that `report("FILE.json")` writes."""
        return dict(presenter("reports").document_of(self))

    def changes(
        self, measure: str, first: str | None = None, second: str | None = None
    ) -> tuple[list[Any], np.ndarray]:
        """The change of each example from one system to another, largest loss first.

        Args:
            measure: a measure that has a value for each example.
            first, second: systems; by default the first two.

        Returns:
            The ids of the examples that the measure applies to in both systems, and the second value minus the first,
            (n,), losses first (an increase is a loss if lower is better); ties are in the order of the examples.

        Raises:
            ValueError: an unknown measure or system, or a measure without values for single examples.
        """
        names = list(self.systems)
        first, second = first or names[0], second or names[1]
        for name in (first, second):
            if name not in names:
                raise ValueError(f"no system {name!r}{did_you_mean(name, names)}; available: {', '.join(names)}")
        values = [_by_example(self.systems[name], measure) for name in (first, second)]
        change = changes_of(*values)
        lower = self.systems[first].measures[measure].lower_is_better
        order = np.argsort(-change if lower else change, kind="stable")
        order = order[~np.isnan(change[order])]
        ids = self.systems[first].ids
        return [ids[row] for row in order.tolist()], change[order]


@public
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
        confidence, n_resamples, seed, method: as in `Scores.interval`; the bounds of a difference are minus and plus the
            range of its measure, and a difference is significant if its corrected p is below 1 - confidence. The seed also applies to
            the tests.
        n_permutations: the number of rounds of a permutation or bootstrap test.

    Returns:
        Comparison: `.differences` and `.slices` with values, intervals, p-values, counts of better and worse examples, effect sizes and the number of
            examples needed to detect a difference of this size; `.changes(measure)`, `.ranking(measure)`, `.to_dict()`; it prints as a
            table. `.remarks` warns about tests that are known to mislead; `cautions` of a difference has the
            codes of these warnings.

    Raises:
        ValueError: options or gold answers differ, or there is no common example; the message states the difference.
            TypeError: something other than Scores.

    Example:
        >>> import qassay
        >>> gold = {"q1": ["Paris"], "q2": ["Rome"], "q3": ["Bern"]}
        >>> small = qassay.score("answer_match", {"q1": "Paris", "q2": "Milan", "q3": "Basel"}, gold)
        >>> large = qassay.score("answer_match", {"q1": "Paris", "q2": "Rome", "q3": "in Bern"}, gold)
        >>> found = compare({"small": small, "large": large}).differences[1]
        >>> found.measure, round(found.difference, 3), found.p_value, (found.better, found.equal, found.worse)
        ('f1', 0.556, 0.5, (2, 1, 0))
    """
    measures, in_slices = requested_measures(systems, measures)
    intervals = Intervals(check_confidence(confidence), method, n_resamples, seed)
    settings = ComparisonSettings(test, correction, intervals, n_permutations, baseline)
    return compare_scores(systems, measures, by, settings, slice_measures=in_slices, groups=groups)


def compare_scores(
    systems: Mapping[str, Scores],
    measures: Sequence[str] | None = None,
    by: Mapping[str, Sequence[Any] | Mapping[Any, Any]] | Sequence[str] | str | None = None,
    settings: ComparisonSettings = ComparisonSettings(),
    *,
    groups: Any = None,
    slice_measures: Sequence[str] | None = None,
) -> Comparison:
    """Compare systems by their scores on the same examples.

    Examples are matched by id; examples that a system lacks are omitted for all systems, and counted. An example to
    which a measure applies in only one system of a pair is omitted from that measure, and counted.

    Args:
        systems, by, groups: as in `qassay.compare`; labels with equal texts are equal.
        measures: which to compare; None: all that have an interval.
        slice_measures: measures of the slices; None: the same.

    Raises:
        TypeError, ValueError: as `qassay.compare`.
    """
    compared = compared_systems(systems, measures, by, groups, slice_measures)
    coded, labels, in_slices = compared.coded, compared.labels, compared.in_slices
    pairs = list(itertools.combinations(coded, 2))
    if settings.baseline is not None:
        baseline = check_choice("baseline", settings.baseline, systems)
        pairs = [(baseline, name) for name in coded if name != baseline]
    is_mcnemar = settings.test == "mcnemar"
    binary = {name for name in {*compared.measures, *in_slices} if is_mcnemar and _is_binary(coded, name)}
    differences = differences_of_pairs(coded, pairs, compared.measures, settings, binary)
    if labels and are_summed(coded, in_slices, settings):
        by_label = slice_differences(coded, labels, pairs, in_slices, settings)
    else:
        by_label = {
            (name, label): differences_of_pairs(part, pairs, in_slices, settings, binary)
            for name, label, part in compared.slices()
        }
    slices: dict[str, dict[str, list[Difference]]] = {name: {} for name in labels}
    for (name, label), found in by_label.items():
        if known := [difference for difference in found if difference.p_value is not None]:
            slices[name][label] = known
    differences = corrected(differences, settings.correction)
    slices = {name: corrected_groups(of_labels, settings.correction) for name, of_labels in slices.items()}
    remarks = remarks_of_comparison(compared, measures is None, differences, slices, settings)
    return Comparison(compared.aligned, differences, slices, compared.unmatched, remarks, settings, labels)


def _is_binary(systems: Mapping[str, Scores], name: str) -> bool:
    values: list[Any] = [scores.measures[name].by_example(scores.rows) for scores in systems.values()]
    return all(column is not None for column in values) and are_right_or_wrong(np.concatenate(values))


def _by_example(scores: Scores, name: str) -> np.ndarray:
    scores.summary([name])  # refuses unknown names
    values = scores.measures[name].by_example(scores.rows)
    if values is None:
        raise ValueError(f"a single example has no {name}; choose a mean over examples")
    return values
