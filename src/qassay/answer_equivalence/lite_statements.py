"""Short answers that name the gold answer and state something else: before it, all but it, somebody's brother, its negation."""

import re

import numpy as np

from .lite_roles import Beside, role_features
from .lite_words import Words, texts_of_rows

_STATEMENT_WORDS = 12  # words of an answer that is read as one statement
_WORDS_OF_NEGATION = 3  # of a negated answer than of the gold answer
_RELATED = (
    "brother|sister|son|daughter|father|mother|wife|husband|widow|student|pupil|assistant|friend|cousin|uncle|aunt|nephew|niece"
    "|grandson|granddaughter|grandfather|grandmother|successor|predecessor|teacher|rival|enemy|followers?|disciples?"
)
# What stands around the gold answer, {}: each makes another answer of it, unless the gold answer has these words too.
_AROUND = {
    "before, after": r"\b(?:before|after|prior to|until) (?:the )?(?:year )?{}",
    "bc": r"{}(?:,? | ?\()b\.?c\b",
    "all but": r"(?:(?:any|every|all|each|some)\w* (?:\w+ )?(?:but|except)(?: for)?|\b(?:except(?: for)?|opposite of|instead of|rather than)) (?:the )?{}$",
    "of a relation": rf"\b(?:{_RELATED}) of (?:the )?{{}}$|{{}}(?:'s?|’s?) (?:\w+ )?(?:{_RELATED})\b",
    "a rate": r"{} (?:per|an|a|each|every) (?:second|minute|hour|day|week|month|year|person|head|capita|unit|mile|km)\b",
}
_AROUND_WORDS = re.compile("before|after|prior|until|except|opposite|instead|rather|per")
_RELATIONS = frozenset(_RELATED.replace("?", "").split("|"))
# Words without which no pattern above matches: most answers have none, and a pattern for each gold answer is slow to make.
_AROUND_CUE = re.compile(
    rf"before|after|prior|until|b\.?c\b|but|except|opposite|instead|rather|{_RELATED}|(?:per|an|a|each|every) [a-z]"
)
_DATED = ("before, after", "bc")  # of gold answers with a number or a date
_COMPARISON_SIGNS = re.compile(r"[≠≤≥≈]|(?<=[\s\w])[<>](?==?\s*-?\d)")  # not the brackets of a tag
_SAME_POLARITY = {
    "yes": "yep yeah yup yea correct right true indeed absolutely certainly definitely affirmative sure",
    "no": "nope nah false incorrect wrong negative",
}
_SURE = frozenset(
    "yep yeah yup indeed absolutely certainly definitely affirmative nope nah".split()
)  # also before a sentence
_FIRST_PART = re.compile(r"[a-z]+(?=[.!,;:\n])")
_POLARITY_OF = {word: answer for answer, words in _SAME_POLARITY.items() for word in words.split()}
_STATEMENT_LETTERS = re.compile(r"[a-z]+")
_CONTRAST = r"{}\W{{0,4}}[(,;–—-] ?not\b"
_CONTRAST_CUE = re.compile(r"[(,;–—-] ?not\b")


def _bare_texts(texts: tuple[str, str]) -> tuple[str, str]:
    """An answer and a gold answer without case and outer marks."""
    answer, gold = (text.casefold().strip(" .!\n\"'*") for text in texts)
    return answer, gold


def _rows_with_gold(rows: Beside) -> list[int]:
    c = rows.columns
    return np.flatnonzero((c["recall"] >= 0.9) & (c["gold_words"] <= 6) & (rows.lengths <= _STATEMENT_WORDS)).tolist()


def _around_rows(rows: Beside) -> list[int]:
    """What stands around the gold answer makes another answer of it: "before 1945", "Shakespeare's brother", "1066 BC"."""
    golds, dated, found = texts_of_rows(rows.gold, rows.counts), _has_date(rows), []
    for row in _rows_with_gold(rows):
        answer, gold = _bare_texts(rows.texts(row))
        if not gold or len(answer) == len(gold) or not _AROUND_CUE.search(answer):
            continue
        known = [rows.question.distinct[rows.question.index[row]], *(rows.gold.distinct[text] for text in golds(row))]
        known_words = {word for text in known for word in _STATEMENT_LETTERS.findall(text.casefold())}
        for name, pattern in _AROUND.items():
            if name in _DATED and not dated[row] or name == "a rate" and not gold[-1].isalpha():
                continue
            match = re.search(pattern.format(*[re.escape(gold)] * 2), answer)
            said = _RELATIONS if name == "of a relation" else _AROUND_WORDS.findall(match[0]) if match else ()
            if match and known_words.isdisjoint(said):
                found.append(row)
                break
    return found


