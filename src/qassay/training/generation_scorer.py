"""The hook in `trainer.evaluate`: generates and scores answers once in each evaluation, before its numbers are logged."""

import dataclasses
import difflib
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core.remarks import remark
from .hook import LoggedMeasures, empty_measures
from .scored_rows import ScoredRows, column_names


@dataclasses.dataclass(frozen=True)
class PromptedRows:
    """The rows of a data set, and the tokens of the prompt of each."""

    rows: ScoredRows
    tokens: list[list[int]]


class GenerationScorer:
    """Generates and scores answers in the evaluations of a Trainer; `score_generations` makes it.

    Attributes:
        answers: the answers of the last evaluation, in the order of the rows; of several data sets, a dict name -> answers.
        scores: their Scores, for intervals, slices and single examples; of several data sets, a dict name -> Scores. Only
            the main process has them; None in others.
    """

    def __init__(
        self,
        trainer: Any,
        dataset: Any,
        read: Callable[[Any, str], PromptedRows],
        generate: Callable[[Sequence[Sequence[int]]], list[tuple[str, bool]]],
        report: LoggedMeasures,
        every: int,
    ):
        self._trainer, self._read, self._generate, self._every = trainer, read, generate, every
        self._sets = self._read_sets(dataset)
        blanks = {name: one.rows.blank for name, one in self._sets.items()}
        if report.measures is None:
            main = [one.rows.family.telling.main_measures(one.rows.blank) for one in self._sets.values()]
            report = dataclasses.replace(report, measures=[*dict.fromkeys(name for names in main for name in names)])
        for blank in blanks.values():
            report.check(blank)
        report.refuse_empty([empty_measures(blank, report.measures) for blank in blanks.values()])
        self._report = report
        for one in self._sets.values():
            one.rows.family.prepare(one.rows.options)
        self._check_best(blanks)
        self.answers: Any = None
        self.scores: Any = None
        self._inside = False  # an evaluation, which calls itself for each of several sets
        self._prefix: str | None = None  # of the evaluation that still lacks the numbers

    @property
    def first_prompt(self) -> list[int]:
        """The tokens of the first prompt."""
        return next(iter(self._sets.values())).tokens[0]

    def attach(self) -> None:
        """Join the evaluations of the Trainer, in place of an earlier scorer."""
        earlier = getattr(self._trainer.evaluate, "__self__", None)
        if isinstance(earlier, GenerationScorer):
            earlier.remove()
        self._evaluate, self._evaluation_loop = self._trainer.evaluate, self._trainer.evaluation_loop
        self._trainer.evaluate, self._trainer.evaluation_loop = self._in_evaluate, self._in_loop

    def remove(self) -> None:
        """Leave the evaluations of the Trainer."""
        self._trainer.evaluate, self._trainer.evaluation_loop = self._evaluate, self._evaluation_loop

    def run(self, dataset: Any = None) -> dict[str, float | int]:
        """Generate and score now; with several processes, in each of them.

        Args:
            dataset: other rows, such as those of a test set; None: those of `score_generations`.

        Returns:
            The numbers, without the prefix "eval_".
        """
        sets = self._sets if dataset is None else self._read_sets(dataset)
        start = time.perf_counter()
        outputs = {name: self._generate(one.tokens) for name, one in sets.items()}
        seconds = time.perf_counter() - start
        answers = {name: [text for text, _ in texts] for name, texts in outputs.items()}
        cut = [is_cut for texts in outputs.values() for _, is_cut in texts]
        numbers = self._scored(sets, answers)
        self.answers = answers.get("", answers)
        return {**numbers, "generation_truncated": sum(cut) / len(cut), "generation_seconds": round(seconds, 4)}

    def _read_sets(self, dataset: Any) -> dict[str, PromptedRows]:
        """Name -> data set; one without a name has the name ""."""
        if isinstance(dataset, Mapping) and dataset and all(map(column_names, dataset.values())):
            return {name: self._read(data, f"dataset[{name!r}]") for name, data in dataset.items()}
        return {"": self._read(dataset, "dataset")}

    def _scored(self, sets: Mapping[str, PromptedRows], answers: Mapping[str, list[str]]) -> dict[str, float | int]:
        """The numbers to log; the main process scores, and sends them to the others."""
        from accelerate.utils import broadcast_object_list

        numbers: dict[str, float | int] = {}
        error: Exception | None = None
        if self._trainer.accelerator.is_main_process:
            try:
                scores = {name: one.rows.score(answers[name]) for name, one in sets.items()}
                for name, of_set in scores.items():
                    values = self._report.numbers(of_set)
                    numbers |= self._report.named({_of_set(name, key): value for key, value in values.items()})
                self.scores = scores.get("", scores)
            except Exception as raised:
                error = raised
        sent: list[Any] = [numbers, None if error is None else f"{type(error).__name__}: {error}"]
        broadcast_object_list(sent)
        if sent[1]:
            raise error or RuntimeError(f"the main process could not score: {sent[1]}")
        numbers = sent[0]
        return numbers

    def _in_evaluate(self, eval_dataset: Any = None, *more: Any, **keywords: Any) -> Any:
        """`trainer.evaluate`; notes that the first loop inside it shall generate."""
        if self._inside:
            return self._evaluate(eval_dataset, *more, **keywords)
        data = self._trainer.eval_dataset
        known = [data, *data.values()] if isinstance(data, Mapping) else [data]
        if eval_dataset is None or isinstance(eval_dataset, str) or any(eval_dataset is one for one in known):
            if self._is_due(len(known[1:]) or 1):
                self._prefix = keywords.get("metric_key_prefix", more[1] if len(more) > 1 else "eval")
        else:
            remark(
                "trainer.evaluate got other data than the Trainer's eval_dataset, so nothing is generated; "
                "score_generations(...).run(rows) generates and scores the answers to other rows"
            )
        self._inside = True
        try:
            return self._evaluate(eval_dataset, *more, **keywords)
        finally:
            self._inside, self._prefix = False, None

    def _is_due(self, n_sets: int) -> bool:
        """Whether to generate in this evaluation. The log, which checkpoints keep, counts those before it."""
        if not self._trainer.is_in_train:
            return True
        lines = self._trainer.state.log_history
        logged = sum(any(key.startswith("eval_") and key.endswith("_runtime") for key in line) for line in lines)
        return logged // n_sets % self._every == 0

    def _in_loop(self, *given: Any, **keywords: Any) -> Any:
        """`trainer.evaluation_loop`, whose numbers are logged next; `trainer.predict` calls it too."""
        output = self._evaluation_loop(*given, **keywords)
        if self._prefix is not None:
            numbers = {f"{self._prefix}_{name}": value for name, value in self.run().items()}
            self._prefix = None
            if twice := sorted(numbers.keys() & output.metrics.keys()):
                raise ValueError(
                    f"compute_metrics logs {twice[0]} too; omit it there, or in measures of score_generations"
                )
            output.metrics.update(numbers)
        return output

    def _check_best(self, blanks: Mapping[str, Any]) -> None:
        """Refuse a `metric_for_best_model` that would not be found, or that would be taken the wrong way round."""
        arguments = self._trainer.args
        best = (arguments.metric_for_best_model or "").removeprefix("eval_")
        logged = {"generation_truncated": True, "generation_seconds": True}  # name -> whether a lower value is better
        for name, blank in blanks.items():
            for measure in self._report.measures or ():
                ends = ("", "_low", "_high") if self._report.intervals.confidence is not None else ("",)
                keys = self._report.named({_of_set(name, measure + end): 0.0 for end in ends})
                logged |= dict.fromkeys(keys, measure in blank.measures and blank.measures[measure].lower_is_better)
        if best in logged and self._every > 1:
            raise ValueError(
                f"metric_for_best_model={best!r} needs a number in each evaluation; omit every={self._every}"
            )
        if best in logged and logged[best] == arguments.greater_is_better:
            raise ValueError(
                f"of {best}, the {'lower' if logged[best] else 'higher'} value is better; set greater_is_better"
            )
        alike = difflib.get_close_matches(best, logged) or any(best in blank.measures for blank in blanks.values())
        if best not in logged and alike and self._trainer.compute_metrics is None:
            raise ValueError(f"metric_for_best_model={best!r} is not logged; logged are: {', '.join(logged)}")


def _of_set(name: str, measure: str) -> str:
    return f"{name}_{measure}" if name else measure
