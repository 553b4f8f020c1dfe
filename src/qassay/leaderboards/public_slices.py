"""Public slices of hidden gold data, large enough not to reveal scores of single examples."""

from collections import Counter
from collections.abc import Sequence

from ..core.shown import shown

LEAST_EXAMPLES = 10  # examples of a slice on the board, at least
REST = "(other)"  # the small slices together
_LONGEST_LABEL = 60  # characters; longer ones are texts of the gold data


def public_labels(labels: Sequence[str]) -> list[str]:
    """The label of each example, with slices of fewer than 10 examples merged.

    If the merged slice is still too small, the next larger slices are merged too.

    Example:
        >>> sorted(set(public_labels(["en"] * 30 + ["fr"] * 12 + ["de"] * 4)))
        ['(other)', 'en']
    """
    rest: set[str] = set()
    n_rest = 0
    for label, count in sorted(Counter(labels).items(), key=lambda of: (of[1], of[0])):
        if count < LEAST_EXAMPLES or 0 < n_rest < LEAST_EXAMPLES:
            rest.add(label)
            n_rest += count
    return [REST if label in rest else label for label in labels]


def check_public(name: str, labels: Sequence[str]) -> None:
    """Refuse a slicing that would show texts of the gold data, or that has fewer than two slices of 10 examples.

    Raises:
        ValueError: naming the slicing, a label and its count.
    """
    counts = Counter(labels)
    longest = max(counts, key=len, default="")
    if len(longest) > _LONGEST_LABEL:
        raise ValueError(
            f"by: {name} has labels of up to {len(longest)} characters, which the board would show; name a slicing with "
            f"labels of at most {_LONGEST_LABEL}"
        )
    if len(set(public_labels(labels))) < 2:
        least, count = min(counts.items(), key=lambda of: of[1], default=("", 0))
        raise ValueError(
            f"by: {name} has fewer than two slices of {LEAST_EXAMPLES} examples ({shown(least)} has {count}), and smaller ones "
            "would tell scores of single examples; name another slicing"
        )
