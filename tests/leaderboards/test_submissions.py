"""Submissions: refusals with their messages, and no message that reveals hidden data."""

import dataclasses
import json

import pytest

from qassay.leaderboards.settings import board_settings, read_board_settings
from qassay.leaderboards.submissions import Refused, Submission, check_names, open_task

from .conftest import QUESTIONS, SECRET
from .conftest import answers_of as answers


@pytest.fixture
def task_of(task_folder):
    """`task_of(**settings)`: the task with some settings changed."""
    settings = read_board_settings(task_folder / "settings.json")
    return lambda **changed: open_task(dataclasses.replace(settings, **changed), task_folder)


def _csv(rows, head="id,prediction"):
    return "\n".join([head, *rows]) + "\n"


_HALF = {name: text for name, text in answers(40).items() if name < "q20"}
_ALL = [f"q{place:02},x" for place in range(QUESTIONS)]


@pytest.mark.parametrize(
    "content, words",
    [
        (_HALF, "20 of 40 examples have no prediction (q20, q21, q22 and 17 more)"),
        ({**answers(40), "z": "a", "y": "b"}, "2 predictions with ids that the gold data do not have (z, y)"),
        ({"a": "b"}, "no prediction has the id of a reference"),
        ({**answers(40), "q00": 1}, "(id 'q00') must be text, got a number: 1"),
        (_csv([*_ALL, "q01,y"]), "repeats the id 'q01' of row 1"),
        ('{"q00": "a", "q00": "b"}', "repeats the id 'q00'"),
        ('{"q00": ' + "9" * 5_000 + "}", "mine.json: "),
        (b"id,prediction\nq00,\xff\n", "UTF-8"),
        (b'{"q00": "' + b"a" * 1_100_000 + b'"}', "1.1 MB are too many; at most 1"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 40 else "",
)
def test_what_cannot_be_scored_is_refused_in_words(task_of, hand_in, content, words):
    task = task_of(limits=dataclasses.replace(task_of().settings.limits, file_mb=1))
    submission = hand_in(content)
    with pytest.raises(Refused) as refused:
        task.score(submission.path, submission.file_name)
    told = str(refused.value)
    assert told.startswith("mine.json: ") and words in told
    assert SECRET not in told and "gold.json" not in told and "organiser" not in told and "--" not in told


def test_ids_are_not_told_where_the_organiser_says_so(task_of, hand_in):
    task = task_of(name_ids=False)
    for content in (_HALF, {"a": "b"}, '{"q00": "a", "q00": "b"}'):
        submission = hand_in(content)
        with pytest.raises(Refused) as refused:
            task.score(submission.path, submission.file_name)
        assert not any(name in str(refused.value) for name in task.ids)


def test_labels_of_few_examples_are_shown_as_one(task_of, task_folder, hand_in):
    gold = json.loads((task_folder / "gold.json").read_text())
    for place, question in enumerate(gold["data"][0]["paragraphs"][0]["qas"][:12]):
        question["question"] = f"{'Why' if place % 2 else 'When'} is it?"
    (task_folder / "gold.json").write_text(json.dumps(gold))
    submission = hand_in(answers(40))
    labels = task_of().score(submission.path, "mine.json").slices["question_word"]
    assert {label: labels.count(label) for label in labels} == {"(other)": 12, "where": 14, "who": 14}


def test_gold_answers_in_a_submission_are_not_compared(task_of, hand_in):
    """Refusing or accepting would reveal whether guessed gold answers are right."""
    task = task_of()
    told = []
    for guess in (SECRET, "a guess"):
        rows = [f"q{place:02},x,{guess} {place}" for place in range(QUESTIONS)]
        submission = hand_in(_csv(rows, "id,prediction,answer"))
        scored = task.score(submission.path, "mine.csv")
        told.append((scored.told, scored.scores.summary()))
    assert told[0] == told[1] and told[0][1]["exact_match"] == 0


def test_scores_match_score_files(task_of, task_folder, hand_in):
    from qassay import score_files

    submission = hand_in(answers(13))
    own = task_of().score(submission.path, "mine.json").scores
    assert own == score_files(task_folder / "gold.json", {"x": submission.path})["x"]


def test_names_and_links_that_cannot_be_shown_are_refused():
    for changed, words in (
        ({"system": "a" * 61}, "system has 61 characters; at most 60"),
        ({"system": "bert\u200blarge"}, "is taken"),
        ({"system": "\uff22\uff45\uff52\uff54 large"}, "is taken"),  # full width
        ({"system": "\u0412\u0435rt large"}, "is taken"),  # Cyrillic
        ({"system": "\u3164\ufe0f"}, "the name of the system is missing"),  # blank in every font
        ({"team": "Base Line"}, "organisers"),
        ({"link": "javascript:alert(1)"}, "link must be an address"),
    ):
        submission = dataclasses.replace(Submission("x", "x", "fine", "team", "https://x.org"), **changed)
        with pytest.raises(Refused) as refused:
            check_names(submission, ["bert large"])
        assert words in str(refused.value)


def test_settings_that_do_not_fit_the_gold_data_are_reported_to_the_organiser(task_folder):
    settings = json.loads((task_folder / "settings.json").read_text())
    for fields, words in (
        ({"gold": "none.json"}, "gold: .*none.json"),
        ({"by": ["tpye"]}, "'tpye'"),
        ({"by": ["missing"]}, "by: the slice 'missing'"),
        ({"measures": ["f1", "total"]}, "total has no interval"),
        ({"by": ["question"]}, r"by: question has fewer than two slices of 10"),
    ):
        with pytest.raises((ValueError, TypeError), match=words):
            open_task(board_settings({**settings, **fields}), task_folder)


def test_internal_errors_reveal_only_their_type(task_of, hand_in, monkeypatch, caplog):
    def fail(*_, **__):
        raise KeyError(SECRET)

    monkeypatch.setattr("qassay.leaderboards.submissions.score_golds", fail)
    submission = hand_in(answers(3))
    with pytest.raises(Refused, match="mine.json: "):
        task_of().score(submission.path, "mine.json")
    assert "KeyError" in caplog.text and SECRET not in caplog.text
