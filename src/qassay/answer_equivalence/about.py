"""What tables, documents and pages need to know of answer_equivalence, and how to cite it."""

import dataclasses
from typing import TYPE_CHECKING, Any

from ..answer_match.about import TEXTS, answer_cells, answer_texts
from ..core.about import SYSTEM_SLICES, Cells, ErrorKinds
from ..core.examples import Examples, ScoreReason
from ..semantic_answer_similarity.about import ABOUT as SIMILARITY

if TYPE_CHECKING:
    from ..core.scores import Scores
    from .lite import Reason

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
    "refusal": "rejected answers that decline to answer",
    "hedged": "rejected answers that offer alternatives",
    "negated": "rejected answers that negate a gold answer",
    "wrong_number": "rejected answers with a different number, year or month",
    "partial": "other rejected answers that share a word with a gold answer",
    "other_entity": "rejected answers that share no word with a gold answer",
    "unextracted": "predictions in which extract found no answer",
}
_KINDS = ("refusal", "hedged", "negated", "wrong_number", "partial", "other_entity")


def equivalence_error_kinds(scores: "Scores") -> list[str]:
    """What is wrong with each answer of answer_equivalence.

    "accepted"; "no prediction": the system does not have the question; "no verdict": the judge failed; "gave no answer":
    nothing where there is an answer; "answered an unanswerable": something if there is none; and what `rejected_kind`
    says about the others.
    """
    from ..core.slices import first_that_holds
    from .error_kinds import REJECTED_KINDS

    of = scores.subsets
    return first_that_holds(
        {
            "no prediction": of["missing"],
            "no verdict": of["failed"],
            "accepted": scores.columns["accepted"] == 1,
            "answered an unanswerable": of["no_answer"],
            "gave no answer": of["abstained"],
            **{name: of[kind] for kind, name in REJECTED_KINDS.items()},
        },
        "other entity",
    )


_ERRORS = ErrorKinds(
    {
        "accepted": "It means the same as a gold answer.",
        "part of an answer": "It is only a part of a gold answer.",
        "hedged between several answers": "It names several answers and does not decide.",
        "wrong number or date": "Its number or date differs from every gold answer.",
        "other entity": "It names something other than the gold answers.",
        "negated": "It denies a gold answer.",
        "refusal": "It refuses to answer.",
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
    return [
        [ScoreReason(one.effect, f"{one.feature}: {one.words}") for one in found[:most]]
        for found in _explained(examples)
    ]


def _explained(examples: Examples) -> list[list["Reason"]]:
    from .scoring import explain_answer

    options = examples.scores.options
    questions = examples.gold.details.get("question") if options.use_questions else None
    if options.model != "lite" or options.use_questions and questions is None or not len(examples.rows):
        return [[] for _ in examples.rows]
    golds, answers = answer_texts(examples)
    return [
        explain_answer(" ".join(answer), right, questions[place] if questions else None)
        for answer, right, place in zip(answers, golds, examples.gold_rows, strict=True)
    ]


def _cells(examples: Examples) -> Cells:
    """As of answers; with the option `explain` also what moved each probability."""
    cells = answer_cells(examples)
    if not examples.scores.options.explain:
        return cells
    return {**cells, "reasons": ("list<string>", [[*map(str, found)] for found in _explained(examples)])}


ABOUT = dataclasses.replace(
    SIMILARITY,
    meanings=_MEANINGS,
    usual_slices=(*TEXTS.usual_slices, "error_kind"),
    system_slices=(*SYSTEM_SLICES, "abstained", "failed", "truncated", "clipped", "without_question", *_KINDS),
    errors=_ERRORS,
    first_measures=lambda scores: [name for name in ("equivalence", "accepted") if name in scores.measures],
    notes=_notes,
    cells=_cells,
    reasons=_reasons,
)
