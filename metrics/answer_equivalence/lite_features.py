"""What the built-in scorer of answer equivalence looks at: an answer beside the gold answers and the question.

A text becomes its words once, however many rows it is in; words are then numbers, and rows are compared in numpy, in
time linear in their length. A gold answer's words are found in an answer as they are, or as another form of the same
word (see `_word_forms`), and weigh by how rare they are in questions and answers.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np

from ..core.ragged import ranges_from
from ..semantic_answer_similarity.lite_features import folded_words

_MOST_WEIGHT = 100  # of a word, in hundredths: of every word that the table of weights does not name
_LIGHT = 0.3  # weight up to which a word says little
_SPELLED_CHARACTERS = 2_000  # of an answer that are searched for names
_FAR = 1 << 30

_MONTHS = "january february march april may june july august september october november december".split()
_DENIALS = frozenset(
    "incorrect false wrong untrue doubt doubtful unlikely unlike mistake mistaken mistakenly error myth hardly "
    "misconception falsely erroneously wrongly disproved refuted denied deny dubious".split()
)
_NEGATING_WORDS = _DENIALS | frozenset("not no never none neither nor without cannot except excluding".split())
_HEDGES = frozenset(
    "may might maybe perhaps possibly probably likely unsure uncertain unclear could guess assume "
    "believe think supposedly presumably either unknown whether if claim say".split()
)
_OR = "or"
_REFUSAL_PATTERN = re.compile(
    r"\b(?:i (?:do not|don't|dont|can't|cannot|can not|could not|couldn't|am (?:not (?:sure|certain|aware|able)|unable))\b"
    r"|i'm (?:not (?:sure|certain|aware|able)|unable|sorry|afraid)\b|i am sorry|sorry, |as an ai\b"
    r"|(?:cannot|can't|can not|could not|couldn't) be (?:determined|answered|found|known|inferred)"
    r"|no (?:answer|information|data|idea|definitive answer|clear answer|record)\b|unanswerable|not answerable"
    r"|(?:does not|doesn't|do not|don't|did not|didn't) (?:have|provide|contain|mention|specify|say|state|give|know|find)"
    r"|(?:is|are|was|were) (?:not|no) (?:specified|mentioned|stated|given|known|provided|available|clear|possible)"
    r"|it is (?:unclear|unknown|impossible)|not enough (?:information|context)|insufficient (?:information|context)"
    r"|n/a$|none$|unknown$|please provide|need more (?:information|context)|more (?:information|context|details) (?:is|are)"
    r" needed)",
    re.IGNORECASE,
)
# One of these is in every refusal: most answers need no search.
_REFUSAL_PARTS = (
    "not",
    "n't",
    "dont",
    "unable",
    "sorry",
    "afraid",
    "as an ai",
    "no ",
    "unan",
    "unk",
    "uncl",
    "n/a",
    "none",
    "insuf",
    "impossible",
    "please",
    "more ",
)
_HEAD_CHARACTERS = 300  # a refusal stands at the beginning of an answer


def is_refusal(text: str) -> bool:
    """Whether an answer says, near its beginning, that it gives none.

    Example:
        >>> is_refusal("I don't know."), is_refusal("It cannot be determined from the text."), is_refusal("Paris")
        (True, True, False)
    """
    head = text[:_HEAD_CHARACTERS].casefold().replace("’", "'").strip().rstrip(".! ")
    return any(part in head for part in _REFUSAL_PARTS) and _REFUSAL_PATTERN.search(head) is not None


def is_hedged(answer: str, golds: Sequence[str]) -> bool:
    """Whether an answer offers several things of which a gold answer is one: "Paris or Lyon", "Paris / Lyon".

    Example:
        >>> is_hedged("Paris or Lyon", ["Paris"]), is_hedged("Paris", ["Paris"]), is_hedged("2 or 3", ["2 or 3"])
        (True, False, False)
    """
    return bool(_has_alternatives(answer)) and not any(map(_has_alternatives, golds))


def _has_alternatives(text: str) -> bool:
    return _OR in folded_words(text) or " / " in text


# Groups of features, as reasons name them.
FEATURE_GROUPS = {
    "words": (
        "recall precision f1 exact_recall missing_most mean_recall first_word last_word run_recall run_tightness clear_recall "
        "gold_weight squashed squashed_best soft_recall acronym gold_capitals first_recall order attached_before attached_after"
    ),
    "numbers": ("number_recall gold_numbers year_missing year_gap unit_state extra_numbers extra_years answer_numbers"),
    "place": "place place_share run_place run_sentence runs run_words",
    "length": "words gold_words answer_weight extra_weight first_extra first_words gold_letters letters_ratio marks",
    "golds": "golds golds_found",
    "doubt": (
        "negations denials hedges denied_before denied_after next_denied but_after hedged_before refusal gold_negations"
    ),
    "guesses": "alternatives run_alternatives list_items gold_alternatives",
    "question": (
        "new_recall new_weight missing_new question_words new_precision asked_share asked_said asks_who asks_when asks_where "
        "asks_how_many first_asked"
    ),
}
GROUP_OF_FEATURE = {name: group for group, names in FEATURE_GROUPS.items() for name in names.split()}
EQUIVALENCE_FEATURES = tuple(GROUP_OF_FEATURE)
QUESTION_FEATURES = frozenset(FEATURE_GROUPS["question"].split())

# The sign of a feature's influence where it is certain: +1 never lowers the probability, -1 never raises it.
EQUIVALENCE_SIGNS = {
    **dict.fromkeys(("recall", "exact_recall", "run_recall", "soft_recall", "clear_recall"), 1),
    **dict.fromkeys(("refusal", "missing_most", "order"), -1),
}
FOUND = 0.4  # of a gold answer: from here on the second forest asks whether the answer asserts it


# Unit words by dimension and size: the words before a size are one unit.
_UNIT_TABLE = """
length: mm millimetre millimeter 0.001, cm centimetre centimeter 0.01, m metre meter 1, km kilometre kilometer 1000,
    inch inches 0.0254, ft foot feet 0.3048, yard yd 0.9144, mile mi 1609.344, fathom 1.8288
