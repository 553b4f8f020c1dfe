"""Files of lines are recognised by their first lines; similar text is not."""

import pytest

from qassay.files.lines import HEAD, find_lines
from qassay.files.source import Source

SOURCE = Source("file", "memory")


def kind_of(text):
    data = text if isinstance(text, bytes) else text.encode("utf-8")
    lines = find_lines(SOURCE, data[:HEAD])
    return lines.kind if lines else None


@pytest.mark.parametrize(
    "text, kind",
    [
        ("301 0 d1 1\n", "trec_qrels"),
        ("301 Q0 d1 1 2.5 tag\n", "trec_run"),
        ("301\tQ0\td 1\t1\t2.5\ta tag\n", "trec_run"),
        ("who is it?\tAda\t1\n", "nlpcc"),
        ("0.5\n1e-3\n-2\n", "numbers"),
        ("\ufeff\n# made by hand\n  # 2024\n301 0 d1 1\n", "trec_qrels"),
    ],
)
def test_kinds(text, kind):
    assert kind_of(text) == kind


@pytest.mark.parametrize(
    "text",
    [
        "",
        '{"q1": {"d1": 1}}',
        "id,prediction\nq1,in the year 1999\nq2,or maybe around 1850\n",
        "He came to Rome 1815\nShe came to Rome 1820\n",
        "301 0 d1 1\n".encode("utf-16"),
    ],
)
def test_other_files(text):
    assert kind_of(text) is None


def test_only_the_first_lines_are_looked_at():
    text = "301 0 d1 1\n" * (HEAD // 11 + 100)
    assert kind_of(text + "and something else\n" * 50_000) == "trec_qrels"
    assert kind_of("301 Q0 " + "d" * 2 * HEAD + " 1 2.5 x\n") is None


@pytest.mark.parametrize("blank", "\u3000\u2028")
def test_blanks_that_are_not_ascii_are_part_of_an_id(blank):
    lines = find_lines(SOURCE, f"301{blank}a Q0 {blank}d{blank}1 1 2.5 a{blank}tag\n".encode())
    cells = (f"301{blank}a", "Q0", f"{blank}d{blank}1", "1", "2.5", f"a{blank}tag")
    assert (lines.kind, lines.first) == ("trec_run", cells)
