"""Slices that several families or reports use: one label per example, by question, count or condition, for `Scores.by`."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import numpy as np

# Label -> its question words: English, French, German, Spanish.
_QUESTION_WORDS = {
    "how many/much": (
        "how many", "how much", "combien", "wie viel", "wie viele", "wie vielen", "wieviel", "wieviele",
        "cuánto", "cuánta", "cuántos", "cuántas",
    ),
    "how": ("how", "comment", "wie", "cómo"),
    "which": (
        "which", "quel", "quelle", "quels", "quelles", "lequel", "laquelle", "lesquels", "lesquelles",
        "welche", "welcher", "welches", "welchem", "welchen", "cuál", "cuáles",
    ),
    "whose": ("whose", "wessen"),
    "who": ("who", "whom", "qui", "wer", "wen", "wem", "quién", "quiénes"),
    "when": ("when", "quand", "wann", "cuándo"),
    "where": ("where", "où", "wo", "woher", "wohin", "dónde", "adónde"),
    "why": ("why", "pourquoi", "warum", "weshalb", "wieso", "por qué"),
    "what": ("what", "que", "quoi", "was", "qué"),
}  # fmt: skip

# Chinese and Japanese are written without spaces: question words occur anywhere. "何" alone (what) comes last: others
# hold it.
_QUESTION_CHARACTERS = {
    "how many/much": ("多少", "几个", "幾個", "几", "いくつ", "いくら", "何人", "何個", "何本", "何台", "何枚", "何回", "何年間", "何メートル"),
    "who": ("谁", "誰", "だれ", "什么人", "何者"),
    "when": ("什么时候", "何时", "何時", "哪年", "哪一年", "いつ", "何年", "何月", "何日"),
    "where": ("哪里", "哪儿", "何处", "什么地方", "どこ"),
    "why": ("为什么", "為什麼", "为何", "なぜ", "どうして"),
    "how": ("怎么", "怎样", "如何", "どのように", "どうやって"),
    "which": ("哪个", "哪些", "哪", "どの", "どちら", "どれ"),
    "what": ("什么", "什麼", "何", "なに", "なん"),
}  # fmt: skip

# Words that are something else in another of the languages, or not only question words: they ask only where the
# question begins with them or, "qui", ends. "Was the bridge built?" is English and no "what".
_UNSURE = frozenset({"was", "que", "qui", "wo", "wie", "wen", "comment"})
_QUESTION_EDGE = re.compile(
    r"\W*(?:que|qui|wo|wie|wen|comment|was(?!\s+(?:the|an?|it|s?he|there|this|that|his|her)\b))\b|.*\bqui\W*$",
    re.DOTALL,
)


def question_word(questions: Sequence[str]) -> list[str]:
    """The question word of each question: "what", "who", "when", "where", "why", "how", "how many/much", "which", "whose".

    Anything else is "other". The first question word wins wherever it is and however it is written: "In what year",
    "WHAT", "Seit wann". French, German, Spanish, Chinese and Japanese words count as English; questions that
    also mean something else ("was", "que", "wie") only at the edge of a question without another question word. A rule
    of thumb, not a parser: "the man who" is taken for "who".

    Example:
        >>> question_word(["In what year?", "HOW MUCH is it?", "Seit wann?", "C'est qui ?", "なぜですか", "Name it."])
        ['what', 'how many/much', 'when', 'who', 'why', 'other']
    """
    return [_question_word(question.lower()) if isinstance(question, str) else "other" for question in questions]


def _question_word(question: str) -> str:
    labels, pattern = _question_patterns()
    words = [" ".join(word.split()) for word in pattern.findall(question)]
    sure = next((word for word in words if word not in _UNSURE), None)
    if sure is not None:
        return labels[sure]
    if words and _QUESTION_EDGE.match(question):
        return labels[words[0]]
    if not question.isascii():
        for label, characters in _QUESTION_CHARACTERS.items():
            if any(word in question for word in characters):
                return label
    return "other"


@cache
def _question_patterns() -> tuple[dict[str, str], re.Pattern[str]]:
    labels = {word: label for label, words in _QUESTION_WORDS.items() for word in words}
    longest_first = sorted(labels, key=len, reverse=True)
    pattern = "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in longest_first)
    return labels, re.compile(rf"(?<![\w-])(?:{pattern})(?!\w)")


def count_range(count: int) -> str:
    """A count as a label: "0", "1", "2", "3-5", "6-10" or "11+"."""
    if count <= 2:
        return str(count)
    return "3-5" if count <= 5 else "6-10" if count <= 10 else "11+"


# Slicings whose labels are counts -> a group in words.
_COUNTS_IN_WORDS = {
    "answer_length": ("answer of {} word", "answer of {} words"),
    "gold_count": ("gold answers: {}", "gold answers: {}"),
    "relevant_count": ("relevant documents: {}", "relevant documents: {}"),
}


def slice_in_words(name: str, label: str) -> str:
    """A group of a slicing in words.

    Example:
        >>> slice_in_words("question_word", "who"), slice_in_words("has_answer", "yes")
        ('question word who', 'has answer = yes')
        >>> slice_in_words("answer_length", "1"), slice_in_words("answer_length", "3-5"), slice_in_words("gold_count", "3+")
        ('answer of 1 word', 'answer of 3–5 words', 'gold answers: 3 or more')
    """
    count = re.fullmatch(r"(\d+)(?:-(\d+)|(\+))?", str(label), re.ASCII)
    if count and name in _COUNTS_IN_WORDS:
        first, last, more = count.groups()
        shown = f"{first}–{last}" if last else f"{first} or more" if more else first
        return _COUNTS_IN_WORDS[name][label != "1"].format(shown)
    between = " = " if label in ("yes", "no") else " "
    return f"{name.replace('_', ' ')}{between}{label if str(label).strip() else '(empty)'}"


def in_order(labels: Iterable[str]) -> list[str]:
    """Labels in their natural order: by the number they begin with, then by letters, "other" last."""

    def key(label: str) -> tuple[bool, float, str]:
        number = re.match(r"-?\d+(\.\d+)?", label)
        return label == "other", float(number.group()) if number else math.inf, label

    return sorted(labels, key=key)


def first_that_holds(conditions: Mapping[str, np.ndarray], otherwise: str) -> list[str]:
    """For each example the name of the first of `conditions`, name -> bool (n,), that holds; or else `otherwise`."""
    names = [*conditions, otherwise]
    first = np.select(list(conditions.values()), list(range(len(conditions))), len(conditions))
    return [names[index] for index in first.tolist()]


def mask_labels(mask: Iterable[bool]) -> list[str]:
    """The labels of a subset: "yes" for the examples in it, "no" for the others."""
    return ["yes" if inside else "no" for inside in mask]
