"""The two built-in models: "lite" of semantic_answer_similarity and of answer_equivalence."""

import json
from collections.abc import Iterator
from typing import Any

from _inputs import ROOT, answers, of_columns, of_scores, of_values, weights_of

import qassay
from qassay.answer_equivalence.lite import explain_answer

ODD: list[tuple[str, str, list[str]]] = [  # question, answer, gold answers
    ("how many", "twenty-one", ["21", "21.0"]), ("how much", "1,000 m", ["1 km", "1000 metres"]),
    ("how much", "3.5%", ["3,5 %", "0.035"]),
    ("when", "3 May 1990", ["May 3, 1990"]), ("when", "1990-05-03", ["3.5.1990"]), ("when", "the 1990s", ["1995"]),
    ("when", "in 1903", ["1911"]),
    ("who", "W. Shakespeare", ["William Shakespeare"]), ("who", "Curie, Marie", ["Marie Curie"]),
    ("who", "Pierre Curie", ["Marie Curie"]),
    ("who", "the UN", ["United Nations"]), ("who", "NATO", ["North Atlantic Treaty Organization"]),
    ("who", "J.F.K.", ["John F. Kennedy"]),
    ("where", "Zürich", ["Zurich"]), ("where", "munich", ["München"]), ("where", "北京", ["北京大学"]),
    ("where", "not Rome", ["Rome"]),
    ("where", "It is in Rome, the capital of Italy.", ["Rome"]), ("where", "Rome or Paris", ["Rome"]),
    ("where", "north", ["south"]),
    ("which", "increase", ["decrease", "a rise"]), ("which", "cars", ["car", "automobile"]),
    ("which", "colour", ["color"]), ("which", "mispelled", ["misspelled"]),
    ("is it", "yes", ["Yes, it is."]), ("is it", "no", ["yes"]), ("is it", "It is not.", ["no"]),
    ("is it", "I don't know.", ["yes"]),
    ("who won", "Brazil beat Italy", ["Italy beat Brazil"]), ("", "the the the", ["the"]),
    ("why", "because of rain", ["rain", "it rained heavily"]),
    ("what", "red, green and blue", ["blue, red, green", "red and green"]), ("what", "H2O", ["water", "H₂O"]),
    ("what", "½", ["0.5", "a half"]),
    ("what", "x" * 300, ["x" * 299]), ("what", "\U0001f600", ["smile"]), ("what", "", ["rain"]), ("what", "rain", []),
    ("what", "", []), ("what", "Unknown", []),
]  # fmt: skip
QUESTIONS, PREDICTIONS, REFERENCES = (list(column) for column in zip(*ODD, strict=True))
MADE = answers(120, "lite answers")
FILES = ("adversarial", "adversarial_fresh", "other_languages")  # of benchmarks/misleading_answers
SHORT = ("x", "x"), ("7", "8"), ("a", "ab"), ("é", "e"), ("12", "1")  # answers of a character or two


def similarity_cases() -> Iterator[tuple[str, Any]]:
    def score(*columns: Any, **given: Any) -> Any:
        return qassay.score("semantic_answer_similarity", *columns, model="lite", **given)

    yield "similarity/odd", of_scores(score(PREDICTIONS, REFERENCES))
    yield "similarity/raw", of_columns(score(PREDICTIONS, REFERENCES, raw=True), "sas")
    yield "similarity/made", of_columns(score(*MADE), "sas")
    yield "similarity/thresholds", of_values(score(*MADE, thresholds=(0.2, 0.5, 0.9), weights=weights_of(120)))
    yield (
        "similarity/top_k",
        of_columns(score([[answer, "Rome", "yes"] for answer in PREDICTIONS], REFERENCES, top_k=(1, 3))),
    )
    for name in FILES:
        rows = rows_of(name)
        found = score([row["answer"] for row in rows], [row["golds"] for row in rows])
        yield f"similarity/{name}", of_columns(found, "sas")
    one = qassay.scorer("semantic_answer_similarity", model="lite")
    yield "similarity/one", [one(answer, golds)["sas"] for _, answer, golds in ODD]
    yield "similarity/one, short", {"|".join(pair): one(*pair)["sas"] for pair in SHORT}
    for system in ("small_model", "large_model"):
        yield f"similarity/{system}", of_columns(of_sample("semantic_answer_similarity", system), "sas")


def equivalence_cases() -> Iterator[tuple[str, Any]]:
    def score(*columns: Any, **given: Any) -> Any:
        return qassay.score("answer_equivalence", *columns, **given)

    yield "equivalence/odd", of_scores(score(PREDICTIONS, REFERENCES, questions=QUESTIONS))
    yield "equivalence/odd, without", of_scores(score(PREDICTIONS, REFERENCES))
    yield (
        "equivalence/unused questions",
        of_values(score(PREDICTIONS, REFERENCES, questions=QUESTIONS, use_questions=False)),
    )
    for threshold in (0, 0.25, 0.9, 1):
        found = score(PREDICTIONS, REFERENCES, questions=QUESTIONS, threshold=threshold, weights=weights_of(len(ODD)))
        yield f"equivalence/threshold {threshold}", of_values(found)
    yield "equivalence/made", of_columns(score(*MADE), "equivalence")
    yield (
        "equivalence/made/by",
        {str(k): of_values(v) for k, v in score(*MADE).by(["ab"[row % 2] for row in range(120)]).items()},
    )
    for name in FILES:
        rows = rows_of(name)
        columns = [row["answer"] for row in rows], [row["golds"] for row in rows]
        asked = score(*columns, questions=[row["question"] for row in rows])
        yield f"equivalence/{name}", of_columns(asked, "equivalence")
        yield f"equivalence/{name}/values", of_values(asked)
        yield f"equivalence/{name}, without", of_columns(score(*columns), "equivalence")
    one = qassay.scorer("answer_equivalence")
    yield "equivalence/one, short", {"|".join(pair): one(*pair)["equivalence"] for pair in SHORT}
    yield "equivalence/one", [one(answer, golds, questions=asked)["equivalence"] for asked, answer, golds in ODD]
    reasons = [[*map(str, explain_answer(answer, golds, asked))] for asked, answer, golds in ODD]
    values = qassay.load("answer_equivalence").compute(
        predictions=PREDICTIONS, references=REFERENCES, questions=QUESTIONS
    )
    yield "equivalence/explain", {**values, "reasons": reasons}
    for system in ("small_model", "large_model"):
        yield f"equivalence/{system}", of_columns(of_sample("answer_equivalence", system), "equivalence")


def rows_of(name: str) -> list[dict[str, Any]]:
    lines = (ROOT / "benchmarks" / "misleading_answers" / f"{name}.jsonl").read_text("utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def of_sample(metric: str, system: str) -> Any:
    """The scores of a system of samples/answers."""
    folder = ROOT / "samples" / "answers"
    model = {"model": "lite"}
    return qassay.score_files(folder / "gold.json", {system: folder / f"{system}.json"}, metric, **model)[system]


CASES = similarity_cases, equivalence_cases
