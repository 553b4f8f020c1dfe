"""The tab No answer: when a system should withhold its answer, and whether its no-answer probabilities hold."""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.scores import Scores
from ..files.score_files import Scored
from ..registry import FAMILIES, family_of
from ..reports.chart_parts import escaped
from ..reports.curve_charts import ChartLine, Point, line_chart, reliability_chart
from ..reports.family_charts import precision_recall_chart, rate_writer, threshold_chart, threshold_limits
from ..reports.html_parts import breakable, code, figure, fold, go, heads, isolated, row, scroll_table
from ..reports.values import FEW
from .address import EVERY, View
from .analysis import Analysis
from .errors_values import is_known_measure
from .linked_slices import is_in_files
from .threshold_slices import (
    CLASSES,
    answered,
    answered_right,
    in_range,
    probability_range,
    score_from,
    withheld,
)
from .view_parts import charts_grid, does_not_apply, section, wrapped

AS_SCORED, BEST, OWN = "as scored", "best F1", "own"  # which threshold the table of answers is made with
_ABSENT = "–"
_CLASSES = tuple(CLASSES)
_MOST_CLASSES = 6  # of scores with labels, that have curves
_EXAMPLE = code('{"q1": 0.93, "q2": 0.04}')
_GIVE = (
    "A probability of “no answer” for each question gives the best threshold, the scores at every threshold and how well "
    f"the probabilities hold: a JSON file of ids and numbers, such as {_EXAMPLE}, or {code('no_answer_probability')} in "
    "the rows of the predictions."
)


class ThresholdRange(NamedTuple):
    """From where to where a threshold of one's own may go, and where it begins."""

    low: float
    high: float
    start: float


def no_answer_head(analysis: Analysis | None) -> str:
    """Best thresholds of each system, or why there are none, as HTML."""
    if analysis is None:
        return does_not_apply("Nothing has been scored yet.")
    if _curve_classes(analysis.main):
        return wrapped(_score_curves(analysis))
    why = _why_not(analysis)
    if why:
        return does_not_apply(why)
    scored = _answers(analysis)
    first = next(iter(scored.scores.values()))
    none, n = int(first.subsets["no_answer"].sum()), len(first)
    intro = (
        _finding(analysis, scored)
        + f"<p>{none:,} of {n:,} questions ({100 * none / n:.1f} %) have no answer. On these, only an empty answer is "
        "right; on the others, an empty or withheld answer scores 0.</p>"
    )
    with_probabilities = _with_probabilities(analysis)
    if not with_probabilities:
        return wrapped(intro, f"<p>{_GIVE}</p>")
    cards = [_best_card(analysis, system, scores) for system, scores in with_probabilities.items()]
    others = [isolated(system) for system in scored.scores if system not in with_probabilities]
    without = f"<p>Without no-answer probabilities: {', '.join(others)}. {_GIVE}</p>" if others else ""
    reading = (
        "An answer whose no-answer probability is above the threshold is withheld. The best threshold is chosen on these "
        "questions: expect slightly less on others. “All withheld” is the score of a system that never answers."
    )
    return wrapped(intro, section("Best threshold", f'<div class="cards">{"".join(cards)}{without}</div>', reading))


def threshold_range(analysis: Analysis | None) -> ThresholdRange | None:
    """For a threshold of one's own; None if there is nothing to withhold by it."""
    systems = list(_with_probabilities(analysis).values())
    if not systems:
        return None
    low, high = threshold_limits(np.concatenate([scores.columns["no_answer_probability"] for scores in systems]))
    limit = systems[0].options.no_answer_threshold
    if limit is not None:  # what was withheld by it stays withheld
        high = min(high, limit)
    low = low if low < high else high - 1  # a slider needs room
    return ThresholdRange(low, high, low + (high - low) / 2)


