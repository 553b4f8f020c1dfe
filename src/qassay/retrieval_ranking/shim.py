"""Links the script to the installed package; in a rendered Space this file holds the code itself."""

try:
    from qassay.core.module import QAMetric
    from qassay.retrieval_ranking.columns import ranking_rows, rows_have_queries
    from qassay.retrieval_ranking.scoring import RankingOptions, ranking_rows_by_id, score_rankings
except ModuleNotFoundError as err:
    if err.name != "qassay":  # something the package itself needs
        raise
    raise ImportError("this metric needs its core: run `pip install qassay`, in a clone `pip install .`") from err
