"""Links the script to the installed package; in a rendered Space this file holds the code itself."""

try:
    from qassay.core.module import QAMetric
    from qassay.factoid_accuracy.scoring import FactoidOptions, entity_rows_as, score_entities
except ModuleNotFoundError as err:
    if err.name != "qassay":  # something the package itself needs
        raise
    raise ImportError("this metric needs its core: run `pip install qassay`, in a clone `pip install .`") from err
