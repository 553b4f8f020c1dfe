"""The share of answers that people would accept, estimated for a system that the built-in scorer does not know."""

import dataclasses
from typing import Any

import numpy as np

from ..core.measures import Mean, Rows, TermMeasure

_EXPLAINED = 0.5  # the share of the distance in log odds that the mean probability lacks if nothing is certain


@dataclasses.dataclass(frozen=True)
class MeanVerdict(Mean):
    """The mean of probabilities that a verdict is yes, with the interval of a share of verdicts, which holds their doubt."""

    is_share = True


@dataclasses.dataclass(frozen=True)
class EstimatedAcceptance(TermMeasure):
    """The mean of a column of calibrated probabilities, moved away from the share of right answers that they were fitted to.

    With the mean m, the share u = mean(p (1 - p)) / (m (1 - m)) of the variance of verdicts that the probabilities leave open, and
    the share t of the training, the estimate r has logit(r) = logit(m) + u / 2 * (logit(r) - logit(t)). With 1 for the half it were,
    to first order, the correction of a prior by Saerens, Latinne and Decaestecker (2002); the half was chosen on training answers,
    by systems. Probabilities of exactly 0 and 1 are decided without the scorer and count as they are.
    """

    is_share = True

    column: str
    usual_share: float

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.column,)

    def terms(self, rows: Rows) -> list[np.ndarray]:
        known = ~np.isnan(rows.columns[self.column])
        values, weights = np.where(known, rows.columns[self.column], 0.0), np.where(known, rows.weights, 0.0)
        judged = weights * ((values > 0) & (values < 1))
        return [weights, weights * values, judged, judged * values, judged * values * (1 - values)]

    def finish(self, sums: Any) -> Any:
        whole, all_right, judged, right, uncertain = map(np.asarray, sums)
        mean = right / judged
        pull = _EXPLAINED * uncertain / (judged * mean * (1 - mean))
        log_odds = (_log_odds(mean) - pull * _log_odds(self.usual_share)) / (1 - pull)
        return (all_right - right + np.where(judged > 0, judged / (1 + np.exp(-log_odds)), 0.0)) / whole

    def by_example(self, rows: Rows) -> None:
        """None: the estimate is about a system, not about an answer."""
        return None


def _log_odds(share: Any) -> Any:
    return np.log(share / (1 - share))