mass: mg milligram 0.001, g gram gramme 1, kg kilogram kilogramme kilo 1000, lb lbs pound 453.592, oz ounce 28.35, ton tonne 1000000
time: second sec 1, minute min mins 60, hour hr hrs h 3600, day 86400, week 604800, month 2629800, year yr yrs 31557600,
    decade 315576000, century centuries 3155760000
volume: ml millilitre milliliter 0.001, litre liter 1, gallon 3.785, pint 0.473
speed: mph 1.609, kmh kph 1
heat: celsius c 1, fahrenheit f 2, kelvin k 3
money: dollar usd 1, euro eur 2, yen 3, rupee 4, franc 5, cent 0.01
share: percent 1
"""


def _read_units() -> dict[str, tuple[str, float]]:
    units = {}
    for line in re.sub(r"\n\s+", " ", _UNIT_TABLE.strip()).splitlines():
        dimension, _, groups = line.partition(": ")
        for group in groups.split(","):
            *names, size = group.split()
            for name in names:
                units[name] = units[name + "s"] = (dimension, float(size))
    return units


_UNITS = _read_units()

_SENTENCE, _COMMA = "qzs", "qzc"  # words that stand for marks
_NOT_PATTERN = re.compile(r"n['’]t\b")
_BUT_NOT_WORDS = (" than", " of", " from", " but", " to")
_BUT_NOT_PATTERN = re.compile(
    r"\b(?:[Rr]ather than|[Ii]nstead of|[Oo]ther than|[Ff]ar from|[Aa]nything but|[Cc]ontrary to)\b"
)
_NUMBER_PATTERN = re.compile(r"\b[Nn]o\.? ?(?=\d)")  # "No. 1" is no negation
_MARK_PATTERN = re.compile(r"(?<=[^\W_]{2})[\"”)\]]*([.;:!?,])(?=\s)(?!\s\d{3}\b)|(\n)|(?<=\s)([/–—-])(?=\s)|([?])")


def _mark_word(match: re.Match[str]) -> str:
    mark = match[1] or match[2] or match[3]
    return f" {_SENTENCE} " if mark in (".", "!", "\n", ";") else " or " if mark == "/" else f" {_COMMA} "


def _without_last_mark(text: str) -> str:
    """A text without the marks at its end, but for the full stop of initials: "the U.N."."""
    shorter = text.strip().rstrip(".!? \n")
    return f"{shorter}." if shorter[-2:-1] == "." else shorter


def marked_words(text: str) -> list[str]:
    """The words of a text, folded, with a word for each mark inside it and "not" for each negation by other words.

    Example:
        >>> marked_words("It isn't Rome, rather Paris. So!")
        ['it', 'is', 'not', 'rome', 'qzc', 'rather', 'paris', 'qzs', 'so']
    """
    if "n't" in text or "n’t" in text:
        text = _NOT_PATTERN.sub(" not ", text)
    if any(word in text for word in _BUT_NOT_WORDS):
        text = _BUT_NOT_PATTERN.sub(f" {_COMMA} not ", text)
    if "No" in text or "no" in text:
        text = _NUMBER_PATTERN.sub("number ", text)
    return folded_words(_MARK_PATTERN.sub(_mark_word, _without_last_mark(text)))


class _Words(NamedTuple):
    """Facts of w distinct words, float64 or int64 (w,) each."""

    weights: np.ndarray  # 0 to 1
    stems: np.ndarray
    prefixes: np.ndarray
    skeletons: np.ndarray
    values: np.ndarray  # NaN where the word is no number
    negates: np.ndarray
    denies: np.ndarray
    hedges: np.ndarray
    alternates: np.ndarray
    sentences: np.ndarray
    marks: np.ndarray
    breaks: np.ndarray
    buts: np.ndarray
    joins: np.ndarray
    dates: np.ndarray


class _SpelledTexts(NamedTuple):
    """d distinct texts as word numbers: text i has `words[offsets[i]:offsets[i + 1]]`."""

    index: np.ndarray  # type: ignore[assignment]  # (n,) of each given text to its distinct text
    words: np.ndarray
    offsets: np.ndarray
    distinct: list[str]

    @property
    def lengths(self) -> np.ndarray:
        return np.diff(self.offsets)


_VOWELS = re.compile("[aeiouyhw]")
_DOUBLES = re.compile(r"(.)\1+")
_SOUNDS = str.maketrans("cqzjv", "kksgw")


_YEAR_WITH_NOTE = re.compile(r"(1[0-9]{3}|20[0-9]{2})[1-9][0-9]?")  # "in 19261.": a footnote


@lru_cache(maxsize=1 << 16)
def _word_forms(word: str) -> tuple[str, str, str]:
    """Stem, beginning and consonants of a word; a number is itself in each."""
    if word[0].isdecimal():
        dated = _YEAR_WITH_NOTE.fullmatch(word)
        return (dated[1] if dated else word), word, word
    stem = word
    for ending in ("ies", "ing", "ed", "es", "s", "ly", "ian", "ish", "an", "n", "y", "e"):
        if len(stem) - len(ending) >= 4 and stem.endswith(ending):
            stem = stem[: -len(ending)]
            break
    skeleton = _DOUBLES.sub(r"\1", word[0].translate(_SOUNDS) + _VOWELS.sub("", word[1:]).translate(_SOUNDS))
    return stem, word[:4] if len(word) > 4 else word, skeleton if len(word) > 5 else word


def _facts_of_words(words: list[str], weights: Mapping[str, int]) -> _Words:
    numberings: tuple[dict[str, int], ...] = ({}, {}, {})
    forms = [
        [numbers.setdefault(form, len(numbers)) for numbers, form in zip(numberings, _word_forms(word), strict=True)]
        for word in words
    ]
    stems, prefixes, skeletons = np.array(forms, np.int64).reshape(-1, 3).T
    return _Words(
        np.array(
            [weights.get(word, 0 if word in (_SENTENCE, _COMMA) else _MOST_WEIGHT) / _MOST_WEIGHT for word in words],
            np.float64,
        ),
        stems,
        prefixes,
        skeletons,
        np.array([min(float(word), 1e15) if word[0].isdecimal() else np.nan for word in words], np.float64),
        np.array([word in _NEGATING_WORDS for word in words], bool),
        np.array([word in _DENIALS for word in words], bool),
        np.array([word in _HEDGES for word in words], bool),
        np.array([word == _OR for word in words], bool),
        np.array([word == _SENTENCE for word in words], bool),
        np.array([word in (_SENTENCE, _COMMA) for word in words], bool),
        np.array([word in (_SENTENCE, _COMMA, "but") for word in words], bool),
        np.array([word == "but" for word in words], bool),
        np.array([word in ("or", "and") for word in words], bool),
        np.array([word in _MONTHS or word[0].isdecimal() for word in words], bool),
    )


def _read_texts(texts: Sequence[str], numbers: dict[str, int]) -> _SpelledTexts:
    distinct: dict[str, int] = {}
    index = np.fromiter((distinct.setdefault(text, len(distinct)) for text in texts), np.int64, len(texts))
    rows = [[numbers.setdefault(word, len(numbers)) for word in marked_words(text)] for text in distinct]
    offsets = np.cumsum([0, *map(len, rows)])
    return _SpelledTexts(index, np.fromiter(chain.from_iterable(rows), np.int64, offsets[-1]), offsets, list(distinct))


class _Places:
    """Where the values of some tokens stand first in their text: a sorted array of (text, value)."""

    def __init__(self, texts: _SpelledTexts, values_of_words: np.ndarray):
        self.width = int(values_of_words.max(initial=0)) + 1
        lengths = texts.lengths
        keys = np.repeat(np.arange(len(lengths)), lengths) * self.width + values_of_words[texts.words]
        self.keys, first = np.unique(keys, return_index=True)
        self.places = first - texts.offsets[:-1][self.keys // self.width]

    def find(self, texts: np.ndarray, values: np.ndarray) -> np.ndarray:
        """The first place of each value in its text, -1 where it does not stand there."""
        if not len(self.keys):
            return np.full(len(texts), -1)
        sought = texts * self.width + values
        at = np.minimum(np.searchsorted(self.keys, sought), len(self.keys) - 1)
        return np.where(self.keys[at] == sought, self.places[at], -1)


_ACRONYM_SURE = 0.9
FORM_WEIGHTS = (1.0, 0.95, 0.75, 0.5)  # of a word found as it is, by its stem, consonants, beginning


def _found(
    places: Sequence[_Places], words: _Words, texts: np.ndarray, tokens: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """How surely each token stands in its text, 0 to 1, and where first (-1: nowhere)."""
    sure, at = np.zeros(len(tokens)), np.full(len(tokens), -1)
    forms = (None, words.stems, words.skeletons, words.prefixes)
    for place, form, weight in zip(places, forms, FORM_WEIGHTS, strict=False):
        missing = np.flatnonzero(at < 0)
        found = place.find(texts[missing], tokens[missing] if form is None else form[tokens[missing]])
        at[missing] = found
        sure[missing] = np.where(found >= 0, weight, 0.0)
    return sure, at


def _sums(rows: np.ndarray, values: np.ndarray, count: int) -> np.ndarray:
    return np.bincount(rows, values, count)


def _share(part: np.ndarray, whole: np.ndarray, empty: float = 0.0) -> np.ndarray:
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), empty)


QUESTION_KINDS = {
    "who": ("who", "whom", "whose"),
    "when": ("when", "year", "date"),
    "where": ("where", "country", "city", "state"),
    "how_many": ("many", "much", "often", "long", "old", "number"),
}


def equivalence_features(
    answers: Sequence[str],
    golds: Sequence[Sequence[str]],
    questions: Sequence[str] | None,
    weights: Mapping[str, int],
) -> dict[str, np.ndarray]:
    """The features of n rows by name, float64 (n,) each."""
    n = len(answers)
    numbers: dict[str, int] = {}
    answer = _read_texts(answers, numbers)
    gold = _read_texts(list(chain.from_iterable(golds)), numbers)
    question = _read_texts([""] * n if questions is None else questions, numbers)
    words = _facts_of_words(list(numbers), weights)
    everything = np.arange(len(numbers))
    forms = (everything, words.stems, words.skeletons, words.prefixes)
    in_answer = [_Places(answer, form) for form in forms]
    in_question = [_Places(question, form) for form in forms]
    in_gold = [_Places(gold, form) for form in forms]

    # Pairs of a row with each of its gold answers, and their gold words.
    counts = np.fromiter(map(len, golds), np.int64, n)
    starts = np.cumsum(counts) - counts
    pair_row = np.repeat(np.arange(n), counts)
    pairs = len(pair_row)
    sizes = gold.lengths[gold.index]
    token_pair = np.repeat(np.arange(pairs), sizes)
    token = gold.words[ranges_from(gold.offsets[gold.index], sizes)]
    token_row = pair_row[token_pair]
    weight = words.weights[token]
    sure, at = _found(in_answer, words, answer.index[token_row], token)
    asked, _ = _found(in_question[:2], words, question.index[token_row], token)
    new = asked == 0
    pair_weight = _sums(token_pair, weight, pairs)
    acronym = _found_acronyms(answer, gold, counts)
    sure[acronym[token_pair]] = np.maximum(sure[acronym[token_pair]], _ACRONYM_SURE)
    recall = _share(_sums(token_pair, weight * sure, pairs), pair_weight)
    new_weight = _sums(token_pair, weight * new, pairs)
    new_recall = _share(_sums(token_pair, weight * sure * new, pairs), new_weight, -1.0)
    answer_weight_all = _sums(
        np.repeat(np.arange(len(answer.lengths)), answer.lengths), words.weights[answer.words], len(answer.lengths)
    )
    answer_weight = answer_weight_all[answer.index]
    precision = np.minimum(_share(_sums(token_pair, weight * sure, pairs), answer_weight[pair_row]), 1.0)
    f1 = _share(2 * precision * recall, precision + recall)

    # The gold answer that fits best, per row.
    key = recall + np.maximum(new_recall, 0) + 0.5 * f1
    order = np.lexsort((-key, pair_row))
    best = order[starts]
    best_of_row = best[pair_row]

    is_best = token_pair == best_of_row[token_pair]
    token, token_row, weight, sure, at, new = (values[is_best] for values in (token, token_row, weight, sure, at, new))
    gold_size = sizes[best]
    first_token = np.cumsum(gold_size) - gold_size
    last_token = first_token + gold_size - 1
    value = words.values[token]
    is_number = ~np.isnan(value)
    is_year = is_number & (value >= 1000) & (value <= 2100)
    missing = sure == 0
    columns: dict[str, np.ndarray] = {
        "recall": recall[best],
        "precision": precision[best],
        "f1": f1[best],
        "new_recall": new_recall[best],
        "new_weight": new_weight[best],
        "gold_weight": pair_weight[best],
        "exact_recall": _share(_sums(token_row, weight * (sure == 1), n), pair_weight[best]),
        "missing_most": _most(token_row, np.where(missing, weight, 0), n),
        "missing_new": _sums(token_row, weight * missing * new, n),
        "mean_recall": np.add.reduceat(recall, starts) / counts,
        "golds_found": np.add.reduceat((recall > 0.99).astype(float), starts),
        "golds": counts.astype(float),
    }
    filled = gold_size > 0
    for name, places in (("first_word", first_token), ("last_word", last_token)):
        columns[name] = np.full(n, -1.0)
        columns[name][filled] = sure[places[filled]]
    columns["number_recall"] = _share(_sums(token_row, is_number * sure, n), _sums(token_row, is_number, n), -1.0)
    columns["gold_numbers"] = _sums(token_row, is_number, n)
    columns["year_missing"] = _sums(token_row, is_year & missing, n)

    columns |= _spelled_features(answer, gold, best, counts, starts, sizes)
    columns["unit_state"] = _unit_state(answer, gold.index[best], gold, words, list(numbers))
    columns["year_gap"] = _year_gap(answer, gold.index[best], gold, words, n)

    # The words of the answers, beside the best gold answer and the question.
    size = answer.lengths[answer.index]
    row = np.repeat(np.arange(n), size)
    said = answer.words[ranges_from(answer.offsets[answer.index], size)]
    place = np.arange(len(said)) - np.repeat(np.cumsum(size) - size, size)
    in_best, _ = _found(in_gold, words, gold.index[best][row], said)
    in_asked, _ = _found(in_question[:2], words, question.index[row], said)
    said_weight = words.weights[said]
    matched = (in_best > 0) & (said_weight > 0.15)
    extra = (in_best == 0) & (in_asked == 0)
    said_value = words.values[said]
    said_number = ~np.isnan(said_value)
    columns["words"] = size.astype(float)
    columns["gold_words"] = gold_size.astype(float)
    columns["question_words"] = question.lengths[question.index].astype(float)
    columns["answer_weight"] = answer_weight
    columns["extra_weight"] = _sums(row, said_weight * extra, n)
    columns["new_precision"] = _share(
        _sums(row, said_weight * (in_best > 0) * (in_asked == 0), n), _sums(row, said_weight * (in_asked == 0), n), -1.0
    )
    columns["asked_share"] = _share(_sums(row, said_weight * (in_asked > 0), n), answer_weight)
    columns["asked_said"] = _share(
        _sums(row, said_weight * (in_asked > 0), n),
        _question_weight(question, words)[question.index],
    )
    columns["extra_numbers"] = _sums(row, said_number & extra, n)
    columns["extra_years"] = _sums(row, said_number & extra & (said_value >= 1000) & (said_value <= 2100), n)
    columns["answer_numbers"] = _sums(row, said_number, n)
    columns["negations"] = _sums(row, words.negates[said], n)
    columns["hedges"] = _sums(row, words.hedges[said], n)
    columns["alternatives"] = _sums(row, words.alternates[said], n)
    first_match = np.full(n, _FAR)
    np.minimum.at(first_match, row[matched], place[matched])
    columns["place"] = np.where(first_match < _FAR, first_match, -1).astype(float)
    columns["place_share"] = np.where(first_match < _FAR, first_match / np.maximum(size, 1), -1)
    # The run of matches that lie close together and weigh most.
    columns |= _run_features(
        row,
        place,
        np.flatnonzero(matched),
        said,
        said_weight,
        words,
        columns["gold_weight"],
        n,
        extra,
        np.cumsum(size) - size,
        np.cumsum(size),
        in_asked > 0,
    )
    in_first = _before_mark(words.sentences[said], row, n)
    columns["first_recall"] = np.minimum(
        _share(_sums(row, said_weight * matched * in_first, n), pair_weight[best]), 1.0
    )
    columns["first_extra"] = _sums(row, said_weight * extra * in_first, n)
    columns["first_words"] = _sums(row, in_first, n)
    columns["first_asked"] = _share(
        _sums(row, said_weight * (in_asked > 0) * in_first, n), _question_weight(question, words)[question.index]
    )
    columns["gold_capitals"] = np.array([*map(_capital_share, gold.distinct)])[gold.index[best]] if n else np.zeros(0)
    columns["other_first_name"] = _other_first_names(columns, answer, gold, best)
    columns["denials"] = _sums(row, words.denies[said], n)
    columns["marks"] = _sums(row, words.marks[said], n)
    listed = _sums(token_row, (words.marks | words.joins)[token], n) > 0
    passive = np.zeros(n, bool)
    if "by" in numbers:
        passive[row[said == numbers["by"]]] = True
    columns["order"] = np.where(listed | passive, 0.0, _order(token_row, token, at, words, n))
    columns["acronym"] = np.maximum.reduceat(acronym.astype(float), starts) if n else np.zeros(0)
    columns["gold_negations"] = _sums(token_row, words.negates[token], n)
    columns["gold_alternatives"] = _sums(token_row, words.alternates[token], n)
    columns["refusal"] = np.array([is_refusal(text) for text in answer.distinct], bool)[answer.index].astype(float)
    for kind, kind_words in QUESTION_KINDS.items():
        known = np.array([numbers[word] for word in kind_words if word in numbers], np.int64)
        has = np.zeros(len(question.lengths), bool)
        has[np.repeat(np.arange(len(has)), question.lengths)[np.isin(question.words, known)]] = True
        columns[f"asks_{kind}"] = has[question.index].astype(float)
    return {name: np.round(np.asarray(column, np.float64), 6) for name, column in columns.items()}


def _other_first_names(
    columns: dict[str, np.ndarray], answer: _SpelledTexts, gold: _SpelledTexts, best: np.ndarray
) -> np.ndarray:
    """Where a short answer has the last of the gold answer's names after a first name that begins with another letter."""
    other = (columns["last_word"] == 1) & (columns["first_word"] == 0) & (columns["attached_before"] > 0.5)
    other &= (columns["words"] <= 5) & (columns["gold_words"] >= 2) & (columns["gold_numbers"] == 0)
    for place in np.flatnonzero(other):
        names, said = gold.distinct[gold.index[best[place]]].split(), answer.distinct[answer.index[place]].split()
        full = len(names[0]) > 2 and "." not in names[0] and names[0].casefold() not in _TITLES
        other[place] = full and names[0][:1].isupper() and names[0][:1].casefold() != said[0][:1].casefold()
    return other.astype(float)


