"""Every layout of rankings and judgements (dicts, lists, rows, tables of any library) as two checked, plain forms."""

import dataclasses
import struct
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from .arrow import arrow_integers
from .columns import check_lengths, check_rows, describe, field_of, plain_rows, to_list
from .ranking_arrow import IdTexts, as_int, has_twins, id_list, split_queries
from .ranking_tables import column_of, find_columns, id_column, number_column, table_of, to_arrow

_MOST_LEVELS = 6  # no more are expected among judgements
_GIVE_RANKING = "give one ranked list of document ids, or one dict document -> score, per query"
_GIVE_RELEVANT = "give one list or set of relevant document ids, or one dict document -> relevance, per query"
_GIVE_IDS = "ids are strings, or whole numbers that stand for their digits"


@dataclasses.dataclass
class NestedRun:
    """One ranking per query: a dict document -> score, a list of documents, or None where the run lacks the query.

    `keys` are the query ids as text, None when rankings and judgements belong together by position; `scores` are lists
    beside the lists of documents.
    """

    keys: list[str] | None
    documents: list
    scores: list | None = None
    has_dicts: bool = False


@dataclasses.dataclass
class TableRun:
    """One row per retrieved document, query after query.

    `keys` are the query ids as text; the rows of query i stand at offsets[i]:offsets[i + 1] of `document` (a
    pyarrow.ChunkedArray) and `score` (numbers, numpy).
    """

    keys: list[str]
    offsets: np.ndarray
    document: Any
    score: np.ndarray


@dataclasses.dataclass
class Judgements:
    """Judgements of q queries, query after query.

    `ids` are the query ids as given and `keys` the same as text (None by position); the judgements of query i stand at
    offsets[i]:offsets[i + 1] of `documents` and `relevance` (float64).
    """

    ids: Sequence
    keys: list[str] | None
    offsets: np.ndarray
    documents: IdTexts
    relevance: np.ndarray


def read_rankings(columns: Mapping[str, Any]) -> tuple[NestedRun | TableRun, Judgements]:
    """Recognise the forms of the run and of the judgements and check them.

    Args:
        columns: `predictions`: a dict query -> dict document -> score, or -> ranked list of documents or of (document,
            score); n such lists or dicts; n rows {"id", "documents"[, "scores"]}; or a table (Arrow, data frame, data
            set, dict of columns, rows as dicts) with columns for query, document and score. `references`: the same with
            relevance for score, where lists and sets hold the relevant documents; None where the table of predictions
            has a column of labels. `ids`, `scores` and `relevances` stand beside lists only.

    Raises:
        TypeError, ValueError: naming the query, document or row, and the cure.
    """
    predictions, references = columns.get("predictions"), columns.get("references")
    if predictions is None:
        raise TypeError("predictions (the run) are not given; give rankings, for example {query: {document: score}}")
    table = table_of(predictions, "predictions")
    if references is None:
        if table is None:
            raise TypeError(
                "references (the judgements) are not given; give them, for example {query: {document: relevance}}, "
                "or a table of predictions with columns for query, score and label"
            )
        _refuse_idle(columns, "predictions is a table", "ids", "scores", "relevances")
        return _self_judged(table)
    if table is not None:
        _refuse_idle(columns, "predictions is a table", "ids", "scores")
        names = find_columns(table, "predictions", ("query", "document", "score"))
        run = _table_run(*(to_arrow(table[name], f"predictions[{name!r}]") for name in names))
    else:
        run = _nested_run(predictions, columns)
    judgements = _read_judgements(references, columns)
    _check_forms(run, judgements, columns)
    _refuse_swapped(run, judgements)
    return run, judgements


def _refuse_idle(columns: Mapping[str, Any], why: str, *names: str) -> None:
    for name in names:
        if columns.get(name) is not None:
            raise TypeError(f"the column {name} belongs to lists, but {why}; leave {name} out")


