"""The measures of KLUE-MRC: exact match, and the longest common run of characters.

The values match `klue_baseline/metrics` of KLUE-benchmark/KLUE-baseline, for the task of Park et al. (2021), "KLUE:
Korean Language Understanding Evaluation".
"""

from difflib import SequenceMatcher
from typing import Any

import numpy as np

from ...core.answers import AnswerColumns
from ...core.presets import Preset
from ..token_bags import f1_of_shared
from . import Rules


def rouge_w(answer: str, gold: str) -> float:
    """F1 of the longest run of characters that two normalised texts share, 0 to 1; of an empty gold answer whether both are empty.

    As in the official program, characters that make up more than a hundredth of a gold answer of 200 characters or more begin no
    run, which is what `difflib` does by default.
    """
    if not gold:
        return float(answer == gold)
    run = SequenceMatcher(None, answer, gold).find_longest_match(0, len(answer), 0, len(gold)).size
    return f1_of_shared(run, answer, gold)


def _score_klue(columns: AnswerColumns, options: Any) -> dict[str, np.ndarray]:
    values = []
    for answer, golds in zip(columns.predictions, columns.references, strict=True):
        predicted, right = options.normalizer(answer or ""), [options.normalizer(gold) for gold in golds or [""]]
        values.append((float(predicted in right), max(rouge_w(predicted, gold) for gold in right)))
    exact_match, best = np.array(values).reshape(-1, 2).T.copy()
    return {"exact_match": exact_match, "rouge_w": best}


KLUE_PRESET = Preset(
    name="klue",
    line="KLUE-MRC in Korean: exact match, and ROUGE-W, F1 of the longest common run of characters",
    source="KLUE-benchmark/KLUE-baseline, klue_baseline/metrics/utils.py",
    rules=Rules(_score_klue, normalizer="lower+klue_marks+ascii_punctuation+spaces"),
    measures=("exact_match", "rouge_w"),
    differences="The paper has ROUGE-W; the script uses the longest run without gaps. The way its list of punctuation is "
    "written removes almost nothing: quotes such as ‘ ’ and 《 》 stay.",
    compared=240,
)