def answered_view(analysis: Analysis | None, which: str = AS_SCORED, own: float | None = None) -> str:
    """What was answered and withheld of questions with and without an answer, as HTML; "" where it does not apply."""
    if analysis is None or _why_not(analysis):
        return ""
    parts = []
    for system, scores in _answers(analysis).scores.items():
        threshold = None
        if which in (BEST, OWN) and _withholding(scores).has_no_answer_probabilities(scores):
            threshold = own if which == OWN else _best_f1_threshold(scores)
        parts.append(_answered_figure(analysis, system, scores, threshold))
    reading = (
        "“Right” is an exact match, or correctly no answer. Precision: the share of unanswered questions that have no answer. "
        "Recall: the share of questions without an answer that were left unanswered."
    )
    if any(scores.subsets["missing"].any() for scores in _answers(analysis).scores.values()):
        reading += (
            " A missing prediction is wrong and is not “no answer”: precision omits it, and in recall it counts as a question "
            "without an answer that was not found."
        )
    return wrapped(section("Answered and withheld", f'<div class="cards">{"".join(parts)}</div>', reading))


def probability_view(analysis: Analysis | None) -> str:
    """Scores at every threshold, and reliability, as HTML; "" without any."""
    systems = _with_probabilities(analysis)
    if not systems:
        return ""
    return wrapped(
        section(
            "Every threshold",
            charts_grid(_threshold_figures(systems, analysis)),
            "On the left nearly all answers are withheld, on the right none. The mark is the best threshold.",
        ),
        _reliability_section(systems, analysis),
    )


def _answers(analysis: Analysis) -> Scored | None:
    """What was scored by a metric whose answers can be withheld."""
    return next((scored for scored in analysis.scored if scored.family.telling.answerability), None)


def _withholding(scores: Scores) -> Any:
    """The functions of the family of these scores that say when to withhold an answer."""
    return family_of(scores).telling.answerability


def _with_probabilities(analysis: Analysis | None) -> dict[str, Scores]:
    """The systems whose answers can be withheld by a threshold."""
    if analysis is None or _why_not(analysis):
        return {}
    systems = _answers(analysis).scores.items()
    return {system: of for system, of in systems if _withholding(of).has_no_answer_probabilities(of)}


def _why_not(analysis: Analysis) -> str:
    """Why the tab shows nothing; "" where it does."""
    scored = _answers(analysis)
    if scored is None:
        able = " or ".join(family.name for family in FAMILIES.values() if family.telling.answerability)
        return (
            f"This tab shows when to withhold an answer: for answers scored by {able}, and for scores with labels. "
            f"These are scored by {analysis.family.name}."
        )
    first = next(iter(scored.scores.values()))
    if "no_answer" not in first.subsets:
        return f"With preset={first.options.preset!r} questions without an answer are not told apart."
    if not any(scores.subsets["no_answer"].any() for scores in scored.scores.values()):
        return f"All {len(first):,} questions have an answer, so there is nothing to withhold."
    return ""


# --- the finding ---------------------------------------------------------------------------------------------------------


def _finding(analysis: Analysis, scored: Scored) -> str:
    """How many questions without an answer each system answers, and how many others it leaves, in sentences."""
    answers, leaves, lacks, gains = [], [], [], []
    totals = (0, 0)
    for system, scores in scored.scores.items():
        table = _withholding(scores).answered_table(scores, None)
        totals = tuple(sum(by_class[name].n for by_class in table.values()) for name in _CLASSES)
        href = functools.partial(_slice_href, analysis, system)
        wrongly = table["answered"]["no_answer"].n
        answers.append((isolated(system), go(f"{wrongly:,}", href(answered(), "answered, has none", wrongly))))
        left = table["withheld"]["has_answer"].n
        leaves.append((isolated(system), go(f"{left:,}", href(answered(), "withheld, has an answer", left))))
        missing = sum(count.n for count in table.get("missing", {}).values())
        lacks += [f"{isolated(system)} has no prediction for {missing:,}"] if missing else []
        gains += _gain(system, scores, analysis.report.scale)
    last = next(reversed(scored.scores))  # whose totals these are
    has_one, has_none = (
        go(f"{total:,}", _slice_href(analysis, last, name, "yes", total))
        for total, name in zip(totals, _CLASSES, strict=True)
    )
    told = (
        f"{_listed(answers, 'answers')} of the {has_none} questions that have no answer. "
        f"{_listed(leaves, 'gives no answer to')} of the {has_one} that have one."
    )
    if lacks:
        told += f" {', '.join(lacks)} of the {sum(totals):,} questions."
    more = f"<p>{' '.join(gains)}</p>" if gains else ""
    return f'<p class="finding">{told}</p>{more}'


