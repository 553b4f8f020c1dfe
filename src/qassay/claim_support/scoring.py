"""claim_support: measures of given verdicts on nuggets, claims, citations or whole answers.

Nugget recall is AutoNuggetizer's (TREC RAG), citation recall and precision are ALCE's, the measures of claims are
RAGChecker's, the measures of grades SimpleQA's.
"""

import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core.errors import about
from ..core.gold_fingerprints import GoldFingerprints
from ..core.intake import Table, read
from ..core.measures import Count, Mean, Measure, Total
from ..core.options import Options, option
from ..core.presets import Preset
from ..core.scores import Scores
from .citations import CITATION_MEASURES, score_citations
from .claims import CLAIM_MEASURES, NOISE_MEASURES, read_gold_claims, score_claims
from .fields import verdict_fields
from .grades import GRADE_COLUMNS, GradeF1, score_grade
from .nuggets import NUGGET_MEASURES, have_importances, read_importances, score_nuggets
from .presets import VERDICT_PRESETS
from .words import ASSIGNMENTS, ENTAILMENTS, GRADES, Verdicts, read_texts

_LOWER_IS_BETTER = (*NOISE_MEASURES, "hallucination", "self_knowledge", "incorrect", "not_attempted")
# What a question without a prediction scores under the policy "zero".
_ABSENT = {
    **dict.fromkeys(("hallucination", "self_knowledge", "correct_given_attempted", *NOISE_MEASURES), math.nan),
    "not_attempted": 1.0,
}


class _Task(NamedTuple):
    """The computation of a task on a row of verdicts.

    Attributes:
        words: the words of its verdicts.
        columns: the names of what `score` gives.
        score: verdicts of a question, its gold data and a reader of verdicts -> values.
        read_gold: a row of references and its place -> gold data.
        gold: the words for the gold data in messages.
    """

    words: Mapping[str, float]
    columns: tuple[str, ...]
    score: Callable[..., tuple[float, ...]]
    read_gold: Callable[[Any, str], Any]
    gold: str


VERDICT_TASKS = {
    "nuggets": _Task(ASSIGNMENTS, NUGGET_MEASURES, score_nuggets, read_importances, "nuggets"),
    "claims": _Task(ENTAILMENTS, CLAIM_MEASURES, score_claims, read_gold_claims, "gold claims"),
    "citations": _Task(ENTAILMENTS, CITATION_MEASURES, score_citations, read_texts, "references"),
    "grades": _Task(GRADES, GRADE_COLUMNS, score_grade, read_texts, "references"),
}


@dataclasses.dataclass(frozen=True)
class VerdictOptions(Options):
    """The options of claim_support.

    Attributes:
        task: the subject of the verdicts: "nuggets" (is each nugget of the question in the answer), "claims" (do
            answer, gold
            answer and documents entail each claim), "citations" (do the documents that a statement cites entail it) or
            "grades" (is the whole answer correct, incorrect or not attempted).
        unjudged: a missing verdict is omitted from the shares of its question, which are NaN if none is left ("skip"),
            counts as not supported, as in the official programs ("zero"; a grade: as not attempted), or is refused
            ("error"); it is always counted.
        missing: a question without a prediction is omitted ("skip"), scores 0 ("zero") or is refused ("error"); it is
            always counted. With "zero", measures for which lower is better omit it.
        duplicates: a duplicate id is refused ("error"), or its "first" or "last" row counts.
        preset: the task and the rules of a benchmark by name, as defaults of other options: "simpleqa",
            "longmemeval", "nuggets", "alce", "ragchecker".
    """

    family: ClassVar[str] = "claim_support"
    presets: ClassVar[Mapping[str, Preset]] = VERDICT_PRESETS
    aliases: ClassVar[Mapping[str, str]] = {
        "is_correct": "correct",
        "is_incorrect": "incorrect",
        "is_not_attempted": "not_attempted",
        "citation_rec": "citation_recall",
        "citation_prec": "citation_precision",
        "nugget_recall": "all_score",
    }
    pointers: ClassVar[Mapping[str, str]] = {
        "judge": "it takes existing verdicts; a judge of answers is model= of answer_equivalence",
        "model": "it takes existing verdicts; a judge of answers is model= of answer_equivalence",
        "most_citations": "give the verdicts on the citations that count",
        "at_most_citations": "give the verdicts on the citations that count",
    }

    task: str = option("nuggets", "task", choices=tuple(VERDICT_TASKS), always=True)
    unjudged: str = option("skip", "unjudged", choices=("skip", "zero", "error"))
    missing: str = option("skip", "missing", choices=("skip", "zero", "error"))
    duplicates: str = option("error", "duplicates", choices=("error", "first", "last"))
    preset: str | None = option(None, "preset")
    changed: tuple[str, ...] = dataclasses.field(default=(), init=False, metadata={"key": "changed"})


