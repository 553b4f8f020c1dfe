"""The metric families: for each a file with all that the command line knows about it."""

from karat.families.answer_match import AnswerMatch
from karat.families.base import Family
from karat.families.retrieval_ranking import RetrievalRanking

__all__ = ["FAMILIES", "Family", "get_family"]

FAMILIES: dict[str, Family] = {family.name: family for family in (AnswerMatch(), RetrievalRanking())}


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
