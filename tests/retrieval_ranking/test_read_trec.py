"""TREC qrels and runs: every way to write them, and every line that is wrong."""

import gzip
import random

import pyarrow as pa
import pytest

from qassay.files import FileError, read_gold, read_predictions
from qassay.files.formats import trec as module

QRELS = "301 0 d1 1\n301 0 d2 0\n302 0 d1 2\n"
RUN = "301\tQ0\td2\t1\t  2.5\tmine\n301\tQ0\td1\t2\t1.25\tmine\n302\tQ0\td9\t1\t-1e3\tmine\n"
JUDGED = [("301", "d1", 1.0), ("301", "d2", 0.0), ("302", "d1", 2.0)]
RANKED = [("301", "d2", 2.5), ("301", "d1", 1.25), ("302", "d9", -1000.0)]


@pytest.fixture
def qrels(save_table):
    return read_gold(save_table(QRELS, "qrels"))


def rows(table):
    assert isinstance(table, pa.Table)
    assert table.schema.types == [pa.string(), pa.string(), pa.float64()]
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def read_run(path, qrels):
    predictions = read_predictions(path, qrels)
    assert predictions.columns["predictions"].column_names == ["query", "document", "score"]
    return rows(predictions.columns["predictions"])


WAYS = {
    "as it is": lambda text: text,
    "tabs": lambda text: text.replace(" ", "\t").replace("\t\t\t", "\t"),
    "doubled tabs": lambda text: text.replace(" ", "\t").replace("\t", "\t\t"),
    "a doubled tab in one line": lambda text: "\t\t".join(text.replace(" ", "\t").rsplit("\t", 2)),
    "many blanks": lambda text: text.replace("\t", "   ").replace(" ", " \t "),
    "blanks at both ends": lambda text: "".join(f"\t {line} \t\n" for line in text.splitlines()),
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "blank lines": lambda text: text.replace("\n", "\n\n  \n"),
    "comments": lambda text: (
        "# made in 2024\n" + text.replace("\n", "\n  #301 Q0 d7 1 2.0 x\n#301\tQ0\td7\t1\t2.0\tx\n")
    ),
    "byte order mark and blanks": lambda text: "\ufeff" + text.replace("\t", "  "),
}


@pytest.mark.parametrize("line_by_line", [False, True])
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_every_way_to_write_them(save_table, qrels, monkeypatch, way, line_by_line):
    """Columns end at any white space, as in trec_eval, in the fast and in the slow way of reading."""
    if line_by_line:
        monkeypatch.setattr(module, "_read_even_lines", lambda *_: None)
    gold = read_gold(save_table(gzip.compress(way(QRELS).encode("utf-8"))))
    assert (gold.kind, gold.metric, gold.options, gold.details) == ("trec_qrels", "retrieval_ranking", {}, {})
    assert gold.ids == ["301", "302"]
    assert rows(gold.columns["references"]) == JUDGED
    assert read_run(save_table(way(RUN)), qrels) == RANKED


def test_ids_and_scores_are_read_unchanged(save_table, qrels):
    for text, expected in (
        ('301 Q0 "d1 1 2 x\n301 Q0 d2" 2 1 x\n', [("301", '"d1', 2), ("301", 'd2"', 1)]),
        ("007 Q0 1e3 1 2 x\nNA Q0 d\\1 2 1 x\n", [("007", "1e3", 2), ("NA", "d\\1", 1)]),
        ("é Q0 日本#1 1 2 x\n", [("é", "日本#1", 2)]),
        ("1\tQ0\tEl_Niño\t1\t2\tx\n1\tQ0\t b \t2\t1\tx y\n", [("1", "El_Niño", 2), ("1", "b", 1)]),
        ("1 Q0 a 1 2 x\n1 Q0 b 2 1 x and more\n", [("1", "a", 2), ("1", "b", 1)]),
        ("1 Q0 a 1 inf x\n1 Q0 b 2 -inf x\n", [("1", "a", float("inf")), ("1", "b", float("-inf"))]),
        ("1 Q0 a - +2.5 x\n1 0 b - .5 x\n", [("1", "a", 2.5), ("1", "b", 0.5)]),
    ):
        assert read_run(save_table(text), qrels) == expected


BLANKS = "\u3000\u00a0\u0085\u2028\x1c"


@pytest.mark.parametrize("separator", [" ", "\t"])
@pytest.mark.parametrize("line_by_line", [False, True])
def test_only_blanks_of_ascii_are_between_columns(save_table, monkeypatch, separator, line_by_line):
    """If an id is cut at a Unicode space, the columns shift, and the rank is read as the score."""
    if line_by_line:
        monkeypatch.setattr(module, "_read_even_lines", lambda *_: None)
    for blank in BLANKS:
        odd, tag = f"{blank}d{blank}1{blank}", f"a{blank}tag{blank}"
        ranked = [("q1", odd, 7.5), ("q1", "d2", 0.25)]
        judged = [(f"q{blank}1", odd, 3.0), ("q2", "d2", 1.0)]
        for step in (1, -1):
            run = "".join(separator.join((q, "Q0", d, "1", f"{s}", tag)) + "\n" for q, d, s in ranked[::step])
            qrels = "".join(separator.join((q, "0", d, f"{s:g}")) + "\n" for q, d, s in judged[::step])
            gold = read_gold(save_table(qrels, "qrels"))
            assert rows(gold.columns["references"]) == judged[::step]
            path = save_table(run)
            assert read_run(path, gold) == ranked[::step]
            assert read_predictions(path, gold).tag == tag