def _check_forms(run: NestedRun | TableRun, judgements: Judgements, columns: Mapping[str, Any]) -> None:
    by_position = isinstance(run, NestedRun) and run.keys is None
    if by_position != (judgements.keys is None):
        sides = ("predictions", "references") if by_position else ("references", "predictions")
        raise ValueError(
            f"{sides[0]} are a plain list, one row per query, but {sides[1]} are given by query id; "
            "give both as lists in the same order, or both by query id, for example as dicts"
        )
    if by_position:
        check_lengths(predictions=run.documents, references=judgements.offsets[1:], ids=columns.get("ids"))


def _nested_run(predictions: Any, columns: Mapping[str, Any]) -> NestedRun:
    ids, rows, scores = _ids_and_rows(predictions, "predictions", "scores", columns)
    keys = None if ids is None else unique_texts(ids, "predictions id")
    if not len(rows):
        raise ValueError("the run is empty: predictions has no queries")
    given = [row for row in rows if row is not None]
    if keys is None and all(isinstance(row, str) for row in given) and given:
        raise TypeError(
            f"predictions is a flat list of strings (predictions[0] is {describe(given[0])}); {_GIVE_RANKING}"
        )
    names = range(len(rows)) if keys is None else keys
    if given and isinstance(given[0], Mapping):
        check_rows(
            rows, "predictions", names, (Mapping, type(None)) if keys is None else Mapping, "give every query a dict"
        )
        if scores is not None:
            raise TypeError(
                "scores stand beside lists of documents, but the rows of predictions are dicts; leave it out"
            )
        return NestedRun(keys, rows, has_dicts=True)
    kept = plain_rows(
        [[] if row is None and keys is None else row for row in rows], "predictions", names, _GIVE_RANKING
    )
    if scores is not None:
        scores = plain_rows(list(scores), "scores", names, "give one list of numbers per ranking")
        check_lengths(predictions=kept, scores=scores)
        for row, (documents, numbers) in enumerate(zip(kept, scores, strict=True)):
            if len(documents) != len(numbers):
                raise ValueError(
                    f"scores[{row}]{_of_query(names, row)} has {len(numbers)} numbers for {len(documents)} documents; "
                    "give one score per document"
                )
    elif any(kept) and isinstance(next(filter(None, kept))[0], (list, tuple)):
        kept, scores = _split_pairs(kept, names)
    documents = [None if row is None else items for row, items in zip(rows, kept, strict=True)]
    return NestedRun(keys, documents, scores)


def _split_pairs(rows: Sequence[Sequence], names: Sequence) -> tuple[list, list]:
    """Lists of (document, score) as lists of documents and lists of scores."""
    for row, pairs in enumerate(rows):
        for place, pair in enumerate(pairs):
            if not isinstance(pair, (list, tuple)) or len(pair) != 2:
                raise TypeError(
                    f"predictions[{row}][{place}]{_of_query(names, row)} must be a pair (document, score) like the "
                    f"first one, got {describe(pair)}"
                )
    return [[pair[0] for pair in pairs] for pairs in rows], [[pair[1] for pair in pairs] for pairs in rows]


def _ids_and_rows(
    column: Any, name: str, beside: str, columns: Mapping[str, Any]
) -> tuple[Sequence | None, list, Sequence | None]:
    """Query ids as given (None by position), the row of each query, and the numbers beside the rows."""
    if isinstance(column, Mapping):
        _refuse_idle(columns, f"{name} is a dict", "ids", beside)
        return list(column), list(column.values()), None
    rows = to_list(column, name)
    if len(rows) and isinstance(rows[0], Mapping) and _is_row(rows[0]):
        check_rows(rows, name, (), Mapping, "give every row as a dict like the first one")
        _refuse_idle(columns, f"{name} is a list of rows with ids", "ids", beside)
        ids, documents = (field_of(rows, key, name, required=True) for key in ("id", "documents"))
        return ids, documents, field_of(rows, beside, name)
    numbers = columns.get(beside)
    return None, rows, None if numbers is None else to_list(numbers, beside)


