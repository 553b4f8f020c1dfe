"""The run of words of an answer in which a gold answer is found, and its surroundings."""

import numpy as np

from ..core.ragged import begins_run
from .lite_words import largest, share_of, sums_of, sums_where

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


def run_features(
    row, place, matches, said, said_weight, words, gold_weight, n, extra, starts, ends, asked, surely
) -> dict[str, np.ndarray]:
    """`starts`, `ends`: of the row of each token, in the flat array; `surely`: tokens that are words of the gold answer."""
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
        "run_asked",
        "other_asked",
        "compared",
    )
    columns = {name: np.zeros(n) for name in names}
    for name in ("denied_before", "denied_after", "hedged_before", "next_denied", "but_after"):
        columns[name][:] = _REACH + 1
    if not len(matches):
        return columns
    sentence_number = np.cumsum(words.sentences[said])
    match_row, match_place, match_sentence = row[matches], place[matches], sentence_number[matches]
    begins = begins_run(match_row) | begins_run(match_sentence)
    begins[1:] |= match_place[1:] - match_place[:-1] > _GAP
    run = np.cumsum(begins) - 1
    run_start = np.flatnonzero(begins)
    run_row = match_row[run_start]
    run_weight = sums_of(run, said_weight[matches], len(run_start))
    run_worth = sums_of(run, said_weight[matches] * (1 + ~asked[matches]), len(run_start))
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
    is_first = begins_run(item_row)
    long_before = np.append(-1, _last_true(~short | is_first))
    long_after = np.append(_next_true(~short | np.append(is_first[1:], True)), len(short))
    filled = np.cumsum(item_words > 0)
    mine_first, mine_last = item[first], item[last]
    left = np.maximum(long_before[mine_first + 1], 0)
    right = np.minimum(long_after[mine_last], len(short) - 1)
    items = filled[right] - filled[left] + 1
    # How certain each run is: the best one that nothing denies.
    clear = (before == far) & (after > 4)
    columns["clear_recall"] = largest(run_row, clear * run_weight, n)
    columns["clear_recall"] = np.minimum(share_of(columns["clear_recall"], gold_weight), 1.0)
    comparing = back(words.compares[said])
    is_sure = np.bincount(run, surely[matches], len(run_start)) > 0
    is_compared = (comparing >= low) & (first - comparing <= 2)
    columns["compared"] = largest(run_row, is_sure & is_compared, n) * (1 - largest(run_row, is_sure & ~is_compared, n))
    columns["runs"] = sums_of(run_row, np.ones(len(run_row)), n)
    order = np.lexsort((np.arange(len(run_start)), -run_worth * np.where(clear, 1.0, 0.5), run_row))
    chosen = order[begins_run(run_row[order])]
    rows = run_row[chosen]
    # How much of the question each sentence has: a gold answer in the background is in another sentence.
    sentence = np.cumsum(words.sentences[said] | (place == 0)) - 1
    asked_weight = sums_where(sentence, said_weight, asked, int(sentence[-1]) + 1)
    without_match = np.ones(len(asked_weight), bool)
    without_match[sentence[matches]] = False
    sentence_row = np.zeros(len(asked_weight), np.int64)
    sentence_row[sentence] = row
    has_run = np.bincount(run_row, minlength=n) > 0
    columns["other_asked"] = np.where(has_run, largest(sentence_row, asked_weight * without_match, n), 0.0)
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
        "run_asked": asked_weight[sentence[first]],
    }
    for name, value in values.items():
        columns[name][rows] = value[chosen]
    return columns
