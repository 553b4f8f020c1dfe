"""Limits the attempts of users: refused files cost the server as much as accepted files."""

import threading
from datetime import datetime, timedelta

_HOUR = timedelta(hours=1)


class Attempts:
    """The attempts of users within the last hour, in memory only; thread-safe.

    Example:
        >>> attempts, noon = Attempts(), datetime(2027, 3, 1, 12)
        >>> [attempts.add("ann", 2, noon) for _ in range(3)]
        [None, None, datetime.datetime(2027, 3, 1, 13, 0)]
    """

    def __init__(self) -> None:
        self._times: dict[str, list[datetime]] = {}
        self._lock = threading.Lock()

    def add(self, user: str, most: int, now: datetime) -> datetime | None:
        """Count an attempt; if the user has made `most` within an hour, return the time of the next attempt instead."""
        with self._lock:
            since = now - _HOUR
            recent = {name: [time for time in times if time > since] for name, times in self._times.items()}
            self._times = {name: times for name, times in recent.items() if times}
            own = self._times.setdefault(user, [])
            if len(own) >= most:
                return own[-most] + _HOUR
            own.append(now)
            return None
