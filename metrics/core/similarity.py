"""semantic_answer_similarity: how close answers are in meaning to gold answers (SAS), by a model or the built-in lite scorer.

The measure is that of Risch et al. (2021), "Semantic Answer Similarity for Evaluating Question Answering Models": a
cross-encoder's score of (prediction, gold answer), the best over the gold answers, averaged over the questions.
"""

import dataclasses
import math
import numbers
import os
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .answer_columns import AnswerColumns, check_answer_rows, read_answers
from .columns import describe, with_id
from .lite import LITE_VERSION, lite_scores
from .matching import best_of_first
from .measures import Count, Mean, Measure, ShareAtLeast
from .model_loading import load_scorer
from .options import Options, check_choice, check_whole, to_ranks
from .pair_scorers import PairScorer, PairScores
from .scores import Scores
from .text import get_normalizer
from .tokens import token_table

DEFAULT_MODEL = "cross-encoder/stsb-roberta-large"
_PINNED = {DEFAULT_MODEL: "2b12c2c0088918e76151fd5937b7bba986ef1f98"}
_LITE = "lite"
_SHORT = 60  # characters of a text in a message


@dataclasses.dataclass(frozen=True)
class SimilarityOptions(Options):
    """The options of semantic_answer_similarity.

    Attributes:
        model: the id of a cross- or bi-encoder on the hub, its local folder, "lite" (built in: no network, no torch),
            or a `karat.core.pair_scorers.PairScorer` of your own.
        revision: of the model on the hub; None: the pinned one of the default model, the newest of others.
        mode: "cross" or "bi"; "auto": told from the model's files.
        encoder: for model="lite": the id or folder of a bi-encoder whose cosines it uses too; None: text alone.
        encoder_revision: of the encoder on the hub.
        raw: scores of the model only, no shortcuts: equal and empty texts go through the model like all others, which
            is what the paper's numbers are.
        symmetric: the mean of both directions, (prediction, gold) and (gold, prediction).
        normalizer: answers equal under it are the same answer and score 1: a name of
            `karat.core.text.list_normalizers()`, a list of steps or a callable.
        thresholds: a question counts as right in sas_accuracy@t when its sas is at least t.
        top_k: for ranked answers, the ranks at which the best answer so far is scored, for example (1, 3, 5); None for
            one answer.
        missing: an example without a prediction scores 0 ("zero"), is left out ("skip") or refused ("error"); it is
            always counted.
        duplicates: an id given twice is refused ("error"), or its "first" or "last" row counts.
        dtype: of the model's numbers: "float32", "bfloat16" (faster where the hardware has it, about 0.01 off) or
            "float16" (graphics cards only).
        backend: what runs the model: "torch", "onnx" or "openvino".
        max_length: tokens the model sees of a pair (a text of a bi-encoder); None: its own limit.
        device: where it runs, such as "cpu" or "cuda:0", or several devices; None: a graphics card where there is one.
        batch_size: how many pairs (texts of a bi-encoder) go through the model at once, at most.
        num_threads: of the processor, for the model; None: as they are set.
        trust_remote_code: run the code that a model on the hub brings.
        progress: a bar on stderr; None: where that is a terminal.
    """

    family: ClassVar[str] = "semantic_answer_similarity"

    model: Any = dataclasses.field(default=DEFAULT_MODEL, metadata={"key": "model", "always": True})
    revision: str | None = dataclasses.field(default=None, metadata={"key": "revision"})
    mode: str = dataclasses.field(default="auto", metadata={"key": "mode", "always": True})
    encoder: str | None = dataclasses.field(default=None, metadata={"key": "encoder"})
    encoder_revision: str | None = dataclasses.field(default=None, metadata={"key": "encoder_revision"})
    raw: bool = dataclasses.field(default=False, metadata={"key": "raw", "always": True})
    symmetric: bool = dataclasses.field(default=False, metadata={"key": "symmetric"})
    normalizer: Any = dataclasses.field(default="squad", metadata={"key": "norm", "always": True})
    references: str = dataclasses.field(default="max", init=False, metadata={"key": "refs", "always": True})
    thresholds: tuple[float, ...] = dataclasses.field(default=(0.5,))
    top_k: tuple[int, ...] | None = dataclasses.field(default=None, metadata={"key": "k"})
    missing: str = dataclasses.field(default="zero", metadata={"key": "missing"})
    duplicates: str = dataclasses.field(default="error", metadata={"key": "duplicates"})
    dtype: str = dataclasses.field(default="float32", metadata={"key": "dtype"})
    backend: str = dataclasses.field(default="torch", metadata={"key": "backend"})
    max_length: int | None = dataclasses.field(default=None, metadata={"key": "max_length"})
    # What changes no number, but for the last digits.
    device: str | tuple[str, ...] | None = dataclasses.field(default=None, compare=False)
    batch_size: int = dataclasses.field(default=64, compare=False)
    num_threads: int | None = dataclasses.field(default=None, compare=False)
    trust_remote_code: bool = dataclasses.field(default=False, compare=False)
    progress: bool | None = dataclasses.field(default=None, compare=False)

    def __post_init__(self):
        for name, allowed in (
            ("raw", (False, True)),
            ("symmetric", (False, True)),
            ("missing", ("zero", "skip", "error")),
            ("duplicates", ("error", "first", "last")),
            ("dtype", ("float32", "bfloat16", "float16")),
            ("backend", ("torch", "onnx", "openvino")),
            ("trust_remote_code", (False, True)),
            ("progress", (None, False, True)),
        ):
            check_choice(name, getattr(self, name), allowed)
        self._set(normalizer=get_normalizer(self.normalizer), thresholds=_thresholds(self.thresholds))
        self._set(batch_size=check_whole("batch_size", self.batch_size))
        for name in ("num_threads", "max_length"):
            if getattr(self, name) is not None:
                self._set(**{name: check_whole(name, getattr(self, name))})
        if self.top_k is not None:
            self._set(top_k=to_ranks(self.top_k))
        if isinstance(self.device, (list, tuple)):
            self._set(device=tuple(self.device) if len(self.device) != 1 else self.device[0])
        self._check_model()

    def _check_model(self) -> None:
        """The model and what belongs to it: pins the default model, refuses options that the model does not have."""
        if isinstance(self.model, PairScorer):
            self._refuse(("encoder", "encoder_revision"), "a scorer of your own")
            check_choice("mode", self.mode, ("auto", self.model.mode))
            check_choice("revision", self.revision, (None, self.model.revision))
            self._set(mode=self.model.mode, revision=self.model.revision)
            return
        for name in ("model", "encoder"):
            value = getattr(self, name)
            value = os.fspath(value) if isinstance(value, os.PathLike) else value
            if (not isinstance(value, str) or not value) and not (name == "encoder" and value is None):
                raise TypeError(f"option {name} must be the id or the folder of a model, got {describe(value)}")
            self._set(**{name: value})
        if self.model == _LITE:
            if self.revision not in (None, LITE_VERSION):
                raise ValueError(f"this karat has revision {LITE_VERSION} of the lite scorer, not {self.revision!r}")
            check_choice("mode", self.mode, ("auto", _LITE))
            if self.encoder is None:
                self._refuse(("encoder_revision", "dtype", "backend", "max_length"), 'model="lite" without an encoder')
            self._set(revision=LITE_VERSION, mode=_LITE)
            return
        check_choice("mode", self.mode, ("auto", "cross", "bi"))
        self._refuse(("encoder", "encoder_revision"), f"a model other than {_LITE!r}")
        if self.revision is None and not os.path.isdir(self.model):
            self._set(revision=_PINNED.get(self.model))

    def _refuse(self, names: Sequence[str], what: str) -> None:
        defaults = {field.name: field.default for field in dataclasses.fields(self)}
        for name in names:
            if getattr(self, name) != defaults[name]:
                raise ValueError(f"{what} does not have the option {name}; leave it out")

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)


