"""qassay.agreement: how well measures agree with human labels, the intervals of it, and the systems that were labelled."""

from collections.abc import Iterator
from typing import Any

from _inputs import SAMPLES, rng
from _systems import KINDS

import qassay

TOLERANCE = 1e-9

FIGURES = ("auc", "accuracy", "best_accuracy", "best_threshold", "pearson", "ece")
FEW = {"n_resamples": 60}


def table(n: int = 48, agreeing: float = 0.8, graded: bool = False, name: str = "a") -> dict[str, list[Any]]:
    """Columns of n labelled answers of three systems; each question has three answers."""
    _, _, gold_of, answer_to = KINDS["answers"]
    draw = rng(f"labelled {name}")
    golds = [gold_of(draw, row) or ["none"] for row in range(-(-n // 3))]
    columns: dict[str, list[Any]] = {key: [] for key in ("question", "gold", "answer", "label", "system")}
    for row in range(n):
        gold, right = golds[row // 3], draw.random() < 0.4 + 0.2 * (row % 3)
        answer = answer_to(draw, gold, right)
        label = float(right) if draw.random() < agreeing else float(not right)
        columns["label"].append(draw.choice([label, label / 2, (1 + label) / 2]) if graded else label)
        columns["question"].append(f"Which place {row // 3}?")
        columns["gold"].append(gold)
        columns["answer"].append(answer)
        columns["system"].append("abc"[row % 3])
    return columns


def without(columns: dict[str, list[Any]], *names: str) -> dict[str, list[Any]]:
    """The table without some columns."""
    return {name: column for name, column in columns.items() if name not in names}


def of_agreement(found: Any) -> dict[str, Any]:
    """Figures of measures with [value, low, high, method]; systems by people and by measures."""
    measures = {
        one.measure: {
            "n": [one.n, one.same_order, one.pairs, one.largest_difference],
            **{
                figure: [getattr(one, figure), *ends, ends.method] if (ends := one.intervals.get(figure)) else getattr(one, figure)
                for figure in FIGURES
            },
        }
        for one in found.measures
    }  # fmt: skip
    systems = {
        of.system: [of.n, of.people, *of.interval, of.interval.method, *of.means.values(), *of.counts.values()]
        for of in found.systems
    }
    told = [found.n, found.right, found.right_from, found.confidence, found.group_name, found.n_groups]
    return {"told": told, **measures, **{f"system {name}": of for name, of in systems.items()}}


def cases() -> Iterator[tuple[str, Any]]:
    labelled = table()
    two = ["exact_match", "f1"]
    yield "default", of_agreement(qassay.agreement(labelled))
    yield "answer_match", of_agreement(qassay.agreement(labelled, "answer_match", **FEW))
    match: dict[str, Any] = {"metrics": "answer_match", "measures": two, **FEW}
    for name, asked in {
        "seed 1": {"seed": 1},
        "level 0.8": {"confidence": 0.8},
        "normalizer none": {"normalizer": "none"},
        "right from 1": {"right_from": 1},
    }.items():
        graded = table(graded=True) if name == "right from 1" else labelled
        yield f"options/{name}", of_agreement(qassay.agreement(graded, **match, **asked))
    alone = without(labelled, "system", "question")
    for name, given in {
        "no systems": without(labelled, "system"),
        "no questions": without(labelled, "question"),
        "groups": {**labelled, "groups": [f"g{row // 8}" for row in range(48)]},
        "groups of one": {**labelled, "groups": [f"g{row}" for row in range(48)]},
        "graded": table(graded=True),
        "marks from 1 to 5": {**alone, "label": [1 + round(4 * label) for label in table(graded=True)["label"]]},
        "wrong way round": {**labelled, "label": [1 - label for label in labelled["label"]]},
        "some without a label": {**labelled, "label": [None if row % 5 == 0 else v for row, v in enumerate(labelled["label"])]},
        "some without an answer": {**alone, "answer": [None if row % 9 == 0 else v for row, v in enumerate(labelled["answer"])]},
        "agreement": table(agreeing=1.0),
        "by chance": table(agreeing=0.5, name="chance"),
        "of 10": {name: column[:10] for name, column in alone.items()},
        "of 200": table(200, name="many"),
    }.items():  # fmt: skip
        asked = {"right_from": 4} if name == "marks from 1 to 5" else {}
        yield f"tables/{name}", of_agreement(qassay.agreement(given, **match, **asked))
    similar = {"metrics": ["semantic_answer_similarity", "answer_equivalence"], **FEW}
    yield "models", of_agreement(qassay.agreement(table(graded=True), **similar))
    kept = qassay.agreement(
        {**labelled, "answer": ["x", *labelled["answer"][1:]]}, "answer_match", missing="skip", **FEW
    )
    yield "missing", of_agreement(kept)
    constant = qassay.agreement({**alone, "answer": ["x"] * 48}, **match)
    yield "a constant measure", of_agreement(constant)
    unlike = {**labelled, "system": ["a" if row < 30 else "b" for row in range(48)]}
    yield "systems with other questions", of_agreement(qassay.agreement(unlike, **match))
    yield "samples", of_agreement(qassay.agreement(str(SAMPLES / "answers" / "labelled_answers.csv"), **match))
