"""The words of texts as numbers, with the facts of each word that the built-in scorer of answer equivalence looks at.

A text becomes its words once, however many rows it is in; words are then numbers, found in a text as they are, or as
another form of the same word (see `_word_forms`), and weigh by how rare they are in questions and answers.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, compress, count, repeat
from typing import NamedTuple

import numpy as np

from ..core.ragged import begins_run, ranges_from
from ..semantic_answer_similarity.lite_features import ROMAN_NUMERALS, TEXT_END, number_places, numbers_at
from .lite_names import COUNTRIES, SAME_WORD
from .lite_reading import BARE, MARKED, Reader, numbering, read_words
from .lite_search import JoinedTexts
from .lite_texts import MARK_WORDS, MONTHS, OR_WORD, SENTENCE_WORD

_MOST_WEIGHT = 100  # of a word, in hundredths: of every word that the table of weights does not name
_DENIALS = frozenset(
    "incorrect false wrong untrue doubt doubtful unlikely unlike mistake mistaken mistakenly error myth hardly "
    "misconception falsely erroneously wrongly disproved refuted denied deny dubious".split()
)
_NEGATING_WORDS = _DENIALS | frozenset("not no never none neither nor without cannot except excluding".split())
_HEDGES = frozenset(
    "may might maybe perhaps possibly probably likely unsure uncertain unclear could guess assume "
    "believe think supposedly presumably either unknown whether if claim say".split()
)
_BUTS = ("but", "yet", "however")
# Words that say nothing by themselves.
_GRAMMAR_WORDS = frozenset(
    "the a an of in on at to for from with by as and is was were are be been being am has have had do does did it its they them"
    " their he him his she her this that these those there who which what how when where because due owing thanks so since then"
    " s i we you our your age aged years old some very also just about will would can could may might should if than such up out"
    " himself herself itself themselves".split()
)


class Words(NamedTuple):
    """Facts of w distinct words, float64, int64 or bool (w,) each."""

    names: list[str]
    numbers: Mapping[str, int]  # name -> its place in `names`
    known: np.ndarray  # whether the table of weights names the word: then it is not a misspelling
    weights: np.ndarray  # 0 to 1
    stems: np.ndarray
    prefixes: np.ndarray
    skeletons: np.ndarray
    values: np.ndarray  # NaN where the word is not a number
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
    compares: np.ndarray
    countries: np.ndarray
    grammar: np.ndarray

    def are(self, some: Iterable[str]) -> np.ndarray:
        """Which of the words are among some, bool (w,)."""
        return words_among(self.numbers, some)


def words_among(numbers: Mapping[str, int], some: Iterable[str]) -> np.ndarray:
    """Which of w numbered words are among some, bool (w,)."""
    chosen = np.zeros(len(numbers), bool)
    chosen[[*map(numbers.__getitem__, numbers.keys() & some)]] = True
    return chosen


ALL = slice(None)


class SpelledTexts(NamedTuple):
    """d distinct texts as word numbers: text i has `words[offsets[i]:offsets[i + 1]]`."""

    index: np.ndarray  # type: ignore[assignment]  # (n,) of each given text to its distinct text
    words: np.ndarray
    text_of: np.ndarray  # the text of each word
    offsets: np.ndarray
    joined: JoinedTexts  # the distinct texts, without what a text itself takes back

    @property
    def distinct(self) -> Sequence[str]:
        return self.joined.texts

    @property
    def lengths(self) -> np.ndarray:
        return self.offsets[1:] - self.offsets[:-1]  # np.diff takes four times as long where there are few

    def places_of(self, chosen: np.ndarray, some: np.ndarray | slice = ALL) -> list[tuple[int, int]]:
        """The place of each chosen word in some distinct texts, and its text.

        Args:
            chosen: bool, of each word number.
            some: places of distinct texts.
        """
        places = np.flatnonzero(chosen[self.words])
        texts = self.text_of[places]
        is_sought = np.zeros(len(self.offsets) - 1, bool)
        is_sought[some] = True
        kept = is_sought[texts]
        return [*zip(places[kept].tolist(), texts[kept].tolist(), strict=True)]

    def spread(self) -> tuple[np.ndarray, np.ndarray]:
        """Of each word of all given texts the place of its text among these, and its number."""
        sizes = self.lengths[self.index]
        return np.repeat(np.arange(len(sizes)), sizes), self.words[ranges_from(self.offsets[self.index], sizes)]

    def tokens(self, text: int) -> np.ndarray:
        """The word numbers of a distinct text."""
        return self.words[self.offsets[text] : self.offsets[text + 1]]

    def has(self, chosen: np.ndarray) -> np.ndarray:
        """Which distinct texts have a chosen word, bool (d,); `chosen`: bool, of each word number."""
        found = np.zeros(len(self.lengths), bool)
        found[self.text_of[chosen[self.words]]] = True
        return found


_STEM_OF_NAME = {word: f"={first}" for word, first in SAME_WORD.items()}
_VOWELS = re.compile("[aeiouyhw]")
_DOUBLES = re.compile(r"(.)\1+")
_SOUNDS = str.maketrans("cqzjv", "kksgw")


_YEAR_WITH_NOTE = re.compile(r"(1[0-9]{3}|20[0-9]{2})[1-9][0-9]?")  # "in 19261.": a footnote


def _word_forms(word: str) -> tuple[str, str, str]:
    """Stem, beginning and consonants of a word; words of one meaning have one stem; a number is itself in each."""
    if word[0].isdecimal():
        dated = _YEAR_WITH_NOTE.fullmatch(word)
        return (dated[1] if dated else word), word, word
    stem = word
    for ending in ("ies", "ing", "ed", "es", "s", "ly", "ian", "ish", "an", "n", "y", "e"):
        if len(stem) - len(ending) >= 4 and stem.endswith(ending):
            stem = stem[: -len(ending)]
            break
    stem = _STEM_OF_NAME.get(word, stem)
    skeleton = word
    if len(word) > 5:
        skeleton = _DOUBLES.sub(r"\1", word[0].translate(_SOUNDS) + _VOWELS.sub("", word[1:]).translate(_SOUNDS))
    return stem, word[:4], skeleton


class _FormNumbers(dict[str, tuple[int, int, int]]):
    """Word -> the numbers of its stem, beginning and consonants: equal for equal ones."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers = [numbering() for _ in range(3)]

    def __missing__(self, word: str) -> tuple[int, int, int]:
        stem, beginning, consonants = _word_forms(word)
        stems, beginnings, skeletons = self.numbers
        found = self[word] = (stems[stem], beginnings[beginning], skeletons[consonants])
        return found


