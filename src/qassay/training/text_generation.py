"""Tokens of prompts, and the texts that the model of a Trainer generates for them, on one or several processes."""

import contextlib
import copy
import importlib.util
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tqdm import tqdm

from ..core.options import check_whole, did_you_mean, keyword_names
from ..core.remarks import remark
from ..core.shown import describe, shown
from ..core.text import get_normalizer
from ..registry import get_family
from .hook import gathered

_LENGTH = 32  # default number of tokens of an answer
_FIXED = ("max_length", "use_cache", "pad_token_id", "return_dict_in_generate", "num_return_sequences")


def generate_texts(
    trainer: Any, tokenizer: Any, config: Any, prompts: Sequence[Sequence[int]], batch_size: int
) -> list[tuple[str, bool]]:
    """The text that the model generates for each prompt, and whether it was cut at max_new_tokens.

    Every process calls this, generates its share, longest prompts first, and gets all texts.

    Args:
        trainer: its model may be wrapped, sharded or have adapters.
        tokenizer: of the model.
        config: a GenerationConfig of `generation_options`.
        prompts: n lists of tokens.
        batch_size: prompts per process and call of `generate`.

    Raises:
        ValueError: the processes have different prompts.
        RuntimeError: one of several processes could not generate; raised in all.
    """
    accelerator = trainer.accelerator
    order = sorted(range(len(prompts)), key=lambda row: -len(prompts[row]))
    share = order[accelerator.process_index :: accelerator.num_processes]
    size = -(-len(order) // accelerator.num_processes)
    share += order[-1:] * (size - len(share))  # a sharded model requires equally many calls in each process
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
    checksum = zlib.crc32(repr(prompts).encode()) if accelerator.num_processes > 1 else 0
    # A failure is gathered too, so no process waits for one that failed.
    for found, failed, other_checksum in gathered((outputs, failure, checksum)):
        if failed:
            raise RuntimeError(f"a process could not generate: {failed}")
        if other_checksum != checksum:
            raise ValueError("the processes have different prompts; give the same rows in the same order to each")
        outputs |= found
    return [outputs[row] for row in range(len(order))]


def _generate(model: Any, tokenizer: Any, config: Any, prompts: Sequence[Sequence[int]]) -> list[tuple[str, bool]]:
    import torch

    adapter = getattr(model, "active_peft_config", None)
    if len(prompts) > 1 and getattr(adapter, "is_prompt_learning", False):  # its positions do not allow padding
        return [text for prompt in prompts for text in _generate(model, tokenizer, config, [prompt])]
    is_causal = not model.config.is_encoder_decoder
    width, padding = max(map(len, prompts)), tokenizer.pad_token_id
    tokens = torch.full((len(prompts), width), padding, device=model.device)
    mask = torch.zeros_like(tokens)
    for row, prompt in enumerate(prompts):
        # A causal model continues the last token, so padding is on the left.
        columns = slice(width - len(prompt), None) if is_causal else slice(None, len(prompt))
        tokens[row, columns], mask[row, columns] = torch.tensor(prompt, device=model.device), 1
    config = copy.deepcopy(config)
    # Trainer adds the end token of the tokenizer to the model when training starts.
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
    """The model without wrappers, in evaluation mode; modes and random state are restored."""
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
    """The tokenizer of a Trainer whose model can generate, or of its processor.

    Raises:
        TypeError, ValueError: no tokenizer, no padding token, or a model that cannot generate.
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
    return text_tokenizer(tokenizer)


def text_tokenizer(tokenizer: Any) -> Any:
    """A tokenizer with a padding token, also that of a processor.

    Raises:
        TypeError, ValueError: not a tokenizer, or one without a padding token.
    """
    if not hasattr(tokenizer, "pad_token_id"):
        tokenizer = getattr(tokenizer, "tokenizer", tokenizer)
    if not hasattr(tokenizer, "batch_decode"):
        raise TypeError(f"tokenizer must have batch_decode, as in transformers; got {describe(tokenizer)}")
    if getattr(tokenizer, "pad_token_id", None) is None:
        raise ValueError("the tokenizer has no padding token; set tokenizer.pad_token, for example to its eos_token")
    return tokenizer


def generation_options(
    trainer: Any, tokenizer: Any, metric: str, options: Mapping[str, Any], given: Any, max_new_tokens: int | None
) -> tuple[Any, dict[str, Any]]:
    """A GenerationConfig, greedy by default, and the options of the metric among `options`.

    Raises:
        TypeError, ValueError: an unknown option, or one that is fixed here.
    """
    from transformers import GenerationConfig

    names = keyword_names(get_family(metric).load()[1])
    config = copy.deepcopy(trainer.model.generation_config if given is None else given)
    if not isinstance(config, GenerationConfig):
        raise TypeError(f"generation_config must be a GenerationConfig, got {describe(config)}")
    # `generate` takes None from the model.
    config.do_sample = bool(given is not None and config.do_sample)
    config.num_beams = (given is not None and config.num_beams) or 1
    of_metric = {name: value for name, value in options.items() if name in names and name != "top_k"}
    of_generation = {name: value for name, value in options.items() if name not in of_metric}
    for name in of_generation:
        if name in _FIXED:
            raise TypeError(f"{name} is set by score_generations; omit it (max_new_tokens limits the answers)")
    for name in config.update(**of_generation):  # type: ignore[no-untyped-call]
        near = did_you_mean(name, [*names, *config.to_dict()])
        raise TypeError(f"neither {metric} nor generate has the option {name!r}{near}")
    if max_new_tokens is not None:
        check_whole("max_new_tokens", max_new_tokens)
    config.max_new_tokens = max_new_tokens or (given is not None and config.max_new_tokens) or _LENGTH
    config.max_length, config.return_dict_in_generate, config.num_return_sequences = None, False, 1
    config.use_cache = True  # gradient checkpointing turns it off
    config.pad_token_id = tokenizer.pad_token_id
    return config, of_metric


def _as_list(ends: Any) -> list[int]:
    return [] if ends is None else [ends] if isinstance(ends, int) else list(ends)


def prompt_tokens(
    prompts: Sequence[Any], golds: Sequence[Any], tokenizer: Any, *, is_causal: bool, longest: int | None, name: str
) -> list[list[int]]:
    """The tokens of each prompt.

    Args:
        prompts: n texts or lists of chat messages, to which the chat template of the tokenizer is applied.
        golds: the gold answers of each, for a warning if all prompts end with a gold answer.
        is_causal: whether the model continues the prompt; if not, the prompt is the input of the encoder.
        longest: the maximum number of tokens of a prompt; None: any.
        name: of the data set, for messages.

    Raises:
        TypeError, ValueError: a prompt that is neither text nor messages, is empty, too long, or ends with a message of the
            assistant; messages without a chat template. The message has the row.
    """
    rows = []
    for row, prompt in enumerate(prompts):
        where = f"{name}[{row}]"
        tokens = (
            _of_text(prompt, tokenizer, is_causal) if isinstance(prompt, str) else _of_chat(prompt, tokenizer, where)
        )
        if not tokens:
            raise ValueError(f"{where}: the prompt is empty; give a text or messages")
        if longest is not None and len(tokens) > longest:
            raise ValueError(
                f"{where}: the prompt has {len(tokens):,} tokens, and beside max_new_tokens the model has room for "
                f"{max(longest, 0):,}; shorten the prompt, or lower max_new_tokens"
            )
        rows.append(tokens)
    if is_causal:
        _warn_of_answers(prompts, golds, tokenizer, name)
    return rows


def positions(config: Any) -> int | None:
    """The maximum number of tokens of a causal model; None if its configuration has no limit."""
    text = config.get_text_config(decoder=True)
    scaling = getattr(text, "rope_parameters", None) or getattr(text, "rope_scaling", None) or {}
    limit = getattr(text, "max_position_embeddings", None)
    is_extended = isinstance(scaling, dict) and scaling.get("rope_type", "default") != "default"
    return None if is_extended or not isinstance(limit, int) or limit < 1 else limit


def _of_text(text: str, tokenizer: Any, is_causal: bool) -> list[int]:
    start, end = tokenizer.bos_token, tokenizer.eos_token
    # A text from a chat template already begins with the special token.
    tokens = list(tokenizer(text, add_special_tokens=not (start and text.startswith(start)))["input_ids"])
    # Some tokenizers add an end token, after which a causal model generates nothing.
    if is_causal and tokens and tokens[-1] == tokenizer.eos_token_id and not (end and text.endswith(end)):
        tokens.pop()
    return tokens


def _of_chat(messages: Any, tokenizer: Any, where: str) -> list[int]:
    if not isinstance(messages, Sequence) or not all(isinstance(one, dict) and "role" in one for one in messages):
        raise TypeError(
            f"{where}: a prompt is a text or a list of messages with role and content, not {describe(messages)}"
        )
    if messages and messages[-1]["role"] == "assistant":
        raise ValueError(f"{where}: the messages end with the answer of the assistant; give those before it")
    if not getattr(tokenizer, "chat_template", None):
        raise ValueError(
            f"{where} has chat messages, but the tokenizer has no chat template; set tokenizer.chat_template, or give "
            "prompts as texts"
        )
    # Arrow adds missing keys of a message as None.
    complete = [{key: part for key, part in one.items() if part is not None} for one in messages]
    return list(tokenizer.apply_chat_template(complete, add_generation_prompt=True, return_dict=True)["input_ids"])


def _warn_of_answers(prompts: Sequence[Any], golds: Sequence[Any], tokenizer: Any, name: str) -> None:
    """Warn if all prompts that are texts with gold answers end with one of them."""
    plain, ends = get_normalizer("squad"), []
    for prompt, gold in zip(prompts, golds, strict=True):
        gold = gold.get("text") if isinstance(gold, dict) else gold
        answers = [gold] if isinstance(gold, str) else [text for text in gold or () if isinstance(text, str)]
        if isinstance(prompt, str) and any(answers):
            last = prompt[-1000:]
            for token in tokenizer.all_special_tokens:
                last = last.replace(token, " ")
            found = [text for text in map(plain, answers) if text and f" {plain(last)}".endswith(f" {text}")]
            ends.append(found[0] if found else "")
    if all(ends) and len(set(ends)) > 1:
        remark(
            f"the prompts of {name} end with the gold answers, such as {shown(prompts[0][-40:])} of row 0: the model sees the "
            "answers; give the prompts without them"
        )
