"""Several processes: accelerate's gather_for_metrics, evaluate's own num_process, and what goes from one to another."""

import json
import os
import socket
import subprocess
import sys
import textwrap

import pytest

import qassay

pytest.importorskip("accelerate", reason='needs accelerate: pip install -e ".[test-all]"')
pytestmark = pytest.mark.thorough

PREDICTIONS = ["le chat", "un chien", "", "la mer", "noir", "rien", "le ciel bleu", "a", "b", "c", "d"]
REFERENCES = [["chat"], ["chien", "un chien"], [], ["lac"], ["noir"], [], ["bleu"], ["a"], ["x"], ["c"], ["y"]]

SCRIPT = """
    import json, os, sys, time
    sys.modules["transformers"] = None  # which evaluate would load for its evaluators: it takes long
    import evaluate, torch
    del sys.modules["transformers"]
    from accelerate import Accelerator
    import qassay, qassay.training

    PREDICTIONS, REFERENCES, CACHE = json.loads(sys.argv[1])
    accelerator = Accelerator(cpu=True)
    rank, world = accelerator.process_index, accelerator.num_processes

    # 11 rows in batches of 2 for 2 processes: the last batches are filled up with rows that came before.
    loader = accelerator.prepare(torch.utils.data.DataLoader(range(len(PREDICTIONS)), batch_size=2))
    gathered, stream = qassay.load("answer_match"), qassay.stream("answer_match")
    labels, padded = qassay.load("label_metrics"), 0
    for rows in loader:
        padded += len(accelerator.gather(rows))
        places = accelerator.gather_for_metrics(rows)
        own = [(PREDICTIONS[row], REFERENCES[row], row) for row in rows.tolist()]
        texts = accelerator.gather_for_metrics(own, use_gather_object=True)
        labels.add_batch(predictions=places % 3, references=places % 2)
        answers, golds, ids = zip(*texts)
        gathered.add_batch(predictions=answers, references=golds)
        stream.add(predictions=answers, references=golds, ids=ids)
    seen = {"padded": padded, "gathered": gathered.compute(), "stream": stream.summary(), "labels": labels.compute()}

    # Each process keeps its own rows: one instance, three rounds, and process 1 is always ahead.
    metric = qassay.load("answer_match", num_process=world, process_id=rank, cache_dir=CACHE, experiment_id="rounds")
    seen["rounds"] = []
    for number in range(3):
        mine = slice(rank * 6, 6 if rank == 0 else None)
        metric.add_batch(predictions=PREDICTIONS[mine], references=REFERENCES[mine], ids=list(range(11))[mine])
        if rank == 0:
            time.sleep(0.3)
        found = metric.compute(per_example=number == 2)
        seen["rounds"].append(found)
    seen["rounds"][-1] = found and found["per_example"]["id"]
    # A loop of one's own: each process updates with its rows; process 0 has row 6 too, and process 1 none at first.
    loop = qassay.training.LoopMetric("answer_match", level=0.9, n_resamples=20)
    seen["loop"] = []
    for number in range(3):
        mine = [row for row in range(11) if (number and row % 2) == rank or (rank == 0 and row == 3 and number == 2)]
        for start in range(0, len(mine), 4):
            rows = mine[start : start + 4]
            ids = {"ids": rows} if number == 2 else {}
            loop.update([PREDICTIONS[row] for row in rows], [REFERENCES[row] for row in rows], **ids)
        seen["loop"].append(loop.compute())
        loop.reset()
    other = qassay.training.LoopMetric("answer_match", normalizer=lambda text: text, missing="skip")
    other.update([None] if rank else ["a"], ["a"])
    seen["other"] = other.compute()
    every = [None, None]
    torch.distributed.all_gather_object(every, (seen["loop"], seen["other"]))
    seen["same"] = every[0] == every[1]
    if rank == 0:
        print("RESULT " + json.dumps(seen), flush=True)
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()  # its threads must end before the process does
"""


@pytest.fixture(scope="module")
def two_processes(tmp_path_factory) -> dict:
    """The output of process 0 of two, with the environment of torchrun."""
    folder = tmp_path_factory.mktemp("processes")
    script = folder / "run.py"
    script.write_text(textwrap.dedent(SCRIPT), "utf-8")
    given = json.dumps([PREDICTIONS, REFERENCES, str(folder / "cache")])
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    env = {**os.environ, "OMP_NUM_THREADS": "1", "HF_EVALUATE_OFFLINE": "1", "HF_HOME": str(folder / "home")}
    env |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": "2"}
    command = [sys.executable, str(script), given]
    started = [
        subprocess.Popen(
            command,
            env={**env, "RANK": rank, "LOCAL_RANK": rank},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in "01"
    ]
    try:
        (printed, errors), (_, more) = (process.communicate(timeout=300) for process in started)
    finally:
        for process in started:
            process.kill()
    assert [process.returncode for process in started] == [0, 0], (errors + more)[-3000:]
    line = next(line for line in printed.splitlines() if line.startswith("RESULT "))
    return json.loads(line.removeprefix("RESULT "))


def test_gather_for_metrics(two_processes):
    assert two_processes["padded"] == 12, "accelerate filled the last batch up"
    expected = qassay.score("answer_match", PREDICTIONS, REFERENCES).summary()
    assert two_processes["gathered"] == two_processes["stream"] == expected
    numbers = range(len(PREDICTIONS))
    labels = qassay.score("label_metrics", [row % 3 for row in numbers], [row % 2 for row in numbers])
    assert two_processes["labels"] == labels.summary()


def test_num_process_works_again_and_again_without_a_barrier(two_processes):
    expected = qassay.score("answer_match", PREDICTIONS, REFERENCES).summary()
    assert two_processes["rounds"] == [expected, expected, list(range(len(PREDICTIONS)))]


def test_a_loop_over_two_processes(two_processes):
    scores = qassay.score("answer_match", PREDICTIONS, REFERENCES)
    first, second, third = two_processes["loop"]
    assert {name: first[name] for name in scores.summary()} == scores.summary()
    assert {name: second[name] for name in scores.summary()} == pytest.approx(scores.summary())
    assert third.pop("repeated") == 1 and {name: third[name] for name in scores.summary()} == pytest.approx(
        scores.summary()
    )
    assert {name.removesuffix("_low") for name in first if name.endswith("_low")} >= {"exact_match", "f1"}
    assert two_processes["other"] == {**two_processes["other"], "exact_match": 1.0, "total": 1, "skipped": 1}
    assert two_processes["same"]


@pytest.mark.parametrize(
    "given", [{"num_process": 2, "process_id": 2}, {"process_id": -1}, {"num_process": 0}], ids=str
)
def test_processes_that_do_not_exist(given):
    with pytest.raises(ValueError, match=list(given)[-1]):
        qassay.load("answer_match", **given)
