"""Align the labels of Trainer with gold answers: whether they belong together row by row, or else in which order."""

import bisect
import functools
import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

_SHOWN = 60  # characters of a text in a message
RARE = 1e-6  # share of shuffles that may go unseen
_FEW = 20  # one label in so many may be wrong
_TELLING = 256  # labels that mostly suffice to see a shuffle
_WITHOUT_SPACES = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\uffef]")  # Thai to Khmer, and East Asian


class DecodedLabels(NamedTuple):
    """The labels of an evaluation, decoded.

    Attributes:
        texts: of each row; None if all of its tokens are masked.
        lengths: tokens of each row, without padding.
    """

    texts: list[str | None]
    lengths: list[int]

    def first(self, n: int) -> "DecodedLabels":
        """Those of the first n rows."""
        return DecodedLabels(self.texts[:n], self.lengths[:n])


class GoldRows:
    """The gold answers of one data set, which can be asked whether labels belong to them.

    A label belongs to a row if it is one of its gold answers but for case, spaces, punctuation and what the tokenizer
    loses, the beginning of one that was truncated, or a sentence that has one in it. A row without gold answers may
    have any label. A label whose tokens are all masked belongs to a row without gold answers, or with an empty one.

    Args:
        golds: lists of gold answers, [] if there is no answer.
        round_trip: of texts, what is left of each after the tokenizer has encoded and decoded it.
    """

    def __init__(self, golds: list[list[str]], round_trip: Callable[[list[str]], list[str]]):
        self.golds = golds
        self._round_trip = round_trip
        self._round_trips: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self.golds)

    def mismatches(self, labels: DecodedLabels) -> list[int]:
        """The rows with a foreign label; empty if all labels are masked, because these say nothing."""
        if not any(self.golds):
            # No row tells; but where no row has an answer, the labels have one text for that.
            forms = [None if text is None else text_form(text) for text in labels.texts]
            usual = Counter(form for form in forms if form is not None).most_common(1)
            return [row for row, form in enumerate(forms) if form is not None and form != usual[0][0]]
        if _all_masked(labels):
            return []
        longest = max(labels.lengths, default=0)
        rows = [
            row
            for row, (text, golds) in enumerate(zip(labels.texts, self.golds, strict=True))
            if golds and text not in golds and (text is None or text_form(text) not in map(text_form, golds))
        ]
        self._learn(gold for row in rows for gold in self.golds[row])
        return [row for row in rows if not self._belongs(labels.texts[row], labels.lengths[row] == longest, row)]

    def order_of(self, labels: DecodedLabels) -> np.ndarray | None:
        """Which row of the labels belongs to each row, (n,); None if that is not certain.

        It is certain where the labels can be given to the rows in one way only; rows of the same gold answers, which are
        worth the same, count as one.
        """
        index = self._index
        places = index.places_of(labels)
        lost = {
            text_form(text) for text, own in zip(labels.texts, places, strict=True) if text is not None and own <= {()}
        }
        # The rows without an answer share one text for that.
        if _all_masked(labels) or not all(places) or len(lost) > 1 or not _settle(places, index.groups):
            return None
        given: dict[Any, list[int]] = defaultdict(list)
        for label, own in enumerate(places):
            if len(own) > 1:
                return None
            given[next(iter(own))].append(label)
        order = np.empty(len(places), np.int64)
        for group, rows in index.groups.items():
            order[rows] = given[group]
        return order

    def may_hide_an_order(self, labels: DecodedLabels) -> bool:
        """Whether labels without mismatches may belong to other rows all the same: a shuffle need not be seen.

        That is the case where they can be given to the rows in several ways, and so many that one shuffle in a million
        is one of these ways.
        """
        index = self._index
        if len(index.groups) == 1 or _all_masked(labels):
            return False
        some = DecodedLabels(labels.texts[:_TELLING], labels.lengths[:_TELLING])
        if _share_unseen(index.places_of(some, max(labels.lengths)), index) < RARE:
            return False
        places = index.places_of(labels)
        _settle(places, index.groups)
        return any(len(own) > 1 for own in places) and _share_unseen(places, index) >= RARE

    def are_unknown_labels(self, labels: DecodedLabels, mismatches: list[int]) -> bool:
        """Whether these labels, which do not belong to their rows, are a few that belong to no row, among so many in their
        places that the rows must be in order.
        """
        if len(mismatches) > max(1, len(self) // _FEW):
            return False
        index, without = self._index, {row for row, golds in enumerate(self.golds) if not golds}
        places = index.places_of(labels)
        if any(places[row] - {()} or labels.texts[row] is None for row in mismatches) or any(
            places[row] - {()} for row in without
        ):
            return False
        in_place = [own for row, own in enumerate(places) if row not in set(mismatches)]
        return _share_unseen(in_place, index) < RARE

    def row_of(self, text: str) -> int | None:
        """The first row that has this label among its gold answers."""
        form = text_form(text)
        return next((row for row, golds in enumerate(self.golds) if form in map(text_form, golds)), None)

    @functools.cached_property
    def _index(self) -> "_Index":
        groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for row, golds in enumerate(self.golds):
            groups[tuple(sorted(set(golds)))].append(row)
        self._learn(gold for golds in groups for gold in golds)
        return _Index(dict(groups), self._round_trip_form)

    def _belongs(self, text: str | None, longest: bool, row: int) -> bool:
        if text is None:
            return any(not gold.strip() for gold in self.golds[row])
        form, words = text_form(text), f" {_words(text)} "
        for gold in self.golds[row]:
            other = self._round_trip_form(gold)
            if form == other or (longest and form and other.startswith(form)):
                return True
            if _words(gold) and f" {_words(gold)} " in words:
                return True
            if _WITHOUT_SPACES.search(gold) and text_form(gold) in form:
                return True
        return False

    def _round_trip_form(self, text: str) -> str:
        return text_form(self._round_trips.get(text, text))

    def _learn(self, texts: Iterable[str]) -> None:
        """Ask the tokenizer what is left of these texts."""
        new = [text for text in dict.fromkeys(texts) if text not in self._round_trips]
        if new:
            self._round_trips |= zip(new, self._round_trip(new), strict=True)


class _Index:
    """To which groups of rows (rows of the same gold answers) a label may belong.

    Attributes:
        groups: gold answers -> rows.
    """

    def __init__(self, groups: dict[tuple[str, ...], list[int]], round_trip: Callable[[str], str]):
        self.groups = groups
        self._by_form: dict[str, set[Any]] = defaultdict(set)
        self._by_words: dict[str, set[Any]] = defaultdict(set)
        self._by_part: dict[str, set[Any]] = defaultdict(set)  # of scripts without spaces
        for golds in groups:
            for gold in golds:
                form = text_form(gold)
                self._by_form[form].add(golds)
                self._by_form[round_trip(gold)].add(golds)
                if words := _words(gold):
                    self._by_words[words].add(golds)
                if _WITHOUT_SPACES.search(gold):
                    self._by_part[form].add(golds)
        self._forms = sorted(self._by_form)
        self._numbers_of_words = sorted({words.count(" ") + 1 for words in self._by_words})
        self._sizes_of_parts = sorted({len(form) for form in self._by_part})
        self._masked = {golds for golds in groups if not all(gold.strip() for gold in golds)} | {()} & groups.keys()

    def places_of(self, labels: DecodedLabels, longest: int | None = None) -> list[set[Any]]:
        """The groups that each label may belong to; longest: the most tokens of a label, where these are not all."""
        longest = max(labels.lengths, default=0) if longest is None else longest
        groups_of: dict[tuple[str | None, bool], set[Any]] = {}
        places = []
        for text, length in zip(labels.texts, labels.lengths, strict=True):
            key = (text, length == longest)
            if key not in groups_of:
                groups_of[key] = self._places_of(*key)
            places.append(set(groups_of[key]))
        return places

    def _places_of(self, text: str | None, is_longest: bool) -> set[Any]:
        if text is None:
            return self._masked
        form, words = text_form(text), _words(text).split()
        groups = self._by_form.get(form, set()) | {()} & self.groups.keys()
        if form and is_longest:  # it may have been truncated
            first = bisect.bisect_left(self._forms, form)
            for longer in self._forms[first : bisect.bisect_right(self._forms, form + chr(0x10FFFF))]:
                groups |= self._by_form[longer]
        for size in self._numbers_of_words:
            for start in range(len(words) - size + 1):
                groups |= self._by_words.get(" ".join(words[start : start + size]), set())
        for size in self._sizes_of_parts:
            for start in range(len(form) - size + 1):
                groups |= self._by_part.get(form[start : start + size], set())
        return groups


def _all_masked(labels: DecodedLabels) -> bool:
    return all(text is None for text in labels.texts)


def _settle(places: list[set[Any]], groups: Mapping[Any, list[int]]) -> bool:
    """Take from the places of labels the places which labels with no other place fill; whether there may be a way."""
    free = {group: len(rows) for group, rows in groups.items()}
    waiting: dict[Any, set[int]] = defaultdict(set)
    for label, own in enumerate(places):
        for group in own:
            waiting[group].add(label)
    certain = [label for label, own in enumerate(places) if len(own) == 1]
    while certain:
        label = certain.pop()
        (group,) = places[label] or (None,)
        if not free.get(group):
            return False
        free[group] -= 1
        waiting[group].discard(label)
        if free[group] == 0:  # no other label can go there
            for other in waiting.pop(group):
                places[other].discard(group)
                if len(places[other]) == 1:
                    certain.append(other)
                elif not places[other]:
                    return False
    return True


def _share_unseen(places: list[set[Any]], index: _Index) -> float:
    """At most this share of all shuffles gives each of these labels one of its places: Bregman's bound of a permanent."""
    sizes = {group: len(rows) for group, rows in index.groups.items()}
    n = sum(sizes.values())
    fitting = [sum(sizes[group] for group in own) for own in places] + [n] * (n - len(places))
    return math.exp(min(0.0, sum(math.lgamma(d + 1) / d for d in fitting) - math.lgamma(n + 1)))


def text_form(text: str) -> str:
    """A text without what tokenizers change: case, spaces, punctuation, marks; its signs alone where there is nothing else."""
    text = unicodedata.normalize("NFKC", text).casefold()
    return "".join(filter(str.isalnum, text)) or "".join(text.split())


def _words(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).casefold()
    return " ".join("".join(sign if sign.isalnum() else " " for sign in text).split())


def quoted(value: Any) -> str:
    """A label, or gold answers, quoted in a message, shortened where long."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
