"""HTML of the page of a metric: its head, and values with intervals as bars.

Everything from visitors is escaped here.
"""

import html
import re
from collections.abc import Sequence

from ..core.reasons import REASONS_KEY, reasons_html
from ..core.shown import cell_text, visible
from .outcome import PageOutcome, Value

MARK = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0f766e"/>'
    '<path d="M7 11h18M7 21h18" stroke="#fff" stroke-opacity=".45" stroke-width="2" stroke-linecap="round"/>'
    '<path d="M9 11h9M15 21h9" stroke="#fff" stroke-width="3" stroke-linecap="round"/>'
    '<circle cx="14" cy="11" r="3.6" fill="#fff"/><circle cx="20" cy="21" r="3.6" fill="#fff"/></svg>\n'
)
CSS = (
    "footer{opacity:.85}footer .divider{display:none}.prose table{display:block;overflow-x:auto}"
    ".dark [role=tab].selected{--color-accent:#5eead4}"
    ".body-cell,.body-cell *{unicode-bidi:plaintext;text-align:start}"
    ".gradio-container>main{padding-top:.75rem}"
    ".metric-page{--ink:var(--body-text-color);--faint:#4f5866;--line:#d8e0e2;--accent:#0f766e;color:var(--ink)}"
    ".dark .metric-page{--faint:#bcc6d0;--line:#2c3a47;--accent:#5eead4}"
    ".metric-page .head{display:flex;align-items:center;gap:.6rem}"
    ".metric-page .head svg{width:1.75rem;height:1.75rem;flex:none}"
    ".metric-page .head h1{font-size:1.3rem;line-height:1.1;margin:0;overflow-wrap:anywhere}"
    ".metric-page .rows{width:100%;border-collapse:collapse;font-variant-numeric:tabular-nums;display:table!important}"
    ".metric-page .rows,.metric-page .rows *{border:0!important;background:none}"
    ".metric-page .rows tr{border-bottom:1px solid var(--line)!important}"
    ".metric-page .rows th,.metric-page .rows td{padding:.5rem .4rem;text-align:left;vertical-align:middle;color:var(--ink)}"
    ".metric-page .rows th{font-weight:400;overflow-wrap:anywhere}"
    ".metric-page .rows .number{font-size:1.35rem;font-weight:700;line-height:1.1;text-align:right;white-space:nowrap}"
    ".metric-page .more .number{font-size:1rem}"
    ".metric-page .rows .ends{color:var(--faint);font-size:.85rem;white-space:nowrap}"
    ".metric-page .rows td.bar{width:40%;min-width:6rem}"
    ".metric-page .rows .scale{display:block;position:relative;height:.9rem;background:linear-gradient(var(--line),var(--line)) "
    "center/100% 1px no-repeat}"
    ".metric-page .rows .scale i{position:absolute;top:.3rem;height:.3rem;background:var(--accent);opacity:.45;border-radius:.1rem}"
    ".metric-page .rows .scale b{position:absolute;top:0;width:.22rem;height:.9rem;margin-left:-.11rem;background:var(--accent);"
    "border-radius:.1rem}"
    ".metric-page .note{color:var(--faint);font-size:.9rem;margin:.5rem 0 0}"
    ".metric-page details{margin-top:.6rem}.metric-page summary{cursor:pointer;padding:.3rem 0}"
    ".metric-page h2{font-size:1.1rem;margin:.4rem 0}.metric-page .why{list-style:none;padding:0;margin:0;display:grid;gap:.5rem 1.5rem;"
    "grid-template-columns:repeat(auto-fit,minmax(min(19rem,100%),1fr))}"
    ".metric-page .why>li{border-top:1px solid var(--line);padding:.4rem 0;overflow-wrap:anywhere}"
    ".metric-page .why .faint,.metric-page .key,.metric-page .reasons{color:var(--faint)}"
    ".metric-page .reasons{list-style:none;padding:0;margin:.2rem 0 0;font-size:.9rem}"
    ".metric-page .up,.metric-page .down{color:var(--ink);font-weight:700}"
    "#signature textarea{font-family:var(--font-mono);font-size:.85rem}"
    "@media (max-width:40rem){#result{order:-1}.metric-page .rows,.metric-page .rows tbody{display:block!important}"
    ".metric-page .rows tr{display:grid;grid-template-columns:5.5rem 1fr auto;align-items:center;padding:.35rem 0}"
    ".metric-page .rows th,.metric-page .rows td{padding:.1rem .2rem}.metric-page .rows th{grid-column:1/-1}.metric-page .rows .number{text-align:left}"
    ".metric-page .rows td.bar{width:auto;min-width:0}.metric-page .rows .number{font-size:1.15rem}}"
)
_MOST = 5  # visible measures; further measures are folded
_FEW = 30  # examples; with fewer the intervals are wide


