"""The gold answer in other words or without its remark, and names that only hold it: another person, another bearer of a title."""

import re

import numpy as np

from .lite_meanings import FIRST_NAMES, TITLES_BEFORE_NAMES, words_alike
from .lite_roles import Beside
from .lite_spelling import squashed_letters
from .lite_words import SpelledTexts, texts_of_rows

_FEW_WORDS = 12  # of an answer that is read for other words
_SAME = 0.99  # F1 of words by weight, from which on trees accept an answer
_NAME_WORDS = 8  # of an answer that is read for first names and titles
_LEAST_LETTERS = 2  # of a gold answer without its remark
_REMARK_PATTERN = re.compile(
    r"\([^()]*\)"
    r"|, (?:who|which) (?:is|was|are|were|had|has|have) .*$"
    r"|, (?:also|formerly|better|otherwise) (?:known|called|written|spelled|spelt) .*$"
    r"|, (?:or|aka|a\.k\.a\.|i\.e\.) .*$"
)
_ARTICLE_PATTERN = re.compile(r"^\W*(?:the|an?) ", re.IGNORECASE)
_THING_PATTERN = re.compile(
    r"\b(?:what|which)\b(?:'s| is| was| are| were)?(?: [\w'-]+){0,4}? "
    r"(?:city|cities|town|village|country|nation|state|county|province|capital|continent|island|river|lake|mountain|ocean|sea|desert"
    r"|planet|band|group|team|club|company|airline|university|college|newspaper|magazine|film|movie|album|song|car|ship|language)\b"
    r"(?! (?:singer|star|musician|artist|actor|actress|writer|author|player|manager|coach|driver|captain|member|leader|president|mayor"
    r"|governor|king|queen|director|founder|owner|producer|drummer|guitarist|vocalist|executive))",
    re.IGNORECASE,
)
_BEFORE_PLACES = frozenset("st saint san santa fort port lake mount mt".split())
_PERSON_PATTERN = re.compile(r"\b(?:who|whose|whom|person|man|woman|actor|actress|singer)\b", re.IGNORECASE)


def reworded_features(rows: Beside) -> dict[str, np.ndarray]:
    """Features of the rules only, float64 (n,): 1 where it is so, else 0. Each function below says what one means."""
    found = {}
    for name, places in (
        ("without_remark", _without_remark(rows)),
        ("other_bearer", _other_bearer(rows)),
        ("reworded", _reworded(rows)),
    ):
        found[name] = np.zeros(len(rows.best))
        found[name][places] = 1
    return found


def _without_remark(rows: Beside) -> np.ndarray:
    """The answer is a gold answer without what the gold answer says beside it, in brackets or behind "also known as"."""
    row_of_gold = np.repeat(np.arange(len(rows.best)), rows.counts)
    near = (rows.columns["f1"] > 0) & (rows.columns["f1"] < _SAME) & (rows.lengths <= _FEW_WORDS)
    short = np.flatnonzero(near[row_of_gold])
    golds = rows.gold.distinct
    remarked = [
        text for text in np.unique(rows.gold.index[short]).tolist() if "(" in golds[text] or ", " in golds[text]
    ]
    cores = {text: letters for text in remarked if len(letters := _core_letters(golds[text])) >= _LEAST_LETTERS}
    pairs = short[np.isin(rows.gold.index[short], list(cores))]
    answers = rows.answer.index[row_of_gold[pairs]].tolist()
    letters_of = {text: _letters(rows.answer.distinct[text]) for text in dict.fromkeys(answers)}
    same = [
        letters_of[answer] == cores[gold] for answer, gold in zip(answers, rows.gold.index[pairs].tolist(), strict=True)
    ]
    return row_of_gold[pairs[np.array(same, bool)]]


def _core_letters(text: str) -> str:
    core = _REMARK_PATTERN.sub(" ", text)
    return _letters(core) if core != text else ""


def _letters(text: str) -> str:
    return squashed_letters(_ARTICLE_PATTERN.sub("", text))


def _other_bearer(rows: Beside) -> list[int]:
    """A thing is asked for, and the answer is a person who bears its name: "Whitney Houston", "Queen Latifah"."""
    c = rows.columns
    named = (c["recall"] >= 0.9) & (c["gold_words"] == 1) & (c["gold_capitals"] == 1) & (rows.lengths <= _NAME_WORDS)
    named &= (c["attached_before"] > 0) | (c["attached_after"] > 0)
    found = []
    for row in np.flatnonzero(named).tolist():
        names = [rows.words.names[word] for word in rows.said(row)]
        first = int(c["run_place"][row])
        of_person = first > 0 and names[first - 1] in FIRST_NAMES and names[max(first - 2, 0)] not in _BEFORE_PLACES
        titled = c["attached_after"][row] > 0 and names[first] in TITLES_BEFORE_NAMES
        titled = titled and f"{names[first].capitalize()} {names[first + 1].capitalize()}" in _plain_words(
            rows.answer, row
        )
        if (of_person or titled) and _asks_for_a_thing(_plain_words(rows.question, row)):
            found.append(row)
    return found


def _plain_words(texts: SpelledTexts, row: int) -> str:
    return texts.distinct[texts.index[row]]


def _asks_for_a_thing(question: str) -> bool:
    return _THING_PATTERN.search(question) is not None and _PERSON_PATTERN.search(question) is None


def _reworded(rows: Beside) -> list[int]:
    """A short answer has each word of a gold answer that matters, in its order, some in other words, and nothing beyond."""
    c = rows.columns
    near = (c["recall"] > 0.1) & (c["exact_recall"] < 1) & (c["gold_capitals"] < 0.5) & (rows.lengths <= _FEW_WORDS)
    near &= (c["negations"] + c["alternatives"] + c["hedges"] + c["refusal"]) == 0
    golds, found = texts_of_rows(rows.gold, rows.counts), []
    for row in np.flatnonzero(near).tolist():
        said = _that_matter(rows, rows.said(row))
        asked = set(_that_matter(rows, rows.question.tokens(rows.question.index[row]).tolist()))
        if any(
            _is_reworded(rows, said, _that_matter(rows, rows.gold.tokens(gold).tolist()), asked) for gold in golds(row)
        ):
            found.append(row)
    return found


def _that_matter(rows: Beside, words: list[int]) -> list[int]:
    return [word for word in words if not rows.words.grammar[word]]


def _is_reworded(rows: Beside, said: list[int], wanted: list[int], asked: set[int]) -> bool:
    """Whether two lists of words say the same one after another, but for words of the question that only one of them has.

    Two words or more, one of them the same: a word in another's place means the same beside it.
    """
    given = [word for word in said if word not in asked or word in wanted]
    needed = [word for word in wanted if word not in asked or word in said]
    if len(given) != len(needed) or len(needed) < 2:
        return False
    names, stems = rows.words.names, rows.words.stems
    pairs = [*zip(given, needed, strict=True)]
    same = [stems[one] == stems[other] for one, other in pairs]
    return any(same) and all(
        equal or not words_alike(names[one]).isdisjoint(words_alike(names[other]))
        for equal, (one, other) in zip(same, pairs, strict=True)
    )
