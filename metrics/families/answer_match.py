"""answer_match on the command line."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from karat.families.base import Family

if TYPE_CHECKING:
    from karat.core.scores import Scores
    from karat.files import Gold


class AnswerMatch(Family):
    """Answers against gold answers: slices by question and by gold answer, groups by answerability."""

    name = "answer_match"
    module = "karat.core.answers"
    function = "score_answers"
    options = "AnswerMatchOptions"
    smallest: Mapping[str, Any] = {"predictions": ["a"], "references": [["a"]], "no_answer_probabilities": [0.0]}
    groups = ("has_answer_", "no_answer_", "best_", "joint_")
    gold_words = (*Family.gold_words, "gold_facts")

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

    def slices(self, gold: "Gold", scores: "Scores") -> dict[str, Callable[[], Sequence[str]]]:
        """By what the question asks for, how long its first gold answer is, and how many gold answers it has."""
        return {**super().slices(gold, scores), **answer_slices(self, gold, scores)}

    def keeps_last(self, options: Any) -> bool:
        return options.duplicates == "last"


def answer_slices(family: Family, gold: "Gold", scores: "Scores") -> dict[str, Callable[[], Sequence[str]]]:
    """The slices by gold answer of families that score answers."""
    from karat.core.slices import answer_length, gold_count
    from karat.files.inputs import gold_texts

    return {
        "answer_length": lambda: family.of_examples(answer_length(gold_texts(gold)), gold, scores),
        "gold_count": lambda: family.of_examples(gold_count(gold_texts(gold)), gold, scores),
    }
