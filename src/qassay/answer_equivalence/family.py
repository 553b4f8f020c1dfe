"""The descriptor of answer_equivalence."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..answer_match.family import TextsTelling
from ..core.examples import Examples, ScoreReason
from ..core.family_telling import ErrorKinds
from ..core.shown import first_names
from ..semantic_answer_similarity.family import AnswerTextsFamily, SimilarityTelling

if TYPE_CHECKING:
    from ..core.file_columns import Gold
    from ..core.scores import Scores
    from .lite import Reason

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


def _are_texts(cells: Sequence[Any]) -> bool:
    """Whether cells are texts, some of them not blank."""
    return all(isinstance(cell, str | None) for cell in cells) and any(cell and cell.strip() for cell in cells)


class EquivalenceTelling(SimilarityTelling):
    """Verdicts on answers, by answerability and by what is wrong."""

    meanings = _MEANINGS
    usual_slices = (*TextsTelling.usual_slices, "error_kind")
    system_slices = (
        *TextsTelling.system_slices,
        "abstained",
        "failed",
        "truncated",
        "clipped",
        "without_question",
        *_KINDS,
    )

    @property
    def errors(self) -> ErrorKinds:
        from .error_kinds import EQUIVALENCE_ERRORS

        return EQUIVALENCE_ERRORS

    def main_measures(self, scores: "Scores") -> list[str]:
        """The mean probability and the share accepted."""
        return [name for name in ("equivalence", "accepted") if name in scores.measures]

    def note_words(self, options: Any) -> Mapping[str, str]:
        return {
            **super().note_words(options),
            "without_question": "judged without the question, which is less certain",
            "failed": "without a verdict, because each call of the judge failed: omitted from the rates",
        }

    def reasons(self, examples: Examples, most: int) -> list[list[ScoreReason]]:
        """What moved the probabilities, of the built-in scorer."""
        from .scoring import strong_reasons

        return [
            [ScoreReason(one.effect, f"{one.feature}: {one.words}") for one in strong_reasons(found)[:most]]
            for found in self._explained(examples)
        ]

    def _explained(self, examples: Examples) -> list[list["Reason"]]:
        from .scoring import explain_answer

        options = examples.scores.options
        questions = examples.gold.details.get("question") if options.use_questions else None
        if options.model != "lite" or options.use_questions and questions is None or not len(examples.rows):
            return [[] for _ in examples.rows]
        golds, answers = self.sides(examples)
        return [
            explain_answer(" ".join(answer), right, questions[place] if questions else None)
            for answer, right, place in zip(answers, golds, examples.places, strict=True)
        ]

    def answer_cells(self, examples: Examples) -> dict[str, tuple[str, list]]:
        """As of answers; with the option `explain` also what moved each probability."""
        cells = super().answer_cells(examples)
        if not examples.scores.options.explain:
            return cells
        from .scoring import reason_texts

        return {**cells, "reasons": ("list<string>", list(map(reason_texts, self._explained(examples))))}


class AnswerEquivalenceFamily(AnswerTextsFamily):
    """Whether a person would accept the answers."""

    name = "answer_equivalence"
    source = "Bulian et al. 2022, Tomayto, Tomahto; trained on the verdicts of EVOUNA, Wang et al. 2023"
    function = "score_equivalence"
    options = "EquivalenceOptions"
    known_as = {
        "bem": "answer_equivalence, whose built-in scorer needs no network; model= takes a cross-encoder of that kind, or a port of BEM",
        "pedants": "answer_equivalence, by its own trees",
        **dict.fromkeys(
            "llm judge,llm_judge,llm as a judge,llm-as-a-judge,llm_as_a_judge,gpt judge,gpt-4 judge,autorater".split(
                ","
            ),
            "answer_equivalence with a callable that asks the model: model=judge",
        ),
        "answer equivalence": "answer_equivalence",
        "evouna": "a data set of verdicts, by which answer_equivalence was trained",
    }
    smallest = (({"predictions": ["a"], "references": [["a"]]}, {"extract": "last_line"}),)
    scores_outputs = True
    # Where similarity is requested too, these are options of its model.
    lone_options = "model", "revision", "dtype", "backend", "max_length", "device", "batch_size", "trust_remote_code"
    reads_questions = True
    page_options = ("threshold", "use_questions", "extract", "unextracted", "missing", "duplicates")
    telling = EquivalenceTelling()

    def gold_of_file(self, gold: "Gold") -> "Gold":
        """Also with the questions."""
        texts = super().gold_of_file(gold)
        if "question" not in gold.details:
            return texts
        return dataclasses.replace(texts, columns={**texts.columns, "questions": gold.details["question"]})

    def remark_of_gold(self, gold: "Gold") -> str | None:
        """The columns that might hold the questions of a table, where none is known to."""
        unused = [name for name, cells in gold.details.items() if _are_texts(cells)]
        if "question" in gold.details or gold.kind != "table" or not unused:
            return None
        if gold.options.get("use_questions") is False:
            return None
        return (
            f"{gold.path}: no column is known to hold the questions, so answers are judged without them; unused: "
            f'{first_names(unused, 8)}; say which with columns={{"question": "NAME"}}'
        )

    def smallest_rows(self, options: Any) -> list[Mapping[str, Any]]:
        """With a question, for scorers that need it, and an answer that no scorer is asked about."""
        return [{"predictions": [""], "references": [["a"]], "questions": ["a"]}]

    def check_questions(self, options: Any, are_given: bool) -> None:
        """The built-in scorer has trees without the question; other scorers mostly read it."""
        from .scoring import check_use_of_questions

        check_use_of_questions(options, are_given)

    def prepare(self, options: Any) -> None:
        """The model, loaded once."""
        from .scoring import scorer_of

        scorer_of(options)

    def score_blank(
        self, references: Sequence, ids: Sequence | None = None, groups: Any = None, *, options: Any
    ) -> "Scores":
        """As elsewhere, with the lite model and without questions: an empty answer goes to no scorer, so none is loaded."""
        names = ("threshold", "extract", "unextracted", "missing", "duplicates")
        same = {name: getattr(options, name) for name in names}
        return super().score_blank(references, ids, groups, options=type(options)(**same))


FAMILY = AnswerEquivalenceFamily()
