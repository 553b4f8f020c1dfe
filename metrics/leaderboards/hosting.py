"""A leaderboard that takes submissions: checked, scored with the hidden gold answers, stored and ranked."""

import dataclasses
import math
import os
import threading
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..comparison.leaderboard import Leaderboard, rank_scores
from ..comparison.ranking import Ranking
from ..core.columns import counted
from ..core.intervals import Interval
from ..core.scores import Scores
from ..core.version import __version__
from ..reports.leaderboard import BoardReport, board_report
from .settings import UTC, BoardSettings
from .store import StoredSubmission, SubmissionStore
from .submissions import HiddenTask, Refused, ScoredSubmission, Submission, check_names, open_task

MOST_RANKED = 100  # systems on a board; further ones are stored
BASELINE = "baseline"  # the team of the organiser's own systems
_LEVEL, _RESAMPLES = 0.95, 1000
_CLOSED = "the leaderboard {0} {1:%Y-%m-%d %H:%M} UTC"


class Receipt(NamedTuple):
    """What came of a submission that was taken.

    Attributes:
        row: as it is stored.
        told: what was counted, in words.
    """

    row: StoredSubmission
    told: list[str]


class _Ranked(NamedTuple):
    """A system of the board: its key there, what is said of it, and its scores."""

    said: dict[str, Any]
    scored: ScoredSubmission


