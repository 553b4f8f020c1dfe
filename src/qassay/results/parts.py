"""The parts of the result document: everything of one metric, from its scores, comparison or leaderboard."""

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.about import About
from ..core.align import align_scores, require_same_options
from ..core.interval_settings import Intervals
from ..core.measure_titles import measure_title, part_of
from ..core.scores import Scores
from ..core.slices import in_order
from ..files.score_files import Scored
from ..registry import compared_measures, usual_measures
from ..slicing import labels_by_system, labels_of_all
from ..stats.compare import Comparison, compare_scores
from ..stats.difference import ComparisonSettings, Difference, corrected, corrected_groups
from ..stats.joined_runs import with_same_columns
from ..stats.leaderboard import Leaderboard
from ..stats.notes import note_lines
from ..stats.ranking import decided_by
from ..stats.remarks import comparison_lines
from ..stats.values import Values, in_scale, measures_of_systems, values_of
from .curves import curves_of
from .examples import examples_of
from .numbers import finite, plain
from .records import (
    cell_columns,
    cell_record,
    difference_columns,
    difference_record,
    input_remarks,
    ranked_cell,
    ranking_record,
    remarks_of,
)
from .slices import mark_repeats, slicing_of, usual_labels, values_by_label


@dataclasses.dataclass
class Part:
    """A part of the document, and what its texts are made from.

    Attributes:
        data: the plain data.
        scored: gold data and columns of the systems.
        systems: the systems as the numbers see them.
        places: system -> the example index of each row of its scores.
        ids: of the examples.
        differences: remarks on the comparison; remarks: on the values.
    """

    data: dict[str, Any]
    scored: Scored
    systems: Mapping[str, Scores]
    places: Mapping[str, np.ndarray]
    ids: list[Any]
    differences: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    remarks: list[dict[str, Any]] = dataclasses.field(default_factory=list)


def common_word(scored: Sequence[Scored]) -> str:
    """The word for the examples of metrics, in the plural."""
    words = {metric.family.about.examples_name for metric in scored}
    return words.pop() if len(words) == 1 else "examples"


# --- values -----------------------------------------------------------------------------------------------------------


def scored_part(
    metric: Scored,
    shown: Sequence[str] | None,
    by: Sequence[str],
    intervals: Intervals,
    *,
    percent: bool,
    every: bool = False,
    usual: bool = True,
    pass_at: Sequence[int] = (),
    majority_at: Sequence[int] = (),
) -> Part:
    """The part of systems that are not compared.

    Args:
        shown: the requested measures; None: the usual ones.
        by: names of the requested slicings.
        every: numbers of all measures where none are requested.
        usual: with the usual slicings.
    """
    systems, name = metric.scores, metric.family.name
    requested = ["all"] if every and shown is None else shown
    require_same_options(systems)
    values = values_of(systems, requested, intervals, percent=percent, pass_at=pass_at, majority_at=majority_at)
    part = _part(metric, systems, values, shown, percent)
    scaled = in_scale(systems, percent)
    names = measures_of_systems(requested, scaled, metric.family.about.main_measures)
    labels = {slicing: labels_by_system(metric, systems, slicing) for slicing in by}
    labels |= usual_labels(metric, systems, by) if usual else {}
    for slicing, of in labels.items():
        found = slicing_of(slicing, of, part.places, len(part.ids), slicing in by)
        by_label = values_by_label(scaled, found, names, intervals, requested is None)
        part.data["slices"].append({**found.data, "values": by_label})
    mark_repeats(part.data["slices"])
    part.remarks += remarks_of(values.remarks, systems, part.places, name)
    part.remarks += input_remarks(systems, name)
    return part


# --- comparisons ------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Compared:
    """The compared systems of a metric.

    Attributes:
        comparison: of the systems without per cent.
        values: of the systems.
        labels: slicing -> labels by system.
        main: the measures that slices and rankings are about.
        by, shown: names of the requested slicings, and the requested measures (None: the usual ones).
    """

    scored: Scored
    comparison: Comparison
    values: Values
    labels: Mapping[str, Mapping[str, Sequence[str]]]
    main: Sequence[str]
    by: Sequence[str]
    shown: Sequence[str] | None


