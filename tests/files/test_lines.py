"""Files of lines are recognised by their first lines; similar text is not."""

import pytest

from qassay.files import FileError
from qassay.files.content import read_content
from qassay.files.lines import HEAD

QRELS, RUN = "301 0 d1 1\n", "301\u3000a Q0 \u2028d\u20281 1 2.5 a\u3000tag\n"


@pytest.mark.parametrize(
    "text, kind",
    [
        (QRELS, "trec_qrels"),
        (RUN, "trec_run"),
        ("301\tQ0\td 1\t1\t2.5\ta tag\n", "trec_run"),
        ("who is it?\tAda\t1\n", "nlpcc"),
        ("0.5\n1e-3\n-2\n", "numbers"),
        ("\ufeff\n# made by hand\n  # 2024\n301 0 d1 1\n", "trec_qrels"),
        (QRELS * (HEAD // 11 + 100) + "and something else\n" * 50_000, "trec_qrels"),  # only the first lines decide
        ('{"q1": {"d1": 1}}', None),
        ("id,prediction\nq1,in the year 1999\nq2,or maybe around 1850\n", None),
        ("He came to Rome 1815\nShe came to Rome 1820\n", None),
    ],
)
def test_kinds(save_table, text, kind):
    lines = read_content(save_table(text)).value
    assert getattr(lines, "kind", None) == kind
    if text == RUN:  # blanks that are not ASCII are part of an id
        assert lines.first == ("301\u3000a", "Q0", "\u2028d\u20281", "1", "2.5", "a\u3000tag")


@pytest.mark.parametrize("data", [QRELS.encode("utf-16"), f"301 Q0 {'d' * 2 * HEAD} 1 2.5 x\n"])
def test_other_files(save_table, data):
    with pytest.raises(FileError, match="UTF-16|not a header|gold data"):
        read_content(save_table(data)).value.columns["x"]
