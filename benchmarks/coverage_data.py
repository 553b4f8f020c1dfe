"""Populations of examples for coverage.py: scored once by the families, then sampled many times.

An example of a population has a uniform quality from 0 to 1; a system turns it into an answer, and a family scores the
answer. All measures are simulated in this way, with groups and with two systems.
"""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

import qassay
from qassay.core.ragged import take_rows
from qassay.core.scores import Scores

EXAMPLES = 3000  # examples of a population without groups, each with the answers of two systems in both orders
GROUPS = 500  # examples of a population with groups, in the same way
MOST_IN_GROUP = 60
_WORDS = ["one", "two", "three", "four", "five"]
_DEPTH = 10  # documents of a ranking

Answers = tuple[list[Any], list[Any]]  # predictions and references


@dataclasses.dataclass(frozen=True)
class Kind:
    """A measure of a family, and the strengths of two systems.

    Attributes:
        title: title of the row of the table.
        answers: makes predictions and references from qualities (n,), a strength, and a generator for random parts that
            all systems share, such as the true labels.
        strength: strength of the first system; a share unless documented otherwise.
        better: strength of a better second system.
    """

    title: str
    metric: str
    measure: str
    answers: Callable[[np.ndarray, float, np.random.Generator], Answers]
    strength: float
    better: float


def right_or_wrong(quality: np.ndarray, strength: float, rng: np.random.Generator) -> Answers:
    """A share `strength` of answers is right."""
    return np.where(quality < strength, "yes", "no").tolist(), [["yes"]] * len(quality)


def overlapping(quality: np.ndarray, strength: float, rng: np.random.Generator) -> Answers:
    """Answers of five words; all, some or none of the words are right: F1 is `strength` on average."""
    partly = min(0.3, 1.2 * (1 - strength))
    whole = strength - partly / 2
    right = np.where(quality < whole, 5, np.where(quality < whole + partly, 1 + (quality - whole) / partly * 4, 0))
    words = [_WORDS[:n] + ["x", "y", "z", "v", "w"][n:] for n in right.astype(int).tolist()]
    return [" ".join(found) for found in words], [[" ".join(_WORDS)]] * len(quality)


def ranked(quality: np.ndarray, strength: float, rng: np.random.Generator) -> Answers:
    """Rankings of ten documents; at each place the relevant one comes with probability `strength` if it did not before."""
    places = np.floor(np.log1p(-quality) / np.log1p(-strength)).astype(int)
    found = [
        {f"d{'x' if rank == place else rank}": -float(rank) for rank in range(_DEPTH)} for place in places.tolist()
    ]
    return found, [{"dx": 1}] * len(quality)


def classified(shares: Sequence[float]) -> Callable[[np.ndarray, float, np.random.Generator], Answers]:
    """Classes with these shares; a share `strength` of each is found, and the rest gets any other class."""

    def answers(quality: np.ndarray, strength: float, rng: np.random.Generator) -> Answers:
        names = [f"class {number}" for number in range(len(shares))]
        true = np.searchsorted(np.cumsum(shares)[:-1], rng.random(len(quality)), side="right")
        other = (true + rng.integers(1, len(shares), len(quality))) % len(shares)
        found = np.where(quality < strength, true, other)
        return [names[number] for number in found.tolist()], [names[number] for number in true.tolist()]

    return answers


def seldom_found(quality: np.ndarray, strength: float, rng: np.random.Generator) -> Answers:
    """Two classes, found with probability 0.8, and a class of 3 % of the examples, found with probability `strength`."""
    names = ["class 0", "class 1", "rare class"]
    true = np.searchsorted([0.5, 0.97], rng.random(len(quality)), side="right")
    other = np.where(true == 2, rng.integers(0, 2, len(quality)), 1 - true)
    found = np.where(quality < np.where(true == 2, strength, 0.8), true, other)
    return [names[number] for number in found.tolist()], [names[number] for number in true.tolist()]


def separated(quality: np.ndarray, strength: float, rng: np.random.Generator) -> Answers:
    """Scores of examples; 30 % are positive and score `strength` standard deviations higher on average."""
    label = (rng.random(len(quality)) < 0.3).astype(int)
    return (strength * label - ndtri(quality)).tolist(), label.tolist()


def piped(quality: np.ndarray, strength: float, rng: np.random.Generator) -> Answers:
    """Answers as in `overlapping`, of a reader whose document is right with probability 0.8."""
    words, golds = overlapping(quality, strength, rng)
    documents = np.where(rng.random(len(quality)) < 0.8, "d1", "d2").tolist()
    given = [
        {"documents": [document], "answers": [{"text": text, "document_id": document}]}
        for text, document in zip(words, documents, strict=True)
    ]
    wanted = {"documents": ["d1"], "answers": [{"text": golds[0][0], "document_id": "d1"}]}
    return given, [wanted] * len(quality)


