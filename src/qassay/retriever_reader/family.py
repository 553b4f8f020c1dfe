"""The descriptor of retriever_reader."""

from ..core.family import Family
from .about import ABOUT

_OUTPUT = {"documents": ["d"], "answers": ["a"]}


class RetrieverReaderFamily(Family):
    """Pipeline outputs against gold answers with their documents."""

    name = "retriever_reader"
    source = "the evaluation of retriever and reader in PIAF"
    function = "score_reading"
    options = "ReaderOptions"
    known_as = {
        "piaf": "retriever_reader",
        "haystack": "retriever_reader, which takes the outputs of its pipelines",
        "rag": "retriever_reader for documents and answers of a pipeline",
    }
    smallest = (({"predictions": [_OUTPUT], "references": [_OUTPUT]}, {}),)
    about = ABOUT


FAMILY = RetrieverReaderFamily()
