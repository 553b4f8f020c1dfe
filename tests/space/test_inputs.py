"""Uploads get their roles by what is in them; what cannot be scored, is too large or hostile is refused."""

import gzip
import re

import pyarrow as pa
import pytest
from pyarrow import parquet

from qassay.space import inputs, limits, uploads
from qassay.space.choices import Choices, chosen_columns
from qassay.space.inputs import find_inputs, match_probabilities, name_systems, read_uploads
from qassay.space.limits import MAX_FILE, MAX_ROWS, MAX_RUNS, MAX_SYSTEMS, InputError, check_amount
from qassay.space.samples import FOLDER
from qassay.space.scoring import score_inputs
from qassay.space.uploads import GOLD, PROBABILITIES, SYSTEM, check_file, read_upload

SQUAD = {"data": [{"paragraphs": [{"context": "", "qas": [{"id": "a", "question": "?", "answers": []}]}]}]}


def sample(path, slot, metric=None):
    return read_upload(str(FOLDER / path), path.rpartition("/")[2], slot, metric)


def scored(files, choices=None):
    """The scores of each system."""
    choices = choices or Choices()
    return score_inputs(find_inputs(files, choices), choices)[0].scores


def test_files_in_the_wrong_slots_are_put_right_with_a_note():
    first, second = "rankings/qrels.txt", "rankings/bm25.run"
    right = find_inputs([sample(first, GOLD), sample(second, SYSTEM)], Choices())
    for slots in ((SYSTEM, GOLD), (SYSTEM, SYSTEM), (PROBABILITIES, GOLD)):
        found = find_inputs([sample(first, slots[0]), sample(second, slots[1])], Choices())
        assert (found.gold, found.systems) == (right.gold, right.systems)
        assert "qrels.txt" in found.notes[0]
    kept = find_inputs([sample("factoid/hasty.json", GOLD), sample("factoid/gold.json", SYSTEM)], Choices())
    assert kept.gold.endswith("hasty.json") and not kept.notes, "each could be gold: they stay where they are"


def test_probabilities_go_to_the_system_they_are_named_after_or_by_order(put):
    names = ("large_model_no_answer", "gold", "small_model", "large_model")
    found = find_inputs(
        [sample(f"answers/{name}.json", GOLD if name == "gold" else SYSTEM) for name in names], Choices()
    )
    assert list(found.systems) == ["small_model", "large_model"]
    assert list(found.probabilities) == ["large_model"]
    files = [put("x.json", {"a": 0.5}), put("y.json", {"a": 0.1})]
    assert match_probabilities(files, ["s", "t"]) == {"s": files[0].path, "t": files[1].path}
    with pytest.raises(InputError, match="x.json .*s, t"):
        match_probabilities(files[:1], ["s", "t"])


def test_systems_and_rows_are_limited(put):
    files = [put(f"{place}.csv", "prediction,gold\nx,x\n", SYSTEM if place else GOLD) for place in range(7)]
    with pytest.raises(InputError, match=f"7 systems .*{MAX_SYSTEMS}"):
        find_inputs(files, Choices())
    assert len(find_inputs(files[:-1], Choices()).systems) == MAX_SYSTEMS == 6
    large = [files[0], *(of._replace(count=MAX_ROWS) for of in files[1:6])]
    with pytest.raises(InputError, match="1,000,001 rows .*800,000"):
        find_inputs(large, Choices())


def test_columns_are_chosen_and_several_columns_of_predictions_are_systems(put):
    table = put("two.csv", "left,right\nParis,Paris\nMilan,Rome\n")
    with pytest.raises(InputError, match="two.csv: .*left, right"):
        find_inputs([table], Choices())
    found = scored([table], Choices(columns={"predictions": "left", "references": "right"}))
    assert found["two"].summary(["exact_match"]) == {"exact_match": 0.5}
    wide = "id,lang,gold,small,large\n1,en,Paris,Paris,London\n2,fr,Rome,Roma,Rome\n3,fr,Oslo,Oslo,Oslo\n"
    columns = chosen_columns({"predictions": ["small", "large"]})
    systems = scored([put("a.csv", wide, GOLD)], Choices(columns=columns))
    found = {name: scores.columns["exact_match"].tolist() for name, scores in systems.items()}
    assert found == {"small": [1, 0, 1], "large": [0, 1, 1]}


@pytest.mark.parametrize(
    "content",
    [
        b"plain words",
        b'{"name": "x", "engines": {}}',
        b'{"a":' * 100_000,
        b"\xff",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",  # Excel
        b"a,b\n1,\0",
        "Zürich".encode("utf-16"),
        gzip.compress(b"{}", mtime=0),
        b"PAR1 and no more",
        b"[" + b"{}," * 2_100_000 + b"{}]",
        b"\n".join(b'{"k%d":1}' % row for row in range(20_000)),
        b",".join(b"c%d" % column for column in range(2_000)) + b"\n",
    ],
    ids=range(12),
)
def test_what_is_neither_gold_nor_predictions_and_hostile_bytes_are_refused_by_the_name_of_the_file(put, content):
    with pytest.raises(InputError, match="^odd.json: "):
        find_inputs([put("gold.json", SQUAD, GOLD), put("odd.json", content)], Choices())


