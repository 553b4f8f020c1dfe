"""The examples of one system: what they can be filtered by, in which order, and the rows of their table."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from qassay.core.slices import in_order
from qassay.reports.values import in_scale
from qassay.spaces_app.analysis import Analysis
from qassay.spaces_app.view_parts import asked_texts, cut, shown_sides

MOST_ROWS = 300  # of a table: browsers are slow with more
EVERY, ERRORS = "all examples", "all errors"  # in place of a kind
ANY = "any"  # in place of a question word, or of "has answer"
WORST, ORIGINAL, DISAGREE = "worst first", "original order", "where systems disagree"
# Of scores with a label, where a single example has no value: what is ranked too high, and what too low.
HIGH, LOW = "negatives, highest score first", "positives, lowest score first"

_ANSWERABLE = {"has an answer": "has_answer", "has no answer": "no_answer"}


class Choice(NamedTuple):
    """Which examples, in which order.

    Attributes:
        system: of whose answers.
        kind: of error, `ERRORS` or `EVERY`.
        word: a question word, or `ANY`.
        answerable: one of `answerable_choices`.
        text: in the question, the answers, the gold answers or the id; upper and lower case are the same.
        order: one of `order_choices`.
    """

    system: str
    kind: str = EVERY
    word: str = ANY
    answerable: str = ANY
    text: str = ""
    order: str = WORST


def kind_choices(analysis: Analysis, system: str) -> list[tuple[str, str]]:
    """What to choose kinds from, (text with the count, value); [] where the examples have no kinds."""
    kinds = kinds_of(analysis, system)
    if kinds is None:
        return []
    counts = Counter(kinds)
    order = [kind for kind in analysis.telling.errors.order if kind in counts]
    wrong = sum(count for kind, count in counts.items() if kind not in analysis.telling.errors.right)
    counted = {ERRORS: wrong, EVERY: len(kinds), **{kind: counts[kind] for kind in order}}
    return [(f"{name} ({count:,})", name) for name, count in counted.items()]


def word_choices(analysis: Analysis) -> list[str]:
    """The question words that occur, behind `ANY`; [] without questions, or where all have the same."""
    words = {word for system in analysis.systems for word in _words(analysis, system) or []}
    return [ANY, *in_order(words)] if len(words) > 1 else []


def answerable_choices(analysis: Analysis) -> list[str]:
    """`ANY`, and the two kinds of questions where there are both; else []."""
    subsets = analysis.scores(analysis.systems[0]).subsets
    both = all(name in subsets and subsets[name].any() for name in _ANSWERABLE.values())
    return [ANY, *_ANSWERABLE] if both else []


def order_choices(analysis: Analysis) -> list[str]:
    """The orders that there are: the worst come first only where examples have a value or a kind."""
    has_values = analysis.error_kinds is not None or any(
        not np.isnan(values(analysis, system)).all() for system in analysis.systems
    )
    several = [DISAGREE] if len(analysis.systems) > 1 and has_values else []
    scored = [HIGH, LOW] if analysis.telling.score_and_label(analysis.scores(analysis.systems[0])) else []
    return [*([WORST] if has_values else []), *scored, ORIGINAL, *several]


def first_choice(analysis: Analysis, system: str | None = None) -> Choice:
    """What is shown before anybody chooses: the errors, the worst first."""
    system = analysis.systems[0] if system is None else system
    kinds = kinds_of(analysis, system)
    has_errors = kinds is not None and any(kind not in analysis.telling.errors.right for kind in kinds)
    return Choice(system, ERRORS if has_errors else EVERY, order=order_choices(analysis)[0])


def kinds_of(analysis: Analysis, system: str) -> list[str] | None:
    """The kind of error of each example."""
    return analysis.error_kinds and analysis.error_kinds[system]


# --- values -----------------------------------------------------------------------------------------------------------


def example_measures(analysis: Analysis) -> list[str]:
    """The measures that have a value for single examples: the main ones, then those that tell of the other examples."""
    return analysis.once("example_measures", lambda: _example_measures(analysis))


def _example_measures(analysis: Analysis) -> list[str]:
    first = analysis.scores(analysis.systems[0])
    candidates = dict.fromkeys([*analysis.main_measures, *analysis.telling.usual_measures(first)])
    names: list[str] = []
    untold = np.ones(len(first), bool)
    for name in candidates:
        of_each = measure_values(analysis, analysis.systems[0], name)
        if of_each is None or not first.measures[name].is_rate:
            continue
        applies = ~np.isnan(of_each)
        if name in analysis.main_measures or (applies & untold).any():
            names.append(name)
            untold &= ~applies
    return names


def measure_values(analysis: Analysis, system: str, measure: str) -> np.ndarray | None:
    """A measure's value by each example alone, in the scale of the report; None: it has none."""

    def make() -> np.ndarray | None:
        scores = in_scale({system: analysis.scores(system)}, analysis.settings.percent)[system]
        return scores.measures[measure].by_example(scores.rows) if measure in scores.measures else None

    return analysis.once(("measure_values", system, measure), make)


