"""The descriptor of answer_match: what generic code asks of this family."""

import json
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any

from ..core.family import Family, first_answers, given_places, said

if TYPE_CHECKING:
    from ..core.file_columns import Gold
    from ..core.scores import Scores


class AnswerMatchFamily(Family):
    """Answers against gold answers: slices by question and by gold answer, groups by answerability."""

    name = "answer_match"
    source = "the evaluation script of SQuAD 2.0; those of DROP and HotpotQA for their options and files"
    module = "qassay.answer_match.scoring"
    kinds = "qassay.answer_match.kinds"
    function = "score_answers"
    options = "AnswerMatchOptions"
    report_slices = ("has_answer", "question_word", "answer_type", "answer_length")
    smallest: Mapping[str, Any] = {"predictions": ["a"], "references": [["a"]], "no_answer_probabilities": [0.0]}
    groups = ("has_answer_", "no_answer_", "best_", "joint_")
    gold_columns = (*Family.gold_columns, "gold_facts")
    examples_name = "questions"
    are_texts = True
    scores_outputs = True
    right_kinds = ("correct",)
    usual_slices = ("question_word", "answer_length", "answer_type", "gold_count", "has_answer", "error_kind")
    system_slices = (*Family.system_slices, "abstained")

    @property
    def error_kind_order(self) -> tuple[str, ...]:
        from .error_kinds import ANSWER_ERROR_KINDS

        return ANSWER_ERROR_KINDS

    def check_config(self, name: str) -> None:
        from .scoring import check_config

        check_config(name)

    def score_config(self, name: str, columns: Mapping[str, Any], options: Mapping[str, Any]) -> "Scores":
        from .scoring import score_answers_as

        return score_answers_as(name, columns, options)

    def gold_answers(self, references: Sequence, ids: Sequence | None = None) -> list[list[str]]:
        from .columns import check_answer_rows

        columns = {"predictions": [""] * len(references), "references": references, "ids": ids}
        _, gold = check_answer_rows(columns)
        return gold["values"]

    def usual_measures(self, scores: "Scores") -> list[str]:
        """Exact match, F1 and containment; the first two also for questions with and without an answer where there are
        both; the best over thresholds.
        """
        counts = scores.counts()
        both = counts.get("has_answer_total", 0) > 0 and counts.get("no_answer_total", 0) > 0
        groups: dict[str, list[str]] = {"": [], "joint_": [], "has_answer_": [], "no_answer_": [], "best_": []}
        for name in scores.measures:
            group = next((prefix for prefix in groups if prefix and name.startswith(prefix)), "")
            stem = name.removeprefix(group).partition("@")[0].removesuffix("_threshold").removeprefix("sp_")
            if (
                stem in ("exact_match", "f1")
                and (both or not group.endswith("answer_"))
                or name.partition("@")[0] == "contains"
            ):
                groups[group].append(name)
        return [name for names in groups.values() for name in names]

    def main_measures(self, scores: "Scores") -> list[str]:
        """Exact match and F1, at every k."""
        return [name for name in scores.measures if name.partition("@")[0] in ("exact_match", "f1")]

    def measures(self) -> list[tuple[str, str]]:
        return [(name, _meaning(name)) for name, _ in super().measures()]

    def at_cut_off(self, meaning: str, cut: str) -> str:
        """A cut-off counts ranked answers."""
        return f"{meaning}; the best of the first {cut} answers"

    @property
    def answerability(self) -> Any:
        from . import answerability

        return answerability

    def slices(self, gold: "Gold", scores: "Scores") -> dict[str, Callable[[], Sequence[str]]]:
        """By kind of error, by what the question asks for, and by the gold answers."""
        return {**super().slices(gold, scores), **answer_slices(self, gold, scores)}

    def error_kinds(self, scores: "Scores") -> list[str]:
        from .error_kinds import answer_error_kinds

        return answer_error_kinds(scores)

    def sides(
        self, gold: "Gold", predictions: Mapping[str, Any], scores: "Scores", rows: Sequence[int], places: Sequence[int]
    ) -> tuple[list[list[str]], list[list[str]]]:
        """As `answer_sides`."""
        return answer_sides(self, gold, predictions, scores, rows, places)

    def gold_offsets(self, gold: "Gold", place: int) -> dict[str, int | None]:
        """As `answer_offsets`."""
        return answer_offsets(gold, place)

    def answer_cells(
        self, gold: "Gold", predictions: Mapping[str, Any], scores: "Scores"
    ) -> dict[str, tuple[str, list]]:
        """As `given_cells`."""
        return given_cells(self, gold, predictions, scores)

    def keeps_last(self, options: Any) -> bool:
        return options.duplicates == "last"

    def note_words(self, options: Any) -> Mapping[str, str]:
        words = super().note_words(options)
        if options.task == "hotpotqa":
            words = {
                **words,
                "missing": "without an answer: scored 0",
                "skipped": "without an answer: left out",
                "missing_facts": "without supporting facts: the facts and the joint scores are 0",
            }
        return words


def answer_slices(family: Family, gold: "Gold", scores: "Scores") -> dict[str, Callable[[], Sequence[str]]]:
    """The slices by gold answer of families that score answers."""
    from .gold_slices import answer_length, answer_type, gold_count
    from .gold_texts import gold_texts

    return {
        "answer_type": lambda: family.of_examples(answer_type(gold_texts(gold)), gold, scores),
        "answer_length": lambda: family.of_examples(answer_length(gold_texts(gold)), gold, scores),
        "gold_count": lambda: family.of_examples(gold_count(gold_texts(gold)), gold, scores),
    }


