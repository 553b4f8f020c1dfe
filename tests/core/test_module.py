"""The base class of the scripts: its columns, its row store, options, results, and rows of several processes.

What holds for the modules of the families is in tests/contract/test_module.py.
"""

import concurrent.futures
import json
import types

import numpy as np
import pyarrow as pa
import pytest

from qassay.core.options import Options

ONE = {"predictions": ["a"], "references": ["a"]}


@pytest.fixture(scope="module")
def Toy(datasets, evaluate):
    """A metric that returns the arguments of `_compute`."""
    from qassay.core.module import QAMetric

    class ToyOptions(Options):
        family, configs = "toy", {"default": {}, "squad": {}}

    class Toy(QAMetric):
        options_class = ToyOptions

        def _info(self):
            text = datasets.Value("string")
            features = datasets.Features({"predictions": text, "references": text})
            return evaluate.MetricInfo(
                description="A toy.", citation="", inputs_description="Usage.", features=features
            )

        def _compute(self, predictions, references, ids=None, weights=None, *, top_k=None, fail=False):
            if fail:
                raise RuntimeError("inside _compute")
            columns = {"predictions": predictions, "references": references, "ids": ids, "weights": weights}
            return {**columns, "top_k": top_k}

    return Toy


@pytest.fixture(scope="module")
def toy(Toy):
    """A metric of a subclass of Toy with other members."""
    return lambda **members: type("Toy", (Toy,), members)()


# --- columns ----------------------------------------------------------------------------------------------------------


class Tensor:
    """A fake torch tensor: `tolist`, no length, not iterable by rows of Python values."""

    def __init__(self, values):
        self.values = values

    def tolist(self):
        return self.values


@pytest.fixture(scope="module")
def conversions(datasets, pd):
    """Functions of a list of values -> a column with them, by name."""

    def in_dataset(values, kind=None):
        return datasets.Dataset.from_dict({"column": values}).with_format(kind)["column"]

    return {
        "list": list,
        "iterator": iter,
        "array": np.array,
        "array of objects": lambda v: np.array(v, dtype=object),
        "Arrow": pa.array,
        "chunks": lambda v: pa.chunked_array([v[:1], v[1:]]),
        "series": pd.Series,
        "series of objects": lambda v: pd.Series(v, dtype=object, index=[9, 5, 7]),
        "index": pd.Index,
        "data set": in_dataset,
        "data set of pandas": lambda v: in_dataset(v, "pandas"),
        "tensor": Tensor,
    }


@pytest.mark.parametrize("values", [["a", "b", "c"], [1, 2, 3], [0.5, 1.5, float("inf")]], ids=["str", "int", "float"])
def test_columns_become_plain_lists(Toy, conversions, values):
    metric = Toy()
    for conversion, convert in conversions.items():
        got = metric.compute(predictions=convert(values), references=convert(values))
        metric.add_batch(predictions=convert(values), references=convert(values))
        for result in (got, metric.compute()):
            for name in ("predictions", "references"):
                assert type(result[name]) is list and result[name] == values, conversion
                assert {type(value) for value in result[name]} == {type(values[0])}, conversion


def test_input_that_cannot_be_added_row_by_row(Toy, pd):
    mapping = types.MappingProxyType({"q1": "hello"})
    for column in ("hello", b"hello", {"q1": "hello"}, mapping, np.array(1.0), np.float64(1.0), 3, {"a", "b"}):
        with pytest.raises(TypeError, match="^predictions"):
            Toy().add_batch(predictions=column, references=["a"])
    with pytest.raises(TypeError, match="^predictions is a whole DataFrame"):
        Toy().add_batch(predictions=pd.DataFrame({"a": ["x"]}), references=["a"])


def test_a_single_call_hands_dicts_tables_and_lengths_to_the_core(Toy, pd):
    frame = pd.DataFrame({"a": ["x"]})
    got = Toy().compute(predictions={"q1": "a"}, references=frame, ids=iter("xyz"))
    assert got["predictions"] == {"q1": "a"} and got["references"] is frame and got["ids"] == ["x", "y", "z"]


def test_a_core_that_matches_rows_itself(toy, pd):
    """Batches of tables as rows, and sides of different lengths."""
    metric = toy(
        batch_rows=lambda self, column, name: column.to_dict("records") if hasattr(column, "to_dict") else list(column),
        lengths_may_differ=lambda self, rows: all(isinstance(row, dict) for row in rows["predictions"]),
    )
    frame = pd.DataFrame({"q": ["a", "b"], "n": [1, 2]})
    metric.add_batch(predictions=frame, references=["x"])
    metric.add_batch(predictions=[{"q": "c", "n": 3}], references=["y", "z"])
    got = metric.compute()
    assert got["predictions"] == [{"q": "a", "n": 1}, {"q": "b", "n": 2}, {"q": "c", "n": 3}]
    assert got["references"] == ["x", "y", "z"]
    with pytest.raises(ValueError, match="predictions 1, references 2"):
        metric.add_batch(predictions=["a"], references=["x", "y"])


# --- the row store ----------------------------------------------------------------------------------------------------


