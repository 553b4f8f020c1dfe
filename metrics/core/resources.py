"""Data files that lie beside the code; in a rendered Space their texts are in the bundle itself."""

import hashlib
import pkgutil

RESOURCES: dict[str, str] = {}  # name -> text; filled in by the renderer of Spaces, empty elsewhere


def read_resource(name: str, module: str) -> str:
    """The text of a data file by its name and the `__name__` of the module beside which it lies.

    Raises:
        FileNotFoundError: there is none of that name.
    """
    if name in RESOURCES:
        return RESOURCES[name]
    return pkgutil.get_data(module, name).decode("utf-8")  # type: ignore[union-attr]


def resource_fingerprint(text: str) -> str:
    """The first 12 hexadecimal digits of the SHA-256 of the text of a data file, for signatures."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:12]
