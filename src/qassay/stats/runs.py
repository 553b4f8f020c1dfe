"""Repeated runs of one system, such as one run per seed: joined, their mean, and how much they differ.

Joined runs are one table with a row per question and a copy of each column that differs between runs. Systems with different
numbers of runs get the same columns and can be compared.
"""

import dataclasses
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.align import align_scores, require_comparable, with_same_codes
from ..core.bootstrap import units_of
from ..core.columns import counted, to_list
from ..core.interval_settings import Intervals
from ..core.intervals import Interval, RunSpread, spreads_of
from ..core.measures import Mean, Measure, are_right_or_wrong
from ..core.options import check_whole
from ..core.ragged import are_equal
from ..core.remarks import public, remark
from ..core.rounding import TINY
from ..core.scores import Scores
from ..core.shown import describe, first_names, shown
from ..registry import family_of
from .absent import lacking_answers, require_answers
from .run_measures import MeanOverRuns, RunColumns, means_over_runs, over_runs

_OF_QUESTIONS = ("missing", "skipped", "unmatched")
OF_K = {"pass_at": "pass@k", "pass_hat": "pass^k"}  # method of `Runs` -> its measures
_MOST_NAMED = 3  # ids in a message
_MOST_RUNS = 64  # largest number of copies of the runs of a system


