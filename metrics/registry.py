"""The metric families by name: each room has a descriptor, loaded when it is first asked for."""

import importlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from .core.family import Family

if TYPE_CHECKING:
    from .core.scores import Scores

__all__ = ["DEFAULT", "FAMILIES", "Family", "compared_measures", "family_of", "get_family"]

DEFAULT = "answer_match"  # the family of a file of which nothing tells the family
_NAMES = (
    "answer_match",
    "retrieval_ranking",
    "factoid_accuracy",
    "retriever_reader",
    "semantic_answer_similarity",
    "label_metrics",
    "average_precision",
)  # of the metrics and of their folders, whose family.py has the descriptor FAMILY


class _Families(Mapping[str, Family]):
    """Name -> family, in the order in which families are listed and files are tried."""

    def __getitem__(self, name: str) -> Family:
        if name not in _NAMES:
            raise KeyError(name)
        family: Family = importlib.import_module(f".{name}.family", __package__).FAMILY
        return family

    def __contains__(self, name: object) -> bool:  # without loading the family
        return name in _NAMES

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)


FAMILIES: Mapping[str, Family] = _Families()


def get_family(name: str) -> Family:
    """The family of that name.

    Raises:
        ValueError: there is none (the message lists those there are).
    """
    if name not in FAMILIES:
        from .core.options import did_you_mean

        raise ValueError(f"no metric {name!r}{did_you_mean(name, FAMILIES)}; there are: {', '.join(sorted(FAMILIES))}")
    return FAMILIES[name]


def family_of(scores: "Scores") -> Family:
    """The family that made these scores."""
    return get_family(scores.options.family)


def compared_measures(systems: "Mapping[str, Scores]") -> tuple[list[str], list[str]]:
    """The measures of a comparison when none are asked for: the usual ones of the metric, and its main ones for slices."""
    first = next(iter(systems.values()))
    family = family_of(first)
    usual, main = (
        [
            name
            for name in names
            if all(name in scores.measures and scores.measures[name].has_interval for scores in systems.values())
        ]
        for names in (family.telling.usual_measures(first), family.telling.main_measures(first))
    )
    return usual or main, main or usual
