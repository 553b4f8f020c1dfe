"""What happens to blocks of data sets on the machines of a cluster: rows in, statistics or sums out. Without Ray.

A worker's result is a table of pickled parts; so is its error, which then reaches the caller once and as it is.
"""

import dataclasses
import itertools
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.columns import is_nan
from ..core.options import Options, did_you_mean
from ..core.scores import Scores
from ..core.streaming import added_notes, refuse_options_from_data, score_part
from ..registry import get_family
from ..retrieval_ranking.tables import id_column, number_column
from .partial_sums import Sums, resampling_keys, summed_measures

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS_AT_ONCE = 1 << 16  # rows that are Python objects at a time
_PARTITION_BITS = 8  # of the numbers of ids, by which they are divided among workers
_GUARD = -(1 << 62)  # a query of our own in every block


@dataclasses.dataclass(frozen=True)
class Job:
    """What a worker has to know; `columns` are those of the metric -> of the data set."""

    metric: str
    options: Options
    columns: Mapping[str, str]
    by: str | None
    keep: str
    names: tuple[str, ...] | None
    n_resamples: int
    seed: int


@dataclasses.dataclass
class Part:
    """What a worker sends: the Scores of some rows with the values of `by`, or their Sums by value.

    `kinds` are the types of ids; `keys` numbers for the ids; `queries` the judged queries that these rows rank; `notes`
    those about rows of which nothing is left; `idle`: all weights are 0.
    """

    rows: int
    scores: Scores | None = None
    labels: list | None = None
    sums: dict[Any, Sums] | None = None
    kinds: dict[str, str] = dataclasses.field(default_factory=dict)
    by_position: bool = False
    keys: np.ndarray | None = None
    queries: Sequence[str] = ()
    notes: Mapping[str, int] = dataclasses.field(default_factory=dict)
    idle: bool = False


@dataclasses.dataclass
class Failure:
    """An error of a worker, on its way to the caller; `row` counts within the block, -1 where it does not say."""

    error: Exception
    row: int = 0


def used_columns(job: Job) -> dict[str, str]:
    """The columns of the metric, and `by`, -> those of the data set."""
    return {**job.columns, **({} if job.by is None else {"by": job.by})}


def no_column(what: str, column: str, role: str, there: Sequence[str]) -> str:
    """The message of a column that is missing."""
    cure = (
        "name one of them as by" if role == "by" else f'say which it is, for example columns={{"{role}": "{there[0]}"}}'
    )
    return (
        f"{what} has no column {column!r} (for {role}){did_you_mean(column, there)}; it has: {', '.join(there)}; {cure}"
    )


def plain_error(error: Exception) -> Exception:
    """The error as one of Python's own, which every process can read."""
    for kind in (ImportError, TypeError, ValueError):
        if isinstance(error, kind):
            return kind(str(error))
    return ValueError(str(error))


def _packed(part: Part | Failure, options: Options | None = None) -> "pa.Table":
    """A part, without the options where they are those that the caller has: they may hold what cannot be pickled here."""
    import pyarrow as pa

    if isinstance(part, Part):
        part = _each(
            part, lambda found: dataclasses.replace(found, options=None) if found.options == options else found
        )
    return pa.table({"part": pa.array([pickle.dumps(part, protocol=5)], pa.large_binary())})


def unpacked(data: Any, options: Options) -> Part | Failure:
    """A part as it was, with these options where it came without.

    Args:
        data: a buffer.
    """
    part = pickle.loads(data)
    if isinstance(part, Failure):
        return part
    return _each(part, lambda found: dataclasses.replace(found, options=options) if found.options is None else found)


def _each(part: Part, change: Callable[[Any], Any]) -> Part:
    """A part with its Scores or Sums changed."""
    if part.scores is not None:
        return dataclasses.replace(part, scores=change(part.scores))
    return dataclasses.replace(part, sums={label: change(own) for label, own in (part.sums or {}).items()})


