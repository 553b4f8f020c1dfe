"""Extractive question answering: the start and end logits of a model to answers, and to scores."""

import dataclasses
import functools
import math
import numbers
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from karat.core.answers import AnswerMatchOptions, check_config, score_answers, score_answers_as
from karat.core.arrow import numbers_of
from karat.core.columns import describe, first_of_each
from karat.core.options import check_whole
from karat.core.scores import Scores
from karat.training.arrow_rows import ArrowRows
from karat.training.golds import read_golds
from karat.training.hook import Report, TrainerMetrics, refuse_nan, to_array
from karat.training.qa_features import QAFeatures
from karat.training.spans import RankedSpans, Spans, best_spans, rank_spans, ranks_within

_BLOCK = 512  # features at once: some 10 MB with 20 of the best logits
_MADE_UP = "empty"
_LARGEST = 1e100  # of a no-answer probability


class ExtractiveQA(TrainerMetrics):
    """`compute_metrics` for question answering by start and end positions, with a plain `Trainer`.

    The answers are those of `postprocess_qa_predictions` of the transformers example (examples/pytorch/
    question-answering/utils_qa.py), ties and the made-up answer "empty" included; the arguments of the same names mean
    the same. The features that Trainer evaluates need start_positions and end_positions: Trainer calls
    compute_metrics only where there are labels.

    Args:
        examples: a data set (or table, dict of columns, list of dicts) with the columns id, context and answers.
        features: what `Trainer(eval_dataset=...)` evaluates, with the columns offset_mapping (None outside of the
            context) and example_id; both stay on disk where they are data sets.
        version_2_with_negative: "no answer" is an answer too, when its score is above that of the best span by more
            than the threshold.
        n_best_size: how many start and end logits are paired, and how many spans are kept.
        max_answer_length: in tokens.
        null_score_diff_threshold: of version_2_with_negative. The difference itself is the no-answer probability of
            the scores, so that best_f1_threshold is the best value for this argument.
        columns: names of columns of the examples, where they are others: {"id": "qid", "context": "passage", ...}.
        config_name: "squad" or "squad_v2" for the keys and the scale (0-100) of these Hugging Face modules; "default"
            for karat's own (0-1).
        measures: the names of the numbers to report; None for all.
        level, n_resamples, bootstrap_seed: report intervals, `f1_low` and `f1_high`, of that level too.
        options: of `AnswerMatchOptions`, such as normalizer="french" or top_k=(1, 5), which scores the n best answers.
            An example without a feature has no prediction: it is counted as missing and, by the option missing, scored
            0, left out or refused.

    Raises:
        TypeError, ValueError: columns that are missing, features of other examples, offsets that do not mark the
            context, answers that cannot be scored: before the training begins. When called: logits of another
            shape or number than the features, or with NaN.

    Example:
        >>> examples = {"id": ["q1"], "context": ["Rome and Paris"], "answers": [{"text": ["Paris"]}]}
        >>> features = {"example_id": ["q1"], "offset_mapping": [[None, (0, 4), (5, 8), (9, 14)]]}
        >>> compute_metrics = ExtractiveQA(examples, features, measures=["exact_match", "f1"])
        >>> logits = np.array([[0.0, 1.0, 0.0, 3.0]])
        >>> compute_metrics.answers((logits, logits)).texts
        {'q1': 'Paris'}
    """

    def __init__(
        self,
        examples: Any,
        features: Any,
        *,
        version_2_with_negative: bool = False,
        n_best_size: int = 20,
        max_answer_length: int = 30,
        null_score_diff_threshold: float = 0.0,
        columns: Mapping[str, str] | None = None,
        config_name: str = "default",
        measures: Any = None,
        level: float | None = None,
        n_resamples: int = 1000,
        bootstrap_seed: int = 0,
        **options: Any,
    ):
        self.version_2_with_negative = bool(version_2_with_negative)
        self.n_best_size = check_whole("n_best_size", n_best_size)
        self.max_answer_length = check_whole("max_answer_length", max_answer_length)
        self.null_score_diff_threshold = _threshold(null_score_diff_threshold)
        check_config(config_name)
        self.config_name = config_name
        if "no_answer_threshold" in options:
            raise TypeError(
                "ExtractiveQA withholds answers by null_score_diff_threshold; leave no_answer_threshold out"
            )
        self.options = options
        chosen = AnswerMatchOptions.from_keywords(**options)
        if chosen.task != "answers" or chosen.unit == "offset":
            raise ValueError("ExtractiveQA scores answers as texts; leave the options task and unit='offset' out")
        self.top_k = chosen.top_k
        if self.top_k and max(self.top_k) > self.n_best_size:
            raise ValueError(
                f"top_k={max(self.top_k)} is more than the n_best_size={self.n_best_size} answers kept; raise n_best_size"
            )
        self._examples = _Examples(examples, columns or {})
        self._features = QAFeatures(features, self._examples.rows_of, self._examples.context_lengths, _BLOCK)
        if not len(self._features):
            raise ValueError("there are no features: give at least one")
        lacking = len(self._examples.ids) - len(np.unique(self._features.example_of))
        if lacking and chosen.missing == "zero":
            warnings.warn(
                f"{lacking} of {len(self._examples.ids)} examples have no feature and score 0 as missing; give the examples "
                "that the features were made of, or the option missing='skip'",
                stacklevel=2,
            )
        super().__init__(Report(measures, level, n_resamples, bootstrap_seed))
        # What would fail after the first epoch fails now: the gold answers, options and names of measures.
        blank = _blank(self._examples.ids, self.top_k)
        self.report.numbers(self._score_texts(blank, dict.fromkeys(blank, 0.0)))

    def answers(self, predictions: Any) -> "Answers":
        """The answers of all features' logits.

        Args:
            predictions: (start logits, end logits), each (features, length), or an object with them as `predictions`,
                such as what `Trainer.predict` returns.
        """
        if hasattr(predictions, "predictions"):
            predictions = predictions.predictions
        parts: list[Spans] = []
        seen = self._read(predictions, 0, parts)
        return self._rank(parts, seen)

    def _reset(self) -> None:
        self._seen = 0
        self._parts: list[Spans] = []

    def _add(self, predictions: Any, labels: Any) -> None:
        first = self._seen
        self._seen = self._read(predictions, first, self._parts)
        self._features.check_order(labels, first)

    def _score(self) -> Scores:
        answers = self._rank(self._parts, self._seen)
        texts = answers.ranked(max(self.top_k)) if self.top_k else answers.spans_or_made_up
        return self._score_texts(texts, answers.odds_to_compare())

    def _score_texts(self, texts: Mapping[Any, Any], null_odds: Mapping[Any, float] | None) -> Scores:
        columns: dict[str, Any] = {"predictions": texts, "references": self._examples.golds}
        options = dict(self.options)
        if self.version_2_with_negative:
            columns["no_answer_probabilities"] = null_odds
            options["no_answer_threshold"] = self.null_score_diff_threshold
        if self.config_name == "default":
            return score_answers(**columns, options=AnswerMatchOptions.from_keywords(**options))
        return score_answers_as(self.config_name, columns, options)

    def _read(self, predictions: Any, first: int, parts: list[Spans]) -> int:
        """Add the spans of a batch of rows of logits, those of the features from first on; the feature after the last."""
        start_logits, end_logits = _logits(predictions)
        last = first + len(start_logits)
        if last > len(self._features):
            raise ValueError(
                f"there are logits of {last:,} features or more, but ExtractiveQA has {len(self._features):,}: it is for the "
                "one data set it was made of; make another one for another data set, or call reset() after an evaluation "
                "that was interrupted"
            )
        for start, stop in self._features.blocks(first, last):
            tokens = self._features.tokens(start, stop)
            block = slice(start - first, stop - first)
            if tokens.counts.max() > start_logits.shape[1]:
                feature = start + int(np.argmax(tokens.counts > start_logits.shape[1]))
                raise ValueError(
                    f"{self._features.where(feature)} has {tokens.counts[feature - start]} tokens, but the logits have "
                    f"{start_logits.shape[1]} places: give the features that the logits were made of"
                )
            for name, logits in (("start logits", start_logits), ("end logits", end_logits)):
                refuse_nan(logits[block], name, start)
            parts.append(
                best_spans(start_logits[block], end_logits[block], tokens, self.n_best_size, self.max_answer_length)
            )
        return last

    def _rank(self, parts: list[Spans], seen: int) -> "Answers":
        if seen != len(self._features):
            raise ValueError(
                f"there are logits of {seen:,} features, but ExtractiveQA has {len(self._features):,}: it is for the "
                "one data set it was made of; give the logits of all its features, in their order"
            )
        if not parts:
            raise ValueError("there are no features: give at least one")
        spans = Spans.concat(parts)
        ranked = rank_spans(
            spans,
            self._features.example_of,
            self._examples.context_lengths,
            self.n_best_size,
            self.version_2_with_negative,
        )
        return Answers(self._examples, ranked, self.null_score_diff_threshold)


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Answers:
    """The answers of a model to the examples that have features; see `ExtractiveQA.answers`.

    Attributes:
        texts: id -> answer, "" for none: what `postprocess_qa_predictions` returns.
        null_odds: id -> how much the score of "no answer" is above that of the best span (what the example writes to
            null_odds.json); None without version_2_with_negative.
    """

    examples: "_Examples"
    spans: RankedSpans
    threshold: float

    def __repr__(self) -> str:
        return f"<Answers to {len(self._present):,} examples>"

    @functools.cached_property
    def _present(self) -> list[int]:
        """The rows of the examples that have features."""
        return np.flatnonzero((self.spans.counts > 0) | self.spans.made_up).tolist()

    @functools.cached_property
    def texts(self) -> dict[Any, str]:
        found = self.spans_or_made_up
        if self.spans.null_odds is None:
            return found
        withheld = (self.spans.null_odds > self.threshold)[self._present]
        pairs = zip(found.items(), withheld.tolist(), strict=True)
        return {identifier: "" if none else text for (identifier, text), none in pairs}

    @functools.cached_property
    def null_odds(self) -> dict[Any, float] | None:
        if self.spans.null_odds is None:
            return None
        # Against the threshold NaN (-inf less -inf) is an answer: as if "no answer" had no odds at all.
        odds = np.nan_to_num(self.spans.null_odds.astype(np.float64), nan=-_LARGEST, posinf=_LARGEST, neginf=-_LARGEST)
        return {
            self.examples.ids[row]: odd for row, odd in zip(self._present, odds[self._present].tolist(), strict=True)
        }

    def odds_to_compare(self) -> dict[Any, float] | None:
        """`null_odds` for a comparison with the threshold in double precision that ends like that in the precision of
        the logits: odds that are equal to the threshold there are equal to it here.
        """
        found = self.null_odds
        if found is None:
            return None
        equal = (self.spans.null_odds == self.threshold)[self._present].tolist()
        return {key: self.threshold if same else odd for (key, odd), same in zip(found.items(), equal, strict=True)}

    @functools.cached_property
    def spans_or_made_up(self) -> dict[Any, str]:
        """id -> the text of the best span, whatever the odds of "no answer"."""
        places = self.spans.answers
        known = np.flatnonzero(places >= 0)
        cuts = zip(self.spans.starts[places[known]].tolist(), self.spans.ends[places[known]].tolist(), strict=True)
        spans = dict(zip(known.tolist(), cuts, strict=True))
        found = {}
        for row, context in self._contexts():
            made_up = _MADE_UP if self.spans.made_up[row] else ""
            found[self.examples.ids[row]] = context[slice(*spans[row])] if row in spans else made_up
        return found

    def ranked(self, n: int) -> dict[Any, list[str]]:
        """id -> the texts of the n best spans; with version_2_with_negative those without a text are left out."""
        owners = np.repeat(np.arange(len(self.spans.counts)), self.spans.counts)
        if self.spans.null_odds is None:
            kept = np.arange(len(owners))
        else:
            kept = np.flatnonzero(~self.spans.empty)
        kept = kept[ranks_within(owners[kept]) < n]
        ends = np.cumsum(np.bincount(owners[kept], minlength=len(self.spans.counts))).tolist()
        cuts = list(zip(self.spans.starts[kept].tolist(), self.spans.ends[kept].tolist(), strict=True))
        found = {}
        for row, context in self._contexts():
            texts = [context[start:end] for start, end in cuts[ends[row - 1] if row else 0 : ends[row]]]
            found[self.examples.ids[row]] = [_MADE_UP] if self.spans.made_up[row] else texts
        return found

    def nbest(self) -> dict[Any, list[dict[str, Any]]]:
        """id -> the n best spans, "no answer" among them with version_2_with_negative, the best first.

        Each has text, start_logit, end_logit and probability (the softmax of the scores): what the example writes to
        nbest_predictions.json.
        """
        probabilities, of_made_up = self._probabilities()
        columns = (self.spans.starts, self.spans.ends, self.spans.start_logits, self.spans.end_logits, probabilities)
        spans = list(zip(*(column.tolist() for column in columns), strict=True))
        found = {}
        for row, context in self._contexts():
            best = [
                {"text": context[start:end], "start_logit": first, "end_logit": last, "probability": probability}
                for start, end, first, last, probability in spans[self._places(row)]
            ]
            if self.spans.made_up[row]:
                made_up = {
                    "text": _MADE_UP,
                    "start_logit": 0.0,
                    "end_logit": 0.0,
                    "probability": of_made_up[row].item(),
                }
                best.insert(0, made_up)
            found[self.examples.ids[row]] = best
        return found

    def _probabilities(self) -> tuple[np.ndarray, np.ndarray]:
        """The softmax of the scores of each example: of its spans, and of the answer that is made up for it."""
        owners = np.repeat(np.arange(len(self.spans.counts)), self.spans.counts)
        scores = (self.spans.start_logits + self.spans.end_logits).astype(np.float64)
        best = np.where(self.spans.made_up, 0.0, -np.inf)
        np.maximum.at(best, owners, scores)
        scores[np.isneginf(best)[owners]] = 0.0  # nothing but -inf: all are alike
        best[np.isneginf(best)] = 0.0
        powers = np.exp(scores - best[owners])
        of_made_up = np.where(self.spans.made_up, np.exp(-best), 0.0)
        totals = np.bincount(owners, powers, len(best)) + of_made_up
        return powers / totals[owners], of_made_up / np.where(self.spans.made_up, totals, 1.0)

    def _contexts(self) -> Iterator[tuple[int, str]]:
        """The rows of the examples that have features, each with its context."""
        return zip(self._present, self.examples.contexts(self._present), strict=True)

    def _places(self, row: int) -> slice:
        return slice(self.spans.first[row], self.spans.first[row] + self.spans.counts[row])


