"""The base class: its columns, options and results."""

import inspect
import json
import types
from typing import ClassVar

import datasets
import evaluate
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from qassay.core.module import QAMetric

TEXT, WHOLE, REAL = datasets.Value("string"), datasets.Value("int64"), datasets.Value("float64")


def info(*alternatives, usage="Usage of the toy."):
    features = [datasets.Features(alternative) for alternative in alternatives]
    return evaluate.MetricInfo(
        description="A toy.",
        citation="",
        inputs_description=usage,
        features=features if len(features) > 1 else features[0],
    )


class Toy(QAMetric):
    """Returns what arrived in `_compute`, so that tests see values and types."""

    features_given = ({"predictions": TEXT, "references": TEXT},)
    optional: ClassVar = {"ids": (TEXT, WHOLE), "weights": REAL, "notes": None}

    def _info(self):
        return info(*self.features_given)

    def _compute(self, predictions, references, ids=None, weights=None, notes=None, *, top_k=None, lower=False):
        columns = {"predictions": predictions, "references": references, "ids": ids, "weights": weights, "notes": notes}
        return {**columns, "top_k": top_k, "lower": lower}


def toy(*alternatives, **options):
    return type("Toy", (Toy,), {"features_given": alternatives})(**options)


class ExactShare(QAMetric):
    """Share of equal strings: a metric with numbers in its output."""

    optional: ClassVar = {"weights": REAL}

    def _info(self):
        return info({"predictions": TEXT, "references": TEXT})

    def _compute(self, predictions, references, weights=None, *, scale=1):
        hits = [p == r for p, r in zip(predictions, references, strict=True)]
        return {"share": np.average(hits, weights=weights) * scale, "rows": np.int64(len(hits))}


class Squad(QAMetric):
    """Takes SQuAD rows through `adapt`, which also finds an optional column in them."""

    optional: ClassVar = {"no_answer_probabilities": REAL}

    def _info(self):
        return info({"predictions": TEXT, "references": datasets.Sequence(TEXT)})

    def adapt(self, columns, options):
        rows = columns.get("predictions")
        if isinstance(rows, dict):
            return {"predictions": list(rows.values()), "references": list(columns["references"].values())}
        if rows and isinstance(rows[0], dict):
            columns["predictions"] = [row["prediction_text"] for row in rows]
            columns["references"] = [row["answers"]["text"] for row in columns["references"]]
            columns["no_answer_probabilities"] = [row["no_answer_probability"] for row in rows]
        if options["foreign"]:
            columns["foreign"] = []
        return columns

    def _compute(self, predictions, references, no_answer_probabilities=None, *, foreign=False):
        return {"p": predictions, "r": references, "na": no_answer_probabilities}


# --- every row is checked -------------------------------------------------------------------------------------------

STRINGS = {"predictions": TEXT, "references": TEXT}
LISTS = {"predictions": TEXT, "references": datasets.Sequence(TEXT)}
NUMBERS = {"predictions": WHOLE, "references": REAL}
ROWS = {"predictions": {"id": TEXT, "score": REAL}, "references": TEXT}


@pytest.mark.parametrize(
    ("features", "predictions", "references", "message"),
    [
        (STRINGS, ["a", 1], ["a", "b"], "predictions[1] must be str, got int: 1"),
        (STRINGS, ["a", ["x"]], ["a", "b"], "predictions[1] must be str, got list: ['x']"),
        (LISTS, ["a", "b"], [["xyz"], "hello"], "references[1] must be a list, got str: 'hello'"),
        (STRINGS, [None, "b"], ["a", "b"], "predictions[0] must be str, got None"),
        (STRINGS, ["a", None], ["a", "b"], "predictions[1] must be str, got None"),
        (NUMBERS, [1.5, 2.0], [1.0, 2.0], "predictions[0] must be int, got float: 1.5"),
        (ROWS, [{"id": "1"}], ["a"], "predictions[0] lacks the key 'score'"),
        (ROWS, [{"id": "1", "score": 1, "zz": 0}], ["a"], "predictions[0] has the unknown key 'zz'"),
    ],
)
def test_every_row_is_checked(features, predictions, references, message):
    """What evaluate casts in silence, or refuses with a bare KeyError."""
    metric = toy(features)
    for call in (metric.compute, metric.add_batch):
        with pytest.raises(TypeError) as caught:
            call(predictions=predictions, references=references)
        assert str(caught.value).startswith(message)
    assert len(metric) == 0


