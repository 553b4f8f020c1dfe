"""Extractive question answering: turns the start and end logits of a model into answers and scores them."""

import dataclasses
import functools
import math
import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.options import check_whole
from ..core.remarks import remark
from ..core.scores import Scores
from ..core.shown import describe
from ..registry import get_family
from .hook import Batch, LoggedMeasures, TrainerMetrics, other_number, processes
from .qa_dataset import QADataset, QAExamples, read_logits
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
        ids = self._data.examples.ids
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
        report = LoggedMeasures(measures, confidence, safe_names)
        report.check([[blank]])
        super().__init__(report, [blank])

    def answers(self, predictions: Any) -> "Answers":
        """The answers for the logits of all features.

        Args:
            predictions: (start logits, end logits), each (features, length), or an object with the attribute
                `predictions`, such as the result of `Trainer.predict`.
        """
        labels = getattr(predictions, "label_ids", None)
        return self._rank(self._spans(Batch(0, getattr(predictions, "predictions", predictions), labels, None), 0))

    def _score(self, parts: list[list[FeatureSpans]]) -> list[Scores]:
        answers = self._rank([spans for part in parts for spans in part])
        return [self._score_texts(answers.best_texts, answers.odds_to_compare())]

    def _score_texts(self, texts: Mapping[Any, Any], null_odds: Mapping[Any, float] | None) -> Scores:
        examples = self._data.examples
        columns: dict[str, Any] = {"predictions": texts, "references": examples.golds, "groups": examples.groups}
        options = dict(self.options)
        if self.version_2_with_negative:
            columns["no_answer_probabilities"] = null_odds
            options["no_answer_threshold"] = self.null_score_diff_threshold
        return _ANSWERS.score_config(self.config_name, columns, options).require_several_groups()

    def _read(self, batch: Batch) -> list[FeatureSpans]:
        return self._spans(batch, self._n)

    def _spans(self, batch: Batch, first: int) -> list[FeatureSpans]:
        """The spans for a batch of logits, which belong to the features from first on."""
        start_logits, end_logits = read_logits(batch.predictions)
        last = first + len(start_logits)
        if last > len(self._data):
            raise ValueError(self._other_number(f"{last:,} features or more", last))
        self._data.check(batch, len(start_logits), start_logits.shape[1], first)
        return self._data.read(start_logits, end_logits, first, self.n_best_size, self.max_answer_length)

    def _other_number(self, features: str, n: int) -> str:
        repeats = "Seq2SeqTrainer repeats rows on several processes: use Trainer; or " if processes() > 1 else ""
        causes = other_number(n, len(self._data))
        return f"there are logits of {features}, but ExtractiveQA has {len(self._data):,}: {repeats}{causes}"

    def _rank(self, parts: list[FeatureSpans]) -> "Answers":
        """The answers for the spans of all features."""
        seen = sum(len(part.counts) for part in parts)
        if seen != len(self._data):
            raise ValueError(self._other_number(f"{seen:,} features", seen))
        ranked = rank_spans(
            FeatureSpans.concat(parts),
            self._data.example_of,
            self._data.examples.context_lengths,
            self.n_best_size,
            self.version_2_with_negative,
        )
        return Answers(self._data.examples, ranked, self.null_score_diff_threshold)


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Answers:
    """The answers of a model to the examples with features; see `ExtractiveQA.answers`.

    Attributes:
        texts: id -> answer, "" for none: what `postprocess_qa_predictions` returns.
        null_odds: id -> the score of "no answer" minus the score of the best span (as in null_odds.json of the
            example); None without version_2_with_negative.
    """

    examples: QAExamples
    spans: RankedSpans
    threshold: float

    def __repr__(self) -> str:
        return f"<Answers to {len(self._present):,} examples>"

    @functools.cached_property
    def _present(self) -> list[int]:
        """The rows of the examples that have features."""
        return list(np.flatnonzero((self.spans.counts > 0) | self.spans.made_up).tolist())

    @functools.cached_property
    def texts(self) -> dict[Any, str]:
        if self.spans.null_odds is None:
            return self.best_texts
        withheld = (self.spans.null_odds > self.threshold)[self._present]
        pairs = zip(self.best_texts.items(), withheld.tolist(), strict=True)
        return {identifier: "" if none else text for (identifier, text), none in pairs}

    @functools.cached_property
    def null_odds(self) -> dict[Any, float] | None:
        if self.spans.null_odds is None:
            return None
        # NaN (-inf minus -inf) counts as an answer: as if "no answer" had no odds.
        odds = np.nan_to_num(self.spans.null_odds.astype(np.float64), nan=-_LARGEST, posinf=_LARGEST, neginf=-_LARGEST)
        return {
            self.examples.ids[row]: odd for row, odd in zip(self._present, odds[self._present].tolist(), strict=True)
        }

    def odds_to_compare(self) -> dict[Any, float] | None:
        """`null_odds` whose comparison with the threshold gives the same result in double precision as in that of the logits."""
        null_odds = self.null_odds
        if null_odds is None:
            return None
        odds: Any = self.spans.null_odds
        equal = (odds == self.threshold)[self._present].tolist()
        return {key: self.threshold if same else odd for (key, odd), same in zip(null_odds.items(), equal, strict=True)}

    @functools.cached_property
    def best_texts(self) -> dict[Any, str]:
        """id -> the text of the best span, regardless of the odds of "no answer"."""
        spans = self.spans
        kept = np.arange(len(spans.empty)) if spans.null_odds is None else np.flatnonzero(~spans.empty)
        owners, indices = np.unique(spans.owners[kept], return_index=True)
        best = kept[indices]
        cuts = zip(spans.starts[best].tolist(), spans.ends[best].tolist(), strict=True)
        cut_of = dict(zip(owners.tolist(), cuts, strict=True))
        texts = {}
        for row in self._present:
            start, end = cut_of.get(row, (0, 0))
            texts[self.examples.ids[row]] = _MADE_UP if spans.made_up[row] else self.examples.contexts[row][start:end]
        return texts

    def nbest(self) -> dict[Any, list[dict[str, Any]]]:
        """id -> the n best spans, best first, including "no answer" with version_2_with_negative.

        Each has text, start_logit, end_logit and probability (the softmax of their sums, in float64), as in
        nbest_predictions.json of the transformers example.
        """
        spans = self.spans
        columns = zip(
            *(part.tolist() for part in (spans.starts, spans.ends, spans.start_logits, spans.end_logits)), strict=True
        )
        rows = list(columns)
        best_of = {}
        for row in self._present:
            context, first = self.examples.contexts[row], int(spans.first[row])
            best = [
                {"text": context[start:end], "start_logit": start_logit, "end_logit": end_logit}
                for start, end, start_logit, end_logit in rows[first : first + int(spans.counts[row])]
            ]
            if spans.made_up[row]:
                best.insert(0, {"text": _MADE_UP, "start_logit": 0.0, "end_logit": 0.0})
            scores = np.array([span["start_logit"] + span["end_logit"] for span in best])
            powers = np.ones(len(best)) if np.isneginf(scores.max()) else np.exp(scores - scores.max())
            for span, probability in zip(best, (powers / powers.sum()).tolist(), strict=True):
                span["probability"] = probability
            best_of[self.examples.ids[row]] = best
        return best_of


def _threshold(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or math.isnan(value):
        raise ValueError(f"null_score_diff_threshold must be a number, got {describe(value)}")
    return float(value)
