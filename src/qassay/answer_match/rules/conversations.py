"""CoQA and QuAC: answers in conversations, compared with the answers of several people, with leave-one-out."""

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...core.answers import AnswerColumns, AnswerKind, Detail
from ...core.errors import InputError
from ...core.groups import to_groups
from ...core.intake import ANYTHING
from ...core.measures import Count, Mean, Measure, Rows
from ...core.presets import Preset
from ...core.ragged import begins_run
from ..token_bags import bag_f1, leave_one_out, reader_of
from . import Rules

CANNOT = "CANNOTANSWER"
_LEAST_AGREEMENT = 0.4  # smallest agreement of people with which a QuAC question counts


def _score_coqa(columns: AnswerColumns, options: Any) -> dict[str, np.ndarray]:
    """Exact match and F1, each leaving one gold answer out, as `evaluate-v1.0.py` of stanfordnlp/coqa-baselines.

    >>> from qassay.answer_match.scoring import score_answers, AnswerMatchOptions
    >>> golds = ["no", "No.", "yes"]
    >>> scores = score_answers(["Yes"], [golds], options=AnswerMatchOptions(preset="coqa"))
    >>> scores.summary(["exact_match", "f1"])
    {'exact_match': 0.6666666666666666, 'f1': 0.6666666666666666}
    """
    read, values = reader_of(options.normalizer), []
    for prediction, golds in zip(columns.predictions, columns.references, strict=True):
        text, tokens = read(prediction)
        pairs = [(float(text == other), _coqa_f1(tokens, others)) for other, others in map(read, golds)]
        values.append([leave_one_out(column) for column in zip(*pairs, strict=True)])
    exact_match, f1 = np.array(values).T
    return {"exact_match": exact_match.copy(), "f1": f1.copy()}


def _coqa_f1(predicted: Sequence[str], gold: Sequence[str]) -> float:
    return bag_f1(predicted, gold) if predicted and gold else float(predicted == gold)


# Texts of conversations, with the dialog acts of the student and the teacher of QuAC.
_QUAC_ANSWERS = AnswerKind(
    gold_details=dict.fromkeys(("dialog", "yesno", "followup"), Detail(ANYTHING)),
    predicted_details=dict.fromkeys(("yesno", "followup"), Detail(ANYTHING)),
)


@dataclasses.dataclass(frozen=True)
class WholeGroups(Measure):
    """The share of groups in which no example has `right` 0. The weight of a group is the mean weight of its examples.

    Attributes:
        right: a column of 0 and 1, NaN if an example does not count.
        group: a column of numbers, equal for the examples of a group.
        example: a column of numbers that are distinct within a group, because resampling merges equal rows.
    """

    right: str
    group: str
    example: str

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.right, self.group, self.example)

    def applies(self, rows: Rows) -> np.ndarray:
        return np.ones(len(rows.weights), bool)

    def value(self, rows: Rows, replicate_counts: np.ndarray) -> np.ndarray:
        if not len(rows.weights):
            return np.full(len(replicate_counts), np.nan)
        group = rows.columns[self.group]
        order = np.argsort(group, kind="stable")
        starts = np.flatnonzero(begins_run(group[order]))
        weights = (replicate_counts * rows.weights)[:, order]
        wrong = weights * (rows.columns[self.right][order] == 0)
        present = np.maximum(np.add.reduceat((weights > 0).astype(np.float64), starts, axis=1), 1.0)
        means = np.add.reduceat(weights, starts, axis=1) / present
        whole = np.add.reduceat(wrong, starts, axis=1) == 0
        with np.errstate(divide="ignore", invalid="ignore"):
            share: np.ndarray = (means * whole).sum(axis=1) / means.sum(axis=1)
        return share


def _quac_measures(columns: Mapping[str, np.ndarray]) -> dict[str, Measure]:
    means: dict[str, Measure] = {name: Mean(name) for name in columns if name not in ("dialog", "question")}
    return {**means, "heq_d": WholeGroups("heq_q", "dialog", "question"), "total": Count(), "missing": Count("missing")}


