"""Whether the labels that Trainer hands over belong to the gold answers, row by row, and the order in which they do."""

import bisect
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

_SHOWN = 60  # characters of a text in a message
_WITHOUT_SPACES = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\uffef]")  # Thai to Khmer, and East Asian


class Labels(NamedTuple):
    """The labels of an evaluation, decoded.

    Attributes:
        texts: of each row; None where all of its tokens are masked.
        lengths: tokens of each row, without padding.
    """

    texts: list[str | None]
    lengths: list[int]


class GoldRows:
    """The gold answers of one data set, which can be asked whether labels belong to them.

    A label belongs to a row if it is one of its gold answers but for case, spaces, punctuation and what the tokenizer
    loses, the beginning of one that was truncated, or a sentence that has one in it. A row without gold answers may
    have any label.

    Args:
        golds: lists of gold answers, [] where there is no answer.
        again: of texts, what is left of each after the tokenizer has encoded and decoded it.

    Example:
        >>> rows = GoldRows([["Rome"], ["Oslo", "Christiania"], ["Ur"]], again=list)
        >>> rows.strangers(Labels(["rome.", "in Oslo", None], [2, 3, 0])), rows.strangers(Labels(["Ur"] * 3, [2] * 3))
        ([], [0, 1])
        >>> rows.order_of(Labels(["christiania", "Ur", "Rome"], [2, 2, 2])).tolist()
        [2, 0, 1]
    """

    def __init__(self, golds: list[list[str]], again: Callable[[list[str]], list[str]]):
        self.golds = golds
        self._again = again
        self._known: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self.golds)

    def strangers(self, labels: Labels) -> list[int]:
        """The rows whose label does not belong to them."""
        if not any(text is not None and golds for text, golds in zip(labels.texts, self.golds, strict=True)):
            # No row tells; but where no row has an answer, the labels have one text for that.
            forms = [None if text is None else text_form(text) for text in labels.texts]
            usual = Counter(form for form in forms if form is not None).most_common(1)
            return [row for row, form in enumerate(forms) if form is not None and form != usual[0][0]]
        longest = max(labels.lengths, default=0)
        rows = [
            row
            for row, (text, golds) in enumerate(zip(labels.texts, self.golds, strict=True))
            if text is not None and golds and text not in golds and text_form(text) not in map(text_form, golds)
        ]
        self._learn(gold for row in rows for gold in self.golds[row])
        return [row for row in rows if not self._belongs(labels.texts[row], labels.lengths[row] == longest, row)]

    def order_of(self, labels: Labels) -> np.ndarray | None:
        """Which row of the labels belongs to each row, (n,); None where that is not certain.

        It is certain where the labels can be given to the rows in one way only; rows of the same gold answers, which are
        worth the same, count as one.
        """
        if None in labels.texts:
            return None
        groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for row, golds in enumerate(self.golds):
            groups[tuple(sorted(set(golds)))].append(row)
        places = self._places_of(labels, groups)
        return None if places is None else _only_way(places, groups)

    def owner(self, text: str) -> int | None:
        """The first row that has this label among its gold answers."""
        form = text_form(text)
        return next((row for row, golds in enumerate(self.golds) if form in map(text_form, golds)), None)

    def _places_of(self, labels: Labels, groups: dict[tuple[str, ...], list[int]]) -> list[set] | None:
        """The groups that each label may belong to; None where one belongs nowhere."""
        self._learn(gold for golds in groups for gold in golds)
        by_form: dict[str, set] = defaultdict(set)
        for golds in groups:
            for gold in golds:
                by_form[text_form(gold)].add(golds)
                by_form[self._form_again(gold)].add(golds)
        forms, longest = sorted(by_form), max(labels.lengths, default=0)
        found, homeless = [], set()
        for text, length in zip(labels.texts, labels.lengths, strict=True):
            form = text_form(text)
            places = set(by_form.get(form, ()))
            if form and length == longest:  # it may have been truncated
                first = bisect.bisect_left(forms, form)
                for longer in forms[first : bisect.bisect_right(forms, form + chr(0x10FFFF))]:
                    places |= by_form[longer]
            if not places:
                homeless.add(form)
                places = {()}
            found.append(places)
        # The rows without an answer share one text for that.
        return found if not homeless or () in groups and len(homeless) == 1 else None

    def _belongs(self, text: str, longest: bool, row: int) -> bool:
        form, words = text_form(text), f" {_words(text)} "
        for gold in self.golds[row]:
            other = self._form_again(gold)
            if form == other or (longest and form and other.startswith(form)):
                return True
            if _words(gold) and f" {_words(gold)} " in words:
                return True
            if _WITHOUT_SPACES.search(gold) and text_form(gold) in form:
                return True
        return False

    def _form_again(self, text: str) -> str:
        return text_form(self._known.get(text, text))

    def _learn(self, texts: Iterable[str]) -> None:
        """Ask the tokenizer what is left of these texts."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known |= zip(new, self._again(new), strict=True)


def _only_way(places: list[set], groups: dict[tuple[str, ...], list[int]]) -> np.ndarray | None:
    """Which label each row gets when every label goes to one of its groups; None where there is no way, or are several."""
    free = {group: len(rows) for group, rows in groups.items()}
    waiting: dict[Any, set[int]] = defaultdict(set)
    for label, own in enumerate(places):
        for group in own:
            waiting[group].add(label)
    given: dict[Any, list[int]] = defaultdict(list)
    certain = [label for label, own in enumerate(places) if len(own) == 1]
    placed = 0
    while certain:
        label = certain.pop()
        (group,) = places[label] or (None,)
        if not free.get(group):
            return None
        free[group] -= 1
        placed += 1
        given[group].append(label)
        waiting[group].discard(label)
        if free[group] == 0:  # nobody else can go there
            for other in waiting.pop(group):
                places[other].discard(group)
                if len(places[other]) == 1:
                    certain.append(other)
                elif not places[other]:
                    return None
    if placed < len(places):
        return None
    order = np.empty(len(places), np.int64)
    for group, rows in groups.items():
        order[rows] = sorted(given[group])
    return order


def text_form(text: str) -> str:
    """A text without what tokenizers change: case, spaces, punctuation, marks; its signs alone where there is nothing else.

    Example:
        >>> text_form("The  U.S.A."), text_form(" % ")
        ('theusa', '%')
    """
    text = unicodedata.normalize("NFKC", text).casefold()
    return "".join(filter(str.isalnum, text)) or "".join(text.split())


def _words(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).casefold()
    return " ".join("".join(sign if sign.isalnum() else " " for sign in text).split())


def told(value: Any) -> str:
    """A label, or gold answers, in a message."""
    found = repr(value)
    return found if len(found) <= _SHOWN else f"{found[: _SHOWN - 1]}…"
