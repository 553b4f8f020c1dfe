"""One question in plain Python, without arrays: equal to the last bit to a question of `score_entities`."""

from collections.abc import Callable
from typing import Any

from ..retrieval_ranking.one import one_ranking
from ..retrieval_ranking.scoring import RankingOptions
from .columns import yes_or_no
from .scoring import (
    GOLD_AP,
    SET_MEASURES,
    TEN_AP,
    USUAL_TYPE,
    FactoidOptions,
    divides_by_ten,
    factoid_values,
    list_values,
    normalized_names,
)

_TEXTS = frozenset((str,))


def one_question(options: FactoidOptions) -> Callable[..., dict[str, float] | None] | None:
    """A function of an answer and its gold answer that gives the means among the measures; None if there is no fast path.

    In phase B it takes lists of entities (each a string, or a list of names), or texts with yes or no, and the column
    `question_types`; in phase A lists of documents, all strings. For any other input it returns None.
    """
    if options.phase == "A":
        return _one_list_of_documents(options)
    return None if options.version == 2 else _one_exact_answer(options)


def _one_exact_answer(options: FactoidOptions) -> Callable[..., dict[str, float] | None]:
    usual, first_name = options.question_type or USUAL_TYPE, options.version >= 5

    def score(prediction: Any, gold: Any, question_types: str | None = None) -> dict[str, float] | None:
        kind = usual if question_types is None else question_types
        if kind == "yesno":
            return _yes_or_no_values(prediction, gold)
        if kind == "factoid" and type(gold) is str and gold:
            gold = [gold]
        entities, golds = _entities(prediction), _entities(gold)
        if kind not in ("factoid", "list") or entities is None or not golds:
            return None
        answer = normalized_names([names[:1] for names in entities] if first_name else entities, options)
        golds = normalized_names(golds, options)
        if kind == "list":
            return list_values(answer, golds)
        values = factoid_values(answer, golds, options)
        return {"strict_accuracy": values["strict"], "lenient_accuracy": values["lenient"], "mrr": values["rr"]}

    return score


def _entities(answer: Any) -> list[list[str]] | None:
    """The entities of an answer, each a list of names; None if the answer goes by columns."""
    if type(answer) is not list:
        return None
    entities = []
    for entity in answer:
        if type(entity) is str:
            entities.append([entity])
        elif type(entity) is not list or not _TEXTS.issuperset(map(type, entity)):
            return None
        elif entity:
            entities.append(entity)
    return entities


def _yes_or_no_values(prediction: Any, gold: Any) -> dict[str, float] | None:
    if type(prediction) is not str or type(gold) is not str:
        return None
    right = yes_or_no(gold, "")
    return None if right == "none" else {"yesno_accuracy": float(yes_or_no(prediction, "") == right)}


def _one_list_of_documents(options: FactoidOptions) -> Callable[..., dict[str, float] | None]:
    rank: Any = one_ranking(RankingOptions(measures=(GOLD_AP, TEN_AP, *SET_MEASURES.values())))

    def score(prediction: Any, gold: Any) -> dict[str, float] | None:
        if type(prediction) is not list or type(gold) is not list or not gold:
            return None
        if not _TEXTS.issuperset(map(type, prediction)) or not _TEXTS.issuperset(map(type, gold)):
            return None
        documents = dict.fromkeys(gold)
        ranked = rank([*dict.fromkeys(prediction)], {*documents})
        by_ten = divides_by_ten(options.version, len(documents))
        return {
            **{name: ranked[measure] for name, measure in SET_MEASURES.items()},
            "map": ranked[TEN_AP if by_ten else GOLD_AP],
        }

    return score