def compared(
    metric: Scored,
    shown: Sequence[str] | None,
    by: Sequence[str],
    settings: ComparisonSettings,
    *,
    percent: bool,
    usual: bool = True,
) -> Compared:
    """Compare the systems of a metric; arguments as in `scored_part`."""
    require_same_options(metric.scores)
    aligned, unmatched = align_scores(metric.scores)
    plain_systems = with_same_columns(aligned)
    systems = in_scale(plain_systems, percent)
    measures, main = compared_measures(systems)
    requested: list[str] | None = measures
    if shown is not None and "all" in shown:
        requested = None
    elif shown is not None:
        requested = main = list(shown)
    labels = {name: dict.fromkeys(plain_systems, labels_of_all(metric, plain_systems, name)) for name in by}
    labels |= usual_labels(metric, plain_systems, by) if usual else {}
    comparison = compare_scores(
        systems,
        requested,
        {name: next(iter(of.values())) for name, of in labels.items()},
        settings,
        slice_measures=None if requested is None else main,
    )
    values = values_of(plain_systems, _compared_names(comparison), settings.intervals, percent=percent)
    if any(unmatched.values()):  # counts over all examples are still reported
        notes = {system: metric.family.about.notes_of(scores) for system, scores in metric.scores.items()}
        values = dataclasses.replace(values, notes=notes, remarks=note_lines(metric.scores))
    comparison = dataclasses.replace(comparison, systems=plain_systems, unmatched=unmatched)
    return Compared(metric, comparison, values, labels, main, by, shown)


def finished(scored: Scored, comparison: Comparison) -> Compared:
    """A finished comparison."""
    systems = with_same_columns(comparison.systems)
    values = values_of(systems, _compared_names(comparison), comparison.settings.intervals)
    labels = {name: dict.fromkeys(systems, list(of)) for name, of in comparison.labels.items()}
    main = compared_measures(comparison.systems)[1]
    comparison = dataclasses.replace(comparison, systems=systems)
    return Compared(scored, comparison, values, labels, main, list(labels), None)


def _compared_names(comparison: Comparison) -> list[str]:
    return list(dict.fromkeys(difference.measure for difference in comparison.differences))


def compared_parts(results: Sequence[Compared], settings: ComparisonSettings, percent: bool) -> list[Part]:
    """The parts of compared systems; p-values are corrected over all metrics."""
    rankings = [of.comparison.main_rankings(of.main) for of in results]
    differences = [difference for of in results for difference in of.comparison.differences]
    every_ranking = [ranking for of in rankings for ranking in of]
    decided = iter(decided_by(every_ranking, corrected(differences, settings.correction), settings))
    names = list(dict.fromkeys(name for of in results for name in of.labels))
    joined = {
        name: _joined_slices([of.comparison.slices.get(name, {}) for of in results], settings.correction)
        for name in names
    }
    word = common_word([of.scored for of in results])
    parts = []
    for of, ranked in zip(results, rankings, strict=True):
        comparison, metric, systems = of.comparison, of.scored.family.name, of.comparison.systems
        part = _part(of.scored, systems, of.values, of.shown, percent)
        part.data["unmatched"] = {system: count for system, count in comparison.unmatched.items() if count}
        part.data["comparisons"] = [difference_record(next(decided), settings) for _ in comparison.differences]
        part.data["ranks"] = [ranking_record(ranking) for ranking in ranked]
        scaled, measures = in_scale(systems, percent), _compared_names(comparison)
        for name, labels in of.labels.items():
            slicing = slicing_of(name, labels, part.places, len(part.ids), name in of.by)
            there = comparison.slices.get(name, {})
            by_label = {
                label: [one for one in differences if one.measure in measures]
                for label, differences in joined[name].items()
                if label in there
            }
            in_slices = list(dict.fromkeys(one.measure for differences in by_label.values() for one in differences))
            in_slices = in_slices or [name for name in of.main if name in measures]
            part.data["slices"].append(
                {
                    **slicing.data,
                    "values": values_by_label(scaled, slicing, in_slices, settings.intervals, True),
                    "comparisons": difference_columns(slicing.labels, by_label, settings),
                }
            )
        mark_repeats(part.data["slices"])
        part.differences += remarks_of(comparison_lines(comparison, word), systems, part.places, metric)
        noted = of.scored.scores if any(comparison.unmatched.values()) else systems
        part.remarks += remarks_of(of.values.remarks, noted, places_of(part.ids, noted), metric)
        part.remarks += input_remarks(noted, metric)
        parts.append(part)
    return parts


