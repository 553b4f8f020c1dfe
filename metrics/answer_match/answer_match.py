"""answer_match: exact match and F1 of answers, by the rules of SQuAD 2.0 and others. The core does the work."""

import datasets
import evaluate

from .shim import (
    QAMetric,
    answer_rows_by_id,
    check_answers,
    check_config,
    check_options,
    rows_have_ids,
    score_answers_as,
)

_DESCRIPTION = """
How well answers match gold answers: exact match, token F1, precision, recall and containment, each the best over any
number of gold answers, in all and separately for questions with and without an answer. The default rules are those of
the official SQuAD 2.0 script, to the last digit; other normalisers, units, ranked answers, DROP and HotpotQA are
options.
"""

_CITATION = """
@inproceedings{rajpurkar-etal-2018-know,
    title = "Know What You Don't Know: Unanswerable Questions for {SQ}u{AD}",
    author = "Rajpurkar, Pranav and Jia, Robin and Liang, Percy",
    booktitle = "Proceedings of the 56th Annual Meeting of the Association for Computational Linguistics",
    year = "2018",
    pages = "784--789",
}
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: one answer per question, "" for no answer; or a dict from id to answer; or rows
        {"id", "prediction_text"[, "no_answer_probability"]}; with top_k a ranked list of answers per question; with
        unit="offset" a span (start, end) or None.
    references: a list of gold answers per question, [] for a question without an answer; or rows {"id", "answers"},
        where answers are {"text": [...]}, a list of {"text": ...} or a list of strings; or a dict from id to gold
        answers.
    ids, weights, no_answer_probabilities, predicted_facts, gold_facts: optional columns; see the card.
    task: "answers", "drop" or "hotpotqa".
    normalizer: squad, mlqa:<language>, triviaqa, drop, french, cjk, korquad, bioasq, none, a list of steps, or a
        function.
    unit: "token", "character" or "offset"; the normaliser's own when left out.
    top_k: ranks to score ranked answers at, such as (1, 3, 5).
    empty_gold: what happens to gold answers that normalise to nothing: "drop", "keep" or "error".
    empty_f1: F1 of nothing against nothing, 1.0 or 0.0.
    no_answer_threshold: answers with a higher no-answer probability are withheld.
    missing: "zero", "skip" or "error" for a question without a prediction.
    duplicates: "error", "first" or "last" for an id given twice.
    per_example: adds the scores of each example.
    level: adds the ends of bootstrap intervals of that level, as <key>_low and <key>_high.
    n_resamples, bootstrap_seed: of those intervals.
    signature: adds the text of all options that change a number.
    counts: adds how many examples each measure rests on, a dict by key; a measure of none is 0.0.

Returns:
    A flat dict of floats (0 to 1) and counts. The configs "squad" and "squad_v2" have the keys and the scale (0 to 100)
    of the Hugging Face modules of these names.

Examples:
    >>> metric = evaluate.load("./metrics/answer_match")
    >>> scores = metric.compute(predictions=["in France", "Rome", ""], references=[["France"], ["Rome", "Roma"], []])
    >>> scores["exact_match"], round(scores["f1"], 4), scores["no_answer_f1"]
    (0.6666666666666666, 0.8889, 1.0)
    >>> metric = evaluate.load("./metrics/answer_match", "squad_v2")
    >>> rows = [{"id": "q1", "prediction_text": "in France", "no_answer_probability": 0.0}]
    >>> gold = [{"id": "q1", "answers": {"text": ["France"], "answer_start": [4]}}]
    >>> scores = metric.compute(predictions=rows, references=gold)
    >>> scores["exact"], scores["f1"], scores["total"]
    (0.0, 66.66666666666666, 1)
"""

_TEXT = datasets.Value("string")
_TEXTS = datasets.Sequence(_TEXT)
_ROW = {"id": _TEXT, "prediction_text": _TEXT}
_GOLD = {"id": _TEXT, "answers": datasets.Sequence({"text": _TEXT, "answer_start": datasets.Value("int32")})}
_FEATURES = {
    "squad": {"predictions": _ROW, "references": _GOLD},
    "squad_v2": {"predictions": {**_ROW, "no_answer_probability": datasets.Value("float64")}, "references": _GOLD},
}


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class AnswerMatch(QAMetric):
    optional = ("ids", "weights", "no_answer_probabilities", "predicted_facts", "gold_facts")
    core_checks = True

    def _info(self):
        check_config(self.config_name)
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=datasets.Features(_FEATURES.get(self.config_name, {"predictions": _TEXT, "references": _TEXTS})),
            reference_urls=["https://rajpurkar.github.io/SQuAD-explorer/"],
        )

    def check_options(self, options):
        check_options(options)

    def adapt(self, columns, options):
        return answer_rows_by_id(columns)

    def lengths_may_differ(self, rows):
        return rows_have_ids(rows)

    def check(self, columns, options):
        check_answers(self.config_name, columns, options)

    def _compute(
        self,
        predictions,
        references,
        ids=None,
        weights=None,
        no_answer_probabilities=None,
        predicted_facts=None,
        gold_facts=None,
        *,
        task="answers",
        normalizer=None,
        unit=None,
        top_k=None,
        empty_gold=None,
        empty_f1=None,
        no_answer_threshold=None,
        missing="zero",
        duplicates="error",
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
            "weights": weights,
            "no_answer_probabilities": no_answer_probabilities,
            "predicted_facts": predicted_facts,
            "gold_facts": gold_facts,
        }
        options = {
            "task": task,
            "normalizer": normalizer,
            "unit": unit,
            "top_k": top_k,
            "empty_gold": empty_gold,
            "empty_f1": empty_f1,
            "no_answer_threshold": no_answer_threshold,
            "missing": missing,
            "duplicates": duplicates,
        }
        scores = score_answers_as(self.config_name, columns, options)
        return scores.result(per_example, level, n_resamples, bootstrap_seed, signature, counts)