def schema_row(block: "pa.Table") -> "pa.Table":
    """The columns of a block and their types, as text."""
    import pyarrow as pa

    return pa.table({"schema": [", ".join(f"{field.name}: {field.type}" for field in block.schema)]})


def score_rows(block: "pa.Table", job: Job) -> Iterator["pa.Table"]:
    """The statistics of the rows of a block, a few at a time, or the sums of all: tables of one pickled part each."""
    if not block.num_rows:
        return
    row = 0
    try:
        missing = next((pair for pair in used_columns(job).items() if pair[1] not in block.column_names), None)
        if missing is not None:
            raise ValueError(no_column("this block", missing[1], missing[0], block.column_names))
        sums: dict[Any, Sums] = {}
        keys: list[np.ndarray] = []
        notes: dict[str, int] = {}
        idle = True
        for row in range(0, block.num_rows, _ROWS_AT_ONCE):
            part = _score_slice(block.slice(row, _ROWS_AT_ONCE), job)
            if job.keep == "scores":
                yield _packed(part, job.options)
                continue
            notes, idle = added_notes(notes, part.notes), idle and part.idle
            if part.scores is None:
                continue
            _refuse_positions(part, job)
            if not part.by_position:
                keys.append(resampling_keys(part.scores.ids, 0))
            for label, scores in _by_label(part.scores, part.labels).items():
                own = Sums.of(scores, job.names, job.n_resamples, job.seed)
                sums[label] = Sums.concat([sums[label], own]) if label in sums else own
        if job.keep == "sums":
            together = np.concatenate(keys) if keys else None
            part = Part(block.num_rows, sums=sums, kinds=part.kinds, keys=together, notes=notes, idle=idle)
            yield _packed(part, job.options)
    except (TypeError, ValueError, ImportError, OSError) as error:
        yield _packed(Failure(plain_error(error), row if job.keep == "sums" else 0))


class ModelWorker:
    """An actor that loads the model of semantic_answer_similarity once and scores block after block with it."""

    job: Job

    def __init__(self):
        from ..semantic_answer_similarity.scoring import scorer_of

        self.problem: Exception | None = None
        try:
            scorer_of(self.job.options)
        except Exception as error:  # noqa: BLE001 (of any library that a model may use)
            cure = "give a model that loads, on a device with room for it (device, dtype, num_gpus, concurrency)"
            self.problem = self._told("cannot be loaded on a worker", error, cure)

    def __call__(self, block: "pa.Table") -> Iterator["pa.Table"]:
        if self.problem is not None:
            yield _packed(Failure(self.problem, -1))
            return
        try:
            yield from score_rows(block, self.job)
        except Exception as error:  # noqa: BLE001
            cure = "give it less at once (batch_size, max_length), or more to each worker (num_gpus, concurrency)"
            yield _packed(Failure(self._told("failed on a worker", error, cure), -1))

    def _told(self, what: str, error: Exception, cure: str) -> ValueError:
        model = self.job.options.model
        kind = "" if isinstance(error, (ValueError, ImportError)) else f"{type(error).__name__}: "
        named = repr(model) if isinstance(model, str) else f"of type {type(model).__name__}"
        return ValueError(f"the model {named} {what}: {kind}{error}; {cure}")


def _score_slice(block: "pa.Table", job: Job) -> Part:
    """The Scores of a few rows, and what `by` says of them."""
    function, _ = get_family(job.metric).load()
    columns = {name: _listed(block.column(column)) for name, column in job.columns.items()}
    found = score_part(function, job.options, (), columns)
    scores, by_position = found.scores, found.by_position
    kinds = {"ids": id_kind(block.column(job.columns["ids"]).type)} if "ids" in job.columns else {}
    if scores is None:
        return Part(block.num_rows, kinds=kinds, by_position=by_position, notes=found.notes, idle=found.idle)
    refuse_options_from_data(scores.options, "a cluster")
    labels = None if job.by is None else _listed(block.column(job.by))
    if labels is not None and len(scores) != len(labels):
        if by_position:
            places: Iterable = scores.ids
        elif "ids" not in columns:
            raise ValueError(
                "some examples are left out: by needs the ids in a column of their own, columns={'ids': ...}"
            )
        else:
            place = {identifier: row for row, identifier in enumerate(columns["ids"])}
            places = [place[identifier] for identifier in scores.ids]
        labels = [labels[place] for place in places]
    return Part(block.num_rows, scores, labels, kinds=kinds, by_position=by_position, idle=found.idle)


