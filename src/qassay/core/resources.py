"""Models that are data files next to the code."""

import hashlib
import json
import pkgutil
from functools import cache
from typing import Any


@cache
def read_model(name: str, module: str) -> dict[str, Any]:
    """The JSON of a model file, given its name and the `__name__` of a module in the same folder.

    "word_weights", in the file weight -> words, become word -> weight; "fingerprint", for signatures, are the first 12 hexadecimal
    digits of the SHA-256 of the file.

    Raises:
        FileNotFoundError: no file has this name.
    """
    content = pkgutil.get_data(module, name)
    model = json.loads(content)  # type: ignore[arg-type]
    weights = {word: int(weight) for weight, words in model["word_weights"].items() for word in words.split()}
    return {**model, "word_weights": weights, "fingerprint": hashlib.sha256(content).hexdigest()[:12]}  # type: ignore[arg-type]
