"""What judges answers: the built-in scorer, a cross-encoder that reads the question, a scorer of pairs, or a judge of your own."""

import dataclasses
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.answers import AnswerColumns
from ..core.columns import counted, with_id
from ..core.options import did_you_mean
from ..core.remarks import remark
from ..core.shown import option_text
from ..core.text import get_normalizer
from ..semantic_answer_similarity.encoders import CrossEncoderScorer, WrongKind, load_scorer
from ..semantic_answer_similarity.model_options import BUILT_IN
from ..semantic_answer_similarity.pair_scorers import PairScorer, PairScores
from ..semantic_answer_similarity.pairs import answer_pairs, best_scores
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
        accept_label: the name of the accepting output, for a model with several; None for a model with one output.
        input_order: one of `INPUT_ORDERS`. The first of the three is the first segment of the model's input.
    """

    mode = "cross"
    reads_questions = True

    def __init__(self, encoder: CrossEncoderScorer, accept_label: str | None, input_order: str):
        self.encoder, self.accept_label, self.input_order = encoder, accept_label, input_order
        self.name: str = encoder.name
        self.revision: str | None = encoder.revision

    def score(
        self, predictions: Sequence[str], references: Sequence[str], questions: Sequence[str] | None = None
    ) -> PairScores:
        """The sigmoid of the one output, or the softmax of several; a separator inside a text is a blank, so that no
        answer can be read as two.
        """
        mark = getattr(getattr(self.encoder.model, "tokenizer", None), "sep_token", None) or _SEPARATOR
        questions_read, golds, answers = (
            [text.replace(mark, " ") for text in texts] for texts in (questions or (), references, predictions)
        )
        firsts, lasts = (questions_read, answers) if self.input_order == QUESTION_FIRST else (answers, questions_read)
        behind = [f"{gold} {mark} {last}" for gold, last in zip(golds, lasts, strict=True)]
        if self.accept_label is None:
            return self.encoder.score(firsts, behind)
        logits, truncated = self.encoder.logits(firsts, behind)
        place = output_names(self.encoder).index(self.accept_label)
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        return PairScores(powers[:, place] / powers.sum(axis=1), truncated, np.zeros(len(logits), bool))


def output_names(encoder: CrossEncoderScorer) -> list[str]:
    """The names of a model's outputs, as its configuration has them; LABEL_0, LABEL_1, ... if it has none."""
    config = getattr(encoder.model.transformers_model, "config", None)
    named: Mapping[int, str] = getattr(config, "id2label", None) or {}
    return [str(named.get(place, f"LABEL_{place}")) for place in range(encoder.outputs)]


def find_accept_label(model: str, names: Sequence[str], requested: str | None) -> str | None:
    """The name of the output that says that an answer is right; None if the model has one output.

    Args:
        model: its id or folder, for messages.
        names: the names of its outputs.
        requested: the option, which a model with several outputs needs.

    Raises:
        ValueError: the model has no such output, several with this name, or several outputs and none is requested.

    Example:
        >>> find_accept_label("m", ["not_equivalent", "equivalent"], "Equivalent"), find_accept_label("m", ["LABEL_0"], None)
        ('equivalent', None)
    """
    if len(names) == 1:
        if requested is None:
            return None
        raise ValueError(f"the model {model!r} has one output, which needs no name; omit accept_label={requested}")
    found = [name for name in names if requested is not None and name.lower() == requested.lower()]
    if len(found) != 1:
        raise ValueError(
            f"the model {model!r} has {len(names)} outputs ({', '.join(names)}); name the one that says that the answer is "
            f"right{did_you_mean(requested or '', names)}: {option_text('accept_label', *names[:5])}"
        )
    return found[0]


def load_encoder(
    model: str, revision: str | None, accept_label: str | None = None, input_order: str | None = None, **settings: Any
) -> QuestionEncoder:
    """The cross-encoder of a folder or hub id; see `load_scorer` for the errors.

    Args:
        accept_label: see `find_accept_label`.
        input_order: None: the answer first, as BEM reads it, where the name of the model has bem or answer_equivalence in it;
            else the question first.

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
    name = os.path.basename(os.path.abspath(model))
    if _OTHER_TASKS.search(name):
        remark(
            f"the model {model!r} seems to be trained for another task than to judge an answer by question and gold answer; "
            "its scores are then not probabilities that a person accepts the answer"
        )
    label = find_accept_label(model, output_names(encoder), accept_label)
    return QuestionEncoder(
        encoder, label, input_order or (ANSWER_FIRST if _ANSWER_FIRST.search(name) else QUESTION_FIRST)
    )


def judge_rows(
    scorer: PairScorer | Judge | None,
    columns: AnswerColumns,
    golds: Sequence[Sequence[str]],
    judged: np.ndarray,
    progress: bool | None = None,
) -> PairScores:
    """The verdicts of a scorer on some of n rows: probabilities, 0 for other rows and NaN where a judge failed; (n,) each.

    Args:
        scorer: None for the built-in one.
        columns: the n rows; questions are None where the scorer is not to read them.
        golds: the gold answers of each row, none of them blank.
        judged: bool (n,), the rows to judge; each has a gold answer.
        progress: a bar on stderr, of a judge; None: where that is a terminal.
    """
    n = len(columns.ids)
    if isinstance(scorer, PairScorer):
        rows = dataclasses.replace(columns, references=[list(texts) for texts in golds], given=judged)
        return best_scores(answer_pairs(rows, get_normalizer("none")), scorer, raw=True)
    places = np.flatnonzero(judged).tolist()
    answers, their_golds = [columns.predictions[row] for row in places], [golds[row] for row in places]
    questions = None if columns.questions is None else [columns.questions[row] for row in places]
    probabilities = np.zeros(n)
    if scorer is None:
        probabilities[places] = accept_probabilities(answers, their_golds, questions)
    elif places:
        texts = zip(questions or [None] * len(places), map(tuple, their_golds), answers, strict=True)
        names = [f"predictions[{row}]{with_id(columns.ids, row)}" for row in places]
        verdicts = scorer.verdicts([JudgedRow(*row) for row in texts], names, progress)
        probabilities[places] = verdicts.probabilities
        if verdicts.last_error is not None:
            remark(
                f"the judge {scorer.name} gave no verdict on {verdicts.failed:,} of {counted(len(places), 'answers')}, which "
                f"only failed counts; the last error was {error_in_a_line(verdicts.last_error)}"
            )
    return PairScores(probabilities, *np.zeros((2, n), bool))