KINDS = {
    "share .5": Kind("exact match .5", "answer_match", "exact_match", right_or_wrong, 0.5, 0.6),
    "share .8": Kind("exact match .8", "answer_match", "exact_match", right_or_wrong, 0.8, 0.88),
    "share .95": Kind("exact match .95", "answer_match", "exact_match", right_or_wrong, 0.95, 0.98),
    "f1 .6": Kind("F1 .6", "answer_match", "f1", overlapping, 0.6, 0.68),
    "f1 .9": Kind("F1 .9", "answer_match", "f1", overlapping, 0.9, 0.95),
    "f1 .97": Kind("F1 .97", "answer_match", "f1", overlapping, 0.97, 0.99),
    "sas": Kind("semantic similarity", "semantic_answer_similarity", "sas", overlapping, 0.8, 0.86),
    "rr": Kind("reciprocal rank", "retrieval_ranking", "mrr", ranked, 0.6, 0.7),
    "ndcg": Kind("nDCG@10", "retrieval_ranking", "ndcg@10", ranked, 0.6, 0.7),
    "reader": Kind("F1 of a reader", "retriever_reader", "reader_top1_f1", piped, 0.8, 0.86),
    "micro": Kind("micro F1", "label_metrics", "micro_f1", classified([1 / 3] * 3), 0.8, 0.86),
    "macro": Kind("macro F1, 3 like classes", "label_metrics", "macro_f1", classified([1 / 3] * 3), 0.8, 0.86),
    "skewed": Kind(
        "macro F1, classes of 60 to 3 %", "label_metrics", "macro_f1", classified([0.6, 0.25, 0.12, 0.03]), 0.8, 0.86
    ),
    "ap": Kind("average precision", "average_precision", "average_precision", separated, 1.5, 2.0),
    "seldom": Kind("macro F1, a class of 3 % seldom found", "label_metrics", "macro_f1", seldom_found, 0.3, 0.6),
}


@dataclasses.dataclass(frozen=True)
class Population:
    """Two systems scored on the same examples; the examples of a group are consecutive.

    Attributes:
        systems: name -> Scores with one measure.
        starts: the start of each group, and the end; None: no groups.
    """

    systems: dict[str, Scores]
    measure: str
    starts: np.ndarray | None

    def value(self, system: str) -> float:
        """The value of the population, which a sample estimates."""
        return float(self.systems[system].summary([self.measure])[self.measure])

    def draw(self, rng: np.random.Generator, n: int, systems: Sequence[str]) -> dict[str, Scores]:
        """n examples, or n groups, drawn with replacement, the same for all systems."""
        if self.starts is None:
            rows, labels = rng.integers(0, len(self.systems[systems[0]]), n), None
        else:
            drawn = rng.integers(0, len(self.starts) - 1, n)
            sizes = np.diff(self.starts)[drawn]
            ends = np.cumsum(sizes)
            rows = np.arange(ends[-1]) + np.repeat(self.starts[drawn] - ends + sizes, sizes)
            labels = np.repeat(np.arange(n), sizes).tolist()
        return {name: _rows_of(self.systems[name], rows, labels) for name in systems}


def population(
    kind: Kind, icc: float | None = None, uneven: bool = False, alike: float = 0.8, seed: int = 0
) -> Population:
    """A population of examples.

    Systems: "first", "like" (exactly as good, with different answers) and "better".

    Args:
        icc: correlation of qualities within a group; None: no groups.
        uneven: groups of very different sizes (lognormal), not of 1 to 10 examples.
        alike: correlation of the qualities of two systems.
    """
    rng = np.random.default_rng(seed)
    sizes = np.ones(EXAMPLES, np.int64) if icc is None else rng.integers(1, 11, GROUPS)
    if icc is not None and uneven:
        sizes = np.clip(np.ceil(rng.lognormal(np.log(5), 1.0, GROUPS)), 1, MOST_IN_GROUP).astype(np.int64)

    def noise() -> np.ndarray:
        of_groups = np.repeat(rng.standard_normal(len(sizes)), sizes)
        return np.sqrt(icc or 0.0) * of_groups + np.sqrt(1 - (icc or 0.0)) * rng.standard_normal(len(of_groups))

    common = noise()
    one, other = (ndtr(np.sqrt(alike) * common + np.sqrt(1 - alike) * noise()) for _ in range(2))
    systems = {}
    for name, strength, qualities in (
        ("first", kind.strength, (one, other)),
        ("like", kind.strength, (other, one)),  # every pair of answers occurs in both orders
        ("better", kind.better, (other, one)),
    ):
        predictions, references = [], []
        for quality in qualities:
            answers = kind.answers(quality, strength, np.random.default_rng(seed + 1))
            predictions += answers[0]
            references += answers[1]
        systems[name] = _with_measure(_score(kind.metric, predictions, references), kind.measure)
    starts = np.append(0, np.cumsum(np.tile(sizes, 2)))
    return Population(systems, kind.measure, None if icc is None else starts)


def _score(metric: str, predictions: list[Any], references: list[Any]) -> Scores:
    options = {"model": "lite"} if metric == "semantic_answer_similarity" else {}
    if isinstance(predictions[0], dict):  # matched by the id of the question
        ids = [f"q{row}" for row in range(len(predictions))]
        predictions, references = dict(zip(ids, predictions, strict=True)), dict(zip(ids, references, strict=True))
    return qassay.score(metric, predictions, references, **options)


def _with_measure(scores: Scores, name: str) -> Scores:
    """The same examples with one measure and its columns."""
    measure = scores.measures[name]
    return dataclasses.replace(
        scores,
        columns={read: scores.columns[read] for read in dict.fromkeys((*measure.reads, measure.position)) if read},
        subsets={measure.subset: scores.subsets[measure.subset]} if measure.subset else {},
        measures={name: measure},
        coded={read: coded for read, coded in scores.coded.items() if read in measure.reads},
        notes={},
        gold=None,
    )


def _rows_of(scores: Scores, rows: np.ndarray, labels: list[int] | None) -> Scores:
    """Rows, possibly repeated, as separate examples with these labels of groups."""
    drawn = dataclasses.replace(
        scores,
        ids=range(len(rows)),
        columns={name: take_rows(column, rows) for name, column in scores.columns.items()},
        subsets={name: mask[rows] for name, mask in scores.subsets.items()},
    )
    return drawn.with_groups(labels)