def head_html(name: str) -> str:
    """The mark and the name of the metric."""
    mark = MARK.strip().replace("<svg ", '<svg aria-hidden="true" ')
    return f'<div class="metric-page"><header class="head">{mark}<h1>{_wrapping(name)}</h1></header></div>'


def values_html(found: PageOutcome) -> str:
    """The values of a result with their intervals, the first values large, the others folded."""
    first, more = found.values[:_MOST], found.values[_MOST:]
    counts = [cells for cells in found.measures if cells[0] not in {value.name for value in found.values}]
    folded = (
        f"<details><summary>{len(more)} more measure{'' if len(more) == 1 else 's'}</summary>{_rows(more, 'more')}</details>"
        if more
        else ""
    )
    told = ", ".join(f"{_escaped(name)} {_escaped(value)}" for name, value, *_ in counts)
    n = len(found.examples)
    few = f" {n} examples are few: the intervals are wide." if n < _FEW else ""
    note = f"Bars: {100 * found.level:g} % intervals on a scale from 0 to 1.{few}"
    counted = f"<p class='note'>Counts: {told}.</p>" if told else ""
    return f'<div class="metric-page">{_rows(first, "first")}<p class="note">{note}</p>{folded}{counted}</div>'


def reasons_list(found: PageOutcome) -> str:
    """Answers with what moved their scores; "" where no reason is known."""
    items = [_why(found, place) for place, reasons in enumerate(found.reasons) if reasons]
    if not items:
        return ""
    shown, folded = "".join(items[:_MOST]), "".join(items[_MOST:])
    more = len(items) - _MOST
    rest = (
        f'<details><summary>{more} more answer{"" if more == 1 else "s"}</summary><ol class="why">{folded}</ol></details>'
        if folded
        else ""
    )
    return f'<div class="metric-page"><h2>Why</h2>{REASONS_KEY}<ol class="why">{shown}</ol>{rest}</div>'


def _why(found: PageOutcome, place: int) -> str:
    """An answer, its gold answers and its score, with the reasons."""
    answer, *golds = [column[place] for column in (found.beside or {}).values()] or [str(found.examples[place][0])]
    gold = "".join(f' <span class="faint">gold:</span> {_escaped(text)}' for text in golds)
    score = f"{_escaped(found.header[1])} {cell_text(found.examples[place][1])}"
    return (
        f"<li><div><strong>{_escaped(answer)}</strong>{gold}</div>"
        f'<div class="faint">{score}</div>{reasons_html(found.reasons[place], 1, _escaped)}</li>'
    )


def _rows(values: Sequence[Value], kind: str) -> str:
    return f'<table class="rows {kind}"><tbody>{"".join(map(_row, values))}</tbody></table>'


def _row(of: Value) -> str:
    number = "–" if of.value is None else cell_text(of.value)
    ends = "" if of.low is None or of.high is None else f"{cell_text(of.low)} to {cell_text(of.high)}"
    return (
        f'<tr><th scope="row">{_wrapping(of.name)}</th><td class="number">{number}</td>'
        f'<td class="bar">{_bar(of)}</td><td class="ends">{ends}</td></tr>'
    )


def _bar(of: Value) -> str:
    """The interval of a rate; "" for other numbers."""
    if of.value is None or not 0 <= of.value <= 1 or of.low is None or of.high is None:
        return ""
    low, high = max(0.0, of.low), min(1.0, of.high)
    return (
        f'<span class="scale" aria-hidden="true"><i style="left:{100 * low:.1f}%;width:{100 * max(0.0, high - low):.1f}%"></i>'
        f'<b style="left:{100 * of.value:.1f}%"></b></span>'
    )


def _wrapping(name: str) -> str:
    """A name that wraps after "_", not within a word."""
    return re.sub("(_+)(?=[^_])", r"\1<wbr>", _escaped(name))


def _escaped(text: str) -> str:
    return html.escape(visible(text))
