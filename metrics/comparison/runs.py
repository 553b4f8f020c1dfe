"""Repeated runs of one system, such as those of several seeds: the mean over runs, and how much the runs differ."""

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.bootstrap import check_confidence, check_draws, units_of
from ..core.columns import to_list
from ..core.intervals import RunSpread, Spread, spread_interval, spreads_of, with_runs
from ..core.measures import Mean, Measure
from ..core.options import check_whole
from ..core.scores import Scores
from ..registry import family_of
from .drawn_answers import majority_probabilities, pass_probabilities
from .pairs import are_right_or_wrong
from .run_measures import MeanOverRuns, rows_of_run, run_column

_ROUNDING = 1e-12  # of a variance


class RunVariance(NamedTuple):
    """How a measure varies over questions and runs.

    Attributes:
        value: the mean over runs.
        deviation: the standard deviation between the values of the runs.
        lowest, highest: of the values of the runs.
        by_question, by_run, by_noise: the parts of the variance of `value`: other questions, other runs, and the noise of
            a question in a run. `by_run` is what the runs differ more than that noise explains, 0 where it explains all.
        always, sometimes, never: the shares of questions that are right in all, some or no runs; None where a question is
            not right or wrong.
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


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Runs(Scores):
    """Scores of a system that answered the same questions several times; `qassay.runs` makes them.

    A row is a question. The value of a measure is the mean of its values in the runs; its interval is over other questions
    and other runs. Columns that the runs do not share have a copy for each run, such as `f1 (run 2)`. All else is as of
    `Scores`.

    Attributes:
        run_names: what the runs are called.
        notes: added up over the runs.
        subsets: those that are the same in all runs; and what is counted, such as missing predictions: in any run.
        copies: how often the columns of each run stand in the table, so that systems with other numbers of runs can be
            compared; the mean over runs is the same.
    """

    run_names: tuple[str, ...] = ()
    copies: int = 1

    are_runs = True

    @property
    def n_runs(self) -> int:  # type: ignore[override]
        """How many runs there are."""
        return len(self.run_names)

    def __repr__(self) -> str:
        return f"<{self.n_runs} runs: {super().__repr__()[1:]}"

    def each_run(self) -> dict[str, Scores]:
        """The Scores of each run by itself: its name -> Scores of the questions that all runs have."""
        found = {}
        for run, name in enumerate(self.run_names):
            rows = rows_of_run(self.rows, run)
            measures = {key: m.measure if isinstance(m, MeanOverRuns) else m for key, m in self.measures.items()}
            places = {column: run_column(column, run) for column in rows.columns}
            coded = {c: self.coded[at] for c, of_run in places.items() for at in (c, of_run) if at in self.coded}
            given: Any = (self.weights, coded, self.gold, self.groups)
            found[name] = Scores(self.ids, rows.columns, rows.subsets, measures, self.options, {}, *given)
        return found

    def run_values(self, names: Iterable[str] | None = None) -> dict[str, dict[str, float | int]]:
        """The values of each run: its name -> as `summary()` gives them.

        Args:
            names: only these measures.
        """
        wanted = self.measure_names(self.measures if names is None else names)
        return {name: scores.summary(wanted) for name, scores in self.each_run().items()}

    def variance(
        self, names: Iterable[str] | None = None, n_resamples: int = 1000, seed: int = 0
    ) -> dict[str, RunVariance]:
        """How much of what a measure varies lies in the questions, in the runs, and in the noise of both.

        Args:
            names: only these measures; None for all that have an interval.
            n_resamples, seed: of measures that are not functions of sums.

        Example:
            >>> import qassay
            >>> gold = [["a"], ["b"], ["c"], ["d"]]
            >>> seeds = [["a", "b", "c", "x"], ["a", "b", "x", "x"], ["a", "x", "c", "x"]]
            >>> found = qassay.runs([qassay.score("answer_match", answers, gold) for answers in seeds])
            >>> of = found.variance()["exact_match"]
            >>> round(of.deviation, 4), (of.always, of.sometimes, of.never)
            (0.1443, (0.25, 0.5, 0.25))
            >>> {name: round(share, 2) for name, share in of.shares.items()}
            {'question': 0.63, 'run': 0.0, 'noise': 0.37}
        """
        seed, n_resamples = check_draws(seed, n_resamples=n_resamples)
        wanted = self._wanted(names)
        spreads = self._spreads(wanted, n_resamples, seed)
        over = {name: measure for name, measure in wanted.items() if isinstance(measure, MeanOverRuns)}
        return {name: self._variance_of(measure, *spreads[name]) for name, measure in over.items()}

    def expected_width(
        self,
        runs: int | None = None,
        questions: int | None = None,
        level: float = 0.95,
        names: Iterable[str] | None = None,
        n_resamples: int = 1000,
        seed: int = 0,
    ) -> dict[str, float]:
        """About how wide the intervals are with so many runs and questions like these; None for as many as there are.

        Questions come in groups of the same size as now, where there are groups.

        Raises:
            ValueError: fewer than 2 runs or questions.

        Example:
            >>> import qassay
            >>> gold = [["a"], ["b"], ["c"], ["d"]] * 5
            >>> seeds = [["a", "b", "c", "x"] * 5, ["a", "b", "x", "x"] * 5]
            >>> found = qassay.runs([qassay.score("answer_match", answers, gold) for answers in seeds])
            >>> now, more = (found.expected_width(runs=n, names=["f1"])["f1"] for n in (None, 10))
            >>> more < now
            True
        """
        level = check_confidence(level)
        seed, n_resamples = check_draws(seed, n_resamples=n_resamples)
        n_runs = self.n_runs if runs is None else check_whole("runs", runs, 2, kind="")
        growth = 1.0 if questions is None else check_whole("questions", questions, 2, kind="") / max(1, len(self))
        wanted = self._wanted(names)
        spreads = self._spreads(wanted, n_resamples, seed)
        widths = {}
        for name, (spread, of_runs, noise) in spreads.items():
            measure = wanted[name]
            by_question, by_noise = ((spread.variance or 0.0) - noise) / growth, noise * self.n_runs / n_runs / growth
            of_run = of_runs.variance * self.n_runs / n_runs
            of_questions = Spread(by_question + by_noise, spread.effective * growth, spread.degrees * growth)
            expected = with_runs(of_questions, RunSpread(of_run, of_run + by_noise, n_runs))
            low, high = spread_interval(measure.bounds, measure.value_once(self.rows), expected, level)
            widths[name] = high - low
        return widths

    def pass_at(self, ks: Iterable[int] | int, measure: str | None = None) -> Scores:
        """pass@k: the probability that one of k answers to a question is right, estimated without bias from all runs.

        Of a question that c of R runs have right it is 1 - C(R - c, k) / C(R, k); the value is its mean over questions, and
        the interval is over questions.

        Args:
            ks: how many answers are drawn, one number or several, at most as many as there are runs.
            measure: whether an answer is right, such as exact_match, 0 or 1; None: the first usual measure that is so.

        Returns:
            Scores with the measures `pass@1`, ... of the questions that the measure applies to in every run.

        Raises:
            ValueError: more answers than runs, or a measure with values between right and wrong.

        Source: Chen et al. (2021), Evaluating Large Language Models Trained on Code, arXiv 2107.03374.

        Example:
            >>> import qassay
            >>> seeds = [["a", "x"], ["a", "x"], ["x", "b"]]
            >>> found = qassay.runs([qassay.score("answer_match", answers, [["a"], ["b"]]) for answers in seeds])
            >>> found.pass_at([1, 2]).summary()
            {'pass@1': 0.5, 'pass@2': 0.8333333333333334}
        """
        return _at_k(self, "pass", pass_probabilities, ks, measure)

    def majority_at(self, ks: Iterable[int] | int, measure: str | None = None) -> Scores:
        """majority@k: the probability that more than half of k answers to a question are right.

        It is over all choices of k of the runs; exactly half counts as half. It knows only who is right: where wrong answers
        differ from one another, fewer right ones may win a vote. `qassay.majority_answers` counts the texts themselves.

        Args, Returns, Raises: as of `pass_at`; the measures are `majority@3`, ...

        Example:
            >>> import qassay
            >>> seeds = [["a", "x"], ["a", "x"], ["x", "b"]]
            >>> found = qassay.runs([qassay.score("answer_match", answers, [["a"], ["b"]]) for answers in seeds])
            >>> found.majority_at([1, 3]).summary()
            {'majority@1': 0.5, 'majority@3': 0.5}
        """
        return _at_k(self, "majority", majority_probabilities, ks, measure)

    def _wanted(self, names: Iterable[str] | None) -> dict[str, Measure]:
        wanted = {name: self.measures[name] for name in self._named(names)}
        return {name: measure for name, measure in wanted.items() if measure.has_interval}

    def spread_of_runs(
        self, measures: Mapping[str, Measure], n_resamples: int, seed: int, method: str = "auto"
    ) -> dict[str, RunSpread]:
        if method == "percentile":
            raise ValueError(
                "the percentile method resamples examples only, but an interval over several runs is over other runs too; "
                "leave the method out, or take the interval of each run: each_run()"
            )
        return {name: of_runs for name, (_, of_runs, _) in self._spreads(measures, n_resamples, seed).items()}

    def _spreads(
        self, measures: Mapping[str, Measure], n_resamples: int, seed: int
    ) -> dict[str, tuple[Spread, RunSpread, float]]:
        """How each measure varies with questions drawn again for all runs, with the runs, and the part of noise in the first."""
        rows = self.rows
        units = units_of(rows, self.groups, [measure for measure in self.measures.values() if measure.has_interval])
        over = {name: measure for name, measure in measures.items() if isinstance(measure, MeanOverRuns)}
        n_runs = self.n_runs
        each = {(name, run): of for name, measure in over.items() for run, of in enumerate(measure.each_run()[:n_runs])}
        spreads: Any = spreads_of({**over, **each}, units, n_resamples, seed)  # type: ignore[dict-item]
        found = {}
        for name in over:
            spread = spreads[name]
            measured = [run for run in range(n_runs) if not each[name, run].is_empty(rows)]
            n_measured = len(measured)
            if n_measured < 2:
                found[name] = (spread, RunSpread(0.0, 0.0, 1), 0.0)
                continue
            apart = math.fsum(spreads[name, run].variance for run in measured)
            noise = max(0.0, (apart - n_measured * spread.variance) / (n_measured - 1))
            noise = noise if noise > _ROUNDING * spread.variance else 0.0
            between = _variance([each[name, run].value_once(rows) for run in measured])
            of_runs = RunSpread(max(0.0, between - noise) / n_measured, between / n_measured, n_measured)
            found[name] = (spread, of_runs, min(noise / n_measured, spread.variance))
        return found

    def _variance_of(self, measure: MeanOverRuns, spread: Spread, of_runs: RunSpread, noise: float) -> RunVariance:
        rows = self.rows
        each = measure.each_run()[: self.n_runs]
        values = [float(of.value_once(rows)) for of in each if not of.is_empty(rows)] or [0.0]
        parts = ((spread.variance or 0.0) - noise, of_runs.variance, noise)
        ends = (math.sqrt(_variance(values)), min(values), max(values))
        return RunVariance(float(measure.value_once(rows)), *ends, *parts, *self._consistency(measure))

    def _consistency(self, measure: Measure) -> tuple[float | None, float | None, float | None]:
        """The shares of questions that are always, sometimes and never right; None where they are not right or wrong."""
        verdicts = right_or_wrong_by_run(self, measure)
        verdicts = None if verdicts is None else verdicts[~np.isnan(verdicts).any(axis=1)]
        if verdicts is None or not len(verdicts):
            return None, None, None
        right = verdicts.mean(axis=1)
        always, never = float((right == 1).mean()), float((right == 0).mean())
        return always, float(((right > 0) & (right < 1)).mean()), never


def right_or_wrong_by_run(runs: Runs, measure: Measure) -> np.ndarray | None:
    """Which questions are right in which runs, float64 (questions, runs) of 0 and 1; None where they are not right or wrong.

    NaN where the measure does not apply.
    """
    if not isinstance(measure, MeanOverRuns):
        return None
    columns: list[Any] = [of_run.by_example(runs.rows) for of_run in measure.each_run()[: runs.n_runs]]
    if any(column is None or not are_right_or_wrong(column) for column in columns):
        return None
    values = np.column_stack(columns)
    return np.where(np.isnan(values), np.nan, values > 0)


def _at_k(runs: Runs, what: str, probabilities: Any, ks: Iterable[int] | int, measure: str | None) -> Scores:
    """The mean over questions of a probability for k of the runs."""
    asked = [ks] if isinstance(ks, (int, np.integer)) and not isinstance(ks, bool) else to_list(ks, "ks")
    sizes = [check_whole(f"k of {what}@k", k, 1, kind="") for k in asked]
    if not sizes:
        raise ValueError(f"ks is empty; give how many answers are drawn, such as {what}@1")
    if max(sizes) > runs.n_runs:
        raise ValueError(f"{what}@{max(sizes)} needs {max(sizes)} runs or more; there are {runs.n_runs}")
    name, verdicts = _right_or_wrong(runs, measure)
    known = ~np.isnan(verdicts).any(axis=1)
    right = np.where(known, np.nan_to_num(verdicts).sum(axis=1), 0).astype(np.int64)
    columns = {}
    for k in dict.fromkeys(sizes):
        columns[f"{what}@{k}"] = np.where(known, np.array(probabilities(runs.n_runs, k))[right], np.nan)
    given: Any = (runs.options, {}, runs.weights, {}, runs.gold, runs.groups)
    return Scores(runs.ids, columns, runs.subsets, {name: Mean(name) for name in columns}, *given)


def _right_or_wrong(runs: Runs, name: str | None) -> tuple[str, np.ndarray]:
    """A measure that is right or wrong for each question, and its verdicts."""
    names = family_of(runs).telling.usual_measures(runs) if name is None else runs.measure_names([name])
    for found in names:
        verdicts = right_or_wrong_by_run(runs, runs.measures[found])
        if verdicts is not None and not np.isnan(verdicts).all():
            return found, verdicts
    there = [other for other in runs.measures if right_or_wrong_by_run(runs, runs.measures[other]) is not None]
    told = (
        f"{names[0]} has values between right and wrong" if name else "no measure is right or wrong for each question"
    )
    raise ValueError(f"{told}; pass@k and majority@k need 0 or 1" + (f", such as {there[0]}" if there else ""))


def _variance(values: Sequence[float]) -> float:
    return float(np.var(values, ddof=1)) if len(set(values)) > 1 else 0.0
