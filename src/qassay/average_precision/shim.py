"""Links the script to the installed package; in a rendered Space this file holds the code itself."""

try:
    from qassay.average_precision.columns import kept_array
    from qassay.average_precision.scoring import CurveOptions, precision_recall_curves, score_curves
    from qassay.core.module import QAMetric
    from qassay.core.rows import dicts_as_lists
except ModuleNotFoundError as err:
    if err.name != "qassay":  # something the package itself needs
        raise
    raise ImportError("this metric needs its core: run `pip install qassay`, in a clone `pip install .`") from err
