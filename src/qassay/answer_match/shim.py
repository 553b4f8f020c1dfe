"""Links the script to the installed package; in a rendered Space this file holds the code itself."""

try:
    from qassay.answer_match.columns import answer_rows_by_id
    from qassay.answer_match.scoring import AnswerMatchOptions, check_answers, score_answers, score_answers_as
    from qassay.core.module import QAMetric
    from qassay.core.rows import rows_have_ids
except ModuleNotFoundError as err:
    if err.name != "qassay":  # something the package itself needs
        raise
    raise ImportError("this metric needs its core: run `pip install qassay`, in a clone `pip install .`") from err
