"""What visitors scored is computed once, and found again by their token alone, for a while, within bounds."""

import dataclasses
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from qassay.space import kept_work
from qassay.space.agreement_view import JudgedTable
from qassay.space.analysis import Analysis, analyze
from qassay.space.inputs import sample_analysis, sample_inputs
from qassay.space.kept_work import KeptWork

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


def test_threads_compute_one_thing_once():
    analysis, ready, made = analyze(sample_inputs("curves")), threading.Barrier(_THREADS), []

    def slowly():
        made.append(1)
        time.sleep(0.02)
        return [1]

    def ask(_):
        ready.wait()
        return analysis.once("key", slowly)

    with ThreadPoolExecutor(_THREADS) as pool:
        found = list(pool.map(ask, range(_THREADS)))
    assert len(made) == 1 and all(one is found[0] for one in found)
