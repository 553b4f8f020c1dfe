"""Links the script to the installed package; in a rendered Space this file holds the code itself."""

try:
    from qassay.core.columns import as_array
    from qassay.core.module import QAMetric
    from qassay.core.rows import dicts_as_lists
    from qassay.label_metrics.scoring import LabelOptions, confusion_matrix, score_labels
except ModuleNotFoundError as err:
    if err.name != "qassay":  # something the package itself needs
        raise
    raise ImportError("this metric needs its core: run `pip install qassay`, in a clone `pip install .`") from err
