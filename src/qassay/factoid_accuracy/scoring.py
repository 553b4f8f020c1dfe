"""factoid_accuracy: strict and lenient accuracy, MRR, list and yes/no measures of BioASQ; entities have synonyms."""

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ..core.answers import remark_on_texts
from ..core.errors import InputError, NothingToScore, about
from ..core.gold_fingerprints import GoldFingerprints
from ..core.intake import PREDICTIONS, REFERENCES, Table
from ..core.measures import Count, Measure
from ..core.options import Options, check_choice, check_whole, differs, option
from ..core.presets import Preset
from ..core.scores import Scores
from ..core.shown import shown
from ..core.text import get_normalizer
from ..retrieval_ranking.scoring import RankingOptions, score_rankings
from .fields import ABSENT, QUESTION_TYPES, documents_of, entities_of, read_questions, yes_or_no
from .measures import LabelF1, MeanInOrder, ShiftedGeometricMean
from .presets import PRESETS

_VERSIONS = (2, 3, 5, 8, 9)
_ANSWERED = ("factoid", "list", "yesno")  # types with an exact answer
_MEANS = {  # measure -> its column
    "strict_accuracy": "strict", "lenient_accuracy": "lenient", "mrr": "rr", "list_precision": "list_precision",
    "list_recall": "list_recall", "list_f1": "list_f1", "yesno_accuracy": "yesno_correct",
}  # fmt: skip
_SET_MEASURES = {"precision": "set_p", "recall": "set_recall", "f1": "set_f"}
_GOLD_AP, _TEN_AP = "map(denominator=num_relevant)", "map(denominator=fixed:10)"


@dataclasses.dataclass(frozen=True)
class FactoidOptions(Options):
    """The options of factoid_accuracy.

    Attributes:
        preset: "bioasq": the rules of the official program where the defaults differ, `top_k=None` and `missing="skip"`.
        phase: "B" scores exact answers, "A" the documents found for each question.
        version: the version of the rules, as the argument -e of the official program: 9 (BioASQ 9 and later), 8, 5
            (BioASQ 5
            to 7), 3 or 2.
        top_k: the number of candidates of a factoid question that count, 5 by the rule of the task; None: all, as in
            the official program.
        normalizer: the name of a normaliser, steps such as "lower+spaces", or a callable: names that are equal after normalisation
            match.
        question_type: the type of questions without one: "factoid", "list", "yesno" or "summary". None: "factoid" for
            plain answers; rows without a type are refused.
        missing: a question missing from the predictions scores 0 ("zero"), is omitted ("skip", as officially in
            version 9 and in phase A) or refused ("error"); it is always counted. None: "zero", in phase A "skip".
        duplicates: for a duplicate question, the "first" or the "last" answer counts, or it is refused ("error").
    """

    family: ClassVar[str] = "factoid_accuracy"
    presets: ClassVar[Mapping[str, Preset]] = PRESETS
    aliases: ClassVar[Mapping[str, str]] = {
        "sacc": "strict_accuracy",
        "lacc": "lenient_accuracy",
    }
    pointers: ClassVar[Mapping[str, str]] = {
        "accuracy": "write strict_accuracy or lenient_accuracy",
        "f1": 'write list_f1, or f1 of documents with phase="A"',
        "norm": "write normalizer=",
        "k": "write top_k=",
        "e": "write version=",
    }

    preset: str | None = option(None, "preset")
    changed: tuple[str, ...] = dataclasses.field(default=(), init=False, metadata={"key": "changed"})
    phase: str = option("B", "phase")
    version: int = option(9, "version", choices=_VERSIONS, always=True)
    top_k: int | None = 5
    # The text of `top_k`: phase A has none.
    cut: str = dataclasses.field(default="", init=False, repr=False, metadata={"key": "k", "option": "top_k"})
    # In phase A it stays the name.
    normalizer: Any = option("bioasq", "norm")
    question_type: str | None = option(None, "type", choices=(*QUESTION_TYPES, None))
    missing: str | None = option(None, choices=("zero", "skip", "error", None), compare=False)
    # The resolved `missing`, kept apart because a copy for the other phase has the default of that phase.
    policy: str = dataclasses.field(
        default="", init=False, repr=False, metadata={"key": "missing", "option": "missing", "always": True}
    )
    duplicates: str = option("first", "duplicates", choices=("first", "last", "error"))

    def _settle(self):
        phase = self.phase.upper() if isinstance(self.phase, str) else self.phase
        self._set(phase=check_choice("phase", phase, ("A", "B")))
        if self.top_k is not None:
            self._set(top_k=check_whole("top_k", self.top_k))
        if self.phase == "A":
            given = (self.top_k, getattr(self.normalizer, "name", self.normalizer), self.question_type)
            defaults = {"top_k": 5 if self.preset is None else None, "normalizer": "bioasq", "question_type": None}
            idle = [
                name for value, (name, default) in zip(given, defaults.items(), strict=True) if differs(value, default)
            ]
            if idle:
                raise ValueError(f"phase 'A' compares documents and does not use the option {idle[0]}; omit it")
        answers = self.phase == "B"
        self._set(cut=str(self.top_k) if answers else "")
        self._set(normalizer=get_normalizer(self.normalizer) if answers else "bioasq")
        self._set(policy=self.missing or ("zero" if answers else "skip"))
        if not answers:  # there is no normaliser to change
            self._set(changed=tuple(name for name in self.changed if name != "normalizer"))


