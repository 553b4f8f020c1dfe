"""The descriptor of claim_support."""

from typing import Any

from ..core.family import Family
from .about import ABOUT

_CLAIMS: dict[str, Any] = {name: ["Entailment"] for name in ("answer2response", "response2answer")}
_CLAIMS |= {name: [["Entailment"]] for name in ("retrieved2response", "retrieved2answer")}


class ClaimSupportFamily(Family):
    """Measures of given verdicts."""

    name = "claim_support"
    source = "AutoNuggetizer (TREC RAG), RAGChecker, ALCE and SimpleQA"
    function = "score_verdicts"
    options = "VerdictOptions"
    known_as = {
        "nugget_recall": "claim_support, whose task nuggets has it: all_score, vital_score and both strict",
        "nuggetizer": "the task nuggets of claim_support",
        "autonuggetizer": "the task nuggets of claim_support",
        "trec rag": "the task nuggets of claim_support",
        "faithfulness": "a measure of claim_support, task claims",
        "hallucination": "a measure of claim_support, task claims",
        "groundedness": "faithfulness of claim_support, task claims",
        "citation_recall": "a measure of claim_support, task citations",
        "citation_precision": "a measure of claim_support, task citations",
        "autoais": "citation_recall of claim_support, task citations",
    }
    smallest = (
        ({"predictions": [["support"]], "references": [["vital"]]}, {}),
        ({"predictions": [_CLAIMS]}, {"task": "claims"}),
        ({"predictions": [[{"citations": [1], "entailed": True}]]}, {"task": "citations"}),
        ({"predictions": ["CORRECT"]}, {"task": "grades"}),
    )
    about = ABOUT


FAMILY = ClaimSupportFamily()
