"""Links the script to the installed package; in a rendered Space this file holds the code itself."""

try:
    from qassay.answer_equivalence.scoring import (
        EquivalenceOptions,
        check_equivalence_rows,
        explain_answers,
        score_equivalence,
        told_reasons,
    )
    from qassay.answer_match.columns import answer_rows_by_id
    from qassay.core.module import QAMetric
    from qassay.core.rows import rows_have_ids
except ModuleNotFoundError as err:
    if err.name != "qassay":  # something the package itself needs
        raise
    raise ImportError("this metric needs its core: run `pip install qassay`, in a clone `pip install .`") from err
