"""Loads what calls need and scores a sample; imported once, by the process from which those of the calls are forked."""

import gc

from .samples import FOLDER, SAMPLES
from .scoring import document_of

_FIRST = SAMPLES["answers"]
document_of(str(FOLDER / _FIRST.gold), [str(FOLDER / path) for path in _FIRST.systems])
gc.collect()
gc.freeze()  # pages that hold these objects stay shared
