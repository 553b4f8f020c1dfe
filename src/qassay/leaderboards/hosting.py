"""A leaderboard that takes submissions: checked, scored with the hidden gold answers, stored and ranked."""

import dataclasses
import logging
import math
import os
import threading
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..comparison.leaderboard import Leaderboard, rank_scores
from ..comparison.ranking import MOST_SYSTEMS, Ranking
from ..core.columns import counted
from ..core.intervals import Interval
from ..core.scores import Scores
from ..core.shown import first_names, visible
from ..core.version import __version__
from ..reports.leaderboard import BoardReport, board_report
from ..reports.values import remarks as counted_by_system
from .attempts import Attempts
from .public_slices import check_public
from .settings import UTC, BoardSettings
from .store import StoredSubmission, SubmissionStore
from .submissions import BASELINE, HiddenTask, Refused, ScoredSubmission, Submission, check_names, name_keys, open_task

_MOST_NAMED = 5  # systems in a remark
_LONGEST_REASON = 500  # characters in the log
_LOG = logging.getLogger(__name__)
LEVEL, _RESAMPLES = 0.95, 1000
_CLOSED = "the leaderboard {0} {1:%Y-%m-%d %H:%M} UTC"


class Receipt(NamedTuple):
    """The result of an accepted submission.

    Attributes:
        row: the stored row.
        told: counts in words.
    """

    row: StoredSubmission
    told: list[str]


class _Measured(NamedTuple):
    """The measures of the board, sorting measure first, and whether lower values of that measure are better."""

    names: list[str]
    is_lower_better: bool


class _OnBoard(NamedTuple):
    """A system of the board: facts about it, and its scores."""

    said: dict[str, Any]
    scored: ScoredSubmission


