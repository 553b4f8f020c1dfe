"""Runs and judgements as tables with a row per document."""

import pyarrow as pa


def as_table(by_query, number="score", query=None, document=None):
    """An Arrow table of dicts {document: number} of each query, or of lists of such pairs; the types of ids, texts if None."""
    pairs = {name: of.items() if isinstance(of, dict) else of for name, of in by_query.items()}
    rows = [(name, *pair) for name, of in pairs.items() for pair in of]
    queries, documents, numbers = map(list, zip(*rows, strict=True))
    return pa.table(
        {
            "query_id": pa.array(queries, query or pa.string()),
            "docid": pa.array(documents, document or pa.string()),
            number: pa.array(numbers, pa.float64()),
        }
    )


def as_tables(run, qrels):
    return as_table(run), as_table(qrels, "relevance")
