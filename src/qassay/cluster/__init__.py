"""qassay.cluster: scores data sets that do not fit on one machine, with Ray Data; the numbers are the same as on one machine.

    qassay.cluster.score(dataset, "answer_match", columns={"predictions": "answer", "references": "golds", "ids": "id"})
    qassay.cluster.score("runs/*.parquet", "retrieval_ranking", qrels=qrels, keep="sums")

Workers turn blocks of the data set into statistics of examples, with the same functions as on one machine, and send
only the statistics, or only their sums.
"""

from .scoring import score
from .sums import PartialSums

__all__ = ["PartialSums", "score"]
