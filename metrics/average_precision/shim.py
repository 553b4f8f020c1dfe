"""Links the script to the installed core; in a rendered Space this file is the core itself."""

try:
    from karat.core.columns import rows_by_id_of
    from karat.core.curve_columns import kept_array
    from karat.core.curves import CurveOptions, precision_recall_curves, score_curves
    from karat.core.module import QAMetric
except ModuleNotFoundError as err:
    if err.name != "karat":  # something the core itself needs
        raise
    raise ImportError(
        "this metric needs its core: run `pip install -e .` in the folder of the clone that holds setup.cfg"
    ) from err