def leading_measures(analysis: Analysis) -> list[str]:
    """Those of which the column of values is made: of each example the first that applies to it.

    Graded ones come first: F1 says more of one answer than exact match.
    """
    names = example_measures(analysis)

    def is_graded(name: str) -> bool:
        of_each = [measure_values(analysis, system, name) for system in analysis.systems]
        return any(column is not None and len(np.unique(column[~np.isnan(column)])) > 2 for column in of_each)

    return analysis.once("leading_measures", lambda: sorted(names, key=lambda name: not is_graded(name)))


def values(analysis: Analysis, system: str) -> np.ndarray:
    """The value of each example, (n,), by the first of `leading_measures` that applies; NaN without one."""

    return _leading_values(analysis, system)[0]


def value_names(analysis: Analysis, system: str) -> list[str]:
    """The measures that the column of values of a system really holds."""
    return _leading_values(analysis, system)[1]


def _leading_values(analysis: Analysis, system: str) -> tuple[np.ndarray, list[str]]:
    """The column of values, and the measures in it."""

    def make() -> tuple[np.ndarray, list[str]]:
        names, column = [], np.full(len(analysis.scores(system)), np.nan)
        for name in leading_measures(analysis):
            own = measure_values(analysis, system, name)
            if own is not None and (np.isnan(column) & ~np.isnan(own)).any():
                names.append(name)
                column = np.where(np.isnan(column), own, column)
        return column, names

    return analysis.once(("leading_values", system), make)


# --- filtering and ordering -------------------------------------------------------------------------------------------


def chosen_rows(analysis: Analysis, choice: Choice) -> list[int]:
    """The places of the chosen examples in the scores of the system, in the chosen order."""
    scores = analysis.scores(choice.system)
    kept = np.ones(len(scores), bool)
    kinds = kinds_of(analysis, choice.system)
    if kinds is not None and choice.kind == ERRORS:
        kept &= np.array([kind not in analysis.telling.errors.right for kind in kinds])
    elif kinds is not None and choice.kind != EVERY:
        kept &= np.array([kind == choice.kind for kind in kinds])
    words = _words(analysis, choice.system) if choice.word != ANY else None
    if words is not None:
        kept &= np.array([word == choice.word for word in words])
    if choice.answerable in _ANSWERABLE and _ANSWERABLE[choice.answerable] in scores.subsets:
        kept &= scores.subsets[_ANSWERABLE[choice.answerable]]
    rows = np.flatnonzero(kept)
    wanted = " ".join(choice.text.casefold().split())
    if wanted:
        searched = _searched(analysis, choice.system)
        rows = np.array([row for row in rows.tolist() if wanted in searched[row]], int)
    return rows[np.lexsort([key[rows] for key in _keys(analysis, choice)])].tolist() if len(rows) else []


def _keys(analysis: Analysis, choice: Choice) -> list[np.ndarray]:
    """Columns to sort by, the most important last; what sorts first is smallest."""
    n = len(analysis.scores(choice.system))
    if choice.order == ORIGINAL:
        return [np.arange(n)]
    if choice.order == DISAGREE:
        return [np.arange(n), -_disagreement(analysis, choice.system)]
    scored = analysis.telling.score_and_label(analysis.scores(choice.system))
    if choice.order in (HIGH, LOW) and scored is not None:
        score, is_positive = scored
        sign = -1 if choice.order == HIGH else 1
        return [np.arange(n), sign * score, -sign * is_positive]
    kinds = kinds_of(analysis, choice.system)
    place = {kind: at for at, kind in enumerate(analysis.telling.errors.order)}
    badness = np.array([-place[kind] for kind in kinds]) if kinds is not None else np.zeros(n)
    column = values(analysis, choice.system)
    leading = value_names(analysis, choice.system)[:1]
    measures = analysis.scores(choice.system).measures
    lower_is_better = any(getattr(measures[name], "lower_is_better", False) for name in leading)
    return [np.arange(n), badness, np.nan_to_num(-column if lower_is_better else column, nan=np.inf)]