def _joined_slices(slices: Sequence[Mapping[str, list[Difference]]], correction: str) -> dict[str, list[Difference]]:
    """One slicing of several metrics, corrected together, with labels in natural order."""
    labels = in_order({label for of_metric in slices for label in of_metric})
    return corrected_groups(
        {label: [one for of_metric in slices for one in of_metric.get(label, [])] for label in labels}, correction
    )


# --- leaderboards -----------------------------------------------------------------------------------------------------


def board_part(scored: Scored, board: Leaderboard, titles: Mapping[str, str], percent: bool) -> Part:
    """The part of a leaderboard, with values from its rankings; remarks call the systems by their titles."""
    scale = 100 if percent else 1
    names = list(board.rankings)
    part = _part(scored, board.systems, Values({}, {}, []), names, percent)
    notes = {system: scored.family.about.notes_of(scored.scores[system]) for system in board.names}
    values: dict[str, dict[str, Any]] = {system: {} for system in board.names}
    for name, ranking in board.rankings.items():
        for row in ranking.systems:
            values[row.system][name] = ranked_cell(row, ranking, scale)
    part.data |= {
        "values": values,
        "notes": {system: counts for system, counts in notes.items() if counts},
        "unmatched": {system: count for system, count in board.unmatched.items() if count},
        "ranks": [ranking_record(ranking, scale) for ranking in board.rankings.values()],
        "n": next(iter(board.systems.values())).n_examples,
    }
    for name, by_label in board.slices.items():
        labels = dict.fromkeys(board.systems, list(board.labels[name]))
        slicing = slicing_of(name, labels, part.places, len(part.ids), True)
        ranked = [
            [ranking_record(ranking, scale) for ranking in by_label.get(label, {}).values()] for label in slicing.labels
        ]
        part.data["slices"].append(
            {**slicing.data, "values": _values_of_ranks(ranked, board.names, names), "ranks": ranked}
        )
    mark_repeats(part.data["slices"])
    systems = {titles[name]: scores for name, scores in board.systems.items()}
    places = {titles[name]: rows for name, rows in part.places.items()}
    part.remarks += remarks_of(board.remarks, systems, places, scored.family.name)
    part.remarks += input_remarks(systems, scored.family.name)
    return part


def _values_of_ranks(
    ranked: Sequence[Sequence[dict[str, Any]]], systems: Sequence[str], measures: Sequence[str]
) -> dict[str, Any]:
    """System -> measure -> columns by label, from the rankings of each label."""
    cells = [
        {
            (row["system"], ranking["measure"]): {**row, "n": ranking["n"]}
            for ranking in of_label
            for row in ranking["systems"]
        }
        for of_label in ranked
    ]
    return {
        system: {measure: cell_columns([of.get((system, measure)) for of in cells]) for measure in measures}
        for system in systems
    }


# --- what all parts have ----------------------------------------------------------------------------------------------


def _part(
    metric: Scored, systems: Mapping[str, Scores], values: Values, shown: Sequence[str] | None, percent: bool
) -> Part:
    """A part without slices, comparisons and ranks."""
    first, about = next(iter(systems.values())), metric.family.about
    ids = _all_ids(systems)
    places = places_of(ids, systems)
    measures = _measures(about, systems, values, shown, percent)
    kinds = _kinds(about, systems)
    preset = getattr(first.options, "preset", None)
    sizes = [cell.n for cells in values.systems.values() for cell in cells.values()]
    data = {
        "metric": metric.family.name,
        "signature": first.signature(),
        "preset": preset if isinstance(preset, str) else None,
        "n": max(sizes, default=first.n_examples),
        "n_groups": None if first.groups is None else len(np.unique(first.groups.codes)),
        "leads": _leading(about, first, measures, values, shown),
        "measures": measures,
        "values": {
            system: {name: cell_record(cell) for name, cell in cells.items()}
            for system, cells in values.systems.items()
        },
        "notes": {system: dict(notes) for system, notes in values.notes.items() if notes},
        "unmatched": {},
        "runs": {
            system: {
                name: plain({**variance._asdict(), "shares": variance.shares, "runs": systems[system].n_runs})
                for name, variance in of.items()
            }
            for system, of in values.runs.items()
        },
        "right_by": dict(values.right_by),
        "kinds": kinds,
        "slices": [],
        "comparisons": [],
        "ranks": [],
        "curves": curves_of(about, systems, [one["name"] for one in measures], 100 if percent else 1),
        "examples": examples_of(
            about,
            in_scale(systems, percent),
            ids,
            places,
            [one["name"] for one in measures if one["shown"]],
            [kind["name"] for kind in kinds["order"]] if kinds else None,
        ),
    }
    return Part(data, metric, systems, places, ids)


