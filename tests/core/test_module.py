"""The base class: what it accepts, what it refuses and with which words, and what it leaves behind."""

import concurrent.futures
import inspect
import json
import os
import pickle
import subprocess
import sys
import textwrap
import types
from typing import ClassVar

import datasets
import evaluate
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from karat.core.module import QAMetric

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


class Failing(ExactShare):
    """Fails on demand inside `_compute`."""

    def _compute(self, predictions, references, weights=None, *, fail=False):
        if fail:
            raise RuntimeError("inside _compute")
        return super()._compute(predictions, references, weights)


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
RANKED = {"predictions": [{"id": TEXT, "score": REAL}], "references": datasets.Sequence(datasets.Sequence(TEXT))}
BOXES = {"predictions": datasets.Sequence(REAL, length=4), "references": datasets.Sequence(REAL, length=4)}
FLAGS = {"predictions": datasets.Value("bool"), "references": datasets.ClassLabel(names=["no", "yes"])}


@pytest.mark.parametrize(
    ("features", "predictions", "references", "message"),
    [
        (STRINGS, ["a", 1], ["a", "b"], "predictions[1] must be str, got int: 1"),
        (STRINGS, ["a", ["x"]], ["a", "b"], "predictions[1] must be str, got list: ['x']"),
        (LISTS, ["a", "b"], [["xyz"], "hello"], "references[1] must be a list, got str: 'hello'"),
        (LISTS, ["a", "b"], [["a"], ["b", None]], "references[1][1] must be str, got None"),
        (LISTS, ["a", "b", "c"], [["a"], [], ["b", 2]], "references[2][1] must be str, got int: 2"),
        (STRINGS, [None, "b"], ["a", "b"], "predictions[0] must be str, got None"),
        (STRINGS, ["a", None], ["a", "b"], "predictions[1] must be str, got None"),
        (STRINGS, ["a", float("nan")], ["a", "b"], "predictions[1] must be str, got float: nan"),
        (STRINGS, ["a", b"b"], ["a", "b"], "predictions[1] must be str, got bytes: b'b'"),
        (NUMBERS, [1.5, 2.0], [1.0, 2.0], "predictions[0] must be int, got float: 1.5"),
        (NUMBERS, [1, True], [1.0, 2.0], "predictions[1] must be int, got bool: True"),
        (NUMBERS, [1, np.True_], [1.0, 2.0], "predictions[1] must be int, got"),
        (NUMBERS, [1, 2], [1.0, "2"], "references[1] must be float, got str: '2'"),
        (NUMBERS, [1, 2], [1.0, False], "references[1] must be float, got bool: False"),
        (NUMBERS, [1, np.array([2])], [1.0, 2.0], "predictions[1] must be int, got ndarray: array([2])"),
        (NUMBERS, [1, 2], [1.0, 10**400], "references[1] must be float, got int: 1000"),
        (FLAGS, [True, 1], [0, 1], "predictions[1] must be bool, got int: 1"),
        (RANKED, [[{"id": "a", "score": 1}], [{"id": "a"}]], [[], []], "predictions[1][0] lacks the key 'score'"),
        (
            RANKED,
            [[{"id": "a", "score": 1}, {"id": "b", "score": 1, "zz": 0}]],
            [[]],
            "predictions[0][1] has the unknown key 'zz'; its keys must be id, score",
        ),
        (RANKED, [[{"id": "a", "score": "1"}]], [[]], "predictions[0][0]['score'] must be float, got str: '1'"),
        (RANKED, [["a"]], [[]], "predictions[0][0] must be a dict with the keys id, score, got str: 'a'"),
        (RANKED, [[]], [[["a"], ["b", 3]]], "references[0][1][1] must be str, got int: 3"),
        (RANKED, [[]], [[["a"], {"b"}]], "references[0][1] must be a list, got set"),
        (BOXES, [[1, 2, 3]], [[1, 2, 3, 4]], "predictions[0] must have 4 entries, got 3"),
    ],
)
def test_every_row_is_checked(features, predictions, references, message):
    metric = toy(features)
    with pytest.raises(TypeError) as caught:
        metric.compute(predictions=predictions, references=references)
    assert str(caught.value).startswith(message)
    with pytest.raises(TypeError) as caught:
        metric.add_batch(predictions=predictions, references=references)
    assert str(caught.value).startswith(message)
    assert len(metric) == 0


