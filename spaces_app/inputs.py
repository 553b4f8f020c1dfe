"""From uploads, pasted text and samples to checked files, each with its role."""

from karat.spaces_app.analysis import Inputs
from karat.spaces_app.samples import FOLDER, SAMPLES


def sample_inputs(name: str) -> Inputs:
    """The files of a sample."""
    sample = SAMPLES[name]
    return Inputs(
        f"Sample: {sample.label}",
        str(FOLDER / sample.gold),
        {system: str(FOLDER / path) for system, path in sample.systems.items()},
        {system: str(FOLDER / path) for system, path in sample.probabilities.items()},
        sample.metric,
        sample.options,
        shown_files={
            str(FOLDER / path): f"samples/{path}"
            for path in (sample.gold, *sample.systems.values(), *sample.probabilities.values())
        },
    )
