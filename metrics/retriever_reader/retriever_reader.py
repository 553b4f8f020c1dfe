"""retriever_reader: documents and answers of a question answering pipeline, judged apart. The core does the work."""

import datasets
import evaluate

from .shim import QAMetric, check_reading_options, pipeline_rows_by_id, score_reading

_DESCRIPTION = """
Where a question answering pipeline fails: at finding the right document or at reading the answer in it. For the
retriever recall (hit rate), mean average precision and mean reciprocal rank; for the reader the twelve measures of the
PIAF project, accuracy, exact match and F1 of the first and of the best of the first k answers, in all and over the
questions with an answer, by character offsets, characters or words; and no-answer accuracy. Takes rows, SQuAD-like gold
answers, and the results of Haystack.
"""

_CITATION = """
@inproceedings{keraron-etal-2020-project,
    title = "Project {PIAF}: Building a Native {F}rench Question-Answering Dataset",
    author = "Keraron, Rachel and Lancrenon, Guillaume and Bras, Mathilde and Allary, Fr{\\'e}d{\\'e}ric and
      Moyse, Gilles and Scialom, Thomas and Soriano-Morales, Edmundo-Pavel and Staiano, Jacopo",
    booktitle = "Proceedings of the Twelfth Language Resources and Evaluation Conference",
    year = "2020",
    pages = "5481--5490",
}
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: a row {"documents": [...], "answers": [...]} per question: ranked document ids (or dicts with "id" and
        "text"), and ranked answers {"text", "document_id", "start", "end"}, or None for no answer; with an "id" or
        without; or a dict from id to row. The results of Haystack are such rows too.
    references: a row {"documents": [...], "answers": [...], "is_impossible": bool} per question, in the same forms: the
        gold documents (left out: those of the gold answers) and gold answers; [] for an unanswerable question.
    ids, weights: optional columns, one entry per question.
    ap_denominator: "num_relevant" or "num_retrieved_relevant".
    denominator: of the reader: "correct_retrievals" or "queries".
    unit: "offset", "character" or "token"; offset where all answers have spans, otherwise character, when left out.
    normalizer: of the texts, as in answer_match.
    top_k: how many ranked answers count; all when left out.
    open_domain: a document is right when it contains a gold answer.
    missing: "zero", "skip" or "error" for a question without a prediction.
    duplicates: "error", "first" or "last" for a question given twice.
    document_field: the field of a document's meta that holds its id.
    per_example: adds the scores of each question.
    level: adds the ends of bootstrap intervals of that level, as <key>_low and <key>_high.
    n_resamples, bootstrap_seed: of those intervals.
    signature: adds the text of all options that change a number.
    counts: adds how many examples each measure rests on, a dict by key; a measure of none is 0.0.

Returns:
    A flat dict of floats (0 to 1; retriever_map can be more in the open domain) and counts.

Examples:
    >>> metric = evaluate.load("./metrics/retriever_reader")
    >>> pipeline = [
    ...     {"documents": ["d2", "d1"], "answers": [{"document_id": "d1", "start": 15, "end": 20}]},
    ...     {"documents": ["d3"], "answers": [None]},
    ... ]
    >>> gold = [
    ...     {"documents": ["d1"], "answers": [{"document_id": "d1", "start": 10, "end": 20}], "is_impossible": False},
    ...     {"documents": ["d3"], "answers": [], "is_impossible": True},
    ... ]
    >>> scores = metric.compute(predictions=pipeline, references=gold)
    >>> scores["retriever_mrr"], scores["reader_top1_em"], round(scores["reader_top1_f1_has_answer"], 4)
    (0.75, 0.5, 0.6667)
"""

_TEXT = datasets.Value("string")
_OFFSET = datasets.Value("int64")
_ANSWERS = [{"text": _TEXT, "document_id": _TEXT, "start": _OFFSET, "end": _OFFSET}]
_OUTPUT = {"documents": datasets.Sequence(_TEXT), "answers": _ANSWERS}


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class RetrieverReader(QAMetric):
    optional = ("references", "ids", "weights")
    core_checks = True

    def _info(self):
        if self.config_name != "default":
            raise ValueError(f"retriever_reader has no config {self.config_name!r}; leave it out")
        gold = {**_OUTPUT, "is_impossible": datasets.Value("bool")}
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=datasets.Features({"predictions": _OUTPUT, "references": gold}),
            reference_urls=["https://github.com/etalab-ia/piaf-ml", "https://github.com/deepset-ai/haystack"],
        )

    def check_options(self, options):
        check_reading_options(options)

    def adapt(self, columns, options):
        return pipeline_rows_by_id(columns)

    def _compute(
        self,
        predictions,
        references=None,
        ids=None,
        weights=None,
        *,
        ap_denominator="num_relevant",
        denominator="correct_retrievals",
        unit=None,
        normalizer=None,
        top_k=None,
        open_domain=False,
        missing="zero",
        duplicates="error",
        document_field=None,
        per_example=False,
        level=None,
        n_resamples=1000,
        bootstrap_seed=0,
        signature=False,
        counts=False,
    ):
        options = check_reading_options(
            {
                "ap_denominator": ap_denominator,
                "denominator": denominator,
                "unit": unit,
                "normalizer": normalizer,
                "top_k": top_k,
                "open_domain": open_domain,
                "missing": missing,
                "duplicates": duplicates,
                "document_field": document_field,
            }
        )
        scores = score_reading(predictions, references, ids, weights, options=options)
        return scores.result(per_example, level, n_resamples, bootstrap_seed, signature, counts)