def test_a_failing_compute_ends_the_run(Toy, tmp_path):
    metric = Toy(cache_dir=str(tmp_path / "cache"))
    for bad in ({"fial": 2}, {"predictions": 3}, {"weights": [1]}, {"fail": True}, {**ONE, "fail": True}):
        metric.add_batch(**ONE)
        with pytest.raises((TypeError, ValueError, RuntimeError)):
            metric.compute(**bad)
        assert len(metric) == 0
        assert metric.compute(**ONE)["predictions"] == ["a"]
    assert list(tmp_path.iterdir()) == []


# --- options and results ----------------------------------------------------------------------------------------------


def test_the_init_parameters_of_evaluate_keep_working(Toy, tmp_path):
    metric = Toy(
        "squad",
        keep_in_memory=True,
        cache_dir=str(tmp_path / "cache"),
        num_process=1,
        process_id=0,
        seed=7,
        experiment_id="mine",
        hash="abc",
        max_concurrent_cache_files=3,
        timeout=5,
        top_k=1,
    )
    assert (metric.config_name, metric.seed, metric.experiment_id, metric.timeout) == ("squad", 7, "mine", 5)
    assert (metric.name, metric.info.config_name, metric.module_type) == ("toy", "squad", "metric")
    assert metric.compute(**ONE)["top_k"] == 1
    with pytest.raises(ValueError, match="keep_in_memory"):
        Toy(keep_in_memory=True, num_process=2)


def test_seed_holds_numpys_generator_only_while_computing_and_only_when_given(Toy):
    class Drawing(Toy):
        def _compute(self, predictions, references):
            return {"draw": np.random.random()}

    np.random.seed(3)
    first, second = np.random.random(2)
    np.random.seed(3)
    seeded = Drawing(seed=11)
    assert seeded.compute(**ONE) == seeded.compute(**ONE)
    assert np.random.random() == first, "the caller's generator is where it was"
    assert Drawing().compute(**ONE) == {"draw": second}


def test_only_python_numbers_come_out(toy):
    found = {
        "f": (np.float32(0.5), 0.5),
        "i": (np.int64(3), 3),
        "b": (np.bool_(True), True),
        "array": (np.array([1.5]), [1.5]),
        "list": ([np.float64(1), 2], [1.0, 2]),
        "deep": ({"x": (np.float64(0.25),)}, {"x": [0.25]}),
        "text": ("t", "t"),
        "none": (None, None),
    }
    metric = toy(_compute=lambda self, predictions, references: {name: value for name, (value, _) in found.items()})
    got = metric.compute(**ONE)
    assert got == json.loads(json.dumps(got)) == {name: plain for name, (_, plain) in found.items()}
    kinds = [type(got[name]) for name in ("f", "i", "b")] + [type(got["list"][0]), type(got["deep"]["x"][0])]
    assert kinds == [float, int, bool, float, float]


# --- several processes, simulated by threads; tests/distributed has real processes ------------------------------------


@pytest.fixture
def both_ranks(Toy, tmp_path):
    """A function of the columns and options of two ranks -> their result; the first error where one fails."""

    def call(*columns):
        metrics = [Toy(num_process=2, process_id=rank, cache_dir=str(tmp_path)) for rank in (0, 1)]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            runs = [pool.submit(metric.compute, **own) for metric, own in zip(metrics, columns, strict=True)]
        assert runs[1].result() is None
        assert not list(tmp_path.rglob("*.arrow")) and not any(map(len, metrics))
        return runs[0].result()

    return call


@pytest.mark.parametrize(
    ("ids", "expected"), [(None, None), ([7], 7), ([np.int64(7)], 7), ([("a", None)], ["a", None])]
)
def test_rows_of_two_ranks_meet_in_order(both_ranks, ids, expected):
    zero = {"predictions": ["p0"], "references": ["\ud800"], "ids": ids}
    got = both_ranks(zero, {"predictions": ["p1"], "references": ["r1"], "ids": ids})
    assert (got["predictions"], got["references"]) == (["p0", "p1"], ["\ud800", "r1"])
    assert got["ids"] == (None if expected is None else [expected] * 2)


def test_ranks_must_have_the_same_columns_and_some_rows(both_ranks):
    assert both_ranks({}, ONE)["predictions"] == ["a"]
    with pytest.raises(ValueError, match="processes differ in their columns: .*references and .*references, ids"):
        both_ranks(ONE, {**ONE, "ids": [1]})
    with pytest.raises(ValueError, match="no process has added rows"):
        both_ranks({}, {})
    with pytest.raises(RuntimeError, match="inside _compute"):
        both_ranks({**ONE, "fail": True}, ONE)
    assert both_ranks(ONE, ONE)["predictions"] == ["a", "a"]


def test_rows_that_cannot_travel_are_refused_before_any_lock(Toy, tmp_path):
    metric = Toy(num_process=2, process_id=0, cache_dir=str(tmp_path))
    with pytest.raises(TypeError, match="a object cannot go from one process to another"):
        metric.compute(**ONE, ids=[object()])
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(metric) == 0


def test_a_process_that_times_out_leaves_no_rows(Toy, tmp_path):
    for rank, why in enumerate(("Expected to find locked file", "every process must call compute, and all equally")):
        metric = Toy(num_process=2, process_id=rank, cache_dir=str(tmp_path), timeout=0.05)
        with pytest.raises(ValueError, match=f"process {rank} got no answer from the other 1 in 0.05 s .*{why}"):
            metric.compute(**ONE)
        assert not list(tmp_path.rglob("*.arrow")) and len(metric) == 0
        assert metric.experiment_id == "default_experiment"
