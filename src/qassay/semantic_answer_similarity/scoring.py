"""semantic_answer_similarity: how close answers are in meaning to gold answers (SAS), by a model or the built-in lite scorer.

The measure follows Risch et al. (2021), "Semantic Answer Similarity for Evaluating Question Answering Models": a
cross-encoder's score of (prediction, gold answer), the best over the gold answers, averaged over the questions.
"""

import dataclasses
import numbers
import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from ..core.answers import AnswerColumns, read_answers, similarity_fields
from ..core.extraction import settle_extraction
from ..core.gold_fingerprints import GoldFingerprints
from ..core.matching import best_of_first
from ..core.measures import Count, Mean, Measure, Share
from ..core.options import check_choice, listed, option, to_ranks
from ..core.scores import Scores
from ..core.shown import shown
from ..core.text import get_normalizer
from .encoders import load_scorer
from .lite import LiteScorer, lite_model
from .model_options import BUILT_IN, ModelOptions
from .pair_scorers import PairScorer
from .pairs import best_scores

DEFAULT_MODEL = "cross-encoder/stsb-roberta-large"
_PINNED = {DEFAULT_MODEL: "2b12c2c0088918e76151fd5937b7bba986ef1f98"}


@dataclasses.dataclass(frozen=True)
class SimilarityOptions(ModelOptions):
    """The options of semantic_answer_similarity.

    Attributes:
        model: the id of a cross- or bi-encoder on the hub, its local folder, "lite" (built in: no network, no torch),
            or a `qassay.semantic_answer_similarity.pair_scorers.PairScorer`.
        mode: "cross" or "bi"; "auto": determined by the model's files.
        raw: use only scores of the model: equal and empty texts also go through the model, as in the numbers of the
            paper.
        symmetric: for a cross-encoder, the mean of both directions, (prediction, gold) and (gold, prediction); other
            scorers are symmetric.
        normalizer: answers that are equal after normalisation score 1: the name of a normaliser, steps such as
            "lower+spaces", or a callable.
        thresholds: a question is right in sas_accuracy@t if its sas is at least t.
        top_k: for ranked answers, the ranks at which the best answer so far is scored, for example (1, 3, 5); None for
            one answer.
    """

    family: ClassVar[str] = "semantic_answer_similarity"
    pointers: ClassVar[Mapping[str, str]] = {
        "accuracy": "write sas_accuracy@0.5, or another threshold of the option thresholds",
        "model_name": "write model=",
        "model_name_or_path": "write model=",
        "threshold": "write thresholds=(0.5,)",
        "norm": "write normalizer=",
        "k": "write top_k=(1, 5) for ranked answers",
    }

    model: str | Any = option(DEFAULT_MODEL, "model", always=True)
    mode: str = option("auto", "mode", always=True, object="model")
    raw: bool = option(False, "raw", always=True)
    symmetric: bool = option(False, "symmetric")
    normalizer: Any = option("squad", "norm", always=True)
    references: str = dataclasses.field(default="max", init=False, metadata={"key": "refs", "always": True})
    thresholds: tuple[float, ...] = (0.5,)
    top_k: tuple[int, ...] | None = option(None, "k")

    def _settle(self):
        self._set(normalizer=get_normalizer(self.normalizer), thresholds=_thresholds(self.thresholds))
        if self.top_k is not None:
            self._set(top_k=to_ranks(self.top_k))
        settle_extraction(self, self.top_k is not None)
        self._settle_model((PairScorer,), lite_model)
        if isinstance(self.model, PairScorer):
            check_choice("mode", self.mode, ("auto", self.model.mode))
            self._set(mode=self.model.mode)
        elif self.model == BUILT_IN:
            check_choice("mode", self.mode, ("auto", BUILT_IN))
            self._refuse(("dtype", "backend", "max_length"), 'model="lite"')
            self._set(mode=BUILT_IN, symmetric=False)  # it is the same in both directions
        else:
            check_choice("mode", self.mode, ("auto", "cross", "bi"))
            if self.revision is None and not os.path.isdir(self.model):
                self._set(revision=_PINNED.get(self.model))


def _thresholds(thresholds: Any) -> tuple[float, ...]:
    values: Any = listed(thresholds)
    for value in values:
        if isinstance(value, bool) or not isinstance(value, numbers.Real) or not 0 <= value <= 1:  # type: ignore[operator]
            raise ValueError(f"thresholds are numbers from 0 to 1, for example (0.5, 0.8); got {shown(value)}")
    return tuple(sorted({float(value) for value in values}))


def scorer_of(options: SimilarityOptions) -> PairScorer:
    """The scorer that the options name; a model is loaded once per process.

    Raises:
        ImportError: torch or sentence-transformers are not installed and the model needs them.
        ValueError, OSError: the model is not available, or does not score how similar two texts are.
    """
    if isinstance(options.model, PairScorer):
        return options.model
    if options.model == BUILT_IN:
        return LiteScorer()
    return load_scorer(options.model, revision=options.revision, mode=options.mode, **options.loading())


