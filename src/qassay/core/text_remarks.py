"""Why texts are probably not compared as meant: several gold answers in one, numbers of pandas, scripts without spaces."""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain, permutations
from typing import Any

from .columns import counted, with_id

_ROWS_LOOKED_AT = 200  # rows, evenly spread
_FEWEST = 5  # rows with a separator
_SEPARATORS = ("[SEP]", "<sep>", "||", "|", "###", "\t", "\n", ";", " / ")  # the first in a text is the one meant
_OF_PROSE = ("\n", ";", " / ")
_LONGEST_PART = 60  # characters of an answer between marks that prose has too
_END_OF_SENTENCE = (".", "!", "?", "。", "！", "？")
_WHOLE_FLOAT, _WHOLE_NUMBER = re.compile(r"-?\d+\.0"), re.compile(r"-?\d+")
_WHOLE_WORD = re.compile(r"(?<![\w.,-])-?\d+(?!\w|[.,]\d)")
_OF_PANDAS = "pandas writes them so where a column has a gap: read that column as text, dtype=str"
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]{3}")


def told_of_texts(
    answers: Sequence[Any],
    golds: Sequence[Any],
    ids: Sequence[Any],
    metric: str,
    *,
    numbers: bool = True,
    tokens: Callable[[str], str] | None = None,
) -> list[str]:
    """A line for each oddity of aligned answers and gold answers; [] for usual texts, of which few are looked at.

    Args:
        answers, golds: a row is a text or a list of texts or of lists; anything else has none.
        ids: of the rows, for messages.
        metric: which compares them.
        numbers: whether "1914.0" and "1914" differ.
        tokens: the normaliser after which white space parts the compared tokens; None: something else is compared.
    """
    step = len(answers) // _ROWS_LOOKED_AT or 1
    rows, gold_rows = (list(map(_flat_texts, side[::step])) for side in (answers, golds))
    some, some_golds = list(chain.from_iterable(rows)), list(chain.from_iterable(gold_rows))
    text, gold_text = "\0".join(some) + "\0", "\0".join(some_golds) + "\0"
    told = []
    marks = (mark for mark in _SEPARATORS if mark in gold_text and _parts_golds(mark, gold_rows, some))
    mark = next(marks, None)
    if mark is not None:
        name = json.dumps(mark)
        told.append(
            f"most gold answers have {name} in them and are compared whole; if it parts several gold answers, split them: "
            f'text.split({name}) for columns, or columns={{"separator": {name}}} and metric={metric} for files'
        )
    if numbers and (".0\0" in text or ".0\0" in gold_text):
        told += _told_of_floats(answers, golds, ids)
    if tokens is not None and not gold_text.isascii() and _UNSPACED.search(gold_text):
        whole = [len(tokens(gold).split()) == 1 for gold in some_golds if _UNSPACED.search(gold)]
        if 2 * sum(whole) > len(list(filter(None, some_golds))):
            told.append(
                "texts without spaces count as one token; the option normalizer=cjk splits Chinese and Japanese ones, "
                "unit=character all"
            )
    return told


def _parts_golds(mark: str, golds: Sequence[Sequence[str]], answers: Sequence[str]) -> bool:
    """Whether a mark is between short parts of most gold answers, in several rows, and not of most answers too."""
    there, given = list(filter(None, chain.from_iterable(golds))), list(filter(None, answers))
    parts = [[part.strip() for part in gold.split(mark) if part.strip()] for gold in there if mark in gold]
    parts = [of_gold for of_gold in parts if len(of_gold) > 1]
    if 2 * len(parts) <= len(there) or 2 * sum(mark in answer for answer in given) > len(given):
        return False
    if sum(any(mark in gold for gold in row) for row in golds) < _FEWEST:
        return False
    if mark not in _OF_PROSE:
        return True
    sizes = list(map(len, chain.from_iterable(parts)))
    sentences = sum(of_gold[-1].endswith(_END_OF_SENTENCE) for of_gold in parts)
    return sum(sizes) <= _LONGEST_PART * len(sizes) and 2 * sentences <= len(parts)


def _flat_texts(row: Any) -> Sequence[str]:
    """The texts of a row: a text, texts in a list, or lists of them in one."""
    if not isinstance(row, (list, tuple)):
        return [row] if isinstance(row, str) else ()
    if set(map(type, row)) == {str}:
        return row
    parts = [item if isinstance(item, (list, tuple)) else [item] for item in row]
    return [text for part in parts for text in part if isinstance(text, str)]


def _told_of_floats(answers: Sequence[Any], golds: Sequence[Any], ids: Sequence[Any]) -> list[str]:
    """Whole numbers of one side that all have ".0", as pandas writes a column with a gap, beside the same without."""
    sides = {"predictions": list(map(_flat_texts, answers)), "references": list(map(_flat_texts, golds))}
    for (name, own), (other_name, others) in (sides.items(), [*sides.items()][::-1]):
        if any(map(_WHOLE_NUMBER.fullmatch, chain.from_iterable(own))):
            continue
        found = []
        for row, (texts, beside) in enumerate(zip(own, others, strict=True)):
            floats = list(filter(_WHOLE_FLOAT.fullmatch, texts))
            plain = {number: text for text in beside[::-1] for number in _WHOLE_WORD.findall(text)} if floats else {}
            found += [(row, number, plain[number[:-2]]) for number in floats if number[:-2] in plain][:1]
        if found:
            row, number, other = found[0]
            return [
                f'whole numbers end in ".0" in the {name} and not in the {other_name}: {counted(len(found), "rows")}, such '
                f"as {number!r} beside {other!r} in {other_name}[{row}]{with_id(ids, row)}; {_OF_PANDAS}"
            ]
    return []


def told_of_float_labels(sides: Mapping[str, Collection[str]]) -> list[str]:
    """The same line for labels, of which the distinct ones of each side are looked at.

    Args:
        sides: name of the column -> its distinct labels, of two columns.
    """
    for (name, own), (other_name, others) in permutations(sides.items(), 2):
        if ".0\0" not in "\0".join(own) + "\0" or any(map(_WHOLE_NUMBER.fullmatch, own)):
            continue
        found = min((label for label in own if _WHOLE_FLOAT.fullmatch(label) and label[:-2] in others), default=None)
        if found is not None:
            return [
                f'whole numbers end in ".0" in the {name} and not in the {other_name}, such as {found!r} beside '
                f"{found[:-2]!r}; {_OF_PANDAS}"
            ]
    return []
