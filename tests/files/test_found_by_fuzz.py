"""Files that the fuzz of files found, or might find: each has one line that names the file and the place."""

import pyarrow as pa
import pytest
from pyarrow import parquet

from qassay.cli import main
from qassay.cli.errors import WRITTEN

LONG, HUGE = "9" * 400, "9" * 5000
ANSWERS = b'{"q1": ["a"], "q2": ["b"]}'
QRELS, RUN = b"1 0 a 1\n1 0 b 0\n", b"1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n"
PAIRS, NUMBERS = b"q\ta\t1\nq\tb\t0\n", b"1\n2\n"
LABELS, CURVES = ["--metric", "label_metrics"], ["--metric", "average_precision"]


def not_utf8(column, value):
    """Judgements or a run as Parquet, whose ids have bytes that are not UTF-8."""
    out = pa.BufferOutputStream()
    table = pa.table({"query": [value], "document": ["dAAA"], column: [1]})
    parquet.write_table(table, out, compression="none", use_dictionary=False)
    return out.getvalue().to_pybytes().replace(b"qAAA", b"q\xff\xffA")


# a gold file, the file of a system, and the words
PAIRS_OF_FILES = {
    "a label of 5,000 digits": (f"q\ta\t{HUGE}\n", NUMBERS, "gold: line 1 is not a question, a sentence and a label"),
    "a label of digits that are not ASCII": ("q\ta\t1\nq\tb\t\uff11\n", NUMBERS, "gold: line 2 is not a question"),
    "a score that is too large": (PAIRS, "1\n1e999\n", "model: line 2: '1e999' is not a number"),
    "a score of a table that is too large": (
        "query,document,relevance\n1,a,1\n",
        "query,document,score\n1,a,1\n1,b,1e999\n",
        "model: row 1: '1e999' in the column score is not a number",
    ),
    "queries that are not UTF-8": (not_utf8("relevance", "qAAA"), RUN, "gold: this Parquet file is broken"),
    "queries of a run that are not UTF-8": (
        not_utf8("relevance", "q"),
        not_utf8("score", "qAAA"),
        "model: there are bytes in a column of text that are not UTF-8",
    ),
}
# a file that holds both, options, and the words
FILES_ALONE = {
    "a key twice in a cell": (
        'id,label,score\n1,a,"{""a"": 0.5, ""a"": 0.7}"\n',
        CURVES,
        "gold: row 0: duplicate key 'a'",
    ),
    "a weight with an underscore": (
        "id,prediction,gold,weight\nq1,a,a,1_0\n",
        [],
        "gold: row 0: '1_0' in the column weight",
    ),
    "a name of a column of 100,000 characters": (
        f"id,{'x' * 100_000}\n1,a\n",
        LABELS,
        'columns={"references": "NAME"}',
    ),
    "relevant documents that are an object among lists": (
        '{"id": "a", "retrieved_ids": ["d"], "gold_ids": {"text": ["d"]}}\n{"id": "b", "retrieved_ids": ["d"], "gold_ids": ["d"]}\n',
        ["--metric", "retrieval_ranking"],
        "gold: row 0: gold_ids is an object with the keys text; give a list of documents",
    ),
    "columns twice": ('{"prediction": ["a"], "gold": ["b"], "gold": ["a"]}', [], "duplicate key 'gold'"),
}
CASES = {name: (gold, model, [], words) for name, (gold, model, words) in PAIRS_OF_FILES.items()}
CASES |= {name: (gold, None, options, words) for name, (gold, options, words) in FILES_ALONE.items()}


@pytest.mark.parametrize("gold, model, options, words", CASES.values(), ids=CASES)
def test_found_files(tmp_path, monkeypatch, capsys, gold, model, options, words):
    monkeypatch.chdir(tmp_path)
    files = {"gold": gold, "model": model}
    for name, data in files.items():
        if data is not None:
            (tmp_path / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    code = main(["score", "gold", *(["model"] if model is not None else []), *options])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "") and words in err
    assert err.startswith(("qassay: error: gold: ", "qassay: error: model: "))
    assert err.partition(WRITTEN)[0].count("\n") == 1 and len(err) < 1000


def test_infinite_scores_stay(tmp_path, capsys):
    (tmp_path / "qrels").write_bytes(QRELS)
    (tmp_path / "run").write_text("1 Q0 a 1 -inf x\n1 Q0 b 2 1 x\n")
    assert main(["score", str(tmp_path / "qrels"), str(tmp_path / "run"), "--measures", "mrr", "--no-intervals"]) == 0
    assert "0.5000" in capsys.readouterr().out
