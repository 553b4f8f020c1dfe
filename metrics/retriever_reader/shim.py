"""Links the script to the installed core; in a rendered Space this file is the core itself."""

try:
    from karat.core.module import QAMetric
    from karat.core.reading import check_reading_options, score_reading
    from karat.core.reading_columns import pipeline_rows_by_id
except ModuleNotFoundError as err:
    if err.name != "karat":  # something the core itself needs
        raise
    raise ImportError(
        "this metric needs its core: run `pip install -e .` in the folder of the clone that holds setup.cfg"
    ) from err
