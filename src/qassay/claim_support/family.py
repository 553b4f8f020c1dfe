"""The descriptor of claim_support."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..core.examples import Examples
from ..core.family import Family
from ..core.family_telling import ErrorKinds, Sides, Telling

if TYPE_CHECKING:
    from ..core.scores import Scores

_MAIN = {
    "nuggets": ("strict_vital_score", "strict_all_score"),
    "claims": ("precision", "recall", "f1", "faithfulness"),
    "citations": ("citation_recall", "citation_precision"),
    "grades": ("correct", "accuracy_given_attempted", "f1"),
}
_MEANINGS = {
    "strict_vital_score": "nuggets: mean share of the vital nuggets that the answer supports",
    "vital_score": "nuggets: the same, but a partly supported nugget counts half",
    "strict_all_score": "nuggets: mean share of all nuggets that the answer supports",
    "all_score": "nuggets: the same, but a partly supported nugget counts half",
    "strict_weighted_score": "nuggets: mean share of all nuggets that the answer supports, okay nuggets have half the weight",
    "weighted_score": "nuggets: the same, but a partly supported nugget counts half",
    "precision": "claims: mean share of the claims of the response that the gold answer entails",
    "recall": "claims: mean share of the claims of the gold answer that the response entails",
    "f1": "claims: mean of the harmonic means of precision and recall; grades: harmonic mean of correct and "
    "accuracy_given_attempted",
    "claim_recall": "claims: mean share of the claims of the gold answer that a document entails",
    "context_precision": "claims: mean share of the documents that entail a claim of the gold answer",
    "context_utilization": "claims: mean share of the gold claims entailed by a document that the response also entails",
    "noise_sensitivity_in_relevant": "claims: mean share of claims that are wrong and entailed by a document that also "
    "entails a gold claim; lower is better",
    "noise_sensitivity_in_irrelevant": "claims: mean share of claims that are wrong and entailed only by other documents; "
    "lower is better",
    "hallucination": "claims: mean share of claims that are wrong and that no document entails; lower is better",
    "self_knowledge": "claims: mean share of claims that are right and that no document entails; lower is better",
    "faithfulness": "claims: mean share of the claims of the response that a document entails",
    "citation_recall": "citations: mean share of statements that all their citations together entail",
    "citation_precision": "citations: mean share of citations that support their statement and are needed",
    "correct": "grades: share of questions answered right",
    "incorrect": "grades: share of questions answered wrong; lower is better",
    "not_attempted": "grades: share of questions without an attempt; lower is better",
    "accuracy_given_attempted": "grades: share of the attempted questions that were answered right",
    "total": "questions",
    "missing": "questions missing from the predictions",
    "unjudged": "questions with a missing verdict",
    "empty": "questions without anything to judge, such as an answer without claims",
    "verdicts": "required verdicts, given or missing",
    "unjudged_verdicts": "missing verdicts",
}
_CLAIMS: dict[str, Any] = {name: ["Entailment"] for name in ("answer2response", "response2answer")}
_CLAIMS |= {name: [["Entailment"]] for name in ("retrieved2response", "retrieved2answer")}


class VerdictTelling(Telling):
    """Verdicts, by how much of each answer they support."""

    meanings = _MEANINGS
    usual_slices = (*Telling.usual_slices, "unjudged", "empty")
    system_slices = (*Telling.system_slices, "unjudged", "empty")
    examples_name = "questions"

    @property
    def errors(self) -> ErrorKinds:
        from .error_kinds import SUPPORT_ERRORS

        return SUPPORT_ERRORS

    def main_measures(self, scores: "Scores") -> list[str]:
        """The measures that the official program of the task is known for."""
        return list(_MAIN[scores.options.task])

    def note_words(self, options: Any) -> Mapping[str, str]:
        unjudged = "counted as not supported" if options.unjudged == "zero" else "omitted from their shares"
        empty = {"official": "as the official program", "zero": "scored 0", "skip": "omitted"}[options.empty]
        return {
            **super().note_words(options),
            "unjudged": f"questions with missing verdicts: {unjudged}",
            "empty": f"questions without anything to judge: {empty}",
        }

    def sides(self, examples: Examples) -> Sides:
        """What belongs to the questions, and the verdicts, each as a text."""
        from .shown_verdicts import gold_texts, verdict_texts

        return list(map(gold_texts, examples.references)), list(map(verdict_texts, examples.given))


class ClaimSupportFamily(Family):
    """Measures of given verdicts."""

    name = "claim_support"
    source = "AutoNuggetizer (TREC RAG), RAGChecker, ALCE and SimpleQA"
    function = "score_verdicts"
    options = "VerdictOptions"
    known_as = {
        "nugget_recall": "claim_support, whose task nuggets has it: all_score, vital_score and both strict",
        "nuggets": "a task of claim_support",
        "nuggetizer": "the task nuggets of claim_support",
        "autonuggetizer": "the task nuggets of claim_support",
        "trec rag": "the task nuggets of claim_support",
        "ragchecker": "the task claims of claim_support",
        "faithfulness": "a measure of claim_support, task claims",
        "hallucination": "a measure of claim_support, task claims",
        "groundedness": "faithfulness of claim_support, task claims",
        "alce": "the task citations of claim_support",
        "citation_recall": "a measure of claim_support, task citations",
        "citation_precision": "a measure of claim_support, task citations",
        "autoais": "citation_recall of claim_support, task citations",
        "simpleqa": "the task grades of claim_support",
    }
    smallest = (
        ({"predictions": [["support"]], "references": [["vital"]]}, {}),
        ({"predictions": [_CLAIMS]}, {"task": "claims"}),
        ({"predictions": [[{"citations": [1], "entailed": True}]]}, {"task": "citations"}),
        ({"predictions": ["CORRECT"]}, {"task": "grades"}),
    )
    telling = VerdictTelling()


FAMILY = ClaimSupportFamily()
