"""The preset of factoid_accuracy: the official program of BioASQ, as it is."""

from ..core.presets import Preset, presets_by_name

PRESETS = presets_by_name(
    Preset(
        name="bioasq",
        line="BioASQ task B as its program scores it (-e 9): all candidates of a factoid question count, and a question missing from the "
        "submission is omitted; the defaults count five candidates and score a missing question 0",
        source="BioASQ/Evaluation-Measures, evaluation.EvaluatorTask1b",
        options={"top_k": None, "missing": "skip"},
        differences="Where the program stops, as at a flat list of candidates, qassay scores or names the row. Versions before 9 (option version) "
        "stop at a missing question.",
    ),
)