_TITLES = frozenset(
    "justice president sir king queen dr mr mrs ms lord saint senator general captain dame pope the".split()
)


def _before_mark(marks: np.ndarray, row: np.ndarray, n: int) -> np.ndarray:
    """Which tokens stand before the first mark of their row."""
    first = np.full(n, len(marks))
    np.minimum.at(first, row[marks], np.flatnonzero(marks))
    return np.arange(len(marks)) < first[row]


def _capital_share(text: str) -> float:
    """Share of the words that begin with a capital: names."""
    words = text.split()
    return sum(word[0].isupper() for word in words) / max(len(words), 1)


def _order(token_row: np.ndarray, token: np.ndarray, at: np.ndarray, words: _Words, n: int) -> np.ndarray:
    """Share of the gold answer's neighbouring words that stand the other way round in the answer, dates and numbers apart.

    0 for a gold answer with fewer than three such words in the answer: "Obama, Barack" is Barack Obama.
    """
    kept = np.flatnonzero((at >= 0) & (words.weights[token] > _LIGHT) & ~words.dates[token])
    kept_row = token_row[kept]
    same = kept_row[1:] == kept_row[:-1]
    turned = same & (at[kept][1:] < at[kept][:-1])
    pairs, turns = _sums(kept_row[1:], same, n), _sums(kept_row[1:], turned, n)
    return np.where(pairs > 1, turns / np.maximum(pairs, 1), 0.0)


