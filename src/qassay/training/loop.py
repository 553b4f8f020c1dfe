"""Any metric in a training loop, in Lightning or accelerate: update, compute, reset, on one or several processes."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ..core.errors import NothingToScore
from ..core.remarks import public
from ..core.scores import Scores
from ..core.shown import shown
from ..core.streaming import ScoreStream, added_notes
from ..registry import get_family
from .hook import gathered
from .logged import LoggedMeasures


class LoopMetric:
    """A metric that is updated batch by batch and computed at the end of an epoch, over the examples of all processes.

    With torch.distributed, `compute` gathers the statistics of every process (not the texts), so all processes must
    call it; each gets the same numbers. A DistributedSampler repeats examples to fill the last batches; with ids,
    repeated examples count once. It is not a torchmetrics.Metric, whose states are tensors of fixed shape: use it
    next to a MetricCollection, not in it.

    Args:
        metric: one of `qassay.list_metrics()`.
        measures: the measures to return; None: the headline measures of the metric. `scores` has the others, except
            for rankings.
        confidence: also return intervals, as of `Scores.interval`: `f1_low` and `f1_high`.
        safe_names: log names without "@", brackets and "=", which MLflow refuses: `ndcg_at_10`.
        options: of the metric.

    Raises:
        TypeError, ValueError: unknown options of the metric.

    Attributes:
        scores: the Scores of the last `compute`, over all processes; None before the first.

    Example:
        >>> metric = LoopMetric("answer_match")
        >>> for answers, golds in [(["in Rome"], ["Rome"]), (["Bern"], ["Bern"])]:
        ...     metric.update(answers, golds)
        >>> metric.compute()
        {'exact_match': 0.5, 'f1': 0.8333333333333333}
        >>> metric.reset()
    """

    def __init__(
        self,
        metric: str,
        *,
        measures: Sequence[str] | None = None,
        confidence: float | None = None,
        safe_names: bool = False,
        **options: Any,
    ):
        function, options_class = get_family(metric).load()
        if measures is not None and "measures" in options_class.__dataclass_fields__:
            options["measures"] = measures
        self.report = LoggedMeasures(measures, confidence, safe_names)
        self.options = options_class.from_keywords(**options)
        self.scores: Scores | None = None
        self._stream = ScoreStream(function, self.options)

    @public
    def update(self, *columns: Any, **named: Any) -> None:
        """Score a batch: the columns of `qassay.score` of the metric, `groups` too; texts, arrays and tensors."""
        self._stream.add(*columns, **named)

    @public
    def compute(self) -> dict[str, float | int]:
        """The numbers of all examples since the last reset, the same on every process.

        Raises:
            ValueError: no process has an example, rows with the same id differ in kind, or all examples are in one
                group.
        """
        part, notes = self._stream.part()
        # Options may have objects that cannot be sent, so only what the data determine is sent.
        sent = part and dataclasses.replace(part, options=part.options.unlike(self.options))
        parts: list[Scores] = []
        omitted: dict[str, int] = {}
        for found, more in gathered((sent, notes)):
            if found is not None:
                parts.append(dataclasses.replace(found, options=self.options.with_fields(found.options)))
            omitted = added_notes(omitted, more)
        if not parts:
            if any(omitted.values()):
                raise NothingToScore(omitted)
            raise ValueError("there is nothing to compute: call update first")
        scores = Scores.concat(_each_once(parts)).require_several_groups()
        self.scores = dataclasses.replace(scores, notes=added_notes(scores.notes, omitted))
        return self.report.numbers(self.scores)

    def reset(self) -> None:
        """Forget all examples of this process."""
        self._stream.reset()

    def __len__(self) -> int:
        return len(self._stream)

    def __repr__(self) -> str:
        return f"<LoopMetric of {len(self)} examples here; {self.options.signature()}>"


def _each_once(parts: Sequence[Scores]) -> list[Scores]:
    """The parts without examples whose id is in an earlier part; the note `repeated` counts them.

    Raises:
        ValueError: examples with one id have different gold answers.
    """
    first: dict[Any, tuple[Mapping[str, Any], int]] = {}  # id -> the fingerprints of its part, and its row there
    once = []
    for part in parts:
        if isinstance(part.ids, range):
            once.append(part)
            continue
        prints = dict(part.gold.parts) if part.gold is not None else {}
        is_new = []
        for row, identifier in enumerate(part.ids):
            earlier, index = first.setdefault(identifier, (prints, row))
            is_new.append(earlier is prints)
            if any(earlier[name][index] != found[row] for name, found in prints.items() if name in earlier):
                raise ValueError(
                    f"two processes have the id {shown(identifier)} with different gold answers; give each example a "
                    "distinct id"
                )
        if not all(is_new):
            notes = {**part.notes, "repeated": is_new.count(False)}
            part = dataclasses.replace(part.subset(is_new), notes=notes)
        once.append(part)
    return once
