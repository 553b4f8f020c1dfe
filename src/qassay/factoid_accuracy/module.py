"""factoid_accuracy: strict and lenient accuracy, MRR, list and yes/no measures of BioASQ. The core does the work."""

from datasets import Sequence, Value

from ..core.module import QAMetric
from .family import FAMILY
from .fields import ENTITY_FIELDS, question_rows


class FactoidAccuracy(QAMetric):
    """How well questions are answered with entities, as in BioASQ task B: strict and lenient accuracy and MRR of ranked
    candidates for factoid questions, mean precision, recall and F1 of list questions, accuracy and F1 of yes/no questions,
    equal to the official program to the last digit; and, for phase A, precision, recall, F1, MAP and GMAP of the documents
    found. A whole submission is one call.

    Returns:
        A flat dict of floats (0 to 1, in phase A see the card) and counts: strict_accuracy, lenient_accuracy, mrr,
        list_precision, list_recall, list_f1, yesno_accuracy, yesno_f1_yes, yesno_f1_no, yesno_macro_f1, total,
        factoid_total, list_total, yesno_total, summary_total, missing, unanswered, unmatched and duplicates.

    Examples:
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

    family = FAMILY
    fields = staticmethod(lambda options: ENTITY_FIELDS)
    urls = ("https://github.com/BioASQ/Evaluation-Measures",)
    layouts = (dict.fromkeys(("predictions", "references"), Sequence(Value("string"))),)

    def read_batch(self, columns, options):
        return super().read_batch({name: question_rows(column, name) for name, column in columns.items()}, options)
