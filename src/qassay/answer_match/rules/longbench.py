"""Counts and retrieved paragraphs of LongBench: the share of numbers in an answer that equal the gold number.

The values match `LongBench/metrics.py` of THUDM/LongBench (Bai et al., 2024).
"""

import dataclasses
import re
from typing import Any

import numpy as np

from ...core.answers import AnswerColumns
from ...core.columns import with_id
from ...core.errors import InputError
from ...core.shown import shown
from ..token_bags import need_golds
from . import Rules

_DIGITS = re.compile(r"\d+")


@dataclasses.dataclass(frozen=True)
class RightNumbers:
    """Scores answers by the numbers in them.

    Attributes:
        before: the text before the number in a gold answer, such as "Paragraph "; "" if the gold answer is the number.
    """

    before: str

    def __call__(self, columns: AnswerColumns, options: Any) -> dict[str, np.ndarray]:
        need_golds(columns.references, columns.ids, options.preset)
        values = []
        for row, (answer, golds) in enumerate(zip(columns.predictions, columns.references, strict=True)):
            numbers = _DIGITS.findall(answer)
            right = [self._number_of(gold, f"references[{row}]{with_id(columns.ids, row)}") for gold in golds]
            values.append(max(map(numbers.count, right)) / len(numbers) if numbers else 0.0)
        return {"number_precision": np.array(values, np.float64)}

    def _number_of(self, gold: str, where: str) -> str:
        if not self.before:
            return gold
        found = re.search(rf"{self.before}(\d+)", gold)
        if found is None:
            problem = (
                f"{where} has the gold answer {shown(gold)}, which does not name a paragraph as {self.before}1 does"
            )
            raise InputError("references", problem)
        return found[1]


COUNTS = Rules(RightNumbers(""), normalizer="none")
PARAGRAPHS = Rules(RightNumbers("Paragraph "), normalizer="none")
PARAGRAPHS_ZH = Rules(RightNumbers("段落"), normalizer="none")