def _listed(counts: list[tuple[str, str]], verb: str) -> str:
    (system, count), *others = counts
    more = f" ({', '.join(' '.join(other) for other in others)})" if others else ""
    return f"{system} {verb} {count}{more}"


def _gain(system: str, scores: Scores, scale: int) -> list[str]:
    """What the best threshold would give, where it gives more."""
    name = _first_f1(scores)
    if name is None or scores[name] is None or not _withholding(scores).has_no_answer_probabilities(scores):
        return []
    value, best, threshold = scores.summary([name, f"best_{name}", f"best_{name}_threshold"]).values()
    write = rate_writer(scale)
    if not best > value:
        return [
            f"No threshold gives {isolated(system)} a higher {escaped(name)} than the {write(scale * value)} that it has."
        ]
    return [
        f"Withholding its answers with a no-answer probability above {_threshold_text(threshold)} would give "
        f"{isolated(system)} {escaped(name)} {write(scale * best)} in place of {write(scale * value)}."
    ]


# --- the best threshold -----------------------------------------------------------------------------------------------


def _best_card(analysis: Analysis, system: str, scores: Scores) -> str:
    scale = analysis.report.scale
    write, rows = rate_writer(scale), []
    for name in _withholding(scores).swept_measures(scores):
        wanted = [name, f"best_{name}", f"best_{name}_threshold"]
        if not set(wanted) <= scores.measures.keys() or scores[name] is None:
            continue
        value, best, threshold = scores.summary(wanted).values()
        all_withheld = _withholding(scores).threshold_curve(scores, name).values[0]
        gain = f'<span class="sub">+{write(scale * (best - value))}</span>' if best > value else ""
        to_all = _all_href(analysis, system, name)
        cells = (
            go(write(scale * value), to_all),
            go(write(scale * best), to_all) + gain,
            go(_threshold_text(threshold), _withheld_href(analysis, system, threshold)),
            go(write(scale * all_withheld), to_all),
        )
        rows.append(row(escaped(name), *(f"<td>{cell}</td>" for cell in cells)))
    above = heads("Measure", "As scored", "Best", "At threshold", "All withheld")
    table = scroll_table(f"Best threshold of {escaped(system)}", above, rows)
    return f'<article class="system"><h3>{isolated(system)}</h3>{table}</article>'


def _threshold_text(threshold: float) -> str:
    return "withhold all" if threshold == -math.inf else f"{threshold:.4g}".replace("-", "−")


def _first_f1(scores: Scores) -> str | None:
    return next((name for name in _withholding(scores).swept_measures(scores) if name.partition("@")[0] == "f1"), None)


def _best_f1_threshold(scores: Scores) -> float | None:
    name = _first_f1(scores)
    return None if name is None else scores.summary([f"best_{name}_threshold"])[f"best_{name}_threshold"]


# --- answered and withheld --------------------------------------------------------------------------------------------


