"""Chats: output of OpenAI batches, and rows with the messages of a chat."""

from typing import Any

from ..logs import Log, Row, text_of_message


def _batch_row(sample: Row) -> Row:
    """A row with id (`custom_id`) and prediction: the text of the choice, a list for several, None for a failed request."""
    response: Any = sample.get("response") or {}
    body = response.get("body")
    choices = body.get("choices") if isinstance(body, dict) else None
    failed = not response or response.get("status_code", 200) != 200
    if not failed and (not isinstance(choices, list) or not all("message" in choice for choice in choices)):
        raise ValueError("has no choices with messages in response.body; give the output of chat completions")
    texts = [] if failed else [text_of_message(choice["message"]) for choice in choices or ()]
    return {"id": sample["custom_id"], "prediction": (texts[0] if len(texts) == 1 else texts) if texts else None}


def _has_messages(row: Row) -> bool:
    messages = row.get("messages")
    return isinstance(messages, list) and bool(messages) and all(map(_is_message, messages))


def _row_of_messages(sample: Row) -> Row:
    """Beside the other fields the question, of the last user, and the answer, of the last assistant."""
    messages = filter(_is_message, sample.get("messages") or ())
    texts = {message["role"]: text_of_message(message) for message in messages}
    names = {"question": "user", "answer": "assistant"}
    return {**{name: texts[role] for name, role in names.items() if role in texts}, **sample}


def _is_message(message: Any) -> bool:
    return isinstance(message, dict) and isinstance(message.get("role"), str)


BATCH_OUTPUT = Log("output of an OpenAI batch", lambda row: {"custom_id", "response"} <= row.keys(), _batch_row)
CHATS = Log("rows of chats", _has_messages, _row_of_messages)
