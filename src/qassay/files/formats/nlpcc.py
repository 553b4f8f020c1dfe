"""The files of NLPCC-DBQA: questions with labelled sentences, and one score per sentence."""

import re
from itertools import accumulate
from typing import Any

from ...core.columns import counted
from ...core.file_columns import Gold, Predictions
from ..content import Content
from ..lines import is_lines
from ..reading import to_number
from ..source import decode
from . import Format

METRIC = "retrieval_ranking"
_PAIR = re.compile(r"(?P<question>[^\t]*)\t[^\t]*\t\s*(?P<label>[+-]?\d{1,18})\s*", re.ASCII)


def _read_pairs(content: Content, names: Any) -> Gold:
    """Pairs as `question<TAB>sentence<TAB>label`: adjacent rows with the same question are one query, as in the
    official program.

    A question that recurs later is another query. The documents are the rows, and queries are numbered.
    """
    import pyarrow as pa

    pairs = []
    for number, line in enumerate(_lines(content), 1):
        pair = _PAIR.fullmatch(line)
        if pair is None:
            message = f"line {number} is not a question, a sentence and a label (1 or 0) between tabs: {line[:60]!r}"
            raise ValueError(f"{message}; give the pairs of NLPCC-DBQA")
        pairs.append(pair)
    questions = [pair["question"] for pair in pairs]
    is_first = [row == 0 or questions[row - 1] != question for row, question in enumerate(questions)]
    rows = {
        "query": [str(count - 1) for count in accumulate(is_first)],
        "document": list(map(str, range(len(pairs)))),
        "relevance": [int(pair["label"]) for pair in pairs],
    }
    distinct = [question for question, first in zip(questions, is_first, strict=True) if first]
    ids = list(map(str, range(len(distinct))))
    columns = {"references": pa.table(rows)}
    return Gold(content.path, "nlpcc", columns, {"preset": "nlpcc"}, ids, {"question": distinct})


def _read_scores(content: Content, gold: Gold, names: Any) -> Predictions:
    """One number per line, for the pairs of the gold file in order."""
    import pyarrow as pa

    if gold.kind != "nlpcc":
        found = f"scores without ids go with pairs of NLPCC-DBQA (question, sentence, label), which {gold.path} has not"
        raise ValueError(f"{found}; give query and document too")
    scores = []
    for number, line in enumerate(_lines(content), 1):
        try:
            scores.append(to_number(line))
        except ValueError:
            raise ValueError(f"line {number}: {line[:60]!r} is not a number; give one score per line") from None
    pairs = gold.columns["references"]
    if len(scores) != len(pairs):
        found = f"this has {counted(len(scores), 'scores')}, and {gold.path} has {counted(len(pairs), 'pairs')}"
        raise ValueError(f"{found}; give one score per pair")
    table = pa.table({"query": pairs["query"], "document": pairs["document"], "score": pa.array(scores, pa.float64())})
    return Predictions(content.path, {"predictions": table})


def _lines(content: Content) -> list[str]:
    """The lines; blank ones at the end do not count."""
    text = decode(content.path, content.value.source.read())
    return [line.removesuffix("\r") for line in text.rstrip("\r\n").split("\n")]


PAIRS = Format(
    "nlpcc",
    "pairs of NLPCC-DBQA (question, sentence, label)",
    METRIC,
    is_lines("nlpcc"),
    order=1,
    read_gold=_read_pairs,
)
SCORES = Format(
    "numbers", "scores without ids, one per line", METRIC, is_lines("numbers"), order=1, read_predictions=_read_scores
)
