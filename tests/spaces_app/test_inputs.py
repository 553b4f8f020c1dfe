"""Uploads get their roles by what is in them; what cannot be scored, is too large or hostile is refused."""

import gzip
import json
import re

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyarrow import parquet

from qassay.pages import uploads
from qassay.pages.limits import MAX_FILE, MAX_ROWS, InputError, check_amount
from qassay.pages.uploads import GOLD, PROBABILITIES, SYSTEM, check_file, read_upload
from qassay.spaces_app.analysis import analyze
from qassay.spaces_app.choices import chosen_columns
from qassay.spaces_app.inputs import MAX_SYSTEMS, find_inputs, match_probabilities, name_systems
from qassay.spaces_app.samples import FOLDER

SQUAD = {"data": [{"paragraphs": [{"context": "", "qas": [{"id": "a", "question": "?", "answers": []}]}]}]}


def sample(path, slot, metric=None):
    return read_upload(str(FOLDER / path), path.rpartition("/")[2], slot, metric)


@pytest.fixture
def put(tmp_path):
    """A function of a name and content (text, bytes or a JSON value) -> an upload."""

    def call(name, content, slot=SYSTEM, metric=None):
        data = content if isinstance(content, (bytes, str)) else json.dumps(content)
        path = tmp_path / name
        path.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
        return read_upload(str(path), name, slot, metric)

    return call


def exact_match(analysis):
    return {name: cells["exact_match"].value for name, cells in analysis.report.systems.items()}


@pytest.mark.parametrize(
    ("gold", "system", "metric", "options", "family"),
    [
        ("answers/gold.json", "answers/small_model.json", None, "", "answer_match"),
        ("rankings/sentences.qa", "rankings/sentences.scores", None, "", "retrieval_ranking"),
        ("", "labels/articles.jsonl", "label_metrics", "task=multi", "label_metrics"),
        ("labels/spam.csv", "", "average_precision", "", "average_precision"),
        ("labels/pages.jsonl", "labels/pages_found.jsonl", None, "", "average_precision"),
    ],
)
def test_files_of_every_layout_are_scored(gold, system, metric, options, family):
    """Two files, lines beside lines, a table in either slot that holds both, rows of scores."""
    given = [sample(path, slot, metric) for path, slot in ((gold, GOLD), (system, SYSTEM)) if path]
    found = find_inputs(given, metric=metric, options=options.split())
    analysis = analyze(found.inputs, None, check_amount)
    assert (analysis.family.name, len(analysis.systems), found.notes) == (family, 1, [])


def test_files_in_the_wrong_slots_are_put_right_with_a_note():
    first, second = "rankings/qrels.txt", "rankings/bm25.run"
    right = find_inputs([sample(first, GOLD), sample(second, SYSTEM)])
    for slots in ((SYSTEM, GOLD), (SYSTEM, SYSTEM), (PROBABILITIES, GOLD)):
        found = find_inputs([sample(first, slots[0]), sample(second, slots[1])])
        assert (found.inputs.gold, found.inputs.systems) == (right.inputs.gold, right.inputs.systems)
        assert "qrels.txt" in found.notes[0]
    kept = find_inputs([sample("factoid/hasty.json", GOLD), sample("factoid/gold.json", SYSTEM)])
    assert kept.inputs.gold.endswith("hasty.json") and not kept.notes, "each could be gold: they stay where they are"


def test_probabilities_go_to_the_system_they_are_named_after_or_by_order(put):
    names = ("large_model_no_answer", "gold", "small_model", "large_model")
    found = find_inputs([sample(f"answers/{name}.json", GOLD if name == "gold" else SYSTEM) for name in names])
    assert list(found.inputs.systems) == ["small_model", "large_model"]
    assert list(found.inputs.probabilities) == ["large_model"]
    files = [put("x.json", {"a": 0.5}), put("y.json", {"a": 0.1})]
    assert match_probabilities(files, ["s", "t"]) == {"s": files[0].path, "t": files[1].path}
    with pytest.raises(InputError, match="x.json .*s, t"):
        match_probabilities(files[:1], ["s", "t"])