class RunVariance(NamedTuple):
    """How much a measure varies over questions and runs.

    Attributes:
        value: the mean over runs.
        deviation: the standard deviation of the values of the runs.
        lowest, highest: the lowest and the highest value of a run.
        by_question: the part of the variance of `value` that comes from the choice of questions.
        by_run: the part that comes from the choice of runs, beyond the noise; 0 where the noise explains all of it.
        by_noise: the part that comes from the noise of a question in a run.
        always, sometimes, never: the shares of questions with a right answer in all, some or no runs; None if the
            measure is not a mean of right and wrong, such as F1 of texts, an error rate or F1 of a class.
    """

    value: float
    deviation: float
    lowest: float
    highest: float
    by_question: float
    by_run: float
    by_noise: float
    always: float | None = None
    sometimes: float | None = None
    never: float | None = None

    @property
    def shares(self) -> dict[str, float]:
        """The shares of the variance of the value by question, by run and by noise; zeros where nothing varies."""
        parts = {"question": self.by_question, "run": self.by_run, "noise": self.by_noise}
        total = math.fsum(parts.values())
        return {name: part / total if total > 0 else 0.0 for name, part in parts.items()}


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Runs(Scores):
    """The Scores of a system that answered the same questions several times; `qassay.runs` returns them.

    A row is a question. The value of a measure is the mean of its values in the runs, also for counts such as `missing`;
    its interval is over other questions and other runs. A column that differs between the runs has a copy for each run,
    such as `f1 (run 2)`. Everything else is as in `Scores`.

    Attributes:
        run_names: the names of the runs.
        notes: counts of input that was omitted, such as `unmatched` and `duplicates`: sums over the runs.
        subsets: the subsets that are the same in all runs. A subset of counted examples, such as missing predictions,
            contains an example if any run counts it.
        layout: which columns belong to which run.
        notes_by_run: the notes of each run that has any.
    """

    run_names: tuple[str, ...] = ()
    layout: RunColumns = RunColumns()
    notes_by_run: Mapping[str, Mapping[str, int]] = dataclasses.field(default_factory=dict)

    rows_are_examples = False

    @property
    def n_runs(self) -> int:  # type: ignore[override]
        """The number of runs."""
        return len(self.run_names)

    def __repr__(self) -> str:
        return f"<{self.n_runs} runs: {super().__repr__()[1:]}"

    def each_run(self) -> dict[str, Scores]:
        """Name of the run -> the Scores of this run alone, on the questions that all runs have."""
        measures = {name: m.measure if isinstance(m, MeanOverRuns) else m for name, m in self.measures.items()}
        scores = {}
        for run, name in enumerate(self.run_names):
            rows = self.layout.rows_of(self.rows, run)
            copies = {column: self.layout.column(column, run) for column in rows.columns}
            coded = {column: self.coded[copy] for column, copy in copies.items() if copy in self.coded}
            scores[name] = Scores(
                columns=rows.columns, subsets=rows.subsets, measures=measures, coded=coded, **self.about_examples
            )
        return scores

    def by_run_text(self, name: str) -> str:
        """The number of examples that a note or a subset counts in each run, with some ids; "" if all are the same."""
        counts, ids = {run: self.notes_by_run.get(run, {}).get(name, 0) for run in self.run_names}, {}
        for run, scores in self.each_run().items():
            ids[run] = list(scores.subset(name).ids) if name in scores.subsets else []
            counts[run] = len(ids[run]) if name in scores.subsets else counts[run]
        if len({(count, frozenset(ids[run])) for run, count in counts.items()}) < 2:
            return ""
        named = {run: first_names(list(map(shown, ids[run])), _MOST_NAMED) for run, count in counts.items() if count}
        parts = [f"{counts[run]:,} in {run}{f' ({names})' if names else ''}" for run, names in named.items()]
        return f"by run: {', '.join(parts)}"

    def question_remarks(self) -> list[str]:
        """Remarks on questions that some runs did not answer, and on predictions without a question in the gold data."""
        about = family_of(self).about
        words, counts = about.note_words(self.options), about.notes_of(self)
        by_run = {name: self.by_run_text(name) for name in _OF_QUESTIONS if name in counts}
        return [f"{counted(counts[name], words[name])} ({text})" for name, text in by_run.items() if text]

    def equal_runs(self) -> list[list[str]]:
        """The names of runs that have the same values for every question, as copies of a run have; [] if all differ."""
        runs = self.each_run()
        found: dict[str, list[str]] = {}
        for name, scores in runs.items():
            first = next((other for other in found if runs[other] == scores), name)
            found.setdefault(first, []).append(name)
        return [names for names in found.values() if len(names) > 1]

    def run_values(self, names: Iterable[str] | None = None) -> dict[str, dict[str, float | int | None]]:
        """Name of the run -> the values of its measures, as from `summary()`.

        Args:
            names: only these measures.
        """
        names = self.measure_names(self.measures if names is None else names)
        return {name: scores.summary(names) for name, scores in self.each_run().items()}

    def variance(
        self, names: Iterable[str] | None = None, *, n_resamples: int = 1000, seed: int = 0
    ) -> dict[str, RunVariance]:
        """How much each measure varies with the choice of questions, with the choice of runs, and by noise.

        Args:
            names: only these measures; None for all that have an interval.
            n_resamples, seed: as in `Scores.interval`.

        Example:
            >>> import qassay
            >>> gold = [["a"], ["b"], ["c"], ["d"]]
            >>> seeds = [["a", "b", "c", "x"], ["a", "b", "x", "x"], ["a", "x", "c", "x"]]
            >>> found = qassay.runs([qassay.score("answer_match", answers, gold) for answers in seeds])
            >>> variance = found.variance()["exact_match"]
            >>> round(variance.deviation, 4), (variance.always, variance.sometimes, variance.never)
            (0.1443, (0.25, 0.5, 0.25))
            >>> {name: round(share, 2) for name, share in variance.shares.items()}
            {'question': 0.63, 'run': 0.0, 'noise': 0.37}
        """
        measures = {name: self.measures[name] for name in self._named(names) if self.measures[name].has_interval}
        found = self._variances(measures, Intervals(n_resamples=n_resamples, seed=seed))
        return {name: variance._replace(**self._consistency(measures[name])) for name, (variance, _) in found.items()}

    def pass_at(self, ks: Iterable[int] | int, measure: str | None = None) -> Scores:
        """pass@k: the probability that at least one of k answers to a question is right, an unbiased estimate.

        Where c of R runs answer a question rightly, its probability is 1 - C(R - c, k) / C(R, k). The value is the mean
        over questions, and the interval is over other questions.

        Args:
            ks: the number k of answers, or several numbers, at most the number of runs.
            measure: a measure that is 1 for a right and 0 for a wrong answer, such as exact_match; None: the first usual
                measure of this kind.

        Returns:
            Scores with the measures `pass@1`, ... for the questions that the measure applies to in every run.

        Raises:
            ValueError: k is larger than the number of runs, or the measure is not a mean of right and wrong: it has values
                between 0 and 1, is lower where answers are better, such as an error rate, is F1 of a class or a count, or
                applies to no question.

        Source: Chen et al. (2021), Evaluating Large Language Models Trained on Code, arXiv 2107.03374.

        Example:
            >>> import qassay
            >>> seeds = [["a", "x"], ["a", "x"], ["x", "b"]]
            >>> found = qassay.runs([qassay.score("answer_match", answers, [["a"], ["b"]]) for answers in seeds])
            >>> found.pass_at([1, 2]).summary()
            {'pass@1': 0.5, 'pass@2': 0.8333333333333334}
        """
        return self._at_k("pass@", lambda n, right, k: 1 - math.comb(n - right, k) / math.comb(n, k), ks, measure)

    def pass_hat(self, ks: Iterable[int] | int, measure: str | None = None) -> Scores:
        """pass^k: the probability that all k answers to a question are right, an unbiased estimate.

        Where c of R runs answer a question rightly, its probability is C(c, k) / C(R, k). It says how reliable a system is:
        pass^1 = pass@1, and with larger k pass^k falls while pass@k rises.

        Args, Returns, Raises: as in `pass_at`; the measures are `pass^1`, ...

        Source: Yao et al. (2024), tau-bench: A Benchmark for Tool-Agent-User Interaction in Real-World Domains, arXiv
            2406.12045.

        Example:
            >>> import qassay
            >>> seeds = [["a", "x"], ["a", "x"], ["x", "b"]]
            >>> found = qassay.runs([qassay.score("answer_match", answers, [["a"], ["b"]]) for answers in seeds])
            >>> found.pass_hat([1, 2]).summary()
            {'pass^1': 0.5, 'pass^2': 0.16666666666666666}
        """
        return self._at_k("pass^", lambda n, right, k: math.comb(right, k) / math.comb(n, k), ks, measure)

    def _at_k(
        self, what: str, probability: Callable[[int, int, int], float], ks: Iterable[int] | int, measure: str | None
    ) -> Scores:
        """The mean over questions of a probability for k of n runs, of which some are right."""
        is_one = not isinstance(ks, Iterable) or isinstance(ks, str) or getattr(ks, "ndim", 1) == 0
        sizes = [check_whole(f"k of {what}k", k, 1, kind="") for k in ([ks] if is_one else to_list(ks, "ks"))]
        if not sizes:
            raise ValueError("ks is empty; give a number of answers, such as 1")
        n = self.n_runs
        if max(sizes) > n:
            raise ValueError(f"{what}{max(sizes)} needs {max(sizes)} runs or more; there are {n}")
        _, verdicts = self.right_or_wrong(measure)
        known = ~np.isnan(verdicts).any(axis=1)
        right = np.where(known, np.nan_to_num(verdicts).sum(axis=1), 0).astype(np.int64)
        chances = {k: np.array([probability(n, number, k) for number in range(n + 1)]) for k in sizes}
        columns = {f"{what}{k}": np.where(known, of_k[right], np.nan) for k, of_k in chances.items()}
        measures = {name: Mean(name) for name in columns}
        return DrawnScores(columns=columns, subsets=self.subsets, measures=measures, **self.about_examples)

    def right_or_wrong(self, name: str | None = None) -> tuple[str, np.ndarray]:
        """The name of a measure of right and wrong, and its values: 1 or 0, NaN where it does not apply, (questions, runs)."""
        names = family_of(self).about.usual_measures(self) if name is None else self.measure_names([name])
        for candidate in names:
            verdicts = self._verdicts(self.measures[candidate]) if candidate in self.measures else None
            if verdicts is not None and not np.isnan(verdicts).all():
                return candidate, verdicts
        fault = "no usual measure is a mean" if name is None else f"{names[0]} is not a mean"
        raise ValueError(
            f"{fault} of right (1) and wrong (0) answers; pass@k and pass^k need one, such as exact_match or success@1"
        )

    def _verdicts(self, measure: Measure) -> np.ndarray | None:
        """1 for a right and 0 for a wrong answer, float64 (questions, runs), NaN where the measure does not apply.

        None if the measure has values between right and wrong, or is not the mean of the values of examples, with higher
        better: an error rate is 1 for a wrong answer, and F1 of a class is 0 or 1 for an example but not their mean.
        """
        if not isinstance(measure, MeanOverRuns) or not measure.measure.is_mean:
            return None
        if not measure.is_rate or measure.lower_is_better:
            return None
        columns: list[Any] = [of_run.by_example(self.rows) for of_run in measure.each_run()[: self.n_runs]]
        if any(column is None or not are_right_or_wrong(column) for column in columns):
            return None
        values = np.column_stack(columns)
        return np.where(np.isnan(values), np.nan, values > 0)

    def intervals_by(self, settings: Intervals, names: Iterable[str] | None = None) -> dict[str, Interval]:
        if settings.method == "percentile" and self.n_runs > 1:
            raise ValueError("method=percentile does not cover other runs; omit it, or give the runs one by one")
        return super().intervals_by(settings, names)

    def spread_of_runs(self, measures: Mapping[str, Measure], settings: Intervals) -> dict[str, RunSpread]:
        return {
            name: RunSpread(of.by_run, of.deviation**2 / n, n)
            for name, (of, n) in self._variances(measures, settings).items()
        }

    def _variances(self, measures: Mapping[str, Measure], settings: Intervals) -> dict[str, tuple[RunVariance, int]]:
        """The variance of each measure that differs between runs, and the number of runs that it applies to."""
        rows, over = self.rows, means_over_runs(measures)
        units = units_of(rows, self.groups, [of for of in self.measures.values() if of.has_interval])
        each = {name: measure.each_run()[: self.n_runs] for name, measure in over.items()}
        of_runs = {(name, run): of for name, runs in each.items() for run, of in enumerate(runs)}
        spreads: Any = spreads_of({**over, **of_runs}, units, settings)  # type: ignore[dict-item]
        found = {}
        for name, measure in over.items():
            measured = [run for run, of in enumerate(each[name]) if not of.is_empty(rows)]
            if not measured:
                continue
            values, n = [float(each[name][run].value_once(rows)) for run in measured], len(measured)
            of_questions, between, noise = spreads[name].variance or 0.0, 0.0, 0.0
            if n > 1:
                between = float(np.var(values, ddof=1)) if len(set(values)) > 1 else 0.0
                apart = math.fsum(spreads[name, run].variance for run in measured)
                noise = max(0.0, (apart - n * of_questions) / (n - 1))
                noise = noise if noise > TINY * of_questions else 0.0
            by_run, of_noise = max(0.0, between - noise) / n, noise / n
            seen = min(of_noise, of_questions)
            # If the means over runs happen to be equal for all questions, they do not show the noise of each run.
            by_noise = seen if of_questions > TINY * of_noise else of_noise
            value, deviation = float(measure.value_once(rows)), math.sqrt(between)
            parts = (of_questions - seen, by_run, by_noise)
            found[name] = RunVariance(value, deviation, min(values), max(values), *parts), n
        return found

    def _consistency(self, measure: Measure) -> dict[str, float]:
        """The shares of questions that all, some and no runs answer rightly; {} if the measure is not right or wrong."""
        verdicts = self._verdicts(measure)
        known = np.zeros((0, 1)) if verdicts is None else verdicts[~np.isnan(verdicts).any(axis=1)]
        if not len(known):
            return {}
        right = known.mean(axis=1)
        shares = {"always": right == 1, "sometimes": (right > 0) & (right < 1), "never": right == 0}
        return {name: float(are.mean()) for name, are in shares.items()}


