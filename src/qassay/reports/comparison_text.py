"""A comparison as text: for the terminal, as Markdown, LaTeX, CSV or JSON."""

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Any

from ..core.intervals import INTERVAL_WORDS
from ..core.shown import visible
from ..stats.difference import Difference, p_text
from .comparison import (
    OF_RANKS,
    Change,
    ComparisonReport,
    Disagreement,
    RemarkOnTexts,
    by_pair,
    is_least,
    ranked_measures,
    rests_on_few,
    tests_in_words,
)
from .interval_text import interval_text, level_text, methods_text, over_groups
from .rank_tables import rank_notes, rank_tables
from .run_tables import run_tables
from .tables import (
    Field,
    TextColumn,
    TextTable,
    csv_text,
    cut_text,
    escape_markdown,
    json_text,
    latex_text,
    markdown_table,
    markdown_text,
    short_names,
    terminal_text,
)
from .values import words_of_method
from .values_text import (
    ABSENT,
    footer_lines,
    in_one_group,
    interval_settings,
    number_text,
    signed_by,
    system_numbers,
    value_field,
    value_lines,
    value_tables,
)

_TEXT_WIDTH = 100  # characters of a line of a question or an answer without a given width


def render_comparison(
    report: ComparisonReport, form: str, *, width: int | None = None, color: bool = False, n_texts: int = 3
) -> str:
    """A comparison as text, ending with a line break.

    Args:
        form: "table", "markdown", "latex", "csv", "json", "html", or "one-page" for HTML that prints on one page of A4.
        width: of a terminal, in characters; None: no limit.
        color: a table with ANSI colours.
        n_texts: the number of losses and of gains shown with texts, in a table and in Markdown.
    """
    if form == "html":
        from .comparison_page import comparison_page

        return comparison_page(report)
    if form == "one-page":
        from .one_page import one_page

        return one_page(report)
    if form == "csv":
        return _csv(report)
    if form == "json":
        return _json(report)
    tables = [*_difference_tables(report), *rank_tables(report), *_slice_tables(report), *_kind_tables(report)]
    notes, signatures = _notes(report, bool(n_texts) and form != "latex"), list(report.report.signatures.values())
    if form == "table":
        lines = list(_text_lines(report, n_texts, width or _TEXT_WIDTH))
        return terminal_text([*value_tables(report.report), *tables], lines, [*notes, *signatures], width, color)
    values, marks = _values_table(report), _marks_note(report)
    tables += run_tables(report.report)
    if form == "latex":
        return latex_text([values, *tables], [marks, *notes, *signatures])
    lines = [line for table in (values._replace(title=""), *tables) for line in markdown_table(table)]
    return markdown_text([*lines, *_markdown_texts(report, n_texts)], [marks, *notes], signatures)


def verdict(difference: Difference, report: ComparisonReport) -> str:
    """Whether the second system is "better" or "worse"; "" if the difference may be chance."""
    if not difference.is_significant(report.report.intervals.confidence) or difference.better is None:
        return ""
    return "better" if difference.better == difference.second else "worse"


# --- tables -----------------------------------------------------------------------------------------------------------


def _pair_title(pair: tuple[str, str]) -> str:
    return f"{pair[1]} − {pair[0]}"


def _difference_text(value: float, difference: Difference, report: ComparisonReport) -> str:
    text = number_text(value, difference.is_rate, report.report.scale)
    return text if text.startswith(("-", ABSENT)) else f"+{text}"


def _interval_text(difference: Difference, report: ComparisonReport) -> str:
    return (
        " to ".join(_difference_text(end, difference, report) for end in difference.interval)
        if difference.n
        else ABSENT
    )


def _verdict_field(difference: Difference, report: ComparisonReport) -> Field:
    word = verdict(difference, report)
    return Field(word or ABSENT, color={"better": "green", "worse": "red"}.get(word, ""))


