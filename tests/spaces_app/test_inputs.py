"""Files get their roles by what is in them; what cannot be scored is refused in words that say what to do."""

import gzip
import json
import re
from pathlib import PurePath

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyarrow import parquet

from qassay.pages import uploads
from qassay.pages.limits import MAX_FILE, MAX_ROWS, InputError, check_amount
from qassay.pages.uploads import GOLD, PROBABILITIES, SYSTEM, check_file, in_words, read_upload
from qassay.spaces_app.analysis import analyze
from qassay.spaces_app.inputs import (
    MAX_SYSTEMS,
    find_inputs,
    match_probabilities,
    name_systems,
)
from qassay.spaces_app.samples import FOLDER


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


SQUAD = {"data": [{"paragraphs": [{"context": "", "qas": [{"id": "a", "question": "?", "answers": []}]}]}]}

# Gold file and predictions ("" for a table that holds both), the metric and options chosen, and the metric that comes of
# them; a system is called like its file.
KINDS = [
    ("answers/gold.json", "answers/small_model.json", None, "", "answer_match"),
    ("rankings/qrels.txt", "rankings/bm25.run", None, "", "retrieval_ranking"),
    ("rankings/sentences.qa", "rankings/sentences.scores", None, "", "retrieval_ranking"),
    ("factoid/gold.json", "factoid/hasty.json", None, "", "factoid_accuracy"),
    ("pipeline/gold.json", "pipeline/dense.json", None, "", "retriever_reader"),
    ("labels/desk.csv", "labels/desk_rules.csv", "label_metrics", "", "label_metrics"),
    ("", "labels/articles.jsonl", "label_metrics", "task=multi", "label_metrics"),
    ("labels/spam.csv", "", "average_precision", "", "average_precision"),
    ("labels/pages.jsonl", "labels/pages_found.jsonl", None, "", "average_precision"),
    ("labels/subjects.txt", "labels/subjects_words.txt", None, "", "label_metrics"),
]


@pytest.mark.parametrize(("gold", "system", "metric", "options", "family"), KINDS)
def test_every_kind_of_sample_is_scored(gold, system, metric, options, family):
    uploads = [sample(path, slot, metric) for path, slot in ((gold, GOLD), (system, SYSTEM)) if path]
    found = find_inputs(uploads, metric=metric, options=options.split())
    assert found.notes == []
    analysis = analyze(found.inputs, None, check_amount)
    name = PurePath(system or gold)
    called = name.name if name.suffix == ".scores" else name.stem  # beside "sentences.qa"
    assert (analysis.family.name, analysis.systems) == (family, [called])


@pytest.mark.parametrize(
    ("first", "second", "metric"),
    [
        ("answers/gold.json", "answers/small_model.json", None),
        ("rankings/qrels.txt", "rankings/bm25.run", None),
        ("labels/desk.csv", "labels/desk_rules.csv", "label_metrics"),
    ],
)
def test_files_in_the_wrong_slots_are_put_right_with_a_note(first, second, metric):
    right = find_inputs([sample(first, GOLD, metric), sample(second, SYSTEM, metric)], metric=metric)
    for slots in ((SYSTEM, GOLD), (SYSTEM, SYSTEM), (PROBABILITIES, GOLD)):
        found = find_inputs([sample(first, slots[0], metric), sample(second, slots[1], metric)], metric=metric)
        assert (found.inputs.gold, found.inputs.systems) == (right.inputs.gold, right.inputs.systems)
        assert "is taken as the gold file" in found.notes[0]


def test_two_files_that_could_each_be_gold_stay_where_they_were_put():
    found = find_inputs([sample("factoid/hasty.json", GOLD), sample("factoid/gold.json", SYSTEM)])
    assert found.inputs.gold.endswith("hasty.json") and not found.notes


