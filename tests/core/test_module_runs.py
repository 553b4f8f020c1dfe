"""The base class at work: the row store, threads, pickling, combine, evaluate.load, and several processes."""

import concurrent.futures
import json
import os
import pickle
import subprocess
import sys
import textwrap
from typing import ClassVar

import datasets
import evaluate
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay.core.module import QAMetric

TEXT = datasets.Value("string")


def info(**features):
    return evaluate.MetricInfo(description="A toy.", citation="", features=datasets.Features(features))


class ExactShare(QAMetric):
    """Share of equal strings: a metric with numbers in its output."""

    optional: ClassVar = {"weights": datasets.Value("float64")}

    def _info(self):
        return info(predictions=TEXT, references=TEXT)

    def _compute(self, predictions, references, weights=None, *, scale=1):
        hits = [p == r for p, r in zip(predictions, references, strict=True)]
        return {"share": np.average(hits, weights=weights) * scale, "rows": np.int64(len(hits))}


class Failing(ExactShare):
    """Fails on demand inside `_compute`."""

    def _compute(self, predictions, references, weights=None, *, fail=False):
        if fail:
            raise RuntimeError("inside _compute")
        return super()._compute(predictions, references, weights)


class Echo(QAMetric):
    """Returns what arrived in `_compute`."""

    optional = ("ids",)

    def _info(self):
        return info(predictions=TEXT, references=TEXT)

    def _compute(self, predictions, references, ids=None):
        return {"predictions": predictions, "references": references, "ids": ids}


# --- the row store --------------------------------------------------------------------------------------------------


def test_add_add_batch_and_compute_mix():
    metric = ExactShare()
    metric.add(prediction="a", reference="a")
    metric.add_batch(predictions=("b", "c"), references=np.array(["b", "x"]))
    metric.add(predictions="d", references="x")
    assert len(metric) == 4
    assert metric.compute(predictions=["e"], references=["e"]) == {"share": 0.6, "rows": 5}
    assert len(metric) == 0
    with pytest.raises(ValueError, match="nothing to compute"):
        metric.compute()
    metric.add_batch(predictions=[], references=[])
    assert metric.compute(predictions=["e"], references=["e"], scale=100) == {"share": 100.0, "rows": 1}


def test_empty_batches_are_rows_too():
    metric = Echo()
    metric.add_batch(predictions=[], references=[])
    assert metric.compute()["predictions"] == []


@given(st.lists(st.tuples(st.text(), st.text(), st.integers(0, 9)), min_size=1, max_size=12), st.data())
@settings(deadline=None, max_examples=100)
def test_batches_score_like_one_call(rows, data):
    columns = dict(zip(("predictions", "references", "ids"), map(list, zip(*rows))))
    metric = Echo()
    whole = metric.compute(**columns)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(rows)), max_size=4)))
    for start, stop in zip([0, *cuts], [*cuts, len(rows)]):
        metric.add_batch(**{name: column[start:stop] for name, column in columns.items()})
    assert metric.compute() == whole


def test_a_batch_leaves_the_callers_lists_alone():
    metric, predictions, references = Echo(), ["a"], ["a"]
    metric.add_batch(predictions=predictions, references=references)
    metric.add_batch(predictions=["b"], references=["b"])
    assert (predictions, references) == (["a"], ["a"])
    assert metric.compute()["predictions"] == ["a", "b"]


def test_a_bad_batch_leaves_nothing_behind():
    metric = ExactShare()
    metric.add_batch(predictions=["a"], references=["a"])
    for bad in (
        {"predictions": ["a", 1], "references": ["a", "b"]},
        {"predictions": ["a", "b"], "references": ["a", None]},
        {"predictions": ["a"], "references": ["a", "b"]},
        {"predictions": ["a"]},
        {"predictions": ["a"], "references": ["a"], "weights": [1]},
        {"predictions": ["a"], "references": ["a"], "unknown": [1]},
    ):
        with pytest.raises((TypeError, ValueError)):
            metric.add_batch(**bad)
        assert len(metric) == 1
    with pytest.raises(TypeError, match="predictions is given twice"):
        metric.add(prediction="a", predictions="b", reference="c")
    assert metric.compute() == {"share": 1.0, "rows": 1}


