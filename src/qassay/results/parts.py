"""The parts of the result document: everything of one metric, from its scores, comparison or leaderboard."""

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.align import align_scores, require_same_options
from ..core.interval_settings import Intervals
from ..core.measure_titles import measure_title, nested_measures
from ..core.progress import progress
from ..core.scores import Scores
from ..core.slices import in_order
from ..files.score_files import Scored
from ..registry import compared_measures, usual_measures
from ..slicing import labels_by_system, labels_of_all
from ..stats.compare import Comparison, compare_scores
from ..stats.difference import ComparisonSettings, Difference, corrected, corrected_groups
from ..stats.leaderboard import Leaderboard
from ..stats.notes import note_lines
from ..stats.ranking import Ranking, decided_by
from ..stats.remarks import comparison_lines
from ..stats.same_columns import with_same_columns
from .curves import curves_of
from .examples import examples_of, no_examples
from .numbers import finite, plain
from .remarks import remarks_of
from .slices import slicing_of, usual_labels, values_by_label
from .values import Cell, Values, in_scale, measures_of_systems, values_of


@dataclasses.dataclass
class Part:
    """A part of the document, and what its texts are made from.

    Attributes:
        data: the plain data.
        remarks: of its values; differences: of its comparison.
        scored: gold data and columns of the systems.
        systems: the systems as the numbers see them.
        places: system -> the example index of each row of its scores.
        ids: of the examples.
    """

    data: dict[str, Any]
    remarks: list[dict[str, Any]]
    scored: Scored
    systems: Mapping[str, Scores]
    places: Mapping[str, np.ndarray]
    ids: list[Any]
    differences: list[dict[str, Any]] = dataclasses.field(default_factory=list)


def scored_parts(
    scored: Sequence[Scored],
    shown: Mapping[str, Sequence[str] | None],
    intervals: Intervals,
    slices: Mapping[str, Sequence[str]],
    *,
    percent: bool,
    group_name: str,
    at_k: Mapping[str, Sequence[int]],
    every: bool = False,
    usual: bool = True,
) -> list[Part]:
    """The parts of systems that are not compared.

    Args:
        every: numbers of all measures where none are requested.
        usual: with the usual slicings.
    """
    found = []
    for metric in scored:
        name = metric.family.name
        requested = ["all"] if every and shown[name] is None else shown[name]
        require_same_options(metric.scores)
        report = values_of(metric.scores, requested, intervals, percent=percent, **at_k)
        part = _part(metric, metric.scores, report, shown[name], percent, {})
        scaled = in_scale(metric.scores, percent)
        names = _slice_measures(metric, scaled, requested)
        labels = {slicing: labels_by_system(metric, metric.scores, slicing) for slicing in slices[name]}
        labels |= usual_labels(metric, metric.scores, slices[name]) if usual else {}
        slicings = [
            slicing_of(slicing, of, part.places, len(part.ids), slicing in slices[name])
            for slicing, of in labels.items()
        ]
        part.data["slices"] = _with_repeats(
            [
                slicing.plain() | {"values": values_by_label(scaled, slicing, names, intervals, requested is None)}
                for slicing in slicings
            ]
        )
        part.remarks = list(remarks_of(report.remarks, metric.scores, part.places, name, intervals.confidence))
        found.append(part)
    return found


def compared_parts(
    scored: Sequence[Scored],
    shown: Mapping[str, Sequence[str] | None],
    settings: ComparisonSettings,
    slices: Mapping[str, Sequence[str]],
    *,
    percent: bool,
    group_name: str,
    usual: bool = True,
) -> list[Part]:
    """The parts of systems that are compared; p-values are corrected over all metrics.

    Args:
        usual: with the usual slicings.
    """
    results = [
        _compared(metric, slices[metric.family.name], shown[metric.family.name], settings, percent, group_name, usual)
        for metric in scored
    ]
    requested = {name: (slices[name], shown[name]) for name in slices}
    return _parts_of_results(scored, results, requested, settings, percent)


