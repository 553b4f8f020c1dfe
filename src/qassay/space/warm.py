"""Imported once by the process from which those of the calls are forked: loads what they need, and scores a sample."""

import gc

from .samples import FOLDER, SAMPLES
from .scoring import document_of
from .uploads import GOLD, SYSTEM

_FIRST = SAMPLES["answers"]
_FILES = [(_FIRST.gold, GOLD), *((path, SYSTEM) for path in _FIRST.systems)]
document_of([(str(FOLDER / path), path, slot) for path, slot in _FILES])
gc.collect()
gc.freeze()  # pages that hold these objects stay shared
