"""answer_match: presets, configs and options on invented answers."""

from collections.abc import Iterator
from typing import Any

from _inputs import answers, of_scores

import qassay


def cases() -> Iterator[tuple[str, Any]]:
    predictions, references = answers(120)
    yield "default", of_scores(qassay.score("answer_match", predictions, references))