def comparison_part(scored: Scored, comparison: Comparison) -> Part:
    """The part of a finished comparison."""
    plain = with_same_columns(comparison.systems)
    shown = list(dict.fromkeys(difference.measure for difference in comparison.differences))
    report = values_of(plain, shown, comparison.settings.intervals)
    labels = {name: dict.fromkeys(plain, list(of)) for name, of in comparison.labels.items()}
    main = compared_measures(comparison.systems)[1]
    result = _Compared(report, dataclasses.replace(comparison, systems=plain), labels, main)
    requested = {scored.family.name: (list(labels), None)}
    return _parts_of_results([scored], [result], requested, comparison.settings, False)[0]


def _parts_of_results(
    scored: Sequence[Scored],
    results: Sequence["_Compared"],
    requested: Mapping[str, tuple[Sequence[str], Sequence[str] | None]],
    settings: ComparisonSettings,
    percent: bool,
) -> list[Part]:
    """The parts of compared systems.

    Args:
        requested: metric -> requested slicings, and requested measures.
    """
    rankings = [own.comparison.main_rankings(own.main) for own in results]
    differences = [difference for own in results for difference in own.comparison.differences]
    of_all = [ranking for of in rankings for ranking in of]
    decided = iter(decided_by(of_all, corrected(differences, settings.correction), settings))
    names = list(dict.fromkeys(name for own in results for name in own.labels))
    joined = {
        name: _joined_slices([own.comparison.slices.get(name, {}) for own in results], settings.correction)
        for name in names
    }
    found = []
    called = {metric.family.about.examples_name for metric in scored}
    examples_name = called.pop() if len(called) == 1 else "examples"
    for metric, own, ranked in zip(scored, results, rankings, strict=True):
        comparison, name = own.comparison, metric.family.name
        by, measures_shown = requested[name]
        part = _part(metric, comparison.systems, own.report, measures_shown, percent, comparison.unmatched)
        writer = _DifferenceWriter(settings)
        part.data["comparisons"] = [writer.record(next(decided)) for _ in comparison.differences]
        part.data["ranks"] = [ranking_record(ranking) for ranking in ranked]
        slicings, measures = [], {difference.measure for difference in comparison.differences}
        for slicing, labels in own.labels.items():
            found_slicing = slicing_of(slicing, labels, part.places, len(part.ids), slicing in by)
            by_label = {
                label: [one for one in of if one.measure in measures]
                for label, of in joined[slicing].items()
                if label in comparison.slices.get(slicing, {})
            }
            in_slices = list(dict.fromkeys(one.measure for of in by_label.values() for one in of))
            in_slices = in_slices or [name for name in own.main if name in measures]
            scaled = in_scale(comparison.systems, percent)
            slicings.append(
                found_slicing.plain()
                | {
                    "values": values_by_label(scaled, found_slicing, in_slices, settings.intervals, True),
                    "comparisons": writer.columns(found_slicing.labels, by_label),
                }
            )
        part.data["slices"] = _with_repeats(slicings)
        level = settings.intervals.confidence
        lines = comparison_lines(comparison, examples_name)
        part.differences = list(remarks_of(lines, comparison.systems, part.places, name, level, with_input=False))
        part.remarks = list(
            remarks_of(
                own.report.remarks, _noted(metric, comparison), _noted_places(metric, comparison, part), name, level
            )
        )
        found.append(part)
    return found


def _joined_slices(slices: Sequence[Mapping[str, list[Difference]]], correction: str) -> dict[str, list[Difference]]:
    """One slicing of several metrics, corrected together, with labels in natural order."""
    labels = in_order({label for of_metric in slices for label in of_metric})
    return corrected_groups(
        {label: [one for of_metric in slices for one in of_metric.get(label, [])] for label in labels}, correction
    )


class _Compared(NamedTuple):
    """The systems of a metric compared: their values, the comparison, slicing -> labels by system, and main measures."""

    report: Values
    comparison: Comparison
    labels: Mapping[str, Mapping[str, Sequence[str]]]
    main: Sequence[str]


