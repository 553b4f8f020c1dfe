"""retriever_reader: where a pipeline fails, in finding the document or in reading the answer, with PIAF's measures.

The rules follow the PIAF project's evaluation (Etalab) and Haystack 0.9, whose counts it uses.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from ..core.answers import remarks_on_texts
from ..core.columns import is_unicode, with_id
from ..core.errors import blamed
from ..core.gold_fingerprints import GoldFingerprints, plain_text, print_sets, text_prints
from ..core.matching import best_of_first, best_per_row, check_number_of_pairs, match_spans, match_texts
from ..core.measures import Count, Mean, Measure
from ..core.options import Options, check_flag, check_whole
from ..core.presets import Preset
from ..core.ragged import ranges_from
from ..core.remarks import remark
from ..core.scores import Scores
from ..core.shown import shown
from ..core.text import get_normalizer
from ..core.token_table import stands_in, token_table
from .fields import PipelineColumns, Spans, read_pipeline
from .presets import PRESETS

FAILURES = ("none", "retriever", "reader", "no_answer")
RETRIEVER_MEASURES = ("retriever_recall", "retriever_map", "retriever_mrr")
_OPEN_DOMAIN = "open_domain=True"
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
    sides = {"predictions": predictions, "references": references, "ids": ids, "weights": weights, "groups": groups}
    columns = read_pipeline(
        sides,
        missing=options.missing,
        duplicates=options.duplicates,
        document_field=options.document_field,
        document_node=options.document_node,
        answer_node=options.answer_node,
    )
    options = dataclasses.replace(options, unit=_unit_of(columns, options))
    if options.unit != "offset":
        texts = columns.answers.rows_of_texts, columns.golds.rows_of_texts
        tokens = options.normalizer if options.unit == "token" else None
        for line in remarks_on_texts(*texts, columns.ids, options.family, tokens=tokens):
            remark(line)
    has_answer = columns.golds.counts > 0
    score_columns = _retriever_columns(columns, options, has_answer)
    retrieved = score_columns["retriever_recall"] > 0
    judged = retrieved if options.denominator == "correct_retrievals" else np.ones(len(retrieved), bool)
    reader_columns = _reader_columns(columns, options, has_answer)
    score_columns |= {name: np.where(judged, column, np.nan) for name, column in reader_columns.items()}
    subsets = {
        "has_answer": has_answer,
        "no_answer": ~has_answer,
        "has_answer_judged": has_answer & judged,
        "no_answer_judged": ~has_answer & judged,
        "correct_retrieval": retrieved,
        "missing": ~columns.given,
        "no_relevant": np.array([not (documents or options.open_domain) for documents in columns.gold_documents]),
        **_failures(columns, options, has_answer, retrieved, reader_columns["reader_topk_accuracy"] > 0),
    }
    return Scores(
        ids=columns.ids,
        columns=score_columns,
        subsets=subsets,
        measures=reading_measures(),
        options=options,
        notes=columns.notes,
        weights=columns.weights,
        gold=_gold_prints(columns, options),
        groups=columns.groups,
    )


def _gold_prints(columns: PipelineColumns, options: ReaderOptions) -> GoldFingerprints:
    golds, counts = columns.golds, columns.golds.counts

    def answers() -> np.ndarray:
        contents = map(tuple, golds.spans.tolist()) if options.unit == "offset" else golds.texts
        return print_sets(text_prints(list(map(plain_text, zip(golds.documents, contents, strict=True)))), counts)

    prints = GoldFingerprints(len(counts), {"gold answers": answers})
    return prints | GoldFingerprints.of_texts("gold documents", columns.gold_documents)


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


def _retriever_columns(columns: PipelineColumns, options: ReaderOptions, has_answer: np.ndarray) -> dict:
    """Hit, average precision and reciprocal rank of each question's documents, each (n,)."""
    n = len(columns.retrieved)
    counts = np.fromiter(map(len, columns.retrieved), np.int64, n)
    owner = np.repeat(np.arange(n), counts)
    starts = np.cumsum(counts) - counts
    rank = np.arange(len(owner)) - starts[owner] + 1
    relevant = _relevant_open(columns, has_answer) if options.open_domain else _relevant_by_id(columns)
    before = np.concatenate(([0], np.cumsum(relevant)))
    precision = (before[1:] - before[starts[owner]]) / rank
    precision_sums = np.bincount(owner, relevant * precision, n)
    num_retrieved_relevant = np.bincount(owner, relevant, n)
    num_relevant = np.fromiter(map(len, columns.gold_documents), np.int64, n)
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
        values = tuple(np.where(has_answer | ~columns.given, value, 1.0) for value in values)
    return dict(zip(RETRIEVER_MEASURES, values, strict=True))