def _refuse_positions(part: Part, job: Job) -> None:
    summed_measures(part.scores.measures, job.names)
    if not part.by_position and "ids" not in job.columns:
        raise ValueError(
            "keep='sums' compares ids over all blocks: give them a column of their own, columns={'ids': ...}"
        )
    if part.by_position and job.n_resamples:
        raise ValueError(
            "keep='sums' draws its resamples by the ids of the examples, and there are none: name their column in "
            "columns={'ids': ...}, or give n_resamples=0 for no intervals"
        )


def _by_label(scores: Scores, labels: list | None) -> dict[Any, Scores]:
    return {None: scores} if labels is None else scores.by(labels)


def _listed(column: Any) -> list:
    """A column of a block as Python objects; lists of strings without pyarrow's detour over scalars."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
        return column.to_pylist()
    listed: list = []
    for chunk in column.chunks:
        if chunk.null_count:
            listed += chunk.to_pylist()
            continue
        ends = (chunk.offsets.to_numpy() - chunk.offsets[0].as_py()).tolist()
        items = _listed(pa.chunked_array([chunk.flatten()]))
        listed += [items[start:end] for start, end in itertools.pairwise(ends)]
    return listed


def id_kind(kind: Any) -> str:
    """What ids of an Arrow type are, in words."""
    import pyarrow as pa

    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    if pa.types.is_integer(kind):
        return "whole numbers"
    return "strings" if pa.types.is_string(kind) or pa.types.is_large_string(kind) else str(kind)


def twins_of(keys: np.ndarray) -> np.ndarray:
    """The numbers that stand more than once, sorted."""
    keys = np.sort(keys)
    return np.unique(keys[1:][keys[1:] == keys[:-1]])


def divided_ids(block: "pa.Table", column: str) -> "pa.Table":
    """Numbers of the ids of a block, divided by their value, so that the same ids of all blocks meet."""
    import pyarrow as pa

    keys = np.sort(resampling_keys(_listed(block.column(column)), 0))
    where = keys >> np.uint64(64 - _PARTITION_BITS)
    starts = np.searchsorted(where, np.arange((1 << _PARTITION_BITS) + 1, dtype=np.uint64))
    parts = {number: keys[starts[number] : starts[number + 1]] for number in np.unique(where).tolist()}
    data = pa.array([part.tobytes() for part in parts.values()], pa.large_binary())
    return pa.table({"partition": pa.array(parts, pa.int32()), "keys": data})


def twin_ids(table: "pa.Table") -> "pa.Table":
    """The numbers that stand more than once in these parts of all ids."""
    import pyarrow as pa

    keys = [np.frombuffer(data.as_buffer(), np.uint64) for data in table["keys"]] if table.num_rows else []
    return pa.table({"key": twins_of(np.concatenate([np.empty(0, np.uint64), *keys]))})


def ids_of_keys(block: "pa.Table", column: str, keys: np.ndarray) -> "pa.Table":
    """The ids of a block that have one of these numbers."""
    import pyarrow as pa

    ids = _listed(block.column(column)) if block.num_rows else []
    own = np.flatnonzero(np.isin(resampling_keys(ids, 0), keys))
    return pa.table({"id": pa.array([pickle.dumps(ids[row]) for row in own.tolist()], pa.large_binary())})


def item_type(kind: Any) -> Any:
    """The type of the items of a column of lists, or of the column where it has none."""
    import pyarrow as pa

    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return kind.value_type
    return kind


def moved_rows(block: "pa.Table", job: Job, kind: str | None) -> "pa.Table":
    """What of a block of a ranking is needed: query (text), document, score, and relevance and `by` where there are."""
    import pyarrow as pa

    there = block.column_names
    missing = next((pair for pair in used_columns(job).items() if pair[1] not in there), None)
    if missing is not None:
        raise ValueError(no_column("a block of the data set", missing[1], missing[0], there))
    columns = {role: block.column(name) for role, name in used_columns(job).items()}
    if item_type(columns["score"].type) != columns["score"].type:
        columns = _unnested(columns)
    query = id_column(columns["query"], job.columns["query"])
    columns["query"] = query.cast(pa.string())
    if kind is not None:
        document = id_column(columns["document"], job.columns["document"])
        document = document.cast(document.type.value_type) if pa.types.is_dictionary(document.type) else document
        if block.num_rows and id_kind(document.type) != kind:
            raise ValueError(
                f"a block of the data set has {id_kind(document.type)} in the column {job.columns['document']!r} "
                f"(document), the first has {kind}; make all blocks one type"
            )
        columns["document"] = document.cast(pa.string() if kind == "strings" else pa.int64())
    for role in {"score", "relevance"} & columns.keys():
        numbers = number_column(columns[role], job.columns[role]).astype(np.float64)
        columns[role] = pa.chunked_array([pa.array(numbers)])
    return pa.table(columns)


def _is_listed(kind: Any) -> bool:
    return item_type(kind) != kind


def _unnested(columns: dict[str, Any]) -> dict[str, Any]:
    """A row per document, from a row per query with lists; a null list is an empty one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lists = {role: column.combine_chunks() for role, column in columns.items() if _is_listed(column.type)}
    lengths = {role: pc.fill_null(pc.list_value_length(column), 0) for role, column in lists.items()}
    for role, own in lengths.items():
        if not own.cast(pa.int64()).equals(lengths["score"].cast(pa.int64())):
            row = int(np.argmax(own.to_numpy() != lengths["score"].to_numpy()))
            query = columns["query"][row].as_py()
            raise ValueError(
                f"query {query!r} has {own[row].as_py()} in its list of {role}, but {lengths['score'][row].as_py()} scores; "
                "give one score per document"
            )
    parents = pa.array(np.repeat(np.arange(len(lists["score"])), lengths["score"].to_numpy()), pa.int64())
    flat = {role: pa.chunked_array([pc.list_flatten(column)]) for role, column in lists.items()}
    return {role: flat[role] if role in flat else column.take(parents) for role, column in columns.items()}


