"""qassay.cluster: scores of data sets that no single machine holds, by Ray Data; the numbers equal one machine's.

    qassay.cluster.score(dataset, "answer_match", columns={"predictions": "answer", "references": "golds", "ids": "id"})
    qassay.cluster.score("runs/*.parquet", "retrieval_ranking", qrels=qrels, keep="sums")

Blocks of the data set become statistics of their examples where they lie, by the same functions as on one machine; only
the statistics travel, or only their sums.
"""

from .partial_sums import PartialSums
from .plan import score

__all__ = ["PartialSums", "score"]
