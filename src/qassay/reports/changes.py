"""How two systems differ example by example: changes of a measure, and the texts of examples."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.examples import Examples, ExampleText, ScoreReason, gold_rows
from ..core.reasons import MOST_REASONS
from ..core.scores import Scores
from ..core.text import NormalizerSpec
from ..files.score_files import Scored
from ..registry import compared_measures
from ..stats.compare import Comparison
from ..stats.pairs import changes_of
from ..stats.runs import DrawnScores, Runs

_OF_SLICE = 2  # examples of a slice
_WIDE = 0.75  # of the examples of the measure with most examples, from which on a measure may lead


@dataclasses.dataclass(frozen=True)
class Disagreement:
    """An example that two systems answer differently, with its texts.

    Attributes:
        values: the value of each system for this example.
        question: text of the question or query, or None.
        gold: gold answers, relevant documents or true labels, as texts; may be empty.
        answers: the answers of each system as texts, in the system's order; [] without an answer.
        compared: the gold answers to compare the words of an answer with, such as every name of an entity; () for `gold`.
        kinds: the kind of error of each system, such as "correct" or "too long"; None if the family has no kinds.
        reasons: what moved the score of each system; [] if unknown.
        slices: slicing -> label of the example, for the slicings of the report.
    """

    id: str
    values: tuple[float, float]
    question: str | None
    gold: list[str]
    answers: tuple[list[str], list[str]]
    kinds: tuple[str, str] | None
    reasons: tuple[list[ScoreReason], list[ScoreReason]] = ([], [])
    slices: Mapping[str, str] = dataclasses.field(default_factory=dict)
    compared: Sequence[str] = ()

    def turned(self) -> "Disagreement":
        """The same with the systems exchanged."""
        return dataclasses.replace(
            self,
            values=self.values[::-1],
            answers=self.answers[::-1],
            kinds=self.kinds and self.kinds[::-1],
            reasons=self.reasons[::-1],
        )


@dataclasses.dataclass(frozen=True)
class Change:
    """How a measure changes from one system to the other, example by example.

    Attributes:
        changes: float64 (n,), value of the second minus the first for each example, descending.
        losses: examples in which the second system is worse, worst first.
        gains: examples in which it is better, best first.
        are_texts: answers and gold answers are texts with comparable words, not document ids or labels.
        normalizer: the normaliser of the scores; None if they have none.
        lower_is_better: a rise of the measure is a loss.
        of_slices: (slicing, label) -> a few examples in which the system with the lower mean is worse, worst first, with
            different kinds of errors.
    """

    metric: str
    measure: str
    first: str
    second: str
    changes: np.ndarray
    losses: list[Disagreement]
    gains: list[Disagreement]
    are_texts: bool
    normalizer: NormalizerSpec | None = None
    lower_is_better: bool = False
    of_slices: Mapping[tuple[str, str], list[Disagreement]] = dataclasses.field(default_factory=dict)

    def turned(self) -> "Change":
        """The same with the systems exchanged: from the second to the first."""
        return dataclasses.replace(
            self,
            first=self.second,
            second=self.first,
            changes=-self.changes[::-1],
            losses=[example.turned() for example in self.gains],
            gains=[example.turned() for example in self.losses],
            of_slices={key: [example.turned() for example in some] for key, some in self.of_slices.items()},
        )


def change_of(
    scored: Scored, comparison: Comparison, pair: tuple[str, str], n_texts: int, sliced: Mapping[str, Sequence[str]]
) -> Change | None:
    """The change of the main measure with the most distinct values per example; None if single examples have no value.

    Args:
        n_texts: the maximum number of losses and of gains; 0: none.
        sliced: slicing -> the label of each example of the comparison.
    """
    both = [comparison.systems[system] for system in pair]
    measure = _telling_measure(comparison, both)
    if measure is None:
        return None
    examples: list[Any] = [scores.measures[measure].by_example(scores.rows) for scores in both]
    first, second = examples
    change = changes_of(first, second)
    better = np.where(np.isnan(change), 0.0, -change if both[0].measures[measure].lower_is_better else change)
    gains = [row for row in np.argsort(-better, kind="stable")[:n_texts].tolist() if better[row] > 0]
    losses = [row for row in np.argsort(better, kind="stable")[:n_texts].tolist() if better[row] < 0]
    telling = scored.family.telling
    kinds: list[Any] = [telling.errors.of(scores) for scores in both]
    of_slices = _rows_of_slices(better, sliced, kinds) if n_texts else {}
    if any(isinstance(scores, DrawnScores) for scores in both):  # which have no single answer
        losses, gains, of_slices = [], [], {}
    rows = list(dict.fromkeys([*losses, *gains, *(row for some in of_slices.values() for row in some)]))
    texts = [
        _example_texts(scored, system, scores, rows) for system, scores in zip(pair, both, strict=True) if rows
    ] or [[], []]
    reasons = [_reasons(scored, system, scores, rows) for system, scores in zip(pair, both, strict=True)]
    places = gold_rows(scored.gold, both[0]) if rows else ()
    shown = {
        row: Disagreement(
            str(both[0].ids[row]),
            (float(first[row]), float(second[row])),
            first_text.question,
            first_text.gold,
            (first_text.answers, second_text.answers),
            None if None in kinds else (kinds[0][row], kinds[1][row]),
            (first_reasons, second_reasons),
            {name: labels[row] for name, labels in sliced.items()},
            telling.compared_golds(scored.gold, both[0], places[row], first_text.gold),
        )
        for row, first_text, second_text, first_reasons, second_reasons in zip(rows, *texts, *reasons, strict=True)
    }
    return Change(
        scored.family.name,
        measure,
        *pair,
        np.sort(change[~np.isnan(change)])[::-1],
        [shown[row] for row in losses],
        [shown[row] for row in gains],
        "texts" in telling.answers_are,
        getattr(both[0].options, "normalizer", None),
        both[0].measures[measure].lower_is_better,
        {key: [shown[row] for row in some] for key, some in of_slices.items()},
    )


def _rows_of_slices(
    better: np.ndarray, sliced: Mapping[str, Sequence[str]], kinds: Sequence[Sequence[str] | None]
) -> dict[tuple[str, str], list[int]]:
    """(slicing, label) -> examples to read: the largest losses of the worse system, each with another kind of error.

    Args:
        better: (n,) how much better the second system is in each example.
        kinds: kinds of errors of both systems; None if the family has no kinds.
    """
    worse, own = (better, kinds[1]) if better.sum() < 0 else (-better, kinds[0])
    order = [row for row in np.argsort(worse, kind="stable").tolist() if worse[row] < 0]
    found: dict[tuple[str, str], dict[str, int]] = {}
    for name, labels in sliced.items():
        for row in order:
            by_kind = found.setdefault((name, labels[row]), {})
            if len(by_kind) < _OF_SLICE:
                by_kind.setdefault("" if own is None else own[row], row)
    return {key: list(by_kind.values()) for key, by_kind in found.items()}


def _example_texts(scored: Scored, name: str, scores: Scores, rows: Sequence[int]) -> list[ExampleText]:
    """Some examples of a system as texts; for several runs one answer per run, "" for a missing answer."""
    system, tell = scored.systems[name], scored.family.telling.example_texts
    if not isinstance(scores, Runs):
        return tell(Examples(scored.gold, system.columns, scores, rows))
    by_run = [
        tell(Examples(scored.gold, (system.runs or {run: system})[run].columns, own, rows))
        for run, own in scores.each_run().items()
    ]
    if len(by_run) == 1:
        return by_run[0]
    merged = []
    for texts in zip(*by_run, strict=True):
        merged.append(texts[0]._replace(answers=[", ".join(text.answers) for text in texts]))
    return merged


def _reasons(scored: Scored, name: str, scores: Scores, rows: Sequence[int]) -> list[list[ScoreReason]]:
    """What moved the scores of some examples of a system; empty for several runs."""
    if not rows or scores.n_runs > 1:
        return [[] for _ in rows]
    return scored.family.telling.reasons(
        Examples(scored.gold, scored.systems[name].columns, scores, rows), MOST_REASONS
    )


def _telling_measure(comparison: Comparison, both: Sequence[Scores]) -> str | None:
    """The compared measure with the most distinct values per example; main measures come first.

    A measure of far fewer examples than another one, such as of a reader where the documents were found, comes later, unless
    only its values differ between the systems.
    """
    there = list(dict.fromkeys(difference.measure for difference in comparison.differences))
    main = [name for name in compared_measures(comparison.systems)[1] if name in there]
    for names in (main, there):
        columns = {name: [scores.measures[name].by_example(scores.rows) for scores in both] for name in names}
        values = {name: np.array(pair) for name, pair in columns.items() if pair[0] is not None}
        if not values:
            continue
        measured = {name: np.isfinite(pair).all(axis=0) for name, pair in values.items()}
        fewest = _WIDE * max(int(known.sum()) for known in measured.values())
        wide = [
            name
            for name, (first, second) in values.items()
            if measured[name].sum() >= fewest and (first != second)[measured[name]].any()
        ]
        return max(wide or values, key=lambda name: len(np.unique(values[name])))
    return None