class HostedBoard:
    """A leaderboard and its submissions; several threads may use it at the same time.

    Args:
        settings: of the leaderboard.
        folder: base of the relative paths of gold answers and baselines.
        store: the folder of submissions; created if absent.

    Raises:
        ValueError: settings that do not fit the gold data, or a baseline that cannot be scored.
    """

    def __init__(
        self, settings: BoardSettings, folder: "str | os.PathLike[str]", store: "str | os.PathLike[str]"
    ) -> None:
        self.settings = settings
        self.task, self._baselines = self.check(settings, folder)
        self.store = SubmissionStore(store)
        self._check_baseline_names()
        self._scored: dict[str, ScoredSubmission] = {}  # of the submissions on the board
        self._unscorable: dict[str, str] = {}  # stored submission -> why it cannot be scored now
        self._values: dict[str, dict[str, float | None]] = {}  # values of submissions stored with other measures
        self._measured: _Measured | None = None
        for scored in self._baselines.values():
            self._note_measures(scored)
        self._attempts = Attempts()
        self._lock = threading.Lock()
        self._made: tuple[tuple[str, ...], BoardReport | None] | None = None

    @staticmethod
    def check(
        settings: BoardSettings, folder: "str | os.PathLike[str]"
    ) -> tuple[HiddenTask, dict[str, ScoredSubmission]]:
        """The task and the scored baselines of settings, without a store.

        Raises:
            ValueError: settings that do not fit the gold data, or a baseline that cannot be scored.
        """
        task = open_task(settings, folder)
        baselines = {name: _baseline(task, name, Path(folder, file)) for name, file in settings.baselines.items()}
        for scored in baselines.values():
            for name in settings.by:
                check_public(name, scored.slices[name])
        return task, baselines

    def submit(self, submission: Submission, now: datetime | None = None) -> Receipt:
        """Check, score and store a submission.

        Args:
            now: the time of submission; None: the current time.

        Raises:
            Refused: the submission is refused, and the board is unchanged. WriteError: it cannot be stored.
        """
        now = now or datetime.now(UTC)
        self._check_open(now)
        if not submission.user.strip():
            raise Refused("the submitter is unknown; log in first")
        asked = (submission.user, self.settings.limits, now, os.path.getsize(submission.path))
        self.store.check_limits(*asked)
        submission = check_names(submission, self._taken())
        self._count_attempt(submission.user, now)
        scored = self.task.score(submission.path, submission.file_name)
        self._note_measures(scored)
        if self._measured is None:
            raise Refused("no measure of this leaderboard has an interval to rank by; ask the organisers")
        results = self._results(scored.scores)
        with self.store.locked():  # others may have submitted meanwhile
            check_names(submission, self._taken())
            self.store.check_limits(*asked)
            is_plain = self.settings.store_users == "plain"
            row = self.store.add(submission, results, keep_name=is_plain, now=now)
        self._scored[row.id] = scored
        return Receipt(row, scored.told)

    def report(self, *, wait: bool = False) -> BoardReport | None:
        """The content of the board in rounded numbers, for every output format; None with fewer than two systems.

        Args:
            wait: while the board is being ranked, wait for the newest submissions; otherwise return the previous board.
        """
        rows = self.store.rows()
        key = tuple(row.id for row in rows)
        made = self._made
        if (made is None or made[0] != key) and self._lock.acquire(blocking=wait or made is None):
            try:
                made = self._made
                if made is None or made[0] != key:
                    made = self._made = key, self._report(rows)
            finally:
                self._lock.release()
        return made[1] if made else None

    def public(self) -> dict[str, Any]:
        """The board as plain numbers, strings and lists, without single examples, users or files."""
        report = self.report()
        about = {"title": self.settings.title, "metric": self.task.metric}
        if report is None:
            return {**about, "systems": self._alone()}
        board = report.board.to_dict()
        said = [
            {"system": name, "name": entry.name, "link": entry.link, **entry.facts, "notes": dict(entry.notes)}
            for name, entry in report.entries.items()
        ]
        return {**about, **board, "systems": said}

    def measures(self) -> list[str]:
        """The measures of the board; empty before the first system."""
        return list(self._measured.names if self._measured else self.settings.measures)

    def n_systems(self) -> int:
        """The number of systems, with the organiser's baselines."""
        return len(self._baselines) + len(self.store.rows())

    def _check_baseline_names(self) -> None:
        for row in self.store.rows():
            if same := [name for name in self._baselines if name_keys(name) & name_keys(row.system)]:
                raise ValueError(
                    f"baselines: {same[0]} has the name of the submission {row.id}; give the baseline another name"
                )

    def _check_open(self, now: datetime) -> None:
        opens, closes = self.settings.opens, self.settings.closes
        if opens and now < opens:
            raise Refused(_CLOSED.format("opens on", opens.astimezone(UTC)) + "; come back then")
        if closes and now > closes:
            raise Refused(_CLOSED.format("was closed on", closes.astimezone(UTC)) + "; it takes no more submissions")

    def _count_attempt(self, user: str, now: datetime) -> None:
        most = self.settings.limits.attempts_per_hour
        if free := self._attempts.add(self.store.user_key(user), most, now):
            again = f"the next one is read from {free.astimezone(UTC):%H:%M} UTC on"
            raise Refused(f"you have submitted {most} files within an hour, including refused files; {again}")

    def _taken(self) -> list[str]:
        return [*self._baselines, *(row.system for row in self.store.rows())]

    def _measures_of(self, scores: Scores) -> list[str]:
        own = list(self.settings.measures)
        main = scores.measure_names(own) if own else self.task.family.telling.main_measures(scores)
        return [name for name in main if name in scores.measures and scores.measures[name].has_interval]

    def _results(self, scores: Scores) -> dict[str, Any]:
        """The stored results: scores rounded as on the board."""
        names, digits = self._measures_of(scores), self.settings.digits
        intervals, values = scores.interval(LEVEL, _RESAMPLES, 0, names), scores.summary(names)
        return {
            "values": {name: _rounded(values[name], digits) for name in names},
            "intervals": {name: [_rounded(end, digits) for end in intervals[name]] for name in names},
            "notes": {name: int(count) for name, count in scores.notes.items()},
            "signature": scores.signature(),
            "version": __version__,
        }

    def _alone(self) -> list[dict[str, Any]]:
        """The system of a board with fewer than two, if any."""
        told = [{"name": name, **self._results(of.scores)} for name, of in self._baselines.items()]
        stored = [row for row in self.store.rows() if row.id not in self._unscorable]
        rows = [{"name": row.system, "values": row.values, "intervals": row.intervals} for row in stored]
        return [{key: of[key] for key in ("name", "values", "intervals")} for of in [*told, *rows]]

    def _report(self, rows: Sequence[StoredSubmission]) -> BoardReport | None:
        shown = self._shown(rows)
        systems = {name: self._baseline_on_board(of) for name, of in self._baselines.items()}
        systems |= {row.system: self._on_board(row) for row in shown}
        self._forget_others(rows, shown)
        if len(systems) < 2:
            return None
        scores = {name: of.scored.scores for name, of in systems.items()}
        first = next(iter(systems.values())).scored
        board = rank_scores(
            scores,
            self.measures(),
            first.slices or None,
            level=LEVEL,
            n_resamples=_RESAMPLES,
        )
        remarks = [*self._told_of_others(rows, shown), *counted_by_system(scores), *board.remarks]
        board = rounded_board(dataclasses.replace(board, remarks=remarks), self.settings.digits)
        return board_report(
            board,
            self.task.metric,
            {name: of.said for name, of in systems.items()},
            title=self.settings.title,
            description=self.settings.description,
            examples_name=self.task.family.telling.examples_name,
        )

    def _shown(self, rows: Sequence[StoredSubmission]) -> list[StoredSubmission]:
        """The submissions on the board: depending on the settings all or the best of each team, as many as can be ranked."""
        most = MOST_SYSTEMS - len(self._baselines)
        kept: set[str] = set()
        teams: set[Any] = set()
        for row in self._best_first(rows):
            team = (row.user, name_keys(row.team)) if self.settings.shown == "best" else row.id
            if len(kept) < most and team not in teams and self._score_of(row):
                kept.add(row.id)
                teams.add(team)
        return [row for row in rows if row.id in kept]

    def _best_first(self, rows: Sequence[StoredSubmission]) -> list[StoredSubmission]:
        if self._measured is None:  # no baseline, and the server has just started
            next((row for row in rows if self._score_of(row)), None)
        if self._measured is None:
            return list(rows)
        name, is_lower_better = self._measured.names[0], self._measured.is_lower_better

        def goodness(row: StoredSubmission) -> float:
            value = row.values[name] if name in row.values else self._values_now(row).get(name)
            return -math.inf if value is None else -value if is_lower_better else value

        return sorted(rows, key=goodness, reverse=True)

    def _note_measures(self, scored: ScoredSubmission) -> None:
        if self._measured is None and (names := self._measures_of(scored.scores)):
            self._measured = _Measured(names, scored.scores.measures[names[0]].lower_is_better)

    def _score_of(self, row: StoredSubmission) -> ScoredSubmission | None:
        """The scores of a stored submission; None if it can no longer be scored."""
        if row.id not in self._scored and row.id not in self._unscorable:  # stored by an earlier run or another process
            path = self.store.predictions(row)
            try:
                self._scored[row.id] = scored = self.task.score(str(path), path.name)
                self._note_measures(scored)
            except (Refused, OSError) as error:
                self._unscorable[row.id] = str(error)
                _LOG.error("the submission %s is not on the board: %s", row.id, visible(str(error))[:_LONGEST_REASON])
        return self._scored.get(row.id)

    def _values_now(self, row: StoredSubmission) -> dict[str, float | None]:
        """The values of a submission that was stored when the board had other measures."""
        if row.id not in self._values:
            scored = self._score_of(row)
            self._values[row.id] = self._results(scored.scores)["values"] if scored else {}
        return self._values[row.id]

    def _forget_others(self, rows: Sequence[StoredSubmission], shown: Sequence[StoredSubmission]) -> None:
        """Drop the scores of submissions that the board does not show."""
        for name in {row.id for row in rows} - {row.id for row in shown}:
            self._scored.pop(name, None)

    def _told_of_others(self, rows: Sequence[StoredSubmission], shown: Sequence[StoredSubmission]) -> list[str]:
        lost = [row.system for row in rows if row.id in self._unscorable]
        told = (
            [f"not shown, since the stored file cannot be scored now: {first_names(lost, _MOST_NAMED)}"] if lost else []
        )
        hidden = len(rows) - len(shown) - len(lost)
        return told + ([f"stored and not shown: {counted(hidden, 'submissions')}"] if hidden else [])

    def _on_board(self, row: StoredSubmission) -> _OnBoard:
        facts = {"team": row.team} if self.settings.show_teams and row.team else {}
        said = {"name": row.system, "link": row.link or None, "facts": {**facts, "date": row.time[:10]}}
        scored = self._scored[row.id]
        return _OnBoard({**said, "notes": self._notes(scored)}, scored)

    def _baseline_on_board(self, scored: ScoredSubmission) -> _OnBoard:
        return _OnBoard({"facts": {"team": BASELINE}, "notes": self._notes(scored)}, scored)

    def _notes(self, scored: ScoredSubmission) -> dict[str, int]:
        return dict(self.task.family.telling.notes_of(scored.scores))


