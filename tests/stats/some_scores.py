"""Scores with columns of given numbers, for tests of comparisons and rankings."""

import dataclasses

import numpy as np

from qassay.answer_match.scoring import AnswerMatchOptions
from qassay.core.best_threshold import BestThreshold
from qassay.core.interval_settings import Intervals
from qassay.core.measures import GeometricMean, Mean
from qassay.core.scores import Scores
from qassay.stats.compare import Comparison, compare_scores
from qassay.stats.difference import ComparisonSettings
from qassay.stats.leaderboard import Leaderboard, rank_scores


def table(ids=None, weights=None, subsets=None, measures=None, **columns) -> Scores:
    """Scores with a mean of each column."""
    columns = {name: np.asarray(values, float) for name, values in columns.items()}
    n = len(next(iter(columns.values())))
    return Scores(
        ids=range(n) if ids is None else ids,
        columns=columns,
        subsets={name: np.asarray(mask, bool) for name, mask in (subsets or {}).items()},
        measures=measures or {name: Mean(name) for name in columns},
        options=AnswerMatchOptions(),
        weights=None if weights is None else np.asarray(weights, float),
    )


def of_three_kinds(x, ids=None, weights=None, groups=None, lower=False, rows=None) -> Scores:
    """Scores with a mean, a geometric mean and a measure that sorts; `rows` are the places of unsorted examples."""
    x, rows = np.asarray(x, float), np.arange(len(x)) if rows is None else np.asarray(rows)
    measures = {
        "mean": Mean("x", lower_is_better=lower),
        "gm": GeometricMean("x", smallest=0.01),
        "best": BestThreshold("filled", "y", "z"),
    }
    columns = {"x": x, "filled": np.nan_to_num(x), "y": rows % 2.0, "z": rows * 7 % 5 / 5}
    scores = table(ids, weights, measures=measures, **columns)
    return scores if groups is None else scores.with_groups(groups)


def compare_all(systems, measures=None, by=None, groups=None, slice_measures=None, **given) -> Comparison:
    """The comparison by all measures; settings by the names that `qassay.compare` has for them."""
    of_comparison = {
        name: given.pop(name) for name in ("test", "correction", "n_permutations", "baseline") if name in given
    }
    settings = ComparisonSettings(intervals=Intervals(**given), **of_comparison)
    return compare_scores(systems, measures, by, settings, groups=groups, slice_measures=slice_measures)


def rank_all(systems, measures=None, by=None, *, groups=None, n_permutations=10_000, **given) -> Leaderboard:
    """The leaderboard by all measures; settings by the names that `qassay.leaderboard` has for them."""
    settings = ComparisonSettings(intervals=Intervals(**given), n_permutations=n_permutations)
    return rank_scores(systems, measures, by, settings, groups=groups)


def exact(ranking) -> str:
    """A ranking with all digits of all numbers, to compare it."""
    return repr((dataclasses.replace(ranking, p_values=()), ranking.p_values.tolist()))