def test_probabilities_go_to_the_system_they_are_named_after():
    files = [
        sample("answers/large_model_no_answer.json", SYSTEM),
        sample("answers/gold.json", GOLD),
        sample("answers/small_model.json", SYSTEM),
        sample("answers/large_model.json", SYSTEM),
    ]
    found = find_inputs(files)
    assert list(found.inputs.systems) == ["small_model", "large_model"]
    assert list(found.inputs.probabilities) == ["large_model"]
    assert found.notes == ["large_model_no_answer.json is taken as the no-answer probabilities of large_model"]
    assert "best_f1" in analyze(found.inputs).report.systems["large_model"]


def test_probabilities_without_a_name_go_by_order_or_are_refused(put):
    files = [put("x.json", {"a": 0.5}), put("y.json", {"a": 0.1})]
    assert match_probabilities(files, ["s", "t"]) == {"s": files[0].path, "t": files[1].path}
    with pytest.raises(InputError, match="not clear which system x.json belongs to; begin its name .*s, t"):
        match_probabilities(files[:1], ["s", "t"])


def test_a_table_may_hold_gold_and_predictions(put):
    table = put("both.csv", "question,gold,prediction\nq?,Paris,Paris\nr?,Rome,Milan\n")
    analysis = analyze(find_inputs([table]).inputs)
    assert analysis.systems == ["both"]
    assert analysis.report.systems["both"]["exact_match"].value == 50


COMPLETE = [
    ("answer_match", "id,prediction,gold", ["1,x,x", "2,y,z"], ["2,z,z", "1,x,x"]),
    ("label_metrics", "id,prediction,label", ["1,x,x", "2,y,z"], ["2,z,z", "1,x,x"]),
    ("average_precision", "score,label", ["0.5,1", "0.2,0"], ["0.3,true", "0.4,false"]),
    ("retrieval_ranking", "query,document,score,relevance", ["q,d,1,1", "q,e,2,0"], ["q,e,1,0", "q,d,2,1"]),
]


@pytest.mark.parametrize(("metric", "head", "first", "second"), COMPLETE, ids=[case[0] for case in COMPLETE])
def test_two_tables_that_are_each_complete_are_two_systems(put, metric, head, first, second):
    tables = {name: "\n".join([head, *rows]) + "\n" for name, rows in (("a.csv", first), ("b.csv", second))}
    uploads = [put(name, text, GOLD if name == "a.csv" else SYSTEM, metric) for name, text in tables.items()]
    found = find_inputs(uploads, metric=metric)
    assert found.notes == ["a.csv is a system too: it has predictions beside its gold answers"]
    report = analyze(found.inputs, None, check_amount).report
    assert list(report.systems) == ["a", "b"] and report.systems["a"] != report.systems["b"]
    for upload in uploads:
        (alone,) = analyze(find_inputs([upload], metric=metric).inputs).report.systems.values()
        assert report.systems[upload.name[0]] == alone
    assert list(find_inputs(uploads, metric=metric, names="T5\nBERT").inputs.systems) == ["T5", "BERT"]


def test_two_complete_tables_with_other_gold_answers_are_refused(put):
    gold = put("a.csv", "id,prediction,gold\n1,x,x\n2,y,z\n", GOLD)
    other = put("b.csv", "id,prediction,gold\n2,y,w\n1,x,x\n")
    with pytest.raises(InputError) as caught:
        find_inputs([gold, other])
    assert str(caught.value).startswith("b.csv: the id '2' has ['w'] as gold, but ['z'] in a.csv")


@pytest.mark.parametrize(
    ("gold", "system"),
    [
        ("id,prediction,gold\n1,x,x\n", '{"1": "x"}'),  # predictions of another system, without gold answers
        ("id,prediction,gold\n1,x,x\n", "id,prediction,gold\n1,x,x\n"),  # the same file twice
        ("id,gold\n1,x\n", "id,prediction,gold\n1,x,x\n"),
    ],
)
def test_a_gold_file_is_no_system_by_itself(put, gold, system):
    name = "a.csv" if gold == system else "b.csv"
    found = find_inputs([put("a.csv", gold, GOLD), put(name, system)])
    assert (list(found.inputs.systems), found.notes) == ([name[0]], [])