def _relevant_by_id(columns: PipelineColumns) -> np.ndarray:
    """Which retrieved documents are gold documents, each at its first rank only."""
    flags: list[bool] = []
    for retrieved, golds in zip(columns.retrieved, columns.gold_documents, strict=True):
        unmatched_golds = set(golds)
        for document in retrieved:
            flags.append(document in unmatched_golds)
            unmatched_golds.discard(document)
    return np.array(flags, bool)


def _relevant_open(columns: PipelineColumns, has_answer: np.ndarray) -> np.ndarray:
    """Which retrieved documents contain a gold answer, ignoring case, each at its first rank only."""
    if None in columns.golds.texts:
        where = _answer_place("references", columns, columns.golds, columns.golds.texts.index(None))
        told = f"{where} has no text, which {_OPEN_DOMAIN} looks for; give the text of gold answers"
        raise blamed(ValueError(told), "references")
    flags: list[bool] = []
    ends = np.cumsum(columns.golds.counts).tolist()
    for row, end in enumerate(ends):
        golds = [text.lower() for text in columns.golds.texts[end - int(columns.golds.counts[row]) : end]]
        seen: set[tuple] = set()
        for place, (document, text) in enumerate(
            zip(columns.retrieved[row], columns.retrieved_texts[row], strict=True)
        ):
            if text is None and has_answer[row]:
                where = f"predictions[{row}]{with_id(columns.ids, row)}['documents'][{place}]"
                advice = " searches; give documents as {'id': ..., 'text': ...}"
                raise ValueError(f"{where} has no text, which {_OPEN_DOMAIN}{advice}")
            passage = (document, text)  # passages of one page may share its id
            flags.append(passage not in seen and any(gold in (text or "").lower() for gold in golds))
            seen.add(passage)
    return np.array(flags, bool)


def _reader_columns(columns: PipelineColumns, options: ReaderOptions, has_answer: np.ndarray) -> dict:
    """Accuracy, exact match and F1 of the first and of the best of the first k answers, each (n,)."""
    answers = columns.answers
    k = options.top_k or max(int(answers.counts.max(initial=0)), 1)
    looked_at = (
        np.arange(len(answers.texts)) - np.repeat(np.cumsum(answers.counts) - answers.counts, answers.counts) < k
    )
    values = _compare(columns, options, looked_at)
    right = answers.withheld & ~has_answer[answers.owner]
    values = {name: np.where(right, 1.0, value) for name, value in values.items()}
    return {
        f"reader_{top}_{name}": best_of_first(value, answers.counts, first)
        for name, value in values.items()
        for top, first in (("top1", 1), ("topk", k))
    }


def _compare(columns: PipelineColumns, options: ReaderOptions, looked_at: np.ndarray) -> dict[str, np.ndarray]:
    """Each answer against the gold answers of its question and document: accuracy, em and f1, (m,), each the best."""
    answers, golds = columns.answers, columns.golds
    scored_answers = np.flatnonzero(looked_at & ~answers.withheld)
    order, starts, counts = _gold_runs(answers, golds, scored_answers, options)
    per_answer = counts.sum(axis=1)
    pairs = np.bincount(answers.owner[scored_answers], per_answer, len(answers.counts)).astype(np.int64)
    check_number_of_pairs(pairs, columns.ids, "look at the first of them only, with top_k=10")
    scored_answers, starts, counts, per_answer = (
        part[per_answer > 0] for part in (scored_answers, starts, counts, per_answer)
    )
    values = {name: np.zeros(len(answers.texts)) for name in _READER_METRICS}
    pair_offsets = np.concatenate(([0], np.cumsum(per_answer)))
    first = 0
    while first < len(scored_answers):
        last = max(
            int(np.searchsorted(pair_offsets, pair_offsets[first] + _PAIRS_AT_ONCE, side="right")) - 1, first + 1
        )
        block = slice(first, last)
        answer = np.repeat(scored_answers[block], per_answer[block])
        gold = order[ranges_from(starts[block].ravel(), counts[block].ravel())]
        best_values = _compare_pairs(
            columns, options, answer, gold, pair_offsets[block] - pair_offsets[first], per_answer[block]
        )
        for name, column in zip(_READER_METRICS, best_values, strict=True):
            values[name][scored_answers[block]] = column
        first = last
    return values