def _thresholds(given: Any) -> tuple[float, ...]:
    values = tuple(given) if isinstance(given, (list, tuple, np.ndarray)) else (given,)
    for value in values:
        if isinstance(value, bool) or not isinstance(value, numbers.Real) or not 0 <= value <= 1:
            raise ValueError(f"thresholds are numbers from 0 to 1, for example (0.5, 0.8); got {value!r}")
    return tuple(sorted({float(value) for value in values}))


class LiteScorer(PairScorer):
    """The built-in scorer: boosted trees over what two texts share, with the cosines of a bi-encoder if there is one."""

    name = mode = _LITE
    revision = LITE_VERSION
    symmetric = True

    def __init__(self, encoder: PairScorer | None = None):
        self.encoder = encoder

    def score(
        self, predictions: Sequence[str], references: Sequence[str], questions: Sequence[str] | None = None
    ) -> PairScores:
        """Scores of texts of any length; only an encoder may cut some."""
        if self.encoder is None:
            return PairScores(lite_scores(predictions, references), np.zeros(len(predictions), bool), 0)
        cosines, truncated = self.encoder.cosines(predictions, references)
        known = np.isfinite(cosines)
        scores = lite_scores(predictions, references, np.where(known, cosines, 0.0))
        return PairScores(np.where(known, scores, np.nan), truncated, 0)


