"""Readers: read gold files and files of predictions of any format as columns for `qassay.score`.

gold = read_gold("gold.json")
predictions = read_predictions("model.json", gold)
scores = qassay.score(gold.metric, **gold.columns, **predictions.columns, **gold.options)

What cannot be read or scored is a `FileError`, with the file, the row and what to do; docstrings here do not repeat it.
"""

from .gold_and_predictions import read_gold, read_predictions
from .reading import FileError

__all__ = ["FileError", "read_gold", "read_predictions"]