def test_what_evaluate_refuses_for_no_reason_is_fine():
    surrogate = "\ud800"
    got = toy(STRINGS).compute(predictions=[surrogate], references=[""])
    assert got["predictions"] == [surrogate]
    assert toy(STRINGS).compute(predictions=[], references=[])["predictions"] == []


def test_lengths():
    with pytest.raises(ValueError, match="predictions 2, references 3"):
        toy(STRINGS).compute(predictions=["a"] * 2, references=["a"] * 3)
    with pytest.raises(ValueError, match="weights 1"):
        toy(STRINGS).compute(predictions=["a"] * 2, references=["a"] * 2, weights=[1])
    with pytest.raises(ValueError, match="notes 3"):
        toy(STRINGS).add_batch(predictions=["a"] * 2, references=["a"] * 2, notes=["a", "b", "c"])


def test_missing_columns():
    with pytest.raises(ValueError, match="references missing: Toy needs predictions, references"):
        toy(STRINGS).compute(predictions=["a"])
    with pytest.raises(ValueError, match="predictions missing"):
        toy(STRINGS).add(reference="a")
    for call in (toy(STRINGS).compute, toy(STRINGS).add_batch, toy(STRINGS).add):
        with pytest.raises(ValueError, match="^nothing to .*: give predictions, references"):
            call()


# --- conversion -----------------------------------------------------------------------------------------------------


class Tensor:
    """Stands for a torch tensor: `tolist`, no length, not iterable by rows of Python values."""

    def __init__(self, values):
        self.values = values

    def tolist(self):
        return self.values


def in_dataset(values, kind=None):
    return datasets.Dataset.from_dict({"column": values}).with_format(kind)["column"]


@pytest.mark.parametrize(
    "convert",
    [
        list,
        tuple,
        iter,
        lambda v: (x for x in v),
        lambda v: dict.fromkeys(v).keys(),
        lambda v: dict(enumerate(v)).values(),
        np.array,
        lambda v: np.array(v, dtype=object),
        lambda v: [x for x in np.array(v)],
        pa.array,
        lambda v: pa.chunked_array([v[:1], v[1:]]),
        pd.Series,
        lambda v: pd.Series(v, dtype=object, index=[9, 5, 7]),
        pd.Index,
        in_dataset,
        lambda v: in_dataset(v, "numpy"),
        lambda v: in_dataset(v, "pandas"),
        Tensor,
    ],
    ids=lambda convert: getattr(convert, "__name__", "other"),
)
@pytest.mark.parametrize("values", [["a", "b", "c"], [1, 2, 3], [0.5, 1.5, float("inf")]], ids=["str", "int", "float"])
def test_columns_become_plain_lists(convert, values):
    feature = {str: TEXT, int: WHOLE, float: REAL}[type(values[0])]
    metric = toy({"predictions": feature, "references": feature})
    got = metric.compute(predictions=convert(values), references=convert(values))
    metric.add_batch(predictions=convert(values), references=convert(values))
    for result in (got, metric.compute()):
        for name in ("predictions", "references"):
            assert type(result[name]) is list
            assert result[name] == values
            assert {type(value) for value in result[name]} == {type(values[0])}


def test_a_datasets_column_is_read_in_one_piece():
    """Row by row it takes 500 times as long."""

    class Column:
        column_name = "predictions"

        def __getitem__(self, key):
            assert key == slice(None)
            return np.array(["a", "b"])

        def __iter__(self):
            raise AssertionError("read row by row")

    assert toy(STRINGS).compute(predictions=Column(), references=["a", "b"])["predictions"] == ["a", "b"]


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("hello", "predictions must be a column"),
        (b"hello", "predictions must be a column"),
        ({"q1": "hello"}, "predictions must be a column"),
        (types.MappingProxyType({"q1": "hello"}), "predictions must be a column"),
        (np.array(1.0), "predictions must be a column"),
        (np.float64(1.0), "predictions must be a column"),
        (3, "predictions must be a column"),
        ({"a", "b"}, "predictions"),
        (frozenset("ab"), "predictions"),
        (pd.DataFrame({"a": ["x"]}), "predictions is a whole DataFrame: pass one of its columns"),
    ],
)
def test_what_is_no_column(column, message):
    for call in (toy(STRINGS).compute, toy(STRINGS).add_batch):
        with pytest.raises(TypeError) as caught:
            call(predictions=column, references=["a"])
        assert str(caught.value).startswith(message)


# --- alternatives ---------------------------------------------------------------------------------------------------


