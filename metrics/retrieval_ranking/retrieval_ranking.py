"""retrieval_ranking: MRR, MAP, nDCG, precision, recall, hit rate and more of ranked documents. The core does the work."""

import datasets
import evaluate

from .shim import (
    QAMetric,
    check_ranking_config,
    check_ranking_options,
    ranking_rows,
    ranking_rows_by_id,
    rows_have_queries,
    score_rankings_as,
)

_DESCRIPTION = """
How well documents are ranked for queries: MRR, MAP, nDCG, precision, recall, hit rate, R-precision, bpref, RBP, ERR and
the other measures of trec_eval 10, equal to it to the last digit, under any rule for tied scores, with the choice of the
average precision denominator, for each query and over all. For search, retrieval-augmented generation and the selection
of answer sentences (NLPCC-DBQA).
"""

_CITATION = """
@inproceedings{buckley-voorhees-2004-retrieval,
    title = "Retrieval Evaluation with Incomplete Information",
    author = "Buckley, Chris and Voorhees, Ellen M.",
    booktitle = "Proceedings of the 27th Annual International ACM SIGIR Conference",
    year = "2004",
    pages = "25--32",
}
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions (or run): a ranked list of document ids per query; or a dict from query to {document: score}; or a table
        (Arrow, pandas, dict of columns) with the columns query, document, score; or with query, label, score.
    references (or qrels): a list or set of relevant documents per query; or a dict from query to {document: relevance};
        or a table with query, document, relevance.
    ids, weights: optional columns, one entry per query.
    scores: lists of numbers beside ranked lists.
    relevances: lists of relevances beside lists of relevant documents.
    preset: "nlpcc" for the rules of the NLPCC-DBQA guideline; so does the config "nlpcc".
    measures: names such as "map", "mrr@10", "ndcg@10", "p@5", "recall@100", "hit_rate@10", "map(rel=2)@100", or those
        of trec_eval; "official" and "all_trec" for trec_eval's own lists.
    ties: "trec", "stable", "best", "worst" or "expected".
    tie_bounds: adds every measure under the worst and the best order of ties.
    score_dtype: "float64" (trec_eval 10) or "float32" (trec_eval 9 and pytrec_eval).
    missing: "zero", "skip" or "error" for a judged query that the run does not have.
    relevance_level: the least relevance of relevant documents.
    ap_denominator: "num_relevant", "min_mn", "num_retrieved_relevant", "min_k_relevant" or "fixed:N".
    gain: "linear", "exp2" or a dict {level: gain}.
    judged_only: takes documents out that nobody judged.
    skip_trivial: leaves out queries without a relevant document or with relevant ones only.
    drop_identical_ids: takes documents out whose id is that of the query.
    per_example: adds the scores of each query.
    level: adds the ends of bootstrap intervals of that level, as <key>_low and <key>_high.
    n_resamples, bootstrap_seed: of those intervals.
    signature: adds the text of all options that change a number.
    counts: adds how many examples each measure rests on, a dict by key; a measure of none is 0.0.

Returns:
    A flat dict of floats (0 to 1, except dcg and utility) and counts: the measures, num_ret, num_rel, num_rel_ret,
    total, missing, no_relevant, tied and unmatched.

Examples:
    >>> metric = evaluate.load("./metrics/retrieval_ranking")
    >>> scores = metric.compute(predictions=[["d3", "d1", "d2"], ["d5"]], references=[["d1", "d2"], ["d5", "d6"]])
    >>> scores["mrr"], scores["recall@100"], scores["num_rel_ret"]
    (0.75, 0.75, 3)
    >>> run = {"q1": {"d1": 0.9, "d2": 0.8}, "q2": {"d4": 2.0}}
    >>> qrels = {"q1": {"d2": 2, "d1": 1}, "q2": {"d4": 1, "d5": 0}}
    >>> scores = metric.compute(run=run, qrels=qrels, measures=["ndcg@10", "map"])
    >>> round(scores["ndcg@10"], 4), scores["map"]
    (0.9299, 1.0)
"""

_TEXTS = datasets.Sequence(datasets.Value("string"))


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class RetrievalRanking(QAMetric):
    optional = ("references", "ids", "weights", "scores", "relevances", "run", "qrels")
    core_checks = True

    def _info(self):
        check_ranking_config(self.config_name)
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=datasets.Features({"predictions": _TEXTS, "references": _TEXTS}),
            reference_urls=["https://github.com/usnistgov/trec_eval"],
        )

    def check_options(self, options):
        check_ranking_options(self.config_name, options)

    def adapt(self, columns, options):
        return ranking_rows_by_id(columns)

    def batch_rows(self, column, name):
        return ranking_rows(column, name)

    def lengths_may_differ(self, rows):
        return rows_have_queries(rows)

    def _compute(
        self,
        predictions,
        references=None,
        ids=None,
        weights=None,
        scores=None,
        relevances=None,
        run=None,
        qrels=None,
        *,
        preset=None,
        measures=None,
        ties=None,
        tie_bounds=False,
        score_dtype="float64",
        missing="zero",
        relevance_level=1,
        ap_denominator=None,
        gain="linear",
        judged_only=False,
        skip_trivial=False,
        drop_identical_ids=False,
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
            "scores": scores,
            "relevances": relevances,
            "run": run,
            "qrels": qrels,
        }
        options = {
            "preset": preset,
            "measures": measures,
            "ties": ties,
            "tie_bounds": tie_bounds,
            "score_dtype": score_dtype,
            "missing": missing,
            "relevance_level": relevance_level,
            "ap_denominator": ap_denominator,
            "gain": gain,
            "judged_only": judged_only,
            "skip_trivial": skip_trivial,
            "drop_identical_ids": drop_identical_ids,
        }
        scores = score_rankings_as(self.config_name, columns, options)
        return scores.result(per_example, level, n_resamples, bootstrap_seed, signature, counts)
