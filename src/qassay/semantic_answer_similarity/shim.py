"""Links the script to the installed package; in a rendered Space this file holds the code itself."""

try:
    from qassay.answer_match.columns import answer_rows_by_id
    from qassay.core.module import QAMetric
    from qassay.core.rows import rows_have_ids
    from qassay.semantic_answer_similarity.scoring import SimilarityOptions, check_similarity_rows, score_similarity
except ModuleNotFoundError as err:
    if err.name != "qassay":  # something the package itself needs
        raise
    raise ImportError("this metric needs its core: run `pip install qassay`, in a clone `pip install .`") from err