def scorer_of(options: SimilarityOptions) -> PairScorer:
    """The scorer that the options name; a model is loaded once per process.

    Raises:
        ImportError: torch or sentence-transformers are not installed and the model needs them.
        ValueError, OSError: the model cannot be had, or is none that says how similar two texts are.

    Example:
        >>> scorer_of(SimilarityOptions(model="lite")).mode
        'lite'
    """
    if isinstance(options.model, PairScorer):
        return options.model
    names = ("device", "dtype", "batch_size", "num_threads", "backend", "max_length", "trust_remote_code", "progress")
    settings = {name: getattr(options, name) for name in names}
    if options.model != _LITE:
        return load_scorer(options.model, revision=options.revision, mode=options.mode, **settings)
    if options.encoder is None:
        return LiteScorer()
    return LiteScorer(load_scorer(options.encoder, revision=options.encoder_revision, mode="bi", **settings))


def score_similarity(
    predictions: Any,
    references: Any,
    ids: Any = None,
    weights: Any = None,
    questions: Any = None,
    *,
    options: SimilarityOptions | None = None,
) -> Scores:
    """Score answers by how close their meaning is to that of the gold answers (Risch et al., 2021).

    Args:
        predictions: n answers (str, "" for no answer); a dict id -> answer; or SQuAD rows `{"id", "prediction_text"}`.
            With `top_k` an answer is a ranked list of texts.
        references: n lists of gold answers ([]: the question has no answer); a dict id -> gold answers; or SQuAD rows
            `{"id", "answers"}`.
        ids: n unique ids, when the columns are plain lists.
        weights: how much each question counts, n numbers of at least 0.
        questions: n texts, in the order of the references, only for a scorer of your own that reads them.

    Returns:
        Scores with the column `sas` (float64, 0..1; `sas@k` with `top_k`), the subsets has_answer, no_answer, missing and
        truncated, and the measures sas, sas_accuracy@t, and sas of questions with and without an answer.

    An answer scores the best over its gold answers. Two empty texts score 1, an empty text against another 0, texts that
    are equal when normalised 1; only other pairs go through the model, each distinct one once. A pair's score does not
    depend on the others (beyond 1e-5, by the rounding of batches).

    Raises:
        TypeError, ValueError: naming the row or id and the cure. See `scorer_of` for those of models.

    Example:
        >>> lite = SimilarityOptions(model="lite")
        >>> scores = score_similarity(["in Paris", ""], [["Paris, France"], []], options=lite)
        >>> scores.columns["sas"].round(3).tolist()
        [0.669, 1.0]
    """
    options = options or SimilarityOptions()
    given = {"predictions": predictions, "references": references, "ids": ids, "weights": weights}
    columns = read_answers(
        {**given, "questions": questions},
        kind="answers",
        ranked=options.top_k is not None,
        missing=options.missing,
        duplicates=options.duplicates,
    )
    scorer = scorer_of(options)
    _check_questions(columns, scorer)
    pairs = _pairs_of(columns, options)
    found = _score_pairs(pairs, options, scorer)
    best = np.fmax.reduceat(found.scores, pairs.starts)
    truncated = np.bincount(pairs.rows[found.truncated], minlength=len(columns.ids)) > 0
    per_k = {None: best} if options.top_k is None else {k: best_of_first(best, pairs.counts, k) for k in options.top_k}
    names = {k: "sas" if k is None else f"sas@{k}" for k in per_k}
    has_answer = np.fromiter(map(bool, columns.references), bool, len(columns.ids))
    return Scores(
        columns.ids,
        {names[k]: np.where(columns.given, values, 0.0) for k, values in per_k.items()},
        {"has_answer": has_answer, "no_answer": ~has_answer, "missing": ~columns.given, "truncated": truncated},
        _similarity_measures(names, options.thresholds),
        dataclasses.replace(options, **_resolved(options, scorer)),
        {**columns.notes, "clipped": found.clipped},
        columns.weights,
    )


def _resolved(options: SimilarityOptions, scorer: PairScorer) -> dict[str, Any]:
    """What only the loaded model tells, for the signature."""
    found = {"mode": scorer.mode, "revision": scorer.revision}
    return found if options.encoder is None else {**found, "encoder_revision": scorer.encoder.revision}