class DrawnScores(Scores):
    """The Scores of k answers drawn from the runs, such as pass@k, which have no column of a single answer."""

    rows_are_examples = False


def with_several_runs(systems: Mapping[str, Scores]) -> dict[str, Runs]:
    """The systems that have several runs."""
    return {name: scores for name, scores in systems.items() if isinstance(scores, Runs) and scores.n_runs > 1}


# --- joining ----------------------------------------------------------------------------------------------------------


@public
def runs(scores: Mapping[str, Scores] | Sequence[Scores], common: bool = False) -> Runs:
    """Join several runs of one system on the same questions, such as the answers of several seeds or checkpoints.

    The value of a measure is the mean of its values in the runs. This holds for counts too: `total` and `missing` are means
    over runs. Only notes about omitted input, such as `unmatched` and `duplicates`, are sums over runs. The
    interval covers other questions (or other groups of questions) and other runs. `qassay.compare`, `qassay.report` and
    slices accept the result like any Scores.

    Args:
        scores: two or more Scores of the same metric, options, gold data and questions, matched by id; or name -> Scores.
        common: True: keep the questions that all runs have, and count the others in the notes. False: refuse runs with
            different questions.

    Returns:
        Runs: Scores with a row per question. `.variance()` splits the variance by question, run and noise;
            `.pass_at(k)` and `.pass_hat(k)` score k answers to a question; `.run_values()` has the values of each run.

    Raises:
        ValueError: one run only, or runs with different options, gold data, questions or groups. TypeError: something
            other than Scores.

    Warns:
        UserWarning: a run lacks predictions that other runs have; they are scored 0, and the warning counts and lists
            them.

    Example:
        >>> from qassay import score
        >>> gold = {"q1": ["Paris"], "q2": ["Rome"], "q3": ["Bern"]}
        >>> seeds = [{"q1": "Paris", "q2": "Rome", "q3": "Basel"}, {"q1": "Paris", "q2": "Milan", "q3": "Basel"}]
        >>> found = runs([score("answer_match", answers, gold) for answers in seeds])
        >>> found.summary(["exact_match"]), found.run_values(["total"])
        ({'exact_match': 0.5}, {'run 1': {'total': 3}, 'run 2': {'total': 3}})
    """
    joined = put_together(scores, common)
    for line in joined.question_remarks():
        remark(line)
    return joined