_MOST_FORMS = 1 << 16  # words whose forms are kept
_form_numbers = [_FormNumbers()]


def _forms_of_words(words: list[str]) -> np.ndarray:
    """The numbers of the forms of n words, int64 (3, n)."""
    known = _form_numbers[0]
    if len(known) > _MOST_FORMS:
        known = _form_numbers[0] = _FormNumbers()
    forms = chain.from_iterable(map(known.__getitem__, words))
    return np.fromiter(forms, np.int64, 3 * len(words)).reshape(-1, 3).T.copy()


_WORDS_OF_FACT = {
    "negates": _NEGATING_WORDS,
    "denies": _DENIALS,
    "hedges": _HEDGES,
    "alternates": (OR_WORD,),
    "sentences": (SENTENCE_WORD,),
    "marks": MARK_WORDS,
    "breaks": (*MARK_WORDS, *_BUTS),
    "buts": _BUTS,
    "joins": (OR_WORD, "and"),
    "dates": MONTHS,
    "compares": ("than", "unlike", "besides"),
    "countries": COUNTRIES,
    "grammar": (*MARK_WORDS, *_GRAMMAR_WORDS),
}
_BIT_OF_FACT = {fact: 1 << place for place, fact in enumerate(_WORDS_OF_FACT)}
_BITS_OF_WORD = {
    word: sum(_BIT_OF_FACT[fact] for fact, words in _WORDS_OF_FACT.items() if word in words)
    for word in chain.from_iterable(_WORDS_OF_FACT.values())
}


