"""What visitors scored is computed once, and found again by their token alone, for a while, within bounds."""

import dataclasses
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from qassay.spaces_app import kept_work
from qassay.spaces_app.agreement_view import JudgedTable
from qassay.spaces_app.analysis import Analysis, analyze
from qassay.spaces_app.inputs import sample_analysis, sample_inputs
from qassay.spaces_app.kept_work import KeptWork

_THREADS = 8


@pytest.fixture
def scored():
    """`scored()` is work of a visitor, as if the files of a sample were uploaded."""
    answers = sample_analysis("answers")
    return lambda: dataclasses.replace(answers, inputs=answers.inputs._replace(sample=""))


def test_a_token_finds_its_work_and_no_other(scored):
    kept, mine, yours = KeptWork(), scored(), scored()
    tokens = kept.keep(mine), kept.keep(yours)
    assert kept.find(tokens[0], Analysis) is mine and kept.find(tokens[1], Analysis) is yours
    assert kept.keep(mine) == tokens[0] and len(set(tokens)) == 2 and min(map(len, tokens)) >= 32
    assert kept.find("", Analysis) is kept.find(tokens[0][:-1], Analysis) is kept.find("x" * 100_000, Analysis) is None
    assert kept.find(tokens[0], JudgedTable) is None, "a token of something else"


def test_work_is_kept_for_a_time_after_its_last_use(scored, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(kept_work.time, "monotonic", lambda: now[0])
    kept, used, left = KeptWork(seconds=100), scored(), scored()
    tokens = kept.keep(used), kept.keep(left)
    now[0] = 60.0
    kept.touch(used)
    now[0] = 120.0
    assert kept.find(tokens[0], Analysis) is used and kept.find(tokens[1], Analysis) is None


def test_of_too_many_of_a_kind_the_ones_used_longest_ago_are_forgotten(scored):
    kept, tables = KeptWork(most=2), [JudgedTable(f"{n}.csv", None) for n in range(3)]
    works = [scored() for _ in range(3)]
    tokens, others = [kept.keep(work) for work in works], [kept.keep(table) for table in tables]
    kept.touch(works[0])
    kept.forget_old()
    assert [kept.find(token, Analysis) is not None for token in tokens] == [True, False, True]
    assert [kept.find(token, JudgedTable) for token in others] == [None, *tables[1:]]


# --- what an Analysis computes ----------------------------------------------------------------------------------------


@pytest.fixture
def analysis():
    return analyze(sample_inputs("curves"))


def at_once(work):
    """What a function gives to each of several threads that call it with their number at the same moment."""
    ready = threading.Barrier(_THREADS)

    def one(number):
        ready.wait()
        return work(number)

    with ThreadPoolExecutor(_THREADS) as pool:
        return list(pool.map(one, range(_THREADS)))


def slowly(made, value):
    made.append(value)
    time.sleep(0.02)
    return [value]


def test_threads_compute_one_thing_once_and_the_latest_of_a_group_are_kept(analysis):
    made = []
    found = at_once(lambda number: analysis.once("key", lambda: slowly(made, number)))
    assert len(made) == 1 and all(one is found[0] for one in found)
    made.clear()
    for _ in range(3):
        found = at_once(lambda number: analysis.latest("group", number // 2, lambda: slowly(made, number // 2), 4))
        assert found == [[number // 2] for number in range(_THREADS)]
    assert sorted(made) == [0, 1, 2, 3]
    for turn in range(20):
        numbers = at_once(lambda number, turn=turn: analysis.latest("many", (turn, number), lambda: number, 2))
        assert numbers == list(range(_THREADS))
    for number in range(10):
        assert analysis.latest("few", number, lambda number=number: -number, 3) == -number
    assert [analysis.known("few", number) for number in range(10)] == [None] * 7 + [-7, -8, -9]


def test_what_is_computed_may_need_what_is_kept_and_what_fails_is_tried_again(analysis):
    assert analysis.once("outer", lambda: analysis.once("inner", lambda: 1) + 1) == 2
    with pytest.raises(ZeroDivisionError):
        analysis.once("key", lambda: 1 / 0)
    assert analysis.once("key", lambda: 1) == 1