def put_together(runs: Any, common: bool = False) -> Runs:
    """Join several runs of one system on the same questions: see `qassay.runs`."""
    if isinstance(runs, (Scores, str)) or not isinstance(runs, Iterable):
        raise TypeError(f"runs must be a list of Scores, or a dict name -> Scores; got {describe(runs)}")
    if not isinstance(runs, Mapping):
        runs = {f"run {number}": scores for number, scores in enumerate(to_list(runs, "runs"), 1)}
    parts = dict(runs)
    for name, scores in parts.items():
        if not isinstance(scores, Scores):
            raise TypeError(f"{name} must be a Scores, as qassay.score returns it; got {describe(scores)}")
        if isinstance(scores, Runs):
            raise ValueError(f"{name} has several runs itself; give the runs one by one: *scores.each_run().values()")
        if scores.are_buckets:
            raise ValueError(f"{name} has rows of buckets of examples; runs are put together question by question")
    if len(parts) < 2:
        raise ValueError(f"runs need two or more, to show how much they differ; got {len(parts)}")
    require_comparable(parts)
    if not common:
        require_answers(parts, "questions", "common=True", count_absent=True)
    lacking = lacking_answers(parts, count_absent=True)
    left_out = len(set().union(*lacking.values()))
    notes = Counter({"not_in_every_run": left_out} if left_out else {})
    for scores in parts.values():
        notes.update(scores.notes)
    by_run = {name: dict(scores.notes) for name, scores in parts.items() if scores.notes}
    aligned, _ = align_scores(parts)
    coded = with_same_codes(aligned)
    first = next(iter(coded.values()))
    for name, scores in coded.items():
        if (scores.columns.keys(), scores.subsets.keys()) != (first.columns.keys(), first.subsets.keys()):
            raise ValueError(f"{name} and the first run have different columns or subsets; score all runs alike")
        other = [key for key, measure in scores.measures.items() if first.measures.get(key, measure) != measure]
        if other:
            raise ValueError(
                f"the measure {other[0]!r} of {name} differs from that of the first run; score all runs alike"
            )
    return _tables({"": coded}, {"": notes}, {"": by_run})[""]


