"""What an Analysis computes once: also for threads, and for all visitors of a sample."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from qassay.labelling import slice_labels
from qassay.spaces_app import analysis as analysis_module
from qassay.spaces_app.analysis import analyze
from qassay.spaces_app.inputs import sample_analysis, sample_inputs
from qassay.spaces_app.samples import SAMPLES

_THREADS = 8


@pytest.fixture
def analysis():
    return analyze(sample_inputs("labels"))


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


@pytest.mark.parametrize("name", SAMPLES)
def test_slices_of_the_examples_are_the_same_for_systems_with_the_same_examples(name):
    analysis = sample_analysis(name)
    first = analysis.systems[0]
    names = [*analysis.telling.slices(analysis.gold, analysis.scores(first)), *analysis.scores(first).subsets]
    for slice_name in names:
        for system in analysis.systems:
            own = slice_labels(analysis.gold, analysis.scores(system), slice_name)
            assert analysis.labels(system, slice_name) == own, (slice_name, system)


def test_labels_of_a_slice_are_made_once_for_all_systems(monkeypatch):
    made = []
    monkeypatch.setattr(analysis_module, "slice_labels", lambda *given: made.append(given) or slice_labels(*given))
    analysis = analyze(sample_inputs("answers"))
    labels = [analysis.labels(system, "answer_type") for system in analysis.systems]
    assert len(labels) == 2 and labels[0] is labels[1] and len(made) == 1
    assert analysis.labels(analysis.systems[0], "error_kind") != analysis.labels(analysis.systems[1], "error_kind")


def test_threads_compute_one_thing_once(analysis):
    made = []
    found = at_once(lambda number: analysis.once("key", lambda: slowly(made, number)))
    assert len(made) == 1 and all(one is found[0] for one in found)


def test_long_work_holds_up_nobody_who_asks_for_something_else(analysis):
    begun, end = threading.Event(), threading.Event()

    def wait():
        begun.set()
        return end.wait(60)

    with ThreadPoolExecutor(1) as pool:
        long = pool.submit(analysis.once, "long", wait)
        assert begun.wait(60)
        assert analysis.once("short", lambda: 1) == 1 and analysis.known("group", "long") is None
        end.set()
        assert long.result(60) is True


def test_what_is_computed_may_need_what_is_kept(analysis):
    assert analysis.once("outer", lambda: analysis.once("inner", lambda: 1) + 1) == 2
    assert analysis.latest("outer", 1, lambda: analysis.latest("outer", 2, lambda: 1, 3) + 1, 3) == 2
    assert analysis.known("outer", 1) == 2 and analysis.known("outer", 2) == 1


def test_what_fails_is_tried_again(analysis):
    with pytest.raises(ZeroDivisionError):
        analysis.once("key", lambda: 1 / 0)
    assert analysis.once("key", lambda: 1) == 1


def test_of_a_group_the_latest_are_kept(analysis):
    for number in range(10):
        assert analysis.latest("group", number, lambda number=number: -number, 3) == -number
    assert [analysis.known("group", number) for number in range(10)] == [None] * 7 + [-7, -8, -9]
    assert analysis.latest("group", 8, lambda: pytest.fail("made again"), 3) == -8
    assert analysis.latest("group", 8, lambda: 88, 3, is_good=lambda value: value > 0) == 88
    assert [analysis.known("group", number) for number in (7, 9, 8)] == [-7, -9, 88]


def test_threads_may_fill_a_group(analysis):
    made = []
    for _ in range(5):
        found = at_once(lambda number: analysis.latest("group", number // 2, lambda: slowly(made, number // 2), 4))
        assert found == [[number // 2] for number in range(_THREADS)]
    assert sorted(made) == [0, 1, 2, 3]
    for turn in range(50):
        numbers = at_once(lambda number, turn=turn: analysis.latest("many", (turn, number), lambda: number, 2))
        assert numbers == list(range(_THREADS))