def _found_acronyms(answer: _SpelledTexts, gold: _SpelledTexts, counts: np.ndarray) -> np.ndarray:
    """Whether the answer has the initials of a gold answer as a word, or the words of a gold answer that is initials."""
    spelled = [_name_initials(text) for text in gold.distinct]
    short = [text.replace(".", "") for text in gold.distinct]
    upper = [text if _UPPER.fullmatch(text) else "" for text in short]
    pairs = zip(np.repeat(answer.index, counts).tolist(), gold.index.tolist(), strict=True)
    return np.array(
        [
            (bool(spelled[g]) and not spelled[g].isdisjoint(_UPPER.findall(answer.distinct[a].replace(".", ""))))
            or (bool(upper[g]) and upper[g] in _name_initials(answer.distinct[a]))
            for a, g in pairs
        ],
        bool,
    )


_UPPER = re.compile(r"\b[A-Z]{2,6}\b")
_CAPITALS = re.compile(r"\b([A-Z])[a-z]+")
_NAME_PARTS = re.compile(r"(?:\b[A-Z][a-z]+(?: (?:of|the|and|for)(?: the)?)? ?){2,6}")


def _name_initials(text: str) -> set[str]:
    """The initials of each name of several words in a text."""
    return {"".join(_CAPITALS.findall(name)) for name in _NAME_PARTS.findall(text[:_SPELLED_CHARACTERS])}


