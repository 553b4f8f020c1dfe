"""Repeated runs of one system, such as one run per seed: the mean over runs, and how much the runs differ."""

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.bootstrap import Units, units_of
from ..core.columns import counted, to_list
from ..core.interval_settings import Intervals
from ..core.intervals import RunSpread, Spread, spreads_of
from ..core.measures import Mean, Measure, are_right_or_wrong
from ..core.options import check_whole
from ..core.rounding import TINY
from ..core.scores import Scores
from ..core.shown import first_names, shown
from ..registry import family_of
from .run_measures import MeanOverRuns, RunColumns, means_over_runs, resampled_over_runs

_OF_QUESTIONS = ("missing", "skipped", "unmatched")
OF_K = {"pass_at": "pass@k", "pass_hat": "pass^k"}  # method of `Runs` -> its measures
_MOST_NAMED = 3  # ids in a message


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
    always: float | None
    sometimes: float | None
    never: float | None

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
        found: list[list[str]] = []
        for name, scores in runs.items():
            same = next((names for names in found if runs[names[0]] == scores), None)
            if same is None:
                found.append([name])
            else:
                same.append(name)
        return [names for names in found if len(names) > 1]

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
        measures = self._with_intervals(names)
        spreads = self._spreads(measures, Intervals(n_resamples=n_resamples, seed=seed))
        return {
            name: self._variance_of(measure, *spreads[name])
            for name, measure in means_over_runs(measures).items()
            if not measure.is_empty(self.rows)
        }

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

    def _with_intervals(self, names: Iterable[str] | None) -> dict[str, Measure]:
        return {name: self.measures[name] for name in self._named(names) if self.measures[name].has_interval}

    def _units(self) -> Units:
        return units_of(self.rows, self.groups, [of for of in self.measures.values() if of.has_interval])

    def _resampled(self, measures: Mapping[str, Measure], units: Units, settings: Intervals) -> dict[str, np.ndarray]:
        return resampled_over_runs(measures, self.n_runs, units, settings)

    def spread_of_runs(self, measures: Mapping[str, Measure], settings: Intervals) -> dict[str, RunSpread]:
        return {name: run_spread for name, (_, run_spread, _) in self._spreads(measures, settings).items()}

    def _spreads(
        self, measures: Mapping[str, Measure], settings: Intervals
    ) -> dict[str, tuple[Spread, RunSpread, float]]:
        """Measure -> its spread over questions, for all runs together; its spread over runs; and the noise."""
        rows = self.rows
        units = self._units()
        over = means_over_runs(measures)
        n_runs = self.n_runs
        each = {(name, run): of for name, measure in over.items() for run, of in enumerate(measure.each_run()[:n_runs])}
        spreads: Any = spreads_of({**over, **each}, units, settings)  # type: ignore[dict-item]
        parts = {}
        for name in over:
            spread = spreads[name]
            measured = [run for run in range(n_runs) if not each[name, run].is_empty(rows)]
            n_measured = len(measured)
            if n_measured < 2:
                parts[name] = (spread, RunSpread(0.0, 0.0, 1), 0.0)
                continue
            apart = math.fsum(spreads[name, run].variance for run in measured)
            noise = max(0.0, (apart - n_measured * spread.variance) / (n_measured - 1))
            noise = noise if noise > TINY * spread.variance else 0.0
            between = _variance([each[name, run].value_once(rows) for run in measured])
            run_spread = RunSpread(max(0.0, between - noise) / n_measured, between / n_measured, n_measured)
            parts[name] = (spread, run_spread, noise / n_measured)
        return parts

    def _variance_of(self, measure: MeanOverRuns, spread: Spread, run_spread: RunSpread, noise: float) -> RunVariance:
        rows = self.rows
        each = measure.each_run()[: self.n_runs]
        values = [float(of.value_once(rows)) for of in each if not of.is_empty(rows)]
        of_questions = spread.variance or 0.0
        seen = min(noise, of_questions)
        # If the means over runs happen to be equal for all questions, they do not show the noise of each run.
        parts = (of_questions - seen, run_spread.variance, seen if of_questions > TINY * noise else noise)
        ends = (math.sqrt(_variance(values)), min(values), max(values))
        return RunVariance(float(measure.value_once(rows)), *ends, *parts, *self._consistency(measure))

    def _consistency(self, measure: Measure) -> tuple[float | None, float | None, float | None]:
        """The shares of questions that all, some and no runs answer rightly; None if the measure is not right or wrong."""
        verdicts = self._verdicts(measure)
        verdicts = None if verdicts is None else verdicts[~np.isnan(verdicts).any(axis=1)]
        if verdicts is None or not len(verdicts):
            return None, None, None
        right = verdicts.mean(axis=1)
        always, never = float((right == 1).mean()), float((right == 0).mean())
        return always, float(((right > 0) & (right < 1)).mean()), never


class DrawnScores(Scores):
    """The Scores of k answers drawn from the runs, such as pass@k, which have no column of a single answer."""

    rows_are_examples = False


def with_several_runs(systems: Mapping[str, Scores]) -> dict[str, Runs]:
    """The systems that have several runs."""
    return {name: scores for name, scores in systems.items() if isinstance(scores, Runs) and scores.n_runs > 1}


def _variance(values: Sequence[float]) -> float:
    return float(np.var(values, ddof=1)) if len(set(values)) > 1 else 0.0
