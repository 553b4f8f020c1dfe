"""retriever_reader: where a pipeline fails, in finding the document or in reading the answer, with PIAF's measures.

The rules follow the PIAF project's evaluation (Etalab) and Haystack 0.9, whose counts it uses.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from ..core.answers import remarks_on_texts
from ..core.columns import is_unicode
from ..core.errors import InputError
from ..core.gold_fingerprints import GoldFingerprints, plain_text, print_sets, text_prints
from ..core.matching import best_of_first, best_per_row, check_number_of_pairs, match_spans, match_texts
from ..core.measures import Count, Mean, Measure
from ..core.options import Options, check_flag, check_whole
from ..core.presets import Preset
from ..core.ragged import begins_run, ranges_from
from ..core.remarks import remark
from ..core.scores import Scores
from ..core.shown import shown
from ..core.text import get_normalizer
from ..core.token_table import stands_in, token_table
from .fields import Pipelines, Spans, read_pipelines
from .presets import PRESETS

FAILURES = ("none", "retriever", "reader", "no_answer")
RETRIEVER_MEASURES = ("retriever_recall", "retriever_map", "retriever_mrr")
_READER_METRICS = ("accuracy", "em", "f1")
_NORMALIZERS = {"token": "squad", "character": "none"}
_PAIRS_AT_ONCE = 1 << 18  # pairs of answers and gold answers; limits the memory of a comparison


@dataclasses.dataclass(frozen=True)
class ReaderOptions(Options):
    """The options of retriever_reader.

    Attributes:
        ap_denominator: the denominator of average precision: "num_relevant" (all gold documents, PIAF's code) or
            "num_retrieved_relevant" (found gold documents, PIAF's text).
        denominator: the questions of reader measures: "correct_retrievals" (questions whose document was
            retrieved, PIAF's text) or "queries" (all questions, PIAF's code).
        preset: "piaf": the rules of PIAF, which set the unit "offset_or_character"; None: no such rules.
        unit: the unit of comparison: "offset" (character positions), "token" (normalised words), "character" (bags
            of characters) or "offset_or_character" ("offset" if every answer has a span, otherwise "character"); None:
            "offset" if every answer has a span, otherwise "token" ("character" for answers of Haystack's readers). Name
            one unit if scores are compared or joined, because answers of systems and batches may differ in this.
        normalizer: the normaliser of the units "token" (default: squad) and "character" (default: none): a name, a list
            of steps or a callable.
        top_k: the number of ranked answers for topk measures, at least 1; None: all. At most 4,000,000 pairs of answers
            and gold answers are compared per question.
        open_domain: a document is right if it contains a gold answer, regardless of its id.
        missing: a question without a prediction scores 0 ("zero"), is omitted ("skip") or refused ("error"); it is
            always counted.
        duplicates: a duplicate question is refused ("error"), or its "first" or "last" row counts.
        document_field: the field of a document's meta that contains its id, for Haystack; None: the id of the document.
        document_node, answer_node: the nodes of a Haystack pipeline whose documents and answers are scored, if the
            result of `Pipeline.run()` has several; None: the only one.
    """

    family: ClassVar[str] = "retriever_reader"
    presets: ClassVar[Mapping[str, Preset]] = PRESETS
    pointers: ClassVar[Mapping[str, str]] = {
        "em": "write reader_top1_em or reader_topk_em",
        "exact_match": "write reader_top1_em or reader_topk_em",
        "f1": "write reader_top1_f1 or reader_topk_f1",
        "mrr": "write retriever_mrr",
        "map": "write retriever_map",
        "recall": "write retriever_recall",
        "norm": "write normalizer=",
        "k": "write top_k=",
    }

    ap_denominator: str = dataclasses.field(default="num_relevant", metadata={"key": "ap", "always": True})
    denominator: str = dataclasses.field(default="correct_retrievals", metadata={"key": "over", "always": True})
    unit: str | None = dataclasses.field(default=None, metadata={"key": "unit", "always": True, "common": "token"})
    normalizer: Any = dataclasses.field(default=None, metadata={"key": "norm"})
    top_k: int | None = dataclasses.field(default=None, metadata={"key": "k"})
    open_domain: bool = dataclasses.field(default=False, metadata={"key": "open_domain"})
    missing: str = dataclasses.field(default="zero", metadata={"key": "missing"})
    duplicates: str = dataclasses.field(default="error", metadata={"key": "duplicates"})
    document_field: str | None = dataclasses.field(default=None, metadata={"key": "document"})
    document_node: str | None = dataclasses.field(default=None, metadata={"key": "document_node"})
    answer_node: str | None = dataclasses.field(default=None, metadata={"key": "answer_node"})
    preset: str | None = dataclasses.field(default=None, metadata={"key": "preset"})
    changed: tuple[str, ...] = dataclasses.field(default=(), init=False, metadata={"key": "changed"})

    def __post_init__(self):
        self._apply_preset()
        self._plain_numbers()
        self._check_choices(
            ("ap_denominator", ("num_relevant", "num_retrieved_relevant")),
            ("denominator", ("correct_retrievals", "queries")),
            ("unit", (None, "offset", "character", "token", "offset_or_character")),
            ("missing", ("zero", "skip", "error")),
            ("duplicates", ("error", "first", "last")),
        )
        check_flag("open_domain", self.open_domain)
        for name in ("document_field", "document_node", "answer_node"):
            given = getattr(self, name)
            if not isinstance(given, str | None):
                raise TypeError(f"option {name} must be a string, got {shown(given)}")
            if given and not is_unicode(given):
                raise ValueError(f"option {name} has half of a surrogate pair, which is not valid text: {given!a}")
        if self.top_k is not None:
            object.__setattr__(self, "top_k", check_whole("top_k", self.top_k))
        if self.unit in _NORMALIZERS:
            chosen = _NORMALIZERS[self.unit] if self.normalizer is None else self.normalizer
            object.__setattr__(self, "normalizer", get_normalizer(chosen))
        elif self.normalizer is not None:
            raise ValueError(
                f"normalizer is for unit=token or character, not {self.unit!r}; give one of these units"
                + ("" if self.unit else " (by default 'offset' for spans and 'token' for texts)")
            )
        self._note_changes()
        if self.unit == "offset" or (self.unit == "character" and self.normalizer == get_normalizer("none")):
            self._set(changed=tuple(name for name in self.changed if name not in ("unit", "normalizer")))  # as PIAF


def score_reading(
    predictions: Any,
    references: Any = None,
    ids: Any = None,
    weights: Any = None,
    groups: Any = None,
    *,
    options: ReaderOptions | None = None,
) -> Scores:
    """Score the documents and the answers of a question answering pipeline separately.

    Args:
        predictions: n rows `{"documents": [...], "answers": [...]}`, with an "id" or without; a dict id -> row; or a
            table of such columns. Documents are ranked ids, or dicts with "id" and "text". Answers are ranked: each
            `{"text", "document_id", "start", "end"}` (end exclusive), or None for no answer. Results of Haystack, as
            dicts or objects, are such rows too, also nested by the names of nodes.
        references: n rows `{"documents": [...], "answers": [...], "is_impossible": bool}`, in the same forms: the ids
            of the gold documents (omitted: the documents of the answers), and gold answers like answers ([]:
            unanswerable), or a string in every row, its one gold answer ("" for none).
            A table of Haystack's `pipeline.eval()` needs no references.
        ids: n unique ids, if the rows have none.
        weights: the weight of each question, n numbers of at least 0.
        groups: n labels (str or number), such as the article of each question, or a dict by id: questions of one group are
            not independent, so intervals draw whole groups. None: questions are independent.
        options: see `ReaderOptions`.

    Returns:
        Scores with a row per question: the columns retriever_recall, _map and _mrr, and reader_top1_ and reader_topk_
        accuracy, em and f1 (NaN for questions that do not count for the reader); the subsets has_answer, no_answer,
        both also with _judged (questions that count for the reader), correct_retrieval, missing, no_relevant (no gold
        document by whose id a retrieved one could be right), and failure_none, failure_retriever, failure_reader and
        failure_no_answer (each question is in one of these); and the measures of `reading_measures`.

    Raises:
        TypeError, ValueError: naming the row or id and what to do.

    Example:
        >>> pipeline = [{"documents": ["d2", "d1"], "answers": [{"document_id": "d1", "start": 15, "end": 20}]}]
        >>> gold = [{"documents": ["d1"], "answers": [{"document_id": "d1", "start": 10, "end": 20}]}]
        >>> scores = score_reading(pipeline, gold)
        >>> scores.summary(["retriever_mrr", "reader_top1_accuracy", "reader_top1_em", "reader_top1_f1"])
        {'retriever_mrr': 0.5, 'reader_top1_accuracy': 1.0, 'reader_top1_em': 0.0, 'reader_top1_f1': 0.6666666666666666}
    """
    options = options or ReaderOptions()
    given = {"predictions": predictions, "references": references, "ids": ids, "weights": weights, "groups": groups}
    read = read_pipelines(given, options)
    table = read.table
    options = dataclasses.replace(options, unit=_unit_of(read, options))
    if options.unit != "offset":
        texts = read.answers.rows_of_texts, read.gold_answers.rows_of_texts
        tokens = options.normalizer if options.unit == "token" else None
        for line in remarks_on_texts(*texts, options.family, tokens=tokens):
            remark(line)
    has_answer = read.gold_answers.counts > 0
    columns = _retriever_columns(read, options, has_answer)
    retrieved = columns["retriever_recall"] > 0
    judged = retrieved if options.denominator == "correct_retrievals" else np.ones(len(retrieved), bool)
    reader_columns = _reader_columns(read, options, has_answer)
    columns |= {name: np.where(judged, column, np.nan) for name, column in reader_columns.items()}
    subsets = {
        "has_answer": has_answer,
        "no_answer": ~has_answer,
        "has_answer_judged": has_answer & judged,
        "no_answer_judged": ~has_answer & judged,
        "correct_retrieval": retrieved,
        "missing": ~table.given,
        "no_relevant": np.array([not (gold.documents or options.open_domain) for gold in read.golds]),
        **_failures(read.answers, options, has_answer, retrieved, reader_columns["reader_topk_accuracy"] > 0),
    }
    return Scores(
        ids=table.ids,
        columns=columns,
        subsets=subsets,
        measures=reading_measures(),
        options=options,
        notes=table.counts,
        weights=table.columns.get("weights"),
        gold=_gold_prints(read, options),
        groups=table.columns.get("groups"),
    )


def _gold_prints(read: Pipelines, options: ReaderOptions) -> GoldFingerprints:
    golds, counts = read.gold_answers, read.gold_answers.counts

    def answers() -> np.ndarray:
        contents = map(tuple, golds.spans.tolist()) if options.unit == "offset" else golds.texts
        return print_sets(text_prints(list(map(plain_text, zip(golds.documents, contents, strict=True)))), counts)

    prints = GoldFingerprints(len(counts), {"gold answers": answers})
    return prints | GoldFingerprints.of_texts("gold documents", [gold.documents for gold in read.golds])


def reading_measures() -> dict[str, Measure]:
    """The measures: of the retriever, the twelve of PIAF's reader, two correct names for some of these, two more, and
    counts.

    `reader_top1_fk` is what PIAF's documentation calls `reader_topk_f1`.
    """
    measures: dict[str, Measure] = {name: Mean(name) for name in RETRIEVER_MEASURES}
    columns = {
        f"reader_{top}_{metric}": f"reader_{top}_{metric}" for metric in _READER_METRICS for top in ("top1", "topk")
    }
    columns["reader_top1_fk"] = columns.pop("reader_topk_f1")
    columns["reader_topk_f1"] = "reader_topk_f1"
    for name, column in columns.items():
        measures[name] = Mean(column)
        measures[f"{name}_has_answer"] = Mean(column, "has_answer")
    for top in ("top1", "topk"):
        measures[f"reader_{top}_no_answer_accuracy"] = Mean(f"reader_{top}_accuracy", "no_answer")
    counted = {
        "correct_retrievals": "correct_retrieval",
        "has_answer_total": "has_answer",
        "no_answer_total": "no_answer",
        "has_answer_judged": "has_answer_judged",
        "no_answer_judged": "no_answer_judged",
    }
    return measures | {
        "total": Count(),
        **{name: Count(of) for name, of in counted.items()},
        "missing": Count("missing"),
        "no_relevant": Count("no_relevant"),
    }


def failure_labels(scores: Scores) -> list[str]:
    """The place of failure of each question, for `Scores.by`: "none", "retriever", "reader" or "no_answer".

    "no_answer" holds two opposite faults: an answerable question, its document retrieved, to which nothing was
    answered, and an unanswerable one that was answered. The subset has_answer tells them apart.
    """
    masks = np.array([scores.subsets[f"failure_{name}"] for name in FAILURES])
    return [FAILURES[place] for place in masks.argmax(axis=0)]


def _retriever_columns(read: Pipelines, options: ReaderOptions, has_answer: np.ndarray) -> dict[str, np.ndarray]:
    """Hit, average precision and reciprocal rank of each question's documents, each (n,)."""
    n = len(read.outputs)
    counts = np.fromiter((len(output.documents) for output in read.outputs), np.int64, n)
    owner = np.repeat(np.arange(n), counts)
    starts = np.cumsum(counts) - counts
    rank = np.arange(len(owner)) - starts[owner] + 1
    relevant = _relevant_open(read) if options.open_domain else _relevant_by_id(read)
    before = np.concatenate(([0], np.cumsum(relevant)))
    precision = (before[1:] - before[starts[owner]]) / rank
    precision_sums = np.bincount(owner, relevant * precision, n)
    num_retrieved_relevant = np.bincount(owner, relevant, n)
    num_relevant = np.fromiter((len(gold.documents) for gold in read.golds), np.int64, n)
    divisor = num_relevant if options.ap_denominator == "num_relevant" else num_retrieved_relevant
    reciprocal = np.zeros(n)
    hits = np.flatnonzero(relevant)[::-1]  # backwards, so that the first hit of a question is written last
    reciprocal[owner[hits]] = 1 / rank[hits]
    values: tuple[np.ndarray, ...] = (
        (num_retrieved_relevant > 0).astype(np.float64),
        precision_sums / np.maximum(divisor, 1),
        reciprocal,
    )
    if options.open_domain:  # as PIAF: whatever is retrieved for an unanswerable question is right
        values = tuple(np.where(has_answer | ~read.table.given, value, 1.0) for value in values)
    return dict(zip(RETRIEVER_MEASURES, values, strict=True))


def _relevant_by_id(read: Pipelines) -> np.ndarray:
    """Which retrieved documents are gold documents, each at its first rank only."""
    flags: list[bool] = []
    for output, gold in zip(read.outputs, read.golds, strict=True):
        unmatched_golds = set(gold.documents)
        for document in output.documents:
            flags.append(document in unmatched_golds)
            unmatched_golds.discard(document)
    return np.array(flags, bool)


def _relevant_open(read: Pipelines) -> np.ndarray:
    """Which retrieved passages contain a gold answer, each at its first rank only."""
    if None in read.gold_answers.texts:
        where = _where(read, "references", read.gold_answers, read.gold_answers.texts.index(None))
        raise ValueError(f"{where} has no text, which open_domain=True searches for; give 'text'")
    flags: list[bool] = []
    for row, (output, texts) in enumerate(zip(read.outputs, read.gold_answers.rows_of_texts, strict=True)):
        golds = [text.lower() for text in texts]
        seen: set[tuple] = set()
        for index, passage in enumerate(zip(output.documents, output.texts, strict=True)):
            text = passage[1]
            if text is None and golds:
                where = f"{read.table.where('predictions', row)}['documents'][{index}]"
                advice = "open_domain=True searches; give documents as {'id': ..., 'text': ...}"
                raise ValueError(f"{where} has no text, which {advice}")
            flags.append(passage not in seen and any(gold in (text or "").lower() for gold in golds))
            seen.add(passage)  # passages of one page may share its id
    return np.array(flags, bool)


def _reader_columns(read: Pipelines, options: ReaderOptions, has_answer: np.ndarray) -> dict[str, np.ndarray]:
    """Accuracy, exact match and F1 of the first and of the best of the first k answers, each (n,)."""
    answers = read.answers
    k = options.top_k or max(int(answers.counts.max(initial=0)), 1)
    rank = np.arange(len(answers.texts)) - np.repeat(np.cumsum(answers.counts) - answers.counts, answers.counts)
    values = _compare(read, options, np.flatnonzero((rank < k) & ~answers.withheld))
    right = answers.withheld & ~has_answer[answers.owner]
    return {
        f"reader_{top}_{name}": best_of_first(np.where(right, 1.0, value), answers.counts, first)
        for name, value in values.items()
        for top, first in (("top1", 1), ("topk", k))
    }


def _compare(read: Pipelines, options: ReaderOptions, scored: np.ndarray) -> dict[str, np.ndarray]:
    """Some answers, by their indices, against the gold answers of their question and document: accuracy, em and f1 of each
    answer, (m,), the best over its gold answers.

    Texts are also compared where an answer or a gold answer has no document, and in the open domain.
    """
    answers, golds = read.answers, read.gold_answers
    owner = answers.owner[scored]
    counts = golds.counts[owner]
    pairs = np.bincount(owner, counts, len(golds.counts)).astype(np.int64)
    check_number_of_pairs(pairs, read.table.ids, "look at the first of them only, with top_k=10")
    starts = (np.cumsum(golds.counts) - golds.counts)[owner]
    codes: dict[str | None, int] = {None: 0}
    document, gold_document = (
        np.array([codes.setdefault(name, len(codes)) for name in spans.documents], np.int64)
        for spans in (answers, golds)
    )
    values = {name: np.zeros(len(answers.texts)) for name in _READER_METRICS}
    ends, first = np.cumsum(counts), 0
    while first < len(scored):
        done = ends[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(ends, done + _PAIRS_AT_ONCE, side="right")))
        answer = np.repeat(scored[first:last], counts[first:last])
        gold = ranges_from(starts[first:last], counts[first:last])
        compared = document[answer] == gold_document[gold]
        if options.unit != "offset":
            compared |= (document[answer] == 0) | (gold_document[gold] == 0) | options.open_domain
        answer, gold, first = answer[compared], gold[compared], last
        if len(answer):
            runs = np.flatnonzero(begins_run(answer))
            best = _compare_pairs(read, options, answer, gold, runs)
            for name, column in zip(_READER_METRICS, best, strict=True):
                values[name][answer[runs]] = column
    return values


def _compare_pairs(
    read: Pipelines, options: ReaderOptions, answer: np.ndarray, gold: np.ndarray, starts: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Accuracy, em and f1 of pairs, the best of each run of pairs of one answer; the runs begin at `starts`."""
    answers, golds = read.answers, read.gold_answers
    if options.unit == "offset":
        matched = match_spans(answers.spans[answer[starts]], golds.spans[gold], np.diff(np.append(starts, len(answer))))
        (start, end), (gold_start, gold_end) = answers.spans[answer].T, golds.spans[gold].T
        overlap = (gold_start <= end) & (start <= gold_end)  # as PIAF: spans that only touch overlap
        correct = best_per_row(overlap, starts)
    else:
        matched, correct = _match_pairs(answers.texts, golds.texts, answer, gold, starts, options)
    return correct, matched["exact_match"], matched["f1"]


def _match_pairs(
    texts: Sequence[str], gold_texts: Sequence[str], answer: np.ndarray, gold: np.ndarray, starts: np.ndarray, options
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Exact match and F1 of each answer's text; whether it contains a gold text, or a gold text contains it."""
    rules = {"normalizer": options.normalizer, "unit": options.unit, "drop_empty_golds": False}
    answer_of_pair, gold_of_pair = (
        [texts[place] for place in answer.tolist()],
        [gold_texts[place] for place in gold.tolist()],
    )
    bounds = np.append(starts, len(answer)).tolist()
    matched = match_texts(
        [answer_of_pair[first] for first in bounds[:-1]],
        [gold_of_pair[first:end] for first, end in pairwise(bounds)],
        measures=("exact_match", "f1", "contains"),
        **rules,
    )
    correct = matched["contains"] > 0
    # The reverse direction: only answers that contain no gold text, but share something with one.
    row = np.repeat(np.arange(len(starts)), np.diff(bounds))
    pairs = np.flatnonzero((~correct & (matched["f1"] > 0))[row])
    distinct, place = np.unique(gold[pairs], return_inverse=True)
    compared = [answer_of_pair[first] for first in bounds[:-1]] + [gold_texts[index] for index in distinct.tolist()]
    table = token_table(compared, options.normalizer, options.unit)
    inside = stands_in(table, table.index[row[pairs]], table.index[len(starts) + place])
    correct[row[pairs[inside]]] = True
    return matched, correct


def _failures(
    answers: Spans, options: ReaderOptions, has_answer: np.ndarray, retrieved: np.ndarray, right: np.ndarray
) -> dict[str, np.ndarray]:
    """Where each question fails; `right` tells whether one of the first k answers is."""
    k = options.top_k or len(answers.texts) + 1
    silent = best_of_first(~answers.withheld, answers.counts, k) == 0  # nothing but "no answer", or no answers at all
    place = np.select(
        [~has_answer & right, ~has_answer, ~retrieved, right, silent],
        [FAILURES.index(name) for name in ("none", "no_answer", "retriever", "none", "no_answer")],
        FAILURES.index("reader"),
    )
    return {f"failure_{name}": place == number for number, name in enumerate(FAILURES)}


def _unit_of(read: Pipelines, options: ReaderOptions) -> str:
    """The unit to compare by, after a check that every answer has what it needs."""
    both = (("predictions", read.answers), ("references", read.gold_answers))
    by_offset = all((spans.withheld | (spans.spans[:, 0] >= 0)).all() for _, spans in both)
    unit = options.unit
    if unit in (None, "offset_or_character"):
        of_haystack = any(output.is_extracted for output in read.outputs)
        unit = "offset" if by_offset else "character" if unit or of_haystack else "token"
    for name, spans in both:
        if unit == "offset":
            lacking = spans.spans[:, 0] < 0
            problem = "has no span; give 'start' and 'end', or the option unit=token or character"
            if not (lacking & ~spans.withheld).any():
                lacking = np.array([document is None for document in spans.documents], bool)
                problem = "has no document id, without which offsets say nothing; give 'document_id', or the option unit=token"
        else:
            lacking = np.array([text is None for text in spans.texts], bool)
            problem = f"has a span but no text, and unit={unit} compares texts"
            problem += "; give 'text'" + ("" if options.unit == unit else ", or spans for all answers and gold answers")
        lacking &= ~spans.withheld
        if lacking.any():
            raise InputError(name, f"{_where(read, name, spans, int(np.argmax(lacking)))} {problem}")
    return unit


def _where(read: Pipelines, name: str, spans: Spans, index: int) -> str:
    """The name of an answer in messages."""
    row = int(spans.owner[index])
    return f"{read.table.where(name, row)}['answers'][{index - int(spans.counts[:row].sum())}]"