def facts_of_words(numbers: Mapping[str, int], weights: Mapping[str, int]) -> Words:
    """What is known of each of n words, in arrays (n,); `weights`: known word -> weight, other words have the most."""
    words, n = list(numbers), len(numbers)
    stems, prefixes, skeletons = _forms_of_words(words)
    bits, named = np.zeros(n, np.int64), _BITS_OF_WORD.keys() & numbers.keys()
    bits[[*map(numbers.__getitem__, named)]] = [*map(_BITS_OF_WORD.__getitem__, named)]
    flags = {fact: (bits & bit) > 0 for fact, bit in _BIT_OF_FACT.items()}
    weight = np.fromiter(map(weights.get, words, repeat(-1)), np.float64, n)
    known = weight >= 0
    weight[~known] = np.where(flags["marks"], 0, _MOST_WEIGHT)[~known]
    digits = [place for place, word in enumerate(words) if word[0].isdecimal()]
    values = np.full(n, np.nan)
    values[digits] = [min(float(words[place]), 1e15) for place in digits]
    flags["dates"][digits] = True
    return Words(words, numbers, known, weight / _MOST_WEIGHT, stems, prefixes, skeletons, values, **flags)


def read_texts(*columns: Sequence[str]) -> tuple[dict[str, int], list[SpelledTexts]]:
    """The number of each word, and columns of texts as numbers of words, without what the texts take back."""
    return _spelled(columns, MARKED)


def read_bare_texts(*columns: Sequence[str]) -> tuple[dict[str, int], list[SpelledTexts]]:
    """The number of each word, and columns of texts as numbers of words: all `folded_words`, without marks."""
    return _spelled(columns, BARE)


def _spelled(columns: Sequence[Sequence[str]], reader: Reader) -> tuple[dict[str, int], list[SpelledTexts]]:
    places = [numbering() for _ in columns]  # of the distinct texts of each column
    indices = [
        np.fromiter(map(own.__getitem__, texts), np.int64, len(texts))
        for own, texts in zip(places, columns, strict=True)
    ]
    kept = reader.keep([*chain.from_iterable(places)])
    names, words, order = read_words(kept, reader)
    is_end = words == names.index(TEXT_END)
    numbers, words = _numbers_as_words(names, words)
    is_word = words >= 0
    ends = np.cumsum(is_word)[is_end]
    words = words[is_word]
    begins = np.append(0, ends[:-1])
    starts, lengths = np.empty((2, len(kept.texts)), np.int64)
    starts[order], lengths[order] = begins, ends - begins
    read, first = [], 0
    for index, own in zip(indices, places, strict=True):
        mine = slice(first, first := first + len(own))
        offsets = np.append(0, np.cumsum(lengths[mine]))
        own_words = words[ranges_from(starts[mine], lengths[mine])]
        text_of = np.repeat(np.arange(len(own)), lengths[mine])
        read.append(SpelledTexts(index, own_words, text_of, offsets, JoinedTexts(kept.texts[mine])))
    return numbers, read


def _numbers_as_words(names: list[str], words: np.ndarray) -> tuple[dict[str, int], np.ndarray]:
    """The number of each word once numbers are one word each, however they were written, and the words as numbers.

    Args:
        names: distinct words.
        words: places in `names`, with `TEXT_END` behind each text. What is returned has -1 in the place of `TEXT_END` and of words
            that belong to the number before them.
    """
    parts = number_places(names)
    is_word, is_part, is_roman = np.zeros((3, len(names)), bool)
    is_part[parts] = True
    is_roman[[place for place in parts if names[place] in ROMAN_NUMERALS]] = True
    is_word[:] = ~is_part
    is_word[names.index(TEXT_END)] = False
    numbers = dict(zip(compress(names, is_word), count()))
    number_of = np.where(is_word, np.cumsum(is_word) - 1, -1)
    alone = [word for place in parts for word in (names[place], TEXT_END)]
    number_of[parts] = [_number(numbers, word) for word in numbers_at(alone, [*range(0, len(alone), 2)])]
    # Beside another part, or as a Roman numeral, a part is what `numbers_at` says in its place.
    part = np.append(is_part[words], False)
    at = np.flatnonzero(part[:-1] & (part[1:] | np.roll(part, 1)[:-1] | is_roman[words]))
    is_near = np.zeros(len(words) + 2, bool)  # one before the first word, one behind the last
    for shift in range(3):
        is_near[at + shift] = True
    near = np.flatnonzero(is_near[1:-1])
    read = numbers_at([names[word] for word in words[near].tolist()], np.searchsorted(near, at).tolist())
    words = number_of[words]
    words[at] = [_number(numbers, word) for word in read]
    return numbers, words


def _number(numbers: dict[str, int], word: str | None) -> int:
    return -1 if word is None else numbers.setdefault(word, len(numbers))


