"""The preset of retriever_reader: the rules of PIAF."""

from ..core.presets import Preset, presets_by_name

PRESETS = presets_by_name(
    Preset(
        name="piaf",
        line="PIAF's pipelines: answers by their positions, or as bags of characters if an answer or a gold answer has no "
        "span; nothing is normalised",
        source="etalab-ia/piaf-ml, src/evaluation, with the nodes EvalDocuments and EvalAnswers of Haystack 0.9",
        options={"unit": "offset_or_character"},
        differences="PIAF's text and its code disagree on two denominators, which are options; see below.",
    ),
)