def _disagreement(analysis: Analysis, system: str) -> np.ndarray:
    """How far the systems are apart by each example of one of them; half a step more where kinds differ."""
    columns, kinds = [], []
    for other in analysis.systems:
        rows = rows_in(analysis, other, system)
        present = np.array([row is not None for row in rows])
        taken = np.array([0 if row is None else row for row in rows])
        columns.append(np.where(present, values(analysis, other)[taken], np.nan))
        own = kinds_of(analysis, other)
        if own is not None:
            kinds.append([None if row is None else own[row] for row in rows])
    table = np.array(columns)
    spread = np.where(np.isnan(table), -np.inf, table).max(0) - np.where(np.isnan(table), np.inf, table).min(0)
    differs = np.array([len(set(of_one)) > 1 for of_one in zip(*kinds, strict=True)]) if kinds else 0
    return np.where(np.isfinite(spread), spread, 0.0) + 1e-9 * differs


def rows_in(analysis: Analysis, other: str, system: str) -> Sequence[int | None]:
    """For each example of a system its place in the scores of another; None where the other does not have it."""

    def make() -> Sequence[int | None]:
        own_ids, other_ids = analysis.scores(system).ids, analysis.scores(other).ids
        if own_ids == other_ids:
            return range(len(own_ids))
        place = {identifier: row for row, identifier in enumerate(other_ids)}
        return [place.get(identifier) for identifier in own_ids]

    return analysis.once(("rows_in", other, system), make)


def _words(analysis: Analysis, system: str) -> list[str] | None:
    """The question word of each example; None without questions."""
    offered = analysis.telling.slices(analysis.gold, analysis.scores(system))
    return analysis.labels(system, "question_word") if "question_word" in offered else None


def _searched(analysis: Analysis, system: str) -> list[str]:
    """All that the text filter looks into, one text per example."""

    def make() -> list[str]:
        scores = analysis.scores(system)
        rows = range(len(scores))
        asked = asked_texts(analysis, system, rows)
        return [
            " ".join("\n".join([str(scores.ids[row]), asked[row] or "", *text.answers, *text.gold]).casefold().split())
            for row, text in enumerate(analysis.texts(system, rows))
        ]

    # As large as the files: those of one system at a time.
    return analysis.latest("searched", system, make, 1)


# --- the table --------------------------------------------------------------------------------------------------------


def table_heads(analysis: Analysis, system: str) -> list[str]:
    """The heads of the columns of `table_rows`."""
    names = value_names(analysis, system)
    asked = any(asked_texts(analysis, system, [0]))
    return [
        *([names[0] if len(names) == 1 else "value"] if names else []),
        *(["kind"] if analysis.error_kinds is not None else []),
        ("question" if "question" in analysis.gold.details else "text") if asked else "id",
        "answer" if "texts" in analysis.telling.answers_are else "found",
        "gold",
        "row",
    ]


def table_rows(analysis: Analysis, system: str, rows: Sequence[int]) -> list[list[str | float | int | None]]:
    """The rows of a table: value, kind, question or id, answer, gold, and last the number of the example, from 1 on."""
    column, kinds = values(analysis, system), kinds_of(analysis, system)
    has_values = bool(value_names(analysis, system))
    ids = analysis.scores(system).ids
    asked = asked_texts(analysis, system, rows)
    digits = 2 if analysis.settings.percent else 4
    items = []
    for row, question, text in zip(rows, asked, analysis.texts(system, rows), strict=True):
        value = None if np.isnan(column[row]) else round(float(column[row]), digits)
        items.append(
            [
                *([value] if has_values else []),
                *([kinds[row]] if kinds is not None else []),
                cut(question or str(ids[row])),
                *shown_sides(analysis, text),
                row + 1,
            ]
        )
    return items


def value_note(analysis: Analysis, system: str) -> str:
    """What the column of values holds, where it is not one measure alone; "" else."""
    names = value_names(analysis, system)
    return f"value: the first of {', '.join(names)} that applies to the example. " if len(names) > 1 else ""
