"""The store: whole submissions only, limits that hold when many come at once, a folder that `datasets` reads."""

import dataclasses
import json
import os
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest

from qassay.core.writing import WriteError
from qassay.leaderboards.hosting import HostedBoard
from qassay.leaderboards.settings import UTC, SubmissionLimits, read_board_settings
from qassay.leaderboards.space import STORE_VARIABLE, store_folder
from qassay.leaderboards.submissions import HiddenTask, Refused

SECRET = "Xylographer"
_NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def open_board(task_folder, tmp_path):
    """`open_board(**settings)`: the board with some settings changed."""
    settings = read_board_settings(task_folder / "settings.json")
    return lambda **changed: HostedBoard(dataclasses.replace(settings, **changed), task_folder, tmp_path / "store")


def test_a_submission_is_ranked_and_found_again(open_board, hand_in, answers):
    board = open_board()
    assert board.report() is None and [of["name"] for of in board.public()["systems"]] == ["guess"]
    receipt = board.submit(hand_in(answers(30), "mine", team="A team", link="https://x.org/mine"))
    assert receipt.row.values == {"f1": board.report().board.rankings["f1"].systems[0].value, "exact_match": 0.75}
    assert board.report().board.names == ["mine", "guess"]
    assert board.report().board.slices.keys() <= {"question_word"}
    entry = board.report().entries["mine"]
    assert (entry.link, entry.facts["team"]) == ("https://x.org/mine", "A team")
    assert open_board().public() == board.public()


def test_a_refused_submission_leaves_all_unchanged(open_board, hand_in, tmp_path, answers):
    board = open_board()
    board.submit(hand_in(answers(30)))
    before, files = board.public(), sorted(tmp_path.joinpath("store").rglob("*"))
    for submission in (
        hand_in({"q00": "a"}, "half"),
        hand_in(answers(3), "guess"),
        hand_in(answers(3), "mine"),
        hand_in(answers(3), "other", user=" "),
        hand_in("[" * 100_000, "deep"),
    ):
        with pytest.raises(Refused):
            board.submit(submission)
    assert board.public() == before and sorted(tmp_path.joinpath("store").rglob("*")) == files


def test_limits_of_a_day_of_a_user_and_of_all(open_board, hand_in, answers):
    board = open_board()
    submit = lambda name, user, now: board.submit(hand_in(answers(len(name)), name, user), now)  # noqa: E731
    submit("a", "ann", _NOON)
    submit("b", "Ann", _NOON)  # accounts do not differ by case
    with pytest.raises(Refused, match="2 submissions today, .*2027-03-02 00:00 UTC"):
        submit("c", "ann", _NOON)
    submit("c", "ann", _NOON + timedelta(days=1))
    with pytest.raises(Refused, match="3 submissions"):
        submit("d", "ann", _NOON + timedelta(days=2))
    for place, user in enumerate("efgh"):
        submit(user, user, _NOON + timedelta(days=1))
    with pytest.raises(Refused, match="5 today"):
        submit("i", "i", _NOON + timedelta(days=1))


def test_files_that_are_refused_are_limited_too(open_board, hand_in, answers):
    board = open_board(limits=SubmissionLimits(attempts_per_hour=2))
    for name in ("a", "b"):
        with pytest.raises(Refused, match="39 of 40 examples"):
            board.submit(hand_in({"q00": "a"}, name), _NOON)
    with pytest.raises(Refused, match="2 files within an hour, .*13:00 UTC"):
        board.submit(hand_in(answers(3), "c", "Ann"), _NOON + timedelta(minutes=30))
    board.submit(hand_in(answers(3), "d", "bob"), _NOON)
    board.submit(hand_in(answers(3), "e"), _NOON + timedelta(minutes=61))


def test_all_files_together_have_a_limit_and_days_too(open_board, hand_in, answers):
    board = open_board(limits=SubmissionLimits(store_mb=1), opens=_NOON, closes=_NOON + timedelta(hours=1))
    for moment, told in (
        (_NOON - timedelta(seconds=1), "2027-03-01 12:00"),
        (_NOON + timedelta(hours=2), "2027-03-01 13:00"),
    ):
        with pytest.raises(Refused, match=told):
            board.submit(hand_in(answers(3)), moment)
    board.submit(hand_in(answers(3, "a" * 20_000), "first"), _NOON)
    with pytest.raises(Refused, match="no room"):
        board.submit(hand_in(answers(3, "a" * 20_000), "second"), _NOON)
    board.submit(hand_in(answers(3), "small"), _NOON)


