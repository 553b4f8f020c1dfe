"""The kind of file of retriever_reader: outputs of a pipeline. Its gold is also in files of answer_match."""

from ..core.file_columns import Gold, Predictions
from ..core.hints import Hint
from ..files.content import Content
from ..files.kinds import GOLD_AND_PREDICTIONS, FamilyFiles, Kind, check_unnamed
from ..files.tables import Names
from .read_pipeline import is_pipeline_outputs, read_pipeline_gold, read_pipeline_outputs

_METRIC = "retriever_reader"


class PipelineFiles(FamilyFiles):
    """Files of documents and answers by id; SQuAD files and tables are read as such where the metric is asked for."""

    metric = _METRIC
    kinds = (
        Kind(
            "pipeline_outputs",
            "documents and answers of a pipeline by id",
            GOLD_AND_PREDICTIONS,
            _METRIC,
            fits=lambda value, asked: is_pipeline_outputs(value),
            order=10,
            keeps_duplicates=True,
            elsewhere=Hint("score with metric", _METRIC),
        ),
    )

    def read_gold(self, content: Content, kind: Kind, names: Names) -> Gold:
        """A file of any kind that has gold answers with documents; none has columns to name."""
        check_unnamed(content.path, kind, names, tuple(names))
        return read_pipeline_gold(content, kind.text)

    def read_predictions(self, content: Content, kind: Kind, gold: Gold, names: Names) -> Predictions:
        """A file of any kind that has documents by question."""
        return read_pipeline_outputs(content, kind.text, gold)


FILES = PipelineFiles()