def test_large_files_and_many_rows_are_refused(put, tmp_path):
    with pytest.raises(InputError, match="21 MB"):
        put("big.csv", b"x" * (MAX_FILE + 1_000_000))
    rows = {"long.csv": "id,prediction\n" + "1,x\n" * (MAX_ROWS + 1), "long.jsonl": '{"id": 1}\n' * (MAX_ROWS + 1)}
    for name, text in rows.items():
        with pytest.raises(InputError, match=f"{name}: 200,001 rows"):
            put(name, text)
    parquet.write_table(pa.table({"id": pa.array(range(MAX_ROWS + 1))}), tmp_path / "long.parquet")
    with pytest.raises(InputError, match="long.parquet: 200,001 rows"):
        check_file(str(tmp_path / "long.parquet"), "long.parquet")
    gold = put("gold.json", {"a": ["x"] * 3_001}, GOLD)
    with pytest.raises(InputError, match="3,00. values in one row"):
        scored([gold, put("system.json", {"a": "x"})])


@pytest.mark.parametrize(
    ("first", "line"),
    [
        ("# none\n\n", "q 0 d{} 1"),
        ("# none\n\n", "q Q0 d{0} 1 {0} tag"),
        ("# none\n\n", "{}"),
        ("31 1\n", "0:{}"),
    ],
)
def test_lines_of_every_kind_are_counted_before_they_are_read(tmp_path, monkeypatch, first, line):
    monkeypatch.setattr(uploads, "MAX_ROWS", 30)

    def upload(count):
        (tmp_path / "f").write_text(first + "".join(line.format(row) + "\n" for row in range(count)))
        return read_upload(str(tmp_path / "f"), "f", GOLD)

    upload(30)
    with pytest.raises(InputError, match=r"^f: 3[12] lines .*30"):
        upload(31)


def test_columns_of_a_header_and_labels_that_it_claims_are_counted(tmp_path, put):
    """Also behind a line feed in quotes. Measures have a number for each label, whether a row has it or not."""
    path = tmp_path / "f.csv"
    path.write_text(";".join(['"a,;\t\nb"', *map(str, range(1_000))]) + "\n" + ";".join(["1"] * 1_001))
    with pytest.raises(InputError, match=r"^f.csv: .*1,000"):
        check_file(str(path), "f.csv")
    gold, scores = (put(name, "2 1000000000\n0:1\n1:1\n", slot) for name, slot in (("g", GOLD), ("s", SYSTEM)))
    with pytest.raises(InputError, match=r"^references: 1,000,000,000 labels"):
        scored([gold, scores])


def test_values_and_comparisons_of_columns_are_counted(monkeypatch):
    """Of rows by place and by id, of whatever shape."""
    rows = [[{"id": key, "answers": ["x"] * 2_000} for key in keys] for keys in ("abc", "cab")]
    with pytest.raises(InputError, match="12,012,003 comparisons .*3,000,000"):
        check_amount({"references": rows[0]}, {"predictions": rows[1]})
    monkeypatch.setattr(limits, "MAX_ROWS", 2)
    for column in (["a", "b", "c"], {"1": "a", "2": "b", "3": "c"}):
        with pytest.raises(InputError, match="predictions: 3 rows .*at most 2"):
            check_amount({}, {"predictions": column})
    monkeypatch.setattr(limits, "MAX_VALUES_OF_ROW", 3)
    check_amount({"run": {"q1": {"a": 1, "b": 1, "c": 1}, "q2": [[], {}, ""]}}, {})
    for column, where in (([["a"], ["a", ["b", {"c": 1, "d": 2}]]], "[1]"), ({"q": ["a", "b", [], {}]}, "['q']")):
        with pytest.raises(InputError, match=f"^{re.escape(f'run{where}: 4 values')}"):
            check_amount({}, {"run": column})
    monkeypatch.setattr(limits, "MAX_VALUES", 4)
    with pytest.raises(InputError, match="^run: more than 4 values"):
        check_amount({}, {"run": [["a", "b", "c"], ["d", "e"]]})


def test_the_number_and_the_size_of_all_files_are_limited(tmp_path, monkeypatch):
    (tmp_path / "f.json").write_text('{"q": "a"}')
    one = (str(tmp_path / "f.json"), "f.json", SYSTEM)
    assert len(read_uploads([one] * 6, Choices())) == 6
    with pytest.raises(InputError, match="42 files"):
        read_uploads([one] * (2 + 2 * MAX_RUNS), Choices())
    monkeypatch.setattr(inputs, "MAX_TOGETHER", 50)
    with pytest.raises(InputError, match="MB of files are too many"):
        read_uploads([one] * 6, Choices())


# --- names ------------------------------------------------------------------------------------------------------------


def test_every_file_has_a_system_of_its_own():
    """Also of two that are alike after they are cleaned or cut."""
    long = [f"{'long' * 16}1.json", f"{'long' * 16}2.json", f"{'long' * 15}.json"]
    for files in (["x=1.json", "x-1 (3).json", "x-1.json", "x-1 (2).json"], long, ["\x07.json", "", ".json", ""]):
        names = name_systems(files)
        assert len(names) == len(files) == len(set(names))
        assert all(name.strip() and name.isprintable() for name in names)