def test_batches_have_the_same_columns():
    metric = ExactShare()
    metric.add_batch(predictions=["a"], references=["a"], weights=[1])
    with pytest.raises(
        ValueError, match="columns predictions, references; .* before have predictions, references, weights"
    ):
        metric.add_batch(predictions=["a"], references=["a"])


def test_an_exception_leaves_nothing_behind(tmp_path):
    metric = Failing(cache_dir=str(tmp_path / "cache"))
    for _ in range(2):
        metric.add_batch(predictions=["a"], references=["x"])
        with pytest.raises(RuntimeError, match="inside _compute"):
            metric.compute(fail=True)
        with pytest.raises(RuntimeError, match="inside _compute"):
            metric.compute(predictions=["a"], references=["x"], fail=True)
        assert len(metric) == 0
        assert metric.compute(predictions=["a"], references=["a"]) == {"share": 1.0, "rows": 1}
    assert list(tmp_path.iterdir()) == []


def test_a_failing_compute_ends_the_run():
    metric = ExactShare()
    for bad in ({"scael": 2}, {"predictions": [1], "references": ["a"]}, {"weights": [1]}):
        metric.add_batch(predictions=["a"], references=["x"])
        with pytest.raises((TypeError, ValueError)):
            metric.compute(**bad)
        assert len(metric) == 0
        assert metric.compute(predictions=["a"], references=["a"]) == {"share": 1.0, "rows": 1}


# --- threads, pickling, combine -------------------------------------------------------------------------------------


def test_one_instance_in_eight_threads():
    metric = ExactShare(scale=2)

    def work(thread):
        wrong = 0
        for call in range(300):
            rows, hits = 1 + (thread + call) % 7, (thread * call) % 3
            predictions = ["a"] * min(hits, rows) + ["b"] * max(rows - hits, 0)
            got = metric.compute(predictions=predictions, references=["a"] * rows)
            wrong += got != {"share": min(hits, rows) / rows * 2, "rows": rows}
        return wrong

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(work, range(8))) == 0


def test_pickle_keeps_options_and_rows():
    metric = ExactShare(scale=100)
    metric.add_batch(predictions=["a", "b"], references=["a", "x"], weights=[3, 1])
    copy = pickle.loads(pickle.dumps(metric))
    assert len(copy) == 2
    assert copy.compute() == metric.compute() == {"share": 75.0, "rows": 2}
    copy.add(prediction="a", reference="a")
    assert copy.compute() == {"share": 100.0, "rows": 1}
    assert len(metric) == 0


def test_combine():
    both = evaluate.combine([ExactShare(), Failing()])
    expected = {"exact_share_share": 0.5, "failing_share": 0.5, "exact_share_rows": 2, "failing_rows": 2}
    assert both.compute(predictions=["a", "b"], references=["a", "x"]) == expected
    both.add_batch(predictions=["a"], references=["a"])
    both.add(prediction="b", reference="x")
    assert both.compute() == expected
    with pytest.raises(TypeError, match="ExactShare does not take 'fail'"):
        both.compute(predictions=["a"], references=["a"], fail=False)


def test_combine_with_a_metric_of_other_columns():
    class Ranking(QAMetric):
        def _info(self):
            return info(run=datasets.Sequence(TEXT), judged=datasets.Sequence(TEXT))

        def _compute(self, run, judged):
            return {"hits": float(sum(len(set(a) & set(b)) for a, b in zip(run, judged)))}

    rows = {"run": [["a", "b"]], "judged": [["b"]]}
    assert evaluate.combine([Ranking()]).compute(**rows) == {"hits": 1.0}
    metric = Ranking()
    metric.add(run=["a"], judged=["a"])
    assert metric.compute(**rows) == {"hits": 2.0}
    with pytest.raises(TypeError, match="does not take 'predictions' here"):
        metric.compute(predictions=["a"], **rows)


# --- in processes of their own --------------------------------------------------------------------------------------