def _answered_figure(analysis: Analysis, system: str, scores: Scores, threshold: float | None) -> str:
    scale = analysis.report.scale
    table = _withholding(scores).answered_table(scores, threshold)
    words = {"answered": "Answered", "withheld": "No answer given", "missing": "Prediction missing"}

    def cell(kind: str, name: str, count: Any) -> str:
        label = f"{kind}, {CLASSES[name]}"
        href = _slice_href(analysis, system, answered(threshold), label, count.n)
        return _count_cell(count, href, _slice_href(analysis, system, answered_right(threshold), label, count.right))

    rows = [
        row(words[kind], *(cell(kind, name, by_class[name]) for name in _CLASSES)) for kind, by_class in table.items()
    ]
    above = "<td></td>" + heads("Has an answer", "Has none")
    return (
        f'<article class="system"><h3>{isolated(system)}</h3>'
        f'<p class="values faint">{_made_with(scores, threshold, scale)}</p>'
        f"{scroll_table(f'Questions of {escaped(system)}', above, rows)}"
        f'<p class="values">{_decision_text(analysis, system, scores, threshold)}</p></article>'
    )


def _count_cell(count: Any, href: str, to_right: str) -> str:
    number = go(f"{count.n:,}", href if count.n else "")
    return f'<td>{number}<span class="sub">{go(f"{count.right:,} right", to_right)}</span></td>'


def _slice_href(analysis: Analysis, system: str, name: str, label: str, n: int) -> str:
    """Where the n examples of a slice are read; "" where there are none, or they are of another metric than the tab Errors."""
    is_listed = n and _answers(analysis) is analysis.main and not is_in_files(analysis, name)
    return View("errors", system=system, slice=f"{name}:{label}").href() if is_listed else ""


def _all_href(analysis: Analysis, system: str, measure: str = "") -> str:
    """Where all examples are read, by a measure if single examples have it."""
    if _answers(analysis) is not analysis.main:
        return ""
    known = measure if measure and is_known_measure(analysis, measure) else ""
    return View("errors", system=system, kind=EVERY, measure=known).href()


def _withheld_href(analysis: Analysis, system: str, threshold: float | None) -> str:
    """Where the examples are read that are not answered at a threshold; None: all examples."""
    if threshold is None:
        return _all_href(analysis, system)
    scores = _answers(analysis).scores[system]
    try:
        n = int(_withholding(scores).answer_groups(scores, threshold).kinds["withheld"].sum())
    except ValueError:  # above the threshold that was scored with
        return ""
    return _slice_href(analysis, system, withheld(threshold), "yes", n)


def _made_with(scores: Scores, threshold: float | None, scale: int) -> str:
    """The threshold of the table, and the scores with it."""
    write = rate_writer(scale)
    if not _withholding(scores).has_no_answer_probabilities(scores):
        return "As scored: it has no no-answer probabilities."
    if threshold is None:
        given = scores.options.no_answer_threshold
        named = "As scored" if given is None else f"As scored, threshold {_threshold_text(given)}"
    else:
        named = f"Threshold {_threshold_text(threshold)}"
    values = {
        name: scores[name] if threshold is None else _withholding(scores).threshold_curve(scores, name).at(threshold)
        for name in _shown_measures(scores)
    }
    return f"{named}: {', '.join(f'{escaped(name)} {_ABSENT if value is None else write(scale * value)}' for name, value in values.items())}"


def _decision_text(analysis: Analysis, system: str, scores: Scores, threshold: float | None) -> str:
    """How well “no answer” finds the questions without one; each rate leads to the questions that it is a share of."""
    write, decision = rate_writer(analysis.report.scale), _withholding(scores).no_answer_decision(scores, threshold)
    given = _slice_href(analysis, system, withheld(threshold), "yes", decision.n)
    unanswerable = _slice_href(analysis, system, "no_answer", "yes", int(scores.subsets["no_answer"].sum()))
    rates = (
        ("precision", decision.precision, given), ("recall", decision.recall, unanswerable), ("F1", decision.f1, ""),
    )  # fmt: skip
    texts = [
        f"{name} {_ABSENT if math.isnan(value) else go(write(analysis.report.scale * value), href)}"
        for name, value, href in rates
    ]
    return f"“No answer” (given {go(f'{decision.n:,}', given)} times): {', '.join(texts)}"