@given(st.lists(st.one_of(st.text(), st.integers(), st.none(), st.booleans(), st.lists(st.text())), min_size=1))
@settings(deadline=None, max_examples=100)
def test_the_error_names_the_first_wrong_row(column):
    wrong = [index for index, value in enumerate(column) if not isinstance(value, str)]
    metric = toy(STRINGS)
    if not wrong:
        assert metric.compute(predictions=column, references=column)["predictions"] == column
        return
    with pytest.raises(TypeError, match=rf"^predictions\[{wrong[0]}\] must be str, got"):
        metric.compute(predictions=column, references=["a"] * len(column))


@given(st.lists(st.lists(st.one_of(st.text(max_size=2), st.just(7)), max_size=3), min_size=1, max_size=8))
@settings(deadline=None, max_examples=100)
def test_the_error_names_the_first_wrong_entry_of_a_list(column):
    wrong = [(i, j) for i, row in enumerate(column) for j, value in enumerate(row) if value == 7]
    metric = toy({"predictions": datasets.Sequence(TEXT), "references": TEXT})
    references = ["a"] * len(column)
    if not wrong:
        assert metric.compute(predictions=column, references=references)["predictions"] == column
        return
    with pytest.raises(TypeError) as caught:
        metric.compute(predictions=column, references=references)
    assert str(caught.value) == "predictions[{}][{}] must be str, got int: 7".format(*wrong[0])


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


@pytest.mark.parametrize(
    "convert",
    [
        lambda v: [tuple(row) for row in v],
        lambda v: [np.array(row) for row in v],
        np.array,
        pa.array,
        lambda v: pd.Series([np.array(row) for row in v]),
        in_dataset,
        lambda v: in_dataset(v, "numpy"),
        lambda v: [Tensor(row) for row in v],
        lambda v: [[Tensor(value) for value in row] for row in v],
        lambda v: [[np.int64(value) for value in row] for row in v],
    ],
)
def test_rows_of_lists_become_plain_lists(convert):
    values = [[1, 2], [3, 4]]
    feature = datasets.Sequence(WHOLE)
    got = toy({"predictions": feature, "references": feature}).compute(
        predictions=convert(values), references=convert(values)
    )
    assert got["predictions"] == values
    assert {type(row) for row in got["predictions"]} == {list}
    assert {type(value) for row in got["predictions"] for value in row} == {int}


def test_numpy_scalars_inside_dicts_and_lists_become_python_numbers():
    rows = [[{"id": np.str_("a"), "score": np.float32(0.5)}], [], [{"id": "b", "score": 1}]]
    got = toy(RANKED).compute(predictions=rows, references=[[], [], []])["predictions"]
    assert got == [[{"id": "a", "score": 0.5}], [], [{"id": "b", "score": 1.0}]]
    assert {type(item["score"]) for row in got for item in row} == {float}
    assert {type(item["id"]) for row in got for item in row} == {str}
    assert type(rows[0][0]["score"]) is np.float32, "the caller's rows stay as they are"


def test_whole_numbers_are_welcome_in_a_real_column():
    got = toy(NUMBERS).compute(predictions=[1, 2], references=[1, np.int8(2)])
    assert got["references"] == [1.0, 2.0]
    assert {type(value) for value in got["references"]} == {float}


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


