"""Scores the answers that the model of a Trainer generates, in each of its evaluations.

`compute_metrics` cannot: it gets the output of a forward pass over prompt and gold answer (teacher forcing), which predicts each
token from the gold tokens before it.
"""

import copy
import time
from collections.abc import Mapping, Sequence
from typing import Any

from ..core.options import check_whole
from ..core.remarks import remark
from ..registry import get_family
from .arrow_rows import Source, column_names, values_of
from .hook import gathered
from .logged import LoggedMeasures
from .scored_rows import ScoredRows, metric_options, read_dataset
from .text_generation import (
    generate_texts,
    generation_options,
    positions,
    prompt_tokens,
    tokenizer_of,
)

_Prompted = tuple[ScoredRows, list[list[int]]]  # the gold answers of a data set, and the tokens of each prompt


class GenerationScorer:
    """Lets `trainer.evaluate()` also generate an answer to each row of a data set, and log the scores of the answers.

    The numbers are logged with those of the evaluation, as `eval_exact_match`, where trackers, `metric_for_best_model` and
    early stopping find them. Answers are generated once in each evaluation of the Trainer's eval_dataset, even if it has
    several sets; never in `trainer.predict`, nor in `trainer.evaluate` of other data. Several processes share the rows. A
    second call for the same Trainer replaces the first.

    Args:
        trainer: a Trainer of transformers (Seq2SeqTrainer) or TRL (SFTTrainer, GRPOTrainer), of a model that has `generate`.
        dataset: the rows to answer, not tokenized: a `datasets.Dataset`, a table, a dict of columns or a list of dicts; or a
            dict name -> such rows, with numbers logged as `eval_NAME_exact_match`.
        prompt: the column of prompts without the answer: texts, or lists of chat messages, to which the chat template of
            the tokenizer is applied; or a function of a row that returns a prompt. For an encoder-decoder model: its input.
        references: the column of gold answers, or a function of a row that returns them; as in `evaluate_pipeline`.
        ids, questions, groups: columns, as in `evaluate_pipeline`.
        metric: a metric of answers, such as "answer_match", "answer_equivalence", "semantic_answer_similarity".
        measures: the measures to log; None: the headline measures of the metric. `.scores` has all measures.
        max_new_tokens: the maximum number of tokens of an answer; None: that of generation_config, or 32. The share of
            answers that reach it is logged as `eval_generation_truncated`.
        generation_config: a GenerationConfig; `generate` takes what is None in it from the model. Decoding is greedy by
            default.
        batch_size: rows per process and call of `generate`; None: per_device_eval_batch_size.
        confidence: log intervals too, as of `Scores.interval`: `eval_f1_low` and `eval_f1_high`.
        safe_names: log names without "@", brackets and "=", which MLflow refuses.
        tokenizer: None: the trainer's processing_class, or the tokenizer of that processor.
        options: of the metric (`preset=`, `extract=`) or of `generate` (`num_beams=4`, `do_sample=True`, `top_k=5`). Samples
            are the same in each evaluation.

    Raises:
        TypeError, ValueError: at once: a model that cannot generate, no padding token, no chat template, a missing
            column, prompts that are empty or too long, unknown options or measures, a `metric_for_best_model` that is not
            logged. In the first evaluation: `compute_metrics` logs the same name.

    Attributes:
        answers: the answers of the last evaluation, in the order of the rows; for several data sets, name -> answers.
        scores: their Scores, for intervals, slices and single examples; for several data sets, name -> Scores. None in
            processes other than the main one.
    """

    def __init__(
        self,
        trainer: Any,
        dataset: Any,
        *,
        prompt: Source = "prompt",
        references: Source = "answers",
        metric: str = "answer_match",
        measures: Sequence[str] | None = None,
        max_new_tokens: int | None = None,
        generation_config: Any = None,
        batch_size: int | None = None,
        ids: str | None = None,
        questions: str | None = None,
        groups: Any = None,
        confidence: float | None = None,
        safe_names: bool = False,
        tokenizer: Any = None,
        **options: Any,
    ):
        tokenizer = tokenizer_of(trainer, tokenizer)
        config, of_metric = generation_options(trainer, tokenizer, metric, options, generation_config, max_new_tokens)
        if batch_size is not None:
            check_whole("batch_size", batch_size)
        self._trainer, self._tokenizer, self._config = trainer, tokenizer, config
        self._batch_size = batch_size or trainer.args.per_device_eval_batch_size
        self._prompt, self._metric = prompt, metric
        self._options = metric_options(metric, of_metric)
        columns = {"references": references, "ids": ids, "questions": questions, "groups": groups}
        self._columns: dict[str, Any] = {"prompt": [prompt], **columns}
        self._report = LoggedMeasures(measures, confidence, safe_names)
        self._sets = self._read_sets(dataset)
        blanks = {f"{name}_" if name else "": scored.blank for name, (scored, _) in self._sets.items()}
        self._report.check(blanks.values())
        more = ("generation_truncated", "generation_seconds")
        self._report.check_best(trainer.args.metric_for_best_model, blanks, more, trainer.compute_metrics is None)
        self.answers: Any = None
        self.scores: Any = None
        self._inside = False  # of an evaluation, which calls itself for each of several sets
        self._prefix: str | None = None  # of the evaluation that still needs the numbers
        get_family(metric).prepare(self._options)
        if not (trainer.is_deepspeed_enabled or trainer.is_fsdp_enabled):  # these shard the model later
            short = copy.deepcopy(config)
            short.max_new_tokens = 1
            _, prompts = next(iter(self._sets.values()))
            generate_texts(trainer, tokenizer, short, prompts[:1], 1)  # to find invalid options early
        earlier = getattr(trainer.evaluate, "__self__", None)
        if isinstance(earlier, GenerationScorer):
            earlier.remove()
        self._evaluate, self._evaluation_loop = trainer.evaluate, trainer.evaluation_loop
        trainer.evaluate, trainer.evaluation_loop = self._in_evaluate, self._in_loop

    def remove(self) -> None:
        """Restore the evaluations of the Trainer."""
        self._trainer.evaluate, self._trainer.evaluation_loop = self._evaluate, self._evaluation_loop

    def run(self, dataset: Any = None) -> dict[str, float | int]:
        """Generate and score now; to be called in each process.

        Args:
            dataset: other rows, such as those of a test set; None: those of `score_generations`.

        Returns:
            The numbers, without the prefix "eval_".
        """
        sets = self._sets if dataset is None else self._read_sets(dataset)
        start = time.perf_counter()
        outputs = {
            name: generate_texts(self._trainer, self._tokenizer, self._config, prompts, self._batch_size)
            for name, (_, prompts) in sets.items()
        }
        seconds = time.perf_counter() - start
        answers = {name: [text for text, _ in texts] for name, texts in outputs.items()}
        truncated = [is_cut for texts in outputs.values() for _, is_cut in texts]
        numbers: dict[str, float | int] = {}
        error: Exception | None = None
        if self._trainer.accelerator.is_main_process:
            try:
                scores = {name: scored.score(answers[name]) for name, (scored, _) in sets.items()}
                for name, of_set in scores.items():
                    numbers |= self._report.numbers(of_set, prefix=f"{name}_" if name else "")
                self.scores = scores.get("", scores)
            except Exception as raised:
                error = raised
        numbers, failure = gathered((numbers, None if error is None else f"{type(error).__name__}: {error}"))[0]
        if failure:
            raise error or RuntimeError(f"the main process could not score: {failure}")
        self.answers = answers.get("", answers)
        share = sum(truncated) / len(truncated)
        return {**numbers, "generation_truncated": share, "generation_seconds": round(seconds, 4)}

    def _read_sets(self, dataset: Any) -> dict[str, _Prompted]:
        """Name -> data set; "" for a single one."""
        if isinstance(dataset, Mapping) and dataset and all(map(column_names, dataset.values())):
            return {name: self._read(data, f"dataset[{name!r}]") for name, data in dataset.items()}
        return {"": self._read(dataset, "dataset")}

    def _read(self, data: Any, name: str) -> _Prompted:
        """The gold answers and the prompts of a data set."""
        trainer = self._trainer
        rows, scored = read_dataset(data, self._metric, self._options, self._columns, name)
        is_causal = not trainer.model.config.is_encoder_decoder
        room = positions(trainer.model.config) if is_causal else None
        longest = None if room is None else room - self._config.max_new_tokens
        prompts = values_of(rows, self._prompt)
        tokens = prompt_tokens(prompts, scored.golds, self._tokenizer, is_causal=is_causal, longest=longest, name=name)
        return scored, tokens

    def _in_evaluate(self, eval_dataset: Any = None, *more: Any, **keywords: Any) -> Any:
        """`trainer.evaluate`, whose first loop generates."""
        if self._inside:
            return self._evaluate(eval_dataset, *more, **keywords)
        data = self._trainer.eval_dataset
        known = [data, *data.values()] if isinstance(data, Mapping) else [data]
        if eval_dataset is None or isinstance(eval_dataset, str) or any(eval_dataset is one for one in known):
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

    def _in_loop(self, *given: Any, **keywords: Any) -> Any:
        """`trainer.evaluation_loop`, whose numbers are logged next; `trainer.predict` also calls it."""
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


#: `GenerationScorer` as a verb: `score_generations(trainer, rows)`.
score_generations = GenerationScorer