@pytest.mark.parametrize(
    ("metric", "head", "first", "second"),
    [
        ("answer_match", "id,prediction,gold", ["1,x,x", "2,y,z"], ["2,z,z", "1,x,x"]),
        ("average_precision", "score,label", ["0.5,1", "0.2,0"], ["0.3,true", "0.4,false"]),
    ],
)
def test_two_tables_that_are_each_complete_are_two_systems(put, metric, head, first, second):
    tables = {name: "\n".join([head, *rows]) + "\n" for name, rows in (("a.csv", first), ("b.csv", second))}
    given = [put(name, text, GOLD if name == "a.csv" else SYSTEM, metric) for name, text in tables.items()]
    report = analyze(find_inputs(given, metric=metric).inputs, None, check_amount).report
    assert list(report.systems) == ["a", "b"] and report.systems["a"] != report.systems["b"]
    for upload in given:
        (alone,) = analyze(find_inputs([upload], metric=metric).inputs).report.systems.values()
        assert report.systems[upload.name[0]] == alone
    assert list(find_inputs(given, metric=metric, names="T5\nBERT").inputs.systems) == ["T5", "BERT"]


def test_a_complete_gold_table_is_no_system_by_itself(put):
    """Beside predictions of another system, beside itself, or where only the other table is complete."""
    whole = "id,prediction,gold\n1,x,x\n"
    for gold, system, name in ((whole, '{"1": "x"}', "b"), (whole, whole, "a"), ("id,gold\n1,x\n", whole, "b")):
        found = find_inputs([put("a.csv", gold, GOLD), put(f"{name}.csv", system)])
        assert (list(found.inputs.systems), found.notes) == ([name], [])
    other = put("b.csv", "id,prediction,gold\n1,x,w\n")
    with pytest.raises(InputError, match=r"b.csv: .*'1' .*'w'.*'x'.* a.csv"):
        find_inputs([put("a.csv", whole, GOLD), other])


def test_systems_and_rows_are_limited(put):
    files = [put(f"{place}.csv", "prediction,gold\nx,x\n", SYSTEM if place else GOLD) for place in range(7)]
    with pytest.raises(InputError, match=f"7 systems .*{MAX_SYSTEMS}"):
        find_inputs(files)
    assert len(find_inputs(files[:-1]).inputs.systems) == MAX_SYSTEMS == 6
    large = [files[0], *(of._replace(count=MAX_ROWS) for of in files[1:6])]
    with pytest.raises(InputError, match="1,000,001 rows .*800,000"):
        find_inputs(large)


def test_columns_are_chosen_and_several_columns_of_predictions_are_systems(put):
    table = put("two.csv", "left,right\nParis,Paris\nMilan,Rome\n")
    with pytest.raises(InputError, match="two.csv: .*left, right"):
        find_inputs([table])
    found = find_inputs([table], columns={"predictions": "left", "references": "right", "ids": ""})
    assert exact_match(analyze(found.inputs)) == {"two": 50}
    wide = "id,lang,gold,small,large\n1,en,Paris,Paris,London\n2,fr,Rome,Roma,Rome\n3,fr,Oslo,Oslo,Oslo\n"
    columns = chosen_columns({"predictions": ["small", "large"]})
    for names, called in (("", ["small", "large"]), ("T5\nBERT", ["T5", "BERT"])):
        analysis = analyze(find_inputs([put("a.csv", wide, GOLD)], columns=columns, names=names).inputs)
        found = [analysis.scores(name).columns["exact_match"].tolist() for name in called]
        assert (analysis.systems, found) == (called, [[1, 0, 1], [0, 1, 1]])
    both = find_inputs([put("a.csv", wide, GOLD), put("b.csv", wide)], columns=columns).inputs
    assert list(both.systems) == ["a/small", "a/large", "b/small", "b/large"]


