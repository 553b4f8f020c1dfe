"""The cards of the page of a comparison: examples to read, with both answers and their words against the gold ones."""

from collections.abc import Callable, Sequence

from ..core.text import NormalizerSpec
from .chart_parts import escaped
from .comparison import Change, Disagreement, by_pair
from .html_parts import focus, fold, isolated, per_pair
from .page_view import PageView
from .token_difference import closest_gold, mark_difference

_SHOWN_CARDS = 4  # examples of a list; the others fold
_SHOWN_GOLDS = 5
WORDS_KEY = (  # of the marks in cards of texts
    '<p class="key"><span><mark class="common">shared with the closest gold answer</mark></span>'
    '<span><ins class="surplus">surplus</ins></span><span><del class="missing">missing</del></span></p>'
)


def examples_section(view: PageView) -> str:
    """The largest losses and gains of each pair."""
    pairs = []
    for pair, group in by_pair(view.data.changes).items():
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
    parts = [f"<dt>Gold</dt><dd>{golds_html(example.gold, change.are_texts)}</dd>"]
    for place, system in enumerate((change.first, change.second)):
        kinds = f" · {escaped(example.kinds[place])}" if example.kinds else ""
        answers = example.answers[place]
        answer = answers_html(answers, example.gold, change.normalizer) if change.are_texts else names_html(answers)
        why = reasons_html(example.reasons[place])
        parts.append(
            f"<dt>{isolated(system)} · {view.write(example.values[place], kind)}{kinds}</dt><dd>{answer}{why}</dd>"
        )
    return (
        f'<article><h4 class="head text" dir="auto"{focus(example.question or "")}>{head}</h4>'
        f'<p class="values">{told}</p>'
        f"<dl>{''.join(parts)}</dl></article>"
    )


def reasons_html(reasons: Sequence[str]) -> str:
    """What moved a score, in words, as a line; "" for nothing."""
    return f'<p class="faint">{" · ".join(map(escaped, reasons))}</p>' if reasons else ""


def golds_html(golds: Sequence[str], are_texts: bool) -> str:
    """Gold answers one below the other, gold ids and labels side by side; many fold."""
    if not any(golds):
        return f'<span class="none">{"has no answer" if are_texts else "none"}</span>'
    listed = _listed if are_texts else names_html
    shown, folded = golds[:_SHOWN_GOLDS], golds[_SHOWN_GOLDS:]
    return listed(shown) + (fold(f"{len(folded):,} more", listed(folded)) if folded else "")


def _listed(texts: Sequence[str]) -> str:
    items = "".join(f'<li dir="auto" class="text"{focus(text)}>{escaped(text)}</li>' for text in texts)
    return f'<ul class="golds">{items}</ul>'


def names_html(names: Sequence[str]) -> str:
    """Ids or labels side by side, or that there is none."""
    if not any(name.strip() for name in names):
        return '<span class="none">nothing</span>'
    return f'<span class="text" dir="auto"{focus(" / ".join(names))}>{" / ".join(map(isolated, names))}</span>'


def answers_html(
    answers: Sequence[str],
    golds: Sequence[str],
    normalizer: NormalizerSpec | None,
    behind: Callable[[str], str] = lambda answer: "",
) -> str:
    """One answer with its words marked against the closest gold answer, several as a list.

    What is missing of the gold answer is told only of an answer that shares a word with it.

    Args:
        normalizer: that the scores compare texts by; None where they have none.
        behind: HTML to add to an answer of several.
    """
    normalizer = "squad" if normalizer is None else normalizer

    def marked(answer: str) -> str:
        return mark_difference(answer, closest_gold(answer, golds, normalizer), normalizer)

    if not any(answer.strip() for answer in answers):
        return f'<span class="none">no answer</span> {marked("")}'
    reached = focus("\n".join(answers))
    if len(answers) == 1:
        return f'<span class="text" dir="auto"{reached}>{marked(answers[0])}</span>'
    items = []
    for answer in answers:
        words = marked(answer)
        if "<mark " not in words:
            words = mark_difference(answer, "", normalizer) or '<span class="none">no answer</span>'
        items.append(f"<li><bdi>{words}</bdi>{behind(answer)}</li>")
    return f'<div class="text" dir="auto"{reached}><ol class="ranked">{"".join(items)}</ol></div>'
