"""Human verdicts by id, as a list, as a series and in files; refused input."""

import json

import numpy as np
import pyarrow as pa
import pytest

from qassay.core.ids import unique_ids
from qassay.human.labels import verdicts_of

IDS = unique_ids([f"q{row}" for row in range(14)], "ids")
SOME = {f"q{row}": row % 2 for row in range(12)}
LISTED = [*SOME.values(), None, None]
EXPECTED = [*([0.0, 1.0] * 6), np.nan, np.nan]
LINES = "".join(f"{key},{value}\n" for key, value in SOME.items())


def same(found, expected=EXPECTED):
    return found.dtype == np.float64 and np.array_equal(found, expected, equal_nan=True)


@pytest.mark.parametrize(
    "labels",
    [
        SOME,
        {**SOME, "q12": float("nan"), "q13": None},
        {key: ["no", "True"][value] for key, value in reversed(SOME.items())},
        {key: bool(value) for key, value in SOME.items()},
        LISTED,
        np.array(LISTED, object),
        pa.table({"id": list(SOME), "verdict": list(SOME.values())}),
    ],
)
def test_labels_by_id_and_in_order(labels):
    assert same(verdicts_of(labels, IDS))


def test_labels_of_pandas(pd):
    frame = pd.DataFrame({"id": [*SOME, "q12"], "label": [*SOME.values(), None]})
    assert same(verdicts_of(frame, IDS)) and same(verdicts_of(frame.rename(columns={"id": "uid"}), IDS, {"ids": "uid"}))
    assert same(verdicts_of(pd.Series(SOME), IDS)) and same(verdicts_of(pd.Series(LISTED, dtype="Int64"), IDS))
    assert same(verdicts_of(pd.Series({**SOME, "q13": None}, dtype=float), IDS))
    ids = np.random.default_rng(0).permutation(14).tolist()
    by_id = pd.Series([int(row < 6) for row in range(14)])
    assert same(verdicts_of(by_id.to_dict(), ids), [row < 6 for row in ids])
    assert same(verdicts_of(by_id[:12], ids), [row < 6 if row < 12 else np.nan for row in ids])
    assert same(verdicts_of(by_id, IDS), by_id.tolist()) and same(verdicts_of(by_id, range(1, 15)), by_id.tolist())
    for of_examples in (ids, list(map(str, ids))):  # the index may count rows or hold ids
        with pytest.raises(ValueError, match="give series.tolist"):
            verdicts_of(by_id, of_examples)
    keys, values = [*SOME, "q3"], [*SOME.values(), 1]
    assert same(verdicts_of(pd.Series(values, index=keys), IDS))  # two equal verdicts of one example
    with pytest.raises(ValueError, match="'q3' .*1 and 0"):
        verdicts_of(pd.Series([*SOME.values(), 0], index=keys), IDS)


def test_positions_are_ids_too():
    assert same(verdicts_of({row: row % 2 for row in range(12)}, range(14)))
    assert same(verdicts_of({str(row): row % 2 for row in range(12)}, range(14)))
    with pytest.raises(ValueError, match="'1' has two"):  # 1 and "1" are one id
        verdicts_of({**{row: row % 2 for row in range(12)}, "1": 0}, range(14))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", f"id,label\n{LINES}q12,\nq13,NA\n"),
        ("b.csv", f"qid,note,verdict\n{LINES.replace(',', ',x,')}"),
        ("c.tsv", "id\tcorrect\n" + LINES.replace(",0", "\tNo").replace(",1", "\tTRUE")),
        ("d.jsonl", "".join(json.dumps({"id": key, "label": value}) + "\n" for key, value in SOME.items())),
        ("e.json", json.dumps({**SOME, "q12": None})),
    ],
)
def test_labels_in_files(save, name, text):
    assert same(verdicts_of(save(name, text), IDS))


def test_named_columns(save):
    named = save("g.csv", f"uid,label,right\n{LINES.replace(',', ',5,')}")
    assert same(verdicts_of(named, IDS, {"labels": "right"}))
    with pytest.raises(ValueError, match="'rihgt'"):
        verdicts_of(named, IDS, {"labels": "rihgt"})


@pytest.mark.parametrize(
    ("labels", "error", "message"),
    [
        ({**SOME, "x1": 1, "x2": 0}, ValueError, "2 of 14 .*'x1'.*'q0'"),
        ({**SOME, "q3": 1.5}, ValueError, "'q3' is 1.5"),
        ({**SOME, "q3": "maybe"}, ValueError, "'q3' is 'maybe'"),
        (dict(list(SOME.items())[:9]), ValueError, "9 labels"),
        (LISTED[1:], ValueError, "13 verdicts for 14 examples"),
        (7, TypeError, "labels must be a dict"),
    ],
)
def test_labels_that_are_refused(labels, error, message):
    with pytest.raises(error, match=message):
        verdicts_of(labels, IDS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("question,label\nq0,1\n", 'question, label; .*"ids": "NAME"'),
        ("id,vote\nq0,1\n", 'id, vote; .*"labels": "NAME"'),
        ("id,label,verdict\nq0,1,1\n", 'label or verdict; .*"labels": "label"'),
        ("id,ID,label\nq0,q1,1\n", 'id or ID; .*"ids": "id"'),
        ("id,label\nq0,maybe\n", "'q0' is 'maybe'"),
    ],
)
def test_files_that_are_refused_are_named(text, message, save):
    with pytest.raises(ValueError, match=f"labels[.]csv: .*{message}"):
        verdicts_of(save("labels.csv", text), IDS)