def _values_table(report: ComparisonReport) -> TextTable:
    """The values of all systems, best in bold, with marks of the systems that are significantly worse."""
    systems = list(report.report.systems)
    letters = _letters(systems)
    rows = []
    for line in value_lines(report.report.systems, systems):
        of_measure = [difference for difference in report.differences if difference.measure == line.measure]
        lower = any(difference.lower_is_better for difference in of_measure)
        values = [cell.value for cell in line.cells if cell is not None and not math.isnan(cell.value)]
        best = (min if lower else max)(values, default=math.nan)
        row = [Field(line.measure), Field(line.n)]
        for system, cell in zip(systems, line.cells, strict=True):
            beaten = [
                letters[difference.first if difference.second == system else difference.second]
                for difference in of_measure
                if difference.is_significant(report.report.intervals.confidence) and difference.better == system
            ]
            mark = "".join(sorted(beaten)) if len(systems) > 2 else "*" * bool(beaten)
            is_best = cell is not None and cell.value == best and len(set(values)) > 1
            row.append(value_field(cell, report.report)._replace(bold=is_best, mark=mark))
        rows.append(row)
    heads = [f"{system} ({letters[system]})" if len(systems) > 2 else system for system in systems]
    return TextTable("values", _columns(["measure"], ["n", *heads]), rows)


def _columns(texts: Sequence[str], numbers: Sequence[str]) -> list[TextColumn]:
    return [*(TextColumn(head, "text") for head in texts), *(TextColumn(head, "number") for head in numbers)]


def _letters(systems: Sequence[str]) -> dict[str, str]:
    return {system: chr(ord("a") + place) if place < 26 else str(place) for place, system in enumerate(systems)}


def _difference_tables(report: ComparisonReport) -> Iterator[TextTable]:
    """The differences of each pair of systems, with intervals and p-values."""
    in_groups = any(difference.n_groups is not None for difference in report.differences)
    head = [
        "n",
        *(["groups"] if in_groups else []),
        "difference",
        level_text(report.report),
        "p",
        "verdict",
        "better",
        "equal",
        "worse",
        "effect",
        "n needed",
    ]
    for pair, differences in by_pair(report.differences).items():
        rows = []
        for difference in differences:
            effect, counts = difference.effect_size, (difference.wins, difference.ties, difference.losses)
            more = [*counts, None if effect is None else f"{effect:+.3f}", difference.n_needed]
            rows.append(
                [
                    Field(difference.measure),
                    Field(str(difference.n)),
                    *([Field(str(difference.n_groups))] if in_groups else []),
                    *_difference_fields(difference, report),
                    *(Field(ABSENT if one is None else str(one)) for one in more),
                ]
            )
        yield TextTable(_pair_title(pair), _columns(["measure"], head), rows)


def _difference_fields(difference: Difference, report: ComparisonReport) -> list[Field]:
    """The difference, its interval, p and the verdict."""
    return [
        Field(_difference_text(difference.difference, difference, report)),
        Field(_interval_text(difference, report)),
        Field(p_text(difference.p_adjusted, is_least(report, difference))),
        _verdict_field(difference, report),
    ]


def _slice_tables(report: ComparisonReport) -> Iterator[TextTable]:
    head = ["difference", level_text(report.report), "p", "verdict"]
    for name, labels in report.slices.items():
        for pair in by_pair(difference for group in labels.values() for difference in group):
            rows: list[Any] = []
            groups: list[int] = []
            for label, differences in labels.items():
                group = by_pair(differences).get(pair, [])
                groups += [len(rows)] if rows and group else []
                for place, difference in enumerate(group):
                    values = [
                        number_text(value, difference.is_rate, report.report.scale) for value in difference.values
                    ]
                    rows.append(
                        [
                            Field("" if place else label),
                            Field(difference.measure),
                            Field(
                                f"{difference.n}{in_one_group([difference])}{'*' if rests_on_few(difference) else ''}"
                            ),
                            *map(Field, values),
                            *_difference_fields(difference, report),
                        ]
                    )
            yield TextTable(
                f"by {name}: {_pair_title(pair)}", _columns([name, "measure"], ["n", *pair, *head]), rows, groups
            )