def answer_sides(
    family: Family,
    gold: "Gold",
    predictions: Mapping[str, Any],
    scores: "Scores",
    rows: Sequence[int],
    places: Sequence[int],
) -> tuple[list[list[str]], list[list[str]]]:
    """`Family.sides` of families that score answers.

    Of ranked answers these are the first k (the largest `top_k`); the spans of DROP are one answer. Positions are shown
    as the text of the context where the gold file has one. An answer that the threshold withholds is left out.
    """
    golds, texts = _golds_of(gold, places)
    given = _given_answers(family, gold, predictions["predictions"], scores, rows, places)
    ranks = getattr(scores.options, "top_k", None)
    answers = []
    for row, answer, text in zip(rows, given, texts, strict=True):
        several = isinstance(answer, (list, tuple)) and not _is_span(answer)
        parts = [_text(part, text) for part in (answer if several else [answer])]
        shown = first_answers(parts, max(ranks)) if ranks else said([" ".join(said(parts))])
        answers.append([] if _is_withheld(scores, row) else shown)
    return golds, answers


def _given_answers(
    family: Family, gold: "Gold", given: Sequence, scores: "Scores", rows: Sequence[int], places: Sequence[int]
) -> list[Any]:
    """What the system answered to some examples, None where it gave nothing."""
    from ..core.rows import field_of, rows_of_dicts

    there = given_places(given, gold, scores, rows, places, family.keeps_last(scores.options))
    answers = field_of(given, "prediction_text", "predictions") if rows_of_dicts(given, "predictions") else given
    return [None if place is None else answers[place] for place in there]


def _golds_of(gold: "Gold", places: Sequence[int]) -> tuple[list[list[str]], list[str | None]]:
    """The gold answers of some rows of the gold file as texts, and their contexts."""
    from .gold_texts import gold_texts

    contexts = gold.details.get("context")
    texts = [contexts[place] if contexts else None for place in places]
    golds = [[_text(answer, text) for answer in row] for row, text in zip(gold_texts(gold, places), texts, strict=True)]
    return golds, texts


def answer_offsets(gold: "Gold", place: int) -> dict[str, int | None]:
    """`Family.gold_offsets` of families that score answers: of gold answers with a start, a row or its "answers"."""
    row = gold.columns["references"][place]
    answers = row.get("answers") if isinstance(row, Mapping) else row
    offsets: dict[str, int | None] = {}
    for answer in answers if isinstance(answers, (list, tuple)) else []:
        if isinstance(answer, Mapping) and isinstance(answer.get("text"), str):
            offsets.setdefault(answer["text"], answer.get("answer_start", answer.get("start")))
    return offsets


def given_cells(
    family: Family, gold: "Gold", predictions: Mapping[str, Any], scores: "Scores"
) -> dict[str, tuple[str, list]]:
    """`Family.answer_cells` of families that score answers: the answer as the system gave it, also where a threshold
    withholds it; ranked answers and several spans as a JSON list; None where the system has none.
    """
    rows, places = range(len(scores)), family.gold_rows(gold, scores)
    golds, _ = _golds_of(gold, places)
    given = _given_answers(family, gold, predictions["predictions"], scores, rows, places)
    texts = [
        answer if answer is None or isinstance(answer, str) else json.dumps(answer, ensure_ascii=False, default=str)
        for answer in given
    ]
    return {"gold_answers": ("list<string>", golds), "prediction": ("string", texts)}


def _text(answer: Any, context: str | None) -> str:
    """An answer, or one span of it, as text."""
    if isinstance(answer, str) or answer is None:
        return answer or ""
    if not _is_span(answer):
        return str(answer)
    start, end = answer
    return f"{start}-{end}" if context is None else context[start:end]


def _is_span(answer: Any) -> bool:
    return isinstance(answer, (list, tuple)) and len(answer) == 2 and all(isinstance(n, Integral) for n in answer)


def _is_withheld(scores: "Scores", row: int) -> bool:
    threshold = getattr(scores.options, "no_answer_threshold", None)
    return threshold is not None and scores.columns["no_answer_probability"][row] > threshold


_MEANINGS = {
    "exact_match": "share of answers equal to a gold answer, both normalised",
    "f1": "harmonic mean of precision and recall, the highest over the gold answers",
    "precision": "share of the tokens of the answer that a gold answer has, the highest over the gold answers",
    "recall": "share of the tokens of a gold answer that the answer has, the highest over the gold answers",
    "contains": "share of answers in which all tokens of a gold answer stand in a row",
    "best_exact_match": "highest exact match that a no-answer threshold could reach on these examples",
    "best_f1": "highest F1 that a no-answer threshold could reach on these examples",
    "best_exact_match_threshold": "the largest no-answer probability that is still answered for best_exact_match",
    "best_f1_threshold": "the largest no-answer probability that is still answered for best_f1",
    "total": "questions",
    "has_answer_total": "questions with an answer",
    "no_answer_total": "questions without one",
    "missing": "questions that the system does not have",
}
_GROUPS = {"has_answer_": ", of questions with an answer", "no_answer_": ", of questions without one"}


def _meaning(name: str) -> str:
    """What a measure is.

    Example:
        >>> _meaning("has_answer_exact_match")
        'share of answers equal to a gold answer, both normalised, of questions with an answer'
    """
    if name in _MEANINGS:
        return _MEANINGS[name]
    group = next((prefix for prefix in _GROUPS if name.startswith(prefix)), "")
    meaning = _MEANINGS.get(name.removeprefix(group), "")
    return meaning + _GROUPS[group] if meaning and group else meaning


FAMILY = AnswerMatchFamily()
