"""The metric families: for each a file with all that the command line knows about it."""

from typing import TYPE_CHECKING

from karat.families.answer_match import AnswerMatch
from karat.families.average_precision import AveragePrecision
from karat.families.base import ExampleText, Family
from karat.families.factoid_accuracy import FactoidAccuracy
from karat.families.label_metrics import LabelMetrics
from karat.families.retrieval_ranking import RetrievalRanking
from karat.families.retriever_reader import RetrieverReader
from karat.families.semantic_answer_similarity import SemanticAnswerSimilarity

if TYPE_CHECKING:
    from karat.core.scores import Scores

__all__ = ["FAMILIES", "ExampleText", "Family", "family_of", "get_family"]

FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        AnswerMatch(),
        RetrievalRanking(),
        FactoidAccuracy(),
        RetrieverReader(),
        SemanticAnswerSimilarity(),
        LabelMetrics(),
        AveragePrecision(),
    )
}


def get_family(name: str) -> Family:
    """The family of that name.

    Raises:
        ValueError: there is none (the message lists those there are).

    Example:
        >>> get_family("answer_match").module
        'karat.core.answers'
    """
    if name not in FAMILIES:
        from karat.core.options import did_you_mean

        raise ValueError(f"no metric {name!r}{did_you_mean(name, FAMILIES)}; there are: {', '.join(sorted(FAMILIES))}")
    return FAMILIES[name]


def family_of(scores: "Scores") -> Family:
    """The family that made these scores."""
    return get_family(scores.options.family)