def score_entities(
    predictions: Any,
    references: Any,
    ids: Any = None,
    question_types: Any = None,
    weights: Any = None,
    groups: Any = None,
    *,
    options: FactoidOptions | None = None,
) -> Scores:
    """Score answers that are entities with synonyms, lists of entities, or yes and no, as in BioASQ task B.

    Args:
        predictions: n answers: for a factoid question a ranked list of candidates, for a list question a list of
            entities (`["dog", "cat"]` or `[["dog"], ["cat"]]`), for a yes/no question a string; a dict id -> answer;
            rows of BioASQ `{"id", "exact_answer"}`, which may be a table or a dict of columns; or a whole file
            `{"questions": [...]}`. None is a missing answer. In phase A lists of documents, or rows `{"id",
            "documents"}`.
        references: the same with the gold answers: names of one entity or of several (`["dog", "canine"]`) for a
            factoid question, for a list question a list of names for each entity; rows also have a "type".
        ids: n unique ids, when the columns are plain lists.
        question_types: n times "factoid", "list", "yesno" or "summary" (which has no exact answer and is not scored),
            when no rows bring them.
        weights: the weight of each question of the references, n numbers of at least 0.
        groups: n labels (str or number), such as the article of each question, or a dict by id: questions of one group are
            not independent, so intervals draw whole groups. None: questions are independent.
        options: see `FactoidOptions`.

    Returns:
        Scores with a row per question: for factoid questions the columns strict, lenient and rr, for list questions
        list_precision, list_recall and list_f1, for yes/no questions yesno_correct and gold_yes, NaN elsewhere; in
        phase A ap, precision, recall and f1. The subsets are the types (phase B), missing (not in the predictions) and
        unanswered (with a prediction that contains no readable answer).

    Raises:
        TypeError, ValueError: naming the row or id and what to do.

    Example:
        >>> scores = score_entities([["cat", "Dog"], ["fox"]], [["dog", "canine"], ["fox"]])
        >>> scores.summary(["strict_accuracy", "lenient_accuracy", "mrr"])
        {'strict_accuracy': 0.5, 'lenient_accuracy': 1.0, 'mrr': 0.75}
    """
    options = options or FactoidOptions()
    table = read_questions(
        {
            "predictions": predictions,
            "references": references,
            "ids": ids,
            "question_types": question_types,
            "weights": weights,
            "groups": groups,
        },
        options,
    )
    return (_score_documents if options.phase == "A" else _score_answers)(table, options)


def _settled(table: Table, golds: list[Any], scored: np.ndarray, options: FactoidOptions) -> tuple[Table, list[Any]]:
    """The questions that are not omitted with their gold data, after the policy for missing questions and for those without
    gold data (None or []); notes count what is omitted.

    Args:
        scored: bool (n,), questions that are no summaries.
    """
    without_gold = np.array([not gold for gold in golds], bool) & scored
    absent = scored & ~table.given
    if options.policy == "error" and absent.any():
        found = (
            f"{table.where(REFERENCES, int(np.argmax(absent)))} is not in the predictions ({int(absent.sum())} in all)"
        )
        raise InputError(PREDICTIONS, found, "answer every question, or use the option missing=zero or skip")
    keeps_without_gold = options.phase == "A" and options.version != 9  # missing=skip scores them 0, as the program did
    if options.policy != "skip":
        if without_gold.any():
            what = "documents, so none" if options.phase == "A" else "answer, so no answer"
            found = f"{table.where(REFERENCES, int(np.argmax(without_gold)))} has no gold {what} can be right"
            skip = (
                ", which scores it 0"
                if keeps_without_gold
                else ", which omits it, as the official program does in version 9"
            )
            raise InputError(REFERENCES, found, f"give it one, remove it, or use the option missing=skip{skip}")
        return table, golds
    left_out = absent if keeps_without_gold else absent | without_gold
    no_gold = without_gold & table.given if keeps_without_gold else without_gold
    table.counts["skipped"] = int(np.count_nonzero(left_out & ~no_gold))
    table.counts["no_gold"] = int(np.count_nonzero(no_gold))
    if left_out.all():
        raise NothingToScore(table.counts)
    kept = np.flatnonzero(~left_out)
    return (table.take(kept), [golds[row] for row in kept.tolist()]) if left_out.any() else (table, golds)


