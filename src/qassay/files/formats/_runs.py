"""What every format of runs checks."""

from ...core.file_columns import Gold
from ..reading import FileError


def check_judgements(path: str, gold: Gold) -> None:
    """Refuse judgements that a run of queries and documents cannot be scored by.

    Raises:
        FileError: they are pairs of NLPCC-DBQA, or have no documents.
    """
    if gold.kind == "nlpcc":
        raise FileError(
            path,
            f"this is a run, but {gold.path} has pairs of NLPCC-DBQA; give scores, one per line of it (if it should be qrels, "
            "its lines must be: query 0 document relevance)",
        )
    if not gold.columns:
        raise FileError(
            path,
            f"this is a run with documents, but the rows of {gold.path} have no documents; give a table with columns of query, score "
            "and relevance",
        )