def test_with_a_complete_gold_table_the_systems_may_be_too_many(put):
    text = "prediction,gold\nx,x\n"
    files = [put(f"{place}.csv", text, SYSTEM if place else GOLD) for place in range(MAX_SYSTEMS + 1)]
    with pytest.raises(
        InputError,
        match=f"{MAX_SYSTEMS + 1} systems are too many; at most {MAX_SYSTEMS} .*side by side .*; if the files are repeated runs, tick that and give each file .* Names$",
    ):
        find_inputs(files)
    assert len(find_inputs(files[:-1]).inputs.systems) == MAX_SYSTEMS
    large = [files[0], *(of._replace(count=MAX_ROWS) for of in files[1:6])]
    with pytest.raises(InputError, match="all systems together: 1,000,001 rows are too many; at most 800,000"):
        find_inputs(large)


def test_columns_whose_names_do_not_tell_are_chosen(put):
    table = put("two.csv", "left,right\nParis,Paris\nMilan,Rome\n")
    with pytest.raises(
        InputError,
        match="two.csv: .*left, right; say what its columns are under Options, “Columns with names that are not known”",
    ):
        find_inputs([table])
    found = find_inputs([table], columns={"predictions": "left", "references": "right", "ids": ""})
    assert analyze(found.inputs).report.systems["two"]["exact_match"].value == 50


def test_parquet_and_json_rows_are_tables(put, tmp_path):
    parquet.write_table(pa.table({"id": ["a"], "prediction": ["x"]}), tmp_path / "p.parquet")
    predicted = read_upload(str(tmp_path / "p.parquet"), "p.parquet", SYSTEM)
    found = find_inputs([predicted, put("gold.json", [{"id": "a", "answers": ["x", "y"]}], GOLD)])
    assert analyze(found.inputs).report.systems["p"]["exact_match"].value == 100
    assert in_words(predicted) == "p.parquet: predictions (Parquet with the columns id, prediction), 1 rows"


@pytest.mark.parametrize(
    ("slots", "message"),
    [
        ([], "nothing to score: give a gold file"),
        (["answers/small_model.json"], "no gold file among small_model.json"),
        (["answers/gold.json"], "gold.json is the gold file .*add the predictions"),
        (["answers/gold.json", "rankings/qrels.txt"], "gold.json and qrels.txt are both gold files; give one"),
        (["answers/gold.json", *["answers/small_model.json"] * 7], f"7 systems are too many; at most {MAX_SYSTEMS}"),
    ],
)
def test_what_is_missing_or_too_much_is_told(slots, message):
    with pytest.raises(InputError, match=message):
        find_inputs([sample(path, GOLD if not place else SYSTEM) for place, path in enumerate(slots)])


@pytest.mark.parametrize("content", [b"[]", b"{}", b'"text"', b"plain words", b'{"name": "x", "engines": {}}'])
def test_files_that_are_neither_gold_nor_predictions_are_refused(put, content):
    with pytest.raises(InputError, match="odd.json: this looks like"):
        find_inputs([put("gold.json", SQUAD, GOLD), put("odd.json", content)])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "not valid JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b"\xff", "not text in UTF-8 .byte 0xff in line 1"),
        ("Zürich".encode("utf-16"), "this file is UTF-16; save it as UTF-8, or give Parquet"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "such as an Excel workbook; save it as CSV in UTF-8"),
        (b"a,b\n1,\0", "binary file"),
        (b" \n", "empty"),
        (gzip.compress(b"{}", mtime=0), "a gzip file; unpack it"),
        (b"BZh91AY", "a bzip2 file"),
        (b"PK\x05\x06" + b"\0" * 18, "a zip file"),
        (b"\xfd7zXZ\0", "an xz file"),
        (b"\x28\xb5\x2f\xfd\0", "a zstd file"),
        (b"7z\xbc\xaf\x27\x1c", "a 7z file"),
        (b"Rar!\x1a\x07\x01\0", "a rar file"),
        (b"PK\x03\x04\x14\0", "this is a zip file"),
        (b"\x80\x04\x95\x00", "not text in UTF-8"),
        (b"PAR1 and no more", "Parquet file is broken"),
        (b"[" + b"{}," * 2_100_000 + b"{}]", "lists and objects are too many"),
        (b"\n".join(b'{"k%d":1}' % row for row in range(20_000)), "too many columns"),
        (b",".join(b"c%d" % column for column in range(2_000)) + b"\n", "too many columns"),
    ],
)
def test_hostile_files_are_refused_by_their_bytes(put, content, message):
    with pytest.raises(InputError, match=f"^bad.json: .*{message}"):
        put("bad.json", content)


