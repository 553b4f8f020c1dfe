"""The descriptor of semantic_answer_similarity."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..answer_match.family import TextsTelling
from ..core.family import Family

if TYPE_CHECKING:
    from ..core.file_columns import Gold
    from ..core.scores import Scores

_MEANINGS = {
    "sas": "mean similarity to the nearest gold answer",
    "sas_accuracy@0.5": "share of questions whose sas is at least 0.5; other thresholds by the option thresholds",
    "has_answer_sas": "sas of questions with an answer",
    "has_answer_sas_accuracy@0.5": "sas_accuracy@0.5 of questions with an answer",
    "no_answer_sas": "sas of questions without an answer: the share with an empty answer",
    "no_answer_sas_accuracy@0.5": "sas_accuracy@0.5 of questions without an answer",
    "truncated": "questions with a text that the model truncated",
    "clipped": "questions with a score outside 0 to 1 (a negative cosine), clipped to this range",
    "unextracted": "predictions in which extract found no answer",
}


class AnswerTextsFamily(Family):
    """A family that reads the files of answer_match as texts."""

    @property
    def files_of(self) -> str:
        return "answer_match"

    def gold_of_file(self, gold: "Gold") -> "Gold":
        """Gold answers as texts; options that the format implies are rules of answer_match."""
        from ..answer_match.gold_texts import gold_columns, gold_texts, without_empty

        gold = without_empty(gold)
        columns = gold_columns(gold.ids, gold_texts(gold, joined=bool(gold.options)))  # tables imply no options
        if "weights" in gold.columns:
            columns["weights"] = gold.columns["weights"]
        return dataclasses.replace(gold, columns=columns, options={})

    def columns_of_files(self, gold: "Gold", predictions: Mapping[str, Any]) -> dict[str, Any]:
        """Without what only answer_match uses: no-answer probabilities and supporting facts."""
        others = ("no_answer_probabilities", "predicted_facts", "predicted_details")
        return {**gold.columns, **{name: column for name, column in predictions.items() if name not in others}}


class SimilarityTelling(TextsTelling):
    """Similarities of answers, by answerability."""

    meanings = _MEANINGS
    system_slices = (*TextsTelling.system_slices, "truncated", "clipped")

    def usual_measures(self, scores: "Scores") -> list[str]:
        """All rates; those of questions with and without an answer only where there are both."""
        both = scores.subsets["has_answer"].any() and scores.subsets["no_answer"].any()
        return [
            name
            for name, measure in scores.measures.items()
            if measure.is_rate and (both or not name.startswith(self.groups))
        ]

    def main_measures(self, scores: "Scores") -> list[str]:
        """sas, at every k."""
        return [name for name in scores.measures if name.partition("@")[0] == "sas"]

    def note_words(self, options: Any) -> Mapping[str, str]:
        return {
            **super().note_words(options),
            "truncated": "with a text that the model truncated",
            "clipped": "with a score outside 0 to 1 (a negative cosine), clipped to this range",
        }


class SemanticAnswerSimilarityFamily(AnswerTextsFamily):
    """Answers against gold answers by meaning."""

    name = "semantic_answer_similarity"
    source = "Risch et al. 2021, Semantic Answer Similarity"
    function = "score_similarity"
    options = "SimilarityOptions"
    known_as = {"sas": "semantic_answer_similarity, and its measure sas"}
    smallest = (
        ({"predictions": ["a"], "references": [["a"]]}, {"model": "lite", "extract": "last_line"}),
    )  # the same measures as any model
    scores_outputs = True
    page_options = (
        "raw",
        "normalizer",
        "thresholds",
        "top_k",
        "extract",
        "unextracted",
        "missing",
        "duplicates",
    )
    telling = SimilarityTelling()

    def prepare(self, options: Any) -> None:
        """The model, loaded once."""
        from .scoring import scorer_of

        scorer_of(options)

    def score_blank(
        self, references: Sequence, ids: Sequence | None = None, groups: Any = None, *, options: Any
    ) -> "Scores":
        """As elsewhere, with the lite model: an empty answer goes through no model, so none is loaded."""
        same = ("normalizer", "top_k", "thresholds", "missing", "duplicates", "extract", "unextracted")
        lite = type(options)(model="lite", **{name: getattr(options, name) for name in same})
        return super().score_blank(references, ids, groups, options=lite)


FAMILY = SemanticAnswerSimilarityFamily()
