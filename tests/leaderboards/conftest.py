"""An invented task with hidden gold answers, and the files that teams hand in."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SECRET = "Xylographer"  # an answer that must not appear on a public page, message or file
QUESTIONS = 40


def answers_of(right: int, wrong: str = "nobody") -> dict[str, str]:
    return {f"q{place:02}": f"{SECRET} {place}" if place < right else wrong for place in range(QUESTIONS)}


@pytest.fixture
def answers() -> Callable[..., dict[str, str]]:
    """`answers(right)`: predictions with `right` right answers."""
    return answers_of


def organiser(folder: Path, **more: Any) -> Path:
    """The settings of a task in a new folder, with its gold file (SQuAD) and the file of a baseline."""
    folder.mkdir()
    questions = [
        {
            "id": f"q{place:02}",
            "question": f"{'Who' if place % 2 else 'Where'} is number {place}?",
            "answers": [{"text": f"{SECRET} {place}", "answer_start": 0}],
        }
        for place in range(QUESTIONS)
    ]
    gold = {"version": "1.1", "data": [{"title": "T", "paragraphs": [{"context": "", "qas": questions}]}]}
    (folder / "gold.json").write_text(json.dumps(gold))
    (folder / "guess.json").write_text(json.dumps(answers_of(right=4)))
    settings = {
        "title": "Numbers",
        "description": "Who or where is a number?",
        "rules": "One person, one team.",
        "gold": "gold.json",
        "measures": ["f1", "exact_match"],
        "by": ["question_word"],
        "baselines": {"guess": "guess.json"},
        "login": "none",
        "digits": 3,
        "limits": {"user_per_day": 2, "user_in_all": 3, "per_day": 5},
        **more,
    }
    (folder / "settings.json").write_text(json.dumps(settings))
    return folder / "settings.json"


@pytest.fixture
def task_folder(tmp_path) -> Path:
    """The folder of an organiser."""
    return organiser(tmp_path / "organiser").parent


@pytest.fixture
def hand_in(tmp_path) -> Callable[..., Any]:
    """`hand_in(content, system, user, file_name, **more)` is a Submission of a value of JSON, a text or bytes."""
    from qassay.leaderboards.submissions import Submission

    def call(content: Any, system: str = "mine", user: str = "ann", file_name: str = "mine.json", **more: Any) -> Any:
        path = tmp_path / f"upload-{len(list(tmp_path.iterdir()))}"
        data = content if isinstance(content, (bytes, str)) else json.dumps(content)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return Submission(str(path), file_name, system, user=user, **more)

    return call