def _quantities(texts: _SpelledTexts, words: _Words, names: list[str]) -> dict[int, list[tuple[float, str, float]]]:
    """Value, dimension and size of the unit of each number that stands beside a unit, by distinct text."""
    known = np.array([name in _UNITS for name in names], bool)
    if not known.any():
        return {}
    places = np.flatnonzero(known[texts.words])
    rows = np.searchsorted(texts.offsets, places, side="right") - 1
    found: dict[int, list[tuple[float, str, float]]] = {}
    for place, row in zip(places.tolist(), rows.tolist(), strict=True):
        for beside in (place - 1, place - 2, place + 1):
            if texts.offsets[row] <= beside < texts.offsets[row + 1]:
                value = float(words.values[texts.words[beside]])
                if value == value:
                    found.setdefault(row, []).append((value, *_UNITS[names[texts.words[place]]]))
                    break
    return found


def _unit_state(
    answer: _SpelledTexts, best: np.ndarray, gold: _SpelledTexts, words: _Words, names: list[str]
) -> np.ndarray:
    """Of the gold answer's quantities: 1 where the answer has one of them, in any unit, -1 where it has others; else 0."""
    wanted, said = _quantities(gold, words, names), _quantities(answer, words, names)
    state = np.zeros(len(best))
    for row, (a, g) in enumerate(zip(answer.index.tolist(), best.tolist(), strict=True)):
        if g in wanted and a in said:
            state[row] = -1
            if any(
                one[1] == other[1] and abs(one[0] * one[2] - other[0] * other[2]) <= 0.005 * one[0] * one[2]
                for one in wanted[g][:20]
                for other in said[a][:200]
            ):
                state[row] = 1
    return state


