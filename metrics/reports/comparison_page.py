"""A comparison of systems as one HTML file that needs nothing else: no network, no script, no other file."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from karat.core.comparison import Difference
from karat.reports import charts, token_difference
from karat.reports.charts import Mark, Row, change_chart, escaped, interval_chart, stacked_bars
from karat.reports.comparison import Change, ComparisonReport, Disagreement
from karat.reports.token_difference import closest_gold, mark_difference
from karat.reports.values import FEW, Cell
from karat.reports.values_text import number_text

_ABSENT = "–"
_EXAMPLES = {
    "answer_match": "questions",
    "factoid_accuracy": "questions",
    "retriever_reader": "questions",
    "retrieval_ranking": "queries",
}
_TALL = 20  # rows from which a table scrolls in a box of its own
_CHARTED = 24  # measures in the chart of differences; the others fold
_SHOWN_CARDS = 4  # examples of a list; the others fold
_SHOWN_GOLDS = 5
_BETWEEN, _NO_ANSWER = " / ", "(no answer)"  # of several answers to one question in one text
_LONG = 320  # characters of a text that may have to scroll
_SHOWN_VERDICTS = 6
_SHOWN_PAIRS = 4  # pairs of systems; the others fold
_TITLED = 3  # systems named in the title

_CSS = """
:root{--ground:#ffffff;--panel:#f5f7fa;--text:#1d2330;--faint:#596273;--line:#d9dde4;--link:#0b57a0;
--good:#0b62ab;--bad:#b84300;--unsure:#596273;color-scheme:light dark}
@media screen and (prefers-color-scheme:dark){:root{--ground:#161a21;--panel:#1f252f;--text:#e6e9ef;--faint:#a9b2c1;
--line:#3a4252;--link:#86c1fb;--good:#6cb6f5;--bad:#f59a5b;--unsure:#a9b2c1}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--text);line-height:1.55;
font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Noto Sans",sans-serif}
.frame{max-width:78rem;margin:0 auto;padding:0 1.5rem}
header{background:var(--panel);border-bottom:1px solid var(--line);padding:2.25rem 0 1.25rem}
h1{font-size:1.9rem;line-height:1.2;margin:.1rem 0 .6rem;letter-spacing:-.01em}
h2{font-size:1.35rem;line-height:1.3;margin:0 0 .9rem;letter-spacing:-.005em}
h3{font-size:1.08rem;line-height:1.35;margin:1.9rem 0 .7rem}
h4{font-size:1rem;margin:1.4rem 0 .6rem}
h1,h2,h3,h4,p,li,summary,dd,figcaption{overflow-wrap:anywhere}
th{overflow-wrap:break-word}
p{margin:.5rem 0}
.eyebrow{color:var(--faint);font-size:.85rem;margin:0}
.faint,figcaption,caption,.notes{color:var(--faint);font-size:.9rem}
section{padding:2.4rem 0 .4rem}
section+section{border-top:1px solid var(--line);margin-top:1.6rem}
a{color:var(--link)}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;margin:.8rem 0 0;padding:0;font-size:.92rem}
nav a{display:inline-block;padding:.25rem 0}
:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:2px}
code,pre,.id{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:.9em}
code{overflow-wrap:anywhere}
pre{background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:.8rem 1rem;white-space:pre-wrap;
overflow-wrap:anywhere;user-select:all;-webkit-user-select:all}
.scroll{overflow-x:auto;max-width:100%;margin:.8rem 0 1.2rem}
.tall{max-height:36rem;overflow-y:auto;border-bottom:1px solid var(--line)}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.92rem;line-height:1.35}
caption{text-align:left;padding:0 0 .5rem;caption-side:top}
caption span{position:sticky;left:0;display:inline-block;max-width:min(70ch,calc(100vw - 4rem))}
th,td{padding:.42rem .55rem;text-align:right;vertical-align:top;border-bottom:1px solid var(--line)}
thead th{border-bottom:2px solid var(--line);vertical-align:bottom;font-weight:600;background:var(--ground)}
.tall thead th{position:sticky;top:0;z-index:2}
thead th{max-width:13rem;min-width:3.2rem}
th:first-child,td:first-child{text-align:left;padding-left:0}
tbody th{font-weight:500;position:sticky;left:0;background:var(--ground);z-index:1;max-width:16rem;min-width:6rem}
td{white-space:nowrap}
td .sub,th .sub{display:block;color:var(--faint);font-size:.86em;font-weight:400}
td.words,th.words{text-align:left}
td.words{white-space:normal;overflow-wrap:break-word;max-width:13rem;min-width:5.5rem}
td.words.line{white-space:nowrap}
.good{color:var(--good)}.bad{color:var(--bad)}.unsure{color:var(--unsure)}
.verdicts{list-style:none;margin:.6rem 0;padding:0;display:grid;gap:.7rem}
.verdicts li{background:var(--panel);border-left:4px solid var(--unsure);border-radius:0 6px 6px 0;padding:.7rem 1rem}
.verdicts li.real{border-left-color:var(--good)}
.verdicts .word{font-weight:600}
.grid{display:grid;gap:.4rem 2.5rem;grid-template-columns:repeat(auto-fit,minmax(min(24rem,100%),1fr));
align-items:start}
figure{margin:.6rem 0 1rem;max-width:32rem;min-width:0}
.reading{align-self:start;max-width:34rem}
figcaption{margin:0 0 .6rem;color:var(--text)}
.key{display:flex;flex-wrap:wrap;gap:.1rem 1.1rem;margin:.3rem 0;padding:0;list-style:none;
color:var(--faint);font-size:.9rem}
.key svg{display:inline-block;width:.95em;height:.95em;vertical-align:-.1em;margin-right:.35em}
details{border:1px solid var(--line);border-radius:6px;margin:.8rem 0;padding:0 1rem}
details[open]{padding-bottom:.6rem}
summary{cursor:pointer;padding:.6rem 0;font-weight:600}
.cards{display:grid;gap:1rem;grid-template-columns:repeat(auto-fill,minmax(min(30rem,100%),1fr));align-items:start}
article{border:1px solid var(--line);border-radius:8px;padding:.9rem 1.1rem;min-width:0}
article .head{margin:0 0 .3rem;max-height:9rem;font-size:1rem;line-height:1.4;overflow-wrap:anywhere;
white-space:pre-wrap}
article dl{margin:.2rem 0 0}
article dt{margin-top:.6rem;color:var(--faint);font-size:.86rem;overflow-wrap:anywhere}
article dd{margin:0}
.values{font-variant-numeric:tabular-nums;font-size:.92rem;margin:.1rem 0}
.text{white-space:pre-wrap;overflow-wrap:anywhere;max-height:15rem;overflow-y:auto;display:block}
.line{white-space:nowrap}
.golds{margin:0;padding:0;list-style:none}
.ranked{margin:0;padding-inline-start:1.6rem}
.none{color:var(--faint);font-style:italic}
.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
dl.made{display:grid;grid-template-columns:minmax(7rem,max-content) 1fr;gap:.4rem 1.5rem}
dl.made dt{color:var(--faint)}dl.made dd{margin:0;min-width:0}
footer{color:var(--faint);font-size:.85rem;padding:2rem 0 3rem}
@media (max-width:40rem){.frame{padding:0 1rem}h1{font-size:1.5rem}header{padding-top:1.4rem}section{padding-top:1.8rem}
th,td{padding:.4rem .55rem}tbody th{max-width:8.5rem}details{padding:0 .75rem}
dl.made{grid-template-columns:1fr;gap:.1rem}
dl.made dd{margin-bottom:.6rem}}
@media print{nav{display:none}.frame{max-width:none;padding:0}section+section{margin-top:.8rem}
.scroll,.tall,.text{overflow:visible;max-height:none}article,figure,tr,.verdicts li{break-inside:avoid}
h2,h3,h4,summary{break-after:avoid}details{border:0;padding:0}
details::details-content{content-visibility:visible;display:block;block-size:auto}
body{font-size:.85rem}table{font-size:.62rem}th,td{padding:.2rem .3rem}thead th,tbody th{min-width:0}
td,td.words.line{white-space:normal}tbody th,.tall thead th{position:static}}
@page{margin:14mm}
"""

Pair = tuple[str, str]


class Reading(NamedTuple):
    """What a difference says: which system is better (None: neither), and whether more than chance is behind it."""

    better: str | None
    worse: str | None
    real: bool


def comparison_page(report: ComparisonReport) -> str:
    """The comparison as a page: verdicts, tables, charts, examples to read and how it was made.

    Numbers have the decimals of the other renderings. The file asks for nothing outside itself, has no script, follows
    the reader's light or dark colours, and fits a phone and paper. Sections without content are left out.

    Returns:
        HTML that can be written as UTF-8 whatever the texts hold.
    """
    page = _Page(report)
    parts = [
        ("verdict", "Verdict", page.verdict()),
        ("measures", "All measures", page.measures()),
        ("differences", "Differences", page.differences()),
        ("kinds", "Kinds of errors", page.kinds()),
        ("slices", "Slices", page.slices()),
        ("changes", "Example by example", page.changes()),
        ("examples", "Examples to read", page.examples()),
        ("counted", "What was counted", page.counted()),
        ("made", "How it was made", page.made()),
    ]
    shown = [part for part in parts if part[2]]
    links = "".join(f'<li><a href="#{anchor}">{name}</a></li>' for anchor, name, _ in shown)
    sections = "\n".join(
        f'<section id="{anchor}" aria-labelledby="{anchor}-head"><h2 id="{anchor}-head">{name}</h2>\n{body}</section>'
        for anchor, name, body in shown
    )
    title = page.title()
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'\">"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">'
        f"<title>{escaped(' '.join(title.split()))}</title>\n"
        f"<style>{_CSS}{charts.CSS}{token_difference.CSS}</style></head>\n"
        f'<body><header><div class="frame"><p class="eyebrow">Comparison of systems</p><h1>{_isolated(title)}</h1>'
        f'<p class="faint">{page.subtitle()}</p><nav aria-label="Sections"><ul>{links}</ul></nav></div></header>\n'
        f'<main class="frame">{sections}</main>\n'
        '<footer><div class="frame">Made by karat. This file is complete in itself and sends nothing anywhere.</div>'
        "</footer></body></html>\n"
    )


class _Page:
    """The sections of the page of one report, each as HTML; "" for one without content."""

    def __init__(self, data: ComparisonReport):
        self.data = data
        self.report = data.report
        self.systems = list(data.report.systems)
        self.pairs: list[Pair] = list(dict.fromkeys((d.first, d.second) for d in data.differences))
        self.by_pair = {
            pair: {d.measure: d for d in data.differences if (d.first, d.second) == pair} for pair in self.pairs
        }
        level = self.report.level
        self.alpha = 0.05 if level is None else round(1 - level, 10)
        self.interval_name = "interval" if level is None else f"{100 * level:g}\u00a0% interval"
        self.corrected = data.correction not in ("", "none")
        named = {_EXAMPLES.get(metric, "examples") for metric in self.report.signatures}
        self.examples_name = named.pop() if len(named) == 1 else "examples"
        self.names = list(
            dict.fromkeys(
                [name for cells in self.report.systems.values() for name in cells]
                + [difference.measure for difference in data.differences]
            )
        )
        self.lower = {difference.measure for difference in data.differences if difference.lower_is_better}

    # --- numbers ---

    def write(self, value: float | None, kind: Cell | Difference) -> str:
        """A number as the other renderings write it, with a true minus; counts without decimals."""
        if value is None or not math.isfinite(value):
            return _ABSENT
        if not kind.is_rate and float(value).is_integer():
            return f"{int(value):,}".replace("-", "−")
        text = number_text(value, kind.is_rate, self.report.scale)
        return (text if text.strip("-0.") else text.lstrip("-")).replace("-", "−")

    def signed(self, value: float | None, kind: Cell | Difference) -> str:
        text = self.write(value, kind)
        return f"+{text}" if _finite(value) and value > 0 and text.strip("0.") else text

    def ends(self, interval: tuple[float, float] | None, write: Callable[[float], str]) -> str:
        if interval is None or not all(map(_finite, interval)):
            return ""
        return " to ".join(map(write, interval))

    def read(self, difference: Difference) -> Reading:
        change = difference.difference
        if not _finite(change) or change == 0:
            return Reading(None, None, False)
        second_wins = (change > 0) != difference.lower_is_better
        pair = (difference.first, difference.second)
        better, worse = pair[::-1] if second_wins else pair
        return Reading(better, worse, _finite(difference.p_adjusted) and difference.p_adjusted < self.alpha)

    def main_measures(self, pair: Pair) -> list[str]:
        """Those whose changes are shown, else those of the slices, else the first."""
        known = self.by_pair[pair]
        changed = [change.measure for change in self.data.changes if (change.first, change.second) == pair]
        sliced = [d.measure for labels in self.data.slices.values() for ds in labels.values() for d in ds]
        found = [name for name in dict.fromkeys(changed or sliced) if name in known]
        return found or list(known)[:1]

    # --- sections ---

    def title(self) -> str:
        if len(self.systems) <= _TITLED:
            *others, last = self.systems
            joint = " against " if len(others) == 1 else " and "
            return joint.join([", ".join(others), last]) if others else last
        return f"{len(self.systems)} systems compared"

    def subtitle(self) -> str:
        n = max((difference.n for difference in self.data.differences), default=0)
        size = f"{n:,} {_one(n, self.examples_name)}" if n else ""
        gold = f"gold file <code>{escaped(self.data.gold)}</code>" if self.data.gold else ""
        more = ", ".join(map(_isolated, self.systems)) if len(self.systems) > _TITLED else ""
        return " · ".join(part for part in (more, gold, size) if part)

    def verdict(self) -> str:
        order = []
        lines = []
        measures = dict.fromkeys(name for pair in self.pairs for name in self.main_measures(pair))
        for measure in measures:
            if len(self.systems) > 2:
                order.append(self.order(measure))
            if len(self.systems) > _TITLED:
                order.append(self.matrix(measure))
            lines += [
                self.sentence(self.by_pair[pair][measure]) for pair in self.pairs if measure in self.main_measures(pair)
            ]
        shown, folded = lines[:_SHOWN_VERDICTS], lines[_SHOWN_VERDICTS:]
        body = "".join(order) + (f'<ul class="verdicts">{"".join(shown)}</ul>' if shown else "")
        if folded:
            body += _folded(f"{len(folded)} more", f'<ul class="verdicts">{"".join(folded)}</ul>')
        return body

    def order(self, measure: str) -> str:
        cells = {
            system: cells[measure]
            for system, cells in self.report.systems.items()
            if measure in cells and _finite(cells[measure].value)
        }
        ranked = sorted(cells, key=lambda system: cells[system].value, reverse=measure not in self.lower)
        told = ", ".join(f"{_isolated(system)} {self.write(cells[system].value, cells[system])}" for system in ranked)
        return f"<p><strong>{escaped(measure)}</strong>, best first: {told}.</p>" if told else ""

    def matrix(self, measure: str) -> str:
        """Every system against every other in one measure; "" where fewer than half of the pairs were compared."""
        known = {pair: differences[measure] for pair, differences in self.by_pair.items() if measure in differences}
        if 4 * len(known) < len(self.systems) * (len(self.systems) - 1):
            return ""
        rows = []
        for system in self.systems:
            cells = []
            for other in self.systems:
                difference = known.get((other, system)) or known.get((system, other))
                if difference is None:
                    cells.append(f"<td>{_ABSENT}</td>")
                    continue
                reading = self.read(difference)
                sign = 1 if difference.second == system else -1
                text = self.signed(sign * difference.difference, difference)
                tone = "good" if reading.better == system else "bad"
                cells.append(f'<td><span class="{tone}">{text} *</span></td>' if reading.real else f"<td>{text}</td>")
            rows.append(f'<tr><th scope="row">{_isolated(system)}</th>{"".join(cells)}</tr>')
        heads = "".join(f'<th scope="col">{_isolated(other)}</th>' for other in self.systems)
        caption = f"{escaped(measure)}: the system of the row minus that of the column; * likely real"
        return _table(caption, f'<th scope="col">System</th>{heads}', rows)

    def sentence(self, difference: Difference) -> str:
        """The verdict in words, as a list item."""
        reading = self.read(difference)
        measure = f"<strong>{escaped(difference.measure)}</strong>"
        systems = [_isolated(name) for name in (difference.first, difference.second)]
        if not _finite(difference.difference):
            return f"<li>{systems[1]} and {systems[0]} have no {measure} that can be compared.</li>"
        if reading.better is None:
            value = self.write(difference.values[0], difference)
            return f"<li>{systems[1]} and {systems[0]} are equal in {measure} ({value}).</li>"
        swap = reading.better == difference.first
        towards = -1 if difference.difference < 0 else 1  # the amount is told without a sign
        interval = sorted(towards * end for end in difference.interval) if difference.interval else None
        details = []
        if ends := self.ends(interval, lambda end: self.write(end, difference)):
            details.append(f"{self.interval_name} {ends}")
        if _finite(difference.p_adjusted):
            details.append(_p_equation(difference.p_adjusted) + (", adjusted" if self.corrected else ""))
        amount = self.write(abs(difference.difference), difference)
        text = (
            f"{_isolated(reading.better)} is {'better' if reading.real else 'ahead'}"
            f"{' than ' if reading.real else ' of '}{_isolated(reading.worse)} in {measure} by {amount}"
        )
        text += f" ({', '.join(details)})" if details else ""
        if difference.lower_is_better:
            text += "; a lower value is better"
        if difference.wins is not None:
            wins, losses = (difference.wins, difference.losses)[:: -1 if swap else 1]
            text += (
                f"; better in {wins:,} {_one(wins, self.examples_name)}, equal in {difference.ties:,}, "
                f"worse in {losses:,}"
            )
        text += "."
        if reading.real:
            return f'<li class="real"><span class="word good">Likely real.</span> {text}</li>'
        needed = difference.n_needed
        if needed is not None and needed > difference.n:
            text += (
                f" About {needed:,} {_one(needed, self.examples_name)} would be needed to settle a difference of "
                "that size."
            )
        return f'<li><span class="word unsure">Could be chance.</span> {text}</li>'

    def measures(self) -> str:
        if not self.names:
            return ""
        note = f"<p class='faint'>{self.table_note()}</p>"
        if len(self.systems) == 2 and self.pairs:
            return self.pair_table(self.pairs[0], "Values of both systems and their difference") + note
        tables = self.value_table()
        pairs = [(pair, self.pair_table(pair, "Values and difference")) for pair in self.pairs]
        return tables + _per_pair(pairs) + (note if pairs else "")

    def table_note(self) -> str:
        level = f"{self.alpha:g}"
        told = [
            f"The difference is that of the second system minus the first. * p below {level}"
            + (" after the correction" if self.corrected else "")
            + ": likely real. Bold: the better value.",
            f"Better / same / worse: {self.examples_name} in which the second system is.",
            "Effect size: the difference in standard deviations.",
            f"Needed: {self.examples_name} with which a test finds a difference of that size in 4 of 5 cases.",
        ]
        return " ".join(told)

    def value_table(self) -> str:
        heads = "".join(f'<th scope="col">{_isolated(system)}</th>' for system in self.systems)
        rows = []
        for name in self.names:
            cells = [self.report.systems[system].get(name) for system in self.systems]
            best = self.best([cell and cell.value for cell in cells], name)
            sizes = dict.fromkeys(cell.n for cell in cells if cell is not None)
            shown = "".join(
                f"<td>{_ABSENT}</td>" if cell is None else self.value_cell(cell.value, cell.interval, cell, bold)
                for cell, bold in zip(cells, best, strict=True)
            )
            rows.append(
                f"<tr>{self.measure_head(name)}<td>{'/'.join(f'{n:,}' for n in sizes) or _ABSENT}</td>{shown}</tr>"
            )
        caption = f"Values of all systems{self.with_intervals()}; bold: the best"
        return _table(caption, f'<th scope="col">Measure</th><th scope="col">n</th>{heads}', rows)

    def with_intervals(self) -> str:
        return "" if self.report.level is None else f" with {self.interval_name}s"

    def measure_head(self, name: str) -> str:
        lower = '<span class="sub">lower is better</span>' if name in self.lower else ""
        return f'<th scope="row">{escaped(name)}{lower}</th>'

    def best(self, values: Sequence[float | None], name: str) -> list[bool]:
        """Which of the values are the best; none where all are equal, or where more is neither better nor worse."""
        known = [value for value in values if _finite(value)]
        compared = any(d.measure == name and (d.is_rate or d.wins is not None) for d in self.data.differences)
        if not compared or len(set(known)) < 2:
            return [False] * len(values)
        best = (min if name in self.lower else max)(known)
        return [_finite(value) and value == best for value in values]

    def value_cell(
        self, value: float | None, interval: tuple[float, float] | None, kind: Cell | Difference, bold: bool
    ) -> str:
        text = self.write(value, kind)
        ends = self.ends(interval, lambda end: self.write(end, kind))
        sub = f'<span class="sub">{ends}</span>' if ends else ""
        return f"<td>{f'<strong>{text}</strong>' if bold else text}{sub}</td>"

    def pair_table(self, pair: Pair, caption: str) -> str:
        first, second = pair
        cells = [self.report.systems.get(system, {}) for system in pair]
        rows = []
        for name in self.names:
            difference = self.by_pair[pair].get(name)
            if difference is None:
                both = [found.get(name) for found in cells]
                if not any(both):
                    continue
                size = "/".join(f"{n:,}" for n in dict.fromkeys(cell.n for cell in both if cell))
                values = "".join(
                    f"<td>{_ABSENT}</td>" if cell is None else self.value_cell(cell.value, cell.interval, cell, False)
                    for cell in both
                )
                rest = f"<td>{_ABSENT}</td>" * (6 + self.corrected)
                rows.append(f"<tr>{self.measure_head(name)}<td>{size}</td>{values}{rest}</tr>")
                continue
            best = self.best(difference.values, name)
            values = "".join(
                self.value_cell(value, interval, difference, bold)
                for value, interval, bold in zip(difference.values, difference.intervals, best, strict=True)
            )
            rows.append(
                f"<tr>{self.measure_head(name)}<td>{difference.n:,}</td>{values}{self.difference_cells(difference)}"
                f"{self.more_cells(difference)}</tr>"
            )
        heads = (
            '<th scope="col">Measure</th><th scope="col">n</th>'
            f'<th scope="col">{_isolated(first)}</th><th scope="col">{_isolated(second)}</th>{self.difference_heads()}'
            '<th scope="col">Better / same / worse</th>'
            '<th scope="col">Effect size</th><th scope="col">Needed</th>'
        )
        return _table(caption + self.with_intervals(), heads, rows)

    def difference_heads(self) -> str:
        heads = ["Difference", "p"] + (["Adjusted p"] if self.corrected else []) + ["Reading"]
        return "".join(f'<th scope="col"{_WORDY if head == "Reading" else ""}>{head}</th>' for head in heads)

    def difference_cells(self, difference: Difference) -> str:
        reading = self.read(difference)
        signed = self.signed(difference.difference, difference)
        ends = self.ends(difference.interval, lambda end: self.signed(end, difference))
        tone = {None: "", difference.second: "good", difference.first: "bad"}[reading.better]
        value = f'<span class="{tone}">{signed}</span>' if tone and reading.real else signed
        star = " *" if reading.real else ""
        found = [f"<td>{value}{f'<span class=sub>{ends}</span>' if ends else ''}</td>"]
        found.append(f"<td>{_p(difference.p_value)}{'' if self.corrected else star}</td>")
        if self.corrected:
            found.append(f"<td>{_p(difference.p_adjusted)}{star}</td>")
        return "".join([*found, f'<td class="words line">{self.reading_words(difference)}</td>'])

    def reading_words(self, difference: Difference) -> str:
        reading = self.read(difference)
        if reading.better is None:
            return "equal" if _finite(difference.difference) else _ABSENT
        if not _finite(difference.p_adjusted):
            return _ABSENT
        if not reading.real:
            return '<span class="unsure">could be chance</span>'
        if reading.better == difference.second:
            return '<span class="good">likely better</span>'
        return '<span class="bad">likely worse</span>'

    def more_cells(self, difference: Difference) -> str:
        counts = (difference.wins, difference.ties, difference.losses)
        told = _ABSENT if None in counts else " / ".join(f"{count:,}" for count in counts)
        size = f"{difference.effect_size:+.2f}".replace("-", "−") if _finite(difference.effect_size) else _ABSENT
        needed = _ABSENT if difference.n_needed is None else f"{difference.n_needed:,}"
        return f"<td>{told}</td><td>{size}</td><td>{needed}</td>"

    def differences(self) -> str:
        values = self.value_chart() if len(self.systems) > 2 else ""
        pairs = [(pair, self.difference_charts(pair)) for pair in self.pairs]
        pairs = [(pair, body) for pair, body in pairs if body]
        return values + (self.key() + _per_pair(pairs) if pairs else "")

    def key(self) -> str:
        """What the marks of charts of differences mean."""
        second = _isolated(self.pairs[0][1]) if len(self.pairs) == 1 else "the second system"
        items = "".join(
            f'<li><svg class="chart" viewBox="0 0 12 12" aria-hidden="true"><g class="{tone}">'
            f'<circle class="mark{shape}" cx="6" cy="6" r="4.5"/></g></svg>{words}</li>'
            for tone, shape, words in (
                ("gain", "", f"{second} likely better"),
                ("loss", "", f"{second} likely worse"),
                ("same", " open", "hollow: could be chance"),
            )
        )
        return f'<ul class="key">{items}</ul>'

    def value_chart(self) -> str:
        measures = dict.fromkeys(name for pair in self.pairs for name in self.main_measures(pair))
        rows = []
        for name in measures:
            cells = [self.report.systems[system].get(name) for system in self.systems]
            if all(cell is None or not cell.is_rate for cell in cells):
                continue
            marks = [cell and Mark(cell.value, *(cell.interval or (None, None))) for cell in cells]
            rows.append(Row(name, marks))
        if not rows:
            return ""
        chart = interval_chart(rows, self.systems, title="Values of all systems", write=self.rate)
        return _figure(f"Values of all systems{self.with_intervals()}", chart)

    def rate(self, value: float) -> str:
        return self.write(value, Cell(value, None, 0, True))

    def signed_rate(self, value: float) -> str:
        return self.signed(value, Cell(value, None, 0, True))

    def difference_charts(self, pair: Pair) -> str:
        rates = [d for d in self.by_pair[pair].values() if d.is_rate and _finite(d.difference)]
        if not rates:
            return ""
        main = self.main_measures(pair)
        rates.sort(key=lambda difference: difference.measure not in main)
        shown, folded = rates[:_CHARTED], rates[_CHARTED:]
        caption = f"{_isolated(pair[1])} minus {_isolated(pair[0])}{self.with_intervals()}"
        lower = (
            " Where a lower value is better, it is the other way round."
            if self.lower & self.by_pair[pair].keys()
            else ""
        )
        bars = f" The bar is the {self.interval_name} of the difference." if self.report.level is not None else ""
        reading = (
            f"To the right of the line the value of {_isolated(pair[1])} is higher, to the left that of "
            f"{_isolated(pair[0])}.{lower}{bars} A filled dot: likely real, by a test at level {self.alpha:g}"
            f"{' after the correction' if self.corrected else ''}."
        )
        if any(not d.is_rate for d in self.by_pair[pair].values()):
            reading += " Counts and thresholds have no common scale; they are in the table only."
        found = _beside(self.difference_chart(shown, caption, f"Differences, {pair[1]} minus {pair[0]}"), reading)
        if folded:
            more = self.difference_chart(folded, caption, f"Further differences, {pair[1]} minus {pair[0]}")
            found += _folded(f"{len(folded)} more measures", more)
        return found

    def difference_chart(self, differences: Sequence[Difference], caption: str, title: str) -> str:
        rows = [Row(d.measure, [self.mark(d)]) for d in differences]
        return _figure(caption, interval_chart(rows, [""], title=title, zero=True, write=self.signed_rate))

    def mark(self, difference: Difference) -> Mark:
        reading = self.read(difference)
        tone = {None: "same", difference.second: "gain", difference.first: "loss"}[reading.better]
        words = {"same": "equal", "gain": f"{difference.second} better", "loss": f"{difference.second} worse"}[tone]
        note = f"{words}, {'likely real' if reading.real else 'could be chance'}" if reading.better else words
        low, high = difference.interval or (None, None)
        return Mark(difference.difference, low, high, tone, reading.real, note)

    def kinds(self) -> str:
        found = []
        for metric, by_system in self.data.kinds.items():
            kinds = list(dict.fromkeys(kind for counts in by_system.values() for kind in counts))
            if not kinds or not any(map(sum, (counts.values() for counts in by_system.values()))):
                continue
            head = f"<h3>{escaped(metric)}</h3>" if len(self.data.kinds) > 1 else ""
            chart = _figure(
                f"Share of {self.examples_name} by kind, best first",
                stacked_bars(by_system, title=f"Kinds of errors of {metric}"),
            )
            totals = {system: sum(counts.values()) for system, counts in by_system.items()}
            rows = [
                f'<tr><th scope="row">{escaped(kind)}</th>'
                + "".join(_count_cell(counts.get(kind, 0), totals[system]) for system, counts in by_system.items())
                + "</tr>"
                for kind in kinds
            ]
            heads = "".join(f'<th scope="col">{_isolated(system)}</th>' for system in by_system)
            table = _table(f"{self.examples_name.capitalize()} by kind", f'<th scope="col">Kind</th>{heads}', rows)
            found.append(f'{head}<div class="grid">{chart}{table}</div>')
        return "".join(found)

    def slices(self) -> str:
        found = []
        for name, labels in self.data.slices.items():
            pairs = []
            for pair in self.pairs:
                of_pair = {
                    label: [d for d in differences if (d.first, d.second) == pair]
                    for label, differences in labels.items()
                }
                body = self.slice_of(name, {label: ds for label, ds in of_pair.items() if ds}, pair)
                pairs += [(pair, body)] if body else []
            if pairs:
                found.append(f"<h3>{_isolated(name)}</h3>{_per_pair(pairs)}")
        return (self.key() + "".join(found)) if found else ""

    def slice_of(self, name: str, labels: Mapping[str, Sequence[Difference]], pair: Pair) -> str:
        measures = dict.fromkeys(d.measure for differences in labels.values() for d in differences)
        figures, rows = [], []
        for measure in measures:
            here = {label: d for label, ds in labels.items() for d in ds if d.measure == measure}
            drawn = [Row(label, [self.mark(d)], d.n, d.n < FEW) for label, d in here.items() if _finite(d.difference)]
            some = next(iter(here.values()))
            if drawn:
                chart = interval_chart(
                    drawn,
                    [""],
                    title=f"Difference in {measure} by {name}, {pair[1]} minus {pair[0]}",
                    zero=True,
                    write=lambda value, kind=some: self.signed(value, kind),
                )
                few = f"; few: under {FEW}" if any(row.few for row in drawn) else ""
                figures.append(_figure(f"Difference in <strong>{escaped(measure)}</strong>{few}", chart))
        for label, differences in labels.items():
            for place, d in enumerate(differences):
                best = self.best(d.values, d.measure)
                values = "".join(
                    self.value_cell(value, interval, d, bold)
                    for value, interval, bold in zip(d.values, d.intervals, best, strict=True)
                )
                size = f"{d.n:,}" + ('<span class="sub">few</span>' if d.n < FEW else "")
                head = f'<span class="sr">{_isolated(label)}</span>' if place else _isolated(label)
                rows.append(
                    f'<tr><th scope="row">{head}</th>'
                    f'<td class="words">{escaped(d.measure)}</td><td>{size}</td>{values}'
                    f"{self.difference_cells(d)}</tr>"
                )
        if not rows:
            return ""
        heads = (
            f'<th scope="col">{_isolated(name)}</th><th scope="col"{_WORDY}>Measure</th><th scope="col">n</th>'
            f'<th scope="col">{_isolated(pair[0])}</th><th scope="col">{_isolated(pair[1])}</th>'
            f"{self.difference_heads()}"
        )
        table = _table(f"By {escaped(name)}{self.with_intervals()}", heads, rows)
        return f'<div class="grid">{"".join(figures)}</div>{table}'

    def changes(self) -> str:
        pairs = []
        for pair, group in self.grouped_changes():
            figures = []
            for change in group:
                if not np.isfinite(change.changes).any():
                    continue
                kind = self.kind_of(change)
                chart = change_chart(
                    change.changes,
                    title=f"Change in {change.measure} from {change.first} to {change.second}",
                    lower_is_better=change.measure in self.lower,
                    write=lambda value, kind=kind: self.write(value, kind),
                )
                caption = (
                    f"Change in <strong>{escaped(change.measure)}</strong> from {_isolated(change.first)} to "
                    f"{_isolated(change.second)}"
                )
                reading = (
                    f"{len(change.changes):,} {_one(len(change.changes), self.examples_name)}, sorted by change: the "
                    "largest rise on the left, the largest fall on the right. The wider a coloured part, the more "
                    f"{self.examples_name} change; the higher, the more they do."
                )
                figures.append(_beside(_figure(caption, chart), reading))
            pairs += [(pair, "".join(figures))] if figures else []
        return _per_pair(pairs)

    def grouped_changes(self) -> Iterable[tuple[Pair, list[Change]]]:
        pairs = list(dict.fromkeys((change.first, change.second) for change in self.data.changes))
        return [(pair, [c for c in self.data.changes if (c.first, c.second) == pair]) for pair in pairs]

    def kind_of(self, change: Change) -> Cell | Difference:
        """How numbers of the measure of a change are written."""
        known = self.by_pair.get((change.first, change.second), {}).get(change.measure)
        return known or self.report.systems[change.first].get(change.measure) or Cell(0.0, None, 0, True)

    def examples(self) -> str:
        pairs = []
        for pair, group in self.grouped_changes():
            body = "".join(self.cards(change) for change in group)
            pairs += [(pair, body)] if body else []
        if not pairs:
            return ""
        key = _WORDS_KEY if any(change.are_texts for change in self.data.changes) else ""
        return key + _per_pair(pairs)

    def cards(self, change: Change) -> str:
        found = []
        second, measure = _isolated(change.second), escaped(change.measure)
        for head, examples in (
            (f"Worst losses of {second} in {measure}", change.losses),
            (f"Best gains of {second} in {measure}", change.gains),
        ):
            if not examples:
                continue
            cards = [self.card(example, change) for example in examples]
            shown, folded = cards[:_SHOWN_CARDS], cards[_SHOWN_CARDS:]
            body = f'<div class="cards">{"".join(shown)}</div>'
            if folded:
                body += _folded(f"{len(folded)} more", f'<div class="cards">{"".join(folded)}</div>')
            found.append(f"<h3>{head}</h3>{body}")
        return "".join(found)

    def card(self, example: Disagreement, change: Change) -> str:
        kind = self.kind_of(change)
        values = f'<span class="line">{" → ".join(self.write(value, kind) for value in example.values)}</span>'
        head = escaped(example.question) if example.question else f'<span class="id">{escaped(example.id)}</span>'
        told = f"{escaped(change.measure)} {values}"
        if example.question:
            told = f'<span class="id faint">{_isolated(example.id)}</span> · {told}'
        parts = [f"<dt>Gold</dt><dd>{_golds(example.gold, change.are_texts)}</dd>"]
        for place, system in enumerate((change.first, change.second)):
            kinds = f" · {escaped(example.kinds[place])}" if example.kinds else ""
            answer = _answer(example.answers[place], example.gold, change.are_texts)
            parts.append(
                f"<dt>{_isolated(system)} · {self.write(example.values[place], kind)}{kinds}</dt><dd>{answer}</dd>"
            )
        return (
            f'<article><h4 class="head text" dir="auto"{_focus(example.question or "")}>{head}</h4>'
            f'<p class="values">{told}</p>'
            f"<dl>{''.join(parts)}</dl></article>"
        )

    def counted(self) -> str:
        lines = [*self.report.remarks, *self.data.remarks]
        found = f"<ul>{''.join(f'<li>{escaped(line)}</li>' for line in lines)}</ul>" if lines else ""
        names = dict.fromkeys(name for counts in self.report.notes.values() for name in counts)
        if names:
            rows = [
                f'<tr><th scope="row">{escaped(name)}</th>'
                + "".join(f"<td>{self.report.notes.get(system, {}).get(name, 0):,}</td>" for system in self.systems)
                + "</tr>"
                for name in names
            ]
            heads = "".join(f'<th scope="col">{_isolated(system)}</th>' for system in self.systems)
            found += _table("Counts by system", f'<th scope="col">Count</th>{heads}', rows)
        return found

    def made(self) -> str:
        report, data = self.report, self.data
        tests = {
            test: [d.measure for d in found]
            for test, found in groupby(sorted(data.differences, key=lambda d: d.test), key=lambda d: d.test)
        }
        named = ", ".join(
            f"{escaped(test)}" + (f" ({', '.join(map(escaped, dict.fromkeys(measures)))})" if len(tests) > 1 else "")
            for test, measures in tests.items()
        )
        asked = escaped(data.test) + (f"; used: {named}" if named and list(tests) != [data.test] else "")
        items = [("Gold file", f"<code>{escaped(data.gold)}</code>")] if data.gold else []
        items += [
            ("Signature" if len(report.signatures) == 1 else f"Signature of {escaped(metric)}", _code(signature))
            for metric, signature in report.signatures.items()
        ]
        items += [
            ("Test", f"{asked}, two-sided, level {self.alpha:g}; {data.n_permutations:,} permutations"),
            ("Correction for several tests", escaped(data.correction or "none")),
        ]
        if report.level is not None:
            items.append(("Intervals", f"{100 * report.level:g} %, bootstrap, {report.n_resamples:,} resamples"))
        items.append(("Seed", f"{report.seed}"))
        items.append(("Scale of rates", f"0 to {report.scale}"))
        listed = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in items)
        again = (
            f"<h3>Make it again</h3><pre tabindex='0'><code>{escaped(data.command)}</code></pre>"
            if data.command
            else ""
        )
        return f'<dl class="made">{listed}</dl>{again}'


_WORDY = ' class="words"'
_WORDS_KEY = (
    '<p class="key"><span><mark class="common">shared with the gold answer</mark></span>'
    '<span><ins class="surplus">surplus</ins></span><span><del class="missing">missing</del></span></p>'
)


def _finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


def _isolated(text: str) -> str:
    """A name inside a sentence: writing from right to left in it does not turn what stands around it."""
    return f"<bdi>{escaped(text)}</bdi>"


def _one(count: int, plural: str) -> str:
    if count != 1:
        return plural
    return {"queries": "query"}.get(plural, plural[:-1])


def _p(value: float) -> str:
    if not _finite(value):
        return _ABSENT
    return "&lt; 0.0001" if value < 0.00005 else f"{value:.4f}"


def _p_equation(value: float) -> str:
    return f"p {_p(value)}" if value < 0.00005 else f"p = {_p(value)}"


def _code(text: str) -> str:
    return f"<code>{escaped(text)}</code>"


def _table(caption: str, heads: str, rows: Sequence[str]) -> str:
    """A table in a box of its own, in which it can be scrolled by mouse, finger and keyboard."""
    tall = " tall" if len(rows) > _TALL else ""
    return (
        f'<div class="scroll{tall}" role="group" aria-label="{caption}" tabindex="0"><table>'
        f"<caption><span>{caption}</span></caption>"
        f"<thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _count_cell(count: int, total: int) -> str:
    share = f'<span class="sub">{100 * count / total:.1f} %</span>' if total else ""
    return f"<td>{count:,}{share}</td>"


def _figure(caption: str, chart: str) -> str:
    return f"<figure><figcaption>{caption}</figcaption>{chart}</figure>"


def _beside(figure: str, words: str) -> str:
    """A chart with how to read it beside or below."""
    return f'<div class="grid">{figure}<p class="faint reading">{words}</p></div>'


def _folded(summary: str, body: str, open_: bool = False) -> str:
    return f"<details{' open' if open_ else ''}><summary>{summary}</summary>{body}</details>"


def _per_pair(pairs: Sequence[tuple[Pair, str]]) -> str:
    """One pair as it is; several fold, the first open; many stand behind one more fold."""
    if len(pairs) == 1:
        return pairs[0][1]
    parts = [
        _folded(f"{_isolated(second)} against {_isolated(first)}", body, not place)
        for place, ((first, second), body) in enumerate(pairs)
    ]
    shown, folded = parts[:_SHOWN_PAIRS], parts[_SHOWN_PAIRS:]
    return "".join(shown) + (_folded(f"{len(folded)} more pairs", "".join(folded)) if folded else "")


def _golds(golds: Sequence[str], are_texts: bool) -> str:
    """Texts one below the other, ids and labels side by side; many fold."""
    if not golds:
        return f'<span class="none">{"has no answer" if are_texts else "none"}</span>'
    shown, folded = golds[:_SHOWN_GOLDS], golds[_SHOWN_GOLDS:]
    more = _folded(f"{len(folded):,} more", _gold_list(folded, are_texts)) if folded else ""
    return _gold_list(shown, are_texts) + more


def _gold_list(golds: Sequence[str], are_texts: bool) -> str:
    if not are_texts:
        return f"<span>{', '.join(map(_isolated, golds))}</span>"
    items = "".join(f'<li dir="auto" class="text"{_focus(gold)}>{escaped(gold)}</li>' for gold in golds)
    return f'<ul class="golds">{items}</ul>'


def _answer(answer: str, golds: Sequence[str], are_texts: bool) -> str:
    if not answer.strip():
        shown = mark_difference(answer, closest_gold(answer, golds)) if are_texts else ""
        return f'<span class="none">{"no answer" if are_texts else "nothing"}</span> {shown}'
    items = answer.split(_BETWEEN)
    if not are_texts:
        shown = escaped(answer)
    elif len(items) > 1 and not any(_BETWEEN in gold for gold in golds):
        shown = f'<ol class="ranked">{"".join(f"<li>{_marked_item(item, golds)}</li>" for item in items)}</ol>'
        return f'<div class="text" dir="auto"{_focus(answer)}>{shown}</div>'
    else:
        shown = mark_difference(answer, closest_gold(answer, golds))
    return f'<span class="text" dir="auto"{_focus(answer)}>{shown}</span>'


def _marked_item(item: str, golds: Sequence[str]) -> str:
    """One answer of several: what is missing is told only of one that shares a word with a gold answer."""
    if item == _NO_ANSWER:
        return '<span class="none">no answer</span>'
    marked = mark_difference(item, closest_gold(item, golds))
    return marked if "<mark " in marked else mark_difference(item, "")


def _focus(text: str) -> str:
    """Long texts scroll; the keyboard must reach those."""
    return ' tabindex="0"' if len(text) > _LONG or text.count("\n") > _LONG // 40 else ""
