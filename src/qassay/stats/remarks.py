"""The remarks on missing or surplus input of systems, on comparisons and on rankings, in words."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.columns import counted
from ..core.scores import Scores
from ..core.shown import first_names
from ..registry import family_of
from .cautions import ALWAYS_SHOWN, OF_GROUPS, caution_texts
from .difference import ComparisonSettings, Difference
from .paired_tests import REPLACED_BY
from .ranking import Ranking
from .runs import Runs, with_several_runs
from .systems import ComparedSystems

if TYPE_CHECKING:
    from .compare import Comparison

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


class Remark(str):
    """The text of a remark, with its subject as attributes.

    Attributes:
        code: the name of the note, or one of `cautions.CAUTIONS`; "" for other remarks.
        of_slice: the slice that the remark is about, or None.
        system: the system that lacks something or has too much; size: the number of examples or predictions.
    """

    code: str = ""
    of_slice: str | None = None
    system: str | None = None
    size: int | None = None

    def __new__(cls, text: str, **about: Any) -> "Remark":
        made = super().__new__(cls, text)
        made.__dict__.update(about)
        return made


def note_lines(systems: Mapping[str, Scores], titles: Mapping[str, str] = {}) -> list[str]:
    """The remarks on weights and on the notes of each system, such as missing predictions; a single system is not named.

    Args:
        titles: system -> its displayed name, where it differs.
    """
    weights = next((scores.weights for scores in systems.values() if scores.weights is not None), None)
    lines = [] if weights is None else [f"each example counts by its weight, {weights.min():g} to {weights.max():g}"]
    for system, scores in systems.items():
        about = family_of(scores).about
        words, where = about.note_words(scores.options), f"{titles.get(system, system)}: " if len(systems) > 1 else ""
        for name, count in about.notes_of(scores).items():
            by_run = scores.by_run_text(name) if isinstance(scores, Runs) else ""
            text = f"{where}{counted(count, words.get(name, name))}{f' ({by_run})' if by_run else ''}"
            lines.append(Remark(text, code=name, system=system, size=count))
    return lines


def remarks_of_equal_runs(systems: Mapping[str, Scores]) -> list[str]:
    """Remarks on runs of a system that may be copies of one another."""
    equal = {name: scores.equal_runs() for name, scores in with_several_runs(systems).items()}
    return [
        f"runs of {name} with the same values for every question: {', '.join(runs)}; a copy of a run is not another run"
        for name, sets in equal.items()
        for runs in sets
    ]


def remarks_of_comparison(
    compared: ComparedSystems,
    are_all: bool,
    differences: Sequence[Difference],
    slices: Mapping[str, Mapping[str, Sequence[Difference]]],
    settings: ComparisonSettings,
) -> list[str]:
    """The remarks about a comparison; `are_all`: no measures were requested."""
    parts: dict[str | None, list[tuple[str, Difference]]] = {None: [(one.measure, one) for one in differences]}
    parts |= {name: [(label, one) for label in labels for one in labels[label]] for name, labels in slices.items()}
    lines = [*_remarks_of_systems(compared, are_all), *_replaced_tests(parts.values(), settings)]
    for part, named in parts.items():
        lines += _too_few_permutations(part, [one for _, one in named], settings)
        shown = [
            (name, [code for code in one.cautions if code in ALWAYS_SHOWN or one.p_value < settings.alpha])
            for name, one in named
        ]
        lines += _of_part(part, _caution_lines(shown, settings.intervals.confidence))
    return lines


def comparison_lines(comparison: "Comparison", examples_name: str) -> list[str]:
    """The lines on examples that a comparison omits, followed by its remarks."""
    lines = [
        f"{system}: {counted(count, examples_name)} omitted because another system lacks them"
        for system, count in comparison.unmatched.items()
        if count
    ]
    groups: dict[tuple[int, str, str], list[str]] = {}
    for difference in comparison.differences:
        if difference.left_out:
            groups.setdefault((difference.left_out, difference.first, difference.second), []).append(difference.measure)
    lines += [
        f"{counted(count, examples_name)} omitted from the differences of {', '.join(measures)}, which apply to them with "
        f"only one of {first} and {second}"
        for (count, first, second), measures in groups.items()
    ]
    return [*lines, *comparison.remarks]


def remarks_of_leaderboard(
    compared: ComparedSystems,
    are_all: bool,
    omitted: Sequence[str],
    rankings: Mapping[str, Ranking],
    slices: Mapping[str, Mapping[str, Mapping[str, Ranking]]],
    settings: ComparisonSettings,
) -> list[str]:
    """The remarks about rankings; `are_all`: no measures were requested; `omitted`: measures that apply to no example."""
    lines = _remarks_of_systems(compared, are_all)
    lines += [f"applies to no example in all systems, and is omitted: {_first(omitted)}"] if omitted else []
    parts: dict[str | None, list[tuple[str, Ranking]]] = {None: list(rankings.items())}
    parts |= {
        name: [(label, one) for label, of_label in labels.items() for one in of_label.values()]
        for name, labels in slices.items()
    }
    for part, named in parts.items():
        codes = [(name, one.cautions) for name, one in named]
        of_part = _caution_lines(codes, settings.intervals.confidence, " (some pairs of systems)")
        fewer = [f"{name} ({one.left_out:,})" for name, one in named if one.left_out]
        if fewer:
            of_part.append(
                "examples are omitted unless a measure applies to them in all systems, so values may differ from the "
                f"values of each system alone: {_first(fewer)}"
            )
        lines += _of_part(part, of_part)
    return lines


def _of_part(part: str | None, lines: Sequence[str]) -> Sequence[str]:
    """The remarks about all examples (part None) or about a slice."""
    if part is None:
        return lines
    return [Remark(f"in {part}: {line}", code=getattr(line, "code", ""), of_slice=part) for line in lines]


def _caution_lines(named: Sequence[tuple[str, Sequence[str]]], confidence: float, of_pairs: str = "") -> list[str]:
    """A line for each caution, with the measures, or the labels of a slice, that have its code; `of_pairs` is appended to
    a caution about a pair of systems.
    """
    lines: list[str] = []
    for code, text in caution_texts(confidence).items():
        if names := [name for name, codes in named if code in codes]:
            pairs = "" if code in OF_GROUPS else of_pairs
            lines.append(Remark(f"{text}{pairs}: {_first(names)}", code=code))
    return lines


def _first(names: Sequence[str]) -> str:
    return first_names(list(dict.fromkeys(names)), _MOST_NAMED)


def _remarks_of_systems(compared: ComparedSystems, are_all: bool) -> list[str]:
    """Remarks about measures that a system lacks (if none were requested), buckets, and runs."""
    systems, names = compared.coded, compared.measures
    lines, first = [], next(iter(systems.values()))
    there = dict.fromkeys(name for scores in systems.values() for name, m in scores.measures.items() if m.has_interval)
    if are_all and (lacking := [name for name in there if name not in names]):
        lines.append(f"not compared, because a system does not have it: {', '.join(lacking)}")
    if first.are_buckets:
        in_groups = first.groups is not None
        lines.append(
            f"the {first.n_examples:,} examples are in {len(first):,} buckets{' of whole groups' * in_groups}, which resamples "
            f"draw and permutations swap whole; n and n_needed count examples"
            f"{', numbers of groups count buckets' * in_groups}, and no example is known to be better, equal or worse"
        )
        sizes = {name: [scores.measures[name].sizes(scores.rows) for scores in systems.values()] for name in names}
        unlike = [name for name, (one, *others) in sizes.items() if any((one != other).any() for other in others)]
        if unlike:
            lines.append(
                "buckets cannot omit examples that a measure applies to with one system only: values depend on them too, and n "
                f"is at most what both systems share: {', '.join(unlike)}"
            )
    single = [name for name, scores in systems.items() if scores.n_runs == 1]
    if len(single) < len(systems):
        why = "intervals and tests do not cover other runs"
        lines += [f"one run only, so {why}: {', '.join(single)}"] if single else []
        lines += remarks_of_equal_runs(systems)
    return lines


def _replaced_tests(parts: Iterable[Sequence[tuple[str, Difference]]], settings: ComparisonSettings) -> list[str]:
    """The measures that the requested test does not fit, by the reason."""
    replaced: dict[str, dict[str, None]] = {}
    for one in (one for named in parts for _, one in named):
        if one.test not in (settings.test, *REPLACED_BY) and settings.test in _WHY_NOT:
            in_groups = one.n_groups is not None and one.n_groups < one.n
            reasons = _WHY_NOT | (_NOT_IN_GROUPS if in_groups else {})
            replaced.setdefault(reasons[settings.test], {})[one.measure] = None
    return [f"{why}: tested by permutation instead: {', '.join(measures)}" for why, measures in replaced.items()]


def _too_few_permutations(
    part: str | None, differences: Sequence[Difference], settings: ComparisonSettings
) -> list[str]:
    """A remark if the number of permutations is too small for any corrected p-value of random draws to be significant."""
    drawn = any(difference.test in ("permutation", "bootstrap") for difference in differences)
    tests = sum(difference.n > 0 for difference in differences) if settings.correction in ("holm", "bonferroni") else 1
    least = tests / (settings.n_permutations + 1)
    if not drawn or least < 1 - settings.intervals.confidence:
        return []
    line = (
        f"{tests} tests{'' if part is None else f' by {part}'} with {settings.n_permutations} permutations: no corrected p "
        f"that was drawn can be below {min(1.0, least):.3g}; give more permutations, or compare fewer measures or slices"
    )
    return [line if part is None else Remark(line, of_slice=part)]
