"""answer_equivalence: would a person accept the answer? The calibrated probability, by the built-in scorer or a judge.

Bulian et al. (2022), "Tomayto, Tomahto. Beyond Token-level Answer Equivalence for Question Answering Evaluation", ask it so:
may the answer take the place of a gold answer to this question.
"""

import dataclasses
import numbers
import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from ..core.answers import read_answers, text_fields
from ..core.errors import InputError
from ..core.extraction import settle_extraction
from ..core.gold_fingerprints import GoldFingerprints
from ..core.measures import Count, Mean, Measure, Share
from ..core.options import option
from ..core.scores import Scores
from ..core.shown import shown
from ..core.text_pairs.dates import MONTHS
from ..core.text_pairs.negation import count_negators
from ..core.text_pairs.numbers import first_is_digit
from ..core.text_pairs.refusals import declines, refuses
from ..core.text_pairs.words import STOP_WORDS, Text, read_text
from ..semantic_answer_similarity.model_options import BUILT_IN, ModelOptions
from ..semantic_answer_similarity.pair_scorers import PairScorer
from .about import REJECTED_KINDS
from .judges import Judge
from .lite import distinct_golds, has_questions, lite_model
from .measures import EstimatedAcceptance, MeanVerdict
from .scorers import INPUT_ORDERS, judge_rows, load_encoder, usual_input_order

UNSURE = (0.2, 0.8)
_OFFERS = re.compile(r"\b(?<!\w\.)or\b| / ", re.IGNORECASE)  # not the initials "O.R."
_OF_MODELS = "dtype backend max_length device batch_size trust_remote_code accept_label input_order".split()


@dataclasses.dataclass(frozen=True)
class EquivalenceOptions(ModelOptions):
    """The options of answer_equivalence.

    Attributes:
        model: "lite" (built in: no network, no torch); a callable `(question, golds, answer) -> probability`, such as a
            language model as a judge, or a `qassay.answer_equivalence.judges.Judge`, which says how to call it; the id
            or folder of a cross-encoder that reads question, gold answer and answer; or a
            `qassay.semantic_answer_similarity.pair_scorers.PairScorer`.
        threshold: accept answers with at least this probability.
        use_questions: whether the scorer reads the questions; None: if there are any. False also ignores given
            questions; lite then uses trees trained without questions.
        accept_label: the name of the output for right answers, for a cross-encoder with several outputs, which needs it:
            the probability is its softmax. A single output is passed through the sigmoid.
        input_order: the order of texts in the input of a cross-encoder, with separators: "question_gold_answer", or
            "answer_gold_question" as in BEM. None: as in BEM if the name of the model contains bem or
            answer_equivalence, else the question first.
    """

    family: ClassVar[str] = "answer_equivalence"
    top_k: ClassVar[None] = None  # one answer for each question
    aliases: ClassVar[Mapping[str, str]] = {"accuracy": "accepted", "acceptance": "accepted"}
    pointers: ClassVar[Mapping[str, str]] = {
        "judge": "write model=, which also takes a callable",
        "scorer": "write model=",
        "model_name": "write model=",
        "model_name_or_path": "write model=",
        "thresholds": "write threshold=0.5",
        "normalizer": "it has none: the scorer reads the answers as they are",
        "top_k": "it judges one answer per question",
    }

    use_questions: bool | None = option(
        None,
        "question",
        choices=(None, False, True),
        always=True,
        advice="give the column questions to all or to none",
    )
    accept_label: str | None = option(None, "label")
    input_order: str | None = option(None, "order", choices=(None, *INPUT_ORDERS))
    threshold: float = option(0.5, "threshold")

    def _settle(self):
        settle_extraction(self)
        value = self.threshold
        if isinstance(value, bool) or not isinstance(value, numbers.Real) or not 0 <= value <= 1:
            raise ValueError(f"option threshold is a number from 0 to 1, got {shown(value)}")
        self._set(threshold=float(value))
        self._check_texts("accept_label")
        if callable(self.model) and not isinstance(self.model, (PairScorer, Judge)):
            self._set(model=Judge(self.model, retries=0))
        self._settle_model((PairScorer, Judge), lite_model)
        is_own = isinstance(self.model, (PairScorer, Judge))
        if is_own and self.model.name == BUILT_IN:
            raise ValueError(f"the scorer has the name of the built-in one, {BUILT_IN!r}; give it another name")
        if is_own or self.model == BUILT_IN:
            self._refuse(_OF_MODELS, f"the scorer {self.model.name}" if is_own else 'model="lite"')
        else:
            self._set(input_order=self.input_order or usual_input_order(self.model))