# --- phase B: exact answers -------------------------------------------------------------------------------------------


def _score_answers(table: Table, options: FactoidOptions) -> Scores:
    with about(REFERENCES):
        answers = [_gold_entities(table, row) for row in range(len(table.ids))]
    remark_on_texts(table.columns[PREDICTIONS], answers, options.family)
    scored = np.array([kind in _ANSWERED for kind in table.columns["types"]])
    table, answers = _settled(table, answers, scored, options)
    types, systems = table.columns["types"], table.columns[PREDICTIONS]
    columns = {name: np.full(len(types), np.nan) for name in (*_MEANS.values(), "gold_yes")}
    unanswered = np.zeros(len(types), bool)
    table.counts |= {"unreadable_gold": 0} if options.version == 2 else {}
    for row, (kind, gold) in enumerate(zip(types, answers, strict=True)):
        if kind == "summary":
            continue
        if kind == "yesno":
            label = yes_or_no(systems[row], table.where(PREDICTIONS, row))
            values = {"yesno_correct": float(label == gold), "gold_yes": float(gold == "yes")}
            unanswered[row] = label == "none"
        else:
            names = _names(gold or [], kind, options)
            if options.version == 2:
                table.counts["unreadable_gold"] += gold is not None and not names
            found: list[list[str]] = []
            if not isinstance(systems[row], str):  # a text where others are lists is no answer
                found = _names(entities_of(systems[row], table.where(PREDICTIONS, row)), kind, options)
            if options.version >= 5:  # systems no longer gave synonyms
                found = [entity[:1] for entity in found]
            values = _factoid_values(found, names, options) if kind == "factoid" else _list_values(found, names)
            unanswered[row] = not found
        for name, value in values.items():
            columns[name][row] = value
    subsets = {kind: np.array([question_type == kind for question_type in types]) for kind in QUESTION_TYPES}
    subsets["missing"] = ~table.given & ~subsets["summary"]
    subsets["unanswered"] = unanswered & table.given
    prints = GoldFingerprints.of_rows("question type", types) | GoldFingerprints.of_rows(
        "gold answers",
        list(zip(types, answers, strict=True)),
        lambda row: _plain_gold(row[0], row[1], in_order=options.version == 2),
    )
    measures: dict[str, Measure] = {name: MeanInOrder(column) for name, column in _MEANS.items()}
    measures |= {"yesno_f1_yes": LabelF1("yes"), "yesno_f1_no": LabelF1("no"), "yesno_macro_f1": LabelF1()}
    measures |= {"total": Count(), **{f"{kind}_total": Count(kind) for kind in (*_ANSWERED, "summary")}}
    measures |= {name: Count(name) for name in ("missing", "unanswered")}
    return table.scores(options=options, columns=columns, subsets=subsets, measures=measures, gold=prints)


def _plain_gold(kind: str, answer: Any, in_order: bool) -> Any:
    """The part of a gold answer that the score depends on: the names of a factoid as a set, the entities of a list as a bag."""
    if in_order or not isinstance(answer, list):  # version 2 reads other layouts differently, and counts first names
        return answer
    names = [[entity] if isinstance(entity, str) else entity for entity in answer]
    if kind == "factoid":
        return sorted({name for entity in names for name in entity})
    return sorted(sorted(set(entity)) for entity in names if entity)


def _gold_entities(table: Table, row: int) -> Any:
    """The gold answer of a question: "yes" or "no", or its entities; None if it has none."""
    answer, where, kind = table.columns[REFERENCES][row], table.where(REFERENCES, row), table.columns["types"][row]
    if kind == "summary" or answer is ABSENT:
        return None
    if kind == "yesno":
        if isinstance(answer, (list, tuple)) and len(answer) == 1:  # as tables and data sets have gold answers
            (answer,) = answer
        label = yes_or_no(answer, where)
        if label == "none":
            raise ValueError(f"{where} is a yes/no question with the gold answer {shown(answer)}; give yes or no")
        return label
    # One name may be a bare text: predictions that do so are not an answer to the official program.
    if isinstance(answer, str) and kind == "factoid":
        answer = [answer] if answer else []
    entities = entities_of(answer, where)
    return entities if any(entity != [] for entity in entities) else None


