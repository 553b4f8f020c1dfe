"""Chats: output of OpenAI batches, and rows with the messages of a chat."""

from typing import Any

from ..logs import Log, Row, text_of_message


class BatchOutput(Log):
    """Rows with id (`custom_id`) and prediction: the text of the choice, a list for several, None for a failed request."""

    name = "output of an OpenAI batch"

    def has_row(self, row: Row) -> bool:
        return {"custom_id", "response"} <= row.keys()

    def row(self, sample: Row) -> Row:
        """The row of a request.

        Raises:
            ValueError: a response of another kind than chat completions.
        """
        response: Any = sample.get("response") or {}
        body = response.get("body") if isinstance(response, dict) else None
        choices = body.get("choices") if isinstance(body, dict) else None
        failed = not response or response.get("status_code", 200) != 200
        if not failed and (not isinstance(choices, list) or not all(map(_has_message, choices))):
            raise ValueError("has no choices with messages in response.body; give the output of chat completions")
        texts = [] if failed else [text_of_message(choice["message"]) for choice in choices or ()]
        return {"id": sample["custom_id"], "prediction": (texts[0] if len(texts) == 1 else texts) if texts else None}


def _has_message(choice: Any) -> bool:
    return isinstance(choice, dict) and isinstance(choice.get("message"), dict)


class ChatRows(Log):
    """Rows with `messages`: beside their other fields the question, of the last user, and the answer, of the last assistant."""

    name = "rows of chats"

    def has_row(self, row: Row) -> bool:
        messages = row.get("messages")
        return isinstance(messages, list) and bool(messages) and all(map(_is_message, messages))

    def row(self, sample: Row) -> Row:
        messages = [message for message in sample.get("messages") or () if _is_message(message)]
        texts = {message["role"]: text_of_message(message) for message in messages}
        names = {"question": "user", "answer": "assistant"}
        return {**{name: texts[role] for name, role in names.items() if role in texts}, **sample}


def _is_message(message: Any) -> bool:
    return isinstance(message, dict) and isinstance(message.get("role"), str)


BATCH_OUTPUT, CHATS = BatchOutput(), ChatRows()