def score_similarity(
    predictions: Any,
    references: Any,
    ids: Any = None,
    weights: Any = None,
    questions: Any = None,
    groups: Any = None,
    *,
    options: SimilarityOptions | None = None,
) -> Scores:
    """Score the similarity in meaning between answers and gold answers (Risch et al., 2021).

    Args:
        predictions: n answers (str, "" for no answer); a dict id -> answer; or SQuAD rows `{"id", "prediction_text"}`.
            With `top_k` an answer is a ranked list of texts.
        references: n lists of gold answers ([]: the question has no answer), or a string for every question (its one
            gold answer, "" for none); a dict id -> gold answers; or SQuAD rows `{"id", "answers"}`.
        ids: n unique ids, when the columns are plain lists.
        weights: the weight of each question, n numbers of at least 0.
        questions: n texts, in the order of the references, only for a custom scorer that reads them.
        groups: n labels (str or number), such as the article of each question, or a dict by id: questions of one group are
            not independent, so intervals draw whole groups. None: questions are independent.

    Returns:
        Scores with the column `sas` (float64, 0..1; `sas@k` with `top_k`), the subsets has_answer, no_answer, missing and
        truncated, and the measures sas, sas_accuracy@t, and sas of questions with and without an answer.

    An answer scores the best over its gold answers. Two empty texts score 1, an empty text against another 0, texts that
    are equal when normalised 1; only other pairs go through the model, each distinct one once. A pair's score does not
    depend on the others (beyond 1e-5, by the rounding of batches).

    Raises:
        TypeError, ValueError: naming the row or id and what to do. See `scorer_of` for the errors of models.

    Example:
        >>> lite = SimilarityOptions(model="lite")
        >>> scores = score_similarity(["in Paris", ""], [["Paris, France"], []], options=lite)
        >>> scores.columns["sas"].round(3).tolist()
        [0.677, 1.0]
    """
    options = options or SimilarityOptions()
    given = {"predictions": predictions, "references": references, "questions": questions}
    given |= {"ids": ids, "weights": weights, "groups": groups}
    columns = read_answers(given, similarity_fields(options), options)
    gold = GoldFingerprints.of_texts("gold answers", columns.references)
    scorer = scorer_of(options)
    _check_questions(columns, scorer)
    found = best_scores(
        columns,
        scorer,
        None if options.raw else options.normalizer,
        symmetric=options.symmetric,
        depth=None if options.top_k is None else max(options.top_k),
    )
    ranks = (None,) if options.top_k is None else options.top_k
    per_k = {k: found.scores if k is None else best_of_first(found.scores, found.counts, k) for k in ranks}
    names = {k: "sas" if k is None else f"sas@{k}" for k in per_k}
    return columns.scores(
        columns=columns.settled({names[k]: values for k, values in per_k.items()}),
        subsets={**columns.subsets(), "truncated": found.truncated, "clipped": found.clipped},
        measures=_similarity_measures(names, options.thresholds),
        options=_with_resolved(options, scorer),
        gold=gold,
    )


def _with_resolved(options: SimilarityOptions, scorer: Any) -> SimilarityOptions:
    """The options with values that only the loaded model decides, for the signature."""
    resolved = {
        "mode": scorer.mode,
        "revision": scorer.revision,
        "symmetric": options.symmetric and not scorer.symmetric,
    }
    same = all(getattr(options, name) == value for name, value in resolved.items())
    return options if same else dataclasses.replace(options, **resolved)


def _similarity_measures(names: Mapping[int | None, str], thresholds: Sequence[float]) -> dict[str, Measure]:
    measures: dict[str, Measure] = {}
    for subset in (None, "has_answer", "no_answer"):
        prefix = "" if subset is None else f"{subset}_"
        measures |= {f"{prefix}{name}": Mean(name, subset) for name in names.values()}
        for k, name in names.items():
            rank = "" if k is None else f"@{k}"
            measures |= {f"{prefix}sas_accuracy@{t!r}{rank}": Share(name, subset, least=t) for t in thresholds}
    measures.update(total=Count(), has_answer_total=Count("has_answer"), no_answer_total=Count("no_answer"))
    measures.update({name: Count(name) for name in ("missing", "truncated", "clipped")})
    return measures


def _check_questions(columns: AnswerColumns, scorer: PairScorer) -> None:
    if columns.questions is None and scorer.reads_questions:
        raise ValueError(f"the model {scorer.name} reads the questions too; give the column questions")
    if columns.questions is not None and not scorer.reads_questions:
        raise ValueError(f"the model {scorer.name} does not read questions; omit the column questions")