def test_large_files_and_many_rows_are_refused(put, tmp_path):
    with pytest.raises(InputError, match="21 MB are too many; at most 20"):
        put("big.csv", b"x" * (MAX_FILE + 1_000_000))
    rows = "id,prediction\n" + "1,x\n" * (MAX_ROWS + 1)
    with pytest.raises(InputError, match="long.csv: 200,001 rows are too many; at most 200,000"):
        put("long.csv", rows)
    with pytest.raises(InputError, match="long.jsonl: 200,001 rows are too many"):
        put("long.jsonl", '{"id": 1}\n' * (MAX_ROWS + 1))
    parquet.write_table(pa.table({"id": pa.array(range(MAX_ROWS + 1))}), tmp_path / "long.parquet")
    with pytest.raises(InputError, match="long.parquet: 200,001 rows are too many"):
        check_file(str(tmp_path / "long.parquet"), "long.parquet")


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("dictionary", [False, True])
def test_parquet_is_judged_by_what_it_unpacks_to(tmp_path, monkeypatch, nested, dictionary):
    """A text that lies there once for a thousand rows counts a thousand times."""
    cell = [{"text": ["x" * 1000]}] if nested else "x" * 1000
    path = str(tmp_path / "p.parquet")
    parquet.write_table(pa.table({"id": [cell] * 1000, "n": [1] * 1000}), path, use_dictionary=dictionary)
    check_file(path, "p.parquet")
    monkeypatch.setattr(uploads, "_MAX_UNPACKED", 1_014_000 + 1_100)  # the offset of a text, the number n, the pages
    if dictionary:
        check_file(path, "p.parquet")
    monkeypatch.setattr(uploads, "_MAX_UNPACKED", 999_999)
    with pytest.raises(InputError, match="p.parquet: more than 0 MB unpacked are too many"):
        check_file(path, "p.parquet")


def test_a_row_with_too_many_values_is_refused(put):
    gold = put("gold.json", {"a": ["x"] * 3_001}, GOLD)
    with pytest.raises(InputError, match="3,00. values in one row are too many"):
        analyze(find_inputs([gold, put("system.json", {"a": "x"})]).inputs, None, check_amount)


def test_hostile_file_names_become_harmless_names_of_systems():
    names = name_systems(["<script>alert(1)</script>.json", "a=b.json", "a=b.json", "x\n\x00y.csv", f"{'w' * 99}.json"])
    assert names[:4] == ["script>", "a=b", "a=b (2)", "x y"]
    assert len(names[4]) == 60 and len(set(names)) == 5


def test_names_are_edited_one_per_line():
    assert name_systems(["a.json", "b.json"], " BERT \n\nT5\n") == ["BERT", "T5"]
    for names, words in (("BERT", "names: 1 for 2 systems"), ("T5\nT5", "'T5' is given twice"),
                         ("T5\n\x07", "line 2 has nothing that can be shown")):  # fmt: skip
        with pytest.raises(InputError, match=words):
            name_systems(["a.json", "b.json"], names)


def test_equal_file_names_stay_apart():
    assert name_systems(["x/answers.json", "y/answers.json"]) == ["x/answers", "y/answers"]
    assert name_systems(["answers.json", "answers.json"]) == ["answers", "answers (2)"]


