"""The features of an answer, its gold answers and, if there is one, the question: the input of the two `lite` models.

One row of numbers per answer, in the order of `FEATURES`, which depends only on this answer. The words of each gold answer are
found in the answer (`_Found`), the gold answer that fits best is chosen, and the other modules compare values, names, negation
and lists of answers with it.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .letters import INITIAL, acronym_letters, alike, content_words, letter_features
from .names import name_runs, read_names
from .negation import count_hedges, count_negators, denied_words, is_polar, polarity, turn_of
from .numbers import first_is_digit
from .refusals import refuses
from .roles import has_swapped_names, is_by, is_object
from .several import gold_items, read_list
from .values import Value, agreement, read_values
from .words import STOP_WORDS, Text, read_text

# Group of features -> their names. Explanations list groups; the function below that makes a group describes its features.
GROUPS = {
    "words": (
        "recall", "exact_recall", "f1", "precision", "in_row", "missing_most", "first_found", "last_found", "worst_found", "tightness",
        "letters", "acronym", "letter_pairs", "letter_triples", "beginnings", "gold_weight", "word_length", "gold_capital", "gold_words", "order",
    ),
    "question": (
        "new_recall", "new_weight", "question_share", "question_repeated", "question_words", "asks_who", "asks_when", "asks_where",
        "asks_count", "asks_yes", "polarity", "echo", "asks_back", "object_before", "object_order", "by_before",
    ),
    "length": ("words", "place", "relative_place", "extra_weight", "extra_share", "commas", "capitals"),
    "golds": ("golds", "golds_found"),
    "values": ("gold_values", "values_found", "values_apart", "values_other", "only_value"),
    "names": ("name_same", "name_missing", "name_before", "name_after", "name_conflict", "other_first", "rivals_before", "rivals_after", "rival_first"),
    "roles": ("swapped",),
    "negation": ("asserted", "negators", "gold_negators", "negators_near", "hedges", "refusal", "corrected"),
    "several": ("items", "item_place", "list_share", "choices", "gold_items", "items_found"),
}  # fmt: skip
FEATURES = tuple(name for names in GROUPS.values() for name in names)
OF_QUESTION = GROUPS["question"]
FOUND = 0.8  # weighted recall from which a gold answer counts as found
_UNKNOWN = 100  # weight in hundredths of a word without one
_STOP_WEIGHT = 10
_MOST_CHARACTERS = 50_000  # of a text that are read
_MOST_VALUES = 100  # of a text that are compared
_LONG_GOLD = 60  # words of a gold answer; in longer ones only equal words and stems are found
_LITTLE = 0.15  # weight of words that add nothing to the question
_SHORT = 15  # words of an answer that may be the gold answer in another form
_SURE_LETTERS = 3  # of an acronym that omits words
_NEAR = 5  # words before a match in which a denial is near
SAME_STEM = 0.95
_NO_TEXT = Text([], [], [], [""], True)
Indices = Mapping[str, int]  # word -> its first index in a text


class _Word(NamedTuple):
    """A word of a gold answer: its stem, how well the answer matches it (0 to 1), its index in the answer (-1: absent), its weight."""

    stem: str
    share: float
    position: int
    weight: float


class _Found(NamedTuple):
    """A gold answer in an answer: all words, those that are not stop words, those that are found, and three scores.

    Recall is the weighted mean of the words' shares; new recall that of the words that the question does not have (recall where it
    has all); f1 is of distinct words.
    """

    gold: Text
    words: list[_Word]
    heavy: list[_Word]
    matched: list[_Word]
    recall: float
    new_recall: float
    f1: float


def feature_row(
    answer: str, golds: Sequence[str], question: str | None, word_weights: Mapping[str, int]
) -> list[float]:
    """The features of one answer.

    Args:
        answer: a text.
        golds: its gold answers, at least one.
        question: None: features of the question are 0.
        word_weights: the rarity of frequent words, in hundredths; others have 100, stop words 10.

    Example:
        >>> row = dict(zip(FEATURES, feature_row("It was Pierre Curie.", ["Marie Curie"], "Who won?", {}), strict=True))
        >>> row["recall"], row["name_conflict"], row["asks_who"]
        (0.5, 1, 1.0)
    """
    text = read_text(answer[:_MOST_CHARACTERS])
    query = read_text(question[:_MOST_CHARACTERS]) if question else _NO_TEXT
    where, stems = _first_places(text.words), _first_places(text.stems)
    said = {*query.stems}
    values = read_values(text)[:_MOST_VALUES]
    found = []
    for one in golds:
        some = _find(read_text(one[:_MOST_CHARACTERS]), text, where, stems, said, word_weights)
        found.append(some if some.recall >= FOUND or not _means(some.gold, text, query, values) else _all_found(some))
    best = max(found, key=lambda one: one.recall + one.new_recall + one.f1 / 2)
    gold = best.gold
    golds_found = sum(one.recall >= FOUND for one in found)
    denied, runs = denied_words(text, query.words), name_runs(text, word_weights)
    first = _first_place(best, said)
    return [
        *_word_features(best, text),
        *_question_features(best, text, query, stems, first),
        *_length_features(best, text, said, first, word_weights),
        len(golds),
        golds_found,
        *_value_features(gold, values, query),
        *read_names(gold, text, runs),
        *_rivals(text, runs, gold, query, first),
        has_swapped_names(gold, text) or is_object(text, query, first),
        *_negation_features(best, text, answer, denied, said, first),
        *_list_features(best, text, first),
    ]


def feature_rows(
    answers: Sequence[str],
    golds: Sequence[Sequence[str]],
    questions: Sequence[str] | None,
    word_weights: Mapping[str, int],
) -> np.ndarray:
    """The features of n answers, float64 (n, f), in the order of `FEATURES`; arguments as in `feature_row`."""
    each = [None] * len(answers) if questions is None else questions
    rows = [feature_row(*row, word_weights) for row in zip(answers, golds, each, strict=True)]
    return np.array(rows, np.float64).reshape(len(rows), len(FEATURES))


def _first_place(best: _Found, said: set[str]) -> int:
    """Where the gold answer begins in the answer: the first of its words that counts and is not in the question; -1 without any."""
    heavy = [word for word in best.heavy if word.position >= 0]
    new = [word for word in heavy if word.stem not in said]
    return min([word.position for word in new or heavy or best.matched], default=-1)


def _first_places(words: Sequence[str]) -> Indices:
    return {words[n]: n for n in range(len(words) - 1, -1, -1)}


def _weight(word: str, weights: Mapping[str, int]) -> float:
    return (_STOP_WEIGHT if word in STOP_WORDS else weights.get(word, _UNKNOWN)) / 100


def _find(gold: Text, text: Text, where: Indices, stems: Indices, said: set[str], weights: Mapping[str, int]) -> _Found:
    words = []
    for word, stem in zip(gold.words, gold.stems, strict=True):
        share, index = 0.0, where.get(word, -1)
        if index >= 0:
            share = 1.0
        elif (index := stems.get(stem, -1)) >= 0:
            share = SAME_STEM
        elif word not in STOP_WORDS and not first_is_digit(word) and len(gold.words) <= _LONG_GOLD:
            for other, at in where.items():
                if (near := alike(word, other)) > share and (near != INITIAL or text.raw[at][0].isupper()):
                    share, index = near, at
        words.append(_Word(stem, share, index, _weight(word, weights)))
    recall = _recall(words)
    new = [word for word in words if word.stem not in said]
    new_recall = _recall(new) if sum([word.weight for word in new]) > _LITTLE else recall
    common = len({word for word, found in zip(gold.words, words, strict=True) if found.share >= SAME_STEM})
    f1 = 2 * common / max(len({*gold.words}) + len(where), 1)
    heavy = [word for word in words if word.weight > _STOP_WEIGHT / 100]
    return _Found(gold, words, heavy, [word for word in words if word.position >= 0], recall, new_recall, f1)


def _means(gold: Text, text: Text, query: Text, values: Sequence[Value]) -> bool:
    """Whether a short answer has the meaning of the gold answer in another form: yes or no, the same values, or an acronym."""
    if len(text.words) > _SHORT or not gold.words:
        return False
    if len(gold.words) == 1 and is_polar(query):
        return polarity(gold) * polarity(text) > 0
    letters = max(acronym_letters(gold, text), acronym_letters(text, gold))
    whole = letters == len(content_words(text if len(gold.words) == 1 else gold))
    if letters >= (2 if whole else _SURE_LETTERS) and (len(text.words) <= letters or len(gold.words) == 1):
        return len(gold.words) >= letters - 1 or len(gold.words) == 1
    gold_values = read_values(gold)
    if not gold_values or not _is_only_value(gold, gold_values, query):
        return False
    return all(any(agreement(one, other) == 1 for other in values) for one in gold_values)


def _is_only_value(gold: Text, values: Sequence[Value], query: Text) -> bool:
    """Whether a gold answer has no words other than its values, their units and words of the question."""
    taken = {
        n for value in values for n in range(value.first - (value.dimension[:4] in ("code", "mone")), value.end + 1)
    }
    said = {*query.stems}
    words = enumerate(zip(gold.words, gold.stems, strict=True))
    return all(n in taken or word in STOP_WORDS or stem in said for n, (word, stem) in words)


def _all_found(found: _Found) -> _Found:
    """The same, with every word found as in another form."""
    words = [word._replace(share=SAME_STEM, position=max(word.position, 0)) for word in found.words]
    heavy = [word for word in words if word.weight > _STOP_WEIGHT / 100]
    return found._replace(words=words, heavy=heavy, matched=words, recall=SAME_STEM, new_recall=SAME_STEM)


def _recall(words: Sequence[_Word]) -> float:
    return sum([word.share * word.weight for word in words]) / (sum([word.weight for word in words]) or 1.0)


def _word_features(best: _Found, text: Text) -> list[float]:
    """Words of the gold answer in the answer: weighted shares that are alike and equal, shares of distinct words, whether they stand
    in a row, the heaviest missing one, how well the first, the last and the worst are found, how close together; letters; what the
    gold answer is like; the share of neighbours that are in order.
    """
    gold, words, n = best.gold, best.words, len(best.words)
    shares = [word.share for word in best.heavy or words] or [0.0]
    indices = sorted({word.position for word in best.matched})
    weight = sum([word.weight for word in words])
    exact = sum([word.weight for word in words if word.share == 1]) / (weight or 1.0)
    in_row = n > 0 and words[0].position >= 0 and text.words[words[0].position : words[0].position + n] == gold.words
    tightness = len(indices) / (indices[-1] - indices[0] + 1) if indices else 0.0
    missing = max([(1 - word.share) * word.weight for word in words], default=0.0)
    found = sum([word.share >= SAME_STEM for word in words])
    return [
        best.recall, exact, best.f1, found / max(len(text.words), 1), in_row, missing, shares[0], shares[-1], min(shares), tightness,
        *letter_features(gold, text),
        weight, sum(map(len, gold.words)) / max(n, 1), n > 0 and gold.raw[0][0].isupper(), n,
        _order([word.position for word in best.heavy if word.position >= 0]),
    ]  # fmt: skip


def _order(indices: Sequence[int]) -> float:
    """The share of neighbours in rising order, 1 of fewer than two."""
    steps = [later > one for one, later in zip(indices, indices[1:], strict=False)]
    return sum(steps) / len(steps) if steps else 1.0


def _rivals(text: Text, runs: Sequence[tuple[int, list[str]]], gold: Text, query: Text, first: int) -> list[float]:
    """The numbers of names before and after a word that neither gold answer nor question has, and whether such a name is what
    the answer says first, in a clause of its own ("Lyon, ...", "It is Lyon. ...").
    """
    known, new = {*gold.words, *query.words}, {*gold.words} - {*query.words}
    rivals = [(end, run) for end, run in runs if not known.issuperset(run) and not (new or known).intersection(run)]
    before = sum(end <= first for end, _ in rivals)
    end, run = rivals[0] if rivals else (len(text.words), [])
    leads = end < max(first, 0) and bool(text.marks[end]) and _LEADS.issuperset(text.words[: end - len(run)])
    return [before, len(rivals) - before, leads]


def _question_features(best: _Found, text: Text, query: Text, stems: Indices, first: int) -> list[float]:
    """Beside a question: recall and weight of what the gold answer has beyond it; how much of the answer and of the question are the
    other's; what it asks for; whether gold answer and answer both say yes (1) or not the same (-1); an answer of words of the
    question, or that asks; words of the question before the gold answer, their order; "by" before it.
    """
    if not query.words:
        return [0.0] * len(OF_QUESTION)
    stems_of_text, said = {*text.stems}, {*query.stems}
    shared = len(stems_of_text & said)
    head = query.words[:12]
    new_weight = sum([word.weight for word in best.words if word.stem not in said])
    asks_yes = is_polar(query)
    taken = {word.position for word in best.matched}
    objects = [
        stems[stem]
        for word, stem in zip(query.words, query.stems, strict=True)
        if word not in STOP_WORDS and stem in stems and stems[stem] not in taken
    ]
    signs = polarity(best.gold) if asks_yes or len(best.gold.words) == 1 else 0, polarity(text)
    if asks_yes and signs[0] and not signs[1] and best.recall < FOUND:
        signs = signs[0], 1
    return [
        best.new_recall, new_weight, shared / max(len(stems_of_text), 1), shared / len(said), len(query.words),
        *(float(not words.isdisjoint(head)) for words in _ASKS),
        float(asks_yes), signs[0] * signs[1], float(stems_of_text <= said | STOP_WORDS), "?" in text.marks[-1],
        sum(index < first for index in objects) / len(objects) if objects else -1.0, _order(objects),
        is_by(text, first),
    ]  # fmt: skip


_LEADS = frozenset("the a an it is was are were that this answer".split())
_ASKS = (
    frozenset("who whom whose wer qui quien".split()),
    frozenset("when year date century wann quand cuando".split()),
    frozenset("where country city state wo ou donde".split()),
    frozenset("many much old long far tall percentage number".split()),
)


def _length_features(best: _Found, text: Text, said: set[str], first: int, weights: Mapping[str, int]) -> list[float]:
    """Words; where the gold answer begins, also as a share; weight of what is neither in it nor in the question, also as a share; commas;
    the share of words with capitals.
    """
    n, golds = len(text.words), {*best.gold.stems}
    used = {word.position for word in best.matched}
    extra = [
        _weight(word, weights)
        for index, (word, stem) in enumerate(zip(text.words, text.stems, strict=True))
        if stem not in golds and stem not in said and index not in used
    ]
    whole = sum([_weight(word, weights) for word in text.words]) or 1.0
    return [
        n, first, first / n if n else 0.0, sum(extra), sum(extra) / whole,
        sum("," in mark for mark in text.marks), sum(raw[0].isupper() for raw in text.raw) / max(n, 1),
    ]  # fmt: skip


def _value_features(gold: Text, theirs: Sequence[Value], query: Text) -> list[float]:
    """Values of the gold answer: how many, the share that the answer has (-1 without any), those that have another value instead; values of
    the answer that are neither the gold answer's nor the question's; whether the gold answer is only values.
    """
    values = read_values(gold)[:_MOST_VALUES]
    if not values:
        return [0, -1.0, 0, len(theirs), 0.0]
    known = read_values(query)[:_MOST_VALUES]
    grades = [[agreement(value, other) for other in theirs] for value in values]
    found = [max((grade for grade in row if grade is not None), default=None) for row in grades]
    others = [
        other
        for n, other in enumerate(theirs)
        if all(row[n] == 0 for row in grades if row[n] is not None)
        and any(row[n] == 0 for row in grades)
        and not any(agreement(value, other) == 1 for value in known)
    ]
    share, apart = sum(grade or 0.0 for grade in found) / len(values), sum(grade == 0 for grade in found)
    return [len(values), share, apart, len(others), float(_is_only_value(gold, values, query))]


def _negation_features(
    best: _Found, text: Text, answer: str, denied: list[bool], said: set[str], first: int
) -> list[float]:
    """Recall without words that the answer denies; words such as "not" in answer, gold answer, and near before it; hedges; a refusal;
    whether a correction follows that names something else.
    """
    is_denied: dict[str, bool] = {}  # stem -> everywhere
    for stem, out in zip(text.stems, denied, strict=True):
        is_denied[stem] = is_denied.get(stem, True) and out
    in_gold = count_negators(best.gold)
    lost = [word.weight * word.share for word in best.matched if not in_gold and is_denied[text.stems[word.position]]]
    turn = turn_of(text, said)
    heavy = {word.stem for word in best.heavy if word.position >= 0}
    taken_back = 0 <= first < turn and heavy.isdisjoint(text.stems[turn:])
    taken_back = taken_back and any(
        (raw[0].isupper() or raw[0].isdigit()) and stem not in said
        for raw, stem in zip(text.raw[turn + 1 :], text.stems[turn + 1 :], strict=True)
    )
    near = sum(denied[max(first - _NEAR, 0) : first]) if first > 0 else 0
    return [
        best.recall - sum(lost) / (sum([word.weight for word in best.words]) or 1.0),
        count_negators(text), in_gold, near, count_hedges(text), not in_gold and refuses(answer), taken_back,
    ]  # fmt: skip


def _list_features(best: _Found, text: Text, first: int) -> list[float]:
    """The list around the gold answer, as in `read_list`; items of a gold answer that is a list, and the share of them found (-1 without)."""
    found = read_list(text, first) if first >= 0 else (1, 0, 0.0, 0)
    items = gold_items(best.gold)
    shares = [max(best.words[n].share for n in indices) for indices in items]
    return [*found, len(items), sum(share >= FOUND for share in shares) / len(items) if items else -1.0]
