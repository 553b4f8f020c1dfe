"""Which examples the tab Errors lists, and in which order."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..core.slices import in_order, slice_in_words
from ..stats.pairs import changes_of
from .address import DISAGREE, EVERY
from .analysis import Analysis
from .errors_values import (
    goodness,
    kinds_of,
    right_by_kind,
    rightness,
    values,
    values_of,
)
from .example_columns import at_rows_of, rows_in
from .linked_slices import has_own, in_part
from .slices_view import slicings
from .view_parts import asked_of, cut

ERRORS = "all errors"  # in place of a kind, as `EVERY`
WORST, ORIGINAL = "worst first", "original order"
# Of scores with a label, where a single example has no value: what is ranked too high, and what too low.
HIGH, LOW = "negatives, highest score first", "positives, lowest score first"
IN_TURN = 12  # examples that come first with their kinds in turn: the worst alone are often all of one kind
_NAME = 28  # characters of a system in a choice

# A change -> in words; of the two systems.
CHANGES = {
    "only_right": "{system} right, {other} wrong",
    "only_wrong": "{system} wrong, {other} right",
    "both_right": "both right",
    "both_wrong": "both wrong",
    "better": "{system} better",
    "worse": "{system} worse",
    "same": "both equally good",
}
_SIGNS = {"better": 1, "worse": -1, "same": 0}


class Choice(NamedTuple):
    """Which examples, in which order.

    Attributes:
        system: of whose answers.
        kind: of error, `ERRORS` or `EVERY`.
        part: a slice and its label, "question_word:who"; "" for all.
        other: the system that it is compared with; "" for none.
        change: one of `CHANGES`; "" for all.
        measure: of the values in the list, and of worst and change; "": the usual measures.
        text: in the question, the answers, the gold answers or the id; upper and lower case are the same.
        order: one of `order_choices`; with `DISAGREE` and a measure, only examples that both systems have a value of.
    """

    system: str
    kind: str = EVERY
    part: str = ""
    other: str = ""
    change: str = ""
    measure: str = ""
    text: str = ""
    order: str = WORST


# --- what there is to choose ------------------------------------------------------------------------------------------


def kind_choices(analysis: Analysis, system: str) -> list[tuple[str, str]]:
    """What to choose kinds from, (text with the count, value); [] where the examples have no kinds."""
    kinds, right = kinds_of(analysis, system), right_by_kind(analysis, system)
    if kinds is None or right is None:
        return []
    counts = Counter(kinds)
    order = [kind for kind in analysis.telling.errors.order if kind in counts]
    counted = {ERRORS: int((~right).sum()), EVERY: len(kinds), **{kind: counts[kind] for kind in order}}
    return [(f"{name} ({count:,})", name) for name, count in counted.items()]


def part_choices(analysis: Analysis, system: str) -> list[tuple[str, str]]:
    """The groups of all slicings, (text with the count, "slicing:label"), behind all examples; [] where there are none."""

    def choices_of(names: Sequence[str]) -> list[tuple[str, str]]:
        found = []
        for name in names:
            counts = Counter(analysis.labels(system, name))
            found += [
                (f"{slice_in_words(name, cut(label, 60), ': ')} ({counts[label]:,})", f"{name}:{label}")
                for label in in_order(counts)
            ]
        return found

    found = analysis.once(("part_choices", system), lambda: choices_of(slicings(analysis)))
    return [("all", ""), *found] if found else []


def has_part(analysis: Analysis, system: str, part: str) -> bool:
    """Whether a system has examples in a part, "slicing:label", of any slicing there is."""
    name, _, label = part.partition(":")
    scores = analysis.scores(system)
    there = (analysis.telling.slices(analysis.gold, scores), analysis.gold.details, scores.subsets, slicings(analysis))
    is_own = has_own(analysis, system, part)
    if is_own is not None:
        return is_own
    if not any(name in names for names in there):  # nothing is kept for names that only an address has
        return False
    try:
        return label in analysis.labels(system, name)
    except ValueError:  # no such slicing
        return False


def other_choices(analysis: Analysis, system: str) -> list[str]:
    """The systems that a system can be compared with."""
    return [name for name in analysis.systems if name != system]


def change_choices(analysis: Analysis, choice: Choice) -> list[tuple[str, str]]:
    """What the other system may have made of an example, (text with the count, change); [] without another system."""
    if not choice.other:
        return []
    names = {"system": cut(choice.system, _NAME), "other": cut(choice.other, _NAME)}
    counts = {change: int(_is_change(analysis, choice._replace(change=change)).sum()) for change in CHANGES}
    offered = [(f"{CHANGES[change].format(**names)} ({count:,})", change) for change, count in counts.items()]
    return [("all", ""), *offered]


def order_choices(analysis: Analysis) -> list[str]:
    """The available orders: the worst come first only where examples have a value or a kind."""
    has_values = analysis.error_kinds is not None or any(
        not np.isnan(values(analysis, system)).all() for system in analysis.systems
    )
    several = [DISAGREE] if len(analysis.systems) > 1 and has_values else []
    scored = [HIGH, LOW] if analysis.telling.score_and_label(analysis.scores(analysis.systems[0])) else []
    return [*([WORST] if has_values else []), *scored, ORIGINAL, *several]


def first_choice(analysis: Analysis, system: str | None = None) -> Choice:
    """What is shown before anybody chooses: the errors of the worst system, the worst first."""
    system = worst_system(analysis) if system is None else system
    right = right_by_kind(analysis, system)
    others = other_choices(analysis, system)
    return Choice(
        system,
        EVERY if right is None or right.all() else ERRORS,
        other=others[0] if others else "",
        order=order_choices(analysis)[0],
    )


def worst_system(analysis: Analysis) -> str:
    """The system whose examples are worst on average; the first of equal ones."""

    def make() -> str:
        means = {}
        for system in analysis.systems:
            column = goodness(analysis, system)
            means[system] = float(np.nanmean(column)) if not np.isnan(column).all() else np.inf
        return min(means, key=means.__getitem__)

    return analysis.once("worst_system", make)


# --- filtering --------------------------------------------------------------------------------------------------------


def chosen_rows(analysis: Analysis, choice: Choice) -> list[int]:
    """The places of the chosen examples in the scores of the system, in the chosen order."""
    rows = np.flatnonzero(_is_chosen(analysis, choice))
    wanted = " ".join(choice.text.casefold().split())
    if wanted:
        searched = _searched(analysis, choice.system)
        rows = np.array([row for row in rows.tolist() if wanted in searched[row]], int)
    if not len(rows):
        return []
    ordered = rows[np.lexsort([key[rows] for key in _keys(analysis, choice)])].tolist()
    return _varied(analysis, choice, ordered) if is_varied(analysis, choice) else ordered


def is_varied(analysis: Analysis, choice: Choice) -> bool:
    """Whether the first examples have their kinds in turn: not where a measure says which are worst."""
    has_kinds = kinds_of(analysis, choice.system) is not None
    return has_kinds and choice.order == WORST and not choice.measure and choice.kind in (ERRORS, EVERY)


def _is_chosen(analysis: Analysis, choice: Choice) -> np.ndarray:
    """Which examples pass all filters but the text."""
    kept = np.ones(len(analysis.scores(choice.system)), bool)
    kinds, right = kinds_of(analysis, choice.system), right_by_kind(analysis, choice.system)
    if right is not None and choice.kind == ERRORS:
        kept &= ~right
    elif kinds is not None and choice.kind != EVERY:
        kept &= np.array([kind == choice.kind for kind in kinds])
    if choice.part:
        kept &= in_part(analysis, choice.system, choice.part)
    if choice.change and choice.other:
        kept &= _is_change(analysis, choice)
    if choice.measure:
        kept &= ~np.isnan(values_of(analysis, choice.system, choice.measure))  # to the others it does not apply
        if choice.order == DISAGREE and choice.other:  # nor do systems disagree where one of them has no value
            theirs = values_of(analysis, choice.other, choice.measure)
            kept &= ~np.isnan(at_rows_of(analysis, choice.other, choice.system, theirs))
    return kept


def _is_change(analysis: Analysis, choice: Choice) -> np.ndarray:
    """Which examples change against the other system as was chosen."""
    told = goodness if choice.change in _SIGNS else rightness
    own = told(analysis, choice.system, choice.measure)
    other = at_rows_of(analysis, choice.other, choice.system, told(analysis, choice.other, choice.measure))
    if choice.change in _SIGNS:  # by the rule of the tab Compare, for which 0.1 + 0.2 equals 0.3
        both, change = np.isfinite(own) & np.isfinite(other), np.full(len(own), np.nan)
        change[both] = np.sign(changes_of(other[both], own[both]))
        return change == _SIGNS[choice.change]
    return {
        "only_right": (own == 1) & (other == 0),
        "only_wrong": (own == 0) & (other == 1),
        "both_right": (own == 1) & (other == 1),
        "both_wrong": (own == 0) & (other == 0),
    }[choice.change]


def _varied(analysis: Analysis, choice: Choice, rows: list[int]) -> list[int]:
    """The first examples with their kinds in turn, the worst of each kind, then the others as they were."""
    kinds, right = kinds_of(analysis, choice.system), right_by_kind(analysis, choice.system)
    if kinds is None or right is None:
        return rows
    waiting: dict[str, list[int]] = {}
    for row in rows:
        if not right[row]:
            waiting.setdefault(kinds[row], []).append(row)
    first: list[int] = []
    most = max(map(len, waiting.values()), default=0)
    for turn in range(min(most, IN_TURN)):
        first += [of_kind[turn] for of_kind in waiting.values() if turn < len(of_kind)]
    first = first[:IN_TURN]
    taken = set(first)
    return [*first, *(row for row in rows if row not in taken)]


# --- ordering ---------------------------------------------------------------------------------------------------------


def _keys(analysis: Analysis, choice: Choice) -> list[np.ndarray]:
    """Columns to sort by, the most important last; what sorts first is smallest."""
    n = len(analysis.scores(choice.system))
    if choice.order == ORIGINAL:
        return [np.arange(n)]
    if choice.order == DISAGREE:
        return [np.arange(n), -_disagreement(analysis, choice)]
    scored = analysis.telling.score_and_label(analysis.scores(choice.system))
    if choice.order in (HIGH, LOW) and scored is not None:
        score, is_positive = scored
        sign = -1 if choice.order == HIGH else 1
        return [np.arange(n), sign * score, -sign * is_positive]
    kinds = kinds_of(analysis, choice.system)
    place = {kind: at for at, kind in enumerate(analysis.telling.errors.order)}
    badness = np.array([-place[kind] for kind in kinds]) if kinds is not None else np.zeros(n)
    return [np.arange(n), badness, np.nan_to_num(goodness(analysis, choice.system, choice.measure), nan=np.inf)]


def _disagreement(analysis: Analysis, choice: Choice) -> np.ndarray:
    """How far the systems are apart by each example of one of them; half a step more where kinds differ."""
    system = choice.system
    columns, kinds = [], []
    for other in analysis.systems:
        rows = rows_in(analysis, other, system)
        present = np.array([row is not None for row in rows])
        taken = np.array([0 if row is None else row for row in rows])
        columns.append(np.where(present, values_of(analysis, other, choice.measure)[taken], np.nan))
        own = kinds_of(analysis, other)
        if own is not None:
            kinds.append([None if row is None else own[row] for row in rows])
    table = np.array(columns)
    spread = np.where(np.isnan(table), -np.inf, table).max(0) - np.where(np.isnan(table), np.inf, table).min(0)
    differs = np.array([len(set(of_one)) > 1 for of_one in zip(*kinds, strict=True)]) if kinds else 0
    return np.where(np.isfinite(spread), spread, 0.0) + 1e-9 * differs


def _searched(analysis: Analysis, system: str) -> list[str]:
    """All that the text filter looks into, one text per example."""

    def make() -> list[str]:
        scores = analysis.scores(system)
        rows = range(len(scores))
        asked = asked_of(analysis, system, rows)
        return [
            " ".join("\n".join([str(scores.ids[row]), asked[row] or "", *text.answers, *text.gold]).casefold().split())
            for row, text in enumerate(analysis.texts(system, rows))
        ]

    # As large as the files, so only one system's texts are kept.
    return analysis.latest("searched", system, make, 1)