def _compared(
    metric: Scored,
    by: Sequence[str],
    measures: Sequence[str] | None,
    settings: ComparisonSettings,
    percent: bool,
    group_name: str,
    with_usual: bool,
) -> _Compared:
    require_same_options(metric.scores)
    aligned, unmatched = align_scores(metric.scores)
    plain = with_same_columns(aligned)
    systems = in_scale(plain, percent)
    usual, main = compared_measures(systems)
    requested: list[str] | None = usual
    if measures is not None and "all" in measures:
        requested = None
    elif measures is not None:
        requested = main = list(measures)
    labels = {name: dict.fromkeys(plain, labels_of_all(metric, plain, name)) for name in by}
    labels |= usual_labels(metric, plain, by) if with_usual else {}
    comparison = compare_scores(
        systems,
        requested,
        {name: next(iter(of.values())) for name, of in labels.items()},
        settings,
        slice_measures=None if requested is None else main,
        progress=lambda jobs: progress(jobs, "comparing"),
    )
    shown = list(dict.fromkeys(difference.measure for difference in comparison.differences))
    report = values_of(plain, shown, settings.intervals, percent=percent)
    if any(unmatched.values()):  # counts over all examples are still reported
        notes = {system: metric.family.about.notes_of(scores) for system, scores in metric.scores.items()}
        report = dataclasses.replace(report, notes=notes, remarks=note_lines(metric.scores))
    comparison = dataclasses.replace(comparison, systems=plain, unmatched=unmatched)
    return _Compared(report, comparison, labels, main)


def _noted(metric: Scored, comparison: Any) -> Mapping[str, Scores]:
    """The scores whose notes are told: of all examples, where some were omitted from the comparison."""
    return metric.scores if any(comparison.unmatched.values()) else comparison.systems


def _noted_places(metric: Scored, comparison: Any, part: Part) -> Mapping[str, np.ndarray]:
    if not any(comparison.unmatched.values()):
        return part.places
    index = {identifier: place for place, identifier in enumerate(part.ids)}
    return {
        system: np.array([index.get(identifier, -1) for identifier in scores.ids], np.int64)
        for system, scores in metric.scores.items()
    }


def board_part(scored: Scored, board: Leaderboard, titles: Mapping[str, str], percent: bool) -> Part:
    """The part of a leaderboard, with values from its rankings; remarks call the systems by their titles."""
    scale = 100 if percent else 1
    names, level = list(board.rankings), board.settings.intervals.confidence
    cells = {
        row.system: {
            ranking.measure: value_of_rank(row, board.rankings[ranking.measure], scale)
            for ranking in board.rankings.values()
            for row in ranking.systems
            if row.system == system
        }
        for system in board.names
        for row in board.rankings[names[0]].systems
        if row.system == system
    }
    part = _part(scored, board.systems, Values({}, {}, []), names, percent, board.unmatched)
    about = scored.family.about
    notes = {system: about.notes_of(scored.scores[system]) for system in board.names}
    part.data |= {
        "values": cells,
        "notes": {system: counts for system, counts in notes.items() if counts},
        "ranks": [ranking_record(ranking, scale) for ranking in board.rankings.values()],
        "n": next(iter(board.systems.values())).n_examples,
    }
    slicings = []
    for name, by_label in board.slices.items():
        slicing = slicing_of(
            name, dict.fromkeys(board.systems, list(board.labels[name])), part.places, len(part.ids), True
        )
        ranked = [
            [ranking_record(ranking, scale) for ranking in by_label.get(label, {}).values()] for label in slicing.labels
        ]
        slicings.append(slicing.plain() | {"values": _columns_of_ranks(ranked, board.names, names), "ranks": ranked})
    part.data["slices"] = _with_repeats(slicings)
    called = {titles[key]: scores for key, scores in board.systems.items()}
    places = {titles[key]: rows for key, rows in part.places.items()}
    part.remarks = list(remarks_of(board.remarks, called, places, scored.family.name, level))
    return part


def _empty_data(**known: Any) -> dict[str, Any]:
    """The fields of a part in their order, without content but for the known ones."""
    return {
        "metric": "",
        "signature": "",
        "preset": None,
        "n": 0,
        "n_groups": None,
        "leads": None,
        "measures": [],
        "values": {},
        "notes": {},
        "unmatched": {},
        "runs": {},
        "right_by": {},
        "kinds": None,
        "slices": [],
        "comparisons": [],
        "ranks": [],
        "curves": [],
        "examples": no_examples(),
        **known,
    }


