"""Files that the fuzz of files found, or might find: each has one line that names the file and the place."""

import pyarrow as pa
import pytest
from pyarrow import parquet

from qassay.cli import main
from qassay.cli.errors import WRITTEN

QRELS, RUN = b"1 0 a 1\n1 0 b 0\n", b"1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n"
PAIRS, NUMBERS = "q\ta\t1\nq\tb\t0\n", "1\n2\n"
DOCUMENTS = '{"id": "a", "retrieved_ids": ["d"], "gold_ids": {"text": ["d"]}}\n{"id": "b", "retrieved_ids": ["d"], "gold_ids": ["d"]}\n'


def not_utf8(column, value):
    """Judgements or a run as Parquet, whose ids have bytes that are not UTF-8."""
    out = pa.BufferOutputStream()
    table = pa.table({"query": [value], "document": ["dAAA"], column: [1]})
    parquet.write_table(table, out, compression="none", use_dictionary=False)
    return out.getvalue().to_pybytes().replace(b"qAAA", b"q\xff\xffA")


@pytest.mark.parametrize(
    "gold, model, metric, words",
    [
        (f"q\ta\t{'9' * 5000}\n", NUMBERS, "", "gold: line 1 is not a question, a sentence and a label"),
        ("q\ta\t1\nq\tb\t\uff11\n", NUMBERS, "", "gold: line 2 is not a question"),
        (PAIRS, "1\n1e999\n", "", "model: line 2: '1e999' is not a number"),
        ("query,document,relevance\n1,a,1\n", "query,document,score\n1,a,1\n1,b,1e999\n", "",
         "model: row 1: '1e999' in the column score is not a number"),
        (not_utf8("relevance", "qAAA"), RUN, "", "gold: this Parquet file is broken"),
        (not_utf8("relevance", "q"), not_utf8("score", "qAAA"), "",
         "model: there are bytes in a column of text that are not UTF-8"),
        ('id,label,score\n1,a,"{""a"": 0.5, ""a"": 0.7}"\n', None, "average_precision", "gold: row 0: duplicate key 'a'"),
        ("id,prediction,gold,weight\nq1,a,a,1_0\n", None, "", "gold: row 0: '1_0' in the column weight"),
        (f"id,{'x' * 100_000}\n1,a\n", None, "label_metrics", 'columns={"references": "NAME"}'),
        (DOCUMENTS, None, "retrieval_ranking", "gold: row 0: gold_ids is an object with the keys text; give a list"),
        ('{"prediction": ["a"], "gold": ["b"], "gold": ["a"]}', None, "", "duplicate key 'gold'"),
    ],
)  # fmt: skip
def test_found_files(tmp_path, monkeypatch, capsys, gold, model, metric, words):
    monkeypatch.chdir(tmp_path)
    files = {name: data for name, data in (("gold", gold), ("model", model)) if data is not None}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    code = main(["score", *files, *(["--metric", metric] if metric else [])])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "") and words in err
    assert err.startswith(("qassay: error: gold: ", "qassay: error: model: "))
    assert err.partition(WRITTEN)[0].count("\n") == 1 and len(err) < 1000


def test_infinite_scores_stay(tmp_path, capsys):
    (tmp_path / "qrels").write_bytes(QRELS)
    (tmp_path / "run").write_text("1 Q0 a 1 -inf x\n1 Q0 b 2 1 x\n")
    assert main(["score", str(tmp_path / "qrels"), str(tmp_path / "run"), "--measures", "mrr", "--no-intervals"]) == 0
    assert "0.5000" in capsys.readouterr().out