# --- charts -----------------------------------------------------------------------------------------------------------


def _shown_measures(scores: Scores) -> list[str]:
    """The first F1 and the first exact match among the measures that a threshold changes."""
    by_stem = {}
    for name in _withholding(scores).swept_measures(scores):
        by_stem.setdefault(name.partition("@")[0], name)
    return [by_stem[stem] for stem in ("f1", "exact_match") if stem in by_stem]


def _threshold_figures(systems: dict[str, Scores], analysis: Analysis) -> list[str]:
    figures = []
    for measure in _shown_measures(next(iter(systems.values()))):
        href = functools.partial(_withheld_href, analysis)
        chart = threshold_chart(systems, measure, analysis.report.scale, analysis.systems, href)
        n = max(map(len, systems.values()))
        figures.append(figure(f"{escaped(measure)} at every threshold (n = {n:,})", chart))
    return figures


def _reliability_section(systems: dict[str, Scores], analysis: Analysis) -> str:
    by_system, refused = {}, []
    for system, scores in systems.items():
        try:
            by_system[system] = _withholding(scores).reliability(scores)
        except ValueError as error:
            refused.append(f"<p>{isolated(system)}: {escaped(str(error))}.</p>")
    body = ""
    if by_system:
        points = {
            system: [
                Point(*point, href)
                for *point, href in zip(
                    bins.predicted, bins.observed, bins.n.tolist(), _bin_hrefs(analysis, system, bins), strict=True
                )
            ]
            for system, bins in by_system.items()
        }
        chart = reliability_chart(
            points,
            title="Reliability of no-answer probabilities",
            x_label="Mean no-answer probability",
            y_label="Share of questions without an answer",
            systems=analysis.systems,
        )
        caption = "Share of questions without an answer by no-answer probability, ten bins"
        body = f'<div class="grid">{figure(caption, chart)}{_calibration_table(by_system, analysis)}</div>'
    reading = (
        "On the dotted line the probabilities are calibrated; below it they are too high, above it too low. "
        f"Larger marks rest on more questions; hollow marks on fewer than {FEW} (few)."
    )
    return section("Reliability", body + "".join(refused), reading)


def _bin_hrefs(analysis: Analysis, system: str, bins: Any) -> list[str]:
    """Where the questions of each bin are read; each but the last is without its upper edge."""
    ends = [*(math.nextafter(edge, -math.inf) for edge in bins.edges[1:-1].tolist()), float(bins.edges[-1])]
    return [
        _range_href(analysis, system, low, high, n)
        for low, high, n in zip(bins.edges[:-1].tolist(), ends, bins.n.tolist(), strict=True)
    ]


def _range_href(analysis: Analysis, system: str, low: float, high: float, n: int) -> str:
    """Where the n questions are read whose probability is between two ends, both included; in few digits if these do."""
    scores = _answers(analysis).scores[system]
    short = [(float(f"{low:.6g}"), float(f"{end:.6g}")) for end in (high, high - 1e-6 * (high - low))]
    ends = next((ends for ends in short if in_range(scores, *ends).sum() == n), (low, high))
    return _slice_href(analysis, system, probability_range(*ends), "yes", n)


def _calibration_table(by_system: dict, analysis: Analysis) -> str:
    rows = []
    for system, bins in by_system.items():
        n = int(bins.n.sum())
        number = go(f"{n:,}", _range_href(analysis, system, 0.0, 1.0, n))
        rows.append(row(breakable(system), f"<td>{bins.error:.3f}</td>", f"<td>{number}</td>"))
    above = heads("System", "ECE", "n")
    table = scroll_table("Expected calibration error (0 to 1, lower is better)", above, rows)
    words = (
        "The mean distance of the marks from the line, weighted by questions. It depends on the bins, and with few "
        "questions it is above 0 by chance alone."
    )
    return f'<div>{table}<p class="faint reading">{words}</p></div>'


