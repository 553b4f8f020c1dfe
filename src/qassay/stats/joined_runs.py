"""Joins runs of one system: a table with one row per question, and a copy of each column that differs between runs.

Systems with different numbers of runs get the same columns and can be compared.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.align import align_scores, require_comparable, with_same_codes
from ..core.columns import to_list
from ..core.measures import Measure
from ..core.ragged import are_equal
from ..core.remarks import public, remark
from ..core.scores import Scores
from ..core.shown import describe
from ..registry import family_of
from .absent import lacking_answers, require_answers
from .run_measures import RunColumns, over_runs
from .runs import Runs

_NOT_SHARED = "not_in_every_run"
_MOST_RUNS = 64  # largest number of copies of the runs of a system


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
    notes = Counter({_NOT_SHARED: left_out} if left_out else {})
    for scores in parts.values():
        notes.update(scores.notes)
    by_run = {name: dict(scores.notes) for name, scores in parts.items() if scores.notes}
    aligned, _ = align_scores(parts)
    coded = with_same_codes(aligned)
    first = (scored := list(coded.values()))[0]
    for name, scores in coded.items():
        if (scores.columns.keys(), scores.subsets.keys()) != (first.columns.keys(), first.subsets.keys()):
            raise ValueError(f"{name} and the first run have different columns or subsets; score all runs alike")
        other = [key for key, measure in scores.measures.items() if first.measures.get(key, measure) != measure]
        if other:
            raise ValueError(
                f"the measure {other[0]!r} of {name} differs from that of the first run; score all runs alike"
            )
    return _table_of(coded, _layout_of([scored], len(scored)), _uneven_measures(scored), notes, by_run)


def _layout_of(systems: Sequence[Sequence[Scores]], size: int) -> RunColumns:
    """The columns and subsets that differ between runs of a system, with the number of copies of each."""
    shared = frozenset.intersection(*map(_shared_names, systems))
    columns, subsets = (
        tuple(dict.fromkeys(name for runs in systems for name in getattr(runs[0], kind)))
        for kind in ("columns", "subsets")
    )
    layout = RunColumns(size, *(tuple(name for name in names if name not in shared) for names in (columns, subsets)))
    clash = {*columns, *subsets}.difference(layout.columns, layout.subsets).intersection(layout.copies())
    if clash:
        name = min(clash)
        raise ValueError(f"a column or subset is called {name!r}, the name for the copy of a run; rename it")
    return layout


def _table_of(
    parts: Mapping[str, Scores],
    layout: RunColumns,
    uneven: frozenset[str],
    notes: Mapping[str, int],
    notes_by_run: Mapping[str, Mapping[str, int]],
) -> Runs:
    """Runs with a row per question, of Scores with the same ids in the same order and the same numbers of classes.

    Args:
        uneven: measures that do not apply to the same questions in all runs.
        notes: the notes of all runs.
    """
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
    coded = iter(
        with_same_codes(
            {str(n): run for n, run in enumerate(run for of in runs.values() for run in of.values())}
        ).values()
    )
    runs = {name: {run: next(coded) for run in of} for name, of in runs.items()}
    size = math.lcm(*map(len, runs.values()))
    if size > _MOST_RUNS:
        numbers = ", ".join(f"{name} {len(of)}" for name, of in runs.items())
        raise ValueError(f"the numbers of runs differ too much: {numbers}; give each system the same number")
    lists = [list(of.values()) for of in runs.values()]
    layout, uneven = _layout_of(lists, size), frozenset[str].union(*map(_uneven_measures, lists))
    found: dict[str, Scores] = {}
    for name, scores in systems.items():
        by_run = scores.notes_by_run if isinstance(scores, Runs) else {}
        found[name] = _table_of(runs[name], layout, uneven, scores.notes, by_run)
    return found