def value_of_rank(row: Any, ranking: Ranking, scale: int) -> dict[str, Any]:
    """The value of a ranked system."""
    factor = scale if ranking.is_rate else 1
    interval = row.interval.times(factor) if factor != 1 else row.interval
    return cell_record(Cell(factor * row.value, interval, ranking.n, ranking.is_rate, ranking.n_groups))


def ranking_record(ranking: Ranking, scale: int = 1) -> dict[str, Any]:
    """A ranking as plain data."""
    factor = scale if ranking.is_rate else 1
    tied = {system.system for system in ranking.tied_with_best}
    rows = []
    for row in ranking.systems:
        low, high = (finite(end, factor) for end in row.interval)
        rows.append(
            {
                "system": row.system,
                "value": finite(row.value, factor),
                "low": low,
                "high": high,
                "method": row.interval.method,
                "rank": row.rank,
                "rank_interval": list(row.rank_interval),
                "letters": row.letters,
                "best_share": finite(row.best_share),
                "few": bool(Cell(row.value, row.interval, ranking.n, ranking.is_rate, ranking.n_groups).is_few),
                "tied_with_best": row.system in tied,
            }
        )
    return {
        "measure": ranking.measure,
        "n": ranking.n,
        "n_groups": ranking.n_groups,
        "confidence": ranking.confidence,
        "is_rate": ranking.is_rate,
        "lower_is_better": ranking.lower_is_better,
        "left_out": ranking.left_out,
        "test": ranking.test,
        "cautions": list(ranking.cautions),
        "systems": rows,
        "p_values": [[finite(p) for p in row] for row in ranking.p_values.tolist()],
    }


def _columns_of_ranks(
    ranked: Sequence[Sequence[dict[str, Any]]], systems: Sequence[str], measures: Sequence[str]
) -> dict[str, Any]:
    """System -> measure -> columns by label, from the rankings of each label."""
    found: dict[str, Any] = {}
    for system in systems:
        for measure in measures:
            rows = []
            for of_label in ranked:
                ranking = next((one for one in of_label if one["measure"] == measure), None)
                row = ranking and next(row for row in ranking["systems"] if row["system"] == system)
                rows.append((ranking, row))
            found.setdefault(system, {})[measure] = {
                "value": [row and row["value"] for _, row in rows],
                "n": [ranking and ranking["n"] for ranking, _ in rows],
                "low": [row and row["low"] for _, row in rows],
                "high": [row and row["high"] for _, row in rows],
                "method": [row and row["method"] for _, row in rows],
                "few": [row is not None and row["few"] for _, row in rows],
            }
    return found


class _DifferenceWriter:
    """Differences as plain data: records over all examples, and columns by label."""

    def __init__(self, settings: ComparisonSettings):
        self.settings = settings

    def record(self, one: Difference) -> dict[str, Any]:
        """One difference."""
        return {"measure": one.measure, "first": one.first, "second": one.second, **self._numbers(one)}

    def columns(self, labels: Sequence[str], by_label: Mapping[str, Sequence[Difference]]) -> list[dict[str, Any]]:
        """Columns by label for each measure and pair of systems."""
        found: dict[tuple[str, str, str], dict[str, Any]] = {}
        for label, differences in by_label.items():
            for one in differences:
                found.setdefault((one.measure, one.first, one.second), {})[label] = self._numbers(one)
        fields = list(next(iter(next(iter(found.values())).values()))) if found else []
        return [
            {
                "measure": measure,
                "first": first,
                "second": second,
                **{name: [rows[label][name] if label in rows else None for label in labels] for name in fields},
            }
            for (measure, first, second), rows in found.items()
        ]

    def _numbers(self, one: Difference) -> dict[str, Any]:
        rounds, intervals = self.settings.n_permutations, self.settings.intervals
        at_most = (
            one.p_adjusted * (rounds + 1) < 1 + 1e-9 if one.ranked else one.is_least(rounds, intervals.n_resamples)
        )
        low, high = map(finite, one.interval)
        level = 0.95 if intervals.confidence is None else intervals.confidence
        return {
            "n": one.n,
            "left_out": one.left_out,
            "values": list(map(finite, one.values)),
            "intervals": [list(map(finite, ends)) for ends in one.intervals],
            "difference": finite(one.difference),
            "low": low,
            "high": high,
            "method": one.interval.method,
            "p": finite(one.p_value),
            "p_corrected": finite(one.p_adjusted),
            "at_most": bool(at_most),
            "significant": bool(one.is_significant(level)),
            "test": one.test,
            "ranked": one.ranked,
            "better": one.wins,
            "equal": one.ties,
            "worse": one.losses,
            "effect_size": one.effect_size,
            "n_needed": one.n_needed,
            "n_groups": one.n_groups,
            "groups_needed": one.groups_needed,
            "cautions": list(one.cautions),
            "few": bool(one.is_few),
        }