# --- scores with labels -----------------------------------------------------------------------------------------------


def _score_curves(analysis: Analysis) -> str:
    """Precision and recall by threshold, and against each other, of each class."""
    scale, parts = analysis.report.scale, []
    labels = _curve_classes(analysis.main)
    for place, label in enumerate(labels):
        figures = [
            _by_threshold(analysis, label, scale),
            _precision_recall(analysis.main, label, scale),
        ]
        body = charts_grid(figures)
        parts.append(body if label is None else fold(isolated(str(label)), body, not place))
    classes = next(iter(analysis.main.scores.values())).options.classes
    if classes is not None and len(classes) > len(labels):
        parts.append(f"<p>The first {len(labels)} of {len(classes):,} classes.</p>")
    reading = (
        "Examples with a score of at least the threshold count as positive. Precision: the share of these that are "
        "positive. Recall: the share of all positives among them."
    )
    return section("When to say “positive”", "".join(parts), reading)


def _curve_classes(scored: Scored) -> Sequence:
    """The classes of scores and labels whose curves are drawn; [None] where each example has one score."""
    return scored.family.telling.curve_labels(next(iter(scored.scores.values())))[:_MOST_CLASSES]


def _precision_recall(scored: Scored, label: object, scale: int) -> str:
    """The precision-recall curves of all systems, of one class."""
    of_class = "" if label is None else f" of {label}"
    n = len(next(iter(scored.scores.values())))
    caption = f"Precision against recall{escaped(of_class)}, a point per distinct score (n = {n:,})"
    chart = precision_recall_chart(
        scored.scores, scale, label, lambda system: View("errors", system=system, kind=EVERY).href()
    )
    return figure(caption, chart)


def _by_threshold(analysis: Analysis, label: object, scale: int) -> str:
    scored = analysis.main
    systems = scored.scores
    curves = {system: scored.family.telling.precision_recall(scores, label) for system, scores in systems.items()}
    ends = [end for _, _, thresholds in curves.values() for end in (*thresholds[:1], *thresholds[-1:])]
    if not ends:
        return ""
    limits = threshold_limits(ends)
    lines = {}
    for system, (precision, recall, thresholds) in curves.items():
        for name, values in (("precision", precision), ("recall", recall)):
            named = f"{system}: {name}" if len(systems) > 1 else name
            # From the highest threshold down: a value holds above the next lower score, the value of the lowest below it too.
            ends = [*thresholds[::-1], limits[0]]
            heights = scale * np.array([*values[:-1][::-1], values[0]])
            to_all = View("errors", system=system, kind=EVERY).href()
            lines[named] = ChartLine(ends, heights, href=to_all, at=_score_hrefs(analysis, system, ends))
    of_class = "" if label is None else f" of {label}"
    chart = line_chart(
        lines,
        title=f"Precision and recall by threshold{of_class}",
        x_label="Threshold",
        y_label="Precision, recall",
        x_limits=None if limits[0] == limits[1] else limits,
        y_limits=(0, scale),
        steps=True,
        write_x="{:.3g}".format,
        write_y=rate_writer(scale),
    )
    n = len(next(iter(systems.values())))
    return figure(f"Precision and recall at every threshold{escaped(of_class)} (n = {n:,})", chart)


def _score_hrefs(analysis: Analysis, system: str, thresholds: Sequence[float]) -> Callable[[int], str]:
    """The address of what has at least the score of a threshold, by its place; "" where examples have a score per class."""
    has_score = analysis.telling.score_and_label(analysis.scores(system)) is not None

    def href(place: int) -> str:
        view = View("errors", system=system, slice=f"{score_from(thresholds[place])}:yes")
        return view.href() if has_score else ""

    return href
