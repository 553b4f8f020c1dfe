"""What moved the score of an answer, as HTML: for cards of examples, and for the page of one metric, which copies this file."""

from collections.abc import Callable, Sequence

MOST_REASONS = 3  # of one answer
REASONS_KEY = (
    '<p class="key"><span><span class="up">+</span> and <span class="down">−</span>: what moved the score, and by how '
    "much</span></p>"
)


def reasons_html(reasons: Sequence[tuple[float, str]], scale: int, escape: Callable[[str], str]) -> str:
    """What moved a score, a line each; "" for nothing.

    Args:
        reasons: the effect on a score from 0 to 1, with its sign, and the reason in words.
        scale: of the scores, 1 or 100.
        escape: makes a text HTML.
    """
    items = "".join(
        f'<li><span class="{"down" if effect < 0 else "up"}">{_effect(effect, scale)}</span> {escape(words)}</li>'
        for effect, words in reasons
    )
    return f'<ul class="reasons">{items}</ul>' if items else ""


def _effect(effect: float, scale: int) -> str:
    """With its sign, a true minus.

    Example:
        >>> _effect(-0.314, 1), _effect(0.314, 100)
        ('−0.31', '+31.4')
    """
    return f"{scale * effect:+.{1 if scale == 100 else 2}f}".replace("-", "−")