def _is_row(row: Mapping) -> bool:
    """Whether a dict is a row {"id", "documents"}, not documents with numbers."""
    return isinstance(row.get("id"), str) or not isinstance(row.get("documents", 0), (int, float, np.number))


def _read_judgements(references: Any, columns: Mapping[str, Any]) -> Judgements:
    table = table_of(references, "references")
    if table is not None:
        _refuse_idle(columns, "references is a table", "ids", "relevances")
        names = find_columns(table, "references", ("query", "document", "relevance"))
        return _table_judgements(*(to_arrow(table[name], f"references[{name!r}]") for name in names))
    ids, rows, grades = _ids_and_rows(references, "references", "relevances", columns)
    if not len(rows):
        raise ValueError("there is nothing to score: references has no queries")
    keys = None if ids is None else unique_texts(ids, "references id")
    if ids is None:
        ids = range(len(rows)) if columns.get("ids") is None else to_list(columns["ids"], "ids")
        check_lengths(references=rows, ids=ids)
        if not isinstance(ids, range):
            unique_texts(ids, "ids")
    return _nested_judgements(ids, keys, rows, grades)


def _nested_judgements(ids: Sequence, keys: list[str] | None, rows: list, grades: Sequence | None) -> Judgements:
    if isinstance(rows[0], Mapping):
        check_rows(
            rows, "references", ids, Mapping, "give every query a dict document -> relevance, like the first one"
        )
        if grades is not None:
            raise TypeError(
                "relevances stand beside lists of documents, but the rows of references are dicts; leave it out"
            )
        numbers: list = list(chain.from_iterable(row.values() for row in rows))
    else:
        rows = [row.tolist() if isinstance(row, np.ndarray) and row.ndim else row for row in rows]
        check_rows(rows, "references", ids, (list, tuple, set, frozenset), _GIVE_RELEVANT)
        if grades is not None:
            grades = plain_rows(list(grades), "relevances", ids, "give one list of numbers per query")
            check_lengths(references=rows, relevances=grades)
            for row, (documents, levels) in enumerate(zip(rows, grades, strict=True)):
                if not isinstance(documents, (list, tuple)):
                    raise TypeError(
                        f"references[{row}]{_of_query(ids, row)} is a set, which has no order; "
                        "give a list beside relevances"
                    )
                if len(documents) != len(levels):
                    raise ValueError(
                        f"relevances[{row}]{_of_query(ids, row)} has {len(levels)} numbers for {len(documents)} "
                        "documents; give one relevance per document"
                    )
            numbers = list(chain.from_iterable(grades))
        else:
            numbers = []
    sizes = np.fromiter(map(len, rows), np.int64, len(rows))
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    owner = np.repeat(np.arange(len(rows)), sizes)
    documents = list(chain.from_iterable(rows))
    if not all(map(has_text_keys, rows)):
        documents = id_texts(documents, "references", lambda place: f" of query {ids[owner[place]]!r}")
    relevance = _relevance(numbers, owner, ids, documents) if len(numbers) else np.ones(len(documents))
    judgements = Judgements(ids, keys, offsets, IdTexts(documents), relevance)
    _check_judgements(judgements, twice=not isinstance(rows[0], Mapping))
    return judgements


def _table_run(query: Any, document: Any, score: Any) -> TableRun:
    check_lengths(query=query, document=document, score=score)
    if not len(query):
        raise ValueError("the run is empty: the table of predictions has no rows")
    document, score = id_column(document, "predictions document"), number_column(score, "predictions score")
    keys, offsets, order = split_queries(id_column(query, "predictions query"))
    if order is not None:
        document, score = document.take(arrow_integers(order)), score[order]
    return TableRun(keys, offsets, document, score)