def _all_ids(systems: Mapping[str, Scores]) -> list[Any]:
    first, *others = systems.values()
    ids = list(first.ids)
    if all(list(scores.ids) == ids for scores in others):
        return ids
    return list(dict.fromkeys(identifier for scores in systems.values() for identifier in scores.ids))


def places_of(ids: Sequence[Any], systems: Mapping[str, Scores]) -> dict[str, np.ndarray]:
    """System -> the example index of each row of its scores, -1 for an example without one."""
    index: dict[Any, int] = {}
    found = {}
    for system, scores in systems.items():
        if list(scores.ids) == ids:
            found[system] = np.arange(len(ids))
            continue
        index = index or {identifier: place for place, identifier in enumerate(ids)}
        found[system] = np.array([index.get(identifier, -1) for identifier in scores.ids], np.int64)
    return found


def _measures(
    about: About, systems: Mapping[str, Scores], values: Values, shown: Sequence[str] | None, percent: bool
) -> list[dict[str, Any]]:
    cells = {name: cell for of in values.systems.values() for name, cell in of.items()}
    names = list(cells) or list(shown or ())
    there: dict[str, Any] = {}
    for scores in in_scale(systems, percent).values():
        there = {**scores.measures, **there}
    usual = {name for scores in systems.values() for name in usual_measures(scores)} if shown is None else {*names}
    main = about.main_measures(next(iter(systems.values())))
    found, known = [], {*names}
    for name in names:
        measure, cell = there.get(name), cells.get(name)  # pass@k has a cell alone
        bounds = (0.0, 100.0 if percent else 1.0) if measure is None else measure.bounds
        low, high = (None, None) if bounds is None else map(finite, bounds)
        within, short = part_of(name, known, about.titles)
        found.append(
            {
                "name": name,
                "title": measure_title(name, about.titles),
                "within": within,
                "short": short,
                "meaning": _meaning_of(about, name),
                "low": low,
                "high": high,
                "is_rate": bool(measure.is_rate if measure is not None else cell is None or cell.is_rate),
                "lower_is_better": bool(measure is not None and measure.lower_is_better),
                "shown": name in usual or measure is None,
                "main": name in main,
            }
        )
    return found


def _meaning_of(about: About, name: str) -> str:
    """The meaning of a measure, "" if its metric does not say it."""
    stem, _, cut_off = name.partition("@")
    meaning = about.meanings.get(name) or about.meanings.get(stem.partition("(")[0].partition("[")[0], "")
    if cut_off.isdigit() and meaning:
        meaning = meaning.replace("{k}", cut_off) if "{k}" in meaning else meaning + about.at_cut_off.format(k=cut_off)
    return str(meaning)


def _leading(
    about: About,
    first: Scores,
    measures: Sequence[Mapping[str, Any]],
    values: Values,
    shown: Sequence[str] | None,
) -> str | None:
    """The measure to show first: the first requested one, else the first main measure that applies to an example."""
    names = [one["name"] for one in measures]
    if not names:
        return None
    if shown is not None and "all" not in shown:
        return str(names[0])
    sizes = {name: cell.n for cells in values.systems.values() for name, cell in cells.items()}
    main = [name for name in about.main_measures(first) if name in names and sizes.get(name, 1)]
    rates = [one["name"] for one in measures if one["is_rate"]]
    return str((main or rates or names)[0])


def _kinds(about: About, systems: Mapping[str, Scores]) -> dict[str, Any] | None:
    """The kinds of errors that occur, and how often; None where a system has none."""
    counts: dict[str, Counter[str]] = {}
    for system, scores in systems.items():
        kinds = about.errors.of(scores)
        if kinds is None:
            return None
        counts[system] = Counter(kinds)
    there = [kind for kind in about.errors.order if any(of[kind] for of in counts.values())]
    return {
        "order": [
            {"name": kind, "meaning": about.errors.meanings[kind], "right": kind in about.errors.right}
            for kind in there
        ],
        "counts": {system: {kind: of[kind] for kind in there} for system, of in counts.items()},
    }
