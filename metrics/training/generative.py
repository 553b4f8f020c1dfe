"""Generative question answering: the tokens a model generates to answers, and to scores."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from karat.core.columns import describe
from karat.core.options import did_you_mean
from karat.core.scores import Scores
from karat.families import get_family
from karat.training.golds import read_golds, score_blank
from karat.training.hook import Report, TrainerMetrics, to_array

_TEXT_METRICS = ("answer_match", "semantic_answer_similarity")


class GenerativeQA(TrainerMetrics):
    """`compute_metrics` for answers that a model writes: `Seq2SeqTrainer` with `predict_with_generate=True`.

    Args:
        tokenizer: of the model; decodes without special tokens. Ids below 0 (-100 pads batches) are padding. So are
            generated ids that the tokenizer does not have, which models may write whose embeddings are padded to a round
            number, as those of T5 are; the notes of the scores count them as `unknown_tokens`.
        references: gold answers for each row of the data set that Trainer evaluates, in its order: strings, lists of
            strings ([]: the question has no answer) or rows of SQuAD's column answers. None: the labels, decoded, one
            gold answer each.
        metrics: "answer_match", "semantic_answer_similarity", several of them, or a dict metric -> options, such as
            {"answer_match": {"normalizer": "french"}, "semantic_answer_similarity": {"model": "lite"}}. A measure that
            an earlier metric has too stands as `<metric>_<measure>`.
        measures: the names of the numbers to report; None for all.
        level, n_resamples, bootstrap_seed: report intervals, `f1_low` and `f1_high`, of that level too.

    Raises:
        TypeError, ValueError: another metric, options or measures it does not have, references that are no answers:
            before the training begins. When called: predictions that are no token ids, another number of them than
            references, labels that the tokenizer does not have.

    Attributes:
        answers: the decoded answers of the last evaluation.
        all_scores: its Scores by metric; `scores` are those of the first one, whose notes have `unknown_tokens`.

    Example:
        >>> class Words:
        ...     pad_token_id = 0
        ...     def batch_decode(self, rows, skip_special_tokens):
        ...         return [" ".join("_ne deux trois".split()[i] for i in row if i) for row in rows]
        >>> compute_metrics = GenerativeQA(Words(), [["deux"], ["trois", "3"]], measures=["exact_match", "f1"])
        >>> from types import SimpleNamespace
        >>> compute_metrics(SimpleNamespace(predictions=np.array([[1, -100], [1, 2]]), label_ids=None))
        {'exact_match': 0.5, 'f1': 0.8333333333333333}
    """

    def __init__(
        self,
        tokenizer: Any,
        references: Any = None,
        *,
        metrics: str | Sequence[str] | Mapping[str, Mapping[str, Any]] = "answer_match",
        measures: Sequence[str] | None = None,
        level: float | None = None,
        n_resamples: int = 1000,
        bootstrap_seed: int = 0,
    ):
        if not hasattr(tokenizer, "batch_decode"):
            raise TypeError(f"tokenizer must have batch_decode, as those of transformers do; got {describe(tokenizer)}")
        if getattr(tokenizer, "pad_token_id", None) is None:
            raise ValueError(
                "the tokenizer has no padding token; set tokenizer.pad_token, for example to its eos_token"
            )
        self.tokenizer = tokenizer
        self.options = _metric_options(metrics)
        self.references = None if references is None else read_golds(references)
        self.answers: list[str] = []
        self.all_scores: dict[str, Scores] = {}
        super().__init__(Report(measures, level, n_resamples, bootstrap_seed))
        # What would fail after the first epoch fails now: the gold answers, options and names of measures.
        golds = [["a"]] if self.references is None else self.references
        self._places({name: score_blank(name, golds, options=chosen) for name, chosen in self.options.items()})

    def _reset(self) -> None:
        self._unknown_tokens = 0
        self._texts: list[str] = []
        self._labels: list[list[str]] = []

    def _add(self, predictions: Any, labels: Any) -> None:
        if isinstance(predictions, (tuple, list)) and predictions:  # the tokens come first
            predictions = predictions[0]
        self._texts += self._decode(predictions, "predictions", len(self._texts))
        if self.references is None:
            if labels is None:
                raise ValueError("there are no labels to compare with; give references to GenerativeQA")
            self._labels += [[text] for text in self._decode(labels, "label_ids", len(self._labels))]

    def _decode(self, ids: Any, name: str, first_row: int) -> list[str]:
        ids = to_array(ids, name)
        if ids.ndim != 2 or ids.dtype.kind not in "iu":
            raise TypeError(
                f"{name} must be token ids of shape (rows, length), got {ids.dtype} of shape {ids.shape}; evaluate with "
                "predict_with_generate=True (Seq2SeqTrainer), or give Trainer a preprocess_logits_for_metrics that takes "
                "the argmax"
            )
        known = len(self.tokenizer) if hasattr(self.tokenizer, "__len__") else np.inf
        unknown = ids >= known
        if unknown.any() and name == "label_ids":  # a tokenizer wrote them, but not this one
            row = int(np.argmax(unknown.any(axis=1)))
            raise ValueError(
                f"{name}[{first_row + row}] has the token {ids[row].max()}, but the tokenizer has {known}; "
                "give the tokenizer of the model"
            )
        self._unknown_tokens += int(unknown.sum())
        ids = np.where((ids < 0) | unknown, self.tokenizer.pad_token_id, ids)
        return [text.strip() for text in self.tokenizer.batch_decode(ids.tolist(), skip_special_tokens=True)]

    def _score(self) -> Scores:
        golds = self._labels if self.references is None else self.references
        if len(golds) != len(self._texts):
            raise ValueError(
                f"there are {len(self._texts):,} predictions, but {len(golds):,} references: GenerativeQA is for the one "
                "data set that its references belong to; make another one for another data set"
            )
        self.answers = self._texts
        self.all_scores = {}
        for name, options in self.options.items():
            function, _ = get_family(name).load()
            self.all_scores[name] = function(self._texts, golds, options=options)
        name, first = next(iter(self.all_scores.items()))
        first = dataclasses.replace(first, notes={**first.notes, "unknown_tokens": self._unknown_tokens})
        self.all_scores[name] = first
        return first

    def _result(self) -> dict[str, float | int]:
        self.scores = self._score()
        found: dict[str, float | int] = {}
        if self.report.measures is None:
            for metric, scores in self.all_scores.items():
                numbers = self.report.numbers(scores)
                found |= {f"{metric}_{name}" if name in found else name: value for name, value in numbers.items()}
            return found
        places = self._places(self.all_scores)
        numbers: dict[tuple[str, str], float | int] = {}
        for metric, scores in self.all_scores.items():
            own = [measure for owner, measure in places.values() if owner == metric]
            if own:
                report = dataclasses.replace(self.report, measures=own)
                numbers |= {(metric, name): value for name, value in report.numbers(scores).items()}
        for ends in (("",), ("_low", "_high")):
            for name, (metric, measure) in places.items():
                found |= {f"{name}{e}": numbers[metric, measure + e] for e in ends if (metric, measure + e) in numbers}
        return found

    def _places(self, all_scores: Mapping[str, Scores]) -> dict[str, tuple[str, str]]:
        """Each number to report -> its metric and the name of its measure there.

        Raises:
            ValueError: a number that there is not.
        """
        there: dict[str, tuple[str, str]] = {}
        for metric, scores in all_scores.items():
            there |= {f"{metric}_{name}" if name in there else name: (metric, name) for name in scores.measures}
        for name in self.report.measures or ():
            if name not in there:
                raise ValueError(f"no measure {name!r}{did_you_mean(name, there)}; there are: {', '.join(there)}")
        return {name: there[name] for name in self.report.measures or ()}


def _metric_options(metrics: Any) -> dict[str, Any]:
    """metric -> its options, checked."""
    if isinstance(metrics, str):
        metrics = [metrics]
    if not isinstance(metrics, Mapping):
        metrics = {name: {} for name in metrics}
    if not metrics:
        raise ValueError(f"metrics is empty; give one or both of: {', '.join(_TEXT_METRICS)}")
    found = {}
    for name, options in metrics.items():
        if name not in _TEXT_METRICS:
            raise ValueError(
                f"no metric of answers {name!r}{did_you_mean(name, _TEXT_METRICS)}; there are: {', '.join(_TEXT_METRICS)}"
            )
        _, kind = get_family(name).load()
        chosen = kind.from_keywords(**options)
        if chosen.top_k is not None:
            raise ValueError("GenerativeQA scores one answer per row; leave the option top_k out")
        found[name] = chosen
    return found