def _tables(
    systems: Mapping[str, Mapping[str, Scores]], notes: Mapping[str, Any], notes_by_run: Mapping[str, Any]
) -> dict[str, Runs]:
    """The runs of each system as a table with a row per question, and the same columns in all systems.

    Args:
        systems: system -> run -> Scores with the same ids in the same order and the same numbers of classes.
        notes: system -> the notes of all runs; notes_by_run: system -> run -> notes.
    """
    size, lists = math.lcm(*map(len, systems.values())), [list(runs.values()) for runs in systems.values()]
    shared = frozenset.intersection(*map(_shared_names, lists))
    columns, subsets = (
        dict.fromkeys(name for runs in lists for name in getattr(runs[0], kind)) for kind in ("columns", "subsets")
    )
    layout = RunColumns(size, *(tuple(name for name in names if name not in shared) for names in (columns, subsets)))
    clash = {*columns, *subsets}.difference(layout.columns, layout.subsets).intersection(layout.copies())
    if clash:
        raise ValueError(f"a column or subset is called {min(clash)!r}, the name for the copy of a run; rename it")
    uneven = frozenset[str].union(*map(_uneven_measures, lists))
    return {name: _table_of(runs, layout, uneven, notes[name], notes_by_run[name]) for name, runs in systems.items()}