@pytest.mark.parametrize(
    ("paths", "named"),
    [
        ([], "gold file"),
        (["answers/small_model.json"], "small_model.json"),
        (["answers/gold.json"], "gold.json"),
        (["answers/gold.json", "rankings/qrels.txt"], "gold.json and qrels.txt"),
    ],
)
def test_what_is_missing_or_too_much_is_told(paths, named):
    with pytest.raises(InputError, match=named):
        find_inputs([sample(path, GOLD if not place else SYSTEM) for place, path in enumerate(paths)])


@pytest.mark.parametrize(
    "content",
    [
        b"plain words",
        b'{"name": "x", "engines": {}}',
        b"{",
        b'{"a":' * 100_000,
        b"\xff",
        "Zürich".encode("utf-16"),
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",  # Excel
        b"a,b\n1,\0",
        gzip.compress(b"{}", mtime=0),
        b"PAR1 and no more",
        b"[" + b"{}," * 2_100_000 + b"{}]",
        b"\n".join(b'{"k%d":1}' % row for row in range(20_000)),
        b",".join(b"c%d" % column for column in range(2_000)) + b"\n",
    ],
    ids=range(13),
)
def test_what_is_neither_gold_nor_predictions_and_hostile_bytes_are_refused_by_the_name_of_the_file(put, content):
    with pytest.raises(InputError, match="^odd.json: "):
        find_inputs([put("gold.json", SQUAD, GOLD), put("odd.json", content)])


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
        analyze(find_inputs([gold, put("system.json", {"a": "x"})]).inputs, None, check_amount)


@pytest.mark.parametrize(
    ("first", "line"),
    [
        ("# none\n\n", "q 0 d{} 1"),
        ("# none\n\n", "q Q0 d{0} 1 {0} tag"),
        ("# none\n\n", "q\ts{}\t1"),
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
        analyze(find_inputs([gold, scores]).inputs, check=check_amount)


# --- names ------------------------------------------------------------------------------------------------------------


def test_systems_are_called_by_their_files_or_one_name_per_line():
    names = name_systems(["<script>alert(1)</script>.json", "a=b.json", "a=b.json", "x\n\x00y.csv", f"{'w' * 99}.json"])
    assert names[:4] == ["script>", "a=b", "a=b (2)", "x y"] and len(names[4]) == 60
    assert name_systems(["x/answers.json", "y/answers.json"]) == ["x/answers", "y/answers"]
    assert name_systems(["a.json", "b.json"], " BERT \n\nT5\n") == name_systems(["a.json", "b.json"], "BERT, T5")
    for wrong, named in (("BERT", "1 for 2"), ("T5\nT5", "'T5'"), ("T5\n\x07", "line 2")):
        with pytest.raises(InputError, match=named):
            name_systems(["a.json", "b.json"], wrong)


# What files may be called, also two alike after they are cleaned or cut.
FILE_NAMES = st.one_of(
    st.text(max_size=8),
    st.sampled_from(["x=1.json", "x-1.json", "x-1 (2).json", "x-1 (3).json", "\x07.json", "", ".json"]),
    st.integers(0, 3).map(lambda number: f"{'long' * 16}{number}.json"),
)


@given(st.lists(FILE_NAMES, max_size=6))
@example(["x=1.json", "x-1 (3).json", "x-1.json"])
@example([f"{'long' * 16}1.json", f"{'long' * 16}2.json", f"{'long' * 15}.json"])
def test_every_file_has_a_system_of_its_own(files):
    names = name_systems(files)
    assert len(names) == len(files) == len(set(names))
    assert all(name.strip() and name.isprintable() for name in names)


def test_no_system_is_lost_whose_file_is_called_alike(put, tmp_path):
    systems = []
    for place in range(3):
        (tmp_path / str(place)).mkdir()
        systems.append(put(f"{place}/p.json", {"a": f"answer {place}"})._replace(name="p.json"))
    inputs = find_inputs([put("gold.json", SQUAD, GOLD), *systems]).inputs
    assert list(inputs.systems) == ["p", "p (2)", "p (3)"]
    assert [inputs.shown_files[path] for path in inputs.systems.values()] == ["p.json", "p (2).json", "p (3).json"]
    assert [re.findall(r"p\S*\.json", told) for told in inputs.to_save.values()] == [["p.json"], ["p.json"]]