SCRIPT = '''
"""A toy metric in a folder of its own."""
import datasets
import evaluate
import numpy as np

from qassay.core.module import QAMetric


class ToyShare(QAMetric):
    optional = {"ids": (datasets.Value("string"), datasets.Value("int64")), "weights": datasets.Value("float64"), "notes": None}

    def _info(self):
        text = datasets.Value("string")
        many = datasets.Sequence(text)
        return evaluate.MetricInfo(
            description="",
            citation="",
            inputs_description="How to use the toy.",
            features=[
                datasets.Features({"predictions": text, "references": text}),
                datasets.Features({"predictions": text, "references": many}),
            ],
        )

    def _compute(self, predictions, references, ids=None, weights=None, notes=None, *, per_example=False, fail=False):
        if fail:
            raise RuntimeError("inside _compute")
        golds = [[row] if isinstance(row, str) else row for row in references]
        hits = [float(p in g) for p, g in zip(predictions, golds)]
        result = {"share": np.average(hits, weights=weights), "config": self.config_name}
        return {**result, "rows": predictions, "ids": ids, "weights": weights, "notes": notes} if per_example else result
'''


@pytest.fixture()
def folder(tmp_path):
    """A metric folder for evaluate.load, with Hugging Face's folders beside it."""
    (tmp_path / "toy_share").mkdir()
    (tmp_path / "toy_share" / "toy_share.py").write_text(SCRIPT)
    return tmp_path


