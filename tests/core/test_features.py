"""Rows against declared features: what is converted, what is refused and with which words."""

import datasets
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay.core.features import fit_features

TEXT, WHOLE, REAL = datasets.Value("string"), datasets.Value("int64"), datasets.Value("float64")
STRINGS = {"predictions": TEXT, "references": TEXT}
LISTS = {"predictions": TEXT, "references": datasets.Sequence(TEXT)}
NUMBERS = {"predictions": WHOLE, "references": REAL}
RANKED = {"predictions": [{"id": TEXT, "score": REAL}], "references": datasets.Sequence(datasets.Sequence(TEXT))}
BOXES = {"predictions": datasets.Sequence(REAL, length=4), "references": datasets.Sequence(REAL, length=4)}
FLAGS = {"predictions": datasets.Value("bool"), "references": datasets.ClassLabel(names=["no", "yes"])}


def fit(feature, rows):
    """One column against one feature."""
    return fit_features({"rows": rows}, [{"rows": feature}])[0]["rows"]


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
        (NUMBERS, [1, 2], [1.0, 10**400], "references[1] must be float, got int: a number of 401 digits"),
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
    with pytest.raises(TypeError) as caught:
        fit_features({"predictions": predictions, "references": references}, [datasets.Features(features)])
    assert str(caught.value).startswith(message)


@given(st.lists(st.one_of(st.text(), st.integers(), st.none(), st.booleans(), st.lists(st.text())), min_size=1))
@settings(deadline=None, max_examples=100)
def test_the_error_names_the_first_wrong_row(column):
    wrong = [index for index, value in enumerate(column) if not isinstance(value, str)]
    if not wrong:
        assert fit(TEXT, column) is column
        return
    with pytest.raises(TypeError, match=rf"^rows\[{wrong[0]}\] must be str, got"):
        fit(TEXT, column)


@given(st.lists(st.lists(st.one_of(st.text(max_size=2), st.just(7)), max_size=3), min_size=1, max_size=8))
@settings(deadline=None, max_examples=100)
def test_the_error_names_the_first_wrong_entry_of_a_list(column):
    wrong = [(i, j) for i, row in enumerate(column) for j, value in enumerate(row) if value == 7]
    if not wrong:
        assert fit([TEXT], column) is column
        return
    with pytest.raises(TypeError) as caught:
        fit([TEXT], column)
    assert str(caught.value) == "rows[{}][{}] must be str, got int: 7".format(*wrong[0])


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
        lambda v: [tuple(row) for row in v],
        lambda v: [np.array(row) for row in v],
        np.array,
        lambda v: pa.array(v).to_pylist(),
        lambda v: pd.Series([np.array(row) for row in v]),
        lambda v: in_dataset(v)[:],
        lambda v: in_dataset(v, "numpy")[:],
        lambda v: [Tensor(row) for row in v],
        lambda v: [[Tensor(value) for value in row] for row in v],
        lambda v: [[np.int64(value) for value in row] for row in v],
    ],
)
@pytest.mark.parametrize("feature", [[WHOLE], datasets.Sequence(WHOLE), datasets.Sequence(WHOLE, length=2)])
def test_rows_of_lists_become_plain_lists(convert, feature):
    values = [[1, 2], [3, 4]]
    got = fit(feature, list(convert(values)))
    assert got == values
    assert {type(row) for row in got} == {list}
    assert {type(value) for row in got for value in row} == {int}


def test_numpy_scalars_inside_dicts_and_lists_become_python_numbers():
    rows = [[{"id": np.str_("a"), "score": np.float32(0.5)}], [], [{"id": "b", "score": 1}]]
    got = fit(RANKED["predictions"], rows)
    assert got == [[{"id": "a", "score": 0.5}], [], [{"id": "b", "score": 1.0}]]
    assert {type(item["score"]) for row in got for item in row} == {float}
    assert {type(item["id"]) for row in got for item in row} == {str}
    assert type(rows[0][0]["score"]) is np.float32, "the caller's rows stay as they are"


def test_whole_numbers_are_welcome_in_a_real_column():
    got = fit(REAL, [1, np.int8(2), 0.5])
    assert got == [1.0, 2.0, 0.5]
    assert {type(value) for value in got} == {float}


def test_a_tuple_of_features_accepts_either_type():
    rows = ["a", 1, np.int64(2)]
    assert fit((TEXT, WHOLE), rows) == ["a", 1, 2]
    for wrong, message in ((2.5, "float: 2.5"), (True, "bool: True"), (None, "None")):
        with pytest.raises(TypeError, match=rf"^rows\[3\] must be str or int, got {message}"):
            fit((TEXT, WHOLE), [*rows, wrong])


def test_rows_of_any_kind():
    rows = ["a", None, {"any": object}]
    assert fit(None, rows) is rows


@pytest.mark.parametrize("feature", [datasets.Value("timestamp[s]"), datasets.Image(), [datasets.Audio()]])
def test_features_that_cannot_be_checked_are_refused(feature):
    with pytest.raises(TypeError, match="cannot be checked"):
        fit(feature, [])


@pytest.mark.parametrize(
    ("predictions", "references", "message"),
    [
        (["a", 1], ["a", "b"], "predictions[1] must be str, got int: 1"),
        (["a", "b"], ["a", ["b"]], "references[1] must be str, got list: ['b']"),
        (["a", "b"], [["a"], "b"], "references[1] must be a list, got str: 'b'"),
        (["a", "b"], [["a", 1], ["b"]], "references[0][1] must be str, got int: 1"),
    ],
)
def test_the_error_is_that_of_the_alternative_that_got_furthest(predictions, references, message):
    for alternatives in ([STRINGS, LISTS], [LISTS, STRINGS]):
        with pytest.raises(TypeError) as caught:
            fit_features({"predictions": predictions, "references": references}, alternatives)
        assert str(caught.value).startswith(message)


def test_all_alternatives_that_fit_are_named_and_the_first_is_taken():
    whole, real = {"rows": WHOLE}, {"rows": REAL}
    got, fits = fit_features({"rows": [1, 2]}, [{"rows": TEXT}, whole, real])
    assert type(got["rows"][0]) is int and fits == [whole, real]
    got, fits = fit_features({"rows": [1, 2.5]}, [whole, real])
    assert type(got["rows"][0]) is float and fits == [real]
