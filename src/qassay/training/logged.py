"""What hooks and loops log: chosen measures as finite numbers, with intervals."""

import dataclasses
import difflib
import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ..core.best_threshold import BestThreshold
from ..core.interval_settings import check_confidence
from ..core.options import check_choice
from ..core.safe_names import with_safe_names
from ..core.scores import Scores
from ..core.shown import describe
from ..registry import get_family


@dataclasses.dataclass(frozen=True)
class LoggedMeasures:
    """The measures that a hook logs, as finite numbers.

    A measure that applies to no example, such as no_answer_f1 if every question has an answer, is omitted. The
    threshold -inf (withholding all answers is best) is logged as a number below all probabilities.

    Attributes:
        measures: their names, in order; None: the headline measures of the metric.
        confidence: of the intervals, `<measure>_low` and `<measure>_high`; None: no intervals.
        safe_names: log names without "@", brackets and "=", which MLflow refuses: `ndcg_at_10`.
    """

    measures: Sequence[str] | None = None
    confidence: float | None = None
    safe_names: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.measures, str):
            raise TypeError(f"measures must be a list of names, got {describe(self.measures)}")
        if self.measures is not None:
            object.__setattr__(self, "measures", tuple(self.measures))
            if not self.measures:
                raise ValueError("measures is empty; give at least one, or omit it")
        if self.confidence is not None:
            check_confidence(self.confidence)
        check_choice("safe_names", self.safe_names, (False, True))

    def chosen(self, scores: Scores) -> list[str]:
        """The measures that are logged for these scores; a ValueError for an unknown one."""
        if self.measures is not None:
            return scores.measure_names(self.measures)
        headline = get_family(scores.options.family).about.main_measures(scores)
        return [name for name in headline if name in scores.measures]

    def check(self, blanks: Iterable[Scores]) -> None:
        """Refuse unknown measures, and measures that apply to no example.

        Args:
            blanks: the Scores of empty answers to each data set.
        """
        empty = [
            {name for name in self.chosen(scores) if scores.measures[name].is_empty(scores.rows)} for scores in blanks
        ]
        if self.measures is not None and (names := set.intersection(*empty)):
            raise ValueError(
                f"measures has {min(names)!r}, but it applies to no example of the data set, so there is nothing to log; "
                "omit it from measures"
            )

    def numbers(self, scores: Scores, prefix: str = "") -> dict[str, float | int]:
        """The measures, then the ends of their intervals, as a flat dict of finite Python numbers."""
        found = scores.summary(self.chosen(scores))
        found = {
            name: _finite_threshold(scores, name) if value == -math.inf else value for name, value in found.items()
        }
        if self.confidence is not None:
            present = [name for name, value in found.items() if value is not None]
            intervals = scores.interval(present, confidence=self.confidence)
            for name in filter(intervals.__contains__, present):
                found[f"{name}_low"], found[f"{name}_high"] = intervals[name]
        numbers = {
            f"{prefix}{name}": value for name, value in found.items() if value is not None and math.isfinite(value)
        }
        return with_safe_names(numbers) if self.safe_names else numbers

    def check_best(
        self, best: str | None, blanks: Mapping[str, Scores], more: Sequence[str] = (), is_only: bool = True
    ) -> None:
        """Refuse a `metric_for_best_model` that is a measure which is not logged.

        Args:
            best: the argument of Trainer.
            blanks: prefix of logged names -> the Scores of empty answers, which have all measures.
            more: further logged names.
            is_only: whether nothing else logs measures; then a misspelt name is refused too.
        """
        name = (best or "").removeprefix("eval_")
        ends = ("",) if self.confidence is None else ("", "_low", "_high")
        keys = [f"{prefix}{key}{end}" for prefix, of in blanks.items() for key in self.chosen(of) for end in ends]
        logged = [*more, *(with_safe_names(dict.fromkeys(keys)) if self.safe_names else keys)]
        measures = {measure for scores in blanks.values() for measure in scores.measures}
        # Of several data sets of Trainer the name comes first: "dev_f1".
        found = max((key for key in (*logged, *measures) if f"_{name}".endswith(f"_{key}")), key=len, default="")
        if is_only and found not in logged and (found or difflib.get_close_matches(name, logged)):
            raise ValueError(
                f"metric_for_best_model={name!r} is not logged; add it to measures=[...]; logged are: {', '.join(logged)}"
            )


def _finite_threshold(scores: Scores, name: str) -> float:
    """A finite threshold below all answers, instead of -inf."""
    measure, rows = scores.measures[name], scores.rows
    if not isinstance(measure, BestThreshold):
        return -math.inf
    smallest = rows.columns[measure.probability][measure.applies(rows)].min()
    return float(min(smallest - 1, np.nextafter(smallest, -math.inf)))
