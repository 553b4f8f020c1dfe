"""The prompts of a data set as tokens: what a model gets before it generates, checked before training begins."""

from collections.abc import Callable, Sequence
from typing import Any

from ..core.shown import describe, shown
from .scored_rows import ScoredRows


class Prompts:
    """The rows of a data set with their prompts as tokens.

    Args:
        rows: the rows, with the columns that the prompt needs.
        prompt: the column of prompts, or a function of a row that returns one: a text, or a list of chat messages.
        tokenizer: of the model.
        columns: what the function finds in a row.
        continues: whether the model continues the prompt (a causal model), or reads it (an encoder-decoder model).
        longest: the number of tokens that a prompt may have; None: any.
        name: of the data set, for messages.

    Attributes:
        tokens: the tokens of each prompt.

    Raises:
        TypeError, ValueError: a prompt that is neither text nor messages, is empty, too long, or holds the gold answer;
            messages without a chat template.
    """

    def __init__(
        self,
        rows: ScoredRows,
        prompt: str | Callable[[dict[str, Any]], Any],
        tokenizer: Any,
        *,
        columns: Sequence[str],
        continues: bool,
        longest: int | None,
        name: str,
    ):
        self.rows, self._tokenizer, self._name = rows, tokenizer, name
        prompts = _prompts_of(rows, prompt, columns)
        self.tokens = [self._encoded(value, row, continues) for row, value in enumerate(prompts)]
        for row, tokens in enumerate(self.tokens):
            if not tokens:
                raise ValueError(f"{name}[{row}]: the prompt is empty; give a text or messages")
            if longest is not None and len(tokens) > longest:
                raise ValueError(
                    f"{name}[{row}]: the prompt has {len(tokens):,} tokens, and with max_new_tokens the model has room for "
                    f"{longest:,}; shorten the prompt"
                )
        ends = [_gold_at_the_end(value, gold) for value, gold in zip(prompts, rows.golds, strict=True)]
        if continues and all(ends) and len(set(ends)) > 1:
            raise ValueError(
                f"the prompts of {name} end with the gold answers, such as {shown(_last_text(prompts[0])[-40:])} of row 0: the "
                "model would see what it is asked for; give the prompts without the answers"
            )

    def _encoded(self, value: Any, row: int, continues: bool) -> list[int]:
        if isinstance(value, str):
            tokens = list(self._tokenizer(value)["input_ids"])
            end = self._tokenizer.eos_token
            # Some tokenizers end each text; a model that continues it would take the text as complete.
            if continues and tokens and tokens[-1] == self._tokenizer.eos_token_id and not value.endswith(end or "\0"):
                tokens.pop()
            return tokens
        if not _are_messages(value):
            raise TypeError(
                f"{self._name}[{row}]: a prompt is a text or a list of messages with role and content, not {describe(value)}"
            )
        if value[-1]["role"] == "assistant":
            raise ValueError(
                f"{self._name}[{row}]: the messages end with the assistant's own, the answer; give those before it"
            )
        if not getattr(self._tokenizer, "chat_template", None):
            raise ValueError(
                f"{self._name}[{row}] has chat messages, but the tokenizer has no chat template; set tokenizer.chat_template, "
                "or give prompts as texts"
            )
        messages = [{key: part for key, part in message.items() if part is not None} for message in value]
        found: Any = self._tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=True)
        return list(found["input_ids"])


def _prompts_of(rows: ScoredRows, prompt: str | Callable[[dict[str, Any]], Any], columns: Sequence[str]) -> list[Any]:
    """The prompt of each row: values of a column, or what a function returns for the row as a dict."""
    if isinstance(prompt, str):
        return rows.column(prompt)
    values = zip(*map(rows.column, columns), strict=True)
    return [prompt(dict(zip(columns, row, strict=True))) for row in values]


def _are_messages(value: Any) -> bool:
    return isinstance(value, Sequence) and bool(value) and all(isinstance(m, dict) and "role" in m for m in value)


def _last_text(value: Any) -> str:
    text = value if isinstance(value, str) else value[-1].get("content")
    return text.strip() if isinstance(text, str) else ""


def _gold_at_the_end(value: Any, gold: Any) -> str:
    """The gold answer with which a prompt ends; "" if it ends otherwise."""
    gold = gold.get("text") if isinstance(gold, dict) else gold
    texts = [gold] if isinstance(gold, str) else gold if isinstance(gold, list) else []
    end = _last_text(value)
    return next((text for text in texts if isinstance(text, str) and text and end.endswith(text)), "")