def scorer_of(options: EquivalenceOptions) -> PairScorer | Judge | None:
    """The scorer named by the options, None for the built-in one; a model is loaded once per process.

    Raises:
        ImportError: torch or sentence-transformers are not installed and the model needs them.
        ValueError, OSError: the model is not available, or is not a cross-encoder.
    """
    if isinstance(options.model, (PairScorer, Judge)):
        return options.model
    if options.model == BUILT_IN:
        return None
    return load_encoder(options.model, options.revision, options.accept_label, options.input_order, **options.loading())


def score_equivalence(
    predictions: Any,
    references: Any,
    ids: Any = None,
    weights: Any = None,
    questions: Any = None,
    groups: Any = None,
    *,
    options: EquivalenceOptions | None = None,
) -> Scores:
    """Score answers by the probability that a person would accept them, given the question and the gold answers.

    Args:
        predictions, references, ids, weights, groups: as in `score_similarity`, without ranked answers.
        questions: n texts, in the order of the references, or a dict by id. None: the scorer without questions is used, which is less
            accurate; the signature says so. "" or None in it: this answer is judged without a question and counted as
            without_question.

    Returns:
        Scores with the columns `equivalence` (float64, 0 to 1, the probability) and `accepted` (1.0 if it is at least
        the threshold, else 0.0), both NaN if a judge failed; the subsets has_answer, no_answer, missing, failed, truncated,
        clipped, without_question, abstained and the kinds of answers that were not accepted; and the measures equivalence
        and accepted, also of questions with and without an answer, unsure and, with model="lite", estimated_acceptance.

    For a question without an answer, an empty answer and a refusal ("I don't know") score 1.0, and any other answer
    0.0; for a question with an answer, an empty answer scores 0.0. Only other answers go to the scorer.

    Raises:
        TypeError, ValueError: naming the row or id and what to do. See `judge_of` for the errors of models.

    Example:
        >>> answers, golds = ["It is Paris.", "It is Lyon.", "I don't know."], [["Paris"], ["Paris"], []]
        >>> scores = score_equivalence(answers, golds, questions=["what is the capital of France?"] * 3)
        >>> scores.columns["accepted"].tolist()
        [1.0, 0.0, 1.0]
    """
    options = options or EquivalenceOptions()
    given = {"predictions": predictions, "references": references, "ids": ids, "weights": weights, "groups": groups}
    columns = read_answers({**given, "questions": questions}, text_fields(options), options)
    gold = GoldFingerprints.of_texts("gold answers", columns.references)
    reads_questions = check_use_of_questions(options, columns.questions is not None)
    scorer = scorer_of(options)
    if not reads_questions:
        columns = columns.with_columns(questions=None)
    elif columns.questions is not None:
        gold |= GoldFingerprints.of_texts("questions", [[question] for question in columns.questions])
    n = len(columns.ids)
    golds = list(map(distinct_golds, columns.references))
    has_gold = np.fromiter(map(bool, golds), bool, n)
    takes_blank = np.fromiter((not row or not all(map(str.strip, row)) for row in columns.references), bool, n)
    is_blank = np.fromiter((not text.strip() for text in columns.predictions), bool, n)
    declined = np.zeros(n, bool)
    for row in np.flatnonzero(columns.given & ~has_gold).tolist():
        declined[row] = declines(columns.predictions[row])
    judged = columns.given & has_gold & ~is_blank
    found = judge_rows(scorer, columns, golds, judged, options.progress)
    is_right_without = columns.given & takes_blank & (is_blank | declined)
    probabilities = np.where(judged, found.scores, is_right_without.astype(np.float64))
    failed = np.isnan(probabilities)
    accepted = np.where(failed, np.nan, probabilities >= options.threshold)
    subsets = columns.subsets()
    rejected = columns.given & subsets["has_answer"] & ~is_blank & (accepted == 0)
    return columns.scores(
        columns=columns.settled({"equivalence": probabilities, "accepted": accepted}),
        subsets={
            **subsets,
            "abstained": columns.given & is_blank,
            "failed": failed,
            "truncated": found.truncated,
            "clipped": found.clipped,
            "without_question": judged & ~has_questions(columns.questions, n),
            **kind_masks(columns.predictions, golds, rejected),
        },
        measures=_equivalence_measures(options),
        options=dataclasses.replace(
            options, use_questions=reads_questions, revision=scorer.revision if scorer else options.revision
        ),
        gold=gold,
    )


