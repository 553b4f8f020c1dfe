"""What the built-in scorer of answer equivalence looks at: an answer beside the gold answers and the question.

A text becomes its words once, however many rows it is in; words are then numbers, and rows are compared in numpy, in
time linear in their length. A gold answer's words are found in an answer as they are, or as another form of the same
word (see `_word_forms`), and weigh by how rare they are in questions and answers.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from ..core.ragged import ranges_from
from ..semantic_answer_similarity.lite_features import folded_words

_MOST_WEIGHT = 100  # of a word, in hundredths: of every word that the table of weights does not name
_FAR = 1 << 30

_MONTHS = "january february march april may june july august september october november december".split()
_ANSWER_NEGATIONS = frozenset(
    "not no never none neither nor without cannot isn wasn aren weren doesn didn don won hasn haven hadn couldn wouldn "
    "shouldn incorrect false wrong untrue except excluding".split()
)
_HEDGES = frozenset(
    "may might maybe perhaps possibly probably likely unsure uncertain unclear could guess doubt doubtful assume "
    "believe think supposedly presumably either unknown".split()
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
_HEAD_CHARACTERS = 300  # a refusal stands at the beginning of an answer


def is_refusal(text: str) -> bool:
    """Whether an answer says, near its beginning, that it gives none.

    Example:
        >>> is_refusal("I don't know."), is_refusal("It cannot be determined from the text."), is_refusal("Paris")
        (True, True, False)
    """
    return _REFUSAL_PATTERN.search(text[:_HEAD_CHARACTERS].replace("’", "'").strip().rstrip(".! ")) is not None


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
        "recall",
        "precision",
        "f1",
        "exact_recall",
        "missing_most",
        "mean_recall",
        "first_word",
        "last_word",
        "run_recall",
        "run_tightness",
        "gold_weight",
    ),
    "numbers": (
        "number_recall",
        "gold_numbers",
        "year_missing",
        "extra_numbers",
        "extra_years",
        "answer_numbers",
    ),
    "place": ("place", "place_share", "run_place"),
    "length": ("words", "gold_words", "answer_weight", "extra_weight"),
    "golds": ("golds", "golds_found"),
    "doubt": (
        "negations",
        "hedges",
        "alternatives",
        "run_negated",
        "run_hedged",
        "run_alternatives",
        "refusal",
    ),
    "question": (
        "new_recall",
        "new_weight",
        "missing_new",
        "question_words",
        "new_precision",
        "asked_share",
        "asked_said",
        "asks_who",
        "asks_when",
        "asks_where",
        "asks_how_many",
    ),
}
EQUIVALENCE_FEATURES = tuple(name for names in FEATURE_GROUPS.values() for name in names)
QUESTION_FEATURES = frozenset(FEATURE_GROUPS["question"])

# The sign of a feature's influence where it is certain: +1 never lowers the probability, -1 never raises it.
EQUIVALENCE_SIGNS = {"recall": 1, "exact_recall": 1, "run_recall": 1, "refusal": -1, "missing_most": -1}


class _Words(NamedTuple):
    """Facts of w distinct words, float64 or int64 (w,) each."""

    weights: np.ndarray  # 0 to 1
    stems: np.ndarray
    prefixes: np.ndarray
    skeletons: np.ndarray
    values: np.ndarray  # NaN where the word is no number
    negates: np.ndarray
    hedges: np.ndarray
    alternates: np.ndarray


class _AnswerTexts(NamedTuple):
    """d distinct texts as word numbers: text i has `words[offsets[i]:offsets[i + 1]]`."""

    index: np.ndarray  # (n,) of each given text to its distinct text
    words: np.ndarray
    offsets: np.ndarray
    distinct: list[str]

    @property
    def lengths(self) -> np.ndarray:
        return np.diff(self.offsets)


_VOWELS = re.compile("[aeiouyhw]")
_DOUBLES = re.compile(r"(.)\1+")
_SOUNDS = str.maketrans("cqzjv", "kksgw")


def _word_forms(word: str) -> tuple[str, str, str]:
    """Stem, beginning and consonants of a word; a number is itself in each."""
    if word[0].isdecimal():
        return word, word, word
    stem = word
    for ending in ("ies", "ing", "ed", "es", "s", "ly", "ian", "ish", "an", "n", "y", "e"):
        if len(stem) - len(ending) >= 4 and stem.endswith(ending):
            stem = stem[: -len(ending)]
            break
    skeleton = _DOUBLES.sub(r"\1", word[0].translate(_SOUNDS) + _VOWELS.sub("", word[1:]).translate(_SOUNDS))
    return stem, word[:4] if len(word) > 4 else word, skeleton if len(word) > 3 else word


def _answer_read_words(words: list[str], weights: Mapping[str, int]) -> _Words:
    numberings: tuple[dict[str, int], ...] = ({}, {}, {})
    forms = [
        [numbers.setdefault(form, len(numbers)) for numbers, form in zip(numberings, _word_forms(word), strict=True)]
        for word in words
    ]
    stems, prefixes, skeletons = np.array(forms, np.int64).reshape(-1, 3).T
    return _Words(
        np.array([weights.get(word, _MOST_WEIGHT) / _MOST_WEIGHT for word in words], np.float64),
        stems,
        prefixes,
        skeletons,
        np.array([min(float(word), 1e15) if word[0].isdecimal() else np.nan for word in words], np.float64),
        np.array([word in _ANSWER_NEGATIONS for word in words], bool),
        np.array([word in _HEDGES for word in words], bool),
        np.array([word == _OR for word in words], bool),
    )


def _read_texts(texts: Sequence[str], numbers: dict[str, int]) -> _AnswerTexts:
    distinct: dict[str, int] = {}
    index = np.fromiter((distinct.setdefault(text, len(distinct)) for text in texts), np.int64, len(texts))
    rows = [[numbers.setdefault(word, len(numbers)) for word in folded_words(text)] for text in distinct]
    offsets = np.cumsum([0, *map(len, rows)])
    return _AnswerTexts(index, np.fromiter(chain.from_iterable(rows), np.int64, offsets[-1]), offsets, list(distinct))


class _Places:
    """Where the values of some tokens stand first in their text: a sorted array of (text, value)."""

    def __init__(self, texts: _AnswerTexts, values_of_words: np.ndarray):
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


FORM_WEIGHTS = (1.0, 0.95, 0.75, 0.6)  # of a word found as it is, by its stem, consonants, beginning


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
    words = _answer_read_words(list(numbers), weights)
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
    columns |= _run_features(row, place, np.flatnonzero(matched), said, said_weight, words, columns["gold_weight"], n)
    columns["refusal"] = np.array([is_refusal(text) for text in answer.distinct], bool)[answer.index].astype(float)
    for kind, kind_words in QUESTION_KINDS.items():
        known = np.array([numbers[word] for word in kind_words if word in numbers], np.int64)
        has = np.zeros(len(question.lengths), bool)
        has[np.repeat(np.arange(len(has)), question.lengths)[np.isin(question.words, known)]] = True
        columns[f"asks_{kind}"] = has[question.index].astype(float)
    return {name: np.round(np.asarray(column, np.float64), 6) for name, column in columns.items()}


def _question_weight(question: _AnswerTexts, words: _Words) -> np.ndarray:
    lengths = question.lengths
    return _sums(np.repeat(np.arange(len(lengths)), lengths), words.weights[question.words], len(lengths))


def _most(rows: np.ndarray, values: np.ndarray, count: int) -> np.ndarray:
    most = np.zeros(count)
    np.maximum.at(most, rows, values)
    return most


_GAP = 3  # words between two matches of one run
_BEFORE = 4  # words before a run in which a negation counts


def _run_features(row, place, matches, said, said_weight, words, gold_weight, n) -> dict[str, np.ndarray]:
    names = ("run_recall", "run_tightness", "run_place", "run_negated", "run_hedged", "run_alternatives")
    if not len(matches):
        return {name: np.zeros(n) for name in names}
    match_row, match_place = row[matches], place[matches]
    begins = np.append(True, (np.diff(match_row) > 0) | (np.diff(match_place) > _GAP))
    run = np.cumsum(begins) - 1
    run_start = np.flatnonzero(begins)
    run_row = match_row[run_start]
    run_weight = _sums(run, said_weight[matches], len(run_start))
    run_end = np.append(run_start[1:], len(matches)) - 1
    order = np.lexsort((np.arange(len(run_start)), -run_weight, run_row))
    chosen = order[np.append(True, np.diff(run_row[order]) > 0)]
    rows = run_row[chosen]
    first, last = matches[run_start[chosen]], matches[run_end[chosen]]
    near_total = {
        name: np.append(0, np.cumsum(flag[said]))
        for name, flag in (("negated", words.negates), ("hedged", words.hedges), ("alternatives", words.alternates))
    }
    starts = first - place[first]
    from_ = np.maximum(first - _BEFORE, starts)
    ends = np.append(starts[1:], 0)
    columns = {name: np.zeros(n) for name in names}
    columns["run_recall"][rows] = np.minimum(run_weight[chosen] / np.maximum(gold_weight[rows], 0.01), 1.0)
    columns["run_tightness"][rows] = (run_end[chosen] - run_start[chosen] + 1) / (last - first + 1)
    columns["run_place"][rows] = place[first]
    for name in ("negated", "hedged"):
        total = near_total[name]
        columns[f"run_{name}"][rows] = total[first] - total[from_]
    total = near_total["alternatives"]
    until = np.minimum(last + 3, len(said))
    columns["run_alternatives"][rows] = total[until] - total[np.maximum(first - 2, starts)]
    del ends
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
        return f"{values['golds_found']:.0f} of {values['golds']:.0f} gold answers are found"
    if group == "doubt":
        said = {"refusal": "a refusal", "negations": "a negation", "hedges": "a hedge", "alternatives": "alternatives"}
        found = [words for name, words in said.items() if values[name]]
        return ", ".join(found) or "no negation, no hedge, no refusal"
    return f"{max(values['new_recall'], 0.0):.0%} of what the gold answer has beyond the question is in the answer"


def capped_probabilities(probabilities: np.ndarray, columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """Probabilities under the rules that hold whatever the trees say: a refusal without the gold answer is wrong."""
    refused = (columns["refusal"] > 0) & (columns["recall"] < 0.5)
    return np.where(refused, np.minimum(probabilities, 0.1), probabilities)
