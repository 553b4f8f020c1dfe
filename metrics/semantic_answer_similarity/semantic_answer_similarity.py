"""semantic_answer_similarity: how close answers are in meaning to gold answers (SAS). The core does the work."""

import datasets
import evaluate

from .shim import QAMetric, SimilarityOptions, answer_rows_by_id, check_similarity_rows, rows_have_ids, score_similarity

_DESCRIPTION = """
How close answers are in meaning to gold answers: the score of a cross-encoder (SAS, Risch et al. 2021), the cosine of a
bi-encoder, or the built-in lite scorer that needs neither network nor torch; each the best over any number of gold
answers, from 0 to 1, with the share of answers above a threshold, and in all and separately for questions with and
without an answer.
"""

_CITATION = """
@inproceedings{risch-etal-2021-semantic,
    title = "Semantic Answer Similarity for Evaluating Question Answering Models",
    author = {Risch, Julian and M{\\"o}ller, Timo and Gutsch, Julian and Pietsch, Malte},
    booktitle = "Proceedings of the 3rd Workshop on Machine Reading for Question Answering",
    year = "2021",
    pages = "149--157",
}
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: one answer per question, "" for no answer; or a dict from id to answer; or rows
        {"id", "prediction_text"}; with top_k a ranked list of answers per question.
    references: a list of gold answers per question, [] for a question without an answer; or rows {"id", "answers"},
        where answers are {"text": [...]}, a list of {"text": ...} or a list of strings; or a dict from id to gold
        answers.
    ids, weights, questions: optional columns; see the card.
    model: the id of a cross- or bi-encoder, its local folder, or "lite".
    revision: of the model on the hub.
    mode: "auto", "cross" or "bi".
    encoder, encoder_revision: for model="lite", a bi-encoder whose cosines it uses too.
    raw: scores of the model only, no shortcuts for equal and empty texts.
    symmetric: the mean of both directions.
    normalizer: under which equal answers are the same: squad, mlqa:<language>, french, cjk, none, ...
    thresholds: of sas_accuracy@t, such as (0.5, 0.8).
    top_k: ranks to score ranked answers at, such as (1, 3, 5).
    missing: "zero", "skip" or "error" for a question without a prediction.
    duplicates: "error", "first" or "last" for an id given twice.
    dtype: "float32", "bfloat16" or "float16".
    backend: "torch", "onnx" or "openvino".
    max_length: tokens the model sees.
    device, batch_size, num_threads, trust_remote_code, progress: how the model runs.
    per_example: adds the scores of each example.
    level: adds the ends of bootstrap intervals of that level, as <key>_low and <key>_high.
    n_resamples, bootstrap_seed: of those intervals.
    signature: adds the text of all options that change a number, with the model, its revision and its mode.
    counts: adds how many examples each measure rests on, a dict by key; a measure of none is 0.0.

Returns:
    A flat dict of floats (0 to 1) and counts: sas, sas_accuracy@0.5, has_answer_sas, no_answer_sas, ...

Examples:
    >>> metric = evaluate.load("./metrics/semantic_answer_similarity", model="lite")
    >>> scores = metric.compute(predictions=["30 percent", "Rome"], references=[["thirty percent"], ["Rome", "Roma"]])
    >>> 0.75 < scores["sas"] < 1, scores["total"]
    (True, 2)
"""

_TEXT = datasets.Value("string")


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class SemanticAnswerSimilarity(QAMetric):
    optional = ("ids", "weights", "questions")
    core_checks = True

    def _info(self):
        if self.config_name != "default":
            raise ValueError(f"semantic_answer_similarity has no config {self.config_name!r}; leave it out")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=datasets.Features({"predictions": _TEXT, "references": datasets.Sequence(_TEXT)}),
            reference_urls=["https://aclanthology.org/2021.mrqa-1.15"],
        )

    def check_options(self, options):
        SimilarityOptions.from_some(options)

    def adapt(self, columns, options):
        return answer_rows_by_id(columns)

    def lengths_may_differ(self, rows):
        return rows_have_ids(rows)

    def check(self, columns, options):
        check_similarity_rows(columns, options)

    def _compute(
        self,
        predictions,
        references,
        ids=None,
        weights=None,
        questions=None,
        *,
        model="cross-encoder/stsb-roberta-large",
        revision=None,
        mode="auto",
        encoder=None,
        encoder_revision=None,
        raw=False,
        symmetric=False,
        normalizer="squad",
        thresholds=(0.5,),
        top_k=None,
        missing="zero",
        duplicates="error",
        dtype="float32",
        backend="torch",
        max_length=None,
        device=None,
        batch_size=None,
        num_threads=None,
        trust_remote_code=False,
        progress=None,
        per_example=False,
        level=None,
        n_resamples=1000,
        bootstrap_seed=0,
        signature=False,
        counts=False,
    ):
        options = SimilarityOptions.from_some(
            {
                "model": model,
                "revision": revision,
                "mode": mode,
                "encoder": encoder,
                "encoder_revision": encoder_revision,
                "raw": raw,
                "symmetric": symmetric,
                "normalizer": normalizer,
                "thresholds": thresholds,
                "top_k": top_k,
                "missing": missing,
                "duplicates": duplicates,
                "dtype": dtype,
                "backend": backend,
                "max_length": max_length,
                "device": device,
                "batch_size": batch_size,
                "num_threads": num_threads,
                "trust_remote_code": trust_remote_code,
                "progress": progress,
            }
        )
        scores = score_similarity(predictions, references, ids, weights, questions, options=options)
        return scores.result(per_example, level, n_resamples, bootstrap_seed, signature, counts)
