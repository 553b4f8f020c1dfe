"""Failures of the machine between two steps: killed processes, caches that cannot be written, two processes on one
cache.

Files that are written: test_writers.py and core/test_writing.py. Workers of Ray: cluster/test_scoring.py.
"""

import multiprocessing
import os
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

import qassay

ROWS = [("Paris", ["Paris"]), ("in Rome", ["Rome"]), ("x", ["y"])]

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked, which Windows cannot")


def columns(rows):
    return {"predictions": [answer for answer, _ in rows], "references": [gold for _, gold in rows]}


def of_two(rank, folder, **options):
    """The module of one of two processes that share a cache."""
    return qassay.load(
        "answer_match", num_process=2, process_id=rank, cache_dir=str(folder), experiment_id="one", **options
    )


def forked(function, *arguments):
    """A process that has what this one has loaded."""
    child = multiprocessing.get_context("fork").Process(target=function, args=arguments)
    child.start()
    return child


def kill_itself():
    os.kill(os.getpid(), signal.SIGKILL)


def add_and_die(folder):
    metric = of_two(1, folder)
    metric.add_batch(**columns([("stale", ["stale"])] * 5))
    kill_itself()


def die_in_compute(folder, step):
    metric = of_two(1, folder, timeout=60)
    metric.add_batch(**columns(ROWS[1:]))
    start = metric._init_writer

    def init_writer(*arguments, **options):
        start(*arguments, **options)
        if step == "write":
            metric.writer.write_batch = lambda block: kill_itself()

    metric._init_writer, metric._finalize = init_writer, kill_itself
    metric.compute()


def check_next_run(folder):
    """Two complete processes on the same cache see only their own rows, and leave nothing."""
    metrics = [of_two(rank, folder, timeout=60) for rank in (0, 1)]
    with ThreadPoolExecutor(2) as pool:
        parts = (columns(ROWS[:1]), columns(ROWS[1:]))
        runs = [pool.submit(metric.compute, **part) for metric, part in zip(metrics, parts, strict=True)]
        assert runs[0].result() == qassay.score("answer_match", **columns(ROWS)).summary()
    assert not list(folder.rglob("*.arrow"))


@needs_fork
def test_a_process_killed_between_add_and_compute_leaves_no_rows_to_the_next_run(tmp_path, evaluate):
    child = forked(add_and_die, tmp_path)
    child.join()
    assert child.exitcode == -signal.SIGKILL
    with pytest.raises(ValueError, match="process 0"):
        of_two(0, tmp_path, timeout=0.01).compute(**columns(ROWS))
    check_next_run(tmp_path)


@needs_fork
@pytest.mark.parametrize("step", ["write", "finish"])
def test_the_rows_of_a_process_killed_in_compute_are_whole_or_the_call_fails(tmp_path, step, evaluate):
    child = forked(die_in_compute, tmp_path, step)
    metric = of_two(0, tmp_path, timeout=60)
    try:
        found = metric.compute(**columns(ROWS[:1]))
    except ValueError as error:
        assert "process 0 cannot read the rows of another process" in str(error), repr(error)
    else:
        assert found == qassay.score("answer_match", **columns(ROWS)).summary()
    child.join()
    assert child.exitcode == -signal.SIGKILL
    check_next_run(tmp_path)


def test_a_cache_that_cannot_be_made_is_named(tmp_path, evaluate):
    (tmp_path / "file").touch()
    with pytest.raises((OSError, ValueError), match=str(tmp_path / "file")):
        of_two(0, tmp_path / "file", timeout=0.01).compute(**columns(ROWS))
    metric = qassay.load("answer_match", cache_dir=str(tmp_path / "file"))  # one process needs no cache
    assert metric.compute(**columns(ROWS)) == qassay.score("answer_match", **columns(ROWS)).summary()
