"""What holds for repeated runs in every family: means, intervals, comparisons, and reports of drawn answers."""

import numpy as np
import pytest

import qassay
from qassay.core.measures import SumMeasure
from qassay.core.scores import Scores
from qassay.registry import family_of
from qassay.repeated_runs.runs import right_or_wrong_by_run

from .families import FEW, every_case, few_cases

QUICK = {"n_resamples": 10, "n_permutations": 10}


def runs_of(case):
    """A run with all right, one with the first wrong, one with all wrong."""
    return [case.score(), case.score(wrong=[0]), case.score(wrong=range(len(case.rows)))]


@every_case
def test_a_measure_is_the_mean_of_the_runs_with_an_interval_around_it(case):
    apart = runs_of(case)
    runs = qassay.runs(apart)
    intervals = runs.interval(n_resamples=20)
    for name, value in runs.summary(runs.measures).items():
        there = [part for part in apart if not part.measures[name].is_empty(part.rows)]
        assert value == pytest.approx(np.mean([part[name] for part in there]) if there else 0.0, abs=1e-12), name
        if name in intervals:
            low, high = intervals[name]
            assert low <= value + 1e-12 and value <= high + 1e-12, name
    for part, back in zip(apart, runs.each_run().values(), strict=True):
        names = [name for name in back.measures if name in part.measures]
        assert back.summary(names) == part.summary(names)
    assert runs.to_arrow().num_rows == len(case.rows) and len(runs.to_pandas()) == len(case.rows)


@few_cases
def test_variances_and_percentiles_of_runs(case):
    runs = qassay.runs(runs_of(case))
    for name, told in runs.variance(n_resamples=20).items():
        assert told.lowest <= runs[name] + 1e-12 <= told.highest + 2e-12
        assert min(told.by_question, told.by_run, told.by_noise) >= 0
    for low, high in runs.interval(n_resamples=10, method="percentile").values():
        assert 0 <= low <= high or np.isnan(low)


@few_cases
def test_equal_runs_of_every_family_are_one_run(case):
    one = case.score(wrong=[0])
    same = qassay.runs([one, one])
    assert same.summary() == {**one.summary(), **{name: 2 * count for name, count in one.notes.items()}}
    for method in ("auto", "percentile"):
        found, wanted = (scores.interval(n_resamples=20, method=method) for scores in (same, one))
        assert found == {name: pytest.approx(tuple(ends), abs=1e-12) for name, ends in wanted.items()}


@few_cases
def test_the_order_of_runs_changes_no_difference(case):
    parts = runs_of(case)
    runs, turned = qassay.runs(parts), qassay.runs(parts[::-1])
    other = qassay.runs([case.score(wrong=[0]), *parts[1:]])
    sums = [name for name, of in runs.measures.items() if of.has_interval and isinstance(of, SumMeasure)]  # others draw
    names = [name for name in sums if name in other.measures][:6]
    if names:
        one, same = (qassay.compare({"a": other, "b": second}, names, **QUICK) for second in (runs, turned))
        for plain, again in zip(one.differences, same.differences, strict=True):
            assert tuple(again.interval) == pytest.approx(tuple(plain.interval), nan_ok=True), again.measure


def is_right_or_wrong(runs, measure):
    values = right_or_wrong_by_run(runs, measure)
    return values is not None and not np.isnan(values).all()


@few_cases
def test_only_means_of_right_answers_are_right_or_wrong(case):
    runs = qassay.runs(runs_of(case))
    for name, measure in runs.measures.items():
        verdicts = right_or_wrong_by_run(runs, measure)
        if verdicts is None:
            with pytest.raises(ValueError, match="pass@k and majority@k need 0 or 1"):
                runs.pass_at(1, name)
        elif not np.isnan(verdicts).all():
            top = (measure.bounds or (0.0, 1.0))[1]
            each = [column[~np.isnan(column)] for column in verdicts.T]
            assert runs[name] == pytest.approx(top * np.mean([column.mean() for column in each if len(column)]))
            assert not measure.lower_is_better


@pytest.mark.parametrize("name", [name for name in FEW if name != "boxes"])  # whose pages take seconds
def test_runs_and_drawn_answers_of_every_family_have_reports(name, tmp_path):
    case = FEW[name]
    runs, other = qassay.runs(runs_of(case)), qassay.runs(runs_of(case)[:2])
    telling = family_of(runs).telling
    assert telling.errors.of(runs) is None
    assert telling.main_measures(runs) == [n for n in telling.main_measures(case.score()) if n in runs.measures]
    assert "runs" in repr(runs) and runs._repr_html_()
    pairs = {"runs": (runs, case.score(wrong=[0]))}
    right = [name for name, measure in runs.measures.items() if is_right_or_wrong(runs, measure)]
    if right:
        pairs["drawn"] = (runs.pass_at([1, 2], right[0]), other.pass_at([1, 2], right[0]))
    for kind, (a, b) in pairs.items():
        first = next(of for of, measure in a.measures.items() if measure.has_interval and of in b.measures)
        qassay.compare({"a": a, "b": b}, [first], **QUICK).report(tmp_path / f"{kind}.html")
        assert first in (tmp_path / f"{kind}.html").read_text()
        if kind == "drawn":
            assert "pass@2" in a.plot().svg and "pass@1" in a.plot("examples").svg
            assert not Scores.concat([a]).tells_examples