def _similarity_measures(names: Mapping[int | None, str], thresholds: Sequence[float]) -> dict[str, Measure]:
    measures: dict[str, Measure] = {name: Mean(name) for name in names.values()}
    for k, name in names.items():
        rank = "" if k is None else f"@{k}"
        measures |= {f"sas_accuracy@{t:g}{rank}": ShareAtLeast(name, threshold=t) for t in thresholds}
    for subset in ("has_answer", "no_answer"):
        measures |= {f"{subset}_{name}": Mean(name, subset) for name in names.values()}
    measures.update(total=Count(), has_answer_total=Count("has_answer"), no_answer_total=Count("no_answer"))
    measures.update(missing=Count("missing"), truncated=Count("truncated"))
    return measures


class _Pairs(NamedTuple):
    """Answers against gold answers: m given answers, each with at least one gold answer, p pairs in all.

    Attributes:
        texts: the t distinct texts, and the questions after them.
        answer, gold, question: int64 (p,), places in `texts`; question -1: none.
        starts: (m,), where the pairs of each given answer begin.
        counts: (n,), how many given answers each example has.
        rows: (p,), the example of each pair.
        same: (t,), equal where the normalised texts are.
        empty: bool (t,).
    """

    texts: list[str]
    answer: np.ndarray
    gold: np.ndarray
    question: np.ndarray
    starts: np.ndarray
    counts: np.ndarray
    rows: np.ndarray
    same: np.ndarray
    empty: np.ndarray
    where: AnswerColumns


def _pairs_of(columns: AnswerColumns, options: SimilarityOptions) -> _Pairs:
    n = len(columns.ids)
    ranked = columns.predictions if options.top_k is not None else [[answer] for answer in columns.predictions]
    depth = max(options.top_k or (1,))
    ranked = [row[:depth] for row in ranked]
    counts = np.fromiter(map(len, ranked), np.int64, n)
    answers = list(chain.from_iterable(ranked))
    golds = [list(row) or [""] for row in columns.references]  # no gold answer: the empty answer is right
    gold_counts = np.fromiter(map(len, golds), np.int64, n)
    table = token_table([*answers, *chain.from_iterable(golds)], options.normalizer)
    texts = _distinct([*answers, *chain.from_iterable(golds)], table.index)
    row_of_answer = np.repeat(np.arange(n), counts)
    pairs_of_answer = gold_counts[row_of_answer]
    starts = np.cumsum(pairs_of_answer) - pairs_of_answer
    first_gold = (np.cumsum(gold_counts) - gold_counts)[row_of_answer]
    places = np.arange(pairs_of_answer.sum()) + np.repeat(first_gold - starts, pairs_of_answer)
    rows = np.repeat(row_of_answer, pairs_of_answer)
    empty = np.fromiter((not text or text.isspace() for text in texts), bool, len(texts))
    question = np.full(len(rows), -1)
    if columns.questions is not None:
        known = {text: len(texts) + place for place, text in enumerate(dict.fromkeys(columns.questions))}
        question = np.fromiter(map(known.__getitem__, columns.questions), np.int64, n)[rows]
        texts = [*texts, *known]
    return _Pairs(
        texts,
        np.repeat(table.index[: len(answers)], pairs_of_answer),
        table.index[len(answers) :][places],
        question,
        starts,
        counts,
        rows,
        _same_texts(texts[: len(empty)], table.text_ids, table.lengths),
        empty,
        columns,
    )


def _distinct(texts: list[str], index: np.ndarray) -> list[str]:
    _, first = np.unique(index, return_index=True)
    return [texts[place] for place in first.tolist()]


