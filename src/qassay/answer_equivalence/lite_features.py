"""What the built-in scorer of answer equivalence looks at: an answer beside the gold answers and the question.

Rows are compared in numpy, in time linear in their length.
"""

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np

from .lite_doubt import refusals
from .lite_reworded import reworded_features
from .lite_roles import Beside, role_features
from .lite_runs import run_features
from .lite_spelling import (
    acronyms_found,
    capital_share,
    day_differs,
    decade_only,
    letters_of,
    other_names,
    spelled_features,
    unit_state,
    year_gap,
)
from .lite_statements import statement_features
from .lite_values import value_features
from .lite_words import (
    MISSPELLED,
    OTHER_WORD,
    SpelledTexts,
    Words,
    counts_of,
    facts_of_words,
    found_words,
    largest,
    misspelled_words,
    read_texts,
    share_of,
    sums_of,
    sums_where,
)

_FAR = 1 << 30
_ASKED_FORMS = 2  # in which a word counts as one of the question: as it is, and by its stem
_LIGHT = 0.3  # weight up to which a word says little
_CONTENT = 0.5  # weight from which on a word says something by itself: not "he" or "they"
_ACRONYM_SURE = 0.9  # of each word of a gold answer whose initials the answer has

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
        "asks_how_many first_asked run_asked other_asked"
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
    asked_texts = [""] * n if questions is None else questions
    numbers, (answer, gold, question) = read_texts(answers, list(chain.from_iterable(golds)), asked_texts)
    words = facts_of_words(numbers, weights)
    # Pairs of a row with each of its gold answers, and their gold words.
    counts = np.fromiter(map(len, golds), np.int64, n)
    starts = np.cumsum(counts) - counts
    pair_row = np.repeat(np.arange(n), counts)
    pairs = len(pair_row)
    sizes = gold.lengths[gold.index]
    token_pair, token = gold.spread()
    token_row = pair_row[token_pair]
    weight = words.weights[token]
    sure, at = found_words(answer, words, answer.index[token_row], token)
    misspelled = misspelled_words(answer, words, answer.index[token_row], token, at < 0)
    for gold_place, answer_place in misspelled:
        sure[gold_place], at[gold_place] = MISSPELLED, answer_place
    asked, _ = found_words(question, words, question.index[token_row], token, _ASKED_FORMS)
    new = asked == 0
    pair_weight = sums_of(token_pair, weight, pairs)
    acronym = acronyms_found(answer, gold, counts)
    sure[acronym[token_pair]] = np.maximum(sure[acronym[token_pair]], _ACRONYM_SURE)
    recall = share_of(sums_of(token_pair, weight * sure, pairs), pair_weight)
    new_weight = sums_of(token_pair, weight * new, pairs)
    new_recall = share_of(sums_of(token_pair, weight * sure * new, pairs), new_weight, -1.0)
    answer_weight = _text_weights(answer, words)[answer.index]
    question_weight = _text_weights(question, words)[question.index]
    precision = np.minimum(share_of(sums_of(token_pair, weight * sure, pairs), answer_weight[pair_row]), 1.0)
    f1 = share_of(2 * precision * recall, precision + recall)

    # The gold answer that fits best, per row.
    letters = letters_of(answer, gold, counts)
    best = _best_of_each(recall + np.maximum(new_recall, 0) + 0.5 * f1, letters.inside, pair_row, starts, gold)
    best_of_row = best[pair_row]

    is_best = token_pair == best_of_row[token_pair]
    misspelled = [(token_row[gold_place], place) for gold_place, place in misspelled if is_best[gold_place]]
    token, token_row, weight, sure, at, new = (values[is_best] for values in (token, token_row, weight, sure, at, new))
    gold_size = sizes[best]
    first_token = np.cumsum(gold_size) - gold_size
    last_token = first_token + gold_size - 1
    value = words.values[token]
    is_number = ~np.isnan(value)
    is_year = is_number & (value >= 1000) & (value <= 2100)
    missing = sure <= OTHER_WORD
    columns: dict[str, np.ndarray] = {
        "recall": recall[best],
        "precision": precision[best],
        "f1": f1[best],
        "new_recall": new_recall[best],
        "new_weight": new_weight[best],
        "gold_weight": pair_weight[best],
        "exact_recall": share_of(sums_where(token_row, weight, sure == 1, n), pair_weight[best]),
        "missing_most": largest(token_row, np.where(missing, weight, 0), n),
        "missing_new": sums_where(token_row, weight, missing & new, n),
        "mean_recall": np.add.reduceat(recall, starts) / counts,
        "golds_found": np.add.reduceat((recall > 0.99).astype(float), starts),
        "golds": counts.astype(float),
    }
    filled = gold_size > 0
    for name, places in (("first_word", first_token), ("last_word", last_token)):
        columns[name] = np.full(n, -1.0)
        columns[name][filled] = sure[places[filled]]
    content = (weight > _CONTENT) & ~words.grammar[token]
    columns["content_found"] = largest(token_row, np.where(content, sure, 0), n)
    columns["content_words"] = counts_of(token_row, content, n)
    columns["number_recall"] = share_of(
        sums_where(token_row, sure, is_number, n), counts_of(token_row, is_number, n), -1.0
    )
    columns["gold_numbers"] = counts_of(token_row, is_number, n)
    columns["year_missing"] = counts_of(token_row, is_year & missing, n)

    columns |= spelled_features(letters, answer, gold, best, starts)
    columns["unit_state"] = unit_state(answer, gold, gold.index[best], counts, words)
    columns["day_differs"] = day_differs(answer, gold.index[best], gold, words)
    columns["decade_only"] = decade_only(answer, gold.index[best], gold, words)
    columns["year_gap"] = year_gap(answer, gold.index[best], gold, words, n)

    # The words of the answers, beside the best gold answer and the question.
    size = answer.lengths[answer.index]
    row, said = answer.spread()
    row_ends = np.cumsum(size)
    row_starts = row_ends - size
    place = np.arange(len(said)) - np.repeat(row_starts, size)
    in_best, _ = found_words(gold, words, gold.index[best][row], said)
    for misspelled_row, place_in_row in misspelled:
        in_best[row_starts[misspelled_row] + place_in_row] = MISSPELLED
    in_asked, _ = found_words(question, words, question.index[row], said, _ASKED_FORMS)
    said_weight = words.weights[said]
    matched = (in_best > 0) & (said_weight > 0.15)
    extra = (in_best == 0) & (in_asked == 0)
    said_value = words.values[said]
    said_number = ~np.isnan(said_value)
    columns["words"] = size.astype(float)
    columns["gold_words"] = gold_size.astype(float)
    columns["question_words"] = question.lengths[question.index].astype(float)
    columns["answer_weight"] = answer_weight
    columns["extra_weight"] = sums_where(row, said_weight, extra, n)
    columns["new_precision"] = share_of(
        sums_where(row, said_weight, (in_best > 0) & (in_asked == 0), n),
        sums_where(row, said_weight, in_asked == 0, n),
        -1.0,
    )
    asked_weight = sums_where(row, said_weight, in_asked > 0, n)
    columns["asked_share"] = share_of(asked_weight, answer_weight)
    columns["asked_said"] = share_of(asked_weight, question_weight)
    columns["extra_numbers"] = counts_of(row, said_number & extra, n)
    columns["extra_years"] = counts_of(row, said_number & extra & (said_value >= 1000) & (said_value <= 2100), n)
    columns["answer_numbers"] = counts_of(row, said_number, n)
    columns["negations"] = counts_of(row, words.negates[said], n)
    columns["hedges"] = counts_of(row, words.hedges[said], n)
    columns["alternatives"] = counts_of(row, words.alternates[said], n)
    first_match = np.full(n, _FAR)
    np.minimum.at(first_match, row[matched], place[matched])
    columns["place"] = np.where(first_match < _FAR, first_match, -1).astype(float)
    columns["place_share"] = np.where(first_match < _FAR, first_match / np.maximum(size, 1), -1)
    # The run of matches that lie close together and weigh most.
    columns |= run_features(
        row,
        place,
        np.flatnonzero(matched),
        said,
        said_weight,
        words,
        columns["gold_weight"],
        n,
        extra,
        row_starts,
        row_ends,
        in_asked > 0,
        in_best > OTHER_WORD,
    )
    for name in ("run_asked", "other_asked"):
        columns[name] = share_of(columns[name], question_weight)
    in_first = _before_mark(words.sentences[said], row, n)
    columns["first_recall"] = np.minimum(
        share_of(sums_where(row, said_weight, matched & in_first, n), pair_weight[best]), 1.0
    )
    columns["first_extra"] = sums_where(row, said_weight, extra & in_first, n)
    columns["first_words"] = counts_of(row, in_first, n)
    columns["first_asked"] = share_of(sums_where(row, said_weight, (in_asked > 0) & in_first, n), question_weight)
    best_texts, of_row = np.unique(gold.index[best], return_inverse=True)
    columns["gold_capitals"] = np.array([capital_share(gold.distinct[text]) for text in best_texts.tolist()])[of_row]
    beside = Beside(answer, gold, question, best, counts, words, columns)
    columns |= role_features(beside)
    columns["other_name"] = other_names(columns, answer, gold, counts)
    columns["denials"] = counts_of(row, words.denies[said], n)
    columns["marks"] = counts_of(row, words.marks[said], n)
    listed = counts_of(token_row, (words.marks | words.joins)[token], n) > 0
    columns["gold_marks"] = listed.astype(float)
    passive = np.zeros(n, bool)
    if "by" in numbers:
        passive[row[said == numbers["by"]]] = True
    columns["order"] = np.where(listed | passive, 0.0, _order(token_row, token, at, words, n))
    columns["acronym"] = np.maximum.reduceat(acronym.astype(float), starts) if n else np.zeros(0)
    columns["gold_negations"] = counts_of(token_row, words.negates[token], n)
    columns["gold_alternatives"] = counts_of(token_row, words.alternates[token], n)
    columns["refusal"] = np.isin(answer.index, refusals(answer.joined)).astype(float)
    columns |= reworded_features(beside)
    columns |= statement_features(beside)
    columns |= value_features(beside)
    for kind, kind_words in QUESTION_KINDS.items():
        has = question.has(words.are(kind_words))
        columns[f"asks_{kind}"] = has[question.index].astype(float)
    columns["says_where"] = question.has(words.are(["where"]))[question.index].astype(float)
    return dict(zip(columns, np.round(np.array([*columns.values()], np.float64), 6), strict=True))


