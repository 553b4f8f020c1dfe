"""The card of one example: what was asked, what each system said against what is right, and where it is."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..core.examples import Examples, ExampleText, JudgedDocument, gold_rows
from ..core.reasons import MOST_REASONS, REASONS_KEY, reasons_html
from ..core.text import get_normalizer
from ..reports.chart_parts import escaped
from ..reports.html_parts import focus, fold, heads, isolated, scroll_table
from ..reports.page_cards import WORDS_KEY, answers_html, golds_html, names_html
from ..reports.values_text import number_text
from .analysis import Analysis
from .errors_values import (
    example_measures,
    kinds_of,
)
from .example_columns import measure_values, rows_in
from .marked_text import Passage, marked_passages
from .view_parts import asked_of, columns, cut, wrapped

_SHOWN = 10  # documents of a ranking
_MOST_RELEVANT = 50
_ASIDE = ("question", "context")  # details that have a separate place
_RIGHT = '<span class="right">✓ {}</span>'
_WRONG = '<span class="wrong">✗ {}</span>'


class _Example(NamedTuple):
    """An example of one system.

    Attributes:
        system: its name.
        row, place: in the scores, and in the gold file.
        text: question, gold answers, answers.
    """

    system: str
    row: int
    place: int
    text: ExampleText


def example_card(analysis: Analysis, system: str, row: int) -> str:
    """An example as HTML, with the answers of all systems.

    Args:
        system, row: of whose scores, and the place in them.
    """
    examples = []
    for other in analysis.systems:
        there = rows_in(analysis, other, system)[row]
        if there is not None:
            place = gold_rows(analysis.gold, analysis.scores(other))[there]
            examples.append(_Example(other, there, place, analysis.texts(other, [there])[0]))
    own = next(example for example in examples if example.system == system)
    parts = [
        f"<div><dt>{isolated(example.system)}{_told(analysis, example)}</dt><dd>{_answer(analysis, example)}{_why(analysis, example)}</dd></div>"
        for example in examples
    ]
    parts += [
        f'<div><dt>{isolated(other)}</dt><dd class="none">does not have this example</dd></div>'
        for other in analysis.systems
        if other not in {example.system for example in examples}
    ]
    kinds = analysis.telling.answers_are
    golds = golds_html(own.text.gold, "texts" in kinds)
    key = WORDS_KEY if "texts" in kinds else ""
    key += REASONS_KEY if any('class="reasons"' in part for part in parts) else ""
    beside = ' class="beside"' if "documents" in kinds else ""
    answers = (
        f"<dl><dt>Gold</dt><dd>{golds}</dd></dl><dl{beside}>{''.join(parts)}</dl>{key}{_relevant(analysis, examples)}"
    )
    asked = asked_of(analysis, own.system, [own.row])[0]
    others = f"{_context(analysis, examples)}{_details(analysis, own.place, asked)}"
    body = answers + others if beside or not others else columns(f"<div>{answers}</div>", f"<div>{others}</div>")
    body = _head(analysis, own, asked) + body
    return wrapped(f'<article class="example">{body}</article>')


def _head(analysis: Analysis, example: _Example, asked: str | None) -> str:
    identifier = str(analysis.scores(example.system).ids[example.row])
    if not asked:
        return f'<h2 class="head id">{isolated(identifier)}</h2>'
    return (
        f'<h2 class="head text" dir="auto"{focus(asked)}>{escaped(asked)}</h2>'
        f'<p class="values id faint">{isolated(identifier)}{_group(analysis, example.place)}</p>'
    )


def _group(analysis: Analysis, place: int) -> str:
    """The group of an example, where intervals and tests are over groups; "" where it is as long as a paragraph."""
    name = analysis.inputs.groups
    if not name:
        return ""
    makers = analysis.telling.groups_of(analysis.gold)
    labels = makers[name]() if name in makers else analysis.gold.details.get(name)
    label = "" if labels is None else cut(str(labels[place]), 100)
    return f" · group {isolated(name)}: {isolated(label)}" if label and not label.endswith("…") else ""


def _told(analysis: Analysis, example: _Example) -> str:
    """The kind of error and the values of the main measures, behind the name of a system."""
    kinds = kinds_of(analysis, example.system)
    told = [] if kinds is None else [f"<strong>{escaped(kinds[example.row])}</strong>"]
    measures = analysis.scores(example.system).measures
    for name in example_measures(analysis):
        column = measure_values(analysis, example.system, name)
        if column is not None and not math.isnan(column[example.row]):
            number = number_text(float(column[example.row]), measures[name].is_rate, analysis.report.scale)
            told.append(f'<span class="line">{escaped(name)} {number}</span>')
    return "".join(f" · {part}" for part in told)


# --- what a system said -----------------------------------------------------------------------------------------------


def _answer(analysis: Analysis, example: _Example) -> str:
    kinds = analysis.telling.answers_are
    if "texts" in kinds:
        return _pipeline(analysis, example) if "documents" in kinds else _text_answer(analysis, example)
    special = "documents" in kinds and _ranking(analysis, example) or "labels" in kinds and _labels(analysis, example)
    return special or names_html(example.text.answers)


def _why(analysis: Analysis, example: _Example) -> str:
    """What moved its score, where the metric says so, and there are not several runs."""
    if analysis.scores(example.system).n_runs > 1:
        return ""
    of_one = analysis.examples(example.system, [example.row])
    return reasons_html(analysis.telling.reasons(of_one, MOST_REASONS)[0], analysis.report.scale, escaped)


def _text_answer(analysis: Analysis, example: _Example) -> str:
    """The answers with their words marked; of several, gold answers are marked too."""
    golds = _gold_names(analysis, example)
    own = getattr(analysis.scores(example.system).options, "normalizer", None)
    normalize = get_normalizer("squad" if own is None else own)
    right = {normalize(gold) for gold in golds}

    def behind(answer: str) -> str:
        is_right = bool(answer.strip()) and normalize(answer) in right
        return f" {_RIGHT.format('a gold answer') if is_right else ''}"

    whole = analysis.telling.whole_texts(analysis.examples(example.system, [example.row]))[0]
    told = (
        "" if whole is None else f'<p class="faint text" dir="auto"{focus(whole)}>extracted from: {escaped(whole)}</p>'
    )
    return answers_html(example.text.answers, golds, own, behind) + told


def _gold_names(analysis: Analysis, example: _Example) -> list[str]:
    """The gold answers to compare with; of entities each of their names."""
    scores = analysis.scores(example.system)
    return analysis.telling.compared_golds(analysis.gold, scores, example.place, example.text.gold)


def _labels(analysis: Analysis, example: _Example) -> str:
    """Each label that was found with a remark, then the missing labels."""
    true, given = example.text.gold, example.text.answers
    items = [f"<li>{isolated(name)} {_RIGHT.format('right')}</li>" for name in given if name in true]
    form = analysis.telling.label_form(analysis.scores(example.system).options)
    if form == "ranked":
        told = {True: _RIGHT.format("true"), False: _WRONG.format("not true")}
        items = [f"<li>{isolated(name)} {told[name in true]}</li>" for name in given]
        return f'<ol class="ranked text">{"".join(items)}</ol>' if items else '<span class="none">nothing</span>'
    items += [
        f"<li>{isolated(name)} {_WRONG.format('wrong' if form == 'single' else 'surplus')}</li>"
        for name in given
        if name not in true
    ]
    if form == "set":
        items += [f"<li>{isolated(name)} {_WRONG.format('missing')}</li>" for name in true if name not in given]
    return f'<ul class="golds text">{"".join(items)}</ul>' if items else '<span class="none">nothing, rightly</span>'


def _ranking(analysis: Analysis, example: _Example) -> str:
    rows = shown_documents(analysis, example.system, example.row, example.place)
    if not rows:
        return '<span class="none">nothing</span>'
    body = [
        f'<tr><td>{rank}</td><th scope="row" class="id">{isolated(document.name)}</th><td class="words">{_judged(document)}</td></tr>'
        for rank, document in enumerate(rows, 1)
    ]
    above = heads("Rank", "Document") + '<th scope="col" class="words">Judged</th>'
    return scroll_table(f"The first {len(rows)} of {escaped(example.system)}", above, body)


def _judged(document: JudgedDocument) -> str:
    if document.is_relevant is None:
        return '<span class="unsure">? unjudged</span>'
    words = _RIGHT.format("relevant") if document.is_relevant else _WRONG.format("not relevant")
    return f"{words} ({document.relevance:g})"


def _pipeline(analysis: Analysis, example: _Example) -> str:
    """The answers, and the documents that were retrieved."""
    documents = shown_documents(analysis, example.system, example.row, example.place)
    items = "".join(
        f'<li><span class="id">{isolated(document.name)}</span> '
        f"{_RIGHT.format('gold document') if document.is_relevant else ''}</li>"
        for document in documents
    )
    listed = f'<ol class="ranked text">{items}</ol>' if items else '<span class="none">nothing</span>'
    return f'{_text_answer(analysis, example)}<p class="faint">Retrieved documents</p>{listed}'


def _relevant(analysis: Analysis, examples: Sequence[_Example]) -> str:
    """Of rankings, where each system has the relevant documents."""
    if analysis.telling.answers_are != ("documents",):
        return ""
    rows = ranked_documents(analysis, {example.system: example.row for example in examples})
    if not rows:
        return ""
    above = heads("Document", "Relevance", *(isolated(example.system) for example in examples))
    body = [
        f'<tr><th scope="row" class="id">{isolated(document)}</th><td>{worth:g}</td>'
        + "".join(f"<td>{'not in the run' if rank is None else rank}</td>" for rank in ranks)
        + "</tr>"
        for document, worth, ranks in rows
    ]
    return fold("Ranks of the relevant documents", scroll_table("Rank of each relevant document", above, body))


def shown_documents(analysis: Analysis, system: str, row: int, place: int) -> list[JudgedDocument]:
    """The first documents that a system gave for an example.

    Args:
        row, place: of the example in the scores and in the gold file.
    """
    examples = Examples(analysis.gold, analysis.main.columns[system], analysis.scores(system), [row], [place])
    return analysis.telling.first_documents(examples, _SHOWN)[0]


def ranked_documents(analysis: Analysis, rows: Mapping[str, int]) -> list[tuple[str, float, list[int | None]]]:
    """The relevant documents of a query, best first: id, relevance, and the rank that each system gives it.

    Args:
        rows: system -> the place of the query in its scores.
    """
    examples = [
        Examples(analysis.gold, analysis.main.columns[system], analysis.scores(system), [row])
        for system, row in rows.items()
    ]
    (relevant,) = analysis.telling.relevant_documents(examples[0], _MOST_RELEVANT)
    ranks = [analysis.telling.document_ranks(of_one)[0] for of_one in examples]
    return [(name, relevance, [of_one.get(name) for of_one in ranks]) for name, relevance in relevant.items()]


# --- where it is ------------------------------------------------------------------------------------------------------


def _context(analysis: Analysis, examples: Sequence[_Example]) -> str:
    """The context with the gold answers and the answers of the systems marked; "" where the gold file has none."""
    contexts = analysis.gold.details.get("context")
    place = examples[0].place
    if not contexts or not contexts[place]:
        return ""
    context = str(contexts[place])
    offsets = analysis.telling.gold_offsets(analysis.gold, place)
    golds = [Passage(text, offsets.get(text)) for text in examples[0].text.gold]
    said = {example.system: [text for text in example.text.answers[:1] if text.strip()] for example in examples}
    return f"<h3>Context</h3>{marked_passages(context, golds, said)}"


def _details(analysis: Analysis, place: int, asked: str | None) -> str:
    """The other columns of the gold file, without the text that is the head."""
    rows = []
    for name, column in analysis.gold.details.items():
        if name in _ASIDE or column[place] is None or str(column[place]) == asked:
            continue
        value = {True: "yes", False: "no"}.get(column[place]) if isinstance(column[place], bool) else column[place]
        rows.append(f'<dt>{isolated(name)}</dt><dd class="text" dir="auto"{focus(str(value))}>{escaped(value)}</dd>')
    return f'<dl class="made details">{"".join(rows)}</dl>' if rows else ""
