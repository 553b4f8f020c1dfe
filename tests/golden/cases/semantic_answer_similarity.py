"""semantic_answer_similarity with scorers written here, which need no model: every option without torch."""

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from _inputs import answers, groups_of, named_options, of_columns, of_measures, of_scores, of_values, rng, weights_of

import qassay
from qassay.semantic_answer_similarity.pair_scorers import PairScorer, PairScores


def sharing(left: str, right: str) -> float:
    """The share of the characters of the left text in the right one, so not the same in both directions."""
    return sum(character in right for character in left) / len(left) if left else 0.25


class Crossing(PairScorer):
    """A cross-encoder: one direction; says that long texts were cut, and counts what it was asked."""

    name, revision, mode = "crossing", "r1", "cross"

    def __init__(self) -> None:
        self.asked: list[int] = []

    def score(
        self, predictions: Sequence[str], references: Sequence[str], questions: Sequence[str] | None = None
    ) -> PairScores:
        self.asked.append(len(predictions))
        pairs = list(zip(predictions, references, strict=True))
        cut = np.array([len(left) > 20 for left, _ in pairs], bool)
        return PairScores(np.array([sharing(*pair) for pair in pairs]), cut, np.zeros(len(pairs), bool))


class Meeting(PairScorer):
    """A bi-encoder: symmetric; says that it clipped pairs with nothing in common."""

    name, mode, symmetric = "meeting", "bi", True

    def score(
        self, predictions: Sequence[str], references: Sequence[str], questions: Sequence[str] | None = None
    ) -> PairScores:
        values = [(sharing(a, b) + sharing(b, a)) / 2 for a, b in zip(predictions, references, strict=True)]
        scores = np.maximum(np.array(values) * 1.25 - 0.25, 0.0)
        return PairScores(scores, np.zeros(len(scores), bool), scores == 0)


class Asking(PairScorer):
    """A scorer that reads the questions."""

    name, mode, reads_questions = "asking", "cross", True

    def score(
        self, predictions: Sequence[str], references: Sequence[str], questions: Sequence[str] | None = None
    ) -> PairScores:
        rows = zip(questions or [], predictions, references, strict=True)
        scores = np.array([(sharing(question, left) + sharing(left, right)) / 2 for question, left, right in rows])
        return PairScores(scores, *np.zeros((2, len(scores)), bool))


ODD: list[tuple[str, list[str]]] = [
    ("the", ["The"]), ("the", ["a"]), ("?!", ["?!"]), ("?!", ["!"]), ("", [""]), ("", []), (" ", ["\u3000"]),
    ("", ["Rome"]), ("Rome", [""]), ("Rome", []),
    ("the Rome", ["Rome!", "Lyon"]), ("Lyon", ["Rome", "Lyons", "Roma"]), ("abc", ["abd", "cba"]), ("İ", ["i"]),
    ("x" * 30, ["y" * 30]), ("ab", ["ab ab"]),
    ("Élève", ["eleve"]), ("l'île", ["île"]),
]  # fmt: skip
PREDICTIONS, REFERENCES = answers(50, "similar answers")
PREDICTIONS += [answer for answer, _ in ODD]
REFERENCES += [golds for _, golds in ODD]
MANY = answers(200, "many similar answers")
N = len(PREDICTIONS)
QUESTIONS = [
    rng(f"question {row}").choice(["who was it", "where?", "", "in which year did it end"]) for row in range(N)
]

OPTIONS: dict[str, dict[str, Any]] = {
    "default": {},
    **named_options("raw; symmetric; raw, symmetric"),
    "normalizer none": {"normalizer": "none"},
    "normalizer french": {"normalizer": "french"},
    "normalizer steps": {"normalizer": "lower+accents"},
    "thresholds": {"thresholds": (0.25, 0.5, 0.75, 1.0)},
    "threshold 0": {"thresholds": 0},
    "thresholds of ties": {"thresholds": (0.8, 2 / 3)},
}


