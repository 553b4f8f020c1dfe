"""The lock of objects that threads share and that are copied and pickled."""

import threading
from typing import Any


class ThreadLock:
    """A re-entrant lock, `with lock:`; `copy.deepcopy` and pickles of it are new locks."""

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *error: object) -> None:
        self._lock.release()

    def __reduce__(self) -> tuple[Any, ...]:
        return ThreadLock, ()
