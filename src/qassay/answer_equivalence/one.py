"""One answer by the built-in scorer, without a table of examples: equal to the last bit to a row of `score_equivalence`."""

from collections.abc import Callable
from typing import Any

from ..core.one_text import gold_texts, scored_text
from ..core.text_pairs.refusals import declines
from ..semantic_answer_similarity.model_options import BUILT_IN
from .lite import accept_probabilities
from .scoring import UNSURE, EquivalenceOptions, distinct_golds


def one_equivalence(options: EquivalenceOptions) -> Callable[..., dict[str, float] | None] | None:
    """A function of an answer and its gold answers that gives the means among the measures; None if there is no fast path.

    It takes a text, a text or a list of texts, and the column `questions`. For any other input it returns None.
    """
    if options.model != BUILT_IN:
        return None
    least, most = UNSURE

    def score(prediction: Any, gold: Any, questions: str | None = None) -> dict[str, float] | None:
        found, texts = scored_text(prediction, options), gold_texts(gold)
        if found is None or texts is None or (questions is None and options.use_questions):
            return None
        if questions is not None and type(questions) is not str:
            return None
        answer, is_zero = found
        golds, is_blank = distinct_golds(texts), not answer.strip()
        if is_zero:
            probability = 0.0
        elif golds and not is_blank:
            asked = questions if questions and questions.strip() and options.use_questions is not False else None
            probability = accept_probabilities([answer], [golds], None if asked is None else [asked]).item()
        else:
            takes_nothing = not texts or not all(map(str.strip, texts))
            probability = float(takes_nothing and (is_blank or (not golds and declines(answer))))
        accepted = probability >= options.threshold and not is_zero
        return {
            "equivalence": probability,
            "accepted": float(accepted),
            "unsure": float(least <= probability <= most),
        }

    return score
