"""Streams: scores examples batch by batch and keeps only statistics; also handles parts of a whole in general."""

import copy
import dataclasses
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from typing import Any

import numpy as np

from .columns import have_no_rows, is_table
from .errors import NoRows, NothingToScore, NoWeight
from .family import bound_columns
from .ids import Positions
from .intervals import Interval
from .options import Options
from .remarks import public
from .score_parts import check_joins
from .scores import Scores


class ScoreStream:
    """Scores examples as they come; its memory grows with their statistics, not with their texts.

    Every batch is checked separately, and a refused batch changes nothing. Results cover all examples so far, and more
    batches can be added afterwards. Threads may share a stream.

    Args:
        function: a scoring function of a family, such as `score_answers`.
        options: of that family.

    Example:
        >>> import qassay
        >>> stream = qassay.stream("answer_match", normalizer="french")
        >>> stream.add(predictions=["le chat"], references=[["chat"]])
        >>> stream.add(predictions=["la mer", "rien"], references=[["lac"], ["tout"]])
        >>> len(stream), stream.summary(["exact_match"])
        (3, {'exact_match': 0.3333333333333333})

    In training loops, `qassay.training.LoopMetric` also joins the examples of several processes.
    """

    def __init__(self, function: Callable[..., Scores], options: Options):
        self._function, self._options = function, options
        self._lock = threading.RLock()
        self.reset()

    def reset(self) -> None:
        """Forget all examples; the options stay."""
        with self._lock:
            self._parts: list[Scores] = []
            self._ids: set[str] | None = None  # as texts: 1 and "1" are one id
            self._batches = self._rows = 0
            self._notes: dict[str, int] = {}  # of batches that had no examples left
            self._weighed = False  # whether any batch has a weight above 0

    @public
    def add(self, *columns: Any, **named: Any) -> None:
        """Score a batch of examples, given as columns like in `qassay.score`.

        Examples without ids are numbered consecutively. Ids must be unique over all batches, and either all batches
        have ids or none. The same holds for groups: equal labels in two batches are one group. Judgements of rankings,
        and gold answers by id,
        must belong to the examples of the batch.

        A batch without rows changes nothing. A batch without examples that count (the options omit all, or all weights
        are 0) adds nothing either; if all batches are like this, an error is raised when scores are requested.

        Raises:
            TypeError, ValueError: as in `qassay.score`; a duplicate id; or classes that are found in the data.
        """
        given = bound_columns(self._function, self._options.family, columns, named)
        given = {name: list(column) if isinstance(column, Iterator) else column for name, column in given.items()}
        if have_no_rows(given.values()):
            return
        try:
            scored = score_part(self._function, self._options, given)
        except NoRows:
            return
        with self._lock:
            self._take(scored)

    def _take(self, scored: "ScoredPart") -> None:
        """Check that a scored batch fits the batches before, and add it."""
        name = f"batch {self._batches + 1}"
        part, parts, ids = scored.scores, self._parts, self._ids
        if part is not None:
            refuse_options_from_data(part.options, "a stream")
            part = number_on(part, self._rows) if scored.by_position else part
            if parts:
                check_joins(parts[0], part, name)
                if scored.by_position == (ids is not None):
                    before, now = ("ids", "none") if scored.by_position else ("none", "ids")
                    raise ValueError(
                        f"{name} has {now}, but the batches before had {before}; give ids to all or to none"
                    )
            if not scored.by_position:
                again = next((identifier for identifier in part.ids if str(identifier) in (ids or ())), None)
                if again is not None:
                    raise ValueError(
                        f"{name} has the id {again!r}, which came in a batch before; give every example once, and with "
                        "each batch only its own references"
                    )
            parts = [*parts, part]
            while len(parts) > 1 and len(parts[-2]) <= 2 * len(parts[-1]):  # few parts, so little copying
                parts[-2:] = [_joined(parts[-2:])]
            if not scored.by_position:
                self._ids = ids or set()
                self._ids.update(map(str, part.ids))
        self._parts = parts
        self._notes = added_notes(self._notes, scored.notes)
        self._weighed |= not scored.idle
        self._batches += 1
        self._rows += scored.rows

    @public
    def scores(self) -> Scores:
        """The Scores of all examples so far, equal to `qassay.score` for all batches together.

        Raises:
            ValueError: nothing was added, all examples are omitted (NothingToScore), all weights are 0 (NoWeight), or
                all examples are in one group.
        """
        with self._lock:
            if not self._batches:
                raise ValueError("nothing was added to the stream: call add first")
            if not self._parts:
                raise NothingToScore(self._notes)
            if not self._weighed:
                raise NoWeight()
            whole = self._whole()
        return whole.require_several_groups()

    def part(self) -> tuple[Scores | None, dict[str, int]]:
        """All examples so far as a part of a whole (None if there are none), and the notes about omitted examples.

        Unlike in `scores`, all weights may be 0.
        """
        with self._lock:
            return (self._whole() if self._parts else None), dict(self._notes)

    def _whole(self) -> Scores:
        self._parts = [_joined(self._parts)]
        return dataclasses.replace(self._parts[0], notes=added_notes(self._parts[0].notes, self._notes))

    def summary(self, names: Iterable[str] | None = None, safe_names: bool = False) -> dict[str, float | int | None]:
        """`Scores.summary` of all examples so far."""
        return self.scores().summary(names, safe_names)

    def interval(self, names: Iterable[str] | None = None, **settings: Any) -> dict[str, Interval]:
        """`Scores.interval` of all examples so far, with its arguments."""
        return self.scores().interval(names, **settings)

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:  # what other threads change is copied; a lock cannot be
            return {
                name: copy.copy(value) if isinstance(value, (list, set)) else value
                for name, value in vars(self).items()
                if name != "_lock"
            }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.RLock())

    def __repr__(self) -> str:
        options = self._parts[0].options if self._parts else self._options
        return f"<ScoreStream of {len(self)} examples in {self._batches} batches; {options.signature()}>"


