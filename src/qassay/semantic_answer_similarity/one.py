"""One answer by the lite scorer without arrays: equal to the last bit to a row of `score_similarity`."""

from collections.abc import Callable, Sequence
from typing import Any

from ..core.one_text import gold_texts, scored_text
from .lite import lite_scores
from .model_options import BUILT_IN
from .scoring import SimilarityOptions


def one_similarity(options: SimilarityOptions) -> Callable[[Any, Any], dict[str, float] | None] | None:
    """A function of an answer and its gold answers that returns the measures that are means; None if there is no fast
    path.

    It takes a text, or with `top_k` a list of texts, and a text or a list of texts. For any other input it returns
    None.
    """
    if options.model != BUILT_IN or options.encoder is not None:
        return None
    normalize, raw = options.normalizer.shortest, options.raw
    ranks, shares = options.top_k, [(f"sas_accuracy@{t!r}", t) for t in options.thresholds]

    def score(prediction: Any, gold: Any) -> dict[str, float] | None:
        golds = gold_texts(gold)
        if golds is None:
            return None
        golds = golds or [""]  # no gold answer: the empty answer is right
        if ranks is None:
            found = scored_text(prediction, options)
            if found is None:
                return None
            answer, is_zero = found
            sas = 0.0 if is_zero else _best_score(answer, golds, normalize, raw)
            return {"sas": sas, **{name: float(sas >= least) for name, least in shares}}
        answers = gold_texts(prediction) if type(prediction) is not str else None
        if not answers:
            return None
        scores = [_best_score(answer, golds, normalize, raw) for answer in answers[: max(ranks)]]
        best = {k: max(scores[:k]) for k in ranks}
        return {f"sas@{k}": value for k, value in best.items()} | {
            f"{name}@{k}": float(value >= least) for k, value in best.items() for name, least in shares
        }

    return score


def _best_score(answer: str, golds: Sequence[str], normalize: Callable[[str], str], raw: bool) -> float:
    """The best score of an answer over its gold answers."""
    if raw:
        return max(lite_scores([answer] * len(golds), golds).tolist())
    same = _what_is_same(answer, normalize)
    if any([same == _what_is_same(gold, normalize) for gold in golds]):
        return 1.0
    filled = [gold for gold in golds if gold.strip()]
    if not answer.strip():
        return float(len(filled) < len(golds))
    return max(lite_scores([answer] * len(filled), filled).tolist(), default=0.0)


def _what_is_same(text: str, normalize: Callable[[str], str]) -> tuple[bool, str]:
    """What texts have in common that are the same answer: the normalised text, or, where that is nothing, the lower-cased one."""
    normalised = normalize(text)
    return (True, normalised) if normalised.strip() else (False, text.strip().lower())
