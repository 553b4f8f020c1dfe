"""Data files that lie beside the code; in a rendered Space their texts stand in the bundle itself."""

import pkgutil

RESOURCES: dict[str, str] = {}  # name -> text; filled in by the renderer of Spaces, empty elsewhere


def read_resource(name: str) -> str:
    """The text of a data file of this folder, by its name.

    Raises:
        FileNotFoundError: there is none of that name.
    """
    if name in RESOURCES:
        return RESOURCES[name]
    return pkgutil.get_data(__name__, name).decode("utf-8")  # type: ignore[union-attr]