def test_the_first_alternative_that_fits_all_rows_is_taken():
    metric = toy({"predictions": WHOLE, "references": WHOLE}, {"predictions": REAL, "references": REAL})
    assert {type(v) for v in metric.compute(predictions=[1, 2], references=[1, 2])["predictions"]} == {int}
    assert {type(v) for v in metric.compute(predictions=[1, 2.5], references=[1, 2])["predictions"]} == {float}
    assert {type(v) for v in metric.compute(predictions=[1, 2], references=[1, 2.5])["predictions"]} == {float}


def test_batches_must_agree_on_an_alternative():
    metric = toy({"predictions": WHOLE, "references": WHOLE}, {"predictions": REAL, "references": REAL})
    metric.add_batch(predictions=[1], references=[1])
    metric.add_batch(predictions=[2.5], references=[1])
    metric.add_batch(predictions=[3], references=[1])
    got = metric.compute()["predictions"]
    assert got == [1.0, 2.5, 3.0]
    assert {type(value) for value in got} == {float}

    metric = toy(STRINGS, LISTS)
    metric.add_batch(predictions=["a"], references=["a"])
    with pytest.raises(TypeError, match=r"^references\[0\] must be str, got list"):
        metric.add_batch(predictions=["a"], references=[["a"]])
    assert metric.compute()["references"] == ["a"]
    assert metric.compute(predictions=["a"], references=[["a"]])["references"] == [["a"]], "the next run is free again"


def test_a_subclass_may_loosen_a_column_by_option():
    class Spans(Toy):
        def layouts(self, options):
            strict = super().layouts(options)
            return [{**layout, "predictions": None} for layout in strict] if options["top_k"] else strict

    assert Spans().compute(predictions=[(0, 3), None], references=["a", "b"], top_k=1)["predictions"] == [(0, 3), None]
    with pytest.raises(TypeError, match=r"predictions\[0\] must be str"):
        Spans().compute(predictions=[(0, 3), None], references=["a", "b"])
    with pytest.raises(TypeError, match=r"references\[1\] must be str"):
        Spans().compute(predictions=[(0, 3), None], references=["a", 2], top_k=1)


def test_a_core_may_check_its_rows_itself():
    class Own(Toy):
        core_checks = True

    metric = Own()
    got = metric.compute(predictions={"q1": "a"}, references=np.array([["a", "b"], ["c", "d"]]), ids=iter("xyz"))
    assert got["predictions"] == {"q1": "a"}
    assert got["references"] == [["a", "b"], ["c", "d"]]
    assert got["ids"] == ["x", "y", "z"]
    with pytest.raises(ValueError, match="references missing"):
        metric.compute(predictions={"q1": "a"})
    metric.add_batch(predictions=[(0, 3), None], references=("a", 1), ids=["x", 2.5])
    with pytest.raises(ValueError, match="predictions 1, references 2"):
        metric.add_batch(predictions=["a"], references=["a", "b"], ids=["x"])
    with pytest.raises(TypeError, match="predictions must be a column"):
        metric.add_batch(predictions={"q1": "a"}, references=["a"], ids=["x"])
    metric.add(prediction="a", reference="b", ids=3)
    got = metric.compute()
    assert got["predictions"] == [(0, 3), None, "a"]
    assert (got["references"], got["ids"]) == (["a", 1, "b"], ["x", 2.5, 3])


def test_a_core_that_matches_rows_itself():
    """Batches of tables as their rows, and sides of other lengths."""

    class Matching(Toy):
        core_checks = True

        def batch_rows(self, column, name):
            return column.to_dict("records") if isinstance(column, pd.DataFrame) else super().batch_rows(column, name)

        def lengths_may_differ(self, rows):
            return all(isinstance(row, dict) for row in rows["predictions"])

    metric, frame = Matching(), pd.DataFrame({"q": ["a", "b"], "n": [1, 2]})
    assert metric.compute(predictions=frame, references=["x"])["predictions"] is frame
    metric.add_batch(predictions=frame, references=["x"])
    metric.add_batch(predictions=[{"q": "c", "n": 3}], references=["y", "z"])
    got = metric.compute()
    assert got["predictions"] == [{"q": "a", "n": 1}, {"q": "b", "n": 2}, {"q": "c", "n": 3}]
    assert got["references"] == ["x", "y", "z"]
    with pytest.raises(ValueError, match="predictions 1, references 2"):
        metric.add_batch(predictions=["a"], references=["x", "y"])


# --- optional columns, adapt ----------------------------------------------------------------------------------------