def _baseline(task: HiddenTask, name: str, path: Path) -> ScoredSubmission:
    if not path.is_file():
        raise ValueError(f"baselines, {name}: there is no file {path}")
    try:
        return task.score(str(path), path.name)
    except Refused as error:
        raise ValueError(f"baselines, {name}: {error}") from error


def rounded_board(board: Leaderboard, digits: int) -> Leaderboard:
    """The board with values, intervals, p-values and shares of resamples rounded to a number of decimal places.

    Ranks and letters still follow the exact numbers.
    """

    def each(rankings: Mapping[str, Ranking]) -> dict[str, Ranking]:
        return {name: _rounded_ranking(ranking, digits) for name, ranking in rankings.items()}

    slices = {name: {label: each(own) for label, own in labels.items()} for name, labels in board.slices.items()}
    return dataclasses.replace(board, rankings=each(board.rankings), slices=slices)


def _rounded_ranking(ranking: Ranking, digits: int) -> Ranking:
    systems = tuple(
        dataclasses.replace(
            one,
            value=round(one.value, digits),
            interval=_rounded_interval(one.interval, digits),
            best_share=round(one.best_share, digits),
        )
        for one in ranking.systems
    )
    return dataclasses.replace(ranking, systems=systems, p_values=np.round(ranking.p_values, max(digits, 3)))


def _rounded_interval(interval: Interval, digits: int) -> Interval:
    low, high = (round(float(end), digits) for end in interval)
    return Interval(low, high, interval.method, interval.effective, interval.degrees, interval.rarest)


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None or math.isnan(value) else round(value, digits)