def _kind_tables(report: ComparisonReport) -> Iterator[TextTable]:
    """Kinds of errors: the number of examples of each system."""
    for metric, systems in report.kinds.items():
        kinds = list(next(iter(systems.values())))
        totals = {system: sum(counts.values()) for system, counts in systems.items()}
        rows = [
            [Field(kind)]
            + [
                Field(f"{counts[kind]} ({100 * counts[kind] / max(1, totals[system]):.1f} %)")
                for system, counts in systems.items()
            ]
            for kind in kinds
        ]
        title = "kinds of errors" + (f": {metric}" if len(report.kinds) > 1 else "")
        yield TextTable(title, _columns([""], list(systems)), rows)


def _notes(report: ComparisonReport, has_texts: bool) -> list[str]:
    """The lines below the tables, except the signatures."""
    remarks = [line for line in report.remarks if has_texts or not isinstance(line, RemarkOnTexts)]
    few = any(
        rests_on_few(difference)
        for labels in report.slices.values()
        for group in labels.values()
        for difference in group
    )
    return [*remarks, *footer_lines(report.report, few), how_tested(report), *rank_notes(report)]


def how_tested(report: ComparisonReport) -> str:
    """How the p-values and intervals were made, in one sentence."""
    inner = report.report
    tested = len([difference for difference in report.differences if difference.n])
    usual = f"corrected by {report.correction.title()} over the {tested} of the table"
    correction = "not corrected" if report.correction == "none" else usual
    ranked, all_ranked = ranked_measures(report)
    if all_ranked:
        correction = f"corrected for {OF_RANKS}"
    elif ranked:
        correction += f", but {ranked} for {OF_RANKS}"
    return (
        f"p: paired, two-sided, {tests_in_words(report)}; {correction}"
        + (", in slices over the tests of the slicing" if report.slices else "")
        + f"; verdict where p < {1 - inner.intervals.confidence:.3g}; {_intervals_made(report)}, not corrected; seed {inner.intervals.seed}"
    )


def _intervals_made(report: ComparisonReport) -> str:
    """How the intervals of values and of differences were found."""
    inner = report.report
    found = [words_of_method(difference.interval) for difference in report.differences if difference.n]
    of_differences = ", ".join(filter(None, dict.fromkeys(found)))
    of_values = methods_text(inner.systems.values())
    if of_differences not in ("", of_values):
        of_values += f", of differences: {of_differences}"
    drawn = f", {inner.intervals.n_resamples:,} resamples" if INTERVAL_WORDS["percentile"] in of_values else ""
    return f"intervals{over_groups(inner)}: {of_values}{drawn}" if of_values else "intervals"


# --- texts ------------------------------------------------------------------------------------------------------------


def _text_lines(report: ComparisonReport, n_texts: int, width: int) -> Iterator[str]:
    for change, what, shown in _largest(report, n_texts):
        count = int((change.changes < 0 if (what == "losses") != change.lower_is_better else change.changes > 0).sum())
        of = f" ({n_texts} of {count})" if count > n_texts else ""
        yield visible(f"largest {what} of {change.second} against {change.first}, {change.measure}{of}")
        for example in shown:
            yield from _example_lines(example, change, report.report.scale, width)
        yield ""


def _largest(report: ComparisonReport, n_texts: int) -> Iterator[tuple[Change, str, list[Disagreement]]]:
    """The losses and the gains to show of each change; changes without any are omitted."""
    for change in report.changes if n_texts else ():
        for what, shown in (("losses", change.losses), ("gains", change.gains)):
            if shown:
                yield change, what, shown[:n_texts]


def _sides(example: Disagreement, change: Change) -> Iterator[tuple[str, str]]:
    """The gold answer and the answers of both systems, by name, each in one line."""
    yield "gold", " | ".join(example.gold) or ABSENT
    yield change.first, _joined(example.answers[0])
    yield change.second, _joined(example.answers[1])


