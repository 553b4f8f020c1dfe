"""qassay.cluster: scores data sets that do not fit on one machine, with Ray Data; the numbers are the same as on one machine.

    qassay.cluster.score(dataset, "answer_match", columns={"predictions": "answer", "references": "golds", "ids": "id"})
    qassay.cluster.score("runs/*.parquet", "retrieval_ranking", qrels=qrels, keep="sums")

Workers compute the statistics of blocks of examples with the same functions as on one machine, and return only the
statistics, or only their sums.
"""

from .scoring import score
from .sums import PartialSums

__all__ = ["PartialSums", "score"]
