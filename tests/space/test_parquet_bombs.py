"""Parquet files of a few kB that unpack to GBs: refused in words, before the memory is taken, whatever the footer says."""

import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from qassay.space import parquet_pages, uploads
from qassay.space.limits import InputError
from qassay.space.parquet_pages import Broken, TooMuch, count_pages
from qassay.space.uploads import check_file

ROWS = 250
LONG = "x" * 1_000_000
OFTEN = pa.DictionaryArray.from_arrays(pa.array(np.zeros(100_000, np.int32)), [LONG])
ZEROS = pa.array(np.zeros(20_100_000, np.int8))


def lists(values):
    return pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), values)


def fixed(width, rows=ROWS):
    return pa.DictionaryArray.from_arrays(
        pa.array(np.zeros(rows, np.int32)), pa.array([b"x" * width], pa.binary(width))
    )


BOMBS = {
    "fixed-length": lambda: {"a": fixed(1_000_000)},
    "missing fixed-length": lambda: {"a": pa.nulls(ROWS, pa.binary(1_000_000))},
    "numbers in a list": lambda: {"a": lists(ZEROS)},
    "one text often": lambda: {"a": OFTEN},
    "missing lists of a fixed size": lambda: {"a": pa.nulls(ROWS, pa.list_(pa.int64(), 101_000))},
    "many empty columns": lambda: {f"c{place}": pa.nulls(200_000) for place in range(101)},
}
# Written without dictionaries: encodings in which a text or number like the one before takes no room.
DELTAS = {
    "texts": ({"a": [LONG] * 210}, "DELTA_BYTE_ARRAY"),
    "numbers": ({"a": lists(ZEROS)}, "DELTA_BINARY_PACKED"),
}


def write_bomb(name, folder):
    path = folder / f"{name}.parquet"
    columns, encoding = DELTAS[name] if name in DELTAS else (BOMBS[name](), None)
    column = "a" if name == "texts" else "a.list.element"
    more = {"use_dictionary": False, "column_encoding": {column: encoding}} if encoding else {}
    parquet.write_table(pa.table(columns), path, compression="zstd", **more)
    return path


@pytest.mark.parametrize("name", [*BOMBS, *DELTAS])
def test_a_bomb_is_small_and_refused(tmp_path, name):
    path = write_bomb(name, tmp_path)
    assert path.stat().st_size < 300_000
    with pytest.raises(InputError, match=r"^a.parquet: .*(200 MB|[\d,]+ values)"):
        check_file(str(path), "a.parquet")


MEASURE = """
import json, resource, sys
import pyarrow.parquet
from qassay.space.uploads import GOLD, read_upload
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
before, found = peak(), {}
for path in sys.argv[1:]:
    try:
        read_upload(path, "a.parquet", GOLD)
        found[path] = "taken"
    except ValueError:
        pass
    found[path] = found.get(path, peak() - before)
print(json.dumps(found))
"""


@pytest.mark.thorough
def test_bombs_are_refused_before_they_take_memory(tmp_path):
    pytest.importorskip("resource", reason="there is no resource module on Windows")
    command = [sys.executable, "-c", MEASURE, *(str(write_bomb(name, tmp_path)) for name in (*BOMBS, *DELTAS))]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert {name: mb for name, mb in found.items() if mb == "taken" or mb > 150} == {}


# --- files whose metadata lies ----------------------------------------------------------------------------------------


def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def thrift(value):
    """The kind and the bytes of a value in the compact protocol; dicts are structures, field number -> value."""
    if isinstance(value, int):
        return 6, varint(value << 1 if value >= 0 else (-value << 1) - 1)
    if isinstance(value, str):
        return 8, varint(len(value)) + value.encode()
    if isinstance(value, list):
        kind = thrift(value[0])[0] if value else 12
        return 9, bytes([0xF0 | kind]) + varint(len(value)) + b"".join(thrift(one)[1] for one in value)
    out, last = b"", 0
    for number, (kind, body) in ((number, thrift(one)) for number, one in value.items()):
        # Enumerations and sizes of pages have 32 bits.
        out, last = out + bytes([number - last << 4 | kind]) + body, number
    return 12, out + b"\0"


def file_of(tmp_path, footer, body=b""):
    footer = footer if isinstance(footer, bytes) else thrift(footer)[1]
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1" + body + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    return str(path)


