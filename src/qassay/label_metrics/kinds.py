"""The kinds of files of label_metrics: tables of labels, and sparse rows of labels."""

from ..files.kinds import GOLD_AND_PREDICTIONS, Kind
from ..files.label_tables import PREDICTED_LABELS, LabelFiles, LabelReader
from ..files.lines import Lines, is_lines
from ..files.source import Source
from .read_labels import OWN_LABELS, label_columns
from .read_xmc import read_xmc, read_xmc_scores
from .xmc_lines import find_xmc_lines

_METRIC = "label_metrics"
_READER = LabelReader(_METRIC, PREDICTED_LABELS, label_columns, OWN_LABELS)


class LabelMetricsFiles(LabelFiles):
    """Tables of labels where the metric is requested, and sparse rows of labels."""

    metric = _METRIC
    kinds = (
        Kind(
            "xmc",
            "sparse rows of labels (XMC)",
            GOLD_AND_PREDICTIONS,
            _METRIC,
            read_xmc,
            read_xmc_scores,
            fits=is_lines("xmc"),
            order=0,
        ),
        _READER.kind(),
    )
    roles = telling_roles = ("separator",)  # not a column, but the text between the labels of a cell
    predicted = PREDICTED_LABELS
    gold_files = "give a table with columns of predictions and true labels, or sparse rows of labels (XMC)"

    lines_order = 10  # sizes and rows of numbers may look like lines of TREC

    def find_lines(self, source: Source, lines: list[bytes], begun: bytes) -> Lines | None:
        return find_xmc_lines(source, lines, begun)


FILES = LabelMetricsFiles()
