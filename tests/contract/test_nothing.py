"""n = 0: a number of no example, or of examples of weight 0, is None or absent, never 0.0, in every family and measure."""

import csv
import dataclasses
import json

import numpy as np
import pytest

import qassay
from qassay import testing
from qassay.cluster import PartialSums
from qassay.core.measures import SumMeasure, Tally
from qassay.training import LoopMetric
from qassay.training.logged import LoggedMeasures

from .families import CASES, CLASSES, MODULES, every_case

DRAWS = {"n_resamples": 10, "n_permutations": 10}


def of_nothing(scores) -> set:
    """The measures that no example with a weight is behind; counts are numbers of their own."""
    rows = scores.rows
    return {
        name
        for name, measure in scores.measures.items()
        if not isinstance(measure, Tally) and not (measure.applies(rows) & (rows.weights > 0)).any()
    }


def parts_of(whole):
    """All rows, each row alone, slices that hold nothing, and rows whose weights are all 0."""
    yield whole
    yield from (whole.take([row]) for row in range(len(whole)))
    yield whole.take([])
    yield whole.subset(np.zeros(len(whole), bool))
    yield from whole.by(["x"] * len(whole)).values()
    yield dataclasses.replace(whole, weights=np.zeros(len(whole)))


@every_case
def test_numbers_of_no_example_are_none(case):
    whole = case.score()
    for number, part in enumerate(parts_of(whole)):
        nothing = of_nothing(part)
        values = part.summary([*part.measures])
        assert {name for name, value in values.items() if value is None} == nothing
        assert all(part[name] is None for name in nothing) and "none" in repr(part) or not nothing & {*[*values][:3]}
        asked = [name for name in nothing if part.measures[name].has_interval]
        for method in ("auto", "percentile"):
            for ends in part.interval(asked, confidence=0.9, n_resamples=10, method=method).values():
                assert (*ends, ends.method) == (None, None, "none")
        result = part.result(confidence=0.9, n_resamples=10, counts=True)
        assert {name for name in result if name in part.measures and result[name] is None} <= nothing
        assert not {f"{name}_{end}" for name in nothing for end in ("low", "high")} & result.keys()
        logged = LoggedMeasures(confidence=0.9).numbers(part)
        assert not {name for name in logged if name.removesuffix("_low").removesuffix("_high") in nothing}
        assert all(np.isfinite(value) for value in logged.values())
        json.dumps([values, {name: value for name, value in result.items()}], allow_nan=False)
        summed = [name for name, measure in part.measures.items() if isinstance(measure, SumMeasure)]
        if summed and len(part):
            sums = PartialSums.of(part, summed)
            for own in (sums, PartialSums.concat([sums])):
                found = own.summary(summed)
                assert {name for name, value in found.items() if value is None} == nothing & {*summed}
                assert [*own.interval(names=[n for n in summed if n in asked]).values()] == [(None, None)] * len(
                    {*summed} & {*asked}
                )


@every_case
def test_comparisons_rankings_and_runs_of_no_example_are_none(case):
    systems = {"a": case.score(), "b": case.score(wrong=[0]), "c": case.score(wrong=[1])}
    for number, part in enumerate(zip(*map(parts_of, systems.values()))):
        if not len(part[0]) or 1 < number < len(systems["a"]) + 1:  # one single row is enough
            continue
        few = dict(zip(systems, part))
        names = [name for name, measure in part[0].measures.items() if measure.has_interval]
        nothing = set.intersection(*map(of_nothing, part)) & {*names}
        if not nothing:
            continue
        asked = sorted(nothing)[:6]
        for test in ("permutation", "bootstrap", "t"):
            found = qassay.compare(few, asked, by={"s": ["x"] * len(part[0])}, test=test, **DRAWS)
            for one in found.differences:
                numbers = one.difference, one.p_value, one.p_corrected, *one.values, *one.interval, *one.intervals[0]
                assert {*numbers} == {None} and one.winner is None and not one.is_significant(0.95)
                assert one.n == 0 or number == len(systems["a"]) + 4
            assert not found.slices["s"] and "0.0000" not in str(found).partition("rank")[0]
        with pytest.raises(ValueError, match="nothing can be decided|applies to|no interval"):
            testing.assert_not_worse(part[0], part[1], asked[0], margin=0.01)
        runs = qassay.runs(list(part))
        assert not nothing & runs.variance(asked, n_resamples=10).keys()
        assert {*runs.summary(asked).values()} == {None}
        try:
            board = qassay.leaderboard(few, asked, n_resamples=10)
        except ValueError as error:
            assert "applies to no example" in str(error)
            continue
        for ranking in board.rankings.values():
            numbers = [(of.value, of.best_share, *of.interval) for of in ranking.systems]
            assert np.isnan(numbers).all() and np.isnan(ranking.p_values).all()
        json.dumps(board.to_dict(), allow_nan=False)


@pytest.mark.parametrize("name", CASES)
def test_streams_loops_modules_and_reports_of_no_example(name, tmp_path):
    case = CASES[name]
    classes = {"labels": CLASSES[name]} if name in CLASSES else {}
    whole = case.score()
    stream = qassay.stream(case.metric, **case.options, **classes)
    loop = LoopMetric(case.metric, **case.options, **classes)
    for empty in (stream.summary, stream.interval, stream.scores, loop.compute):
        with pytest.raises(ValueError, match="nothing"):
            empty()
    stream.add(**case.columns())
    loop.update(**case.columns())
    of_stream = of_nothing(stream.scores())
    assert {key for key, value in stream.summary().items() if value is None} == of_stream
    assert not of_stream & loop.compute().keys()
    for part, form in ((whole, "json"), (whole.take([0]), "csv"), (whole, "html"), (whole, "md"), (whole, "tex")):
        path = tmp_path / f"report.{form}"
        part.report(path, measures="all", n_resamples=10)
        here = of_nothing(part)
        if form == "json":
            (cells,) = json.loads(path.read_text())["parts"][0]["values"].values()
            assert {key for key, cell in cells.items() if cell["value"] is None} == here
            assert all(cells[key]["low"] is cells[key]["high"] is None for key in here)
        elif form == "csv":
            for row in csv.DictReader(path.open()):
                assert row["measure"] not in here or {row["value"], row["low"], row["high"]} == {""}
    module = next((module for module in MODULES.values() if module.case is case), None)
    if module:
        with pytest.raises(ValueError, match="nothing"):
            module.load().compute()
        found = module.load().compute(**module.given, confidence=0.9, n_resamples=10)
        own = of_nothing(module.score())
        assert {key for key, value in found.items() if value is None} == own
        assert not {f"{key}_low" for key in own} & found.keys()
