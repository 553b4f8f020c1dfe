"""Prompts as tokens: what a model gets before it generates, checked before training begins."""

from collections.abc import Sequence
from typing import Any

from ..core.remarks import remark
from ..core.shown import describe, shown
from ..core.text import get_normalizer


def prompt_tokens(
    prompts: Sequence[Any], golds: Sequence[Any], tokenizer: Any, *, is_causal: bool, longest: int | None, name: str
) -> list[list[int]]:
    """The tokens of each prompt.

    Args:
        prompts: n texts or lists of chat messages, to which the chat template of the tokenizer is applied.
        golds: the gold answers of each, for a warning where all prompts end with one of theirs.
        is_causal: whether the model continues the prompt; else it reads it as the input of its encoder.
        longest: the number of tokens that a prompt may have; None: any.
        name: of the data set, for messages.

    Raises:
        TypeError, ValueError: a prompt that is neither text nor messages, is empty, too long, or ends with the message of the
            assistant; messages without a chat template. The message names the row.
    """
    rows = []
    for row, prompt in enumerate(prompts):
        place = f"{name}[{row}]"
        tokens = (
            _of_text(prompt, tokenizer, is_causal) if isinstance(prompt, str) else _of_chat(prompt, tokenizer, place)
        )
        if not tokens:
            raise ValueError(f"{place}: the prompt is empty; give a text or messages")
        if longest is not None and len(tokens) > longest:
            raise ValueError(
                f"{place}: the prompt has {len(tokens):,} tokens, and beside max_new_tokens the model has room for "
                f"{max(longest, 0):,}; shorten the prompt, or lower max_new_tokens"
            )
        rows.append(tokens)
    if is_causal:
        _warn_of_answers(prompts, golds, tokenizer, name)
    return rows


def positions(config: Any) -> int | None:
    """The number of tokens that a causal model takes, where its configuration has a limit."""
    text = config.get_text_config(decoder=True)
    scaling = getattr(text, "rope_parameters", None) or getattr(text, "rope_scaling", None) or {}
    limit = getattr(text, "max_position_embeddings", None)
    is_extended = isinstance(scaling, dict) and scaling.get("rope_type", "default") != "default"
    return None if is_extended or not isinstance(limit, int) or limit < 1 else limit


def _of_text(text: str, tokenizer: Any, is_causal: bool) -> list[int]:
    start, end = tokenizer.bos_token, tokenizer.eos_token
    # A text that a chat template made begins with the special token already.
    tokens = list(tokenizer(text, add_special_tokens=not (start and text.startswith(start)))["input_ids"])
    # Some tokenizers end each text; a causal model would take the prompt as complete.
    if is_causal and tokens and tokens[-1] == tokenizer.eos_token_id and not (end and text.endswith(end)):
        tokens.pop()
    return tokens


def _of_chat(messages: Any, tokenizer: Any, place: str) -> list[int]:
    if not isinstance(messages, Sequence) or not all(isinstance(one, dict) and "role" in one for one in messages):
        raise TypeError(
            f"{place}: a prompt is a text or a list of messages with role and content, not {describe(messages)}"
        )
    if messages and messages[-1]["role"] == "assistant":
        raise ValueError(f"{place}: the messages end with the answer of the assistant; give those before it")
    if not getattr(tokenizer, "chat_template", None):
        raise ValueError(
            f"{place} has chat messages, but the tokenizer has no chat template; set tokenizer.chat_template, or give "
            "prompts as texts"
        )
    # Arrow fills the keys that a message lacks with None.
    complete = [{key: part for key, part in one.items() if part is not None} for one in messages]
    return list(tokenizer.apply_chat_template(complete, add_generation_prompt=True, return_dict=True)["input_ids"])


def _warn_of_answers(prompts: Sequence[Any], golds: Sequence[Any], tokenizer: Any, name: str) -> None:
    """Warn where every prompt that is a text and has gold answers ends with one of them."""
    plain = get_normalizer("squad")

    def words(text: str) -> list[str]:
        for token in tokenizer.all_special_tokens:
            text = text.replace(token, " ")
        return plain(text).split()

    ends = []
    for prompt, gold in zip(prompts, golds, strict=True):
        gold = gold.get("text") if isinstance(gold, dict) else gold
        answers = [gold] if isinstance(gold, str) else [text for text in gold or () if isinstance(text, str)]
        if isinstance(prompt, str) and any(answers):
            last = words(prompt[-1000:])
            found = [text for text in map(words, answers) if text and last[-len(text) :] == text]
            ends.append(" ".join(found[0]) if found else "")
    if all(ends) and len(set(ends)) > 1:
        remark(
            f"the prompts of {name} end with the gold answers, such as {shown(prompts[0][-40:])} of row 0: the model sees what it "
            "is asked for; give the prompts without the answers"
        )
