"""The best threshold of no-answer probabilities, as computed by the official script of SQuAD 2.0."""

import dataclasses

import numpy as np

from ..core.best_threshold import BestThreshold
from ..core.measures import Rows, exact_sum


@dataclasses.dataclass(frozen=True)
class ScriptBestThreshold(BestThreshold):
    """The best score or threshold as computed by the script (Rajpurkar, Jia and Liang, 2018), including rounding.

    The script withholds all answers, then adds one answer after the other by increasing probability, and takes the
    first maximum of the running sum. It therefore also cuts between equal probabilities, in the order of the
    predictions; if withholding all answers is best, its threshold is 0.0. Intervals come from `BestThreshold`, which
    does not depend on the order.

    Attributes:
        place: the column with the places of the predictions; None: predictions are in row order. Joined Scores
            have the predictions of the first part before the predictions of the second (see
            `qassay.core.measures.join_places`).
    """

    place: str | None = None

    def value_once(self, rows: Rows) -> float:
        key = (type(self), *self.reads)  # the score and its threshold share the running sums
        if key not in rows.cache:
            answered, withheld, probability = (rows.columns[name] for name in self.reads)
            order = np.argsort(probability, kind="stable")
            if self.place is not None:
                order = np.lexsort((rows.columns[self.place], probability))
            gains = (rows.weights * (answered - withheld))[order]
            rows.cache[key] = order, np.cumsum(np.append((rows.weights * withheld).sum(), gains))
        order, sums = rows.cache[key]
        best = int(np.argmax(sums))
        if self.threshold:
            return float(rows.columns[self.probability][order[best - 1]]) if best else 0.0
        total = exact_sum(rows.weights)
        return float(self.scale * sums[best] / total) if total else 0.0