def _table_judgements(query: Any, document: Any, relevance: Any) -> Judgements:
    import pyarrow as pa

    check_lengths(query=query, document=document, relevance=relevance)
    if not len(query):
        raise ValueError("there is nothing to score: the table of references has no rows")
    document, numbers = id_column(document, "references document"), number_column(relevance, "references relevance")
    keys, offsets, order = split_queries(id_column(query, "references query"))
    numbers = numbers.astype(np.float64)
    if order is not None:
        document, numbers = document.take(arrow_integers(order)), numbers[order]
    is_text = pa.types.is_string(document.type) or pa.types.is_large_string(document.type)
    documents = IdTexts(column=document) if is_text else IdTexts(id_list(document))
    ids = [as_int(key) for key in keys] if pa.types.is_integer(query.type) else keys
    judgements = Judgements(ids, keys, offsets, documents, numbers)
    _check_judgements(judgements, twice=True)
    return judgements


def _self_judged(table: Mapping[str, Any]) -> tuple[TableRun, Judgements]:
    """A table with a label beside each score; where it has no documents, they are the positions of the rows."""
    import pyarrow as pa

    names = find_columns(table, "predictions", ("query", "score", "label"))
    query, score, label = (to_arrow(table[name], f"predictions[{name!r}]") for name in names)
    check_lengths(query=query, score=score, label=label)
    known = column_of(table, "document")
    if known is not None:
        document = to_arrow(table[known], f"predictions[{known!r}]")
    elif len(query):
        _, offsets, order = split_queries(id_column(query, "predictions query"))
        position = np.arange(len(query)) - np.repeat(offsets[:-1], np.diff(offsets))
        if order is not None:
            position[order] = position.copy()
        document = pa.chunked_array([arrow_integers(position)])
    else:
        document = query
    run = _table_run(query, document, score)
    return run, _table_judgements(query, document, label)


def id_texts(ids: Sequence, name: str, where: Callable[[int], str] = lambda place: "") -> list[str]:
    """Ids as text: strings as they are, whole numbers as their digits.

    Args:
        where: what the message says after the place of a bad id.

    Raises:
        TypeError: an id that is neither, or ids of both kinds.

    Example:
        >>> id_texts([7, 12], "ids")
        ['7', '12']
    """
    kinds = set(map(type, ids))
    if kinds <= {str}:
        return ids if isinstance(ids, list) else list(ids)
    if all(issubclass(kind, str) for kind in kinds) or all(map(_is_int, kinds)):
        return list(map(str, ids))
    first = ids[0]
    for place, identifier in enumerate(ids):
        kind = type(identifier)
        if not (issubclass(kind, str) or _is_int(kind)):
            raise TypeError(f"{name}: an id{where(place)} is {describe(identifier)}; {_GIVE_IDS}")
        if issubclass(kind, str) != isinstance(first, str):
            raise TypeError(
                f"{name}: ids of mixed type, {describe(first)} and{where(place)} {describe(identifier)}; "
                f"{_GIVE_IDS}, not both"
            )


def _is_int(kind: type) -> bool:
    return issubclass(kind, (int, np.integer)) and kind is not bool


def unique_texts(ids: Sequence, name: str) -> list[str]:
    """The same for ids that may not repeat.

    Raises:
        ValueError: an id that stands twice.
    """
    texts = id_texts(ids, name)
    if len(set(texts)) != len(texts):
        row, identifier = first_repeated(texts)
        raise ValueError(f"{name} {identifier!r} stands twice, the second time in row {row}; give every query one row")
    return texts


def first_repeated(items: Sequence) -> tuple[int, Any]:
    """Place and value of the first item that stood before."""
    seen: set = set()
    return next((place, item) for place, item in enumerate(items) if item in seen or seen.add(item))


