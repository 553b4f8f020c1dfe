"""What holds for repeated runs in every family: a measure is the mean of the runs, equal runs are one run."""

import numpy as np
import pytest

import qassay

from .families import every_case, few_cases

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
        if not there:
            assert value is None
            continue
        assert value == pytest.approx(np.mean([part[name] for part in there]), abs=1e-12), name
        if name in intervals:
            low, high = intervals[name]
            assert low <= value + 1e-12 and value <= high + 1e-12, name
    for part, back in zip(apart, runs.each_run().values(), strict=True):
        names = [name for name in back.measures if name in part.measures]
        assert back.summary(names) == part.summary(names)
    assert runs.to_arrow().num_rows == len(case.rows) and len(runs.to_pandas()) == len(case.rows)


@few_cases
def test_equal_runs_of_every_family_are_one_run(case):
    one = case.score(wrong=[0])
    same = qassay.runs([one, one])
    assert same.summary() == {**one.summary(), **{name: 2 * count for name, count in one.notes.items()}}
    found, wanted = (scores.interval(n_resamples=20) for scores in (same, one))
    assert found == {name: pytest.approx(tuple(ends), abs=1e-12) for name, ends in wanted.items()}