def refuse_options_from_data(options: Options, what: str) -> None:
    """Refuse options that were found in the data and could differ for other data, such as classes."""
    taken = options.from_data()
    if taken is not None:
        raise ValueError(
            f"{options.family} takes {taken[0]} from the data, which {what} never has together; give {taken[1]}"
        )


@dataclasses.dataclass(frozen=True)
class ScoredPart:
    """A part of a whole: its Scores, or None if the options omit all of its examples, and the notes about them.

    `idle`: all weights are 0; `by_position`: the ids are positions; `rows`: the number of given rows.
    """

    scores: Scores | None
    notes: Mapping[str, int]
    idle: bool
    by_position: bool
    rows: int


def score_part(function: Callable[..., Scores], options: Options, given: Mapping[str, Any]) -> ScoredPart:
    """Score a part, given as columns by name; without weights if these are all 0, since other parts may have some; or, where
    the options omit all of its examples, what they count.
    """
    scores: Scores | None = None
    idle, notes = False, {}
    try:
        try:
            scores = function(**given, options=options)
        except NoWeight:
            idle = True
            scores = function(**{name: column for name, column in given.items() if name != "weights"}, options=options)
            scores = dataclasses.replace(scores, weights=np.zeros(len(scores)))
    except NothingToScore as error:
        notes = dict(error.counts)
    listed = (column for column in given.values() if isinstance(column, Sized) and not isinstance(column, Mapping))
    rows = len(next((column for column in listed if not is_table(column)), ()))
    by_position = scores is None or isinstance(scores.ids, (range, Positions))
    return ScoredPart(scores, notes, idle, by_position, max(rows, 0 if scores is None else len(scores)))


def added_notes(notes: Mapping[str, int], more: Mapping[str, int]) -> dict[str, int]:
    """The sums of notes."""
    return {name: notes.get(name, 0) + more.get(name, 0) for name in dict.fromkeys([*notes, *more])}


def number_on(part: Scores, start: int) -> Scores:
    """Renumber positional ids from `start`."""
    if isinstance(part.ids, range):
        return dataclasses.replace(part, ids=range(start, start + len(part)))
    return dataclasses.replace(part, ids=[start + position for position in part.ids])


def _joined(parts: Sequence[Scores]) -> Scores:
    """Join parts whose ids are already right; ranges are consecutive."""
    if len(parts) == 1:
        return parts[0]
    first = parts[0].ids
    if isinstance(first, range) and all(isinstance(part.ids, range) for part in parts):
        return number_on(Scores.concat(parts), first.start)
    return Scores.concat([dataclasses.replace(part, ids=list(part.ids)) for part in parts])