def score(*columns: Any, **given: Any) -> Any:
    return qassay.score("semantic_answer_similarity", *columns, **given)


def cases() -> Iterator[tuple[str, Any]]:
    for model in (Crossing(), Meeting()):
        for name, options in OPTIONS.items():
            found = score(PREDICTIONS, REFERENCES, model=model, **options)
            yield f"{model.name}/{name}", of_columns(found, "sas", "truncated", "clipped")
            yield f"{model.name}/{name}/values", of_measures(found)
            yield f"{model.name}/{name}/many", of_measures(score(*MANY, model=model, **options))
        yield f"{model.name}", of_scores(score(PREDICTIONS, REFERENCES, model=model))
    for name, options in {"default": {}, "raw": {"raw": True}, "symmetric": {"symmetric": True}}.items():
        found = score(PREDICTIONS, REFERENCES, questions=QUESTIONS, model=Asking(), **options)
        yield f"asking/{name}", of_columns(found)
        yield f"asking/{name}/values", of_measures(found)
    model = Crossing()
    score([*PREDICTIONS, *PREDICTIONS], [*REFERENCES, *REFERENCES], model=model)
    score(PREDICTIONS, REFERENCES, model=model, raw=True)
    yield "crossing/pairs asked", model.asked  # each distinct pair once, and none that needs no model
    weighted = score(PREDICTIONS, REFERENCES, weights=weights_of(N), groups=groups_of(N), model=model)
    yield "weights", of_values(weighted)
    yield "by", {str(label): of_measures(part) for label, part in weighted.by(groups_of(N, among=3)).items()}
    yield from ranked_cases()
    yield from rows_cases()


def ranked_cases() -> Iterator[tuple[str, Any]]:
    draw = rng("ranked similar answers")
    rows = [[*draw.sample(PREDICTIONS, draw.randrange(4)), answer][draw.randrange(2) :] for answer in PREDICTIONS]
    rows[5], rows[9] = None, []
    for name, options in {
        "1": {"top_k": 1},
        "1, 2, 9": {"top_k": (1, 2, 9)},
        "raw": {"top_k": (3,), "raw": True},
    }.items():
        yield f"top_k/{name}", of_columns(score(rows, REFERENCES, model=Crossing(), **options))
    found = score(rows, REFERENCES, model=Meeting(), top_k=(1, 3), thresholds=(0.3, 0.9), missing="skip")
    yield "top_k/thresholds", of_values(found)


def rows_cases() -> Iterator[tuple[str, Any]]:
    model = Crossing()
    golds = {"a": ["Rome", "Roma"], "b": [], "c": ["the Seine"], "d": ["Bern"]}
    found = {"c": "Sein", "a": "in Rome", "x": "Oslo", "b": ""}
    rows = [{"id": name, "prediction_text": text} for name, text in found.items()]
    twice = [*rows, {"id": "a", "prediction_text": "Lyon"}]
    for missing in ("zero", "skip"):
        yield f"missing/{missing}", of_scores(score(found, golds, model=model, missing=missing))
    yield "missing/None", of_scores(score(["Rome", None, "x"], [["Rom"], ["x"], []], model=model, raw=True))
    for duplicates in ("first", "last"):
        yield f"duplicates/{duplicates}", of_scores(score(twice, golds, model=model, duplicates=duplicates))
    outputs = ["<answer>Rome</answer>", "Rome", "<answer></answer>", "", None, "x <answer>in Lyon</answer>"]
    golds_of = [["Roma"], ["Roma"], [], [], ["Rome"], ["Lyon", "Rome"]]
    for unextracted in ("zero", "empty", "whole"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = score(outputs, golds_of, model=model, extract="answer_tag", unextracted=unextracted)
        yield f"extract/{unextracted}", of_scores(found)
    metric = qassay.load("semantic_answer_similarity")
    yield "compute", metric.compute(predictions=PREDICTIONS, references=REFERENCES, model=model, thresholds=[0.5, 0.9])
