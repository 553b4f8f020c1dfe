"""answer_equivalence with judges written here, which need no model: every option without torch."""

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from _inputs import answers, groups_of, of_columns, of_measures, of_scores, of_values, rng, weights_of

import qassay
from qassay.answer_equivalence.judges import Judge
from qassay.semantic_answer_similarity.pair_scorers import PairScorer, PairScores


def overlap(question: str | None, golds: Sequence[str], answer: str) -> float:
    """A judge: a probability in tenths from the words that answer, gold answers and question share."""
    own, right = set(answer.lower().split()), {word for gold in golds for word in gold.lower().split()}
    asked = set((question or "").lower().split())
    return min(1.0, max(0.0, (10 * len(own & right) // max(1, len(own | right)) - len(own & asked) + (not asked)) / 10))


def equal(question: str | None, golds: Sequence[str], answer: str) -> bool:
    return answer in golds


def failing(question: str | None, golds: Sequence[str], answer: str) -> float:
    """A judge that gives no verdict on some answers."""
    if len(answer) % 5 == 2:
        raise TimeoutError("no reply")
    return overlap(question, golds, answer)


class Pairs(PairScorer):
    """A scorer of pairs: the best over the gold answers counts."""

    name, mode = "pairs", "cross"

    def __init__(self, reads_questions: bool) -> None:
        self.reads_questions = reads_questions

    def score(
        self, predictions: Sequence[str], references: Sequence[str], questions: Sequence[str] | None = None
    ) -> PairScores:
        rows = zip(questions or [""] * len(predictions), references, predictions, strict=True)
        scores = np.array([overlap(question, [gold], answer) for question, gold, answer in rows])
        return PairScores(scores, np.array([len(text) > 25 for text in predictions], bool), scores == 0)


ODD: list[tuple[str, list[str]]] = [
    ("", []), (" ", []), ("", [""]), ("", ["", "Rome"]), ("", ["Rome"]), ("Rome", [""]), ("Rome", []),
    ("I don't know.", []), ("unanswerable", []),
    ("I don't know.", ["Rome"]), ("It does not say, but it is probably Rome.", []),
    ("There is no president of Mars.", []), ("N/A", []),
    ("Sorry, the text does not mention it. It is Rome.", []), ("not in May 1911", ["May 1911"]),
    ("in 1903", ["May 1911"]), ("Paris or Lyon", ["Bern"]),
    ("Marie Curie", ["May 1911"]), ("the Curie", ["Marie Curie"]), ("not Rome", ["Rome"]),
    ("not Rome", ["not Rome at all"]), ("Rome", ["Rome", "Rome"]),
    ("O.R. Tambo", ["Nelson"]), ("the", ["the of"]), ("Rome / Paris", ["Bern"]), ("Rome or Paris", ["Bern or Kiel"]),
    ("12 men", ["12 women", "13"]),
]  # fmt: skip
REFUSALS = [
    "not mentioned", "The passage does not specify this.", "No answer", "null", "i dont know", "Unknown",
    "It is unclear who won.", "It is impossible to say.",
    "The context lacks this information.", "Nobody knows", "nothing", "We would need more information.",
    "I could not find it. John Smith was there.",
    "I don't know. John Smith.", "However, the text is silent.", "Based on the passage, it cannot be determined.",
    "There has never been such a king.",
    "The question has a false premise.", "He did not know Latin.",
    "The Normans were led by Rollo, who did not know Latin.", "No, it was Rome.",
    "The text does not say. However, Einstein did.", "Please provide the passage", "John (not mentioned otherwise)",
    "Not Rome", "1911", "CANNOTANSWER",
    "As an AI language model, I cannot answer that.", "I don't know, John Smith",
    "I am not able to answer this question here, John Smith",
    "I don't know. The president is Bob.", "I don't know. The president of the whole of this large country is Bob.",
    "The author is not named; perhaps Smith.",
    "I’m not sure, sorry", r"\boxed{unanswerable}",
]  # fmt: skip
PREDICTIONS, REFERENCES = answers(50, "judged answers")
PREDICTIONS += [answer for answer, _ in ODD]
REFERENCES += [golds for _, golds in ODD]
N = len(PREDICTIONS)
QUESTIONS = [
    rng(f"judged {row}").choice(["who was it", "in which year", "", None, "where is the bridge"]) for row in range(N)
]

JUDGES: dict[str, Any] = {
    "callable": overlap,
    "true or false": equal,
    "judge": Judge(overlap, name="overlap, prompt 1", revision="r2", threads=2),
    "judge without questions": Judge(overlap, name="overlap", reads_questions=False, threads=1),
    "failing": Judge(failing, name="failing", retries=0, threads=1),
    "pairs": Pairs(False),
    "pairs with questions": Pairs(True),
}


def score(*columns: Any, **given: Any) -> Any:
    with warnings.catch_warnings():  # of failed calls, which the counts say
        warnings.simplefilter("ignore")
        return qassay.score("answer_equivalence", *columns, **given)


def cases() -> Iterator[tuple[str, Any]]:
    for name, model in JUDGES.items():
        given = {"questions": QUESTIONS} if getattr(model, "reads_questions", True) else {}
        for threshold in (0.5, 0.6, 0, 1):
            found = score(PREDICTIONS, REFERENCES, model=model, threshold=threshold, **given)
            yield f"{name}/threshold {threshold}", of_measures(found)
        yield name, of_columns(score(PREDICTIONS, REFERENCES, model=model, **given))
    both = {"model": overlap, "questions": QUESTIONS}
    yield "all", of_scores(score(PREDICTIONS, REFERENCES, **both))
    weighted = score(PREDICTIONS, REFERENCES, weights=weights_of(N), groups=groups_of(N), **both)
    yield "weights", of_values(weighted)
    yield "by", {str(label): of_measures(part) for label, part in weighted.by(groups_of(N, among=3)).items()}
    refused = score(REFUSALS, [[]] * len(REFUSALS), model=equal, questions=["?"] * len(REFUSALS))
    yield "refusals", of_columns(refused, "equivalence", "abstained")
    rejected = score(REFUSALS, [["Rome", "1912"]] * len(REFUSALS), model=equal, questions=["?"] * len(REFUSALS))
    yield "rejected", of_columns(rejected, "refusal", "hedged", "negated", "wrong_number", "partial", "other_entity")
    yield from rows_cases()


def rows_cases() -> Iterator[tuple[str, Any]]:
    golds = {"a": ["Rome", "Roma"], "b": [], "c": ["the Seine"], "d": ["Bern"]}
    found = {"c": "the Sein", "a": "in Rome", "x": "Oslo", "b": ""}
    questions = {"d": "what", "b": "where", "a": "in which city", "c": "the river"}
    both = {"model": overlap, "questions": questions}
    twice = [
        *({"id": name, "prediction_text": text} for name, text in found.items()),
        {"id": "a", "prediction_text": "Rome"},
    ]
    for missing in ("zero", "skip"):
        yield f"missing/{missing}", of_scores(score(found, golds, missing=missing, **both))
    for duplicates in ("first", "last"):
        yield f"duplicates/{duplicates}", of_scores(score(twice, golds, duplicates=duplicates, **both))
    outputs = ["<answer>Rome</answer>", "Rome", "<answer></answer>", "I don't know", None, "x <answer>in Lyon</answer>"]
    golds_of = [["Rome"], ["Rome"], [], [], ["Rome"], ["Lyon", "Rome"]]
    for unextracted in ("zero", "empty", "whole"):
        options = {"model": overlap, "questions": ["where"] * 6, "extract": "answer_tag", "unextracted": unextracted}
        yield f"extract/{unextracted}", of_scores(score(outputs, golds_of, **options))
    metric = qassay.load("answer_equivalence")
    yield "compute", metric.compute(predictions=PREDICTIONS, references=REFERENCES, **{**both, "questions": QUESTIONS})