def test_optional_columns():
    metric = toy(STRINGS)
    rows = {"predictions": ["a", "b"], "references": ["a", "b"]}
    got = metric.compute(**rows)
    assert got["ids"] is got["weights"] is got["notes"] is None
    got = metric.compute(**rows, ids=("x", 2), weights=np.array([1, 2]), notes=iter([None, {"any": "thing"}]))
    assert got["ids"] == ["x", 2]
    assert got["weights"] == [1.0, 2.0] and type(got["weights"][0]) is float
    assert got["notes"] == [None, {"any": "thing"}]
    with pytest.raises(TypeError, match=r"^ids\[1\] must be str or int, got float: 2.5"):
        metric.compute(**rows, ids=["x", 2.5])
    with pytest.raises(TypeError, match=r"^ids\[0\] must be str or int, got bool"):
        metric.compute(**rows, ids=[True, 2])
    with pytest.raises(TypeError, match=r"^weights\[1\] must be float, got str"):
        metric.compute(**rows, weights=[1, "2"])


def test_optional_as_a_bare_tuple_of_names():
    class Bare(Toy):
        optional: ClassVar = ("ids", "weights", "notes")

    got = Bare().compute(predictions=["a"], references=["a"], ids=[object], weights=np.array([1]))
    assert (got["ids"], got["weights"], got["notes"]) == ([object], [1], None)


def test_a_feature_may_be_optional():
    class Both(Toy):
        features_given = ({**STRINGS, "ids": TEXT},)

    assert Both().compute(predictions=["a"], references=["a"])["ids"] is None
    with pytest.raises(TypeError, match=r"ids\[0\] must be str, got int"):
        Both().compute(predictions=["a"], references=["a"], ids=[1])


def test_features_show_the_columns_of_the_run():
    metric = toy(STRINGS)
    assert list(metric.features) == ["predictions", "references"]
    metric.add_batch(predictions=["a"], references=["a"], ids=["x"], notes=[None])
    assert metric.features == datasets.Features({**STRINGS, "ids": TEXT, "notes": datasets.Value("null")})
    metric.compute()
    assert list(metric.features) == ["predictions", "references"]
    assert metric.features == metric.info.features
    several = toy(STRINGS, LISTS)
    several.add(prediction="a", reference="a", weights=1)
    assert [list(features) for features in several.features] == [["predictions", "references", "weights"]] * 2
    assert "stored examples: 1" in repr(several)


def test_adapt_turns_rows_into_columns_and_may_add_optional_ones():
    predictions = [{"id": "1", "prediction_text": "a", "no_answer_probability": 0.0}]
    references = [{"id": "1", "answers": {"text": ["a", "b"], "answer_start": [0, 1]}}]
    expected = {"p": ["a"], "r": [["a", "b"]], "na": [0.0]}
    assert Squad().compute(predictions=predictions, references=references) == expected
    metric = Squad()
    metric.add(prediction=predictions[0], reference=references[0])
    assert metric.compute() == expected
    table = pa.table({"id": ["1"], "prediction_text": ["a"], "no_answer_probability": [0.0]})
    assert Squad().compute(predictions=table, references=references) == expected
    assert Squad().compute(predictions={"1": "a"}, references={"1": ["a"]}) == {"p": ["a"], "r": [["a"]], "na": None}
    with pytest.raises(TypeError, match=r"^predictions\[0\] must be str"):
        Squad().compute(predictions=[{**predictions[0], "prediction_text": 1}], references=references)


def test_adapt_cannot_invent_columns():
    with pytest.raises(TypeError, match=r"adapt\(\) of Squad returns 'foreign'"):
        Squad(foreign=True).compute(predictions=["a"], references=[["a"]])


# --- options --------------------------------------------------------------------------------------------------------


def test_options_at_load_and_per_call():
    rows = {"predictions": ["a"], "references": ["a"]}
    metric = toy(STRINGS, top_k=3)
    assert metric.compute(**rows)["top_k"] == 3
    assert metric.compute(**rows, top_k=5)["top_k"] == 5
    assert metric.compute(**rows, top_k=None)["top_k"] is None
    assert metric.compute(**rows)["top_k"] == 3
    metric.add_batch(**rows)
    got = metric.compute(lower=True)
    assert (got["top_k"], got["lower"]) == (3, True)