def _score_quac(columns: AnswerColumns, options: Any) -> dict[str, np.ndarray]:
    """F1 leaving one gold answer out, and whether it is at least human F1, as the scorer of quac.ai.

    Dialogs are the groups if none are given.
    """
    read, values = reader_of(options.normalizer), []
    for prediction, golds in zip(columns.predictions, columns.references, strict=True):
        golds = _quac_golds(golds)
        f1 = leave_one_out([_quac_f1(prediction, gold, read) for gold in golds])
        values.append((f1, _quac_people([read(gold)[1] for gold in golds]), float(golds == [CANNOT])))
    f1, people, unanswerable = np.array(values).T
    dialogs = _quac_dialogs(columns)
    if columns.groups is None:
        columns.columns["groups"] = to_groups(dialogs, columns.ids)
    agreed = people >= _LEAST_AGREEMENT
    counted = agreed | ~columns.given  # the script omits disputed questions, but not questions without a prediction
    scores = {
        "f1": np.where(counted, f1, np.nan),
        "heq_q": np.where(counted, (f1 >= people) & ~columns.zero, np.nan),
        "unfiltered_f1": np.where(columns.zero, 0.0, f1),
        "unanswerable_f1": np.where(unanswerable == 1, f1, np.nan),
        "human_f1": np.where(agreed, people, np.nan),
        "dialog": _name_numbers(dialogs),
        "question": _name_numbers(columns.ids),
    }
    for name in _QUAC_ANSWERS.predicted_details:
        given, gold = columns.predicted_details.get(name), columns.gold_details.get(name)
        if given is not None and gold is None:
            raise InputError("gold_details", f"predicted_details has {name!r}, and gold_details lacks it")
        if given is not None and gold is not None:
            same = [left == right for left, right in zip(given, gold, strict=True)]
            scores[f"{name}_accuracy"] = np.where(counted, ~columns.zero & same, np.nan)
    return scores


def _quac_golds(golds: Sequence[str]) -> list[str]:
    """The answers of the people, or "no answer" if at least half of them say so."""
    spans = [gold for gold in golds if gold != CANNOT]
    return spans if 2 * len(spans) > len(golds) else [CANNOT]


def _quac_f1(prediction: str, gold: str, read: Any) -> float:
    return float(prediction == CANNOT) if gold == CANNOT else bag_f1(read(prediction)[1], read(gold)[1])


def _quac_people(golds: Sequence[Sequence[str]]) -> float:
    """The F1 of people: the best of each against the others, averaged; 1 for a single answer."""
    if len(golds) == 1:
        return 1.0
    total = 0.0
    for index, gold in enumerate(golds):
        total += max(bag_f1(gold, other) for at, other in enumerate(golds) if at != index)
    return total / len(golds)


def _quac_dialogs(columns: AnswerColumns) -> Sequence[Any]:
    names = columns.gold_details.get("dialog")
    if names is not None:
        return names
    texts = list(map(str, columns.ids))
    if not all("_q#" in text for text in texts):
        problem = "quac needs the dialog of each question"
        advice = 'give gold_details={"dialog": [...]}, or ids such as "C_1_q#0"'
        raise InputError("gold_details", f"{problem}; {advice}")
    return [text.partition("_q#")[0] for text in texts]


def _name_numbers(names: Sequence[Any]) -> np.ndarray:
    """A number for each name that is the same in every part of the data: 48 bits of a hash."""
    texts = [str(name).encode("utf-8", "surrogatepass") for name in names]
    numbers = {text: int.from_bytes(hashlib.blake2b(text, digest_size=6).digest(), "big") for text in set(texts)}
    return np.array([numbers[text] for text in texts], np.float64)


COQA_PRESET = Preset(
    name="coqa",
    line="conversations about a text (CoQA): exact match and F1 by the rules of SQuAD 2.0, each against all gold answers "
    "but one, averaged over the omitted one",
    source="stanfordnlp/coqa-baselines, scripts/evaluate-v1.0.py",
    rules=Rules(_score_coqa, references="leave_one_out"),
    measures=("exact_match", "f1"),
    differences="The script rounds to one decimal of a per cent, and also prints the domains: for these, slice by the source of "
    "each story. lm_eval (task coqa) first drops gold answers that differ only in case: for the answer yes and the gold "
    "answers yes, Yes, no the script gives 1, lm_eval 0.5. Questions without gold answers are refused.",
)

QUAC_PRESET = Preset(
    name="quac",
    line="conversations with a teacher (QuAC): F1 against all gold answers but one, and the share of questions (heq_q) and "
    "dialogs (heq_d) with an F1 of at least human F1",
    source="the scorer of quac.ai (copy: my89/co-squac, evals/quac_eval.py)",
    rules=Rules(
        _score_quac,
        _QUAC_ANSWERS,
        references="leave_one_out",
        nothing=frozenset({"", CANNOT.lower()}),
        measures=_quac_measures,
        zero_missing=False,
    ),
    measures=("f1", "heq_q", "heq_d"),
    columns={
        "dialog": "the dialog of each question, unless the ids name it as in C_1_q#0",
        "yesno": "y, n or x of the teacher, predicted and gold",
        "followup": "y, m or n of the teacher, predicted and gold",
    },
    differences="As in the script: a question counts only if people agree with an F1 of 0.4 or more (unfiltered_f1 counts all), but a missing "
    "question always counts; CANNOTANSWER is the gold answer if at least half of the people say so; a dialog without a counting "
    "question is right; two answers without words have F1 0. Without groups, intervals draw whole dialogs.",
)
