"""The cards of the page of a comparison: examples to read, with both answers and their words against the gold ones."""

from collections.abc import Sequence

from ..core.text import NormalizerSpec
from .chart_parts import escaped
from .comparison import Change, Disagreement
from .html_parts import focus, fold, isolated, per_pair
from .page_view import PageView
from .token_difference import closest_gold, mark_difference

_SHOWN_CARDS = 4  # examples of a list; the others fold
_SHOWN_GOLDS = 5
WORDS_KEY = (  # of the marks in cards of texts
    '<p class="key"><span><mark class="common">shared with the gold answer</mark></span>'
    '<span><ins class="surplus">surplus</ins></span><span><del class="missing">missing</del></span></p>'
)


def examples_section(view: PageView) -> str:
    """The largest losses and gains of each pair."""
    pairs = []
    for pair, group in view.grouped_changes():
        body = "".join(_cards(view, change) for change in group)
        pairs += [(pair, body)] if body else []
    if not pairs:
        return ""
    key = WORDS_KEY if any(change.are_texts for change in view.data.changes) else ""
    return key + per_pair(pairs)


def _cards(view: PageView, change: Change) -> str:
    sections = []
    second, measure = isolated(change.second), escaped(change.measure)
    for head, examples in (
        (f"Worst losses of {second} in {measure}", change.losses),
        (f"Best gains of {second} in {measure}", change.gains),
    ):
        if not examples:
            continue
        shown, folded = examples[:_SHOWN_CARDS], examples[_SHOWN_CARDS:]
        body = example_cards(view, change, shown)
        if folded:
            body += fold(f"{len(folded)} more", example_cards(view, change, folded))
        sections.append(f"<h3>{head}</h3>{body}")
    return "".join(sections)


def example_cards(view: PageView, change: Change, examples: Sequence[Disagreement]) -> str:
    """A card for each of some losses or gains: the question, the gold answers, and both answers with their words marked."""
    return f'<div class="cards">{"".join(_card(view, example, change) for example in examples)}</div>'


def _card(view: PageView, example: Disagreement, change: Change) -> str:
    kind = view.kind_of(change)
    values = f'<span class="line">{" → ".join(view.write(value, kind) for value in example.values)}</span>'
    head = escaped(example.question) if example.question else f'<span class="id">{escaped(example.id)}</span>'
    told = f"{escaped(change.measure)} {values}"
    if example.question:
        told = f'<span class="id faint">{isolated(example.id)}</span> · {told}'
    parts = [f"<dt>Gold</dt><dd>{_golds(example.gold, change.are_texts)}</dd>"]
    for place, system in enumerate((change.first, change.second)):
        kinds = f" · {escaped(example.kinds[place])}" if example.kinds else ""
        answer = _answers(example.answers[place], example.gold, change)
        parts.append(f"<dt>{isolated(system)} · {view.write(example.values[place], kind)}{kinds}</dt><dd>{answer}</dd>")
    return (
        f'<article><h4 class="head text" dir="auto"{focus(example.question or "")}>{head}</h4>'
        f'<p class="values">{told}</p>'
        f"<dl>{''.join(parts)}</dl></article>"
    )


def _golds(golds: Sequence[str], are_texts: bool) -> str:
    """Texts one below the other, ids and labels side by side; many fold."""
    if not golds:
        return f'<span class="none">{"has no answer" if are_texts else "none"}</span>'
    shown, folded = golds[:_SHOWN_GOLDS], golds[_SHOWN_GOLDS:]
    more = fold(f"{len(folded):,} more", _gold_list(folded, are_texts)) if folded else ""
    return _gold_list(shown, are_texts) + more


def _gold_list(golds: Sequence[str], are_texts: bool) -> str:
    if not are_texts:
        return f"<span>{_side_by_side(golds)}</span>"
    items = "".join(f'<li dir="auto" class="text"{focus(gold)}>{escaped(gold)}</li>' for gold in golds)
    return f'<ul class="golds">{items}</ul>'


def _side_by_side(names: Sequence[str]) -> str:
    return " / ".join(map(isolated, names))


def _answers(answers: Sequence[str], golds: Sequence[str], change: Change) -> str:
    """One answer with its words marked, several as a list of such; ids and labels side by side."""
    normalizer = "squad" if change.normalizer is None else change.normalizer
    if not any(answer.strip() for answer in answers):
        lacking = mark_difference("", closest_gold("", golds, normalizer), normalizer) if change.are_texts else ""
        return f'<span class="none">{"no answer" if change.are_texts else "nothing"}</span> {lacking}'
    if not change.are_texts:
        return f'<span class="text" dir="auto"{focus(" / ".join(answers))}>{_side_by_side(answers)}</span>'
    reached = focus("\n".join(answers))
    if len(answers) == 1:
        marked = mark_difference(answers[0], closest_gold(answers[0], golds, normalizer), normalizer)
        return f'<span class="text" dir="auto"{reached}>{marked}</span>'
    items = "".join(f"<li><bdi>{_one_of_several(answer, golds, normalizer)}</bdi></li>" for answer in answers)
    return f'<div class="text" dir="auto"{reached}><ol class="ranked">{items}</ol></div>'


def _one_of_several(answer: str, golds: Sequence[str], normalizer: NormalizerSpec) -> str:
    """What is missing is told only of an answer that shares a word with a gold answer."""
    if not answer.strip():
        return '<span class="none">no answer</span>'
    marked = mark_difference(answer, closest_gold(answer, golds, normalizer), normalizer)
    return marked if "<mark " in marked else mark_difference(answer, "", normalizer)
