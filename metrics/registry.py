"""The metric families: for each a file with all that the command line knows about it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from .answer_match.family import AnswerMatch
from .average_precision.family import AveragePrecision
from .core.family import ExampleText, Family
from .factoid_accuracy.family import FactoidAccuracy
from .label_metrics.family import LabelMetrics
from .retrieval_ranking.family import RetrievalRanking
from .retriever_reader.family import RetrieverReader
from .semantic_answer_similarity.family import SemanticAnswerSimilarity

if TYPE_CHECKING:
    from .core.scores import Scores

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
        'qassay.answer_match.scoring'
    """
    if name not in FAMILIES:
        from .core.options import did_you_mean

        raise ValueError(f"no metric {name!r}{did_you_mean(name, FAMILIES)}; there are: {', '.join(sorted(FAMILIES))}")
    return FAMILIES[name]


def family_of(scores: "Scores") -> Family:
    """The family that made these scores."""
    return get_family(scores.options.family)


def compared_measures(systems: "Mapping[str, Scores]") -> tuple[list[str], list[str]]:
    """The measures of a comparison when none are asked for: the usual ones of the metric, and its main ones for slices.

    Example:
        >>> import qassay
        >>> scores = qassay.score("answer_match", ["a"], [["a"]])
        >>> compared_measures({"one": scores, "other": scores})
        (['exact_match', 'f1', 'contains'], ['exact_match', 'f1'])
    """
    first = next(iter(systems.values()))
    family = family_of(first)
    usual, main = (
        [
            name
            for name in names
            if all(name in scores.measures and scores.measures[name].has_interval for scores in systems.values())
        ]
        for names in (family.usual_measures(first), family.main_measures(first))
    )
    return usual or main, main or usual
