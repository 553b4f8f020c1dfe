"""What judges answers: the built-in scorer, a cross-encoder that reads the question, a scorer of pairs, or your judge."""

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.answers import AnswerColumns
from ..core.columns import counted, with_id
from ..core.options import did_you_mean
from ..core.remarks import remark
from ..core.shown import option_text
from ..semantic_answer_similarity.encoders import EncoderScorer, WrongKind, last_name, load_scorer, remark_on_task
from ..semantic_answer_similarity.model_options import BUILT_IN
from ..semantic_answer_similarity.pair_scorers import PairScorer, PairScores
from ..semantic_answer_similarity.pairs import best_scores
from .judges import Judge, JudgedRow, error_in_a_line
from .lite import accept_probabilities

_OTHER_TASKS = re.compile("(?<![a-z])stsb?(?![a-z])|nli(?![a-z])|paraphrase|rerank|ms-?marco|quora", re.IGNORECASE)
_ANSWER_FIRST = re.compile(r"(?<![a-z])bem(?![a-z])|answer[-_]?equivalence", re.IGNORECASE)
_SEPARATOR = "[SEP]"  # of tokenizers that do not say theirs
QUESTION_FIRST, ANSWER_FIRST = INPUT_ORDERS = ("question_gold_answer", "answer_gold_question")


class QuestionEncoder(PairScorer):
    """A cross-encoder that reads question, gold answer and answer, with a separator between, and says whether the answer is right.

    Args:
        encoder: the model.
        accept_label: the name of the output that says so; None for a model with one output.
        input_order: one of `INPUT_ORDERS`. The first of the three is the first segment of the model's input.

    Raises:
        ValueError: the model has no such output, or several and none is named.
    """

    mode = "cross"
    reads_questions = True

    def __init__(self, encoder: EncoderScorer, accept_label: str | None, input_order: str):
        self.encoder, self.input_order = encoder, input_order
        self.name: str = encoder.name
        self.revision: str | None = encoder.revision
        config = getattr(encoder.model.transformers_model, "config", None)
        self.output = accepting_output(
            self.name, getattr(config, "id2label", None) or {}, encoder.outputs, accept_label
        )

    def score(
        self, predictions: Sequence[str], references: Sequence[str], questions: Sequence[str] | None = None
    ) -> PairScores:
        """The sigmoid of the one output, or the softmax of several; a separator inside a text becomes a blank, so no
        answer can be read as two.
        """
        mark = getattr(getattr(self.encoder.model, "tokenizer", None), "sep_token", None) or _SEPARATOR
        questions_read, golds, answers = (
            [text.replace(mark, " ") for text in texts] for texts in (questions or (), references, predictions)
        )
        firsts, lasts = (questions_read, answers) if self.input_order == QUESTION_FIRST else (answers, questions_read)
        behind = [f"{gold} {mark} {last}" for gold, last in zip(golds, lasts, strict=True)]
        if self.output is None:
            return self.encoder.score(firsts, behind)
        logits, truncated = self.encoder.logits(firsts, behind)
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        return PairScores(powers[:, self.output] / powers.sum(axis=1), truncated, np.zeros(len(logits), bool))


def accepting_output(model: str, named: Mapping[int, str], outputs: int, label: str | None) -> int | None:
    """The index of the output with a label; None for a model with one output, which needs no label.

    Example:
        >>> accepting_output("m", {0: "not_equivalent", 1: "equivalent"}, 2, "equivalent"), accepting_output("m", {}, 1, None)
        (1, None)
    """
    names = [str(named.get(index, f"LABEL_{index}")) for index in range(outputs)]
    if outputs == 1 and label is None:
        return None
    if outputs == 1:
        raise ValueError(f"the model {model!r} has one output, which needs no name; omit accept_label={label}")
    if label is None or names.count(label) != 1:
        raise ValueError(
            f"the model {model!r} has {outputs} outputs ({', '.join(names)}); choose the one that means that the answer is "
            f"right{did_you_mean(label or '', names)}: {option_text('accept_label', *names[:5])}"
        )
    return names.index(label)


def load_encoder(
    model: str, revision: str | None, accept_label: str | None, input_order: str | None, **settings: Any
) -> QuestionEncoder:
    """The cross-encoder of a folder or hub id; see `load_scorer` and `QuestionEncoder` for the errors.

    Raises:
        ValueError: also a model that is not a cross-encoder, such as a bi-encoder, which reads one text at a time.
    """
    try:
        encoder: Any = load_scorer(model, revision=revision, mode="cross", for_similarity=False, **settings)
    except WrongKind as error:
        raise ValueError(
            f"{error.what}; give a cross-encoder that was trained to rate question, gold answer and answer "
            f"together, a callable that asks a language model, or model={BUILT_IN}"
        ) from error
    remark_on_task(model, _OTHER_TASKS, "to judge an answer by question and gold answer")
    return QuestionEncoder(encoder, accept_label, input_order or usual_input_order(model))


def usual_input_order(model: str) -> str:
    """The order of texts of a model: the answer first, as BEM reads it, where its name has bem or answer_equivalence in it."""
    return ANSWER_FIRST if _ANSWER_FIRST.search(last_name(model)) else QUESTION_FIRST


def judge_rows(
    scorer: PairScorer | Judge | None,
    columns: AnswerColumns,
    golds: Sequence[Sequence[str]],
    judged: np.ndarray,
    progress: bool | None = None,
) -> PairScores:
    """The verdicts of a scorer (None: the built-in one) on those of n rows that are judged, bool (n,), by their gold answers.

    Probabilities (n,), 0 for other rows and NaN where a judge failed. Questions are None where the scorer is not to read them.
    """
    n = len(columns.ids)
    if isinstance(scorer, PairScorer):
        judged_columns = dataclasses.replace(columns.with_columns(references=list(map(list, golds))), given=judged)
        return PairScores(*best_scores(judged_columns, scorer)[:3])
    rows = np.flatnonzero(judged).tolist()
    answers, their_golds = [columns.predictions[row] for row in rows], [golds[row] for row in rows]
    questions = None if columns.questions is None else [columns.questions[row] for row in rows]
    probabilities = np.zeros(n)
    if scorer is None:
        probabilities[rows] = accept_probabilities(answers, their_golds, questions)
    elif rows:
        texts = zip(questions or [None] * len(rows), map(tuple, their_golds), answers, strict=True)
        names = [f"predictions[{row}]{with_id(columns.ids, row)}" for row in rows]
        verdicts = scorer.verdicts([JudgedRow(*row) for row in texts], names, progress)
        probabilities[rows] = verdicts.probabilities
        if verdicts.last_error is not None:
            remark(
                f"the judge {scorer.name} gave no verdict on {verdicts.failed:,} of {counted(len(rows), 'answers')}, which "
                f"only failed counts; the last error was {error_in_a_line(verdicts.last_error)}"
            )
    return PairScores(probabilities, *np.zeros((2, n), bool))
