"""The human labels of a visitor's answers, kept with what was scored, so that the tab Errors can list what people judged."""

from collections.abc import Mapping

import numpy as np

from qassay.calibration.labels import verdicts_of
from qassay.spaces_app.analysis import Analysis
from qassay.spaces_app.inputs import sample_analysis
from qassay.spaces_app.samples import FOLDER, SAMPLES

_KEPT = "human_labels"
_MOST_KEPT = 20  # systems


def keep_labels(analysis: Analysis, verdicts: Mapping[str, np.ndarray]) -> None:
    """Keep the verdicts of systems, 0 to 1 and NaN for none, with an analysis of one visitor.

    All visitors share the analysis of a sample, so that nothing that one of them uploads is kept with it.
    """
    sample = analysis.inputs.sample
    if sample and sample_analysis(sample) is analysis:
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
