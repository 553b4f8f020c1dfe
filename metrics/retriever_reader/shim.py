"""Links the script to the installed core; in a rendered Space this file is the core itself."""

try:
    from qassay.core.module import QAMetric
    from qassay.core.reading import check_reading_options, score_reading
    from qassay.core.reading_columns import pipeline_rows_by_id
except ModuleNotFoundError as err:
    if err.name != "qassay":  # something the core itself needs
        raise
    raise ImportError(
        "this metric needs its core: run `pip install -e .` in the folder of the clone that holds setup.cfg"
    ) from err