def _table_of(
    parts: Mapping[str, Scores],
    layout: RunColumns,
    uneven: frozenset[str],
    notes: Mapping[str, int],
    notes_by_run: Mapping[str, Mapping[str, int]],
) -> Runs:
    """The table of the runs of one system; `uneven`: measures that do not apply to the same questions in all runs."""
    first, *others = parts.values()
    runs = [first, *others] * (layout.n_runs // len(parts))
    columns: dict[str, Any] = {}
    coded: dict[str, Sequence[Any]] = {}
    for run, scores in enumerate(runs):
        for name, column in scores.columns.items():
            copy = layout.column(name, run)
            columns.setdefault(copy, column)
            if name in scores.coded:
                coded[copy] = scores.coded[name]
        for name in layout.subsets:
            if name in scores.subsets:
                columns[layout.members(name, run)] = scores.subsets[name].astype(np.float64)
    of_notes = family_of(first).about.note_words(first.options)
    of_any_run = {
        name: np.any([scores.subsets[name] for scores in runs], axis=0) for name in first.subsets if name in of_notes
    }
    names = [name for name in first.measures if all(name in scores.measures for scores in runs)]
    measures: dict[str, Measure] = {name: over_runs(first.measures[name], layout, name not in uneven) for name in names}
    dropped = len({name for scores in runs for name in scores.measures} - set(names))
    return Runs(
        columns=columns,
        subsets={name: mask for name, mask in first.subsets.items() if name not in layout.subsets} | of_any_run,
        measures=measures,
        notes={**notes, **({"measures_not_in_every_run": dropped} if dropped else {})},
        coded=coded,
        run_names=tuple(parts),
        layout=layout,
        notes_by_run=notes_by_run,
        **first.about_examples,
    )


def _shared_names(runs: Sequence[Scores]) -> frozenset[str]:
    """The columns and subsets that are equal in all runs; never subsets that depend on the answers of a system."""
    first, *others = runs
    by_system = family_of(first).about.system_slices
    columns = [n for n, column in first.columns.items() if all(are_equal(column, other.columns[n]) for other in others)]
    subsets = [n for n, m in first.subsets.items() if all(np.array_equal(m, other.subsets[n]) for other in others)]
    return frozenset([*columns, *(name for name in subsets if name not in by_system)])


def _uneven_measures(runs: Sequence[Scores]) -> frozenset[str]:
    """The measures that do not apply to the same questions in all runs."""
    first, *others = runs
    return frozenset(
        name
        for name, measure in first.measures.items()
        if any(not np.array_equal(measure.applies(first.rows), measure.applies(other.rows)) for other in others)
    )


def with_same_columns(systems: Mapping[str, Scores]) -> dict[str, Scores]:
    """The systems with the same columns and measures, even if some have several runs; see `with_same_codes`.

    Systems with different numbers of runs get copies of their runs.

    Args:
        systems: Scores with the same examples in the same order.

    Raises:
        ValueError: the least common multiple of the numbers of runs is too large.
    """
    if not any(isinstance(scores, Runs) for scores in systems.values()):
        return with_same_codes(systems)
    runs = {name: of.each_run() if isinstance(of, Runs) else {"": of} for name, of in systems.items()}
    if math.lcm(*map(len, runs.values())) > _MOST_RUNS:
        numbers = ", ".join(f"{name} {len(of)}" for name, of in runs.items())
        raise ValueError(f"the numbers of runs differ too much: {numbers}; give each system the same number")
    coded = with_same_codes({(name, run): scores for name, of in runs.items() for run, scores in of.items()})
    runs = {name: {run: coded[name, run] for run in of} for name, of in runs.items()}
    notes = {name: scores.notes for name, scores in systems.items()}
    return {**_tables(runs, notes, {name: getattr(scores, "notes_by_run", {}) for name, scores in systems.items()})}