def _example_lines(example: Disagreement, change: Change, scale: int, width: int) -> Iterator[str]:
    names = short_names(["gold", change.first, change.second])
    wide = max(map(len, names))
    identifier = cut_text(example.id, width)
    yield f"  {identifier}  {cut_text(example.question or '', max(20, width - len(identifier) - 4))}"
    for place, (name, (_, text)) in enumerate(zip(names, _sides(example, change), strict=True)):
        value = number_text(example.values[place - 1], True, scale) if place else ""
        kind = f"  ({example.kinds[place - 1]})" if place and example.kinds else ""
        room = max(20, width - wide - len(kind) - 15)
        yield f"    {name:<{wide}}  {value:>7}  {cut_text(text, room)}{kind}"


def _joined(answers: Sequence[str]) -> str:
    """The answers of one system in one line."""
    return " / ".join(answer or "(no answer)" for answer in answers) or ABSENT


def _markdown_texts(report: ComparisonReport, n_texts: int) -> Iterator[str]:
    for change, what, shown in _largest(report, n_texts):
        yield f"**Largest {what} of {escape_markdown(f'{change.second}, {change.measure}')}**"
        yield ""
        for example in shown:
            asked = f": {escape_markdown(example.question)}" if example.question else ""
            yield f"- {escape_markdown(example.id)}{asked}"
            for name, text in _sides(example, change):
                yield f"  - {escape_markdown(name)}: {escape_markdown(text)}"
        yield ""


def _marks_note(report: ComparisonReport) -> str:
    """What bold and the marks in the table of values mean."""
    sure = f"significantly better (p < {1 - report.report.intervals.confidence:.3g})"
    intervals = f"In brackets: {interval_text(report.report)}."
    if len(report.report.systems) == 2:
        return f"Bold: the better value; *: {sure}. {intervals}"
    return f"Bold: the best value; letters: {sure} than the systems of these letters. {intervals}"


# --- data -------------------------------------------------------------------------------------------------------------


def _csv(report: ComparisonReport) -> str:
    """One row per pair of systems, slice and measure; the slice is empty for all examples."""
    head = (
        "slice label measure first second n left_out first_value first_low first_high second_value second_low "
        "second_high difference low high p_value p_adjusted test wins ties losses effect_size n_needed interval_method n_groups groups_needed cautions"
    )
    rows = []
    for name, label, diff in _all_differences(report):
        (a, b), (of_a, of_b) = diff.values, diff.intervals
        row = [name, label, diff.measure, diff.first, diff.second, diff.n, diff.left_out, a, *of_a, b, *of_b]
        row += [diff.difference, *diff.interval, diff.p_value, diff.p_adjusted, diff.test]
        row += [diff.wins, diff.ties, diff.losses, diff.effect_size, diff.n_needed, diff.interval.method]
        rows.append([*row, diff.n_groups, diff.groups_needed, " ".join(diff.cautions)])
    return csv_text(head.split(), rows)


def _all_differences(report: ComparisonReport) -> Iterator[tuple[str | None, str | None, Difference]]:
    for difference in report.differences:
        yield None, None, difference
    for name, labels in report.slices.items():
        for label, group in labels.items():
            for difference in group:
                yield name, label, difference


def _json(report: ComparisonReport) -> str:
    """Everything except the change of each example."""
    inner = report.report
    tree = {
        **signed_by(inner),
        "scale": inner.scale,
        "test": report.test,
        "correction": report.correction,
        "n_permutations": report.n_permutations,
        "interval": interval_settings(inner),
        "systems": system_numbers(inner),
        "differences": [difference.to_dict() for difference in report.differences],
        "slices": {
            name: {label: [difference.to_dict() for difference in group] for label, group in labels.items()}
            for name, labels in report.slices.items()
        },
        **({"rankings": [ranking.to_dict() for ranking in report.rankings]} if report.rankings else {}),
        "error_kinds": report.kinds,
        "disagreements": [
            {
                "metric": change.metric,
                "measure": change.measure,
                "first": change.first,
                "second": change.second,
                "losses": list(map(dataclasses.asdict, change.losses)),
                "gains": list(map(dataclasses.asdict, change.gains)),
            }
            for change in report.changes
        ],
        "remarks": [*report.remarks, *inner.remarks],
        "command": report.command,
    }
    return json_text(tree)
