"""What tables, documents and pages need to know of claim_support, and how to cite it."""

from typing import TYPE_CHECKING, Any

from ..core.about import SYSTEM_SLICES, USUAL_SLICES, About, ErrorKinds, Texts, all_rates
from ..core.examples import Examples

if TYPE_CHECKING:
    from ..core.scores import Scores

CITATION = """
@misc{pradeep2025great,
    title = {The Great Nugget Recall: Automating Fact Extraction and {RAG} Evaluation with Large Language Models},
    author = {Ronak Pradeep and Nandan Thakur and Shivani Upadhyay and Daniel Campos and Nick Craswell and Jimmy Lin},
    year = {2025},
    eprint = {2504.15068},
    archivePrefix = {arXiv},
}
@misc{ru2024ragchecker,
    title = {{RAGChecker}: A Fine-grained Framework for Diagnosing Retrieval-Augmented Generation},
    author = {Dongyu Ru and Lin Qiu and Xiangkun Hu and Tianhang Zhang and Peng Shi and others},
    year = {2024},
    eprint = {2408.08067},
    archivePrefix = {arXiv},
}
@inproceedings{gao-etal-2023-enabling,
    title = "Enabling Large Language Models to Generate Text with Citations",
    author = "Gao, Tianyu and Yen, Howard and Yu, Jiatong and Chen, Danqi",
    booktitle = "Proceedings of the 2023 Conference on Empirical Methods in Natural Language Processing",
    year = "2023",
}
@misc{wei2024measuring,
    title = {Measuring short-form factuality in large language models},
    author = {Jason Wei and Nguyen Karina and Hyung Won Chung and Yunxin Joy Jiao and Spencer Papay and others},
    year = {2024},
    eprint = {2411.04368},
    archivePrefix = {arXiv},
}
"""
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
_DECISIVE = {"nuggets": "all_score", "claims": "precision", "citations": "citation_recall", "grades": "correct"}


def support_error_kinds(scores: "Scores") -> list[str]:
    """How much of each answer its verdicts support, by all_score, precision, citation_recall or the grade."""
    import numpy as np

    from ..core.slices import first_that_holds

    values, of = scores.columns[_DECISIVE[scores.options.task]], scores.subsets
    withheld = scores.columns.get("not_attempted", np.zeros(len(scores))) == 1
    return first_that_holds(
        {
            "no prediction": of["missing"],
            "nothing to judge": of["empty"],
            "no verdict": np.isnan(values),
            "supported": values == 1,
            "partly supported": values > 0,
            "not attempted": withheld,
        },
        "not supported",
    )


_ERRORS = ErrorKinds(
    {
        "supported": "All that was asked for is supported.",
        "partly supported": "Only a part is supported.",
        "not attempted": "It does not try to answer.",
        "not supported": "Nothing is supported.",
        "nothing to judge": "It has no claim or nugget to judge.",
        "no verdict": "The judge gave no verdict.",
        "no prediction": "There is no prediction.",
    },
    ("supported",),
    support_error_kinds,
)


def _notes(options: Any) -> dict[str, str]:
    unjudged = "counted as not supported" if options.unjudged == "zero" else "omitted from their shares"
    return {
        "unjudged": f"questions with missing verdicts: {unjudged}",
        "empty": "questions without anything to judge: as the official program",
    }


def _texts(examples: Examples) -> Texts:
    """What belongs to the questions, and the verdicts, each as a text."""
    from .shown_verdicts import gold_texts, verdict_texts

    return list(map(gold_texts, examples.references)), list(map(verdict_texts, examples.given))


def _of_preset(scores: "Scores") -> list[str]:
    """The measures of the preset; [] if it names none."""
    preset = scores.options.of_preset
    return [] if preset is None else list(preset.measures)


ABOUT = About(
    meanings=_MEANINGS,
    usual_slices=(*USUAL_SLICES, "unjudged", "empty"),
    system_slices=(*SYSTEM_SLICES, "unjudged", "empty"),
    examples_name="questions",
    errors=_ERRORS,
    usual_measures=lambda scores: _of_preset(scores) or all_rates(scores),
    first_measures=lambda scores: _of_preset(scores) or list(_MAIN[scores.options.task]),  # of the official programs
    notes=_notes,
    texts=_texts,
)