@pytest.mark.parametrize(
    ("predictions", "references", "message"),
    [
        (["a", 1], ["a", "b"], "predictions[1] must be str, got int: 1"),
        (["a", "b"], ["a", ["b"]], "references[1] must be str, got list: ['b']"),
        (["a", "b"], [["a"], "b"], "references[1] must be a list, got str: 'b'"),
        (["a", "b"], [["a", 1], ["b"]], "references[0][1] must be str, got int: 1"),
        ([], [1], "columns have different lengths"),
    ],
)
def test_the_error_is_that_of_the_alternative_that_got_furthest(predictions, references, message):
    for alternatives in ((STRINGS, LISTS), (LISTS, STRINGS)):
        with pytest.raises((TypeError, ValueError)) as caught:
            toy(*alternatives).compute(predictions=predictions, references=references)
        assert str(caught.value).startswith(message)


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
    metric = toy(STRINGS)
    metric.add_batch(predictions=[], references=[])
    assert metric.compute()["predictions"] == []


@given(st.lists(st.tuples(st.text(), st.text(), st.integers(0, 9)), min_size=1, max_size=12), st.data())
@settings(deadline=None, max_examples=100)
def test_batches_score_like_one_call(rows, data):
    columns = dict(zip(("predictions", "references", "ids"), map(list, zip(*rows))))
    metric = toy(STRINGS)
    whole = metric.compute(**columns)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(rows)), max_size=4)))
    for start, stop in zip([0, *cuts], [*cuts, len(rows)]):
        metric.add_batch(**{name: column[start:stop] for name, column in columns.items()})
    assert metric.compute() == whole


def test_a_batch_leaves_the_callers_lists_alone():
    metric, predictions, references = toy(STRINGS), ["a"], ["a"]
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
            return info({"run": datasets.Sequence(TEXT), "judged": datasets.Sequence(TEXT)})

        def _compute(self, run, judged):
            return {"hits": float(sum(len(set(a) & set(b)) for a, b in zip(run, judged)))}

    rows = {"run": [["a", "b"]], "judged": [["b"]]}
    assert evaluate.combine([Ranking()]).compute(**rows) == {"hits": 1.0}
    metric = Ranking()
    metric.add(run=["a"], judged=["a"])
    assert metric.compute(**rows) == {"hits": 2.0}
    with pytest.raises(TypeError, match="does not take 'predictions' here"):
        metric.compute(predictions=["a"], **rows)


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


# --- in processes of their own --------------------------------------------------------------------------------------

SCRIPT = '''
"""A toy metric in a folder of its own."""
import datasets
import evaluate
import numpy as np

from karat.core.module import QAMetric


class ToyShare(QAMetric):
    optional = {"ids": (datasets.Value("string"), datasets.Value("int64")), "weights": datasets.Value("float64")}

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

    def _compute(self, predictions, references, ids=None, weights=None, *, per_example=False, fail=False):
        if fail:
            raise RuntimeError("inside _compute")
        golds = [[row] if isinstance(row, str) else row for row in references]
        hits = [float(p in g) for p, g in zip(predictions, golds)]
        result = {"share": np.average(hits, weights=weights), "config": self.config_name}
        return {**result, "rows": predictions, "ids": ids, "weights": weights} if per_example else result
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
        seen["files"] = sorted(os.path.relpath(os.path.join(at, f), "home") for at, _, fs in os.walk("home") for f in fs)
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
    metric.add_batch(predictions=["a", "\ud800"][rank:], references=["a", "\ud800"][rank:], ids=[7, "q"][rank:])
    metric.add(prediction=f"p{rank}", reference="x", ids=rank)
    first = metric.compute()
    barrier("round")
    many = [f"{rank}-{i}" for i in range(25_000)]
    second = metric.compute(predictions=many, references=[[row] for row in many], weights=[rank + 1] * 25_000)
    if rank == 0:
        second = [second["share"], second["rows"] == [f"{r}-{i}" for r in (0, 1) for i in range(25_000)], second["ids"]]
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
    }
    assert zero == [expected, [1.0, True, None], 0, []]
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
