"""torchmetrics: a metric in a MetricCollection, or logged by Lightning. Tried on torchmetrics 1.9.0."""

from collections.abc import Mapping
from typing import Any

import torch
import torchmetrics

from .. import score
from ..registry import MetricName
from ..training.loop import LoopMetric


class QassayMetric(torchmetrics.Metric):
    """The `qassay.training.LoopMetric` of a metric and options as a torchmetrics.Metric; it is the attribute `loop`.

    `compute` gives a dict measure -> float64 tensor, over the examples of all processes of torch.distributed.
    torchmetrics does not store the examples as states: a checkpoint has none of them, and its `sync` moves none. `forward`
    scores its batch twice, for all examples and for its own measures: call `update` where these are not needed.
    """

    is_differentiable = False
    full_state_update = True

    def __init__(self, metric: MetricName, **options: Any):
        super().__init__()
        self.metric, self.loop = metric, LoopMetric(metric, **options)

    def update(self, *columns: Any, **named: Any) -> None:
        """Score a batch: the columns of `qassay.score` of the metric."""
        self.loop.update(*columns, **named)

    def compute(self) -> dict[str, torch.Tensor]:
        """The measures of all examples since the last reset."""
        return _tensors(self.loop.compute())

    def forward(self, *columns: Any, **named: Any) -> dict[str, torch.Tensor]:
        """Score a batch and return its own measures; {} for a batch without examples that count."""
        before = len(self.loop)
        self.update(*columns, **named)
        if len(self.loop) == before:
            return {}
        of_batch = score(self.metric, *columns, **named, **self.loop.options.keywords())
        return _tensors(self.loop.report.named(self.loop.report.numbers(of_batch)))

    def reset(self) -> None:
        """Forget all examples."""
        super().reset()
        self.loop.reset()


def _tensors(numbers: Mapping[str, float]) -> dict[str, torch.Tensor]:
    return {name: torch.tensor(value, dtype=torch.float64) for name, value in numbers.items()}