def score_verdicts(
    predictions: Any,
    references: Any = None,
    ids: Any = None,
    weights: Any = None,
    groups: Any = None,
    *,
    options: VerdictOptions | None = None,
) -> Scores:
    """Score verdicts of people or programs on the answers of a system.

    Args:
        predictions: the verdicts on the answer to each of n questions; a dict id -> verdicts; or rows `{"id", "verdicts"}`.
            Nuggets: a list of "support", "partial_support" or "not_support", or of dicts with `assignment`. Claims: a
            dict of "answer2response" and "response2answer", a verdict ("Entailment", "Neutral", "Contradiction", or True
            and False) per claim of the response and of the gold answer, and "retrieved2response" and "retrieved2answer",
            a list of a verdict per document for each claim. Citations: a list of statements
            `{"citations": [1, 2], "entailed": verdict, "alone": [verdict, ...], "without": [verdict, ...]}`, or
            `{"docs": 5, "statements": [...]}`. Grades: "CORRECT", "INCORRECT" or "NOT_ATTEMPTED". None is a missing
            verdict.
        references: the gold data of the questions; a list, a dict by id, or rows `{"id", "gold"}`. Nuggets: a list of
            "vital" or
            "okay", or of dicts with `importance` and maybe `text`; None if the predictions have these. Claims: the claims
            of the gold answer, a list of texts. Others: the gold answers, a text or a list of texts, which are compared between systems only. None for none.
        ids: n unique ids, when the columns are plain lists.
        weights: the weight of each question, n numbers of at least 0.
        groups: n labels (str or number), such as the topic of each question, or a dict by id: questions of one group are
            not independent, so intervals draw whole groups. None: questions are independent.

    Returns:
        Scores with a column for each measure of the task (0..1; NaN if verdicts or a field of the claims are missing),
        the columns verdicts and unjudged_verdicts (the numbers of all and of missing verdicts), and the subsets
        missing, unjudged and empty. See the card for the measures.

    Raises:
        TypeError, ValueError: the message names the row and what to do; an unknown word, with the known ones.

    Example:
        >>> answers = [["support", "partial_support", "not_support"], ["support", None, "not_support"]]
        >>> scores = score_verdicts(answers, [["vital", "vital", "okay"], ["okay", "okay", "vital"]])
        >>> scores.columns["vital_score"].tolist(), scores.columns["all_score"].tolist(), scores.summary(["unjudged_verdicts"])
        ([0.75, 0.0], [0.5, 0.5], {'unjudged_verdicts': 1})
    """
    options = options or VerdictOptions()
    task = VERDICT_TASKS[options.task]
    given = {"predictions": predictions, "references": references, "ids": ids, "weights": weights, "groups": groups}
    table = read(
        verdict_fields(options),
        given,
        missing=options.missing,
        duplicates=options.duplicates,
    )
    golds = _read_golds(table, task, options, references is not None)
    with about("predictions"):
        values, counts = _scored_rows(table, golds, task, options)
    return table.scores(
        columns={
            **dict(zip(task.columns, values.T.copy(), strict=True)),
            "verdicts": counts[:, 0],
            "unjudged_verdicts": counts[:, 1],
        },
        subsets={
            "missing": ~table.given,
            "unjudged": counts[:, 1] > 0,
            "empty": table.given & (counts[:, 0] == 0),
        },
        measures=verdict_measures(options.task),
        options=options,
        gold=None if golds[0] is None else GoldFingerprints.of_rows(task.gold, golds, _plain_gold),
    )


def _read_golds(table: Table, task: _Task, options: VerdictOptions, are_given: bool) -> list[Any]:
    """What belongs to each question, checked; None in every row if there is none."""
    golds = table.columns["references"]
    with about("references"):
        if not are_given:
            if options.task != "nuggets":
                return golds
            golds = [[] if row is None else row for row in table.columns["predictions"]]
            if not have_importances(golds):
                raise TypeError("references missing: give the importance of each nugget, here or in the predictions")
        return [task.read_gold(value, table.where("references", row)) for row, value in enumerate(golds)]


def _scored_rows(table: Table, golds: list[Any], task: _Task, options: VerdictOptions) -> tuple[np.ndarray, np.ndarray]:
    """The values of the columns of the task for each question, (n, columns); and its verdicts, all and missing, (n, 2)."""
    values = np.tile([_ABSENT.get(name, 0.0) for name in task.columns], (len(golds), 1))
    counts = np.zeros((len(golds), 2))
    for row in np.flatnonzero(table.given).tolist():
        reader = Verdicts(task.words, options.unjudged, table.where("predictions", row))
        values[row] = task.score(table.columns["predictions"][row], golds[row], reader)
        counts[row] = reader.total, reader.missing
    return values, counts


def _plain_gold(gold: Any) -> Any:
    return gold if isinstance(gold, str) else tuple(gold)


def verdict_measures(task: str) -> dict[str, Measure]:
    """The measures of a task: name -> how its column becomes a value."""
    measures: dict[str, Measure] = {
        name: Mean(name, lower_is_better=name in _LOWER_IS_BETTER) for name in VERDICT_TASKS[task].columns
    }
    if task == "grades":
        measures["accuracy_given_attempted"] = measures.pop("correct_given_attempted")
        measures["f1"] = GradeF1()
    counted = {name: Count(name) for name in ("missing", "unjudged", "empty")}
    totals = {name: Total(name) for name in ("verdicts", "unjudged_verdicts")}
    return measures | {"total": Count()} | counted | totals
