"""What holds for repeated runs in every family: means, intervals, comparisons, and reports of drawn answers."""

import numpy as np
import pytest

import qassay
from qassay.core.measures import SumMeasure
from qassay.core.scores import Scores
from qassay.registry import family_of
from qassay.repeated_runs.runs import right_or_wrong_by_run

from .test_scores_of_families import every_case


def runs_of(case):
    """A run with all right, one with the first wrong, one with all wrong."""
    n = len(case.rows)
    return [case.score(), case.score(wrong=[0]), case.score(wrong=range(n))]


@every_case
def test_a_measure_is_the_mean_of_the_runs_with_an_interval_around_it(case):
    apart = runs_of(case)
    runs = qassay.runs(apart)
    told = runs.variance(n_resamples=50)
    intervals = runs.interval(n_resamples=50)
    for low, high in runs.interval(n_resamples=20, method="percentile").values():
        assert 0 <= low <= high or np.isnan(low)
    for name, value in runs.summary(runs.measures).items():
        there = [part for part in apart if not part.measures[name].is_empty(part.rows)]
        assert value == pytest.approx(np.mean([part[name] for part in there]) if there else 0.0, abs=1e-12), name
        if name in intervals:
            low, high = intervals[name]
            assert low <= value + 1e-12 and value <= high + 1e-12, name
            assert told[name].lowest <= value + 1e-12 <= told[name].highest + 2e-12
            assert min(told[name].by_question, told[name].by_run, told[name].by_noise) >= 0
    assert runs.to_arrow().num_rows == len(case.rows) and len(runs.to_pandas()) == len(case.rows)


@every_case
def test_equal_runs_of_every_family_are_one_run(case):
    one = case.score(wrong=[0])
    same = qassay.runs([one, one])
    assert same.summary() == {**one.summary(), **{name: 2 * count for name, count in one.notes.items()}}
    for method in ("auto", "percentile"):
        found, wanted = (scores.interval(n_resamples=50, method=method) for scores in (same, one))
        assert found == {name: pytest.approx(tuple(ends), abs=1e-12) for name, ends in wanted.items()}


@every_case
def test_each_run_of_every_family_comes_back(case):
    for part, back in zip(runs_of(case), qassay.runs(runs_of(case)).each_run().values(), strict=True):
        names = [name for name in back.measures if name in part.measures]
        assert back.summary(names) == part.summary(names)


@every_case
def test_everything_reported_for_a_family_is_reported_for_runs(case):
    runs = qassay.runs(runs_of(case))
    telling = family_of(runs).telling
    assert telling.errors.of(runs) is None
    assert telling.main_measures(runs) == [n for n in telling.main_measures(case.score()) if n in runs.measures]
    assert "runs" in repr(runs) and runs._repr_html_()


@every_case
def test_the_order_of_runs_changes_no_difference(case):
    parts = runs_of(case)
    runs, turned = qassay.runs(parts), qassay.runs(parts[::-1])
    other = qassay.runs([case.score(wrong=[0]), *parts[1:]])
    sums = [name for name, of in runs.measures.items() if of.has_interval and isinstance(of, SumMeasure)]  # others draw
    names = [name for name in sums if name in other.measures]
    if not names:
        return
    for first in (runs, other):
        asked = {"n_resamples": 20, "n_permutations": 20}
        one, same = (qassay.compare({"a": first, "b": second}, names, **asked) for second in (runs, turned))
        for plain, again in zip(one.differences, same.differences, strict=True):
            assert tuple(again.interval) == pytest.approx(tuple(plain.interval), nan_ok=True), again.measure


def is_right_or_wrong(runs, measure):
    values = right_or_wrong_by_run(runs, measure)
    return values is not None and not np.isnan(values).all()


@every_case
def test_only_means_of_right_answers_are_right_or_wrong(case):
    runs = qassay.runs(runs_of(case))
    told = runs.variance(n_resamples=20)
    for name, measure in runs.measures.items():
        verdicts = right_or_wrong_by_run(runs, measure)
        if verdicts is None:
            assert name not in told or told[name].always is None
            with pytest.raises(ValueError, match="pass@k and majority@k need 0 or 1, such as"):
                runs.pass_at(1, name)
        elif not np.isnan(verdicts).all() and runs.weights is None:
            top = (measure.bounds or (0.0, 1.0))[1]
            each = [column[~np.isnan(column)] for column in verdicts.T]
            assert runs[name] == pytest.approx(top * np.mean([column.mean() for column in each if len(column)]))
            assert not measure.lower_is_better


@every_case
def test_comparisons_of_runs_and_of_drawn_answers_of_every_family_have_reports(case, tmp_path):
    runs = qassay.runs(runs_of(case))
    other = qassay.runs(runs_of(case)[:2])
    pairs = {"runs": (runs, other), "one run": (runs, case.score(wrong=[0]))}
    right = [name for name, measure in runs.measures.items() if is_right_or_wrong(runs, measure)]
    if right:
        pairs["drawn"] = (runs.pass_at([1, 2], right[0]), other.pass_at([1, 2], right[0]))
    for name, (a, b) in pairs.items():
        first = next(name for name, measure in a.measures.items() if measure.has_interval and name in b.measures)
        found = qassay.compare({"a": a, "b": b}, [first], n_resamples=20, n_permutations=20)
        found.report(tmp_path / f"{name}.html")
        assert first in (tmp_path / f"{name}.html").read_text()
        if name == "drawn":
            a.report(tmp_path / f"{name}.html", n_resamples=20)
            assert "pass@2" in a.plot().svg and "pass@1" in a.plot("examples").svg
    joined = Scores.concat([pairs.get("drawn", [case.score()])[0]])
    assert joined.tells_examples == ("drawn" not in pairs)