def _part(
    metric: Scored,
    systems: Mapping[str, Scores],
    report: Values,
    shown: Sequence[str] | None,
    percent: bool,
    unmatched: Mapping[str, int],
) -> Part:
    """A part without slices, comparisons and ranks."""
    first = next(iter(systems.values()))
    ids, places = _examples(systems)
    scale = 100 if percent else 1
    measures = _measures(metric, systems, report, shown, percent)
    kinds = _kinds(metric, systems)
    groups = None if first.groups is None else len(np.unique(first.groups.codes))
    preset = getattr(first.options, "preset", None)
    data = _empty_data(
        metric=metric.family.name,
        signature=first.signature(),
        preset=preset if isinstance(preset, str) else None,
        n=max((cell.n for cells in report.systems.values() for cell in cells.values()), default=first.n_examples),
        n_groups=groups,
        leads=_leading(metric, first, measures, report, shown),
        measures=measures,
        values={
            system: {name: cell_record(cell) for name, cell in cells.items()}
            for system, cells in report.systems.items()
        },
        notes={system: dict(notes) for system, notes in report.notes.items() if notes},
        unmatched={system: count for system, count in unmatched.items() if count},
        runs={
            system: {
                name: plain({**variance._asdict(), "shares": variance.shares, "runs": systems[system].n_runs})
                for name, variance in of.items()
            }
            for system, of in report.runs.items()
        },
        right_by=dict(report.right_by),
        kinds=kinds,
        curves=curves_of(metric.family.about, systems, [one["name"] for one in measures], scale),
    )
    shown_names = [one["name"] for one in measures if one["shown"]]
    data["examples"] = examples_of(
        metric,
        in_scale(systems, percent),
        ids,
        places,
        shown_names,
        [one["name"] for one in kinds["order"]] if kinds else None,
    )
    return Part(data, [], metric, systems, places, ids)


def cell_record(cell: Cell) -> dict[str, Any]:
    """A value with its interval as plain data."""
    low, high = (None, None) if cell.interval is None else map(finite, cell.interval)
    return {
        "value": finite(cell.value),
        "n": cell.n,
        "low": low,
        "high": high,
        "method": cell.method,
        "few": bool(cell.is_few),
        **(
            {}
            if cell.n_groups is None
            else {"n_groups": cell.n_groups, "effective_groups": finite(cell.effective_groups)}
        ),
    }


def _examples(systems: Mapping[str, Scores]) -> tuple[list[Any], dict[str, np.ndarray]]:
    """The ids of all examples, and the example index of each row of a system."""
    first, *others = systems.values()
    ids, own = list(first.ids), list(first.ids)
    if all(list(scores.ids) == own for scores in others):
        return ids, dict.fromkeys(systems, np.arange(len(ids)))
    index = {identifier: place for place, identifier in enumerate(ids)}
    for scores in others:
        for identifier in scores.ids:
            index.setdefault(identifier, len(index))
    places = {
        system: np.array([index[identifier] for identifier in scores.ids], np.int64)
        for system, scores in systems.items()
    }
    return list(index), places


