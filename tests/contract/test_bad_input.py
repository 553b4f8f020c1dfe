"""Every family refuses invalid input in the same way: one line that names the column, the row and what to do."""

import math

import pytest

import qassay
from qassay.core import matching
from qassay.registry import FAMILIES, get_family

LENGTHS = "columns have different lengths: .*"
COLUMN = "must be a column with one item per example, for example a list; got"

# fault: functions from a row to each column, other columns, type and text of the error
CASES = {
    "too few predictions": (lambda p, r: ([p], [r, r]), {}, ValueError, LENGTHS + "predictions 1"),
    "too many predictions": (lambda p, r: ([p, p], [r]), {}, ValueError, LENGTHS + "predictions 2"),
    "no rows": (lambda p, r: ([], []), {}, ValueError, "is empty"),
    "no rows by id": (lambda p, r: ({}, {}), {}, ValueError, "is empty"),
    "no predictions": (lambda p, r: (None, [r]), {}, TypeError, "^predictions "),
    "no references": (lambda p, r: ([p], None), {}, TypeError, "^references "),
    "a number of predictions": (lambda p, r: (3, [r]), {}, TypeError, f"predictions {COLUMN} int: 3"),
    "a text of predictions": (lambda p, r: ("ab", [r]), {}, TypeError, f"predictions {COLUMN} str: 'ab'"),
    "a number of references": (lambda p, r: ([p], 3), {}, TypeError, f"references {COLUMN} int: 3"),
    "a reference is None": (lambda p, r: ([p, p], [r, None]), {}, TypeError, r"references\[1\] .*(None|null)"),
    "dict and list": (lambda p, r: ({"x": p}, [r]), {}, ValueError, "references .*(no ids|plain list).*give .*both"),
    "list and dict": (lambda p, r: ([p], {"x": r}), {}, ValueError, "predictions .*(no ids|plain list).*give .*both"),
    "other ids": (lambda p, r: ({"x": p}, {"y": r}), {}, ValueError, "'y'"),
    "too few ids": (None, {"ids": ["a"]}, ValueError, LENGTHS + "ids 1"),
    "an id twice": (None, {"ids": ["a", "a"]}, ValueError, "'a'.*row [01]"),
    "an id is None": (None, {"ids": ["a", None]}, TypeError, "ids?.* None"),
    "an id is 1.5": (None, {"ids": [1.5, 2.5]}, TypeError, "ids?.* float: 1.5"),
    "a number of ids": (None, {"ids": 3}, TypeError, f"ids {COLUMN} int: 3"),
    "too few weights": (None, {"weights": [1]}, ValueError, "weights (1;|has 1 number)"),
    "a weight below 0": (None, {"weights": [1, -1]}, ValueError, r"weights\[1\] is -1; .*at least 0"),
    "a weight is NaN": (None, {"weights": [1, math.nan]}, ValueError, r"weights\[1\] is nan; give a finite number"),
    "a weight is infinite": (None, {"weights": [1, math.inf]}, ValueError, r"weights\[1\] is inf; give a finite"),
    "a weight is huge": (None, {"weights": [1, 1e308]}, ValueError, r"weights\[1\] is 1e\+308; give a finite"),
    "a weight is text": (None, {"weights": [1, "1"]}, TypeError, r"weights\[1\] must be int or float, got str: '1'"),
    "a weight is None": (None, {"weights": [1, None]}, TypeError, r"weights\[1\] must be int or float, got None"),
    "all weights are 0": (None, {"weights": [0, 0]}, ValueError, "all weights are 0; give at least one"),
    "a number of weights": (None, {"weights": 3}, TypeError, f"weights {COLUMN} int: 3"),
    "an option of another name": (None, {"wieghts": [1, 1]}, TypeError, r"'wieghts' \(did you mean 'weights'\?\)"),
    "no such option": (None, {"nonsense": 1}, TypeError, "no column or option 'nonsense'; it has: .*columns are: pred"),
}


def smallest(name):
    """A row of predictions, a row of references, and options under which no model is loaded."""
    row, options = get_family(name).smallest[0]
    columns = [row["predictions"], row["references"]]
    rows = [next(iter(column.values())) if isinstance(column, dict) else column[0] for column in columns]
    return *rows, options


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", FAMILIES)
def test_what_no_family_can_score(name, case):
    columns, others, error, message = CASES[case]
    prediction, reference, options = smallest(name)
    columns = columns(prediction, reference) if columns else ([prediction] * 2, [reference] * 2)
    with pytest.raises(error, match=message) as caught:
        qassay.score(name, *columns, **others, **options)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 600


@pytest.mark.parametrize("name", [name for name in FAMILIES if name not in ("label_metrics", "average_precision")])
def test_missing_predictions(name):
    """By id: scored 0 and counted, omitted, or refused with the id."""
    prediction, reference, options = smallest(name)
    given = {"x": prediction}, {"x": reference, "y": reference}
    zero, skip = (qassay.score(name, *given, missing=way, **options).summary() for way in ("zero", "skip"))
    assert (zero["total"], zero["missing"], skip["total"]) == (2, 1, 1)
    with pytest.raises(ValueError, match="'y'.* the option missing='zero' or 'skip'"):
        qassay.score(name, *given, missing="error", **options)
    with pytest.raises(ValueError, match=r"option missing='zeros' is unknown \(did you mean 'zero'\?\)"):
        qassay.score(name, *given, missing="zeros", **options)


@pytest.mark.parametrize(
    "name, fewer",
    [("answer_match", {"top_k": (1, 2)}), ("retriever_reader", {"top_k": 2, "unit": "token"})],
)
def test_too_many_pairs_of_one_question(name, fewer, monkeypatch):
    """Each answer is compared with each gold answer: thousands of both would take minutes and gigabytes."""
    monkeypatch.setattr(matching, "MOST_PAIRS", 10)
    few, many = ([f"a{number}" for number in range(count)] for count in (3, 4))
    if name == "retriever_reader":
        few, many = (
            {"documents": ["d"], "answers": [{"text": text, "document_id": "d"} for text in t]} for t in (few, many)
        )
    given = {"fine": few, "odd": many}, {"fine": few, "odd": few}
    assert len(qassay.score(name, *given, **fewer)) == 2
    all_of_them = {**fewer, "top_k": (1, 4) if name == "answer_match" else None}
    told = r"^predictions\[1\] \(id 'odd'\) has answers that make 12 pairs .* at most 10 pairs of one question .*top_k="
    with pytest.raises(ValueError, match=told):
        qassay.score(name, *given, **all_of_them)
