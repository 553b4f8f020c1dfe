"""Outputs of FlashRAG (`intermediate_data.json`): questions with gold answers and the output of the pipeline."""

from ..logs import Log, Row, with_prefix


def _has_row(row: Row) -> bool:
    return "golden_answers" in row and isinstance(row.get("output"), dict)


def _row(sample: Row) -> Row:
    """A row with id, question, golden_answers, prediction (`pred`), retrieval_result if present, `raw_pred` if it
    differs, and the fields of `metadata` as `metadata.NAME`.
    """
    output = sample.get("output")
    if not isinstance(output, dict) or "pred" not in output:
        raise ValueError("has no output with 'pred'; give the file that was written after the generator ran")
    kept = {name: output[name] for name in ("retrieval_result", "raw_pred") if name in output}
    if kept.get("raw_pred") == output["pred"]:
        del kept["raw_pred"]
    return {
        **{name: sample[name] for name in ("id", "question") if sample.get(name) is not None},
        "golden_answers": sample.get("golden_answers"),
        "prediction": output["pred"],
        **kept,
        **with_prefix("metadata", sample.get("metadata")),
    }


LOG = Log(
    "output of FlashRAG",
    _has_row,
    _row,
    file_patterns=("intermediate_data.json",),
    beside=("config.yaml", "metric_score.txt"),
)