def _has_date(rows: Beside) -> np.ndarray:
    """Whether the gold answer of each row has a number or a month, bool (n,)."""
    return rows.gold.has(rows.words.dates)[rows.gold.index[rows.best]]


def _negated_rows(rows: Beside) -> list[int]:
    """The gold answer is a clause, and the answer is the same clause with a negation: "It is not safe."."""
    c = rows.columns
    near = (c["negations"] > 0) & (c["gold_negations"] == 0) & (c["recall"] >= 0.9) & (c["gold_words"] >= 2)
    near &= rows.lengths <= c["gold_words"] + _WORDS_OF_NEGATION
    return [row for row in np.flatnonzero(near).tolist() if _is_negated(rows.said(row), rows.wanted(row), rows.words)]


def _is_negated(said: list[int], wanted: list[int], words: Words) -> bool:
    """Whether the last word of the gold answer comes after a negation that is neither the first word nor behind a mark."""
    last = next((words.stems[word] for word in reversed(wanted) if not words.marks[word]), -1)
    ends = [place for place, word in enumerate(said) if words.stems[word] == last]
    before = said[: ends[-1]] if ends else []
    return any(words.negates[word] for word in before[1:]) and not any(words.marks[word] for word in before)


def _other_relation_rows(rows: Beside) -> list[int]:
    """The answer has a sign of a comparison, such as "≠" or ">", that the gold answer lacks, or the other way around."""
    short = np.flatnonzero((rows.lengths <= _STATEMENT_WORDS) & (rows.columns["recall"] > 0.5)).tolist()
    return [row for row in short if len({frozenset(_COMPARISON_SIGNS.findall(text)) for text in rows.texts(row)}) > 1]


def _same_polarity_rows(rows: Beside) -> list[int]:
    """The gold answer is yes or no, and the answer says it with another word: "Yep", "Correct.", "Absolutely. She won."."""
    c, found = rows.columns, []
    firm = (c["alternatives"] + c["hedges"] + c["refusal"]) == 0
    polar = rows.gold.has(rows.words.are(_SAME_POLARITY))[rows.gold.index[rows.best]]
    for row in np.flatnonzero(polar & (c["gold_words"] == 1)).tolist():
        answer, gold = _bare_texts(rows.texts(row))
        if gold not in _SAME_POLARITY:
            continue
        first = _FIRST_PART.match(answer)
        words = _STATEMENT_LETTERS.findall(answer) if rows.lengths[row] <= 3 else []
        if first and first[0] in _SURE and firm[row] and (gold == "no" or c["negations"][row] == 0):
            words = [first[0]]
        if [_POLARITY_OF.get(word) for word in words] == [gold]:
            found.append(row)
    return found


def _contrasted_rows(rows: Beside) -> list[int]:
    """The answer sets the gold answer against something else: "Canberra (not Sydney)"."""
    denied = (rows.columns["recall"] >= 0.9) & (rows.columns["negations"] > 0) & (rows.lengths <= 40)
    found = []
    for row in np.flatnonzero(denied).tolist():
        answer, gold = _bare_texts(rows.texts(row))
        if gold and _CONTRAST_CUE.search(answer) and re.search(_CONTRAST.format(re.escape(gold)), answer):
            found.append(row)
    return found


_STATEMENTS = {
    "around": _around_rows,
    "negated_clause": _negated_rows,
    "other_relation": _other_relation_rows,
    "same_polarity": _same_polarity_rows,
    "contrasted": _contrasted_rows,
}


def statement_features(rows: Beside) -> dict[str, np.ndarray]:
    """Features of the rules only, float64 (n,): 1 where it is so, else 0. Each function above says what one means."""
    return role_features(rows, _STATEMENTS)
