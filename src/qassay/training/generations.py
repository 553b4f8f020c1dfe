"""Scores what the model of a Trainer generates, in each of its evaluations.

`compute_metrics` cannot: it gets the output of a forward pass over prompt and gold answer (teacher forcing), where each token is
predicted from the gold tokens before it.
"""

from collections.abc import Callable, Sequence
from typing import Any

from ..core.interval_settings import Intervals
from ..core.options import check_whole
from .generation_scorer import GenerationScorer, PromptedRows
from .hook import LoggedMeasures
from .prompts import positions, prompt_tokens
from .scored_rows import ScoredRows, column_names
from .text_generation import check_generation, generate_texts, generation_options, tokenizer_of

_Source = str | Callable[[dict[str, Any]], Any]  # a column, or a function of a row


def score_generations(
    trainer: Any,
    dataset: Any,
    *,
    prompt: _Source = "prompt",
    references: _Source = "answers",
    metric: str = "answer_match",
    measures: Sequence[str] | None = None,
    max_new_tokens: int | None = None,
    generation_config: Any = None,
    batch_size: int | None = None,
    limit: int | None = None,
    every: int = 1,
    ids: str | None = None,
    questions: str | None = None,
    groups: Any = None,
    confidence: float | None = None,
    n_resamples: int = 1000,
    seed: int = 0,
    safe_names: bool = False,
    tokenizer: Any = None,
    **options: Any,
) -> GenerationScorer:
    """From now on, `trainer.evaluate()` also generates an answer to each row of a data set, and logs how good the answers are.

    The numbers join those of the evaluation before they are logged, as `eval_exact_match`, so that trackers,
    `metric_for_best_model` and early stopping find them. The answers are generated once in each evaluation of the Trainer's
    evaluation data, also if these are several sets; never in `trainer.predict`, nor in `trainer.evaluate` of other
    data. Several processes share the rows. A second call for the same Trainer replaces the first.

    Args:
        trainer: a Trainer of transformers (Seq2SeqTrainer) or TRL (SFTTrainer, GRPOTrainer), of a model that has `generate`.
        dataset: the rows to answer: a `datasets.Dataset`, a table, a dict of columns or a list of dicts, not tokenized; or a
            dict name -> such rows, whose numbers are logged as `eval_NAME_exact_match`.
        prompt: the column of prompts, without the answer: texts, or lists of chat messages, to which the chat template of
            the tokenizer is applied; or a function of a row that returns either. For an encoder-decoder model: its input.
        references: the column of gold answers, or a function of a row that returns them; as in `evaluate_pipeline`.
        ids, questions, groups: columns, as in `evaluate_pipeline`.
        metric: a metric of answers, such as "answer_match", "answer_equivalence", "semantic_answer_similarity".
        measures: the names of the numbers to log; None: the main ones of the metric.
        max_new_tokens: the longest answer, in tokens; None: that of generation_config, else 32. The share of answers that
            reach it is logged as `eval_generation_truncated`.
        generation_config: a GenerationConfig instead of that of the model, from which `generate` takes only what is None in
            it. Without one, and where it does not say, the answers are greedy.
        batch_size: rows per process and call of `generate`; None: per_device_eval_batch_size.
        limit: score the first rows only, this many of each data set.
        every: while training, generate in the first evaluation and in every this many-th after it.
        confidence, n_resamples, seed: log intervals too, as in `Scores.interval`: `eval_f1_low` and `eval_f1_high`.
        safe_names: log names without "@", brackets and "=", which MLflow refuses.
        tokenizer: None: the trainer's processing_class, or the tokenizer of that processor.
        options: of the metric (`preset=`, `extract=`), or else of `generate` (`num_beams=4`, `do_sample=True`, `top_k=5`). Samples
            are the same in each evaluation.

    Returns:
        The GenerationScorer: `.answers` and `.scores` of the last evaluation, `.run()`, `.remove()`.

    Raises:
        TypeError, ValueError: at once: a model that cannot generate, no padding token, no chat template, a missing
            column, prompts that are empty or too long, unknown options or measures, and a `metric_for_best_model` that would
            not be found. In the first evaluation: `compute_metrics` logs the same name.
    """
    tokenizer = tokenizer_of(trainer, tokenizer)
    config, of_metric = generation_options(trainer, tokenizer, metric, options, generation_config, max_new_tokens)
    for argument, number in {"batch_size": batch_size, "limit": limit, "every": every}.items():
        if number is not None:
            check_whole(argument, number)
    if measures is not None and not measures:
        raise ValueError("measures is empty; name at least one, or omit it")
    model_config = trainer.model.config
    is_causal = not model_config.is_encoder_decoder

    def read(data: Any, name: str) -> PromptedRows:
        names = column_names(data)
        is_function = callable(prompt) or callable(references)
        rows = ScoredRows(
            data,
            metric,
            of_metric,
            references=references,
            ids=ids,
            questions=questions,
            groups=groups,
            inputs={prompt: "say which column holds the prompts: prompt='...'"} if isinstance(prompt, str) else {},
            optional=names if is_function else (),
            limit=limit,
            name=name,
        )
        longest = positions(model_config) if is_causal else None
        longest = None if longest is None else longest - config.max_new_tokens
        found = rows.values(prompt)
        tokens = prompt_tokens(found, rows.golds, tokenizer, is_causal=is_causal, longest=longest, name=name)
        return PromptedRows(rows, tokens)

    def generate(prompts: Sequence[Sequence[int]]) -> list[tuple[str, bool]]:
        return generate_texts(
            trainer, tokenizer, config, prompts, batch_size or trainer.args.per_device_eval_batch_size
        )

    report = LoggedMeasures(measures, Intervals(confidence, "auto", n_resamples, seed), safe_names)
    scorer = GenerationScorer(trainer, dataset, read, generate, report, every)
    check_generation(trainer, tokenizer, config, scorer.first_prompt)
    scorer.attach()
    return scorer
