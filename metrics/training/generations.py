"""Generates answers with the model of a Trainer at each of its evaluations, and scores them.

`compute_metrics` cannot: it sees the output of a forward pass over prompt and gold answer (teacher forcing), where each token is
predicted from the gold tokens before it.
"""

import dataclasses
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core.options import check_whole
from .generating import Generator, config_of, tokenizer_of
from .hook import LoggedMeasures, empty_measures
from .prompts import Prompts
from .scored_rows import ScoredRows, column_names


def score_generations(
    trainer: Any,
    dataset: Any,
    *,
    prompt: str | Callable[[dict[str, Any]], Any] = "prompt",
    references: str = "answers",
    metric: str = "answer_match",
    measures: Sequence[str] | None = None,
    max_new_tokens: int = 32,
    generation_config: Any = None,
    batch_size: int | None = None,
    limit: int | None = None,
    every: int = 1,
    ids: str | None = None,
    questions: str | None = None,
    groups: Any = None,
    level: float | None = None,
    n_resamples: int = 1000,
    bootstrap_seed: int = 0,
    safe_names: bool = False,
    tokenizer: Any = None,
    **options: Any,
) -> "GenerationScorer":
    """From now on, `trainer.evaluate()` also generates an answer to each row of a data set, and logs how good they are.

    The numbers join those of the evaluation before they are logged, as `eval_exact_match`, so that trackers,
    `metric_for_best_model`, early stopping and a search of hyperparameters see them. They are computed once in each
    `trainer.evaluate()` of the evaluation data of the Trainer, also if these are several sets; never in
    `trainer.predict`, nor in an evaluation of other data. Several processes share the rows. The random state of training and the
    state of model and tokenizer stay as they are.

    Args:
        trainer: a Trainer of transformers (Seq2SeqTrainer) or TRL (SFTTrainer, GRPOTrainer), of a model that has `generate`.
        dataset: the rows to answer: a `datasets.Dataset`, a table, a dict of columns or a list of dicts, not tokenized; or a
            dict name -> such rows, whose numbers are logged as `eval_NAME_exact_match`.
        prompt: the column of prompts, without the answer: texts, or lists of chat messages, to which the chat template of
            the tokenizer is applied; or a function of a row that returns either. For an encoder-decoder model: its input.
        references, ids, questions, groups: the columns of gold answers, ids, questions and groups, as in `evaluate_pipeline`.
        metric: a metric of answers, such as "answer_match", "answer_equivalence", "semantic_answer_similarity".
        measures: the names of the numbers to log; None: the main ones of the metric.
        max_new_tokens: the longest answer, in tokens. `eval_generation_truncated` is the share of answers that reach it.
        generation_config: a GenerationConfig that replaces the model's own. None: the model's own, but greedy.
        batch_size: rows per process and call of `generate`; None: per_device_eval_batch_size.
        limit: score the first rows only, this many of each data set.
        every: generate in the first evaluation, and in every this many-th after it.
        level, n_resamples, bootstrap_seed: log intervals too, as `eval_f1_low` and `eval_f1_high`.
        safe_names: log names without "@", brackets and "=", which MLflow refuses.
        tokenizer: None: the trainer's processing_class, or the tokenizer of that processor.
        options: of the metric (`preset=`, `extract=`), or of generation (`num_beams=4`, `do_sample=True`).

    Returns:
        A GenerationScorer: `.answers` and `.scores` of the last evaluation, and `.run()`.

    Raises:
        TypeError, ValueError: at once: a model that cannot generate, no padding token, no chat template, a missing
            column, prompts that are empty, too long or end with the gold answer, unknown options or measures, and measures for
            `metric_for_best_model` that would not be logged. In an evaluation: `compute_metrics` logs the same name.
    """
    tokenizer = tokenizer_of(trainer, tokenizer)
    config, of_metric = config_of(trainer.model, tokenizer, metric, options, generation_config, max_new_tokens)
    for argument, number in {"batch_size": batch_size, "limit": limit, "every": every}.items():
        if number is not None:
            check_whole(argument, number)
    given: Mapping[str | None, Any] = dataset if _are_sets(dataset, prompt, references) else {None: dataset}
    continues = not trainer.model.config.is_encoder_decoder
    room = getattr(trainer.model.config.get_text_config(), "max_position_embeddings", None)
    sets: dict[str | None, Prompts] = {}
    for name, data in given.items():
        names, called = column_names(data), "dataset" if name is None else f"dataset[{name!r}]"
        rows = ScoredRows(
            data,
            metric,
            of_metric,
            references=references,
            ids=ids,
            questions=questions,
            groups=groups,
            inputs={prompt: "say which column holds the prompts: prompt='...'"} if isinstance(prompt, str) else {},
            optional=() if isinstance(prompt, str) else names,
            limit=limit,
            name=called,
        )
        longest = room and room - (config.max_new_tokens if continues else 0)
        sets[name] = Prompts(rows, prompt, tokenizer, columns=names, continues=continues, longest=longest, name=called)
    report = LoggedMeasures(measures, level, n_resamples, bootstrap_seed, safe_names)
    generator = Generator(trainer, tokenizer, config, batch_size or trainer.args.per_device_eval_batch_size)
    return GenerationScorer(trainer, generator, sets, report, every)


