"""Links the script to the installed core; in a rendered Space this file is the core itself."""

try:
    from karat.core.answer_columns import rows_by_id
    from karat.core.columns import rows_have_ids
    from karat.core.module import QAMetric
    from karat.core.similarity import SimilarityOptions, check_similarity_rows, score_similarity
except ModuleNotFoundError as err:
    if err.name != "karat":  # something the core itself needs
        raise
    raise ImportError(
        "this metric needs its core: run `pip install -e .` in the folder of the clone that holds setup.cfg"
    ) from err