_BLANKS = re.compile(r"[\W_]+")


def _squashed(text: str) -> str:
    return _BLANKS.sub("", text.casefold())


def _spelled_features(answer: _SpelledTexts, gold: _SpelledTexts, best, counts, starts, sizes) -> dict[str, np.ndarray]:
    """Letters of the golds in a row in the answer, without blanks; acronyms."""
    answers, golds = [*map(_squashed, answer.distinct)], [*map(_squashed, gold.distinct)]
    answer_ids = np.repeat(answer.index, counts).tolist()
    gold_ids = gold.index.tolist()
    inside = np.array(
        [len(golds[g]) > 3 and golds[g] in answers[a] for a, g in zip(answer_ids, gold_ids, strict=True)], bool
    )
    grams = [frozenset(text[i : i + 3] for i in range(min(max(1, len(text) - 2), 60))) for text in golds]
    soft = []
    for a, g in zip(answer.index.tolist(), gold.index[best].tolist(), strict=True):
        text = answers[a]
        soft.append(sum(gram in text for gram in grams[g]) / len(grams[g]))
    lengths = np.array([*map(len, golds)])[gold.index[best]]
    alengths = np.array([*map(len, answers)])[answer.index]
    return {
        "squashed": np.add.reduceat(inside.astype(float), starts),
        "squashed_best": inside[best].astype(float),
        "soft_recall": np.array(soft),
        "gold_letters": lengths.astype(float),
        "letters_ratio": lengths / np.maximum(alengths, 1),
    }


def _year_gap(answer: _SpelledTexts, best: np.ndarray, gold: _SpelledTexts, words: _Words, n: int) -> np.ndarray:
    """Years between the gold answer's first year and the nearest of the answer; -1 without."""
    values = words.values
    years = (values >= 1000) & (values <= 2100)

    def of(texts):
        rows = np.repeat(np.arange(len(texts.lengths)), texts.lengths)
        keep = years[texts.words]
        return [*zip(rows[keep].tolist(), values[texts.words[keep]].tolist())]

    said: dict[int, list[float]] = {}
    for row, value in of(answer):
        said.setdefault(row, []).append(value)
    wanted = dict(of(gold)[::-1])
    return np.array(
        [
            min(min(abs(y - wanted[g]) for y in said[a]), 200) if g in wanted and a in said else -1
            for a, g in zip(answer.index.tolist(), best.tolist(), strict=True)
        ],
        float,
    )


def _question_weight(question: _SpelledTexts, words: _Words) -> np.ndarray:
    lengths = question.lengths
    return _sums(np.repeat(np.arange(len(lengths)), lengths), words.weights[question.words], len(lengths))