def test_blanks_of_ascii_are_all_between_columns(save_table, qrels):
    lines = ["1 Q0 a 1 2 x", "1 Q0\vb\f1\t1 x", "\v1 Q0 c 1 0.5 x\f"]
    expected = [("1", "a", 2.0), ("1", "b", 1.0), ("1", "c", 0.5)]
    assert read_run(save_table("\n".join(lines)), qrels) == expected
    assert read_run(save_table("\n".join(lines[::-1])), qrels) == expected[::-1]


def test_gains_may_have_decimals_and_be_negative(save_table):
    gold = read_gold(save_table("1 0 a 0.5\n2 0 a 3\n1 0 b -1\n"))  # queries may come back
    assert gold.columns["references"].column_names == ["query", "document", "relevance"] and gold.ids == ["1", "2"]
    assert rows(gold.columns["references"]) == [("1", "a", 0.5), ("2", "a", 3.0), ("1", "b", -1.0)]


def test_a_warning_about_ranks_names_its_run(save_table, qrels):
    path = save_table(RUN.replace("1.25", "3.25"), "run")
    with pytest.warns(UserWarning, match=f"^{path}: in its first lines .* query '301' .* in 1 of 2 queries"):
        read_run(path, qrels)


def test_the_tag_comes_from_the_first_line(save_table, qrels):
    for text, tag in (
        (b"# caf\xe9\n1 Q0 a 1 2 first\n1 Q0 b 2 1 caf\xe9\n", "first"),  # what is not read need not be UTF-8
        ("1\tQ0\ta\t1\t2\tmy run\n", "my"),
        ("1\tQ0\ta\t1\t2\t my\v7\n", "my"),
    ):
        assert read_predictions(save_table(text), qrels).tag == tag


@pytest.mark.parametrize("separator, end", [(" ", "\n"), ("\t", "\r\n")])
def test_blocks_of_any_size(save_table, qrels, monkeypatch, separator, end):
    """Lines, spaces and comments across the border of two blocks are read completely."""
    draw = random.Random(0)
    expected = [(str(n // 10), f"d{draw.randrange(10 ** draw.randrange(1, 9))}", n / 8) for n in range(300)]
    lines = [separator.join((query, "Q0", document, "1", str(score), "x")) for query, document, score in expected]
    lines[7:7] = ["# a comment", "", "#" * 1000]
    path = save_table(end.join(lines) + end)
    for size in (150, 151, 157, 400):
        monkeypatch.setattr(module, "_BLOCK", size)
        assert read_run(path, qrels) == expected


@pytest.mark.parametrize("place", [0, 299])
def test_an_odd_line_among_others(save_table, monkeypatch, place, refused):
    """A line that only the slow way can read, or that nobody can, anywhere in a file of several blocks."""
    monkeypatch.setattr(module, "_SMALL", 256)
    monkeypatch.setattr(module, "_BLOCK", 1 << 11)
    lines = ["1 0 b 1"] + [f"1 0 d{number} 1" for number in range(300)]
    for odd, words in ((f" 1\t0\vd{place} 1_0", ": '1_0'"), ("1 0 \ufeffd 1\r1", " has 5 columns")):
        lines[place + 1] = odd
        refused(f"line {place + 2}{words}", read_gold, save_table("\n".join(lines)))
    lines[place + 1] = "1 0 d 1" + " " * 3 + "\n\ufeff1 0 d 1"
    with_mark = read_gold(save_table("\n".join(lines))).columns["references"]
    assert rows(with_mark)[place + 1 : place + 3] == [("1", "d", 1.0), ("\ufeff1", "d", 1.0)]


def test_lines_that_are_wrong(save_table, qrels, refused):
    for text, words in (
        ("1 0 a 1\n\n# x\n1 0 b 1 9\n", "line 4 has 5 columns"),
        ("1 0 a 1\n1 0 b high\n", "line 2: 'high'"),
        ("1\t0\ta\t1\n1\t0\t\t1\n", "line 2 has 3 columns"),
        ("1 0 a 1\n1 0 b 1_000\n", "line 2: '1_000'"),
        (b"1 0 a 1\n1 0 caf\xe9 1\n", "byte 0xe9 in line 2"),
        ("1 0 a 1\n1 0 b \uff11\n", "line 2: '\uff11'"),
    ):
        refused(words, read_gold, save_table(text))
    for text, words in (
        ("1 Q0 a 1 2 x\n1 Q0 b 2 1\n", "line 2 has 5 columns"),
        ("1\tQ0\ta\t1\t2\tx\n1\tQ0\tb\t2\t\tx\n", "line 2 has 5 columns"),
        ("1\tQ0\ta\t1\t2\t\n", "line 1 has 5 columns"),
        ("1\tQ0\ta\t1\t2\tx\n1\tQ0\tEl Niño 7\t2\t1\tx\n", "line 2: a blank ends a column"),
        ("1\tQ0\tdoc 7\t1\t2\n", "line 1: a blank ends a column"),
    ):
        refused(words, read_predictions, save_table(text), qrels)


def test_files_that_do_not_fit(save_table, qrels):
    for read, given in ((read_gold, (RUN,)), (read_predictions, (QRELS, qrels))):
        with pytest.raises(FileError, match="as gold"):
            read(save_table(given[0]), *given[1:])
    with pytest.raises(FileError, match="answer_match.*retrieval_ranking"):
        read_gold(save_table(QRELS), metric="answer_match")
    answers = read_gold(save_table('{"q1": ["Paris"]}', "answers"))
    with pytest.raises(FileError, match="a TREC run, not predictions of answer_match"):
        read_predictions(save_table(RUN), answers)
    with pytest.raises(FileError, match='"relevance" from columns'):
        read_gold(save_table(QRELS), {"relevance": "rel"})