def check_use_of_questions(options: EquivalenceOptions, are_given: bool) -> bool:
    """Whether the scorer is given the questions.

    Raises:
        ValueError: it requires questions, but there are none or they are to be omitted; or it reads none but should.
    """
    requested, name, is_lite = options.use_questions, options.model, options.model == BUILT_IN
    if isinstance(options.model, (PairScorer, Judge)):
        name = options.model.name
        if not options.model.reads_questions:
            if requested:
                raise ValueError(f"the scorer {name} does not read questions; omit use_questions")
            return False
    if not is_lite and requested is False:
        raise ValueError(f"the scorer {name} needs questions; omit use_questions")
    if not are_given and (requested or not is_lite):
        which = "use_questions=True" if is_lite else f"the scorer {name}"
        without = ", or Judge(..., reads_questions=False)" if isinstance(options.model, Judge) else ""
        raise InputError("questions", f"{which} needs the questions too; give the column questions{without}")
    return are_given and requested is not False


def _equivalence_measures(options: EquivalenceOptions) -> dict[str, Measure]:
    measures: dict[str, Measure] = {}
    for subset in (None, "has_answer", "no_answer"):
        prefix = "" if subset is None else f"{subset}_"
        measures[f"{prefix}equivalence"] = MeanVerdict("equivalence", subset)
        measures[f"{prefix}accepted"] = Mean("accepted", subset)
    if options.model == BUILT_IN:
        measures["estimated_acceptance"] = EstimatedAcceptance("equivalence", lite_model()["accepted"])
    measures["unsure"] = Share("equivalence", lower_is_better=True, least=UNSURE[0], most=UNSURE[1])
    measures.update(total=Count(), has_answer_total=Count("has_answer"), no_answer_total=Count("no_answer"))
    return measures | {
        name: Count(name)
        for name in ("missing", "abstained", "failed", "truncated", "clipped", "without_question", *REJECTED_KINDS)
    }


def rejected_kind(answer: str, golds: Sequence[str]) -> str:
    """The kind of an answer that was not accepted, one of `REJECTED_KINDS`: the first that holds.

    Example:
        >>> [rejected_kind(answer, ["May 1911"]) for answer in ("in 1903", "I don't know.", "not in May 1911", "Marie Curie")]
        ['wrong_number', 'refusal', 'negated', 'other_entity']
    """
    if refuses(answer):
        return "refusal"
    if _OFFERS.search(answer) and not any(map(_OFFERS.search, golds)):
        return "hedged"
    text, gold_texts = read_text(answer), [*map(read_text, golds)]
    stems = {*text.stems}
    if any(stems.issuperset(gold.stems) and count_negators(text) > count_negators(gold) for gold in gold_texts):
        return "negated"
    counts, gold_counts = _counts(text), [found for gold in gold_texts if (found := _counts(gold))]
    if gold_counts and counts and not any(map(counts.issuperset, gold_counts)):
        return "wrong_number"
    content = stems.difference(STOP_WORDS) or stems
    return "other_entity" if content.isdisjoint(stem for gold in gold_texts for stem in gold.stems) else "partial"


def _counts(text: Text) -> set[str]:
    """Numbers and months."""
    return {word for word in text.words if word in MONTHS or first_is_digit(word)}


def kind_masks(answers: Sequence[str], golds: Sequence[Sequence[str]], rejected: np.ndarray) -> dict[str, np.ndarray]:
    """`REJECTED_KINDS` -> which of n answers have that kind, bool (n,); only `rejected` answers have a kind."""
    rows = np.flatnonzero(rejected).tolist()
    kinds = np.full(len(answers), "", dtype="U12")
    kinds[rows] = [rejected_kind(answers[row], golds[row]) for row in rows]
    return {kind: kinds == kind for kind in REJECTED_KINDS}