def _most(rows: np.ndarray, values: np.ndarray, count: int) -> np.ndarray:
    most = np.zeros(count)
    np.maximum.at(most, rows, values)
    return most


_GAP = 3  # words between two matches of one run
_REACH = 9  # words around a run in which a negation counts
_SHORT = 4  # words of an item of a list


def _last_true(flags: np.ndarray) -> np.ndarray:
    """For each place, the last place at or before it where the flag is set; -1 without. One more row for "before all"."""
    places = np.where(flags, np.arange(len(flags)), -1)
    return np.maximum.accumulate(places) if len(places) else places


def _next_true(flags: np.ndarray) -> np.ndarray:
    places = np.where(flags, np.arange(len(flags)), len(flags))
    return np.minimum.accumulate(places[::-1])[::-1] if len(places) else places


def _run_features(
    row, place, matches, said, said_weight, words, gold_weight, n, extra, starts, ends, asked
) -> dict[str, np.ndarray]:
    """`starts`, `ends`: of the row of each token, in the flat array."""
    names = (
        "run_recall",
        "run_tightness",
        "run_place",
        "denied_before",
        "denied_after",
        "hedged_before",
        "run_alternatives",
        "list_items",
        "attached_before",
        "attached_after",
        "run_sentence",
        "clear_recall",
        "runs",
        "run_words",
        "next_denied",
        "but_after",
    )
    columns = {name: np.zeros(n) for name in names}
    for name in ("denied_before", "denied_after", "hedged_before", "next_denied", "but_after"):
        columns[name][:] = _REACH + 1
    if not len(matches):
        return columns
    sentence_number = np.cumsum(words.sentences[said])
    match_row, match_place, match_sentence = row[matches], place[matches], sentence_number[matches]
    begins = np.append(True, (np.diff(match_row) > 0) | (np.diff(match_place) > _GAP) | (np.diff(match_sentence) > 0))
    run = np.cumsum(begins) - 1
    run_start = np.flatnonzero(begins)
    run_row = match_row[run_start]
    run_weight = _sums(run, said_weight[matches], len(run_start))
    run_worth = _sums(run, said_weight[matches] * (1 + ~asked[matches]), len(run_start))
    run_end = np.append(run_start[1:], len(matches)) - 1
    first, last = matches[run_start], matches[run_end]
    low, high = starts[run_row], ends[run_row]

    def back(flags: np.ndarray) -> np.ndarray:
        """Last flagged place before each run in its row, else the place before the row."""
        found = np.append(-1, _last_true(flags))[first]
        return np.maximum(found, low - 1)

    def ahead(flags: np.ndarray) -> np.ndarray:
        found = np.append(_next_true(flags), len(flags))[last + 1]
        return np.minimum(found, high)

    clause_start, clause_end = back(words.breaks[said]), ahead(words.breaks[said])
    far = _REACH + 1

    def distance_back(flags: np.ndarray) -> np.ndarray:
        found = back(flags)
        return np.where(found > clause_start, np.minimum(first - found, far), far)

    def distance_ahead(flags: np.ndarray) -> np.ndarray:
        found = ahead(flags)
        return np.where(found < clause_end, np.minimum(found - last, far), far)

    negates, hedges = words.negates[said], words.hedges[said]
    before, after = distance_back(negates), distance_ahead(negates)
    denies = ahead(words.denies[said])
    buts, sentence_end = ahead(words.buts[said]), ahead(words.sentences[said])
    next_denied = np.where(denies < high, np.minimum(denies - last, far), far)
    # Items of a list around the run.
    separators = (words.marks | words.joins)[said]
    # The items are counted within a row: a row begins a new item.
    item = np.cumsum(separators | (place == 0)) - 1
    item_words = np.bincount(item[~separators], minlength=int(item[-1]) + 1)
    item_row = np.zeros(int(item[-1]) + 1, np.int64)
    item_row[item] = row
    short = item_words <= _SHORT
    long_before = np.append(-1, _last_true(~short | (np.diff(item_row, prepend=-1) != 0)))
    long_after = np.append(_next_true(~short | (np.diff(item_row, append=-1) != 0)), len(short))
    filled = np.cumsum(item_words > 0)
    mine_first, mine_last = item[first], item[last]
    left = np.maximum(long_before[mine_first + 1], 0)
    right = np.minimum(long_after[mine_last], len(short) - 1)
    items = filled[right] - filled[left] + 1
    # How certain each run is: the best one that nothing denies.
    clear = (before == far) & (after > 4)
    columns["clear_recall"] = _most(run_row, clear * run_weight, n)
    columns["clear_recall"] = np.minimum(_share(columns["clear_recall"], gold_weight), 1.0)
    columns["runs"] = _sums(run_row, np.ones(len(run_row)), n)
    order = np.lexsort((np.arange(len(run_start)), -run_worth * np.where(clear, 1.0, 0.5), run_row))
    chosen = order[np.append(True, np.diff(run_row[order]) > 0)]
    rows = run_row[chosen]
    alternates = np.append(0, np.cumsum(words.alternates[said]))
    plain = extra & ~words.marks[said] & ~negates & ~hedges & ~separators
    attached = np.where(plain, said_weight, 0.0)
    values = {
        "run_recall": np.minimum(run_weight / np.maximum(gold_weight[run_row], 0.01), 1.0),
        "run_tightness": (run_end - run_start + 1) / (last - first + 1),
        "run_place": place[first],
        "denied_before": before,
        "denied_after": after,
        "hedged_before": distance_back(hedges),
        "next_denied": next_denied,
        "but_after": np.where(buts < sentence_end, np.minimum(buts - last, far), far),
        "run_alternatives": alternates[np.minimum(last + 3, high)] - alternates[np.maximum(first - 2, low)],
        "list_items": items,
        "attached_before": np.where(first > low, attached[np.maximum(first - 1, 0)], 0.0),
        "attached_after": np.where(last + 1 < high, attached[np.minimum(last + 1, len(said) - 1)], 0.0),
        "run_sentence": sentence_number[first] - sentence_number[low],
        "run_words": last - first + 1,
    }
    for name, value in values.items():
        columns[name][rows] = value[chosen]
    return columns