def _measures(
    metric: Scored, systems: Mapping[str, Scores], report: Values, shown: Sequence[str] | None, percent: bool
) -> list[dict[str, Any]]:
    about, first = metric.family.about, next(iter(systems.values()))
    cells = {name: cell for of in report.systems.values() for name, cell in of.items()}
    names = list(cells) or list(shown or ())
    every: dict[str, Any] = {}
    for scores in in_scale(systems, percent).values():
        every = {**scores.measures, **every}
    usual = {name for scores in systems.values() for name in usual_measures(scores)}
    usual = {*names} if shown is not None else usual
    main = about.main_measures(first)
    nested = _nested(names, about)
    found = []
    for name in names:
        measure, cell = every.get(name), cells.get(name)
        bounds = (0.0, 100.0 if percent else 1.0) if measure is None else measure.bounds
        low, high = (None, None) if bounds is None else map(finite, bounds)
        found.append(
            {
                "name": name,
                "title": measure_title(name, about.titles),
                **nested[name],
                "meaning": meaning_of(about, name),
                "low": low,
                "high": high,
                "is_rate": bool(measure.is_rate if measure is not None else cell is None or cell.is_rate),
                "lower_is_better": bool(measure is not None and measure.lower_is_better),
                "shown": name in usual or measure is None,
                "main": name in main,
            }
        )
    return found


def _nested(names: Sequence[str], about: Any) -> dict[str, dict[str, Any]]:
    """Measure -> the measure that it is a part of, and its title below that."""
    found: dict[str, dict[str, Any]] = {}
    above: list[str] = []
    for one in nested_measures(names, about.titles):
        above = above[: one.depth]
        found[one.name] = {"within": above[-1] if above else None, "short": one.title}
        above.append(one.name)
    return found


def meaning_of(about: Any, name: str) -> str:
    """The meaning of a measure, "" if its family does not say it."""
    stem, _, cut_off = name.partition("@")
    meaning = about.meanings.get(name) or about.meanings.get(stem.partition("(")[0].partition("[")[0], "")
    if cut_off.isdigit() and meaning:
        meaning = meaning.replace("{k}", cut_off) if "{k}" in meaning else meaning + about.at_cut_off.format(k=cut_off)
    return str(meaning)


def _leading(
    metric: Scored,
    first: Scores,
    measures: Sequence[Mapping[str, Any]],
    report: Values,
    shown: Sequence[str] | None,
) -> str | None:
    """The measure to show first: the first requested one, else the first main measure that applies to an example."""
    names = [one["name"] for one in measures]
    if not names:
        return None
    if shown is not None and "all" not in shown:
        return str(names[0])
    sizes = {name: cell.n for cells in report.systems.values() for name, cell in cells.items()}
    main = [name for name in metric.family.about.main_measures(first) if name in names and sizes.get(name, 1)]
    rates = [one["name"] for one in measures if one["is_rate"]]
    return str((main or rates or names)[0])


def _kinds(metric: Scored, systems: Mapping[str, Scores]) -> dict[str, Any] | None:
    errors = metric.family.about.errors
    kinds = {system: errors.of(scores) for system, scores in systems.items()}
    if any(labels is None for labels in kinds.values()):
        return None
    found = {system: Counter(labels) for system, labels in kinds.items()}
    there = [kind for kind in errors.order if any(of[kind] for of in found.values())]
    counts = {system: {kind: of[kind] for kind in there} for system, of in found.items()}
    order = [{"name": kind, "meaning": errors.meanings[kind], "right": kind in errors.right} for kind in there]
    return {"order": order, "counts": counts}


def _slice_measures(metric: Scored, systems: Mapping[str, Scores], shown: Sequence[str] | None) -> list[str]:
    return measures_of_systems(shown, systems, metric.family.about.main_measures)


def _with_repeats(slicings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The slicings, with which groups have the same examples as a group before them."""
    seen: set[bytes] = set()
    for slicing in slicings:
        if slicing["of_systems"]:
            slicing["repeats"] = [False] * len(slicing["labels"])
            continue
        codes = np.array(slicing["codes"], np.int64)
        keys = [np.flatnonzero(codes == place).tobytes() for place in range(len(slicing["labels"]))]
        slicing["repeats"] = [key in seen for key in keys]
        seen |= {*keys}
    return slicings
