"""The human labels of a visitor's answers, kept with what was scored, so that the tab Errors can list what people judged, and a page
that is loaded again shows what they calibrated.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..calibration.labels import verdicts_of
from .analysis import Analysis
from .inputs import is_shared
from .samples import FOLDER, SAMPLES

_KEPT, _SHOWN = "human_labels", "calibration"
_MOST_KEPT = 20  # systems


def own_analysis(analysis: Analysis) -> Analysis:
    """An analysis with which the labels of one visitor can be kept: of a sample that all visitors share a copy."""
    return dataclasses.replace(analysis) if is_shared(analysis) else analysis


def keep_calibration(analysis: Analysis, shown: Any) -> None:
    """Keep what the tab Human labels shows with an analysis of one visitor; None: nothing."""
    if not is_shared(analysis):
        analysis.latest(_SHOWN, "", lambda: shown, 1, lambda _: False)


def kept_calibration(analysis: Analysis) -> Any:
    """What was kept last; None for nothing."""
    return analysis.known(_SHOWN, "")


def keep_labels(analysis: Analysis, verdicts: Mapping[str, np.ndarray]) -> None:
    """Keep the verdicts of systems, 0 to 1 and NaN for none, with an analysis of one visitor.

    All visitors share the analysis of a sample, so that nothing that one of them uploads is kept with it.
    """
    if is_shared(analysis):
        return
    for system, own in verdicts.items():
        analysis.by_run.latest(_KEPT, system, lambda own=own: own, _MOST_KEPT, lambda _: False)


def labels_of(analysis: Analysis, system: str) -> np.ndarray | None:
    """The verdicts on the examples of a system, NaN for none, as they were given last; else as the sample has them."""
    kept = analysis.by_run.known(_KEPT, system)
    sample = SAMPLES.get(analysis.inputs.sample)
    if kept is not None or sample is None or system not in sample.labels:
        return kept

    def read() -> np.ndarray | None:
        try:
            return verdicts_of(str(FOLDER / sample.labels[system]), analysis.scores(system).ids)
        except ValueError:  # a visitor scored a part of the sample
            return None

    return analysis.once(("labels_of_sample", system), read)


def has_labels(analysis: Analysis) -> bool:
    """Whether some system has human labels."""
    return any(labels_of(analysis, system) is not None for system in analysis.systems)
