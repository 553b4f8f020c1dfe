"""Human verdicts by id, as a list, as a series and in files; refused input."""

import json

import numpy as np
import pyarrow as pa
import pytest

from qassay.core.ids import unique_ids
from qassay.human.labels import split_label_columns, verdicts_of

IDS = unique_ids([f"q{row}" for row in range(14)], "ids")
SOME = {f"q{row}": row % 2 for row in range(12)}
EXPECTED = [*([0.0, 1.0] * 6), np.nan, np.nan]


def same(found, expected=EXPECTED):
    return found.dtype == np.float64 and np.array_equal(found, expected, equal_nan=True)


def test_labels_by_id_as_a_list_or_as_a_series(pd):
    assert same(verdicts_of(SOME, IDS))
    assert same(verdicts_of({**SOME, "q13": None}, IDS))
    assert same(verdicts_of({key: bool(value) for key, value in reversed(SOME.items())}, IDS))
    listed = [*SOME.values(), None, None]
    assert same(verdicts_of(listed, IDS)) and same(verdicts_of(np.array(listed, object), IDS))
    assert same(verdicts_of(pd.Series(SOME), IDS)) and same(verdicts_of(pd.Series(listed, dtype="Int64"), IDS))
    assert same(verdicts_of(pd.Series({**SOME, "q13": None}, dtype=float), IDS))  # where NaN is no label
    assert same(verdicts_of({**SOME, "q0": np.float32(0.25)}, IDS), [0.25, *EXPECTED[1:]])


def test_labels_in_data_frames(pd):
    frame = pd.DataFrame({"id": [*SOME, "q12"], "label": [*SOME.values(), None]})
    assert same(verdicts_of(frame, IDS)) and same(verdicts_of(pa.Table.from_pandas(frame), IDS))
    assert same(verdicts_of(frame.rename(columns={"id": "uid"}), IDS, {"ids": "uid"}))


def test_positions_are_ids_too():
    assert same(verdicts_of({row: row % 2 for row in range(12)}, range(14)))
    assert same(verdicts_of({str(row): row % 2 for row in range(12)}, range(14)))


def test_an_index_that_may_count_rows_or_hold_ids_is_refused(pd):
    ids = np.random.default_rng(0).permutation(14).tolist()
    by_id = pd.Series([int(row < 6) for row in range(14)])
    assert same(verdicts_of(by_id.to_dict(), ids), [row < 6 for row in ids])
    assert same(verdicts_of(by_id[:12], ids), [row < 6 if row < 12 else np.nan for row in ids])
    assert same(verdicts_of(by_id, IDS), by_id.tolist()) and same(verdicts_of(by_id, range(1, 15)), by_id.tolist())
    for of_examples in (ids, list(map(str, ids))):
        with pytest.raises(ValueError, match="give series.tolist"):
            verdicts_of(by_id, of_examples)


def test_labels_in_files(save):
    rows = [{"id": key, "label": value} for key, value in SOME.items()]
    lines = "".join(f"{key},{value}\n" for key, value in SOME.items())
    words = "".join(f"{key},{['No', 'TRUE'][value]}\n" for key, value in SOME.items())
    files = {
        "a.csv": f"id,label\n{lines}q12,\n",
        "b.csv": f"qid,note,verdict\n{lines.replace(',', ',x,')}",
        "c.tsv": f"id\tcorrect\n{words}".replace(",", "\t"),
        "d.jsonl": "".join(json.dumps(row) + "\n" for row in rows),
        "f.json": json.dumps({**SOME, "q12": None}),
    }
    for name, text in files.items():
        assert same(verdicts_of(save(name, text), IDS)), name
    named = save("g.csv", f"uid,label,right\n{lines.replace(',', ',5,')}")
    assert same(verdicts_of(named, IDS, {"labels": "right"}))
    with pytest.raises(ValueError, match="'rihgt'"):
        verdicts_of(named, IDS, {"labels": "rihgt"})
    assert split_label_columns(["a=b"], []) == (["a=b"], [])
    of_both = {"ids": ["uid"]}
    assert split_label_columns(["labels:ids=uid", "w.csv:labels=ok"], ["v.csv", "x/w.csv"]) == (
        [], [of_both, {**of_both, "labels": ["ok"]}],
    )  # fmt: skip
    with pytest.raises(ValueError, match="v.csv:labels=right"):
        split_label_columns(["labels=right"], ["v.csv"])


@pytest.mark.parametrize(
    ("labels", "error", "message"),
    [
        ({**SOME, "x1": 1, "x2": 0}, ValueError, "2 of 14 .*'x1'.*'q0'"),
        ({**SOME, "q3": 1.5}, ValueError, "'q3' is 1.5"),
        ({**SOME, "q3": "1"}, TypeError, "'q3'.* str"),
        (dict(list(SOME.items())[:9]), ValueError, "9 labels"),
    ],
)
def test_labels_that_are_refused(labels, error, message):
    with pytest.raises(error, match=message):
        verdicts_of(labels, IDS)


def test_two_verdicts_of_one_example(pd):
    keys, values = [*SOME, "q3"], [*SOME.values(), 1]
    assert same(verdicts_of(pd.Series(values, index=keys), IDS))  # both agree
    with pytest.raises(ValueError, match="'q3' .*1 and 0"):
        verdicts_of(pd.Series([*SOME.values(), 0], index=keys), IDS)
    with pytest.raises(ValueError, match="'1' has two"):  # 1 and "1" are one id
        verdicts_of({**{row: row % 2 for row in range(12)}, "1": 0}, range(14))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("question,label\nq0,1\n", 'question, label; .*"ids": "NAME"'),
        ("id,vote\nq0,1\n", 'id, vote; .*"labels": "NAME"'),
        ("id,label,verdict\nq0,1,1\n", 'label or verdict; .*"labels": "label"'),
        ("id,ID,label\nq0,q1,1\n", 'id or ID; .*"ids": "id"'),
        ("id,label\nq0,maybe\n", "'q0' is 'maybe'"),
        ("id,label\nq0,nan\n", "'q0' is NaN"),
    ],
)
def test_files_that_are_refused_are_named(text, message, save):
    with pytest.raises(ValueError, match=f"labels[.]csv: .*{message}"):
        verdicts_of(save("labels.csv", text), IDS)
