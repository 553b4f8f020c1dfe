"""Generates texts with the model of a Trainer, in one process or several, and leaves the Trainer as it was."""

import contextlib
import copy
import importlib.util
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tqdm import tqdm

from ..core.options import check_whole, did_you_mean, keyword_names
from ..core.shown import describe
from ..registry import get_family


class Generator:
    """Generates with the model of a Trainer.

    Args:
        trainer: its model may be wrapped, sharded or have adapters.
        tokenizer: of the model.
        config: the GenerationConfig that `config_of` makes.
        batch_size: rows per process and call of `generate`.
    """

    def __init__(self, trainer: Any, tokenizer: Any, config: Any, batch_size: int):
        self._trainer, self._tokenizer, self._config, self._batch_size = trainer, tokenizer, config, batch_size

    def __call__(self, prompts: Sequence[Sequence[int]]) -> list[tuple[str, bool]]:
        """The text generated for each prompt, and whether it reached the longest length without an end.

        Every process calls this, generates its share, the longest prompts first, and gets all texts.

        Raises:
            RuntimeError: in every process, if one of several could not generate.
        """
        from accelerate.utils import gather_object

        accelerator = self._trainer.accelerator
        order = sorted(range(len(prompts)), key=lambda row: -len(prompts[row]))
        share = order[accelerator.process_index :: accelerator.num_processes]
        size = -(-len(order) // accelerator.num_processes)
        share += order[-1:] * (size - len(share))  # the processes that share a sharded model need as many batches each
        batches = [share[start : start + self._batch_size] for start in range(0, size, self._batch_size)]
        outputs: dict[int, tuple[str, bool]] = {}
        failure = ""
        silent = self._trainer.args.disable_tqdm or not accelerator.is_main_process
        try:
            with self._ready() as model:
                for batch in tqdm(batches, desc="Generating", disable=silent, leave=False):
                    outputs |= zip(batch, self._texts(model, [prompts[row] for row in batch]), strict=True)
        except Exception as error:
            if accelerator.num_processes == 1:
                raise
            failure = f"{type(error).__name__}: {error}"
        for others, failed in gather_object([(outputs, failure)]):  # so that none waits for one that failed
            if failed:
                raise RuntimeError(f"a process could not generate: {failed}")
            outputs |= others
        return [outputs[row] for row in range(len(order))]

    def _texts(self, model: Any, prompts: Sequence[Sequence[int]]) -> list[tuple[str, bool]]:
        import torch

        width, padding, reads = max(map(len, prompts)), self._tokenizer.pad_token_id, model.config.is_encoder_decoder
        tokens = torch.full((len(prompts), width), padding, device=model.device)
        mask = torch.zeros_like(tokens)
        for row, prompt in enumerate(prompts):
            # A causal model continues the last token, so its padding comes first.
            where = slice(None, len(prompt)) if reads else slice(width - len(prompt), None)
            tokens[row, where], mask[row, where] = torch.tensor(prompt, device=model.device), 1
        config = copy.deepcopy(self._config)  # generate changes it
        output = model.generate(input_ids=tokens, attention_mask=mask, generation_config=config)
        new = output[:, 1 if reads else width :]
        ends = torch.tensor([padding, *_as_list(self._config.eos_token_id)], device=new.device)
        is_cut = ~torch.isin(new, ends).any(dim=1) & (new.shape[1] == self._config.max_new_tokens)
        texts = self._tokenizer.batch_decode(new.tolist(), skip_special_tokens=True)
        return [(text.strip(), cut) for text, cut in zip(texts, is_cut.tolist(), strict=True)]

    @contextlib.contextmanager
    def _ready(self) -> Iterator[Any]:
        """The model without wrappers, in evaluation mode; its modes and the random state are restored, also after an error."""
        import torch

        trainer, accelerator = self._trainer, self._trainer.accelerator
        fsdp = sys.modules.get("torch.distributed.fsdp")
        with contextlib.ExitStack() as stack:
            if trainer.is_deepspeed_enabled and importlib.util.find_spec("trl"):
                from trl.models.utils import unwrap_model_for_generation  # gathers the shards of ZeRO-3 once

                model = stack.enter_context(unwrap_model_for_generation(trainer.model_wrapped, accelerator))
            else:
                if fsdp is not None and isinstance(trainer.model, fsdp.FullyShardedDataParallel):
                    stack.enter_context(fsdp.FullyShardedDataParallel.summon_full_params(trainer.model))
                model = accelerator.unwrap_model(trainer.model)
            devices = [torch.cuda.current_device()] if torch.cuda.is_available() else []
            stack.enter_context(torch.random.fork_rng(devices))
            torch.manual_seed(trainer.args.seed + accelerator.process_index)
            for module in model.modules():
                stack.callback(setattr, module, "training", module.training)
            model.eval()
            yield model


def tokenizer_of(trainer: Any, tokenizer: Any) -> Any:
    """The tokenizer, checked; of a processor its own."""
    model = trainer.model
    if not (hasattr(model, "can_generate") and model.can_generate()):
        raise TypeError(f"{type(model).__name__} cannot generate; load a model such as AutoModelForCausalLM")
    tokenizer = trainer.processing_class if tokenizer is None else tokenizer
    if tokenizer is None:
        raise ValueError("the Trainer has no processing_class; give tokenizer=...")
    tokenizer = getattr(tokenizer, "tokenizer", tokenizer)
    if not hasattr(tokenizer, "batch_decode"):
        raise TypeError(f"tokenizer must be one of transformers, got {describe(tokenizer)}")
    if tokenizer.pad_token_id is None:
        raise ValueError("the tokenizer has no padding token; set tokenizer.pad_token, for example to its eos_token")
    return tokenizer


def config_of(
    model: Any, tokenizer: Any, metric: str, options: Mapping[str, Any], given: Any, max_new_tokens: int
) -> tuple[Any, dict[str, Any]]:
    """How to generate, and the options of the metric, both out of `options`.

    Raises:
        TypeError, ValueError: an option that neither has, more than one answer per prompt.
    """
    from transformers import GenerationConfig

    check_whole("max_new_tokens", max_new_tokens)
    names = keyword_names(get_family(metric).load()[1])
    config = copy.deepcopy(model.generation_config if given is None else given)
    if not isinstance(config, GenerationConfig):
        raise TypeError(f"generation_config must be a GenerationConfig, got {describe(config)}")
    if given is None and not options.get("do_sample"):  # without what only sampling reads, of which generate would warn
        config.update(
            do_sample=False, num_beams=1, temperature=None, top_p=None, top_k=None, min_p=None, typical_p=None
        )
    of_metric = {name: value for name, value in options.items() if name in names and name != "top_k"}
    for name in options.keys() - of_metric.keys():
        if name not in GenerationConfig().to_dict() or name == "max_length":
            there = [*names, *GenerationConfig().to_dict()]
            raise TypeError(
                f"neither {metric} nor a GenerationConfig has the option {name!r}{did_you_mean(name, there)}"
            )
        setattr(config, name, options[name])
    if (config.num_return_sequences or 1) > 1:
        raise ValueError("one answer to each prompt is scored; omit num_return_sequences")
    config.max_new_tokens, config.max_length, config.return_dict_in_generate = max_new_tokens, None, False
    config.use_cache = True  # gradient checkpointing turns it off in the configuration of the model
    config.pad_token_id = tokenizer.pad_token_id
    if config.eos_token_id is None:
        config.eos_token_id = tokenizer.eos_token_id
    return config, of_metric


def _as_list(ends: Any) -> list[int]:
    return [] if ends is None else [ends] if isinstance(ends, int) else list(ends)