def _gold_runs(
    answers: Spans, golds: Spans, scored_answers: np.ndarray, options: ReaderOptions
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """An order of the gold answers in which the gold answers that an answer is compared with form at most two runs.

    Returns:
        The order, and starts and lengths of the runs of each given answer, (g, 2) each: gold answers of its question
        and document, and the answers without a document, with which texts are compared.
    """
    codes: dict = {None: 0}
    of_answers, of_golds = (
        np.array([codes.setdefault(document, len(codes)) for document in spans.documents], np.int64)
        for spans in (answers, golds)
    )
    keys = golds.owner * len(codes) + of_golds
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    owner, code = answers.owner[scored_answers], of_answers[scored_answers]
    lowest = np.column_stack([code, np.zeros_like(code)])
    highest = lowest.copy()
    if options.unit == "offset":
        highest[:, 1] = -1
    else:
        everywhere = (code == 0) | options.open_domain
        lowest[everywhere], highest[everywhere] = 0, (len(codes) - 1, -1)
    base = owner[:, None] * len(codes)
    starts = np.searchsorted(keys, base + lowest, side="left")
    ends = np.searchsorted(keys, base + highest, side="right")
    return order, starts, np.maximum(ends - starts, 0)


def _compare_pairs(
    columns: PipelineColumns,
    options: ReaderOptions,
    answer: np.ndarray,
    gold: np.ndarray,
    starts: np.ndarray,
    counts: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Accuracy, em and f1 of pairs, the best of each run of them: the runs begin at `starts` and are `counts` long."""
    answers, golds = columns.answers, columns.golds
    if options.unit == "offset":
        matched = match_spans(answers.spans[answer[starts]], golds.spans[gold], counts)
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
    columns: PipelineColumns, options: ReaderOptions, has_answer: np.ndarray, retrieved: np.ndarray, right: np.ndarray
) -> dict[str, np.ndarray]:
    """Where each question fails; `right` tells whether one of the first k answers is."""
    answers = columns.answers
    k = options.top_k or len(answers.texts) + 1
    silent = best_of_first(~answers.withheld, answers.counts, k) == 0  # nothing but "no answer", or no answers at all
    place = np.select(
        [~has_answer & right, ~has_answer, ~retrieved, right, silent],
        [FAILURES.index(name) for name in ("none", "no_answer", "retriever", "none", "no_answer")],
        FAILURES.index("reader"),
    )
    return {f"failure_{name}": place == number for number, name in enumerate(FAILURES)}


def _unit_of(columns: PipelineColumns, options: ReaderOptions) -> str:
    """The unit to compare by, after a check that every answer has what it needs."""
    sides = (("predictions", columns.answers), ("references", columns.golds))
    by_offset = all((spans.withheld | (spans.spans[:, 0] >= 0)).all() for _, spans in sides)
    unit = options.unit
    if unit in (None, "offset_or_character"):
        unit = "offset" if by_offset else "character" if unit or columns.of_haystack else "token"
    for name, spans in sides:
        if unit == "offset":
            lacking = ~spans.withheld & (spans.spans[:, 0] < 0)
            problem = "has no span; give 'start' and 'end', or the option unit=token or character"
            if not lacking.any():
                lacking = ~spans.withheld & np.array([document is None for document in spans.documents], bool)
                problem = "has no document id, without which offsets say nothing; give 'document_id', or the option unit=token"
        else:
            lacking = ~spans.withheld & np.array([text is None for text in spans.texts], bool)
            problem = f"has a span but no text, and unit={unit} compares texts"
            problem += "; give 'text'" + ("" if options.unit == unit else ", or spans for all answers and gold answers")
        if lacking.any():
            told = f"{_answer_place(name, columns, spans, int(np.argmax(lacking)))} " + problem
            raise blamed(ValueError(told), name)
    return unit


def _answer_place(name: str, columns: PipelineColumns, spans: Spans, index: int) -> str:
    row = int(spans.owner[index])
    place = index - int(spans.counts[:row].sum())
    return f"{name}[{row}]{with_id(columns.ids, row)}['answers'][{place}]"