def _same_texts(texts: list[str], text_ids: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The number of each normalised text; of texts that normalise to nothing ("The", "?!") that of the lower-cased one."""
    same = text_ids.copy()
    nothing = np.flatnonzero(lengths == 0).tolist()
    names = {name: number for number, name in enumerate(dict.fromkeys(texts[i].strip().lower() for i in nothing))}
    for i in nothing:
        same[i] = len(texts) + names[texts[i].strip().lower()]
    return same


def _score_pairs(pairs: _Pairs, options: SimilarityOptions, scorer: PairScorer) -> PairScores:
    """Scores of all p pairs; NaN for those that an equal gold answer makes needless."""
    scores = np.full(len(pairs.rows), np.nan)
    needed = np.repeat(pairs.where.given, np.bincount(pairs.rows, minlength=len(pairs.counts)))
    scores[~needed] = 0.0  # of answers that are not there
    if not options.raw:
        blank, gold_blank = pairs.empty[pairs.answer], pairs.empty[pairs.gold]
        scores[needed & (blank | gold_blank)] = 0.0
        scores[needed & ((pairs.same[pairs.answer] == pairs.same[pairs.gold]) | (blank & gold_blank))] = 1.0
        best = np.fmax.reduceat(scores, pairs.starts)
        sizes = np.diff(np.append(pairs.starts, len(scores)))
        needed &= np.isnan(scores) & np.repeat(best != 1, sizes)
    places = np.flatnonzero(needed)
    truncated = np.zeros(len(scores), bool)
    if not len(places):
        return PairScores(scores, truncated, 0)
    answer, gold, question = pairs.answer[places], pairs.gold[places], pairs.question[places]
    if scorer.symmetric or options.symmetric:
        answer, gold = np.minimum(answer, gold), np.maximum(answer, gold)
    key = answer * len(pairs.texts) + gold
    if scorer.reads_questions:
        key = np.unique(key, return_inverse=True)[1] * len(pairs.texts) + question
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    found = _both_ways(pairs, answer[first], gold[first], question[first], options, scorer)
    bad = np.flatnonzero(~((found.scores >= 0) & (found.scores <= 1)))
    if len(bad):
        _refuse_score(found.scores[bad[0]], pairs, places[first[bad[0]]], scorer)
    scores[places] = found.scores[inverse]
    truncated[places] = found.truncated[inverse]
    return PairScores(scores, truncated, found.clipped)


def _both_ways(
    pairs: _Pairs,
    answer: np.ndarray,
    gold: np.ndarray,
    question: np.ndarray,
    options: SimilarityOptions,
    scorer: PairScorer,
) -> PairScores:
    """The scorer's scores of distinct pairs, with `symmetric` the mean of both directions."""
    if scorer.symmetric or not options.symmetric:
        return _called(pairs, answer, gold, question, scorer)
    back, n = np.flatnonzero(answer != gold), len(answer)
    found = _called(
        pairs,
        np.append(answer, gold[back]),
        np.append(gold, answer[back]),
        np.append(question, question[back]),
        scorer,
    )
    scores, truncated = found.scores[:n].copy(), found.truncated[:n].copy()
    scores[back] = (scores[back] + found.scores[n:]) / 2
    truncated[back] |= found.truncated[n:]
    return PairScores(scores, truncated, found.clipped)


def _called(
    pairs: _Pairs, answer: np.ndarray, gold: np.ndarray, question: np.ndarray, scorer: PairScorer
) -> PairScores:
    columns = [[pairs.texts[place] for place in column.tolist()] for column in (answer, gold, question)]
    found = scorer.score(columns[0], columns[1], columns[2] if scorer.reads_questions else None)
    scores = np.asarray(found.scores, np.float64)
    if scores.shape != answer.shape:
        raise ValueError(
            f"the scorer {scorer.name} gave scores of shape {scores.shape} for {len(answer)} pairs; it must give one each"
        )
    return found._replace(scores=scores)


def _refuse_score(score: float, pairs: _Pairs, place: int, scorer: PairScorer) -> None:
    row = int(pairs.rows[place])
    texts = [ascii(pairs.texts[number[place]]) for number in (pairs.answer, pairs.gold)]
    shown = " against ".join(text if len(text) <= _SHORT else text[: _SHORT - 3] + "..." for text in texts)
    what = "is no number" if math.isnan(score) else "is not from 0 to 1"
    raise ValueError(
        f"predictions[{row}]{with_id(pairs.where.ids, row)}: the model {scorer.name} gave {score:g} for {shown}, which "
        f"{what}; use another model or dtype=float32"
    )


def _check_questions(columns: AnswerColumns, scorer: PairScorer) -> None:
    if columns.questions is None and scorer.reads_questions:
        raise ValueError(f"the model {scorer.name} reads the questions too; give the column questions")
    if columns.questions is not None and not scorer.reads_questions:
        raise ValueError(f"the model {scorer.name} does not read questions; leave out the column questions")


def check_similarity_options(options: Mapping[str, Any]) -> SimilarityOptions:
    """The options among the keyword arguments of the evaluate module.

    Raises:
        TypeError, ValueError: a value that an option does not take.
    """
    names = {field.name for field in dataclasses.fields(SimilarityOptions) if field.init}
    return SimilarityOptions(**{key: value for key, value in options.items() if key in names})


def check_similarity_rows(columns: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Refuse a batch of rows that no options still to come could score.

    Args:
        columns: the columns of `score_similarity` by name, as lists.
        options: keyword arguments of `SimilarityOptions` known so far.
    """
    chosen = check_similarity_options(options)
    given = {name: columns.get(name) for name in ("predictions", "references", "ids", "weights", "questions")}
    lists = any(isinstance(row, (list, tuple)) for row in given["predictions"])  # top_k may still come
    check_answer_rows(given, kind="answers", ranked=chosen.top_k is not None or lists)
