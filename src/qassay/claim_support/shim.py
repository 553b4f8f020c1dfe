"""Links the script to the installed package; in a rendered Space this file holds the code itself."""

try:
    from qassay.claim_support.columns import verdict_rows_by_id
    from qassay.claim_support.scoring import VerdictOptions, check_verdict_rows, score_verdicts
    from qassay.core.module import QAMetric
    from qassay.core.rows import rows_have_ids
except ModuleNotFoundError as err:
    if err.name != "qassay":  # something the package itself needs
        raise
    raise ImportError("this metric needs its core: run `pip install qassay`, in a clone `pip install .`") from err
