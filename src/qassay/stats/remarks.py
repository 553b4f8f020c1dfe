"""The warnings about a comparison, in words."""

from collections.abc import Mapping, Sequence

from ..core.scores import Scores
from ..core.shown import first_names
from .cautions import ALWAYS_TOLD, caution_texts
from .difference import ComparisonSettings, Difference
from .runs import remarks_of_equal_runs


class SliceRemark(str):
    """A remark about one slice.

    Attributes:
        of_slice: its name.
    """

    of_slice: str

    def __new__(cls, text: str, of_slice: str = "") -> "SliceRemark":
        made = super().__new__(cls, text)
        made.of_slice = of_slice
        return made


_MOST_NAMED = 5  # largest number of measures or labels in a remark
_WHY_NOT = {
    "t": "the t-test is for means of examples that count alike",
    "wilcoxon": "the signed-rank test is for means of examples that count alike",
    "mcnemar": "McNemar's test is for right-or-wrong measures in which examples count alike",
}
_NOT_IN_GROUPS = {
    "wilcoxon": "the signed-rank test takes examples as independent draws, and these are in groups",
    "mcnemar": "McNemar's test takes examples as independent draws, and these are in groups",
}


def remarks_of(
    systems: Mapping[str, Scores],
    names: Sequence[str],
    are_all: bool,
    differences: Sequence[Difference],
    slices: Mapping[str, Mapping[str, list[Difference]]],
    settings: ComparisonSettings,
) -> list[str]:
    """The remarks about a comparison of the measures `names`; `are_all`: no measures were requested."""
    lines = remarks_of_systems(systems, names, are_all)
    lines += _remarks_of_tests(differences, slices, settings)
    return lines + _remarks_of_cautions(differences, slices, settings.intervals.confidence)


def remarks_of_systems(systems: Mapping[str, Scores], names: Sequence[str], are_all: bool) -> list[str]:
    """Remarks about the systems: measures that one lacks (if none were requested), buckets, and runs."""
    lines = _remarks_of_lacking(systems, names) if are_all else []
    return [*lines, *_remarks_of_buckets(systems, names), *_remarks_of_runs(systems)]


def _remarks_of_lacking(systems: Mapping[str, Scores], names: Sequence[str]) -> list[str]:
    there = dict.fromkeys(name for scores in systems.values() for name, m in scores.measures.items() if m.has_interval)
    lacking = [name for name in there if name not in names]
    return [f"not compared, because a system does not have it: {', '.join(lacking)}"] if lacking else []


def _remarks_of_buckets(systems: Mapping[str, Scores], names: Sequence[str]) -> list[str]:
    """Remarks for rows that are buckets of examples."""
    first = next(iter(systems.values()))
    if not first.are_buckets:
        return []
    in_groups = first.groups is not None
    lines = [
        f"the {first.n_examples:,} examples are in {len(first):,} buckets{' of whole groups' * in_groups}, which resamples draw "
        f"and permutations swap whole; n and n_needed count examples{', numbers of groups count buckets' * in_groups}, and no "
        "example is known to be better, equal or worse"
    ]
    sizes = {name: [scores.measures[name].sizes(scores.rows) for scores in systems.values()] for name in names}
    unlike = [name for name, (own, *others) in sizes.items() if any((own != other).any() for other in others)]
    if unlike:
        lines.append(
            "buckets cannot omit examples that a measure applies to with one system only: values rest on them too, and n "
            f"is at most what both systems share: {', '.join(unlike)}"
        )
    return lines


def _remarks_of_runs(systems: Mapping[str, Scores]) -> list[str]:
    """Systems with one run while others have several, and systems whose runs may be copies."""
    single = [name for name, scores in systems.items() if scores.n_runs == 1]
    if len(single) == len(systems):
        return []
    told = "intervals and tests do not know how other runs of it would differ"
    lines = [f"one run only, so that {told}: {', '.join(single)}"] if single else []
    return [*lines, *remarks_of_equal_runs(systems)]


def _remarks_of_tests(
    differences: Sequence[Difference],
    slices: Mapping[str, Mapping[str, list[Difference]]],
    settings: ComparisonSettings,
) -> list[str]:
    """Tests that were replaced, and p-values that cannot become small enough to be significant."""
    families: dict[str | None, list[Difference]] = {None: list(differences)}
    families |= {
        name: [difference for group in labels.values() for difference in group] for name, labels in slices.items()
    }
    lines: list[str] = []
    replaced: dict[str, dict[str, None]] = {}
    for difference in (one for family in families.values() for one in family):
        if difference.test not in (settings.test, "t over runs") and settings.test in _WHY_NOT:
            in_groups = difference.n_groups is not None and difference.n_groups < difference.n
            reasons = {**_WHY_NOT, **(_NOT_IN_GROUPS if in_groups else {})}
            replaced.setdefault(reasons[settings.test], {})[difference.measure] = None
    lines += [f"{why}: tested by permutation instead: {', '.join(measures)}" for why, measures in replaced.items()]
    for name, family in families.items():
        drawn = any(difference.test in ("permutation", "bootstrap") for difference in family)
        tests = sum(difference.n > 0 for difference in family) if settings.correction in ("holm", "bonferroni") else 1
        least = tests / (settings.n_permutations + 1)
        if drawn and least >= 1 - settings.intervals.confidence:
            where = "" if name is None else f" by {name}"
            line = (
                f"{tests} tests{where} with {settings.n_permutations} permutations: no corrected p that was drawn can be "
                f"below {min(1.0, least):.3g}; give more permutations, or compare fewer measures or slices"
            )
            lines.append(line if name is None else SliceRemark(line, name))
    return lines


def _remarks_of_cautions(
    differences: Sequence[Difference], slices: Mapping[str, Mapping[str, Sequence[Difference]]], confidence: float
) -> list[str]:
    """A line for each caution, with the measures, or the labels of a slice, that it applies to."""
    alpha = round(1 - confidence, 12)
    places: list[tuple[str | None, list[tuple[str, Difference]]]] = [
        (None, [(one.measure, one) for one in differences])
    ]
    places += [
        (name, [(label, one) for label, group in labels.items() for one in group]) for name, labels in slices.items()
    ]
    lines: list[str] = []
    for code, told in caution_texts(confidence).items():
        for place, named in places:
            names = [
                name for name, one in named if code in one.cautions and (code in ALWAYS_TOLD or one.p_value < alpha)
            ]
            if names:
                places_named = first_names(list(dict.fromkeys(names)), _MOST_NAMED)
                line = f"{told}: {places_named}"
                lines.append(line if place is None else SliceRemark(f"in {place}: {line}", place))
    return lines