def start(folder, code, home="home"):
    env = {**os.environ, "HF_HOME": str(folder / home), "HF_EVALUATE_OFFLINE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    for name in ("HF_MODULES_CACHE", "HF_METRICS_CACHE", "HF_EVALUATE_CACHE", "HF_DATASETS_CACHE", "HF_HUB_CACHE"):
        env.pop(name, None)
    code = "import json, sys\n" + textwrap.dedent(code)
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-c", code], cwd=folder, env=env, **streams)


def finish(process):
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return json.loads(out.splitlines()[-1])


def test_loaded_from_a_folder(folder):
    """Rows 1, 2, 3 and 10 of the list of evaluate's bugs, options at load, the store, pickling: through evaluate.load."""
    code = """
        import concurrent.futures, os, pickle
        import evaluate
        metric = evaluate.load("./toy_share")
        seen = {"name": metric.name, "doc": metric.compute.__doc__.endswith("How to use the toy.")}

        def message(*args, on=metric, **kwargs):
            try:
                on.compute(**kwargs)
            except Exception as err:
                return f"{type(err).__name__}: {err}"

        def work(k):
            return [metric.compute(predictions=["a"] * 4, references=["a"] * (k % 4) + ["x"] * (4 - k % 4))["share"]
                    for _ in range(300)] == [k % 4 / 4] * 300
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            seen["threads"] = list(pool.map(work, range(8)))
        seen["characters"] = message(predictions=["a", "h"], references=[["xyz"], "hello"])
        seen["later"] = message(predictions=["a", 1], references=["a", "b"])
        seen["fails"] = message(predictions=["a"], references=["a"], fail=True)
        seen["after"] = metric.compute(predictions=["a"], references=["a"])["share"]
        try:
            evaluate.load("./toy_share", per_exmple=True)
        except TypeError as err:
            seen["option"] = str(err)
        long = evaluate.load("./toy_share", "squad", per_example=True)
        long.add(prediction="a", reference="a", ids="q1", weights=1)
        copy = pickle.loads(pickle.dumps(long))
        copy.add_batch(predictions=["b"], references=["x"], ids=[2], weights=[3])
        seen["long"] = copy.compute()
        long.compute()
        pair = evaluate.combine(["./toy_share", long])
        seen["pair"] = pair.compute(predictions=["a"], references=["a"])
        walked = [(at, f) for at, _, files in os.walk("home") for f in files]
        seen["files"] = sorted(os.path.relpath(os.path.join(at, f), "home") for at, f in walked)
        seen["folders"] = sorted(os.listdir("home"))
        with open("loaded.pkl", "wb") as file:
            pickle.dump(long, file)
        print(json.dumps(seen))
    """
    seen = finish(start(folder, code))
    assert seen["name"] == "toy_share" and seen["doc"]
    assert seen["threads"] == [True] * 8
    assert seen["characters"] == "TypeError: references[1] must be a list, got str: 'hello'"
    assert seen["later"] == "TypeError: predictions[1] must be str, got int: 1"
    assert seen["fails"] == "RuntimeError: inside _compute"
    assert seen["after"] == 1.0
    assert "did you mean 'per_example'?" in seen["option"]
    assert seen["long"] == {
        "share": 0.25,
        "config": "squad",
        "rows": ["a", "b"],
        "ids": ["q1", 2],
        "weights": [1.0, 3.0],
        "notes": None,
    }
    assert seen["pair"]["toy_share_0_share"] == seen["pair"]["toy_share_1_share"] == 1.0
    assert not [name for name in seen["files"] if name.endswith((".arrow", ".arrow.lock"))]
    assert seen["folders"] == ["modules"], "evaluate's copy of the script, and no metrics cache"

    fresh = """
        import pickle
        import evaluate
        evaluate.load("./toy_share")
        with open("loaded.pkl", "rb") as file:
            print(json.dumps(pickle.load(file).compute(predictions=["a"], references=["a"])))
    """
    assert finish(start(folder, fresh))["share"] == 1.0


@pytest.mark.parametrize("home", ["missing/home", "toy_share/toy_share.py/home"], ids=["nonexistent", "impossible"])
def test_direct_class_import_writes_nothing(folder, home):
    code = """
        import os
        sys.path.insert(0, "toy_share")
        from toy_share import ToyShare
        before = sorted(os.walk("."))
        metric = ToyShare()
        seen = [metric.compute(predictions=["a"], references=["b"])["share"]]
        metric.add(prediction="a", reference="a")
        metric.add_batch(predictions=["a"], references=["a"])
        seen.append(metric.compute()["share"])
        print(json.dumps([seen, before == sorted(os.walk(".")), os.path.exists("missing")]))
    """
    assert finish(start(folder, code, home)) == [[0.0, 1.0], True, False]


WORKER = """
    import os, time
    sys.path.insert(0, "toy_share")
    from toy_share import ToyShare
    rank = {rank}
    metric = ToyShare(num_process=2, process_id=rank, cache_dir="cache", experiment_id="{experiment}", {options})
    def barrier(name):
        open(f"{experiment}-{{name}}-{{rank}}", "w").close()
        while not os.path.exists(f"{experiment}-{{name}}-{{1 - rank}}"):
            time.sleep(0.01)
"""


def two_processes(folder, experiment, code, options="per_example=True"):
    codes = [
        textwrap.dedent(WORKER.format(rank=rank, experiment=experiment, options=options)) + textwrap.dedent(code)
        for rank in (0, 1)
    ]
    processes = [start(folder, code) for code in codes]
    return [finish(process) for process in processes]


def test_two_processes(folder):
    code = r"""
    import numpy as np
    metric.add_batch(predictions=["a", "\ud800"][rank:], references=["a", "\ud800"][rank:], ids=[7, "q"][rank:])
    metric.add(prediction=f"p{rank}", reference="x", ids=rank)
    first = metric.compute()
    barrier("round")
    many = [f"{rank}-{i}" for i in range(25_000)]
    second = metric.compute(predictions=many, references=[[row] for row in many], notes=[np.arange(2)] * 25_000)
    if rank == 0:
        second = [second["share"], second["rows"] == [f"{r}-{i}" for r in (0, 1) for i in range(25_000)], second["notes"][-1]]
    barrier("end")
    left = [f for _, _, files in os.walk("cache") for f in files if f.endswith(".arrow")]
    print(json.dumps([first, second, len(metric), left]))
    """
    zero, one = two_processes(folder, "rounds", code)
    expected = {
        "share": 0.6,
        "config": "default",
        "rows": ["a", "\ud800", "p0", "\ud800", "p1"],
        "ids": [7, "q", 0, "q", 1],
        "weights": None,
        "notes": None,
    }
    assert zero == [expected, [1.0, True, [0, 1]], 0, []]
    assert one == [None, None, 0, []]


def test_two_processes_that_disagree_or_fail(folder):
    code = """
    seen = []
    def attempt(name, **rows):
        try:
            got = metric.compute(**rows)
            seen.append(got and got["rows"])
        except Exception as err:
            seen.append(f"{type(err).__name__}: {err}")
        barrier(name)
    attempt("empty", **({"predictions": ["a"], "references": ["a"]} if rank else {}))
    attempt("nothing")
    attempt("columns", predictions=["a"], references=["a"], **({"ids": ["q"]} if rank else {}))
    attempt("layout", predictions=["a"], references=[["a"] if rank else "a"])
    attempt("fail", predictions=["a"], references=["a"], fail=True)
    attempt("after", predictions=["a"], references=["a"])
    left = [f for _, _, files in os.walk("cache") for f in files if f.endswith(".arrow")]
    print(json.dumps([seen, left]))
    """
    zero, one = two_processes(folder, "faults", code)
    assert zero[0] == [
        ["a"],
        "ValueError: nothing to compute: no process has added rows",
        "ValueError: processes differ in their columns: predictions, references and predictions, references, ids",
        "TypeError: references[1] must be str, got list: ['a']",
        "RuntimeError: inside _compute",
        ["a", "a"],
    ]
    assert one[0] == [None] * 6
    assert zero[1] == one[1] == []


def both_ranks(folder, *columns):
    """The result of two ranks in threads, each with its own columns."""
    metrics = [Echo(num_process=2, process_id=rank, cache_dir=str(folder)) for rank in (0, 1)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(metric.compute, **own) for metric, own in zip(metrics, columns, strict=True)]
    assert runs[1].result() is None
    assert not list(folder.rglob("*.arrow"))
    return runs[0].result()


@pytest.mark.parametrize(
    ("ids", "expected"), [(None, None), ([7], 7), ([np.int64(7)], 7), ([("a", None)], ["a", None])]
)
def test_rows_of_two_ranks_meet_in_order(tmp_path, ids, expected):
    zero = {"predictions": ["p0"], "references": ["r0"], "ids": ids}
    got = both_ranks(tmp_path, zero, {"predictions": ["p1"], "references": ["r1"], "ids": ids})
    assert (got["predictions"], got["references"]) == (["p0", "p1"], ["r0", "r1"])
    assert got["ids"] == (None if expected is None else [expected] * 2)


def test_ranks_must_have_the_same_columns_and_some_rows(tmp_path):
    rows = {"predictions": ["a"], "references": ["a"]}
    assert both_ranks(tmp_path, {}, rows) == {**rows, "ids": None}
    with pytest.raises(ValueError, match="processes differ in their columns: .*references and .*references, ids"):
        both_ranks(tmp_path, rows, {**rows, "ids": [1]})
    with pytest.raises(ValueError, match="no process has added rows"):
        both_ranks(tmp_path, {}, {})


def test_rows_that_cannot_travel_are_refused_before_any_lock(tmp_path):
    metric = Echo(num_process=2, process_id=0, cache_dir=str(tmp_path))
    with pytest.raises(TypeError, match="a object cannot go from one process to another"):
        metric.compute(predictions=["a"], references=["a"], ids=[object()])
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(metric) == 0


def test_a_process_that_waits_in_vain_leaves_no_rows(folder):
    code = """
        import os
        sys.path.insert(0, "toy_share")
        from toy_share import ToyShare
        metric = ToyShare(num_process=2, process_id=0, cache_dir="cache", timeout=0.2)
        try:
            metric.compute(predictions=["a"], references=["a"])
        except ValueError as err:
            seen = str(err)
        left = [f for _, _, files in os.walk("cache") for f in files if f.endswith(".arrow")]
        print(json.dumps([seen, left, len(metric)]))
    """
    seen, left, rows = finish(start(folder, code))
    assert "Expected to find locked file" in seen
    assert (left, rows) == ([], 0)
