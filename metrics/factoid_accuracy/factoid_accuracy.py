"""factoid_accuracy: strict and lenient accuracy, MRR, list and yes/no measures of BioASQ. The core does the work."""

import datasets
import evaluate

from .shim import (
    QAMetric,
    check_entity_config,
    check_entity_options,
    entity_rows_as,
    score_entities_as,
)

_DESCRIPTION = """
How well questions are answered with entities, as in BioASQ task B: strict and lenient accuracy and MRR of ranked
candidates for factoid questions, mean precision, recall and F1 of list questions, accuracy and F1 of yes/no questions,
equal to the official program to the last digit; and, for phase A, precision, recall, F1, MAP and GMAP of the documents
found. A whole submission is one call.
"""

_CITATION = """
@article{tsatsaronis-etal-2015-bioasq,
    title = "An overview of the {BIOASQ} large-scale biomedical semantic indexing and question answering competition",
    author = "Tsatsaronis, George and Balikas, Georgios and Malakasiotis, Prodromos and Partalas, Ioannis and others",
    journal = "BMC Bioinformatics",
    volume = "16",
    number = "138",
    year = "2015",
}
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: for each question its answer: ranked candidates for a factoid question, entities for a list question
        (["dog", "cat"] or [["dog"], ["cat"]]), a text with yes or no; or a dict from id to answer; or the questions of
        a BioASQ file, {"id", "exact_answer"} (a table or a dict of columns too), or that file as a whole.
    references: the same with the gold answers: the names of the entity for a factoid question, for a list question the
        names of each entity; rows of BioASQ have a "type" too.
    ids, question_types, weights: optional columns, one entry per question.
    phase: "B" scores exact answers, "A" lists of documents.
    version: whose rules, the number the official program takes as -e: 9, 8, 5, 3 or 2.
    top_k: candidates of a factoid question that count; None for all, as the official program has it.
    normalizer: what two names must share to be the same: bioasq (case is ignored), squad, mlqa:<language>, triviaqa,
        drop, french, cjk, korquad, none, a list of steps, or a function.
    question_type: of questions whose type is not given; None for factoid, but rows without a type are refused.
    missing: "zero", "skip" or "error" for a question that the predictions do not have.
    duplicates: "first", "last" or "error" for a question that the predictions have twice.
    per_example: adds the scores of each question.
    level: adds the ends of bootstrap intervals of that level, as <key>_low and <key>_high.
    n_resamples, bootstrap_seed: of those intervals.
    signature: adds the text of all options that change a number.
    counts: adds how many examples each measure rests on, a dict by key; a measure of none is 0.0.

Returns:
    A flat dict of floats (0 to 1, in phase A see the card) and counts: strict_accuracy, lenient_accuracy, mrr, list_precision, list_recall,
    list_f1, yesno_accuracy, yesno_f1_yes, yesno_f1_no, yesno_macro_f1, total, factoid_total, list_total, yesno_total,
    summary_total, missing, unanswered, unmatched and duplicates.

Examples:
    >>> metric = evaluate.load("./metrics/factoid_accuracy")
    >>> scores = metric.compute(predictions=[["cat", "Dog"], ["fox"]], references=[["dog", "canine"], ["fox"]])
    >>> scores["strict_accuracy"], scores["lenient_accuracy"], scores["mrr"]
    (0.5, 1.0, 0.75)
    >>> gold = [
    ...     {"id": "q1", "type": "list", "exact_answer": [["oak"], ["elm", "Ulmus"]]},
    ...     {"id": "q2", "type": "yesno", "exact_answer": "yes"},
    ... ]
    >>> system = [{"id": "q1", "exact_answer": [["elm"]]}, {"id": "q2", "exact_answer": "Yes."}]
    >>> scores = metric.compute(predictions=system, references=gold)
    >>> scores["list_precision"], scores["list_recall"], scores["yesno_accuracy"]
    (1.0, 0.5, 1.0)
"""

_TEXTS = datasets.Sequence(datasets.Value("string"))


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class FactoidAccuracy(QAMetric):
    optional = ("ids", "question_types", "weights")
    core_checks = True

    def _info(self):
        check_entity_config(self.config_name)
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=datasets.Features({"predictions": _TEXTS, "references": _TEXTS}),
            reference_urls=["https://github.com/BioASQ/Evaluation-Measures"],
        )

    def check_options(self, options):
        check_entity_options(options)

    def adapt(self, columns, options):
        return entity_rows_as(columns, options)

    def _compute(
        self,
        predictions,
        references,
        ids=None,
        question_types=None,
        weights=None,
        *,
        phase="B",
        version=9,
        top_k=5,
        normalizer="bioasq",
        question_type=None,
        missing=None,
        duplicates="first",
        per_example=False,
        level=None,
        n_resamples=1000,
        bootstrap_seed=0,
        signature=False,
        counts=False,
    ):
        columns = {
            "predictions": predictions,
            "references": references,
            "ids": ids,
            "question_types": question_types,
            "weights": weights,
        }
        options = {
            "phase": phase,
            "version": version,
            "top_k": top_k,
            "normalizer": normalizer,
            "question_type": question_type,
            "missing": missing,
            "duplicates": duplicates,
        }
        scores = score_entities_as(columns, options)
        return scores.result(per_example, level, n_resamples, bootstrap_seed, signature, counts)
