"""Cases that a reader of the card can check by hand; the test suite runs them."""


def span(document, start, end):
    """An answer by its place."""
    return {"document_id": document, "start": start, "end": end}


test_cases = [
    {  # relevant documents at the ranks 2 and 4; half of the answer found, as the first answer
        "predictions": [{"documents": list("abcde"), "answers": [span("b", 15, 20), span("b", 12, 22)]}],
        "references": [{"documents": ["b", "d"], "answers": [span("b", 10, 20)]}],
        "result": {
            "retriever_recall": 1.0,
            "retriever_map": 0.5,
            "retriever_mrr": 0.5,
            "reader_top1_accuracy": 1.0,
            "reader_top1_em": 0.0,
            "reader_top1_f1": 2 / 3,
            "reader_top1_fk": 0.8,
            "reader_topk_f1": 0.8,
        },
    },
    {  # four relevant documents, two found
        "predictions": [{"documents": list("abcde"), "answers": []}],
        "references": [{"documents": list("bdxy"), "answers": [span("b", 10, 20)]}],
        "result": {"retriever_map": 0.25, "retriever_mrr": 0.5, "reader_topk_accuracy": 0.0},
    },
    {
        "predictions": [{"documents": list("abcde"), "answers": []}],
        "references": [{"documents": list("bdxy"), "answers": [span("b", 10, 20)]}],
        "ap_denominator": "num_retrieved_relevant",
        "result": {"retriever_map": 0.5},
    },
    {  # one question not found, one unanswerable and an empty second answer
        "predictions": {
            "q1": {"documents": ["x"], "answers": [span("x", 0, 4)]},
            "q2": {"documents": ["d"], "answers": [span("d", 3, 4), None]},
        },
        "references": {
            "q1": {"documents": ["d"], "answers": [span("d", 0, 4)], "is_impossible": False},
            "q2": {"documents": ["d"], "answers": [], "is_impossible": True},
        },
        "result": {
            "retriever_recall": 0.5,
            "correct_retrievals": 1,
            "reader_top1_accuracy": 0.0,
            "reader_topk_accuracy": 1.0,
            "reader_topk_accuracy_has_answer": None,  # no question has an answer and its document
            "reader_topk_no_answer_accuracy": 1.0,
        },
    },
]