class GenerationScorer:
    """Generates answers with the model of a Trainer and scores them, in its evaluations; made by `score_generations`.

    Attributes:
        answers: the answers of the last evaluation, in the order of the rows; of several data sets, a dict name -> answers.
        scores: their Scores, for intervals, slices and single examples; of several data sets, a dict name -> Scores. Only
            the main process has them; None in others.
    """

    def __init__(
        self,
        trainer: Any,
        generator: Generator,
        sets: Mapping[str | None, Prompts],
        report: LoggedMeasures,
        every: int,
    ):
        self._trainer, self._generator, self._sets, self._every = trainer, generator, sets, every
        blanks = {name: prompts.rows.blank for name, prompts in sets.items()}
        self._measures = report.measures or [
            *dict.fromkeys(
                measure
                for name, prompts in sets.items()
                for measure in prompts.rows.family.telling.main_measures(blanks[name])
            )
        ]
        self._report = report = dataclasses.replace(report, measures=self._measures)
        for blank in blanks.values():
            report.check(blank)
        report.refuse_empty([empty_measures(blank, report.measures) for blank in blanks.values()])
        self._check_best(blanks)
        self.answers: Any = None
        self.scores: Any = None
        self._evaluations, self._inside = 0, False
        self._prefix: str | None = None  # of an evaluation that still lacks the numbers
        self._evaluate, self._evaluation_loop = trainer.evaluate, trainer.evaluation_loop
        trainer.evaluate, trainer.evaluation_loop = self._in_evaluate, self._in_loop

    def run(self) -> dict[str, float | int]:
        """Generate and score now; with several processes, in each of them. The numbers have no prefix."""
        start = time.perf_counter()
        outputs = {name: self._generator(prompts.tokens) for name, prompts in self._sets.items()}
        seconds = time.perf_counter() - start
        answers = {name: [text for text, _ in of_set] for name, of_set in outputs.items()}
        cut = [is_cut for of_set in outputs.values() for _, is_cut in of_set]
        numbers = self._scored(answers)
        self.answers = answers[None] if None in answers else answers
        return {**numbers, "generation_truncated": sum(cut) / len(cut), "generation_seconds": round(seconds, 4)}

    def _scored(self, answers: Mapping[str | None, list[str]]) -> dict[str, float | int]:
        """The numbers to log; the main process scores, and tells the others."""
        from accelerate.utils import broadcast_object_list

        told: list[Any] = [None, None]
        error = None
        if self._trainer.accelerator.is_main_process:
            try:
                scores = {name: prompts.rows.score(answers[name]) for name, prompts in self._sets.items()}
                told[0] = {
                    f"{name}_{measure}" if name else measure: value
                    for name, of_set in scores.items()
                    for measure, value in self._report.named(self._report.numbers(of_set)).items()
                }
                self.scores = scores[None] if None in scores else scores
            except Exception as raised:
                error, told[1] = raised, f"{type(raised).__name__}: {raised}"
        broadcast_object_list(told)
        if told[1]:
            raise error or RuntimeError(f"the main process could not score: {told[1]}")
        numbers: dict[str, float | int] = told[0]
        return numbers

    def _in_evaluate(self, eval_dataset: Any = None, *more: Any, **named: Any) -> dict[str, float]:
        """`trainer.evaluate`: notes that the first loop inside it shall generate. It calls itself for each of several sets."""
        if self._inside:
            return self._evaluate(eval_dataset, *more, **named)
        is_own = eval_dataset is None or eval_dataset is self._trainer.eval_dataset
        if is_own:
            self._prefix = named.get("metric_key_prefix", more[1] if len(more) > 1 else "eval")
            self._prefix = None if self._evaluations % self._every else self._prefix
            self._evaluations += 1
        else:
            warnings.warn(
                "trainer.evaluate got a data set, whose answers score_generations does not know: nothing is generated; name it in "
                "score_generations(trainer, {'dev': dev, 'test': test}), or call its run()",
                stacklevel=2,
            )
        self._inside = True
        try:
            return self._evaluate(eval_dataset, *more, **named)
        finally:
            self._inside, self._prefix = False, None

    def _in_loop(self, *given: Any, **named: Any) -> Any:
        """`trainer.evaluation_loop`, whose numbers are logged next; `trainer.predict` calls it too."""
        output = self._evaluation_loop(*given, **named)
        if self._prefix is not None:
            numbers = {f"{self._prefix}_{name}": value for name, value in self.run().items()}
            self._prefix = None
            if twice := sorted(numbers.keys() & output.metrics.keys()):
                raise ValueError(f"compute_metrics logs {twice[0]} too, of another kind of answers; omit it there")
            output.metrics.update(numbers)
        return output

    def _check_best(self, blanks: Mapping[str | None, Any]) -> None:
        """Refuse what `metric_for_best_model` would not find, or would take the wrong way round."""
        arguments = self._trainer.args
        best = (arguments.metric_for_best_model or "").removeprefix("eval_")
        logged = {}
        for name, blank in blanks.items():
            for measure in blank.measures:
                (shown,) = self._report.named({measure: 0.0})
                logged[f"{name}_{shown}" if name else shown] = measure, blank.measures[measure]
        if best not in logged:
            return
        measure, found = logged[best]
        if measure not in self._measures and self._trainer.compute_metrics is None:
            raise ValueError(f"metric_for_best_model is {best!r}, which is not logged; add {measure!r} to measures")
        if measure in self._measures and self._every > 1:
            raise ValueError(
                f"metric_for_best_model={best!r} needs a number in each evaluation; omit every={self._every}"
            )
        if measure in self._measures and found.lower_is_better == arguments.greater_is_better:
            raise ValueError(
                f"a {'lower' if found.lower_is_better else 'higher'} {best} is better; set greater_is_better"
            )


def _are_sets(dataset: Any, *columns: Any) -> bool:
    """Whether a data set is a dict name -> rows, not one of columns."""
    return isinstance(dataset, Mapping) and not any(isinstance(name, str) and name in dataset for name in columns)
