"""The cards of a comparison page: examples with both answers, their words compared with the gold answers."""

from collections.abc import Callable, Sequence

from ..core.reasons import reasons_html
from ..core.text import NormalizerSpec
from .chart_parts import escaped
from .comparison import Change, Disagreement
from .html_parts import focus, fold, go, isolated
from .page_view import PageView
from .token_difference import closest_gold, mark_difference

_SHOWN_GOLDS = 5
_LONG_NAME = 30  # characters; with a longer id or label each gets its own line
WORDS_KEY = (  # legend of the marks in cards of texts
    '<p class="key"><span><mark class="common">shared with the closest gold answer</mark></span>'
    '<span><ins class="surplus">surplus</ins></span><span><del class="missing">missing</del></span></p>'
)


def example_cards(view: PageView, change: Change, examples: Sequence[Disagreement]) -> str:
    """A card for each of some losses or gains: the question, the gold answers, and both answers with their words marked."""
    return f'<div class="cards">{"".join(_card(view, example, change) for example in examples)}</div>'


def _card(view: PageView, example: Disagreement, change: Change) -> str:
    kind = view.kind_of(change)
    values = f'<span class="line">{" → ".join(view.write(value, kind) for value in example.values)}</span>'
    parts = [f"<dt>Gold</dt><dd>{golds_html(example.gold, change.are_texts)}</dd>"]
    for place, system in enumerate((change.first, change.second)):
        kinds = f" · {escaped(example.kinds[place])}" if example.kinds else ""
        answers = example.answers[place]
        golds = example.compared or example.gold
        answer = answers_html(answers, golds, change.normalizer) if change.are_texts else names_html(answers)
        why = reasons_html(example.reasons[place], view.report.scale, escaped)
        parts.append(
            f"<dt>{isolated(system)} · {view.write(example.values[place], kind)}{kinds}</dt><dd>{answer}{why}</dd>"
        )
    told = f"{view.measure(change.measure)} {values}"
    href = view.hrefs.example((change.first, change.second), example.id)
    return _article(example.id, example.question, told, "".join(parts), href, view.hrefs.card(change, example))


def _article(
    identifier: str,
    question: str | None,
    told: str,
    parts: str,
    href: str = "",
    filters: tuple[str, str] = ("", ""),
) -> str:
    """A card headed by its question or, without one, its id; the id links to the example, and filters find the card."""
    attributes, anchors = filters
    head = escaped(question) if question else f'<span class="id">{go(escaped(identifier), href)}</span>'
    if question:
        told = f'<span class="id faint">{go(isolated(identifier), href)}</span> · {told}'
    return (
        f'<article{attributes}>{anchors}<h4 class="head text" dir="auto"{focus(question or "")}>{head}</h4>'
        f'<p class="values">{told}</p><dl>{parts}</dl></article>'
    )


def golds_html(golds: Sequence[str], are_texts: bool) -> str:
    """Gold answers below one another, gold ids and labels side by side; many are folded."""
    if not any(golds):
        return f'<span class="none">{"has no answer" if are_texts else "none"}</span>'
    listed = _listed if are_texts else names_html
    shown, folded = golds[:_SHOWN_GOLDS], golds[_SHOWN_GOLDS:]
    return listed(shown) + (fold(f"{len(folded):,} more", listed(folded)) if folded else "")


def _listed(texts: Sequence[str]) -> str:
    items = "".join(f'<li dir="auto" class="text"{focus(text)}>{escaped(text)}</li>' for text in texts)
    return f'<ul class="golds">{items}</ul>'


def names_html(names: Sequence[str]) -> str:
    """Ids or labels side by side, long ones below one another; "none" without any."""
    if not any(name.strip() for name in names):
        return '<span class="none">nothing</span>'
    if len(names) > 1 and max(map(len, names)) > _LONG_NAME:
        return _listed(names)
    return f'<span class="text" dir="auto"{focus(" / ".join(names))}>{" / ".join(map(isolated, names))}</span>'


def answers_html(
    answers: Sequence[str],
    golds: Sequence[str],
    normalizer: NormalizerSpec | None,
    behind: Callable[[str], str] = lambda answer: "",
) -> str:
    """One answer with its words marked against the closest gold answer, several as a list.

    Missing words of the gold answer are shown only for an answer that shares a word with it.

    Args:
        normalizer: the normaliser of the scores; None if they have none.
        behind: answer -> HTML to add after it, for several answers.
    """
    normalizer = "squad" if normalizer is None else normalizer

    def marked(answer: str) -> str:
        return mark_difference(answer, closest_gold(answer, golds, normalizer), normalizer)

    if not any(answer.strip() for answer in answers):
        return '<span class="none">no answer</span>'
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
