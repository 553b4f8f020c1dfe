"""What a report of a comparison shows: the numbers of all systems, their differences, kinds of errors, and texts."""

import dataclasses

import numpy as np

from karat.core.comparison import Difference
from karat.reporting import Report


@dataclasses.dataclass(frozen=True)
class Disagreement:
    """An example that two systems answer differently, with what there is to read.

    Attributes:
        id: of the example.
        values: the measure's value of each system by this example alone.
        question: its text, the query, or None.
        gold: the gold answers, relevant documents or true labels, each as text; empty where there is none.
        answers: what each system gave, as text; "" for nothing.
        kinds: the kind of error of each system, such as "correct" or "too long"; None where the family has none.
    """

    id: str
    values: tuple[float, float]
    question: str | None
    gold: list[str]
    answers: tuple[str, str]
    kinds: tuple[str, str] | None


@dataclasses.dataclass(frozen=True)
class Change:
    """How a measure changes from one system to the other, example by example.

    Attributes:
        metric: the metric family of the measure.
        measure: its name.
        first, second: the systems.
        changes: float64 (n,), value of the second minus the first for each example, descending.
        losses: examples in which the second is worse, the worst first.
        gains: examples in which it is better, the best first.
        are_texts: the answers and gold answers are texts whose words can be compared (not document ids or labels).
    """

    metric: str
    measure: str
    first: str
    second: str
    changes: np.ndarray
    losses: list[Disagreement]
    gains: list[Disagreement]
    are_texts: bool


@dataclasses.dataclass(frozen=True)
class ComparisonReport:
    """Everything that the renderings of a comparison show.

    Attributes:
        report: the values of all systems with intervals, in all and by slice, signatures, notes, remarks, scale, level.
        differences: of all examples, one per pair of systems and measure.
        slices: slice -> label -> differences.
        kinds: metric -> system -> kind of error -> number of examples, kinds in one order, best first; a metric without
            kinds of errors is not there.
        changes: one per pair of systems and metric, of its main measure.
        test, correction, n_permutations: how the p-values were made.
        gold: the name of the gold file.
        command: a command line that makes the report again.
        remarks: what else a reader must know, in words; those of `report` are not repeated.
    """

    report: Report
    differences: list[Difference]
    slices: dict[str, dict[str, list[Difference]]]
    kinds: dict[str, dict[str, dict[str, int]]]
    changes: list[Change]
    test: str
    correction: str
    n_permutations: int
    gold: str
    command: str
    remarks: list[str]
