"""The files of NLPCC-DBQA: questions with labelled sentences, and one score per sentence."""

import re
from collections.abc import Iterable
from itertools import accumulate
from typing import Any

from ...core.columns import counted
from ...core.file_columns import Gold, Predictions
from ..content import Content
from ..lines import is_lines
from ..reading import FileError, to_number
from ..source import decode
from . import Format

_LABEL = re.compile(r"\s*[+-]?\d{1,18}\s*", re.ASCII)


def _read_pairs(content: Content, names: Any) -> Gold:
    """Pairs as `question<TAB>sentence<TAB>label`: adjacent rows with the same question are one query, as in the
    official program.

    A question that recurs later is another query. The documents are the rows, and queries are numbered.
    """
    import pyarrow as pa

    questions, labels = [], []
    for number, line in _lines(content):
        cells = line.split("\t")
        if len(cells) != 3:
            raise FileError(
                content.path,
                f"line {number} has {counted(len(cells), 'columns')} between tabs where the pairs of NLPCC-DBQA have 3 "
                f"(question, sentence, label): {line[:60]!r}",
            )
        questions.append(cells[0])
        if not _LABEL.fullmatch(cells[2]):
            raise FileError(content.path, f"line {number}: the label {cells[2][:60]!r} is not an integer; give 1 or 0")
        labels.append(int(cells[2]))
    is_first = [row == 0 or questions[row - 1] != question for row, question in enumerate(questions)]
    rows = {
        "query": [str(count - 1) for count in accumulate(is_first)],
        "document": list(map(str, range(len(questions)))),
        "relevance": labels,
    }
    distinct = [question for question, first in zip(questions, is_first, strict=True) if first]
    return Gold(
        content.path,
        "nlpcc",
        {"references": pa.table(rows)},
        {"preset": "nlpcc"},
        list(map(str, range(len(distinct)))),
        {"question": distinct},
    )


def _read_scores(content: Content, gold: Gold, names: Any) -> Predictions:
    """One number per line, for the pairs of the gold file in order."""
    import pyarrow as pa

    if gold.kind != "nlpcc":
        raise FileError(
            content.path,
            f"scores without ids go with pairs of NLPCC-DBQA (question, sentence, label), which {gold.path} "
            "does not have; give query and document too",
        )
    scores = []
    for number, line in _lines(content):
        try:
            scores.append(to_number(line))
        except ValueError:
            raise FileError(
                content.path, f"line {number}: {line[:60]!r} is not a number; give one score per line"
            ) from None
    pairs = gold.columns["references"]
    if len(scores) != len(pairs):
        raise FileError(
            content.path,
            f"this has {counted(len(scores), 'scores')}, and {gold.path} has {counted(len(pairs), 'pairs')}; "
            "give one score per pair",
        )
    table = pa.table({"query": pairs["query"], "document": pairs["document"], "score": pa.array(scores, pa.float64())})
    return Predictions(content.path, {"predictions": table})


def _lines(content: Content) -> Iterable[tuple[int, str]]:
    """The numbered lines; blank ones at the end do not count."""
    text = decode(content.path, content.value.source.read())
    return ((number, line.removesuffix("\r")) for number, line in enumerate(text.rstrip("\r\n").split("\n"), 1))


PAIRS = Format(
    "nlpcc",
    "pairs of NLPCC-DBQA (question, sentence, label)",
    "retrieval_ranking",
    is_lines("nlpcc"),
    order=1,
    read_gold=_read_pairs,
)
SCORES = Format(
    "numbers",
    "scores without ids, one per line",
    "retrieval_ranking",
    is_lines("numbers"),
    order=1,
    read_predictions=_read_scores,
)
