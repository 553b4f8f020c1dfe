"""The words that an answer shares with a gold answer, as HTML."""

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from ..core.text import Normalizer, NormalizerSpec, get_normalizer, split_cjk_characters
from .chart_parts import escaped

MOST_WORDS = 500  # words compared; the time grows with their square

_HIDDEN = "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap"
_WORDS = {"mark": "common", "ins": "surplus", "del": "missing"}

_LIGHT = "--common-ground:#fff0b8;--surplus:#8f4636;--missing:#545d6e"
_DARK = "--common-ground:#4d4316;--surplus:#f0b8a8;--missing:#a9b2c1"
_RULES = (
    "mark.common{background:var(--common-ground);color:inherit;border-radius:.2em;padding:0 .1em}"
    "ins.surplus{color:var(--surplus);text-decoration:underline;text-decoration-thickness:2px;"
    "text-underline-offset:.2em}"
    "del.missing{color:var(--missing);text-decoration:line-through}"
    + "".join(
        f"{tag}.{word}::before{{content:' [{word}: ';{_HIDDEN}}}{tag}.{word}::after{{content:'] ';{_HIDDEN}}}"
        for tag, word in _WORDS.items()
    )
)

CSS = f":root{{{_LIGHT}}}@media screen and (prefers-color-scheme:dark){{:root{{{_DARK}}}}}{_RULES}"
"""How the three kinds of words look; screen readers hear them named."""

CSS_BY_CLASS = f":root{{{_LIGHT}}}.dark{{{_DARK}}}{_RULES}"
"""The same for pages that have their own class `dark`, such as Gradio's."""


class Word(NamedTuple):
    """A word as written, its key for comparisons ("" for words such as articles), and the white space before it."""

    text: str
    key: str
    space: str


def mark_difference(answer: str, gold: str, normalizer: NormalizerSpec = "squad", most: int = MOST_WORDS) -> str:
    """An answer as HTML: `<mark>` for words shared with the gold answer, `<ins>` for surplus, `<del>` for missing words.

    Words are compared after normalisation, in order; Chinese and Japanese words character by character.
    Articles and lone punctuation are not differences. A word that occurs elsewhere in the gold answer is marked twice.

    Args:
        answer, gold: any texts; "" for none.
        normalizer: applied to each word.
        most: number of compared words; further words follow a note, unmarked.

    Returns:
        Escaped inline HTML; "" for two empty texts.

    Example:
        >>> mark_difference("the old Tower", "Tower of London")
        'the <ins class="surplus">old</ins> <mark class="common">Tower</mark> <del class="missing">of London</del>'
    """
    normalizer = get_normalizer(normalizer)
    answer_words, gold_words = _words(answer, normalizer), _words(gold, normalizer)
    further, unseen = answer_words[most:], len(gold_words) > most
    answer_words, gold_words = answer_words[:most], gold_words[:most]
    places = [[place for place, word in enumerate(words) if word.key] for words in (answer_words, gold_words)]
    first_keys, second_keys = [
        [words[place].key for place in kept] for words, kept in zip((answer_words, gold_words), places, strict=True)
    ]
    pieces: list[tuple[str, str, str]] = []  # tag, text, white space before
    done = 0
    for action, i, j, k, m in SequenceMatcher(None, first_keys, second_keys, autojunk=False).get_opcodes():
        if i < j:
            first, last = places[0][i], places[0][j - 1] + 1
            pieces += [("", word.text, word.space) for word in answer_words[done:first]]
            pieces.append(
                ("mark" if action == "equal" else "ins", _joined(answer_words[first:last]), answer_words[first].space)
            )
            done = last
        if k < m and action != "equal":
            lost = gold_words[places[1][k] : places[1][m - 1] + 1]
            pieces.append(("del", _joined(lost), " " if pieces and not _touch(pieces[-1][1], lost[0].text) else ""))
    pieces += [("", word.text, word.space) for word in answer_words[done:]]
    marked = _html(pieces)
    if further or unseen:
        marked += f" <em>[only the first {most:,} words are compared]</em> {escaped(_joined(further))}".rstrip()
    return marked


def closest_gold(answer: str, golds: Sequence[str], normalizer: NormalizerSpec = "squad") -> str:
    """The first gold answer with the highest F1; "" without gold answers."""
    normalizer = get_normalizer(normalizer)
    answer_counts = Counter(word.key for word in _words(answer, normalizer) if word.key)

    def overlap(gold: str) -> float:
        gold_counts = Counter(word.key for word in _words(gold, normalizer) if word.key)
        return 2 * (answer_counts & gold_counts).total() / ((answer_counts.total() + gold_counts.total()) or 1)

    return max(golds, key=overlap, default="")


def _words(text: str, normalizer: Normalizer) -> list[Word]:
    words = []
    for space, chunk in re.findall(r"(\s*)(\S+)", text):
        for place, piece in enumerate(split_cjk_characters(chunk).split()):
            for part, (written, key) in enumerate(_keyed(piece, normalizer)):
                words.append(Word(written, key, "" if place or part else space))
    return words


def _keyed(piece: str, normalizer: Normalizer) -> list[tuple[str, str]]:
    """The pieces between white space with their keys.

    A piece that normalises to several words, such as "two-year", is split into these words if possible.
    """
    if not any(map(str.isalnum, piece)):
        return [(piece, _symbols(piece, normalizer))]
    key = normalizer(piece)
    if len(key.split()) > 1:
        parts = re.findall(r"^\W*\w+\W*|\w+\W*", piece)
        keys = list(map(normalizer, parts))
        if keys == key.split():
            return list(zip(parts, keys, strict=True))
    return [(piece, key)]


def _symbols(piece: str, normalizer: Normalizer) -> str:
    """The symbols of a piece; punctuation marks of all languages are equal, other signs differ."""
    bare = get_normalizer("mlqa:en")(piece)
    return normalizer(bare) if bare else ""


def _joined(words: Sequence[Word]) -> str:
    return "".join(f"{word.space if place else ''}{word.text}" for place, word in enumerate(words))


def _touch(text: str, other: str) -> bool:
    """Whether two texts may adjoin without a space."""
    return _is_cjk(text[-1]) and _is_cjk(other[0])


def _is_cjk(character: str) -> bool:
    return split_cjk_characters(f"a{character}") != f"a{character}"


def _html(pieces: Sequence[tuple[str, str, str]]) -> str:
    """One element per run of words of one kind; missing words are separated from the next element."""
    parts, before = [], ""
    for place, (tag, text, space) in enumerate(pieces):
        if place and not space and before == "del" and not _touch(pieces[place - 1][1], text):
            space = " "
        word = escaped(text)
        shown = f'<{tag} class="{_WORDS[tag]}">{word}</{tag}>' if tag else word
        parts.append((escaped(space) if place else "") + shown)
        before = tag
    return "".join(parts)
