"""retriever_reader: where a pipeline fails, in finding the document or in reading the answer, with PIAF's measures.

The rules follow the PIAF project's evaluation (Etalab) and the counts of Haystack 0.9, which it uses.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from ..core.answers import remark_on_texts
from ..core.columns import is_unicode
from ..core.errors import InputError
from ..core.gold_fingerprints import GoldFingerprints, plain_text
from ..core.intake import PREDICTIONS, REFERENCES, Table
from ..core.matching import best_of_first, best_per_row, check_number_of_pairs, match_spans, match_texts
from ..core.measures import Count, Mean, Measure
from ..core.one_match import MatchRules
from ..core.options import Options, check_whole, option
from ..core.presets import Preset
from ..core.scores import Scores
from ..core.shown import shown
from ..core.text import get_normalizer
from ..retrieval_ranking.mismatch import remark_other_ids
from .fields import Question, read_pipelines
from .haystack import Answer
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
        denominator: the questions of reader measures: "correct_retrievals" (questions with a document that was
            retrieved, PIAF's text) or "queries" (all questions, PIAF's code).
        preset: "piaf": the rules of PIAF, which set the unit "offset_or_character"; None: no such rules.
        unit: the unit of comparison: "offset" (character positions), "token" (normalised words), "character" (bags
            of characters) or "offset_or_character" ("offset" if every answer has a span, otherwise "character"); None:
            "offset" if every answer has a span, otherwise "token" ("character" for answers of Haystack's readers). Name
            one unit if scores are compared or joined, because answers of systems and batches may differ in this.
        normalizer: the normaliser of the units "token" (default: squad) and "character" (default: none): a name, steps
            such as "lower+spaces", or a callable.
        top_k: the number of ranked answers for topk measures, at least 1; None: all. At most 4,000,000 pairs of answers
            and gold answers are compared per question.
        open_domain: a document is right if it contains a gold answer, regardless of its id.
        missing: a question without a prediction scores 0 ("zero"), is omitted ("skip") or refused ("error"); it is
            always counted.
        duplicates: a duplicate question is refused ("error"), or its "first" or "last" row counts.
        document_field: the field of a document's meta that contains its id, for Haystack; None: the id of the document.
        document_node, answer_node: the nodes of a Haystack pipeline with the documents and answers to score, if the
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

    ap_denominator: str = option("num_relevant", "ap", choices=("num_relevant", "num_retrieved_relevant"), always=True)
    denominator: str = option("correct_retrievals", "over", choices=("correct_retrievals", "queries"), always=True)
    unit: str | None = option(
        None, "unit", choices=(None, "offset", "character", "token", "offset_or_character"), always=True
    )
    normalizer: Any = option(None, "norm")
    top_k: int | None = option(None, "k")
    open_domain: bool = option(False, "open_domain")
    missing: str = option("zero", "missing", choices=("zero", "skip", "error"))
    duplicates: str = option("error", "duplicates", choices=("error", "first", "last"))
    document_field: str | None = option(None, "document")
    document_node: str | None = option(None, "document_node")
    answer_node: str | None = option(None, "answer_node")
    preset: str | None = option(None, "preset")
    changed: tuple[str, ...] = dataclasses.field(default=(), init=False, metadata={"key": "changed"})

    def _settle(self):
        for name in ("document_field", "document_node", "answer_node"):
            given = getattr(self, name)
            if not isinstance(given, str | None):
                raise TypeError(f"option {name} must be a string, got {shown(given)}")
            if given and not is_unicode(given):
                raise ValueError(f"option {name} has half of a surrogate pair, which is not valid text: {given!a}")
        if self.top_k is not None:
            self._set(top_k=check_whole("top_k", self.top_k))
        if self.unit in _NORMALIZERS:
            chosen = _NORMALIZERS[self.unit] if self.normalizer is None else self.normalizer
            self._set(normalizer=get_normalizer(chosen))
        elif self.normalizer is not None:
            raise ValueError(
                f"normalizer is for unit=token or character, not {self.unit!r}; give one of these units"
                + ("" if self.unit else " (by default 'offset' for spans and 'token' for texts)")
            )

    def _note_changes(self):
        super()._note_changes()
        if self.unit == "offset" or (self.unit == "character" and self.normalizer == get_normalizer("none")):
            self._set(changed=tuple(name for name in self.changed if name not in ("unit", "normalizer")))  # as PIAF


def score_reading(
    predictions: Any,
    references: Any,
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
    table = read_pipelines(given, options)
    outputs, golds = table.columns[PREDICTIONS], table.columns[REFERENCES]
    options = dataclasses.replace(options, unit=_unit_of(table, options))
    if options.unit != "offset":
        texts, gold_texts = (
            [[answer[0] for answer in question.answers if answer] for question in side] for side in (outputs, golds)
        )
        tokens = options.normalizer if options.unit == "token" else None
        remark_on_texts(texts, gold_texts, options.family, tokens=tokens)
    has_answer = np.array([bool(gold.answers) for gold in golds])
    columns = _retriever_columns(table, options, has_answer)
    retrieved = columns["retriever_recall"] > 0
    if not options.open_domain and not retrieved.any():
        retrieved_of, gold_of = ((question.documents for question in side) for side in (outputs, golds))
        remark_other_ids(zip(table.ids, retrieved_of, gold_of))
    judged = retrieved if options.denominator == "correct_retrievals" else np.ones(len(retrieved), bool)
    reader_columns, silent = _reader_columns(table, options, has_answer)
    columns |= {name: np.where(judged, column, np.nan) for name, column in reader_columns.items()}
    right = reader_columns["reader_topk_accuracy"] > 0
    failure = np.select(
        [~has_answer & right, ~has_answer, ~retrieved, right, silent],
        [FAILURES.index(name) for name in ("none", "no_answer", "retriever", "none", "no_answer")],
        FAILURES.index("reader"),
    )
    subsets = {
        "has_answer": has_answer,
        "no_answer": ~has_answer,
        "has_answer_judged": has_answer & judged,
        "no_answer_judged": ~has_answer & judged,
        "correct_retrieval": retrieved,
        "missing": ~table.given,
        "no_relevant": np.array([not (gold.documents or options.open_domain) for gold in golds]),
        **{f"failure_{name}": failure == number for number, name in enumerate(FAILURES)},
    }
    return table.scores(
        columns=columns,
        subsets=subsets,
        measures=reading_measures(),
        options=options,
        gold=_gold_prints(golds, options.unit == "offset"),
    )


def _gold_prints(golds: Sequence[Question], by_offset: bool) -> GoldFingerprints:
    rows = [
        [plain_text((answer[1], answer[2:] if by_offset else answer[0])) for answer in gold.answers if answer]
        for gold in golds
    ]
    of_documents = GoldFingerprints.of_texts("gold documents", [gold.documents for gold in golds])
    return GoldFingerprints.of_texts("gold answers", rows) | of_documents


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
        "total": None,
        "correct_retrievals": "correct_retrieval",
        "has_answer_total": "has_answer",
        "no_answer_total": "no_answer",
        **{name: name for name in ("has_answer_judged", "no_answer_judged", "missing", "no_relevant")},
    }
    return measures | {name: Count(of) for name, of in counted.items()}


def failure_labels(scores: Scores) -> list[str]:
    """The place of failure of each question, for `Scores.by`: "none", "retriever", "reader" or "no_answer".

    "no_answer" holds two opposite faults: an answerable question, its document retrieved, to which nothing was
    answered, and an unanswerable one that was answered. The subset has_answer distinguishes them.
    """
    masks = np.array([scores.subsets[f"failure_{name}"] for name in FAILURES])
    return [FAILURES[index] for index in masks.argmax(axis=0)]


def _retriever_columns(table: Table, options: ReaderOptions, has_answer: np.ndarray) -> dict[str, np.ndarray]:
    """Hit, average precision and reciprocal rank of each question's documents, each (n,)."""
    values = []
    for row, (output, gold) in enumerate(zip(table.columns[PREDICTIONS], table.columns[REFERENCES], strict=True)):
        if options.open_domain:
            ranks = _ranks_in_open_domain(output, gold, table, row)
        else:
            first = {document: rank for rank, document in reversed([*enumerate(output.documents, 1)])}
            ranks = sorted(first[document] for document in gold.documents if document in first)
        precisions = 0.0
        for number, rank in enumerate(ranks, 1):  # one by one, not with `sum`, which adds differently since Python 3.12
            precisions += number / rank
        divisor = len(gold.documents) if options.ap_denominator == "num_relevant" else len(ranks)
        values.append((float(bool(ranks)), precisions / max(divisor, 1), 1 / ranks[0] if ranks else 0.0))
    columns = np.array(values).T.copy()
    if options.open_domain:  # as PIAF: whatever is retrieved for an unanswerable question is right
        columns = np.where(has_answer | ~table.given, columns, 1.0)
    return dict(zip(RETRIEVER_MEASURES, columns, strict=True))


