"""Texts that the model of a Trainer generates, in one process or several; the Trainer stays as it was."""

import contextlib
import copy
import importlib.util
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tqdm import tqdm

from ..core.options import check_whole, did_you_mean, keyword_names
from ..core.shown import describe
from ..registry import get_family

_LENGTH = 32  # tokens of an answer, where nothing says how many
_FIXED = (
    "max_length",
    "use_cache",
    "pad_token_id",
    "return_dict_in_generate",
    "num_return_sequences",
    "transformers_version",
)
_OF_SAMPLING = ("temperature", "top_k", "top_p", "min_p", "top_h", "typical_p", "epsilon_cutoff", "eta_cutoff")


def generate_texts(
    trainer: Any, tokenizer: Any, config: Any, prompts: Sequence[Sequence[int]], batch_size: int
) -> list[tuple[str, bool]]:
    """The text that the model generates for each prompt, and whether it reached max_new_tokens without an end.

    Every process calls this, generates its share, the longest prompts first, and gets all texts.

    Args:
        trainer: its model may be wrapped, sharded or have adapters.
        tokenizer: of the model.
        config: a GenerationConfig of `generation_options`.
        prompts: n lists of tokens.
        batch_size: prompts per process and call of `generate`.

    Raises:
        ValueError: the processes have different prompts.
        RuntimeError: in every process, if one of several could not generate.
    """
    from accelerate.utils import gather_object

    accelerator = trainer.accelerator
    order = sorted(range(len(prompts)), key=lambda row: -len(prompts[row]))
    share = order[accelerator.process_index :: accelerator.num_processes]
    size = -(-len(order) // accelerator.num_processes)
    share += order[-1:] * (size - len(share))  # the processes of a sharded model must call it equally often
    batches = [share[start : start + batch_size] for start in range(0, size, batch_size)]
    outputs: dict[int, tuple[str, bool]] = {}
    failure = ""
    silent = trainer.args.disable_tqdm or not accelerator.is_main_process
    try:
        with _ready(trainer, sampling=bool(config.do_sample)) as model:
            for batch in tqdm(batches, desc="Generating", disable=silent, leave=False):
                texts = _generate(model, tokenizer, config, [prompts[row] for row in batch])
                outputs |= zip(batch, texts, strict=True)
    except Exception as error:
        if accelerator.num_processes == 1:
            raise
        failure = f"{type(error).__name__}: {error}"
    rows = zlib.crc32(repr(prompts).encode()) if accelerator.num_processes > 1 else 0
    for others, failed, other_rows in gather_object(
        [(outputs, failure, rows)]
    ):  # so that none waits for one that failed
        if failed:
            raise RuntimeError(f"a process could not generate: {failed}")
        if other_rows != rows:
            raise ValueError("the processes have different prompts; give the same rows in the same order to each")
        outputs |= others
    return [outputs[row] for row in range(len(order))]


def check_generation(trainer: Any, tokenizer: Any, config: Any, prompt: Sequence[int]) -> None:
    """Generate a token, so that what `generate` refuses is refused now; not with a model that is sharded later."""
    if not (trainer.is_deepspeed_enabled or trainer.is_fsdp_enabled):
        config = copy.deepcopy(config)
        config.max_new_tokens = 1
        with _ready(trainer, sampling=bool(config.do_sample)) as model:
            _generate(model, tokenizer, config, [prompt])


def _generate(model: Any, tokenizer: Any, config: Any, prompts: Sequence[Sequence[int]]) -> list[tuple[str, bool]]:
    import torch

    adapter = getattr(model, "active_peft_config", None)
    if len(prompts) > 1 and getattr(adapter, "is_prompt_learning", False):  # its positions do not allow for padding
        return [text for prompt in prompts for text in _generate(model, tokenizer, config, [prompt])]
    is_causal = not model.config.is_encoder_decoder
    width, padding = max(map(len, prompts)), tokenizer.pad_token_id
    tokens = torch.full((len(prompts), width), padding, device=model.device)
    mask = torch.zeros_like(tokens)
    for row, prompt in enumerate(prompts):
        # A causal model continues the last token, so its padding comes first.
        columns = slice(width - len(prompt), None) if is_causal else slice(None, len(prompt))
        tokens[row, columns], mask[row, columns] = torch.tensor(prompt, device=model.device), 1
    config = copy.deepcopy(config)
    # Trainer adds the end token of the tokenizer to the model when the training starts.
    ends = {
        *_as_list(config.eos_token_id),
        *_as_list(model.generation_config.eos_token_id),
        *_as_list(tokenizer.eos_token_id),
    }
    config.eos_token_id = sorted(ends) or None
    stops = {"tokenizer": tokenizer} if config.stop_strings else {}
    output = model.generate(input_ids=tokens, attention_mask=mask, generation_config=config, **stops)
    new = output[:, width if is_causal else 1 :]
    texts = tokenizer.batch_decode(new.tolist(), skip_special_tokens=True)
    has_end = torch.isin(new, torch.tensor([padding, *ends], device=new.device)).any(dim=1)
    is_cut = ~has_end & (new.shape[1] == config.max_new_tokens)
    return [(text.strip(), cut) for text, cut in zip(texts, is_cut.tolist(), strict=True)]


@contextlib.contextmanager
def _ready(trainer: Any, sampling: bool) -> Iterator[Any]:
    """The model without wrappers, in evaluation mode; its modes, and the random state if it samples, are restored."""
    import torch

    accelerator = trainer.accelerator
    fsdp = sys.modules.get("torch.distributed.fsdp")
    with contextlib.ExitStack() as stack:
        if trainer.is_deepspeed_enabled and importlib.util.find_spec("trl"):
            from trl.models.utils import unwrap_model_for_generation  # gathers the shards of ZeRO-3 once

            checkpointing = trainer.args.gradient_checkpointing_kwargs
            unwrapped = unwrap_model_for_generation(
                trainer.model_wrapped, accelerator, gradient_checkpointing_kwargs=checkpointing
            )
            model = stack.enter_context(unwrapped)
        else:
            if fsdp is not None and isinstance(trainer.model, fsdp.FullyShardedDataParallel):
                whole = fsdp.FullyShardedDataParallel.summon_full_params
                stack.enter_context(whole(trainer.model, recurse=False, writeback=False))
            model = accelerator.unwrap_model(trainer.model)
        if sampling:
            devices = range(torch.cuda.device_count())
            stack.enter_context(torch.random.fork_rng(devices))
            torch.manual_seed(trainer.args.seed + accelerator.process_index)
        for module in model.modules():
            stack.callback(setattr, module, "training", module.training)
        model.eval()
        stack.enter_context(accelerator.autocast())
        yield model


def tokenizer_of(trainer: Any, tokenizer: Any) -> Any:
    """The tokenizer of a Trainer whose model can generate; of a processor its own.

    Raises:
        TypeError, ValueError: there is none, it cannot pad, or the model cannot generate.
    """
    if not all(hasattr(trainer, name) for name in ("model", "evaluate", "evaluation_loop", "accelerator")):
        raise TypeError(f"trainer must be a Trainer of transformers or TRL, got {describe(trainer)}")
    if not (hasattr(trainer.model, "can_generate") and trainer.model.can_generate()):
        raise TypeError(f"{type(trainer.model).__name__} cannot generate; load a model such as AutoModelForCausalLM")
    parallelism = getattr(trainer.accelerator, "parallelism_config", None)
    if parallelism is not None and parallelism.non_data_parallel_size > 1:
        raise ValueError(
            "score_generations shares rows by data parallelism; omit tensor, context and sequence parallelism"
        )
    tokenizer = trainer.processing_class if tokenizer is None else tokenizer
    if tokenizer is None:
        raise ValueError("the Trainer has no processing_class; give tokenizer=...")
    tokenizer = getattr(tokenizer, "tokenizer", tokenizer)
    if not hasattr(tokenizer, "batch_decode"):
        raise TypeError(f"tokenizer must be one of transformers, got {describe(tokenizer)}")
    if tokenizer.pad_token_id is None:
        raise ValueError("the tokenizer has no padding token; set tokenizer.pad_token, for example to its eos_token")
    return tokenizer


def generation_options(
    trainer: Any, tokenizer: Any, metric: str, options: Mapping[str, Any], given: Any, max_new_tokens: int | None
) -> tuple[Any, dict[str, Any]]:
    """A GenerationConfig, greedy unless `given` or `options` say otherwise, and the options of the metric among `options`.

    Raises:
        TypeError, ValueError: an option that neither has, that is fixed here, or that needs do_sample.
    """
    from transformers import GenerationConfig

    names = keyword_names(get_family(metric).load()[1])
    config = copy.deepcopy(trainer.model.generation_config if given is None else given)
    if not isinstance(config, GenerationConfig):
        raise TypeError(f"generation_config must be a GenerationConfig, got {describe(config)}")
    # What is None here, `generate` takes from the model.
    config.do_sample = bool(given is not None and config.do_sample)
    config.num_beams = (given is not None and config.num_beams) or 1
    of_metric = {name: value for name, value in options.items() if name in names and name != "top_k"}
    of_generation = {name: value for name, value in options.items() if name not in of_metric}
    there: list[str] = [name for name in config.to_dict() if name not in _FIXED and not name.startswith("_")]
    for name, value in of_generation.items():
        if name in _FIXED:
            raise TypeError(f"{name} is set by score_generations; omit it (max_new_tokens limits the answers)")
        if name not in there:
            raise TypeError(
                f"neither {metric} nor generate has the option {name!r}{did_you_mean(name, [*names, *there])}"
            )
        setattr(config, name, value)
    if sampling := [name for name in _OF_SAMPLING if name in of_generation and not config.do_sample]:
        raise ValueError(f"{sampling[0]} has an effect only where answers are sampled; add do_sample=True or omit it")
    if max_new_tokens is not None:
        check_whole("max_new_tokens", max_new_tokens)
    config.max_new_tokens = max_new_tokens or (given is not None and config.max_new_tokens) or _LENGTH
    config.max_length, config.return_dict_in_generate, config.num_return_sequences = None, False, 1
    config.use_cache = True  # gradient checkpointing turns it off in the configuration of the model
    config.pad_token_id = tokenizer.pad_token_id
    return config, of_metric


def _as_list(ends: Any) -> list[int]:
    return [] if ends is None else [ends] if isinstance(ends, int) else list(ends)
