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
    """Twelve answers to twelve questions."""
    named = {"question": [f"where {row}?" for row in range(N)], "gold": ["Rome"] * N, "answer": ["in Rome"] * N}
    return {**named, "label": LABELS, **others}


def csv_of(columns):
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    return "\n".join(lines) + "\n"


def test_every_kind_of_table_gives_the_same(save_table, pd):
    expected = read_labelled(table())
    rows = [dict(zip(table(), row, strict=True)) for row in zip(*table().values(), strict=True)]
    jsonl = save_table("\n".join(map(json.dumps, rows)), "labelled.jsonl")
    for data in (save_table(csv_of(table()), "a.csv"), jsonl, rows, pd.DataFrame(table()), pa.table(table())):
        found = read_labelled(data)
        assert (found.answers, found.golds, found.questions) == (expected.answers, expected.golds, expected.questions)
        assert found.labels.tolist() == LABELS and found.systems is None
        assert (found.group_name, len(found.groups.labels)) == ("question", N)


def test_named_columns_several_golds_and_a_separator(save_table):
    columns = table(gold=["Rome/Roma"] * N)
    assert read_labelled(save_table(csv_of(columns), "a.csv"), {"separator": "/"}).golds == [["Rome", "Roma"]] * N
    columns = table(other=["Roma"] * N, votes=LABELS)
    names = {"references": ["gold", "other"], "labels": "votes", "groups": "question"}
    assert read_labelled(columns, names).golds == [["Rome", "Roma"]] * N
    assert read_labelled(table(gold=[["Rome"], []] * 6)).golds[:2] == [["Rome"], []]


def test_words_fractions_and_empty_labels(save_table):
    words = ["yes", "no", "True", "FALSE", " 1 ", "0.0", "0.5", "", "yes", "no", "1", "0", "1"]
    rows = [f"q{row},Rome,Rome,{word}" for row, word in enumerate(words)]
    for pair in (("correct", "Incorrect"), ("right", "WRONG ")):
        assert read_labelled(save_table(csv_of(table(label=pair * 6)), "a.csv")).labels.tolist() == LABELS
    found = read_labelled(save_table("\n".join(["question,gold,answer,label", *rows]), "a.csv"))
    assert found.labels.tolist() == [1, 0, 1, 0, 1, 0, 0.5, 1, 0, 1, 0, 1]
    assert (found.unlabelled, found.questions[7]) == (1, "q8")
    assert read_labelled(table(label=[True] * 10 + [None] * 2)).unlabelled == 2


@pytest.mark.parametrize("kind", [dict, list, "DataFrame"])
def test_nan_is_not_a_label_in_every_kind_of_table(kind, pd):
    columns = table(label=[*LABELS[:10], float("nan"), np.float32("nan")])
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    found = read_labelled({dict: columns, list: rows}.get(kind, pd.DataFrame(columns)))
    assert (found.unlabelled, found.labels.tolist()) == (2, LABELS[:10])


def test_empty_gold_cells_are_no_gold_answer(save_table):
    golds = [None] + ["Rome"] * 11
    for data in (table(gold=golds), save_table(csv_of(table(gold=["", *golds[1:]])), "a.csv")):
        assert read_labelled(data).golds[:2] == [[], ["Rome"]]
    found = qassay.agreement(table(gold=golds), "answer_match")
    assert any(line.startswith("1 answer without a gold answer") for line in found.remarks)


def test_rows_that_are_not_independent_are_one_group():
    assert read_labelled(table(groups=["a", "b"] * 6)).groups.labels == ("a", "b")
    columns = table(gold=["Rome", "Oslo", "Bern"] * 4)
    del columns["question"]
    found = read_labelled(columns)
    assert (found.group_name, len(found.groups.labels)) == ("gold answer", 3)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"label": None}, "labels"),
        ({"answer": None}, "predictions"),
        ({"verdict": LABELS}, "label or verdict"),
        ({"label": ["maybe"] * N}, "row 0: .*'maybe'"),
        ({"label": [1, 0] * 4 + [None] * 4}, "8 labels"),
        ({"id": ["a", "b", "c", "d"] * 3, "system": ["x", "y"] * 6}, "'a' of the system x in rows 0 and 4"),
        ({"system": ["x", ""] * 6}, r"system\[1\]"),
        ({"answer": ["a"] * 5 + [1] + ["a"] * 6, "label": [None, *LABELS[1:]]}, "row 5: answer"),
        ({"gold": ["Rome"] * 5 + [1] + ["Rome"] * 6, "label": [None, *LABELS[1:]]}, r"references\[5\]"),
        ({"label": LABELS[1:]}, "label 11"),
        ({"question": ["q"] * N}, "one question"),
    ],
)
def test_refused_input(columns, message):
    columns = {name: column for name, column in table(**columns).items() if column is not None}
    with pytest.raises(ValueError, match=message):
        read_labelled(columns)


def test_wrong_names_of_columns_and_wrong_data():
    for columns, message in (
        ({"labels": "lable"}, "'lable'"),
        ({"labels": "gold", "references": "gold"}, "gold .*labels .*references"),
    ):
        with pytest.raises(ValueError, match=message):
            read_labelled(table(), columns)
    for data in (7, ["a"], None):
        with pytest.raises(TypeError, match="labelled answers"):
            qassay.agreement(data)


def test_one_id_of_several_systems_is_not_a_duplicate():
    ids, systems = ["a", "a", "b", "b", "c", "c"] * 2, ["x", "y"] * 3 + ["z", "w"] * 3
    assert read_labelled(table(id=ids, system=systems)).systems == systems