ROOT = {4: "schema", 5: 1}
LEAF = {1: 2, 3: 0, 4: "a"}  # required int64


def one_page(tmp_path, page, leaf=LEAF, values=1, rows=1, size=None, start=4):
    """A file of one column with one page, as its header says it is."""
    header = thrift(page)[1]
    body = header + b"\0" * 8
    chunk = {1: leaf[1], 2: [0], 3: ["a"], 4: 0, 5: values, 6: 8, 7: len(body) if size is None else size, 9: start}
    footer = {1: 1, 2: [ROOT, leaf], 3: rows, 4: [{1: [{2: 4, 3: chunk}], 2: 8, 3: rows}]}
    return file_of(tmp_path, footer, body)


def data_page(values, size=8, encoding=0):
    return {1: 0, 2: size, 3: 8, 5: {1: values, 2: encoding, 3: 3, 4: 3}}


@pytest.mark.parametrize(
    ("page", "more"),
    [
        (data_page(2**31 - 1), {}),  # the footer says one value
        (data_page(1, size=2**31 - 1), {}),
        ({1: 3, 2: 8, 3: 8, 8: {1: 2**31 - 1, 2: 0, 3: 1, 4: 0, 5: 0, 6: 0}}, {}),
        ({1: 2, 2: 2**31 - 1, 3: 8, 7: {1: 1, 2: 0}}, {}),
        (data_page(1), {"rows": 200_000, "leaf": {1: 7, 2: 10_000, 3: 0, 4: "a"}}),  # room is made for all rows
        (data_page(1), {"rows": 2**62}),
    ],
)
def test_sizes_are_those_of_the_pages(tmp_path, page, more):
    path = one_page(tmp_path, page, **more)
    with pytest.raises(InputError, match="^a.parquet: .*too many"):
        check_file(path, "a.parquet")


def test_places_outside_the_file_are_broken(tmp_path):
    for more in ({"start": -1}, {"start": 2**62}, {"size": 10**15}, {"size": -5}, {"size": 3}):
        path = one_page(tmp_path, data_page(1), **more)
        with pytest.raises(InputError, match="^a.parquet: "):
            check_file(path, "a.parquet")


def test_a_footer_of_many_parts_is_refused_before_arrow_reads_it(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "ParquetFile", None)
    monkeypatch.setattr(parquet_pages, "MAX_CHUNKS", 200)
    chunk = {1: 2, 2: [0], 3: ["a"], 4: 0, 5: 0, 6: 0, 7: 0, 9: 4}
    footer = {1: 1, 2: [ROOT, LEAF], 3: 0, 4: [{1: [{2: 4, 3: chunk}], 2: 0, 3: 0}] * 201}
    for given, words in ((footer, "201"), (b"\0" * (parquet_pages.MAX_FOOTER + 1), "1,000,001")):
        with pytest.raises(InputError, match=rf"^a.parquet: .*{words}"):
            check_file(file_of(tmp_path, given), "a.parquet")


def column(values, size, start=4):
    return {2: 4, 3: {1: 2, 2: [0], 3: ["a"], 4: 0, 5: values, 6: size, 7: size, 9: start}}


def with_column(tmp_path, body, chunks=1):
    """A file whose groups each have these pages as their only column."""
    groups = [{1: [column(1, len(body))], 2: 8, 3: 0}] * chunks
    return file_of(tmp_path, {1: 1, 2: [ROOT, LEAF], 3: 0, 4: groups}, body)


def page_of(**header):
    """A page without values, with more in its header."""
    return thrift({**data_page(0, size=0), 3: 0, **{int(number[1:]): value for number, value in header.items()}})[1]


@pytest.fixture
def copied(monkeypatch):
    """The bytes of files that were given to the reader of headers, in pieces."""
    pieces, read = [], parquet_pages._Compact.__init__
    monkeypatch.setattr(
        parquet_pages._Compact, "__init__", lambda own, data: (pieces.append(len(data)), read(own, data))[1]
    )
    return pieces


def test_columns_that_share_pages_are_broken(tmp_path, copied):
    """Otherwise a small file would be read once for each column."""
    with pytest.raises(Broken):
        count_pages(with_column(tmp_path, page_of(_9="x" * 1_500) * 100, 2))
    assert len(copied) == 1, "the footer alone"