def test_unknown_options_are_refused_by_name():
    rows = {"predictions": ["a"], "references": ["a"]}
    with pytest.raises(TypeError, match=r"does not take 'topk' here \(did you mean 'top_k'\?\)") as caught:
        toy(STRINGS, topk=3)
    assert "options: top_k, lower" in str(caught.value)
    with pytest.raises(TypeError, match=r"'lowr' here \(did you mean 'lower'\?\)") as caught:
        toy(STRINGS).compute(**rows, lowr=True)
    assert "columns: predictions, references, ids, weights, notes; options: top_k, lower" in str(caught.value)
    with pytest.raises(TypeError, match=r"'prediction' here \(did you mean 'predictions'\?\)"):
        toy(STRINGS).compute(prediction=["a"], references=["a"])
    with pytest.raises(TypeError, match="'ids' here"):
        toy(STRINGS, ids=["x"])
    metric = toy(STRINGS)
    for call in (metric.add_batch, metric.add):
        with pytest.raises(TypeError, match="'top_k' here"):
            call(**rows, top_k=3)
    assert len(metric) == 0


def test_the_init_parameters_of_evaluate_keep_working(tmp_path):
    metric = toy(
        STRINGS,
        config_name="squad",
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
    assert metric.compute(predictions=["a"], references=["a"])["top_k"] == 1
    assert Toy("squad").config_name == "squad"
    with pytest.raises(ValueError, match="keep_in_memory"):
        toy(STRINGS, keep_in_memory=True, num_process=2)


def test_an_option_may_share_its_name_with_an_init_parameter():
    class Seeded(ExactShare):
        def _compute(self, predictions, references, weights=None, *, seed=1):
            return {"seed": seed}

    rows = {"predictions": ["a"], "references": ["a"]}
    assert Seeded().compute(**rows) == {"seed": 1}
    assert Seeded(seed=5).compute(**rows) == {"seed": 5}
    assert Seeded(seed=5).compute(**rows, seed=6) == {"seed": 6}


def test_seed_holds_numpys_generator_only_while_computing_and_only_when_given():
    class Drawing(ExactShare):
        def _compute(self, predictions, references, weights=None):
            return {"draw": np.random.random()}

    rows = {"predictions": ["a"], "references": ["a"]}
    np.random.seed(3)
    first, second = np.random.random(2)
    np.random.seed(3)
    seeded = Drawing(seed=11)
    assert seeded.compute(**rows) == seeded.compute(**rows)
    assert np.random.random() == first, "the caller's generator is where it was"
    assert Drawing().compute(**rows) == {"draw": second}


# --- output ---------------------------------------------------------------------------------------------------------


def test_only_python_numbers_come_out():
    class Numpy(ExactShare):
        def _compute(self, predictions, references, weights=None):
            return {
                "f": np.float32(0.5),
                "i": np.int64(3),
                "b": np.bool_(True),
                "array": np.array([1.5]),
                "list": [np.float64(1), 2],
                "deep": {"x": (np.float64(0.25),)},
                "text": "t",
                "none": None,
            }

    got = Numpy().compute(predictions=["a"], references=["a"])
    assert got == {
        "f": 0.5,
        "i": 3,
        "b": True,
        "array": [1.5],
        "list": [1.0, 2],
        "deep": {"x": [0.25]},
        "text": "t",
        "none": None,
    }
    kinds = [type(got[name]) for name in ("f", "i", "b")] + [type(got["list"][0]), type(got["deep"]["x"][0])]
    assert kinds == [float, int, bool, float, float]
    assert json.loads(json.dumps(got)) == got


# --- what a subclass must get right ---------------------------------------------------------------------------------


def test_the_base_is_abstract_and_documented():
    assert inspect.isabstract(QAMetric)
    with pytest.raises(TypeError, match="abstract"):
        QAMetric()
    metric = ExactShare()
    for method in (metric.compute, metric.add, metric.add_batch):
        assert "Args:" in method.__doc__ and method.__doc__.endswith("Usage of the toy.")
    assert "Usage" not in QAMetric.compute.__doc__


def test_faults_of_a_subclass_show_at_construction():
    class Loose(ExactShare):
        def _compute(self, predictions, references, weights=None, **kwargs):
            return {}

    class Lacking(ExactShare):
        def _compute(self, predictions, weights=None):
            return {}

    class Needing(ExactShare):
        def _compute(self, predictions, references, weights):
            return {}

    class Uneven(ExactShare):
        def _info(self):
            return info(STRINGS, {"predictions": TEXT, "answers": TEXT})

    class Unchecked(ExactShare):
        optional: ClassVar = {"weights": datasets.Value("timestamp[s]")}

    with pytest.raises(TypeError, match=r"must name its options"):
        Loose()
    for faulty in (Lacking, Needing, Uneven):
        with pytest.raises(TypeError, match="the same columns, and _compute a parameter for each"):
            faulty()
    with pytest.raises(TypeError, match="cannot be checked"):
        Unchecked()
