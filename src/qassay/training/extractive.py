"""Extractive question answering: turns the start and end logits of a model into answers and scores them."""

import dataclasses
import functools
import math
import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.options import check_whole
from ..core.remarks import remark
from ..core.scores import Scores
from ..core.shown import describe
from ..registry import get_family
from .hook import Batch, TrainerMetrics
from .logged import LoggedMeasures
from .qa_dataset import QADataset
from .spans import FeatureSpans, RankedSpans, rank_spans

_ANSWERS = get_family("answer_match")
_MADE_UP = "empty"
_LARGEST = 1e100  # of a no-answer probability


class ExtractiveQA(TrainerMetrics):
    """`compute_metrics` for question answering by start and end positions, with a plain `Trainer`.

    The answers match `postprocess_qa_predictions` of the transformers example (examples/pytorch/
    question-answering/utils_qa.py), including ties and the placeholder answer "empty"; arguments with the same names
    have the same meaning. Logits in half precision are added in float32; the example adds them in float16, where spans
    with different scores tie. The evaluated features need start_positions and end_positions: Trainer calls compute_metrics
    only if there are labels.

    Args:
        examples: a data set, table, dict of columns or list of dicts with the columns id, context and answers.
        features: the features in `Trainer(eval_dataset=...)`, with the columns offset_mapping (None outside of the
            context) and example_id; data sets stay on disk. Keep start_positions and end_positions, or input_ids with
            `include_for_metrics=["inputs"]` in the arguments of Trainer: they show whether its rows are in this order.
        version_2_with_negative: "no answer" is predicted if its score exceeds the score of the best span by more than
            the threshold.
        n_best_size: the number of start logits and of end logits to pair, and the number of spans to keep.
        max_answer_length: in tokens.
        null_score_diff_threshold: the threshold of version_2_with_negative. The scores use the difference as the
            no-answer probability, so best_f1_threshold is the best value of this argument.
        groups: the column of groups of examples, such as "title", or the group of each example, in order or by id;
            intervals then draw whole groups.
        config_name: "squad" or "squad_v2" for the keys and the scale (0-100) of these Hugging Face modules; "default"
            for the keys and the scale (0-1) of qassay.
        measures: the measures to log; None: exact_match and F1, or all keys of "squad" and "squad_v2".
        confidence: also log intervals, as of `Scores.interval`: `f1_low` and `f1_high`.
        safe_names: log names without "@", brackets and "=", which MLflow refuses.
        options: options of `AnswerMatchOptions`, such as normalizer="french". An example without a feature has no
            prediction: it is counted as missing and, depending on the option missing, scored 0, omitted or refused.

    Raises:
        TypeError, ValueError: before training: missing columns, features of other examples, offsets that do not mark
            the context, answers that cannot be scored. When called: logits with NaN, or of a shape or number that does
            not match the features; rows in another order.

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
        groups: Any = None,
        config_name: str = "default",
        measures: Any = None,
        confidence: float | None = None,
        safe_names: bool = False,
        **options: Any,
    ):
        self.version_2_with_negative = bool(version_2_with_negative)
        self.n_best_size = check_whole("n_best_size", n_best_size)
        self.max_answer_length = check_whole("max_answer_length", max_answer_length)
        self.null_score_diff_threshold = _threshold(null_score_diff_threshold)
        _, options_class = _ANSWERS.load()
        options_class.config_options(config_name)
        self.config_name = config_name
        if "no_answer_threshold" in options:
            raise TypeError("ExtractiveQA withholds answers by null_score_diff_threshold; omit no_answer_threshold")
        self.options = options
        chosen: Any = options_class.from_keywords(**options)
        if chosen.rules is not None or chosen.top_k is not None:
            omitted = "top_k" if chosen.preset is None else f"preset={chosen.preset}"
            raise ValueError(f"ExtractiveQA scores one answer per example, as a text; omit {omitted}")
        self._data = QADataset(examples, features, groups)
        ids = self._data.ids
        lacking = len(ids) - len(np.unique(self._data.example_of))
        if lacking and chosen.missing == "zero":
            remark(
                f"{lacking} of {len(ids)} examples have no feature and score 0 as missing; give the examples that the features "
                "were made of, or the option missing=skip"
            )
        # Check gold answers, options and measures now, not after the first epoch.
        blank = self._score_texts(dict.fromkeys(ids, ""), dict.fromkeys(ids, 0.0))
        if measures is None and config_name != "default":
            measures = list(blank.summary())
        super().__init__(LoggedMeasures(measures, confidence, safe_names), blank)

    def answers(self, predictions: Any) -> "Answers":
        """The answers for the logits of all features.

        Args:
            predictions: (start logits, end logits), each (features, length), or an object with the attribute
                `predictions`, such as the result of `Trainer.predict`.
        """
        labels = getattr(predictions, "label_ids", None)
        return self._answers(self._spans(Batch(getattr(predictions, "predictions", predictions), labels), 0))

    def _read(self, batch: Batch) -> list[FeatureSpans]:
        return self._spans(batch, self._n)

    def _spans(self, batch: Batch, first: int) -> list[FeatureSpans]:
        return self._data.spans(batch, first, self.n_best_size, self.max_answer_length)

    def _score(self, parts: list[list[FeatureSpans]]) -> Scores:
        answers = self._answers([spans for part in parts for spans in part])
        return self._score_texts(answers.best_texts, answers.odds_to_compare())

    def _answers(self, parts: list[FeatureSpans]) -> "Answers":
        """The answers for the spans of all features."""
        data, n = self._data, sum(len(part.counts) for part in parts)
        if n != len(data):
            raise data.other_number(f"{n:,} features", n)
        found = FeatureSpans(*map(np.concatenate, zip(*parts, strict=True)))
        with_null = self.version_2_with_negative
        ranked = rank_spans(found, data.example_of, data.context_lengths, self.n_best_size, with_null)
        return Answers(data, ranked, self.null_score_diff_threshold)

    def _score_texts(self, texts: Mapping[Any, Any], null_odds: Mapping[Any, float] | None) -> Scores:
        columns: dict[str, Any] = {"predictions": texts, "references": self._data.golds, "groups": self._data.groups}
        options = dict(self.options)
        if self.version_2_with_negative:
            columns["no_answer_probabilities"] = null_odds
            options["no_answer_threshold"] = self.null_score_diff_threshold
        return _ANSWERS.score_config(self.config_name, columns, options).require_several_groups()


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Answers:
    """The answers of a model to the examples with features; see `ExtractiveQA.answers`.

    Attributes:
        texts: id -> answer, "" for none: what `postprocess_qa_predictions` returns.
        null_odds: id -> the score of "no answer" minus the score of the best span (as in null_odds.json of the
            example); None without version_2_with_negative.
    """

    data: QADataset
    ranked: RankedSpans
    threshold: float

    def __repr__(self) -> str:
        return f"<Answers to {len(self._answered):,} examples>"

    @functools.cached_property
    def _answered(self) -> list[int]:
        """The rows of the examples that have features."""
        rows: list[int] = np.unique(self.data.example_of).tolist()
        return rows

    def _by_id(self, values: Sequence[Any]) -> dict[Any, Any]:
        """id -> the value of each example that has features."""
        return {self.data.ids[row]: values[row] for row in self._answered}

    @functools.cached_property
    def texts(self) -> dict[Any, str]:
        if self.ranked.null_odds is None:
            return self.best_texts
        withheld = self._by_id((self.ranked.null_odds > self.threshold).tolist())
        return {identifier: "" if withheld[identifier] else text for identifier, text in self.best_texts.items()}

    @property
    def null_odds(self) -> dict[Any, float] | None:
        return None if self.ranked.null_odds is None else self._by_id(_finite(self.ranked.null_odds).tolist())

    def odds_to_compare(self) -> dict[Any, float] | None:
        """`null_odds` whose comparison with the threshold gives the same result in double precision as in that of the logits."""
        odds = self.ranked.null_odds
        if odds is None:
            return None
        return self._by_id(np.where(odds == self.threshold, self.threshold, _finite(odds)).tolist())

    @functools.cached_property
    def best_texts(self) -> dict[Any, str]:
        """id -> the text of the best span, regardless of the odds of "no answer"."""
        starts, ends = (np.append(self.ranked.spans[name], 0)[self.ranked.best].tolist() for name in ("start", "end"))
        columns = zip(self.data.contexts, starts, ends, self.ranked.made_up.tolist(), strict=True)
        return self._by_id([_MADE_UP if made_up else context[start:end] for context, start, end, made_up in columns])

    def nbest(self) -> dict[Any, list[dict[str, Any]]]:
        """id -> the n best spans, best first, including "no answer" with version_2_with_negative.

        Each has text, start_logit, end_logit and probability (the softmax of their sums, in float64), as in
        nbest_predictions.json of the transformers example.
        """
        ranked, best_of = self.ranked, {}
        rows = ranked.spans.tolist()
        for row in self._answered:
            context, first = self.data.contexts[row], int(ranked.first[row])
            best = [
                {"text": context[start:end], "start_logit": start_logit, "end_logit": end_logit}
                for start, end, start_logit, end_logit in rows[first : first + int(ranked.counts[row])]
            ]
            if ranked.made_up[row]:
                best.insert(0, {"text": _MADE_UP, "start_logit": 0.0, "end_logit": 0.0})
            scores = np.array([span["start_logit"] + span["end_logit"] for span in best])
            powers = np.ones(len(best)) if np.isneginf(scores.max()) else np.exp(scores - scores.max())
            for span, probability in zip(best, (powers / powers.sum()).tolist(), strict=True):
                span["probability"] = probability
            best_of[self.data.ids[row]] = best
        return best_of


def _finite(odds: np.ndarray) -> np.ndarray:
    """Odds in double precision; NaN (-inf minus -inf) counts as an answer: as if "no answer" had no odds."""
    return np.nan_to_num(odds.astype(np.float64), nan=-_LARGEST, posinf=_LARGEST, neginf=-_LARGEST)


def _threshold(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or math.isnan(value):
        raise ValueError(f"null_score_diff_threshold must be a number, got {describe(value)}")
    return float(value)
