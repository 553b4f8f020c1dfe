"""Data files next to the code."""

import hashlib
import pkgutil


def read_resource(name: str, module: str) -> str:
    """The text of a data file, given its name and the `__name__` of a module in the same folder.

    Raises:
        FileNotFoundError: no file has this name.
    """
    return pkgutil.get_data(module, name).decode("utf-8")  # type: ignore[union-attr]


def resource_fingerprint(text: str) -> str:
    """The first 12 hexadecimal digits of the SHA-256 of the text of a data file, for signatures."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:12]