def _ranks_in_open_domain(output: Question, gold: Question, table: Table, row: int) -> list[int]:
    """The ranks of the passages that contain a gold answer, each at its first one only; passages of one page may share an id."""
    texts = [answer[0] for answer in gold.answers if answer]
    for name, field, found, advice in (
        (REFERENCES, "answers", texts, "give 'text'"),
        (PREDICTIONS, "documents", output.texts if texts else (), "give documents as {'id': ..., 'text': ...}"),
    ):
        if None in found:
            where = f"{table.where(name, row)}[{field!r}][{found.index(None)}]"
            raise InputError(name, f"{where} has no text, which open_domain=True searches; {advice}")
    first: dict[tuple[str, str | None], int] = {}
    for rank, passage in enumerate(zip(output.documents, output.texts, strict=True), 1):
        first.setdefault(passage, rank)
    folded = [(text or "").lower() for text in texts]
    return [rank for (_, text), rank in first.items() if any(part in (text or "").lower() for part in folded)]


def _reader_columns(
    table: Table, options: ReaderOptions, has_answer: np.ndarray
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Accuracy, exact match and F1 of the first and of the best of the first k answers, each (n,); and which questions have
    no answer among these but "no answer", bool (n,).
    """
    rows = [output.answers for output in table.columns[PREDICTIONS]]
    counts = np.fromiter(map(len, rows), np.int64, len(rows))
    k = options.top_k or max(int(counts.max(initial=0)), 1)
    withheld = np.array([_is_withheld(answer) for row in rows for answer in row], bool)
    right = withheld & ~np.repeat(has_answer, counts)
    columns = {
        f"reader_{top}_{name}": best_of_first(np.where(right, 1.0, value), counts, first)
        for name, value in _compare(table, options, k).items()
        for top, first in (("top1", 1), ("topk", k))
    }
    return columns, best_of_first(~withheld, counts, k) == 0


def _is_withheld(answer: Answer | None) -> bool:
    """Whether this is "no answer": no text, and no span or an empty one."""
    return answer is None or answer[0] is None and answer[2] == answer[3]  # without a span both are -1


def _compare(table: Table, options: ReaderOptions, k: int) -> dict[str, np.ndarray]:
    """The first k answers of each question against its gold answers: accuracy, em and f1 of each answer, (m,), the best over
    the gold answers of its document; 0 for the others.

    Texts are also compared where an answer or a gold answer has no document, and in the open domain.
    """
    of_texts, index = options.unit != "offset", 0
    outputs, gold_rows = table.columns[PREDICTIONS], table.columns[REFERENCES]
    kept = [[(rank, a) for rank, a in enumerate(output.answers[:k]) if not _is_withheld(a)] for output in outputs]
    pairs = np.array([len(row) * len(gold.answers) for row, gold in zip(kept, gold_rows, strict=True)])
    check_number_of_pairs(pairs, table.ids, "look at the first of them only, with top_k=10")
    scored: list[int] = []
    answers: list[Answer] = []
    golds: list[list[Answer]] = []
    for row, output, gold in zip(kept, outputs, gold_rows, strict=True):
        for rank, answer in row:
            document = answer[1]
            if of_texts and (options.open_domain or document is None):
                compared = gold.answers
            else:
                compared = [g for g in gold.answers if g[1] == document or of_texts and g[1] is None]
            if compared:
                scored.append(index + rank)
                answers.append(answer)
                golds.append(compared)
        index += len(output.answers)
    values = {name: np.zeros(index) for name in _READER_METRICS}
    compare, ends, first = _compare_texts if of_texts else _compare_spans, np.cumsum(list(map(len, golds))), 0
    while first < len(scored):
        most = (ends[first - 1] if first else 0) + _PAIRS_AT_ONCE
        last = max(first + 1, int(np.searchsorted(ends, most, side="right")))
        for name, column in zip(_READER_METRICS, compare(answers[first:last], golds[first:last], options), strict=True):
            values[name][scored[first:last]] = column
        first = last
    return values


def _compare_spans(
    answers: Sequence[Answer], golds: Sequence[Sequence[Answer]], options: ReaderOptions
) -> tuple[np.ndarray, ...]:
    counts = np.fromiter(map(len, golds), np.int64, len(golds))
    spans, gold_spans = np.array([a[2:] for a in answers]), np.array([gold[2:] for gold in chain.from_iterable(golds)])
    matched = match_spans(spans, gold_spans, counts)
    (start, end), (gold_start, gold_end) = np.repeat(spans, counts, axis=0).T, gold_spans.T
    overlap = (gold_start <= end) & (start <= gold_end)  # as PIAF: spans that only touch overlap
    return best_per_row(overlap, np.cumsum(counts) - counts), matched["exact_match"], matched["f1"]


def _compare_texts(
    answers: Sequence[Answer], golds: Sequence[Sequence[Answer]], options: ReaderOptions
) -> tuple[np.ndarray, ...]:
    """Whether an answer contains a gold answer, or a gold answer contains it; exact match and F1."""
    texts, gold_texts = [answer[0] or "" for answer in answers], [[gold[0] or "" for gold in row] for row in golds]
    rules = MatchRules(options.normalizer, options.unit or "token", drop_empty_golds=False)
    matched = match_texts(texts, gold_texts, rules, ("exact_match", "f1", "contains"))
    correct = matched["contains"] > 0
    # The reverse direction: only answers that contain no gold text, but share something with one.
    rows = np.flatnonzero(~correct & (matched["f1"] > 0)).tolist()
    pairs = [(row, gold, texts[row]) for row in rows for gold in gold_texts[row]]
    if pairs:
        of_row, outer, inner = zip(*pairs, strict=True)
        inside = match_texts(outer, [[text] for text in inner], rules, ("contains",))["contains"] > 0
        correct[np.array(of_row)[inside]] = True
    return correct, matched["exact_match"], matched["f1"]


def _unit_of(table: Table, options: ReaderOptions) -> str:
    """The unit to compare by, after a check that every answer has what it needs."""
    unit = options.unit
    if unit in (None, "offset_or_character"):
        questions = [*table.columns[PREDICTIONS], *table.columns[REFERENCES]]
        of_haystack = any(question.is_extracted for question in questions)
        by_offset = all(a is None or a[2] >= 0 or a[0] is None for question in questions for a in question.answers)
        unit = "offset" if by_offset else "character" if unit or of_haystack else "token"
    for name in (PREDICTIONS, REFERENCES):
        for row, question in enumerate(table.columns[name]):
            for index, answer in enumerate(question.answers):
                text, document, start, _ = answer or ("", "", 0, 0)
                if (text is not None if unit != "offset" else start >= 0 and document is not None) or _is_withheld(
                    answer
                ):
                    continue
                if unit != "offset":
                    problem = f"has a span but no text, and unit={unit} compares texts; give 'text'"
                    problem += "" if options.unit == unit else ", or spans for all answers and gold answers"
                elif start < 0:
                    problem = "has no span; give 'start' and 'end', or the option unit=token or character"
                else:
                    problem = "has no document id, without which offsets say nothing; give 'document_id', or the option unit=token"
                raise InputError(name, f"{table.where(name, row)}['answers'][{index}] {problem}")
    return unit