class HostedBoard:
    """A leaderboard and its submissions; several threads may use it at the same time.

    Args:
        settings: of the leaderboard.
        folder: that the paths of gold answers and baselines are relative to.
        store: the folder of the submissions; it is made where there is none.

    Raises:
        ValueError: settings that do not fit the gold data, or a baseline that cannot be scored.
    """

    def __init__(
        self, settings: BoardSettings, folder: "str | os.PathLike[str]", store: "str | os.PathLike[str]"
    ) -> None:
        self.settings = settings
        self.task, self._baselines = self.check(settings, folder)
        self.store = SubmissionStore(store)
        self._scored: dict[str, ScoredSubmission] = {}
        self._lock = threading.Lock()
        self._made: tuple[tuple[str, ...], BoardReport | None] | None = None

    @staticmethod
    def check(
        settings: BoardSettings, folder: "str | os.PathLike[str]"
    ) -> tuple[HiddenTask, dict[str, ScoredSubmission]]:
        """The task and the baselines of settings, without a store.

        Raises:
            ValueError: settings that do not fit the gold data, or a baseline that cannot be scored.
        """
        task = open_task(settings, folder)
        return task, {name: _baseline(task, name, Path(folder, file)) for name, file in settings.baselines.items()}

    def submit(self, submission: Submission, now: datetime | None = None) -> Receipt:
        """Check, score and store a submission.

        Args:
            now: the time that it comes; None: the time now.

        Raises:
            Refused: it is not taken, and the board stays as it was. WriteError: it cannot be stored.
        """
        now = now or datetime.now(UTC)
        self._check_open(now)
        if not submission.user.strip():
            raise Refused("it is not known who hands this in; log in first")
        asked = (submission.user, self.settings.limits, now, os.path.getsize(submission.path))
        self.store.check_limits(*asked)
        submission = check_names(submission, self._taken())
        scored = self.task.score(submission.path, submission.file_name)
        results = self._results(scored.scores)
        with self.store.locked():  # others may have handed in meanwhile
            check_names(submission, self._taken())
            self.store.check_limits(*asked)
            is_plain = self.settings.store_users == "plain"
            row = self.store.add(submission, results, keep_name=is_plain, now=now)
        self._scored[row.id] = scored
        return Receipt(row, scored.told)

    def report(self, *, wait: bool = False) -> BoardReport | None:
        """The board as every rendering shows it, in rounded numbers; None while it has fewer than two systems.

        Args:
            wait: for the newest submissions where the board is just being ranked; else what it was before is given then.
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
        """The board as plain numbers, strings and lists: nothing of single examples, users or files."""
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
        """The measures of the board; none before the first system."""
        found = [*self._baselines.values(), *self._scored.values()]
        return self._measures_of(found[0].scores) if found else list(self.settings.measures)

    def n_systems(self) -> int:
        """How many systems were handed in, with the organiser's own."""
        return len(self._baselines) + len(self.store.rows())

    def _check_open(self, now: datetime) -> None:
        opens, closes = self.settings.opens, self.settings.closes
        if opens and now < opens:
            raise Refused(_CLOSED.format("opens on", opens.astimezone(UTC)) + "; come back then")
        if closes and now > closes:
            raise Refused(_CLOSED.format("was closed on", closes.astimezone(UTC)) + "; it takes no more submissions")

    def _taken(self) -> list[str]:
        return [*self._baselines, *(row.system for row in self.store.rows())]

    def _measures_of(self, scores: Scores) -> list[str]:
        main = self.settings.measures or self.task.family.telling.main_measures(scores)
        return [name for name in main if name in scores.measures and scores.measures[name].has_interval]

    def _results(self, scores: Scores) -> dict[str, Any]:
        """What the store keeps of the scores: rounded as the board shows them."""
        names, digits = self._measures_of(scores), self.settings.digits
        intervals = scores.interval(_LEVEL, _RESAMPLES, 0, names)
        return {
            "values": {name: _rounded(float(scores[name]), digits) for name in names},
            "intervals": {name: [_rounded(end, digits) for end in intervals[name]] for name in names},
            "notes": {name: int(count) for name, count in scores.notes.items()},
            "signature": scores.signature(),
            "version": __version__,
        }

    def _alone(self) -> list[dict[str, Any]]:
        """The systems of a board that has too few to rank: none or one."""
        told = [{"name": name, **self._results(of.scores)} for name, of in self._baselines.items()]
        rows = [{"name": row.system, "values": row.values, "intervals": row.intervals} for row in self.store.rows()]
        return [{key: of[key] for key in ("name", "values", "intervals")} for of in [*told, *rows]]

    def _report(self, rows: Sequence[StoredSubmission]) -> BoardReport | None:
        shown = self._shown(rows)
        systems = {name: self._ranked_baseline(of) for name, of in self._baselines.items()}
        systems |= {row.system: self._ranked(row) for row in shown}
        if len(systems) < 2:
            return None
        scores = {name: of.scored.scores for name, of in systems.items()}
        first = next(iter(systems.values())).scored
        board = rank_scores(
            scores,
            self._measures_of(first.scores),
            first.slices or None,
            level=_LEVEL,
            n_resamples=_RESAMPLES,
        )
        left_out = len(rows) - len(shown)
        remarks = [f"stored and not shown: {counted(left_out, 'submissions')}"] if left_out else []
        board = rounded_board(dataclasses.replace(board, remarks=[*remarks, *board.remarks]), self.settings.digits)
        return board_report(
            board,
            self.task.metric,
            {name: of.said for name, of in systems.items()},
            title=self.settings.title,
            description=self.settings.description,
            examples_name=self.task.family.telling.examples_name,
        )

    def _shown(self, rows: Sequence[StoredSubmission]) -> list[StoredSubmission]:
        """The submissions on the board: by the settings the best of each team, and no more than can be ranked."""
        names = self.measures() or [name for row in rows for name in row.values]
        lower = self._is_lower_better(names[0]) if names else False

        def goodness(row: StoredSubmission) -> float:
            value = row.values.get(names[0])
            return -math.inf if value is None else -value if lower else value

        best_first = sorted(rows, key=goodness, reverse=True)
        if self.settings.shown == "best":
            by_team: dict[str, StoredSubmission] = {}
            for row in best_first:
                by_team.setdefault(row.team.casefold() or row.user, row)
            best_first = list(by_team.values())
        kept = {row.id for row in best_first[: MOST_RANKED - len(self._baselines)]}
        return [row for row in rows if row.id in kept]

    def _is_lower_better(self, name: str) -> bool:
        scored = [*self._baselines.values(), *self._scored.values()]
        return bool(scored and name in scored[0].scores.measures and scored[0].scores.measures[name].lower_is_better)

    def _ranked(self, row: StoredSubmission) -> _Ranked:
        if row.id not in self._scored:  # of an earlier run of this server, or of another process
            path = self.store.predictions(row)
            try:
                self._scored[row.id] = self.task.score(str(path), path.name)
            except Refused as error:
                raise ValueError(
                    f"the stored submission {row.id} cannot be scored; remove its folder: {error}"
                ) from error
        facts = {"team": row.team} if self.settings.show_teams and row.team else {}
        said = {"name": row.system, "link": row.link or None, "facts": {**facts, "date": row.time[:10]}}
        scored = self._scored[row.id]
        return _Ranked({**said, "notes": self._notes(scored)}, scored)

    def _ranked_baseline(self, scored: ScoredSubmission) -> _Ranked:
        return _Ranked({"facts": {"team": BASELINE}, "notes": self._notes(scored)}, scored)

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
    """The board with values, intervals, p-values and shares of resamples in so many decimal places.

    Ranks and letters stay as the exact numbers give them.
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


def _rounded(value: float, digits: int) -> float | None:
    return None if math.isnan(value) else round(value, digits)