# What files may be called, also two alike after they are cleaned or cut.
FILE_NAMES = st.one_of(
    st.text(max_size=8),
    st.sampled_from(["x=1.json", "x-1.json", "x-1 (2).json", "x-1 (3).json", "\x07.json", "", ".json"]),
    st.integers(0, 3).map(lambda number: f"{'long' * 16}{number}.json"),
)


@given(st.lists(FILE_NAMES, max_size=6))
@example(["x=1.json", "x-1 (3).json", "x-1.json"])
@example(["a\x07.json", "a.json", "a (2).json"])
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
    given = [put("gold.json", SQUAD, GOLD), *systems]
    inputs = find_inputs(given).inputs
    assert list(inputs.systems) == ["p", "p (2)", "p (3)"]
    assert [inputs.shown_files[path] for path in inputs.systems.values()] == ["p.json", "p (2).json", "p (3).json"]
    assert inputs.to_save == {
        "p (2).json": "the other file called p.json",
        "p (3).json": "the other file called p.json",
    }


def test_similarity_beside_answers_is_for_answers_only(put):
    found = find_inputs([sample("rankings/qrels.txt", GOLD), sample("rankings/bm25.run", SYSTEM)], metric="all")
    assert found.inputs.metric is None


LINES = {
    "qrels": "q 0 d{} 1",
    "run": "q Q0 d{} 1 {} tag",
    "pairs of NLPCC-DBQA": "q\ts{}\t1",
    "scores": "{}",
    "labels of XMC": "0:{}",
}


@pytest.mark.parametrize("kind", LINES)
def test_lines_of_every_kind_are_counted_before_they_are_read(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(uploads, "MAX_ROWS", 30)
    first = "31 1\n" if kind == "labels of XMC" else "# none of the lines\n\n"

    def upload(count):
        (tmp_path / "f").write_text(first + "".join(LINES[kind].format(row, row) + "\n" for row in range(count)))
        return read_upload(str(tmp_path / "f"), "f", GOLD)

    upload(30)
    with pytest.raises(InputError, match=r"^f: 3[12] lines are too many; at most 30 \(for more than"):
        upload(31)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("first", ["a", f'"a{chr(10)}b"', f'"a,;\t{chr(10)}b"'])
def test_columns_of_a_header_are_counted(tmp_path, delimiter, first):
    path = tmp_path / "f.csv"
    path.write_text(delimiter.join([first, *map(str, range(1_000))]) + "\n" + delimiter.join(["1"] * 1_001))
    with pytest.raises(InputError, match=r"^f.csv: too many columns \(more than at most 1,000\)"):
        check_file(str(path), "f.csv")


def test_labels_that_a_header_claims_are_limited(put):
    """Measures of labels have a number for each, whether a row has it or not."""
    gold, scores = (put(name, "2 1000000000\n0:1\n1:1\n", slot) for name, slot in (("g", GOLD), ("s", SYSTEM)))
    found = find_inputs([gold, scores]).inputs
    with pytest.raises(InputError, match=r"^references: 1,000,000,000 labels are too many; at most 1,000,000"):
        analyze(found, check=check_amount)


def test_the_words_are_qassays(gr, tmp_path, usual_csv_limit):
    from qassay.spaces_app.handlers import words_of

    for name, data in (
        ("a.json", '{"q": ' + "9" * 5_000 + "}"),
        ("a.csv", "a," + "b" * 200_000),
        ("a.jsonl", '{"a": 1}\n{"a": ' + "9" * 5_000 + "}"),
    ):
        (tmp_path / name).write_text(data)
        with pytest.raises(ValueError) as caught:
            read_upload(str(tmp_path / name), name, GOLD)
        words, _ = words_of(caught.value, "look")
        assert words.startswith(f"{name}: ") and re.search("more than 4,300 digits|a cell is too long", words)
        assert "sys" not in words and "field" not in words and str(tmp_path) not in words
