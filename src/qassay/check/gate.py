"""Judges a new system by margins, and writes the decision as lines, Markdown for a pull request, JUnit and JSON."""

import dataclasses
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

from ..core.columns import counted
from ..core.interval_settings import Intervals
from ..core.shown import on_one_line, shown, visible
from ..core.text_tables import TextTable, columns_of, text_table
from ..files.scored import Scored
from ..results.plain_data import json_text, plain
from ..results.writers import escape_markdown, markdown_code, markdown_table
from ..stats.absent import common_text
from ..stats.margin import MarginVerdict, judge_margins
from ..stats.remarks import note_lines
from ..stats.systems import answered_examples

_SIGNS = {"not worse": "✅", "worse": "❌", "too few examples": "⚠️"}
_MEANING = (
    "Passed: the whole interval of the difference is above minus the margin. A system that is worse by the whole margin passes "
    "with a probability of about {chance:.2g} %. Worse: the whole interval is below it. Too few examples: neither."
)


@dataclasses.dataclass(frozen=True)
class GateReport:
    """The decision of a gate about a new system, for every output format.

    Attributes:
        verdicts: one per measure; the system passes if it is not worse by any measure.
        metric: the name of the metric. signature: the signature of both systems.
        remarks: further remarks in words.
        command: the command line that repeats the gate; "" without one.
    """

    verdicts: Sequence[MarginVerdict]
    metric: str
    signature: str
    remarks: Sequence[str] = ()
    command: str = ""

    @property
    def passes(self) -> bool:
        """Whether the new system is not worse by any measure."""
        return all(verdict.is_not_worse for verdict in self.verdicts)


def judge_gate(
    scored: Scored,
    margins: Sequence[tuple[str, float]],
    intervals: Intervals = Intervals(),
    *,
    common: bool = False,
    count_absent: bool = False,
    command: str = "",
) -> GateReport:
    """Judge a new system against an old one by the margin of each measure.

    Args:
        scored: the old system and the new one, in this order.
        margins: measures, each with its margin.
        intervals, common, count_absent: as in `judge_margins` and `answered_examples`.

    Raises:
        TypeError, ValueError: as `judge_margins`.
    """
    examples_name = scored.family.about.examples_name
    systems, unmatched = answered_examples(
        scored.scores, common=common, count_absent=count_absent, examples_name=examples_name
    )
    old, new = systems.items()
    verdicts = judge_margins(systems, margins, intervals, common=common)
    lines = note_lines(systems)
    if any(len(systems[name]) < len(scores) for name, scores in scored.scores.items()):
        lines.insert(0, f"judged by {common_text(systems, unmatched, examples_name)}")
    if all(verdict.has_no_change for verdict in verdicts):
        lines.append(f"{old[0]} and {new[0]} have the same values in every example; are they the files that you meant?")
    cautions: dict[str, list[str]] = {}
    for verdict in verdicts:
        for line in verdict.cautions:
            cautions.setdefault(line, []).append(verdict.difference.measure)
    lines += [f"{line}: {', '.join(measures)}" for line, measures in cautions.items()]
    return GateReport(verdicts, scored.family.name, new[1].signature(), lines, command)


def verdict_word(verdict: MarginVerdict) -> str:
    """One of "not worse", "worse" and "too few examples"."""
    return "not worse" if verdict.is_not_worse else "worse" if verdict.is_worse else "too few examples"


def gate_lines(report: GateReport) -> str:
    """The decision as text, a line per measure."""
    lines = []
    for verdict in report.verdicts:
        line = f"{'passed' if verdict.is_not_worse else 'failed'}: {verdict.headline} ({verdict.numbers})"
        if not verdict.is_not_worse and not verdict.is_worse:
            needed = (
                f": {verdict.needed_text}"
                if verdict.needed_text
                else ", and the difference found is not below the margin"
            )
            line += f"; too few examples to exclude it{needed}"
        lines.append(f"{on_one_line(line)}\n")
    return "".join(lines)


# --- Markdown ---------------------------------------------------------------------------------------------------------