class _Examples:
    """The examples: ids, gold answers, and contexts, which are read when they are needed."""

    def __init__(self, examples: Any, columns: Mapping[str, str]):
        import pyarrow.compute as pc

        wanted = {"id": "id", "context": "context", "answers": "answers"}
        for name in columns:
            if name not in wanted:
                raise TypeError(f"columns renames id, context and answers; got {name!r}")
        names = {**wanted, **columns}
        self._context = names["context"]
        cures = {column: f"say which it is: columns={{{name!r}: '...'}}" for name, column in names.items()}
        self._rows = ArrowRows(examples, "examples", cures)
        self.ids = self._rows.read(names["id"]).to_pylist()
        first_of_each(self.ids, f"examples: {names['id']}", "error", cure="")
        self.rows_of = {identifier: row for row, identifier in enumerate(self.ids)}
        self.context_lengths = np.zeros(len(self.ids), np.int64)
        for start in range(0, len(self.ids), _BLOCK):
            contexts = self._rows.read(self._context, start, start + _BLOCK)
            if contexts.null_count or str(contexts.type) not in ("string", "large_string", "string_view"):
                row = next((row for row, known in enumerate(contexts.is_valid().to_pylist()) if not known), 0)
                got = "None" if contexts.null_count else f"the type {contexts.type}"
                raise TypeError(f"examples[{start + row}]: {self._context} must be a string, got {got}")
            self.context_lengths[start : start + len(contexts)] = numbers_of(pc.utf8_length(contexts))
        answers = self._rows.read(names["answers"]).to_pylist()
        self.golds = _golds(self.ids, answers)

    def contexts(self, rows: list[int]):
        """The contexts of these rows, which are in order, one by one."""
        for start in range(0, len(rows), _BLOCK):
            part = rows[start : start + _BLOCK]
            block = self._rows.read(self._context, part[0], part[-1] + 1).to_pylist()
            yield from (block[row - part[0]] for row in part)


