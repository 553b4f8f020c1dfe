"""What tables, documents and pages need to know of semantic_answer_similarity, and how to cite it."""

import dataclasses
from typing import TYPE_CHECKING, Any

from ..answer_match.about import TEXTS, notes_of_texts
from ..core.about import SYSTEM_SLICES

if TYPE_CHECKING:
    from ..core.scores import Scores

CITATION = """
@inproceedings{risch-etal-2021-semantic,
    title = "Semantic Answer Similarity for Evaluating Question Answering Models",
    author = {Risch, Julian and M{\\"o}ller, Timo and Gutsch, Julian and Pietsch, Malte},
    booktitle = "Proceedings of the 3rd Workshop on Machine Reading for Question Answering",
    year = "2021",
    pages = "149--157",
}
"""
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


def _usual_measures(scores: "Scores") -> list[str]:
    """The rates; those of questions with and without an answer where there are both."""
    both = scores.subsets["has_answer"].any() and scores.subsets["no_answer"].any()
    return [
        name
        for name, measure in scores.measures.items()
        if measure.is_rate and (both or not name.startswith(TEXTS.groups))
    ]


def _notes(options: Any) -> dict[str, str]:
    return {
        **notes_of_texts(options),
        "truncated": "with a text that the model truncated",
        "clipped": "with a score outside 0 to 1 (a negative cosine), clipped to this range",
    }


ABOUT = dataclasses.replace(
    TEXTS,
    meanings=_MEANINGS,
    system_slices=(*SYSTEM_SLICES, "truncated", "clipped"),
    usual_measures=_usual_measures,
    first_measures=lambda scores: [name for name in scores.measures if name.partition("@")[0] == "sas"],  # at every k
    notes=_notes,
)
