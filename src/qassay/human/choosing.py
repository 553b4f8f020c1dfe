"""The examples to label next: a random choice, the same for the same ids and seed."""

import hashlib
from collections.abc import Iterable
from typing import Any

from ..core.interval_settings import check_seed
from ..core.options import check_whole


def at_random(ids: Iterable[Any], k: int, seed: int = 0) -> list[Any]:
    """k of the ids at random, or all where there are fewer.

    Ids are sorted by a hash of seed and id. The result depends neither on the order of the ids nor on other ids: the k ids
    after the labelled ones continue the last choice, and all choices together are a random sample.

    Raises:
        TypeError, ValueError: k is not an integer of at least 1, or seed not one of at least 0.

    Example:
        >>> first = at_random(range(100), 3)
        >>> first == at_random(reversed(range(100)), 3), first == at_random(range(100), 5)[:3]
        (True, True)
    """
    k = check_whole("k", k, kind="")
    seed = check_seed(seed)

    def place(identifier: Any) -> bytes:
        text = f"{seed}:{identifier}".encode("utf-8", "surrogatepass")
        return hashlib.blake2b(text, digest_size=16).digest()

    return sorted(ids, key=place)[:k]