def _names(entities: list[list[str] | str], kind: str, options: FactoidOptions) -> list[list[str]]:
    """The normalised names of each entity, without empty entities; [] for a layout that version 2 does not read."""
    # It reads flat lists for factoid questions, and nested ones for lists.
    readable = str if kind == "factoid" else list
    if options.version == 2 and not all(isinstance(entity, readable) for entity in entities):
        return []
    lists = ([entity] if isinstance(entity, str) else entity for entity in entities)
    return [[options.normalizer.shortest(name) for name in names] for names in lists if names]


def _factoid_values(candidates: list[list[str]], gold: list[list[str]], options: FactoidOptions) -> dict[str, float]:
    """strict, lenient and rr of ranked candidates, from normalised names."""
    names = {name for entity in gold for name in entity}
    ranked = candidates[: options.top_k]
    hits = [not names.isdisjoint(candidate) for candidate in ranked]
    first = hits.index(True) + 1 if True in hits else None
    strict = bool(hits) and hits[0]
    if options.version == 2:  # only the first name counts for the strict measure
        strict = bool(ranked) and bool(gold) and ranked[0][0] == gold[0][0]
    return {"strict": float(strict), "lenient": float(first is not None), "rr": 0.0 if first is None else 1.0 / first}


def _list_values(items: list[list[str]], gold: list[list[str]]) -> dict[str, float]:
    """Precision, recall and F1 of a list, from normalised names; gold entities that remain may then match items that matched already."""
    unmatched_gold = _unmatched_entities(gold, items)
    hits = len(gold) - len(unmatched_gold)
    num_missed = len(unmatched_gold) - (len(items) - len(_unmatched_entities(items, unmatched_gold)))
    precision = hits / len(items) if items else 0.0
    recall = hits / (hits + num_missed) if hits else 0.0
    f1 = 2 * precision * recall / (precision + recall) if hits else 0.0
    return {"list_precision": precision, "list_recall": recall, "list_f1": f1}


def _unmatched_entities(groups: list[list[str]], takers: list[list[str]]) -> list[list[str]]:
    """The groups that remain when each taker in turn takes the first remaining group that shares a name with it."""
    indices: dict[str, list[int]] = {}  # of each name, the indices of its groups, the first one last
    for index in reversed(range(len(groups))):
        for name in groups[index]:
            indices.setdefault(name, []).append(index)
    free = [True] * len(groups)
    for taker in takers:
        firsts = []
        for name in taker:
            of_name = indices.get(name, [])
            while of_name and not free[of_name[-1]]:
                of_name.pop()
            firsts += of_name[-1:]
        if firsts:
            free[min(firsts)] = False
    return [group for index, group in enumerate(groups) if free[index]]


# --- phase A: documents -----------------------------------------------------------------------------------------------


def _score_documents(table: Table, options: FactoidOptions) -> Scores:
    with about(REFERENCES):
        golds = _documents(table, REFERENCES)
    table, golds = _settled(table, golds, np.ones(len(golds), bool), options)
    retrieved = _documents(table, PREDICTIONS)
    rules = RankingOptions(measures=(_GOLD_AP, _TEN_AP, "num_rel", *_SET_MEASURES.values()))
    ranked = score_rankings(retrieved, golds, options=rules).columns
    by_ten = _divides_by_ten(options.version, ranked["num_rel"])
    columns = {"ap": np.where(by_ten, ranked[_TEN_AP], ranked[_GOLD_AP])}
    columns |= {name: ranked[measure] for name, measure in _SET_MEASURES.items()}
    measures: dict[str, Measure] = {name: MeanInOrder(name) for name in _SET_MEASURES}
    measures |= {"map": MeanInOrder("ap"), "gmap": ShiftedGeometricMean("ap"), "total": Count()}
    measures |= {name: Count(name) for name in ("missing", "unanswered")}
    unanswered = table.given & np.array([not documents for documents in retrieved])
    return table.scores(
        options=options,
        columns=columns,
        subsets={"missing": ~table.given, "unanswered": unanswered},
        measures=measures,
        gold=GoldFingerprints.of_texts("gold documents", golds),
    )


def _divides_by_ten(version: int, num_gold: Any) -> Any:
    """Whether average precision divides by 10, not by the number of gold documents: version 2 never does, versions 3 and 5
    always, later ones where there are more than 10.
    """
    return version in (3, 5) or (version > 5) & (num_gold > 10)


def _documents(table: Table, side: str) -> list[list[str]]:
    rows = enumerate(table.columns[side])
    return [documents_of(documents, table.where(side, row)) for row, documents in rows]
