"""Questions, and the measures of their answers, for tests of retriever_reader."""

from qassay.retriever_reader.scoring import ReaderOptions, score_reading

READINGS = ("accuracy", "em", "f1")
THIRD = 2 / 3


def span(document, start, end, text=None):
    return {"text": text, "document_id": document, "start": start, "end": end}


def question(documents, *answers):
    return {"documents": documents, "answers": list(answers)}


def of_retriever(scores):
    return tuple(scores.summary([f"retriever_{name}" for name in ("recall", "map", "mrr")]).values())


def read(predictions, references, **options):
    options = {"denominator": "queries", "unit": "offset", **options}
    return score_reading(predictions, references, options=ReaderOptions(**options))


def of_top(scores, top, ending=""):
    return tuple(scores.summary([f"reader_{top}_{name}{ending}" for name in READINGS]).values())
