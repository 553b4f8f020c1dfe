"""Several processes: accelerate's gather_for_metrics, and what goes from one to another."""

import json
import os
import socket
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import qassay

pytest.importorskip("accelerate", reason='needs accelerate: pip install -e ".[test-all]"')
pytestmark = pytest.mark.thorough

PREDICTIONS = ["le chat", "un chien", "", "la mer", "noir", "rien", "le ciel bleu", "a", "b", "c", "d"]
REFERENCES = [["chat"], ["chien", "un chien"], [], ["lac"], ["noir"], [], ["bleu"], ["a"], ["x"], ["c"], ["y"]]

SCRIPT = """
    import json, os, sys
    sys.modules["transformers"] = None  # which evaluate would load for its evaluators: it takes long
    import evaluate, torch
    del sys.modules["transformers"]
    from accelerate import Accelerator
    import qassay, qassay.training

    PREDICTIONS, REFERENCES = json.loads(sys.argv[1])
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

    # A loop of one's own: each process updates with its rows; process 0 has row 6 too, and process 1 none at first.
    loop = qassay.training.LoopMetric("answer_match", measures=["exact_match", "f1", "total"], confidence=0.9)
    seen["loop"] = []
    for number in range(3):
        mine = [row for row in range(11) if (number and row % 2) == rank or (rank == 0 and row == 3 and number == 2)]
        for start in range(0, len(mine), 4):
            rows = mine[start : start + 4]
            ids = {"ids": rows} if number == 2 else {}
            loop.update([PREDICTIONS[row] for row in rows], [REFERENCES[row] for row in rows], **ids)
        seen["loop"].append({**loop.compute(), **loop.scores.notes})
        loop.reset()
    other = qassay.training.LoopMetric("answer_match", normalizer=lambda text: text, missing="skip")
    other.update([None] if rank else ["a"], ["a"])
    seen["other"] = {**other.compute(), **other.scores.notes}
    every = [None, None]
    torch.distributed.all_gather_object(every, (seen["loop"], seen["other"]))
    seen["same"] = every[0] == every[1]
    if rank == 0:
        print("RESULT " + json.dumps(seen), flush=True)
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()  # its threads must end before the process does
"""


TRAINER = """
    import json, os, sys, warnings
    FOLDER, TESTS = json.loads(sys.argv[1])
    sys.path.insert(0, TESTS)
    from training.test_trainer import (
        Classification, DataSets, GenerativeQA, MultiLabel, classifier, datasets, generative_trainer, make_tokenizer,
        torch, trainer_of, transformers,
    )
    import numpy as np

    warnings.simplefilter("ignore")  # labels that do not tell the order
    words, tokenizer = ["one", "two", "three", "four", "five"], make_tokenizer()

    def evaluate(n, references, check_labels=True, **more):
        golds = [f"{words[row % 5]} {words[row // 5]}" for row in range(n)]
        asked = ["six" if row % 3 == 1 else gold for row, gold in enumerate(golds)]  # every third answer is wrong
        inputs = [tokenizer(text)["input_ids"] for text in asked] if "include_for_metrics" in more else None
        given = {"inputs": inputs, "check_labels": check_labels}
        found = references(golds)
        sets = found if isinstance(found, dict) else {"": found}
        hooks = {name: GenerativeQA(tokenizer, rows, measures=["exact_match", "total"], **given) for name, rows in sets.items()}
        hook = DataSets(hooks) if len(hooks) > 1 else hooks[""]
        trainer = generative_trainer(FOLDER, hook, golds, asked, **more)
        try:
            found = [trainer.evaluate(), trainer.predict(trainer.eval_dataset).metrics]
        except ValueError as error:
            return str(error)
        return [found[0]["eval_exact_match"], found[1].get("test_total"), hook.scores.notes.get("repeated")]

    def own(golds):
        return [[gold] for gold in golds]

    kinds = {}, {"batch_eval_metrics": True}, {"eval_do_concat_batches": False}
    shuffled = {"train_sampling_strategy": "group_by_length", "include_for_metrics": ["inputs"]}
    ways = *kinds, *({**shuffled, **kind} for kind in kinds), {"check_labels": False}
    seen = {"ways": [evaluate(14, own, **way) for way in ways]}
    seen["sets"] = evaluate(14, lambda golds: {"x": own(golds), "y": own(golds[::-1]), "z": own(golds[:9])})
    seen["sizes"] = [evaluate(n, own) for n in (12, 5, 2, 1)]
    seen["other"] = evaluate(14, lambda golds: own(golds[:-1]))
    numbers, collator = np.arange(14), transformers.default_data_collator
    for kind, make, truth in (("single", Classification, numbers % 3), ("multi", MultiLabel, np.eye(3)[numbers % 3])):
        rows = datasets.Dataset.from_dict({"input_ids": [[4 + row, 5] for row in range(14)], "labels": truth.tolist()})
        hook, model = make(3, n_rows=14, measures=["total", "micro_f1"]), classifier(f"{kind}_label_classification")
        seen[kind] = trainer_of(FOLDER, model, hook, rows, collator).evaluate()["eval_total"]
    if os.environ["RANK"] == "0":
        print("RESULT " + json.dumps(seen), flush=True)
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()
"""


@pytest.fixture(scope="module")
def two_processes(tmp_path_factory) -> dict:
    folder = tmp_path_factory.mktemp("processes")
    return run_twice(SCRIPT, [PREDICTIONS, REFERENCES], folder)


def run_twice(code, given, folder) -> dict:
    """The output of process 0 of two, with the environment of torchrun."""
    script = folder / "run.py"
    script.write_text(textwrap.dedent(code), "utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    env = {**os.environ, "OMP_NUM_THREADS": "1", "HF_EVALUATE_OFFLINE": "1", "HF_HOME": str(folder / "home")}
    env |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": "2"}
    command = [sys.executable, str(script), json.dumps(given)]
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


def test_a_loop_over_two_processes(two_processes):
    scores = qassay.score("answer_match", PREDICTIONS, REFERENCES)
    first, second, third = two_processes["loop"]
    expected = scores.summary(["exact_match", "f1", "total"])
    assert third.pop("repeated") == 1
    for found in first, second, third:
        assert {name: found[name] for name in expected} == pytest.approx(expected)
    assert {name.removesuffix("_low") for name in first if name.endswith("_low")} >= {"exact_match", "f1"}
    assert two_processes["other"] == {**two_processes["other"], "exact_match": 1.0, "skipped": 1}
    assert two_processes["same"]


def test_rows_that_seq2seq_trainer_repeats_count_once(tmp_path):
    pytest.importorskip("transformers", reason='needs transformers: pip install -e ".[test-all]"')
    seen = run_twice(TRAINER, [str(tmp_path / "out"), str(Path(__file__).parents[1])], tmp_path)
    assert [*seen["ways"], seen["sets"]] == [[9 / 14, 14, 4]] * 8  # 18 rows: 3 rounds of 3 rows for 2 processes
    assert seen["sizes"] == [[8 / 12, 12, None], [3 / 5, 5, 1], [1 / 2, 2, 4], [1.0, 1, 5]]
    assert seen["single"] == seen["multi"] == 14
    assert "18 predictions, but 13 references" in seen["other"] and "another data set" in seen["other"]
