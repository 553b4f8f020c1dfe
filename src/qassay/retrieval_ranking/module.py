"""retrieval_ranking: MRR, MAP, nDCG, precision, recall, hit rate and more of ranked documents. The core does the work."""

import datasets

from ..core.module import QAMetric
from .about import CITATION
from .columns import ranking_rows, rows_have_queries
from .scoring import RankingOptions, ranking_rows_by_id, score_rankings

_DESCRIPTION = """
How well documents are ranked for queries: MRR, MAP, nDCG, precision, recall, hit rate, R-precision, bpref, RBP, ERR
and the other measures of trec_eval 10, equal to it to the last digit, under any rule for tied scores, with the choice
of the average precision denominator, for each query and over all. For search, retrieval-augmented generation and the
selection of answer sentences (NLPCC-DBQA).
"""

_USAGE = """
Returns:
    A flat dict of floats (0 to 1, except dcg and utility) and counts: the measures, num_ret, num_rel, num_rel_ret,
    total, missing, no_relevant, tied and unmatched.

Examples:
    >>> import evaluate
    >>> import qassay
    >>> metric = evaluate.load("./metrics/retrieval_ranking")  # in a clone
    >>> metric = qassay.load("retrieval_ranking")  # anywhere
    >>> scores = metric.compute(predictions=[["d3", "d1", "d2"], ["d5"]], references=[["d1", "d2"], ["d5", "d6"]])
    >>> scores["mrr"], scores["recall@100"], scores["num_rel_ret"]
    (0.75, 0.75, 3)
    >>> run = {"q1": {"d1": 0.9, "d2": 0.8}, "q2": {"d4": 2.0}}
    >>> qrels = {"q1": {"d2": 2, "d1": 1}, "q2": {"d4": 1, "d5": 0}}
    >>> scores = metric.compute(run=run, qrels=qrels, measures=["ndcg@10", "map"])
    >>> round(scores["ndcg@10"], 4), scores["map"]
    (0.9299, 1.0)
"""


class RetrievalRanking(QAMetric):
    texts = _DESCRIPTION, CITATION, _USAGE
    function, options_class = staticmethod(score_rankings), RankingOptions
    batch_rows, lengths_may_differ = staticmethod(ranking_rows), staticmethod(rows_have_queries)  # type: ignore[assignment]

    def _info(self):
        texts = datasets.Sequence(datasets.Value("string"))
        return self.card(["https://github.com/usnistgov/trec_eval"], {"predictions": texts, "references": texts})

    def adapt(self, columns, options):
        return ranking_rows_by_id(columns)