def _first_places(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct keys, sorted, and the first place of each."""
    bits = len(keys).bit_length()
    if int(keys.max(initial=0)) >> (62 - bits):
        return np.unique(keys, return_index=True)
    both = np.sort(keys << bits | np.arange(len(keys)))  # a sort of places by key takes three times as long
    both = both[begins_run(both >> bits)]
    return both >> bits, both & ((1 << bits) - 1)


def find_words(
    read: SpelledTexts, form: np.ndarray, texts: np.ndarray, tokens: np.ndarray, at: np.ndarray
) -> np.ndarray:
    """Find each token without a place (`at` < 0) in its text, in one form of words (w,), and set its first place in `at`.

    Args:
        form: a number of each word, equal for equal forms; 0 is found nowhere.

    Returns:
        Which tokens were found: places in `tokens`.
    """
    # Most of what is sought is not there: the form of a word, or the last bits of a key, tell that in less time than a search.
    there = np.zeros(int(form.max(initial=0)) + 1, bool)
    there[form[read.words]] = True
    there[0] = False
    likely = np.flatnonzero((at < 0) & there[form][tokens])
    if not len(likely):
        return likely
    texts, values = texts[likely], form[tokens[likely]]
    there[:], is_text = False, np.zeros(len(read.lengths), bool)
    there[values] = is_text[texts] = True
    kept = np.flatnonzero(there[form][read.words] & is_text[read.text_of])
    keys, first = _first_places(read.text_of[kept] * len(there) + form[read.words[kept]])
    last_bits = (1 << (16 * len(keys)).bit_length()) - 1
    may_be = np.zeros(last_bits + 1, bool)
    may_be[keys & last_bits] = True
    sought = texts * len(there) + values
    some = np.flatnonzero(may_be[sought & last_bits])
    place = np.minimum(np.searchsorted(keys, sought[some]), len(keys) - 1)
    is_found = keys[place] == sought[some]
    some, place = some[is_found], place[is_found]
    at[likely[some]] = kept[first[place]] - read.offsets[texts[some]]
    return likely[some]


def texts_of_rows(gold: SpelledTexts, counts: np.ndarray) -> Callable[[int], list[int]]:
    """Row -> the distinct texts of its gold answers; `counts`: (n,) gold answers of each row."""
    ends = np.cumsum(counts)
    return lambda row: gold.index[ends[row] - counts[row] : ends[row]].tolist()


FORM_WEIGHTS = (1.0, 0.95, 0.75, 0.5)  # of a word found as it is, by its stem, consonants, beginning
MISSPELLED = 0.75  # of a word found with a wrong letter
OTHER_WORD = 0.15  # of a word that only begins or sounds alike
_SHORT_ANSWER_WORDS = 12  # of an answer that is searched for misspelled words
_SPELLED_LETTERS = 5  # of a word that is looked for in another spelling
_ENDINGS = frozenset(
    "s es y ies ic ics ical ically ist ists er ers or ors ian ians ing ings ed al ally ism ity ities tion tions ation ations ment"
    " ments e ly ous able ive ance ence ant ent ents ship hood ness ful less n an ans ish ese d r st ry ary ery ar man men like"
    " house land town field bird fish worm storm tic tics sis".split()
) | {""}


def found_words(
    read: SpelledTexts, words: Words, texts: np.ndarray, tokens: np.ndarray, forms: int = len(FORM_WEIGHTS)
) -> tuple[np.ndarray, np.ndarray]:
    """How surely each token stands in its text, 0 to 1, and where first (-1: nowhere).

    Args:
        forms: how many of the ways of `FORM_WEIGHTS` are tried.
    """
    sure, at = np.zeros(len(tokens)), np.full(len(tokens), -1)
    of_word = (np.arange(len(words.names)), words.stems, words.skeletons, words.prefixes)
    for place, (form, weight) in enumerate(zip(of_word[:forms], FORM_WEIGHTS, strict=False)):
        # A word that is not there as it is can only be there as another word of the same form.
        can_be_found = np.bincount(form)[form] > 1 if place else True
        sure[find_words(read, np.where(can_be_found, form + 1, 0), texts, tokens, at)] = weight
    alike = np.flatnonzero((sure > 0) & (sure < FORM_WEIGHTS[1]))
    if len(alike):
        others = read.words[read.offsets[texts[alike]] + at[alike]]
        pairs, index = np.unique(tokens[alike] * len(words.names) + others, return_inverse=True)
        differ = [are_other_words(words, *divmod(int(pair), len(words.names))) for pair in pairs]
        sure[alike[np.array(differ)[index]]] = OTHER_WORD
    return sure, at


def are_other_words(words: Words, first: int, second: int) -> bool:
    """Whether words that begin or sound alike are two: "Niger" and "Nigeria", not "photograph" and "photography"."""
    one, other = words.names[first], words.names[second]
    shared = shared_letters(one, other)
    if shared >= 4 and {one[shared:], other[shared:]} <= _ENDINGS:
        return False
    return bool(words.known[first] and words.known[second]) or not is_misspelling(one, other)


def shared_letters(one: str, other: str) -> int:
    """Letters with which both words begin."""
    for place, (letter, sign) in enumerate(zip(one, other, strict=False)):
        if letter != sign:
            return place
    return min(len(one), len(other))


def is_misspelling(one: str, other: str) -> bool:
    """Whether one letter, of long words two, makes one word of the other."""
    if min(len(one), len(other)) >= 10:
        return edit_distance(one, other) <= 2
    if abs(len(one) - len(other)) > 1:
        return False
    shared = shared_letters(one, other)
    one, other = one[shared:], other[shared:]
    replaced, exchanged = one[1:] == other[1:], one[1::-1] == other[:2] and one[2:] == other[2:]
    return replaced or exchanged or one[1:] == other or one == other[1:]


def misspelled_words(
    answer: SpelledTexts, words: Words, texts: np.ndarray, tokens: np.ndarray, missing: np.ndarray
) -> list[tuple[int, int]]:
    """Which of the missing tokens (their places) a short answer has misspelled, and where in it."""
    found = []
    names = words.names
    short = answer.lengths <= _SHORT_ANSWER_WORDS
    unknown: dict[int, list[tuple[int, str]]] = {}
    sought = np.flatnonzero(missing & short[texts])
    for place, text, token in zip(sought.tolist(), texts[sought].tolist(), tokens[sought].tolist(), strict=True):
        word = names[token]
        if len(word) < _SPELLED_LETTERS or word[0].isdecimal():
            continue
        if text not in unknown:
            said = enumerate(answer.tokens(text).tolist())
            unknown[text] = [(where, names[word]) for where, word in said if not words.known[word]]
        for where, other in unknown[text]:
            if other[0] == word[0] and is_misspelling(word, other):
                found.append((place, where))
                break
    return found


def edit_distance(one: str, other: str) -> int:
    """Letters to insert, omit, replace or exchange with their neighbour, at most 3."""
    if abs(len(one) - len(other)) > 2:
        return 3
    if sum(letter not in other for letter in one) > 2:
        return 3
    shared = shared_letters(one, other)
    one, other = one[shared:], other[shared:]
    before: list[int] = []
    last: list[int] = []
    line = [*range(len(other) + 1)]
    for row, letter in enumerate(one, 1):
        before, last, line = last, line, [row]
        for column, sign in enumerate(other, 1):
            cost = min(last[column] + 1, line[-1] + 1, last[column - 1] + (letter != sign))
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == sign:
                cost = min(cost, before[column - 2] + 1)
            line.append(cost)
        if min(line) > 2 and min(last) > 2:
            return 3
    return min(line[-1], 3)


def sums_of(rows: np.ndarray, values: np.ndarray, count: int) -> np.ndarray:
    """The sum of the values of each of `count` rows."""
    return np.bincount(rows, values, count)


def sums_where(rows: np.ndarray, values: np.ndarray, chosen: np.ndarray, count: int) -> np.ndarray:
    """The sum of the chosen values of each of `count` rows."""
    places = np.flatnonzero(chosen)
    return np.bincount(rows[places], values[places], count)


def counts_of(rows: np.ndarray, chosen: np.ndarray, count: int) -> np.ndarray:
    """How many are chosen in each of `count` rows, float64."""
    return np.bincount(rows[np.flatnonzero(chosen)], minlength=count).astype(np.float64)


def share_of(part: np.ndarray, whole: np.ndarray, empty: float = 0.0) -> np.ndarray:
    """Part / whole; `empty` where the whole is 0."""
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), empty)


def largest(rows: np.ndarray, values: np.ndarray, count: int) -> np.ndarray:
    """The largest of the values of each of `count` rows, at least 0."""
    most = np.zeros(count)
    np.maximum.at(most, rows, values)
    return most
