"""What tables, documents and pages need to know of answer_equivalence, and how to cite it."""

import dataclasses
from typing import TYPE_CHECKING, Any

from ..answer_match.about import TEXTS, answer_texts
from ..core.about import SYSTEM_SLICES, ErrorKinds
from ..core.examples import Examples, ScoreReason
from ..semantic_answer_similarity.about import ABOUT as SIMILARITY

if TYPE_CHECKING:
    from ..core.scores import Scores

CITATION = """
@misc{wang2023evaluating,
    title = {Evaluating Open-{QA} Evaluation},
    author = {Cunxiang Wang and Sirui Cheng and Qipeng Guo and Yuanhao Yue and Bowen Ding and Zhikun Xu and Yidong Wang
        and Xiangkun Hu and Zheng Zhang and Yue Zhang},
    year = {2023},
    eprint = {2305.12421},
    archivePrefix = {arXiv},
}
@inproceedings{bulian-etal-2022-tomayto,
    title = "Tomayto, Tomahto. Beyond Token-level Answer Equivalence for Question Answering Evaluation",
    author = {Bulian, Jannis and Buck, Christian and Gajewski, Wojciech and B{\\"o}rschinger, Benjamin and Schuster, Tal},
    booktitle = "Proceedings of the 2022 Conference on Empirical Methods in Natural Language Processing",
    year = "2022",
}
"""
# Subset of rejected answers -> what an error is called, and what such an answer is like; the first that holds.
REJECTED_KINDS = {
    "refusal": ("refusal", "declines to answer"),
    "hedged": ("hedged between several answers", "names several answers and does not decide"),
    "negated": ("negated", "denies a gold answer"),
    "wrong_number": ("wrong number or date", "has a number, year or month, but another one than the gold answers"),
    "partial": ("part of an answer", "shares a word with a gold answer"),
    "other_entity": ("other entity", "shares no word with the gold answers"),
}
_BEST_FIRST = ("partial", "hedged", "wrong_number", "other_entity", "negated", "refusal")
_RATES = {
    "equivalence": "mean probability that a person would accept the answer",
    "accepted": "share of answers whose probability is at least the option threshold (0.5 unless given)",
}
_MEANINGS = {
    **_RATES,
    **{f"has_answer_{name}": f"{meaning}, of questions with an answer" for name, meaning in _RATES.items()},
    "no_answer_equivalence": "share of unanswerable questions that get an empty answer or a refusal",
    "no_answer_accepted": "the same",
    "estimated_acceptance": "share of answers that people would accept, estimated for this system by lite: the mean "
    "probability, corrected for the one thing the scorer cannot know: how good the system is; closer to people than the "
    "mean for systems that are better or worse than the systems in the training data",
    "unsure": "share of answers with a probability from 0.2 to 0.8: people should review these first",
    "total": "questions",
    "has_answer_total": "questions with an answer",
    "no_answer_total": "questions without an answer",
    "missing": "questions missing from the predictions",
    "abstained": "questions with an empty answer of the system",
    "failed": "answers on which a judge gave no verdict, not counted in rates",
    "truncated": "answers that the model truncated",
    "clipped": "answers with a score outside 0 to 1, clipped to this range",
    "without_question": "answers that the scorer judged without the question, which is less certain",
    **{
        kind: f"rejected answers ({name}): such an answer {meaning}" for kind, (name, meaning) in REJECTED_KINDS.items()
    },
    "unextracted": "predictions in which extract found no answer",
}


def equivalence_error_kinds(scores: "Scores") -> list[str]:
    """What is wrong with each answer of answer_equivalence: one of the kinds of `_ERRORS`."""
    from ..core.slices import first_that_holds

    of = scores.subsets
    return first_that_holds(
        {
            "no prediction": of["missing"],
            "no verdict": of["failed"],
            "accepted": scores.columns["accepted"] == 1,
            "answered an unanswerable": of["no_answer"],
            "gave no answer": of["abstained"],
            **{name: of[kind] for kind, (name, _) in REJECTED_KINDS.items()},
        },
        "other entity",
    )


_ERRORS = ErrorKinds(
    {
        "accepted": "It means the same as a gold answer.",
        **{name: f"It {meaning}." for name, meaning in (REJECTED_KINDS[kind] for kind in _BEST_FIRST)},
        "gave no answer": "It is empty, but there is a gold answer.",
        "no verdict": "The judge gave no verdict.",
        "no prediction": "There is no prediction.",
        "answered an unanswerable": "It is an answer, but the question has none.",
    },
    ("accepted",),
    equivalence_error_kinds,
)


def _notes(options: Any) -> dict[str, str]:
    return {
        **SIMILARITY.notes(options),
        "without_question": "judged without the question, which is less certain",
        "failed": "without a verdict, because each call of the judge failed: omitted from the rates",
    }


def _reasons(examples: Examples, most: int) -> list[list[ScoreReason]]:
    """What moved the probabilities, of the built-in scorer."""
    from .lite import explain_answer

    options = examples.scores.options
    questions = examples.gold.details.get("question") if options.use_questions else None
    if options.model != "lite" or options.use_questions and questions is None or not len(examples.rows):
        return [[] for _ in examples.rows]
    golds, answers = answer_texts(examples)
    return [
        explain_answer(" ".join(answer), right, questions[index] if questions else None)[:most]
        for answer, right, index in zip(answers, golds, examples.gold_rows, strict=True)
    ]


ABOUT = dataclasses.replace(
    SIMILARITY,
    meanings=_MEANINGS,
    usual_slices=(*TEXTS.usual_slices, "error_kind"),
    system_slices=(*SYSTEM_SLICES, "abstained", "failed", "truncated", "clipped", "without_question", *REJECTED_KINDS),
    errors=_ERRORS,
    first_measures=lambda scores: [name for name in ("equivalence", "accepted") if name in scores.measures],
    notes=_notes,
    reasons=_reasons,
)