def _golds(ids: list, answers: list) -> dict[Any, list[str]]:
    """The gold answers by id."""
    missing = next((row for row, answer in enumerate(answers) if answer is None), None)
    if missing is not None:
        raise TypeError(
            f"examples[{missing}] (id {ids[missing]!r}) has None for its answers; give {{'text': []}} where there is none"
        )
    return dict(zip(ids, read_golds(answers, ids), strict=True))


def _blank(ids: list, top_k: Any) -> dict[Any, Any]:
    return {identifier: [""] if top_k else "" for identifier in ids}


def _threshold(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or math.isnan(value):
        raise ValueError(f"null_score_diff_threshold must be a number, got {describe(value)}")
    return float(value)


def _logits(predictions: Any) -> tuple[np.ndarray, np.ndarray]:
    """The start and end logits among the outputs of a model.

    Models may give more (states of an encoder, for one); those that search their answers themselves (XLNet, XLM) give
    log probabilities with places beside them instead.
    """
    cure = (
        "a model for question answering gives (start_logits, end_logits), each (features, length), to Trainer; "
        "see its keys_to_ignore_at_inference for what else it gives"
    )
    if not isinstance(predictions, (tuple, list)) or len(predictions) < 2:
        shape = getattr(predictions, "shape", None)
        got = f"an array of shape {tuple(shape)}" if shape is not None else describe(predictions)
        raise TypeError(f"predictions must be (start logits, end logits), got {got}; {cure}")
    start, end = to_array(predictions[0], "start logits"), to_array(predictions[1], "end logits")
    for name, logits in (("start logits", start), ("end logits", end)):
        if logits.dtype.kind != "f":
            raise TypeError(f"{name} must be floating-point numbers, got {logits.dtype}; {cure}")
        if logits.ndim != 2 or not logits.shape[1]:
            raise ValueError(f"{name} must have the shape (features, length), got {logits.shape}; {cure}")
    if start.shape != end.shape:
        raise ValueError(f"start logits have the shape {start.shape}, end logits {end.shape}; {cure}")
    return start, end