def _empty_rankings(block: "pa.Table", job: Job) -> "pa.Table | None":
    """The queries (text) of a block without documents, and `by`; None where rows are no lists.

    Raises:
        ValueError: a query in two rows.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    scores = block.column(job.columns["score"])
    if not _is_listed(scores.type):
        return None
    columns = {"query": id_column(block.column(job.columns["query"]), job.columns["query"]).cast(pa.string())}
    if job.by is not None and not _is_listed(block.column(job.by).type):
        columns["by"] = block.column(job.by)
    counts = pc.value_counts(columns["query"])
    twice = counts.filter(pc.greater(counts.field("counts"), 1))
    if len(twice):
        raise ValueError(
            f"query {twice.field('values')[0].as_py()!r} stands in two rows with lists of documents; give each query one "
            "row with all of its documents"
        )
    return pa.table(columns).filter(pc.equal(pc.fill_null(pc.list_value_length(scores), 0), 0))


def score_block(
    block: "pa.Table", kind: str | None, job: Job, whole_numbers: bool, judged: Callable[[], "pa.Table | None"]
) -> Iterator["pa.Table"]:
    """The queries of a block whose rows stand together."""
    if not block.num_rows:
        return
    try:
        moved = moved_rows(block, job, kind)
        empty = _empty_rankings(block, job)
        queries = distinct_texts(moved["query"]) + (empty["query"].to_pylist() if empty is not None else [])
    except (TypeError, ValueError) as error:
        yield _packed(Failure(plain_error(error), -1))
        return
    yield from score_partition(moved, job, whole_numbers, judged, queries, empty)


def score_partition(
    block: "pa.Table",
    job: Job,
    whole_numbers: bool,
    judged: Callable[[], "pa.Table | None"],
    queries: list[str] | None = None,
    empty: "pa.Table | None" = None,
) -> Iterator["pa.Table"]:
    """The queries of a part of the shuffle, with the judgements that all workers have, or with their own.

    Args:
        queries: what to tell of the queries; None: those that are judged.
        empty: of `_empty_rankings`: queries of the part that have no rows.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if not block.num_rows and not queries:
        return
    try:
        everyones = judged()
        if everyones is None:
            if empty is not None and len(empty):
                raise ValueError(
                    f"query {empty['query'][0].as_py()!r} has no documents, so nothing says what is relevant to it; leave "
                    "it out, or give the judgements as qrels"
                )
            own, found = None, distinct_texts(block["query"])
            if whole_numbers:
                block = block.set_column(block.column_names.index("query"), "query", block["query"].cast(pa.int64()))
        else:
            own = everyones.filter(pc.is_in(everyones["key"], value_set=pc.unique(block["query"])))
            found = distinct_texts(own["key"])
        scores, labels = rank_queries(block, own, job), _labels_of(block, job)
        if empty is not None and len(empty):
            own = everyones.filter(pc.is_in(everyones["key"], value_set=empty["query"].combine_chunks()))
            scores = Scores.concat([scores, rank_queries(block.slice(0, 0), own, job, empty["query"].to_pylist())])
            labels = None if labels is None else {**labels, **_labels_of(empty, job)}
        told = found if queries is None else queries
        part = as_part(scores, labels, job, told, block.num_rows)
        yield _packed(part, job.options)
    except (TypeError, ValueError) as error:
        yield _packed(Failure(plain_error(error), -1))


