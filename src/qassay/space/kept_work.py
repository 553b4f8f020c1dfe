"""What visitors made, kept for a while, so that a page that is loaded again finds it."""

import secrets
import threading
import time
from typing import Protocol, TypeVar

from ..pages.limits import MAX_SESSIONS, STATE_SECONDS

_SWEEP_SECONDS = 60.0
_TOKEN_BYTES = 24  # nobody guesses them


class Work(Protocol):
    """What a visitor made: what was scored, with its human labels; or a table of labelled answers."""

    @property
    def rows(self) -> int:
        """How much it is."""
        ...


_W = TypeVar("_W", bound=Work)


class KeptWork:
    """Works by a token that only the browser of their visitor knows; the ones used last, in memory alone.

    Args:
        most: how many of a kind are kept: who has a table of labelled answers too takes nobody's place for scores.
        seconds: how long after their last use.

    Attributes:
        most, seconds: as given.
    """

    def __init__(self, most: int = MAX_SESSIONS, seconds: float = STATE_SECONDS):
        self.most, self.seconds = most, seconds
        self._kept: dict[str, tuple[Work, float]] = {}  # the one used last is last
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None  # runs while something is kept, also on an idle server

    def keep(self, work: Work) -> str:
        """The token of a work, the same whenever it is asked for."""
        with self._lock:
            token = self._token_of(work) or secrets.token_urlsafe(_TOKEN_BYTES)
            self._use(token, work)
            return token

    def find(self, token: str, kind: type[_W]) -> _W | None:
        """What of a kind is kept under a token; None: nothing, or no longer."""
        self.forget_old()
        with self._lock:
            work, _ = self._kept.get(token, (None, 0.0))
            if not isinstance(work, kind):
                return None
            self._use(token, work)
            return work

    def touch(self, work: Work) -> None:
        """Used just now, if it is kept."""
        with self._lock:
            token = self._token_of(work)
            if token:
                self._use(token, work)

    def forget(self, work: Work) -> None:
        """Keep it no longer."""
        with self._lock:
            self._kept.pop(self._token_of(work) or "", None)

    def forget_old(self) -> None:
        """Forget what was not used for too long, and the oldest of too many of a kind."""
        with self._lock:
            oldest = time.monotonic() - self.seconds
            of_kinds: dict[type[Work], list[str]] = {}
            for token, (work, _) in self._kept.items():
                of_kinds.setdefault(type(work), []).append(token)
            late = [token for tokens in of_kinds.values() for token in tokens[: -self.most]]
            for token in [*late, *(token for token, (_, used) in self._kept.items() if used < oldest)]:
                self._kept.pop(token, None)

    def last_used_first(self) -> list[Work]:
        """All that is kept."""
        with self._lock:
            return [work for work, _ in reversed(self._kept.values())]

    def _token_of(self, work: Work) -> str | None:
        return next((token for token, (kept, _) in self._kept.items() if kept is work), None)

    def _use(self, token: str, work: Work) -> None:
        self._kept.pop(token, None)
        self._kept[token] = (work, time.monotonic())
        if self._timer is None:
            self._start_timer()

    def _start_timer(self) -> None:
        self._timer = threading.Timer(min(_SWEEP_SECONDS, self.seconds), self._sweep)
        self._timer.daemon = True
        self._timer.start()

    def _sweep(self) -> None:
        self.forget_old()
        with self._lock:
            self._timer = None
            if self._kept:
                self._start_timer()