def _best_of_each(
    key: np.ndarray, inside: np.ndarray, row: np.ndarray, starts: np.ndarray, gold: SpelledTexts
) -> np.ndarray:
    """The pair of each row with the largest key, whatever their order.

    Of equal ones a gold answer whose letters are inside the answer, then the longest, then the first in the alphabet.
    """
    best = np.lexsort((~inside, -key, row))[starts]
    tied = np.flatnonzero((key == key[best][row]) & (inside == inside[best][row]))
    tied = tied[(np.bincount(row[tied]) > 1)[row[tied]]]
    texts = [gold.distinct[text] for text in gold.index[tied].tolist()]
    order = sorted(
        zip(row[tied].tolist(), (-len(text) for text in texts), texts, tied.tolist(), strict=True), reverse=True
    )
    for own, _, _, pair in order:
        best[own] = pair
    return best


def _before_mark(marks: np.ndarray, row: np.ndarray, n: int) -> np.ndarray:
    """Which tokens come before the first mark of their row."""
    first = np.full(n, len(marks))
    np.minimum.at(first, row[marks], np.flatnonzero(marks))
    return np.arange(len(marks)) < first[row]


def _order(token_row: np.ndarray, token: np.ndarray, at: np.ndarray, words: Words, n: int) -> np.ndarray:
    """Share of the gold answer's neighbouring words in reversed order in the answer, dates and numbers apart.

    0 for a gold answer with fewer than three such words in the answer: "Obama, Barack" is Barack Obama.
    """
    kept = np.flatnonzero((at >= 0) & (words.weights[token] > _LIGHT) & ~words.dates[token])
    kept_row = token_row[kept]
    same = kept_row[1:] == kept_row[:-1]
    turned = same & (at[kept][1:] < at[kept][:-1])
    pairs, turns = counts_of(kept_row[1:], same, n), counts_of(kept_row[1:], turned, n)
    return np.where(pairs > 1, turns / np.maximum(pairs, 1), 0.0)


def _text_weights(texts: SpelledTexts, words: Words) -> np.ndarray:
    """The sum of the weights of the words of each distinct text, (d,)."""
    return sums_of(texts.text_of, words.weights[texts.words], len(texts.lengths))