def as_run(block: "pa.Table", schema: "pa.Schema") -> "pa.Table":
    """Rows of a ranking on their way to their judgements."""
    return _filled(block, schema)


def as_judged(block: "pa.Table", names: Mapping[str, str], schema: "pa.Schema") -> "pa.Table":
    """Judgements on their way to their rankings; documents as text."""
    import pyarrow as pa

    query, document, relevance = (block.column(names[role]) for role in ("query", "document", "relevance"))
    table = pa.table(
        {
            "query": id_column(query, "qrels query").cast(pa.string()),
            "judged": id_column(document, "qrels document").cast(pa.string()),
            "relevance": number_column(relevance, "qrels relevance").astype(np.float64),
        }
    )
    return _filled(table, schema)


def _filled(table: "pa.Table", schema: "pa.Schema") -> "pa.Table":
    """The table with all columns of a schema, those that it lacks empty: tables of one schema can be shuffled together."""
    import pyarrow as pa

    there = table.column_names
    return pa.table(
        {
            field.name: table[field.name].cast(field.type)
            if field.name in there
            else pa.nulls(table.num_rows, field.type)
            for field in schema
        }
    )


def score_joined(block: "pa.Table", job: Job, whole_numbers: bool, _: Any) -> Iterator["pa.Table"]:
    """The queries of a part of the shuffle with their judgements, which came with it."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not block.num_rows:
        return
    is_judged = pc.is_valid(block["judged"])
    run, own = block.filter(pc.invert(is_judged)), block.filter(is_judged)
    query = own["query"].cast(pa.int64()) if whole_numbers else own["query"]
    judged = pa.table({"query": query, "document": own["judged"], "relevance": own["relevance"]})
    both = pc.unique(own["query"]).filter(pc.is_in(pc.unique(own["query"]), value_set=pc.unique(run["query"])))
    try:
        part = as_part(rank_queries(run, judged, job), _labels_of(run, job), job, both.to_pylist(), block.num_rows)
        yield _packed(part, job.options)
    except (TypeError, ValueError) as error:
        yield _packed(Failure(plain_error(error), -1))


def rank_queries(run: "pa.Table", judged: "pa.Table | None", job: Job, empty: Sequence[str] = ()) -> Scores:
    """The Scores of the queries of a block, of which none, or all, may lack a ranking or judgements.

    Args:
        empty: in place of a run: queries with a ranking of no documents.

    A query of our own goes along, so that a block is scored like any part of the whole, and is taken out again.
    """
    level = float(job.options.relevance_level)
    names = [name for name in ("query", "document", "score", "relevance") if name in run.column_names]
    if judged is None:
        rows = {"query": [_GUARD] * 2, "document": [0, 1], "score": [1, 0], "relevance": [level - 1, level]}
        guarded, references = _with_rows(run.select(names), rows), None
    else:
        names = names[:3]
        guarded = _with_rows(run.select(names), {"query": [_GUARD], "document": [0], "score": [0]})
        references = _with_rows(
            judged.select(["query", "document", "relevance"]),
            {"query": [_GUARD], "document": [1], "relevance": [level]},
        )
    function, _ = get_family(job.metric).load()
    ranked: dict = {name: guarded[name] for name in guarded.column_names}
    if empty:
        ranked = {**{query: {} for query in empty}, guarded["query"][0].as_py(): {guarded["document"][0].as_py(): 0.0}}
    scores = function(
        ranked,
        None if references is None else {name: references[name] for name in references.column_names},
        options=job.options,
    )
    kept = [row for row, query in enumerate(scores.ids) if str(query) != str(_GUARD)]
    return reordered(scores, np.array(kept, np.int64))


def _with_rows(table: "pa.Table", rows: Mapping[str, list]) -> "pa.Table":
    """The table with a few more rows."""
    import pyarrow as pa

    more = {}
    for name in table.column_names:
        kind = table.schema.field(name).type
        text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
        more[name] = pa.array(map(str, rows[name]), kind) if text else pa.array(rows[name]).cast(kind)
    return pa.concat_tables([table, pa.table(more)])


def reordered(scores: Scores, places: np.ndarray) -> Scores:
    """These examples, in this order, with the notes of all."""
    return dataclasses.replace(scores.take(places), notes=scores.notes)


def _labels_of(run: "pa.Table", job: Job) -> dict[str, Any] | None:
    """What `by` says of each query, by its text.

    Raises:
        TypeError: lists and the like. ValueError: a query with two values.
    """
    if job.by is None:
        return None
    if "by" not in run.column_names:
        return {}
    import pyarrow as pa

    column = run["by"]
    column = column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
    if pa.types.is_nested(column.type):
        raise TypeError(f"by: the column {job.by!r} has {column.type}; give strings, numbers or nothing")
    pairs = pa.table({"query": run["query"].cast(pa.string()), "by": column}).group_by(["query", "by"]).aggregate([])
    found: dict[str, Any] = {}
    for query, value in zip(pairs["query"].to_pylist(), pairs["by"].to_pylist(), strict=True):
        value = None if is_nan(value) else value  # NaN is no value either
        if found.setdefault(query, value) != value:
            raise ValueError(
                f"query {query!r} has {found[query]!r} and {value!r} in the column {job.by!r}; by needs one value for all "
                "rows of a query"
            )
    return found


def as_part(scores: Scores, first: Mapping[str, Any] | None, job: Job, queries: list[str], rows: int) -> Part:
    """Scores of queries as they travel."""
    labels = None if first is None else [first.get(str(query)) for query in scores.ids]
    if job.keep == "scores":
        return Part(rows, scores, labels, queries=queries)
    summed_measures(scores.measures, job.names)
    sums = {
        label: Sums.of(own, job.names, job.n_resamples, job.seed) for label, own in _by_label(scores, labels).items()
    }
    return Part(rows, sums=sums, queries=queries)


def distinct_texts(column: Any) -> list[str]:
    """The different ids of a column as text, in the order in which they first come."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.unique(column.cast(pa.string())).to_pylist()
