"""Tables of labelled answers: their columns, labels and ids, and refused input."""

import json

import numpy as np
import pyarrow as pa
import pytest

import qassay
from qassay.human.read_labelled import read_labelled

N = 12
LABELS = [1, 0] * 6


def table(**others):
    """Twelve answers to twelve questions; None omits a column."""
    named = {"question": [f"where {row}?" for row in range(N)], "gold": ["Rome"] * N, "answer": ["in Rome"] * N}
    return {name: column for name, column in {**named, "label": LABELS, **others}.items() if column is not None}


def rows_of(columns):
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


@pytest.fixture
def csv(save_table):
    def write(columns):
        return save_table(
            "".join(",".join(map(str, row)) + "\n" for row in (columns, *zip(*columns.values()))), "a.csv"
        )

    return write


def test_every_kind_of_table_gives_the_same(save_table, csv, pd):
    expected = read_labelled(table())
    jsonl = save_table("\n".join(map(json.dumps, rows_of(table()))), "labelled.jsonl")
    for data in (csv(table()), jsonl, rows_of(table()), pd.DataFrame(table()), pa.table(table())):
        found = read_labelled(data)
        assert (found.answers, found.golds, found.questions) == (expected.answers, expected.golds, expected.questions)
        assert found.labels.tolist() == LABELS and found.systems is None
        assert (found.group_name, len(found.groups.labels)) == ("question", N)


def test_named_columns_several_golds_and_a_separator(csv):
    assert read_labelled(csv(table(gold=["Rome/Roma"] * N)), {"separator": "/"}).golds == [["Rome", "Roma"]] * N
    names = {"references": ["gold", "other"], "labels": "votes", "groups": "question"}
    assert read_labelled(table(other=["Roma"] * N, votes=LABELS), names).golds == [["Rome", "Roma"]] * N
    assert read_labelled(table(gold=[["Rome"], []] * 6)).golds[:2] == [["Rome"], []]


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        (["correct", "Incorrect"] * 6, LABELS),
        (["right", "WRONG "] * 6, LABELS),
        (
            ["yes", "no", "True", "FALSE", " 1 ", "0.0", "0.5", "", "yes", "no", "1", "0"],
            [*LABELS[:6], 0.5, *[1, 0] * 2],
        ),
    ],
)
def test_words_fractions_and_empty_labels(csv, cells, labels):
    found = read_labelled(csv(table(label=cells)))
    assert found.labels.tolist() == labels and found.unlabelled == N - len(labels)
    assert found.questions[-1] == "where 11?"


@pytest.mark.parametrize("nothing", [None, float("nan"), np.float32("nan")])
def test_none_and_nan_are_no_label_in_every_kind_of_table(nothing, pd):
    columns = table(label=[*LABELS[:10], nothing, nothing])
    for data in (columns, rows_of(columns), pd.DataFrame(columns)):
        found = read_labelled(data)
        assert (found.unlabelled, found.labels.tolist()) == (2, LABELS[:10])


def test_empty_gold_cells_are_no_gold_answer(csv):
    golds = [None] + ["Rome"] * 11
    for data in (table(gold=golds), csv(table(gold=["", *golds[1:]]))):
        assert read_labelled(data).golds[:2] == [[], ["Rome"]]
    found = qassay.agreement(table(gold=golds), "answer_match")
    assert any(line.startswith("1 answer without a gold answer") for line in found.remarks)


def test_rows_that_are_not_independent_are_one_group():
    assert read_labelled(table(groups=["a", "b"] * 6)).groups.labels == ("a", "b")
    found = read_labelled(table(question=None, gold=["Rome", "Oslo", "Bern"] * 4))
    assert (found.group_name, len(found.groups.labels)) == ("gold answer", 3)


def test_one_id_of_several_systems_is_not_a_duplicate():
    ids, systems = ["a", "a", "b", "b", "c", "c"] * 2, ["x", "y"] * 3 + ["z", "w"] * 3
    assert read_labelled(table(id=ids, system=systems)).systems == systems


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"label": None}, "labels"),
        ({"answer": None}, "predictions"),
        ({"verdict": LABELS}, "label or verdict"),
        ({"label": ["maybe"] * N}, "row 0: .*'maybe'"),
        ({"label": [1, 0] * 4 + [None] * 4}, "8 labels"),
        ({"label": LABELS[1:]}, "label 11"),
        ({"id": ["a", "b", "c", "d"] * 3, "system": ["x", "y"] * 6}, "'a' of the system x in rows 0 and 4"),
        ({"system": ["x", ""] * 6}, r"system\[1\]"),
        ({"answer": ["a"] * 5 + [1] + ["a"] * 6, "label": [None, *LABELS[1:]]}, "row 5: answer"),
        ({"gold": ["Rome"] * 5 + [1] + ["Rome"] * 6, "label": [None, *LABELS[1:]]}, r"references\[5\]"),
        ({"question": ["q"] * N}, "one question"),
    ],
)
def test_refused_input(columns, message):
    with pytest.raises(ValueError, match=message):
        read_labelled(table(**columns))


@pytest.mark.parametrize(
    ("columns", "message"),
    [({"labels": "lable"}, "'lable'"), ({"labels": "gold", "references": "gold"}, "gold .*labels .*references")],
)
def test_wrong_names_of_columns(columns, message):
    with pytest.raises(ValueError, match=message):
        read_labelled(table(), columns)


@pytest.mark.parametrize("data", [7, ["a"], None])
def test_what_is_no_table(data):
    with pytest.raises(TypeError, match="labelled answers"):
        qassay.agreement(data)