def gate_markdown(report: GateReport) -> str:
    """The decision as Markdown, for a comment on a pull request."""
    first = report.verdicts[0].difference
    sign, word = ("✅", "is not worse than") if report.passes else ("❌", "did not pass against")
    lines = [f"### {sign} {escape_markdown(first.second)} {word} {escape_markdown(first.first)}", ""]
    lines += markdown_table(_table(report.verdicts))
    notes = [f"{one.difference.measure}: {one.needed_text}" for one in report.verdicts if one.needed_text]
    for verdict in report.verdicts:
        if verdict.losses:
            losses = ", ".join(f"{_id_text(identifier)} {change:+.4f}" for identifier, change in verdict.losses)
            notes.append(f"largest losses of {verdict.difference.measure}: {losses}")
    lines += [f"- {escape_markdown(line)}" for line in (*notes, *report.remarks)]
    codes = [markdown_code(text) for text in (report.signature, report.command) if text]
    lines += ["", "<details><summary>what this means and how to make it again</summary>", ""]
    lines += [
        _MEANING.format(chance=50 * (1 - report.verdicts[0].confidence)),
        "",
        "  \n".join(codes),
        "",
        "</details>",
        "",
    ]
    return "\n".join(lines)


def _table(verdicts: Sequence[MarginVerdict]) -> TextTable:
    first = verdicts[0].difference
    level = f"{100 * verdicts[0].confidence:g} % interval"
    numbers = ["n", first.first, first.second, "difference", level, "margin"]
    columns = [("measure", "left"), *columns_of("right", numbers), ("verdict", "left")]
    cells = []
    for verdict in verdicts:
        found, word = verdict.difference, verdict_word(verdict)
        n = f"{found.n:,}" + (f" in {counted(found.n_groups, 'groups')}" if found.n_groups is not None else "")
        row = [found.measure, n, *(f"{value:.4f}" for value in found.values), f"{found.difference:+.4f}"]
        row += [" to ".join(f"{end:+.4f}" for end in found.interval), f"{verdict.margin:g}", f"{_SIGNS[word]} {word}"]
        cells.append(row)
    return text_table(columns, cells)


def _id_text(identifier: Any) -> str:
    return identifier if isinstance(identifier, str) and len(identifier) <= 60 else shown(identifier)


# --- for programs -----------------------------------------------------------------------------------------------------


def gate_json(report: GateReport) -> str:
    """The decision as JSON, with all numbers."""
    tree = {
        "passed": report.passes,
        "metric": report.metric,
        "signature": report.signature,
        "command": report.command,
        "verdicts": [_verdict_tree(verdict) for verdict in report.verdicts],
        "remarks": list(report.remarks),
    }
    return json_text(plain(tree))


def _verdict_tree(verdict: MarginVerdict) -> dict[str, Any]:
    found = verdict.difference
    losses = [
        {"id": one if isinstance(one, (str, int)) else str(one), "change": change} for one, change in verdict.losses
    ]
    return {
        "measure": found.measure,
        "verdict": verdict_word(verdict),
        "passed": verdict.is_not_worse,
        "margin": verdict.margin,
        "confidence": verdict.confidence,
        "n_needed": verdict.n_needed,
        "difference": {**dataclasses.asdict(found), "method": found.interval.method},
        "losses": losses,
    }


def gate_junit(report: GateReport) -> str:
    """The decision as JUnit XML for CI servers, a test case per measure."""
    failed = [verdict for verdict in report.verdicts if not verdict.is_not_worse]
    counts = {"tests": str(len(report.verdicts)), "failures": str(len(failed)), "errors": "0", "skipped": "0"}
    root = ElementTree.Element("testsuites", {"name": "qassay check", **counts})
    suite = ElementTree.SubElement(root, "testsuite", {"name": f"qassay check {report.metric}", **counts})
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in (("signature", report.signature), ("command", report.command)):
        ElementTree.SubElement(properties, "property", {"name": name, "value": on_one_line(value)})
    for verdict in report.verdicts:
        named = {"classname": f"qassay.{report.metric}", "name": verdict.difference.measure}
        case = ElementTree.SubElement(suite, "testcase", {**named, "time": "0"})
        if verdict.is_not_worse:
            ElementTree.SubElement(case, "system-out").text = visible(str(verdict))
        else:
            about = {"type": verdict_word(verdict), "message": on_one_line(verdict.headline)}
            ElementTree.SubElement(case, "failure", about).text = visible(str(verdict))
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'