def _relevance(numbers: list, owner: np.ndarray, ids: Sequence, documents: list[str]) -> np.ndarray:
    """Numbers as float64; anything else is refused."""
    try:
        return np.frombuffer(struct.pack(f"{len(numbers)}d", *numbers))
    except (struct.error, TypeError, OverflowError):
        place = next(place for place, number in enumerate(numbers) if not is_real(number))
    raise TypeError(
        f"references: the relevance of document {documents[place]!r} of query {ids[owner[place]]!r} must be a number, "
        f"got {describe(numbers[place])}"
    )


def is_real(value: Any) -> bool:
    """Whether a value is a real number that float64 can hold; strings of digits are not."""
    try:
        struct.pack("d", value)
    except (struct.error, TypeError, OverflowError):
        return False
    return True


def _check_judgements(judgements: Judgements, twice: bool) -> None:
    """Refuse relevance that is not finite, and, where it can be, a document judged twice."""
    offsets, documents = judgements.offsets, judgements.documents
    if not len(documents):
        raise ValueError("there is nothing to score: references has no judgements")
    bad = np.flatnonzero(~np.isfinite(judgements.relevance))
    if len(bad):
        query = judgements.ids[int(np.searchsorted(offsets, bad[0], "right")) - 1]
        raise ValueError(
            f"references: the relevance of document {documents.take(bad[:1]).listed[0]!r} of query {query!r} is "
            f"{judgements.relevance[bad[0]]}; give a finite number"
        )
    if not twice or not has_twins(documents.binary, offsets):
        return
    for query in range(len(offsets) - 1):
        judged = documents.listed[offsets[query] : offsets[query + 1]]
        if len(set(judged)) != len(judged):
            raise ValueError(
                f"references: query {judgements.ids[query]!r} judges the document {first_repeated(judged)[1]!r} twice; "
                "give every document one relevance"
            )


def _refuse_swapped(run: NestedRun | TableRun, judgements: Judgements) -> None:
    """Refuse a run of whole levels against judgements that look like scores."""
    relevance = judgements.relevance
    if 2 * np.count_nonzero(relevance % 1) < len(relevance) or len(np.unique(relevance)) <= _MOST_LEVELS:
        return
    if isinstance(run, TableRun):
        scores, queries = run.score, len(run.keys)
    else:
        rows = run.documents if run.scores is None else run.scores
        rows = [row.values() if isinstance(row, Mapping) else row for row in rows if row is not None]
        if run.scores is None and not run.has_dicts:
            return
        try:
            scores, queries = np.array(list(chain.from_iterable(rows)), np.float64), len(rows)
        except (TypeError, ValueError):  # no scores: refused with their names later
            return
    if (
        len(np.unique(scores)) <= _MOST_LEVELS
        and not (scores % 1).any()
        and len(relevance) * queries > len(scores) * (len(judgements.offsets) - 1)
    ):
        raise ValueError(
            "predictions look like judgements (whole numbers of a few levels) and references like a run (real numbers, "
            "more documents per query); give the run as predictions and the judgements as references"
        )


def _of_query(names: Sequence, row: int) -> str:
    """ " (query 'q1')" for messages, nothing where queries have but positions."""
    return "" if isinstance(names, range) else f" (query {names[row]!r})"


def has_text_keys(ids: Mapping) -> bool:
    """Whether all keys of a dict are strings, where that can be told without looking at them; False where it cannot.

    CPython 3.11 and later keep dicts of strings in a smaller layout, which their size tells.
    """
    return not ids or (type(ids) is dict and sys.getsizeof(ids) in _TEXT_DICT_SIZES)


def _text_dict_sizes() -> frozenset[int]:
    """The sizes in memory of dicts of strings: none where they have the layout of all dicts."""
    text, other = sys.getsizeof({"a": 1}), sys.getsizeof({1: 1})
    if other - text != 8 * 5:
        return frozenset()
    bare = text - 8 - 16 * 5
    return frozenset(
        bare + (1 << log) * (1 if log < 8 else 2 if log < 16 else 4) + 16 * ((2 << log) // 3) for log in range(3, 32)
    )


_TEXT_DICT_SIZES = _text_dict_sizes()
