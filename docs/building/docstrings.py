"""An extension of griffe: the section "Example" of a docstring holds sessions of Python, as "Examples" does."""

import re
from typing import Any

import griffe


class ExampleSections(griffe.Extension):
    """Renames the section, which griffe otherwise takes for running text."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called for each object when its source is read."""
        if obj.docstring is not None:
            obj.docstring.value = re.sub(r"^(\s*)Example:$", r"\1Examples:", obj.docstring.value, flags=re.MULTILINE)
