"""Human labels: measures corrected by them and compared with them, and how well people agree."""

import dataclasses
from collections.abc import Mapping
from typing import Any

METHODS = ("ppi", "rogan_gladen")


def as_plain(value: Any) -> Any:
    """A result as plain dicts, lists and numbers, without private fields; the method of an `interval` is beside it."""
    if dataclasses.is_dataclass(value):
        found = {name: as_plain(each) for name, each in vars(value).items() if not name.startswith("_")}
        return found | {"method": vars(value)["interval"].method} if "interval" in found else found
    if isinstance(value, Mapping):
        return {name: as_plain(each) for name, each in value.items()}
    return [as_plain(each) for each in value] if isinstance(value, (list, tuple)) else value