def test_submissions_at_the_same_moment_keep_limits_and_names(task_folder, tmp_path, hand_in, answers):
    """Two servers share a store; two users submit each name."""
    settings = read_board_settings(task_folder / "settings.json")
    limits = SubmissionLimits(user_per_day=4, per_day=9)
    boards = [
        HostedBoard(dataclasses.replace(settings, limits=limits), task_folder, tmp_path / "store") for _ in range(2)
    ]
    submissions = [hand_in(answers(place), f"s{place}", user) for place in range(10) for user in ("ann", "bob", "cid")]

    def submit(place):
        try:
            boards[place % 2].submit(submissions[place])
        except Refused:
            return 0
        return 1

    with ThreadPoolExecutor(12) as pool:
        taken = sum(pool.map(submit, range(len(submissions))))
    rows = boards[0].store.rows()
    assert taken == len(rows) == 9 and len({row.system for row in rows}) == 9
    assert max(sum(row.user == user for row in rows) for user in {row.user for row in rows}) <= 4
    assert boards[0].public() == boards[1].public()
    assert len(boards[0].report().board.names) == 10


def test_nothing_of_a_submission_stays_when_the_disk_is_full(open_board, hand_in, tmp_path, monkeypatch, answers):
    board = open_board()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("qassay.leaderboards.store.shutil.copyfile", full)
    with pytest.raises(WriteError, match="cannot be stored"):
        board.submit(hand_in(answers(3)))
    assert os.listdir(tmp_path / "store" / "submissions") == [] and board.report() is None


def test_users_are_hashed_unless_the_organiser_wants_names(open_board, hand_in, tmp_path, answers):
    hashed = open_board().submit(hand_in(answers(3), "a", "ann.b")).row
    plain = open_board(store_users="plain").submit(hand_in(answers(3), "b", "ann.b")).row
    assert hashed.user == plain.user and (hashed.user_name, plain.user_name) == ("", "ann.b")
    texts = [path.read_text() for path in (tmp_path / "store").rglob("result.json")]
    assert sum("ann.b" in text for text in texts) == 1


def test_the_public_board_has_rounded_numbers_and_no_examples(open_board, hand_in, answers):
    board = open_board(digits=2)  # 17 of 40 have three
    board.submit(hand_in(answers(17), "mine", "ann.b"))
    text = json.dumps(board.public())
    assert not any(word in text for word in (SECRET, "q00", "ann.b", "gold.json", "predictions.json"))
    ranking = board.report().board.rankings["f1"]
    numbers = [one.value for one in ranking.systems] + [end for one in ranking.systems for end in one.interval]
    assert all(round(number, 2) == number for number in numbers)


def test_what_is_left_of_a_killed_server_is_removed_and_a_broken_row_is_named(open_board, tmp_path):
    board = open_board()
    (tmp_path / "store" / "submissions" / "x.unfinished").mkdir()
    open_board()
    assert os.listdir(tmp_path / "store" / "submissions") == []
    broken = tmp_path / "store" / "submissions" / "20270101"
    broken.mkdir()
    for text in ("{}", "[" * 100_000):
        (broken / "result.json").write_text(text)
        with pytest.raises(ValueError, match="20270101"):
            board.store.rows()


def test_while_the_board_is_being_ranked_visitors_see_the_one_before(open_board, hand_in, answers):
    board = open_board()
    board.submit(hand_in(answers(30), "first"))
    before = board.report()
    board.submit(hand_in(answers(20), "second"))
    with board._lock:  # as the thread that ranks it holds it
        assert board.report() is before
    assert board.report(wait=True).board.names == ["first", "second", "guess"]


def test_lower_values_are_better_after_a_restart_too(open_board, hand_in, monkeypatch, answers):
    """Without baselines nothing is scored when the server starts, so the better direction is not known yet."""
    score = HiddenTask._scores

    def errors(task, content):  # the values of f1 treated as an error rate
        scores, unknown = score(task, content)
        measures = {**scores.measures, "f1": dataclasses.replace(scores.measures["f1"], lower_is_better=True)}
        return dataclasses.replace(scores, measures=measures), unknown

    monkeypatch.setattr(HiddenTask, "_scores", errors)
    monkeypatch.setattr("qassay.leaderboards.hosting.MOST_SYSTEMS", 2)
    of_task = {"baselines": {}, "shown": "best", "limits": SubmissionLimits()}
    board = open_board(**of_task)
    for name, right, user in (("worst", 35, "ann"), ("fine", 12, "ann"), ("bad", 20, "bob"), ("best", 5, "cid")):
        board.submit(hand_in(answers(right), name, user, team=user))
    for running in (board, open_board(**of_task)):
        assert running.report().board.names == ["best", "fine"]
        assert len(running._scored) == 2  # the scores of others are not kept


def test_a_team_is_bound_to_its_user(open_board, hand_in, answers):
    board = open_board(shown="best")
    board.submit(hand_in(answers(5), "a", "ann", team="Uni A"))
    board.submit(hand_in(answers(9), "b", "ann", team="uni  A"))
    board.submit(hand_in(answers(30), "c", "mallory", team="uni a"))
    assert board.report().board.names == ["c", "b", "guess"]


def test_a_variable_names_the_folder_of_the_store(tmp_path, monkeypatch):
    monkeypatch.delenv(STORE_VARIABLE, raising=False)
    assert store_folder(tmp_path) == tmp_path / "store"
    monkeypatch.setenv(STORE_VARIABLE, str(tmp_path / "other"))
    assert store_folder(tmp_path) == tmp_path / "other"