def test_what_the_headers_of_all_pages_hold_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet_pages, "MAX_PARSED", 10_000)
    for more, ends in (("x" * 500, True), ([1] * 500, False)):  # texts are skipped, the numbers of lists are read
        body = page_of(_9=more) * 100
        path = with_column(tmp_path, body)
        if ends:
            assert count_pages(path).leaves[0].values == 0
        else:
            with pytest.raises(TooMuch, match="10,000"):
                count_pages(path)


def test_many_pages_are_not_counted_for_long(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet_pages, "MAX_PAGES", 10)
    table = pa.table({"a": np.random.default_rng(0).random(2_000)})
    parquet.write_table(table, tmp_path / "a.parquet", data_page_size=100, write_batch_size=10, use_dictionary=False)
    with pytest.raises(TooMuch, match="10 pages"):
        count_pages(str(tmp_path / "a.parquet"))


def test_any_bytes_as_footer_are_broken(tmp_path):
    """Cut off, endless, of wrong kinds, lists in lists, and a schema that is nested in itself."""
    nested = {1: 1, 2: [ROOT, *[{3: 1, 4: "a", 5: 1}] * 10_000, LEAF], 3: 0, 4: []}
    for footer in (
        b"", b"\x15", b"\x19\xfc\xff\xff\xff\xff\x0f", b"\x1c" * 500, b"\x18\xff\xff\xff\xff\x0f", b"\x15" + b"\xff" * 20,
        b"\x1d\x00", {1: 1}, {1: 1, 2: [ROOT, LEAF], 3: "a", 4: [{1: [{}]}]}, {1: 1, 2: 3, 3: 4, 4: 5},
        b"\x29" + b"\x19" * 2_000, b"\x19\x1c" * 2_000, b"\x1a" * 5_000, nested,
    ):  # fmt: skip
        with pytest.raises(InputError, match="^a.parquet: "):
            check_file(file_of(tmp_path, footer), "a.parquet")


# --- files that are no attack -----------------------------------------------------------------------------------------

PLAIN = pa.table(
    {
        "id": [str(row) for row in range(3_000)],
        "answer": [f"word {row % 7}" for row in range(3_000)],
        "score": np.arange(3_000) / 3_000,
        "lists": [[row, None] for row in range(3_000)],
        "nested": [{"a": [["x"], []], "b": None}] * 3_000,
        "vector": pa.FixedSizeListArray.from_arrays(np.zeros(3_000 * 64, np.float32), 64),
        "price": pa.array([1] * 3_000).cast(pa.decimal128(20)),
        "none": pa.nulls(3_000),
    }
)


@pytest.mark.parametrize(
    "how",
    [{"data_page_version": "2.0"}, {"row_group_size": 100}, {"compression": "none", "data_page_size": 500},
     {"use_dictionary": False, "compression": "zstd", "column_encoding": {"answer": "DELTA_BYTE_ARRAY",
      "id": "DELTA_LENGTH_BYTE_ARRAY", "score": "BYTE_STREAM_SPLIT"}}],
)  # fmt: skip
def test_files_of_all_kinds_are_counted_and_taken(tmp_path, how):
    path = str(tmp_path / "a.parquet")
    parquet.write_table(PLAIN, path, **how)
    check_file(path, "a.parquet")
    pages, metadata = count_pages(path), parquet.read_metadata(path)
    groups = [metadata.row_group(group) for group in range(metadata.num_row_groups)]
    assert pages.rows == 3_000
    assert [leaf.values for leaf in pages.leaves] == [
        sum(group.column(place).num_values for group in groups) for place in range(metadata.num_columns)
    ]
    most = sum(leaf.most for leaf in pages.leaves)
    assert parquet.read_table(path).nbytes < most + 3_000 * len(pages.leaves), "and bitmaps of what is missing"


def test_what_is_counted_twice_in_words_is_text_in_the_end(tmp_path, monkeypatch):
    """A dictionary of 1 MB and 100,000 short texts might be 100 GB, and is 2 MB."""
    path = str(tmp_path / "a.parquet")
    parquet.write_table(pa.table({"a": [LONG] + ["a"] * 100_000}), path)
    assert count_pages(path).leaves[0].most > 10**11
    check_file(path, "a.parquet")
    monkeypatch.setattr(uploads, "_MAX_UNPACKED", 1_000_000)
    with pytest.raises(InputError, match="1 MB"):
        check_file(path, "a.parquet")