def group_words(group: str, values: Mapping[str, float]) -> str:
    """What a group of features says of one answer, in words."""
    if group == "words":
        return f"{values['recall']:.0%} of the gold answer is in the answer"
    if group == "numbers":
        if values["gold_numbers"] == 0:
            return "the gold answer holds no number"
        return f"{values['number_recall']:.0%} of the gold answer's numbers are in the answer"
    if group == "place":
        return (
            "the gold answer is not there"
            if values["place"] < 0
            else f"it stands from word {values['place'] + 1:.0f} on"
        )
    if group == "length":
        return f"{values['words']:.0f} words for {values['gold_words']:.0f}"
    if group == "golds":
        return f"gold answers found: {values['golds_found']:.0f} of {values['golds']:.0f}"
    if group == "doubt":
        said = {"refusal": "a refusal", "negations": "a negation", "hedges": "a hedge"}
        found = [words for name, words in said.items() if values[name]]
        return ", ".join(found) or "no negation, no hedge, no refusal"
    if group == "guesses":
        return f"{values['list_items']:.0f} items of a list around it" if values["list_items"] > 1 else "no list"
    return f"{max(values['new_recall'], 0.0):.0%} of what the gold answer has beyond the question is in the answer"


def calibrated_probabilities(
    margins: np.ndarray, columns: Mapping[str, np.ndarray], calibration: Sequence[float]
) -> np.ndarray:
    """The logistic function of the intercept, the slope times the margin, and a coefficient for each term."""
    intercept, slope, *effects = calibration
    values = intercept + slope * margins
    for effect, term in zip(effects, calibration_terms(columns), strict=True):
        values = values + effect * term
    return 1 / (1 + np.exp(-values))


def calibration_terms(columns: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """The columns of the calibration beside the margin: is a gold answer found, and what of it is missing."""
    return [(columns["recall"] >= FOUND).astype(np.float64), columns["missing_most"]]


def ruled_probabilities(probabilities: np.ndarray, columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """Probabilities under the rules that hold whatever the trees say, for what people's verdicts hardly show.

    At most:

    - 0.1: a refusal without the gold answer;
    - 0.3: the gold answer directly beside a negation; as what some say, "but"; as one item of a list, or one number of
      several; in a repeated question; its last name after another first name; a gold answer of three words or more all
      the other way round ("Rome beat Carthage");
    - 0.4: another year in the place of the gold answer's; another number, or unit, in a short answer.

    At least 0.7: a gold quantity in another unit ("2 hours" for "120 minutes"), and initials for a gold name.
    """
    c = columns
    short = c["words"] <= _SHORT_ANSWER
    affirmed = (c["denials"] + c["negations"] + c["alternatives"]) == 0
    denied = (c["clear_recall"] < 0.5) & (c["gold_negations"] == 0) & (c["recall"] > 0.5)
    denied &= (c["denied_before"] <= 5) | (c["denied_after"] <= 2)
    listed = (c["asked_share"] < 0.1) & (c["gold_words"] <= 4) & (c["run_sentence"] == 0) & (c["golds_found"] <= 2)
    listed &= (c["list_items"] >= 3) & (2.5 * c["list_items"] >= c["words"] - c["marks"]) & (c["extra_numbers"] == 0)
    counted = (c["extra_numbers"] >= 4) & (c["gold_words"] <= 2) & (c["words"] <= _MIDDLE_ANSWER)
    repeated = (c["asked_share"] > 0.97) & (c["asked_said"] > 0.9) & (c["new_recall"] <= 0)
    corrected = (c["but_after"] <= 4) & (c["hedged_before"] <= 4)
    turned = (c["order"] == 1) & (c["words"] <= c["gold_words"] + 4)
    other_number = (c["number_recall"] >= 0) & (c["number_recall"] < 1) & (c["extra_numbers"] > 0) & short
    other_year = (c["year_missing"] > 0) & (c["year_gap"] > 0) & (c["words"] <= _MIDDLE_ANSWER)
    other_unit = (c["unit_state"] < 0) & short
    converted = (c["unit_state"] > 0) & (c["gold_words"] <= 3) & (c["words"] <= 12) & affirmed
    named = (c["acronym"] > 0) & (c["words"] <= 3) & affirmed
    at_most = np.select(
        [
            (c["refusal"] > 0) & (c["recall"] < 0.5),
            denied | listed | counted | repeated | corrected | turned | (c["other_first_name"] > 0),
            other_year | other_number | other_unit,
        ],
        [0.1, 0.3, 0.4],
        1.0,
    )
    ruled = np.minimum(probabilities, at_most)
    return np.where(converted | named, np.maximum(ruled, 0.7), ruled)


_SHORT_ANSWER, _MIDDLE_ANSWER = 8, 25  # words
